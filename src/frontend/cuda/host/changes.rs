//! What a function of the host does to its variables.

use tree_sitter::Node;

use super::super::unit::{TypeDecl, has_child, last_named};
use super::Host;
use super::variables::{Event, contains};

/// Functions that leave everything of the caller as it is.
const BY_VALUE: [&str; 48] = [
    "static_cast",
    "reinterpret_cast",
    "float",
    "double",
    "size_t",
    "unsigned",
    "fabs",
    "floorf",
    "round",
    "lround",
    "snprintf",
    "sprintf",
    "to_string",
    "sizeof",
    "log2f",
    "printf",
    "fprintf",
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "strcmp",
    "strlen",
    "assert",
    "exit",
    "abort",
    "min",
    "max",
    "sqrt",
    "sqrtf",
    "pow",
    "abs",
    "ceil",
    "ceilf",
    "floor",
    "log",
    "log2",
    "dim3",
    "int",
    "rand",
    "srand",
    "fflush",
    "fclose",
    "atoi",
    "atol",
    "strtol",
    "puts",
];

/// Does this function of the platform neither keep the addresses that it gets, nor call anything of the program?
fn is_platform(name: &str) -> bool {
    ["cuda", "cublas", "cufft", "curand", "hip", "__cuda", "make_", "checkCudaErrors", "sdk"]
        .iter()
        .any(|k| name.starts_with(k))
}

