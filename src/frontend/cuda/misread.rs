//! Text that the grammar reads as something else than it is, and the words that, inserted into it, have it read right.

use std::collections::HashSet;

use tree_sitter::Node;

use super::unit::{Dialect, declared_name, each_named, last_named};

/// What has to be inserted into a text, by position.
///
/// `i < n && j > (m)` reads as a call of a template; `0+` after the `>` says what is meant (a `+` alone could be one of the
/// call). `a<8> b = c;` reads as an assignment to comparisons; `typename` in front of it says that it is a declaration.
/// `(a = b, c)` is not read at all, unless the assignment is in parentheses.
pub(super) fn misread(root: Node, text: &str, dialect: Dialect) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    comparisons(root, text, &mut found);
    if dialect == Dialect::OpenCl {
        found.retain(|(_, words)| *words != "typename ");
    }
    false_types(root, text, dialect, &mut found);
    if root.has_error() {
        assignments(text, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// After the `>` of comparisons that were read as the end of template arguments, and in front of declarations that were read
/// as comparisons.
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
            if logical {
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

/// What was read with the name of a variable as a type: `(i) + n`, as a cast of `+ n`, gets a `+` in front of the name, and
/// `float x(a * b);`, as a prototype, parentheses around its arguments. In C all types are declared; in C++ it has to be a variable
/// of the text, and no type.
fn false_types(root: Node, text: &str, dialect: Dialect, found: &mut Vec<(usize, &'static str)>) {
    let (mut types, mut variables, mut casts) = (HashSet::new(), HashSet::new(), Vec::new());
    let mut prototypes: Vec<Vec<Node>> = Vec::new();
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    each_named(root, |node| match node.kind() {
        "type_definition" => {
            let mut cursor = node.walk();
            types.extend(node.children_by_field_name("declarator", &mut cursor).filter_map(declared_name).map(word));
        }
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" | "alias_declaration" => {
            types.extend(node.child_by_field_name("name").map(word));
        }
        "type_parameter_declaration"
        | "optional_type_parameter_declaration"
        | "variadic_type_parameter_declaration" => {
            let mut cursor = node.walk();
            types.extend(node.named_children(&mut cursor).filter(|n| n.kind() == "type_identifier").map(word));
        }
        "parameter_declaration" | "declaration" => {
            let mut cursor = node.walk();
            let declarators = node.children_by_field_name("declarator", &mut cursor);
            variables.extend(declarators.filter_map(declared_name).map(word));
        }
        "function_declarator" if node.parent().is_some_and(|p| p.kind() == "declaration") => {
            let parameters = node.child_by_field_name("parameters").filter(|p| p.named_child_count() > 0);
            prototypes.extend(parameters.map(|list| {
                let mut cursor = list.walk();
                list.named_children(&mut cursor).filter(|p| p.kind() != "comment").collect()
            }));
        }
        "cast_expression" => {
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
        _ => {}
    });
    let is_type = |name: Node| {
        let word = word(name);
        match dialect {
            Dialect::OpenCl => types.contains(word) || super::opencl::named_type(word).is_some(),
            _ => types.contains(word) || !variables.contains(word) || super::builtins::named_type(word).is_some(),
        }
    };
    found.extend(casts.into_iter().filter(|name| !is_type(*name)).map(|name| (name.start_byte(), "+")));
    for parameters in prototypes {
        // `x(a)` alone is left as it is: what it means is found where it is read.
        let is_value = |p: &Node| {
            let ty = p.child_by_field_name("type").filter(|ty| ty.kind() == "type_identifier");
            ty.is_some_and(|ty| ty.start_byte() == p.start_byte() && !is_type(ty))
        };
        if parameters.iter().all(is_value) {
            for product in parameters.iter().filter(|p| p.child_by_field_name("declarator").is_some()) {
                found.extend([(product.start_byte(), "("), (product.end_byte(), ")")]);
            }
        }
    }
}

/// Around assignments in front of a comma, in parentheses that begin no list of arguments or parameters.
fn assignments(text: &str, found: &mut Vec<(usize, &'static str)>) {
    /// An open bracket: whether it holds an expression, where its part up to the next comma begins, and whether that assigns.
    struct Open {
        is_expression: bool,
        from: usize,
        assigns: bool,
    }
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            bracket @ (b'(' | b'[' | b'{') => {
                let before = text.get(..at).unwrap_or("").trim_end();
                let is_expression = bracket == b'(' && (before.ends_with(OPERATORS) || before.ends_with("return"));
                open.push(Open { is_expression, from: at + 1, assigns: false });
            }
            b')' | b']' | b'}' => {
                open.pop();
            }
            b',' => {
                if let Some(part) = open.last_mut() {
                    if part.is_expression && part.assigns {
                        found.extend([(part.from, "("), (at, ")")]);
                    }
                    (part.from, part.assigns) = (at + 1, false);
                }
            }
            b'=' => {
                let shifts = at > 1 && matches!((byte(at - 2), byte(at - 1)), (b'<', b'<') | (b'>', b'>'));
                let compares = byte(at + 1) == b'=' || at > 0 && matches!(byte(at - 1), b'=' | b'!' | b'<' | b'>');
                if let Some(part) = open.last_mut().filter(|_| shifts || !compares) {
                    part.assigns = true;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// What stands in front of an expression in parentheses.
const OPERATORS: [char; 17] = ['(', ',', ';', '{', '}', '=', '+', '-', '*', '/', '%', '&', '|', '^', '!', '?', ':'];

/// The text with words put in at ascending positions.
pub(super) fn with_insertions(text: &str, words: &[(usize, &str)]) -> String {
    let mut result = String::with_capacity(text.len() + words.iter().map(|(_, word)| word.len()).sum::<usize>());
    let mut from = 0;
    for (at, word) in words {
        result.push_str(&text[from..*at]);
        result.push_str(word);
        from = *at;
    }
    result.push_str(&text[from..]);
    result
}

/// The positions of all inserted characters, after more words are put in: both lists are ascending.
pub(super) fn shifted(inserted: &[usize], words: &[(usize, &str)]) -> Vec<usize> {
    let mut all = Vec::new();
    let (mut before, mut older) = (0, inserted.iter().copied().peekable());
    for (at, word) in words {
        while let Some(p) = older.next_if(|p| p < at) {
            all.push(p + before);
        }
        all.extend((0..word.len()).map(|i| at + before + i));
        before += word.len();
    }
    all.extend(older.map(|p| p + before));
    all
}
