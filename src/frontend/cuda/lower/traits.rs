//! The traits of the standard library that ask for, or choose, a type; templates of variables and of names of types.

use super::*;

/// Is this the name space of the standard library, or of its twin for the device?
pub fn is_standard(qualifier: &Qualifier) -> bool {
    matches!(qualifier.parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), ["std"] | ["cuda", "std"])
}

impl<'l, 't> Body<'l, 't> {
    /// `std::is_same_v<A, B>`, `std::is_same<A, B>::value`, `K<2>`: the value of a name with arguments. [INF-TRAIT]
    pub(super) fn value_with_arguments(&mut self, node: Node<'t>) -> Option<Expr> {
        let (qualifier, base) = self.lower.unit.qualified(node);
        let span = self.span(node);
        let answer = |truth: bool| Expr::new(ExprKind::Int(i128::from(truth)), Type::BOOL, span);
        if base.kind() == "template_function" {
            let (name, list) = (self.text(base.child_by_field_name("name")?), base.child_by_field_name("arguments")?);
            let arguments = self.template_arguments(list);
            if is_standard(&qualifier) && !self.lower.names.globals.contains_key(name) {
                return self.trait_value(name.strip_suffix("_v")?, &arguments).map(answer);
            }
            return self.variable_template(name, &qualifier, &arguments, span);
        }
        let (outer, name, arguments) = self.member_of_trait(node)?;
        let value = is_standard(&outer) && self.text(base) == "value";
        self.trait_value(name, &arguments).filter(|_| value).map(answer)
    }

    /// The trait that the last part of a name belongs to: where it is declared, its name, its arguments.
    fn member_of_trait(&mut self, node: Node<'t>) -> Option<(Qualifier, &'t str, Vec<Node<'t>>)> {
        let (mut parts, mut current, mut last) = (Vec::new(), node, None);
        while current.kind() == "qualified_identifier" {
            if let Some(scope) = last {
                parts.push(self.text(scope).to_owned());
            }
            last = current.child_by_field_name("scope");
            current = current.child_by_field_name("name")?;
        }
        let class = last.filter(|scope| scope.kind() == "template_type")?;
        let (name, list) = (class.child_by_field_name("name")?, class.child_by_field_name("arguments")?);
        let outer = Qualifier { parts, ..Qualifier::default() };
        Some((outer, self.text(name), self.template_arguments(list)))
    }

    /// What a trait says of types; `None` where that is not known, as where the language tells types apart that are one here.
    fn trait_value(&mut self, name: &str, arguments: &[Node<'t>]) -> Option<bool> {
        let types: Vec<Type> = arguments.iter().map(|a| self.type_of(*a)).collect();
        let is_known = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(4 | 8) | Type::Ptr(_));
        // A reference is none of these.
        let kinds = ["is_pointer", "is_integral", "is_floating_point"];
        if let ([Type::Ref(_)], true) = (types.as_slice(), kinds.contains(&name))
            && !self.lower.names.types.contains_key(name)
        {
            return Some(false);
        }
        if !types.iter().all(is_known) {
            return None;
        }
        // The program has one of that name.
        if self.lower.names.types.contains_key(name) {
            return None;
        }
        // Enumerations are integers here.
        let enumerations = !self.lower.names.enumerators.is_empty() || self.lower.names.header_missing;
        match (name, types.as_slice()) {
            ("is_same", [a, b]) => {
                let kind = |ty: &Type| match ty {
                    Type::Int(_) => 0,
                    Type::Float(bytes) => *bytes,
                    _ => 1,
                };
                let exact = match a {
                    Type::Float(_) => true,
                    Type::Int(ty) => !enumerations && ty.bits == 32,
                    _ => false,
                };
                let finer = arguments.iter().any(|argument| self.finer(*argument).is_some());
                match (a, b) {
                    _ if kind(a) != kind(b) => Some(false),
                    (Type::Int(x), Type::Int(y)) if x != y => Some(false),
                    (Type::Int(_) | Type::Float(_), _) if exact && !finer => Some(true),
                    _ => None,
                }
            }
            ("is_floating_point", [ty]) => Some(matches!(ty, Type::Float(_))),
            ("is_integral", [ty]) => match ty {
                Type::Int(_) if enumerations => None,
                ty => Some(matches!(ty, Type::Int(_))),
            },
            ("is_pointer", [ty]) => Some(matches!(ty, Type::Ptr(_))),
            _ => None,
        }
    }

