//! Syntax tree to kernel language: names resolved, types for every expression, conversions explicit.
//!
//! Whatever is not understood becomes an `Unknown` expression or statement with its place; nothing is skipped silently.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use itertools::Itertools;
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

mod assembly;
mod atomics;
mod background;
mod bases;
mod bits;
mod calls;
mod class;
mod collective;
mod complex;
mod constraints;
mod construct;
mod evaluate;
mod expr;
mod fit;
mod fragments;
mod groups;
mod hip;
mod init;
mod instances;
mod lambda;
mod library;
mod literal;
pub(super) use literal::number as literal_number;
mod names;
mod open;
mod opencl;
mod overload;
mod packs;
mod pairs;
mod stmt;
mod templates;
mod traits;
mod vector;
mod whichever;

use super::types::AUTO_REFERENCE;
pub use atomics::atomic_type;
pub use bases::split_list;
use class::Method;
use collective::is_storage;
pub use collective::{is_collective, library_operation, member_of_collective};
use construct::{DESTRUCTOR, Special};
pub use expr::fold;
use expr::{common, promote};
pub use expr::{is_lvalue, is_place};
use groups::{is_any_group, is_some_group, is_tile};
use lambda::as_function;
use literal::{character, number, string_bytes};

pub use complex::complex_type;
pub use library::array_type;
use overload::{Chosen, FAR};
pub use pairs::{of_thrust, pair_type, tuple_type};
pub use traits::is_standard;

use super::annotations::{Problem, refused};
use super::builtins;
use super::types::{BIT_FIELD, Bindings, FunctionArgument, is_auto, of_library};
use super::unit::{
    Callee, Dialect, Enumerator, Found, FunDecl, Mark, Names, Qualifier, ScopeId, TypeDecl, Unit, child_of_kind,
    declared_name, each_named, has_child, is_prototype, last_named, name_of_type_parameter, split_init,
};
use crate::base::{Name, Span};
use crate::core::Scope;
use crate::exp::{IntTy, NBin, NRel};
use crate::frontend::cuda::layout::VPTR;
use crate::kernel::goto::structured;
use crate::kernel::ir::*;
use crate::kernel::types::{StructTy, Type, with_open_rows};

/// How deep expressions and statements may nest before the kernel is rejected.
const MAX_DEPTH: usize = 2_000;

/// Functions of a kernel, with all instances of templates; those that are asked for later have no body.
const MAX_FUNCTIONS: usize = 4_000;

/// What a name stands for inside a function.
#[derive(Clone)]
pub enum Local {
    Var(VarId),
    /// A `static` variable.
    Static(GlobalId),
    Value(i128, Type),
    Type(Type),
}

/// What the body of a lambda sees of the function around it, apart from what it captures.
#[derive(Clone)]
pub struct Surroundings {
    constants: Vec<FxHashMap<String, Local>>,
    scope: ScopeId,
    /// What is captured and was declared as a reference.
    pub references: Vec<String>,
}

/// A kernel that was found, lowered with everything that it calls.
#[derive(Clone)]
pub struct LoweredKernel {
    pub name: String,
    pub span: Span,
    pub program: Program,
    pub kernel: FunId,
    /// Template value parameters without a known value: they are uniform parameters after the others.
    pub launch_bounds: Option<i128>,
    /// Of `__cluster_dims__`.
    pub clusters: Option<super::unit::ClusterDims>,
    /// The block that the kernel is compiled for.
    pub group_size: Option<[i128; 3]>,
    /// Does the code depend on the offset of the global ids?
    pub uses_offset: bool,
    /// Does it read the size of work-groups of OpenCL C, or how many work-items there are in all?
    pub whole_groups: bool,
    pub offset: [i128; 3],
    pub is_opencl: bool,
    /// Parameters that are enumerations, and the values that these have.
    pub enumerations: Vec<(String, i128, i128)>,
}

/// What is declared, and the declarator of one of several names.
pub type DeclaredType<'t> = (Node<'t>, Option<Node<'t>>);

