//! What textures hold: numbers that are free, and the same wherever a fetch falls into the same texel. [WIT-TEXEL]

use super::memory::{encode_number, mix, pick, scalars, small};
use super::value::{Value, decode};
use super::{Inputs, Stop, unsupported};
use crate::kernel::types::Type;

/// What is fetched from a texture: the operands are the texture, and the coordinates.
pub(super) fn texel(inputs: &Inputs, operands: &[Value], ty: &Type) -> Result<Value, Stop> {
    let mut leaves = Vec::new();
    if ty.has_unknown_size() || scalars(ty, 0, &mut leaves).is_none() {
        return unsupported(format!("a texel of type `{ty}`"));
    }
    let mut place = inputs.seed;
    // Where clamping may make several one.
    if operands.iter().skip(1).any(|o| matches!(o, Value::Int(n) if *n < 0) || matches!(o, Value::Float(x) if *x < 0.0))
    {
        return unsupported("a fetch outside of a texture");
    }
    for operand in operands.iter().take(if inputs.flat.is_empty() { operands.len() } else { 1 }) {
        place = mix(place
            ^ match operand {
                Value::Int(n) => *n as u64,
                Value::Float(x) => x.floor() as i64 as u64,
                Value::Bytes(_) => return unsupported("a structure as a coordinate"),
                Value::Unknown(why) => return Err(why.clone()),
            });
    }
    let mut bytes = vec![Some(0); ty.size() as usize];
    for (part, (offset, leaf)) in leaves.iter().enumerate() {
        let own = mix(place ^ part as u64);
        let number = match (inputs.zeros, inputs.flat.as_slice()) {
            (true, _) => 0.0,
            (false, []) => small(own) as f64,
            (false, flat) => pick(flat, own),
        };
        for (cell, byte) in bytes.iter_mut().skip(*offset as usize).zip(encode_number(leaf, number)) {
            *cell = Some(byte);
        }
    }
    decode(ty, bytes)
}
