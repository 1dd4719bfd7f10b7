//! A class and its bases: where the part of an object lies that is one of them, and of which of them a member is. [INF-BASE]

use super::*;

/// How many classes are looked at for one question.
const MOST: usize = 200;

/// The class that a member of some name is of.
pub(super) enum Of {
    Own,
    Base(Type),
    Unclear,
}

impl<'l, 't> Body<'l, 't> {
    /// Where in an object of a class the parts lie that are this base; `None` for one whose place is not known.
    fn parts_of(&mut self, class: &Type, base: &Type, left: &mut usize) -> Vec<Option<u64>> {
        let mut found = Vec::new();
        for (i, direct) in self.bases(class).into_iter().enumerate() {
            let Some(direct) = direct else { continue };
            if *left == 0 {
                return vec![None];
            }
            *left -= 1;
            let at = self.place_of_base(class, i, &direct);
            if is_same(&direct, base) {
                found.push(at);
                continue;
            }
            let inner = self.parts_of(&direct, base, left);
            found.extend(inner.into_iter().map(|inner| Some(at? + inner?)));
        }
        found
    }

    /// Where a direct base lies.
    fn place_of_base(&mut self, class: &Type, position: usize, base: &Type) -> Option<u64> {
        let Type::Struct(own) = class else { return None };
        if let Some(places) = self.lower.base_places.get(&*own.name) {
            return places.get(position).copied();
        }
        // Of a class with bases that are not known: the first is at the start, but for a pointer to virtual functions.
        let pointer_of = |ty: &Type| matches!(ty, Type::Struct(s) if s.field(VPTR).is_some());
        (position == 0 && pointer_of(class) == pointer_of(base)).then_some(0)
    }

    /// Where the one part lies that is this base; the outer `None`: it is no base; the inner one: its place is not known.
    fn base_at(&mut self, class: &Type, base: &Type) -> Option<Option<u64>> {
        if !matches!((class, base), (Type::Struct(_), Type::Struct(_))) {
            return None;
        }
        match self.parts_of(class, base, &mut MOST.clone()).as_slice() {
            [] => None,
            [at] => Some(*at),
            _ => Some(None),
        }
    }

    /// A class and all its bases.
    pub fn ancestors(&mut self, class: &Type) -> Vec<Type> {
        let mut found = vec![class.clone()];
        let mut next = 0;
        while next < found.len() && found.len() < MOST {
            for base in self.bases(&found[next].clone()).into_iter().flatten() {
                if !found.iter().any(|known| is_same(known, &base)) {
                    found.push(base);
                }
            }
            next += 1;
        }
        found
    }

    /// Has a class, or one of its bases, a base that is not known?
    pub(super) fn has_unknown_base(&mut self, class: &Type) -> bool {
        self.ancestors(class).iter().any(|c| self.bases(c).contains(&None))
    }

    fn lost_base(&self, given: Expr, ty: Type, span: Span) -> Expr {
        let text = "where this base class lies in an object is not known";
        let unknown = Expr::unknown("unknown-construct", text, ty.clone(), span);
        Expr::new(ExprKind::Comma(Box::new(given), Box::new(unknown)), ty, span)
    }

    /// The part of an object that is a base of its class.
    pub(super) fn base_part(&mut self, object: Expr, class: &Type, base: &Type) -> Expr {
        if is_same(class, base) {
            return object;
        }
        let span = object.span;
        let object = if is_lvalue(&object) {
            object
        } else {
            let ty = object.ty.clone();
            Expr::new(ExprKind::Temporary(Box::new(object)), ty, span)
        };
        match (self.base_at(class, base).flatten(), base) {
            (Some(at), Type::Struct(name)) => {
                let part = ExprKind::Member(Box::new(object), at, Name::new(&*name.name));
                Expr::new(part, base.clone(), span)
            }
            _ => self.lost_base(object, base.clone(), span),
        }
    }

    /// A place as the part of it that a reference to another class is bound to; one of an unrelated class as it is.
    pub(super) fn as_part(&mut self, place: Expr, ty: &Type) -> Expr {
        let span = place.span;
        let (own, ty) = (self.completed(place.ty.value()), self.completed(ty.value()));
        match self.base_at(&own, &ty) {
            Some(Some(0)) | None => place,
            Some(Some(_)) => self.base_part(place, &own, &ty),
            Some(None) => self.lost_base(place, ty, span),
        }
    }