/// Lowers one kernel at a time; shares the tables of types between them.
pub struct Lower<'t> {
    pub unit: &'t Unit<'t>,
    pub names: &'t Names<'t>,
    pub classes: FxHashMap<(usize, String), Type>,
    pub class_nodes: FxHashMap<String, (Node<'t>, Bindings)>,
    /// What declares a type of a name in a class, by its body and the name.
    pub declared_types: FxHashMap<(usize, String), Option<DeclaredType<'t>>>,
    /// Where the bases of a class lie that are all known, in their order, by its name.
    pub base_places: FxHashMap<String, Vec<u64>>,
    program: Program,
    /// The names of the parameters of the template that the kernel is. [INF-GENERIC]
    generic: FxHashSet<String>,
    functions: FxHashMap<(usize, String), FunId>,
    pending: Vec<(FunId, FunDecl<'t>, Bindings)>,
    /// By the node that declares them.
    globals: FxHashMap<usize, GlobalId>,
    /// Those whose types and values are being read.
    declaring: FxHashSet<usize>,
    /// Those of templates, with their arguments.
    instances_of_globals: FxHashMap<(usize, String), GlobalId>,
    /// The instances of each template, by what is said of their types.
    firsts: FxHashMap<usize, Vec<(Option<String>, FunId)>>,
    /// The values of enumerators and the types of their expressions: by the node of the expression, and the instance. One
    /// that is being computed has none.
    enumerators: FxHashMap<(usize, String, bool), Option<(i128, Type)>>,
    enumeration_types: FxHashMap<(usize, String, bool), Type>,
    /// The enumerations that we are in the list of, of an instance.
    pub enumerations: Vec<(usize, String)>,
    /// The constants of classes: by what declares them, the instance, and whether that was laid out.
    constants: FxHashMap<(usize, String, bool), (Option<i128>, Type)>,
    /// The scopes that nodes stand in, as far as they were asked for.
    scopes_of: FxHashMap<usize, ScopeId>,
    /// Of each lambda, by its node.
    pub lambdas: FxHashMap<usize, Surroundings>,
    /// The instances that a template is asked for, by its node and that of the use, or 0 for all uses.
    asked: FxHashMap<(usize, usize), instances::Asked>,
    /// The launches that were read, by the node of the call.
    pub launches: FxHashMap<(usize, usize, super::host::Fixed), Option<Vec<super::host::HostLaunch>>>,
    /// Classes whose objects run code where they are only named, once that was asked for.
    pub loud: Option<Arc<super::host::Loud<'t>>>,
    /// What the text says that host code is read with, once that was asked for.
    pub said: Option<Arc<super::host::Said<'t>>>,
    /// What code of the host names, by its node.
    pub named_by: FxHashMap<usize, Arc<super::host::Named<'t>>>,
    /// The definitions of its functions by name, once they were asked for.
    pub bodies: Option<Arc<FxHashMap<&'t str, Vec<Node<'t>>>>>,
    /// The calls around them that were read.
    pub read_calls: FxHashMap<super::host::CallKey, Arc<super::host::ReadCall>>,
    /// Functions of the unit, by their names: do they leave all that is outside of them as it is?
    pub quiet: FxHashMap<String, bool>,
    /// The same for definitions, by their node, whether their objects are their own, and how many calls are around.
    pub quiet_at: RefCell<FxHashMap<(usize, bool, usize), bool>>,
    /// The functions of the unit that give members or variables something, once that was asked for.
    pub setters: Option<Arc<Vec<super::host::Setter<'t>>>>,
    /// Which two of these a function gives one array, by its node.
    pub made_one: FxHashMap<usize, Arc<BTreeSet<(String, String)>>>,
    /// The functions whose address is taken, once that was asked for.
    taken: Option<Vec<FunDecl<'t>>>,
    /// How many functions are lowered inside of each other, to know what type they return.
    nesting: usize,
    /// How many objects are made for the arguments of each other.
    constructing: usize,
    /// Of the global ids of OpenCL C.
    pub offset: [i128; 3],
    uses_offset: bool,
    whole_groups: bool,
    /// What is wrong with annotations.
    pub problems: Vec<Problem>,
}

/// The body of one function while it is lowered.
pub struct Body<'l, 't> {
    pub lower: &'l mut Lower<'t>,
    pub bindings: Bindings,
    pub scopes: Vec<FxHashMap<String, Local>>,
    /// The class of a member function.
    pub class_type: Option<Type>,
    /// The members of the instance of a class template that is laid out.
    pub unfinished: Option<Node<'t>>,
    /// The names of the parameters of the templates that we are in.
    parameters: FxHashSet<String>,
    /// Where names are looked up from.
    pub scope: ScopeId,
    pub type_depth: usize,
    /// How many types of members were looked for deep inside of others.
    pub deep_types: usize,
    /// And `using` declarations of classes.
    pub using_depth: usize,
    vars: Vec<VarDecl>,
    this: Option<VarId>,
    returns: Type,
    depth: usize,
    /// Where the expression that is lowered starts.
    pub at: usize,
    /// The argument of a constructor that converts is made.
    converting: bool,
    /// May a template be given values that are not known?
    opens: bool,
    /// A cast asks for the conversion, so that a constructor may be `explicit`.
    direct: bool,
    /// The types of variables as they are written, as far as that is known.
    written_types: FxHashMap<VarId, String>,
    /// Calls of `std::min` and `std::max`, which return one of the places that they are given.
    chosen: FxHashSet<Span>,
}

fn has_two_halves(text: &str) -> bool {
    text.contains("half") && (text.contains("bfloat16") || text.contains("bf16"))
}

impl<'t> Lower<'t> {
    /// Are there numbers of half precision of both kinds, which are one type here?
    pub fn has_two_halves(&self) -> bool {
        self.program.two_halves
    }

    pub fn new(unit: &'t Unit<'t>, names: &'t Names<'t>) -> Lower<'t> {
        Lower {
            unit,
            names,
            classes: FxHashMap::default(),
            class_nodes: FxHashMap::default(),
            declared_types: FxHashMap::default(),
            base_places: FxHashMap::default(),
            program: Program { two_halves: has_two_halves(&unit.text), ..Program::default() },
            generic: FxHashSet::default(),
            functions: FxHashMap::default(),
            pending: Vec::new(),
            globals: FxHashMap::default(),
            declaring: FxHashSet::default(),
            instances_of_globals: FxHashMap::default(),
            firsts: FxHashMap::default(),
            enumerators: FxHashMap::default(),
            enumeration_types: FxHashMap::default(),
            enumerations: Vec::new(),
            constants: FxHashMap::default(),
            scopes_of: FxHashMap::default(),
            lambdas: FxHashMap::default(),
            asked: FxHashMap::default(),
            launches: FxHashMap::default(),
            loud: None,
            said: None,
            named_by: FxHashMap::default(),
            bodies: None,
            read_calls: FxHashMap::default(),
            quiet: FxHashMap::default(),
            quiet_at: RefCell::default(),
            setters: None,
            made_one: FxHashMap::default(),
            taken: None,
            nesting: 0,
            constructing: 0,
            offset: [0; 3],
            uses_offset: false,
            whole_groups: false,
            problems: Vec::new(),
        }
    }

    pub fn kernel(&mut self, decl: &FunDecl<'t>, bindings: &Bindings) -> LoweredKernel {
        self.program = Program { two_halves: self.program.two_halves, ..Program::default() };
        self.functions.clear();
        self.firsts.clear();
        self.pending.clear();
        self.globals.clear();
        self.instances_of_globals.clear();
        self.uses_offset = false;
        self.whole_groups = false;
        let base = declared_name(decl.declarator).map_or("kernel", |n| self.unit.str(n)).to_owned();
        // What it is generic in goes by its own name.
        let own = decl.template.filter(|_| *bindings != Bindings::default());
        let own = own.map(|list| Body::new(self, Bindings::default()).template_parameters(list)).unwrap_or_default();
        let mut given: BTreeMap<&String, String> = BTreeMap::new();
        given.extend(bindings.types.iter().map(|(name, ty)| (name, ty.to_string())));
        given.extend(bindings.values.iter().map(|(name, (value, _))| (name, value.to_string())));
        given.extend(bindings.functions.iter().map(|(name, function)| (name, function.to_string())));
        let last = |template: &String| template.rsplit("::").next().unwrap_or(template).to_owned();
        given.extend(bindings.templates.iter().map(|(name, template)| (name, last(template))));
        let mut arguments: Vec<String> = own
            .iter()
            .filter_map(|name| given.remove(name).or_else(|| (!bindings.binds(name)).then(|| name.clone())))
            .collect();
        // The elements of packs.
        arguments.extend(given.into_values());
        let name = if arguments.is_empty() { base } else { format!("{base}<{}>", arguments.join(", ")) };
        let kernel = self.request(*decl, bindings.clone());
        while let Some((id, decl, bindings)) = self.pending.pop() {
            let function = self.function(decl, bindings, id == kernel);
            self.program.functions[id.0 as usize] = function;
        }
        let axioms: Vec<Node> = self.names.axioms.clone();
        if !axioms.is_empty() {
            let mut body = Body::new(self, Bindings::default());
            body.scope = decl.scope;
            let mut facts = Vec::new();
            for axiom in axioms {
                let fact = body.expr(axiom);
                facts.push(Stmt { span: fact.span, kind: StmtKind::Expr(fact) });
            }
            if let Some(stmts) = &mut self.program.functions[kernel.0 as usize].body {
                stmts.splice(0..0, facts);
            }
        }
        for instances in self.firsts.values().filter(|instances| instances.len() > 1) {
            let all = instances.iter().any(|(types, _)| types.is_none());
            for (types, id) in instances {
                let first = instances.iter().find(|(other, _)| all || other == types);
                self.program.first_of.extend(first.map(|(_, first)| (*id, *first)));
            }
        }
        let launch_bounds = child_of_kind(decl.node, "launch_bounds")
            .and_then(|n| n.named_child(0))
            .and_then(|n| Body::new(self, bindings.clone()).constant(n));
        let span = self.unit.span(declared_name(decl.declarator).unwrap_or(decl.node));
        let clusters = self.unit.clusters(declared_name(decl.declarator).unwrap_or(decl.node));
        let (group_size, uses_offset, whole_groups) = (decl.group_size, self.uses_offset, self.whole_groups);
        let enumerations = Body::new(self, bindings.clone()).enumerations(decl);
        let none = Program { two_halves: self.program.two_halves, ..Program::default() };
        let mut program = std::mem::replace(&mut self.program, none);
        let usual = self.names.usual.iter().sorted();
        program.granted =
            usual.map(|name| format!("`{name}`, which nothing declares, is an integer of that size")).collect();
        // What is read later, for the host, has nothing in that program.
        self.functions.clear();
        self.firsts.clear();
        self.pending.clear();
        self.globals.clear();
        self.instances_of_globals.clear();
        let offset = self.offset;
        LoweredKernel {
            name,
            span,
            program,
            kernel,
            launch_bounds,
            clusters,
            group_size,
            uses_offset,
            whole_groups,
            offset,
            is_opencl: self.unit.dialect == Dialect::OpenCl,
            enumerations,
        }
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
        // A type that was not understood may be that of any other instance.
        let is_unread = |ty: &Type| matches!(ty.value(), Type::Unknown(name) if !self.generic.contains(&**name));
        let types = bindings.key_of_types();
        let types = if bindings.types.values().any(is_unread) { None } else { Some(types) };
        self.firsts.entry(decl.node.id()).or_default().push((types, id));
        if self.functions.len() <= MAX_FUNCTIONS {
            self.pending.push((id, decl, bindings));
        }
        id
    }

    /// A function that was asked for, lowered at once; `None` where that nests too deep, or while it is being lowered.
    fn lowered(&mut self, id: FunId) -> Option<Function> {
        if let (Some(at), true) = (self.pending.iter().position(|(p, _, _)| *p == id), self.nesting < 40) {
            let (_, decl, bindings) = self.pending.remove(at);
            self.nesting += 1;
            let function = self.function(decl, bindings, false);
            self.nesting -= 1;
            self.program.functions[id.0 as usize] = function;
        }
        let function = &self.program.functions[id.0 as usize];
        function.body.is_some().then(|| function.clone())
    }

    /// The type that a function returns, for one that says `auto`: it is lowered at once.
    fn deduced_return(&mut self, id: FunId) -> Type {
        self.lowered(id);
        self.program.functions[id.0 as usize].returns.clone()
    }

    fn function(&mut self, decl: FunDecl<'t>, bindings: Bindings, is_kernel: bool) -> Function {
        let unit = self.unit;
        let name = declared_name(decl.declarator).map_or("?", |n| unit.str(n));
        let mut body = Body::new(self, bindings);
        body.scope = decl.scope;
        body.at = decl.node.start_byte();
        if let Some(around) = body.lower.lambdas.get(&decl.node.id()).cloned() {
            body.scope = around.scope;
            body.scopes = around.constants;
            body.scopes.push(FxHashMap::default());
        }
        let own = decl.template.map(|t| body.template_parameters(t)).unwrap_or_default();
        let of_class = decl.class.map(|c| body.class_parameters(c)).unwrap_or_default();
        body.parameters = own.into_iter().chain(of_class).filter(|p| !p.is_empty()).collect();
        match is_kernel {
            true => body.lower.generic = body.parameters.clone(),
            false => body.see_generic(),
        }
        body.enter_class(decl.class);
        let hidden = match decl.class.and_then(|class| Some((class, super::types::around_function(class)?))) {
            Some((class, function)) if class.kind() != "lambda_expression" => body.see_before(class, function),
            _ => Vec::new(),
        };
        // A class in a function sees its constants and types, and no variables that each thread has.
        for scope in &mut body.scopes {
            scope.retain(|_, local| !matches!(local, Local::Var(_)));
        }
        body.vars.clear();
        body.returns = body.return_type(&decl);
        let types = body.parameters(&decl);
        if let (Some(class), false) = (&body.class_type, is_static(unit.str(decl.node))) {
            let this = class.clone().ptr();
            let id = body.declare_var("this", this, Storage::Private, unit.span(decl.declarator));
            body.this = Some(id);
        }
        let written = body.written_parameters(&decl, types.len());
        let mut written = written.into_iter();
        let mut spaces = body.parameter_spaces(&decl).into_iter();
        let list = decl.declarator.child_by_field_name("parameters").map(super::host::listed_in).unwrap_or_default();
        let restricted = list.into_iter().filter(|p| unit.is_restrict(*p));
        let restricted: Vec<String> = restricted
            .filter_map(|p| p.child_by_field_name("declarator").and_then(declared_name))
            .map(|name| unit.str(name).to_owned())
            .collect();
        let mut unqualified = None;
        for (name, ty, span) in types {
            let space = spaces.next().flatten();
            let ty = match ty {
                Type::Array(elem, _) => Type::Ptr(elem),
                Type::Fun => Type::Fun.ptr(),
                other => other,
            };
            if is_kernel && body.is_opencl() && matches!(ty, Type::Ptr(_)) && space.is_none() {
                unqualified = Some(span);
            }
            let id = body.declare_var(&name, ty, Storage::Private, span);
            body.vars[id.0 as usize].points_to = space.unwrap_or(Storage::Global);
            body.vars[id.0 as usize].restrict = restricted.contains(&name);
            body.written_types.extend(written.next().map(|text| (id, text)));
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
        for (name, (_, ty)) in body.bindings.open.clone() {
            body.declare_var(&name, ty, Storage::Private, unit.span(decl.declarator));
        }
        let params = body.vars.len();
        let mut stmts = None;
        // In GPUVerify a function of such a name stands for code that is elsewhere; its annotations say what that may touch.
        let touches = |block: &Node<'t>| ["__writes_to", "__reads_from"].iter().any(|w| unit.str(*block).contains(w));
        let stands_for_other = |block: &Node<'t>| name.starts_with("__spec_") && touches(block);
        if let Some(block) = decl.node.child_by_field_name("body").filter(|block| !stands_for_other(block)) {
            let mut list = Vec::new();
            if let Some(span) = unqualified {
                let text = "the address space of what this parameter points to is not known".into();
                let unknown = Unknown { code: "unknown-pointer", text };
                list.push(Stmt { kind: StmtKind::Unknown(unknown), span });
            }
            for variable in hidden {
                let span = body.span(variable);
                body.unknown_stmt("a variable of the function around this class", span, &mut list);
            }
            if body.is_constructor(&decl) {
                body.member_initializers(child_of_kind(decl.node, "field_initializer_list"), &mut list);
            }
            match unit.first_error(block) {
                Some(error) => {
                    let span = unit.span(error);
                    let around = std::iter::successors(error.parent(), |n| n.parent());
                    let mut inner = around.take_while(|n| *n != block);
                    let (code, text) = match inner.any(|n| n.kind() == "gnu_asm_expression") {
                        true => ("unknown-order", "inline assembly is not supported"),
                        false => ("parse-error", "this could not be parsed"),
                    };
                    let unknown = Unknown { code, text: text.into() };
                    list.push(Stmt { kind: StmtKind::Unknown(unknown), span });
                }
                None => body.block(block, &mut list),
            }
            stmts = Some(structured(list, &body.vars));
        }
        let (vars, returns) = (std::mem::take(&mut body.vars), body.returns.clone());
        Function { name: Name::new(name), vars, params, returns, body: stmts, span: unit.span(decl.node) }
    }
}

/// Where the qualifiers of OpenCL C put something.
pub(super) fn storage_of(marks: &[Mark]) -> Option<Storage> {
    marks.iter().find_map(|mark| match mark {
        Mark::Global => Some(Storage::Global),
        Mark::Local => Some(Storage::Shared),
        Mark::Constant => Some(Storage::Constant),
        Mark::Private => Some(Storage::Private),
        Mark::Kernel | Mark::ReadOnly | Mark::Writable | Mark::GroupSize(_) | Mark::Restrict => None,
    })
}

/// What the type of a parameter declared with `auto` is bound to.
fn auto_parameter(position: usize) -> String {
    format!("auto#{position}")
}

pub fn is_static(text: &str) -> bool {
    text.starts_with("static ") || text.split('(').next().is_some_and(|head| head.contains(" static "))
}

impl<'l, 't> Body<'l, 't> {
    pub fn new(lower: &'l mut Lower<'t>, bindings: Bindings) -> Body<'l, 't> {
        Body {
            lower,
            bindings,
            scopes: vec![FxHashMap::default()],
            class_type: None,
            unfinished: None,
            parameters: FxHashSet::default(),
            scope: ScopeId::default(),
            type_depth: 0,
            deep_types: 0,
            using_depth: 0,
            vars: Vec::new(),
            this: None,
            returns: Type::Void,
            depth: 0,
            at: 0,
            converting: false,
            direct: false,
            opens: false,
            written_types: FxHashMap::default(),
            chosen: FxHashSet::default(),
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
            let mut bindings = self.bindings.clone();
            // A member that is a template has parameters of its own besides those of its class.
            bindings.retain(&self.parameters_around(class));
            self.class_type = Some(self.class(class, bindings));
        }
    }

    fn return_type(&mut self, decl: &FunDecl<'t>) -> Type {
        let auto = Type::Unknown(Arc::from("auto"));
        // What stands in front of a conversion operator is no type, whatever it reads as: `__host__ __device__ operator int()`.
        let converts = declared_name(decl.declarator).is_some_and(|name| name.kind() == "operator_cast");
        let said = decl.node.child_by_field_name("type").filter(|_| !converts);
        if said.is_none_or(|ty| ty.kind() == "placeholder_type_specifier")
            && let Some(trailing) = child_of_kind(decl.declarator, "trailing_return_type").and_then(last_named)
        {
            return self.type_of(trailing);
        }
        let Some(ty) = said else {
            if decl.node.kind() == "lambda_expression" {
                return auto;
            }
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

    /// What a template is given may be made of parameters of the kernel. [INF-GENERIC]
    fn see_generic(&mut self) {
        let given: Vec<String> = self.bindings.types.values().map(Type::to_string).collect();
        let words = given.iter().flat_map(|ty| ty.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let seen: Vec<String> = words.filter(|word| self.lower.generic.contains(*word)).map(str::to_owned).collect();
        self.parameters.extend(seen);
    }

    /// The parameters of a function: name, type, place.
    pub fn parameters(&mut self, decl: &FunDecl<'t>) -> Vec<(String, Type, Span)> {
        let mut found = Vec::new();
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return found };
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            if parameter.kind() == "variadic_parameter_declaration" {
                found.extend(self.pack_parameters(parameter));
            }
            if !matches!(parameter.kind(), "parameter_declaration" | "optional_parameter_declaration") {
                continue;
            }
            let Some(ty) = parameter.child_by_field_name("type") else { continue };
            let base = match self.type_of(ty) {
                base if is_auto(&base) || is_any_group(&base) => {
                    self.bindings.types.get(&auto_parameter(found.len())).cloned().unwrap_or(base)
                }
                base => base,
            };
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

    /// The parameters of a function that are enumerations, with the least and the greatest value that these have.
    fn enumerations(&mut self, decl: &FunDecl<'t>) -> Vec<(String, i128, i128)> {
        self.scope = decl.scope;
        let list = decl.declarator.child_by_field_name("parameters");
        let mut cursor = decl.declarator.walk();
        let parameters: Vec<Node<'t>> =
            list.into_iter().flat_map(|l| l.named_children(&mut cursor).collect::<Vec<_>>()).collect();
        let of = |p: Node<'t>| {
            let declarator = p.child_by_field_name("declarator").filter(|d| d.kind() == "identifier")?;
            let (least, most) = self.values_of_enum(p.child_by_field_name("type")?, 0)?;
            Some((self.text(declarator).to_owned(), least, most))
        };
        parameters.into_iter().filter_map(of).collect()
    }

    /// The types of the parameters of a function as they are written; none where these are not so many.
    fn written_parameters(&self, decl: &FunDecl<'t>, count: usize) -> Vec<String> {
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return Vec::new() };
        let mut cursor = list.walk();
        let types = list.named_children(&mut cursor).filter_map(|p| p.child_by_field_name("type"));
        let types: Vec<String> = types.map(|ty| self.text(ty).to_owned()).collect();
        if types.len() == count { types } else { Vec::new() }
    }

    /// Where what the parameters of a function point to lives, as far as OpenCL C says so.
    fn parameter_spaces(&mut self, decl: &FunDecl<'t>) -> Vec<Option<Storage>> {
        let mut found = Vec::new();
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return found };
        if !self.is_opencl() {
            return found;
        }
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            let Some(ty) = parameter.child_by_field_name("type") else { continue };
            let declarator = parameter.child_by_field_name("declarator");
            if declarator.is_none() && self.text(ty) == "void" {
                continue;
            }
            let unit: &'t Unit<'t> = self.lower.unit;
            let (target, own) = unit.qualifiers(parameter, declarator);
            let mut space = storage_of(&target).or_else(|| storage_of(&own));
            // `typedef __global int *buffer;`
            if space.is_none()
                && let Found::One(TypeDecl::Typedef(inner, declarator)) =
                    self.lower.names.find_type(self.text(ty), self.scope, &Qualifier::default())
                && let Some(definition) = inner.parent()
            {
                space = storage_of(&unit.qualifiers(definition, Some(declarator)).0);
            }
            found.push(space);
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
        let of_launch = storage == Storage::Shared && matches!(ty, Type::Array(_, None));
        self.vars.push(VarDecl {
            name: Name::new(name),
            ty,
            storage,
            points_to: Storage::Global,
            restrict: false,
            of_launch,
            lengths: Vec::new(),
            span,
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), Local::Var(id));
        }
        id
    }
}
