//! Syntax tree to kernel language: names resolved, types for every expression, conversions explicit.
//!
//! Whatever is not understood becomes an `Unknown` expression or statement with its place; nothing is skipped silently.

use std::collections::HashMap;
use std::sync::Arc;

use tree_sitter::Node;

use super::builtins;
use super::types::{Bindings, is_auto};
use super::unit::{FunDecl, Names, Unit, declared_name, last_named, split_init, split_scope};
use crate::base::{Name, Span};
use crate::core::Scope;
use crate::exp::{IntTy, NBin, NRel};
use crate::kernel::ir::*;
use crate::kernel::types::Type;

/// How deep expressions and statements may nest before the kernel is rejected.
const MAX_DEPTH: usize = 2_000;

/// What a name stands for inside a function.
#[derive(Clone)]
pub enum Local<'t> {
    Var(VarId),
    Value(i128, Type),
    Type(Type),
    Lambda(Node<'t>),
}

/// A kernel that was found, lowered with everything that it calls.
pub struct LoweredKernel {
    pub name: String,
    pub span: Span,
    pub program: Program,
    pub kernel: FunId,
    /// Template value parameters without a known value: they are uniform parameters after the others.
    pub launch_bounds: Option<i128>,
    /// Of `__cluster_dims__`.
    pub clusters: Option<super::unit::ClusterDims>,
}

/// Lowers one kernel at a time; shares the tables of types between them.
pub struct Lower<'t> {
    pub unit: &'t Unit<'t>,
    pub names: &'t Names<'t>,
    pub classes: HashMap<(usize, String), Type>,
    pub class_nodes: HashMap<String, (Node<'t>, Bindings)>,
    program: Program,
    functions: HashMap<(usize, String), FunId>,
    pending: Vec<(FunId, FunDecl<'t>, Bindings)>,
    globals: HashMap<String, GlobalId>,
}

/// The body of one function while it is lowered.
pub struct Body<'l, 't> {
    pub lower: &'l mut Lower<'t>,
    pub bindings: Bindings,
    pub scopes: Vec<HashMap<String, Local<'t>>>,
    /// The class of a member function.
    pub class_type: Option<Type>,
    pub type_depth: usize,
    vars: Vec<VarDecl>,
    this: Option<VarId>,
    returns: Type,
    depth: usize,
    /// The labels of the statement lists around this place, with their positions.
    labels: Vec<(String, usize)>,
}

impl<'t> Lower<'t> {
    pub fn new(unit: &'t Unit<'t>, names: &'t Names<'t>) -> Lower<'t> {
        Lower {
            unit,
            names,
            classes: HashMap::new(),
            class_nodes: HashMap::new(),
            program: Program::default(),
            functions: HashMap::new(),
            pending: Vec::new(),
            globals: HashMap::new(),
        }
    }

    /// Every instance of a kernel that the text asks for: the kernel itself, or, for a template, each list of arguments
    /// found at a launch or an explicit instantiation, or one generic instance when there is none.
    pub fn instances(&mut self, kernel: &FunDecl<'t>) -> Vec<Bindings> {
        let (Some(parameters), Some(name)) = (kernel.template, declared_name(kernel.declarator)) else {
            return vec![Bindings::default()];
        };
        let name = self.unit.str(name);
        let mut lists = Vec::new();
        for launch in &self.names.launches {
            if let Some(function) = launch.child_by_field_name("function") {
                let (_, base) = split_scope(function);
                lists.push(base);
            }
        }
        for instantiation in &self.names.instantiations {
            if let Some(declared) = instantiation.child_by_field_name("declarator").and_then(declared_name) {
                lists.push(declared);
            }
        }
        let mut found: Vec<Bindings> = Vec::new();
        let mut body = Body::new(self, Bindings::default());
        for node in lists {
            if node.kind() != "template_function" {
                continue;
            }
            let (Some(callee), Some(arguments)) =
                (node.child_by_field_name("name"), node.child_by_field_name("arguments"))
            else {
                continue;
            };
            if body.text(callee) != name {
                continue;
            }
            let given = body.template_arguments(arguments);
            if let Some(bindings) = body.bind_template(parameters, &given, &Bindings::default()) {
                let known = bindings.types.values().all(|t| !matches!(t, Type::Unknown(_)));
                if known && !found.contains(&bindings) {
                    found.push(bindings);
                }
            }
        }
        if found.is_empty() { vec![Bindings::default()] } else { found }
    }

    pub fn kernel(&mut self, decl: &FunDecl<'t>, bindings: &Bindings) -> LoweredKernel {
        self.program = Program::default();
        self.functions.clear();
        self.pending.clear();
        self.globals.clear();
        let base = declared_name(decl.declarator).map_or("kernel", |n| self.unit.str(n)).to_owned();
        let arguments: Vec<String> = bindings
            .types
            .values()
            .map(|t| t.to_string())
            .chain(bindings.values.values().map(|(v, _)| v.to_string()))
            .collect();
        let name = if arguments.is_empty() { base } else { format!("{base}<{}>", arguments.join(", ")) };
        let kernel = self.request(*decl, bindings.clone());
        while let Some((id, decl, bindings)) = self.pending.pop() {
            let function = self.function(decl, bindings, id == kernel);
            self.program.functions[id.0 as usize] = function;
        }
        let axioms: Vec<Node> = self.names.axioms.clone();
        if !axioms.is_empty() {
            let mut body = Body::new(self, Bindings::default());
            let mut facts = Vec::new();
            for axiom in axioms {
                let fact = body.expr(axiom);
                facts.push(Stmt { span: fact.span, kind: StmtKind::Expr(fact) });
            }
            if let Some(stmts) = &mut self.program.functions[kernel.0 as usize].body {
                stmts.splice(0..0, facts);
            }
        }
        let launch_bounds = super::unit::child_of_kind(decl.node, "launch_bounds")
            .and_then(|n| n.named_child(0))
            .and_then(|n| Body::new(self, bindings.clone()).constant(n));
        let span = self.unit.span(declared_name(decl.declarator).unwrap_or(decl.node));
        let clusters = self.unit.clusters(declared_name(decl.declarator).unwrap_or(decl.node));
        LoweredKernel { name, span, program: std::mem::take(&mut self.program), kernel, launch_bounds, clusters }
    }

    /// The function for a declaration and template arguments; lowered later.
    fn request(&mut self, decl: FunDecl<'t>, bindings: Bindings) -> FunId {
        let key = (decl.node.id(), bindings.key());
        if let Some(id) = self.functions.get(&key) {
            return *id;
        }
        let id = FunId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            name: Name::new("?"),
            vars: Vec::new(),
            params: 0,
            returns: Type::Void,
            body: None,
            span: self.unit.span(decl.node),
        });
        self.functions.insert(key, id);
        self.pending.push((id, decl, bindings));
        id
    }

    fn function(&mut self, decl: FunDecl<'t>, bindings: Bindings, is_kernel: bool) -> Function {
        let unit = self.unit;
        let name = declared_name(decl.declarator).map_or("?", |n| unit.str(n));
        let mut body = Body::new(self, bindings);
        body.enter_class(decl.class);
        body.returns = body.return_type(&decl);
        let types = body.parameters(&decl);
        if let (Some(class), false) = (&body.class_type, is_static(unit.str(decl.node))) {
            let this = class.clone().ptr();
            let id = body.declare_var("this", this, Storage::Private, unit.span(decl.declarator));
            body.this = Some(id);
        }
        for (name, ty, span) in types {
            let ty = match ty {
                Type::Array(elem, _) => Type::Ptr(elem),
                Type::Fun => Type::Fun.ptr(),
                other => other,
            };
            body.declare_var(&name, ty, Storage::Private, span);
        }
        if is_kernel {
            // A value parameter of a template that nothing gives a value is a parameter like any other.
            if let Some(list) = decl.template {
                let mut cursor = list.walk();
                for parameter in list.named_children(&mut cursor) {
                    let is_value =
                        matches!(parameter.kind(), "parameter_declaration" | "optional_parameter_declaration");
                    let Some(name) = parameter.child_by_field_name("declarator").and_then(declared_name) else {
                        continue;
                    };
                    let name = unit.str(name);
                    if is_value && !body.bindings.values.contains_key(name) {
                        let ty = parameter.child_by_field_name("type").map_or(Type::INT, |t| body.type_of(t));
                        body.declare_var(name, ty, Storage::Private, unit.span(parameter));
                    }
                }
            }
        }
        let params = body.vars.len();
        let mut stmts = None;
        if let Some(block) = decl.node.child_by_field_name("body") {
            let mut list = Vec::new();
            if let Some(inits) = super::unit::child_of_kind(decl.node, "field_initializer_list") {
                body.member_initializers(inits, &mut list);
            }
            match unit.first_error(block) {
                Some(error) => {
                    let span = unit.span(error);
                    let unknown = Unknown { code: "parse-error", text: "this could not be parsed".into() };
                    list.push(Stmt { kind: StmtKind::Unknown(unknown), span });
                }
                None => body.block(block, &mut list),
            }
            stmts = Some(list);
        }
        let (vars, returns) = (std::mem::take(&mut body.vars), body.returns.clone());
        Function { name: Name::new(name), vars, params, returns, body: stmts, span: unit.span(decl.node) }
    }
}

fn is_static(text: &str) -> bool {
    text.starts_with("static ") || text.split('(').next().is_some_and(|head| head.contains(" static "))
}

/// Is this expression a place rather than a value?
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Global(_)
        | ExprKind::Deref(_)
        | ExprKind::Member(..)
        | ExprKind::Element(..)
        | ExprKind::Temporary(_) => true,
        ExprKind::Choose(_, t, e) => is_place(t) && is_place(e),
        ExprKind::Comma(_, last) => is_place(last),
        _ => false,
    }
}

/// The value of a number whose parts are all constants.
pub fn fold(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Arith(op, ty, l, r) => {
            let (l, r) = (fold(l)?, fold(r)?);
            if matches!(op, NBin::Div | NBin::Rem) && r == 0 {
                return None;
            }
            Some(crate::exp::eval::apply(*op, *ty, l, r))
        }
        ExprKind::Compare(op, l, r) => Some(i128::from(crate::exp::eval::compare(*op, fold(l)?, fold(r)?))),
        ExprKind::And(l, r) => Some(i128::from(fold(l)? != 0 && fold(r)? != 0)),
        ExprKind::Or(l, r) => Some(i128::from(fold(l)? != 0 || fold(r)? != 0)),
        ExprKind::Not(e) => Some(i128::from(fold(e)? == 0)),
        ExprKind::Choose(c, t, e) => {
            if fold(c)? != 0 {
                fold(t)
            } else {
                fold(e)
            }
        }
        ExprKind::Convert(e) => match &expr.ty {
            Type::Int(IntTy::BOOL) => Some(i128::from(fold(e)? != 0)),
            Type::Int(ty) => Some(ty.wrap(fold(e)?)),
            _ => None,
        },
        ExprKind::Intrinsic(Intrinsic::Min(_), args) => Some(fold(args.first()?)?.min(fold(args.get(1)?)?)),
        ExprKind::Intrinsic(Intrinsic::Max(_), args) => Some(fold(args.first()?)?.max(fold(args.get(1)?)?)),
        _ => None,
    }
}

fn promote(ty: IntTy) -> IntTy {
    if ty.bits < 32 { IntTy::I32 } else { ty }
}

/// The usual arithmetic conversions of C on two promoted types.
fn common(a: IntTy, b: IntTy) -> IntTy {
    let (a, b) = (promote(a), promote(b));
    match a.bits.cmp(&b.bits) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => IntTy { bits: a.bits, signed: a.signed && b.signed },
    }
}

impl<'l, 't> Body<'l, 't> {
    pub fn new(lower: &'l mut Lower<'t>, bindings: Bindings) -> Body<'l, 't> {
        Body {
            lower,
            bindings,
            scopes: vec![HashMap::new()],
            class_type: None,
            type_depth: 0,
            vars: Vec::new(),
            this: None,
            returns: Type::Void,
            depth: 0,
            labels: Vec::new(),
        }
    }

