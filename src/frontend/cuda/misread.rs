//! Where the grammar reads a text as something else than it is, and what is put in so that it reads it right. [INF-MISREAD]

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::unit::{Dialect, declared_name, each_named, last_named};

/// What has to be inserted into a text, by position.
///
/// `i < n && j > (m)` reads as a call of a template; `0+` after the `>` says what is meant (a `+` alone could be one of the
/// call). `a<8> b = c;` reads as an assignment to comparisons; `typename` in front of it says that it is a declaration.
/// `(a = b, c)` is not read at all, unless the assignment is in parentheses.
pub(super) fn misread(root: Node, text: &str, dialect: Dialect) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let nodes = nodes(root);
    let words = Words::of(&nodes, text);
    comparisons(&nodes, text, &words, &mut found);
    if dialect == Dialect::OpenCl {
        found.retain(|(_, words)| *words != "typename ");
    }
    false_casts(&nodes, text, dialect, &words, &mut found);
    false_operands(&nodes, text, &mut found);
    false_callees(&nodes, text, dialect, &words, &mut found);
    false_places(&nodes, &mut found);
    if dialect == Dialect::Cuda {
        false_parameters(&nodes, text, &words, &mut found);
        false_functions(&nodes, text, &words, &mut found);
        false_assignments(&nodes, text, &words, &mut found);
    }
    if root.has_error() {
        assignments(text, &mut found);
        macros(text, &mut found);
        qualifiers(text, &mut found);
        friends(text, &mut found);
        pointers(&nodes, text, &mut found);
        conversions(&nodes, text, &mut found);
        if dialect == Dialect::Cuda {
            listed_sizes(text, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The kinds of nodes that are looked at.
const KINDS: [&str; 19] = [
    "type_definition",
    "struct_specifier",
    "class_specifier",
    "union_specifier",
    "enum_specifier",
    "alias_declaration",
    "type_parameter_declaration",
    "optional_type_parameter_declaration",
    "variadic_type_parameter_declaration",
    "parameter_declaration",
    "declaration",
    "function_definition",
    "cast_expression",
    "call_expression",
    "assignment_expression",
    "sizeof_expression",
    "expression_statement",
    "template_function",
    "ERROR",
];

/// The nodes of these kinds, in the order of the text. One walk for all rules: it takes longer than what they do.
fn nodes(root: Node<'_>) -> Vec<Node<'_>> {
    let language = root.language();
    let kinds: FxHashSet<u16> = KINDS.iter().map(|kind| language.id_for_node_kind(kind, true)).collect();
    let mut found = Vec::new();
    each_named(root, |node| found.extend(Some(node).filter(|n| kinds.contains(&n.kind_id()))));
    found
}

/// Words that no type begins with.
const CASTS: [&str; 3] = ["static_cast", "reinterpret_cast", "const_cast"];

/// What the names of a text stand for somewhere in it.
#[derive(Default)]
struct Words<'a> {
    types: FxHashSet<&'a str>,
    variables: FxHashSet<&'a str>,
    functions: FxHashSet<&'a str>,
    /// Templates of variables.
    templates: FxHashSet<&'a str>,
}

impl<'a> Words<'a> {
    fn of(nodes: &[Node], text: &'a str) -> Words<'a> {
        let mut words = Words::default();
        let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
        nodes.iter().for_each(|node| match node.kind() {
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
                let names: Vec<&str> = declarators.filter_map(declared_name).map(word).collect();
                if node.parent().is_some_and(|p| p.kind() == "template_declaration") {
                    words.templates.extend(names.iter().copied());
                }
                words.variables.extend(names);
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

/// Positions in front of names in `(i) + n` and `(i * (n)) + m`, which were read as casts of `+ n` to a type. In C all types are
/// declared; in C++ it has to be a variable of the text, and no type.
fn false_casts(nodes: &[Node], text: &str, dialect: Dialect, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    let Words { types, variables, .. } = words;
    let mut casts = Vec::new();
    nodes.iter().for_each(|node| {
        if node.kind() == "cast_expression" {
            let ty = node.child_by_field_name("type");
            let name = ty.and_then(|ty| ty.named_child(0)).filter(|name| name.kind() == "type_identifier");
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

/// Words of a type of which `word(x)` is a conversion that the grammar does not have.
const SIZES: [&str; 4] = ["unsigned", "signed", "long", "short"];

/// Parentheses around `unsigned` in `unsigned(f(p))`, which was read as a declaration of a function or a parameter, where
/// `p` is a value somewhere in the text, and no type.
fn false_functions(nodes: &[Node], text: &str, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    for node in nodes.iter().filter(|n| matches!(n.kind(), "declaration" | "parameter_declaration")) {
        let (ty, declarator) = (node.child_by_field_name("type"), node.child_by_field_name("declarator"));
        let (Some(ty), Some(declarator)) = (ty.filter(|ty| node.child(0) == Some(*ty)), declarator) else { continue };
        let converts = SIZES.contains(&word(ty)) && word(declarator).starts_with('(');
        let whole = match node.kind() {
            "declaration" => declarator.kind() == "parenthesized_declarator",
            _ => declarator.kind() != "function_declarator",
        };
        if !converts || !whole || !is_in_body(*node) {
            continue;
        }
        let mut of_values = false;
        each_named(declarator, |n| {
            let ty = n
                .child_by_field_name("type")
                .filter(|ty| n.kind() == "parameter_declaration" && n.child(0) == Some(*ty));
            of_values |= ty.is_some_and(|ty| ty.kind() == "type_identifier" && words.is_value(word(ty)));
        });
        if of_values {
            found.extend([(ty.start_byte(), "("), (ty.end_byte(), ")")]);
        }
    }
}

/// Parentheses around the assignment in `(c ? a : b = x)`, which was read as one to what is chosen.
fn false_places(nodes: &[Node], found: &mut Vec<(usize, &'static str)>) {
    let mut end = 0;
    for node in nodes.iter().filter(|node| node.kind() == "assignment_expression") {
        let mut place = node.child_by_field_name("left").filter(|place| place.kind() == "conditional_expression");
        while let Some(choice) = place.filter(|place| place.kind() == "conditional_expression") {
            place = choice.child_by_field_name("alternative");
        }
        // One within another is next, when that is read right.
        if let Some(last) = place.filter(|_| node.end_byte() > end) {
            end = node.end_byte();
            found.extend([(last.start_byte(), "("), (end, ")")]);
        }
    }
}

/// Positions in front of `unsigned(i) < n` at the start of a condition, which was read as the start of a declaration.
fn conversions(nodes: &[Node], text: &str, found: &mut Vec<(usize, &'static str)>) {
    let converts = |at: usize| {
        let after = text.get(at..).unwrap_or("");
        SIZES.iter().any(|word| after.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('(')))
    };
    for error in nodes.iter().filter(|node| node.is_error()) {
        let own = text.get(error.byte_range()).unwrap_or("");
        // Also behind the first part of the head of a loop.
        let parts = own.match_indices(';').map(|(at, _)| {
            let rest = own.get(at + 1..).unwrap_or("");
            error.start_byte() + at + 1 + (rest.len() - rest.trim_start().len())
        });
        found.extend(std::iter::once(error.start_byte()).chain(parts).filter(|at| converts(*at)).map(|at| (at, "+")));
    }
}

/// Parentheses around `sizeof(T)` in `sizeof(T) - n`, which was read as the size of `- n`, cast to `T`.
fn false_operands(nodes: &[Node], text: &str, found: &mut Vec<(usize, &'static str)>) {
    nodes.iter().for_each(|node| {
        let operand =
            Some(node).filter(|n| n.kind() == "sizeof_expression").and_then(|n| n.child_by_field_name("value"));
        let Some(cast) = operand.filter(|o| o.kind() == "cast_expression") else { return };
        let Some(value) = cast.child_by_field_name("value") else { return };
        let signed = match value.kind() {
            "number_literal" => text.get(value.start_byte()..value.start_byte() + 1),
            _ => value.child_by_field_name("operator").and_then(|sign| text.get(sign.byte_range())),
        };
        let mut cursor = cast.walk();
        let end = cast.children(&mut cursor).find(|part| part.kind() == ")").map(|part| part.end_byte());
        if let (Some("+" | "-" | "*" | "&"), Some(end)) = (signed, end) {
            found.push((node.start_byte(), "("));
            found.push((end, ")"));
        }
    });
}

/// Parentheses around `(p)[i]` in `(T)(p)[i]`, which was read as an element of what a call of `T` returns: a cast takes all that
/// follows its operand. `T` has to be a type of the text, or of the language, and no value.
fn false_callees(nodes: &[Node], text: &str, dialect: Dialect, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    nodes.iter().filter(|node| node.kind() == "call_expression").for_each(|node| {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(function), Some(operand)) = (field("function"), field("arguments")) else { return };
        if function.kind() != "parenthesized_expression" || function.named_child_count() != 1 {
            return;
        }
        let Some(mut name) = last_named(function) else { return };
        while name.kind() == "qualified_identifier" {
            let Some(inner) = name.child_by_field_name("name") else { return };
            name = inner;
        }
        let word = text.get(name.byte_range()).unwrap_or("");
        let is_type = words.types.contains(word)
            || super::builtins::named_type(word).is_some()
            || dialect == Dialect::OpenCl && super::opencl::named_type(word).is_some();
        if name.kind() != "identifier" || !is_type || words.variables.contains(word) || words.functions.contains(word) {
            return;
        }
        let mut whole = *node;
        while let Some(outer) = whole.parent().filter(|outer| {
            let part = match outer.kind() {
                "subscript_expression" | "field_expression" => "argument",
                "call_expression" => "function",
                "update_expression" => "argument",
                _ => return false,
            };
            // Not `++` in front of it.
            outer.start_byte() == whole.start_byte() && outer.child_by_field_name(part) == Some(whole)
        }) {
            whole = outer;
        }
        if whole != *node {
            found.push((operand.start_byte(), "("));
            found.push((whole.end_byte(), ")"));
        }
    });
}

/// Brackets around the first argument of `T x(a[i]);` and `T x(a * b);`, and a `=` in `T &x(a);` and `T *x(a);`, which were
/// read as declarations of functions. The argument has to begin with a name that is a value somewhere in the text, and no
/// type. Where all arguments of `T x(a, b);` are names and nothing else, that is decided when these are looked up.
fn false_parameters(nodes: &[Node], text: &str, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    nodes.iter().for_each(|node| {
        // `int *x(a + i * 4);`: not even a declaration.
        if node.is_error() {
            let mut cursor = node.walk();
            let parts: Vec<Node> = node.named_children(&mut cursor).filter(|c| c.kind() != "type_qualifier").collect();
            if let [ty, name, ..] = parts.as_slice()
                && (ty.kind(), name.kind()) == ("primitive_type", "identifier")
                && text.get(ty.end_byte()..name.start_byte()).is_some_and(|between| between.trim() == "*")
                && text.get(name.end_byte()..).is_some_and(|after| after.starts_with('('))
                && is_in_body(*node)
            {
                found.push((name.end_byte(), "="));
            }
        }
        if node.kind() != "declaration" {
            return;
        }
        let mut cursor = node.walk();
        let fixed = node.named_children(&mut cursor).any(|c| matches!(word(c), "const" | "constexpr"));
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
            // `T *x(&a[i]);`: no parameter begins like that.
            if !plain
                && declarator.has_error()
                && is_in_body(*node)
                && let Some(name) = declarator.child_by_field_name("declarator").filter(|n| n.kind() == "identifier")
            {
                found.push((name.end_byte(), "="));
                continue;
            }
            let mut cursor = list.walk();
            let parameters: Vec<Node> = list.named_children(&mut cursor).filter(|p| p.kind() != "comment").collect();
            let value = |p: &Node| {
                let ty = p.child_by_field_name("type");
                // `T x(a = b);`
                let assigns =
                    p.kind() == "optional_parameter_declaration" && p.child_by_field_name("declarator").is_none();
                (p.kind() == "parameter_declaration" || assigns)
                    && p.child(0) == ty
                    && ty.is_some_and(|ty| match ty.kind() {
                        "type_identifier" => words.is_value(word(ty)),
                        // `dim3 b(config::threads);`
                        "qualified_identifier" => last_named(ty)
                            .is_some_and(|name| name.kind() == "type_identifier" && words.is_value(word(name))),
                        "template_type" => {
                            ty.child_by_field_name("name").is_some_and(|name| CASTS.contains(&word(name)))
                        }
                        _ => false,
                    })
            };
            let first = parameters.iter().find(|p| value(p));
            // Names with scopes are looked up as types only.
            let is_qualified = |p: &Node| {
                value(p) && p.child_by_field_name("type").is_some_and(|ty| ty.kind() == "qualified_identifier")
            };
            // Around functions only a constant is looked for, and there all that is in its parentheses has to be values.
            match first.filter(|_| fixed && parameters.iter().all(value) || is_in_body(*node)) {
                Some(_) if !plain && parameters.len() == 1 => found.push((list.start_byte(), "=")),
                Some(first) if plain && parameters.iter().any(|p| p.named_child_count() > 1 || is_qualified(p)) => {
                    found.push((first.start_byte(), "("));
                    found.push((first.end_byte(), ")"));
                }
                _ => {}
            }
        }
    });
}

/// In front of `T (*s)[33] = p;` and `T (&s)[64] = a;`, which were read as assignments to an element of what a function
/// returns: `T` is a type, and no function or variable of the text.
fn false_assignments(nodes: &[Node], text: &str, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
    nodes.iter().for_each(|node| {
        if node.kind() != "expression_statement" {
            return;
        }
        let Some(mut place) = node.named_child(0) else { return };
        // Several of them.
        while place.kind() == "comma_expression" {
            match place.child_by_field_name("left") {
                Some(left) => place = left,
                None => return,
            }
        }
        if place.kind() == "assignment_expression" && place.child_by_field_name("operator").map(word) == Some("=") {
            match place.child_by_field_name("left") {
                Some(left) => place = left,
                None => return,
            }
        }
        if place.kind() != "subscript_expression" {
            return;
        }
        while place.kind() == "subscript_expression" {
            match place.child_by_field_name("argument") {
                Some(argument) => place = argument,
                None => return,
            }
        }
        let parts = (place.child_by_field_name("function"), place.child_by_field_name("arguments"));
        let ("call_expression", (Some(ty), Some(list))) = (place.kind(), parts) else { return };
        let is_type = match ty.kind() {
            "primitive_type" => true,
            "identifier" => {
                let name = word(ty);
                let known = words.types.contains(name) || super::builtins::named_type(name).is_some();
                known && !words.functions.contains(name) && !words.variables.contains(name)
            }
            _ => false,
        };
        let pointer = list.named_child(0).filter(|p| list.named_child_count() == 1 && p.kind() == "pointer_expression");
        let named = pointer.and_then(|p| p.child_by_field_name("argument")).is_some_and(|n| n.kind() == "identifier");
        if is_type && named {
            found.push((node.start_byte(), "typename "));
        }
    });
}

/// Does a node stand in the body of a function?
fn is_in_body(node: Node) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent() {
        if parent.kind() == "compound_statement" {
            return true;
        }
        node = parent;
    }
    false
}

/// After the `>` of comparisons that were read as the end of template arguments, and in front of declarations that were read
/// as comparisons.
fn comparisons(nodes: &[Node], text: &str, words: &Words, found: &mut Vec<(usize, &'static str)>) {
    nodes.iter().for_each(|node| {
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
            // `i < K<2>`
            let word = |node: Node| text.get(node.byte_range()).unwrap_or("");
            let only = arguments.named_child(0).filter(|a| a.kind() == "binary_expression");
            let of_template = only.and_then(|a| a.child_by_field_name("left")).is_some_and(|left| {
                let name = node.child_by_field_name("name").map_or("", word);
                words.templates.contains(word(left)) && !words.templates.contains(name) && words.is_value(name)
            });
            // `i < n && j >> m`
            let shifts = node.parent().filter(|p| logical && p.kind() == "binary_expression");
            let shifts = shifts
                .and_then(|p| p.child_by_field_name("operator"))
                .is_some_and(|o| o.start_byte() == arguments.end_byte() && word(o) == ">");
            if (after.starts_with('=') || of_template || shifts)
                && let Some(name) = node.child_by_field_name("name")
            {
                // `i < n && j >= m`; brackets around `i`.
                found.push((name.start_byte(), "("));
                found.push((name.end_byte(), ")"));
            } else if logical && let Some(at) = declaration_of(*node, arguments, text) {
                found.push((at, "typename "));
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

/// Where the declaration `X<u && B<A, C<T>>, int> x{};` begins, whose `>>` was read as the end of the arguments of `X`.
fn declaration_of(template: Node, arguments: Node, text: &str) -> Option<usize> {
    let mut from = template;
    while let Some(outer) = from.parent().filter(|outer| outer.kind() == "qualified_identifier") {
        from = outer;
    }
    let before = text.get(..from.start_byte())?.trim_end();
    before.ends_with(['{', '}', ';', ']']).then_some(())?;
    let (mut angles, mut others) = (0usize, 0usize);
    let mut rest = text.get(arguments.start_byte()..)?.char_indices();
    let end = loop {
        match rest.next()? {
            (_, '(' | '[' | '{') => others += 1,
            (_, ')' | ']' | '}') => others = others.checked_sub(1)?,
            (_, '<') if others == 0 => angles += 1,
            (at, '>') if others == 0 && angles == 1 => break arguments.start_byte() + at + 1,
            (_, '>') if others == 0 => angles -= 1,
            (_, ';') => return None,
            _ => {}
        }
    };
    let after = text.get(end..)?.trim_start();
    let name = after.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let is_name = name.len() < after.len() && name.trim_start().starts_with([';', '=', '{', ',', '[']);
    (end > arguments.end_byte() && is_name).then_some(from.start_byte())
}

/// A macro that is not there, as a statement without `;` in a block: `UNROLL for (..)`, and `CHECK(x)` alone in its line.
fn macros(text: &str, found: &mut Vec<(usize, &'static str)>) {
    let begins_loop = |text: &str| {
        let word = text.trim_start().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        word.is_some_and(|word| ["for", "while", "do", "if"].contains(&word))
    };
    let (mut at_start, mut depth, mut from) = (true, 0usize, 0);
    for line in text.split_inclusive('\n') {
        let (trimmed, indent) = (line.trim(), line.len() - line.trim_start().len());
        let is_letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let word = trimmed.len() - trimmed.trim_start_matches(is_letter).len();
        let rest = trimmed.get(word..).unwrap_or("");
        let is_macro = at_start && depth > 0 && word > 2 && trimmed.starts_with(|c: char| c.is_ascii_uppercase());
        let next = if rest.is_empty() { text.get(from + line.len()..).unwrap_or("") } else { rest };
        let before_loop = (rest.is_empty() || rest.starts_with(' ')) && begins_loop(next);
        let balanced = rest.matches('(').count() == rest.matches(')').count();
        let is_call = rest.starts_with('(') && rest.ends_with(')') && balanced;
        if is_macro && before_loop {
            found.push((from + indent + word, ";"));
        } else if is_macro && is_call {
            found.push((from + indent + trimmed.len(), ";"));
        }
        if !trimmed.is_empty() {
            at_start = trimmed.ends_with([';', '{', '}']) || is_macro && (before_loop || is_call);
        }
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        from += line.len();
    }
}

/// Around macros that are not there among the qualifiers of a function, of which the name says what they are:
/// `static X_HOST_DEVICE inline int f()`, `X_INLINE void g()`.
fn qualifiers(text: &str, found: &mut Vec<(usize, &'static str)>) {
    const BEFORE: [&str; 4] = ["static", "inline", "extern", "constexpr"];
    const AFTER: [&str; 13] = [
        "static",
        "inline",
        "constexpr",
        "const",
        "void",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "unsigned",
        "float",
        "double",
    ];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !is_word(c)) {
        let (start, name) = (at, word.trim_end_matches(|c: char| !is_word(c)));
        at += word.len();
        let says = ["INLINE", "HOST", "DEVICE"].iter().any(|part| name.contains(part));
        if !says || name.chars().any(|c| c.is_ascii_lowercase()) || name.starts_with("__CUDA") {
            continue;
        }
        let (before, after) = (text[..start].trim_end(), text[start + name.len()..].trim_start());
        let last = before.rsplit(|c: char| !is_word(c)).next().unwrap_or("");
        let begins = before.is_empty() || before.ends_with([';', '}', '{', '>']) || BEFORE.contains(&last);
        let next = after.split(|c: char| !is_word(c)).next().unwrap_or("");
        if begins && AFTER.contains(&next) {
            found.extend([(start, "/*"), (start + name.len(), "*/")]);
        }
    }
}

/// Qualifiers in front of `friend` go behind it: `__device__ friend T f(T a) {..}`.
fn friends(text: &str, found: &mut Vec<(usize, &'static str)>) {
    const WORDS: [(&str, &str); 6] = [
        ("__host__", " __host__"),
        ("__device__", " __device__"),
        ("__forceinline__", " __forceinline__"),
        ("__noinline__", " __noinline__"),
        ("inline", " inline"),
        ("constexpr", " constexpr"),
    ];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (friend, word) in text.match_indices("friend") {
        let mut start = friend;
        let mut behind = Vec::new();
        loop {
            let before = text[..start].trim_end();
            let last = before.rsplit(|c: char| !is_word(c)).next().unwrap_or("");
            let Some((_, moved)) = WORDS.iter().find(|(word, _)| *word == last) else { break };
            start = before.len() - last.len();
            behind.push((friend + word.len(), *moved));
        }
        let whole = text[friend + word.len()..].starts_with(char::is_whitespace);
        if !behind.is_empty() && whole && text[..start].trim_end().ends_with(['{', '}', ';', ':', '>']) {
            found.push((start, "/*"));
            found.push((friend, "*/"));
            found.extend(behind);
        }
    }
}

/// A name in `T * = nullptr`, the parameter of a template or a function, and another word for the type of `T *... p`.
fn pointers(nodes: &[Node], text: &str, found: &mut Vec<(usize, &'static str)>) {
    for error in nodes.iter().filter(|node| node.is_error() && text.get(node.byte_range()) == Some("*")) {
        let Some(parameter) = error.parent() else { continue };
        match parameter.kind() {
            "optional_parameter_declaration" if parameter.child_by_field_name("declarator").is_none() => {
                found.push((error.end_byte(), "unnamed"));
            }
            "variadic_parameter_declaration" => {
                found.push((parameter.start_byte(), "std::add_pointer_t<"));
                found.extend([(error.start_byte(), ">/*"), (error.end_byte(), "*/")]);
            }
            _ => {}
        }
    }
}

/// `dim3` in front of lists in braces that are the sizes of a launch.
fn listed_sizes(text: &str, found: &mut Vec<(usize, &'static str)>) {
    let mut opens = text.match_indices("<<<").map(|(open, syntax)| open + syntax.len()).peekable();
    while let Some(open) = opens.next() {
        let (mut depth, mut begins) = (0usize, true);
        let until = opens.peek().copied().unwrap_or(text.len());
        for (at, byte) in text.bytes().enumerate().take(until).skip(open) {
            match byte {
                b';' => break,
                b'>' if depth == 0 && text.as_bytes()[at..].starts_with(b">>>") => break,
                b'{' if depth == 0 && begins => found.push((at, "dim3")),
                _ => {}
            }
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            begins = depth == 0 && (byte == b',' || begins && byte.is_ascii_whitespace());
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
const OPERATORS: [char; 18] =
    ['(', '[', ',', ';', '{', '}', '=', '+', '-', '*', '/', '%', '&', '|', '^', '!', '?', ':'];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_has_all_kinds_that_are_looked_at() {
        let language: tree_sitter::Language = tree_sitter_cuda::LANGUAGE.into();
        for kind in KINDS {
            assert_ne!(language.id_for_node_kind(kind, true), 0, "{kind}");
        }
    }
}
