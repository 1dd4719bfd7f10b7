//! Code of the program that runs where no call is written: constructors, destructors, conversions, operators. [HOST-UNSEEN]

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::super::unit::{FunDecl, TypeDecl, child_of_kind, declared_name, each_named, split_init};
use super::Host;
use super::copies::refers;
use super::mentions::{BY_VALUE, is_platform};
use super::places::listed_in;
use super::variables::{Event, SCOPES, Variable, contains, says};

/// Functions of C that write where an argument points.
const WRITES: [&str; 5] = ["memset", "memcpy", "sprintf", "snprintf", "strtol"];

/// How many methods are followed that call each other.
const MAX_CALLS: usize = 3;

/// Names of types, or of variables.
type Names<'u> = FxHashSet<&'u str>;

/// A variable of a function; is it a value of its own?
struct Local<'u> {
    name: &'u str,
    scope: Node<'u>,
    from: usize,
    is_own: bool,
}

/// The variables of a function, and the functions of its class.
#[derive(Default)]
struct Locals<'u> {
    list: Vec<Local<'u>>,
    methods: Names<'u>,
    class: Option<Node<'u>>,
    /// May the function change its object, and how many calls of methods led to it?
    own: bool,
    depth: usize,
}

impl Locals<'_> {
    /// Is what a name means at a place a value of the function? `None`: it is no variable of the function.
    fn meant(&self, name: &str, at: Node) -> Option<bool> {
        let seen = |l: &&Local| l.name == name && contains(l.scope, at) && l.from <= at.start_byte();
        let innermost = self.list.iter().filter(seen).max_by_key(|l| (l.scope.start_byte(), l.from));
        innermost.map(|l| l.is_own)
    }
}

/// What changes something where no call is written.
#[derive(Clone, Default)]
pub struct Loud<'u> {
    /// Classes whose objects change something else where they are only named.
    others: Names<'u>,
    /// Those that change themselves as well, or what they are made from.
    own: Names<'u>,
    /// Classes whose objects may keep where they, or parts of them, are.
    keepers: Names<'u>,
    /// Are there literals of the program that do so?
    literals: bool,
    /// Are there operators of enumerations that do so, or `new` and `delete`?
    values: bool,
    memory: bool,
    /// The types that a type is made of, by its name.
    parts: Vec<(&'u str, Names<'u>)>,
}

impl Loud<'_> {
    /// Takes in other names of these classes, and classes that have parts of them.
    fn close(&mut self) {
        for set in [&mut self.others, &mut self.own, &mut self.keepers] {
            let mut before = 0;
            while set.len() > before {
                before = set.len();
                set.extend(
                    self.parts
                        .iter()
                        .filter(|(_, parts)| !parts.is_disjoint(set))
                        .map(|(name, _)| *name)
                        .collect::<Vec<_>>(),
                );
            }
        }
    }

    fn is_silent(&self) -> bool {
        self.others.is_empty() && !self.literals && !self.memory
    }
}