impl<'u> Host<'_, 'u> {
    pub(super) fn scan(&mut self) {
        let function = self.function;
        let mut all = Vec::new();
        let mut stack = vec![function];
        while let Some(node) = stack.pop() {
            let mut cursor = node.walk();
            let mut inner: Vec<Node<'u>> = node.named_children(&mut cursor).collect();
            inner.reverse();
            stack.extend(inner);
            all.push(node);
        }
        for node in &all {
            match node.kind() {
                "parameter_declaration" | "optional_parameter_declaration" | "declaration" | "for_range_loop" => {
                    self.declare(*node);
                }
                _ => {}
            }
        }
        for node in all {
            self.changes_of(node);
        }
        self.far_changes();
        for variable in &mut self.variables {
            if variable.is_const {
                variable.events.retain(|e| e.declares);
                variable.is_wild = false;
            }
            variable.events.sort_by_key(|e| e.at);
            // Control may come to a launch past what stands before it.
            variable.is_wild |= self.has_goto && variable.events.len() > 1;
        }
    }

    fn changes_of(&mut self, node: Node<'u>) {
        let field = |name: &str| node.child_by_field_name(name);
        let is = |op: &str| field("operator").is_some_and(|o| self.unit.str(o) == op);
        match node.kind() {
            "declaration" | "for_range_loop" => {
                let ty = field("type");
                let mut cursor = node.walk();
                let declarators: Vec<Node<'u>> = node.children_by_field_name("declarator", &mut cursor).collect();
                let is_const = self.unit.str(node).starts_with("const ");
                for declarator in declarators {
                    let refers = !is_const && {
                        let inner = declarator.child_by_field_name("declarator").unwrap_or(declarator);
                        has_child(inner, "&") || has_child(inner, "&&") || inner.kind() == "reference_declarator"
                    };
                    // A reference need not say so with its own `&`.
                    let by_type = |ty: Node<'u>| {
                        let text = self.unit.str(ty);
                        ["&", "decltype", "reference"].iter().any(|word| text.contains(word))
                            || self.keeps_references(ty)
                    };
                    if refers || ty.is_some_and(by_type) {
                        self.all_wild(declarator);
                        if let Some(range) = field("right") {
                            self.all_wild(range);
                        }
                    }
                }
            }
            "assignment_expression" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
                self.changed(left, node, Some(right).filter(|_| is("=")));
            }
            "gnu_asm_expression" => self.all_wild(node),
            // Names that are not followed.
            "structured_binding_declarator" => self.all_wild(node),
            "lambda_capture_initializer" => {
                if let Some(name) = field("left").or_else(|| node.named_child(0)) {
                    self.all_wild(name);
                }
            }
            "enumerator" => {
                if let Some(name) = field("name") {
                    self.all_wild(name);
                }
            }
            "goto_statement" => self.has_goto = true,
            // A label that leads into the middle of a block.
            "case_statement" => {
                let block = node.parent().and_then(|b| b.parent());
                self.has_goto |= block.is_none_or(|s| s.kind() != "switch_statement");
            }
            "update_expression" => {
                if let Some(argument) = field("argument") {
                    self.changed(argument, node, None);
                }
            }
            "pointer_expression" if self.unit.str(node).starts_with('&') && !self.is_only_read(node) => {
                if let Some(argument) = field("argument") {
                    self.address_taken(node, argument);
                }
            }
            // `a >> x`, from a stream.
            "binary_expression" if is(">>") => {
                if let Some(right) = field("right") {
                    self.changed(right, node, None);
                }
            }
            "call_expression" => self.call_changes(node),
            // Objects are made from references, as far as it is known.
            "new_expression" | "compound_literal_expression"
                if field("type").is_some_and(|ty| self.keeps_references(ty)) =>
            {
                self.all_wild(node);
            }
            _ => {}
        }
    }

    /// Calls may change what they reach: variables whose address was given away, and what references stand for.
    fn far_changes(&mut self) {
        let calls: Vec<Node<'u>> = self.calls.iter().chain(&self.indirect).copied().collect();
        let (all_calls, stores) = (self.all_calls.clone(), self.stores.clone());
        let event = |node: Node<'u>| {
            let at = node.end_byte();
            Event { node, at: self.time_of(node, at), field: None, value: None, declares: false }
        };
        let calls: Vec<_> = calls.into_iter().map(event).collect();
        let far: Vec<_> = all_calls.into_iter().chain(stores).map(event).collect();
        for variable in &mut self.variables {
            if variable.is_remote {
                variable.events.extend(far.iter().copied());
            } else if let Some(from) = variable.escapes {
                variable.events.extend(calls.iter().filter(|e| e.at > from).copied());
            }
        }
        self.far = far;
        self.far.sort_by_key(|e| e.at);
    }

    /// What the head of a loop does after the body comes after it.
    fn time_of(&self, node: Node<'u>, at: usize) -> usize {
        let mut inner = node;
        while let Some(outer) = inner.parent().filter(|_| inner != self.function) {
            if outer.kind() == "for_statement" && outer.child_by_field_name("update") == Some(inner) {
                return outer.end_byte();
            }
            inner = outer;
        }
        at
    }

    /// Is this address given to a launch, which copies what is there?
    fn is_only_read(&self, address: Node<'u>) -> bool {
        let callee = address.parent().filter(|p| p.kind() == "argument_list").and_then(|p| p.parent());
        let callee = callee.and_then(|c| c.child_by_field_name("function")).map(|f| self.unit.str(f));
        callee == Some("cudaLaunchKernelEx") || self.copied.contains(&address)
    }

    /// May an object of this type change what it is made from?
    fn keeps_references(&self, ty: Node<'u>) -> bool {
        let name = self.unit.str(self.unit.qualified(ty).1);
        let name = name.split('<').next().unwrap_or(name).trim();
        self.lower.names.types.get(name).is_some_and(|list| {
            list.iter().any(|(_, decl)| match decl {
                TypeDecl::Class(node, _) => self.unit.str(*node).contains('&'),
                TypeDecl::Typedef(ty, declarator) => {
                    self.unit.str(*declarator).contains('&') || self.unit.str(*ty).contains('&')
                }
                TypeDecl::Alias(ty) => self.unit.str(*ty).contains('&'),
                TypeDecl::Enum(_) | TypeDecl::Unread => false,
            })
        })
    }

    /// The variable of a name that stands in the text, or one that nothing is known of.
    fn meant(&mut self, name: Node<'u>) -> usize {
        let text = self.unit.str(name);
        // In its own declaration.
        let own =
            || self.variables.iter().rposition(|v| v.name == text && v.declarator.is_some_and(|d| contains(d, name)));
        match self.find(text, name).or_else(own) {
            Some(known) => known,
            None => self.stranger(text),
        }
    }

    /// Whatever is named here may change at any time.
    fn all_wild(&mut self, node: Node<'u>) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            // `S s(n);` reads as the declaration of a function.
            if matches!(node.kind(), "identifier" | "type_identifier") {
                let variable = self.meant(node);
                self.variables[variable].is_wild = true;
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
    }

    /// The variable that a place is in, and the field; `None`: it is behind a pointer.
    fn place(&self, place: Node<'u>) -> Option<(Node<'u>, Option<&'u str>)> {
        match place.kind() {
            "identifier" => Some((place, None)),
            "parenthesized_expression" => self.place(last_named(place)?),
            "field_expression" => {
                if place.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "->") {
                    return None;
                }
                let (object, outer) = self.place(place.child_by_field_name("argument")?)?;
                let field = self.unit.str(place.child_by_field_name("field")?);
                Some((object, outer.or(Some(field))))
            }
            "subscript_expression" => self.place(place.child_by_field_name("argument")?),
            "assignment_expression" => self.place(place.child_by_field_name("left")?),
            "update_expression" => self.place(place.child_by_field_name("argument")?),
            _ => None,
        }
    }

    fn changed(&mut self, place: Node<'u>, node: Node<'u>, value: Option<Node<'u>>) {
        let Some((name, field)) = self.place(place) else {
            // Whatever is named in a place that is not understood, and all that is reached through it.
            self.stores.push(node);
            self.indirect.push(node);
            if !matches!(place.kind(), "pointer_expression" | "field_expression") {
                self.all_wild(place);
            }
            return;
        };
        // Something else may refer to it.
        self.stores.push(node);
        let target = self.meant(name);
        let target = &self.variables[target];
        if place.kind() != "identifier" || target.is_wild || target.is_remote {
            self.indirect.push(node);
        }
        let whole = place.kind() == "identifier";
        let of_field = place.kind() == "field_expression"
            && place.child_by_field_name("argument").is_some_and(|a| a.kind() == "identifier");
        let variable = self.meant(name);
        let at = self.time_of(node, node.end_byte());
        let value = value.filter(|_| whole || of_field);
        let variable = &mut self.variables[variable];
        variable.events.push(Event { node, at, field, value, declares: false });
        // A function object may do it at any time.
        let mut around = node;
        while let Some(outer) = around.parent().filter(|_| around != variable.scope) {
            around = outer;
            variable.is_wild |= around.kind() == "lambda_expression" && around != variable.scope;
        }
    }

    /// `&x`: given to a function, which may also keep it, or kept here.
    fn address_taken(&mut self, address: Node<'u>, place: Node<'u>) {
        let mut outer = address;
        while let Some(parent) =
            outer.parent().filter(|p| matches!(p.kind(), "cast_expression" | "parenthesized_expression"))
        {
            outer = parent;
        }
        let call = outer.parent().filter(|p| p.kind() == "argument_list").and_then(|p| p.parent());
        let Some(call) = call.filter(|c| c.kind() == "call_expression") else {
            match self.place(place) {
                Some(_) => self.all_wild(place),
                None => {
                    self.stores.push(address);
                    self.indirect.push(address);
                }
            }
            return;
        };
        let function = call.child_by_field_name("function");
        let name = function.map_or("", |f| self.callee(f));
        self.changed(place, call, None);
        if let Some((object, _)) = self.place(place)
            && !is_platform(name)
            && !["scanf", "sscanf", "fscanf", "fread"].contains(&name)
        {
            let variable = self.meant(object);
            let from = call.end_byte();
            let known = self.variables[variable].escapes.get_or_insert(from);
            *known = (*known).min(from);
        }
    }

    /// The name of a function, without scopes and template arguments.
    pub(super) fn callee(&self, function: Node<'u>) -> &'u str {
        let name = self.unit.str(self.unit.qualified(function).1);
        name.split('<').next().unwrap_or(name)
    }

    /// A function may change what it gets by reference, and an object what its members do.
    fn call_changes(&mut self, call: Node<'u>) {
        self.all_calls.push(call);
        let (Some(function), Some(list)) =
            (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
        else {
            return;
        };
        if has_child(call, "kernel_call_syntax") {
            return;
        }
        let name = self.callee(function);
        if self.keeps_references(function) {
            self.all_wild(list);
        }
        let overloads = self.lower.names.functions.get(name);
        let harmless = is_platform(name) || BY_VALUE.contains(&name);
        if overloads.is_some() || !harmless {
            self.calls.push(call);
        } else if matches!(
            name,
            "printf" | "fprintf" | "malloc" | "free" | "min" | "max" | "dim3" | "atoi" | "cudaMalloc"
        ) {
            self.all_calls.pop();
        }
        if function.kind() == "field_expression"
            && let Some(object) = function.child_by_field_name("argument")
        {
            self.changed(object, call, None);
        }
        let mut cursor = list.walk();
        let arguments: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        for (i, argument) in arguments.into_iter().enumerate() {
            let argument = bare(argument);
            // Other expressions that may be places.
            let target = match argument.kind() {
                "cast_expression" => argument.child_by_field_name("type"),
                "call_expression" => {
                    argument.child_by_field_name("function").filter(|f| f.kind() == "template_function")
                }
                _ => None,
            };
            let converts = target.is_some_and(|ty| self.unit.str(ty).contains('&'));
            if !harmless && (converts || matches!(argument.kind(), "conditional_expression" | "comma_expression")) {
                self.all_wild(argument);
                continue;
            }
            if !matches!(argument.kind(), "identifier" | "field_expression" | "subscript_expression") {
                continue;
            }
            let by_reference = match self.lower.names.functions.get(name) {
                Some(list) => list.iter().any(|decl| {
                    decl.declarator.child_by_field_name("parameters").is_some_and(|parameters| {
                        let mut cursor = parameters.walk();
                        let parameter = parameters.named_children(&mut cursor).filter(|n| n.kind() != "comment").nth(i);
                        parameter.is_none_or(|p| {
                            let text = self.unit.str(p);
                            let refers = text.contains('&')
                                || p.child_by_field_name("type").is_some_and(|ty| self.keeps_references(ty));
                            refers && !text.trim_start().starts_with("const ")
                        })
                    })
                }),
                None => !harmless,
            };
            if by_reference {
                self.changed(argument, call, None);
                if let Some((object, _)) = self.place(argument) {
                    let variable = self.meant(object);
                    self.variables[variable].escapes.get_or_insert(call.end_byte());
                }
            }
        }
    }
}

/// The expression without parentheses around it.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression"
        && let Some(inner) = node.named_child(0)
    {
        node = inner;
    }
    node
}
