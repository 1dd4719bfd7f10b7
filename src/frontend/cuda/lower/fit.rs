//! What else than types decides which function is called: whether an argument is a place or a temporary, and whether a number is
//! an enumeration. [INF-CATEGORY] [INF-SCOPED]

use super::overload::{Candidate, is_null};
use super::*;

/// What a reference may be bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Category {
    Place,
    /// A value that was just made, or a place that is given away.
    Temporary,
    /// Nothing that can be changed: a temporary, or a constant that has a place.
    Fixed,
    /// That is not known.
    Open,
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taking {
    Value,
    /// By a reference to what is not changed, which takes anything.
    Const,
    /// By `T &`; of a template, which takes a constant as well.
    Place {
        generic: bool,
    },
    /// By `S &&`.
    Temporary,
    /// By `T &&` of a template, which takes anything.
    Forward,
    /// By a type that may be a reference of any kind.
    Open,
}

/// Does an argument fit, as far as it is a place or a temporary?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    Yes,
    No,
    Open,
}

/// What is known of where a number comes from.
enum Origin {
    /// Not from an enumeration.
    Number,
    /// From the enumeration of that name.
    Enum(String),
    Open,
}

impl<'l, 't> Body<'l, 't> {
    pub(super) fn category(&self, expr: &Expr) -> Category {
        match &expr.kind {
            ExprKind::Comma(first, last) if is_mark(first) => match &last.kind {
                ExprKind::Comma(second, _) if is_mark(second) => Category::Open,
                _ => Category::Temporary,
            },
            ExprKind::Comma(_, last) => self.category(last),
            ExprKind::Var(id) if self.is_hidden_var(*id) => match expr.ty {
                Type::Struct(_) => Category::Temporary,
                _ => Category::Open,
            },
            ExprKind::Var(_) | ExprKind::Global(_) => Category::Place,
            ExprKind::Member(object, ..) | ExprKind::Element(object, _) => self.category(object),
            ExprKind::Deref(pointer) => self.category_behind(pointer),
            ExprKind::Assign(..) | ExprKind::Update { old: false, .. } => Category::Place,
            ExprKind::Temporary(_)
            | ExprKind::Update { old: true, .. }
            | ExprKind::Arith(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Not(_)
            | ExprKind::Convert(_)
            | ExprKind::Call(..)
            | ExprKind::Offset(..)
            | ExprKind::Distance(..)
            | ExprKind::AddressOf(_) => Category::Temporary,
            ExprKind::Choose(_, t, e) => match (self.category(t), self.category(e)) {
                (t, e) if t == e => t,
                _ => Category::Open,
            },
            // An operator is given values, of which some were places.
            ExprKind::Load(place) if self.category(place) == Category::Temporary => Category::Temporary,
            ExprKind::Int(_)
            | ExprKind::Builtin(_)
            | ExprKind::Constant(_)
            | ExprKind::Aggregate(_)
            | ExprKind::Opaque(..)
            | ExprKind::Intrinsic(..) => Category::Fixed,
            _ => Category::Open,
        }
    }

    /// The category of what a pointer points to, which may be a reference that a cast or a call made.
    fn category_behind(&self, pointer: &Expr) -> Category {
        match &pointer.kind {
            // A function that returns `T &&` has a mark around its call.
            ExprKind::Load(_) | ExprKind::Offset(..) | ExprKind::Call(..) => Category::Place,
            ExprKind::Convert(inner) => self.category_behind(inner),
            ExprKind::AddressOf(place) if self.category(place) == Category::Place => Category::Place,
            _ => Category::Open,
        }
    }

    pub(super) fn is_hidden_var(&self, id: VarId) -> bool {
        self.vars.get(id.0 as usize).is_some_and(|v| *v.name.as_str() == format!("_tmp{}", id.0))
    }

    /// Is this an object that was made for this use alone, so that it is not copied?
    pub(super) fn is_fresh(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Call(..) => matches!(expr.ty, Type::Struct(_)),
            ExprKind::Var(id) => self.is_hidden_var(*id),
            ExprKind::Load(place) => matches!(place.kind, ExprKind::Var(_)) && self.is_fresh(place),
            ExprKind::Comma(first, last) => !is_mark(first) && self.is_fresh(last),
            _ => false,
        }
    }

