//! Variables of the host that are one of a few numbers, whatever changes them: powers of two ([HOST-POWER]), and elements of
//! tables of constants ([HOST-TABLE]).

use itertools::Itertools;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::super::unit::{FunDecl, last_named};
use super::Host;
use super::places::listed_in;
use super::types::converted;
use super::variables::{Event, Part, contains};
use crate::base::Name;
use crate::exp::{B, IntTy, N};

/// Tables with more elements than this are not looked at.
const MAX_ELEMENTS: usize = 64;

/// How deep functions are looked into, and how many values one may return.
const MAX_DEPTH: usize = 2;
const MAX_RETURNS: usize = 8;

/// The shifts that fill all bits below the highest one.
const SMEAR: [u8; 6] = [1, 2, 4, 8, 16, 32];

/// That a number is one of these.
fn one_of(value: &N, numbers: impl IntoIterator<Item = i128>) -> B {
    B::or(numbers.into_iter().map(|n| value.eq(&N::num(n))).collect::<Vec<_>>())
}

/// The powers of two of a type.
fn powers(ty: IntTy) -> impl Iterator<Item = i128> {
    (0..ty.bits - u8::from(ty.signed)).map(|k| 1i128 << k)
}

impl<'u> Host<'_, 'u> {
    /// What is known so of the values that were asked for.
    pub(super) fn among(&mut self) -> Vec<B> {
        let asked = self.values.iter().filter(|((_, part, _), value)| *part == Part::Whole && value.as_var().is_some());
        let asked = asked.map(|((variable, _, _), value)| (*variable, value.clone()));
        let asked: Vec<(usize, N)> = asked.sorted_by_key(|(_, value)| value.as_var().map(|v| v.name.clone())).collect();
        let mut facts = Vec::new();
        for (variable, value) in asked {
            let ty = self.own_type(variable);
            if let Some(numbers) = self.ranged_over(variable) {
                facts.push(one_of(&value, numbers));
            } else if ty.bits >= 32 && self.is_power(variable, &mut FxHashSet::default(), 0) {
                // What is wider may be 0 where it is made smaller.
                let positive = ty.bits == 32 && self.is_above_zero(variable, &mut FxHashSet::default());
                let zero = (!positive).then_some(0);
                facts.push(one_of(&value, zero.into_iter().chain(powers(ty))));
            } else if let Some(most) = self.counted(variable) {
                facts.push(one_of(&value, 0..=most));
            }
            facts.extend(self.validated(variable, &value));
        }
        facts.extend(self.choices.values().map(|(value, numbers)| one_of(value, numbers.iter().copied())));
        facts.extend(self.shrinking());
        facts.append(&mut self.taken);
        facts.into_iter().unique().collect()
    }

    /// The type of a variable; that of one without a type of its own is the type of its first value.
    pub(super) fn own_type(&mut self, variable: usize) -> IntTy {
        let known = &self.variables[variable];
        let first = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        let own = known.ty.and_then(|ty| self.integer_type(ty));
        own.or_else(|| self.type_of(first?)).unwrap_or(IntTy::U64)
    }

    /// Is something known so of a variable?
    pub(super) fn is_among(&mut self, variable: usize) -> bool {
        self.ranged_over(variable).is_some()
            || self.is_power(variable, &mut FxHashSet::default(), 0)
            || self.counted(variable).is_some()
    }

    /// Notes of what a call returns that it is a power of two, or zero, or a count or logarithm, where the function says so.
    pub(super) fn note_choices(&mut self, call: Node<'u>, value: &N, ty: IntTy) {
        let Some(own) = self.defined(call).filter(|_| ty.bits >= 32) else { return };
        let numbers: Vec<i128> = match self.returns_powers(own, 1) {
            true => std::iter::once(0).chain(powers(ty)).collect(),
            false => self.returns_counts(own).map(|most| (0..=most).collect()).unwrap_or_default(),
        };
        if !numbers.is_empty() {
            self.choices.insert((call.start_byte(), call.end_byte()), (value.clone(), numbers));
        }
    }

    /// Is a variable always a power of two, or zero? Sums and products of sizes are taken to fit.
    fn is_power(&mut self, variable: usize, seen: &mut FxHashSet<usize>, depth: usize) -> bool {
        // Each change is looked at with all variables as they should be.
        if !seen.insert(variable) {
            return true;
        }
        let is_integer = self.is_of_integers(variable);
        let known = &self.variables[variable];
        let plain = known.declarator.is_some_and(|d| d.kind() == "identifier")
            && is_integer
            && !(known.is_wild || known.is_remote || known.escapes.is_some());
        let events = known.events.clone();
        let mut keeps = |host: &mut Self, event: &Event<'u>| match event.value {
            _ if event.field.is_some() => false,
            Some(value) => host.is_power_of(value, seen, depth),
            None if event.declares => host.is_uninitialized(variable, event),
            None => {
                let operator = event.node.child_by_field_name("operator").map_or("", |o| host.unit.str(o));
                match (operator, event.node.child_by_field_name("right")) {
                    ("<<=" | ">>=", Some(_)) => true,
                    ("*=" | "/=", Some(by)) => host.is_power_of(by, seen, depth),
                    _ => false,
                }
            }
        };
        plain && self.own_type(variable).bits >= 32 && !events.is_empty() && events.iter().all(|e| keeps(self, e))
    }

    /// Is a power of two never 0: is it only given, multiplied by and shifted up from such numbers, in a signed type that is not made
    /// smaller?
    fn is_above_zero(&mut self, variable: usize, seen: &mut FxHashSet<usize>) -> bool {
        if !seen.insert(variable) {
            return true;
        }
        let ty = self.own_type(variable);
        let events = self.variables[variable].events.clone();
        events.iter().all(|event| match event.value {
            Some(value) => self.is_value_above_zero(value, ty, seen),
            None if event.declares => true,
            None => {
                let operator = event.node.child_by_field_name("operator").map_or("", |o| self.unit.str(o));
                match (operator, event.node.child_by_field_name("right")) {
                    ("<<=", Some(_)) => ty.signed,
                    ("*=", Some(by)) => ty.signed && self.is_value_above_zero(by, ty, seen) && self.fits(by, ty),
                    _ => false,
                }
            }
        })
    }

    fn is_value_above_zero(&mut self, node: Node<'u>, ty: IntTy, seen: &mut FxHashSet<usize>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        if let Some(n) = self.constant(node).and_then(|n| n.as_num()) {
            return (1..1 << (ty.bits - 1)).contains(&n);
        }
        match node.kind() {
            "parenthesized_expression" => last_named(node).is_some_and(|n| self.is_value_above_zero(n, ty, seen)),
            "initializer_list" | "argument_list" => match listed_in(node).as_slice() {
                [only] => self.is_value_above_zero(*only, ty, seen),
                _ => false,
            },
            "identifier" => {
                let known = self.find(self.unit.str(node), node);
                known.is_some_and(|known| self.own_type(known).bits <= ty.bits && self.is_above_zero(known, seen))
            }
            "binary_expression" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return false };
                let operator = field("operator").map_or("", |o| self.unit.str(o));
                let factors: &[Node<'u>] = if operator == "<<" { &[left] } else { &[left, right] };
                matches!(operator, "*" | "<<")
                    && self.fits(node, ty)
                    && factors.iter().all(|factor| self.is_value_above_zero(*factor, ty, seen))
            }
            _ => false,
        }
    }

    /// Is an expression of a signed type that is no larger than another one?
    fn fits(&mut self, node: Node<'u>, ty: IntTy) -> bool {
        self.type_of(node).is_some_and(|own| own.signed && own.bits <= ty.bits)
    }

    /// Is a type one of integers of 32 bits or more? In a smaller one, a power of two may become negative.
    pub(super) fn is_wide(&self, ty: Node<'u>) -> bool {
        self.is_integer_type(ty) && self.integer_type(ty).is_none_or(|ty| ty.bits >= 32)
    }

    fn is_power_of(&mut self, node: Node<'u>, seen: &mut FxHashSet<usize>, depth: usize) -> bool {
        if let Some(n) = self.constant(node).and_then(|n| n.as_num()) {
            return n == 0 || n > 0 && n & (n - 1) == 0;
        }
        let field = |name: &str| node.child_by_field_name(name);
        let mut both = |host: &mut Self, l: Option<Node<'u>>, r: Option<Node<'u>>| {
            l.zip(r).is_some_and(|(l, r)| host.is_power_of(l, seen, depth) && host.is_power_of(r, seen, depth))
        };
        match node.kind() {
            "parenthesized_expression" => last_named(node).is_some_and(|inner| self.is_power_of(inner, seen, depth)),
            "initializer_list" | "argument_list" => match listed_in(node).as_slice() {
                [only] => self.is_power_of(*only, seen, depth),
                _ => false,
            },
            "cast_expression" => {
                let (Some(ty), Some(value)) = (field("type"), field("value")) else { return false };
                self.is_wide(ty) && self.is_power_of(value, seen, depth)
            }
            "identifier" => {
                let known = self.find(self.unit.str(node), node);
                known.is_some_and(|variable| self.is_power(variable, seen, depth))
            }
            "field_expression" => self.number(node).and_then(|n| n.as_num()).is_some_and(|n| n > 0 && n & (n - 1) == 0),
            "conditional_expression" => both(self, field("consequence"), field("alternative")),
            "binary_expression" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return false };
                let operator = field("operator").map_or("", |o| self.unit.str(o));
                match operator {
                    _ if self.is_overloaded(operator, left, right) => false,
                    "*" | "/" => both(self, Some(left), Some(right)),
                    "<<" | ">>" => self.is_power_of(left, seen, depth),
                    _ => false,
                }
            }
            "call_expression" => {
                let (Some(function), Some(list)) = (field("function"), field("arguments")) else { return false };
                let name = self.callee(function);
                let arguments = listed_in(list);
                if !self.lower.names.functions.contains_key(name) && self.find(name, function).is_none() {
                    let [l, r] = arguments[..] else { return false };
                    return matches!(name, "min" | "max") && both(self, Some(l), Some(r));
                }
                let own = self.defined(node);
                own.is_some_and(|own| depth < MAX_DEPTH && self.returns_powers(own, depth + 1))
            }
            _ => false,
        }
    }

    /// The function that a call is of, where there is only one of its name.
    fn defined(&self, call: Node<'u>) -> Option<Node<'u>> {
        let function = call.child_by_field_name("function").filter(|f| f.kind() == "identifier")?;
        let name = self.unit.str(function);
        if self.find(name, function).is_some() || self.lower.names.used.contains(name) {
            return None;
        }
        let own = self.lower.names.functions.get(name)?;
        let [only] = &own.iter().filter(|d| d.has_body).collect::<Vec<_>>()[..] else { return None };
        let types = |d: &FunDecl<'u>| {
            let list = d.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
            list.iter().map(|p| p.child_by_field_name("type").map(|ty| self.unit.str(ty))).collect::<Vec<_>>()
        };
        let is_same = |d: &&FunDecl<'u>| d.scope == only.scope && types(d) == types(only);
        let is_plain = own.iter().all(|d| d.class.is_none() && d.template.is_none() && is_same(&d));
        let ty = only.node.child_by_field_name("type").filter(|ty| self.is_integer_type(*ty));
        let returns = only.node.child_by_field_name("declarator").is_some_and(|d| d.kind() == "function_declarator");
        let is_wide = ty.and_then(|ty| self.integer_type(ty)).is_some_and(|ty| ty.bits >= 32);
        (is_plain && is_wide && returns && !self.is_method()).then_some(only.node)
    }

    /// Does a function return powers of two, or zero?
    fn returns_powers(&mut self, function: Node<'u>, depth: usize) -> bool {
        let mut host = Host::new(self.unit, self.lower, function, function);
        host.scan();
        let returns = host.returns();
        (1..=MAX_RETURNS).contains(&returns.len())
            && returns.iter().all(|value| {
                value.is_some_and(|v| host.is_power_of(v, &mut FxHashSet::default(), depth) || host.is_next_power(v))
            })
    }

    /// What the function returns.
    pub(super) fn returns(&self) -> Vec<Option<Node<'u>>> {
        let mut found = Vec::new();
        let mut stack = vec![self.function];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "return_statement" => found.push(node.named_child(0)),
                "lambda_expression" => {}
                _ => stack.extend(listed_in(node)),
            }
        }
        found
    }

    /// Is this one more than a parameter of which all bits below the highest were set?
    fn is_next_power(&self, value: Node<'u>) -> bool {
        let text = self.squeezed(value);
        let name = text.strip_prefix("++").or_else(|| text.strip_suffix("+1")).unwrap_or(&text);
        let Some(variable) = self.find(name, value) else { return false };
        let known = &self.variables[variable];
        let ty = known.ty.and_then(|ty| self.integer_type(ty));
        let Some(ty) = ty.filter(|ty| ty.bits >= 32 && !known.is_wild && !known.is_remote) else { return false };
        let body = self.function.child_by_field_name("body").map(listed_in).unwrap_or_default();
        // The statements of the function that change it, in their order.
        let Some(statements): Option<Vec<Node<'u>>> = known
            .events
            .iter()
            .filter(|e| !e.declares)
            .map(|e| body.iter().copied().find(|s| contains(*s, e.node)))
            .collect()
        else {
            return false;
        };
        // Not one that leaves before.
        if statements.iter().any(|s| s.end_byte() > value.start_byte() && !contains(*s, value)) {
            return false;
        }
        let texts: Vec<String> = statements.iter().map(|s| self.squeezed(*s)).collect();
        let one_less = [format!("--{name};"), format!("{name}--;"), format!("{name}-=1;")];
        let smear = SMEAR.iter().filter(|s| **s < ty.bits).map(|s| format!("{name}|={name}>>{s};"));
        let smear: Vec<String> = smear.collect();
        let rest = texts.iter().skip(usize::from(texts.first().is_some_and(|t| one_less.contains(t)))).cloned();
        let rest: Vec<String> = rest.collect();
        let Some(last) = rest.strip_prefix(&smear[..]) else { return false };
        match last {
            [] => text != name,
            // In the value, or just before it.
            [add] if text == name => [format!("++{name};"), format!("{name}++;"), format!("{name}+=1;")].contains(add),
            [add] => *add == format!("return{text};"),
            _ => false,
        }
    }

    pub(super) fn squeezed(&self, node: Node<'u>) -> String {
        self.unit.str(node).chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// `odd_part(n) == 1`: the number that is so asked to be a power of two.
    pub(super) fn asked_power(&mut self, condition: Node<'u>) -> Option<B> {
        let mut condition = condition;
        while matches!(condition.kind(), "parenthesized_expression" | "condition_clause") {
            condition = condition.child_by_field_name("value").or_else(|| last_named(condition))?;
        }
        let operator = condition.child_by_field_name("operator").filter(|_| condition.kind() == "binary_expression")?;
        (self.unit.str(operator) == "==").then_some(())?;
        let (left, right) = (condition.child_by_field_name("left")?, condition.child_by_field_name("right")?);
        (self.constant(right)?.as_num()? == 1).then_some(())?;
        let mut call = left;
        if call.kind() == "identifier" {
            let variable = self.find(self.unit.str(call), call)?;
            // `bool r = odd_part(n);` says nothing.
            self.variables[variable].ty.filter(|ty| self.is_wide(*ty))?;
            let last = self.last_change(variable, &Part::Whole, call)?;
            call = last.value.filter(|_| last.field.is_none())?;
        }
        let function = self.defined(call).filter(|_| call.kind() == "call_expression")?;
        let (at, own) = Host::new(self.unit, self.lower, function, function).odd_part()?;
        let argument = *listed_in(call.child_by_field_name("arguments")?).get(at)?;
        // One that is not made smaller.
        let ty = self.type_of(argument).filter(|ty| ty.bits <= own.bits)?;
        Some(one_of(&self.number(argument)?, powers(ty)))
    }

    /// The parameter, and its type, that the function returns after it was halved as long as it was even, or zero.
    fn odd_part(&mut self) -> Option<(usize, IntTy)> {
        self.scan();
        let returns = self.returns();
        let zero = |host: &Self, node: Node<'u>| host.unit.str(node) == "0";
        let names: Vec<Node<'u>> = returns.into_iter().collect::<Option<Vec<_>>>()?;
        let name = names.iter().copied().filter(|n| !zero(self, *n)).exactly_one().ok()?;
        let variable = self.find(self.unit.str(name), name).filter(|_| name.kind() == "identifier")?;
        let known = &self.variables[variable];
        let text = known.name;
        (known.is_parameter && !known.is_wild && !known.is_remote && known.escapes.is_none()).then_some(())?;
        let change = known.events.iter().filter(|e| !e.declares).exactly_one().ok()?.node;
        [format!("{text}>>=1"), format!("{text}/=2")].contains(&self.squeezed(change)).then_some(())?;
        let mut around = change.parent()?;
        while !matches!(around.kind(), "while_statement" | "for_statement") {
            let runs = matches!(around.kind(), "expression_statement" | "compound_statement" | "comma_expression");
            around = around.parent().filter(|_| runs)?;
        }
        let mut condition = around.child_by_field_name("condition")?;
        if condition.kind() == "condition_clause" {
            condition = condition.child_by_field_name("value")?;
        }
        let even = [format!("({text}&1)==0"), format!("!({text}&1)"), format!("{text}%2==0"), format!("({text}%2)==0")];
        even.contains(&self.squeezed(condition)).then_some(())?;
        // Nothing else leaves the loop, and it is run before what is returned.
        let mut stack = vec![around];
        while let Some(node) = stack.pop() {
            let leaves = ["break_statement", "continue_statement", "return_statement", "goto_statement"];
            (!leaves.contains(&node.kind())).then_some(())?;
            stack.extend(listed_in(node));
        }
        let statement = name.parent()?;
        self.dominating(around, statement).filter(|s| *s == around)?;
        let mut node = known.declarator?;
        while !node.kind().ends_with("parameter_declaration") {
            node = node.parent()?;
        }
        let ty = self.variables[variable].ty.and_then(|ty| self.integer_type(ty))?;
        Some((listed_in(node.parent()?).iter().position(|p| *p == node)?, ty))
    }

    /// An element of a table of constants, at a subscript that is not one.
    pub(super) fn element_of(&mut self, node: Node<'u>) -> Option<N> {
        let key = (node.start_byte(), node.end_byte());
        if let Some((value, _)) = self.choices.get(&key) {
            return Some(value.clone());
        }
        let table = node.child_by_field_name("argument").filter(|a| a.kind() == "identifier")?;
        let variable = self.find(self.unit.str(table), table).filter(|_| self.arguments.is_empty())?;
        let numbers = self.table(variable).or_else(|| self.tables_behind(variable))?;
        let mut name = format!("{}[..]", self.unit.str(table));
        while !self.symbols.insert(name.clone()) {
            name.push('\'');
        }
        let ty = self.element_type(variable)?;
        self.types.insert(Name::new(name.as_str()), ty);
        let value = super::symbol(&name);
        self.choices.insert(key, (value.clone(), numbers));
        Some(value)
    }

    /// The numbers that the variable of a loop over a table goes through.
    fn ranged_over(&mut self, variable: usize) -> Option<Vec<i128>> {
        let known = &self.variables[variable];
        let (only, ty) = (known.events.iter().exactly_one().ok()?, known.ty?);
        let around = only.node.parent().filter(|p| p.kind() == "for_range_loop" && only.declares && !known.is_wild)?;
        let over = around.child_by_field_name("right")?;
        let numbers = match over.kind() {
            "initializer_list" => self.constants_in(over)?,
            "identifier" => self.table(self.find(self.unit.str(over), over)?)?,
            _ => return None,
        };
        let ty = self.integer_type(ty);
        numbers.into_iter().map(|n| converted(&N::num(n), ty)?.as_num()).collect()
    }

    fn constants_in(&mut self, list: Node<'u>) -> Option<Vec<i128>> {
        let items = listed_in(list);
        let numbers = items.iter().map(|item| self.constant(*item)?.as_num()).collect::<Option<Vec<i128>>>();
        numbers.filter(|_| !items.is_empty() && items.len() <= MAX_ELEMENTS)
    }

    /// The type of the elements of a table.
    fn element_type(&self, variable: usize) -> Option<IntTy> {
        let ty = self.variables[variable].ty?;
        let text = self.unit.str(ty);
        let inner = text.strip_suffix('>').filter(|_| !self.lower.names.types.contains_key("vector"));
        let inner = inner.and_then(|t| t.strip_prefix("std::").unwrap_or(t).strip_prefix("vector<"));
        match inner {
            Some(inner) => {
                let words = ["int", "unsigned", "unsigned int", "size_t", "uint32_t", "int32_t", "int64_t", "long"];
                super::types::integer_type(inner).filter(|_| words.contains(&inner.trim()))
            }
            None => self.integer_type(ty).filter(|_| self.is_integer_type(ty)),
        }
    }

    /// The numbers in an array or vector that only its initialiser gives a value, and what is not in the initialiser: 0.
    fn table(&mut self, variable: usize) -> Option<Vec<i128>> {
        let known = &self.variables[variable];
        let (name, declarator) = (known.name, known.declarator?);
        let element = self.element_type(variable)?;
        let is_array = declarator.kind() == "array_declarator"
            && declarator.child_by_field_name("declarator").is_some_and(|d| d.kind() == "identifier");
        let is_vector = declarator.kind() == "identifier" && self.unit.str(known.ty?).ends_with('>');
        (is_array || is_vector).then_some(())?;
        (!known.is_wild && !known.is_remote).then_some(())?;
        let is_size = |event: &Event<'u>| self.squeezed(event.node) == format!("{name}.size()");
        known.events.iter().all(|e| e.declares || is_vector && is_size(e)).then_some(())?;
        let list = known.events.iter().find(|e| e.declares)?.value.filter(|v| v.kind() == "initializer_list")?;
        self.is_table_read(variable).then_some(())?;
        let size = declarator.child_by_field_name("size").map(|size| self.constant(size).and_then(|n| n.as_num()));
        let given = self.constants_in(list)?.into_iter().map(|n| converted(&N::num(n), Some(element))?.as_num());
        let mut numbers: Vec<i128> = given.collect::<Option<_>>()?;
        if size.is_some_and(|size| size != Some(numbers.len() as i128)) {
            numbers.push(0);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    }

    /// The numbers in the tables that a pointer may point to, which its initialiser names. Nothing else changes it, and nothing is
    /// done with it than to read elements.
    fn tables_behind(&mut self, variable: usize) -> Option<Vec<i128>> {
        self.is_reader(variable).then_some(())?;
        let mut open = vec![self.variables[variable].events.first()?.value?];
        let mut numbers = Vec::new();
        while let Some(node) = open.pop() {
            match node.kind() {
                "parenthesized_expression" => open.push(last_named(node)?),
                "conditional_expression" => {
                    open.extend(
                        ["consequence", "alternative"]
                            .map(|field| node.child_by_field_name(field))
                            .into_iter()
                            .flatten(),
                    );
                }
                "identifier" => numbers.extend(self.table(self.find(self.unit.str(node), node)?)?),
                _ => return None,
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    }

    /// Is this a pointer that only its initialiser gives a value, and that is named for nothing else than elements that are read?
    fn is_reader(&self, variable: usize) -> bool {
        let known = &self.variables[variable];
        let is_pointer = known.declarator.is_some_and(|d| {
            let inner = d.child_by_field_name("declarator").is_some_and(|d| d.kind() == "identifier");
            d.kind() == "pointer_declarator" && inner
        });
        let once = known.events.iter().exactly_one().is_ok_and(|e| e.declares);
        let own = once && !known.is_wild && !known.is_remote && known.escapes.is_none() && !known.is_parameter;
        own && is_pointer && self.is_table_read(variable)
    }

    /// Is a table, or a pointer to one, named for nothing else than its size and elements, loops that copy them, and pointers that are
    /// read in the same way?
    fn is_table_read(&self, variable: usize) -> bool {
        let known = &self.variables[variable];
        let points = known.declarator.is_some_and(|d| d.kind() == "pointer_declarator");
        let mut stack = vec![self.function];
        while let Some(node) = stack.pop() {
            stack.extend(listed_in(node));
            let text = self.unit.str(node);
            if node.kind() != "identifier" || text != known.name || self.find(text, node) != Some(variable) {
                continue;
            }
            // What it is part of, but for parentheses and choices.
            let (mut part, mut around) = (node, node.parent());
            while let Some(parent) = around
                && (parent.kind() == "parenthesized_expression"
                    || parent.kind() == "conditional_expression"
                        && parent.child_by_field_name("condition") != Some(part))
            {
                (part, around) = (parent, parent.parent());
            }
            let Some(parent) = around else { return false };
            let is = |field: &str| parent.child_by_field_name(field) == Some(node);
            let reads = match parent.kind() {
                "subscript_expression" if points => is("argument") && is_plainly_read(parent),
                "subscript_expression" => is("argument"),
                "sizeof_expression" => true,
                "for_range_loop" => is("right"),
                "field_expression" => parent.parent().is_some_and(|p| p.kind() == "call_expression"),
                "init_declarator" if parent.child_by_field_name("value") == Some(part) => {
                    let declarator = parent.child_by_field_name("declarator");
                    let pointer =
                        self.variables.iter().position(|v| v.declarator.is_some() && v.declarator == declarator);
                    !points && pointer.is_some_and(|pointer| self.is_reader(pointer))
                }
                "declaration" | "init_declarator" | "array_declarator" | "pointer_declarator" => is("declarator"),
                _ => false,
            };
            // `&t[0]`
            let is_place = parent.parent().is_none_or(|p| p.kind() == "pointer_expression");
            if !reads || is_place {
                return false;
            }
        }
        true
    }
}

/// Is an element nothing but an operand, or the new value of something?
fn is_plainly_read(element: Node) -> bool {
    let is = |parent: Node, field: &str| parent.child_by_field_name(field) == Some(element);
    element.parent().is_some_and(|parent| match parent.kind() {
        "assignment_expression" => is(parent, "right"),
        // And no reference.
        "init_declarator" => {
            is(parent, "value") && parent.child_by_field_name("declarator").is_some_and(|d| d.kind() == "identifier")
        }
        "binary_expression" => {
            let operator = parent.child_by_field_name("operator").map_or("", |o| o.kind());
            !matches!(operator, "<<" | ">>")
        }
        _ => false,
    })
}
