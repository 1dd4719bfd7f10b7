//! A translation unit after macros: its syntax tree, and what it declares by name.

use std::collections::HashMap;

use tree_sitter::{Node, Parser, Tree};

use crate::base::Span;

/// The text of a translation unit, its tree, and the way back to where the text was written.
pub struct Unit<'a> {
    pub text: String,
    pub tree: Tree,
    /// Where characters were inserted into the expanded text, in ascending order of position.
    inserted: Vec<usize>,
    /// `__align__(n)` and its like, which the grammar does not know: where, and n.
    attributes: Attributes,
    origin: &'a dyn Fn(usize, usize) -> Span,
}

/// A function definition or declaration, with what surrounds it.
#[derive(Clone, Copy)]
pub struct FunDecl<'t> {
    /// `function_definition` or `declaration`.
    pub node: Node<'t>,
    /// The `function_declarator`.
    pub declarator: Node<'t>,
    /// The `template_parameter_list`.
    pub template: Option<Node<'t>>,
    /// The class that it is a member of.
    pub class: Option<Node<'t>>,
    pub is_kernel: bool,
    pub has_body: bool,
}

#[derive(Clone, Copy)]
pub enum TypeDecl<'t> {
    /// `struct_specifier`, `class_specifier`, `union_specifier`, with its template parameters.
    Class(Node<'t>, Option<Node<'t>>),
    Enum(Node<'t>),
    /// The `type` and the declarator of a typedef.
    Typedef(Node<'t>, Node<'t>),
    /// `using X = type_descriptor`.
    Alias(Node<'t>),
}

#[derive(Clone, Copy)]
pub struct GlobalDecl<'t> {
    /// The `declaration`.
    pub node: Node<'t>,
    pub declarator: Node<'t>,
    pub value: Option<Node<'t>>,
}

/// What a unit declares. Namespaces are flattened: a name is looked up by its last component.
#[derive(Default)]
pub struct Names<'t> {
    pub functions: HashMap<String, Vec<FunDecl<'t>>>,
    pub types: HashMap<String, TypeDecl<'t>>,
    pub globals: HashMap<String, GlobalDecl<'t>>,
    pub enumerators: HashMap<String, (Option<Node<'t>>, Option<String>, i128)>,
    /// In the order of the text.
    pub kernels: Vec<FunDecl<'t>>,
    /// `__axiom(..)` at the top level.
    pub axioms: Vec<Node<'t>>,
    /// Kernel calls `f<<<..>>>(..)`, in the order of the text.
    pub launches: Vec<Node<'t>>,
    /// `template .. f<..>(..)` instantiations.
    pub instantiations: Vec<Node<'t>>,
}

fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    parser.parse(text, None)
}

/// The blocks of a cluster by axis, as an attribute says; `None` is not a plain number.
pub type ClusterDims = [Option<i128>; 3];

/// What attributes say that are blanked, each with its position.
#[derive(Default)]
struct Attributes {
    alignments: Vec<(usize, u64)>,
    clusters: Vec<(usize, ClusterDims)>,
}

/// The arguments of `__cluster_dims__`: what is left out is 1.
fn cluster_dims(arguments: &str) -> ClusterDims {
    let inner = arguments.trim().strip_prefix('(').unwrap_or(arguments).trim_end().trim_end_matches(')');
    let mut dims = [Some(1); 3];
    for (dim, part) in dims.iter_mut().zip(inner.split(',')) {
        *dim = part.trim().trim_end_matches(['u', 'U', 'l', 'L']).parse().ok().filter(|n| (1..1 << 16).contains(n));
    }
    // A comma inside of an argument, as in a call: nothing is known.
    if inner.split(',').count() > 3 || inner.contains('(') { [None; 3] } else { dims }
}