    /// The type that a trait chooses.
    pub fn trait_type(&mut self, name: &str, arguments: &[Node<'t>]) -> Option<Type> {
        if self.lower.names.types.contains_key(name) {
            return None;
        }
        match (name, arguments) {
            ("conditional", [condition, yes, no]) => {
                let chosen = if self.template_value(*condition)? != 0 { yes } else { no };
                Some(self.type_of(*chosen))
            }
            ("enable_if", [condition, rest @ ..]) => {
                (self.template_value(*condition)? != 0).then_some(())?;
                match rest {
                    [] => Some(Type::Void),
                    [ty] => Some(self.type_of(*ty)),
                    _ => None,
                }
            }
            // What `const` and `volatile` say is not part of a type here.
            ("add_pointer", [only]) => Some(self.type_of(*only).value().clone().ptr()),
            ("remove_cv" | "remove_const" | "remove_volatile", [only]) => Some(self.type_of(*only)),
            ("decay", [only]) => match self.type_of(*only).value() {
                ty @ (Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_)) => Some(ty.clone()),
                _ => None,
            },
            // So many bytes, and nothing that says what they are.
            ("aligned_storage", [size, align]) => {
                let (size, align) = (self.template_value(*size)?, self.template_value(*align)?);
                let (size, align) = (u64::try_from(size).ok()?, u64::try_from(align).ok()?);
                let known = (1..=65_536).contains(&size) && align.is_power_of_two() && align <= 128;
                let bytes = Type::Array(Arc::new(Type::Int(IntTy::U8)), Some(size));
                let name = format!("std::aligned_storage<{size}, {align}>");
                let fields = vec![(Arc::from("[bytes]"), bytes)];
                known.then(|| Type::Struct(Arc::new(StructTy::layout(&name, fields, false, Some(align), true))))
            }
            ("underlying_type", [only]) => match self.type_of(*only) {
                ty @ Type::Int(_) => Some(ty),
                _ => None,
            },
            ("make_unsigned" | "make_signed", [only]) => match self.type_of(*only) {
                Type::Int(ty) if ty != IntTy::BOOL => Some(Type::Int(IntTy { signed: name == "make_signed", ..ty })),
                _ => None,
            },
            ("remove_reference" | "remove_cvref", [only]) => Some(self.type_of(*only).value().clone()),
            _ => None,
        }
    }

    /// `std::conditional<c, A, B>::type`.
    pub fn type_of_trait(&mut self, node: Node<'t>) -> Option<Type> {
        let (outer, name, arguments) = self.member_of_trait(node)?;
        let (_, base) = self.lower.unit.qualified(node);
        (is_standard(&outer) && self.text(base) == "type").then_some(())?;
        self.trait_type(name, &arguments)
    }