    /// A place that is given away, as by `static_cast<T &&>(x)`.
    pub(super) fn given_away(&self, place: Expr) -> Expr {
        if !is_lvalue(&place) {
            return place;
        }
        let (ty, span) = (place.ty.clone(), place.span);
        let mark = Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        Expr::new(ExprKind::Comma(Box::new(mark), Box::new(place)), ty, span)
    }

    /// A place that may be given away, or not.
    pub(super) fn perhaps_given_away(&self, place: Expr) -> Expr {
        let once = self.given_away(place);
        self.given_away(once)
    }

    /// What a cast to a type that is written so makes of a place.
    pub(super) fn cast_place(&mut self, written: Node<'t>, ty: &Type, made: Expr) -> Expr {
        let text: String = self.text(written).split_whitespace().collect();
        match ty {
            Type::Ref(_) => {
                let base = text.trim_end_matches('&');
                let known = matches!(self.bindings.types.get(base), Some(ty) if !matches!(ty, Type::Ref(_)))
                    || self.lower.names.types.get(base).is_some_and(|list| {
                        list.iter().all(|(_, decl)| matches!(decl, TypeDecl::Class(..) | TypeDecl::Enum(_)))
                    })
                    || self.is_of_language(base);
                let known = known && !self.bindings.finer.contains_key(base);
                match (text.ends_with("&&"), text.ends_with('&')) {
                    (true, _) if known => self.given_away(made),
                    (false, true) => made,
                    _ => self.perhaps_given_away(made),
                }
            }
            // As an enumeration it is another type of the language, though none here.
            Type::Int(_) | Type::Ptr(_)
                if self.names_enum(self.text(written)) && !matches!(made.kind, ExprKind::Int(_)) =>
            {
                let span = made.span;
                let made = self.value(made);
                Expr::new(ExprKind::Convert(Box::new(made)), ty.clone(), span)
            }
            _ => made,
        }
    }