/// Blanks words that the grammar does not place everywhere that compilers do; positions stay. What is said is returned.
fn blank_attributes(text: &str) -> (String, Attributes) {
    let mut found = Attributes::default();
    const WORDS: [&str; 7] = [
        "__forceinline__",
        "__noinline__",
        "__inline__",
        "__grid_constant__",
        "__device_builtin__",
        "__extension__",
        "__cdecl",
    ];
    const CALLS: [&str; 5] = ["__attribute__", "__align__", "__declspec", "__cluster_dims__", "alignas"];
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let word_char = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
    let mut i = 0;
    while i < bytes.len() {
        if !word_char(bytes[i]) {
            i += 1;
            continue;
        }
        let start = i;
        while i < bytes.len() && word_char(bytes[i]) {
            i += 1;
        }
        let word = &text[start..i];
        let mut end = i;
        if CALLS.contains(&word) {
            let mut j = i;
            while j < bytes.len() && bytes[j].is_ascii_whitespace() {
                j += 1;
            }
            let mut depth = 0usize;
            while j < bytes.len() {
                match bytes[j] {
                    b'(' => depth += 1,
                    b')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                j += 1;
                if depth == 0 {
                    break;
                }
            }
            end = j;
            if word == "__cluster_dims__" {
                found.clusters.push((start, cluster_dims(&text[i..end])));
            }
            let number = text[i..end].trim().trim_start_matches('(').trim_end_matches(')').trim();
            let number = number.strip_prefix("aligned(").map_or(number, |n| n.trim_end_matches(')'));
            let number = number.trim_matches(|c: char| !c.is_ascii_digit());
            if let Ok(n) = number.parse::<u64>() {
                found.alignments.push((start, n));
            }
        } else if !WORDS.contains(&word) {
            continue;
        }
        for b in &mut out[start..end] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
        i = end;
    }
    (String::from_utf8(out).unwrap_or_else(|_| text.to_owned()), found)
}

impl<'a> Unit<'a> {
    /// Parses expanded text. `origin` maps a byte range of it to where it was written.
    pub fn parse(expanded: &str, origin: &'a dyn Fn(usize, usize) -> Span) -> Option<Unit<'a>> {
        let (mut text, attributes) = blank_attributes(expanded);
        let mut inserted: Vec<usize> = Vec::new();
        let mut tree = parse(&text)?;
        // `i < n && j > (m)` reads as a call of a template; a unary plus after the `>` says what is meant.
        for _ in 0..4 {
            let mut found = Vec::new();
            false_templates(tree.root_node(), &text, &mut found);
            if found.is_empty() {
                break;
            }
            found.sort_unstable();
            found.dedup();
            for position in found.iter().rev() {
                text.insert(*position, '+');
            }
            let moved = inserted.iter().map(|p| p + found.iter().filter(|f| *f <= p).count());
            inserted = moved.chain(found.iter().enumerate().map(|(before, f)| f + before)).collect();
            inserted.sort_unstable();
            tree = parse(&text)?;
        }
        Some(Unit { text, tree, inserted, attributes, origin })
    }

    pub fn span(&self, node: Node) -> Span {
        let back = |at: usize| at - self.inserted.partition_point(|p| *p < at);
        (self.origin)(back(node.start_byte()), back(node.end_byte()))
    }

    /// The alignment asked for in front of the body of a class, in bytes.
    pub fn alignment(&self, class: Node, body: Node) -> Option<u64> {
        let back = |at: usize| at - self.inserted.partition_point(|p| *p < at);
        let range = back(class.start_byte())..back(body.start_byte());
        self.attributes
            .alignments
            .iter()
            .filter(|(at, n)| range.contains(at) && n.is_power_of_two())
            .map(|(_, n)| *n)
            .max()
    }

    /// What an attribute in front of the name of a function says about clusters.
    pub fn clusters(&self, name: Node) -> Option<ClusterDims> {
        let forth = |at: usize| self.inserted.iter().fold(at, |at, p| if *p <= at { at + 1 } else { at });
        let in_front = |at: usize| {
            let between = self.text.get(forth(at)..name.start_byte());
            between.is_some_and(|t| !t.contains([';', '{', '}']))
        };
        self.attributes.clusters.iter().rev().find(|(at, _)| in_front(*at)).map(|(_, dims)| *dims)
    }

    pub fn str(&self, node: Node) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub fn names(&self) -> Names<'_> {
        let mut names = Names::default();
        self.collect(self.tree.root_node(), None, &mut names, 0);
        names
    }

    fn collect<'t>(&'t self, node: Node<'t>, template: Option<Node<'t>>, names: &mut Names<'t>, depth: usize) {
        if depth > 200 {
            return;
        }
        match node.kind() {
            "translation_unit" | "declaration_list" | "ERROR" | "compound_statement" | "preproc_if"
            | "preproc_ifdef" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.collect(child, None, names, depth + 1);
                }
            }
            "linkage_specification" | "namespace_definition" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.collect(body, None, names, depth + 1);
                }
            }
            "template_declaration" => {
                let parameters = node.child_by_field_name("parameters");
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor).filter(|c| c.kind() != "template_parameter_list") {
                    self.collect(child, parameters, names, depth + 1);
                }
            }
            "template_instantiation" => names.instantiations.push(node),
            "function_definition" => {
                if let Some(fun) = self.function(node, template, None) {
                    self.add_function(fun, names);
                }
                if let Some(ty) = node.child_by_field_name("type") {
                    self.collect_type(ty, template, names);
                }
                self.collect_launches(node, names, 0);
            }
            "declaration" => {
                if let Some(ty) = node.child_by_field_name("type") {
                    self.collect_type(ty, template, names);
                }
                if let Some(fun) = self.function(node, template, None) {
                    self.add_function(fun, names);
                    return;
                }
                let mut cursor = node.walk();
                for declarator in node.children_by_field_name("declarator", &mut cursor) {
                    let (inner, value) = split_init(declarator);
                    if let Some(name) = declared_name(inner) {
                        let global = GlobalDecl { node, declarator: inner, value };
                        names.globals.insert(self.str(name).to_owned(), global);
                    }
                }
            }
            "type_definition" => {
                if let Some(ty) = node.child_by_field_name("type") {
                    self.collect_type(ty, template, names);
                    let mut cursor = node.walk();
                    for declarator in node.children_by_field_name("declarator", &mut cursor) {
                        if let Some(name) = declared_name(declarator) {
                            names.types.insert(self.str(name).to_owned(), TypeDecl::Typedef(ty, declarator));
                        }
                    }
                }
            }
            "alias_declaration" => {
                if let (Some(name), Some(ty)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) {
                    names.types.insert(self.str(name).to_owned(), TypeDecl::Alias(ty));
                }
            }
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.collect_type(node, template, names);
            }
            "expression_statement" => {
                if let Some(call) = node.named_child(0).filter(|n| n.kind() == "call_expression")
                    && call.child_by_field_name("function").is_some_and(|f| self.str(f) == "__axiom")
                {
                    names.axioms.push(call);
                }
            }
            _ => {}
        }
    }

    fn add_function<'t>(&'t self, fun: FunDecl<'t>, names: &mut Names<'t>) {
        let Some(name) = declared_name(fun.declarator) else { return };
        // `S::f` is a member defined outside of its class.
        let (scope, base) = split_scope(name);
        let mut fun = fun;
        if let Some(scope) = scope {
            let class_name = self.str(scope).split('<').next().unwrap_or("").to_owned();
            if let Some(TypeDecl::Class(class, _)) = names.types.get(&class_name) {
                fun.class = Some(*class);
            }
        }
        if self.str(base) == "__axiom" {
            return;
        }
        if fun.is_kernel && fun.has_body {
            names.kernels.push(fun);
        }
        names.functions.entry(self.str(base).to_owned()).or_default().push(fun);
    }

    /// Reads a node as a function, if it declares or defines one.
    pub fn function<'t>(
        &'t self,
        node: Node<'t>,
        template: Option<Node<'t>>,
        class: Option<Node<'t>>,
    ) -> Option<FunDecl<'t>> {
        let mut declarator = node.child_by_field_name("declarator")?;
        while declarator.kind() != "function_declarator" {
            declarator = match declarator.kind() {
                "pointer_declarator" | "reference_declarator" | "attributed_declarator" => {
                    declarator.child_by_field_name("declarator").or_else(|| last_named(declarator))?
                }
                // `operator T*()`: its type and its empty list of parameters are inside of its name.
                "operator_cast" => break,
                _ => return None,
            };
        }
        // `int (*f)(int)` declares a pointer, not a function.
        let inner = declarator.child_by_field_name("declarator")?;
        if inner.kind() == "parenthesized_declarator" && declarator.kind() != "operator_cast" {
            return None;
        }
        let mut cursor = node.walk();
        let is_kernel = node.children(&mut cursor).any(|c| self.str(c) == "__global__");
        let has_body = node.child_by_field_name("body").is_some();
        Some(FunDecl { node, declarator, template, class, is_kernel, has_body })
    }

    fn collect_type<'t>(&'t self, node: Node<'t>, template: Option<Node<'t>>, names: &mut Names<'t>) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let name = node.child_by_field_name("name");
        match node.kind() {
            "enum_specifier" => {
                if let Some(name) = name {
                    names.types.insert(self.str(name).to_owned(), TypeDecl::Enum(node));
                }
                // An enumerator without a value is its predecessor plus one.
                let (mut base, mut last, mut count) = (None, None, -1i128);
                let mut cursor = body.walk();
                for item in body.named_children(&mut cursor).filter(|c| c.kind() == "enumerator") {
                    let Some(item_name) = item.child_by_field_name("name") else { continue };
                    if let Some(value) = item.child_by_field_name("value") {
                        (base, count) = (Some(value), 0);
                    } else {
                        count += 1;
                    }
                    let text = self.str(item_name).to_owned();
                    names.enumerators.insert(text.clone(), (base, last.take(), count));
                    last = Some(text);
                }
            }
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                if let Some(name) = name {
                    // A specialisation goes by its whole name.
                    let text: String = self.str(name).chars().filter(|c| !c.is_whitespace()).collect();
                    let template = if text.contains('<') { None } else { template };
                    names.types.entry(text).or_insert(TypeDecl::Class(node, template));
                }
                let mut cursor = body.walk();
                for member in body.named_children(&mut cursor) {
                    match member.kind() {
                        "field_declaration" | "declaration" => {
                            if let Some(ty) = member.child_by_field_name("type") {
                                self.collect_type(ty, None, names);
                            }
                        }
                        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                            self.collect_type(member, None, names);
                        }
                        "alias_declaration" | "type_definition" => self.collect(member, None, names, 150),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn collect_launches<'t>(&'t self, node: Node<'t>, names: &mut Names<'t>, depth: usize) {
        if depth > 400 {
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "call_expression" && has_child(child, "kernel_call_syntax") {
                names.launches.push(child);
            }
            self.collect_launches(child, names, depth + 1);
        }
    }

    /// The first place below a node that the parser could not read.
    pub fn first_error<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        if !node.has_error() {
            return None;
        }
        let mut current = node;
        loop {
            if current.is_error() || current.is_missing() {
                return Some(current);
            }
            let mut cursor = current.walk();
            let next = current.children(&mut cursor).find(|c| c.has_error() || c.is_missing());
            match next {
                Some(next) => current = next,
                None => return Some(current),
            }
        }
    }
}