    /// Is one of these classes a base of the other?
    pub(super) fn is_base_of(&mut self, base: &Type, class: &Type) -> bool {
        let (base, class) = (self.completed(base.value()), self.completed(class.value()));
        self.base_at(&class, &base).is_some()
    }

    /// The address of an object as that of the part that is its base class.
    pub(super) fn as_base(&mut self, pointer: Expr, class: &Type, base: &Type) -> Expr {
        if is_same(class, base) {
            return pointer;
        }
        let span = pointer.span;
        match self.base_at(class, base).flatten() {
            Some(0) => Expr::new(ExprKind::Convert(Box::new(pointer)), base.clone().ptr(), span),
            Some(at) => self.moved(pointer, class, base, i128::from(at)),
            None => self.lost_base(pointer, base.clone().ptr(), span),
        }
    }

    /// A pointer to an object as one to the part of it that is a base, or to the whole that it is a part of. `None` where
    /// the address stays what it is.
    pub(super) fn between_classes(&mut self, pointer: &Expr, to: &Type, not_null: bool) -> Option<Expr> {
        let Type::Ptr(from) = &pointer.ty else { return None };
        let (from, to) = (self.completed(from), self.completed(to));
        if is_same(&from, &to) || matches!(pointer.kind, ExprKind::Int(0)) {
            return None;
        }
        if let (Type::Struct(_), Type::Unknown(name)) = (&from, &to)
            && !self.is_parameter(name)
            && self.has_unknown_base(&from)
        {
            return Some(self.lost_base(pointer.clone(), to.ptr(), pointer.span));
        }
        if !matches!((&from, &to), (Type::Struct(_), Type::Struct(_))) {
            return None;
        }
        let at = match (self.base_at(&from, &to), self.base_at(&to, &from)) {
            (Some(at), _) => at.map(i128::from),
            (None, Some(at)) => at.map(|at| -i128::from(at)),
            (None, None) if self.has_unknown_base(&from) || self.has_unknown_base(&to) => None,
            (None, None) => return None,
        };
        let span = pointer.span;
        match at {
            Some(0) => None,
            Some(at) if not_null || self.is_not_null(pointer) => Some(self.moved(pointer.clone(), &from, &to, at)),
            Some(at) => {
                let (setup, again) = self.repeatable(pointer.clone());
                let some = self.truth(again.clone());
                let moved = self.moved(again, &from, &to, at);
                let null = Expr::new(ExprKind::Int(0), Type::Void.ptr(), span);
                let null = Expr::new(ExprKind::Convert(Box::new(null)), to.clone().ptr(), span);
                let choice = ExprKind::Choose(Box::new(some), Box::new(moved), Box::new(null));
                Some(self.preceded(setup, Expr::new(choice, to.ptr(), span)))
            }
            None => Some(self.lost_base(pointer.clone(), to.ptr(), span)),
        }
    }