impl<'u> Host<'_, 'u> {
    /// What is loud in the unit.
    fn loud(&mut self) -> Arc<Loud<'u>> {
        if let Some(known) = &self.lower.loud {
            return known.clone();
        }
        let names = self.lower.names;
        let mut loud = Loud::default();
        for (name, list) in &names.types {
            for (_, decl) in list {
                match decl {
                    TypeDecl::Class(class, _) => self.add_class(name, *class, &mut loud),
                    TypeDecl::Typedef(ty, _) | TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) => {
                        loud.parts.push((name, self.types_in(*ty)));
                    }
                    TypeDecl::Unread => drop(loud.others.insert(name)),
                    TypeDecl::Enum(_) => {}
                }
            }
        }
        for (name, list) in &names.special_classes {
            list.iter().for_each(|(class, _)| self.add_class(name, *class, &mut loud));
        }
        for (name, list) in &names.functions {
            let is_range = matches!(name.as_str(), "begin" | "end");
            let free = list.iter().filter(|d| d.class.is_none() && (is_range || name.starts_with("operator")));
            for decl in free.filter(|d| !self.is_for_device(d.node) && !self.is_quiet(d.node, !is_range)) {
                let taken = self.types_in(decl.declarator);
                loud.literals |= name.contains('"');
                let symbol = name.trim_start_matches("operator").trim_start();
                loud.memory |= symbol.starts_with("new") || symbol.starts_with("delete");
                if is_range {
                    loud.own.extend(&taken);
                }
                loud.others.extend(taken);
                // A template takes any class.
                if decl.template.is_some() {
                    loud.others.extend(names.types.keys().map(String::as_str));
                }
            }
        }
        loud.close();
        let is_enum = |(_, decl): &(_, TypeDecl)| matches!(decl, TypeDecl::Enum(_));
        loud.values = loud.others.iter().any(|name| names.types.get(*name).is_some_and(|l| l.iter().any(is_enum)));
        self.lower.loud.insert(Arc::new(loud)).clone()
    }

    fn add_class(&self, name: &'u str, class: Node<'u>, loud: &mut Loud<'u>) {
        let mut parts = Names::default();
        if class.has_error() {
            loud.others.insert(name);
            loud.own.insert(name);
        }
        for (item, own) in self.special_functions(class) {
            parts.extend(self.types_used(item));
            if self.keeps_itself(item) {
                loud.keepers.insert(name);
            }
            if !self.is_quiet(item, own) {
                loud.others.insert(name);
                if !own || self.takes_from(item, name) {
                    loud.own.insert(name);
                }
            }
        }
        // What its methods do that these call is done there as well.
        let methods = self.methods(class);
        if self.special_functions(class).into_iter().any(|(item, _)| self.calls_one_of(item, &methods)) {
            parts.extend(self.types_used(class));
            if self.keeps_itself(class) {
                loud.keepers.insert(name);
            }
        }
        let fields = self.fields(class);
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            if item.kind() == "field_declaration" {
                parts.extend(self.types_used(item));
                if self.unit.str(item).contains('&') {
                    loud.keepers.insert(name);
                }
            }
            // `int n = f();`
            let value = item.child_by_field_name("default_value");
            if value.is_some_and(|value| !self.changes_only(value, &Locals::default(), &fields)) {
                loud.others.insert(name);
            }
        }
        let bases = listed_in(class).into_iter().filter(|c| c.kind() == "base_class_clause");
        for base in bases.flat_map(|clause| self.types_in(clause)) {
            parts.insert(base);
            // What a pointer to the base leads to may be one of this class.
            loud.parts.push((base, Names::from_iter([name])));
        }
        loud.parts.push((name, parts));
    }

    fn types_in(&self, node: Node<'u>) -> Names<'u> {
        let mut found = Names::default();
        each_named(node, |n| {
            if n.kind() == "type_identifier" {
                found.insert(self.unit.str(n));
            }
        });
        found
    }

    /// Those, and the types of what is named of the unit.
    fn types_used(&self, node: Node<'u>) -> Names<'u> {
        let mut found = self.types_in(node);
        each_named(node, |n| {
            let known = self.lower.names.globals.get(self.unit.str(n)).filter(|_| n.kind() == "identifier");
            known.into_iter().flatten().for_each(|(_, global)| found.extend(self.types_in(global.node)));
        });
        found
    }

    /// May a function of a class keep where its object is? Functions of the platform do not.
    fn keeps_itself(&self, function: Node<'u>) -> bool {
        let mut keeps = false;
        each_named(function, |n| {
            let around = self.up(n);
            let is = |kind: &str| around.is_some_and(|a| a.kind() == kind);
            keeps |= match n.kind() {
                // `this->x`, `return *this;`
                "this" if is("pointer_expression") => {
                    around.and_then(|a| self.up(a)).is_none_or(|outer| outer.kind() != "return_statement")
                }
                "this" => !is("field_expression"),
                "pointer_expression" if self.unit.str(n).starts_with('&') => {
                    let call = around.filter(|a| a.kind() == "argument_list").and_then(|list| self.up(list));
                    let callee = call.and_then(|c| c.child_by_field_name("function"));
                    !callee.is_some_and(|f| is_platform(self.callee(f)))
                }
                _ => false,
            };
        });
        keeps
    }

    /// The functions of a class that run without a call; and may these change their object?
    fn special_functions(&self, class: Node<'u>) -> Vec<(Node<'u>, bool)> {
        let name = class.child_by_field_name("name").map_or("", |n| self.unit.str(n).split('<').next().unwrap_or(""));
        let mut found = Vec::new();
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            let is_around = matches!(item.kind(), "template_declaration" | "friend_declaration");
            let inner = listed_in(item).into_iter().find(|n| matches!(n.kind(), "function_definition" | "declaration"));
            let item = inner.filter(|_| is_around).unwrap_or(item);
            let Some(own) = item.child_by_field_name("declarator").filter(|_| !self.is_for_device(item)) else {
                continue;
            };
            // Also of a conversion.
            let written = if own.kind() == "operator_cast" { Some(own) } else { declared_name(own) };
            let text = written.map_or("", |n| self.unit.str(n));
            if text == name || text.starts_with('~') {
                found.push((item, true));
            } else if let Some(symbol) = text.strip_prefix("operator") {
                // What operators change is followed where they stand, but for those that give a place.
                let is_followed = own.kind() != "operator_cast" && !["[]", "*", "->"].contains(&symbol.trim());
                found.push((item, is_followed));
            } else if matches!(text, "begin" | "end") {
                found.push((item, false));
            }
        }
        found
    }

    /// Is this a constructor that may change what it copies?
    fn takes_from(&self, item: Node<'u>, class: &str) -> bool {
        let list =
            item.child_by_field_name("declarator").and_then(|d| d.child_by_field_name("parameters")).map(listed_in);
        list.unwrap_or_default().into_iter().any(|p| {
            let text = self.unit.str(p);
            text.contains(class) && refers(text)
        })
    }

    fn is_for_device(&self, function: Node<'u>) -> bool {
        let head = function.child_by_field_name("declarator").map_or(function.end_byte(), |d| d.start_byte());
        let head = &self.unit.text[function.start_byte()..head];
        head.contains("__device__") && !head.contains("__host__")
    }

    /// Does a special function change nothing but what it declares, and its own object where it may? What is defined
    /// elsewhere may change anything.
    fn is_quiet(&self, function: Node<'u>, own: bool) -> bool {
        self.is_quiet_at(function, own, 0)
    }

    fn is_quiet_at(&self, function: Node<'u>, own: bool, depth: usize) -> bool {
        let key = (function.id(), own, depth);
        if let Some(known) = self.lower.quiet_at.borrow().get(&key) {
            return *known;
        }
        let quiet = self.is_quiet_here(function, own, depth);
        self.lower.quiet_at.borrow_mut().insert(key, quiet);
        quiet
    }

    fn is_quiet_here(&self, function: Node<'u>, own: bool, depth: usize) -> bool {
        if function.child_by_field_name("body").is_none() {
            let given = ["default_method_clause", "delete_method_clause"];
            return listed_in(function).iter().any(|n| given.contains(&n.kind()));
        }
        let mut around = self.up(function);
        while let Some(list) = around.filter(|a| a.kind() != "field_declaration_list") {
            around = self.up(list);
        }
        let class = around.and_then(|list| self.up(list));
        let methods = class.map(|c| self.methods(c)).unwrap_or_default();
        let mut locals = Locals { methods, list: Vec::new(), class, own, depth };
        each_named(function, |n| {
            if n != function {
                self.add_locals(n, function, &mut locals.list);
            }
        });
        let fields = class.filter(|_| own).map(|class| self.fields(class)).unwrap_or_default();
        self.changes_only(function, &locals, &fields)
    }

    /// What a declaration, a parameter, a loop or a `using` in a function declares.
    fn add_locals(&self, node: Node<'u>, function: Node<'u>, list: &mut Vec<Local<'u>>) {
        let is_parameter = node.kind().ends_with("parameter_declaration");
        let is_using = node.kind() == "using_declaration";
        let is_local = is_using || matches!(node.kind(), "declaration" | "for_range_loop");
        if !(is_local || is_parameter && self.is_of_definition(node)) {
            return;
        }
        let mut scope = node;
        while scope != function && (scope == node || !SCOPES.contains(&scope.kind())) {
            let Some(outer) = self.up(scope) else { break };
            scope = outer;
        }
        if node.kind() == "for_range_loop" {
            scope = node;
        }
        let ty = node.child_by_field_name("type");
        let is_number = ty.is_some_and(|ty| self.is_integer_type(ty) && self.unit.str(ty) != "auto");
        let is_extern = says(node, &self.unit.text, &["extern"]);
        let mut cursor = node.walk();
        let declarators = node.children_by_field_name("declarator", &mut cursor);
        let declarators: Vec<Node<'u>> = if is_using { listed_in(node) } else { declarators.collect() };
        for declarator in declarators {
            let (inner, value) = split_init(declarator);
            let is_copy = !is_using && !is_extern && !self.unit.str(inner).trim_start().starts_with(['*', '&']);
            let is_own = is_copy && (is_number || !is_parameter && ty.is_some_and(|ty| self.holds_copies(ty, value)));
            let from = declarator.start_byte();
            match declared_name(inner).filter(|_| !is_using) {
                Some(name) => list.push(Local { name: self.unit.str(name), scope, from, is_own }),
                // Several names in brackets, and names from elsewhere.
                None => each_named(declarator, |n| {
                    if n.kind() == "identifier" {
                        list.push(Local { name: self.unit.str(n), scope, from, is_own: false });
                    }
                }),
            }
        }
    }

    /// Is this a parameter of a function that is defined, or of a handler, and not of a type or of what is only declared?
    fn is_of_definition(&self, parameter: Node<'u>) -> bool {
        let Some(mut around) = self.up(parameter).and_then(|list| self.up(list)) else { return false };
        let names = |d: Node<'u>| !matches!(d.kind(), "parenthesized_declarator" | "pointer_declarator");
        if around.kind() == "function_declarator" && !around.child_by_field_name("declarator").is_some_and(names) {
            return false;
        }
        while around.kind().ends_with("declarator") {
            let Some(outer) = self.up(around) else { return false };
            around = outer;
        }
        matches!(around.kind(), "function_definition" | "catch_clause" | "lambda_expression")
    }

    /// Does a variable of a type hold nothing but copies? `auto` does of numbers, and of what the platform returns.
    fn holds_copies(&self, ty: Node<'u>, value: Option<Node<'u>>) -> bool {
        let is_number = |v: Node<'u>| match v.kind() {
            "number_literal" | "char_literal" | "true" | "false" => true,
            "call_expression" => v.child_by_field_name("function").is_some_and(|f| is_platform(self.callee(f))),
            _ => false,
        };
        match self.unit.str(ty) {
            "auto" => value.is_some_and(is_number),
            _ => self.is_plain(ty),
        }
    }

    fn calls_one_of(&self, code: Node<'u>, methods: &Names<'u>) -> bool {
        let mut found = false;
        each_named(code, |n| {
            let function = n.child_by_field_name("function").filter(|_| n.kind() == "call_expression");
            found |= function.is_some_and(|f| methods.contains(self.callee(f)));
        });
        found
    }

    /// The names of the functions of a class.
    fn methods(&self, class: Node<'u>) -> Names<'u> {
        let mut found = Names::default();
        each_named(class, |n| {
            if n.kind() == "function_declarator" {
                found.extend(declared_name(n).map(|name| self.unit.str(name)));
            }
        });
        found
    }

    /// Does code change nothing but these variables, and these fields of its object, and call nothing that may?
    fn changes_only(&self, code: Node<'u>, locals: &Locals<'u>, fields: &Names<'u>) -> bool {
        let is_own = |place: Node<'u>| {
            let mut place = place;
            loop {
                let is_arrow = place.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "->");
                let of_this = place.child_by_field_name("argument").is_some_and(|object| object.kind() == "this");
                match (place.kind(), place.child_by_field_name("argument")) {
                    ("identifier", _) => {
                        let name = self.unit.str(place);
                        return locals.meant(name, place).unwrap_or_else(|| fields.contains(name));
                    }
                    ("field_expression", Some(_)) if of_this => {
                        return place.child_by_field_name("field").is_some_and(|f| fields.contains(self.unit.str(f)));
                    }
                    ("field_expression", Some(object)) if !is_arrow => place = object,
                    _ => return false,
                }
            }
        };
        let mut quiet = true;
        each_named(code, |n| {
            if !quiet {
                return;
            }
            let field = |name: &str| n.child_by_field_name(name);
            let operator = field("operator").map_or("", |o| self.unit.str(o));
            quiet = match n.kind() {
                "assignment_expression" => field("left").is_some_and(is_own),
                "update_expression" => field("argument").is_some_and(is_own),
                "pointer_expression" if operator == "&" || self.unit.str(n).starts_with('&') => {
                    field("argument").is_some_and(is_own)
                }
                // From and to a stream; of numbers they change nothing.
                "binary_expression" if matches!(operator, "<<" | ">>") => {
                    field("right").is_some_and(|right| right.kind() == "number_literal" || is_own(right))
                        && field("left").is_some_and(|left| left.kind() == "number_literal" || is_own(left))
                }
                "call_expression" => field("function").is_some_and(|function| {
                    let name = self.callee(function);
                    let arguments = field("arguments").map(listed_in).unwrap_or_default();
                    let by_value = BY_VALUE.contains(&name) && !WRITES.contains(&name) || name.starts_with("make_");
                    // What gets no other place writes to none.
                    let plain = |argument: Node<'u>| {
                        let mut all = true;
                        each_named(argument, |n| {
                            let text = self.unit.str(n);
                            let is_constant = text.starts_with("cuda") || text.starts_with("hip");
                            all &= n.kind() != "identifier" || is_constant || is_own(n);
                        });
                        all
                    };
                    // A copy to where a pointer leads.
                    let is_copy =
                        name.contains("Memcpy") && arguments.first().is_none_or(|to| !self.unit.str(*to).contains('&'));
                    if self.is_plain_cast(function) {
                        return true;
                    }
                    if function.kind() == "identifier" && locals.methods.contains(name) {
                        return self.own_is_quiet(name, locals);
                    }
                    if function.kind() == "identifier" && self.lower.names.functions.contains_key(name) {
                        return self.are_quiet(name, locals.depth);
                    }
                    function.kind() == "identifier"
                        && !is_copy
                        && !self.lower.names.types.contains_key(name)
                        && (by_value || is_platform(name) && (says_error(name) || arguments.into_iter().all(plain)))
                }),
                "gnu_asm_expression" | "lambda_expression" | "goto_statement" => false,
                _ => !n.is_error() && !n.is_missing(),
            };
        });
        quiet
    }

    /// Does a call of a function of the unit leave everything outside of that as it is: of one that looks at an error,
    /// say? [HOST-QUIET]
    pub(super) fn calls_quiet(&mut self, function: Node<'u>) -> bool {
        if !matches!(function.kind(), "identifier" | "template_function") || self.variable_at(function).is_some() {
            return false;
        }
        let name = self.callee(function);
        if let Some(known) = self.lower.quiet.get(name) {
            return *known;
        }
        let quiet = !self.said.calls_back && !self.is_own_method(name, false) && self.are_quiet(name, 0);
        self.lower.quiet.insert(name.to_owned(), quiet);
        quiet
    }

    /// Are all functions of a name quiet, and defined in the unit?
    fn are_quiet(&self, name: &str, depth: usize) -> bool {
        let list = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let count =
            |d: &FunDecl<'u>| d.declarator.child_by_field_name("parameters").map_or(0, |list| list.named_child_count());
        let defined: Vec<&FunDecl<'u>> = list.iter().filter(|d| d.has_body).collect();
        // What is declared may be defined elsewhere.
        let is_defined = |declared: &FunDecl<'u>| defined.iter().any(|d| count(d) == count(declared));
        depth < MAX_CALLS
            && !defined.is_empty()
            && !self.lower.names.types.contains_key(name)
            && list.iter().all(|d| !d.is_kernel && d.class.is_none() && is_defined(d))
            && defined.iter().all(|d| !self.makes_objects(d.node) && self.is_quiet_at(d.node, false, depth + 1))
    }

    /// Does a function make objects of the program, or use its operators?
    fn makes_objects(&self, function: Node<'u>) -> bool {
        let mut makes = false;
        each_named(function, |n| {
            let field = |name: &str| n.child_by_field_name(name);
            let is_own = |sign: &str| self.said.operators.iter().any(|(name, _)| *name == sign);
            makes |= match n.kind() {
                "new_expression" | "delete_expression" => true,
                "subscript_expression" => is_own("[]"),
                "binary_expression" | "unary_expression" => is_own(field("operator").map_or("", |o| self.unit.str(o))),
                // Also what it is given and returns by value.
                "declaration" | "function_definition" | "parameter_declaration" | "optional_parameter_declaration" => {
                    let refers = field("declarator")
                        .is_some_and(|d| d.kind().starts_with("pointer") || d.kind().starts_with("reference"));
                    !refers
                        && field("type").is_some_and(|ty| {
                            let name = self.unit.str(self.unit.qualified(ty).1).trim_start_matches("struct ");
                            self.lower.names.types.contains_key(name.split('<').next().unwrap_or(name).trim())
                        })
                }
                _ => false,
            };
        });
        makes
    }

    /// Is what a class calls so quiet: methods of its own, which no derived class overrides?
    fn own_is_quiet(&self, name: &str, locals: &Locals<'u>) -> bool {
        let Some(class) = locals.class.filter(|class| child_of_kind(*class, "base_class_clause").is_none()) else {
            return false;
        };
        let own = self.methods_named(class, name);
        locals.depth < MAX_CALLS
            && !own.is_empty()
            && own.into_iter().all(|method| {
                method.kind() == "function_definition"
                    && !self.unit.str(method).contains("virtual")
                    && self.is_quiet_at(method, locals.own, locals.depth + 1)
            })
    }

    /// `static_cast<T>`, to a number or an enumeration.
    pub(super) fn is_plain_cast(&self, function: Node<'u>) -> bool {
        let types = function.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let [only] = types.as_slice() else { return false };
        let name = self.unit.str(*only);
        let known = self.lower.names.types.get(name);
        let is_plain = matches!(known, Some(list) if list.iter().all(|(_, d)| matches!(d, TypeDecl::Enum(_))))
            || matches!(name, "float" | "double")
            || known.is_none() && only.child_by_field_name("type").is_some_and(|ty| self.is_integer_type(ty));
        function.kind() == "template_function" && self.callee(function) == "static_cast" && is_plain
    }

    /// The fields of each object of a class that are no references.
    fn fields(&self, class: Node<'u>) -> Names<'u> {
        let mut fields = Names::default();
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            let is_own = item.kind() == "field_declaration"
                && !listed_in(item).iter().any(|n| n.kind() == "storage_class_specifier")
                && !self.unit.str(item).contains('&');
            let mut cursor = item.walk();
            let declarators = item.children_by_field_name("declarator", &mut cursor).filter(|_| is_own);
            fields.extend(declarators.filter_map(declared_name).map(|n| self.unit.str(n)));
        }
        fields
    }

    /// A mention of a loud class, or of a variable that may be of one, is a call.
    pub(super) fn unseen(&mut self, all: &[Node<'u>]) {
        let mut loud = self.loud();
        let classes = ["struct_specifier", "class_specifier", "union_specifier"];
        let local = |n: &&Node<'u>| classes.contains(&n.kind()) && n.child_by_field_name("body").is_some();
        for class in all.iter().filter(local) {
            let known = Arc::make_mut(&mut loud);
            let name = class.child_by_field_name("name").map_or("", |n| self.unit.str(n));
            self.add_class(name, *class, known);
            known.close();
        }
        for node in all {
            // `using Q = G;`
            let names = match node.kind() {
                "alias_declaration" => node.child_by_field_name("name"),
                "type_definition" => node.child_by_field_name("declarator"),
                _ => continue,
            };
            if let (Some(name), Some(ty)) = (names, node.child_by_field_name("type")) {
                let known = Arc::make_mut(&mut loud);
                let name = declared_name(name).unwrap_or(name);
                known.parts.push((self.unit.str(name), self.types_in(ty)));
                known.close();
            }
        }
        for variable in 0..self.variables.len() {
            if self.may_be_of(variable, &loud.keepers) {
                let known = &mut self.variables[variable];
                known.escapes = Some(known.escapes.unwrap_or(known.from).min(known.from));
            }
        }
        if loud.is_silent() {
            return;
        }
        for node in all {
            let text = self.unit.str(*node);
            if self.is_got_from(*node) {
                continue;
            }
            let found = match node.kind() {
                "user_defined_literal" if loud.literals => None,
                "type_identifier" if loud.others.contains(text) => None,
                "type_identifier" if self.template_parameter(text, *node).is_some() => None,
                "identifier" if loud.values && self.lower.names.enumerators.contains_key(text) => None,
                "new_expression" | "delete_expression" | "declaration" if loud.memory => None,
                // `bool b(g);` reads as the declaration of a function.
                "identifier" | "type_identifier" => {
                    let own = || {
                        let is_of = |v: &Variable<'u>| v.declarator.is_some_and(|d| contains(d, *node));
                        self.variables.iter().rposition(|v| v.name == text && is_of(v))
                    };
                    let known = self.find(text, *node).or_else(own);
                    match known.filter(|v| self.may_be_of(*v, &loud.others)) {
                        Some(variable) => Some(variable),
                        None => continue,
                    }
                }
                _ => continue,
            };
            let mut events = vec![*node];
            // Objects end with their block.
            events.extend(self.block_of(*node));
            self.all_calls.extend(&events);
            self.calls.extend(events);
            let is_place = self.up(*node).is_some_and(|p| p.kind() == "field_expression");
            if let Some(variable) = found.filter(|v| !is_place && self.may_be_of(*v, &loud.own)) {
                let event = Event { node: *node, at: node.end_byte(), field: None, value: None, declares: false };
                self.variables[variable].events.push(event);
            }
        }
    }

    /// Is this the object of a call that only returns a member of it? Nothing else runs there.
    fn is_got_from(&self, name: Node<'u>) -> bool {
        let mut place = name;
        loop {
            let Some(parent) = self.up(place).filter(|_| name.kind() == "identifier") else { return false };
            let is = |field: &str| parent.child_by_field_name(field) == Some(place);
            match parent.kind() {
                "field_expression" if is("argument") => place = parent,
                "call_expression" => return is("function") && self.only_returns(parent),
                _ => return false,
            }
        }
    }

    /// May a variable be an object of one of these classes?
    fn may_be_of(&self, variable: usize, classes: &Names<'u>) -> bool {
        let known = &self.variables[variable];
        let Some(ty) = known.ty.filter(|_| !classes.is_empty()) else { return false };
        let value = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        let is_auto = matches!(ty.kind(), "placeholder_type_specifier" | "auto");
        let is_object = |v: Node| matches!(v.kind(), "call_expression" | "identifier" | "compound_literal_expression");
        let types = self.types_in(ty);
        is_auto && value.is_none_or(is_object)
            || !types.is_disjoint(classes)
            || types.iter().any(|name| self.template_parameter(name, ty).is_some())
    }

    /// The block that a name is in a declaration of.
    fn block_of(&self, node: Node<'u>) -> Option<Node<'u>> {
        let mut declaration = node;
        while declaration.kind() != "declaration" {
            declaration = self.up(declaration)?;
        }
        self.up(declaration).filter(|p| p.kind() == "compound_statement")
    }
}

/// Does a function of the platform only look at what it is given: `cudaGetErrorString(e)`?
fn says_error(name: &str) -> bool {
    name.ends_with("GetErrorString") || name.ends_with("GetErrorName") || name.ends_with("GetStatusString")
}
