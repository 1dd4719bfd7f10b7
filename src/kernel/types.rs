//! The types of the kernel language, with their layout in bytes.

use std::sync::Arc;

use crate::exp::IntTy;

/// A type. Layout follows the CUDA ABI: natural alignment, 8-byte pointers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    /// Integers, booleans, enumerations and characters.
    Int(IntTy),
    /// A floating-point number, by its bytes; its values are not modelled.
    Float(u32),
    Ptr(Arc<Type>),
    Ref(Arc<Type>),
    /// `None`: the length is not known.
    Array(Arc<Type>, Option<u64>),
    Struct(Arc<StructTy>),
    /// A function, as what a function pointer points to.
    Fun,
    /// A type whose definition is not there, or a template parameter: its size is not known.
    Unknown(Arc<str>),
}

/// A structure, union, class or vector type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructTy {
    pub name: Arc<str>,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    /// False when a base class or member was not understood: then fields not listed may exist.
    pub complete: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub name: Arc<str>,
    pub ty: Type,
    pub offset: u64,
    /// The bit-fields that this number is made of, if it is.
    pub bits: Vec<BitField>,
}

/// Some bits of a number, from the lowest one on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitField {
    pub name: Arc<str>,
    pub first: u32,
    pub width: u32,
    pub ty: IntTy,
}

/// What an unknown type counts as until something is known of it; accesses through it are only ever compared with
/// accesses through the same type.
pub const UNKNOWN_SIZE: u64 = 8;

/// The length of rows whose length is not known: no real one. [INF-TENSOR]
pub const OPEN_ROW: u64 = 32_749;

/// Is this an array of such rows?
pub fn has_open_rows(ty: &Type) -> bool {
    match ty {
        Type::Array(elem, length) => *length == Some(OPEN_ROW) || has_open_rows(elem),
        _ => false,
    }
}

/// The array with rows of that length where their length is not known.
pub fn with_open_rows(ty: &Type) -> Type {
    let row = |elem: &Type| match elem {
        Type::Array(inner, None) => Type::Array(inner.clone(), Some(OPEN_ROW)),
        other => other.clone(),
    };
    match ty {
        Type::Array(elem, length) => Type::Array(Arc::new(with_open_rows(&row(elem))), *length),
        other => other.clone(),
    }
}

impl Type {
    pub const BOOL: Type = Type::Int(IntTy::BOOL);
    pub const INT: Type = Type::Int(IntTy::I32);
    pub const UINT: Type = Type::Int(IntTy::U32);

    pub fn ptr(self) -> Type {
        Type::Ptr(Arc::new(self))
    }

    pub fn size(&self) -> u64 {
        match self {
            Type::Void | Type::Fun => 1,
            Type::Int(ty) => u64::from(ty.bits.max(8)) / 8,
            Type::Float(bytes) => u64::from(*bytes),
            Type::Ptr(_) | Type::Ref(_) => 8,
            Type::Array(elem, length) => elem.size().saturating_mul(length.unwrap_or(0)),
            Type::Struct(s) => s.size,
            Type::Unknown(_) => UNKNOWN_SIZE,
        }
    }

    pub fn align(&self) -> u64 {
        match self {
            Type::Array(elem, _) => elem.align(),
            Type::Struct(s) => s.align,
            other => other.size().max(1),
        }
    }

    /// Is the size of this type, or of a part of it, unknown?
    pub fn has_unknown_size(&self) -> bool {
        match self {
            Type::Unknown(_) => true,
            Type::Array(elem, length) => matches!(length, None | Some(OPEN_ROW)) || elem.has_unknown_size(),
            Type::Struct(s) => !s.complete || s.fields.iter().any(|f| f.ty.has_unknown_size()),
            _ => false,
        }
    }

    /// What a size that is not known is a number of: the element of arrays of arrays, by its name.
    pub fn unknown_unit(&self) -> Option<Arc<str>> {
        match self {
            Type::Array(elem, Some(_)) => elem.unknown_unit(),
            ty if ty.has_unknown_size() => Some(Arc::from(ty.to_string())),
            _ => None,
        }
    }

