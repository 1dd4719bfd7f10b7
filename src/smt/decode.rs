//! Reads the values in a solver's answer to `(get-value (..))`.

use smtlib_lowlevel::Storage;
use smtlib_lowlevel::ast::{GetValueResponse, Identifier, Index, QualIdentifier, SpecConstant, Term};

/// The values of the symbols that were asked for, in the order of the question. A bit-vector is read as unsigned.
pub fn values(answer: &str, asked: &[String]) -> Result<Vec<i128>, String> {
    let storage = Storage::new();
    let response = GetValueResponse::parse(&storage, answer).map_err(|_| format!("`{}`", clip(answer)))?;
    if response.0.len() != asked.len() {
        return Err(format!("{} values for {} terms", response.0.len(), asked.len()));
    }
    let mut values = Vec::with_capacity(asked.len());
    for (pair, symbol) in response.0.iter().zip(asked) {
        match pair.0 {
            Term::Identifier(QualIdentifier::Identifier(Identifier::Simple(found))) if found.0 == symbol => {}
            other => return Err(format!("a value of `{}` instead of `{symbol}`", clip(&other.to_string()))),
        }
        values.push(value(pair.1).ok_or_else(|| format!("the value `{}` of `{symbol}`", clip(&pair.1.to_string())))?);
    }
    Ok(values)
}

/// An integer or bit-vector constant.
fn value(term: &Term) -> Option<i128> {
    match term {
        Term::SpecConstant(SpecConstant::Numeral(n)) => i128::try_from(n.into_u128().ok()?).ok(),
        Term::SpecConstant(SpecConstant::Hexadecimal(h)) => i128::from_str_radix(h.0.get(2..)?, 16).ok(),
        Term::SpecConstant(SpecConstant::Binary(b)) => i128::from_str_radix(b.0.get(2..)?, 2).ok(),
        Term::Application(QualIdentifier::Identifier(Identifier::Simple(op)), [inner]) if op.0 == "-" => {
            value(inner)?.checked_neg()
        }
        Term::Identifier(QualIdentifier::Identifier(Identifier::Indexed(name, [Index::Numeral(_)]))) => {
            i128::try_from(name.0.strip_prefix("bv")?.parse::<u128>().ok()?).ok()
        }
        _ => None,
    }
}

fn clip(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, asked: &[&str], expected: Result<&[i128], &str>) {
        let asked: Vec<String> = asked.iter().map(|s| s.to_string()).collect();
        match (values(answer, &asked), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert_eq!(found, expected),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn values_of_every_shape() {
        let answer = "((x (- 5)) (y 7)\n (z #xfffFffffffffffff) (b #b101) (w (_ bv12 32)))";
        check(answer, &["x", "y", "z", "b", "w"], Ok(&[-5, 7, 0xffff_ffff_ffff_ffff, 5, 12]));
    }

    #[test]
    fn what_is_not_a_value_is_refused() {
        check("((x 1))", &["x", "y"], Err("1 values for 2 terms"));
        check("((y 1))", &["x"], Err("a value of `y` instead of `x`"));
        check("((x true))", &["x"], Err("the value `true` of `x`"));
        check("((x (- (- 1))))", &["x"], Ok(&[1]));
        check("((x (f 1)))", &["x"], Err("the value `(f 1)` of `x`"));
        check("(error \"no model\")", &["x"], Err("`(error \"no model\")`"));
        check("garbage", &["x"], Err("`garbage`"));
        check(
            "((x 99999999999999999999999999999999999999999999))",
            &["x"],
            Err("the value `99999999999999999999999999999999999999999999` of `x`"),
        );
    }
}
