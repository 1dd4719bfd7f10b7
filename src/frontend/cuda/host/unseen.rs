//! Code of the program that runs where no call is written: constructors, destructors, conversions, operators. [HOST-UNSEEN]

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::super::unit::{TypeDecl, declared_name, each_named};
use super::Host;
use super::copies::refers;
use super::mentions::{BY_VALUE, is_platform};
use super::places::listed_in;
use super::variables::Event;

/// Functions of C that write where an argument points.
const WRITES: [&str; 5] = ["memset", "memcpy", "sprintf", "snprintf", "strtol"];

/// Names of types, or of variables.
type Names<'u> = FxHashSet<&'u str>;

/// What changes something where no call is written.
#[derive(Clone, Default)]
pub struct Loud<'u> {
    /// Classes whose objects change something else where they are only named.
    others: Names<'u>,
    /// Those that change themselves as well, or what they are made from.
    own: Names<'u>,
    /// Are there literals of the program that do so?
    literals: bool,
    /// The types that a type is made of, by its name.
    parts: Vec<(&'u str, Names<'u>)>,
}

impl Loud<'_> {
    /// Takes in other names of these classes, and classes that have parts of them.
    fn close(&mut self) {
        for set in [&mut self.others, &mut self.own] {
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
        self.others.is_empty() && !self.literals
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
        self.lower.loud.insert(Arc::new(loud)).clone()
    }

    fn add_class(&self, name: &'u str, class: Node<'u>, loud: &mut Loud<'u>) {
        let mut parts = Names::default();
        if class.has_error() {
            loud.others.insert(name);
            loud.own.insert(name);
        }
        for (item, own) in self.special_functions(class) {
            parts.extend(self.types_in(item));
            if !self.is_quiet(item, own) {
                loud.others.insert(name);
                if !own || self.takes_from(item, name) {
                    loud.own.insert(name);
                }
            }
        }
        let fields = self.fields(class);
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            if item.kind() == "field_declaration" {
                parts.extend(self.types_in(item));
            }
            // `int n = f();`
            let value = item.child_by_field_name("default_value");
            if value.is_some_and(|value| !self.changes_only(value, &Names::default(), &fields)) {
                loud.others.insert(name);
            }
        }
        let bases = listed_in(class).into_iter().filter(|c| c.kind() == "base_class_clause");
        bases.for_each(|clause| parts.extend(self.types_in(clause)));
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
        if function.child_by_field_name("body").is_none() {
            let given = ["default_method_clause", "delete_method_clause"];
            return listed_in(function).iter().any(|n| given.contains(&n.kind()));
        }
        let (mut locals, mut hidden) = (Names::default(), Names::default());
        each_named(function, |n| {
            let is_parameter = n.kind().ends_with("parameter_declaration");
            if !is_parameter && (n.kind() != "declaration" || n == function) {
                return;
            }
            let is_plain = n.child_by_field_name("type").is_some_and(|ty| self.is_integer_type(ty));
            let mut cursor = n.walk();
            for declarator in n.children_by_field_name("declarator", &mut cursor) {
                let Some(name) = declared_name(declarator).map(|n| self.unit.str(n)) else { continue };
                let is_copy = !self.unit.str(declarator).trim_start().starts_with(['*', '&']);
                let set = if is_copy && (is_plain || !is_parameter) { &mut locals } else { &mut hidden };
                set.insert(name);
            }
        });
        let mut around = self.up(function);
        while let Some(list) = around.filter(|a| a.kind() != "field_declaration_list") {
            around = self.up(list);
        }
        let class = around.and_then(|list| self.up(list)).filter(|_| own);
        let mut fields = class.map(|class| self.fields(class)).unwrap_or_default();
        fields.retain(|name| !hidden.contains(name));
        self.changes_only(function, &locals, &fields)
    }

    /// Does code change nothing but these variables, and these fields of its object, and call nothing that may?
    fn changes_only(&self, code: Node<'u>, locals: &Names<'u>, fields: &Names<'u>) -> bool {
        let is_own = |place: Node<'u>| {
            let mut place = place;
            loop {
                let is_arrow = place.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "->");
                let of_this = place.child_by_field_name("argument").is_some_and(|object| object.kind() == "this");
                match (place.kind(), place.child_by_field_name("argument")) {
                    ("identifier", _) => {
                        let name = self.unit.str(place);
                        return locals.contains(name) || fields.contains(name);
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
            let field = |name: &str| n.child_by_field_name(name);
            let operator = field("operator").map_or("", |o| self.unit.str(o));
            quiet &= match n.kind() {
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
                    function.kind() == "identifier"
                        && !self.lower.names.functions.contains_key(name)
                        && !self.lower.names.types.contains_key(name)
                        && (by_value || is_platform(name) && arguments.into_iter().all(plain))
                }),
                "gnu_asm_expression" | "lambda_expression" | "goto_statement" => false,
                _ => !n.is_error() && !n.is_missing(),
            };
        });
        quiet
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
        if loud.is_silent() {
            return;
        }
        for node in all {
            let text = self.unit.str(*node);
            let found = match node.kind() {
                "user_defined_literal" if loud.literals => None,
                "type_identifier" if loud.others.contains(text) => None,
                "type_identifier" if self.template_parameter(text, *node).is_some() => None,
                "identifier" => match self.find(text, *node).filter(|v| self.may_be_of(*v, &loud.others)) {
                    Some(variable) => Some(variable),
                    None => continue,
                },
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
