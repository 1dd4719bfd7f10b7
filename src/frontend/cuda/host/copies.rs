//! Types whose objects hold copies of what they are made from, and types that may refer to it.

use tree_sitter::Node;

use super::super::unit::{TypeDecl, declared_name};
use super::Host;
use super::places::listed_in;

/// How deep types are looked into.
pub(super) const MAX_TYPES: usize = 8;

/// Types of libraries whose objects hold copies of what they are made from.
pub(super) fn is_value(name: &str) -> bool {
    const EXACT: [&str; 42] = [
        "dim3",
        "uint",
        "ulong",
        "ushort",
        "uchar",
        "half",
        "FILE",
        "timeval",
        "timespec",
        "vector",
        "string",
        "array",
        "map",
        "unordered_map",
        "set",
        "unordered_set",
        "list",
        "deque",
        "queue",
        "stack",
        "complex",
        "bitset",
        "optional",
        "function",
        "thread",
        "unique_ptr",
        "shared_ptr",
        "pair",
        "tuple",
        "ifstream",
        "ofstream",
        "stringstream",
        "ostringstream",
        "istringstream",
        "mt19937",
        "mt19937_64",
        "default_random_engine",
        "device_vector",
        "host_vector",
        "device_ptr",
        "milliseconds",
        "bfloat16",
    ];
    const SCALARS: [&str; 13] = [
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
        "double",
        "half",
    ];
    let is_vector =
        name.len() > 1 && name.ends_with(['1', '2', '3', '4']) && SCALARS.contains(&&name[..name.len() - 1]);
    EXACT.contains(&name)
        || is_vector
        || ["cuda", "cublas", "cufft", "curand", "hip", "CU", "cl_"].iter().any(|p| name.starts_with(p))
        || name.ends_with("_distribution")
        || is_plain_word(name) && name.ends_with("_t")
}

/// Is this no name of a wrapper of references?
pub(super) fn is_plain_word(name: &str) -> bool {
    !["ref", "Ref", "REF", "decltype"].iter().any(|word| name.contains(word))
}

/// Can what is declared so be changed through it? `const T &`, where `T` is no pointer, cannot.
pub(super) fn refers(text: &str) -> bool {
    text.contains('&') && (!text.trim_start().starts_with("const ") || text.contains(['*', '(']))
}

