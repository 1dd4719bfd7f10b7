//! Functions of the platforms on the bits of integers.

use crate::exp::IntTy;

/// What a function gives for numbers; `None` where it is not one of these.
pub fn of_bits(name: &str, args: &[i128]) -> Option<i128> {
    let narrow = |n: i128| IntTy::U32.wrap(n) as u32;
    let wide = |n: i128| IntTy::U64.wrap(n) as u64;
    let first = |bits: u64| if bits == 0 { 0 } else { bits.trailing_zeros() + 1 };
    let value = match (name, args) {
        ("__popc" | "__builtin_popcount", [x]) => narrow(*x).count_ones(),
        ("__popcll", [x]) => wide(*x).count_ones(),
        ("__clz" | "__builtin_clz", [x]) => narrow(*x).leading_zeros(),
        ("__clzll", [x]) => wide(*x).leading_zeros(),
        ("__ffs" | "__builtin_ffs", [x]) => first(u64::from(narrow(*x))),
        ("__ffsll", [x]) => first(wide(*x)),
        ("__brev", [x]) => narrow(*x).reverse_bits(),
        ("__brevll", [x]) => return Some(i128::from(wide(*x).reverse_bits())),
        ("__mulhi", [l, r]) => return Some((IntTy::I32.wrap(*l) * IntTy::I32.wrap(*r)) >> 32),
        ("__mul64hi", [l, r]) => return Some((IntTy::I64.wrap(*l) * IntTy::I64.wrap(*r)) >> 64),
        ("__umul64hi", [l, r]) => {
            let product = u128::from(wide(*l)) * u128::from(wide(*r));
            return i128::try_from(product >> 64).ok();
        }
        ("__builtin_bswap32", [x]) => narrow(*x).swap_bytes(),
        ("__builtin_bswap64", [x]) => return Some(i128::from(wide(*x).swap_bytes())),
        ("__umulhi", [l, r]) => return Some((IntTy::U32.wrap(*l) * IntTy::U32.wrap(*r)) >> 32),
        _ => return None,
    };
    Some(i128::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (name, args, value) in [
            ("__popc", &[-1][..], 32),
            ("__popc", &[0b1011], 3),
            ("__popcll", &[-1], 64),
            ("__clz", &[0], 32),
            ("__clz", &[1], 31),
            ("__clz", &[-1], 0),
            ("__clzll", &[1], 63),
            ("__ffs", &[0], 0),
            ("__ffs", &[1], 1),
            ("__ffs", &[512], 10),
            ("__ffsll", &[1 << 40], 41),
            ("__brev", &[1], 1 << 31),
            ("__brevll", &[1], 1 << 63),
            ("__mulhi", &[-1, 2], -1),
            ("__umulhi", &[-1, 2], 1),
            ("__mul64hi", &[-1, 2], -1),
            ("__umul64hi", &[-1, 2], 1),
            ("__builtin_bswap32", &[0x0102_0304], 0x0403_0201),
        ] {
            assert_eq!(of_bits(name, args), Some(value), "{name} {args:?}");
        }
        assert_eq!(of_bits("sinf", &[1]), None);
    }
}
