//! Type specifiers and declarators to types of the kernel language.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use std::sync::Arc;

use tree_sitter::Node;

use super::builtins;
use super::layout::{Part, Parts};
use super::lower::{
    Body, DeclaredType, Local, array_type, atomic_type, complex_type, is_collective, is_lvalue, is_standard,
    library_operation, member_of_collective, of_thrust, pair_type, tuple_type,
};
use super::opencl;
use super::unit::{
    Dialect, Found, Qualifier, TypeDecl, child_of_kind, declared_name, last_named, name_of_type_parameter,
};
use crate::exp::IntTy;
use crate::kernel::ir::{Expr, ExprKind};
use crate::kernel::types::{StructTy, Type};

/// Types of members that are looked for deep inside of others, in one function.
const MAX_DEEP_TYPES: usize = 5_000;

/// What the parameters of a template stand for.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Bindings {
    pub types: BTreeMap<String, Type>,
    pub values: BTreeMap<String, (i128, Type)>,
    pub functions: BTreeMap<String, FunctionArgument>,
    /// Templates, by their whole names.
    pub templates: BTreeMap<String, String>,
    /// Packs, by their length: the elements are among the others.
    pub packs: BTreeMap<String, usize>,
    /// As it is written, each type that the language tells apart from the one that it has here.
    pub finer: BTreeMap<String, String>,
    /// Values that are not known here, which a function is given as arguments after the others: where each stands in the
    /// text, and its type. [INF-OPEN-VALUE]
    pub open: BTreeMap<String, (std::ops::Range<usize>, Type)>,
}

/// The function that a parameter of a template stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionArgument {
    pub name: String,
    /// What the parameters of its own template stand for, where they are given.
    pub instance: Option<Bindings>,
}

impl std::fmt::Display for FunctionArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.instance {
            None => f.write_str(&self.name),
            Some(instance) => write!(f, "{}<{}>", self.name, instance.key()),
        }
    }
}

impl Bindings {
    /// A text that is the same for equal bindings.
    pub fn key(&self) -> String {
        let finer = self.finer.iter().map(|(n, text)| format!("{n}:{text}"));
        let types = Some(self.key_of_types()).filter(|key| !key.is_empty());
        let open = self.open.keys().map(|n| format!("{n}?"));
        types.into_iter().chain(finer).chain(open).collect::<Vec<_>>().join(",")
    }

    /// The same, for bindings that differ in nothing but what is written for their types.
    pub fn key_of_types(&self) -> String {
        let types = self.types.iter().map(|(n, t)| format!("{n}={t}"));
        let values = self.values.iter().map(|(n, (v, _))| format!("{n}={v}"));
        let functions = self.functions.iter().map(|(n, f)| format!("{n}={f}"));
        let templates = self.templates.iter().map(|(n, t)| format!("{n}={t}"));
        let packs = self.packs.iter().map(|(n, count)| format!("{n}...={count}"));
        types.chain(values).chain(functions).chain(templates).chain(packs).collect::<Vec<_>>().join(",")
    }

    /// Does it say what this name stands for?
    pub fn binds(&self, name: &str) -> bool {
        self.types.contains_key(name)
            || self.values.contains_key(name)
            || self.functions.contains_key(name)
            || self.templates.contains_key(name)
            || self.packs.contains_key(name)
    }

    /// Does every parameter that both bind stand for the same in both?
    pub fn agrees(&self, other: &Bindings) -> bool {
        fn same<V: PartialEq>(one: &BTreeMap<String, V>, two: &BTreeMap<String, V>) -> bool {
            one.iter().all(|(name, value)| two.get(name).is_none_or(|other| other == value))
        }
        same(&self.types, &other.types)
            && same(&self.values, &other.values)
            && same(&self.functions, &other.functions)
            && same(&self.templates, &other.templates)
            && same(&self.packs, &other.packs)
            && same(&self.finer, &other.finer)
    }

    /// Puts in what others stand for.
    pub fn extend(&mut self, others: Bindings) {
        self.types.extend(others.types);
        self.values.extend(others.values);
        self.functions.extend(others.functions);
        self.templates.extend(others.templates);
        self.packs.extend(others.packs);
        self.finer.extend(others.finer);
        self.open.extend(others.open);
    }

    /// Gives each parameter of a class a second name, which the definition of a member outside of it has for it.
    pub fn rename(&mut self, own: &[String], here: &[String]) {
        for (own, here) in own.iter().zip(here).filter(|(own, here)| own != here) {
            if let Some(ty) = self.types.get(own).cloned() {
                self.types.insert(here.clone(), ty);
            } else if let Some(value) = self.values.get(own).cloned() {
                self.values.insert(here.clone(), value);
            }
        }
    }

    /// Keeps the parameters of these names.
    pub fn retain(&mut self, names: &[String]) {
        // Elements of packs as well.
        let own = |name: &String| names.iter().any(|n| name.split('#').next() == Some(n.as_str()));
        self.types.retain(|name, _| own(name));
        self.values.retain(|name, _| own(name));
        self.functions.retain(|name, _| own(name));
        self.templates.retain(|name, _| own(name));
        self.finer.retain(|name, _| own(name));
        self.packs.retain(|name, _| own(name));
        self.open.retain(|name, _| own(name));
    }
}

/// The name of the type that members with a number of bits have.
pub const BIT_FIELD: &str = "bit-field";

/// What `decltype(auto)` stands for: the type of the initialiser, or a reference to it.
pub const AUTO_REFERENCE: &str = "decltype(auto)";

/// The type that `auto` stands for until an initialiser says more.
pub fn is_auto(ty: &Type) -> bool {
    match ty {
        Type::Unknown(name) => matches!(&**name, "auto" | AUTO_REFERENCE),
        Type::Ref(inner) | Type::Ptr(inner) => is_auto(inner),
        _ => false,
    }
}

/// The type of a run of words such as `unsigned long long int`; one with other words, as `unsigned __int128`, is unknown.
fn sized(words: &str) -> Type {
    const WORDS: [&str; 10] =
        ["unsigned", "signed", "__signed__", "long", "short", "int", "char", "double", "const", "volatile"];
    if !words.split_whitespace().all(|word| WORDS.contains(&word)) {
        return Type::Unknown(Arc::from(words));
    }
    let count = |w: &str| words.split_whitespace().filter(|x| *x == w).count();
    let signed = count("unsigned") == 0;
    if count("double") > 0 {
        return Type::Float(8);
    }
    let bits = if count("char") > 0 {
        8
    } else if count("short") > 0 {
        16
    } else if count("long") > 0 {
        64
    } else {
        32
    };
    Type::Int(IntTy { bits, signed })
}

/// CUB, and its twin for HIP.
pub(super) const LIBRARIES: [&str; 2] = ["cub", "hipcub"];

/// Is this a name of CUB, or of its twin for HIP?
pub(super) fn of_library(qualifier: &Qualifier) -> bool {
    matches!(qualifier.parts.as_slice(), [only] if LIBRARIES.contains(&only.as_str()))
}

