//! Values of a run: integers and addresses, floating-point numbers, and structures by their bytes.

use super::half::{half_bits, half_number};
use super::memory::{int_bytes, mix};
use super::{DIVISION, OVERFLOW, SHIFT, Stop, undefined, unsupported};
use crate::exp::{IntTy, NBin, eval};
use crate::kernel::bits::of_bits;
use crate::kernel::types::Type;

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer, a boolean, an address, or a function.
    Int(i128),
    Float(f64),
    /// A structure or array; `None` is not initialised.
    Bytes(Vec<Option<u8>>),
    /// It is not known, and why: it can be computed with and stored, and stops a thread where it decides something.
    /// [WIT-UNKNOWN]
    Unknown(Stop),
}

impl Value {
    pub fn truth(&self) -> Result<bool, Stop> {
        match self {
            Value::Int(n) => Ok(*n != 0),
            Value::Float(x) => Ok(*x != 0.0),
            Value::Bytes(_) => unsupported("a structure as a condition"),
            Value::Unknown(why) => Err(why.clone()),
        }
    }

    pub fn int(&self) -> Result<i128, Stop> {
        match self {
            Value::Int(n) => Ok(*n),
            Value::Float(_) | Value::Bytes(_) => unsupported("a number that is not an integer here"),
            Value::Unknown(why) => Err(why.clone()),
        }
    }

    fn real(&self) -> Result<f64, Stop> {
        match self {
            Value::Int(n) => Ok(*n as f64),
            Value::Float(x) => Ok(*x),
            Value::Bytes(_) => unsupported("a structure as a number"),
            Value::Unknown(why) => Err(why.clone()),
        }
    }
}

/// The value that bytes are in a type.
pub fn decode(ty: &Type, bytes: Vec<Option<u8>>) -> Result<Value, Stop> {
    if let Type::Struct(_) | Type::Array(..) = ty {
        return Ok(Value::Bytes(bytes));
    }
    scalar(ty, bytes.iter().rev().try_fold(0i128, |n, b| Some((n << 8) | i128::from((*b)?))))
}

/// The value that a number, if it is initialised, is in a type that is neither a structure nor an array.
pub fn scalar(ty: &Type, number: Option<i128>) -> Result<Value, Stop> {
    let Some(number) = number else { return undefined(super::NOT_KNOWN) };
    match ty {
        Type::Int(int) => Ok(Value::Int(int.wrap(number))),
        Type::Ptr(_) | Type::Ref(_) | Type::Fun => Ok(Value::Int(number)),
        Type::Float(2) => Ok(Value::Float(half_number(number as u16))),
        Type::Float(4) => Ok(Value::Float(f64::from(f32::from_bits(number as u32)))),
        Type::Float(8) => Ok(Value::Float(f64::from_bits(number as u64))),
        other => unsupported(format!("a value of type `{other}`")),
    }
}

/// The bytes of a value in a type.
pub fn encode(ty: &Type, value: &Value) -> Result<Vec<Option<u8>>, Stop> {
    let some = |bytes: Vec<u8>| bytes.into_iter().map(Some).collect();
    match (ty, value) {
        (_, Value::Unknown(_)) => Ok(vec![None; usize::try_from(ty.size()).unwrap_or(0)]),
        (Type::Struct(_) | Type::Array(..), Value::Bytes(bytes)) if bytes.len() as u64 == ty.size() => {
            Ok(bytes.clone())
        }
        (Type::Int(int), Value::Int(n)) => Ok(some(int_bytes(*int, *n))),
        (Type::Ptr(_) | Type::Ref(_) | Type::Fun, Value::Int(n)) => Ok(some(int_bytes(IntTy::U64, *n))),
        (Type::Float(2), Value::Float(x)) => Ok(some(half_bits(*x).to_le_bytes().to_vec())),
        (Type::Float(4), Value::Float(x)) => Ok(some((*x as f32).to_bits().to_le_bytes().to_vec())),
        (Type::Float(8), Value::Float(x)) => Ok(some(x.to_bits().to_le_bytes().to_vec())),
        (Type::Float(bytes @ (2 | 4 | 8)), Value::Int(n)) => encode(&Type::Float(*bytes), &Value::Float(*n as f64)),
        _ => unsupported(format!("a value of type `{ty}`")),
    }
}

