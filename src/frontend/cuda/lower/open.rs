//! Functions of which it is not known whether a call may mean them: with packs of parameters, or templates whose
//! arguments are not deduced here as the language does. [INF-OPEN]

use super::overload::{Candidate, is_null};
use super::*;

/// Why it is not known whether a function can be called so.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// It has a pack, which takes what the others leave.
    Pack,
    /// It has `...`, to which nothing fits better than to a parameter.
    Ellipsis,
    Unclear,
}

impl<'l, 't> Body<'l, 't> {
    /// May a function be called with so many arguments?
    pub(super) fn takes(decl: &FunDecl<'t>, count: usize) -> bool {
        let defaults = Self::parameter_defaults(decl);
        let required = defaults.iter().take_while(|d| d.is_none()).count();
        count >= required && (count <= defaults.len() || Self::takes_more(decl).is_some())
    }

    /// Does a function take more arguments than it has parameters?
    fn takes_more(decl: &FunDecl<'t>) -> Option<Open> {
        let list = decl.declarator.child_by_field_name("parameters")?;
        let mut cursor = list.walk();
        list.children(&mut cursor).find_map(|parameter| match parameter.kind() {
            "variadic_parameter_declaration" => Some(Open::Pack),
            "variadic_parameter" | "..." => Some(Open::Ellipsis),
            _ => None,
        })
    }

    /// Could this be called so, if more was known? It was not found to be.
    pub(super) fn openness(&mut self, decl: &FunDecl<'t>, template: Option<Node<'t>>, args: &[Expr]) -> Option<Open> {
        if !Self::takes(decl, args.len()) {
            return None;
        }
        let more = Self::takes_more(decl);
        let Some(parameters) = decl.template.filter(|t| t.named_child_count() > 0) else { return more };
        let given = template.map(|l| self.template_arguments(l)).unwrap_or_default();
        let mut cursor = parameters.walk();
        let is_pack = |p: Node<'t>| p.kind().starts_with("variadic_");
        let packs = more == Some(Open::Pack) || parameters.named_children(&mut cursor).any(is_pack);
        let patterns = self.inside(decl, &Bindings::default(), |body| body.parameters(decl));
        if !given.is_empty() {
            let enough = self.template_parameters(parameters).len() >= given.len();
            let fits = packs || enough && !self.is_left_over(decl, parameters, given.len());
            return fits.then_some(Open::Unclear);
        }
        let names = self.template_parameters(parameters);
        let apart = patterns.iter().zip(args).any(|((_, pattern, _), arg)| {
            let undeduced = is_null(arg) && matches!(pattern.value(), Type::Ptr(p) if self.is_own_parameter(p, &names));
            undeduced || self.is_apart(pattern, &arg.ty, &names)
        });
        match (apart, packs) {
            (true, _) => None,
            (false, true) => Some(Open::Pack),
            // What reads as a value is a type.
            (false, false) if self.has_concept(parameters) => Some(Open::Unclear),
            // What no parameter names cannot be deduced.
            (false, false) => self.names_one(decl, &names, &patterns, args).then(|| more.unwrap_or(Open::Unclear)),
        }
    }

    /// Has the template a parameter after the given ones that no default says, and that no parameter of the function names?
    fn is_left_over(&self, decl: &FunDecl<'t>, parameters: Node<'t>, given: usize) -> bool {
        let list = decl.declarator.child_by_field_name("parameters").map_or("", |l| self.text(l));
        let named: Vec<&str> = list.split(|c: char| c != '_' && !c.is_alphanumeric()).collect();
        let mut cursor = parameters.walk();
        let own = parameters.named_children(&mut cursor).filter(|p| p.kind() != "comment").collect::<Vec<_>>();
        let names = self.template_parameters(parameters);
        own.iter().zip(&names).skip(given).any(|(parameter, name)| {
            matches!(parameter.kind(), "type_parameter_declaration" | "parameter_declaration")
                && !name.is_empty()
                && !named.contains(&name.as_str())
        })
    }

