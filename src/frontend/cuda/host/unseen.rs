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

/// Names of classes.
type Classes<'u> = FxHashSet<&'u str>;

/// Classes whose objects change something where they are only named.
#[derive(Default)]
pub struct Loud<'u> {
    /// Something else.
    others: Classes<'u>,
    /// Also themselves, or what they are made from.
    own: Classes<'u>,
}

impl<'u> Host<'_, 'u> {
    /// The loud classes of the unit, other names of these, and classes that hold objects of these.
    pub(super) fn loud_classes(&mut self) -> Arc<Loud<'u>> {
        if let Some(known) = &self.lower.loud {
            return known.clone();
        }
        let names = self.lower.names;
        let mut loud = Loud::default();
        // What a type is made of, and what the special functions of a class do.
        let mut parts: Vec<(&'u str, Vec<Node<'u>>)> = Vec::new();
        for (name, list) in &names.types {
            for (_, decl) in list {
                match decl {
                    TypeDecl::Class(class, _) => {
                        let special = self.special_functions(*class);
                        for (item, own) in &special {
                            if !self.is_quiet(*item, *own) {
                                loud.others.insert(name.as_str());
                                if !own || self.takes_from(*item, name) {
                                    loud.own.insert(name.as_str());
                                }
                            }
                        }
                        let body = class.child_by_field_name("body").map(listed_in).unwrap_or_default();
                        let fields = body.into_iter().filter(|item| item.kind() == "field_declaration");
                        let bases = listed_in(*class).into_iter().filter(|c| c.kind() == "base_class_clause");
                        parts.push((
                            name.as_str(),
                            special.iter().map(|(item, _)| *item).chain(fields).chain(bases).collect(),
                        ));
                    }
                    TypeDecl::Typedef(ty, _) | TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) => {
                        parts.push((name.as_str(), vec![*ty]))
                    }
                    TypeDecl::Enum(_) | TypeDecl::Unread => {}
                }
            }
        }
        for (name, list) in &names.functions {
            let free = list.iter().filter(|d| name.starts_with("operator") && d.class.is_none());
            for decl in free.filter(|d| !self.is_for_device(d.node) && !self.is_quiet(d.node, true)) {
                each_named(decl.declarator, |n| {
                    if n.kind() == "type_identifier" {
                        loud.others.insert(self.unit.str(n));
                    }
                });
            }
        }
        for set in [&mut loud.others, &mut loud.own] {
            let mut before = 0;
            while set.len() > before {
                before = set.len();
                for (name, nodes) in &parts {
                    let mut meets = false;
                    let mut look =
                        |n: Node<'u>| meets |= n.kind() == "type_identifier" && set.contains(self.unit.str(n));
                    nodes.iter().for_each(|node| each_named(*node, &mut look));
                    if meets {
                        set.insert(*name);
                    }
                }
            }
        }
        self.lower.loud.insert(Arc::new(loud)).clone()
    }

    /// The functions of a class that run without a call; and may these change their object?
    fn special_functions(&self, class: Node<'u>) -> Vec<(Node<'u>, bool)> {
        let name = class.child_by_field_name("name").map_or("", |n| self.unit.str(n));
        let mut found = Vec::new();
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            let inner = listed_in(item).into_iter().find(|n| matches!(n.kind(), "function_definition" | "declaration"));
            let item = inner.filter(|_| item.kind() == "template_declaration").unwrap_or(item);
            let Some(own) = item.child_by_field_name("declarator") else { continue };
            if self.is_for_device(item) {
                continue;
            }
            let text = own_name(own).map_or("", |n| self.unit.str(n));
            if text == name || text.starts_with('~') {
                found.push((item, true));
            } else if let Some(symbol) = text.strip_prefix("operator") {
                // What operators change is followed where they stand.
                // But for those that give a place.
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

    /// Does a special function change nothing but what it declares, and its own object where it may?
    fn is_quiet(&self, function: Node<'u>, own: bool) -> bool {
        let Some(body) = function.child_by_field_name("body") else { return has_clause(function) };
        let (mut locals, mut parameters) = (FxHashSet::default(), FxHashSet::default());
        each_named(function, |n| {
            let is_parameter = n.kind().ends_with("parameter_declaration");
            if !is_parameter && (n.kind() != "declaration" || n == function) {
                return;
            }
            let mut cursor = n.walk();
            for declarator in n.children_by_field_name("declarator", &mut cursor) {
                let plain = !self.unit.str(declarator).trim_start().starts_with(['*', '&']);
                if let Some(name) = declared_name(declarator).map(|n| self.unit.str(n)) {
                    match is_parameter || !plain {
                        true => parameters.insert(name),
                        false => locals.insert(name),
                    };
                }
            }
        });
        let fields = self.fields_around(function);
        let is_own = |place: Node<'u>| {
            let mut place = place;
            loop {
                let is_arrow = place.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "->");
                match place.kind() {
                    "identifier" | "field_identifier" => {
                        let name = self.unit.str(place);
                        return locals.contains(name) || own && fields.contains(name) && !parameters.contains(name);
                    }
                    "field_expression" => match place.child_by_field_name("argument") {
                        Some(object) if object.kind() == "this" => return own,
                        Some(object) if !is_arrow => place = object,
                        _ => return false,
                    },
                    _ => return false,
                }
            }
        };
        let mut quiet = true;
        let mut look = |n: Node<'u>| {
            let field = |name: &str| n.child_by_field_name(name);
            quiet &= match n.kind() {
                "assignment_expression" => field("left").is_some_and(&is_own),
                "update_expression" => field("argument").is_some_and(&is_own),
                "call_expression" => field("function").is_some_and(|function| {
                    let text = self.unit.str(function);
                    let name = self.callee(function);
                    let known = is_platform(name) || BY_VALUE.contains(&name) || text.starts_with("std::");
                    // What is made of own parts.
                    let is_field = fields.contains(text);
                    (known || is_field) && !self.lower.names.functions.contains_key(name)
                }),
                "gnu_asm_expression" | "lambda_expression" | "goto_statement" => false,
                _ => !n.is_error() && !n.is_missing(),
            };
        };
        each_named(body, &mut look);
        let lists = listed_in(function).into_iter().filter(|n| n.kind() == "field_initializer_list");
        lists.for_each(|list| each_named(list, &mut look));
        quiet
    }

    /// The fields of the class around a function.
    fn fields_around(&self, function: Node<'u>) -> FxHashSet<&'u str> {
        let mut fields = FxHashSet::default();
        let mut around = self.up(function);
        while let Some(list) = around.filter(|a| a.kind() != "field_declaration_list") {
            around = self.up(list);
        }
        for item in around.map(listed_in).unwrap_or_default() {
            let shared = self.unit.str(item).starts_with("static") || self.unit.str(item).contains(" static ");
            if item.kind() != "field_declaration" || shared || self.unit.str(item).contains('&') {
                continue;
            }
            let mut cursor = item.walk();
            let declarators = item.children_by_field_name("declarator", &mut cursor);
            fields.extend(declarators.filter_map(declared_name).map(|n| self.unit.str(n)));
        }
        fields
    }

    /// A mention of a loud class, or of a variable that may be of one, is a call.
    pub(super) fn unseen(&mut self, all: &[Node<'u>]) {
        let loud = self.loud_classes();
        if loud.others.is_empty() {
            return;
        }
        for node in all {
            let text = self.unit.str(*node);
            let found = match node.kind() {
                "type_identifier" => None,
                "identifier" => match self.find(text, *node) {
                    Some(variable) => Some(variable),
                    None => continue,
                },
                _ => continue,
            };
            let is_loud = match found {
                Some(variable) => self.may_be_of(variable, &loud.others),
                None => loud.others.contains(text) || self.template_parameter(text, *node).is_some(),
            };
            if !is_loud {
                continue;
            }
            let mut events = vec![*node];
            // Objects end with their block.
            events.extend(block_of(*node));
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
    fn may_be_of(&self, variable: usize, classes: &Classes<'u>) -> bool {
        let known = &self.variables[variable];
        let Some(ty) = known.ty else { return false };
        let value = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        let is_auto = matches!(ty.kind(), "placeholder_type_specifier" | "auto");
        let mut found = is_auto
            && !classes.is_empty()
            && value
                .is_none_or(|v| matches!(v.kind(), "call_expression" | "identifier" | "compound_literal_expression"));
        each_named(ty, |n| {
            let text = self.unit.str(n);
            found |=
                n.kind() == "type_identifier" && (classes.contains(text) || self.template_parameter(text, n).is_some());
        });
        found
    }
}

fn has_clause(function: Node) -> bool {
    listed_in(function).iter().any(|n| matches!(n.kind(), "default_method_clause" | "delete_method_clause"))
}

/// The name in a declarator, also of a conversion.
fn own_name(declarator: Node<'_>) -> Option<Node<'_>> {
    if declarator.kind() == "operator_cast" { Some(declarator) } else { declared_name(declarator) }
}

/// The block that a name is in a declaration of.
fn block_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut declaration = node;
    while declaration.kind() != "declaration" {
        declaration = declaration.parent()?;
    }
    declaration.parent().filter(|p| p.kind() == "compound_statement")
}