/// `l op r` in C, where it has a meaning.
pub fn arithmetic(op: NBin, ty: IntTy, l: i128, r: i128) -> Result<i128, Stop> {
    match op {
        NBin::Div | NBin::Rem if ty.wrap(r) == 0 => return undefined(DIVISION),
        NBin::Shl | NBin::Shr if ty.bits != 0 && !(0..i128::from(ty.bits)).contains(&r) => {
            return undefined(SHIFT);
        }
        // What leaves the type and the unsigned one of its size. [WIT-OVERFLOW]
        NBin::Shl if ty.signed && ty.bits != 0 => {
            let exact = eval::apply(op, IntTy::MATH, ty.wrap(l), r);
            let most = 1i128 << ty.bits;
            return match (-most / 2..most).contains(&exact) {
                true => Ok(eval::apply(op, ty, l, r)),
                false => undefined(OVERFLOW),
            };
        }
        NBin::Add | NBin::Sub | NBin::Mul | NBin::Div if ty.signed && ty.bits != 0 => {
            let (l, r) = (ty.wrap(l), ty.wrap(r));
            let exact = match op {
                NBin::Add => l.checked_add(r),
                NBin::Sub => l.checked_sub(r),
                NBin::Mul => l.checked_mul(r),
                _ => l.checked_div(r),
            };
            return match exact.filter(|n| ty.contains(*n)) {
                Some(n) => Ok(n),
                None => undefined(OVERFLOW),
            };
        }
        _ => {}
    }
    Ok(eval::apply(op, ty, l, r))
}

/// Conversion between types.
pub fn convert(value: Value, from: &Type, to: &Type) -> Result<Value, Stop> {
    match (to, value) {
        (_, Value::Unknown(why)) => Ok(Value::Unknown(why)),
        (Type::Int(IntTy::BOOL), value) => Ok(Value::Int(i128::from(value.truth()?))),
        (Type::Int(int), Value::Int(n)) => Ok(Value::Int(int.wrap(n))),
        (Type::Int(int), Value::Float(x)) => {
            let clamped =
                (x as i128).clamp(IntTy::min(*int).unwrap_or(i128::MIN), IntTy::max(*int).unwrap_or(i128::MAX));
            Ok(Value::Int(clamped))
        }
        (Type::Float(bytes), value) => Ok(Value::Float(rounded(value.real()?, *bytes))),
        (Type::Ptr(_) | Type::Ref(_) | Type::Fun, Value::Int(n)) => Ok(Value::Int(IntTy::U64.wrap(n))),
        (Type::Void, value) => Ok(value),
        (to, value) if to == from => Ok(value),
        (to, _) => unsupported(format!("a conversion from `{from}` to `{to}`")),
    }
}

/// A number as it is with so many bytes.
fn rounded(x: f64, bytes: u32) -> f64 {
    match bytes {
        2 => half_number(half_bits(x)),
        4 => f64::from(x as f32),
        _ => x,
    }
}

/// An operator on floating-point numbers.
pub fn opaque(op: &str, args: &[Value], ty: &Type) -> Result<Value, Stop> {
    if let Some(unknown) = args.iter().find(|v| matches!(v, Value::Unknown(_))) {
        return Ok(unknown.clone());
    }
    let numbers = args.iter().map(Value::real).collect::<Result<Vec<_>, _>>()?;
    let truth = |b: bool| Ok(Value::Int(i128::from(b)));
    let real = match (op, numbers.as_slice()) {
        ("+", [l, r]) => l + r,
        ("-", [l, r]) => l - r,
        ("*", [l, r]) => l * r,
        ("/", [l, r]) => l / r,
        ("-", [x]) => -x,
        ("<", [l, r]) => return truth(l < r),
        ("<=", [l, r]) => return truth(l <= r),
        (">", [l, r]) => return truth(l > r),
        (">=", [l, r]) => return truth(l >= r),
        ("==", [l, r]) => return truth(l == r),
        ("!=", [l, r]) => return truth(l != r),
        _ => return unsupported(format!("operator `{op}`")),
    };
    match ty {
        Type::Float(bytes @ (2 | 4 | 8)) => Ok(Value::Float(rounded(real, *bytes))),
        _ => unsupported(format!("operator `{op}` on `{ty}`")),
    }
}

