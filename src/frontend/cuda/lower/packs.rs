//! Packs of parameters: in each instance it is known how many there are, and each stands for itself. [INF-PACK]
//!
//! The elements of a pack `T` are the parameters `T#0`, `T#1`, ..; those of a pack `x` of a function are its variables `x#0`, ...

use super::*;

/// Longer packs are not followed.
const MOST: usize = 64;

/// An argument of a template: an expression or type, for one element of the packs in it.
#[derive(Clone, Copy)]
pub(super) struct Argument<'t> {
    pub node: Node<'t>,
    element: Option<usize>,
}

pub(super) fn element_name(pack: &str, i: usize) -> String {
    format!("{pack}#{i}")
}

/// The pack that a parameter of a template is.
pub(super) fn is_pack(parameter: Node) -> bool {
    matches!(parameter.kind(), "variadic_type_parameter_declaration" | "variadic_parameter_declaration")
}

impl<'l, 't> Body<'l, 't> {
    /// The packs of known length that are named below a node.
    fn packs_in(&self, node: Node<'t>) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let text = self.text(node);
            if matches!(node.kind(), "identifier" | "type_identifier")
                && self.bindings.packs.contains_key(text)
                && !found.iter().any(|n| n == text)
            {
                found.push(text.to_owned());
            }
            // What another expansion names is its own, as is what is only counted.
            let mut cursor = node.walk();
            let inner = node.named_children(&mut cursor);
            stack.extend(inner.filter(|n| n.kind() != "parameter_pack_expansion" && !self.counts(*n)));
        }
        found
    }

    /// `sizeof...(T)`
    pub(super) fn counts(&self, node: Node<'t>) -> bool {
        node.kind() == "sizeof_expression"
            && self.text(node).strip_prefix("sizeof").is_some_and(|rest| rest.trim_start().starts_with("..."))
    }

    /// How many elements a pattern stands for, where all packs in it have as many.
    fn count_of(&self, pattern: Node<'t>) -> Option<usize> {
        let lengths: FxHashSet<usize> = self.packs_in(pattern).iter().map(|p| self.bindings.packs[p]).collect();
        let mut lengths = lengths.into_iter();
        let length = lengths.next()?;
        (lengths.next().is_none() && length <= MOST).then_some(length)
    }

    /// Runs something where the packs in a pattern stand for one of their elements.
    fn with_element<R>(&mut self, pattern: Node<'t>, i: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        let saved = self.bindings.clone();
        let mut locals = FxHashMap::default();
        for pack in self.packs_in(pattern) {
            let name = element_name(&pack, i);
            if let Some(local) = self.lookup(&name) {
                locals.insert(pack.clone(), local);
            }
            if let Some(ty) = saved.types.get(&name) {
                self.bindings.types.insert(pack.clone(), ty.clone());
            }
            if let Some(finer) = saved.finer.get(&name) {
                self.bindings.finer.insert(pack.clone(), finer.clone());
            }
        }
        self.scopes.push(locals);
        let result = f(self);
        self.scopes.pop();
        self.bindings = saved;
        result
    }

    /// What a pattern stands for, element by element; `None` where that is not known.
    pub(super) fn expanded<R>(&mut self, pattern: Node<'t>, mut f: impl FnMut(&mut Self) -> R) -> Option<Vec<R>> {
        let count = self.count_of(pattern)?;
        Some((0..count).map(|i| self.with_element(pattern, i, &mut f)).collect())
    }

    /// The arguments of a call, or the items of a list, with those that expansions stand for.
    pub(super) fn exprs(&mut self, nodes: &[Node<'t>]) -> Vec<Expr> {
        let mut found = Vec::new();
        for node in nodes {
            let pattern = (node.kind() == "parameter_pack_expansion").then(|| node.child_by_field_name("pattern"));
            match pattern {
                None => found.push(self.expr(*node)),
                Some(pattern) => match pattern.and_then(|p| self.expanded(p, |body| body.expr(p))) {
                    Some(list) => found.extend(list),
                    None => found.push(self.unknown(*node, "a pack of unknown length")),
                },
            }
        }
        found
    }

    /// `sizeof...(T)`
    pub(super) fn length_of_pack(&mut self, node: Node<'t>, span: Span) -> Expr {
        match last_named(node).and_then(|name| self.bindings.packs.get(self.text(name))) {
            Some(n) => Expr::new(ExprKind::Int(*n as i128), Type::Int(IntTy::U64), span),
            None => self.unknown(node, "a pack of unknown length"),
        }
    }

    /// `(x + ...)`, `(... + x)`, `(a + ... + x)`, `(x + ... + a)`
    pub(super) fn fold_of_pack(&mut self, node: Node<'t>, span: Span) -> Expr {
        let side = |name: &str| node.child_by_field_name(name).filter(|n| n.kind() != "...");
        let (left, right) = (side("left"), side("right"));
        let operator = node.child_by_field_name("operator").map_or("", |o| self.text(o));
        let is_known =
            ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", ",", "<", ">", "<=", ">=", "==", "!="]
                .contains(&operator);
        let of_left = left.is_some_and(|l| !self.packs_in(l).is_empty());
        let (pattern, other) = if of_left { (left, right) } else { (right, left) };
        let elements = pattern.filter(|_| is_known).and_then(|p| self.expanded(p, |body| body.expr(p)));
        let Some(elements) = elements else { return self.unknown(node, node.kind()) };
        // An operator of the program is meant, or none.
        if operator == "," && elements.iter().any(|e| matches!(e.ty.value(), Type::Struct(_))) {
            return self.unclear("this fold is not supported".to_owned(), elements, span);
        }
        let other = other.map(|o| self.expr(o));
        let both = |body: &mut Self, l: Expr, r: Expr| match operator {
            "," => {
                let ty = r.ty.clone();
                Expr::new(ExprKind::Comma(Box::new(l), Box::new(r)), ty, span)
            }
            _ => {
                let (l, r) = (body.value(l), body.value(r));
                body.binary(operator, l, r, span)
            }
        };
        let mut all = elements;
        let made = if of_left {
            all.extend(other);
            all.reverse();
            all.into_iter().reduce(|rest, e| both(self, e, rest))
        } else {
            let all: Vec<Expr> = other.into_iter().chain(all).collect();
            all.into_iter().reduce(|done, e| both(self, done, e))
        };
        match (made, operator) {
            // A single value is converted as the operator would do.
            (Some(only), "&&" | "||") => self.truth(only),
            (Some(made), _) => made,
            (None, "&&" | "||") => Expr::new(ExprKind::Int(i128::from(operator == "&&")), Type::BOOL, span),
            (None, ",") => Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span),
            (None, _) => self.unknown(node, node.kind()),
        }
    }

    /// The arguments of a template, with those that expansions stand for; `None`: it is not known how many.
    pub(super) fn each_argument(&self, given: &[Node<'t>]) -> Option<Vec<Argument<'t>>> {
        let mut found = Vec::new();
        for node in given {
            if node.kind() != "parameter_pack_expansion" {
                found.push(Argument { node: *node, element: None });
                continue;
            }
            let pattern = node.child_by_field_name("pattern").or_else(|| node.named_child(0))?;
            let count = self.count_of(pattern)?;
            found.extend((0..count).map(|i| Argument { node: pattern, element: Some(i) }));
        }
        Some(found)
    }

    /// Reads an argument of a template.
    pub(super) fn of_argument<R>(&mut self, argument: Argument<'t>, f: impl FnOnce(&mut Self, Node<'t>) -> R) -> R {
        match argument.element {
            None => f(self, argument.node),
            Some(i) => self.with_element(argument.node, i, |body| f(body, argument.node)),
        }
    }

    /// The pack of the template that the pack of a function, its last parameter, names; and whether the arguments are
    /// forwarded.
    pub(super) fn pack_of(&self, decl: &FunDecl<'t>) -> Option<(Node<'t>, Vec<String>)> {
        let list = decl.declarator.child_by_field_name("parameters")?;
        let last = last_named(list).filter(|p| p.kind() == "variadic_parameter_declaration")?;
        let mut cursor = decl.template?.walk();
        let packs =
            decl.template?.named_children(&mut cursor).filter(|p| p.kind() == "variadic_type_parameter_declaration");
        let names: Vec<String> = packs.filter_map(last_named).map(|n| self.text(n).to_owned()).collect();
        let text = self.text(last.child_by_field_name("type")?);
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let named: Vec<String> = words.filter(|w| names.iter().any(|n| n == w)).map(str::to_owned).collect();
        (!named.is_empty()).then_some((last, named))
    }

    /// The parameters that a pack of a function stands for, where the length of the packs of its type is known: name, type, place.
    pub(super) fn pack_parameters(&mut self, parameter: Node<'t>) -> Vec<(String, Type, Span)> {
        let (Some(ty), Some(declarator)) =
            (parameter.child_by_field_name("type"), parameter.child_by_field_name("declarator"))
        else {
            return Vec::new();
        };
        let span = self.span(parameter);
        let types = self.expanded(ty, |body| {
            let base = body.type_of(ty);
            body.declare(base, &declarator).0
        });
        let Some(types) = types else { return Vec::new() };
        let name = declared_name(declarator).map_or("#unnamed", |name| self.text(name)).to_owned();
        self.bindings.packs.insert(name.clone(), types.len());
        types.into_iter().enumerate().map(|(i, ty)| (element_name(&name, i), ty, span)).collect()
    }
}