impl<'u> Host<'_, 'u> {
    /// Do objects of a type hold copies of what they are made from?
    pub(super) fn is_plain(&self, ty: Node<'u>) -> bool {
        self.is_plain_type(ty, MAX_TYPES)
    }

    fn is_plain_type(&self, ty: Node<'u>, depth: usize) -> bool {
        match ty.kind() {
            "struct_specifier" | "class_specifier" | "union_specifier" => match ty.child_by_field_name("body") {
                Some(_) => self.is_plain_class(ty, depth),
                None => ty.child_by_field_name("name").is_some_and(|name| self.is_plain_type(name, depth)),
            },
            "primitive_type" | "sized_type_specifier" | "enum_specifier" => true,
            "placeholder_type_specifier" | "auto" => !self.unit.str(ty).contains("decltype"),
            "type_descriptor" => {
                !self.unit.str(ty).contains('&')
                    && ty.child_by_field_name("type").is_some_and(|ty| self.is_plain_type(ty, depth))
            }
            "type_identifier" | "qualified_identifier" | "template_type" => {
                let (_, base) = self.unit.qualified(ty);
                let arguments = base.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                let name = base.child_by_field_name("name").unwrap_or(base);
                arguments
                    .iter()
                    .filter(|a| a.kind() == "type_descriptor")
                    .all(|a| self.is_plain_type(*a, depth) || self.is_unknown_argument(*a))
                    && self.is_plain_name(self.unit.str(name), depth)
            }
            _ => false,
        }
    }

    pub(super) fn is_plain_name(&self, name: &str, depth: usize) -> bool {
        let Some(deeper) = depth.checked_sub(1) else { return false };
        match self.lower.names.types.get(name) {
            None => is_value(name),
            Some(list) => list.iter().all(|(_, decl)| match decl {
                TypeDecl::Class(class, _) => self.is_plain_class(*class, deeper),
                TypeDecl::Typedef(ty, declarator) => {
                    !self.unit.str(*declarator).contains('&') && self.is_plain_type(*ty, deeper)
                }
                TypeDecl::Alias(ty) => self.is_plain_type(*ty, deeper),
                TypeDecl::Enum(_) => true,
                TypeDecl::Unread | TypeDecl::AliasTemplate(_) => false,
            }),
        }
    }

    /// A class that takes nothing by reference to make an object from, or, when its members are given one by one, has none
    /// that does.
    fn is_plain_class(&self, class: Node<'u>, depth: usize) -> bool {
        let name = class.child_by_field_name("name").map_or("", |n| self.unit.str(n));
        let name = name.split('<').next().unwrap_or(name);
        let bases = listed_in(class).into_iter().find(|c| c.kind() == "base_class_clause").map(listed_in);
        let bases_plain = bases
            .unwrap_or_default()
            .into_iter()
            .all(|base| matches!(base.kind(), "access_specifier" | "virtual") || self.is_plain_type(base, depth));
        if !bases_plain {
            return false;
        }
        let mut is_aggregate = true;
        let mut parts = class.child_by_field_name("body").map(listed_in).unwrap_or_default();
        let mut members: Vec<Node<'u>> = Vec::new();
        while let Some(part) = parts.pop() {
            match part.kind() {
                "template_declaration" => parts.extend(listed_in(part)),
                "function_definition" | "declaration" => {
                    let Some(declarator) = part.child_by_field_name("declarator") else { continue };
                    let is_own = declared_name(declarator).is_some_and(|n| self.unit.str(n) == name);
                    if !is_own || declarator.kind() != "function_declarator" {
                        continue;
                    }
                    is_aggregate = false;
                    let list = declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
                    let copies = |p: &Node<'u>| {
                        !refers(self.unit.str(*p))
                            || p.child_by_field_name("type").is_some_and(|ty| self.unit.str(ty) == name)
                    };
                    if !list.iter().all(copies) {
                        return false;
                    }
                }
                "field_declaration" => members.push(part),
                _ => {}
            }
        }
        members.into_iter().all(|member| {
            let mut cursor = member.walk();
            let mut declarators = member.children_by_field_name("declarator", &mut cursor);
            let refers = declarators.any(|d| d.kind() == "reference_declarator");
            let is_method = {
                let mut cursor = member.walk();
                let mut declarators = member.children_by_field_name("declarator", &mut cursor);
                declarators.any(|d| declares_function(d))
            };
            let ty = member.child_by_field_name("type");
            is_method
                || !refers
                    && (!is_aggregate
                        || ty.is_some_and(|ty| self.is_plain_type(ty, depth) || self.is_type_parameter(class, ty)))
        })
    }

    fn is_type_parameter(&self, class: Node<'u>, ty: Node<'u>) -> bool {
        let template = class.parent().filter(|p| p.kind() == "template_declaration");
        let list = template.and_then(|t| t.child_by_field_name("parameters")).map(listed_in).unwrap_or_default();
        list.iter().any(|p| listed_in(*p).iter().any(|n| self.unit.str(*n) == self.unit.str(ty)))
    }

    /// A type that the program does not define.
    pub(super) fn is_unknown(&self, ty: Node<'u>) -> bool {
        let name = self.unit.str(self.unit.qualified(ty).1);
        let name = name.split('<').next().unwrap_or(name).trim();
        matches!(ty.kind(), "type_identifier" | "qualified_identifier" | "template_type")
            && !self.unit.str(ty).contains('&')
            && !self.lower.names.types.contains_key(name)
    }

    /// An argument of a template that is such a type.
    pub(super) fn is_unknown_argument(&self, descriptor: Node<'u>) -> bool {
        !self.unit.str(descriptor).contains('&')
            && descriptor
                .child_by_field_name("type")
                .is_some_and(|ty| self.is_unknown(ty) && is_plain_word(self.unit.str(ty)))
    }
}

fn declares_function(declarator: Node) -> bool {
    let mut node = declarator;
    loop {
        if node.kind() == "function_declarator" {
            return true;
        }
        let inner = node
            .child_by_field_name("declarator")
            .or_else(|| (node.kind() == "reference_declarator").then(|| node.named_child(0)).flatten());
        match inner {
            Some(inner) => node = inner,
            None => return false,
        }
    }
}
