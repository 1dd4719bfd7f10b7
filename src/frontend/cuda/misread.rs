//! Where the grammar reads a text as something else than it is, and what is put in so that it reads it right.

use std::collections::HashSet;

use tree_sitter::Node;

use super::unit::{Dialect, declared_name, each_named, last_named};

/// What has to be inserted, and where.
pub(super) fn find(root: Node, text: &str, dialect: Dialect, found: &mut Vec<(usize, &'static str)>) {
    comparisons(root, text, found);
    if dialect == Dialect::OpenCl {
        found.retain(|(_, words)| *words != "typename ");
    }
    let words = Words::of(root, text);
    false_casts(root, text, dialect, &words, found);
    if dialect == Dialect::Cuda {
        false_parameters(root, text, &words, found);
    }
}

/// What the names of a text stand for somewhere in it.
#[derive(Default)]
struct Words<'a> {
    types: HashSet<&'a str>,
    variables: HashSet<&'a str>,
    functions: HashSet<&'a str>,
}

impl<'a> Words<'a> {
    fn of(root: Node, text: &'a str) -> Words<'a> {
        let mut words = Words::default();
        let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
        each_named(root, |node| match node.kind() {
            "type_definition" => {
                let mut cursor = node.walk();
                let declarators = node.children_by_field_name("declarator", &mut cursor);
                words.types.extend(declarators.filter_map(declared_name).map(word));
            }
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" | "alias_declaration" => {
                words.types.extend(node.child_by_field_name("name").map(word));
            }
            "type_parameter_declaration"
            | "optional_type_parameter_declaration"
            | "variadic_type_parameter_declaration" => {
                let mut cursor = node.walk();
                let names = node.named_children(&mut cursor).filter(|n| n.kind() == "type_identifier");
                words.types.extend(names.map(word));
            }
            "parameter_declaration" | "declaration" => {
                let mut cursor = node.walk();
                let declarators = node.children_by_field_name("declarator", &mut cursor);
                words.variables.extend(declarators.filter_map(declared_name).map(word));
            }
            "function_definition" => {
                let declarator = node.child_by_field_name("declarator");
                words.functions.extend(declarator.and_then(declared_name).map(word));
            }
            _ => {}
        });
        words
    }

    /// Is this a value of the text, and no type?
    fn is_value(&self, word: &str) -> bool {
        (self.variables.contains(word) || self.functions.contains(word))
            && !self.types.contains(word)
            && super::builtins::named_type(word).is_none()
    }
}

/// Positions in front of names in `(i) + n`, which were read as casts of `+ n` to a type. In C all types are declared; in C++
/// it has to be a variable of the text, and no type.
fn false_casts(root: Node, text: &str, dialect: Dialect, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    let Words { types, variables, .. } = words;
    let mut casts = Vec::new();
    each_named(root, |node| {
        if node.kind() == "cast_expression" {
            let ty = node.child_by_field_name("type").filter(|ty| ty.named_child_count() == 1);
            let name = ty.and_then(last_named).filter(|name| name.kind() == "type_identifier");
            let operator = node
                .child_by_field_name("value")
                .filter(|value| matches!(value.kind(), "unary_expression" | "pointer_expression"))
                .and_then(|value| value.child_by_field_name("operator"))
                .and_then(|o| text.get(o.byte_range()));
            if let (Some(name), Some("+" | "-" | "*" | "&")) = (name, operator) {
                casts.push(name);
            }
        }
    });
    for name in casts {
        let word = word(name);
        let is_type = match dialect {
            Dialect::OpenCl => types.contains(word) || super::opencl::named_type(word).is_some(),
            _ => types.contains(word) || !variables.contains(word) || super::builtins::named_type(word).is_some(),
        };
        if !is_type {
            found.push((name.start_byte(), "+"));
        }
    }
}