    /// `std::numeric_limits<T>::max()`: of a type that is not known, or may be an enumeration, it is some value.
    pub(super) fn limit(&mut self, callee: Node<'t>, span: Span) -> Option<Expr> {
        let (outer, name, arguments) = self.member_of_trait(callee)?;
        let (_, base) = self.lower.unit.qualified(callee);
        let names = self.lower.names;
        let is_limit = is_standard(&outer) && name == "numeric_limits" && !names.types.contains_key(name);
        let ([argument], true) = (arguments.as_slice(), is_limit) else { return None };
        let (ty, member) = (self.type_of(*argument), self.text(base));
        let spelled = argument.child_by_field_name("type").unwrap_or(*argument).kind();
        let exact = matches!(spelled, "primitive_type" | "sized_type_specifier")
            || names.enumerators.is_empty() && !names.header_missing;
        let value = match (&ty, member) {
            (Type::Int(int), "max") if exact => ExprKind::Int(IntTy::max(*int)?),
            (Type::Int(int), "min" | "lowest") if exact => ExprKind::Int(IntTy::min(*int)?),
            (Type::Float(bytes @ (4 | 8)), _) => {
                let (max, min, epsilon) = match bytes {
                    4 => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON)),
                    _ => (f64::MAX, f64::MIN_POSITIVE, f64::EPSILON),
                };
                let value = match member {
                    "max" => max,
                    "lowest" => -max,
                    "min" => min,
                    "epsilon" => epsilon,
                    "infinity" => f64::INFINITY,
                    "quiet_NaN" | "signaling_NaN" => f64::NAN,
                    _ => return None,
                };
                ExprKind::Constant(Name::new(format!("{value:?}")))
            }
            (_, "max" | "min" | "lowest" | "epsilon" | "infinity" | "quiet_NaN" | "signaling_NaN") => {
                let name = Name::new(format!("numeric_limits.{ty}.{member}"));
                ExprKind::Intrinsic(Intrinsic::Pure(name, None), vec![])
            }
            _ => return None,
        };
        Some(Expr::new(value, ty, span))
    }

    /// `K<2>` of `template <int N> constexpr int K = N * 2;` without specialisations.
    fn variable_template(
        &mut self,
        name: &str,
        qualifier: &Qualifier,
        arguments: &[Node<'t>],
        span: Span,
    ) -> Option<Expr> {
        let names = self.lower.names;
        let is_special = |other: &String| other.split_once('<').is_some_and(|(own, _)| own.trim_end() == name);
        let [(_, global)] = names.globals.get(name)?.as_slice() else { return None };
        let template = global.node.parent().filter(|p| p.kind() == "template_declaration")?;
        let in_memory = self.device_storage(global.node, global.declarator).is_some();
        let known = (in_memory || self.text(template).contains("const")) && !self.hidden_names();
        if !known || names.functions.contains_key(name) || names.globals.keys().any(is_special) {
            return Some(self.undeclared(name, span)).filter(|_| !names.functions.contains_key(name));
        }
        let global = match names.find_global(name, self.scope, qualifier) {
            Found::One(global) => global,
            _ => return Some(self.undeclared(name, span)),
        };
        let parameters = template.child_by_field_name("parameters")?;
        if let Some(storage) = self.device_storage(global.node, global.declarator).filter(|_| global.value.is_none()) {
            let bindings = self.bind_template(parameters, arguments, &Bindings::default());
            let instance =
                bindings.and_then(|b| self.global_instance(name, global.node, global.declarator, b, storage));
            return Some(
                instance
                    .map_or_else(|| self.undeclared(name, span), |(id, ty)| Expr::new(ExprKind::Global(id), ty, span)),
            );
        }
        let value = self.bind_template(parameters, arguments, &Bindings::default()).and_then(|bindings| {
            let (ty, value) = (global.node.child_by_field_name("type")?, global.value?);
            self.elsewhere(global.node, |body| {
                body.bindings = bindings;
                let base = body.type_of(ty);
                let (ty, _) = body.declare(base, &global.declarator);
                let value = body.initial(value, &ty);
                let ty = if is_auto(&ty) { value.ty.clone() } else { ty };
                Some(Expr::new(ExprKind::Int(body.fold(&value)?), ty, span))
            })
        });
        Some(value.unwrap_or_else(|| self.undeclared(name, span)))
    }

    /// Where a variable of the device lives that is no constant.
    fn device_storage(&self, declaration: Node<'t>, declarator: Node<'t>) -> Option<Storage> {
        let words = self.specifiers(declaration, declarator);
        let has = |word: &str| words.contains(&word);
        if has("const") || has("constexpr") || has("__shared__") {
            return None;
        }
        let plain = has("__device__").then_some(Storage::Global);
        if has("__constant__") { Some(Storage::Constant) } else { plain }
    }

    /// `mask<float>` of `template <class T> __constant__ T mask[8];`: one variable for each list of arguments.
    fn global_instance(
        &mut self,
        name: &str,
        declaration: Node<'t>,
        declarator: Node<'t>,
        bindings: Bindings,
        storage: Storage,
    ) -> Option<(GlobalId, Type)> {
        let ty = declaration.child_by_field_name("type")?;
        // What is written for its types may differ where they are the same.
        let key = (declarator.id(), bindings.key_of_types());
        let (ty, _) = self.elsewhere(declaration, |body| {
            body.bindings = bindings;
            let base = body.type_of(ty);
            body.declare(base, &declarator)
        });
        let known = self.lower.instances_of_globals.get(&key).copied();
        let id = known.unwrap_or_else(|| {
            let id = self.declare_global(name, ty.clone(), storage, None, self.span(declarator));
            self.lower.instances_of_globals.insert(key, id);
            id
        });
        Some((id, ty))
    }

    /// `P<float>` of `template <class T> using P = T *;`.
    pub fn alias_template(&mut self, ty: Node<'t>, arguments: &[Node<'t>]) -> Option<Type> {
        let template = ty.parent()?.parent().filter(|p| p.kind() == "template_declaration")?;
        if template.parent().is_some_and(|p| p.kind() != "translation_unit" && p.kind() != "declaration_list") {
            return None;
        }
        let parameters = template.child_by_field_name("parameters")?;
        let bindings = self.bind_template(parameters, arguments, &Bindings::default())?;
        Some(self.elsewhere(ty, |body| {
            body.bindings = bindings;
            body.type_of(ty)
        }))
    }
}
