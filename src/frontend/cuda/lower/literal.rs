//! Literals.

use super::*;

/// A numeric literal: its value and the type that C gives it. A sign in front is read with it, and is no part of it.
pub(in super::super) fn number(text: &str, span: Span) -> Expr {
    if let Some(digits) = text.strip_prefix(['-', '+'])
        && let Expr { kind: ExprKind::Int(n), ty: Type::Int(ty), .. } = number(digits, span)
    {
        let value = if text.starts_with('-') { ty.wrap(-n) } else { n };
        return Expr::new(ExprKind::Int(value), Type::Int(ty), span);
    }
    let plain: String = text.chars().filter(|c| *c != '\'').collect();
    let lower = plain.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let float =
        lower.contains('.') || (!hex && (lower.contains('e') || lower.ends_with('f'))) || (hex && lower.contains('p'));
    if float {
        let bytes = match lower.as_bytes().last() {
            Some(b'h') => 2,
            Some(b'f') => 4,
            _ => 8,
        };
        let digits = lower.trim_end_matches(['f', 'l', 'h']);
        let canonical = digits.parse::<f64>().map_or_else(|_| digits.to_owned(), |v| format!("{v:?}"));
        return Expr::new(ExprKind::Constant(Name::new(canonical)), Type::Float(bytes), span);
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let value = match digits {
        d if d.starts_with("0x") => i128::from_str_radix(&d[2..], 16),
        d if d.starts_with("0b") => i128::from_str_radix(&d[2..], 2),
        d if d.len() > 1 && d.starts_with('0') => i128::from_str_radix(&d[1..], 8),
        d => d.parse::<i128>(),
    };
    let Ok(value) = value else {
        return Expr::unknown("unknown-construct", format!("`{text}` is not a number"), Type::INT, span);
    };
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l');
    let decimal = !digits.starts_with('0') || digits == "0";
    let candidates = [IntTy::I32, IntTy::U32, IntTy::I64, IntTy::U64];
    let ty = candidates
        .into_iter()
        .filter(|t| !unsigned || !t.signed)
        .filter(|t| !long || t.bits == 64)
        .filter(|t| t.signed || unsigned || !decimal)
        .find(|t| t.contains(value))
        .unwrap_or(IntTy::U64);
    if !ty.contains(value) {
        return Expr::unknown("unknown-construct", format!("`{text}` does not fit 64 bits"), Type::INT, span);
    }
    Expr::new(ExprKind::Int(value), Type::Int(ty), span)
}

/// The bytes of a string with its end; `None` for one that is not plain.
pub(super) fn string_bytes(text: &str) -> Option<u64> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let plain = inner.is_ascii() && !inner.contains(['\\', '"']);
    plain.then_some(inner.len() as u64 + 1)
}

/// The value and type of a character; `None` for several in one literal, and for what one byte does not hold.
pub(super) fn character(text: &str) -> Option<(i128, IntTy)> {
    let value = narrow_character(text)?;
    let ty = match text.split('\'').next()? {
        "" => IntTy::I8,
        "L" => IntTy::I32,
        "u" => IntTy { bits: 16, signed: false },
        "U" => IntTy::U32,
        _ => return None,
    };
    // An escape for a byte is one for a unit here, of which it fills the end.
    Some((if ty == IntTy::I8 { value } else { value.rem_euclid(256) }, ty))
}

fn narrow_character(text: &str) -> Option<i128> {
    let start = text.find('\'')?;
    let inner = text[start + 1..].strip_suffix('\'')?;
    let mut chars = inner.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    if first != '\\' {
        return (rest.is_empty() && first.is_ascii()).then_some(first as i128);
    }
    let byte = |digits: &str, radix: u32| {
        let value = i128::from_str_radix(digits, radix).ok()?;
        // A `char` is signed.
        (value < 256).then(|| IntTy::I8.wrap(value))
    };
    if let Some(digits) = rest.strip_prefix('x') {
        return byte(digits, 16);
    }
    if rest.starts_with(|c: char| c.is_digit(8)) {
        return if rest.len() <= 3 { byte(rest, 8) } else { None };
    }
    Some(match rest {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "\\" | "'" | "\"" | "?" => rest.chars().next()? as i128,
        _ => return None,
    })
}