/// Brackets around the first argument of `T x(a[i]);` and `T x(a * b);`, and a `=` in `T &x(a);` and `T *x(a);`, which were
/// read as declarations of functions. The argument has to begin with a name that is a value somewhere in the text, and no
/// type. Where all arguments of `T x(a, b);` are names and nothing else, that is decided when these are looked up.
fn false_parameters(root: Node, text: &str, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    each_named(root, |node| {
        let in_body = |mut node: Node| loop {
            match node.parent() {
                Some(parent) if parent.kind() == "compound_statement" => return true,
                Some(parent) => node = parent,
                None => return false,
            }
        };
        let mut cursor = node.walk();
        // Around functions only a constant is looked for.
        let fixed = node.named_children(&mut cursor).any(|c| matches!(word(c), "const" | "constexpr"));
        if node.kind() != "declaration" || !(fixed || in_body(node)) {
            return;
        }
        for mut declarator in node.children_by_field_name("declarator", &mut cursor) {
            let plain = declarator.kind() == "function_declarator";
            while matches!(declarator.kind(), "pointer_declarator" | "reference_declarator") {
                match declarator.child_by_field_name("declarator").or_else(|| last_named(declarator)) {
                    Some(inner) => declarator = inner,
                    None => break,
                }
            }
            if declarator.kind() != "function_declarator" {
                continue;
            }
            let Some(list) = declarator.child_by_field_name("parameters") else { continue };
            let mut cursor = list.walk();
            let parameters: Vec<Node> = list.named_children(&mut cursor).filter(|p| p.kind() != "comment").collect();
            let value = |p: &Node| {
                let ty = p.child_by_field_name("type");
                p.kind() == "parameter_declaration"
                    && p.child(0) == ty
                    && ty.is_some_and(|ty| ty.kind() == "type_identifier" && words.is_value(word(ty)))
            };
            match parameters.iter().find(|p| value(p)) {
                Some(_) if !plain && parameters.len() == 1 => found.push((list.start_byte(), "=")),
                Some(first) if plain && parameters.iter().any(|p| p.named_child_count() > 1) => {
                    found.push((first.start_byte(), "("));
                    found.push((first.end_byte(), ")"));
                }
                _ => {}
            }
        }
    });
}

/// Where something has to be inserted so that a text is read as what it is: after the `>` of comparisons that were read as
/// the end of template arguments, and in front of declarations that were read as comparisons.
fn comparisons(node: Node, text: &str, found: &mut Vec<(usize, &'static str)>) {
    each_named(node, |node| {
        if node.kind() == "template_function"
            && let Some(arguments) = node.child_by_field_name("arguments")
        {
            let mut cursor = arguments.walk();
            let logical = arguments.named_children(&mut cursor).any(|a| {
                a.kind() == "binary_expression"
                    && a.child_by_field_name("operator")
                        .is_some_and(|o| matches!(text.get(o.byte_range()), Some("&&" | "||")))
            });
            let after = text.get(arguments.end_byte()..).unwrap_or("");
            if after.starts_with('=')
                && let Some(name) = node.child_by_field_name("name")
            {
                // `i < n && j >= m`
                found.push((name.start_byte(), "("));
                found.push((name.end_byte(), ")"));
            } else if logical {
                found.push((arguments.end_byte(), "0+"));
            }
        }
        if node.kind() == "expression_statement"
            && let Some(expr) = node.named_child(0)
        {
            let operator = |n: Node| n.child_by_field_name("operator").and_then(|o| text.get(o.byte_range()));
            let place = match (expr.kind(), operator(expr)) {
                ("assignment_expression", Some("=")) => expr.child_by_field_name("left"),
                ("binary_expression", _) => Some(expr),
                _ => None,
            };
            let declares = place.is_some_and(|place| {
                let right = place.child_by_field_name("right").and_then(|r| match r.kind() {
                    "assignment_expression" => r.child_by_field_name("left"),
                    _ => Some(r),
                });
                let name = right.is_some_and(|r| r.kind() == "identifier");
                let compared = place
                    .child_by_field_name("left")
                    .is_some_and(|l| l.kind() == "binary_expression" && operator(l) == Some("<"));
                place.kind() == "binary_expression" && operator(place) == Some(">") && name && compared
            });
            if declares {
                found.push((node.start_byte(), "typename "));
            }
        }
    });
}
