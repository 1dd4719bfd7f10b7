//! The built-in types and functions of OpenCL C that a kernel can use without a definition.

use std::sync::Arc;

use super::builtins::{self, Builtin};
use crate::base::Name;
use crate::core::Scope;
use crate::exp::IntTy;
use crate::kernel::ir::Intrinsic;
use crate::kernel::types::{StructTy, Type};

pub const SIZE_T: IntTy = IntTy::U64;

/// The type of the lanes of a vector type, and their number.
pub fn vector_parts(name: &str) -> Option<(Type, u64)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes: u64 = match &name[stem.len()..] {
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    Some((scalar_type(stem).filter(|_| stem != "size_t" && stem != "bool")?, lanes))
}

/// The lanes of a vector type: its element type and their number.
pub fn lanes_of(ty: &Type) -> Option<(Type, u64)> {
    match ty.value() {
        Type::Struct(class) => vector_parts(&class.name),
        _ => None,
    }
}

/// The vector type with so many lanes; with one lane, the type of the lane.
pub fn vector_of(elem: &Type, lanes: u64) -> Option<Type> {
    if lanes == 1 {
        return Some(elem.clone());
    }
    let stem = match elem {
        Type::Int(ty) if *ty == IntTy::BOOL => return None,
        Type::Int(IntTy { bits, signed }) => match (bits, signed) {
            (8, true) => "char",
            (8, false) => "uchar",
            (16, true) => "short",
            (16, false) => "ushort",
            (32, true) => "int",
            (32, false) => "uint",
            (64, true) => "long",
            (64, false) => "ulong",
            _ => return None,
        },
        Type::Float(2) => "half",
        Type::Float(4) => "float",
        Type::Float(8) => "double",
        _ => return None,
    };
    vector_type(&format!("{stem}{lanes}"))
}

/// A vector of three lanes has the size of one of four.
fn vector_type(name: &str) -> Option<Type> {
    let (elem, lanes) = vector_parts(name)?;
    let field = |i: u64| match ["x", "y", "z", "w"].get(i as usize) {
        Some(letter) if lanes <= 4 => Arc::from(*letter),
        _ => Arc::from(format!("s{i:x}")),
    };
    let members: Vec<_> = (0..lanes).map(|i| (field(i), elem.clone())).collect();
    let align = elem.size() * lanes.next_power_of_two();
    Some(Type::Struct(Arc::new(StructTy::layout(name, members, false, Some(align), true))))
}

/// The lanes that a component of a vector of so many lanes names: `.x`, `.zyx`, `.s01`, `.hi`, `.even`.
pub fn component(name: &str, lanes: u64) -> Option<Vec<u64>> {
    // The upper half of a vector of three lanes has one that is not there; it is never used.
    let half = lanes.next_power_of_two() / 2;
    let within = |list: Vec<u64>| list.iter().all(|l| *l < lanes).then_some(list);
    match name {
        "lo" => return within((0..half).collect()),
        "hi" => return Some((half..lanes).collect()),
        "even" => return Some((0..lanes).step_by(2).collect()),
        "odd" => return Some((1..lanes).step_by(2).collect()),
        _ => {}
    }
    let letters = |letters: &str| -> Option<Vec<u64>> {
        name.chars().map(|c| letters.find(c).map(|at| at as u64)).collect::<Option<Vec<u64>>>()
    };
    let found = match name.strip_prefix(['s', 'S']) {
        Some(digits) if !digits.is_empty() => digits.chars().map(|c| c.to_digit(16).map(u64::from)).collect(),
        _ => letters("xyzw").or_else(|| letters("rgba")),
    };
    within(found?)
}

fn scalar_type(name: &str) -> Option<Type> {
    let int = |bits, signed| Some(Type::Int(IntTy { bits, signed }));
    match name {
        "bool" => Some(Type::BOOL),
        "char" => int(8, true),
        "uchar" => int(8, false),
        "short" => int(16, true),
        "ushort" => int(16, false),
        "int" => int(32, true),
        "uint" => int(32, false),
        "long" => int(64, true),
        "ulong" | "size_t" => int(64, false),
        "half" => Some(Type::Float(2)),
        "float" => Some(Type::Float(4)),
        "double" => Some(Type::Float(8)),
        _ => None,
    }
}

/// Types that have a name without a definition in the text. An image, a sampler and an event are handles.
pub fn named_type(name: &str) -> Option<Type> {
    if let Some(ty) = vector_type(name).or_else(|| scalar_type(name)) {
        return Some(ty);
    }
    let int = |bits, signed| Some(Type::Int(IntTy { bits, signed }));
    match name {
        "ptrdiff_t" | "intptr_t" | "atomic_long" | "atomic_ptrdiff_t" | "atomic_intptr_t" => int(64, true),
        "uintptr_t" | "atomic_ulong" | "atomic_size_t" | "atomic_uintptr_t" | "event_t" => int(64, false),
        "atomic_int" | "atomic_flag" => int(32, true),
        "atomic_uint" | "sampler_t" | "cl_mem_fence_flags" | "memory_order" | "memory_scope" => int(32, false),
        "atomic_float" => Some(Type::Float(4)),
        "atomic_double" => Some(Type::Float(8)),
        _ if name.starts_with("image") && name.ends_with("_t") => int(64, false),
        _ => None,
    }
}

