//! Floating-point numbers among the integers of terms: constants are numbers that no integer is, equal for equal constants.

/// From here on.
const TAG: i128 = 1 << 80;

/// The number that stands for a floating-point one.
pub fn identity(value: f64) -> i128 {
    TAG + i128::from(value.to_bits())
}

/// Does a number stand for a floating-point constant?
pub fn is_identity(number: i128) -> bool {
    number >= TAG
}

/// The floating-point number that one stands for.
pub fn of_identity(number: i128) -> Option<f64> {
    u64::try_from(number.checked_sub(TAG)?).ok().map(f64::from_bits)
}
