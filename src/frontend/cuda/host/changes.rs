//! What a function of the host does to its variables, and which of them have one value.

use tree_sitter::Node;

use super::super::unit::{TypeDecl, declared_name, has_child, last_named, split_init};
use super::{Host, Uses};

impl<'u> Host<'_, 'u> {
    pub(super) fn scan(&mut self, function: Node<'u>) {
        let mut stack = vec![function];
        while let Some(node) = stack.pop() {
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
            match node.kind() {
                "parameter_declaration" | "optional_parameter_declaration" => {
                    if let Some(name) = node.child_by_field_name("declarator").and_then(declared_name) {
                        let uses = self.uses.entry(self.unit.str(name)).or_default();
                        uses.declarations += 1;
                        uses.is_parameter = true;
                        uses.ty = node.child_by_field_name("type");
                    }
                }
                "declaration" | "for_range_loop" => {
                    let ty = node.child_by_field_name("type");
                    let mut declarators = node.walk();
                    for declarator in node.children_by_field_name("declarator", &mut declarators) {
                        let (inner, init) = split_init(declarator);
                        let Some(name) = declared_name(inner) else { continue };
                        let uses = self.uses.entry(self.unit.str(name)).or_default();
                        uses.declarations += 1;
                        (uses.init, uses.declarator, uses.ty) = (init, Some(inner), ty);
                        // The variable of a range takes many values; a reference is another name.
                        let other = node.kind() == "for_range_loop"
                            || has_child(inner, "&")
                            || inner.kind() == "reference_declarator";
                        uses.changes += if other { 2 } else { 0 };
                        let keeps = other && !self.unit.str(node).starts_with("const ")
                            || ty.is_some_and(|ty| self.keeps_references(ty));
                        if keeps {
                            self.all_changed(declarator);
                        }
                    }
                }
                "assignment_expression" => {
                    let (Some(left), Some(right)) =
                        (node.child_by_field_name("left"), node.child_by_field_name("right"))
                    else {
                        continue;
                    };
                    let plain = node.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "=");
                    if left.kind() == "field_expression"
                        && let (Some(object), Some(field)) =
                            (left.child_by_field_name("argument"), left.child_by_field_name("field"))
                    {
                        let times = if plain && self.is_always_run(node, function) { 1 } else { 2 };
                        let entry =
                            self.fields.entry((self.unit.str(object), self.unit.str(field))).or_insert((0, right));
                        entry.0 += times;
                        entry.1 = right;
                        continue;
                    }
                    let always = plain && self.is_always_run(node, function);
                    self.changed(left, if always { Some(right) } else { None });
                }
                // Names that are not followed.
                "structured_binding_declarator" => self.all_changed(node),
                "lambda_capture_initializer" => {
                    if let Some(name) = node.child_by_field_name("left").or_else(|| node.named_child(0)) {
                        self.all_changed(name);
                    }
                }
                "enumerator" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.all_changed(name);
                    }
                }
                "lambda_expression" => self.lambdas.push(node),
                "goto_statement" => self.has_goto = true,
                "update_expression" => {
                    if let Some(argument) = node.child_by_field_name("argument") {
                        self.changed(argument, None);
                    }
                }
                "pointer_expression" if self.unit.str(node).starts_with('&') => {
                    if let Some(argument) = node.child_by_field_name("argument")
                        && !self.is_only_read(node)
                    {
                        self.changed(argument, None);
                    }
                }
                // `a >> x`, from a stream.
                "binary_expression"
                    if node.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == ">>") =>
                {
                    if let Some(right) = node.child_by_field_name("right") {
                        self.changed(right, None);
                    }
                }
                "call_expression" if !has_child(node, "kernel_call_syntax") => self.call_changes(node),
                _ => {}
            }
        }
    }

    /// Is this statement run once, whenever the function is: directly in its body?
    fn is_always_run(&self, node: Node<'u>, function: Node<'u>) -> bool {
        let statement = node.parent().filter(|p| p.kind() == "expression_statement");
        statement.and_then(|s| s.parent()).is_some_and(|block| Some(block) == function.child_by_field_name("body"))
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

    /// Whatever is named here may change.
    fn all_changed(&mut self, node: Node<'u>) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "identifier" => self.changed(node, None),
                // `S s(n);` reads as the declaration of a function.
                "type_identifier" => self.uses.entry(self.unit.str(node)).or_default().changes += 2,
                _ => {}
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
    }

    pub(super) fn changed(&mut self, place: Node<'u>, value: Option<Node<'u>>) {
        if place.kind() == "field_expression"
            && let (Some(object), Some(field)) =
                (place.child_by_field_name("argument"), place.child_by_field_name("field"))
        {
            let entry = self.fields.entry((self.unit.str(object), self.unit.str(field))).or_insert((0, place));
            entry.0 += 2;
        }
        let mut place = place;
        while let Some(inner) = place
            .child_by_field_name("argument")
            .or_else(|| if place.kind() == "parenthesized_expression" { last_named(place) } else { None })
        {
            place = inner;
        }
        if place.kind() == "identifier" {
            let uses = self.uses.entry(self.unit.str(place)).or_default();
            uses.changes += if value.is_some() { 1 } else { 2 };
            uses.assigned = value;
        }
    }

    /// A function may change what it gets by reference.
    fn call_changes(&mut self, call: Node<'u>) {
        let (Some(function), Some(list)) =
            (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
        else {
            return;
        };
        let name = self.unit.str(self.unit.qualified(function).1);
        // Libraries of the platform take what they change by pointer.
        let platform = ["cuda", "cublas", "cufft", "curand", "hip", "__cuda"].iter().any(|k| name.starts_with(k));
        const BY_VALUE: [&str; 28] = [
            "printf", "fprintf", "malloc", "calloc", "free", "memset", "memcpy", "strcmp", "strlen", "assert", "exit",
            "abort", "min", "max", "sqrt", "pow", "abs", "ceil", "ceilf", "floor", "log", "log2", "dim3", "int",
            "rand", "srand", "fflush", "fclose",
        ];
        let harmless = platform || BY_VALUE.contains(&name);
        let overloads = self.lower.names.functions.get(name);
        let mut cursor = list.walk();
        for (i, argument) in list.named_children(&mut cursor).filter(|n| n.kind() != "comment").enumerate() {
            if !matches!(argument.kind(), "identifier" | "field_expression" | "subscript_expression") {
                continue;
            }
            let by_reference = match overloads {
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
                self.changed(argument, None);
            }
        }
    }

    /// Has this variable one value as long as it is visible?
    pub(super) fn is_stable(&self, name: &str) -> bool {
        match self.uses.get(name) {
            Some(uses) => {
                uses.declarations == 1 && self.value_of(uses).is_some_and(|v| v.is_some() || uses.changes == 0)
            }
            // A constant outside of the function; a variable there may change at any time.
            None => false,
        }
    }

    /// The one value that a variable ever has: `Some(None)` is that of a parameter, or one that is not given here.
    pub(super) fn value_of(&self, uses: &Uses<'u>) -> Option<Option<Node<'u>>> {
        match (uses.init, uses.changes) {
            (Some(init), 0) => Some(Some(init)),
            (None, 1) if !uses.is_parameter => Some(uses.assigned),
            (None, 0) => Some(None),
            _ => None,
        }
    }
}