/// The classes that something is declared in.
fn classes_around<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let is_class = |n: &Node| matches!(n.kind(), "struct_specifier" | "class_specifier" | "union_specifier");
    std::iter::successors(node.parent(), |n| n.parent()).filter(is_class)
}

/// The function that something is declared in.
pub fn around_function(node: Node<'_>) -> Option<Node<'_>> {
    let mut current = node.parent();
    while let Some(around) = current.filter(|n| n.kind() != "function_definition") {
        current = around.parent();
    }
    current
}

impl<'t> Body<'_, 't> {
    /// The type of the specifiers of a declaration.
    pub fn type_of(&mut self, node: Node<'t>) -> Type {
        let text = self.text(node);
        match node.kind() {
            "primitive_type" => match text {
                "void" => Type::Void,
                "bool" => Type::BOOL,
                "char" => Type::Int(IntTy::I8),
                "int" => Type::INT,
                "float" => Type::Float(4),
                "double" => Type::Float(8),
                other => self.built_in_type(other).unwrap_or_else(|| Type::Unknown(Arc::from(other))),
            },
            "sized_type_specifier" => sized(text),
            "type_identifier" | "identifier" | "namespace_identifier" => match self.open_parameter(node) {
                Some(ty) => ty,
                None => self.named(text, &Qualifier::default()),
            },
            "qualified_identifier" => {
                let (qualifier, base) = self.lower.unit.qualified(node);
                if self.is_of_open_parameter(node) {
                    return Type::Unknown(Arc::from(text));
                }
                if let Some(ty) = self.type_of_trait(node) {
                    return ty;
                }
                if let (Some(class), "type_identifier") = (self.class_scope(node), base.kind()) {
                    return self
                        .member_type(&class, self.text(base), &mut Vec::new())
                        .unwrap_or_else(|| Type::Unknown(Arc::from(text)));
                }
                if let Some(scope) = self.scope_type(node)
                    && let Some(ty) = member_of_collective(&scope, self.text(base))
                {
                    return ty;
                }
                match base.kind() {
                    "type_identifier" | "identifier" => match self.named(self.text(base), &qualifier) {
                        Type::Unknown(_) if library_operation(text).is_some() => Type::Unknown(Arc::from(text)),
                        ty => ty,
                    },
                    "template_type" | "template_function" => match self.template_type(base, &qualifier) {
                        // What belongs to a library keeps its name as it is written.
                        Type::Unknown(_) if of_library(&qualifier) || library_operation(text).is_some() => {
                            Type::Unknown(Arc::from(text))
                        }
                        ty => ty,
                    },
                    _ => Type::Unknown(Arc::from(text)),
                }
            }
            "template_type" | "template_function" => {
                let ty = self.template_type(node, &Qualifier::default());
                self.collective_type(node, ty)
            }
            "decltype" => self.type_of_expression(node),
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                if node.child_by_field_name("body").is_some() {
                    // It stands where the parameters of the templates around it have their meaning.
                    return self.class(node, self.bindings.clone());
                }
                match node.child_by_field_name("name") {
                    Some(name) => self.type_of(name),
                    None => Type::Unknown(Arc::from(text)),
                }
            }
            "enum_specifier" => self.enum_type(node),
            "dependent_type" => match last_named(node) {
                Some(inner) => self.type_of(inner),
                None => Type::Unknown(Arc::from(text)),
            },
            "placeholder_type_specifier" if text.starts_with("decltype") => Type::Unknown(Arc::from(AUTO_REFERENCE)),
            "placeholder_type_specifier" | "auto" => Type::Unknown(Arc::from("auto")),
            "type_descriptor" => {
                let base = match node.child_by_field_name("type") {
                    Some(ty) => self.type_of(ty),
                    None => Type::Unknown(Arc::from(text)),
                };
                match node.child_by_field_name("declarator") {
                    Some(declarator) => self.declare(base, &declarator).0,
                    None => base,
                }
            }
            _ => Type::Unknown(Arc::from(text)),
        }
    }

    /// Does `using namespace cub`, or `using cub::name`, make a name that nothing in the unit has one of the library?
    pub(super) fn is_opened_library(&self, name: &str) -> bool {
        let names = self.lower.names;
        let given = names.used_of.get(name).into_iter().flatten().any(of_library);
        (given || LIBRARIES.iter().any(|library| names.opened.contains(*library)))
            && !names.types.contains_key(name)
            && !names.functions.contains_key(name)
            && !names.declared_classes.contains_key(name)
            && !names.type_parameters.contains(name)
    }

    /// A type without a definition in the text, with the name that its library gives it where it is a collective of that.
    fn collective_type(&self, node: Node<'t>, ty: Type) -> Type {
        let name = node.child_by_field_name("name").map_or("", |name| self.text(name));
        match ty {
            Type::Unknown(text) if is_collective(name) && self.is_opened_library(name) => {
                Type::Unknown(Arc::from(format!("cub::{text}")))
            }
            ty => ty,
        }
    }

    /// A type that has a name without a definition in the text.
    fn built_in_type(&self, name: &str) -> Option<Type> {
        let own = match self.lower.unit.dialect {
            Dialect::Cuda => None,
            Dialect::OpenCl => opencl::named_type(name),
        };
        let usual = || builtins::usual_integer(name).filter(|_| self.lower.names.usual.contains(name));
        own.or_else(|| builtins::named_type(name)).or_else(|| builtins::named_type(usual()?))
    }

    /// The type that the part of a name in front of `::` stands for.
    pub fn type_at(&mut self, scope: Node<'t>, outer: &Qualifier) -> Type {
        match scope.kind() {
            "template_type" => match self.template_type(scope, outer) {
                Type::Unknown(text) if of_library(outer) => Type::Unknown(Arc::from(format!("cub::{text}"))),
                ty if *outer == Qualifier::default() => self.collective_type(scope, ty),
                ty => ty,
            },
            "dependent_name" => Type::Unknown(Arc::from(self.text(scope))),
            _ => match self.open_parameter(scope).filter(|_| *outer == Qualifier::default()) {
                Some(ty) => ty,
                None => self.named(self.text(scope), outer),
            },
        }
    }

    /// Where a name is that of a parameter of a template around it which stands for a type that is not known: that type. It
    /// hides what else has its name. [INF-OPEN]
    pub(super) fn open_parameter(&self, node: Node<'t>) -> Option<Type> {
        let name = self.text(node);
        let is_known = |scope: &FxHashMap<String, Local>| matches!(scope.get(name), Some(Local::Type(_)));
        if !self.lower.names.type_parameters.contains(name)
            || self.bindings.types.contains_key(name)
            || self.bindings.templates.contains_key(name)
            || self.scopes.iter().any(is_known)
        {
            return None;
        }
        let mut around = node;
        while let Some(parent) = around.parent() {
            around = parent;
            let list = around.child_by_field_name("parameters").filter(|_| around.kind() == "template_declaration");
            let mut cursor = around.walk();
            let own = list.map(|list| list.named_children(&mut cursor).collect::<Vec<_>>()).unwrap_or_default();
            if own.into_iter().filter_map(name_of_type_parameter).any(|n| self.text(n) == name) {
                return Some(Type::Unknown(Arc::from(name)));
            }
        }
        None
    }

    /// Is a name with something in front that of a member of such a type?
    pub(super) fn is_of_open_parameter(&self, node: Node<'t>) -> bool {
        let scope = node.child_by_field_name("scope").filter(|_| node.kind() == "qualified_identifier");
        scope.is_some_and(|scope| {
            // Or of one that was given such a type.
            let given = self.bindings.types.get(self.text(scope));
            self.open_parameter(scope).is_some() || matches!(given, Some(Type::Unknown(_)))
        })
    }

    fn named(&mut self, name: &str, qualifier: &Qualifier) -> Type {
        if *qualifier == Qualifier::default() {
            if let Some(ty) = self.bindings.types.get(name) {
                return self.completed(ty);
            }
            for scope in self.scopes.iter().rev() {
                if let Some(Local::Type(ty)) = scope.get(name) {
                    return ty.clone();
                }
            }
        }
        if self.type_depth > 40 {
            return Type::Unknown(Arc::from(name));
        }
        self.type_depth += 1;
        let names = self.lower.names;
        if let (true, Some(class)) = (*qualifier == Qualifier::default(), self.class_type.clone())
            && let Some(ty) = self.member_type(&class, name, &mut Vec::new())
        {
            self.type_depth -= 1;
            let outside = names.types.contains_key(name);
            return if outside && self.may_be_of_base(&class, name) { Type::Unknown(Arc::from(name)) } else { ty };
        }
        if let (true, Some(ty)) = (*qualifier == Qualifier::default(), self.type_of_unfinished(name)) {
            self.type_depth -= 1;
            return ty;
        }
        let found = match names.find_type(name, self.scope, qualifier) {
            // One that is declared later hides nothing yet.
            Found::One(decl) if self.is_later(name, &decl) => Some(Type::Unknown(Arc::from(name))),
            // What the parameters of a template around it stand for is not known from outside.
            Found::One(TypeDecl::Class(node, None)) if is_in_template(node) => Some(Type::Unknown(Arc::from(name))),
            Found::One(TypeDecl::Class(node, None)) => Some(self.class(node, Bindings::default())),
            // Inside of its own class the name of a template stands for the instance.
            Found::One(TypeDecl::Class(node, Some(_))) => {
                let own = self.class_type.clone().filter(|own| self.is_of(own, node));
                own.filter(|own| own.size() > 0)
            }
            Found::One(TypeDecl::Enum(node)) => Some(self.elsewhere(node, |body| body.enum_type(node))),
            Found::One(TypeDecl::Typedef(ty, declarator)) => Some(self.elsewhere(declarator, |body| {
                let base = body.type_of(ty);
                body.declare(base, &declarator).0
            })),
            Found::One(TypeDecl::Alias(ty)) => Some(self.elsewhere(ty, |body| body.type_of(ty))),
            Found::One(TypeDecl::Unread | TypeDecl::AliasTemplate(_)) | Found::Ambiguous => {
                Some(Type::Unknown(Arc::from(name)))
            }
            Found::None => None,
        };
        self.type_depth -= 1;
        found.or_else(|| self.built_in_type(name)).unwrap_or_else(|| match sized_word(name) {
            Some(ty) => ty,
            None => Type::Unknown(Arc::from(name)),
        })
    }

    /// A class that was not laid out yet when a template was given it, as one that derives from what it makes of it.
    pub(super) fn completed(&self, ty: &Type) -> Type {
        let known = match ty {
            Type::Unknown(name) => self.lower.class_nodes.get(&**name),
            Type::Struct(class) if class.size == 0 => self.lower.class_nodes.get(&*class.name),
            _ => None,
        };
        let now = known.and_then(|(node, bindings)| self.lower.classes.get(&(node.id(), bindings.key())));
        now.filter(|now| matches!(now, Type::Struct(_))).unwrap_or(ty).clone()
    }

    /// Is this one of several types of the name, and declared after the place that we are at?
    fn is_later(&self, name: &str, decl: &TypeDecl<'t>) -> bool {
        let node = match decl {
            TypeDecl::Class(node, _)
            | TypeDecl::Enum(node)
            | TypeDecl::Typedef(node, _)
            | TypeDecl::Alias(node)
            | TypeDecl::AliasTemplate(node) => node,
            TypeDecl::Unread => return false,
        };
        self.at > 0
            && node.start_byte() > self.at
            && self.lower.names.types.get(name).is_some_and(|list| list.len() > 1)
    }

    /// Is a base class one of the libraries that declares names of types, and nothing else? [INF-TYPES-ONLY]
    fn is_of_types_only(&self, base: Node<'t>) -> bool {
        let name = self.text(base).split('<').next().unwrap_or("").trim();
        ["std", "thrust"].iter().any(|outer| {
            let inner = name.trim_start_matches("::").strip_prefix(outer).and_then(|rest| rest.strip_prefix("::"));
            matches!(inner, Some("unary_function" | "binary_function"))
        })
    }

    /// The integer type that an enumeration has: the one written, or the first that holds its values.
    fn enum_type(&mut self, node: Node<'t>) -> Type {
        let mut node = node;
        if let (None, Some(name)) = (node.child_by_field_name("body"), node.child_by_field_name("name"))
            && let Found::One(TypeDecl::Enum(declared)) =
                self.lower.names.find_type(self.text(name), self.scope, &Qualifier::default())
        {
            node = declared;
        }
        if let Some(base) = node.child_by_field_name("base") {
            return self.type_of(base);
        }
        match self.enumerators(node) {
            // In C, of values that are not negative: an unsigned type, as compilers choose it.
            Some((0, most, _)) if self.is_opencl() && IntTy::U32.contains(most) => Type::UINT,
            Some((least, most, _)) => integer_for(least, most),
            None => Type::INT,
        }
    }

    /// The least and the greatest of 0 and the enumerators of an enumeration, and whether all of them are known.
    fn enumerators(&mut self, node: Node<'t>) -> Option<(i128, i128, bool)> {
        let body = node.child_by_field_name("body").filter(|_| self.type_depth <= 40)?;
        self.type_depth += 1;
        self.lower.enumerations.push((node.id(), self.bindings.key()));
        let (mut least, mut most, mut next, mut all) = (0i128, 0i128, Some(0i128), true);
        let mut cursor = body.walk();
        for item in body.named_children(&mut cursor).filter(|c| c.kind() != "comment").collect::<Vec<_>>() {
            if let Some(value) = item.child_by_field_name("value") {
                next = self.constant(value);
            }
            all &= item.kind() == "enumerator" && next.is_some();
            if let Some(value) = next.filter(|_| item.kind() == "enumerator") {
                (least, most) = (least.min(value), most.max(value));
                next = value.checked_add(1);
            }
        }
        self.lower.enumerations.pop();
        self.type_depth -= 1;
        Some((least, most, all))
    }

    /// The values of an enumeration without a type of its own: those of the smallest bit-field that holds its enumerators.
    /// [INF-ENUM-VALUES]
    pub(super) fn values_of_enum(&mut self, ty: Node<'t>, depth: usize) -> Option<(i128, i128)> {
        if ty.kind() == "enum_specifier" && ty.child_by_field_name("body").is_some() {
            let head = self.text(ty).trim_start_matches("enum").trim_start();
            let is_scoped = head.starts_with("class ") || head.starts_with("struct ");
            let is_free = !is_scoped && ty.child_by_field_name("base").is_none() && !self.is_opencl();
            let (least, most, all) = self.enumerators(ty).filter(|_| is_free)?;
            let bits = (0..63u32).find(|bits| -least <= 1 << bits && most < 1 << bits)?;
            let end = 1i128 << bits.max(u32::from(least == 0));
            return all.then_some((if least < 0 { -end } else { 0 }, end - 1));
        }
        let name = match ty.kind() {
            "enum_specifier" => ty.child_by_field_name("name")?,
            "type_identifier" => ty,
            _ => return None,
        };
        if depth > 8 || self.bindings.types.contains_key(self.text(name)) {
            return None;
        }
        let inner = match self.lower.names.find_type(self.text(name), self.scope, &Qualifier::default()).one()? {
            TypeDecl::Enum(node) | TypeDecl::Alias(node) => node,
            TypeDecl::Typedef(node, declarator) if declarator.kind() == "type_identifier" => node,
            _ => return None,
        };
        // An alias names a descriptor of a type.
        let inner = inner.child_by_field_name("type").filter(|_| inner.kind() == "type_descriptor").unwrap_or(inner);
        self.elsewhere(inner, |body| body.values_of_enum(inner, depth + 1))
    }

    /// A type that is declared in a class, or in a base of it.
    pub(super) fn member_type(&mut self, class: &Type, name: &str, seen: &mut Vec<Type>) -> Option<Type> {
        // `struct S { using T = S::T; };`, and `using U = S::V::U; using V = S::U::V;`.
        self.type_depth += 1;
        self.deep_types += usize::from(self.type_depth > 8);
        let found = match self.type_depth <= 40 && self.deep_types <= MAX_DEEP_TYPES {
            true => self.member_type_of(class, name, seen),
            false => Some(Type::Unknown(Arc::from(name))),
        };
        self.type_depth -= 1;
        found
    }

    fn member_type_of(&mut self, class: &Type, name: &str, seen: &mut Vec<Type>) -> Option<Type> {
        let (node, bindings) = self.class_node(class)?;
        let body = node.child_by_field_name("body")?;
        if node.kind() == "lambda_expression" || seen.contains(class) || seen.len() > 200 {
            return None;
        }
        seen.push(class.clone());
        if let Some((ty, declarator)) = self.declared_type(body, name) {
            let scope = self.lower.names.class_scopes.get(&node.id()).copied().unwrap_or(self.scope);
            let saved = (
                std::mem::replace(&mut self.bindings, bindings.clone()),
                std::mem::replace(&mut self.scope, scope),
                std::mem::replace(&mut self.scopes, vec![FxHashMap::default()]),
                self.class_type.replace(class.clone()),
                self.unfinished.take(),
            );
            let result = self.type_of_member(ty, declarator);
            (self.bindings, self.scope, self.scopes, self.class_type, self.unfinished) = saved;
            return Some(result);
        }
        child_of_kind(node, "base_class_clause")?;
        let Some((bases, _)) = self.looked_up_in(class, name) else { return Some(Type::Unknown(Arc::from(name))) };
        let found: Vec<Type> = bases.iter().filter_map(|base| self.member_type(base, name, seen)).collect();
        let first = found.first()?;
        Some(if found.iter().all(|ty| ty == first) { first.clone() } else { Type::Unknown(Arc::from(name)) })
    }

    /// What declares a type of that name in the text of a class, which is looked through once for each name.
    pub(super) fn declared_type(&mut self, body: Node<'t>, name: &str) -> Option<DeclaredType<'t>> {
        let key = (body.id(), name.to_owned());
        if let Some(known) = self.lower.declared_types.get(&key) {
            return *known;
        }
        let found = self.declaration_of_type(body, name);
        self.lower.declared_types.insert(key, found);
        found
    }

    fn declaration_of_type(&self, body: Node<'t>, name: &str) -> Option<DeclaredType<'t>> {
        let mut cursor = body.walk();
        body.named_children(&mut cursor).find_map(|member| match member.kind() {
            "alias_declaration" => member
                .child_by_field_name("name")
                .filter(|n| self.text(*n) == name)
                .and_then(|_| Some((member.child_by_field_name("type")?, None))),
            "type_definition" => {
                let mut declarators = member.walk();
                let mut all = member.children_by_field_name("declarator", &mut declarators);
                let own = all.find(|d| declared_name(*d).is_some_and(|n| self.text(n) == name));
                own.and_then(|d| Some((member.child_by_field_name("type")?, Some(d))))
            }
            "field_declaration" | "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                let ty = member.child_by_field_name("type").unwrap_or(member);
                let named = ty.child_by_field_name("name").is_some_and(|n| self.text(n) == name);
                (named && ty.child_by_field_name("body").is_some()).then_some((ty, None))
            }
            _ => None,
        })
    }

    /// A type that is declared in the class that is laid out, or in one around it.
    fn type_of_unfinished(&mut self, name: &str) -> Option<Type> {
        let mut around = self.unfinished;
        while let Some(body) = around {
            let class = body.parent()?;
            if let Some((ty, declarator)) = self.declared_type(body, name) {
                let bound = |p: &String| self.bindings.types.contains_key(p) || self.bindings.values.contains_key(p);
                let known = self.class_parameters(class).iter().all(bound);
                return Some(if known { self.type_of_member(ty, declarator) } else { Type::Unknown(Arc::from(name)) });
            }
            around = class.parent().filter(|p| p.kind() != "template_declaration").or_else(|| class.parent()?.parent());
            while let Some(node) = around.filter(|n| n.kind() != "field_declaration_list") {
                around = node.parent();
            }
        }
        None
    }

    /// The type that a member of the class that we are in declares.
    fn type_of_member(&mut self, ty: Node<'t>, declarator: Option<Node<'t>>) -> Type {
        let base = match ty.kind() {
            // What it calls a template's parameters are those of the class around it.
            "struct_specifier" | "class_specifier" | "union_specifier" => self.class(ty, self.bindings.clone()),
            _ => self.type_of(ty),
        };
        let alias = ty.parent().filter(|d| matches!(d.kind(), "alias_declaration" | "type_definition"));
        let base = match alias {
            Some(declaration) => self.of_vector(declaration, base),
            None => base,
        };
        match declarator {
            Some(declarator) => self.declare(base, &declarator).0,
            None => base,
        }
    }

    /// Is this type an instance of that class?
    fn is_of(&self, ty: &Type, class: Node<'t>) -> bool {
        let Type::Struct(s) = ty else { return false };
        self.lower.class_nodes.get(&*s.name).is_some_and(|(node, _)| *node == class)
    }

    /// Does `decltype(auto)` in front of this initialiser stand for a reference?
    pub(super) fn stands_for_place(&mut self, node: Node<'t>) -> bool {
        let expr = self.expr(node);
        let declared = matches!(node.kind(), "identifier" | "field_expression");
        is_lvalue(&expr) && (!declared || matches!(expr.kind, ExprKind::Deref(_)))
    }

    /// `decltype(e)`: the type that a name was declared with, or for another place a reference; `__typeof__(e)`.
    fn type_of_expression(&mut self, node: Node<'t>) -> Type {
        let Some(inner) = last_named(node) else { return Type::Unknown(Arc::from("decltype")) };
        if inner.kind() == "auto" {
            // A value or a reference, as the initialiser is.
            return Type::Unknown(Arc::from(AUTO_REFERENCE));
        }
        let expr = self.expr(inner);
        // `__typeof__`, which is never a reference.
        if !self.text(node).starts_with("decltype") {
            return expr.ty.value().clone();
        }
        let declared = matches!(inner.kind(), "identifier" | "field_expression" | "qualified_identifier");
        if declared {
            return self.declared_reference(inner, &expr).unwrap_or(expr.ty);
        }
        // What a call returns by reference is given away at times, and a reference all the same.
        if is_lvalue(&expr) { Type::Ref(Arc::new(expr.ty.value().clone())) } else { expr.ty }
    }

    /// The type of a name that was declared as a reference.
    fn declared_reference(&self, name: Node<'t>, expr: &Expr) -> Option<Type> {
        let ExprKind::Deref(pointer) = &expr.kind else { return None };
        let ExprKind::Load(place) = &pointer.kind else { return None };
        let Type::Ref(inner) = &place.ty else { return None };
        // What a lambda captures by reference was declared as what it is.
        if let (ExprKind::Member(..), "identifier", Some(class)) = (&place.kind, name.kind(), &self.class_type)
            && let Some((node, _)) = self.class_node(class)
            && let Some(around) = self.lower.lambdas.get(&node.id())
            && !around.references.iter().any(|known| known == self.text(name))
        {
            return None;
        }
        Some(Type::Ref(inner.clone()))
    }

    fn template_type(&mut self, node: Node<'t>, qualifier: &Qualifier) -> Type {
        let text = self.text(node);
        let (Some(name), Some(arguments)) = (node.child_by_field_name("name"), node.child_by_field_name("arguments"))
        else {
            return Type::Unknown(Arc::from(text));
        };
        if self.open_parameter(name).is_some() {
            return Type::Unknown(Arc::from(text));
        }
        // A parameter of a template that stands for a template.
        let bound = self.bindings.templates.get(self.text(name)).filter(|_| *qualifier == Qualifier::default());
        let bound = bound.map(|whole| Qualifier::of_whole(whole));
        let (qualifier, name) = match &bound {
            Some((qualifier, name)) => (qualifier, name.as_str()),
            None => (qualifier, self.text(name)),
        };
        if name == "thread_block_tile"
            && let Some(first) = self.template_arguments(arguments).first()
            && let Some(lanes) = self.template_value(*first)
        {
            return Type::Unknown(Arc::from(format!("thread_block_tile<{lanes}>")));
        }
        if matches!(name, "atomic" | "atomic_ref") && qualifier.parts.iter().any(|part| part == "cuda") {
            let given = self.template_arguments(arguments);
            let scope = given.get(1).map_or("", |scope| self.text(*scope));
            if let Some(value) = given.first().map(|ty| self.type_of(*ty))
                && let Some(ty) = atomic_type(name, value, scope)
            {
                return ty;
            }
        }
        // `std::make_index_sequence<4>`: so many numbers. [INF-PACK]
        if matches!(name, "make_index_sequence" | "make_integer_sequence")
            && qualifier.parts.iter().any(|part| part == "std")
            && let Some(count) = self.template_arguments(arguments).last().and_then(|n| self.template_value(*n))
        {
            return Type::Unknown(Arc::from(format!("sequence<{count}>")));
        }
        let library = qualifier.parts.last().is_some_and(|last| last == "cuda");
        if library && let Some(ty) = builtins::waiting_type(name, self.text(arguments)) {
            return ty;
        }
        match self.lower.names.find_type(name, self.scope, qualifier) {
            Found::One(TypeDecl::Class(class, Some(parameters))) if self.type_depth < 40 => {
                self.type_depth += 1;
                let given = self.template_arguments(arguments);
                let ty = match self.bind_template(parameters, &given, &Bindings::default()) {
                    Some(bindings) => self.class_instance(class, parameters, bindings, qualifier),
                    None => Type::Unknown(Arc::from(text)),
                };
                self.type_depth -= 1;
                ty
            }
            Found::One(TypeDecl::AliasTemplate(ty)) if self.type_depth < 40 => {
                self.type_depth += 1;
                let given = self.template_arguments(arguments);
                let aliased = self.alias_template(ty, &given);
                self.type_depth -= 1;
                aliased.unwrap_or_else(|| Type::Unknown(Arc::from(text)))
            }
            Found::None if self.type_depth < 40 && self.is_declared_template(name, qualifier) => {
                self.type_depth += 1;
                let declared = self.lower.names.declared_classes.get(name).and_then(|list| list.last()).copied();
                let given = self.template_arguments(arguments);
                let ty = declared.and_then(|(_, class, parameters)| {
                    let bindings = self.bind_template(parameters, &given, &Bindings::default())?;
                    Some(self.class_instance(class, parameters, bindings, qualifier))
                });
                self.type_depth -= 1;
                ty.unwrap_or_else(|| Type::Unknown(Arc::from(text)))
            }
            Found::None => match (name, self.template_arguments(arguments).as_slice()) {
                (name, given) if name.ends_with("_t") && (is_standard(qualifier) || name.starts_with("remove_")) => {
                    let chosen = self.trait_type(name.trim_end_matches("_t"), given);
                    chosen.unwrap_or_else(|| Type::Unknown(Arc::from(text)))
                }
                ("array", [elem, length]) if is_standard(qualifier) => {
                    let length = self.template_value(*length).and_then(|n| u64::try_from(n).ok());
                    match length {
                        Some(length) => {
                            let elem = self.type_of(*elem);
                            array_type(&format!("std::array<{elem}, {length}>"), elem, length)
                        }
                        None => Type::Unknown(Arc::from(text)),
                    }
                }
                ("complex", [elem]) => {
                    let elem = self.type_of(*elem);
                    complex_type(qualifier, text, elem).unwrap_or_else(|| Type::Unknown(Arc::from(text)))
                }
                // A pointer of another name.
                ("device_ptr", [elem]) if of_thrust(qualifier) => self.type_of(*elem).ptr(),
                ("KeyValuePair", [key, value]) if of_library(qualifier) => {
                    let fields = [("key", *key), ("value", *value)];
                    let fields = fields.map(|(name, ty)| (Arc::from(name), self.type_of(ty))).to_vec();
                    Type::Struct(Arc::new(StructTy::layout(text, fields, false, None, true)))
                }
                ("pair", [first, second]) if is_standard(qualifier) || of_thrust(qualifier) => {
                    pair_type(self.type_of(*first), self.type_of(*second))
                }
                ("tuple", given) if is_standard(qualifier) || of_thrust(qualifier) => {
                    let parts: Vec<Type> = given.iter().map(|ty| self.type_of(*ty)).collect();
                    tuple_type(parts).unwrap_or_else(|| Type::Unknown(Arc::from(text)))
                }
                ("acc_type" | "opmath_type", [ty, device @ ..]) if qualifier.parts == ["at"] => {
                    let on_device = device.first().map(|device| self.template_value(*device) == Some(1));
                    let sums = name == "acc_type";
                    let computed = builtins::computed_type(&self.type_of(*ty), sums);
                    let computed = computed.filter(|_| on_device.unwrap_or(!sums));
                    computed.unwrap_or_else(|| Type::Unknown(Arc::from(text)))
                }
                _ => self.fragment_type(name, arguments, qualifier).unwrap_or_else(|| Type::Unknown(Arc::from(text))),
            },
            _ => Type::Unknown(Arc::from(text)),
        }
    }

    /// Is a class template of that name declared in one scope, of which the text has specialisations only?
    fn is_declared_template(&self, name: &str, qualifier: &Qualifier) -> bool {
        let names = self.lower.names;
        let Some([first, rest @ ..]) = names.declared_classes.get(name).map(Vec::as_slice) else { return false };
        names.special_classes.contains_key(name)
            && rest.iter().all(|(scope, ..)| *scope == first.0)
            && names.fit(first.0, self.scope, qualifier).is_some()
    }

    /// The class that a template stands for with these arguments: its own text, or that of a specialisation.
    fn class_instance(
        &mut self,
        class: Node<'t>,
        parameters: Node<'t>,
        bindings: Bindings,
        qualifier: &Qualifier,
    ) -> Type {
        let name = class.child_by_field_name("name").map_or("", |n| self.text(n));
        let specials = self.lower.names.special_classes.get(name).cloned().unwrap_or_default();
        let unknown = Type::Unknown(Arc::from(format!("{name}<{}>", bindings.key())));
        // Which specialisation a pack fits is not followed; nor is one that was not understood.
        if !specials.is_empty() && !bindings.packs.is_empty() || self.lower.names.broken.contains(name) {
            return unknown;
        }
        let mut best: Option<(Node<'t>, Bindings)> = None;
        let scope = self.declared_in(class);
        for (special, left) in specials {
            if self.declared_in(special) != scope {
                continue;
            }
            let Some(arguments) = special
                .child_by_field_name("name")
                .and_then(|n| self.lower.unit.qualified(n).1.child_by_field_name("arguments"))
            else {
                return unknown;
            };
            match self.matches_special(arguments, left, parameters, &bindings) {
                None => return unknown,
                Some(None) => {}
                Some(Some(own)) => {
                    // All arguments given is the most special that there is; of two partial ones this does not choose.
                    let whole = own == Bindings::default();
                    match &best {
                        Some((_, known)) if whole == (*known == Bindings::default()) => return unknown,
                        Some(_) if !whole => {}
                        _ => best = Some((special, own)),
                    }
                }
            }
        }
        let (node, own) = match best {
            Some((special, own)) => (special, own),
            None if class.child_by_field_name("body").is_none() => return unknown,
            None => (class, bindings),
        };
        let mut all = if *qualifier == Qualifier::default() { self.bound_around(node) } else { Bindings::default() };
        all.extend(own);
        self.class(node, all)
    }

    /// What the parameters of the class templates around a class stand for, if we are in these. [INF-MEMBER-TEMPLATE]
    fn bound_around(&self, class: Node<'t>) -> Bindings {
        let Some((here, _)) = self.class_type.as_ref().and_then(|ty| self.class_node(ty)) else {
            return Bindings::default();
        };
        let outer = |node: &Node<'t>| node.start_byte() <= here.start_byte() && here.end_byte() <= node.end_byte();
        let names: Vec<String> = classes_around(class).filter(outer).flat_map(|c| self.class_parameters(c)).collect();
        let mut bound = self.bindings.clone();
        bound.retain(&names);
        bound
    }

    /// The names of the parameters of a class that is a template, and of those around it.
    pub(super) fn parameters_around(&self, class: Node<'t>) -> Vec<String> {
        std::iter::once(class).chain(classes_around(class)).flat_map(|c| self.class_parameters(c)).collect()
    }

    /// Do the arguments of a specialisation fit those of an instance? `None`: that is not known.
    fn matches_special(
        &mut self,
        arguments: Node<'t>,
        left: Option<Node<'t>>,
        parameters: Node<'t>,
        bindings: &Bindings,
    ) -> Option<Option<Bindings>> {
        let own: Vec<String> = left.map(|l| self.template_parameters(l)).unwrap_or_default();
        let order = self.template_parameters(parameters);
        let given = self.template_arguments(arguments);
        if order.len() < given.len() {
            return None;
        }
        let mut found = Bindings::default();
        for (parameter, argument) in order.iter().zip(given) {
            let text = self.text(argument).trim().to_owned();
            let free = own.contains(&text);
            match (bindings.types.get(parameter), bindings.values.get(parameter)) {
                (Some(ty), _) if free => {
                    if found.types.insert(text, ty.clone()).is_some_and(|known| known != *ty) {
                        return Some(None);
                    }
                }
                (_, Some((value, ty))) if free => {
                    if found.values.insert(text, (*value, ty.clone())).is_some_and(|(known, _)| known != *value) {
                        return Some(None);
                    }
                }
                (Some(ty), _) => {
                    let pattern = self.type_of(argument);
                    // `T &` and `T &&` are one here.
                    if let (Type::Ref(_), Type::Ref(_)) = (&pattern, ty) {
                        return None;
                    }
                    if pattern == *ty && (self.is_coarse(argument, ty) || bindings.finer.contains_key(parameter)) {
                        return None;
                    }
                    if pattern == *ty {
                        continue;
                    }
                    let before = found.types.len();
                    self.deduce(&pattern, ty, &own, &mut found);
                    let unknown = |t: &Type| matches!(t, Type::Unknown(_));
                    match (&pattern, ty) {
                        (p, t) if unknown(p) || unknown(t) => return None,
                        (Type::Array(_, Some(a)), Type::Array(_, Some(b))) if a != b => return Some(None),
                        (Type::Array(..), Type::Array(..)) => return None,
                        (Type::Ptr(_), Type::Ptr(_)) if found.types.len() > before => {}
                        (Type::Ptr(_), Type::Ptr(_)) | (Type::Struct(_), Type::Struct(_)) if !own.is_empty() => {
                            return None;
                        }
                        _ => return Some(None),
                    }
                }
                (_, Some((value, _))) => match self.template_value(argument) {
                    Some(n) if n == *value => {}
                    Some(_) => return Some(None),
                    None => return None,
                },
                (None, None) => match bindings.templates.get(parameter) {
                    Some(template) if free => {
                        if found.templates.insert(text, template.clone()).is_some_and(|known| known != *template) {
                            return Some(None);
                        }
                    }
                    // Whether another name stands for the same template is not followed.
                    Some(template) if self.named_template(argument).as_ref() == Some(template) => {}
                    _ => return None,
                },
            }
        }
        Some(Some(found))
    }

    /// What is written for a type, where the language tells it apart from the one that it has here: with `const`, or an
    /// enumeration.
    pub fn finer(&self, written: Node<'t>) -> Option<String> {
        let text = self.text(written);
        self.is_finer(text, 0).then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn is_finer(&self, text: &str, depth: usize) -> bool {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|w| !w.is_empty()).any(|word| {
            let declared = self.lower.names.types.get(word).map_or(&[][..], Vec::as_slice);
            matches!(word, "const" | "volatile" | "enum")
                || self.bindings.finer.contains_key(word)
                || declared.iter().any(|(_, decl)| match decl {
                    TypeDecl::Enum(_) => true,
                    TypeDecl::Typedef(ty, _) | TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) if depth < 5 => {
                        let from = ty.parent().map_or(ty.start_byte(), |p| p.start_byte());
                        let whole = self.lower.unit.text.get(from..ty.end_byte()).unwrap_or("");
                        match ty.child_by_field_name("body") {
                            Some(_) => ty.kind() == "enum_specifier",
                            None => self.is_finer(&whole.replace(word, " "), depth + 1),
                        }
                    }
                    _ => false,
                })
        })
    }

    /// Are there other types of the language that are not told apart from the one that is written here?
    pub fn is_coarse(&self, written: Node<'t>, ty: &Type) -> bool {
        let text = self.text(written).trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        match ty {
            _ if words.contains(&"const") && !text.contains('*') => true,
            Type::Float(2) => self.has_two_halves(),
            Type::Struct(class) if &*class.name == "half2" => self.has_two_halves(),
            Type::Int(int) if int.bits == 64 => words.contains(&"long"),
            Type::Int(IntTy { bits: 8, signed: true }) => words.contains(&"char"),
            Type::Int(_) => {
                let name = words.last().map_or("", |w| w.rsplit("::").next().unwrap_or(w));
                let types = self.lower.names.types.get(name);
                types.is_some_and(|list| list.iter().any(|(_, decl)| matches!(decl, TypeDecl::Enum(_))))
            }
            _ => false,
        }
    }

    /// Are there numbers of half precision of both kinds, which are one type here?
    pub(super) fn has_two_halves(&self) -> bool {
        self.lower.has_two_halves()
    }

    /// A class with its layout; for a template, of one instance.
    pub fn class(&mut self, node: Node<'t>, bindings: Bindings) -> Type {
        let key = (node.id(), bindings.key());
        if let Some(ty) = self.lower.classes.get(&key) {
            return ty.clone();
        }
        let name = node.child_by_field_name("name").map_or("", |n| self.text(n)).to_owned();
        let mut full = match (name.as_str(), bindings.key()) {
            ("", key) if key.is_empty() => format!("struct@{}", node.start_byte()),
            ("", key) => format!("struct@{}<{key}>", node.start_byte()),
            (name, key) if key.is_empty() => name.to_owned(),
            (name, key) => format!("{name}<{key}>"),
        };
        // Two classes may have one name, in different scopes.
        if self.lower.class_nodes.get(&full).is_some_and(|(known, _)| *known != node) {
            full = format!("{full}@{}", node.start_byte());
        }
        let Some(body) = node.child_by_field_name("body") else { return Type::Unknown(Arc::from(full)) };
        // A class that contains itself by pointer: the pointer's target is only known by name.
        self.lower.classes.insert(key.clone(), Type::Unknown(Arc::from(full.as_str())));
        self.lower.class_nodes.insert(full.clone(), (node, bindings.clone()));
        let outer = std::mem::replace(&mut self.bindings, bindings.clone());
        let own_scope = self.lower.names.class_scopes.get(&node.id()).copied();
        let outer_scope = self.scope;
        self.scope = own_scope.unwrap_or(outer_scope);
        // A class outside of all functions sees nothing of the one that we are in.
        let outer_scopes = self.scopes.clone();
        let outer_class = self.class_type.clone();
        if around_function(node).is_none() {
            self.scopes = vec![FxHashMap::default()];
        }
        // Its constants and types, those of its bases, and those of what is around it hide others.
        self.class_type = Some(StructTy::being_laid_out(&full));
        let outer_unfinished = self.unfinished.take();
        let mut parts = Parts { complete: true, ..Parts::default() };
        if let Some(bases) = child_of_kind(node, "base_class_clause") {
            let mut cursor = bases.walk();
            for base in bases.named_children(&mut cursor) {
                if matches!(base.kind(), "access_specifier" | "virtual" | "comment") {
                    continue;
                }
                match self.type_of(base) {
                    Type::Struct(s) => {
                        parts.complete &= s.complete;
                        parts.bases.push(Type::Struct(s));
                    }
                    _ if self.is_of_types_only(base) => {}
                    _ => {
                        parts.other_bases = true;
                        parts.complete = false;
                    }
                }
            }
        }
        // What a template declares depends on the instance; members of other classes are found by their scope.
        let written = node.child_by_field_name("name").map(|n| self.lower.unit.qualified(n).1);
        let special = written.is_some_and(|n| n.kind() == "template_type");
        let is_template = (special || !bindings.key().is_empty()) && node.kind() != "lambda_expression";
        self.unfinished = Some(body).filter(|_| is_template);
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor).collect::<Vec<_>>() {
            if member.is_error() || member.kind() == "field_declaration" && member.has_error() {
                // Whatever it declares, what comes after it lies behind that.
                parts.complete = false;
                let unread = Type::Unknown(Arc::from("unread"));
                parts.members.push(Part { name: Arc::from("?"), ty: unread, align: 1, bits: None });
            }
            if member.kind() != "field_declaration" {
                continue;
            }
            let Some(ty) = member.child_by_field_name("type") else { continue };
            let is_static = |c: &Node<'t>| c.kind() == "storage_class_specifier" && self.text(*c) == "static";
            if member.children(&mut member.walk()).any(|c| is_static(&c)) {
                continue;
            }
            let base = self.type_of(ty);
            let base = self.of_vector(member, base);
            let mut declarators = member.walk();
            let all: Vec<_> = member.children_by_field_name("declarator", &mut declarators).collect();
            if all.is_empty() {
                // An anonymous struct or union: its fields are fields of this class. One with a name is only declared.
                let anonymous = matches!(ty.kind(), "struct_specifier" | "class_specifier" | "union_specifier")
                    && ty.child_by_field_name("name").is_none();
                if let (Type::Struct(_), true) = (&base, anonymous) {
                    let align = self.member_alignment((node, body), member, &base, true);
                    parts.unclear |= align.is_none();
                    let align = align.unwrap_or(1);
                    parts.members.push(Part { name: Arc::from(""), ty: base.clone(), align, bits: None });
                } else if child_of_kind(member, "bitfield_clause").is_some() {
                    // One without a name, which may be the end of a location.
                    let ty = Type::Unknown(BIT_FIELD.into());
                    parts.complete = false;
                    parts.members.push(Part { name: Arc::from("?"), ty, align: 1, bits: None });
                }
            }
            let single = all.len() == 1;
            for declarator in all {
                let clause = declarator.next_named_sibling().filter(|n| n.kind() == "bitfield_clause");
                let is_bits = child_of_kind(member, "bitfield_clause").is_some();
                let bits = clause.and_then(|clause| self.bits_asked(member, clause));
                let (ty, name) = self.declare(base.clone(), &declarator);
                // A member function takes no place, a pointer to a function does.
                if ty == Type::Fun {
                    continue;
                }
                // Bit-fields share their bytes with others: a field of unknown type is never taken for its bytes.
                let bits = bits.filter(|_| matches!(ty, Type::Int(_)));
                parts.complete &= !is_bits || bits.is_some();
                let ty = if is_bits && bits.is_none() { Type::Unknown(BIT_FIELD.into()) } else { ty };
                match name {
                    Some(name) => {
                        let align = self.member_alignment((node, body), member, &ty, single);
                        parts.unclear |= align.is_none();
                        let align = align.unwrap_or(1);
                        parts.members.push(Part { name: Arc::from(self.text(name)), ty, align, bits });
                    }
                    None => parts.complete = false,
                }
            }
        }
        let layout = self.lay_out(&full, node, body, &parts);
        self.unfinished = outer_unfinished;
        self.bindings = outer;
        self.scope = outer_scope;
        self.scopes = outer_scopes;
        self.class_type = outer_class;
        let ty = match layout {
            Some(layout) => Type::Struct(Arc::new(flatten_anonymous(layout))),
            None => Type::Unknown(Arc::from(full)),
        };
        self.lower.classes.insert(key, ty.clone());
        ty
    }

    /// How many bits a bit-field has, of an integer type that is written as one. (Which sign an enumeration has there is not said.)
    fn bits_asked(&mut self, member: Node<'t>, clause: Node<'t>) -> Option<u32> {
        let ty = member.child_by_field_name("type")?;
        let opencl = ["uchar", "ushort", "uint", "ulong"];
        let is_plain =
            matches!(ty.kind(), "primitive_type" | "sized_type_specifier") || opencl.contains(&self.text(ty));
        if !is_plain || member.child_by_field_name("default_value").is_some() {
            return None;
        }
        u32::try_from(self.constant(clause.named_child(0)?)?).ok().filter(|width| *width > 0)
    }

    /// What a declarator makes of a type, and the name that it declares.
    pub fn declare(&mut self, ty: Type, node: &Node<'t>) -> (Type, Option<Node<'t>>) {
        let node = *node;
        let inner = |n: Node<'t>| n.child_by_field_name("declarator");
        match node.kind() {
            "pointer_declarator" | "abstract_pointer_declarator" | "pointer_type_declarator" => {
                // What a pointer to arrays of unknown length is moved by is not known.
                let ty = match ty {
                    Type::Array(_, None) => Type::Unknown(Arc::from("[]")),
                    other => other,
                };
                self.declare_in(ty.ptr(), inner(node))
            }
            "reference_declarator" | "abstract_reference_declarator" => {
                let next = inner(node).or_else(|| last_named(node));
                // A reference to a reference is that reference.
                let ty = if let Type::Ref(_) = ty { ty } else { Type::Ref(Arc::new(ty)) };
                self.declare_in(ty, next)
            }
            "array_declarator" | "abstract_array_declarator" => {
                let length = node.child_by_field_name("size").and_then(|size| self.constant(size));
                let length = length.and_then(|n| u64::try_from(n).ok());
                self.declare_in(Type::Array(Arc::new(ty), length), inner(node))
            }
            "function_declarator" | "abstract_function_declarator" => self.declare_in(Type::Fun, inner(node)),
            "parenthesized_declarator"
            | "abstract_parenthesized_declarator"
            | "attributed_declarator"
            | "variadic_declarator" => {
                let next = inner(node).or_else(|| last_named(node));
                self.declare_in(ty, next)
            }
            "init_declarator" => self.declare_in(ty, inner(node)),
            _ => (ty, declared_name(node)),
        }
    }

    /// The lengths of the dimensions that a declarator gives an array, from the outermost one. [INF-OPEN-LENGTH]
    pub(super) fn lengths(&mut self, declarator: Node<'t>) -> Vec<Expr> {
        let mut sizes = Vec::new();
        let mut next = Some(declarator);
        while let Some(node) = next {
            next = match node.kind() {
                "array_declarator" => {
                    sizes.extend(node.child_by_field_name("size"));
                    node.child_by_field_name("declarator")
                }
                "parenthesized_declarator" | "attributed_declarator" => last_named(node),
                _ => None,
            };
        }
        sizes.into_iter().rev().map(|size| self.rvalue(size)).collect()
    }

    /// Has an array a length that is given, but not known?
    pub(super) fn has_unknown_length(&mut self, declarator: Node<'t>) -> bool {
        let own = declarator.kind() == "array_declarator"
            && declarator.child_by_field_name("size").is_some_and(|size| self.constant(size).is_none());
        let inner = declarator.child_by_field_name("declarator").or_else(|| match declarator.kind() {
            "parenthesized_declarator" | "attributed_declarator" => last_named(declarator),
            _ => None,
        });
        own || inner.is_some_and(|inner| self.has_unknown_length(inner))
    }

    /// The type of what an attribute of its declaration makes a vector: the layout of such is not known here.
    pub(super) fn of_vector(&self, declaration: Node<'t>, ty: Type) -> Type {
        match self.lower.unit.is_vector(declaration.byte_range()) {
            true => Type::Unknown(Arc::from("vector")),
            false => ty,
        }
    }

    fn declare_in(&mut self, ty: Type, next: Option<Node<'t>>) -> (Type, Option<Node<'t>>) {
        match next {
            Some(node) => self.declare(ty, &node),
            None => (ty, None),
        }
    }
}

