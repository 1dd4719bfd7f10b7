//! Expressions of the host as mathematical integers.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::super::unit::{FunDecl, Unit, declared_name, each_named, last_named};
use super::places::listed_in;
use super::types::{converted, in_common, integer_type};
use super::variables::{Part, contains};
use super::{Host, MAX_DEPTH, symbol};
use crate::base::Name;
use crate::exp::{B, IntTy, N, NBin, NExp, NRel};

/// Up to here all integers are numbers of `float`, and of `double`.
const FLOAT: i128 = 1 << 24;
const DOUBLE: i128 = 1 << 53;

fn exact_up_to(ty: &str) -> i128 {
    if ty.contains("double") { DOUBLE } else { FLOAT }
}

impl<'u> Host<'_, 'u> {
    /// A host expression as a mathematical integer.
    pub(super) fn number(&mut self, node: Node<'u>) -> Option<N> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = self.number_inner(node);
        self.depth -= 1;
        value
    }

    fn number_inner(&mut self, node: Node<'u>) -> Option<N> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "number_literal" | "char_literal" | "true" | "false" | "sizeof_expression" => self.constant(node),
            "parenthesized_expression" | "condition_clause" => {
                let inner = field("value").or_else(|| last_named(node))?;
                self.number(inner)
            }
            "identifier" => self.variable(self.unit.str(node), node),
            // `n = m = 64`
            "assignment_expression" if self.unit.str(field("operator")?) == "=" => {
                let (place, value) = (field("left")?, field("right")?);
                let value = self.rounded(value).or_else(|| self.number(value))?;
                converted(&value, Some(self.type_of(place)?))
            }
            "qualified_identifier" => self.constant(node),
            "cast_expression" => {
                let (ty, value) = (field("type")?, field("value")?);
                self.is_integer_type(ty).then_some(())?;
                let value = self.rounded(value).or_else(|| self.number(value))?;
                converted(&value, self.integer_type(ty))
            }
            "unary_expression" if self.unit.str(field("operator")?) == "-" => {
                let value = self.number(field("argument")?)?;
                self.wrapped(N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &value), node)
            }
            "unary_expression" if self.unit.str(field("operator")?) == "~" => {
                let value = self.number(field("argument")?)?.as_num()?;
                self.wrapped(N::num(value.checked_neg()?.checked_sub(1)?), node)
            }
            "conditional_expression" => {
                let cond = self.condition(field("condition")?)?;
                let (then, els) = (self.number(field("consequence")?)?, self.number(field("alternative")?)?);
                Some(N::ite(&cond, &then, &els))
            }
            "binary_expression" => {
                let op = self.unit.str(field("operator")?);
                if matches!(op, "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||") {
                    let cond = self.condition(node)?;
                    return Some(N::ite(&cond, &N::num(1), &N::num(0)));
                }
                let (left, right) = (field("left")?, field("right")?);
                if self.is_overloaded(op, left, right) {
                    return None;
                }
                let (l, r) = (self.number(left)?, self.number(right)?);
                // Of constants, after the conversions of C.
                if matches!(op, "&" | "|" | "^") {
                    let ty = self.type_of(node)?;
                    let (a, b) = (ty.wrap(l.as_num()?), ty.wrap(r.as_num()?));
                    return Some(N::num(match op {
                        "&" => a & b,
                        "|" => a | b,
                        _ => a ^ b,
                    }));
                }
                // `(n + b - 1) / b` is not evaluated where `b` is zero.
                let l = if op == "/" { self.rounding_up(left, right).unwrap_or(l) } else { l };
                let (l, r) = match op {
                    "/" | "%" => {
                        let ty = in_common(self.type_or_int(left), self.type_or_int(right));
                        (self.operand(l, left, ty), self.operand(r, right, ty))
                    }
                    _ => (l, r),
                };
                let op = match op {
                    "+" => NBin::Add,
                    "-" => NBin::Sub,
                    "*" => NBin::Mul,
                    "/" | "%" if r.as_num() == Some(0) => return None,
                    "/" => NBin::Div,
                    "%" => NBin::Rem,
                    "<<" | ">>" => {
                        let by = r.as_num().filter(|n| (0..62).contains(n))?;
                        let factor = N::num(1i128 << by);
                        let op = if op == "<<" { NBin::Mul } else { NBin::Div };
                        let shifted = N::bin(op, IntTy::MATH, &l, &factor);
                        if op == NBin::Mul || self.least(left).is_some_and(|n| n >= 0) {
                            return self.wrapped(shifted, node);
                        }
                        // A negative number is rounded down.
                        let up = N::bin(NBin::Sub, IntTy::MATH, &N::num((1i128 << by) - 1), &l);
                        let up = N::bin(NBin::Div, IntTy::MATH, &up, &factor);
                        let below = N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &up);
                        return Some(N::ite(&B::rel(NRel::Lt, &l, &N::num(0)), &below, &shifted));
                    }
                    _ => return None,
                };
                let sum = op == NBin::Add && [&l, &r].into_iter().any(|part| matches!(part.kind(), NExp::If(..)));
                let value = self.wrapped(N::bin(op, IntTy::MATH, &l, &r), node)?;
                // What has wrapped around below may do so above.
                match self.type_of(node).filter(|ty| sum && !ty.signed) {
                    Some(ty) => {
                        let past = N::num(1i128 << ty.bits);
                        let less = N::bin(NBin::Sub, IntTy::MATH, &value, &past);
                        Some(N::ite(&past.le(&value), &less, &value))
                    }
                    None => Some(value),
                }
            }
            "field_expression" => self.field(node),
            "subscript_expression" => {
                self.field(node).or_else(|| self.element_of(node)).or_else(|| self.size_of_object(node))
            }
            "call_expression" => self.call(node).or_else(|| self.result(node)).or_else(|| self.size_of_object(node)),
            _ => None,
        }
    }

    /// An operand of a division in a type: one that is not known, and made unsigned, is taken not to be negative, which is
    /// listed; sums and products of sizes are taken to fit.
    fn operand(&mut self, value: N, node: Node<'u>, ty: IntTy) -> N {
        let mut inner = node;
        while let Some(next) = last_named(inner).filter(|_| inner.kind() == "parenthesized_expression") {
            inner = next;
        }
        let from = self.type_or_int(inner);
        let operator = inner.child_by_field_name("operator").map_or("", |o| self.unit.str(o));
        let is_sum = inner.kind() == "binary_expression" && operator != "-";
        if ty.signed || !from.signed || value.as_num().is_none() && is_sum {
            return value;
        }
        if value.as_num().is_none() && self.arguments.is_empty() && self.is_sure(node) {
            if self.least_of(inner).is_none_or(|n| n < 0) {
                self.taken.push(N::num(0).le(&value));
            }
            return value;
        }
        self.unsigned(value, inner, ty)
    }

    /// The type of an expression; what is not known, as a constant of the unit, counts as an `int`.
    fn type_or_int(&mut self, node: Node<'u>) -> IntTy {
        self.type_of(node).unwrap_or(IntTy::I32)
    }

    pub(super) fn constant(&mut self, node: Node<'u>) -> Option<N> {
        self.lower.constant_at(node).map(N::num)
    }

    pub(super) fn variable(&mut self, name: &'u str, node: Node<'u>) -> Option<N> {
        if let Some(arguments) = self.arguments.last() {
            return match arguments.get(name) {
                Some((value, _)) => Some(value.clone()),
                None => self.constant(node),
            };
        }
        let Some(variable) = self.find(name, node) else {
            return self.fixed.get(name).map(|value| N::num(*value)).or_else(|| self.constant(node));
        };
        if !self.is_of_integers(variable) {
            return None;
        }
        let known = &self.variables[variable];
        let ty = known.ty?;
        let is_plain = known.declarator.is_some_and(|d| is_plain_name(d.kind()));
        if !is_plain || !self.is_named_number(name, node) {
            return None;
        }
        let ty = self.integer_type(ty);
        Some(self.value_at(variable, &Part::Whole, ty, self.read_at(node)))
    }

    /// A part of a variable, or a field of what it points to.
    fn field(&mut self, node: Node<'u>) -> Option<N> {
        if let Some((object, path, whole)) = self.path_of(node) {
            if path.is_empty() && whole && self.arguments.is_empty() {
                return self.variable(self.unit.str(object), object);
            }
            let variable = self.find(self.unit.str(object), object).filter(|_| whole && self.arguments.is_empty())?;
            let plain = |kind| is_plain_name(kind) || matches!(kind, "array_declarator" | "function_declarator");
            self.variables[variable].declarator.filter(|d| plain(d.kind()))?;
            if path == "warpSize" && self.is_properties(variable) {
                return Some(N::num(32));
            }
            let ty = self.field_type(variable, path).or_else(|| self.part_type(variable, path))?;
            return self.part_value(variable, path, ty, self.read_at(node));
        }
        let object = node.child_by_field_name("argument").filter(|a| a.kind() == "identifier")?;
        let field = self.unit.str(node.child_by_field_name("field")?);
        let variable = self.find(self.unit.str(object), object).filter(|_| self.arguments.is_empty())?;
        let ty = self.field_type(variable, field)?;
        self.variables[variable].declarator.filter(|d| d.kind() == "pointer_declarator")?;
        Some(self.value_at(variable, &Part::Behind(Name::new(field)), Some(ty), self.read_at(node)))
    }

    /// What CUDA says of a device, in which the program writes nothing: warps of it have 32 threads. [HOST-WARP]
    fn is_properties(&self, variable: usize) -> bool {
        if self.variables[variable].ty.is_none_or(|ty| self.unit.str(ty) != "cudaDeviceProp") {
            return false;
        }
        let mut written = false;
        each_named(self.function, |n| {
            let left = n.child_by_field_name("left").filter(|_| n.kind() == "assignment_expression");
            written |= left.is_some_and(|l| self.unit.str(l).ends_with("warpSize"));
        });
        !written
    }

    pub(super) fn is_integer_type(&self, ty: Node<'u>) -> bool {
        let words = [
            "int", "unsigned", "size_t", "uint", "long", "short", "int32_t", "uint32_t", "int64_t", "uint64_t", "auto",
            "char", "bool",
        ];
        let text = self.spelled(ty);
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .all(|w| w.is_empty() || words.contains(&w) || w == "const" || w == "std")
            && !text.contains(['*', '&'])
    }

    /// `ceil(a / b)` of whole numbers.
    pub(super) fn rounded(&mut self, node: Node<'u>) -> Option<N> {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            node = last_named(node)?;
        }
        if node.kind() != "call_expression" {
            return None;
        }
        if let Some(value) = self.logarithm(node) {
            return Some(value);
        }
        let name = self.unit.str(self.unit.qualified(node.child_by_field_name("function")?).1);
        if !matches!(name, "ceil" | "ceilf") {
            return None;
        }
        let mut division = node.child_by_field_name("arguments")?.named_child(0)?;
        while division.kind() == "parenthesized_expression" {
            division = last_named(division)?;
        }
        if division.kind() != "binary_expression" || self.unit.str(division.child_by_field_name("operator")?) != "/" {
            return None;
        }
        let (l, r) = (division.child_by_field_name("left")?, division.child_by_field_name("right")?);
        let least = self.least(l);
        // One side has to be made a fraction, or the division is that of integers.
        let (l, l_exact) = self.whole(l)?;
        let (r, r_exact) = self.whole(r)?;
        let of_float = (name == "ceilf").then_some(FLOAT);
        let Some(limit) = l_exact.max(r_exact) else {
            let quotient = N::bin(NBin::Div, IntTy::MATH, &l, &r);
            self.exact(&quotient, of_float.unwrap_or(DOUBLE), division)?;
            return Some(quotient);
        };
        self.exact(&l, of_float.unwrap_or(limit), division)?;
        // A divisor that is larger than all numbers that are divided only ever gives 0 or 1.
        if r.as_num().is_some() {
            self.exact(&r, limit, division)?;
        }
        // Where the sides have one sign the quotient is rounded away from zero, else towards it.
        let up = |step: &N, op: NBin| {
            let sum = N::bin(NBin::Add, IntTy::MATH, &l, &N::bin(op, IntTy::MATH, &r, step));
            N::bin(NBin::Div, IntTy::MATH, &sum, &r)
        };
        let (zero, one) = (N::num(0), N::num(1));
        let (above, below) = (up(&one, NBin::Sub), up(&one, NBin::Add));
        let both = |l: B, r: B| B::and([l, r]);
        let is_positive = both(zero.le(&l), B::rel(NRel::Lt, &zero, &r));
        let is_negative = both(l.le(&zero), B::rel(NRel::Lt, &r, &zero));
        let otherwise = N::ite(&is_negative, &below, &N::bin(NBin::Div, IntTy::MATH, &l, &r));
        let known = least.is_some_and(|n| n >= 0) && r.as_num().is_some_and(|n| n > 0);
        Some(if known { above } else { N::ite(&is_positive, &above, &otherwise) })
    }

    /// A whole number that may be converted to a fraction, and up to which number that is exact.
    fn whole(&mut self, node: Node<'u>) -> Option<(N, Option<i128>)> {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            node = last_named(node)?;
        }
        let text = self.unit.str(node);
        match node.kind() {
            "number_literal" if text.contains('.') => {
                let digits = text.trim_end_matches(['f', 'F']);
                let value: f64 = digits.parse().ok()?;
                let limit = if digits == text { DOUBLE } else { FLOAT };
                (value.fract() == 0.0 && value.abs() <= limit as f64).then(|| (N::num(value as i128), Some(limit)))
            }
            "cast_expression" if matches!(self.unit.str(node.child_by_field_name("type")?), "float" | "double") => {
                let value = self.number(node.child_by_field_name("value")?)?;
                let limit = exact_up_to(self.unit.str(node.child_by_field_name("type")?));
                self.exact(&value, limit, node)?;
                Some((value, Some(limit)))
            }
            "call_expression" => {
                let callee = self.unit.str(node.child_by_field_name("function")?);
                let float = matches!(callee, "float" | "double" | "static_cast<float>" | "static_cast<double>");
                if !float {
                    return Some((self.number(node)?, None));
                }
                let value = self.number(node.child_by_field_name("arguments")?.named_child(0)?)?;
                let limit = exact_up_to(callee);
                self.exact(&value, limit, node)?;
                Some((value, Some(limit)))
            }
            _ => Some((self.number(node)?, None)),
        }
    }

    /// A number that is made one of `float` is taken to have no more bits than that, which is listed.
    /// `None`: it is a constant that has more, or it is not made one whenever the kernel is launched.
    fn exact(&mut self, value: &N, limit: i128, node: Node<'u>) -> Option<()> {
        match value.as_num() {
            Some(n) => (n.abs() <= limit).then_some(())?,
            None if limit == FLOAT => {
                (self.arguments.is_empty() && self.is_sure(node)).then_some(())?;
                self.taken.push(value.le(&N::num(FLOAT)));
            }
            None => {}
        }
        Some(())
    }

    /// Is an expression evaluated before each launch, or for it?
    fn is_sure(&self, node: Node<'u>) -> bool {
        let mut inner = node;
        while inner != self.launch {
            let Some(outer) = inner.parent() else { return false };
            let operator = outer.child_by_field_name("operator").map_or("", |o| self.unit.str(o));
            match outer.kind() {
                "conditional_expression" | "lambda_expression" => return false,
                "binary_expression" if matches!(operator, "&&" | "||" | "and" | "or") => return false,
                // What is done after the first round.
                "for_statement" if outer.child_by_field_name("update") == Some(inner) => return false,
                "do_statement" => return false,
                kind if kind.ends_with("statement") || kind == "declaration" => {
                    return contains(outer, self.launch) || self.dominating(node, self.launch).is_some();
                }
                _ => inner = outer,
            }
        }
        true
    }

    /// What a call of another function returns: a number that nothing is known of. No two calls return the same one.
    fn result(&mut self, node: Node<'u>) -> Option<N> {
        if let Some(known) = self.results.get(&node.id()) {
            return Some(known.clone());
        }
        let name = self.callee(node.child_by_field_name("function")?);
        let own = self.lower.names.functions.get(name)?;
        let plain = |d: &FunDecl<'u>| {
            let is_own = self.is_named_plainly(node.child_by_field_name("function").unwrap_or(node), d);
            let has_pointer =
                d.node.child_by_field_name("declarator").is_none_or(|n| n.kind() != "function_declarator");
            let ty = d.node.child_by_field_name("type");
            is_own && !has_pointer && d.template.is_none() && ty.is_some_and(|ty| self.is_integer_type(ty))
        };
        let types = own.iter().map(|d| self.integer_type(d.node.child_by_field_name("type")?));
        let [ty] = types.collect::<FxHashSet<_>>().into_iter().collect::<Vec<_>>()[..] else { return None };
        if !self.arguments.is_empty() || !own.iter().all(plain) {
            return None;
        }
        let ty = ty?;
        let mut symbol_name = format!("{name}()");
        while !self.symbols.insert(symbol_name.clone()) {
            symbol_name.push('\'');
        }
        self.types.insert(Name::new(symbol_name.as_str()), ty);
        let value = symbol(&symbol_name);
        if !self.is_input(node) {
            self.computed.insert(symbol_name.clone(), Vec::new());
        }
        self.note_choices(node, &value, ty);
        self.results.insert(node.id(), value.clone());
        Some(value)
    }

    /// A call of a function that does nothing but return an expression of its parameters.
    pub(super) fn call(&mut self, node: Node<'u>) -> Option<N> {
        let function = node.child_by_field_name("function")?;
        let list = node.child_by_field_name("arguments")?;
        let mut cursor = list.walk();
        let arguments: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let callee = self.unit.str(function);
        let name = self.unit.str(self.unit.qualified(function).1);
        if let ("static_cast", [value]) = (callee.split('<').next().unwrap_or(""), arguments.as_slice()) {
            let integer = callee.trim_end_matches('>').split('<').nth(1)?;
            let words = [
                "int",
                "unsigned",
                "unsigned int",
                "size_t",
                "long",
                "uint32_t",
                "int32_t",
                "int64_t",
                "uint64_t",
                "uint",
            ];
            words.contains(&integer.trim()).then_some(())?;
            let value = self.rounded(*value).or_else(|| self.number(*value))?;
            return converted(&value, integer_type(integer));
        }
        // A lambda, or another object that is called.
        if self.find(name, node).is_some() {
            return None;
        }
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let path = callee.strip_suffix(name).unwrap_or(callee);
        if overloads.is_empty() && matches!(name, "min" | "max") && matches!(path, "" | "::" | "std::" | "thrust::") {
            let [l, r] = arguments.as_slice() else { return None };
            // Of an unsigned number and another that may be negative, that is no such thing any more.
            let ty = |host: &mut Self, n: Node<'u>| host.type_of(n).unwrap_or(IntTy::I32);
            let (a, b) = (ty(self, *l), ty(self, *r));
            let is_mixed = a.signed != b.signed && !in_common(a, b).signed;
            let negative = if a.signed { *l } else { *r };
            if is_mixed && self.least(negative).is_none_or(|n| n < 0) {
                return None;
            }
            let (l, r) = (self.number(*l)?, self.number(*r)?);
            let op = if name == "min" { NBin::Min } else { NBin::Max };
            return Some(N::bin(op, IntTy::MATH, &l, &r));
        }
        if self.is_rounding_up(node) {
            return self.quotient_above(node);
        }
        if overloads.is_empty() && matches!(name, "int" | "size_t" | "unsigned") {
            let [value] = arguments.as_slice() else { return None };
            let value = self.rounded(*value).or_else(|| self.number(*value))?;
            return converted(&value, integer_type(name));
        }
        if function.kind() == "template_function" && arguments.is_empty() {
            let base = function.child_by_field_name("name").map_or("", |name| self.unit.str(name));
            let is_other = self.is_method() || self.find(base, node).is_some() || self.lower.names.used.contains(base);
            return self.lower.constant_call(node).filter(|_| !is_other).map(|(value, _)| N::num(value));
        }
        // One function, which is called by its own name.
        let same = |d: &FunDecl<'u>| {
            let count = |d: &FunDecl<'u>| d.declarator.child_by_field_name("parameters").map(|p| listed_in(p).len());
            let types = |d: &FunDecl<'u>| {
                let list = d.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
                list.iter().map(|p| p.child_by_field_name("type").map(|ty| self.unit.str(ty))).collect::<Vec<_>>()
            };
            overloads.first().is_some_and(|f| f.scope == d.scope && count(f) == count(d) && types(f) == types(d))
        };
        if !overloads.iter().all(same) || !self.is_named_plainly(function, overloads.first()?) {
            return None;
        }
        let mut defined = overloads.iter().filter(|d| d.has_body);
        let (Some(decl), None) = (defined.next(), defined.next()) else { return None };
        let body = decl.node.child_by_field_name("body")?;
        let mut cursor = body.walk();
        // Variables of its own, and what it returns.
        let statements: Vec<Node<'u>> = body.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let (only, before) = statements.split_last()?;
        if only.kind() != "return_statement" || !before.iter().all(|statement| statement.kind() == "declaration") {
            return None;
        }
        let mut changes = false;
        each_named(body, |n| changes |= matches!(n.kind(), "assignment_expression" | "update_expression"));
        if changes {
            return None;
        }
        let parameters = listed_in(decl.declarator.child_by_field_name("parameters")?);
        if arguments.len() > parameters.len() {
            return None;
        }
        let mut bound = FxHashMap::default();
        // The types that parameters of a template stand for, by what is given. [HOST-DEDUCED]
        let mut deduced: FxHashMap<&'u str, IntTy> = FxHashMap::default();
        let open: FxHashSet<&'u str> =
            decl.template.into_iter().flat_map(listed_in).filter_map(type_name(self.unit)).collect();
        for (i, parameter) in parameters.into_iter().enumerate() {
            let ty = parameter.child_by_field_name("type")?;
            let own_type = Some(self.unit.str(ty)).filter(|name| open.contains(name));
            if own_type.is_none() && !self.is_integer_type(ty) {
                return None;
            }
            let name = parameter.child_by_field_name("declarator").and_then(declared_name)?;
            // What is given where no argument is names nothing of the function that calls.
            let missing = arguments.get(i).is_none();
            let argument = match arguments.get(i) {
                Some(argument) => *argument,
                None => overloads.iter().find_map(|d| default_of(d.declarator, i))?,
            };
            self.arguments.extend(missing.then(FxHashMap::default));
            let (number, own) = (self.number(argument), self.type_of(argument));
            if missing {
                self.arguments.pop();
            }
            let ty = match own_type {
                Some(name) if missing || *deduced.entry(name).or_insert(own?) != own? => return None,
                Some(name) => deduced.get(name).copied(),
                None => self.integer_type(ty),
            };
            let value = converted(&number?, ty)?;
            let ty = ty.or(own).unwrap_or(IntTy::I32);
            bound.insert(self.unit.str(name), (value, ty));
        }
        let returns = decl.node.child_by_field_name("type")?;
        let returns = match deduced.get(self.unit.str(returns)) {
            Some(ty) => Some(*ty),
            None if self.is_integer_type(returns) => self.integer_type(returns),
            None => return None,
        };
        self.arguments.push(bound);
        let known = before.iter().all(|declaration| self.bind_own(*declaration).is_some());
        let value = only.named_child(0).filter(|_| known);
        let result = value.and_then(|v| self.rounded(v).or_else(|| self.number(v)));
        self.arguments.pop();
        converted(&result?, returns)
    }

    /// The variables of a function that is followed in a call, which have one value each.
    fn bind_own(&mut self, declaration: Node<'u>) -> Option<()> {
        let written = declaration.child_by_field_name("type")?;
        let mut cursor = declaration.walk();
        let is_static = declaration.children(&mut cursor).any(|part| part.kind() == "storage_class_specifier");
        if is_static || !self.is_integer_type(written) {
            return None;
        }
        let ty = self.integer_type(written);
        let mut cursor = declaration.walk();
        let declarators: Vec<Node<'u>> = declaration.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let name = declarator.child_by_field_name("declarator").filter(|name| name.kind() == "identifier")?;
            let value = declarator.child_by_field_name("value").filter(|_| declarator.kind() == "init_declarator")?;
            let number = self.rounded(value).or_else(|| self.number(value))?;
            let number = converted(&number, ty)?;
            let ty = ty.or_else(|| self.type_of(value)).unwrap_or(IntTy::I32);
            let name = self.unit.str(name);
            self.arguments.last_mut()?.insert(name, (number, ty));
        }
        Some(())
    }

    /// Is this function of the host one of a class, as far as it can be told?
    pub(super) fn is_method(&self) -> bool {
        self.function.parent().is_some_and(|p| p.kind() == "field_declaration_list")
            || declared_name(self.function.child_by_field_name("declarator").unwrap_or(self.function))
                .is_none_or(|name| name.kind() != "identifier")
    }

    /// Is a function called by its name alone, where that is none of a class, or by its whole path?
    fn is_named_plainly(&self, function: Node<'u>, decl: &FunDecl<'u>) -> bool {
        let names = self.lower.names;
        let (qualifier, base) = self.unit.qualified(function);
        let path = names.scopes.get(decl.scope.0 as usize);
        if base.kind() != "identifier" || names.used.contains(self.unit.str(base)) {
            return false;
        }
        match function.kind() {
            "qualified_identifier" => path.is_some_and(|path| *path == qualifier.parts),
            _ => decl.class.is_none() && !self.is_method(),
        }
    }

    /// The value of `n + b - 1` in front of `/ b`.
    fn rounding_up(&mut self, left: Node<'u>, right: Node<'u>) -> Option<N> {
        let mut left = left;
        while left.kind() == "parenthesized_expression" {
            left = last_named(left)?;
        }
        let (sum, one) = (left.child_by_field_name("left")?, left.child_by_field_name("right")?);
        let minus = self.unit.str(left.child_by_field_name("operator")?) == "-" && self.unit.str(one) == "1";
        let adds = sum.kind() == "binary_expression"
            && self.unit.str(sum.child_by_field_name("operator")?) == "+"
            && [sum.child_by_field_name("left")?, sum.child_by_field_name("right")?]
                .iter()
                .any(|part| self.unit.str(*part) == self.unit.str(right));
        (minus && adds).then_some(())?;
        Some(N::bin(NBin::Sub, IntTy::MATH, &self.number(sum)?, &N::num(1)))
    }
}

/// Is this the declarator of a variable that is named by itself, here or in a class, or of a reference?
pub(super) fn is_plain_name(declarator: &str) -> bool {
    matches!(declarator, "identifier" | "field_identifier" | "reference_declarator")
}

/// The name of a parameter of a template that stands for a type.
fn type_name<'u>(unit: &'u Unit<'u>) -> impl Fn(Node<'u>) -> Option<&'u str> {
    |parameter| {
        let name = last_named(parameter).filter(|_| parameter.kind() == "type_parameter_declaration")?;
        Some(unit.str(name))
    }
}

/// What a parameter is where no argument is given for it.
fn default_of<'u>(declarator: Node<'u>, i: usize) -> Option<Node<'u>> {
    let parameter = *listed_in(declarator.child_by_field_name("parameters")?).get(i)?;
    parameter.child_by_field_name("default_value")
}
