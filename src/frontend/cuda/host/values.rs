//! Expressions of the host as mathematical integers.

use std::collections::HashMap;

use tree_sitter::Node;

use super::super::unit::{declared_name, last_named};
use super::types::{converted, integer_type};
use super::{Host, MAX_DEPTH, symbol};
use crate::exp::{B, IntTy, N, NBin, NRel};

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
            "qualified_identifier" => self.constant(node),
            "cast_expression" => {
                let (ty, value) = (field("type")?, field("value")?);
                self.is_integer_type(ty).then_some(())?;
                let value = self.rounded(value).or_else(|| self.number(value))?;
                converted(&value, integer_type(self.unit.str(ty)))
            }
            "unary_expression" if self.unit.str(field("operator")?) == "-" => {
                let value = self.number(field("argument")?)?;
                Some(self.wrapped(N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &value), node))
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
                let (l, r) = (self.number(left)?, self.number(right)?);
                // `(n + b - 1) / b` is not evaluated where `b` is zero.
                let l = if op == "/" { self.rounding_up(left, right).unwrap_or(l) } else { l };
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
                            return Some(self.wrapped(shifted, node));
                        }
                        // A negative number is rounded down.
                        let up = N::bin(NBin::Sub, IntTy::MATH, &N::num((1i128 << by) - 1), &l);
                        let up = N::bin(NBin::Div, IntTy::MATH, &up, &factor);
                        let below = N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &up);
                        return Some(N::ite(&B::rel(NRel::Lt, &l, &N::num(0)), &below, &shifted));
                    }
                    _ => return None,
                };
                Some(self.wrapped(N::bin(op, IntTy::MATH, &l, &r), node))
            }
            "field_expression" => {
                let axis = match self.unit.str(field("field")?) {
                    "x" => 0,
                    "y" => 1,
                    "z" => 2,
                    _ => return None,
                };
                let [x, y, z] = self.dims_of_variable(field("argument").filter(|a| a.kind() == "identifier")?)?;
                [x, y, z].into_iter().nth(axis)?
            }
            "call_expression" => self.call(node),
            _ => None,
        }
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
        let Some(uses) = self.uses.get(name).copied() else { return self.constant(node) };
        if !uses.ty.is_some_and(|ty| self.is_integer_type(ty)) || uses.declarations != 1 {
            return None;
        }
        if !self.is_named_number(name) {
            return None;
        }
        match self.value_of(&uses) {
            Some(Some(init)) if self.only_stable(init) => {
                let inner = match init.kind() {
                    "argument_list" | "initializer_list" if init.named_child_count() == 1 => init.named_child(0)?,
                    _ => init,
                };
                let ty = uses.ty.and_then(|ty| integer_type(self.unit.str(ty)));
                let value = self.number(inner).and_then(|value| converted(&value, ty));
                Some(value.unwrap_or_else(|| symbol(name)))
            }
            _ => Some(symbol(name)),
        }
    }

    /// Are all variables in an expression stable, so that it has one value?
    pub(super) fn only_stable(&self, node: Node<'u>) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if node.kind() == "identifier" {
                let name = self.unit.str(node);
                let constant = !self.uses.contains_key(name);
                let changed_field = self.fields.keys().any(|(object, _)| *object == name);
                if !constant && (!self.is_stable(name) || changed_field) {
                    return false;
                }
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        true
    }

    pub(super) fn is_integer_type(&self, ty: Node<'u>) -> bool {
        let words = [
            "int", "unsigned", "size_t", "uint", "long", "short", "int32_t", "uint32_t", "int64_t", "uint64_t", "auto",
            "char", "bool",
        ];
        let text = self.unit.str(ty);
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .all(|w| w.is_empty() || words.contains(&w) || w == "const")
            && !text.contains('*')
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
        // One side has to be made a fraction, or the division is that of integers.
        let (l, l_float) = self.whole(l)?;
        let (r, r_float) = self.whole(r)?;
        if !l_float && !r_float {
            return Some(N::bin(NBin::Div, IntTy::MATH, &l, &r));
        }
        let less = N::bin(NBin::Sub, IntTy::MATH, &r, &N::num(1));
        Some(N::bin(NBin::Div, IntTy::MATH, &N::bin(NBin::Add, IntTy::MATH, &l, &less), &r))
    }

    /// A whole number that may be converted to a fraction, and whether it is.
    fn whole(&mut self, node: Node<'u>) -> Option<(N, bool)> {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            node = last_named(node)?;
        }
        let text = self.unit.str(node);
        match node.kind() {
            "number_literal" if text.contains('.') => {
                let digits = text.trim_end_matches(['f', 'F']);
                let value: f64 = digits.parse().ok()?;
                (value.fract() == 0.0 && value.abs() < 1e15).then(|| (N::num(value as i128), true))
            }
            "cast_expression" => {
                let ty = self.unit.str(node.child_by_field_name("type")?);
                let value = self.number(node.child_by_field_name("value")?)?;
                Some((value, ty == "float" || ty == "double"))
            }
            "call_expression" => {
                let callee = self.unit.str(node.child_by_field_name("function")?);
                let float = matches!(callee, "float" | "double" | "static_cast<float>" | "static_cast<double>");
                if !float {
                    return Some((self.number(node)?, false));
                }
                Some((self.number(node.child_by_field_name("arguments")?.named_child(0)?)?, true))
            }
            _ => Some((self.number(node)?, false)),
        }
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
        if self.uses.contains_key(name) {
            return None;
        }
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        if overloads.is_empty() && matches!(name, "min" | "max") {
            let [l, r] = arguments.as_slice() else { return None };
            let (l, r) = (self.number(*l)?, self.number(*r)?);
            let op = if name == "min" { NBin::Min } else { NBin::Max };
            return Some(N::bin(op, IntTy::MATH, &l, &r));
        }
        if overloads.is_empty() && matches!(name, "int" | "size_t" | "unsigned") {
            let [value] = arguments.as_slice() else { return None };
            let value = self.rounded(*value).or_else(|| self.number(*value))?;
            return converted(&value, integer_type(name));
        }
        let mut defined = overloads.iter().filter(|d| d.has_body);
        let (Some(decl), None) = (defined.next(), defined.next()) else { return None };
        let body = decl.node.child_by_field_name("body")?;
        let mut cursor = body.walk();
        let mut statements = body.named_children(&mut cursor).filter(|n| n.kind() != "comment");
        let (Some(only), None) = (statements.next(), statements.next()) else { return None };
        if only.kind() != "return_statement" || !self.is_integer_type(decl.node.child_by_field_name("type")?) {
            return None;
        }
        let parameters = decl.declarator.child_by_field_name("parameters")?;
        let mut cursor = parameters.walk();
        let mut bound = HashMap::new();
        for (parameter, argument) in
            parameters.named_children(&mut cursor).filter(|p| p.kind() != "comment").zip(&arguments)
        {
            let ty = parameter.child_by_field_name("type")?;
            if !self.is_integer_type(ty) {
                return None;
            }
            let name = parameter.child_by_field_name("declarator").and_then(declared_name)?;
            let ty = integer_type(self.unit.str(ty));
            let value = converted(&self.number(*argument)?, ty)?;
            let ty = ty.or_else(|| self.type_of(*argument)).unwrap_or(IntTy::I32);
            bound.insert(self.unit.str(name), (value, ty));
        }
        self.arguments.push(bound);
        let value = only.named_child(0);
        let result = value.and_then(|v| self.rounded(v).or_else(|| self.number(v)));
        self.arguments.pop();
        let returns = decl.node.child_by_field_name("type").and_then(|ty| integer_type(self.unit.str(ty)));
        converted(&result?, returns)
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