    /// Is this a number's type that has its name in the language?
    fn is_of_language(&self, text: &str) -> bool {
        const WORDS: [&str; 9] = ["int", "unsigned", "signed", "long", "short", "char", "bool", "float", "double"];
        let mut words = text.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|w| !w.is_empty()).peekable();
        words.peek().is_some() && words.all(|w| WORDS.contains(&w) || matches!(w, "const" | "volatile" | "size_t"))
    }

    /// Does a type that is written so name an enumeration, or a parameter of a template that stands for one?
    fn names_enum(&self, text: &str) -> bool {
        self.enum_below(text, 0)
    }

    fn enum_below(&self, text: &str, depth: usize) -> bool {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|w| !w.is_empty()).any(|word| {
            let declared = self.lower.names.types.get(word).map_or(&[][..], Vec::as_slice);
            word == "enum"
                || self.bindings.finer.contains_key(word)
                || declared.iter().any(|(_, decl)| match decl {
                    TypeDecl::Enum(_) => true,
                    TypeDecl::Typedef(ty, _) | TypeDecl::Alias(ty) if depth < 5 => {
                        let text = self.text(*ty);
                        ty.kind() == "enum_specifier"
                            || ty.child_by_field_name("body").is_none()
                                && text != word
                                && self.enum_below(text, depth + 1)
                    }
                    _ => false,
                })
        })
    }

    /// Has the text enumerations that are not converted to numbers?
    fn has_scoped_enums(&self) -> bool {
        self.lower.names.types.values().flatten().any(|(_, decl)| match decl {
            TypeDecl::Enum(node) => {
                let head = self.text(*node).trim_start_matches("enum").trim_start();
                head.starts_with("class") || head.starts_with("struct")
            }
            _ => false,
        })
    }

    fn origin(&self, arg: &Expr) -> Origin {
        match &arg.kind {
            ExprKind::Arith(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Not(_)
            | ExprKind::Builtin(_) => Origin::Number,
            ExprKind::Var(id) => match self.written_types.get(id) {
                Some(text) if self.is_of_language(text) => Origin::Number,
                Some(text) if self.names_enum(text) => {
                    let name = text.trim_start_matches("const ").trim_start_matches("enum ");
                    Origin::Enum(name.rsplit("::").next().unwrap_or(name).trim().to_owned())
                }
                _ => Origin::Open,
            },
            ExprKind::Load(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Offset(inner, _)
            | ExprKind::Element(inner, _)
            | ExprKind::Assign(inner, _)
            | ExprKind::Comma(_, inner) => match self.origin(inner) {
                // A value may be one that was converted.
                Origin::Number if !matches!(arg.kind, ExprKind::Load(_)) => Origin::Number,
                Origin::Number if matches!(arg.ty, Type::Ptr(_)) => Origin::Number,
                Origin::Enum(name) if matches!(arg.kind, ExprKind::Deref(_)) => Origin::Enum(name),
                _ => Origin::Open,
            },
            ExprKind::Update { place, .. } => self.origin(place),
            _ => Origin::Open,
        }
    }

    /// How a parameter takes its argument.
    pub(super) fn taking(&self, decl: &FunDecl<'t>, bindings: &Bindings, at: usize, ty: &Type, given: bool) -> Taking {
        if !matches!(ty, Type::Ref(_)) {
            return Taking::Value;
        }
        let text = self.written(decl, at);
        // What stands in angle brackets is another type.
        let (mut depth, mut plain) = (0usize, String::new());
        for c in text.chars() {
            match c {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                c if depth == 0 => plain.push(c),
                _ => {}
            }
        }
        let Some(at) = plain.find('&') else { return Taking::Open };
        let (before, twice) = (&plain[..at], plain[at..].starts_with("&&"));
        let before = before.trim_end_matches('(');
        let own = decl.template.map(|t| self.template_parameters(t)).unwrap_or_default();
        let generic = before == "auto" || own.iter().any(|p| p == before);
        let bound = bindings.types.get(before);
        if matches!(bound, Some(Type::Ref(_))) || generic && given {
            return Taking::Open;
        }
        let last = before.rsplit('*').next().unwrap_or(before);
        let constant = if before.contains('*') { last.contains("const") } else { before.contains("const") };
        // A name of a type that is `const`, or a reference.
        let renamed = |word: &str| {
            self.lower.names.types.get(word).is_some_and(|list| {
                list.iter().any(|(_, decl)| !matches!(decl, TypeDecl::Class(..) | TypeDecl::Enum(_)))
            }) && self.renames(word, 0)
        };
        let word = before.rsplit("::").next().unwrap_or(before).trim_start_matches("const");
        let renamed = renamed(word) || bindings.finer.get(before).is_some_and(|text| text.contains("const"));
        match (twice, constant) {
            (_, _) if renamed => Taking::Open,
            (true, _) if generic => Taking::Forward,
            (true, _) => Taking::Temporary,
            (false, true) => Taking::Const,
            (false, false) => Taking::Place { generic: generic || before.contains("auto") || !own.is_empty() },
        }
    }

    /// Does the name of a type stand for one that is `const`, or a reference?
    fn renames(&self, word: &str, depth: usize) -> bool {
        let list = self.lower.names.types.get(word).map_or(&[][..], Vec::as_slice);
        list.iter().any(|(_, decl)| {
            let ty = match decl {
                TypeDecl::Typedef(ty, _) | TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) => *ty,
                TypeDecl::Unread => return true,
                _ => return false,
            };
            let whole = ty.parent().unwrap_or(ty);
            if ty.child_by_field_name("body").is_some() {
                return false;
            }
            let text = self.text(whole);
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            text.contains('&')
                || words.clone().any(|w| w == "const")
                || depth < 5 && words.any(|w| w != word && !w.is_empty() && self.renames(w, depth + 1))
        })
    }

    /// Can an argument be taken so?
    pub(super) fn fit(&mut self, taking: Taking, ty: &Type, arg: &Expr) -> Fit {
        let category = self.category(arg);
        if matches!(ty.value(), Type::Unknown(_)) || matches!(arg.ty.value(), Type::Unknown(_) | Type::Fun) {
            return Fit::Yes;
        }
        // A class may be converted to a reference.
        let converted =
            matches!(arg.ty.value(), Type::Struct(_)) && !matches!(ty.value(), Type::Struct(_) | Type::Array(..));
        match taking {
            Taking::Value | Taking::Const | Taking::Forward => Fit::Yes,
            Taking::Open => Fit::Open,
            _ if converted || is_null(arg) => Fit::Open,
            Taking::Place { generic } => {
                let other = match (ty.value(), arg.ty.value()) {
                    (Type::Int(a), Type::Int(b)) => a != b,
                    (Type::Float(a), Type::Float(b)) => a != b,
                    (Type::Int(_), Type::Float(_)) | (Type::Float(_), Type::Int(_)) => true,
                    // Made by a constructor.
                    (Type::Struct(_), Type::Int(_) | Type::Float(_) | Type::Ptr(_)) => true,
                    _ => false,
                };
                match category {
                    _ if other => Fit::No,
                    Category::Place => Fit::Yes,
                    Category::Temporary => Fit::No,
                    Category::Fixed if generic => Fit::Open,
                    Category::Fixed => Fit::No,
                    Category::Open => Fit::Open,
                }
            }
            Taking::Temporary => match category {
                Category::Temporary => Fit::Yes,
                Category::Fixed | Category::Open => Fit::Open,
                Category::Place => match (ty.value(), arg.ty.value()) {
                    // There are several types of the language that are one here.
                    (Type::Int(a), Type::Int(b)) if a == b => match self.origin(arg) {
                        Origin::Number if !matches!((a.bits, a.signed), (64, _) | (8, true)) => Fit::No,
                        _ => Fit::Open,
                    },
                    (a, b) if a == b => Fit::No,
                    (a @ Type::Struct(_), b @ Type::Struct(_)) if self.is_base_of(a, b) => Fit::No,
                    _ => Fit::Yes,
                },
            },
        }
    }

    /// A number for a parameter that is an enumeration, or may be one.
    pub(super) fn fit_of_enum(&self, decl: &FunDecl<'t>, bindings: &Bindings, at: usize, arg: &Expr) -> Fit {
        if !matches!(arg.ty.value(), Type::Int(_) | Type::Ptr(_) | Type::Array(..)) {
            return Fit::Yes;
        }
        let text = self.parameter_text(decl, at);
        let of_template = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| bindings.finer.get(word).is_some_and(|text| self.names_enum(text)));
        if !of_template && !self.names_enum(text) {
            return Fit::Yes;
        }
        match self.origin(arg) {
            Origin::Number => Fit::No,
            Origin::Enum(name) if text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name) => Fit::Yes,
            _ => Fit::Open,
        }
    }

    /// May this argument be an enumeration that is no number, for a parameter that is one?
    pub(super) fn may_be_scoped(&self, decl: &FunDecl<'t>, at: usize, ty: &Type, arg: &Expr) -> bool {
        matches!(ty.value(), Type::Int(_) | Type::Float(_))
            && matches!(arg.ty.value(), Type::Int(_))
            && self.has_scoped_enums()
            && !matches!(self.origin(arg), Origin::Number)
            && !self.names_enum(self.parameter_text(decl, at))
    }

    /// May a parameter be given an enumeration that is no number?
    pub(super) fn takes_scoped(&self, c: &Candidate<'t>, at: usize) -> bool {
        c.types.get(at).is_some_and(|ty| matches!(ty.value(), Type::Struct(_) | Type::Unknown(_)))
            || self.names_enum(self.parameter_text(&c.chosen.decl, at))
            || c.chosen.decl.template.is_some()
    }

    /// A parameter as it is written, without its name.
    fn parameter_text(&self, decl: &FunDecl<'t>, at: usize) -> &'t str {
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return "" };
        let mut cursor = list.walk();
        let all: Vec<Node<'t>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let Some(parameter) = all.get(at).or(all.last()) else { return "" };
        parameter.child_by_field_name("type").map_or("", |ty| self.text(ty))
    }

    /// Is one function certainly better than the other since it takes a temporary by `S &&`, and that by `const S &`?
    /// `None`: it may be.
    pub(super) fn takes_better(&self, one: &Candidate<'t>, other: &Candidate<'t>, args: &[Expr]) -> Option<bool> {
        let mut better = Some(false);
        for (i, arg) in args.iter().enumerate() {
            let (Some(a), Some(b)) = (one.costs.get(i), other.costs.get(i)) else { continue };
            if a > b {
                return Some(false);
            }
            let rvalue = |c: &Candidate<'t>| matches!(c.takings.get(i), Some(Taking::Temporary | Taking::Forward));
            let constant = |c: &Candidate<'t>| matches!(c.takings.get(i), Some(Taking::Const));
            let fits = !one.doubts.get(i).copied().unwrap_or(false);
            if a == b && rvalue(one) && constant(other) {
                match self.category(arg) {
                    Category::Temporary if fits => better = better.map(|_| true),
                    Category::Place => {}
                    _ => better = None,
                }
            } else if a == b && rvalue(other) && constant(one) {
                return Some(false);
            }
        }
        better
    }

    /// Is what was written for a parameter of one function different from that of the other?
    pub(super) fn differs(&self, one: &Candidate<'t>, other: &Candidate<'t>, at: usize) -> bool {
        one.types.get(at) != other.types.get(at)
            || self.written(&one.chosen.decl, at) != self.written(&other.chosen.decl, at)
    }

    /// The code of a function, its initialisers and the names of its parameters, as it is written but for spaces and for what is
    /// `const` in it.
    pub(super) fn code(&self, decl: &FunDecl<'t>) -> Option<(Vec<&'t str>, String, String)> {
        let body = decl.node.child_by_field_name("body")?;
        let initialisers = child_of_kind(decl.node, "field_initializer_list").map_or("", |list| self.text(list));
        let list = decl.declarator.child_by_field_name("parameters")?;
        let mut cursor = list.walk();
        let named = list.named_children(&mut cursor).filter_map(|p| p.child_by_field_name("declarator"));
        let names = named.filter_map(declared_name).map(|n| self.text(n)).collect();
        Some((names, without_const(initialisers), without_const(self.text(body))))
    }

    /// Can the parameters of a template certainly not be deduced, since one of the arguments is of another kind than its parameter?
    pub(super) fn cannot_be_deduced(
        &mut self,
        decl: &FunDecl<'t>,
        outer: &Bindings,
        template: Option<Node<'t>>,
        args: &[Expr],
    ) -> bool {
        let Some(parameters) = decl.template.filter(|t| t.named_child_count() > 0 && template.is_none()) else {
            return false;
        };
        let names = self.template_parameters(parameters);
        let patterns: Vec<Type> =
            self.inside(decl, outer, |body| body.parameters(decl)).into_iter().map(|(_, ty, _)| ty).collect();
        patterns.iter().zip(args).any(|(pattern, arg)| {
            let dependent = self.depends(pattern, &names);
            let null = is_null(arg) && matches!(pattern.value(), Type::Ptr(_));
            dependent && (null || self.is_apart(pattern, &arg.ty, &names))
        })
    }

    /// Does a type name one of these parameters?
    fn depends(&self, ty: &Type, names: &[String]) -> bool {
        match ty {
            Type::Unknown(text) => {
                text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| names.iter().any(|n| n == w))
            }
            Type::Ptr(inner) | Type::Ref(inner) | Type::Array(inner, _) => self.depends(inner, names),
            Type::Struct(_) => {
                self.class_node(ty).is_some_and(|(_, bound)| bound.types.values().any(|ty| self.depends(ty, names)))
            }
            _ => false,
        }
    }
}

/// Does this do nothing, and say that the place after it is given away?
fn is_mark(first: &Expr) -> bool {
    matches!(&first.kind, ExprKind::Intrinsic(Intrinsic::Nothing, args) if args.is_empty())
}

/// A text without spaces between signs, and without `const` in front of types, but for arguments of templates.
fn without_const(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut made = String::new();
    let mut rest = text.trim_start();
    if text.contains("//") {
        return text.to_owned();
    }
    while let Some(first) = rest.chars().next() {
        let length = match first {
            // As it is.
            '"' | '\'' => rest.len(),
            c if is_word(c) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let argument = made.trim_end().ends_with(['<', ',']);
        if token != "const" || argument {
            made.push_str(token);
            // Words stay apart, and so do operators.
            if after.starts_with(char::is_whitespace)
                && after.trim_start().starts_with(|c| is_word(c) == is_word(first))
            {
                made.push(' ');
            }
        }
        rest = after.trim_start();
    }
    made
}
