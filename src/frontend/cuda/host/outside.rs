//! Numbers and sizes that a function of the host uses and does not declare: members of its class, and variables of the unit.
//! [HOST-OUTSIDE]

use tree_sitter::Node;

use super::super::unit::{GlobalDecl, TypeDecl, child_of_kind, declared_name, last_named, split_init};
use super::Host;
use super::fields::is_of_this;
use super::places::listed_in;
use super::variables::{Outside, Part, Variable, says};
use crate::exp::N;

/// A member of a class: its declaration, and the declarator.
type Member<'u> = (Node<'u>, Node<'u>);

/// How many classes are followed that are derived from each other.
const MAX_BASES: usize = 4;

impl<'u> Host<'_, 'u> {
    /// Adds the variables from outside that the function names.
    pub(super) fn declare_outside(&mut self, all: &[Node<'u>]) {
        let is_inner = std::iter::successors(self.function.parent(), Node::parent)
            .any(|n| matches!(n.kind(), "function_definition" | "lambda_expression"));
        let class = self.class_around();
        let members = class.and_then(|class| self.members(class, 0));
        if is_inner || members.is_none() && (class.is_some() || self.is_method()) {
            return;
        }
        let members = members.unwrap_or_default();
        let mut seen = rustc_hash::FxHashSet::default();
        let is_name = |n: &&Node<'u>| {
            n.kind() == "identifier" || n.kind() == "field_identifier" && n.parent().is_some_and(is_of_this)
        };
        for node in all.iter().filter(is_name) {
            let name = self.unit.str(*node);
            if !seen.insert((name, node.kind()))
                || self.named_outside(name)
                || self.template_parameter(name, *node).is_some()
            {
                continue;
            }
            let named =
                |(_, declarator): &&Member<'u>| declared_name(*declarator).is_some_and(|n| self.unit.str(n) == name);
            let found = match members.iter().find(named) {
                Some((node, declarator)) => Some((*node, *declarator, Outside::Class)),
                None if node.kind() == "field_identifier" => None,
                None => self.global(name).map(|global| (global.node, global.declarator, Outside::Unit)),
            };
            if let Some((declaration, declarator, outside)) = found {
                self.add_outside(*node, declaration, declarator, outside);
            }
        }
    }

    fn add_outside(&mut self, at: Node<'u>, declaration: Node<'u>, declarator: Node<'u>, outside: Outside) {
        let text = &self.unit.text;
        let Some(ty) = declaration.child_by_field_name("type") else { return };
        let of_device = ["__device__", "__constant__", "__managed__", "__shared__"];
        let head = &text[declaration.start_byte()..declarator.start_byte()];
        let is_plain = matches!(declarator.kind(), "identifier" | "field_identifier")
            && !of_device.iter().any(|word| head.contains(word))
            && !says(declaration, text, &["volatile"])
            && child_of_kind(declaration, "bitfield_clause").is_none();
        let is_sizes = self.unit.str(ty) == "dim3" || self.is_integer_type(ty) && self.unit.str(ty) != "auto";
        if !is_plain || !is_sizes || self.constant(at).is_some() {
            return;
        }
        self.add(Variable {
            name: self.unit.str(at),
            scope: self.function,
            from: self.function.start_byte(),
            declarator: Some(declarator),
            ty: Some(ty),
            is_parameter: false,
            is_const: says(declaration, text, &["const", "constexpr"]),
            is_remote: true,
            outside: Some(outside),
            is_wild: false,
            escapes: None,
            events: Vec::new(),
        });
    }

    /// One of the sizes of a `dim3` of the unit that is constant, and made of constants.
    pub(super) fn constant_size(&mut self, variable: usize, part: &Part) -> Option<N> {
        let known = &self.variables[variable];
        let is_constant = known.outside == Some(Outside::Unit) && known.is_const && !known.is_wild;
        let Part::Field(axis) = part else { return None };
        let axis = ["x", "y", "z"].iter().position(|a| *a == axis.as_str())?;
        let name = Some(known.name).filter(|_| is_constant && self.is_dims(variable) && !self.said.changes_const)?;
        let mut list = self.global(name)?.value?;
        if matches!(list.kind(), "call_expression" | "compound_literal_expression") {
            let part = |name: &str| list.child_by_field_name(name);
            let made = part("function").or_else(|| part("type")).map(|f| self.unit.str(f));
            list = part("arguments").or_else(|| part("value")).filter(|_| made == Some("dim3"))?;
        }
        let sizes = Some(listed_in(list)).filter(|_| matches!(list.kind(), "argument_list" | "initializer_list"))?;
        let known: Option<Vec<i128>> = sizes.iter().map(|size| self.lower.constant_at(*size)).collect();
        let known = known.filter(|known| (1..=3).contains(&known.len()) && known.iter().all(|n| *n >= 0))?;
        Some(N::num(known.get(axis).copied().unwrap_or(1)))
    }

    fn named_outside(&self, name: &str) -> bool {
        self.named.get(name).is_some_and(|list| list.iter().any(|v| self.variables[*v].outside.is_some()))
    }

    /// The one variable of the unit with a name.
    fn global(&self, name: &str) -> Option<GlobalDecl<'u>> {
        match self.lower.names.globals.get(name)?.as_slice() {
            [(_, only)] if !self.lower.names.enumerators.contains_key(name) => Some(*only),
            _ => None,
        }
    }

    /// The class that the function is a member of, where it is known.
    pub(super) fn class_around(&self) -> Option<Node<'u>> {
        let list = self.function.parent().filter(|p| p.kind() == "field_declaration_list");
        let name = self.function.child_by_field_name("declarator").and_then(declared_name);
        let own = || self.lower.names.functions.get(self.unit.str(self.unit.qualified(name?).1));
        list.and_then(|list| list.parent())
            .or_else(|| own()?.iter().find(|d| d.node == self.function).and_then(|d| d.class))
    }

    /// Does a name alone mean a method of the class that the function is a member of, of a base of that, or of a class around
    /// it? With `perhaps`, those of a base that is not known may have it.
    pub(super) fn is_own_method(&self, name: &str, perhaps: bool) -> bool {
        let Some(class) = self.class_around() else { return false };
        let is_class = |n: &Node<'u>| matches!(n.kind(), "class_specifier" | "struct_specifier" | "union_specifier");
        let around = self.unit.around(class).into_iter().filter(is_class);
        std::iter::once(class).chain(around).any(|class| self.has_method(class, name, perhaps, 0))
    }

    fn has_method(&self, class: Node<'u>, name: &str, perhaps: bool, depth: usize) -> bool {
        let bases = child_of_kind(class, "base_class_clause").map(listed_in).unwrap_or_default();
        let bases = bases.into_iter().filter(|b| !matches!(b.kind(), "access_specifier" | "virtual"));
        let mut of_bases = bases.map(|base| match self.class_of(base).filter(|_| depth < MAX_BASES) {
            Some(base) => self.has_method(base, name, perhaps, depth + 1),
            None => perhaps,
        });
        !self.methods_named(class, name).is_empty() || of_bases.any(|has| has)
    }

    /// Does a call of a method only return a number or a pointer that the object has? The class is one of the unit that no
    /// other comes before, and all methods of this name do so. [HOST-GETTER]
    pub(super) fn only_returns(&self, call: Node<'u>) -> bool {
        let Some(function) = call.child_by_field_name("function").filter(|f| f.kind() == "field_expression") else {
            return false;
        };
        let is_empty = call.child_by_field_name("arguments").is_some_and(|list| listed_in(list).is_empty());
        let Some((class, own)) = self.methods_meant(function) else { return false };
        is_empty
            && child_of_kind(class, "base_class_clause").is_none()
            && own.into_iter().all(|item| self.is_getter(item, class))
    }

    /// Does a method of a class of the unit take an argument as a number of its own? [HOST-PLAIN]
    pub(super) fn method_copies(&self, function: Node<'u>, at: usize) -> bool {
        let copies = |method: Node<'u>| {
            let list = method.child_by_field_name("declarator").and_then(|d| d.child_by_field_name("parameters"));
            let parameter = list.and_then(|list| listed_in(list).get(at).copied());
            parameter.is_some_and(|parameter| {
                let ty = parameter.child_by_field_name("type");
                let declarator = parameter.child_by_field_name("declarator");
                !self.unit.str(parameter).contains('&')
                    && declarator.is_none_or(|d| d.kind() == "identifier")
                    && ty.is_some_and(|ty| self.is_integer_type(ty) && self.unit.str(ty) != "auto")
            })
        };
        self.methods_meant(function).is_some_and(|(_, own)| own.into_iter().all(copies))
    }

    /// The class of the object that a method is called of, and what it declares with this name, which is something.
    fn methods_meant(&self, function: Node<'u>) -> Option<(Node<'u>, Vec<Node<'u>>)> {
        let (object, method) = (function.child_by_field_name("argument")?, function.child_by_field_name("field")?);
        let class = self.class_at(object, is_arrow(self.unit.str(function), object, function), 0)?;
        let own = self.methods_named(class, self.unit.str(method));
        Some((class, own)).filter(|(_, own)| !own.is_empty() && !class.has_error())
    }

    /// What a class declares with a name.
    pub(super) fn methods_named(&self, class: Node<'u>, name: &str) -> Vec<Node<'u>> {
        let items = class.child_by_field_name("body").map(listed_in).unwrap_or_default();
        let named = |item: &Node<'u>| {
            let inner = if item.kind() == "template_declaration" { last_named(*item) } else { Some(*item) };
            inner.is_some_and(|inner| {
                let mut cursor = inner.walk();
                let mut declarators = inner.children_by_field_name("declarator", &mut cursor);
                inner.kind() == "using_declaration" && self.unit.str(inner).contains(name)
                    || declarators.any(|d| declared_name(d).is_some_and(|n| self.unit.str(n) == name))
            })
        };
        items.into_iter().filter(named).collect()
    }

    /// `T* data() { return d; }`
    fn is_getter(&self, method: Node<'u>, class: Node<'u>) -> bool {
        let field = |name: &str| method.child_by_field_name(name);
        let (Some(body), Some(ty), Some(declarator)) = (field("body"), field("type"), field("declarator")) else {
            return false;
        };
        let head = &self.unit.text[method.start_byte()..declarator.start_byte()];
        let returned = match listed_in(body).as_slice() {
            [only] if only.kind() == "return_statement" => last_named(*only),
            _ => None,
        };
        let member = match returned {
            Some(name) if name.kind() == "identifier" => Some(name),
            Some(field) if field.kind() == "field_expression" && is_of_this(field) => {
                field.child_by_field_name("field")
            }
            _ => None,
        };
        // No conversion is one that a class has.
        let plain = |ty: Node<'u>, declarator: Node<'u>, name: &str| match declarator.kind() {
            "pointer_declarator" => declarator.child_by_field_name("declarator").is_some_and(|d| d.kind() == name),
            kind => kind == name && self.is_integer_type(ty) && self.unit.str(ty) != "auto",
        };
        let is_member = member.is_some_and(|member| {
            let found = self.member_of(class, self.unit.str(member));
            found.is_some_and(|(ty, declarator)| plain(ty, declarator, "field_identifier"))
        });
        is_member && !head.contains("virtual") && plain(ty, declarator, "function_declarator")
    }

    /// The class of the unit that an object, or what a pointer points to, is of.
    pub(super) fn class_at(&self, object: Node<'u>, behind: bool, depth: usize) -> Option<Node<'u>> {
        let text = self.unit.str(object);
        let (ty, declarator) = match object.kind() {
            "this" if behind => return self.class_around(),
            "identifier" => match self.variable_at(object) {
                Some(known) => (known.ty?, known.declarator?),
                None => self.member_of(self.class_around()?, text)?,
            },
            "field_expression" if depth < MAX_BASES => {
                let (of, name) = (object.child_by_field_name("argument")?, object.child_by_field_name("field")?);
                let class = self.class_at(of, is_arrow(text, of, object), depth + 1)?;
                self.member_of(class, self.unit.str(name))?
            }
            _ => return None,
        };
        let name = match declarator.kind() {
            "pointer_declarator" if behind => declarator.child_by_field_name("declarator")?,
            "reference_declarator" if !behind => last_named(declarator)?,
            // `C c(n);` reads as the declaration of a function.
            "function_declarator" if !behind => declarator.child_by_field_name("declarator")?,
            _ if !behind => declarator,
            _ => return None,
        };
        matches!(name.kind(), "identifier" | "field_identifier").then_some(())?;
        self.class_of(ty)
    }

    /// The type and the declarator of a member of a class.
    fn member_of(&self, class: Node<'u>, name: &str) -> Option<(Node<'u>, Node<'u>)> {
        let members = self.members(class, 0)?;
        let is_named = |d: Node<'u>| declared_name(d).is_some_and(|n| self.unit.str(n) == name);
        let (item, declarator) = members.into_iter().find(|(_, declarator)| is_named(*declarator))?;
        Some((item.child_by_field_name("type")?, declarator))
    }

    /// The members of a class and those that it is derived from. `None`: not all are known.
    fn members(&self, class: Node<'u>, depth: usize) -> Option<Vec<Member<'u>>> {
        let body =
            class.child_by_field_name("body").filter(|_| depth < MAX_BASES && class.kind() != "union_specifier")?;
        let mut found = Vec::new();
        for item in listed_in(body).into_iter().filter(|item| item.kind() == "field_declaration") {
            let mut cursor = item.walk();
            let declarators = item.children_by_field_name("declarator", &mut cursor);
            found.extend(declarators.map(|declarator| (item, split_init(declarator).0)));
        }
        let bases = child_of_kind(class, "base_class_clause").map(listed_in).unwrap_or_default();
        for base in bases.into_iter().filter(|b| b.kind() != "access_specifier" && b.kind() != "virtual") {
            let base = match self.lower.names.types.get(self.unit.str(base))?.as_slice() {
                [(_, TypeDecl::Class(base, None))] => *base,
                _ => return None,
            };
            found.extend(self.members(base, depth + 1)?);
        }
        Some(found)
    }
}

/// Is it `->` that stands behind an object?
pub(super) fn is_arrow(text: &str, object: Node, field: Node) -> bool {
    text[object.end_byte() - field.start_byte()..].trim_start().starts_with("->")
}
