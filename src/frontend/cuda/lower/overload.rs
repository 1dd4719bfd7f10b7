//! Overload resolution: which function a call means, of those that have its name.

use super::bases::is_same;
use super::constraints::may_name_in_parentheses;
use super::fit::{Fit, Taking};
use super::open::Open;
use super::packs::element_name;
use super::templates::unnamed_parameter;
use super::*;

/// The function that a call means.
pub(super) struct Chosen<'t> {
    pub decl: FunDecl<'t>,
    pub bindings: Bindings,
    /// How far the arguments are from its parameters, see [`mismatch`].
    pub cost: usize,
    /// May one of the arguments not fit?
    pub doubtful: bool,
    /// May a condition on the arguments of its template, of which it is not known whether it holds, take it away?
    pub constrained: bool,
}

/// A cost that says that the argument has no conversion to the parameter that is known.
pub(super) const FAR: usize = 20;

/// A function that could be called so.
pub(super) struct Candidate<'t> {
    pub chosen: Chosen<'t>,
    /// Its parameters, with the arguments of its template put in.
    pub types: Vec<Type>,
    /// How far each argument is from its parameter.
    pub costs: Vec<usize>,
    /// Which of these are not known, since a type is not.
    open: Vec<bool>,
    /// How each parameter takes its argument.
    pub takings: Vec<Taking>,
    /// Which arguments may not fit, for other reasons than their types.
    pub doubts: Vec<bool>,
    /// Which may be enumerations that are no numbers, though the parameter is one.
    scoped: Vec<bool>,
    /// Lower is better: cost of the conversions, is a template, how general its parameters are.
    rank: (usize, bool, usize),
    fit: usize,
}

impl Candidate<'_> {
    /// May one of the arguments not fit, though it was found to?
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubts.contains(&true) || self.scoped.contains(&true)
    }
}

