//! Floating-point numbers of 16 bits. Half and bfloat16 numbers are one type here; a run takes them for half.

/// The bits of the nearest one; of two, the one whose last bit is 0.
pub fn half_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let size = x.abs();
    if x.is_nan() {
        return 0x7e00;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // The exponent of the last place: 2^-24 for the smallest.
    let exponent = if size < 2f64.powi(-14) { -14 } else { size.log2().floor() as i32 };
    let units = (size / 2f64.powi(exponent - 10)).round_ties_even() as u32;
    // A number that is rounded up to the next power of two has the next exponent.
    sign | (((exponent + 14) as u32 * 1024 + units) as u16)
}

/// The number that such bits are.
pub fn half_number(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_numbers_agree() {
        for (x, bits) in [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (65504.0, 0x7bff), (6e-8, 1), (1e9, 0x7c00)] {
            assert_eq!(half_bits(x), bits, "{x}");
        }
        assert_eq!(half_bits(2047.9), 0x6800, "rounded up to 2048");
        for bits in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(half_bits(half_number(bits)), bits);
        }
    }
}
