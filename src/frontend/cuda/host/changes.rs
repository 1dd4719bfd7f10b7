//! What a function of the host does to its variables.

use indexmap::IndexSet;
use tree_sitter::Node;

use super::super::unit::{each_named, has_child, last_named};
use super::Host;
use super::mentions::{Takes, is_platform};
use super::places::listed_in;
use super::variables::{Event, Outside, Variable, contains};

/// Functions of C that write no memory which a program has a name for.
const COMPUTES: [&str; 37] = [
    "TORCH_CHECK",
    "TORCH_INTERNAL_ASSERT",
    "AT_ASSERT",
    "AT_ASSERTM",
    "abort",
    "abs",
    "assert",
    "atoi",
    "atol",
    "calloc",
    "ceil",
    "ceilf",
    "exit",
    "fabs",
    "fclose",
    "fflush",
    "floor",
    "floorf",
    "free",
    "log",
    "log2",
    "log2f",
    "lround",
    "malloc",
    "max",
    "min",
    "pow",
    "puts",
    "rand",
    "round",
    "sqrt",
    "sqrtf",
    "srand",
    "strcmp",
    "strlen",
    "to_string",
    "size_t",
];

/// What may change where a place is given to a function: by its address that reaches more than the place itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Place,
    /// The other elements of the array that it is in.
    Array,
    /// And the object of which it is the first member.
    Object,
}