impl<'l, 't> Body<'l, 't> {
    /// Chooses between functions of one name as the language does, as far as the rules are followed here: the scope
    /// around the call hides those further out; the arguments decide; a function goes before a template, and a special
    /// template before a general one; an explicit specialisation takes the place of its template. Where that leaves
    /// more than one, with different bodies, the answer is that it is not known.
    ///
    /// Shape:  each function with what the parameters of its class are bound to.
    /// Errors: `Found::None` when none can be called so.
    pub(super) fn resolve(
        &mut self,
        list: &[(FunDecl<'t>, Bindings)],
        qualifier: &Qualifier,
        template: Option<Node<'t>>,
        args: &[Expr],
        members: bool,
    ) -> Found<Chosen<'t>> {
        let names = self.lower.names;
        // One that was not understood may be meant.
        let name = list.first().and_then(|(d, _)| declared_name(d.declarator));
        let name = name.map(|name| self.text(self.lower.unit.qualified(name).1));
        if name.is_some_and(|name| names.broken.contains(name.split('<').next().unwrap_or(name).trim())) {
            return Found::Ambiguous;
        }
        if list.len() > 1 && list.iter().any(|(d, _)| may_name_in_parentheses(d)) {
            return Found::Ambiguous;
        }
        let special = |d: &FunDecl<'t>| d.template.is_some_and(|t| t.named_child_count() == 0);
        let only_special = list.iter().all(|(d, _)| special(d));
        let fit = |d: &FunDecl<'t>| names.fit(d.scope, self.scope, qualifier);
        let renamed = qualifier.parts.first().is_some_and(|first| names.aliases.contains(first));
        let lenient = members
            || renamed
            || (!list.iter().any(|(d, _)| fit(d).is_some()) && names.may_stand_for_others(qualifier));
        let fits: Vec<Option<usize>> = list.iter().map(|(d, _)| if lenient { Some(0) } else { fit(d) }).collect();
        let mut candidates: Vec<Candidate<'t>> = Vec::new();
        // Those of which it is not known whether they can be called so.
        let mut open: Vec<(FunDecl<'t>, usize, Open)> = Vec::new();
        let templates = template.is_some() && list.iter().any(|(d, _)| d.template.is_some());
        for ((decl, outer), fit) in list.iter().zip(fits) {
            // Arguments in angle brackets are those of a template.
            if templates && decl.template.is_none() {
                continue;
            }
            let (Some(fit), false) = (fit, special(decl) && !only_special) else { continue };
            let friend = friend_around(decl);
            let may_be_friend = friend.filter(|_| Self::takes(decl, args.len())).map(|_| Open::Unclear);
            let found = self.is_found(decl, list, args);
            if found == Some(false) {
                continue;
            }
            // What a template in a class means by the parameters of that is not followed.
            if found.is_none() || friend.and_then(|f| f.parent()).is_some_and(|p| p.kind() == "template_declaration") {
                open.extend(may_be_friend.map(|why| (*decl, fit, why)));
                continue;
            }
            let Some((bindings, types, general)) = self.viable(decl, template, args, outer) else {
                let why = self.openness(decl, template, args).or(may_be_friend);
                open.extend(why.map(|why| (*decl, fit, why)));
                continue;
            };
            // What a condition takes away, another function is called for, which may be none of these.
            let holds = self.constraints_hold(decl, &bindings, template, args.len());
            if holds == Some(false) {
                continue;
            }
            let constrained = holds.is_none();
            if list.len() > 1 && self.disagrees(decl, template, args) {
                open.push((*decl, fit, Open::Unclear));
                continue;
            }
            let mut costs: Vec<usize> = Vec::new();
            for (i, (ty, arg)) in types.iter().zip(args).enumerate() {
                costs.push(match ty.value() {
                    // Of the standard library, a class, of which nothing else is known.
                    Type::Unknown(name) if arg.ty.value() != ty.value() && self.is_standard_class(decl, i, name) => 8,
                    ty if is_null(arg) && decl.template.is_some() && *ty == arg.ty => 0,
                    ty => self.mismatch(ty, arg),
                });
            }
            let of_types: Vec<bool> =
                types.iter().zip(args).map(|(ty, arg)| is_open(ty.value(), arg.ty.value())).collect();
            let (mut takings, mut doubts, mut scoped) = (Vec::new(), Vec::new(), Vec::new());
            for (i, (ty, arg)) in types.iter().zip(args).enumerate() {
                let taking = self.taking(decl, &bindings, i, ty, template.is_some());
                let fits = [
                    self.fit(taking, ty, arg),
                    self.fit_of_enum(decl, &bindings, i, arg),
                    self.fit_of_array(ty, arg),
                    self.fit_of_null(ty, arg),
                ];
                takings.push(taking);
                doubts.push(fits.contains(&Fit::Open));
                scoped.push(self.may_be_scoped(decl, i, ty, arg));
                if fits.contains(&Fit::No) || list.len() > 1 && self.is_no_number(ty, arg) {
                    costs[i] = costs[i].max(FAR);
                }
            }
            // With one function of the name, it is that one, whatever is not known of its types.
            if list.len() > 1
                && (costs.iter().any(|cost| *cost >= FAR) || self.cannot_be_deduced(decl, outer, template, args))
            {
                continue;
            }
            let cost = costs.iter().sum();
            // A friend that a class template defines is made with each instance, and is no template.
            let is_template = decl.template.is_some() && friend.is_none();
            let chosen = Chosen { decl: *decl, bindings, cost, doubtful: doubts.contains(&true), constrained };
            candidates.push(Candidate {
                chosen,
                types,
                costs,
                open: of_types,
                takings,
                doubts,
                scoped,
                rank: (cost, is_template, general),
                fit,
            });
        }
        // What is declared later is not seen, but through the classes of the arguments.
        let at = self.at;
        let is_late = |c: &Candidate<'t>| c.chosen.decl.node.start_byte() > at && c.chosen.decl.class.is_none();
        if !members && candidates.iter().any(is_late) {
            let early: Vec<(ScopeId, Vec<Type>)> = list
                .iter()
                .filter(|(d, _)| d.node.start_byte() <= at)
                .map(|(d, _)| (d.scope, self.parameter_types(d, &Bindings::default())))
                .collect();
            let seen = |c: &Candidate<'t>| {
                let patterns = (c.chosen.decl.scope, c.types.clone());
                !is_late(c) || early.contains(&patterns) || c.chosen.decl.template.is_some() && !early.is_empty()
            };
            match candidates.iter().filter(|c| seen(c)).count() {
                0 => {}
                n if n == candidates.len() => {}
                _ if args.iter().any(|a| self.has_class(&a.ty)) => return Found::Ambiguous,
                _ => candidates.retain(|c| seen(c)),
            }
        }
        let inner = candidates.iter().map(|c| c.fit).max().unwrap_or(0);
        let may_be_open = !open.is_empty() && candidates.is_empty() && !members;
        for (decl, fit, why) in open {
            let hidden = fit != 0 && fit != inner;
            let sure =
                |c: &Candidate<'t>, body: &mut Self| !c.chosen.constrained && body.goes_before(c, args, &decl, why);
            if !candidates.is_empty() && !hidden && !candidates.iter().any(|c| sure(c, self)) {
                return Found::Ambiguous;
            }
        }
        // Only one of which that is not known could be called so.
        if may_be_open {
            return Found::Ambiguous;
        }
        let constrained = candidates.iter().any(|c| c.chosen.constrained);
        let concepts = |body: &mut Self| list.iter().filter_map(|(d, _)| d.template).any(|t| body.has_concept(t));
        if candidates.len() > 1 && constrained || list.len() > 1 && concepts(self) {
            return Found::Ambiguous;
        }
        let name = list.first().and_then(|(d, _)| declared_name(d.declarator)).map_or("", |n| self.text(n));
        if (renamed || names.is_used(name, qualifier))
            && candidates.iter().any(|c| c.chosen.decl.scope != candidates[0].chosen.decl.scope)
        {
            return Found::Ambiguous;
        }
        candidates.retain(|c| c.fit == 0 || c.fit == inner);
        // A temporary goes to what takes nothing else.
        let beaten: Vec<bool> = (0..candidates.len())
            .map(|i| candidates.iter().any(|c| self.takes_better(c, &candidates[i], args) == Some(true)))
            .collect();
        let mut beaten = beaten.into_iter();
        candidates.retain(|_| !beaten.next().unwrap_or(false));
        let Some(best) = candidates.iter().map(|c| c.rank).min() else { return Found::None };
        let worse = |c: &Candidate<'t>| c.rank > best;
        for winner in candidates.iter().filter(|c| !worse(c)) {
            if candidates.iter().any(|c| worse(c) && self.may_be_better(c, winner, args)) {
                return Found::Ambiguous;
            }
        }
        // One with a pack may be better where types are told apart that are one here.
        for packed in candidates.iter().filter(|c| worse(c)) {
            if self.pack_of(&packed.chosen.decl).is_none() {
                continue;
            }
            for winner in candidates.iter().filter(|c| !worse(c)) {
                let has_pack = self.pack_of(&winner.chosen.decl).is_some();
                if has_pack || !self.goes_before(winner, args, &packed.chosen.decl, Open::Pack) {
                    return Found::Ambiguous;
                }
            }
        }
        // One that may not be called so at all, or less well than another, is not chosen before that.
        let doubtful = |w: &Candidate<'t>, c: &Candidate<'t>| {
            w.open.iter().enumerate().any(|(i, open)| *open && w.types.get(i) != c.types.get(i))
                || w.doubts.iter().enumerate().any(|(i, doubt)| *doubt && self.differs(w, c, i))
                || (w.scoped.iter().enumerate()).any(|(i, s)| *s && self.takes_scoped(c, i) && self.differs(w, c, i))
                || self.takes_better(c, w, args).is_none()
        };
        for winner in candidates.iter().filter(|c| !worse(c)) {
            if candidates.iter().any(|c| c.chosen.decl.node != winner.chosen.decl.node && doubtful(winner, c)) {
                return Found::Ambiguous;
            }
        }
        candidates.retain(|c| c.rank == best);
        // A definition goes before declarations of the same function.
        if candidates.iter().any(|c| c.chosen.decl.has_body) {
            let defined: Vec<Vec<Type>> =
                candidates.iter().filter(|c| c.chosen.decl.has_body).map(|c| c.types.clone()).collect();
            candidates.retain(|c| c.chosen.decl.has_body || !defined.contains(&c.types));
        }
        let code = |c: &Candidate<'t>| {
            let types: Vec<Type> = c.types.iter().map(|ty| ty.value().clone()).collect();
            (self.code(&c.chosen.decl), types)
        };
        let first = candidates.first().map(code);
        if candidates.iter().skip(1).any(|c| Some(code(c)) != first) {
            return Found::Ambiguous;
        }
        let Some(best) = candidates.into_iter().next() else { return Found::None };
        let Chosen { decl, bindings, cost, doubtful, constrained } = best.chosen;
        let found = |decl, bindings| Found::One(Chosen { decl, bindings, cost, doubtful, constrained });
        let decl = match self.definition_of(&decl, list) {
            Found::One(definition) => definition,
            Found::None => decl,
            Found::Ambiguous => return Found::Ambiguous,
        };
        let list: Vec<FunDecl<'t>> = list.iter().map(|(d, _)| *d).collect();
        match self.special_among(&list, &decl, &bindings, &best.types) {
            Found::None => found(decl, bindings),
            Found::One(special) => found(special, Bindings::default()),
            Found::Ambiguous => Found::Ambiguous,
        }
    }