impl Body<'_, '_> {
    /// The type that a word stands for, or several words of a built-in one.
    pub(super) fn type_by_name(&mut self, text: &str) -> Type {
        let built_in = ["unsigned", "signed", "char", "short", "int", "long", "double"];
        match text {
            "float" => Type::Float(4),
            "bool" => Type::BOOL,
            _ if text.split_whitespace().all(|w| built_in.contains(&w)) && !text.is_empty() => sized(text),
            _ => self.named(text, &Qualifier::default()),
        }
    }
}

fn sized_word(name: &str) -> Option<Type> {
    matches!(name, "unsigned" | "signed" | "long" | "short").then(|| sized(name))
}

fn is_in_template(node: Node) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|around| around.kind() == "template_declaration")
}

/// Fields of anonymous members are fields of the class.
fn flatten_anonymous(mut layout: StructTy) -> StructTy {
    let mut fields = Vec::new();
    for field in layout.fields {
        match (&*field.name, &field.ty) {
            ("", Type::Struct(inner)) => fields.extend(inner.fields.iter().map(|f| {
                let mut f = f.clone();
                f.offset += field.offset;
                f
            })),
            _ => fields.push(field),
        }
    }
    layout.fields = fields;
    layout
}

/// The first integer type, as an enumeration takes it, that holds two values.
pub(super) fn integer_for(least: i128, most: i128) -> Type {
    let holds = |ty: &&IntTy| ty.contains(least) && ty.contains(most);
    let ty = [IntTy::I32, IntTy::U32, IntTy::I64, IntTy::U64].iter().find(holds).copied();
    Type::Int(ty.unwrap_or(IntTy::I64))
}