    pub fn text(&self, node: Node<'t>) -> &'t str {
        let unit: &'t Unit<'t> = self.lower.unit;
        unit.str(node)
    }

    fn span(&self, node: Node<'t>) -> Span {
        self.lower.unit.span(node)
    }

    fn enter_class(&mut self, class: Option<Node<'t>>) {
        if let Some(class) = class {
            let bindings = self.bindings.clone();
            self.class_type = Some(self.class(class, bindings));
        }
    }

    fn return_type(&mut self, decl: &FunDecl<'t>) -> Type {
        let Some(ty) = decl.node.child_by_field_name("type") else {
            // A constructor, or a conversion operator, whose type is in its declarator.
            return match declared_name(decl.declarator) {
                Some(name) if name.kind() == "operator_cast" => match name.child_by_field_name("type") {
                    Some(ty) => {
                        let mut result = self.type_of(ty);
                        let mut next = name.child_by_field_name("declarator");
                        while let Some(declarator) = next {
                            result = match declarator.kind() {
                                "abstract_pointer_declarator" => result.ptr(),
                                "abstract_reference_declarator" => Type::Ref(Arc::new(result)),
                                _ => break,
                            };
                            next = declarator.child_by_field_name("declarator").or_else(|| last_named(declarator));
                        }
                        result
                    }
                    None => Type::Void,
                },
                _ => Type::Void,
            };
        };
        let mut ty = self.type_of(ty);
        let mut node = decl.node.child_by_field_name("declarator");
        while let Some(declarator) = node.filter(|d| d.kind() != "function_declarator") {
            ty = match declarator.kind() {
                "pointer_declarator" => ty.ptr(),
                "reference_declarator" => Type::Ref(Arc::new(ty)),
                _ => ty,
            };
            node = declarator.child_by_field_name("declarator").or_else(|| last_named(declarator));
        }
        ty
    }

    /// The parameters of a function: name, type, place.
    fn parameters(&mut self, decl: &FunDecl<'t>) -> Vec<(String, Type, Span)> {
        let mut found = Vec::new();
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return found };
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            if !matches!(parameter.kind(), "parameter_declaration" | "optional_parameter_declaration") {
                continue;
            }
            let Some(ty) = parameter.child_by_field_name("type") else { continue };
            let base = self.type_of(ty);
            let (ty, name) = match parameter.child_by_field_name("declarator") {
                Some(declarator) => self.declare(base, &declarator),
                None => (base, None),
            };
            if ty == Type::Void {
                continue;
            }
            let name = name.map_or_else(|| format!("_{}", found.len()), |n| self.text(n).to_owned());
            found.push((name, ty, self.span(parameter)));
        }
        found
    }

    /// The defaults of the parameters of a function, by position.
    fn parameter_defaults(decl: &FunDecl<'t>) -> Vec<Option<Node<'t>>> {
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return Vec::new() };
        let mut cursor = list.walk();
        list.named_children(&mut cursor)
            .filter(|p| matches!(p.kind(), "parameter_declaration" | "optional_parameter_declaration"))
            .filter(|p| p.child_by_field_name("type").is_some())
            .map(|p| p.child_by_field_name("default_value"))
            .collect()
    }

    fn declare_var(&mut self, name: &str, ty: Type, storage: Storage, span: Span) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(VarDecl { name: Name::new(name), ty, storage, span });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), Local::Var(id));
        }
        id
    }

    // ---- templates ----

    pub fn template_arguments(&mut self, list: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = list.walk();
        list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
    }

    /// Binds the parameters of a template to given arguments, then to what was deduced, then to defaults.
    pub fn bind_template(&mut self, parameters: Node<'t>, given: &[Node<'t>], deduced: &Bindings) -> Option<Bindings> {
        let mut bound = Bindings::default();
        let mut cursor = parameters.walk();
        let list: Vec<_> = parameters.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        for (i, parameter) in list.into_iter().enumerate() {
            match parameter.kind() {
                "type_parameter_declaration" | "optional_type_parameter_declaration" => {
                    let name = match parameter.child_by_field_name("name") {
                        Some(name) => name,
                        None => match last_named(parameter) {
                            Some(name) => name,
                            None => continue,
                        },
                    };
                    let name = self.text(name).to_owned();
                    let ty = match given.get(i) {
                        Some(argument) => Some(self.type_of(*argument)),
                        None => deduced.types.get(&name).cloned(),
                    };
                    let ty = match (ty, parameter.child_by_field_name("default_type")) {
                        (Some(ty), _) => ty,
                        (None, Some(default)) => self.type_of(default),
                        (None, None) => return None,
                    };
                    bound.types.insert(name, ty);
                }
                "parameter_declaration" | "optional_parameter_declaration" => {
                    let declared = parameter.child_by_field_name("declarator").and_then(declared_name);
                    let Some(name) = declared else { continue };
                    let name = self.text(name).to_owned();
                    let ty = parameter.child_by_field_name("type").map_or(Type::INT, |t| self.type_of(t));
                    let value = match given.get(i) {
                        Some(argument) => Some(self.template_value(*argument)?),
                        None => deduced.values.get(&name).map(|(v, _)| *v),
                    };
                    let value = match (value, parameter.child_by_field_name("default_value")) {
                        (Some(value), _) => value,
                        (None, Some(default)) => self.constant(default)?,
                        (None, None) => return None,
                    };
                    bound.values.insert(name, (value, ty));
                }
                _ => return None,
            }
        }
        Some(bound)
    }

    fn template_value(&mut self, argument: Node<'t>) -> Option<i128> {
        // A name alone is parsed as a type.
        if argument.kind() == "type_descriptor" {
            let text = self.text(argument);
            return match self.lookup(text) {
                Some(Local::Value(value, _)) => Some(value),
                _ => self.global_constant(text),
            };
        }
        self.constant(argument)
    }

    fn global_constant(&mut self, name: &str) -> Option<i128> {
        let span = self.lower.unit.span(self.lower.unit.tree.root_node());
        let expr = self.global_name(name, span)?;
        self.fold(&expr)
    }

    /// Matches the type of a parameter, in which template parameters are unknown types, with that of an argument.
    fn deduce(&self, pattern: &Type, argument: &Type, parameters: &[String], found: &mut Bindings) {
        match (pattern.value(), argument.value()) {
            (Type::Unknown(name), ty) if parameters.iter().any(|p| **p == **name) => {
                let ty = match ty {
                    Type::Array(elem, _) if !matches!(pattern, Type::Ref(_)) => Type::Ptr(elem.clone()),
                    other => other.clone(),
                };
                found.types.entry(name.to_string()).or_insert(ty);
            }
            (Type::Ptr(p), Type::Ptr(a) | Type::Array(a, _)) => self.deduce(p, a, parameters, found),
            (Type::Array(p, _), Type::Array(a, _) | Type::Ptr(a)) => self.deduce(p, a, parameters, found),
            _ => {}
        }
    }

    // ---- names ----

    fn lookup(&self, name: &str) -> Option<Local<'t>> {
        for scope in self.scopes.iter().rev() {
            if let Some(local) = scope.get(name) {
                return Some(local.clone());
            }
        }
        self.bindings.values.get(name).map(|(value, ty)| Local::Value(*value, ty.clone()))
    }

    fn global_name(&mut self, name: &str, span: Span) -> Option<Expr> {
        if let Some(value) = self.enumerator(name, 0) {
            return Some(Expr::new(ExprKind::Int(value), Type::INT, span));
        }
        if let Some(id) = self.lower.globals.get(name) {
            let ty = self.lower.program.globals[id.0 as usize].decl.ty.clone();
            return Some(Expr::new(ExprKind::Global(*id), ty, span));
        }
        let global = *self.lower.names.globals.get(name)?;
        let specifiers: String = {
            let start = global.node.start_byte();
            let end = global.declarator.start_byte();
            self.lower.unit.text.get(start..end).unwrap_or("").to_owned()
        };
        let words: Vec<&str> = specifiers.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let has = |w: &str| words.contains(&w);
        let mut outer = Body::new(&mut *self.lower, Bindings::default());
        let base = global.node.child_by_field_name("type").map_or(Type::Unknown(Arc::from("?")), |t| outer.type_of(t));
        let (mut ty, _) = outer.declare(base, &global.declarator);
        let constant = has("const") || has("constexpr");
        let storage = if has("__shared__") {
            Storage::Shared
        } else if has("__constant__") || (constant && !has("__device__")) {
            Storage::Constant
        } else {
            Storage::Global
        };
        let mut init = None;
        if (storage == Storage::Constant && !has("__constant__") || (constant && global.value.is_some()))
            && let Some(value) = global.value
        {
            let value = outer.initial(value, &ty);
            if is_auto(&ty) {
                ty = value.ty.clone();
            }
            if let Some(n) = outer.fold(&value) {
                return Some(Expr::new(ExprKind::Int(n), ty, span));
            }
            init = Some(value);
        }
        let id = GlobalId(self.lower.program.globals.len() as u32);
        let decl = VarDecl { name: Name::new(name), ty: ty.clone(), storage, span: self.span(global.declarator) };
        self.lower.program.globals.push(Global { decl, init });
        self.lower.globals.insert(name.to_owned(), id);
        Some(Expr::new(ExprKind::Global(id), ty, span))
    }

    fn enumerator(&mut self, name: &str, depth: usize) -> Option<i128> {
        if depth > 1_000 {
            return None;
        }
        let (base, _, count) = self.lower.names.enumerators.get(name)?;
        let (base, count) = (*base, *count);
        match base {
            Some(node) => Some(Body::new(&mut *self.lower, Bindings::default()).constant(node)? + count),
            None => Some(count),
        }
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, node: Node<'t>) -> Option<i128> {
        let expr = self.rvalue(node);
        self.fold(&expr)
    }

    fn fold(&self, expr: &Expr) -> Option<i128> {
        fold(expr)
    }

    // ---- conversions ----

    /// The value of an expression that may be a place.
    fn value(&self, expr: Expr) -> Expr {
        if !is_place(&expr) {
            return expr;
        }
        let span = expr.span;
        match expr.ty.value().clone() {
            Type::Array(elem, _) => Expr::new(ExprKind::Load(Box::new(expr)), Type::Ptr(elem), span),
            ty => Expr::new(ExprKind::Load(Box::new(expr)), ty, span),
        }
    }

    pub fn convert(&mut self, expr: Expr, ty: &Type) -> Expr {
        let ty = ty.value();
        if expr.ty == *ty || is_auto(ty) || *ty == Type::Void {
            return expr;
        }
        let span = expr.span;
        match (&expr.kind, ty) {
            (ExprKind::Int(value), Type::Int(IntTy::BOOL)) => {
                Expr::new(ExprKind::Int(i128::from(*value != 0)), ty.clone(), span)
            }
            (ExprKind::Int(value), Type::Int(int)) => Expr::new(ExprKind::Int(int.wrap(*value)), ty.clone(), span),
            (_, Type::Int(_) | Type::Float(_) | Type::Ptr(_)) if matches!(expr.ty, Type::Struct(_)) => {
                let class = expr.ty.clone();
                match self.method_decl(&class, "operator cast", 0) {
                    Some(decl) => {
                        let this = self.address_of(expr, span);
                        let call = self.call_member(decl, &class, Some(this), vec![], span);
                        self.convert(call, ty)
                    }
                    None => Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span),
                }
            }
            _ => Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span),
        }
    }

    fn truth(&mut self, expr: Expr) -> Expr {
        self.convert(expr, &Type::BOOL)
    }

    pub fn rvalue(&mut self, node: Node<'t>) -> Expr {
        let expr = self.expr(node);
        self.value(expr)
    }

    // ---- expressions ----

    /// Lowers an expression; the result may be a place.
    pub fn expr(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(node);
        if self.depth > MAX_DEPTH {
            return Expr::unknown("too-deep", "nesting is too deep", Type::INT, span);
        }
        self.depth += 1;
        let expr = self.expr_inner(node, span);
        self.depth -= 1;
        expr
    }

    fn expr_inner(&mut self, node: Node<'t>, span: Span) -> Expr {
        let text = self.text(node);
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "number_literal" => number(text, span),
            "char_literal" => Expr::new(ExprKind::Int(character(text)), Type::Int(IntTy::I8), span),
            "true" => Expr::new(ExprKind::Int(1), Type::BOOL, span),
            "false" => Expr::new(ExprKind::Int(0), Type::BOOL, span),
            "null" | "nullptr" => Expr::new(ExprKind::Int(0), Type::Void.ptr(), span),
            "string_literal" | "raw_string_literal" | "concatenated_string" => {
                Expr::new(ExprKind::Constant(Name::new(text)), Type::Int(IntTy::I8).ptr(), span)
            }
            "identifier" | "field_identifier" | "type_identifier" => self.name(text, span),
            "qualified_identifier" => {
                let (scope, base) = split_scope(node);
                if let Some(found) = scope.and_then(|s| self.static_member(s, base, span)) {
                    return found;
                }
                if base == node { self.unknown(node, "name") } else { self.expr(base) }
            }
            "this" => self.name("this", span),
            "parenthesized_expression" | "condition_clause" => match field("value").or_else(|| last_named(node)) {
                Some(inner) => self.expr(inner),
                None => self.unknown(node, "parentheses"),
            },
            "comma_expression" => match (field("left"), field("right")) {
                (Some(left), Some(right)) => {
                    let l = self.expr(left);
                    let r = self.expr(right);
                    let ty = r.ty.clone();
                    Expr::new(ExprKind::Comma(Box::new(l), Box::new(r)), ty, span)
                }
                _ => self.unknown(node, "comma"),
            },
            "binary_expression" => match (field("left"), field("operator"), field("right")) {
                (Some(left), Some(operator), Some(right)) => {
                    // A long chain such as `a + b + c + ..` leans left: walk down it without recursion.
                    let l = self.rvalue(left);
                    let r = self.rvalue(right);
                    self.binary(self.text(operator), l, r, span)
                }
                _ => self.unknown(node, "operator"),
            },
            "unary_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) => self.unary(self.text(operator), argument, span),
                _ => self.unknown(node, "operator"),
            },
            "pointer_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) if self.text(operator) == "*" => {
                    let pointer = self.rvalue(argument);
                    self.deref(pointer, span)
                }
                (Some(_), Some(argument)) => {
                    let place = self.expr(argument);
                    self.address_of(place, span)
                }
                _ => self.unknown(node, "operator"),
            },
            "update_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) => {
                    let postfix = operator.start_byte() > argument.start_byte();
                    let op = if self.text(operator) == "++" { "+" } else { "-" };
                    let place = self.expr(argument);
                    let one = Expr::new(ExprKind::Int(1), Type::INT, span);
                    self.update(place, op, one, postfix, span)
                }
                _ => self.unknown(node, "operator"),
            },
            "assignment_expression" => match (field("left"), field("operator"), field("right")) {
                (Some(left), Some(operator), Some(right)) => {
                    let place = self.expr(left);
                    match self.text(operator) {
                        "=" => {
                            let ty = place.ty.value().clone();
                            let value = self.initial(right, &ty);
                            self.assign(place, value, span)
                        }
                        compound => {
                            let value = self.rvalue(right);
                            self.update(place, compound.trim_end_matches('='), value, false, span)
                        }
                    }
                }
                _ => self.unknown(node, "assignment"),
            },
            "conditional_expression" => match (field("condition"), field("consequence"), field("alternative")) {
                (Some(c), Some(t), Some(e)) => {
                    let c = self.rvalue(c);
                    let c = self.truth(c);
                    let (t, e) = (self.expr(t), self.expr(e));
                    if is_place(&t) && is_place(&e) && t.ty.value() == e.ty.value() && !matches!(t.ty, Type::Array(..))
                    {
                        let ty = t.ty.value().clone();
                        let choose = ExprKind::Choose(Box::new(c), Box::new(t), Box::new(e));
                        return Expr::new(choose, ty, span);
                    }
                    let (t, e) = (self.value(t), self.value(e));
                    let ty = match (&t.ty, &e.ty) {
                        (Type::Int(a), Type::Int(b)) if a == b => t.ty.clone(),
                        (Type::Int(a), Type::Int(b)) => Type::Int(common(*a, *b)),
                        (Type::Float(_), _) => t.ty.clone(),
                        (_, Type::Float(_)) | (Type::Int(_), _) => e.ty.clone(),
                        (Type::Ptr(p), _) if **p == Type::Void => e.ty.clone(),
                        _ => t.ty.clone(),
                    };
                    let (t, e) = (self.convert(t, &ty), self.convert(e, &ty));
                    Expr::new(ExprKind::Choose(Box::new(c), Box::new(t), Box::new(e)), ty, span)
                }
                _ => self.unknown(node, "conditional expression"),
            },
            "subscript_expression" => {
                let index = field("indices").or_else(|| field("index"));
                let index = match index {
                    Some(list) if list.kind() == "subscript_argument_list" => list.named_child(0),
                    other => other,
                };
                match (field("argument"), index) {
                    (Some(argument), Some(index)) => {
                        let base = self.expr(argument);
                        let index = self.rvalue(index);
                        self.subscript(base, index, span)
                    }
                    _ => self.unknown(node, "subscript"),
                }
            }
            "field_expression" => self.field(node, span),
            "cast_expression" => match (field("type"), field("value")) {
                (Some(ty), Some(value)) => {
                    let ty = self.type_of(ty);
                    let value = self.rvalue(value);
                    self.cast(value, ty)
                }
                _ => self.unknown(node, "cast"),
            },
            "compound_literal_expression" => match (field("type"), field("value")) {
                (Some(ty), Some(value)) => {
                    let ty = self.type_of(ty);
                    self.initial(value, &ty)
                }
                _ => self.unknown(node, "compound literal"),
            },
            "initializer_list" => self.initial(node, &Type::Unknown(Arc::from("auto"))),
            "sizeof_expression" | "alignof_expression" => {
                let ty = match (field("type"), field("value")) {
                    (Some(ty), _) => self.type_of(ty),
                    (None, Some(value)) => {
                        // `sizeof (T)` where T is a name reads as a value.
                        let inner =
                            if value.kind() == "parenthesized_expression" { last_named(value) } else { Some(value) };
                        match inner {
                            Some(name)
                                if name.kind() == "identifier"
                                    && self.lookup(self.text(name)).is_none_or(|l| matches!(l, Local::Type(_))) =>
                            {
                                self.type_of(name)
                            }
                            _ => self.expr(value).ty.value().clone(),
                        }
                    }
                    _ => return self.unknown(node, "sizeof"),
                };
                if ty.has_unknown_size() {
                    let what = format!("the size of `{ty}` is not known");
                    return Expr::unknown("unknown-type", what, Type::Int(IntTy::U64), span);
                }
                let n = if node.kind() == "sizeof_expression" { ty.size() } else { ty.align() };
                Expr::new(ExprKind::Int(i128::from(n)), Type::Int(IntTy::U64), span)
            }
            "call_expression" => self.call(node, span),
            "template_function" => match field("name") {
                Some(name) => self.function_value(self.text(name), field("arguments"), span),
                None => self.unknown(node, "template"),
            },
            "user_defined_literal" => self.unknown(node, "user-defined literal"),
            "lambda_expression" => self.unknown(node, "lambda"),
            "new_expression" => self.unknown(node, "new"),
            "delete_expression" => self.unknown(node, "delete"),
            "gnu_asm_expression" => match field("assembly_code").and_then(|code| cluster_barriers(self.text(code))) {
                Some(halves) => {
                    let each = halves.into_iter();
                    let each = each.map(|half| Expr::new(ExprKind::Intrinsic(half, vec![]), Type::Void, span));
                    let both =
                        each.reduce(|a, b| Expr::new(ExprKind::Comma(Box::new(a), Box::new(b)), Type::Void, span));
                    both.unwrap_or_else(|| self.unknown(node, "inline assembly"))
                }
                None => self.unknown(node, "inline assembly"),
            },
            _ => self.unknown(node, node.kind()),
        }
    }

    fn unknown(&self, node: Node<'t>, what: &str) -> Expr {
        let text = format!("{} is not supported", what.replace('_', " "));
        Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), self.span(node))
    }

    fn name(&mut self, name: &str, span: Span) -> Expr {
        match self.lookup(name) {
            Some(Local::Var(id)) => return self.var(id, span),
            Some(Local::Value(value, ty)) => return Expr::new(ExprKind::Int(value), ty, span),
            Some(Local::Type(_) | Local::Lambda(_)) => {
                return Expr::unknown("unknown-value", format!("`{name}` is not a value"), Type::INT, span);
            }
            None => {}
        }
        if let (Some(Type::Struct(class)), Some(this)) = (self.class_type.clone(), self.this)
            && class.field(name).is_some()
        {
            let this = self.var(this, span);
            let this = self.value(this);
            let object = self.deref(this, span);
            return self.member(object, name, span);
        }
        if let Some(class) = self.class_type.clone()
            && let Some(found) = self.class_constant(&class, name, span)
        {
            return found;
        }
        match name {
            "threadIdx" | "blockIdx" | "blockDim" | "gridDim" => {
                let make: fn(u8) -> Builtin = match name {
                    "threadIdx" => Builtin::ThreadIdx,
                    "blockIdx" => Builtin::BlockIdx,
                    "blockDim" => Builtin::BlockDim,
                    _ => Builtin::GridDim,
                };
                let part = |axis: u8| Expr::new(ExprKind::Builtin(make(axis)), Type::UINT, span);
                let ty = builtins::vector_type("dim3").unwrap_or(Type::UINT);
                return Expr::new(
                    ExprKind::Aggregate((0..3u8).map(|a| (u64::from(a) * 4, part(a))).collect()),
                    ty,
                    span,
                );
            }
            "warpSize" => return Expr::new(ExprKind::Builtin(Builtin::WarpSize), Type::INT, span),
            "NULL" => return Expr::new(ExprKind::Int(0), Type::Void.ptr(), span),
            _ => {}
        }
        if let Some(found) = self.global_name(name, span) {
            return found;
        }
        if self.lower.names.functions.contains_key(name) {
            return self.function_value(name, None, span);
        }
        Expr::unknown("unknown-value", format!("`{name}` is not declared"), Type::Unknown(Arc::from(name)), span)
    }

    fn var(&self, id: VarId, span: Span) -> Expr {
        let ty = self.vars[id.0 as usize].ty.clone();
        let place = Expr::new(ExprKind::Var(id), ty.clone(), span);
        self.through_reference(place)
    }

    /// A place of reference type stands for what it refers to.
    fn through_reference(&self, place: Expr) -> Expr {
        match place.ty.clone() {
            Type::Ref(inner) => {
                let span = place.span;
                let pointer = Expr::new(ExprKind::Load(Box::new(place)), Type::Ptr(inner.clone()), span);
                Expr::new(ExprKind::Deref(Box::new(pointer)), (*inner).clone(), span)
            }
            _ => place,
        }
    }

    fn function_value(&mut self, name: &str, template: Option<Node<'t>>, span: Span) -> Expr {
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        for decl in overloads.iter().filter(|d| d.has_body).chain(overloads.iter()) {
            let bindings = match (decl.template, template) {
                (None, _) => Bindings::default(),
                (Some(parameters), list) => {
                    let given = list.map(|l| self.template_arguments(l)).unwrap_or_default();
                    match self.bind_template(parameters, &given, &Bindings::default()) {
                        Some(bindings) => bindings,
                        None => continue,
                    }
                }
            };
            let id = self.lower.request(*decl, bindings);
            return Expr::new(ExprKind::Function(id), Type::Fun.ptr(), span);
        }
        Expr::unknown("unknown-value", format!("`{name}` is not declared"), Type::Unknown(Arc::from(name)), span)
    }

    fn deref(&self, pointer: Expr, span: Span) -> Expr {
        match pointer.ty.clone() {
            Type::Ptr(inner) if *inner == Type::Fun => pointer,
            Type::Ptr(inner) => Expr::new(ExprKind::Deref(Box::new(pointer)), (*inner).clone(), span),
            other => {
                let ty = Type::Unknown(Arc::from("?"));
                let _ = other;
                Expr::new(ExprKind::Deref(Box::new(pointer)), ty, span)
            }
        }
    }

    fn address_of(&self, place: Expr, span: Span) -> Expr {
        if let ExprKind::Function(_) = place.kind {
            return place;
        }
        let ty = place.ty.value().clone().ptr();
        let place = if is_place(&place) {
            place
        } else {
            let ty = place.ty.clone();
            Expr::new(ExprKind::Temporary(Box::new(place)), ty, span)
        };
        match place.kind {
            ExprKind::Deref(pointer) => Expr { ty, ..*pointer },
            _ => Expr::new(ExprKind::AddressOf(Box::new(place)), ty, span),
        }
    }

    fn subscript(&mut self, base: Expr, index: Expr, span: Span) -> Expr {
        match base.ty.value().clone() {
            Type::Array(elem, _) if is_place(&base) => {
                let place = ExprKind::Element(Box::new(base), Box::new(index));
                self.through_reference(Expr::new(place, (*elem).clone(), span))
            }
            Type::Struct(_) => match self.operator_call("operator[]", &base, vec![index], span) {
                Some(call) => call,
                None => Expr::unknown(
                    "unknown-construct",
                    "this subscript is not supported",
                    Type::Unknown(Arc::from("?")),
                    span,
                ),
            },
            Type::Int(_) if matches!(index.ty, Type::Ptr(_)) => {
                let base = self.value(base);
                self.subscript(index, base, span)
            }
            _ => {
                let pointer = self.value(base);
                let moved = self.offset(pointer, index, span);
                self.deref(moved, span)
            }
        }
    }

    fn offset(&self, pointer: Expr, by: Expr, span: Span) -> Expr {
        let ty = pointer.ty.clone();
        Expr::new(ExprKind::Offset(Box::new(pointer), Box::new(by)), ty, span)
    }

    fn field(&mut self, node: Node<'t>, span: Span) -> Expr {
        let (Some(argument), Some(name)) = (node.child_by_field_name("argument"), node.child_by_field_name("field"))
        else {
            return self.unknown(node, "member");
        };
        let arrow = self.lower.unit.text.get(argument.end_byte()..name.start_byte()).is_some_and(|t| t.contains("->"));
        let mut object = self.expr(argument);
        if arrow {
            let pointer = self.value(object);
            object = self.deref(pointer, span);
        }
        let name = self.text(split_scope(name).1).to_owned();
        self.member(object, &name, span)
    }

    fn member(&mut self, object: Expr, name: &str, span: Span) -> Expr {
        let Type::Struct(class) = object.ty.value().clone() else {
            let text = format!("`{name}` is a member of `{}`, which is not known", object.ty);
            let unknown = Unknown { code: "unknown-type", text };
            // The object is evaluated all the same: what it touches counts.
            let ty = Type::Unknown(Arc::from("?"));
            let inner = Expr::new(ExprKind::Unknown(unknown), ty.clone(), span);
            return Expr::new(ExprKind::Comma(Box::new(object), Box::new(inner)), ty, span);
        };
        let Some(field) = class.field(name) else {
            let ty = Type::Struct(class.clone());
            if let Some(found) = self.class_constant(&ty, name, span) {
                return found;
            }
            let text = format!("`{}` has no member `{name}` that is known", class.name);
            return Expr::unknown("unknown-type", text, Type::Unknown(Arc::from("?")), span);
        };
        // A part of a value that was just made.
        if let ExprKind::Aggregate(parts) = &object.kind
            && let Some((_, part)) = parts.iter().find(|(o, p)| *o == field.offset && p.ty == field.ty)
        {
            return part.clone();
        }
        let place = if is_place(&object) {
            object
        } else {
            let ty = object.ty.clone();
            Expr::new(ExprKind::Temporary(Box::new(object)), ty, span)
        };
        let kind = ExprKind::Member(Box::new(place), field.offset, Name::new(name));
        self.through_reference(Expr::new(kind, field.ty.clone(), span))
    }

    /// A `static const` member or an enumerator of a class.
    fn class_constant(&mut self, class: &Type, name: &str, span: Span) -> Option<Expr> {
        let Type::Struct(class) = class else { return None };
        let (node, bindings) = self.lower.class_nodes.get(&*class.name)?.clone();
        let body = node.child_by_field_name("body")?;
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor).filter(|m| m.kind() == "field_declaration") {
            let declared = member.child_by_field_name("declarator").and_then(declared_name);
            if declared.is_some_and(|d| self.text(d) == name) {
                let value = member.child_by_field_name("default_value")?;
                let mut outer = Body::new(&mut *self.lower, bindings);
                let n = outer.constant(value)?;
                let ty = member.child_by_field_name("type").map_or(Type::INT, |t| outer.type_of(t));
                return Some(Expr::new(ExprKind::Int(n), ty, span));
            }
        }
        None
    }

    fn static_member(&mut self, scope: Node<'t>, base: Node<'t>, span: Span) -> Option<Expr> {
        let text = self.text(scope);
        if !self.lower.names.types.contains_key(text.split('<').next().unwrap_or(""))
            && !self.bindings.types.contains_key(text)
        {
            return None;
        }
        let class = self.type_of(scope);
        self.class_constant(&class, self.text(base), span)
    }

    fn assign(&mut self, place: Expr, value: Expr, span: Span) -> Expr {
        if !is_place(&place) {
            if let ExprKind::Unknown(_) | ExprKind::Comma(..) = place.kind {
                // The store goes somewhere that is not known.
                let ty = place.ty.clone();
                let unknown =
                    Expr::unknown("unknown-place", "this assigns to a place that is not known", ty.clone(), span);
                let both = Expr::new(ExprKind::Comma(Box::new(place), Box::new(value)), ty.clone(), span);
                return Expr::new(ExprKind::Comma(Box::new(both), Box::new(unknown)), ty, span);
            }
            if let Some(call) = self.operator_call("operator=", &place, vec![value.clone()], span) {
                return call;
            }
            return Expr::unknown("unknown-place", "this assigns to a place that is not known", place.ty, span);
        }
        let ty = place.ty.value().clone();
        let value = self.convert(value, &ty);
        Expr::new(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span)
    }

    fn update(&mut self, place: Expr, op: &str, value: Expr, old: bool, span: Span) -> Expr {
        if !is_place(&place) {
            return self.assign(place, value, span);
        }
        let ty = place.ty.value().clone();
        if let Type::Struct(_) = ty {
            let name = format!("operator{op}=");
            if let Some(call) = self.operator_call(&name, &place, vec![value.clone()], span) {
                return call;
            }
        }
        let hole = Expr::new(ExprKind::Hole, ty.clone(), span);
        let value = self.binary(op, hole, value, span);
        let value = self.convert(value, &ty);
        Expr::new(ExprKind::Update { place: Box::new(place), value: Box::new(value), old }, ty, span)
    }

    fn binary(&mut self, op: &str, l: Expr, r: Expr, span: Span) -> Expr {
        match op {
            "&&" | "and" => {
                let (l, r) = (self.truth(l), self.truth(r));
                return Expr::new(ExprKind::And(Box::new(l), Box::new(r)), Type::BOOL, span);
            }
            "||" | "or" => {
                let (l, r) = (self.truth(l), self.truth(r));
                return Expr::new(ExprKind::Or(Box::new(l), Box::new(r)), Type::BOOL, span);
            }
            _ => {}
        }
        let comparison = match op {
            "==" => Some((NRel::Eq, false)),
            "!=" | "not_eq" => Some((NRel::Ne, false)),
            "<" => Some((NRel::Lt, false)),
            "<=" => Some((NRel::Le, false)),
            ">" => Some((NRel::Lt, true)),
            ">=" => Some((NRel::Le, true)),
            _ => None,
        };
        match (l.ty.clone(), r.ty.clone()) {
            (Type::Int(a), Type::Int(b)) => {
                if let Some((rel, swap)) = comparison {
                    let ty = Type::Int(common(a, b));
                    let (l, r) = (self.convert(l, &ty), self.convert(r, &ty));
                    let (l, r) = if swap { (r, l) } else { (l, r) };
                    return Expr::new(ExprKind::Compare(rel, Box::new(l), Box::new(r)), Type::BOOL, span);
                }
                let operator = match op {
                    "+" => NBin::Add,
                    "-" => NBin::Sub,
                    "*" => NBin::Mul,
                    "/" => NBin::Div,
                    "%" => NBin::Rem,
                    "&" | "bitand" => NBin::And,
                    "|" | "bitor" => NBin::Or,
                    "^" | "xor" => NBin::Xor,
                    "<<" => NBin::Shl,
                    ">>" => NBin::Shr,
                    _ => return self.opaque(op, vec![l, r], Type::INT, span),
                };
                let ty = if matches!(operator, NBin::Shl | NBin::Shr) { promote(a) } else { common(a, b) };
                let l = self.convert(l, &Type::Int(ty));
                let r = if matches!(operator, NBin::Shl | NBin::Shr) { r } else { self.convert(r, &Type::Int(ty)) };
                let expr = Expr::new(ExprKind::Arith(operator, ty, Box::new(l), Box::new(r)), Type::Int(ty), span);
                match fold(&expr) {
                    Some(n) => Expr::new(ExprKind::Int(n), Type::Int(ty), span),
                    None => expr,
                }
            }
            (Type::Ptr(_), Type::Ptr(_)) if op == "-" => {
                Expr::new(ExprKind::Distance(Box::new(l), Box::new(r)), Type::Int(IntTy::I64), span)
            }
            (Type::Ptr(_), _) | (_, Type::Ptr(_)) if comparison.is_some() => match comparison {
                Some((rel, swap)) => {
                    let (l, r) = if swap { (r, l) } else { (l, r) };
                    Expr::new(ExprKind::Compare(rel, Box::new(l), Box::new(r)), Type::BOOL, span)
                }
                None => self.opaque(op, vec![l, r], Type::BOOL, span),
            },
            (Type::Ptr(_), Type::Int(_)) if op == "+" => self.offset(l, r, span),
            (Type::Int(_), Type::Ptr(_)) if op == "+" => self.offset(r, l, span),
            (Type::Ptr(_), Type::Int(b)) if op == "-" => {
                let ty = common(b, IntTy::I64);
                let ty = IntTy { signed: true, ..ty };
                let zero = Expr::new(ExprKind::Int(0), Type::Int(ty), span);
                let r = self.convert(r, &Type::Int(ty));
                let negative =
                    Expr::new(ExprKind::Arith(NBin::Sub, ty, Box::new(zero), Box::new(r)), Type::Int(ty), span);
                self.offset(l, negative, span)
            }
            (Type::Ptr(_), _) if matches!(op, "+" | "-") => {
                let by = self.opaque(op, vec![r], Type::Int(IntTy::I64), span);
                self.offset(l, by, span)
            }
            (Type::Struct(_), _) | (_, Type::Struct(_)) => {
                let name = format!("operator{op}");
                if let Some(call) = self.operator_call(&name, &l, vec![r.clone()], span) {
                    return call;
                }
                let ty = match (&l.ty, comparison) {
                    (_, Some(_)) => Type::BOOL,
                    (Type::Struct(_), None) => l.ty.clone(),
                    _ => r.ty.clone(),
                };
                self.opaque(op, vec![l, r], ty, span)
            }
            (a, b) => {
                let ty = match (&a, &b) {
                    _ if comparison.is_some() => Type::BOOL,
                    (Type::Float(x), Type::Float(y)) => Type::Float(*x.max(y)),
                    (Type::Float(_), _) => a.clone(),
                    (_, Type::Float(_)) => b.clone(),
                    (Type::Unknown(_), _) => a.clone(),
                    _ => b.clone(),
                };
                self.opaque(op, vec![l, r], ty, span)
            }
        }
    }

    fn opaque(&self, op: &str, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
        Expr::new(ExprKind::Opaque(Name::new(op), args), ty, span)
    }

    fn unary(&mut self, op: &str, argument: Node<'t>, span: Span) -> Expr {
        if op == "&" {
            let place = self.expr(argument);
            return self.address_of(place, span);
        }
        let value = self.rvalue(argument);
        match (op, value.ty.clone()) {
            ("*", _) => self.deref(value, span),
            ("!" | "not", _) => {
                let value = self.truth(value);
                Expr::new(ExprKind::Not(Box::new(value)), Type::BOOL, span)
            }
            ("+", Type::Int(ty)) => self.convert(value, &Type::Int(promote(ty))),
            ("-", Type::Int(ty)) => {
                let zero = Expr::new(ExprKind::Int(0), Type::Int(promote(ty)), span);
                self.binary("-", zero, value, span)
            }
            ("~", Type::Int(ty)) => {
                let ones = Expr::new(ExprKind::Int(promote(ty).wrap(-1)), Type::Int(promote(ty)), span);
                self.binary("^", value, ones, span)
            }
            ("+", _) => value,
            ("-" | "~", ty) => {
                let name = format!("operator{op}");
                if let Some(call) = self.operator_call(&name, &value, vec![], span) {
                    return call;
                }
                self.opaque(op, vec![value], ty, span)
            }
            _ => Expr::unknown("unknown-construct", format!("operator `{op}` is not supported"), value.ty, span),
        }
    }

    pub fn cast(&mut self, value: Expr, ty: Type) -> Expr {
        match (&ty, &value.ty) {
            (Type::Void, _) => Expr { ty: Type::Void, ..value },
            (Type::Ref(inner), _) => {
                let span = value.span;
                let pointer = self.address_of(value, span);
                let pointer = self.convert(pointer, &Type::Ptr(inner.clone()));
                self.deref(pointer, span)
            }
            _ => self.convert(value, &ty),
        }
    }

    /// The value that initialises something of the given type.
    pub fn initial(&mut self, node: Node<'t>, ty: &Type) -> Expr {
        let span = self.span(node);
        if !matches!(node.kind(), "initializer_list" | "argument_list") {
            let value = self.expr(node);
            if let Type::Ref(_) = ty {
                return value;
            }
            let value = self.value(value);
            return self.convert(value, ty);
        }
        let mut cursor = node.walk();
        let items: Vec<_> = node.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        match ty.value() {
            Type::Struct(class) => {
                if let Some(call) = self.construct(ty.value(), &items, span) {
                    return call;
                }
                if let ("argument_list", [only]) = (node.kind(), items.as_slice()) {
                    let value = self.rvalue(*only);
                    if value.ty == *ty.value() {
                        return value;
                    }
                    if let Type::Int(_) = value.ty {
                        // dim3 d(n)
                        return self.launch_vector(class, vec![value], span);
                    }
                }
                if &*class.name == "dim3" {
                    let values = items.iter().map(|i| self.rvalue(*i)).collect();
                    return self.launch_vector(class, values, span);
                }
                let mut parts = Vec::new();
                for (field, item) in class.fields.clone().iter().zip(&items) {
                    let (field, item) = match designated(*item) {
                        Some((name, value)) => match class.field(self.text(name)) {
                            Some(field) => (field.clone(), value),
                            None => return self.unknown(*item, "designator"),
                        },
                        None => (field.clone(), *item),
                    };
                    let value = self.initial(item, &field.ty);
                    parts.push((field.offset, value));
                }
                Expr::new(ExprKind::Aggregate(parts), ty.value().clone(), span)
            }
            Type::Array(elem, length) => {
                let mut parts = Vec::new();
                // `{1, 2, 3, 4}` for a two-dimensional array fills it row by row.
                let flat = matches!(**elem, Type::Array(..)) && items.iter().all(|i| i.kind() != "initializer_list");
                let elem_ty = if flat { innermost(elem).clone() } else { (**elem).clone() };
                for (i, item) in items.iter().enumerate() {
                    let value = self.initial(*item, &elem_ty);
                    parts.push((i as u64 * elem_ty.size(), value));
                }
                let length = length.or(Some(items.len() as u64));
                Expr::new(ExprKind::Aggregate(parts), Type::Array(elem.clone(), length), span)
            }
            _ => match items.as_slice() {
                [] if is_auto(ty) => Expr::unknown("unknown-construct", "an empty initialiser", ty.clone(), span),
                [] => {
                    let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
                    self.convert(zero, ty)
                }
                [only] => self.initial(*only, ty),
                _ => {
                    let values = items.iter().map(|i| self.rvalue(*i)).collect();
                    self.opaque("initializer", values, ty.value().clone(), span)
                }
            },
        }
    }

    /// `dim3(x)`: the missing parts are 1.
    fn launch_vector(&mut self, class: &Arc<crate::kernel::types::StructTy>, values: Vec<Expr>, span: Span) -> Expr {
        let one = Expr::new(ExprKind::Int(1), Type::UINT, span);
        let mut values = values.into_iter();
        let mut parts = Vec::new();
        for field in &class.fields {
            let value = values.next().unwrap_or_else(|| one.clone());
            parts.push((field.offset, self.convert(value, &field.ty)));
        }
        Expr::new(ExprKind::Aggregate(parts), Type::Struct(class.clone()), span)
    }

    // ---- calls ----

    fn arguments(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let Some(list) = node.child_by_field_name("arguments") else { return Vec::new() };
        let mut cursor = list.walk();
        list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
    }

    fn call(&mut self, node: Node<'t>, span: Span) -> Expr {
        let Some(function) = node.child_by_field_name("function") else { return self.unknown(node, "call") };
        if super::unit::has_child(node, "kernel_call_syntax") {
            return self.unknown(node, "a kernel launched by a kernel");
        }
        let arguments = self.arguments(node);
        if function.kind() == "field_expression" {
            return self.method_call(function, &arguments, span);
        }
        let mut callee = function;
        while callee.kind() == "parenthesized_expression" {
            match last_named(callee) {
                Some(inner) => callee = inner,
                None => break,
            }
        }
        let (scope, base) = split_scope(callee);
        let (name, template) = match base.kind() {
            "template_function" | "template_method" => match base.child_by_field_name("name") {
                Some(name) => (self.text(name), base.child_by_field_name("arguments")),
                None => (self.text(base), None),
            },
            _ => (self.text(base), None),
        };
        let named = matches!(
            base.kind(),
            "identifier"
                | "template_function"
                | "primitive_type"
                | "type_identifier"
                | "field_identifier"
                | "sized_type_specifier"
        );
        if !named {
            let target = self.rvalue(callee);
            return self.call_value(target, &arguments, span);
        }
        if let ("static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast", Some(list)) = (name, template) {
            let types = self.template_arguments(list);
            return match (types.as_slice(), arguments.as_slice()) {
                ([ty], [value]) => {
                    let ty = self.type_of(*ty);
                    let value = if matches!(ty, Type::Ref(_)) { self.expr(*value) } else { self.rvalue(*value) };
                    self.cast(value, ty)
                }
                _ => self.unknown(node, "cast"),
            };
        }
        if let ("make_fresh_array" | "__return_val_int" | "__old", _) = (name, ()) {
            return Expr::unknown("unknown-value", format!("`{name}` has no value here"), Type::INT, span);
        }
        match self.lookup(name) {
            Some(Local::Var(id)) => {
                let place = self.var(id, span);
                let target = self.value(place);
                return self.call_value(target, &arguments, span);
            }
            Some(Local::Lambda(_)) => {
                return Expr::unknown(
                    "unknown-construct",
                    "a call of a lambda is not supported",
                    Type::Unknown(Arc::from("?")),
                    span,
                );
            }
            _ => {}
        }
        // `cooperative_groups::thread_block::sync()`.
        if let ("sync", [], Some(scope)) = (name, arguments.as_slice(), scope) {
            let (_, group) = split_scope(scope);
            let group = self.text(group);
            if matches!(group, "thread_block" | "cluster_group" | "grid_group") {
                return self.group_barrier(&Type::Unknown(Arc::from(group)), span);
            }
        }
        // A member of the class that we are in, or of a class that is named.
        if let Some(class) = scope.and_then(|s| self.class_scope(s)).or_else(|| self.class_type.clone())
            && let Some(decl) = self.method_decl(&class, name, arguments.len())
        {
            let this = if is_static(self.text(decl.node)) {
                None
            } else {
                self.this.map(|id| {
                    let place = self.var(id, span);
                    self.value(place)
                })
            };
            return self.call_method(decl, &class, this, &arguments, span);
        }
        if let Some(vector) = name.strip_prefix("make_").and_then(builtins::vector_type)
            && !self.lower.names.functions.contains_key(name)
            && let Type::Struct(class) = &vector
        {
            let mut parts = Vec::new();
            for (field, argument) in class.fields.clone().iter().zip(&arguments) {
                let value = self.rvalue(*argument);
                parts.push((field.offset, self.convert(value, &field.ty)));
            }
            return Expr::new(ExprKind::Aggregate(parts), vector, span);
        }
        // `T(x)`: a conversion or a construction.
        if !self.lower.names.functions.contains_key(name) && builtins::function(name).is_none() {
            let ty = self.type_of(base);
            if !matches!(ty, Type::Unknown(_)) {
                if let (Type::Struct(_), Some(list)) = (&ty, node.child_by_field_name("arguments")) {
                    return self.initial(list, &ty);
                }
                return match arguments.as_slice() {
                    [] => {
                        let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
                        self.convert(zero, &ty)
                    }
                    [value] => {
                        let value = self.rvalue(*value);
                        self.cast(value, ty)
                    }
                    _ => self.unknown(node, "construction"),
                };
            }
        }
        let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
        self.call_named(name, template, args, span)
    }

    fn class_scope(&mut self, scope: Node<'t>) -> Option<Type> {
        let text = self.text(scope);
        let known = self.lower.names.types.contains_key(text.split('<').next().unwrap_or(""));
        if !known && !self.bindings.types.contains_key(text) {
            return None;
        }
        Some(self.type_of(scope))
    }

    /// A call by name of a function of the unit, of a built-in one, or of something unknown. Arguments may be places.
    fn call_named(&mut self, name: &str, template: Option<Node<'t>>, args: Vec<Expr>, span: Span) -> Expr {
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let builtin = builtins::function(name);
        let mut best: Option<(usize, FunDecl<'t>, Bindings)> = None;
        for decl in &overloads {
            if decl.class.is_some() && !decl.has_body {
                continue;
            }
            if let Some((cost, bindings)) = self.viable(decl, template, &args) {
                // A definition is preferred to a declaration of the same function.
                let cost = cost * 2 + usize::from(!decl.has_body);
                if best.as_ref().is_none_or(|(known, _, _)| cost < *known) {
                    best = Some((cost, *decl, bindings));
                }
            }
        }
        // A built-in function is only hidden by an overload that fits, and by declarations alone not at all.
        if let (Some((cost, decl, _)), Some(_)) = (&best, &builtin)
            && (!decl.has_body || *cost >= 20)
        {
            best = None;
        }
        if let Some((_, decl, bindings)) = best {
            return self.call_decl(decl, bindings, None, args, span);
        }
        let values = |body: &Self, args: Vec<Expr>| -> Vec<Expr> { args.into_iter().map(|a| body.value(a)).collect() };
        if let Some(builtin) = builtin {
            return self.call_builtin(builtin, values(self, args), span);
        }
        if matches!(
            name,
            "this_thread_block"
                | "this_grid"
                | "tiled_partition"
                | "coalesced_threads"
                | "this_multi_grid"
                | "this_cluster"
        ) {
            let ty = match name {
                "this_thread_block" => "thread_block",
                "this_grid" => "grid_group",
                "this_cluster" => "cluster_group",
                "this_multi_grid" => "multi_grid_group",
                _ => "thread_group",
            };
            return Expr::new(ExprKind::Constant(Name::new(ty)), Type::Unknown(Arc::from(ty)), span);
        }
        if matches!(name, "sync" | "synchronize")
            && let [group] = args.as_slice()
        {
            return self.group_barrier(&group.ty.clone(), span);
        }
        let ty = Type::Unknown(Arc::from("?"));
        Expr::new(ExprKind::CallUnknown(Name::new(name), values(self, args)), ty, span)
    }

    fn group_barrier(&mut self, group: &Type, span: Span) -> Expr {
        let scope = match group.value() {
            Type::Unknown(name) => match &**name {
                "thread_block" => Some(Scope::Block),
                "grid_group" | "multi_grid_group" => Some(Scope::Grid),
                "cluster_group" => Some(Scope::Cluster),
                _ => None,
            },
            _ => None,
        };
        match scope {
            Some(scope) => Expr::new(ExprKind::Intrinsic(Intrinsic::Barrier(scope), vec![]), Type::Void, span),
            // A barrier of a part of a block orders less than the block: taking it for nothing is sound.
            None => Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span),
        }
    }

    /// Can this function be called so? How far are the arguments from its parameters?
    fn viable(&mut self, decl: &FunDecl<'t>, template: Option<Node<'t>>, args: &[Expr]) -> Option<(usize, Bindings)> {
        let defaults = Self::parameter_defaults(decl);
        let required = defaults.iter().take_while(|d| d.is_none()).count();
        if args.len() > defaults.len() || args.len() < required {
            // `f(void)` has one parameter that is none.
            let void = defaults.len() == 1 && args.is_empty();
            if !void {
                return None;
            }
        }
        let bindings = match decl.template {
            None => Bindings::default(),
            Some(parameters) => {
                let given = template.map(|l| self.template_arguments(l)).unwrap_or_default();
                let names = self.template_names(parameters);
                let mut deduced = Bindings::default();
                let saved = std::mem::take(&mut self.bindings);
                let patterns = self.parameters(decl);
                self.bindings = saved;
                for ((_, pattern, _), arg) in patterns.iter().zip(args) {
                    self.deduce(pattern, &arg.ty, &names, &mut deduced);
                }
                self.bind_template(parameters, &given, &deduced)?
            }
        };
        let saved = std::mem::replace(&mut self.bindings, bindings.clone());
        let types = self.parameters(decl);
        self.bindings = saved;
        let cost = types.iter().zip(args).map(|((_, ty, _), arg)| mismatch(ty.value(), arg.ty.value())).sum();
        Some((cost, bindings))
    }

    fn template_names(&self, parameters: Node<'t>) -> Vec<String> {
        let mut cursor = parameters.walk();
        parameters
            .named_children(&mut cursor)
            .filter_map(|p| match p.kind() {
                "type_parameter_declaration" | "optional_type_parameter_declaration" => {
                    p.child_by_field_name("name").or_else(|| last_named(p))
                }
                _ => None,
            })
            .map(|n| self.text(n).to_owned())
            .collect()
    }

    fn call_decl(
        &mut self,
        decl: FunDecl<'t>,
        bindings: Bindings,
        this: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let saved = std::mem::replace(&mut self.bindings, bindings.clone());
        let saved_class = self.class_type.clone();
        if decl.class.is_some() {
            self.enter_class(decl.class);
        }
        let types = self.parameters(&decl);
        let returns = self.return_type(&decl);
        self.class_type = saved_class;
        self.bindings = saved;
        let mut lowered: Vec<Expr> = this.into_iter().collect();
        let mut args = args.into_iter();
        let defaults = Self::parameter_defaults(&decl);
        for (i, (_, ty, _)) in types.iter().enumerate() {
            let arg = match (args.next(), defaults.get(i).copied().flatten()) {
                (Some(arg), _) => arg,
                (None, Some(default)) => self.expr(default),
                (None, None) => break,
            };
            let arg = match ty {
                Type::Ref(inner) => {
                    let inner = inner.clone();
                    let arg = if is_place(&arg) || arg.ty == *inner { arg } else { self.convert(arg, &inner) };
                    let span = arg.span;
                    let pointer = self.address_of(arg, span);
                    self.convert(pointer, &Type::Ptr(inner))
                }
                Type::Array(elem, _) => {
                    let value = self.value(arg);
                    self.convert(value, &Type::Ptr(elem.clone()))
                }
                _ => {
                    let value = self.value(arg);
                    self.convert(value, ty)
                }
            };
            lowered.push(arg);
        }
        let id = self.lower.request(decl, bindings);
        let (ty, by_reference) = match &returns {
            Type::Ref(inner) => (Type::Ptr(inner.clone()), true),
            other => (other.clone(), false),
        };
        let call = Expr::new(ExprKind::Call(id, lowered), ty, span);
        if by_reference { self.deref(call, span) } else { call }
    }

    fn call_value(&mut self, target: Expr, arguments: &[Node<'t>], span: Span) -> Expr {
        let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
        if let Type::Struct(_) = target.ty.value()
            && let Some(call) = self.operator_call("operator()", &target, args.clone(), span)
        {
            return call;
        }
        let args = args.into_iter().map(|a| self.value(a)).collect();
        Expr::new(ExprKind::CallValue(Box::new(target), args), Type::Unknown(Arc::from("?")), span)
    }

    fn call_builtin(&mut self, builtin: builtins::Builtin, args: Vec<Expr>, span: Span) -> Expr {
        let mut args = args;
        let mut intrinsic = builtin.intrinsic;
        let ty = match builtin.result {
            Some(ty) => ty,
            None => {
                let first = args.first().map_or(Type::INT, |a| a.ty.clone());
                match &intrinsic {
                    Intrinsic::Atomic(..) | Intrinsic::ReadThrough => first.element().cloned().unwrap_or(Type::INT),
                    // The second argument of a shuffle with a mask is the value.
                    Intrinsic::Havoc(name) if name.as_str().ends_with("_sync") => {
                        args.get(1).map_or(Type::INT, |a| a.ty.clone())
                    }
                    _ => first,
                }
            }
        };
        match &mut intrinsic {
            Intrinsic::Min(_) | Intrinsic::Max(_) => {
                let types: Vec<_> = args.iter().map(|a| a.ty.clone()).collect();
                if let [Type::Int(a), Type::Int(b)] = types.as_slice() {
                    let ty = common(*a, *b);
                    let args = args.into_iter().map(|a| self.convert(a, &Type::Int(ty))).collect();
                    let is_min = matches!(intrinsic, Intrinsic::Min(_));
                    let intrinsic = if is_min { Intrinsic::Min(ty) } else { Intrinsic::Max(ty) };
                    return Expr::new(ExprKind::Intrinsic(intrinsic, args), Type::Int(ty), span);
                }
                let ty = types.iter().find(|t| matches!(t, Type::Float(_))).cloned().unwrap_or(ty);
                let name = if matches!(intrinsic, Intrinsic::Min(_)) { "min" } else { "max" };
                return Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(Name::new(name), None), args), ty, span);
            }
            Intrinsic::Pure(name, _) if matches!(name.as_str(), "__mul24" | "__umul24" | "mul24") => {
                // Exact for operands of 24 bits, which is what the function is for.
                if let [a, b] = args.as_slice() {
                    let ty = if name.as_str() == "__umul24" { IntTy::U32 } else { IntTy::I32 };
                    let (a, b) = (self.convert(a.clone(), &Type::Int(ty)), self.convert(b.clone(), &Type::Int(ty)));
                    return Expr::new(ExprKind::Arith(NBin::Mul, ty, Box::new(a), Box::new(b)), Type::Int(ty), span);
                }
            }
            Intrinsic::Pure(name, _) if name.as_str() == "abs" => {
                if let [a] = args.as_slice()
                    && let Type::Int(ty) = a.ty
                {
                    let zero = Expr::new(ExprKind::Int(0), Type::Int(ty), span);
                    let negative = self.binary("-", zero, a.clone(), span);
                    let ty = promote(ty);
                    let a = self.convert(a.clone(), &Type::Int(ty));
                    let args = vec![a, negative];
                    return Expr::new(ExprKind::Intrinsic(Intrinsic::Max(ty), args), Type::Int(ty), span);
                }
            }
            Intrinsic::TouchReadWrite(name) if name.as_str() == "curand_init" => {
                args.rotate_right(1);
            }
            Intrinsic::Assume | Intrinsic::Assert | Intrinsic::Implies => {
                args = args.into_iter().map(|a| self.truth(a)).collect();
            }
            _ => {}
        }
        Expr::new(ExprKind::Intrinsic(intrinsic, args), ty, span)
    }

    // ---- members ----

    fn method_decl(&mut self, class: &Type, name: &str, arguments: usize) -> Option<FunDecl<'t>> {
        let Type::Struct(class) = class else { return None };
        let (node, _) = self.lower.class_nodes.get(&*class.name)?.clone();
        self.find_method(node, name, arguments, 0)
    }

    fn find_method(&mut self, class: Node<'t>, name: &str, arguments: usize, depth: usize) -> Option<FunDecl<'t>> {
        let body = class.child_by_field_name("body")?;
        let unit: &'t Unit<'t> = self.lower.unit;
        let mut cursor = body.walk();
        let mut declared = false;
        for member in body.named_children(&mut cursor) {
            let (member, template) = if member.kind() == "template_declaration" {
                let parameters = member.child_by_field_name("parameters");
                match last_named(member) {
                    Some(inner) => (inner, parameters),
                    None => continue,
                }
            } else {
                (member, None)
            };
            if !matches!(member.kind(), "function_definition" | "field_declaration" | "declaration") {
                continue;
            }
            let Some(decl) = unit.function(member, template, Some(class)) else { continue };
            let Some(declared_as) = declared_name(decl.declarator) else { continue };
            let text = unit.str(declared_as);
            if text == name || (name == "operator cast" && declared_as.kind() == "operator_cast") {
                let defaults = Self::parameter_defaults(&decl);
                let required = defaults.iter().take_while(|d| d.is_none()).count();
                if arguments <= defaults.len() && arguments >= required {
                    if decl.has_body {
                        return Some(decl);
                    }
                    declared = true;
                }
            }
        }
        if declared {
            let outside = self.lower.names.functions.get(name).cloned().unwrap_or_default();
            return outside.into_iter().find(|d| d.class == Some(class) && d.has_body);
        }
        let bases = super::unit::child_of_kind(class, "base_class_clause")?;
        if depth > 20 {
            return None;
        }
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor).collect::<Vec<_>>() {
            let text = self.text(base).split('<').next().unwrap_or("");
            if let Some(super::unit::TypeDecl::Class(node, _)) = self.lower.names.types.get(text)
                && let Some(found) = self.find_method(*node, name, arguments, depth + 1)
            {
                return Some(found);
            }
        }
        None
    }

    fn call_method(
        &mut self,
        decl: FunDecl<'t>,
        class: &Type,
        this: Option<Expr>,
        arguments: &[Node<'t>],
        span: Span,
    ) -> Expr {
        let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
        self.call_member(decl, class, this, args, span)
    }

    fn call_member(
        &mut self,
        decl: FunDecl<'t>,
        class: &Type,
        this: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let mut bindings = match class {
            Type::Struct(class) => self.lower.class_nodes.get(&*class.name).map(|(_, b)| b.clone()).unwrap_or_default(),
            _ => Bindings::default(),
        };
        if decl.template.is_some() {
            match self.viable(&decl, None, &args) {
                Some((_, own)) => {
                    bindings.types.extend(own.types);
                    bindings.values.extend(own.values);
                }
                None => {
                    let ty = Type::Unknown(Arc::from("?"));
                    return Expr::unknown("unknown-construct", "this template member is not supported", ty, span);
                }
            }
        }
        self.call_decl(decl, bindings, this, args, span)
    }

    fn method_call(&mut self, function: Node<'t>, arguments: &[Node<'t>], span: Span) -> Expr {
        let (Some(argument), Some(name)) =
            (function.child_by_field_name("argument"), function.child_by_field_name("field"))
        else {
            return self.unknown(function, "call");
        };
        let arrow = self.lower.unit.text.get(argument.end_byte()..name.start_byte()).is_some_and(|t| t.contains("->"));
        let mut object = self.expr(argument);
        if arrow {
            let pointer = self.value(object);
            object = self.deref(pointer, span);
        }
        let name = match name.kind() {
            "template_method" | "template_function" => name.child_by_field_name("name").unwrap_or(name),
            _ => name,
        };
        let name = self.text(name);
        let class = object.ty.value().clone();
        if let Some(decl) = self.method_decl(&class, name, arguments.len()) {
            let this = if is_static(self.text(decl.node)) { None } else { Some(self.address_of(object, span)) };
            return self.call_method(decl, &class, this, arguments, span);
        }
        // A member that is a function pointer or a functor.
        if let Type::Struct(fields) = &class
            && fields.field(name).is_some()
        {
            let place = self.member(object, name, span);
            let target = self.value(place);
            return self.call_value(target, arguments, span);
        }
        if let (Type::Unknown(group), "barrier_arrive" | "barrier_wait") = (&class, name)
            && &**group == "cluster_group"
        {
            let intrinsic = if name == "barrier_wait" { Intrinsic::ClusterWait } else { Intrinsic::ClusterArrive };
            return Expr::new(ExprKind::Intrinsic(intrinsic, vec![]), Type::Void, span);
        }
        if let (Type::Unknown(group), [], "sync") = (&class, arguments, name) {
            let known = ["thread_block", "grid_group", "multi_grid_group", "cluster_group"].contains(&&**group);
            let group_like = known || group.contains("group") || group.contains("thread_block_tile");
            if group_like {
                return self.group_barrier(&class, span);
            }
        }
        let mut args = vec![if is_place(&object) { self.address_of(object, span) } else { object }];
        args.extend(arguments.iter().map(|a| self.rvalue(*a)));
        let of_cluster = matches!(&class, Type::Unknown(group) if &**group == "cluster_group");
        let ty = match name {
            "block_rank" | "num_blocks" if of_cluster => Type::UINT,
            _ => Type::Unknown(Arc::from("?")),
        };
        Expr::new(ExprKind::CallUnknown(Name::new(name), args), ty, span)
    }

    /// An operator of a class, as a member or as a function.
    fn operator_call(&mut self, name: &str, object: &Expr, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let class = object.ty.value().clone();
        if let Some(decl) = self.method_decl(&class, name, args.len()) {
            let this = self.address_of(object.clone(), span);
            return Some(self.call_member(decl, &class, Some(this), args, span));
        }
        if self.lower.names.functions.contains_key(name) {
            let mut all = vec![object.clone()];
            all.extend(args);
            let call = self.call_named(name, None, all, span);
            if !matches!(call.kind, ExprKind::CallUnknown(..)) {
                return Some(call);
            }
        }
        None
    }

    /// A construction by a constructor that has a body.
    fn construct(&mut self, ty: &Type, items: &[Node<'t>], span: Span) -> Option<Expr> {
        let Type::Struct(class) = ty else { return None };
        let base = class.name.split('<').next().unwrap_or("").to_owned();
        self.method_decl(ty, &base, items.len())?;
        let args = items.iter().map(|i| self.expr(*i)).collect();
        self.construct_from(ty, args, span)
    }

    fn construct_from(&mut self, ty: &Type, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let Type::Struct(class) = ty else { return None };
        let base = class.name.split('<').next().unwrap_or("").to_owned();
        let decl = self.method_decl(ty, &base, args.len())?;
        // The object is a temporary that the constructor fills.
        let id = self.declare_hidden(ty.clone(), span);
        let place = Expr::new(ExprKind::Var(id), ty.clone(), span);
        let this = self.address_of(place.clone(), span);
        let call = self.call_member(decl, ty, Some(this), args, span);
        let value = self.value(place);
        Some(Expr::new(ExprKind::Comma(Box::new(call), Box::new(value)), ty.clone(), span))
    }

    fn declare_hidden(&mut self, ty: Type, span: Span) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(VarDecl { name: Name::new(format!("_tmp{}", id.0)), ty, storage: Storage::Private, span });
        id
    }

    fn member_initializers(&mut self, list: Node<'t>, out: &mut Vec<Stmt>) {
        let mut cursor = list.walk();
        for init in list.named_children(&mut cursor).filter(|n| n.kind() == "field_initializer").collect::<Vec<_>>() {
            let span = self.span(init);
            let (Some(name), Some(value)) = (init.named_child(0), last_named(init)) else { continue };
            let place = self.name(self.text(name), span);
            if !is_place(&place) {
                let unknown = Unknown { code: "unknown-construct", text: "this initialiser is not supported".into() };
                out.push(Stmt { kind: StmtKind::Unknown(unknown), span });
                continue;
            }
            let ty = place.ty.value().clone();
            let value = self.initial(value, &ty);
            let store = self.assign(place, value, span);
            out.push(Stmt { kind: StmtKind::Expr(store), span });
        }
    }

    // ---- statements ----

    fn block(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        self.scopes.push(HashMap::new());
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        let labels = self.labels.len();
        for child in &children {
            let mut current = Some(*child).filter(|c| c.kind() == "labeled_statement");
            while let Some(labelled) = current {
                if let Some(label) = labelled.child_by_field_name("label") {
                    self.labels.push((self.text(label).to_owned(), labelled.start_byte()));
                }
                current = last_named(labelled).filter(|c| c.kind() == "labeled_statement");
            }
        }
        for child in children {
            self.stmt(child, out);
        }
        self.labels.truncate(labels);
        self.scopes.pop();
    }

    fn sub_block(&mut self, node: Option<Node<'t>>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let Some(node) = node {
            self.scopes.push(HashMap::new());
            self.stmt(node, &mut out);
            self.scopes.pop();
        }
        out
    }

    fn stmt(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let span = self.span(node);
        if self.depth > MAX_DEPTH {
            let unknown = Unknown { code: "too-deep", text: "nesting is too deep".into() };
            out.push(Stmt { kind: StmtKind::Unknown(unknown), span });
            return;
        }
        self.depth += 1;
        self.stmt_inner(node, span, out);
        self.depth -= 1;
    }

    fn unknown_stmt(&self, what: &str, span: Span, out: &mut Vec<Stmt>) {
        let text = format!("{} is not supported", what.replace('_', " "));
        out.push(Stmt { kind: StmtKind::Unknown(Unknown { code: "unknown-construct", text }), span });
    }

    fn stmt_inner(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "comment" | "using_declaration" | "empty_statement" | ";" | "attribute_declaration" | "preproc_call" => {}
            "compound_statement" => {
                let mut inner = Vec::new();
                self.block(node, &mut inner);
                out.push(Stmt { kind: StmtKind::Block(inner), span });
            }
            "expression_statement" => {
                if let Some(expr) = node.named_child(0) {
                    let expr = self.expr(expr);
                    out.push(Stmt { kind: StmtKind::Expr(expr), span });
                }
            }
            "declaration" => self.declaration(node, out),
            "if_statement" => {
                self.scopes.push(HashMap::new());
                let cond = self.condition(field("condition"), out);
                let then = self.sub_block(field("consequence"));
                let alternative =
                    field("alternative").and_then(|a| if a.kind() == "else_clause" { last_named(a) } else { Some(a) });
                let els = self.sub_block(alternative);
                self.scopes.pop();
                match cond {
                    Some(cond) => match fold(&cond) {
                        Some(0) => out.push(Stmt { kind: StmtKind::Block(els), span }),
                        Some(_) => out.push(Stmt { kind: StmtKind::Block(then), span }),
                        None => out.push(Stmt { kind: StmtKind::If(cond, then, els), span }),
                    },
                    None => self.unknown_stmt("this condition", span, out),
                }
            }
            "while_statement" => {
                self.scopes.push(HashMap::new());
                let mut before = Vec::new();
                let cond = self.condition(field("condition"), &mut before);
                if !before.is_empty() {
                    self.unknown_stmt("a declaration in a loop condition", span, out);
                }
                let body = self.sub_block(field("body"));
                self.scopes.pop();
                out.push(Stmt { kind: StmtKind::Loop(Loop { cond, body, step: None, post_test: false }), span });
            }
            "do_statement" => {
                let body = self.sub_block(field("body"));
                let mut before = Vec::new();
                let cond = self.condition(field("condition"), &mut before);
                out.push(Stmt { kind: StmtKind::Loop(Loop { cond, body, step: None, post_test: true }), span });
            }
            "for_statement" => {
                self.scopes.push(HashMap::new());
                let mut outer = Vec::new();
                if let Some(init) = field("initializer") {
                    if init.kind() == "declaration" {
                        self.declaration(init, &mut outer);
                    } else {
                        let expr = self.expr(init);
                        outer.push(Stmt { span: expr.span, kind: StmtKind::Expr(expr) });
                    }
                }
                let cond = match field("condition") {
                    Some(cond) => {
                        let cond = self.rvalue(cond);
                        Some(self.truth(cond))
                    }
                    None => None,
                };
                let step = field("update").map(|u| self.expr(u));
                let body = self.sub_block(field("body"));
                self.scopes.pop();
                outer.push(Stmt { kind: StmtKind::Loop(Loop { cond, body, step, post_test: false }), span });
                out.push(Stmt { kind: StmtKind::Block(outer), span });
            }
            "for_range_loop" => self.range_loop(node, span, out),
            "switch_statement" => self.switch(node, span, out),
            "return_statement" => {
                let value = node.named_child(0).filter(|n| n.kind() != "comment").map(|value| {
                    let ty = self.returns.clone();
                    match &ty {
                        Type::Ref(inner) => {
                            let place = self.expr(value);
                            let span = place.span;
                            let pointer = self.address_of(place, span);
                            self.convert(pointer, &Type::Ptr(inner.clone()))
                        }
                        _ => self.initial(value, &ty),
                    }
                });
                out.push(Stmt { kind: StmtKind::Return(value), span });
            }
            "break_statement" => out.push(Stmt { kind: StmtKind::Break, span }),
            "continue_statement" => out.push(Stmt { kind: StmtKind::Continue, span }),
            "labeled_statement" => {
                if let Some(label) = node.child_by_field_name("label") {
                    let label = Name::new(self.text(label));
                    out.push(Stmt { kind: StmtKind::Label(label), span });
                }
                if let Some(inner) = last_named(node).filter(|n| n.kind() != "statement_identifier") {
                    self.stmt(inner, out);
                }
            }
            "else_clause" => {
                if let Some(inner) = last_named(node) {
                    self.stmt(inner, out);
                }
            }
            "type_definition" => {
                if let Some(ty) = field("type") {
                    let base = self.type_of(ty);
                    let mut cursor = node.walk();
                    for declarator in node.children_by_field_name("declarator", &mut cursor).collect::<Vec<_>>() {
                        let (ty, name) = self.declare(base.clone(), &declarator);
                        if let Some(name) = name {
                            let name = self.text(name).to_owned();
                            self.bind(name, Local::Type(ty));
                        }
                    }
                }
            }
            "alias_declaration" => {
                if let (Some(name), Some(ty)) = (field("name"), field("type")) {
                    let ty = self.type_of(ty);
                    let name = self.text(name).to_owned();
                    self.bind(name, Local::Type(ty));
                }
            }
            "static_assert_declaration" => {}
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                let ty = self.class(node, Bindings::default());
                if let Some(name) = field("name") {
                    let name = self.text(name).to_owned();
                    self.bind(name, Local::Type(ty));
                }
            }
            "enum_specifier" => {
                let Some(body) = field("body") else { return };
                let mut next = 0;
                let mut cursor = body.walk();
                for item in body.named_children(&mut cursor).filter(|c| c.kind() == "enumerator").collect::<Vec<_>>() {
                    if let Some(value) = item.child_by_field_name("value") {
                        match self.constant(value) {
                            Some(n) => next = n,
                            None => continue,
                        }
                    }
                    if let Some(name) = item.child_by_field_name("name") {
                        let name = self.text(name).to_owned();
                        self.bind(name, Local::Value(next, Type::INT));
                    }
                    next += 1;
                }
            }
            // Forward, out of what is around it: as a `break` with a name.
            "goto_statement" => match node.child_by_field_name("label").map(|l| self.text(l).to_owned()) {
                Some(label) if self.labels.iter().any(|(n, at)| *n == label && *at > node.start_byte()) => {
                    out.push(Stmt { kind: StmtKind::Goto(Name::new(label)), span });
                }
                _ => self.unknown_stmt("a goto that goes back, or into a block,", span, out),
            },
            other => self.unknown_stmt(other, span, out),
        }
    }

    /// Does this name stand for a value, and not for a type?
    fn names_a_value(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Local::Var(_) | Local::Value(..)) => true,
            Some(Local::Type(_) | Local::Lambda(_)) => false,
            None => {
                let names = self.lower.names;
                !names.types.contains_key(name)
                    && (names.globals.contains_key(name) || names.enumerators.contains_key(name))
            }
        }
    }

    fn bind(&mut self, name: String, local: Local<'t>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, local);
        }
    }

    fn condition(&mut self, node: Option<Node<'t>>, out: &mut Vec<Stmt>) -> Option<Expr> {
        let node = node?;
        if let Some(init) = node.child_by_field_name("initializer") {
            self.stmt(init, out);
        }
        let value = node.child_by_field_name("value").unwrap_or(node);
        if value.kind() == "declaration" || value.kind() == "condition_declaration" {
            return None;
        }
        let expr = self.rvalue(value);
        Some(self.truth(expr))
    }

    fn declaration(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let Some(ty) = node.child_by_field_name("type") else { return };
        let head_end = node.child_by_field_name("declarator").map_or(node.end_byte(), |d| d.start_byte());
        let head = self.lower.unit.text.get(node.start_byte()..head_end).unwrap_or("");
        let words: Vec<&str> = head.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let shared = words.contains(&"__shared__") || words.contains(&"__local");
        let fixed = words.contains(&"const") || words.contains(&"constexpr");
        let base = self.type_of(ty);
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor).collect::<Vec<_>>() {
            let span = self.span(declarator);
            let (inner, mut value) = split_init(declarator);
            // `T x(a, b);` may read as the declaration of a function.
            if inner.kind() == "function_declarator" && !matches!(base, Type::Void) {
                let Some(name) = declared_name(inner) else { continue };
                let parameters = inner.child_by_field_name("parameters");
                let looks_like_call = parameters.is_some_and(|p| {
                    let mut c = p.walk();
                    let all: Vec<_> = p.named_children(&mut c).collect();
                    !all.is_empty()
                        && all.iter().all(|q| {
                            q.child_by_field_name("declarator").is_none() && {
                                q.child_by_field_name("type")
                                    .is_some_and(|t| t.kind() == "type_identifier" && self.names_a_value(self.text(t)))
                            }
                        })
                });
                if looks_like_call {
                    let id = self.declare_var(self.text(name), base.clone(), Storage::Private, span);
                    let args: Vec<Expr> = parameters
                        .map(|p| {
                            let mut c = p.walk();
                            p.named_children(&mut c).collect::<Vec<_>>()
                        })
                        .unwrap_or_default()
                        .into_iter()
                        .map(|q| {
                            let span = self.span(q);
                            let e = self.name(self.text(q), span);
                            self.value(e)
                        })
                        .collect();
                    let init = match (&base, args.as_slice()) {
                        (Type::Struct(class), _) if &*class.name == "dim3" => {
                            self.launch_vector(&class.clone(), args, span)
                        }
                        (Type::Struct(_), _) => match self.construct_from(&base, args.clone(), span) {
                            Some(made) => made,
                            None if args.len() == 1 && args[0].ty == base => args[0].clone(),
                            None => {
                                let text = "this construction is not supported";
                                Expr::unknown("unknown-construct", text, base.clone(), span)
                            }
                        },
                        (_, [only]) => self.convert(only.clone(), &base),
                        _ => self.opaque("construct", args, base.clone(), span),
                    };
                    out.push(Stmt { kind: StmtKind::Declare(id, Some(init)), span });
                }
                continue;
            }
            let (mut ty, name) = self.declare(base.clone(), &inner);
            let Some(name) = name else { continue };
            if declarator.kind() != "init_declarator" && value.is_none() {
                value = super::unit::child_of_kind(declarator, "argument_list");
            }
            let name_text = self.text(name);
            if let Some(lambda) = value.filter(|v| v.kind() == "lambda_expression") {
                self.bind(name_text.to_owned(), Local::Lambda(lambda));
                continue;
            }
            let storage = if shared { Storage::Shared } else { Storage::Private };
            let init = value.map(|value| match &ty {
                Type::Ref(inner) => {
                    let inner = (**inner).clone();
                    let place = self.expr(value);
                    if is_auto(&inner) {
                        ty = Type::Ref(Arc::new(place.ty.value().clone()));
                    }
                    let span = place.span;
                    let place = if is_place(&place) || is_auto(&inner) { place } else { self.convert(place, &inner) };
                    self.address_of(place, span)
                }
                _ => self.initial(value, &ty),
            });
            if let Some(init) = &init {
                if is_auto(&ty) {
                    ty = init.ty.clone();
                }
                if let (Type::Array(_, None), Type::Array(..)) = (&ty, &init.ty) {
                    ty = init.ty.clone();
                }
                // A constant is its value, so that it can be an array length or a template argument.
                if let (true, Some(n), Type::Int(_), Storage::Private) = (fixed, fold(init), &ty, storage) {
                    let n = match &ty {
                        Type::Int(int) => int.wrap(n),
                        _ => n,
                    };
                    self.bind(name_text.to_owned(), Local::Value(n, ty));
                    continue;
                }
            }
            let id = self.declare_var(name_text, ty, storage, self.span(name));
            let default = match (&init, &self.vars[id.0 as usize].ty.clone()) {
                (None, class @ Type::Struct(_)) if storage == Storage::Private => self.construct(class, &[], span),
                _ => None,
            };
            out.push(Stmt { kind: StmtKind::Declare(id, init.or(default)), span });
        }
    }

    fn range_loop(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(ty), Some(declarator), Some(right), Some(body)) =
            (field("type"), field("declarator"), field("right"), field("body"))
        else {
            return self.unknown_stmt("this loop", span, out);
        };
        let range = self.expr(right);
        let (Type::Array(elem, Some(length)), true) = (range.ty.value().clone(), is_place(&range)) else {
            return self.unknown_stmt("a range-based loop over something that is not an array", span, out);
        };
        self.scopes.push(HashMap::new());
        let counter = self.declare_hidden(Type::INT, span);
        let place = Expr::new(ExprKind::Var(counter), Type::INT, span);
        let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
        let limit = Expr::new(ExprKind::Int(i128::from(length)), Type::INT, span);
        let current = self.value(place.clone());
        let cond = self.binary("<", current.clone(), limit, span);
        let one = Expr::new(ExprKind::Int(1), Type::INT, span);
        let step = self.update(place, "+", one, false, span);
        let mut inner = Vec::new();
        let element = Expr::new(ExprKind::Element(Box::new(range), Box::new(current)), (*elem).clone(), span);
        let base = self.type_of(ty);
        let base = if is_auto(&base) { (*elem).clone() } else { base };
        let (ty, name) = self.declare(base, &declarator);
        let name = name.map_or("_", |n| self.text(n));
        let init = match &ty {
            Type::Ref(_) => self.address_of(element, span),
            _ => {
                let value = self.value(element);
                self.convert(value, &ty)
            }
        };
        let id = self.declare_var(name, ty, Storage::Private, span);
        inner.push(Stmt { kind: StmtKind::Declare(id, Some(init)), span });
        self.stmt(body, &mut inner);
        self.scopes.pop();
        out.push(Stmt { kind: StmtKind::Declare(counter, Some(zero)), span });
        let the_loop = Loop { cond: Some(cond), body: inner, step: Some(step), post_test: false };
        out.push(Stmt { kind: StmtKind::Loop(the_loop), span });
    }

    fn switch(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        let Some(value) = self.condition_value(node.child_by_field_name("condition")) else {
            return self.unknown_stmt("this switch", span, out);
        };
        let Some(body) = node.child_by_field_name("body") else {
            return self.unknown_stmt("this switch", span, out);
        };
        let mut cases: Vec<Case> = Vec::new();
        self.scopes.push(HashMap::new());
        let mut cursor = body.walk();
        for item in body.named_children(&mut cursor).collect::<Vec<_>>() {
            if item.kind() == "comment" {
                continue;
            }
            if item.kind() != "case_statement" {
                self.unknown_stmt("a statement before the first case", self.span(item), out);
                continue;
            }
            let label_node = item.child_by_field_name("value");
            let label = label_node.map(|v| self.rvalue(v));
            let mut stmts = Vec::new();
            let mut inner = item.walk();
            for child in item.named_children(&mut inner).collect::<Vec<_>>() {
                if Some(child) != label_node {
                    self.stmt(child, &mut stmts);
                }
            }
            match cases.last_mut() {
                Some(last) if last.body.is_empty() => {
                    last.labels.push(label);
                    last.body = stmts;
                }
                _ => cases.push(Case { labels: vec![label], body: stmts }),
            }
        }
        self.scopes.pop();
        out.push(Stmt { kind: StmtKind::Switch(value, cases), span });
    }

    fn condition_value(&mut self, node: Option<Node<'t>>) -> Option<Expr> {
        let node = node?;
        let value = node.child_by_field_name("value").unwrap_or(node);
        if value.kind().contains("declaration") {
            return None;
        }
        Some(self.rvalue(value))
    }
}