    /// Is a friend that only its class declares found for these arguments, which takes one of that class? `None`: not known. [INF-FRIEND]
    fn is_found(&mut self, decl: &FunDecl<'t>, list: &[(FunDecl<'t>, Bindings)], args: &[Expr]) -> Option<bool> {
        let Some(friend) = friend_around(decl) else { return Some(true) };
        let types = self.parameter_types(decl, &Bindings::default());
        for (other, _) in list.iter().filter(|(d, _)| d.scope == decl.scope && friend_around(d).is_none()) {
            if self.parameter_types(other, &Bindings::default()) == types {
                return Some(true);
            }
        }
        let is_class = |n: &Node<'t>| matches!(n.kind(), "class_specifier" | "struct_specifier" | "union_specifier");
        let class = self.lower.unit.around(friend).into_iter().find(is_class)?;
        let mut known = true;
        for arg in args {
            let mut ty = arg.ty.value();
            while let Type::Ptr(inner) | Type::Array(inner, _) = ty {
                ty = inner.value();
            }
            let ty = ty.clone();
            if self.ancestors(&ty).iter().any(|c| self.class_node(c).is_some_and(|(node, _)| node == class)) {
                return Some(true);
            }
            // The arguments of a template and the classes around it count as well.
            known &= match &ty {
                Type::Struct(name) => self.class_node(&ty).is_none() && !name.name.contains('<'),
                ty => !matches!(ty, Type::Unknown(_)),
            };
        }
        known.then_some(false)
    }

    /// An array for a reference to one of a length.
    fn fit_of_array(&self, ty: &Type, arg: &Expr) -> Fit {
        let Type::Ref(inner) = ty else { return Fit::Yes };
        match (&**inner, arg.ty.value()) {
            (Type::Array(_, wanted), Type::Array(_, given)) => match (wanted, given) {
                (Some(a), Some(b)) if a == b => Fit::Yes,
                (Some(_), Some(_)) => Fit::No,
                _ => Fit::Open,
            },
            (Type::Array(..), Type::Ptr(_) | Type::Int(_) | Type::Float(_)) => Fit::No,
            _ => Fit::Yes,
        }
    }

    /// `NULL`, which may be a number, and reads as `nullptr`, for a number.
    fn fit_of_null(&self, ty: &Type, arg: &Expr) -> Fit {
        if is_null(arg) && matches!(ty.value(), Type::Int(_)) { Fit::Open } else { Fit::Yes }
    }

    /// Is a parameter of a class of the standard library?
    fn is_standard_class(&self, decl: &FunDecl<'t>, at: usize, name: &str) -> bool {
        let text = self.written(decl, at);
        text.contains("std::") && !text.contains("_t") && !text.contains('*') && !self.is_parameter(name)
    }

    /// Does a type name a class, so that functions of its namespace are found?
    fn has_class(&self, ty: &Type) -> bool {
        match ty.value() {
            Type::Struct(_) | Type::Unknown(_) => true,
            Type::Ptr(inner) | Type::Array(inner, _) => self.has_class(inner),
            _ => false,
        }
    }

    /// Do two arguments, numbers of different types, say different things of one parameter of a template?
    pub(super) fn disagrees(&mut self, decl: &FunDecl<'t>, template: Option<Node<'t>>, args: &[Expr]) -> bool {
        let Some(parameters) = decl.template.filter(|t| t.named_child_count() > 0) else { return false };
        let given = template.map_or(0, |l| self.template_arguments(l).len());
        let names: Vec<String> = self.template_parameters(parameters).into_iter().skip(given).collect();
        let patterns = self.parameter_types(decl, &Bindings::default());
        let mut found: FxHashMap<String, Type> = FxHashMap::default();
        patterns.iter().zip(args).any(|(pattern, arg)| {
            let mut deduced = Bindings::default();
            self.deduce(pattern, &arg.ty, &names, &mut deduced);
            let numbers = deduced.types.into_iter().filter(|(_, ty)| matches!(ty, Type::Int(_) | Type::Float(_)));
            numbers.into_iter().any(|(name, ty)| found.insert(name, ty.clone()).is_some_and(|known| known != ty))
        })
    }

    /// The definition of a function template that was only declared up to there.
    fn definition_of(&mut self, decl: &FunDecl<'t>, list: &[(FunDecl<'t>, Bindings)]) -> Found<FunDecl<'t>> {
        let (false, Some(template)) = (decl.has_body, decl.template) else { return Found::None };
        let own = self.template_parameters(template);
        let count = Self::parameter_defaults(decl).len();
        let same = |d: &&FunDecl<'t>| d.has_body && d.scope == decl.scope && d.class == decl.class;
        let defined: Vec<FunDecl<'t>> = list.iter().map(|(d, _)| d).filter(same).copied().collect();
        let mut found = Found::None;
        for other in defined {
            let Some(parameters) = other.template.filter(|t| t.named_child_count() > 0) else { continue };
            let names = self.template_parameters(parameters);
            if names.len() != own.len() || Self::parameter_defaults(&other).len() != count {
                continue;
            }
            found = match found {
                Found::None if names == own => Found::One(other),
                _ => return Found::Ambiguous,
            };
        }
        found
    }

    /// The explicit specialisation of a kernel that is a template, for these arguments.
    pub(super) fn special_instance(&mut self, decl: &FunDecl<'t>, bindings: &Bindings) -> Found<FunDecl<'t>> {
        let Some(name) = declared_name(decl.declarator) else { return Found::None };
        let list = self.lower.names.functions.get(self.text(name)).cloned().unwrap_or_default();
        let types = self.parameter_types(decl, bindings);
        self.special_among(&list, decl, bindings, &types)
    }

    fn special_among(
        &mut self,
        list: &[FunDecl<'t>],
        decl: &FunDecl<'t>,
        bindings: &Bindings,
        types: &[Type],
    ) -> Found<FunDecl<'t>> {
        let Some(parameters) = decl.template.filter(|t| t.named_child_count() > 0) else { return Found::None };
        let specials = list.iter().filter(|d| d.template.is_some_and(|t| t.named_child_count() == 0));
        // It stands after its template, or after a declaration that may be of that.
        let count =
            |d: &FunDecl<'t>| d.declarator.child_by_field_name("parameters").map_or(0, |list| list.named_child_count());
        let declared = list.iter().filter(|d| d.template.is_some_and(|t| t.named_child_count() > 0) && !d.has_body);
        let declared = declared.filter(|d| count(d) == count(decl)).chain([decl]);
        let from = declared.map(|d| d.node.start_byte()).min().unwrap_or(0);
        let specials = specials.filter(|d| d.scope == decl.scope && d.node.start_byte() > from);
        let mut found = Found::None;
        // Of these arguments, with other types of parameters: perhaps one of another template of that name.
        let mut other = Found::None;
        // Of types that are one here: perhaps these.
        let mut perhaps: Vec<FunDecl<'t>> = Vec::new();
        for special in specials.filter(|d| d.has_body) {
            if !bindings.open.is_empty() {
                return Found::Ambiguous;
            }
            let name = declared_name(special.declarator).map(|n| self.lower.unit.qualified(n).1);
            let given = match name.and_then(|n| n.child_by_field_name("arguments")) {
                Some(arguments) => self.template_arguments(arguments),
                None => Vec::new(),
            };
            let own = self.parameter_types(special, &Bindings::default());
            if own.len() != types.len() {
                continue;
            }
            // How long a pack is, the parameters say.
            if self.pack_of(decl).is_some() {
                if own == types {
                    if !bindings.finer.is_empty() {
                        return Found::Ambiguous;
                    }
                    found = Found::One(*special);
                }
                continue;
            }
            let coarse = given.iter().any(|g| {
                let ty = self.type_of(*g);
                self.is_coarse(*g, &ty)
            });
            let mut deduced = Bindings::default();
            let names = self.template_parameters(parameters);
            let patterns = self.parameter_types(decl, &Bindings::default());
            for (pattern, ty) in patterns.iter().zip(&own) {
                self.deduce(pattern, ty, &names, &mut deduced);
            }
            // Also what it returns says which one it is: `template <> float zero<Op::Add>()` of `template <Op, class T> T zero()`.
            let (general, returned) = (self.returned(decl), self.returned(special));
            let mut by_result = Bindings::default();
            self.deduce(&general, &returned, &names, &mut by_result);
            for (name, ty) in by_result.types {
                deduced.types.entry(name).or_insert(ty);
            }
            match self.bind_template(parameters, &given, &deduced) {
                Some(bound) if bound == *bindings && !coarse && own == types => {
                    // Another one has the same arguments where types are one here.
                    found = match found {
                        Found::None => Found::One(*special),
                        Found::One(known) if self.code(&known) == self.code(special) => Found::One(known),
                        _ => Found::Ambiguous,
                    }
                }
                Some(bound) if bound == *bindings && !coarse => {
                    other = if let Found::None = other { Found::One(*special) } else { Found::Ambiguous };
                }
                Some(bound) if bound.key_of_types() == bindings.key_of_types() && own == types => {
                    perhaps.push(*special)
                }
                Some(bound) if bound.key_of_types() == bindings.key_of_types() => return Found::Ambiguous,
                Some(_) => {}
                None if own == types && matches!(found, Found::None) => found = Found::One(*special),
                None => return Found::Ambiguous,
            }
        }
        let found = if let Found::None = found { other } else { found };
        match (perhaps.first().copied(), found) {
            (None, found) => found,
            // Whichever it is, they do the same. [INF-SPECIAL]
            (Some(first), Found::None) => {
                let code = self.code(&first);
                let general = Some(*decl).filter(|d| d.has_body);
                let same = code.is_some() && perhaps.iter().chain(&general).all(|d| self.code(d) == code);
                if same { Found::One(first) } else { Found::Ambiguous }
            }
            _ => Found::Ambiguous,
        }
    }

    /// What a function returns, in terms of the parameters of its template. [INF-SPECIAL]
    fn returned(&mut self, decl: &FunDecl<'t>) -> Type {
        self.inside(decl, &Bindings::default(), |body| body.return_type(decl))
    }

    /// Runs something with the names that a declaration sees, and not those of the place that we are at.
    pub(super) fn inside<R>(&mut self, decl: &FunDecl<'t>, bindings: &Bindings, f: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.lower.lambdas.get(&decl.node.id()).cloned();
        let (scopes, scope) = match around {
            Some(around) => (around.constants, around.scope),
            None => (vec![FxHashMap::default()], decl.scope),
        };
        let saved = (
            std::mem::replace(&mut self.bindings, bindings.clone()),
            std::mem::replace(&mut self.scope, scope),
            std::mem::replace(&mut self.scopes, scopes),
            self.class_type.take(),
            self.unfinished.take(),
            self.this.take(),
        );
        self.enter_class(decl.class);
        let result = f(self);
        (self.bindings, self.scope, self.scopes, self.class_type, self.unfinished, self.this) = saved;
        result
    }

    pub(super) fn parameter_types(&mut self, decl: &FunDecl<'t>, bindings: &Bindings) -> Vec<Type> {
        self.inside(decl, bindings, |body| body.parameters(decl)).into_iter().map(|(_, ty, _)| ty).collect()
    }

    /// Can this function be called so? With which arguments of its template, which types of parameters, and how general
    /// are these as they are written?
    pub(super) fn viable(
        &mut self,
        decl: &FunDecl<'t>,
        template: Option<Node<'t>>,
        args: &[Expr],
        outer: &Bindings,
    ) -> Option<(Bindings, Vec<Type>, usize)> {
        let defaults = Self::parameter_defaults(decl);
        let required = defaults.iter().take_while(|d| d.is_none()).count();
        let pack = self.pack_of(decl);
        if args.len() > defaults.len() && pack.is_none() || args.len() < required {
            // `f(void)` has one parameter that is none.
            let void = defaults.len() == 1 && args.is_empty() && self.parameter_types(decl, outer).is_empty();
            if !void {
                return None;
            }
        }
        // Each element of a pack stands for itself.
        let count = args.len().saturating_sub(defaults.len());
        let mut open_packs = outer.clone();
        let mut elements = Vec::new();
        for name in pack.iter().flat_map(|(_, names)| names) {
            open_packs.packs.insert(name.clone(), count);
            for element in (0..count).map(|i| element_name(name, i)) {
                open_packs.types.insert(element.clone(), Type::Unknown(Arc::from(element.as_str())));
                elements.push(element);
            }
        }
        let patterns = self.parameter_types(decl, &open_packs);
        let mut bindings = outer.clone();
        let mut general = 0;
        if let Some(parameters) = decl.template.filter(|t| t.named_child_count() > 0) {
            let given = template.map(|l| self.template_arguments(l)).unwrap_or_default();
            let names = self.template_parameters(parameters);
            let deducible: Vec<String> = names.iter().chain(&elements).cloned().collect();
            let mut deduced = self.deduced(decl, outer, &patterns, args, &deducible);
            for name in pack.iter().flat_map(|(_, names)| names) {
                deduced.packs.insert(name.clone(), count);
                general += count + 1;
            }
            general += patterns.iter().zip(args).filter(|(p, _)| matches!(p.value(), Type::Unknown(_))).count();
            // What an argument was to say, and did not, is not what is the default.
            let said = self.words_of_parameters(decl, args.len());
            let open = |n: &String| !deduced.types.contains_key(n) && !deduced.values.contains_key(n);
            let open = |n: &String| {
                let known = deduced.functions.contains_key(n) || deduced.templates.contains_key(n);
                said.contains(n) && open(n) && !known && !deduced.packs.contains_key(n)
            };
            if names.iter().skip(given.len()).any(open) {
                return None;
            }
            self.opens = true;
            let own = self.bind_template(parameters, &given, &deduced);
            self.opens = false;
            bindings.extend(own?);
        }
        for (position, (pattern, arg)) in patterns.iter().zip(args).enumerate() {
            if is_auto(pattern) {
                let mut deduced = Bindings::default();
                self.deduce(pattern, &arg.ty, &["auto".to_owned()], &mut deduced);
                let ty = deduced.types.remove("auto").unwrap_or_else(|| arg.ty.value().clone());
                bindings.types.insert(auto_parameter(position), ty);
                general += 1;
            }
            // Which group a parameter is that may be any, the argument says. [INF-GROUP]
            if is_any_group(pattern) && !matches!(pattern.value(), Type::Ptr(_)) && is_some_group(&arg.ty) {
                bindings.types.insert(auto_parameter(position), arg.ty.value().clone());
            }
        }
        let types = self.parameter_types(decl, &bindings);
        Some((bindings, types, general))
    }

    /// The words in the first parameters of a function.
    pub(super) fn words_of_parameters(&self, decl: &FunDecl<'t>, count: usize) -> FxHashSet<String> {
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return FxHashSet::default() };
        let mut cursor = list.walk();
        let all = list.named_children(&mut cursor).filter(|p| p.kind() != "comment").take(count);
        let words = all.flat_map(|p| self.text(p).split(|c: char| !c.is_alphanumeric() && c != '_'));
        words.map(str::to_owned).collect()
    }

    /// Over how many steps is one class a base of the other?
    fn base_distance(&mut self, class: &Type, base: &Type) -> Option<usize> {
        let (class, base) = (self.completed(class), self.completed(base));
        if !self.is_base_of(&base, &class) {
            return None;
        }
        let direct = self.bases(&class).into_iter().flatten().any(|b| is_same(&b, &base));
        Some(if direct { 1 } else { 2 })
    }

    /// May an object of one class be made of one of another?
    fn may_convert(&mut self, to: &Type, from: &Type) -> bool {
        let constructors = self.constructors(to);
        let own = constructors.iter().any(|(decl, bindings)| Self::takes(decl, 1) && !self.is_copy(decl, bindings, to));
        own || self.has_conversion(from)
    }

    pub(super) fn has_conversion(&mut self, class: &Type) -> bool {
        self.ancestors(class).iter().any(|c| !self.own_methods(c, "operator cast").is_empty())
    }

    /// An object for a number or a pointer, of a class of which all is known, and that has no conversion.
    fn is_no_number(&mut self, parameter: &Type, argument: &Expr) -> bool {
        let (Type::Int(_) | Type::Float(_) | Type::Ptr(_), class @ Type::Struct(_)) =
            (parameter.value(), argument.ty.value())
        else {
            return false;
        };
        !self.has_unknown_base(class) && !self.has_conversion(class)
    }

    /// The names of the parameters of a template, in order; those that have none get one.
    pub fn template_parameters(&self, parameters: Node<'t>) -> Vec<String> {
        let mut cursor = parameters.walk();
        parameters
            .named_children(&mut cursor)
            .filter(|p| p.kind() != "comment")
            .enumerate()
            .map(|(i, p)| {
                let named = match p.kind() {
                    "type_parameter_declaration" | "optional_type_parameter_declaration" => {
                        p.child_by_field_name("name").or_else(|| last_named(p))
                    }
                    "variadic_type_parameter_declaration" => last_named(p),
                    "template_template_parameter_declaration" => name_of_type_parameter(p),
                    _ => p.child_by_field_name("declarator").and_then(declared_name),
                };
                named.map_or_else(|| unnamed_parameter(i), |n| self.text(n).to_owned())
            })
            .collect()
    }

    /// How far a parameter is from an argument: 0 is exact, 1 a promotion, 2 a conversion of the language, 3 one to a base
    /// class, 4 to a base of a base, 5 to `void *`, 6 of a pointer to `bool`, 8 one by a constructor or an operator, [`FAR`]
    /// none that is known. [INF-RANK]
    pub(super) fn mismatch(&mut self, parameter: &Type, argument: &Expr) -> usize {
        let decayed = match parameter {
            Type::Array(elem, _) if parameter != argument.ty.value() => Type::Ptr(elem.clone()),
            other => other.clone(),
        };
        let parameter = &decayed;
        match (parameter, argument.ty.value()) {
            // A null pointer is no `bool`; the macro is a number as well.
            (Type::Ptr(_), _) if is_null(argument) => 2,
            (Type::Int(IntTy::BOOL), _) if is_null(argument) => FAR,
            (Type::Int(_), _) if is_null(argument) && self.lower.unit.text.contains("NULL") => 2,
            (Type::Int(_), _) if is_null(argument) => FAR,
            (a, b) if a == b => 0,
            (Type::Int(IntTy::I32), Type::Int(b)) if promote(*b) == IntTy::I32 => 1,
            (Type::Float(8), Type::Float(4)) | (Type::Float(4), Type::Float(2)) => 1,
            // A class as well.
            (Type::Float(2), Type::Int(_) | Type::Float(_)) => 8,
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => 2,
            (Type::Ptr(a), Type::Ptr(b) | Type::Array(b, _)) => match (&**a, &**b) {
                (a, b) if a == b => 0,
                (Type::Unknown(_), _) | (_, Type::Unknown(_)) => 1,
                (Type::Void, Type::Fun) => FAR,
                (Type::Void, _) => 5,
                (a, b) => match self.base_distance(b, a) {
                    Some(1) => 3,
                    Some(_) => 4,
                    None => 10,
                },
            },
            (Type::Unknown(_), _) | (_, Type::Unknown(_)) => 1,
            (Type::Ptr(_), Type::Int(_)) if matches!(argument.kind, ExprKind::Int(0)) => 2,
            (Type::Int(IntTy::BOOL), Type::Ptr(_) | Type::Array(..)) => 6,
            (a @ Type::Struct(_), b @ Type::Struct(_)) => match self.base_distance(b, a) {
                Some(1) => 3,
                Some(_) => 4,
                None if self.may_convert(a, b) => 8,
                None => FAR,
            },
            // A vector type is made of a number or a pointer by nothing, nor the other way round.
            (class @ Type::Struct(_), Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Array(..))
            | (Type::Int(_) | Type::Float(_) | Type::Ptr(_), class @ Type::Struct(_))
                if self.class_node(class).is_none() =>
            {
                FAR
            }
            (Type::Struct(_), _) | (_, Type::Struct(_)) => 8,
            _ => FAR,
        }
    }
}

/// `friend`, in front of a function.
fn friend_around<'t>(decl: &FunDecl<'t>) -> Option<Node<'t>> {
    decl.node.parent().filter(|p| p.kind() == "friend_declaration")
}

/// `nullptr`
pub(super) fn is_null(arg: &Expr) -> bool {
    matches!((&arg.kind, &arg.ty), (ExprKind::Int(0), Type::Ptr(inner)) if **inner == Type::Void)
}

/// Is it not known how well an argument fits, since one of the types is not?
fn is_open(parameter: &Type, argument: &Type) -> bool {
    match (parameter, argument) {
        (_, Type::Unknown(given)) if given.starts_with('?') => true,
        (Type::Unknown(_), other) | (other, Type::Unknown(_)) => other != parameter || other != argument,
        (Type::Ptr(a), Type::Ptr(b) | Type::Array(b, _)) => **b != Type::Void && is_open(a, b),
        _ => false,
    }
}
