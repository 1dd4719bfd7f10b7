//! The text of a stored answer. An entry names the question it belongs to and ends with a checksum: what is cut off,
//! damaged, of another version or of another question is read as nothing.

use std::fmt::Write;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};

use super::query::{Answer, Model, Query, Reason};
use crate::exp::{Fun, NExp};

/// A strong hash: that two questions have the same is not to be expected in the lifetime of anything.
pub type Digest = blake3::Hash;

const ANSWER: &str = "faial-like answer 1";
const GAVE_UP: &str = "faial-like gave up 1";

/// Puts a head before the body, and a checksum of both after it.
pub fn seal(head: &str, key: &Digest, body: &str) -> String {
    let mut text = format!("{head}\n{key}\n{body}");
    let sum = blake3::hash(text.as_bytes());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{sum}");
    text
}

/// The body of a text that was sealed with this head and this key.
pub fn unseal<'t>(text: &'t str, head: &str, key: &Digest) -> Option<&'t str> {
    let (content, sum) = text.strip_suffix('\n')?.rsplit_once('\n').map(|(c, s)| (text.get(..=c.len()), s))?;
    let content = content?;
    if blake3::hash(content.as_bytes()) != Digest::from_hex(sum).ok()? {
        return None;
    }
    let rest = content.strip_prefix(head)?.strip_prefix('\n')?;
    let (found, body) = rest.split_once('\n')?;
    (Digest::from_hex(found).ok()? == *key).then_some(body)
}

/// The answer as text; `None` for what must not be stored.
pub fn write(key: &Digest, query: &Query, answer: &Answer) -> Option<String> {
    let mut body = String::new();
    match answer {
        Answer::Unknown(_) => return None,
        Answer::Unsat { assumptions } => {
            let _ = writeln!(body, "unsat {}", assumptions.len());
            for text in assumptions {
                let _ = writeln!(body, "{}:{text}", text.len());
            }
        }
        Answer::Sat(model) => {
            let vars = query.all_vars();
            let functions = functions(query);
            let _ = writeln!(body, "sat {} {}", vars.len(), model.apps.len());
            for name in vars.keys() {
                let _ = writeln!(body, "{}", model.vars.get(name)?);
            }
            for (fun, args, value) in &model.apps {
                let _ = write!(body, "{} {value}", functions.get_index_of(fun)?);
                for arg in args {
                    let _ = write!(body, " {arg}");
                }
                body.push('\n');
            }
        }
    }
    Some(seal(ANSWER, key, &body))
}

/// That a question was not decided, and when, in seconds; `None` for a reason that is not about the question.
pub fn write_give_up(key: &Digest, when: u64, time: Duration, reason: &Reason) -> Option<String> {
    let why = match reason {
        Reason::Timeout => "time".to_owned(),
        Reason::Incomplete(why) => format!("incomplete {why}"),
        Reason::NoSolver(_)
        | Reason::SolverDied(_)
        | Reason::SolverError(_)
        | Reason::Garbage(_)
        | Reason::Unencodable(_)
        | Reason::Disagreement(_) => return None,
    };
    Some(seal(GAVE_UP, key, &format!("{when} {}\n{why}\n", time.as_millis())))
}

/// When a question was not decided, in which time, and why.
pub fn read_give_up(text: &str, key: &Digest) -> Option<(u64, Duration, Reason)> {
    let (when, why) = unseal(text, GAVE_UP, key)?.strip_suffix('\n')?.split_once('\n')?;
    let reason = match why.split_once(' ') {
        None if why == "time" => Reason::Timeout,
        Some(("incomplete", why)) => Reason::Incomplete(why.to_owned()),
        _ => return None,
    };
    let (when, time) = when.split_once(' ')?;
    Some((when.parse().ok()?, Duration::from_millis(time.parse().ok()?), reason))
}

/// Reads an answer to this query. A model that is not one is nothing, whoever wrote it.
pub fn read(text: &str, key: &Digest, query: &Query) -> Option<Answer> {
    let body = unseal(text, ANSWER, key)?;
    let (first, rest) = body.split_once('\n')?;
    let mut words = first.split(' ');
    let answer = match words.next()? {
        "unsat" => Answer::Unsat { assumptions: strings(rest, words.next()?.parse().ok()?)? },
        "sat" => {
            let (vars, apps) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let model = model(rest, vars, apps, query)?;
            if !model.satisfies(query).ok()? {
                return None;
            }
            Answer::Sat(model)
        }
        _ => return None,
    };
    words.next().is_none().then_some(answer)
}

fn strings(mut text: &str, count: usize) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for _ in 0..count {
        let (length, rest) = text.split_once(':')?;
        let length: usize = length.parse().ok()?;
        all.push(rest.get(..length)?.to_string());
        text = rest.get(length..)?.strip_prefix('\n')?;
    }
    text.is_empty().then_some(all)
}

