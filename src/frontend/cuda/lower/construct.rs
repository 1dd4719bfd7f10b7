//! The life of objects of class type: constructors, copies, destructors.

use super::bases::is_same;
use super::stmt::MOST_OBJECTS;
use super::*;

/// The rank of the first member in the order of construction; those of the bases are below.
const FIRST_MEMBER: usize = 1000;

/// A member of a class, with its initialiser in the class.
struct DataMember<'t> {
    name: &'t str,
    default: Option<Node<'t>>,
}

impl<'l, 't> Body<'l, 't> {
    /// The constructors of a class that somebody wrote, without those that the language makes.
    pub(super) fn constructors(&mut self, class: &Type) -> Vec<(FunDecl<'t>, Bindings)> {
        match self.class_name(class) {
            Some(name) => self.own_methods(class, name),
            None => Vec::new(),
        }
    }

    pub(super) fn has_constructors(&mut self, class: &Type) -> bool {
        !self.constructors(class).is_empty() || self.inherits_constructors(class)
    }

    pub(super) fn class_name(&self, class: &Type) -> Option<&'t str> {
        let (node, _) = self.class_node(class)?;
        let name = self.lower.unit.qualified(node.child_by_field_name("name")?).1;
        Some(self.text(name.child_by_field_name("name").unwrap_or(name)))
    }

    pub(super) fn is_constructor(&self, decl: &FunDecl<'t>) -> bool {
        let Some(class) = decl.class else { return false };
        if decl.node.child_by_field_name("type").is_some() || class.kind() == "lambda_expression" {
            return false;
        }
        let Some(name) = declared_name(decl.declarator).map(|n| self.lower.unit.qualified(n).1) else { return false };
        let own = class.child_by_field_name("name").map(|n| self.lower.unit.qualified(n).1);
        let own = own.map(|n| n.child_by_field_name("name").unwrap_or(n));
        own.is_some_and(|own| self.text(own) == self.text(name))
    }

    /// An object made by a constructor, or `None` when the language makes it by copying or listing its members.
    pub(super) fn construct(&mut self, ty: &Type, args: Vec<Expr>, span: Span) -> Option<Expr> {
        /// Constructions for the arguments of each other; a constructor that needs itself to convert its argument has no end.
        const MOST: usize = 16;
        if self.lower.constructing >= MOST {
            return Some(self.unclear("this construction is not supported".to_owned(), args, span));
        }
        self.lower.constructing += 1;
        let made = self.construct_one(ty, args, span);
        self.lower.constructing -= 1;
        made
    }

    fn construct_one(&mut self, ty: &Type, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let constructors = self.constructors(ty);
        // A constructor may take its argument by reference: not a copy of what a place holds, but the place.
        let place = |arg: Expr| match arg.kind {
            ExprKind::Load(place) if !constructors.is_empty() && place.ty == arg.ty => *place,
            kind => Expr { kind, ..arg },
        };
        let args: Vec<Expr> = args.into_iter().map(place).collect();
        let same = matches!(args.as_slice(), [only] if is_same(only.ty.value(), ty));
        if !args.is_empty() && !same && self.inherits_constructors(ty) {
            return Some(self.unclear("an inherited constructor is not supported".to_owned(), args, span));
        }
        if constructors.is_empty() || args.is_empty() && self.is_default_made(ty) {
            // Without arguments: the members by their own initialisers.
            if !args.is_empty() || !self.needs_construction(ty, 0) {
                return None;
            }
            let (object, place) = self.hidden_object(ty, span);
            let mut stmts = Vec::new();
            self.construct_members(&place, ty, &[], &mut stmts);
            let effects = stmts.into_iter().map(|(_, s)| match s.kind {
                StmtKind::Expr(e) => e,
                _ => Expr::unknown("unknown-construct", "this construction is not supported", Type::Void, span),
            });
            let effects: Vec<Expr> = effects.collect();
            return Some(self.after(effects, object, span));
        }
        // What is made for this alone is not copied.
        if same && args.iter().all(|only| self.is_fresh(only)) {
            return None;
        }
        // The copy that the language makes, of this object or of the part of it that is one.
        let copies = match args.as_slice() {
            [only] if same || self.is_base_of(ty, &only.ty) => {
                let written = constructors.iter().any(|(decl, bindings)| self.is_copy(decl, bindings, ty));
                if written { None } else { Some(if same { 0 } else { 3 }) }
            }
            _ => None,
        };
        let mut constructors = constructors;
        if let [only] = args.as_slice() {
            let given = only.ty.value().clone();
            let from_own = same || matches!(given, Type::Unknown(_)) || self.derives(&given, ty);
            // A copy takes no other conversion before it.
            constructors.retain(|(decl, bindings)| from_own || !self.is_copy(decl, bindings, ty));
        }
        // Of what the argument, or the one that is copied, converts to.
        let may_be_copy = copies.is_some() || matches!(args.as_slice(), [only] if self.has_conversion(only.ty.value()));
        match self.resolve(&constructors, &Qualifier::default(), None, &args, true) {
            Found::One(chosen) if copies.is_some_and(|cost| chosen.cost > cost) => None,
            Found::One(chosen) if chosen.constrained && may_be_copy => {
                Some(self.unclear("whether a template is the constructor is not known".to_owned(), args, span))
            }
            Found::One(chosen) if copies == Some(chosen.cost) && chosen.decl.template.is_some() => {
                // One that takes what is not `const` fits better for such an object, which this does not know of.
                let may_change = self.takes_changeable(&chosen.decl) && args.iter().any(is_lvalue);
                may_change.then(|| {
                    self.unclear("whether a template is the copy constructor is not known".to_owned(), args, span)
                })
            }
            Found::One(chosen) => {
                let (object, place) = self.hidden_object(ty, span);
                let this = self.address_of(place, span);
                let call = self.call_decl(chosen.decl, chosen.bindings, Some(this), args, span);
                Some(self.after(vec![call], object, span))
            }
            // The copy that the language makes.
            Found::None if same || copies.is_some() => None,
            Found::None | Found::Ambiguous => {
                Some(self.unclear("this construction is not supported".to_owned(), args, span))
            }
        }
    }

    /// `T() = default;`
    fn is_default_made(&self, class: &Type) -> bool {
        let Some((body, name)) =
            self.class_node(class).and_then(|(node, _)| node.child_by_field_name("body")).zip(self.class_name(class))
        else {
            return false;
        };
        let mut cursor = body.walk();
        body.named_children(&mut cursor).any(|member| {
            let declarator = member.child_by_field_name("declarator");
            let parameters = declarator.and_then(|d| d.child_by_field_name("parameters"));
            has_child(member, "default_method_clause")
                && member.child_by_field_name("type").is_none()
                && declarator.and_then(declared_name).is_some_and(|own| self.text(own) == name)
                && parameters.is_some_and(|list| list.named_child_count() == 0)
        })
    }

    fn hidden_object(&mut self, ty: &Type, span: Span) -> (Expr, Expr) {
        let id = self.declare_hidden(ty.clone(), span);
        let place = Expr::new(ExprKind::Var(id), ty.clone(), span);
        (self.value(place.clone()), place)
    }

    /// A value, after some effects.
    pub(super) fn after(&self, effects: Vec<Expr>, value: Expr, span: Span) -> Expr {
        effects.into_iter().rev().fold(value, |rest, effect| {
            let ty = rest.ty.clone();
            Expr::new(ExprKind::Comma(Box::new(effect), Box::new(rest)), ty, span)
        })
    }

    pub(super) fn declare_hidden(&mut self, ty: Type, span: Span) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(VarDecl {
            name: Name::new(format!("_tmp{}", id.0)),
            ty,
            storage: Storage::Private,
            points_to: Storage::Global,
            restrict: false,
            of_launch: false,
            lengths: Vec::new(),
            span,
        });
        id
    }

    /// The members of a class in the order of their construction.
    fn data_members(&self, class: &Type) -> Vec<DataMember<'t>> {
        let mut found: Vec<DataMember<'t>> = Vec::new();
        let Some(body) = self.class_node(class).and_then(|(node, _)| node.child_by_field_name("body")) else {
            return found;
        };
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor).filter(|m| m.kind() == "field_declaration") {
            let mut parts = member.walk();
            if !parts.goto_first_child() {
                continue;
            }
            loop {
                match parts.field_name() {
                    Some("declarator") => {
                        if let Some(name) = declared_name(parts.node()) {
                            found.push(DataMember { name: self.text(name), default: None });
                        }
                    }
                    Some("default_value") => {
                        if let Some(last) = found.last_mut() {
                            last.default = Some(parts.node());
                        }
                    }
                    _ => {}
                }
                if !parts.goto_next_sibling() {
                    break;
                }
            }
        }
        found
    }

    /// Does making an object of this type without arguments do anything?
    pub(super) fn needs_construction(&mut self, ty: &Type, depth: usize) -> bool {
        match ty {
            Type::Array(elem, _) => self.needs_construction(elem, depth),
            Type::Struct(class) if depth < 40 => {
                let fields: Vec<Type> = class.fields.iter().map(|f| f.ty.clone()).collect();
                !self.constructors(ty).is_empty()
                    || self.data_members(ty).iter().any(|m| m.default.is_some() && class.field(m.name).is_some())
                    || self.bases(ty).into_iter().flatten().any(|base| self.needs_construction(&base, depth + 1))
                    || fields.iter().any(|field| self.needs_construction(field, depth + 1))
            }
            _ => false,
        }
    }

    /// Constructs the bases and members of the object at a place by default, apart from those `given` otherwise.
    /// Each statement with the rank of what it constructs.
    fn construct_members(&mut self, place: &Expr, ty: &Type, given: &[String], out: &mut Vec<(usize, Stmt)>) {
        let span = place.span;
        let effect = |out: &mut Vec<(usize, Stmt)>, rank: usize, e: Expr| {
            out.push((rank, Stmt { kind: StmtKind::Expr(e), span }));
        };
        // Of a library: how its parts are made is not seen.
        if self.class_node(ty).is_none() && self.needs_construction(ty, 0) {
            let what = "the construction of the parts of this object is not supported";
            effect(out, 0, Expr::unknown("unknown-construct", what, Type::Void, span));
        }
        for (rank, base) in self.bases(ty).into_iter().enumerate().filter_map(|(i, b)| Some((i, b?))) {
            if given.iter().any(|g| self.class_name(&base) == Some(g.as_str())) || !self.needs_construction(&base, 0) {
                continue;
            }
            let pointer = self.address_of(place.clone(), span);
            let pointer = self.as_base(pointer, ty, &base);
            let part = self.deref(pointer, span);
            if let Some(made) = self.construct(&base, vec![], span) {
                let store = Expr::new(ExprKind::Assign(Box::new(part), Box::new(made)), base.clone(), span);
                effect(out, rank, store);
            }
        }
        for (rank, member) in self.data_members(ty).into_iter().enumerate() {
            let rank = FIRST_MEMBER + rank;
            let Type::Struct(class) = ty else { continue };
            let Some(field) = class.field(member.name).cloned() else { continue };
            if given.iter().any(|g| g == member.name) {
                continue;
            }
            let part = Expr::new(
                ExprKind::Member(Box::new(place.clone()), field.offset, Name::new(member.name)),
                field.ty.clone(),
                span,
            );
            let value = match member.default {
                Some(default) => Some(self.default_value(default, &field.ty, ty)),
                None if !self.needs_construction(&field.ty, 0) => None,
                None if matches!(field.ty, Type::Array(..)) => {
                    let (mut made, mut left) = (Vec::new(), MOST_OBJECTS);
                    if !self.construct_elements(&part, &mut left, &mut made) {
                        let what = "an array of objects with constructors is not supported";
                        made = vec![Expr::unknown("unknown-construct", what, Type::Void, span)];
                    }
                    made.into_iter().for_each(|e| effect(out, rank, e));
                    continue;
                }
                None => self.construct(&field.ty, vec![], span),
            };
            if let Some(value) = value {
                effect(out, rank, Expr::new(ExprKind::Assign(Box::new(part), Box::new(value)), field.ty.clone(), span));
            }
        }
    }

    /// Makes the elements of an array by default, one after the other; false where these are too many, or that is not known.
    fn construct_elements(&mut self, place: &Expr, left: &mut u64, out: &mut Vec<Expr>) -> bool {
        let span = place.span;
        if let Type::Array(_, length) = &place.ty {
            return length.is_some_and(|length| {
                length <= *left
                    && (0..length).all(|i| {
                        let index = Expr::new(ExprKind::Int(i128::from(i)), Type::INT, span);
                        let element = self.subscript(place.clone(), index, span);
                        self.construct_elements(&element, left, out)
                    })
            });
        }
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        let Some(made) = self.construct(&place.ty, vec![], span) else { return false };
        out.push(Expr::new(ExprKind::Assign(Box::new(place.clone()), Box::new(made)), place.ty.clone(), span));
        true
    }

    /// The initialiser of a member in its class, which sees what the class does, and nothing of the function that we are in.
    fn default_value(&mut self, default: Node<'t>, ty: &Type, class: &Type) -> Expr {
        let bindings = self.class_node(class).map(|(_, bindings)| bindings).unwrap_or_default();
        // Other members are known by their constructor only.
        let own = self.class_type.as_ref() == Some(class);
        let this = if own { self.this } else { None };
        let outer = std::mem::replace(&mut self.this, this);
        let value = self.elsewhere(default, |body| {
            body.bindings = bindings;
            body.class_type = Some(class.clone());
            body.initial(default, ty)
        });
        self.this = outer;
        value
    }

    /// What a constructor does before its body: `: base(x), member(y)`, then what is left by default.
    pub(super) fn member_initializers(&mut self, list: Option<Node<'t>>, out: &mut Vec<Stmt>) {
        let (Some(class), Some(this)) = (self.class_type.clone(), self.this) else {
            if let Some(list) = list {
                self.unknown_stmt("this initialiser", self.span(list), out);
            }
            return;
        };
        let mut cursor = list.map(|l| l.walk());
        let inits: Vec<Node<'t>> = match (list, &mut cursor) {
            (Some(list), Some(cursor)) => {
                list.named_children(cursor).filter(|n| n.kind() == "field_initializer").collect()
            }
            _ => Vec::new(),
        };
        let name_of = |body: &Self, init: Node<'t>| -> Option<&'t str> {
            let name = body.lower.unit.qualified(init.named_child(0)?).1;
            Some(body.text(name.child_by_field_name("name").unwrap_or(name)))
        };
        let span = self.vars[this.0 as usize].span;
        let object = self.var(this, span);
        let object = self.value(object);
        let object = self.deref(object, span);
        let given: Vec<String> = inits.iter().filter_map(|i| name_of(self, *i)).map(str::to_owned).collect();
        let delegates = self.class_name(&class).is_some_and(|own| given.iter().any(|g| g == own));
        let bases = self.bases(&class);
        // Whatever the order of the list, bases go first, and then members as they are declared.
        let mut ranked = Vec::new();
        if !delegates {
            self.construct_members(&object, &class, &given, &mut ranked);
        }
        let members: Vec<&str> = self.data_members(&class).into_iter().map(|m| m.name).collect();
        for init in inits {
            let mut here = Vec::new();
            let own = name_of(self, init);
            let rank = bases.iter().position(|b| b.as_ref().is_some_and(|b| self.class_name(b) == own));
            let rank = rank.or_else(|| Some(FIRST_MEMBER + members.iter().position(|m| Some(*m) == own)?));
            self.member_initializer(init, own, (&class, &object), (&bases, delegates), &mut here);
            ranked.extend(here.into_iter().map(|s| (rank.unwrap_or(0), s)));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        out.extend(ranked.into_iter().map(|(_, s)| s));
    }

    /// One of `: base(x), member(y)`.
    fn member_initializer(
        &mut self,
        init: Node<'t>,
        name: Option<&'t str>,
        (class, object): (&Type, &Expr),
        (bases, delegates): (&[Option<Type>], bool),
        out: &mut Vec<Stmt>,
    ) {
        {
            let span = self.span(init);
            let (Some(name), Some(value)) = (name, last_named(init)) else {
                self.unknown_stmt("this initialiser", span, out);
                return;
            };
            let base = bases.iter().flatten().find(|b| self.class_name(b) == Some(name)).cloned();
            let base = if delegates { Some(class.clone()) } else { base };
            if let Some(base) = base {
                let made = self.initial(value, &base);
                let pointer = self.address_of(object.clone(), span);
                let pointer = self.as_base(pointer, class, &base);
                let part = self.deref(pointer, span);
                let store = Expr::new(ExprKind::Assign(Box::new(part), Box::new(made)), base, span);
                out.push(Stmt { kind: StmtKind::Expr(store), span });
                return;
            }
            let fields = if let Type::Struct(fields) = class { Some(fields) } else { None };
            let Some(field) = fields
                .and_then(|f| f.field(name))
                .cloned()
                .filter(|f| f.bits.is_empty() && !matches!(&f.ty, Type::Unknown(t) if &**t == BIT_FIELD))
            else {
                self.unknown_stmt("this initialiser", span, out);
                return;
            };
            let part = Expr::new(
                ExprKind::Member(Box::new(object.clone()), field.offset, Name::new(name)),
                field.ty.clone(),
                span,
            );
            // A reference is bound, not assigned through.
            let value = match &field.ty {
                Type::Ref(_) => match (value.named_child_count(), value.named_child(0)) {
                    (1, Some(only)) => {
                        let place = self.expr(only);
                        let ty = field.ty.value().clone();
                        let place = if is_lvalue(&place) { self.as_part(place, &ty) } else { place };
                        self.address_of(place, span)
                    }
                    _ => {
                        self.unknown_stmt("this initialiser", span, out);
                        return;
                    }
                },
                ty => self.initial(value, ty),
            };
            // What a reference keeps is a pointer.
            let ty = match &field.ty {
                Type::Ref(inner) => Type::Ptr(inner.clone()),
                ty => ty.clone(),
            };
            let store = Expr::new(ExprKind::Assign(Box::new(part), Box::new(value)), ty, span);
            out.push(Stmt { kind: StmtKind::Expr(store), span });
        }
    }

    /// A value that is handed on: by the copy constructor, for a class that has one and an object that stays.
    pub(super) fn copied(&mut self, value: Expr) -> Expr {
        let (Type::Struct(_), ExprKind::Load(place)) = (&value.ty, &value.kind) else { return value };
        let ty = value.ty.clone();
        let span = value.span;
        match self.special_copy(&ty, 0) {
            Special::No => value,
            Special::Own => self.construct(&ty, vec![(**place).clone()], span).unwrap_or(value),
            Special::Part => {
                self.unclear("the copy of a member of this object is not supported".to_owned(), vec![value], span)
            }
        }
    }

    /// Is this the copy or move constructor of a class?
    pub(super) fn is_copy(&mut self, decl: &FunDecl<'t>, bindings: &Bindings, ty: &Type) -> bool {
        let defaults = Self::parameter_defaults(decl);
        let types = self.inside(decl, bindings, |body| body.parameters(decl));
        defaults.iter().skip(1).all(Option::is_some)
            && matches!(types.first(), Some((_, Type::Ref(inner), _)) if **inner == *ty)
    }

    /// May what a conversion makes of a value depend on which constructors are `explicit`, which this does not look at
    /// otherwise? [INF-EXPLICIT]
    pub(super) fn is_explicit(&mut self, ty: &Type, value: &Expr) -> bool {
        let all = self.constructors(ty);
        let said = |decl: &FunDecl<'t>| {
            let head = self.lower.unit.text.get(decl.node.start_byte()..decl.declarator.start_byte()).unwrap_or("");
            head.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "explicit")
        };
        let own: Vec<bool> = all.iter().map(|(decl, _)| said(decl)).collect();
        let same = is_same(value.ty.value(), ty);
        if same || !own.contains(&true) {
            return false;
        }
        let mut one: Vec<(FunDecl<'t>, Bindings)> = Vec::new();
        for ((decl, bindings), explicit) in all.iter().zip(&own) {
            if Self::takes(decl, 1) && !*explicit && !self.is_copy(decl, bindings, ty) {
                one.push((*decl, bindings.clone()));
            }
        }
        if one.is_empty() {
            return false;
        }
        let mut every: Vec<(FunDecl<'t>, Bindings)> = Vec::new();
        for (decl, bindings) in all {
            if Self::takes(&decl, 1) && !self.is_copy(&decl, &bindings, ty) {
                every.push((decl, bindings));
            }
        }
        let args = [value.clone()];
        let (a, b) = (
            self.resolve(&one, &Qualifier::default(), None, &args, true),
            self.resolve(&every, &Qualifier::default(), None, &args, true),
        );
        !matches!((a, b), (Found::One(a), Found::One(b)) if a.decl.node == b.decl.node)
    }

    /// Is this the name of a variable that is returned, of a class that is moved in another way than it is copied?
    pub(super) fn may_be_moved(&mut self, node: Node<'t>) -> bool {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            match last_named(node) {
                Some(inner) => node = inner,
                None => return false,
            }
        }
        let Some(Local::Var(id)) = self.lookup(self.text(node)).filter(|_| node.kind() == "identifier") else {
            return false;
        };
        let ty = self.vars[id.0 as usize].ty.clone();
        if !matches!(ty, Type::Struct(_)) {
            return false;
        }
        let copies = self.constructors(&ty);
        copies.iter().filter(|(decl, bindings)| self.is_copy(decl, bindings, &ty)).count() > 1
    }

    /// Is the first parameter of a function a reference to what is not `const`?
    fn takes_changeable(&self, decl: &FunDecl<'t>) -> bool {
        let text = self.written(decl, 0);
        text.contains('&') && !text.contains("const")
    }

    pub(super) fn special_copy(&mut self, ty: &Type, depth: usize) -> Special {
        let constructors = self.constructors(ty);
        let of_own = constructors.iter().any(|(decl, bindings)| {
            self.is_copy(decl, bindings, ty)
                || decl.template.is_some() && Self::takes(decl, 1) && self.takes_changeable(decl)
        });
        self.special(ty, of_own, depth, Self::special_copy)
    }

    /// What assigning an object of this type to another one runs, where the class defines assignments and none is that of
    /// a copy; `None`: one of them may be.
    pub(super) fn implicit_assignment(&mut self, ty: &Type) -> Option<Special> {
        let mut takes_any = false;
        for (decl, bindings) in self.own_methods(ty, "operator=") {
            if decl.template.is_some() {
                // A template is never that of a copy, but may fit better what is not constant.
                let list = decl.declarator.child_by_field_name("parameters").map_or("", |list| self.text(list));
                takes_any |= list.contains('&') && !list.contains("const");
                continue;
            }
            let types = self.parameter_types(&decl, &bindings);
            let copies = match types.as_slice() {
                [only] => only.value() == ty || matches!(only.value(), Type::Unknown(_)),
                _ => true,
            };
            if copies {
                return None;
            }
        }
        let implicit = self.special(ty, false, 0, Self::special_assignment);
        Some(if takes_any { Special::Part } else { implicit })
    }

    /// Does assigning one object of this type to another run code?
    pub(super) fn special_assignment(&mut self, ty: &Type, depth: usize) -> Special {
        let of_own = !self.own_methods(ty, "operator=").is_empty();
        self.special(ty, of_own, depth, Self::special_assignment)
    }

    /// Does the end of the life of an object of this type do anything?
    pub(super) fn special_end(&mut self, ty: &Type, depth: usize) -> Special {
        let name = self.class_name(ty).map(|name| format!("~{name}"));
        let of_own = name.is_some_and(|name| {
            self.own_methods(ty, &name).into_iter().any(|(decl, _)| {
                decl.node.child_by_field_name("body").is_none_or(|body| {
                    let mut cursor = body.walk();
                    body.named_children(&mut cursor).any(|c| c.kind() != "comment")
                })
            })
        });
        self.special(ty, of_own, depth, Self::special_end)
    }

    /// A value whose life ends where it is used.
    pub(super) fn ending(&mut self, value: Expr) -> Expr {
        let is_class = matches!(value.ty, Type::Struct(_));
        if !is_class || self.special_end(&value.ty.clone(), 0) == Special::No {
            return value;
        }
        let (span, ty) = (value.span, value.ty.clone());
        let unknown = Expr::unknown("unknown-order", DESTRUCTOR, Type::Void, span);
        Expr::new(ExprKind::Comma(Box::new(unknown), Box::new(value)), ty, span)
    }

    fn special(
        &mut self,
        ty: &Type,
        of_own: bool,
        depth: usize,
        part: fn(&mut Self, &Type, usize) -> Special,
    ) -> Special {
        if of_own {
            return Special::Own;
        }
        let parts: Vec<Type> = match ty {
            Type::Struct(class) if depth < 40 => class.fields.iter().map(|f| f.ty.clone()).collect(),
            Type::Array(elem, _) if depth < 40 => vec![(**elem).clone()],
            _ => return Special::No,
        };
        let bases = self.bases(ty).into_iter().flatten();
        let any = parts.into_iter().chain(bases).any(|p| part(self, &p, depth + 1) != Special::No);
        if any { Special::Part } else { Special::No }
    }
}

pub(super) const DESTRUCTOR: &str = "a destructor that does something is not supported";

/// Whether an operation of the language on an object runs code that somebody wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    No,
    /// A function of the class.
    Own,
    /// One of a member or base.
    Part,
}