/// A function of the library that touches no memory, of which the value is known.
pub fn exact(name: &str, args: &[Value], ty: &Type) -> Result<Value, Stop> {
    if let Some(unknown) = args.iter().find(|v| matches!(v, Value::Unknown(_))) {
        return Ok(unknown.clone());
    }
    if let Some(value) = bits_or_rounded(name, args) {
        return Ok(value);
    }
    let Type::Float(bytes) = ty else { return pure(name, args, ty) };
    let numbers = args.iter().map(Value::real).collect::<Result<Vec<_>, _>>()?;
    let stem = name.trim_start_matches('_').trim_end_matches('f');
    let stem = match stem {
        // Of numbers of half precision.
        "hadd" | "hadd_rn" => "fadd_rn",
        "hsub" | "hsub_rn" => "fsub_rn",
        "hmul" | "hmul_rn" => "fmul_rn",
        "hdiv" => "fdiv_rn",
        "hfma" => "fma",
        "hmax" => "fmax",
        "hmin" => "fmin",
        "habs" => "fabs",
        "hexp" => "exp",
        "hsqrt" => "sqrt",
        stem => stem,
    };
    let real = match (stem, numbers.as_slice()) {
        ("sqrt" | "sqrt_rn" | "fsqrt_rn", [x]) => x.sqrt(),
        ("rsqrt" | "frsqrt_rn", [x]) => 1.0 / x.sqrt(),
        ("cbrt", [x]) => x.cbrt(),
        ("fabs" | "abs", [x]) => x.abs(),
        ("floor", [x]) => x.floor(),
        ("ceil", [x]) => x.ceil(),
        ("trunc", [x]) => x.trunc(),
        ("round", [x]) => x.round(),
        ("rint" | "nearbyint", [x]) => x.round_ties_even(),
        ("exp", [x]) => x.exp(),
        ("exp2", [x]) => x.exp2(),
        ("log", [x]) => x.ln(),
        ("log2", [x]) => x.log2(),
        ("log10", [x]) => x.log10(),
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("tan", [x]) => x.tan(),
        ("asin", [x]) => x.asin(),
        ("acos", [x]) => x.acos(),
        ("atan", [x]) => x.atan(),
        ("sinh", [x]) => x.sinh(),
        ("cosh", [x]) => x.cosh(),
        ("exp10", [x]) => 10f64.powf(*x),
        ("expm1", [x]) => x.exp_m1(),
        ("log1p", [x]) => x.ln_1p(),
        ("saturate", [x]) => x.clamp(0.0, 1.0),
        ("hypot", [x, y]) => x.hypot(*y),
        ("copysign", [x, y]) => x.copysign(*y),
        ("fdim", [x, y]) => (x - y).max(0.0),
        ("fsub_rn", [x, y]) => x - y,
        ("dadd_rn", [x, y]) => x + y,
        ("dmul_rn", [x, y]) => x * y,
        ("atan2", [y, x]) => y.atan2(*x),
        ("tanh", [x]) => x.tanh(),
        ("pow", [x, y]) => x.powf(*y),
        ("fmin" | "min", [x, y]) => x.min(*y),
        ("fmax" | "max", [x, y]) => x.max(*y),
        ("fmod", [x, y]) => x % y,
        ("fma" | "fma_rn" | "fmaf_rn", [x, y, z]) => x.mul_add(*y, *z),
        ("fdivide" | "fdiv_rn", [x, y]) => x / y,
        ("fadd_rn", [x, y]) => x + y,
        ("fmul_rn", [x, y]) => x * y,
        ("hneg", [x]) => -x,
        ("half2float" | "float2half" | "float2half_rn" | "double2half", [x]) => *x,
        ("int2half_rn" | "uint2half_rn", [x]) => *x,
        _ => return unsupported(format!("`{name}`")),
    };
    Ok(Value::Float(rounded(real, *bytes)))
}

/// Conversions between numbers by name: of their bits, or rounded.
fn bits_or_rounded(name: &str, args: &[Value]) -> Option<Value> {
    let stem = name.trim_start_matches('_');
    Some(match (stem, args) {
        ("float_as_int", [Value::Float(x)]) => Value::Int(i128::from((*x as f32).to_bits() as i32)),
        ("float_as_uint", [Value::Float(x)]) => Value::Int(i128::from((*x as f32).to_bits())),
        ("int_as_float" | "uint_as_float", [Value::Int(n)]) => Value::Float(f64::from(f32::from_bits(*n as u32))),
        ("double_as_longlong", [Value::Float(x)]) => Value::Int(i128::from(x.to_bits() as i64)),
        ("longlong_as_double", [Value::Int(n)]) => Value::Float(f64::from_bits(*n as u64)),
        ("double2loint", [Value::Float(x)]) => Value::Int(i128::from(x.to_bits() as i32)),
        ("double2hiint", [Value::Float(x)]) => Value::Int(i128::from((x.to_bits() >> 32) as i32)),
        ("hiloint2double", [Value::Int(high), Value::Int(low)]) => {
            Value::Float(f64::from_bits(((*high as u32 as u64) << 32) | u64::from(*low as u32)))
        }
        ("isnan", [Value::Float(x)]) => Value::Int(i128::from(x.is_nan())),
        ("isinf", [Value::Float(x)]) => Value::Int(i128::from(x.is_infinite())),
        ("isfinite", [Value::Float(x)]) => Value::Int(i128::from(x.is_finite())),
        ("signbit", [Value::Float(x)]) => Value::Int(i128::from(x.is_sign_negative())),
        ("lrintf" | "llrintf", [Value::Float(x)]) => Value::Int(x.round_ties_even() as i128),
        ("lroundf", [Value::Float(x)]) => Value::Int(x.round() as i128),
        (_, [Value::Float(x)]) if stem.starts_with("float2") || stem.starts_with("double2") => {
            let (to, mode) = stem.split_once('2')?.1.rsplit_once('_')?;
            let ty = match to {
                "int" => IntTy::I32,
                "uint" => IntTy::U32,
                "ll" => IntTy::I64,
                "ull" => IntTy::U64,
                _ => return None,
            };
            let rounded = match mode {
                "rn" => x.round_ties_even(),
                "rz" => x.trunc(),
                "rd" => x.floor(),
                "ru" => x.ceil(),
                _ => return None,
            };
            Value::Int((rounded as i128).clamp(IntTy::min(ty)?, IntTy::max(ty)?))
        }
        (_, [Value::Int(n)]) if stem.ends_with("2float_rn") => Value::Float(f64::from(*n as f32)),
        (_, [Value::Int(n)]) if stem.ends_with("2double_rn") => Value::Float(*n as f64),
        _ => return None,
    })
}

