//! Lambdas: a class whose members are what is captured, with the body as its call operator.

use super::*;
use crate::kernel::types::StructTy;

/// A lambda as the member function of its class.
pub(super) fn as_function(node: Node<'_>, scope: ScopeId) -> FunDecl<'_> {
    let declarator = node.child_by_field_name("declarator").unwrap_or(node);
    FunDecl {
        node,
        declarator,
        template: None,
        class: Some(node),
        scope,
        is_kernel: false,
        group_size: None,
        has_body: true,
    }
}

/// How a lambda takes a variable along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    Value,
    Reference,
}

impl<'l, 't> Body<'l, 't> {
    /// The object that a lambda expression makes.
    pub(super) fn lambda(&mut self, node: Node<'t>, span: Span) -> Expr {
        // A member function's lambda sees the members: what it means by a name is not found out here.
        if self.this.is_some() || node.child_by_field_name("template_parameters").is_some() {
            return self.unknown(node, "this lambda");
        }
        let (mut default, mut named) = (None, FxHashMap::default());
        if let Some(list) = node.child_by_field_name("captures") {
            let text = self.text(list).trim_start_matches('[').trim_end_matches(']');
            for item in text.split(',').map(str::trim).filter(|i| !i.is_empty()) {
                let (how, name) = match item.strip_prefix('&') {
                    Some(name) => (Capture::Reference, name.trim()),
                    None => (Capture::Value, item),
                };
                match name {
                    "" => default = Some(how),
                    "=" => default = Some(Capture::Value),
                    _ if name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) && name != "this" => {
                        named.insert(name.to_owned(), how);
                    }
                    _ => return self.unknown(node, "this capture"),
                }
            }
        }
        let (mut members, mut values) = (Vec::new(), Vec::new());
        let mut names = self.names_in(node);
        // What is listed is captured whether it is used or not.
        let list = node.child_by_field_name("captures").map_or("", |list| self.text(list));
        let listed = list.split([',', '[', ']']).map(str::trim).filter(|name| named.contains_key(*name));
        names.extend(listed.filter(|name| !names.contains(name)).collect::<Vec<_>>());
        for name in names {
            let Some(Local::Var(id)) = self.lookup(name) else { continue };
            if self.vars[id.0 as usize].storage != Storage::Private {
                // Not captured, but named: it is reached through a reference all the same.
                members.push((name, Capture::Reference));
                continue;
            }
            members.extend(named.get(name).copied().or(default).map(|how| (name, how)));
        }
        // What is named is captured, used or not.
        let unused = |name: &&str| !members.iter().any(|(used, _)| used == name);
        let mut listed: Vec<&str> = named.keys().map(String::as_str).filter(unused).collect();
        listed.sort_unstable();
        for name in listed {
            if matches!(self.lookup(name), Some(Local::Var(id)) if self.special_copy(&self.vars[id.0 as usize].ty.clone(), 0) != Special::No)
                && matches!(named.get(name), Some(Capture::Value))
            {
                return self.unknown(node, "the capture of an object that is not used");
            }
        }
        let mut fields = Vec::new();
        let mut references = Vec::new();
        for (name, how) in members {
            if let Some(Local::Var(id)) = self.lookup(name)
                && matches!(self.vars[id.0 as usize].ty, Type::Ref(_))
            {
                references.push(name.to_owned());
            }
            let place = self.name(name, span);
            let ty = place.ty.value().clone();
            match (how, &ty) {
                (Capture::Value, Type::Array(..)) => return self.unknown(node, "the capture of an array by value"),
                (Capture::Value, _) => {
                    let value = self.value(place);
                    let value = self.copied(value);
                    fields.push((Arc::from(name), ty));
                    values.push(value);
                }
                (Capture::Reference, _) => {
                    fields.push((Arc::from(name), Type::Ref(Arc::new(ty))));
                    values.push(self.address_of(place, span));
                }
            }
        }
        let key = (node.id(), self.bindings.key());
        let name = format!("lambda@{}<{}>", node.start_byte(), key.1);
        let layout = StructTy::layout(&name, fields, false, None, true);
        let offsets: Vec<u64> = layout.fields.iter().map(|f| f.offset).collect();
        let ty = Type::Struct(Arc::new(layout));
        self.lower.classes.insert(key, ty.clone());
        self.lower.class_nodes.insert(name, (node, self.bindings.clone()));
        let constant = |(name, local): (&String, &Local)| match local {
            Local::Var(_) => None,
            other => Some((name.clone(), other.clone())),
        };
        let constants = self.scopes.iter().map(|scope| scope.iter().filter_map(constant).collect()).collect();
        let around = Surroundings { constants, scope: self.scope, references };
        self.lower.lambdas.insert(node.id(), around);
        Expr::new(ExprKind::Aggregate(offsets.into_iter().zip(values).collect()), ty, span)
    }

    /// The names that stand in the body of a lambda, each once, in order.
    fn names_in(&self, lambda: Node<'t>) -> Vec<&'t str> {
        let mut found: Vec<&'t str> = Vec::new();
        let mut stack: Vec<Node<'t>> = lambda.child_by_field_name("body").into_iter().collect();
        while let Some(node) = stack.pop() {
            if matches!(node.kind(), "identifier" | "type_identifier") && !found.contains(&self.text(node)) {
                found.push(self.text(node));
            }
            let from = stack.len();
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
            stack[from..].reverse();
        }
        found
    }
}