/// `.x = 1` apart.
/// The halves of barriers of clusters that assembly consists of; `None` when there is anything else in it.
fn cluster_barriers(code: &str) -> Option<Vec<Intrinsic>> {
    let code = code.replace("\\n", " ").replace("\\t", " ").replace('"', " ");
    let instructions = code.split(';').map(str::trim).filter(|i| !i.is_empty());
    let halves = instructions.map(|instruction| {
        let (half, qualifiers) = match instruction.strip_prefix("barrier.cluster.")?.split_once('.') {
            Some((half, qualifiers)) => (half, qualifiers.split('.').collect()),
            None => (instruction.strip_prefix("barrier.cluster.")?, Vec::new()),
        };
        let only = |allowed: [&str; 2]| qualifiers.iter().all(|q| allowed.contains(q));
        match half {
            // A relaxed arrive orders nothing.
            "arrive" if only(["release", "aligned"]) => Some(Intrinsic::ClusterArrive),
            "wait" if only(["acquire", "aligned"]) => Some(Intrinsic::ClusterWait),
            _ => None,
        }
    });
    halves.collect::<Option<Vec<_>>>().filter(|halves| !halves.is_empty())
}

fn designated(item: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if item.kind() != "initializer_pair" {
        return None;
    }
    let designator = item.child_by_field_name("designator")?;
    Some((last_named(designator)?, item.child_by_field_name("value")?))
}

fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(elem, _) => innermost(elem),
        other => other,
    }
}

/// How far a parameter is from an argument; 0 is exact.
fn mismatch(parameter: &Type, argument: &Type) -> usize {
    match (parameter, argument) {
        (a, b) if a == b => 0,
        (Type::Int(_), Type::Int(_)) | (Type::Float(_), Type::Float(_)) => 1,
        (Type::Int(_), Type::Float(_)) | (Type::Float(_), Type::Int(_)) => 2,
        (Type::Ptr(a), Type::Ptr(b) | Type::Array(b, _)) => {
            if a == b {
                0
            } else if **a == Type::Void || matches!(**a, Type::Unknown(_)) || matches!(**b, Type::Unknown(_)) {
                1
            } else {
                10
            }
        }
        (Type::Unknown(_), _) | (_, Type::Unknown(_)) => 1,
        (Type::Ptr(_), Type::Int(_)) => 5,
        _ => 20,
    }
}

/// A numeric literal: its value and the type that C gives it.
fn number(text: &str, span: Span) -> Expr {
    let plain: String = text.chars().filter(|c| *c != '\'').collect();
    let lower = plain.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let float =
        lower.contains('.') || (!hex && (lower.contains('e') || lower.ends_with('f'))) || (hex && lower.contains('p'));
    if float {
        let bytes = if lower.ends_with('f') { 4 } else { 8 };
        let digits = lower.trim_end_matches(['f', 'l']);
        let canonical = digits.parse::<f64>().map_or_else(|_| digits.to_owned(), |v| format!("{v:?}"));
        return Expr::new(ExprKind::Constant(Name::new(canonical)), Type::Float(bytes), span);
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let value = match digits {
        d if d.starts_with("0x") => i128::from_str_radix(&d[2..], 16),
        d if d.starts_with("0b") => i128::from_str_radix(&d[2..], 2),
        d if d.len() > 1 && d.starts_with('0') => i128::from_str_radix(&d[1..], 8),
        d => d.parse::<i128>(),
    };
    let Ok(value) = value else {
        return Expr::unknown("unknown-construct", format!("`{text}` is not a number"), Type::INT, span);
    };
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l');
    let decimal = !digits.starts_with('0') || digits == "0";
    let candidates = [IntTy::I32, IntTy::U32, IntTy::I64, IntTy::U64];
    let ty = candidates
        .into_iter()
        .filter(|t| !unsigned || !t.signed)
        .filter(|t| !long || t.bits == 64)
        .filter(|t| t.signed || unsigned || !decimal)
        .find(|t| t.contains(value))
        .unwrap_or(IntTy::U64);
    if !ty.contains(value) {
        return Expr::unknown("unknown-construct", format!("`{text}` does not fit 64 bits"), Type::INT, span);
    }
    Expr::new(ExprKind::Int(value), Type::Int(ty), span)
}

fn character(text: &str) -> i128 {
    let inner = text.trim_start_matches(|c| c != '\'').trim_matches('\'');
    let mut chars = inner.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), Some(c)) => match c {
            'n' => 10,
            't' => 9,
            'r' => 13,
            '0' => 0,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            other => other as i128,
        },
        (Some(c), _) => c as i128,
        _ => 0,
    }
}
