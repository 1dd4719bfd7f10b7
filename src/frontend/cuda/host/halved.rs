//! Numbers of the host that are halved: what is left of them ([HOST-SHRINKS]), how often that is done, and their logarithms
//! ([HOST-LOG]).

use itertools::Itertools;
use tree_sitter::Node;

use super::super::unit::last_named;
use super::Host;
use super::facts::has_below;
use super::places::listed_in;
use super::types::in_common;
use super::variables::{Event, Part, contains};
use super::versions::{Version, is_loop};
use crate::base::Name;
use crate::exp::{B, IntTy, N};

/// What gives the next number below or above, or the nearest one.
const ROUNDS_UP: [&str; 4] = ["ceil", "ceilf", "round", "roundf"];
const ROUNDS_DOWN: [&str; 2] = ["floor", "floorf"];

/// The greatest power of two of a type has this logarithm, and no number a greater one than that and 1.
fn bits(ty: IntTy) -> i128 {
    i128::from(ty.bits - u8::from(ty.signed))
}

impl<'u> Host<'_, 'u> {
    /// A variable of integers that has its own name only, and changes nowhere but where it is seen.
    fn is_plain_integer(&mut self, variable: usize) -> bool {
        let is_integer = self.is_of_integers(variable);
        let known = &self.variables[variable];
        is_integer
            && known.declarator.is_some_and(|d| d.kind() == "identifier")
            && known.outside.is_none()
            && !(known.is_wild || known.is_remote || known.escapes.is_some())
    }

    /// Of variables that are only made smaller after their declaration: a later value lies between 0 and the first one.
    pub(super) fn shrinking(&mut self) -> Vec<B> {
        let whole = self
            .values
            .iter()
            .filter(|((_, part, version), _)| *part == Part::Whole && matches!(version, Version::After(Some(_), _)));
        let order = |value: &N| value.to_string();
        let whole = whole.map(|((variable, _, version), value)| (*variable, version, value));
        let whole: Vec<(usize, Version, N)> = whole
            .map(|(v, version, value)| (v, version.clone(), value.clone()))
            .sorted_by_key(|(v, _, value)| (*v, order(value)))
            .collect();
        let mut facts = Vec::new();
        for (variable, version, first) in &whole {
            let is_plain = self.is_plain_integer(*variable);
            let events = &self.variables[*variable].events;
            let is_first = *version == Version::After(Some(0), Vec::new()) && events[0].declares;
            let shrinks = is_first && is_plain && events.len() > 1;
            if !shrinks || !events[1..].iter().all(|e| self.made_smaller(e, *variable, 1)) {
                continue;
            }
            for (_, _, later) in whole.iter().filter(|(v, other, _)| v == variable && other != version) {
                let zero = N::num(0);
                let up = B::and([zero.le(later), later.le(first)]);
                facts.push(B::or([up, B::and([first.le(later), later.le(&zero)])]));
            }
        }
        facts
    }

    /// Does a change divide a variable by a constant that is at least this, or shift it down?
    fn made_smaller(&self, event: &Event<'u>, variable: usize, least: i128) -> bool {
        let node = event.node;
        let field = |node: Node<'u>, name: &str| node.child_by_field_name(name);
        let operator = |node| field(node, "operator").map_or("", |o: Node<'u>| self.unit.str(o));
        if node.kind() != "assignment_expression" || event.field.is_some() {
            return false;
        }
        let is_it = |n: Node<'u>| n.kind() == "identifier" && self.find(self.unit.str(n), n) == Some(variable);
        let change = match (operator(node), field(node, "left"), field(node, "right")) {
            ("=", Some(place), Some(value)) if is_it(place) && value.kind() == "binary_expression" => {
                let own = field(value, "left").filter(|left| is_it(*left));
                own.map(|_| (operator(value), field(value, "right")))
            }
            (operator, Some(place), by) if is_it(place) => operator.strip_suffix('=').map(|o| (o, by)),
            _ => None,
        };
        let Some((operator, Some(by))) = change else { return false };
        let own = self.variables[variable].ty.and_then(|ty| self.integer_type(ty)).filter(|ty| ty.bits >= 32);
        let (Some(own), Some((n, ty))) = (own, self.literal(by)) else { return false };
        match operator {
            // What is divided by an unsigned number is made unsigned.
            "/" => n >= least && in_common(own, ty) == own,
            ">>" => n >= least - 1 && n < i128::from(own.bits),
            _ => false,
        }
    }

    /// A number that is written, with its type.
    fn literal(&self, node: Node<'u>) -> Option<(i128, IntTy)> {
        let text = Some(self.unit.str(node)).filter(|_| node.kind() == "number_literal")?;
        Some((i128::from(text.parse::<i32>().ok()?), IntTy::I32))
    }

    /// What a variable is at most that starts at 0 and counts, in one loop, how often a number is halved until it is small.
    pub(super) fn counted(&mut self, variable: usize) -> Option<i128> {
        let is_plain = self.is_plain_integer(variable);
        let known = &self.variables[variable];
        let [start, step] = known.events[..] else { return None };
        let scope = known.scope;
        let plain = is_plain && !known.is_parameter && self.own_type(variable).bits >= 32;
        let first = start.value.filter(|_| plain && start.declares).and_then(|v| self.constant(v)?.as_num())?;
        (first == 0 && !has_below(self.function, "goto_statement")).then_some(())?;
        let name = self.variables[variable].name;
        let text = self.squeezed(step.node);
        let steps = [format!("{name}++"), format!("++{name}"), format!("{name}+=1"), format!("{name}={name}+1")];
        steps.contains(&text).then_some(())?;
        // The one loop around it.
        let mut around = self.up(step.node)?;
        while !is_loop(around) {
            (around != scope && around.kind() != "lambda_expression").then_some(())?;
            around = self.up(around)?;
        }
        let mut outer = around;
        while outer != scope {
            outer = self.up(outer)?;
            (outer == scope || !is_loop(outer) && outer.kind() != "lambda_expression").then_some(())?;
        }
        let part = |name: &str| around.child_by_field_name(name);
        let is_round = |n: Node<'u>| [part("body"), part("update")].iter().flatten().any(|part| contains(*part, n));
        let is_head = matches!(around.kind(), "for_statement" | "while_statement");
        (is_head && is_round(step.node)).then_some(())?;
        let halved = self.positive_in(part("condition")?)?;
        let is_plain = self.is_plain_integer(halved);
        let known = &self.variables[halved];
        let inside =
            |e: &Event<'u>| contains(around, e.node) && part("initializer").is_none_or(|init| !contains(init, e.node));
        let all_seen = is_plain && known.events.iter().all(|e| !self.is_in_lambda(e.node));
        let changes: Vec<Event<'u>> = known.events.iter().filter(|e| inside(e)).copied().collect();
        (all_seen && changes.iter().all(|e| !e.declares && self.made_smaller(e, halved, 2))).then_some(())?;
        // In each round.
        let always = |e: &Event<'u>| {
            let (up, body) = (self.up(e.node), part("body"));
            let statement = up.filter(|s| s.kind() == "expression_statement");
            let own = statement.is_some_and(|s| Some(s) == body || self.up(s) == body);
            own && body.is_some_and(|body| !has_below(body, "continue_statement"))
                || part("update").is_some_and(|update| update == e.node || Some(update) == up)
        };
        changes.iter().any(always).then_some(())?;
        let ty = self.variables[halved].ty.and_then(|ty| self.integer_type(ty))?;
        Some(bits(ty))
    }

    fn is_in_lambda(&self, node: Node<'u>) -> bool {
        let mut around = Some(node);
        while let Some(node) = around.filter(|n| *n != self.function && n.kind() != "lambda_expression") {
            around = self.up(node);
        }
        around.is_none_or(|n| n.kind() == "lambda_expression")
    }

    /// A variable that a condition says to be positive.
    fn positive_in(&mut self, condition: Node<'u>) -> Option<usize> {
        let field = |name: &str| condition.child_by_field_name(name);
        match condition.kind() {
            "parenthesized_expression" | "condition_clause" => {
                self.positive_in(field("value").or_else(|| last_named(condition))?)
            }
            "binary_expression" => {
                let (left, right) = (field("left")?, field("right")?);
                let (name, bound, least) = match self.unit.str(field("operator")?) {
                    "&&" => return self.positive_in(left).or_else(|| self.positive_in(right)),
                    ">" => (left, right, 0),
                    ">=" => (left, right, 1),
                    "<" => (right, left, 0),
                    "<=" => (right, left, 1),
                    _ => return None,
                };
                let (n, ty) = self.literal(bound)?;
                let variable = self.find(self.unit.str(name), name).filter(|_| name.kind() == "identifier")?;
                let own = self.variables[variable].ty.and_then(|ty| self.integer_type(ty))?;
                (n >= least && in_common(own, ty) == own).then_some(variable)
            }
            _ => None,
        }
    }

    /// The least and the greatest number that `log2` of an integer is, where that is made an integer again: of 0, and of what is
    /// negative, C gives that no meaning.
    fn of_logarithm(&mut self, call: Node<'u>) -> Option<[i128; 2]> {
        let (mut inner, up) = match self.only_argument(call, &ROUNDS_UP) {
            Some(inner) => (inner, true),
            None => (self.only_argument(call, &ROUNDS_DOWN).unwrap_or(call), false),
        };
        while inner.kind() == "parenthesized_expression" {
            inner = last_named(inner)?;
        }
        let mut exact = !self.unit.str(call.child_by_field_name("function")?).ends_with('f');
        let double = self.only_argument(inner, &["log2"]);
        exact &= double.is_some();
        let mut argument = double.or_else(|| self.only_argument(inner, &["log2f"]))?;
        loop {
            let (ty, value) = match argument.kind() {
                "parenthesized_expression" => ("double", last_named(argument)?),
                "cast_expression" => {
                    let ty = argument.child_by_field_name("type")?;
                    (self.unit.str(ty), argument.child_by_field_name("value")?)
                }
                "call_expression" => {
                    let written = self.unit.str(argument.child_by_field_name("function")?);
                    let ty = written.strip_prefix("static_cast<").and_then(|ty| ty.strip_suffix('>'));
                    match (ty.unwrap_or(written), listed_in(argument.child_by_field_name("arguments")?).as_slice()) {
                        (ty @ ("double" | "float"), [only]) => (ty, *only),
                        _ => break,
                    }
                }
                _ => break,
            };
            match ty {
                "double" => {}
                "float" => exact = false,
                _ => break,
            }
            argument = value;
        }
        let value = self.number(argument)?;
        let ty = self.type_of(argument)?;
        if let Some(n) = value.as_num().filter(|n| exact && (1..1 << 32).contains(n)) {
            let below = i128::from(n.ilog2());
            let log = below + i128::from(up && n.count_ones() > 1);
            return Some([log, log]).filter(|_| !up || self.only_argument(call, &["ceil"]).is_some());
        }
        let most = bits(ty) - i128::from(exact && !up && ty.bits <= 32);
        Some([0, most])
    }

    /// The one argument that a function of C with one of these names is called with.
    fn only_argument(&self, call: Node<'u>, names: &[&str]) -> Option<Node<'u>> {
        let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
        let arguments = listed_in(call.child_by_field_name("arguments").filter(|_| self.is_library(function, names))?);
        <[Node<'u>; 1]>::try_from(arguments).ok().map(|[only]| only)
    }

    /// The logarithm of an integer, as an integer.
    pub(super) fn logarithm(&mut self, call: Node<'u>) -> Option<N> {
        let key = (call.start_byte(), call.end_byte());
        if let Some((value, _)) = self.choices.get(&key) {
            return Some(value.clone());
        }
        let [least, most] = self.of_logarithm(call)?;
        if least == most {
            return Some(N::num(least));
        }
        self.arguments.is_empty().then_some(())?;
        let mut name = "log2()".to_owned();
        while !self.symbols.insert(name.clone()) {
            name.push('\'');
        }
        self.types.insert(Name::new(name.as_str()), IntTy::I32);
        let value = super::symbol(&name);
        self.choices.insert(key, (value.clone(), (least..=most).collect()));
        Some(value)
    }

    /// What a function returns at most that only returns how often a number was halved, or a logarithm.
    pub(super) fn returns_counts(&mut self, function: Node<'u>) -> Option<i128> {
        let mut host = Host::new(self.unit, self.lower, function, function);
        host.scan();
        let returns = host.returns();
        let mut most = None;
        for value in returns {
            let mut value = value?;
            while matches!(value.kind(), "cast_expression" | "parenthesized_expression") {
                let ty = value.child_by_field_name("type");
                ty.is_none_or(|ty| host.is_wide(ty)).then_some(())?;
                value = last_named(value)?;
            }
            let own = match value.kind() {
                "identifier" => host.find(host.unit.str(value), value).and_then(|v| host.counted(v)),
                _ => host.of_logarithm(value).map(|[_, most]| most),
            };
            most = most.max(Some(own?));
        }
        most
    }
}
