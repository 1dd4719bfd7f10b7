//! Protocols that are a little smaller, for shrinking what choices alone do not make minimal.

use crate::core::Protocol;
use crate::exp::Subst;

/// The code with one statement left out, or one conditional or loop replaced by what is in it: largest steps first. What
/// is in the language of a dialect stays in it.
pub fn smaller(code: &Protocol) -> Vec<Protocol> {
    let mut all = Vec::new();
    match code {
        Protocol::Skip => return all,
        Protocol::Access(_) | Protocol::Sync(_) => {}
        Protocol::Seq(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let with = |other: Protocol| {
                    let rest = parts.iter().skip(i + 1).cloned();
                    Protocol::seq(parts.iter().take(i).cloned().chain([other]).chain(rest).collect::<Vec<_>>())
                };
                all.extend(smaller(part).into_iter().map(with));
            }
        }
        Protocol::If(b, t, e) => {
            all.extend([(**t).clone(), (**e).clone()]);
            all.extend(smaller(t).into_iter().map(|t| Protocol::If(b.clone(), Box::new(t), e.clone())));
            all.extend(smaller(e).into_iter().map(|e| Protocol::If(b.clone(), t.clone(), Box::new(e))));
        }
        Protocol::For(range, body) => {
            all.push(body.subst(&mut Subst::one(&range.var.name, &range.first)));
            all.extend(smaller(body).into_iter().map(|body| Protocol::For(range.clone(), Box::new(body))));
        }
    }
    all.insert(0, Protocol::Skip);
    all
}