    pub fn is_arithmetic(&self) -> bool {
        matches!(self, Type::Int(_) | Type::Float(_) | Type::Unknown(_))
    }

    /// The type behind a reference.
    pub fn value(&self) -> &Type {
        match self {
            Type::Ref(inner) => inner.value(),
            other => other,
        }
    }

    /// The element type of an array or pointer.
    pub fn element(&self) -> Option<&Type> {
        match self.value() {
            Type::Ptr(elem) | Type::Array(elem, _) => Some(elem),
            _ => None,
        }
    }
}

/// Distances from the start of an object that mean nothing: see [`end_of`].
pub const MADE_UP: u64 = 1 << 32;

/// Where what comes after a member lies. After one whose size is not known that is a place of which only is known that
/// there is no other member: what is there can be told from the rest, and its distance from the start means nothing.
pub fn end_of(offset: u64, member: &Type) -> u64 {
    let end = offset.saturating_add(member.size());
    if member.has_unknown_size() { end.saturating_add(MADE_UP) } else { end }
}

impl StructTy {
    /// Lays out fields one after the other (or, for a union, on top of each other), each at its natural alignment.
    pub fn layout(
        name: &str,
        members: Vec<(Arc<str>, Type)>,
        union: bool,
        align: Option<u64>,
        complete: bool,
    ) -> StructTy {
        let (mut offset, mut size, mut biggest) = (0u64, 0u64, align.unwrap_or(1).max(1));
        let mut fields = Vec::new();
        for (name, ty) in members {
            let step = ty.align().max(1);
            biggest = biggest.max(step);
            if !union {
                offset = offset.div_ceil(step).saturating_mul(step);
            }
            let end = end_of(offset, &ty);
            fields.push(Field { name, ty, offset, bits: vec![] });
            size = size.max(end);
            if !union {
                offset = end;
            }
        }
        let size = size.max(1).div_ceil(biggest).saturating_mul(biggest);
        StructTy { name: Arc::from(name), fields, size, align: biggest, complete }
    }

    /// A class of which nothing but the name is known yet. Only such a one has no size.
    pub fn being_laid_out(name: &str) -> Type {
        Type::Struct(Arc::new(StructTy { name: Arc::from(name), fields: vec![], size: 0, align: 1, complete: false }))
    }

    /// Is a place in it, as it is laid out, one whose distance from the start is not known?
    pub fn is_vague_at(&self, offset: u64) -> bool {
        self.fields.iter().any(|f| f.offset < offset && f.ty.has_unknown_size() && end_of(f.offset, &f.ty) <= offset)
    }

    pub fn field(&self, name: &str) -> Option<&Field> {
        // Those of a base come first, and are hidden by the class's own.
        self.fields.iter().rfind(|f| &*f.name == name || f.bits.iter().any(|b| &*b.name == name))
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Int(ty) => write!(f, "{ty}"),
            Type::Float(bytes) => write!(f, "f{}", bytes * 8),
            Type::Ptr(inner) => write!(f, "{inner}*"),
            Type::Ref(inner) => write!(f, "{inner}&"),
            Type::Array(inner, Some(n)) => write!(f, "{inner}[{n}]"),
            Type::Array(inner, None) => write!(f, "{inner}[]"),
            Type::Struct(s) => f.write_str(&s.name),
            Type::Fun => f.write_str("function"),
            Type::Unknown(name) => f.write_str(name),
        }
    }
}

/// Does a type of this name stand for a group of threads of the library of cooperative groups?
pub fn is_group_of_threads(name: &str) -> bool {
    const GROUPS: [&str; 7] = [
        "thread_group",
        "thread_block",
        "thread_block_tile",
        "coalesced_group",
        "grid_group",
        "multi_grid_group",
        "cluster_group",
    ];
    let own = name.split(['<', ' ']).next().unwrap_or(name);
    GROUPS.contains(&own.rsplit("::").next().unwrap_or(own))
}
