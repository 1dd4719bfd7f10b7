//! Type specifiers and declarators to types of the kernel language.

use std::collections::BTreeMap;
use std::sync::Arc;

use tree_sitter::Node;

use super::builtins;
use super::lower::{Body, Local};
use super::unit::{TypeDecl, child_of_kind, declared_name, last_named, split_scope};
use crate::exp::IntTy;
use crate::kernel::types::{StructTy, Type};

/// What the parameters of a template stand for.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Bindings {
    pub types: BTreeMap<String, Type>,
    pub values: BTreeMap<String, (i128, Type)>,
}

impl Bindings {
    /// A text that is the same for equal bindings.
    pub fn key(&self) -> String {
        let types = self.types.iter().map(|(n, t)| format!("{n}={t}"));
        let values = self.values.iter().map(|(n, (v, _))| format!("{n}={v}"));
        types.chain(values).collect::<Vec<_>>().join(",")
    }
}

/// The type that `auto` stands for until an initialiser says more.
pub fn is_auto(ty: &Type) -> bool {
    match ty {
        Type::Unknown(name) => &**name == "auto",
        Type::Ref(inner) | Type::Ptr(inner) => is_auto(inner),
        _ => false,
    }
}

/// The integer type of a run of words such as `unsigned long long int`.
fn sized(words: &str) -> Type {
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
                other => builtins::named_type(other).unwrap_or_else(|| Type::Unknown(Arc::from(other))),
            },
            "sized_type_specifier" => sized(text),
            "type_identifier" | "identifier" | "namespace_identifier" => self.named(text),
            "qualified_identifier" => {
                let (_, base) = split_scope(node);
                if base == node { Type::Unknown(Arc::from(text)) } else { self.type_of(base) }
            }
            "template_type" | "template_function" => self.template_type(node),
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                if node.child_by_field_name("body").is_some() {
                    return self.class(node, Bindings::default());
                }
                match node.child_by_field_name("name") {
                    Some(name) => self.type_of(name),
                    None => Type::Unknown(Arc::from(text)),
                }
            }
            "enum_specifier" => Type::INT,
            "dependent_type" => match last_named(node) {
                Some(inner) => self.type_of(inner),
                None => Type::Unknown(Arc::from(text)),
            },
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

    fn named(&mut self, name: &str) -> Type {
        if let Some(ty) = self.bindings.types.get(name) {
            return ty.clone();
        }
        for scope in self.scopes.iter().rev() {
            if let Some(Local::Type(ty)) = scope.get(name) {
                return ty.clone();
            }
        }
        if self.type_depth > 40 {
            return Type::Unknown(Arc::from(name));
        }
        self.type_depth += 1;
        let names = self.lower.names;
        let found = match names.types.get(name) {
            Some(TypeDecl::Class(node, None)) => Some(self.class(*node, Bindings::default())),
            // Inside of its own class the name of a template stands for the instance.
            Some(TypeDecl::Class(_, Some(_))) => self.class_type.clone(),
            Some(TypeDecl::Enum(_)) => Some(Type::INT),
            Some(TypeDecl::Typedef(ty, declarator)) => {
                let base = self.type_of(*ty);
                Some(self.declare(base, declarator).0)
            }
            Some(TypeDecl::Alias(ty)) => Some(self.type_of(*ty)),
            None => None,
        };
        self.type_depth -= 1;
        found.or_else(|| builtins::named_type(name)).unwrap_or_else(|| match sized_word(name) {
            Some(ty) => ty,
            None => Type::Unknown(Arc::from(name)),
        })
    }

    fn template_type(&mut self, node: Node<'t>) -> Type {
        let text = self.text(node);
        let (Some(name), Some(arguments)) = (node.child_by_field_name("name"), node.child_by_field_name("arguments"))
        else {
            return Type::Unknown(Arc::from(text));
        };
        let types: Vec<String> = self
            .template_arguments(arguments)
            .into_iter()
            .map(|a| self.text(a).chars().filter(|c| !c.is_whitespace()).collect::<String>())
            .map(|a| self.bindings.types.get(&a).map_or(a.clone(), |t| c_name(t).unwrap_or(a)))
            .collect();
        let special = format!("{}<{}>", self.text(name), types.join(","));
        if let Some(TypeDecl::Class(class, None)) = self.lower.names.types.get(&special) {
            return self.class(*class, Bindings::default());
        }
        match self.lower.names.types.get(self.text(name)) {
            Some(TypeDecl::Class(class, Some(parameters))) if self.type_depth < 40 => {
                self.type_depth += 1;
                let given = self.template_arguments(arguments);
                let ty = match self.bind_template(*parameters, &given, &Bindings::default()) {
                    Some(bindings) => self.class(*class, bindings),
                    None => Type::Unknown(Arc::from(text)),
                };
                self.type_depth -= 1;
                ty
            }
            _ => Type::Unknown(Arc::from(text)),
        }
    }

    /// A class with its layout; for a template, of one instance.
    pub fn class(&mut self, node: Node<'t>, bindings: Bindings) -> Type {
        let key = (node.id(), bindings.key());
        if let Some(ty) = self.lower.classes.get(&key) {
            return ty.clone();
        }
        let name = node.child_by_field_name("name").map_or("", |n| self.text(n)).to_owned();
        let full = match (name.as_str(), bindings.key()) {
            ("", _) => format!("struct@{}", node.start_byte()),
            (name, key) if key.is_empty() => name.to_owned(),
            (name, key) => format!("{name}<{key}>"),
        };
        let Some(body) = node.child_by_field_name("body") else { return Type::Unknown(Arc::from(full)) };
        // A class that contains itself by pointer: the pointer's target is only known by name.
        self.lower.classes.insert(key.clone(), Type::Unknown(Arc::from(full.as_str())));
        let outer = std::mem::replace(&mut self.bindings, bindings.clone());
        let mut members = Vec::new();
        let mut complete = true;
        if let Some(bases) = child_of_kind(node, "base_class_clause") {
            let mut cursor = bases.walk();
            for base in bases.named_children(&mut cursor) {
                if matches!(base.kind(), "access_specifier" | "virtual") {
                    continue;
                }
                match self.type_of(base) {
                    Type::Struct(s) => {
                        complete &= s.complete;
                        members.extend(s.fields.iter().map(|f| (f.name.clone(), f.ty.clone())));
                    }
                    _ => complete = false,
                }
            }
        }
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor).collect::<Vec<_>>() {
            if member.kind() != "field_declaration" {
                complete &= !member.is_error();
                continue;
            }
            let Some(ty) = member.child_by_field_name("type") else { continue };
            let text = self.text(member);
            if text.starts_with("static ") || text.contains(" static ") {
                continue;
            }
            let base = self.type_of(ty);
            let mut declarators = member.walk();
            let all: Vec<_> = member.children_by_field_name("declarator", &mut declarators).collect();
            if all.is_empty() {
                // An anonymous struct or union: its fields are fields of this class.
                if let Type::Struct(inner) = &base {
                    members.push((Arc::from(""), Type::Struct(inner.clone())));
                }
            }
            for declarator in all {
                if declarator.kind() == "function_declarator" {
                    continue;
                }
                complete &= member.child_by_field_name("bitfield").is_none() && !text.contains(" : ");
                let (ty, name) = self.declare(base.clone(), &declarator);
                if let Some(name) = name {
                    members.push((Arc::from(self.text(name)), ty));
                }
            }
        }
        self.bindings = outer;
        let align = self.lower.unit.alignment(node, body);
        let layout = StructTy::layout(&full, members, node.kind() == "union_specifier", align, complete);
        let ty = Type::Struct(Arc::new(flatten_anonymous(layout)));
        self.lower.classes.insert(key, ty.clone());
        self.lower.class_nodes.insert(full, (node, bindings));
        ty
    }

    /// What a declarator makes of a type, and the name that it declares.
    pub fn declare(&mut self, ty: Type, node: &Node<'t>) -> (Type, Option<Node<'t>>) {
        let node = *node;
        let inner = |n: Node<'t>| n.child_by_field_name("declarator");
        match node.kind() {
            "pointer_declarator" | "abstract_pointer_declarator" | "pointer_type_declarator" => {
                self.declare_in(ty.ptr(), inner(node))
            }
            "reference_declarator" | "abstract_reference_declarator" => {
                let next = inner(node).or_else(|| last_named(node));
                self.declare_in(Type::Ref(Arc::new(ty)), next)
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

    fn declare_in(&mut self, ty: Type, next: Option<Node<'t>>) -> (Type, Option<Node<'t>>) {
        match next {
            Some(node) => self.declare(ty, &node),
            None => (ty, None),
        }
    }
}

/// A type as a C programmer would name it, for finding specialisations.
fn c_name(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Int(IntTy::I32) => "int".to_owned(),
        Type::Int(IntTy::U32) => "unsignedint".to_owned(),
        Type::Int(IntTy::I8) => "char".to_owned(),
        Type::Int(IntTy::U8) => "unsignedchar".to_owned(),
        Type::Int(IntTy::I16) => "short".to_owned(),
        Type::Int(IntTy::U16) => "unsignedshort".to_owned(),
        Type::Int(IntTy::I64) => "longlong".to_owned(),
        Type::Float(4) => "float".to_owned(),
        Type::Float(8) => "double".to_owned(),
        Type::Struct(s) => s.name.to_string(),
        _ => return None,
    })
}

fn sized_word(name: &str) -> Option<Type> {
    matches!(name, "unsigned" | "signed" | "long" | "short").then(|| sized(name))
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