/// Does a function write no more than the one number or pointer that it is given the address of?
fn writes_one(name: &str) -> bool {
    let writes_more = ["Memcpy", "Memset", "Register", "Range"].iter().any(|part| name.contains(part));
    ["scanf", "sscanf", "fscanf"].contains(&name)
        || (name.starts_with("cuda") || name.starts_with("hip")) && !writes_more
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
            self.parents.extend(inner.iter().map(|child| (child.id(), node)));
            stack.extend(inner);
            all.push(node);
        }
        for node in &all {
            match node.kind() {
                "parameter_declaration" | "optional_parameter_declaration" | "declaration" | "for_range_loop" => {
                    self.declare(*node);
                }
                "for_statement" => {
                    self.updates.extend(node.child_by_field_name("update").map(|update| (update, node.end_byte())));
                }
                _ => {}
            }
        }
        self.declare_outside(&all);
        let unnamed = std::mem::take(&mut self.unnamed);
        self.hide_all(unnamed);
        for node in &all {
            self.changes_of(*node);
        }
        self.unseen(&all);
        self.mentions(&all);
        self.far_changes();
        self.resized(&all);
        for variable in &mut self.variables {
            let is_number = |ty: Node| matches!(ty.kind(), "primitive_type" | "sized_type_specifier");
            if variable.is_const && (!self.said.changes_const || variable.ty.is_some_and(is_number)) {
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
            "assignment_expression" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
                if self.reference_declared(left).is_some() {
                    self.all_wild(right);
                }
                self.changed(left, node, Some(right).filter(|_| is("=")));
            }
            // `dim3 g(n = 32);` reads as the declaration of a function.
            "optional_parameter_declaration" => {
                let name = field("type").map(|ty| self.unit.qualified(ty).1);
                if let Some(name) = name.filter(|n| self.find(self.unit.str(*n), *n).is_some()) {
                    match field("declarator") {
                        None => self.changed(name, node, None),
                        Some(_) => self.all_wild(node),
                    }
                }
            }
            "gnu_asm_expression" => self.all_wild(node),
            // Names that are not followed.
            "lambda_capture_initializer" => {
                if let Some(name) = field("left").or_else(|| node.named_child(0)) {
                    self.hide(name);
                }
            }
            "enumerator" => {
                if let Some(name) = field("name") {
                    self.hide(name);
                }
            }
            "goto_statement" => self.has_goto |= !self.leaves_for_good(node),
            // A label that leads into the middle of a block.
            "case_statement" => {
                let block = self.up(node).and_then(|b| self.up(b));
                self.has_goto |= block.is_none_or(|s| s.kind() != "switch_statement");
            }
            "update_expression" => {
                if let Some(argument) = field("argument") {
                    self.changed(argument, node, None);
                }
            }
            // `using q::n;` makes the name another one.
            "using_declaration" => {
                let name = last_named(node).map(|name| self.unit.qualified(name).1);
                if let Some(name) = name.filter(|name| self.named.contains_key(self.unit.str(*name))) {
                    self.hide(name);
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
                    self.changed_by(right, node, None, Reach::Array);
                }
            }
            "subscript_expression" => {
                if let Some(container) = field("argument").filter(|a| self.inserts(*a)) {
                    self.changed(container, node, None);
                }
            }
            "call_expression" => self.call_changes(node),
            _ => {}
        }
    }

    /// Does a jump lead behind the launch, to a label that no loop around the launch is around? From there nothing comes back to
    /// the launch, and what is before it is run as it stands, or the launch is not. [HOST-VERSION]
    fn leaves_for_good(&self, jump: Node<'u>) -> bool {
        let (Some(name), Some(body)) = (jump.child_by_field_name("label"), self.function.child_by_field_name("body"))
        else {
            return false;
        };
        let around = |node: Node<'u>| {
            std::iter::successors(self.up(node), |n| self.up(*n))
                .take_while(|n| *n != self.function)
                .collect::<Vec<_>>()
        };
        let mut labels = Vec::new();
        each_named(body, |n| {
            let label = n.child_by_field_name("label").filter(|_| n.kind() == "labeled_statement");
            labels.extend(label.filter(|label| self.unit.str(*label) == self.unit.str(name)).map(|_| n));
        });
        let [label] = labels[..] else { return false };
        let far = |at: usize| at > jump.end_byte() && at > self.launch.end_byte();
        let is_lambda = |n: &Node<'u>| n.kind() == "lambda_expression";
        let is_loop =
            |n: &Node<'u>| ["for_statement", "while_statement", "do_statement", "for_range_loop"].contains(&n.kind());
        let of_launch = around(self.launch);
        let of_label = around(label);
        far(label.start_byte())
            && !of_launch.iter().chain(&of_label).any(is_lambda)
            && !of_label.iter().any(|n| is_loop(n) && contains(*n, self.launch))
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
        let near: Vec<_> = self.near_stores.iter().copied().map(event).collect();
        let shared = self.said.shares_memory && !self.said.registers_memory;
        let of_caller = |v: &Variable<'u>| shared && v.is_remote && v.is_parameter && self.refers_to_locals(v);
        let of_caller: Vec<bool> = self.variables.iter().map(of_caller).collect();
        for (variable, of_caller) in self.variables.iter_mut().zip(of_caller) {
            if variable.is_remote {
                let is_own = |e: &Event<'u>| variable.events.iter().any(|own| own.node == e.node);
                // A kernel writes no variable of the host, nor what one stands for that is in memory of the host.
                let of_unit = variable.outside == Some(Outside::Unit);
                let is_apart =
                    if of_unit { !self.said.registers_memory } else { of_caller || !self.said.shares_memory };
                let reaches = |e: &Event<'u>| !is_apart || !has_child(e.node, "kernel_call_syntax");
                let others: Vec<_> = far.iter().copied().filter(|e| !is_own(e) && reaches(e)).collect();
                variable.events.extend(others);
            } else if let Some(from) = variable.escapes {
                variable.events.extend(calls.iter().filter(|e| e.at > from).copied());
            }
        }
        self.far = far.into_iter().chain(near).collect();
        self.far.sort_by_key(|e| e.at);
    }

    /// Tensors share what they hold: one may change the sizes of others.
    fn resized(&mut self, all: &[Node<'u>]) {
        let event = |node: &Node<'u>| {
            let at = self.time_of(*node, node.end_byte());
            Event { node: *node, at, field: None, value: None, declares: false }
        };
        let events: Vec<Event<'u>> = all.iter().filter(|n| self.changes_sizes(**n)).map(event).collect();
        for variable in 0..self.variables.len() {
            if !events.is_empty() && self.holds_tensor(variable) {
                self.variables[variable].events.extend(&events);
            }
        }
    }

    /// The parent of a node: that of the library looks for it from the root of the tree.
    pub(super) fn up(&self, node: Node<'u>) -> Option<Node<'u>> {
        self.parents.get(&node.id()).copied().or_else(|| node.parent())
    }

    /// What the head of a loop does after the body comes after it.
    pub(super) fn time_of(&self, node: Node<'u>, at: usize) -> usize {
        let around = self.updates.iter().filter(|(update, _)| contains(*update, node));
        let innermost = around.min_by_key(|(update, _)| update.end_byte() - update.start_byte());
        innermost.map_or(at, |(_, end)| *end)
    }

    /// Is this address given to a launch, which copies what is there?
    fn is_only_read(&self, address: Node<'u>) -> bool {
        let callee = self.up(address).filter(|p| p.kind() == "argument_list").and_then(|p| self.up(p));
        let callee = callee.and_then(|c| c.child_by_field_name("function")).map(|f| self.unit.str(f));
        callee == Some("cudaLaunchKernelEx") || self.copied.contains(&address)
    }

    /// The variable of a name that stands in the text, or one that nothing is known of.
    pub(super) fn meant(&mut self, name: Node<'u>) -> usize {
        let text = self.unit.str(name);
        // In its own declaration.
        let own =
            || self.variables.iter().rposition(|v| v.name == text && v.declarator.is_some_and(|d| contains(d, name)));
        match self.find(text, name).or_else(own) {
            Some(known) => known,
            None => self.stranger(text),
        }
    }

    /// The name in `int (&r) = n;`, which reads as an assignment to what a call returns, or to an element of that.
    pub(super) fn reference_declared(&self, left: Node<'u>) -> Option<Node<'u>> {
        let mut call = left;
        while call.kind() == "subscript_expression" {
            call = call.child_by_field_name("argument")?;
        }
        let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
        let [only] = listed_in(call.child_by_field_name("arguments")?)[..] else { return None };
        let name = only.child_by_field_name("argument").filter(|_| self.unit.str(only).starts_with('&'))?;
        let is_function = self.lower.names.functions.contains_key(self.callee(function));
        (name.kind() == "identifier" && !is_function).then_some(name)
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

    /// Whatever is named here may mean something else, which is not followed.
    pub(super) fn hide(&mut self, node: Node<'u>) {
        self.hide_all(vec![node]);
    }

    pub(super) fn hide_all(&mut self, mut stack: Vec<Node<'u>>) {
        let mut hidden = IndexSet::new();
        while let Some(node) = stack.pop() {
            stack.extend(listed_in(node));
            if matches!(node.kind(), "identifier" | "type_identifier") {
                hidden.insert(self.unit.str(node));
            }
        }
        for text in hidden {
            // There may be one that is declared in text which was not read.
            self.stranger(text);
            for variable in self.named.get(text).into_iter().flatten() {
                let known = &mut self.variables[*variable];
                (known.is_wild, known.is_const, known.ty, known.declarator) = (true, false, None, None);
            }
        }
    }

    /// The variable that a place is in, and the field; `None`: it is behind a pointer.
    fn place(&self, place: Node<'u>) -> Option<(Node<'u>, Option<&'u str>)> {
        match place.kind() {
            "identifier" | "type_identifier" => Some((place, None)),
            "parenthesized_expression" => self.place(last_named(place)?),
            "field_expression" | "subscript_expression" => {
                if let Some((object, path, _)) = self.path_of(place) {
                    return Some((object, (!path.is_empty()).then_some(path)));
                }
                if place.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "->") {
                    return None;
                }
                let (object, outer) = self.place(place.child_by_field_name("argument")?)?;
                let field = place.child_by_field_name("field").map(|f| self.unit.str(f));
                Some((object, outer.or(field.filter(|_| object.kind() == "identifier"))))
            }
            "assignment_expression" => self.place(place.child_by_field_name("left")?),
            "update_expression" => self.place(place.child_by_field_name("argument")?),
            _ => None,
        }
    }

    fn changed(&mut self, place: Node<'u>, node: Node<'u>, value: Option<Node<'u>>) {
        self.changed_by(place, node, value, Reach::Place);
    }

    /// The path of all that may change by the address of a part: the whole of an array, and of an object for its first member.
    fn reached(&mut self, variable: usize, path: &'u str, reach: Reach) -> Option<&'u str> {
        if reach == Reach::Place {
            return Some(path);
        }
        let mut path = &path[..path.find('[').unwrap_or(path.len())];
        while reach == Reach::Object && !path.is_empty() {
            let (outer, member) = path.rsplit_once('.').unwrap_or(("", path));
            if !self.may_be_first(variable, outer, member) {
                break;
            }
            path = outer;
        }
        Some(path).filter(|path| !path.is_empty())
    }

    fn changed_by(&mut self, place: Node<'u>, node: Node<'u>, value: Option<Node<'u>>, reach: Reach) {
        let Some((name, field)) = self.place(place) else {
            // Whatever is named in a place that is not understood, and all that is reached through it.
            self.stores.push(node);
            self.indirect.push(node);
            match place.kind() {
                // `T (x) = 1;` declares a variable.
                "call_expression" => self.hide(place),
                _ if is_behind(place) => {}
                _ => self.all_wild(place),
            }
            return;
        };
        // Something else may refer to it: no reference that is a parameter, and nothing outside, to what is declared here.
        let target = self.meant(name);
        let known = &self.variables[target];
        let mut declarator = known.declarator;
        while let Some(pointer) = declarator.filter(|d| d.kind() == "pointer_declarator") {
            declarator = pointer.child_by_field_name("declarator");
        }
        let is_own = declarator.is_some_and(|d| d.kind() == "identifier") && !known.is_remote && !known.is_wild;
        match place.kind() == "identifier" && is_own {
            true => self.near_stores.push(node),
            false => self.stores.push(node),
        }
        if place.kind() != "identifier" || known.is_wild || known.is_remote || !self.is_scalar(known, name) {
            self.indirect.push(node);
        }
        if self.has_copy(node, target) {
            return;
        }
        // `s[0]`, by an operator of the program, may be any part of it.
        let is_own_index = self.said.operators.iter().any(|(name, _)| *name == "[]");
        let field = field.filter(|path| !(is_own_index && path.starts_with('[')));
        let whole = place.kind() == "identifier";
        let of_field =
            !is_own_index && place.kind() != "identifier" && self.path_of(place).is_some_and(|(_, _, whole)| whole);
        let variable = self.meant(name);
        let field = field.and_then(|path| self.reached(variable, path, reach));
        let at = self.time_of(node, node.end_byte());
        // A function object may do it at any time.
        let (mut around, mut any_time, scope) = (node, false, self.variables[variable].scope);
        while let Some(outer) = self.up(around).filter(|_| around != scope) {
            around = outer;
            any_time |= around.kind() == "lambda_expression" && around != scope;
        }
        let variable = &mut self.variables[variable];
        variable.is_wild |= any_time;
        let behind = variable.declarator.is_some_and(|d| d.kind() == "pointer_declarator");
        let value = value.filter(|_| whole || of_field && !behind);
        variable.events.push(Event { node, at, field, value, declares: false });
    }

    /// `&x`: given to a function, which may also keep it, or kept here.
    fn address_taken(&mut self, address: Node<'u>, place: Node<'u>) {
        let mut outer = address;
        while let Some(parent) =
            self.up(outer).filter(|p| matches!(p.kind(), "cast_expression" | "parenthesized_expression"))
        {
            outer = parent;
        }
        let call = self.up(outer).filter(|p| p.kind() == "argument_list").and_then(|p| self.up(p));
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
        let reach = if writes_one(name) { Reach::Array } else { Reach::Object };
        self.changed_by(place, call, None, reach);
        if self.writes_later(name, call) {
            self.all_wild(place);
        }
        if let Some((object, _)) = self.place(place)
            && !(is_platform(name) && function.is_some_and(|f| self.is_harmless(f)))
            && !["scanf", "sscanf", "fscanf", "fread"].contains(&name)
        {
            let variable = self.meant(object);
            if self.has_copy(address, variable) {
                return;
            }
            let from = call.end_byte();
            let known = self.variables[variable].escapes.get_or_insert(from);
            *known = (*known).min(from);
        }
    }

    /// May what a function of the platform is given the address of change after it has returned? A copy to memory that is not
    /// pinned is done when `cudaMemcpyAsync` returns (CUDA Runtime API, "API synchronization behavior"). [HOST-LATER]
    fn writes_later(&self, name: &str, call: Node<'u>) -> bool {
        let blocks = || {
            let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
            arguments.iter().any(|a| self.unit.str(*a) == "CL_TRUE")
        };
        let reads = ["clEnqueueRead", "clEnqueueSVMMemcpy"].iter().any(|k| name.starts_with(k));
        name.contains("HostRegister") || reads && !blocks()
    }

    /// The name of a function, without scopes and template arguments.
    pub(super) fn callee(&self, function: Node<'u>) -> &'u str {
        let name = self.unit.str(self.unit.qualified(function).1);
        name.split('<').next().unwrap_or(name)
    }

    /// `static_cast<int>(n)`, `unsigned(n)`: as `(int)n`, this calls nothing. A statement may be a declaration.
    fn converts_a_number(&self, call: Node<'u>) -> bool {
        let Some(function) = call.child_by_field_name("function") else { return false };
        let text = self.unit.str(function);
        // An object has an operator of its own that is called.
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let is_object =
            |a: &Node<'u>| a.kind() == "identifier" && self.variable_at(*a).is_some_and(|v| !self.is_scalar(v, *a));
        if arguments.iter().any(is_object) {
            return false;
        }
        let is_type = function.kind() == "primitive_type"
            || function.kind() == "qualified_identifier" && text.starts_with("std::") && self.is_integer_type(function);
        (is_type || self.is_plain_cast(function) && !text.contains('&'))
            && self.up(call).is_some_and(|p| p.kind() != "expression_statement")
    }

    /// A function may change what it gets by reference, and an object what its members do.
    fn call_changes(&mut self, call: Node<'u>) {
        if self.only_returns(call) || self.converts_a_number(call) {
            return;
        }
        let (Some(function), Some(list)) =
            (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
        else {
            self.all_calls.push(call);
            return;
        };
        if self.calls_quiet(function) {
            return;
        }
        let reads = self.reads_of_library(function);
        if !reads {
            self.all_calls.push(call);
        }
        if has_child(call, "kernel_call_syntax") {
            return;
        }
        let name = self.callee(function);
        let harmless = self.is_harmless(function);
        if reads {
            // Its object is looked at below.
        } else if !harmless {
            self.calls.push(call);
        } else if self.leaves_variables(name, list) {
            self.all_calls.pop();
            // Managed memory is that of pointers of the host as well.
            if name.contains("Memset") || name.contains("Memcpy") {
                self.near_stores.push(call);
            }
        }
        if function.kind() == "field_expression"
            && let (Some(object), Some(method)) =
                (function.child_by_field_name("argument"), function.child_by_field_name("field"))
        {
            match object.kind() {
                "identifier" | "subscript_expression" if self.leaves_object(object, method) => return,
                // What a call returned; it may be in something that it was given before.
                "call_expression" => {
                    self.stores.push(call);
                    self.indirect.push(call);
                }
                _ => self.changed_by(object, call, None, Reach::Array),
            }
            self.kept(object, call);
        }
        // `T (x);` declares a variable.
        let is_type =
            function.kind() == "primitive_type" || self.lower.names.types.contains_key(name) || name == "dim3";
        if is_type && self.up(call).is_some_and(|p| p.kind() == "expression_statement") {
            self.hide(list);
        }
        let passes_on = self.passes_on_values(function, list);
        for (i, argument) in listed_in(list).into_iter().enumerate() {
            let is_left = passes_on && self.type_of(argument).is_some();
            let place =
                !is_left && matches!(argument.kind(), "identifier" | "field_expression" | "subscript_expression");
            if place && self.takes(function, i) == Takes::Reference {
                // Numbers are swapped by the library alone, which keeps no reference to them.
                let swaps = self.unit.str(function) == "std::swap" && self.type_of(argument).is_some();
                let swaps = swaps && !self.lower.names.functions.contains_key(name);
                self.changed_by(argument, call, None, if swaps { Reach::Place } else { Reach::Object });
                if !swaps {
                    self.kept(argument, call);
                }
            }
        }
    }

    /// Does a function of the platform change no memory of the host but what it is given the address of?
    fn leaves_variables(&self, name: &str, arguments: Node<'u>) -> bool {
        const PLAIN: [&str; 4] = ["printf", "fprintf", "dim3", "checkCudaErrors"];
        const ENDS: [&str; 13] = [
            "GetErrorString",
            "Malloc",
            "MallocManaged",
            "MallocAsync",
            "Free",
            "FreeAsync",
            "Memset",
            "MemsetAsync",
            "DeviceSynchronize",
            "ThreadSynchronize",
            "GetLastError",
            "PeekAtLastError",
            "SetDevice",
        ];
        let Some(end) = ["cuda", "hip"].iter().find_map(|prefix| name.strip_prefix(prefix)) else {
            return PLAIN.contains(&name) || COMPUTES.contains(&name) && !self.is_own_method(name, true);
        };
        let copies_away = |end: &str| {
            let way = listed_in(arguments).get(3).map_or("", |way| self.unit.str(*way));
            matches!(end, "Memcpy" | "MemcpyAsync")
                && (way.ends_with("HostToDevice") || way.ends_with("DeviceToDevice"))
        };
        let waits = (end.starts_with("Event") || end.starts_with("Stream"))
            && !end.contains("Callback")
            && !end.contains("Get");
        ENDS.contains(&end) || end.starts_with("FuncSet") || waits || copies_away(end)
    }

    /// A call may keep a reference to a place.
    fn kept(&mut self, place: Node<'u>, call: Node<'u>) {
        if let Some((object, _)) = self.place(place) {
            let variable = self.meant(object);
            if self.has_copy(place, variable) {
                return;
            }
            self.variables[variable].escapes.get_or_insert(call.end_byte());
        }
    }
}

/// Is a place reached through a pointer?
fn is_behind(place: Node) -> bool {
    let mut node = place;
    loop {
        let inner = match node.kind() {
            // `&x` is a place of its own.
            "pointer_expression" => return node.child(0).is_some_and(|op| op.kind() == "*"),
            "field_expression" if node.child_by_field_name("operator").is_some_and(|o| o.kind() == "->") => {
                return true;
            }
            "parenthesized_expression" => last_named(node),
            "field_expression" | "subscript_expression" => node.child_by_field_name("argument"),
            _ => return false,
        };
        match inner {
            Some(inner) => node = inner,
            None => return false,
        }
    }
}