/// What a call of a built-in function means whose arguments are taken as they are. Those that need a look at their
/// arguments are in `lower/opencl.rs`.
pub fn function(name: &str) -> Option<Builtin> {
    let pure = |result: Option<Type>| Some(Builtin { intrinsic: Intrinsic::Pure(Name::new(name), None), result });
    if name.starts_with("__") {
        return builtins::function(name);
    }
    let stem = name.strip_prefix("native_").or_else(|| name.strip_prefix("half_")).unwrap_or(name);
    if MATH.contains(&stem) {
        return pure(None);
    }
    if let Some(atomic) = atomic(name) {
        return Some(atomic);
    }
    match name {
        "printf" => Some(Builtin { intrinsic: Intrinsic::Havoc(Name::new(name)), result: Some(Type::INT) }),
        "mem_fence" | "read_mem_fence" | "write_mem_fence" | "atomic_work_item_fence" => {
            Some(Builtin { intrinsic: Intrinsic::Fence(Scope::Block), result: Some(Type::Void) })
        }
        // They order nothing between threads.
        "prefetch" | "sub_group_barrier" => Some(Builtin { intrinsic: Intrinsic::Nothing, result: Some(Type::Void) }),
        "min" => Some(Builtin { intrinsic: Intrinsic::Min(IntTy::I32), result: None }),
        "max" => Some(Builtin { intrinsic: Intrinsic::Max(IntTy::I32), result: None }),
        "fract" | "frexp" | "modf" | "remquo" | "sincos" | "lgamma_r" => {
            Some(Builtin { intrinsic: Intrinsic::WritesPointers(Name::new(name)), result: None })
        }
        "get_sub_group_size"
        | "get_max_sub_group_size"
        | "get_num_sub_groups"
        | "get_sub_group_id"
        | "get_sub_group_local_id"
        | "get_enqueued_num_sub_groups" => {
            Some(Builtin { intrinsic: Intrinsic::Havoc(Name::new(name)), result: Some(Type::UINT) })
        }
        "popcount" | "clz" | "ctz" | "abs_diff" | "hadd" | "rhadd" | "add_sat" | "sub_sat" | "mul_hi" | "mad_hi"
        | "mad_sat" | "rotate" | "bitselect" | "shuffle" | "shuffle2" => pure(None),
        "upsample" => None,
        "any" | "all" => pure(Some(Type::INT)),
        _ => None,
    }
}

/// `atomic_add`, `atom_inc`, `atomic_fetch_or_explicit` and their like; the first argument is the address.
fn atomic(name: &str) -> Option<Builtin> {
    let operation = name.strip_prefix("atomic_").or_else(|| name.strip_prefix("atom_"))?;
    let known = |list: &[&str], operation: &str| list.contains(&operation);
    let old = ["add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"];
    let plain = operation.strip_suffix("_explicit").unwrap_or(operation);
    let new = plain
        .strip_prefix("fetch_")
        .is_some_and(|fetch| known(&["add", "sub", "or", "xor", "and", "min", "max"], fetch))
        || known(&["load", "store", "exchange", "init", "flag_test_and_set", "flag_clear"], plain);
    if !known(&old, operation) && !new {
        return None;
    }
    // `atomic_init` is no atomic access, but one that may not meet any other.
    let intrinsic = match plain {
        "init" => Intrinsic::WritesPointers(Name::new(name)),
        _ => Intrinsic::Atomic(Name::new(plain), Scope::Grid),
    };
    Some(Builtin { intrinsic, result: None })
}

const MATH: &[&str] = &[
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atan2",
    "atanh",
    "atanpi",
    "atan2pi",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "divide",
    "erfc",
    "erf",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log2",
    "log10",
    "log1p",
    "logb",
    "mad",
    "maxmag",
    "minmag",
    "nan",
    "nextafter",
    "pow",
    "pown",
    "powr",
    "powf",
    "recip",
    "remainder",
    "rint",
    "rootn",
    "round",
    "rsqrt",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "trunc",
    "degrees",
    "mix",
    "radians",
    "step",
    "smoothstep",
    "sign",
    "cross",
    "dot",
    "distance",
    "length",
    "normalize",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "isequal",
    "isnotequal",
    "isgreater",
    "isgreaterequal",
    "isless",
    "islessequal",
    "islessgreater",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "isordered",
    "isunordered",
    "signbit",
    "saturate",
    "sqrtf",
    "sinf",
    "cosf",
    "expf",
    "fabsf",
    "floorf",
    "fminf",
];

/// Does a function of two or more numbers give one that is not of their type?
pub fn result_shape(name: &str) -> Shape {
    match name {
        "dot" | "distance" | "length" | "fast_distance" | "fast_length" => Shape::Lane,
        _ if name.starts_with("is") || name == "signbit" || name == "ilogb" => Shape::Truth,
        _ => Shape::Same,
    }
}

/// What a function of vectors gives: one lane, integers of the size of the lanes, or the same type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Lane,
    Truth,
    Same,
}