pub fn has_child(node: Node, kind: &str) -> bool {
    child_of_kind(node, kind).is_some()
}

pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|c| c.kind() == kind)
}

pub fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count().checked_sub(1)?).ok()?)
}

/// `S::f` apart: the scope, and the last name.
pub fn split_scope(name: Node<'_>) -> (Option<Node<'_>>, Node<'_>) {
    let (mut scope, mut base) = (None, name);
    while base.kind() == "qualified_identifier" {
        scope = base.child_by_field_name("scope").or(scope);
        match base.child_by_field_name("name") {
            Some(inner) => base = inner,
            None => break,
        }
    }
    (scope, base)
}

/// An `init_declarator` apart: the declarator, and the value.
pub fn split_init(node: Node<'_>) -> (Node<'_>, Option<Node<'_>>) {
    if node.kind() == "init_declarator" {
        let value = node.child_by_field_name("value");
        return (node.child_by_field_name("declarator").unwrap_or(node), value);
    }
    (node, None)
}

/// The name that a declarator declares.
pub fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..200 {
        match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "operator_name"
            | "destructor_name"
            | "template_function"
            | "primitive_type"
            | "operator_cast" => return Some(node),
            "parenthesized_declarator" | "reference_declarator" | "attributed_declarator" | "variadic_declarator" => {
                node = node.child_by_field_name("declarator").or_else(|| last_named(node))?;
            }
            _ => node = node.child_by_field_name("declarator")?,
        }
    }
    None
}

/// Positions after the `>` of comparisons that were read as the end of template arguments.
fn false_templates(node: Node, text: &str, found: &mut Vec<usize>) {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
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
                found.push(arguments.end_byte());
            }
        }
        let mut cursor = node.walk();
        stack.extend(node.named_children(&mut cursor));
    }
}