    /// Do the parameters of a function name one of its template that is not deduced?
    fn names_one(
        &mut self,
        decl: &FunDecl<'t>,
        names: &[String],
        patterns: &[(String, Type, Span)],
        args: &[Expr],
    ) -> bool {
        let types: Vec<Type> = patterns.iter().map(|(_, pattern, _)| pattern.clone()).collect();
        let deduced = self.deduced(decl, &Bindings::default(), &types, args, names);
        let text = decl.declarator.child_by_field_name("parameters").map_or("", |list| self.text(list));
        let words: FxHashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let open = |name: &String| !deduced.types.contains_key(name) && !deduced.values.contains_key(name);
        names.iter().filter(|name| !name.is_empty()).any(|name| words.contains(name.as_str()) && open(name))
    }

    /// Is this a parameter of the template alone, of which a null pointer says nothing?
    fn is_own_parameter(&self, pattern: &Type, names: &[String]) -> bool {
        matches!(pattern, Type::Unknown(name) if names.iter().any(|n| **n == **name))
    }

    /// Are there certainly no arguments of the template that give this parameter the type of the argument?
    pub(super) fn is_apart(&mut self, pattern: &Type, argument: &Type, names: &[String]) -> bool {
        let simple = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Array(..));
        match (pattern.value(), argument.value()) {
            // A reference to an array is not one to a pointer.
            (Type::Array(..), Type::Ptr(_)) => matches!(pattern, Type::Ref(_)),
            (Type::Ptr(_) | Type::Array(..), Type::Int(_) | Type::Float(_) | Type::Struct(_)) => true,
            (Type::Ptr(p) | Type::Array(p, _), Type::Ptr(a) | Type::Array(a, _)) => match (&**p, &**a) {
                (Type::Int(_) | Type::Float(_), a) => **p != *a && simple(a),
                (p, a) => self.is_apart(p, a, names),
            },
            (Type::Struct(_), argument) => {
                let Some((class, bound)) = self.class_node(pattern.value()) else { return false };
                let dependent = bound.types.values().any(|ty| matches!(ty.value(), Type::Unknown(_)));
                match self.class_node(argument) {
                    Some((other, _)) => dependent && class != other && self.bases(argument).is_empty(),
                    None => dependent && simple(argument),
                }
            }
            // An instance of a class template, which is not the other name of another type.
            (Type::Unknown(name), argument) if simple(argument) && !names.iter().any(|n| **n == **name) => {
                let stem = name.split('<').next().unwrap_or("").trim();
                let declared = self.lower.names.types.get(stem).map_or(&[][..], Vec::as_slice);
                name.contains('<') && !name.contains("::") && {
                    let is_class = |decl: &TypeDecl<'t>| matches!(decl, TypeDecl::Class(..));
                    !declared.is_empty() && declared.iter().all(|(_, decl)| is_class(decl))
                }
            }
            _ => false,
        }
    }

    /// May this function fit better than that one, which was found to fit best, since types are told apart that are one
    /// here? A template is exact for an enumeration, which is only converted to `int`; and `const` is added to what an
    /// argument points or refers to by one function, and not by another. [INF-BETTER]
    pub(super) fn may_be_better(&self, other: &Candidate<'t>, one: &Candidate<'t>, args: &[Expr]) -> bool {
        let names = self.lower.names;
        let enumerations = !names.enumerators.is_empty();
        // Whatever it is given, a parameter of the template itself is of that very type.
        let is_general = |c: &Candidate<'t>, at: usize| {
            let parameters = c.chosen.decl.template.map(|t| self.template_parameters(t)).unwrap_or_default();
            let text = self.written(&c.chosen.decl, at);
            let text = text.trim_start_matches("const").trim_end_matches('&');
            text == "auto" || parameters.iter().any(|p| p == text)
        };
        args.iter().enumerate().any(|(i, arg)| {
            let (own, theirs) = (self.written(&one.chosen.decl, i), self.written(&other.chosen.decl, i));
            let several = match arg.ty.value() {
                Type::Int(ty) if matches!((ty.bits, ty.signed), (64, _) | (8, true)) => true,
                Type::Int(IntTy::BOOL) => false,
                Type::Float(2) => self.has_two_halves(),
                Type::Int(_) => enumerations && !matches!(arg.kind, ExprKind::Arith(..) | ExprKind::Builtin(_)),
                _ => false,
            };
            let marked = |text: &str| text.contains("const") || text.contains("volatile");
            let to_const = |text: &str, mark: char| text.rfind(mark).is_some_and(|at| marked(&text[..at]));
            let pointer = matches!(arg.ty.value(), Type::Ptr(_) | Type::Array(..));
            let fits = other.costs.get(i).is_some_and(|cost| *cost == 0);
            // An array is one for a reference, and a pointer to `const` after two conversions.
            let whole = matches!(arg.ty.value(), Type::Array(..)) && theirs.contains('&') && !theirs.contains('*');
            fits && (several && !is_general(one, i) && is_general(other, i)
                || pointer && to_const(&own, '*') && (whole || !marked(&theirs))
                || is_lvalue(arg) && to_const(&own, '&') && theirs.contains('&') && !marked(&theirs))
        })
    }

    /// Does a call mean this function, of which it is known that it can be called so, and not that one, of which it is not?
    ///
    /// A pack of a template is no better where each argument is of the very type of its parameter: then a function, or
    /// the template without a pack, is meant. Numbers whose types the language may tell apart, where they are one here,
    /// are not that: enumerations, and integers of 8 and of 64 bits.
    pub(super) fn goes_before(&mut self, one: &Candidate<'t>, args: &[Expr], other: &FunDecl<'t>, open: Open) -> bool {
        let (types, decl) = (&one.types, &one.chosen.decl);
        let enumerations = self.lower.names.types.values().flatten().any(|(_, decl)| matches!(decl, TypeDecl::Enum(_)));
        let is_number = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_));
        let is_sure = |ty: &Type, arg: &Expr| match ty {
            Type::Int(int) => {
                let computed = matches!(arg.kind, ExprKind::Arith(..) | ExprKind::Builtin(_));
                matches!(int.bits, 16 | 32) && (computed || !enumerations)
            }
            Type::Float(bytes) => matches!(bytes, 4 | 8),
            Type::Struct(class) => !class.name.contains('<'),
            _ => false,
        };
        if one.is_doubtful() {
            return false;
        }
        let theirs = self.inside(other, &Bindings::default(), |body| body.parameters(other));
        types.iter().zip(&one.costs).zip(args).enumerate().all(|(i, ((ty, cost), arg))| match open {
            Open::Unclear => false,
            Open::Ellipsis => {
                let known = is_number(ty.value()) && is_number(arg.ty.value());
                *cost == 0 || *cost <= 2 && known || (2..=6).contains(cost)
            }
            Open::Pack => {
                let (own, of_other) = (self.written(decl, i), self.written(other, i));
                let same = theirs.get(i).is_some_and(|(_, t, _)| t == ty && is_settled(t)) && own == of_other;
                let read_only = |text: &str| text.contains("const") && !text.contains("&&");
                let sure = match ty {
                    // To refer to what is not changed is as good as to take its value.
                    Type::Ref(inner) => {
                        read_only(&own) && (!of_other.contains('&') || read_only(&of_other)) && is_sure(inner, arg)
                    }
                    ty => is_sure(ty, arg),
                };
                *cost == 0 && (same || sure)
            }
        })
    }
}

impl<'l, 't> Body<'l, 't> {
    /// How the type of a parameter is written, its name left out; after the last one, that of the pack.
    pub(super) fn written(&self, decl: &FunDecl<'t>, at: usize) -> String {
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return String::new() };
        let mut cursor = list.walk();
        let all: Vec<Node<'t>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let Some(parameter) = all.get(at).or(all.last()) else { return String::new() };
        let name = parameter.child_by_field_name("declarator").and_then(declared_name);
        let (start, end) =
            name.map_or((parameter.end_byte(), parameter.end_byte()), |n| (n.start_byte(), n.end_byte()));
        let text = &self.lower.unit.text;
        let parts = [&text[parameter.start_byte()..start], &text[end..parameter.end_byte()]];
        parts.concat().split_whitespace().collect()
    }
}

/// Is nothing open in a type: no parameter of a template, nothing that is not understood?
fn is_settled(ty: &Type) -> bool {
    match ty {
        Type::Int(_) | Type::Float(_) => true,
        Type::Struct(class) => !class.name.contains('<'),
        Type::Ptr(inner) | Type::Ref(inner) | Type::Array(inner, _) => is_settled(inner),
        _ => false,
    }
}