/// What a function of the library stores through its pointers, as far as that is known.
pub fn outputs(name: &str, args: &[Value]) -> Vec<f64> {
    let Some(Value::Float(x)) = args.first() else { return Vec::new() };
    match name.trim_start_matches('_').trim_end_matches('f') {
        "sincos" => vec![x.sin(), x.cos()],
        "mod" => vec![x.trunc()],
        _ => Vec::new(),
    }
}

/// A function of the library that touches no memory. A function of floating-point numbers is any one, the same for the
/// same arguments.
pub fn pure(name: &str, args: &[Value], ty: &Type) -> Result<Value, Stop> {
    if let Type::Float(4 | 8) = ty {
        let mut hash = name.bytes().fold(1, |h, b| mix(h ^ u64::from(b)));
        for arg in args {
            hash = mix(hash ^ arg.real()?.to_bits());
        }
        return Ok(Value::Float((hash % 16) as f64));
    }
    let Type::Int(int) = ty else { return unsupported(format!("`{name}`")) };
    let numbers = args.iter().map(Value::int).collect::<Result<Vec<_>, _>>()?;
    let value = match (name, numbers.as_slice()) {
        ("abs" | "labs" | "llabs", [x]) if int.contains(x.abs()) => x.abs(),
        ("abs" | "labs" | "llabs", [_]) => return undefined(OVERFLOW),
        ("__mul24" | "mul24", [l, r]) => {
            let narrow = IntTy { bits: 24, signed: true };
            narrow.wrap(*l) * narrow.wrap(*r)
        }
        ("__umul24", [l, r]) => (*l & 0xff_ffff) * (*r & 0xff_ffff),
        (_, numbers) => match of_bits(name, numbers) {
            Some(value) => value,
            None => return unsupported(format!("`{name}`")),
        },
    };
    Ok(Value::Int(int.wrap(value)))
}

/// What an atomic operation leaves, from the old value and the operands.
pub fn atomic(name: &str, ty: &Type, old: &Value, operands: &[Value]) -> Result<Value, Stop> {
    if let Some(unknown) = std::iter::once(old).chain(operands).find(|v| matches!(v, Value::Unknown(_))) {
        return Ok(unknown.clone());
    }
    if let (Type::Float(_), [Value::Float(x)], Value::Float(before)) = (ty, operands, old) {
        return match name {
            "Add" => convert(Value::Float(before + x), ty, ty).map(|v| round(v, ty)),
            "Sub" => convert(Value::Float(before - x), ty, ty).map(|v| round(v, ty)),
            "Exch" => Ok(Value::Float(*x)),
            _ => unsupported(format!("atomic{name} of floating-point numbers")),
        };
    }
    let Type::Int(int) = ty else { return unsupported(format!("atomic{name} of `{ty}`")) };
    let before = old.int()?;
    let numbers = operands.iter().map(|v| v.int().map(|n| int.wrap(n))).collect::<Result<Vec<_>, _>>()?;
    let after = match (name, numbers.as_slice()) {
        ("Add", [x]) => before + x,
        ("Sub", [x]) => before - x,
        ("Exch", [x]) => *x,
        ("Min", [x]) => before.min(*x),
        ("Max", [x]) => before.max(*x),
        ("And", [x]) => before & x,
        ("Or", [x]) => before | x,
        ("Xor", [x]) => before ^ x,
        ("Inc", [x]) => {
            if before >= *x {
                0
            } else {
                before + 1
            }
        }
        ("Dec", [x]) => {
            if before == 0 || before > *x {
                *x
            } else {
                before - 1
            }
        }
        ("CAS", [compare, x]) => {
            if before == *compare {
                *x
            } else {
                before
            }
        }
        _ => return unsupported(format!("atomic{name}")),
    };
    Ok(Value::Int(int.wrap(after)))
}

fn round(value: Value, ty: &Type) -> Value {
    match (value, ty) {
        (Value::Float(x), Type::Float(bytes)) => Value::Float(rounded(x, *bytes)),
        (value, _) => value,
    }
}