    fn is_not_null(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::AddressOf(_) | ExprKind::Offset(..) => true,
            ExprKind::Load(place) => {
                matches!(place.ty, Type::Array(..)) || matches!(place.kind, ExprKind::Var(id) if Some(id) == self.this)
            }
            ExprKind::Convert(inner) => matches!(inner.ty, Type::Ptr(_)) && self.is_not_null(inner),
            _ => false,
        }
    }

    /// A pointer that is not null, moved by some bytes.
    fn moved(&mut self, pointer: Expr, from: &Type, to: &Type, by: i128) -> Expr {
        let span = pointer.span;
        if let (Ok(at), Type::Struct(name)) = (u64::try_from(by), to) {
            let object = Expr::new(ExprKind::Deref(Box::new(pointer)), from.clone(), span);
            let part = ExprKind::Member(Box::new(object), at, Name::new(&*name.name));
            let part = Expr::new(part, to.clone(), span);
            return Expr::new(ExprKind::AddressOf(Box::new(part)), to.clone().ptr(), span);
        }
        let bytes = Type::Int(IntTy::I8).ptr();
        let pointer = Expr::new(ExprKind::Convert(Box::new(pointer)), bytes, span);
        let by = Expr::new(ExprKind::Int(by), Type::Int(IntTy::I64), span);
        let moved = self.offset(pointer, by, span);
        Expr::new(ExprKind::Convert(Box::new(moved)), to.clone().ptr(), span)
    }

    // ---- names ----

    /// The class that a qualified name of a member says it is of: that of the object, or a base of it.
    pub(super) fn class_in_front(&mut self, class: &Type, name: Node<'t>) -> Option<Type> {
        let (qualifier, _) = self.lower.unit.qualified(name);
        let last = qualifier.parts.last()?.clone();
        let ancestors = self.ancestors(class);
        let named: Vec<&Type> = ancestors.iter().filter(|c| self.class_name(c) == Some(last.as_str())).collect();
        let written = self.scope_type(name).map(|ty| self.completed(&ty));
        let written = written.filter(|ty| ancestors.iter().any(|c| is_same(c, ty)));
        match (named.as_slice(), written) {
            ([only], Some(ty)) => is_same(only, &ty).then_some(ty),
            (_, Some(ty)) => Some(ty),
            // `F<n - 1>::v` in `F<n>`. [INF-INSTANCE]
            ([only], None) if self.names_another_instance(class, only, name) => None,
            ([only], None) => Some((*only).clone()),
            ([], None) => {
                let ty = self.member_type(class, &last, &mut Vec::new())?;
                let ty = self.completed(&ty);
                ancestors.iter().any(|c| is_same(c, &ty)).then_some(ty)
            }
            _ => None,
        }
    }

    /// Has what is in front of a name arguments, other than the parameters of the class that we are in for that class itself?
    fn names_another_instance(&self, own: &Type, class: &Type, name: Node<'t>) -> bool {
        let (mut scope, mut name) = (None, name);
        while let ("qualified_identifier", Some(inner)) = (name.kind(), name.child_by_field_name("name")) {
            (scope, name) = (name.child_by_field_name("scope"), inner);
        }
        let Some(arguments) = scope.and_then(|scope| scope.child_by_field_name("arguments")) else { return false };
        let listed = |list: Node<'t>| -> Vec<String> {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).map(|a| self.text(a).to_owned()).collect()
        };
        let node = self.class_node(class).map(|(node, _)| node);
        // Of a specialisation its arguments: `F<T>` in `F<T *>` is another one.
        let special = node.and_then(|n| n.child_by_field_name("name")?.child_by_field_name("arguments"));
        let itself = match (special, node) {
            (Some(list), _) => listed(list),
            (None, node) => node.map(|node| self.class_parameters(node)).unwrap_or_default(),
        };
        !is_same(own, class) || listed(arguments) != itself
    }

    /// The class in front of a name, in a member function of a class: a base of that, or any other.
    pub(super) fn class_before(&mut self, name: Node<'t>) -> Option<Type> {
        let (qualifier, _) = self.lower.unit.qualified(name);
        let own = self.class_type.clone().filter(|_| !qualifier.absolute && !qualifier.parts.is_empty());
        own.and_then(|own| self.class_in_front(&own, name)).or_else(|| self.class_scope(name))
    }

    /// What the text of a class says in `using base::name;`: what is in front, and the name.
    fn usings(&self, class: &Type) -> Vec<(&'t str, &'t str)> {
        let Some((node, _)) = self.class_node(class) else { return Vec::new() };
        let Some(body) = node.child_by_field_name("body") else { return Vec::new() };
        let mut cursor = body.walk();
        let all = body.named_children(&mut cursor).filter(|m| m.kind() == "using_declaration");
        let texts = all.map(|m| self.text(m).trim_start_matches("using").trim_end_matches(';'));
        let names = texts.flat_map(split_list).map(|t| t.trim().trim_start_matches("typename "));
        names.filter_map(|t| t.rsplit_once("::")).map(|(scope, name)| (scope.trim(), name.trim())).collect()
    }

    /// Does `using` make a member of a base one of this class?
    pub(super) fn brings_in(&self, class: &Type, name: &str) -> bool {
        self.usings(class).iter().any(|(_, used)| same_name(used, name))
    }

    /// The bases of which `using` makes a member of that name one of the class; `None` for one that is not known.
    pub(super) fn brought_in(&mut self, class: &Type, name: &str) -> Vec<Option<Type>> {
        let scopes = self.usings(class).into_iter().filter(|(_, used)| same_name(used, name));
        let scopes: Vec<&str> = scopes.map(|(scope, _)| scope).collect();
        if scopes.is_empty() {
            return Vec::new();
        }
        let bases: Vec<Type> = self.ancestors(class).split_off(1);
        scopes
            .into_iter()
            .map(|scope| {
                let simple = simple_name(scope);
                let named: Vec<&Type> = bases.iter().filter(|b| self.class_name(b) == Some(simple)).collect();
                match named.as_slice() {
                    [only] => Some((*only).clone()),
                    [] => {
                        // `using A::B; using B::A;`
                        self.using_depth += 1;
                        let known = self.using_depth <= 3;
                        let ty = known.then(|| self.member_type(class, simple, &mut Vec::new())).flatten();
                        self.using_depth -= 1;
                        let ty = ty.unwrap_or_else(|| self.type_by_name(simple));
                        bases.iter().find(|b| is_same(b, &ty)).cloned()
                    }
                    _ => None,
                }
            })
            .collect()
    }

    /// Has a class the constructors of a base: `using base::base;`?
    pub(super) fn inherits_constructors(&mut self, class: &Type) -> bool {
        let usings = self.usings(class);
        if usings.is_empty() {
            return false;
        }
        let bases: Vec<Type> = self.bases(class).into_iter().flatten().collect();
        let is_base = |name: &str| bases.iter().any(|b| self.class_name(b) == Some(name));
        usings.into_iter().any(|(scope, name)| simple_name(scope) == name || is_base(name))
    }

    /// The bases in which a name of a class is looked up that it does not declare itself; `None`: that is not known.
    pub fn looked_up_in(&mut self, class: &Type, name: &str) -> Option<(Vec<Type>, bool)> {
        let brought = self.brought_in(class, name);
        if brought.is_empty() {
            return Some((self.bases(class).into_iter().flatten().collect(), false));
        }
        let bases: Option<Vec<Type>> = brought.into_iter().collect();
        bases.map(|bases| (bases, true))
    }

    /// The class that a data member is of.
    pub(super) fn owner_of_field(&mut self, class: &Type, name: &str) -> Of {
        let (Some((node, _)), Type::Struct(own)) = (self.class_node(class), class) else { return Of::Own };
        let hidden = own.fields.iter().filter(|f| *f.name == *name).count() > 1;
        if !hidden || child_of_kind(node, "base_class_clause").is_none() || self.declares_field(node, name) {
            return Of::Own;
        }
        let Some((bases, _)) = self.looked_up_in(class, name) else { return Of::Unclear };
        let having = |b: &Type| matches!(b, Type::Struct(s) if s.field(name).is_some());
        let having: Vec<Type> = bases.into_iter().filter(having).collect();
        match having.as_slice() {
            [only] => Of::Base(only.clone()),
            _ => Of::Unclear,
        }
    }

    /// Does the text of a class declare a member of that name that is part of each object?
    pub fn declares_field(&self, class: Node<'t>, name: &str) -> bool {
        let Some(body) = class.child_by_field_name("body") else { return false };
        let mut cursor = body.walk();
        body.named_children(&mut cursor).filter(|m| m.kind() == "field_declaration").any(|member| {
            let mut parts = member.walk();
            let mut declared = member.children_by_field_name("declarator", &mut parts).filter_map(declared_name);
            let own = declared.any(|d| self.text(d) == name);
            let inner = member.child_by_field_name("type").filter(|ty| ty.child_by_field_name("body").is_some());
            own && !is_static(self.text(member)) || inner.is_some_and(|ty| self.declares_field(ty, name))
        })
    }
}

/// Classes have names of their own.
pub(super) fn is_same(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Struct(a), Type::Struct(b)) => a.name == b.name,
        (a, b) => a == b,
    }
}

/// `operator +` and `operator+` are one name.
pub(super) fn same_name(declared: &str, name: &str) -> bool {
    declared == name || (declared.starts_with("operator") && declared.split_whitespace().collect::<String>() == name)
}

/// `A` of `n::A<T>`.
fn simple_name(scope: &str) -> &str {
    let plain = scope.split('<').next().unwrap_or(scope).trim();
    plain.rsplit("::").next().unwrap_or(plain).trim()
}

/// The parts between commas that are not in brackets.
pub fn split_list(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}