fn model(text: &str, vars: usize, apps: usize, query: &Query) -> Option<Model> {
    let names = query.all_vars();
    let functions = functions(query);
    let mut lines = text.lines();
    let mut model = Model { vars: IndexMap::new(), apps: Vec::new() };
    if vars != names.len() {
        return None;
    }
    for name in names.into_keys() {
        model.vars.insert(name, lines.next()?.parse().ok()?);
    }
    for _ in 0..apps {
        let mut words = lines.next()?.split(' ');
        let fun = functions.get_index(words.next()?.parse().ok()?)?.clone();
        let value = words.next()?.parse().ok()?;
        let args = words.map(|w| w.parse().ok()).collect::<Option<Vec<i128>>>()?;
        model.apps.push((fun, args, value));
    }
    lines.next().is_none().then_some(model)
}

/// The functions of a query, in the order of their first applications.
fn functions(query: &Query) -> IndexSet<Fun> {
    let calls = query.calls();
    let funs = calls.iter().filter_map(|call| match call.kind() {
        NExp::Call(fun, _) => Some(fun.clone()),
        _ => None,
    });
    funs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp::{B, FunKind, IntTy, Interval, N, Var};

    /// `f(x) = y`, and a model of it.
    fn question() -> (Query, Model) {
        let [x, y] = ["x", "y"].map(|name| Var::new(name, IntTy::I32));
        let f = Fun { name: "f".into(), ty: IntTy::I32, kind: FunKind::Input };
        let call = N::call(f.clone(), vec![N::var(&x)]);
        let query = Query::new(vec![(x.clone(), Interval::new(2, 9))], vec![call.eq(&N::var(&y))]);
        let vars = [(x.name, 3), (y.name, -7)].into_iter().collect();
        (query, Model { vars, apps: vec![(f, vec![3], -7)] })
    }

    fn key() -> Digest {
        blake3::hash(b"a question")
    }

    fn answers() -> Vec<Answer> {
        let texts = |all: &[&str]| Answer::Unsat { assumptions: all.iter().map(|s| s.to_string()).collect() };
        vec![Answer::Sat(question().1), texts(&[]), texts(&["a\nb", "", "`é` + 1 does not wrap", "3:x"])]
    }

    #[test]
    fn answers_come_back_as_they_were() {
        let (query, _) = question();
        for answer in answers() {
            let text = write(&key(), &query, &answer).expect("it can be stored");
            assert_eq!(read(&text, &key(), &query), Some(answer));
        }
    }

    #[test]
    fn no_answer_is_not_stored() {
        let unknown = Answer::Unknown(super::super::Reason::Timeout);
        assert_eq!(write(&key(), &question().0, &unknown), None);
    }

    #[test]
    fn a_question_without_an_answer_comes_back_with_its_reason() {
        for reason in [Reason::Timeout, Reason::Incomplete("the solver does not know (\nwhy)".to_owned())] {
            let text = write_give_up(&key(), 17, Duration::from_secs(3), &reason).expect("it can be stored");
            assert_eq!(read_give_up(&text, &key()), Some((17, Duration::from_secs(3), reason)));
            assert_eq!(read_give_up(&text, &blake3::hash(b"another")), None);
            assert_eq!(read(&text, &key(), &question().0), None);
        }
        assert_eq!(write_give_up(&key(), 17, Duration::from_secs(3), &Reason::SolverDied("it did".to_owned())), None);
    }

    #[test]
    fn an_entry_that_is_cut_or_changed_anywhere_is_nothing() {
        let (query, _) = question();
        for answer in answers() {
            let text = write(&key(), &query, &answer).expect("it can be stored");
            for at in 0..text.len() {
                assert_eq!(text.get(..at).and_then(|cut| read(cut, &key(), &query)), None, "cut at {at}");
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1;
                let changed = String::from_utf8_lossy(&bytes);
                assert_eq!(read(&changed, &key(), &query), None, "changed at {at}: {changed}");
            }
        }
    }

    #[test]
    fn an_entry_of_another_question_is_nothing() {
        let (query, _) = question();
        let text = write(&key(), &query, &answers()[1]).expect("it can be stored");
        assert_eq!(read(&text, &blake3::hash(b"another"), &query), None);
    }

    #[test]
    fn a_model_that_does_not_satisfy_the_query_is_nothing_though_its_checksum_is_right() {
        let (query, mut model) = question();
        model.vars.insert("y".into(), 8);
        let text = write(&key(), &query, &Answer::Sat(model)).expect("it can be stored");
        assert_eq!(read(&text, &key(), &query), None);
        for body in
            ["", "sat", "sat 2 1\n", "sat 1 0\n1\n", "unsat\n", "unsat 1\n", "unsat 9999999999\n", "unsat 0\nx\n"]
        {
            assert_eq!(read(&seal(ANSWER, &key(), body), &key(), &query), None, "{body:?}");
        }
        let no_condition = Query::new(vec![], vec![B::not(&N::num(1).eq(&N::var(&Var::new("z", IntTy::I32))))]);
        assert_eq!(read(&seal(ANSWER, &key(), "sat 0 0\n"), &key(), &no_condition), None);
    }
}
