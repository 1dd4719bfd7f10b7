//! A translation unit after macros: its syntax tree, and what it declares by name.

use std::ops::{ControlFlow, Range};

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::annotations::{Inserted, Problem, statements};
use super::misread::{misread, shifted, with_insertions};
use super::types::LIBRARIES;
use crate::base::Span;
use crate::frontend::preprocess::Annotation;

/// The language of a translation unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Cuda,
    OpenCl,
}

/// A word of OpenCL C that stands in front of a type or a name, or behind a `*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    Kernel,
    Global,
    Local,
    Constant,
    Private,
    ReadOnly,
    /// `__write_only` and `__read_write`.
    Writable,
    /// `reqd_work_group_size(x, y, z)`.
    GroupSize([i128; 3]),
    /// `__restrict`, of any dialect.
    Restrict,
}

/// The text of a translation unit, its tree, and the way back to where the text was written.
pub struct Unit<'a> {
    pub text: String,
    pub tree: Tree,
    /// Where characters were inserted into the expanded text, in ascending order of position.
    inserted: Vec<usize>,
    /// `__align__(n)` and its like, which the grammar does not know.
    attributes: Attributes,
    /// `#pragma pack`: from where on, and the most that members are aligned by. The inner `None` is no limit, the outer one
    /// a pragma that is not understood.
    packs: Vec<(usize, Option<Option<u64>>)>,
    pub dialect: Dialect,
    /// The statements that annotations stand for, in the text before `inserted`.
    annotations: Vec<Note>,
    origin: &'a dyn Fn(usize, usize) -> Span,
}

/// A statement that stands for an annotation.
struct Note {
    start: usize,
    end: usize,
    /// The characters of all statements up to the end of this one.
    added: usize,
    span: Span,
}

/// A function definition or declaration, with what surrounds it.
#[derive(Clone, Copy)]
pub struct FunDecl<'t> {
    /// `function_definition` or `declaration`.
    pub node: Node<'t>,
    /// The `function_declarator`.
    pub declarator: Node<'t>,
    /// The `template_parameter_list`.
    pub template: Option<Node<'t>>,
    /// The class that it is a member of.
    pub class: Option<Node<'t>>,
    /// Where its name stands, and what is looked up from inside of it.
    pub scope: ScopeId,
    pub is_kernel: bool,
    /// The block that it asks for: `reqd_work_group_size`.
    pub group_size: Option<[i128; 3]>,
    pub has_body: bool,
}

/// The namespaces and classes around a declaration, by position in [`Names::scopes`]; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ScopeId(pub u32);

/// The namespaces of the platform.
const PLATFORM: [&str; 9] =
    ["std", "thrust", "cub", "cooperative_groups", "cuda", "nvcuda", "hip", "rocprim", "hipcub"];

/// What is written in front of a name: `A::B::`, or `::`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Qualifier {
    pub absolute: bool,
    pub parts: Vec<String>,
}

impl Qualifier {
    /// `a::b::name` of the outermost scope, in its parts.
    pub fn of_whole(name: &str) -> (Qualifier, String) {
        let mut parts: Vec<String> = name.split("::").map(str::to_owned).collect();
        let name = parts.pop().unwrap_or_default();
        (Qualifier { absolute: true, parts }, name)
    }
}

/// The declaration that a name stands for.
pub enum Found<D> {
    None,
    One(D),
    /// Several declarations fit, and the language has a rule that is not followed here.
    Ambiguous,
}

impl<D> Found<D> {
    pub fn one(self) -> Option<D> {
        match self {
            Found::One(found) => Some(found),
            Found::None | Found::Ambiguous => None,
        }
    }
}

/// What a name that is called stands for, where no function around the call declares it.
pub enum Callee<'t> {
    /// A function, or something that nothing declares.
    Function,
    Variable(GlobalDecl<'t>),
    /// A type that hides functions.
    Type,
    Unclear,
}

#[derive(Clone, Copy)]
pub enum TypeDecl<'t> {
    /// `struct_specifier`, `class_specifier`, `union_specifier`, with its template parameters.
    Class(Node<'t>, Option<Node<'t>>),
    Enum(Node<'t>),
    /// The `type` and the declarator of a typedef.
    Typedef(Node<'t>, Node<'t>),
    /// `using X = type_descriptor`.
    Alias(Node<'t>),
    /// `template <class T> using P = T *;`
    AliasTemplate(Node<'t>),
    /// A declaration whose meaning depends on the arguments of a template.
    Unread,
}

#[derive(Clone, Copy)]
pub struct GlobalDecl<'t> {
    /// The `declaration`.
    pub node: Node<'t>,
    pub declarator: Node<'t>,
    pub value: Option<Node<'t>>,
}

/// The value of an enumerator: that of an expression (0 without one) plus a number.
#[derive(Clone, Copy)]
pub struct Enumerator<'t> {
    pub node: Node<'t>,
    pub base: Option<Node<'t>>,
    pub plus: i128,
}

/// What a unit declares, by the last component of the name; [`Names::pick`] chooses between scopes.
#[derive(Default)]
pub struct Names<'t> {
    pub functions: FxHashMap<String, Vec<FunDecl<'t>>>,
    pub types: FxHashMap<String, Vec<(ScopeId, TypeDecl<'t>)>>,
    /// Names that may be declared in text that was not understood.
    pub broken: FxHashSet<String>,
    /// The specialisations of class templates, with the parameters that they have left.
    pub special_classes: FxHashMap<String, Vec<(Node<'t>, Option<Node<'t>>)>>,
    /// The class templates that are only declared, with their parameters.
    pub declared_classes: FxHashMap<String, Vec<(ScopeId, Node<'t>, Node<'t>)>>,
    pub globals: FxHashMap<String, Vec<(ScopeId, GlobalDecl<'t>)>>,
    pub enumerators: FxHashMap<String, Vec<(ScopeId, Enumerator<'t>)>>,
    /// The path of each scope.
    pub scopes: Vec<Vec<String>>,
    inner_scopes: FxHashMap<(ScopeId, String), ScopeId>,
    /// The scope that a class makes, by the node of the class.
    pub class_scopes: FxHashMap<usize, ScopeId>,
    /// A header was not found: what it declares or defines is not seen.
    pub header_missing: bool,
    /// Words of the text that nothing in it declares, and that are taken as names of integers. [INF-USUAL]
    pub usual: FxHashSet<String>,
    /// `namespace a = b;`, where it is not known which namespace that is.
    pub aliases: FxHashSet<String>,
    /// And where it is one of the platform.
    platform: FxHashMap<String, Vec<String>>,
    /// All of them, while they are collected.
    targets: FxHashMap<String, FxHashSet<Vec<String>>>,
    /// `using a::b;`: the names that this makes seen elsewhere.
    pub used: FxHashSet<String>,
    /// In the order of the text.
    pub kernels: Vec<FunDecl<'t>>,
    /// `__axiom(..)` at the top level.
    pub axioms: Vec<Node<'t>>,
    /// Where functions that are templates are named, in the order of the text: with their arguments, where those are
    /// written.
    pub uses: FxHashMap<String, Vec<Node<'t>>>,
    /// Where class templates are named, other than to declare them: with their arguments, where those are written.
    pub class_uses: FxHashMap<String, Vec<Node<'t>>>,
    /// Where kernels are named, other than to declare them; by name, in the order of the text.
    pub mentions: FxHashMap<String, Vec<Node<'t>>>,
    /// Where functions are named, as anything; by name, in the order of the text.
    pub named: FxHashMap<String, Vec<Node<'t>>>,
    /// Calls, by the last name of what is called, in the order of the text.
    pub calls: FxHashMap<String, Vec<Node<'t>>>,
    /// What stands in front of the names of `using` declarations.
    pub used_of: FxHashMap<String, Vec<Qualifier>>,
    /// `using namespace a;`
    pub opened: FxHashSet<String>,
    /// The names that parameters of templates have which stand for types.
    pub type_parameters: FxHashSet<String>,
}

/// Scopes inside of scopes.
const MAX_SCOPES: usize = 100;

/// The name of a parameter of a template that stands for a type, or a template.
pub fn name_of_type_parameter(parameter: Node<'_>) -> Option<Node<'_>> {
    match parameter.kind() {
        "type_parameter_declaration" | "optional_type_parameter_declaration" => {
            parameter.child_by_field_name("name").or_else(|| last_named(parameter))
        }
        "variadic_type_parameter_declaration" => last_named(parameter),
        "template_template_parameter_declaration" => name_of_type_parameter(last_named(parameter)?),
        _ => None,
    }
}

/// What stands for one thing, whatever number of declarations it has.
trait Identity {
    fn identity(&self) -> usize;
}

impl Identity for TypeDecl<'_> {
    fn identity(&self) -> usize {
        match self {
            TypeDecl::Class(node, _) | TypeDecl::Enum(node) | TypeDecl::Alias(node) | TypeDecl::AliasTemplate(node) => {
                node.id()
            }
            TypeDecl::Typedef(_, declarator) => declarator.id(),
            TypeDecl::Unread => 0,
        }
    }
}

impl Identity for GlobalDecl<'_> {
    fn identity(&self) -> usize {
        self.declarator.id()
    }
}

impl Identity for Enumerator<'_> {
    fn identity(&self) -> usize {
        self.node.id()
    }
}

impl<'t> Names<'t> {
    /// The scope with that name inside of another one.
    fn enter(&mut self, scope: ScopeId, name: String) -> ScopeId {
        let path = self.path(scope);
        // Nobody nests that deep, and the paths would be long.
        if path.len() >= MAX_SCOPES {
            return scope;
        }
        if let Some(known) = self.inner_scopes.get(&(scope, name.clone())) {
            return *known;
        }
        let mut path = path.to_vec();
        path.push(name.clone());
        self.scopes.push(path);
        let new = ScopeId(self.scopes.len() as u32 - 1);
        self.inner_scopes.insert((scope, name), new);
        new
    }

    pub fn path(&self, scope: ScopeId) -> &[String] {
        self.scopes.get(scope.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The name of a template of classes with all its scopes, from the outermost. [INF-TEMPLATE]
    pub fn whole_name(&self, name: &str, here: ScopeId, qualifier: &Qualifier) -> Option<String> {
        let Found::One(decl) = self.find_type(name, here, qualifier) else { return None };
        let is_template = matches!(decl, TypeDecl::Class(_, Some(_)) | TypeDecl::AliasTemplate(_));
        let declared = self.types.get(name)?.iter().find(|(_, d)| d.identity() == decl.identity())?;
        let parts = self.path(declared.0).iter().map(String::as_str).chain([name]);
        is_template.then(|| parts.collect::<Vec<_>>().join("::"))
    }

    fn add_type(&mut self, name: &str, scope: ScopeId, decl: TypeDecl<'t>) {
        let list = self.types.entry(name.to_owned()).or_default();
        // `typedef struct S {..} S;` declares it once.
        if !list.iter().any(|(known, _)| *known == scope) {
            list.push((scope, decl));
        }
    }

    /// How well a declaration in one scope fits a name written in another: the more of the path around the name it
    /// shares, the better. `None`: the name cannot mean it.
    pub fn fit(&self, declared: ScopeId, here: ScopeId, qualifier: &Qualifier) -> Option<usize> {
        let path = self.path(declared);
        let parts = self.unaliased(qualifier);
        if qualifier.absolute {
            return (path == parts).then_some(1);
        }
        let outer = path.strip_suffix(parts.as_slice())?;
        // Not around the name: only found through `using`, or by the types of arguments.
        Some(if self.path(here).starts_with(outer) { outer.len() + 1 } else { 0 })
    }

    /// May what a qualifier of no scope of the unit has be something else than what the platform has by that name?
    pub fn is_foreign(&self, qualifier: &Qualifier) -> bool {
        let first = self.unaliased(qualifier);
        first.first().is_some_and(|first| !self.aliases.contains(first) && !PLATFORM.contains(&first.as_str()))
    }

    /// Does a `using` declaration make a name that of a scope that is not known?
    pub fn is_of_foreign(&self, name: &str, qualifier: &Qualifier) -> bool {
        let used = self.used_of.get(name).filter(|_| *qualifier == Qualifier::default());
        used.into_iter().flatten().any(|outer| {
            let fits = |scope: ScopeId| self.path(scope).ends_with(&outer.parts);
            let scopes = |name: &str| -> Vec<ScopeId> {
                let functions = self.functions.get(name).into_iter().flatten().map(|d| d.scope);
                let types = self.types.get(name).into_iter().flatten().map(|(scope, _)| *scope);
                let globals = self.globals.get(name).into_iter().flatten().map(|(scope, _)| *scope);
                let enumerators = self.enumerators.get(name).into_iter().flatten().map(|(scope, _)| *scope);
                functions.chain(types).chain(globals).chain(enumerators).collect()
            };
            self.is_foreign(outer) && !scopes(name).into_iter().any(fits)
        })
    }

    /// May a qualifier that names no scope of the unit stand for one of them?
    pub fn may_stand_for_others(&self, qualifier: &Qualifier) -> bool {
        let foreign = ["std", "thrust", "cub", "cooperative_groups"];
        let parts = self.unaliased(qualifier);
        parts.first().is_some_and(|first| self.aliases.contains(first) || !foreign.contains(&first.as_str()))
    }

    /// The parts of a qualifier, with a namespace of the platform for another name of it.
    fn unaliased(&self, qualifier: &Qualifier) -> Vec<String> {
        match qualifier.parts.split_first() {
            Some((first, rest)) => match self.platform.get(first) {
                Some(target) => [target, rest].concat(),
                None => qualifier.parts.clone(),
            },
            None => Vec::new(),
        }
    }

    fn pick_in<D: Identity + Copy>(
        &self,
        list: Option<&Vec<(ScopeId, D)>>,
        here: ScopeId,
        qualifier: &Qualifier,
    ) -> Found<D> {
        let Some(list) = list else { return Found::None };
        // A namespace that has another name may be any of them.
        let elsewhere = qualifier.parts.first().is_some_and(|first| self.aliases.contains(first));
        if elsewhere && list.iter().any(|(_, d)| d.identity() != list[0].1.identity()) {
            return Found::Ambiguous;
        }
        let fits = list.iter().filter_map(|(scope, decl)| Some((self.fit(*scope, here, qualifier)?, *decl)));
        let mut fits: Vec<(usize, D)> = fits.collect();
        if fits.is_empty() && self.may_stand_for_others(qualifier) {
            // What is in front of it may be anything: a class, what a parameter of a template stands for.
            if !elsewhere {
                return Found::Ambiguous;
            }
            fits.extend(list.iter().map(|(_, decl)| (0, *decl)));
        }
        let best = fits.iter().map(|(fit, _)| *fit).max().unwrap_or(0);
        fits.retain(|(fit, _)| *fit == best);
        match fits.as_slice() {
            [] => Found::None,
            [(_, first), rest @ ..] if rest.iter().all(|(_, d)| d.identity() == first.identity()) => Found::One(*first),
            _ => Found::Ambiguous,
        }
    }

    pub fn find_type(&self, name: &str, here: ScopeId, qualifier: &Qualifier) -> Found<TypeDecl<'t>> {
        match self.types.get(name) {
            Some(_) if self.is_of_foreign(name, qualifier) => Found::Ambiguous,
            Some(list) if list.len() > 1 && self.is_used(name, qualifier) => Found::Ambiguous,
            list => self.pick_in(list, here, qualifier),
        }
    }

    pub fn find_global(&self, name: &str, here: ScopeId, qualifier: &Qualifier) -> Found<GlobalDecl<'t>> {
        match self.pick_in(self.globals.get(name), here, qualifier) {
            Found::One(_) if self.are_several_values(name, qualifier) => Found::Ambiguous,
            found => found,
        }
    }

    pub fn find_enumerator(&self, name: &str, here: ScopeId, qualifier: &Qualifier) -> Found<Enumerator<'t>> {
        match self.pick_in(self.enumerators.get(name), here, qualifier) {
            Found::One(_) if self.are_several_values(name, qualifier) => Found::Ambiguous,
            found => found,
        }
    }

    /// What a name that is called stands for: [`fit`](Names::fit) says what hides what. [INF-CALLEE]
    pub fn callee(&self, name: &str, here: ScopeId, qualifier: &Qualifier, is_builtin: bool) -> Callee<'t> {
        let near = |scope: ScopeId| match self.fit(scope, here, qualifier)? {
            // What `using namespace` makes seen is seen in a scope around both.
            0 if *qualifier == Qualifier::default() => {
                let path = self.path(scope);
                let common = path.iter().zip(self.path(here)).take_while(|(a, b)| a == b).count();
                path.iter().any(|part| self.opened.contains(part)).then_some(common + 1)
            }
            fit => Some(fit),
        };
        let is_variable = |g: &GlobalDecl| !is_prototype(g.declarator);
        let globals = self.globals.get(name).into_iter().flatten().filter(|(_, g)| is_variable(g));
        let globals: Vec<ScopeId> = globals.map(|(scope, _)| *scope).collect();
        let types: Vec<ScopeId> = self.types.get(name).into_iter().flatten().map(|(scope, _)| *scope).collect();
        let functions = self.functions.get(name).into_iter().flatten().filter(|d| d.class.is_none());
        let functions: Vec<ScopeId> = functions.map(|d| d.scope).collect();
        let nearest = |scopes: &[ScopeId]| scopes.iter().filter_map(|scope| near(*scope)).max();
        let function = nearest(&functions).max(is_builtin.then_some(1));
        let (variable, ty) = (nearest(&globals), nearest(&types));
        let several = !globals.is_empty() || !types.is_empty();
        if several && (is_builtin || !functions.is_empty()) && self.is_used(name, qualifier) {
            return Callee::Unclear;
        }
        if variable.is_some() && variable >= ty && variable > function {
            match self.find_global(name, here, qualifier) {
                Found::One(global) => Callee::Variable(global),
                _ => Callee::Unclear,
            }
        } else if ty > function && (is_builtin || !functions.is_empty()) {
            Callee::Type
        } else if variable.is_some() && variable == function || is_builtin && functions.is_empty() && ty == function {
            Callee::Unclear
        } else {
            Callee::Function
        }
    }

    /// Is a function that is declared before a place nearer than all variables of its name?
    pub fn hides_variables(&self, name: &str, here: ScopeId, qualifier: &Qualifier, at: usize) -> bool {
        let Some(variables) = self.globals.get(name).filter(|_| !self.is_used(name, qualifier)) else { return false };
        let variables = variables.iter().filter(|(_, g)| !is_prototype(g.declarator));
        let variable = variables.filter_map(|(scope, _)| self.fit(*scope, here, qualifier)).max();
        let functions = self.functions.get(name).into_iter().flatten();
        let functions = functions.filter(|d| d.class.is_none() && d.node.start_byte() < at);
        let function = functions.filter_map(|d| self.fit(d.scope, here, qualifier)).max();
        variable >= Some(1) && function > variable
    }

    /// Does a `using` declaration somewhere make this name mean another one?
    pub fn is_used(&self, name: &str, qualifier: &Qualifier) -> bool {
        *qualifier == Qualifier::default() && self.used.contains(name)
    }

    /// Is a name both that of variables and of enumerators, or of several with a `using` declaration between them?
    fn are_several_values(&self, name: &str, qualifier: &Qualifier) -> bool {
        let globals = self.globals.get(name).map_or(0, Vec::len);
        let enumerators = self.enumerators.get(name).map_or(0, Vec::len);
        let unscoped = *qualifier == Qualifier::default();
        self.is_of_foreign(name, qualifier)
            || unscoped && globals > 0 && enumerators > 0
            || self.is_used(name, qualifier) && globals + enumerators > 1
    }
}

/// The tree of a text; `None` when it takes more work than any text that is nearly code: sources take 2 of the parser's
/// rounds for 100 bytes, and what is broken and nested 30,000 deep can take one for each. Nor is there one for a tree
/// that is too deep: to go from a node to its parent takes as many steps as there are nodes above it.
pub fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    let mut rounds = 1000 + text.len() / 5;
    let mut progress = |_: &ParseState| {
        rounds = rounds.saturating_sub(1);
        if rounds == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree =
        parser.parse_with_options(&mut |at, _| text.as_bytes().get(at..).unwrap_or_default(), None, Some(options))?;
    (!is_out_of_bounds(&tree)).then_some(tree)
}

/// Is something nested so deep, or are there so many parts in a row of which none is understood, that looking at what is around each
/// of them would take for ever?
fn is_out_of_bounds(tree: &Tree) -> bool {
    const DEEP: u32 = 4_000;
    const WIDE: u32 = 20_000;
    let (mut cursor, mut depth) = (tree.walk(), 0u32);
    loop {
        if depth > DEEP || cursor.node().is_error() && cursor.node().child_count() > WIDE {
            return true;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// The qualifier of CUDA that `((shared))` and its like stand for.
fn of_clang(arguments: &str) -> Option<&'static str> {
    let list = arguments.trim().trim_start_matches('(').trim_end_matches(')');
    list.split(',').find_map(|word| {
        Some(match word.trim().trim_matches('_') {
            "shared" => "__shared__",
            "device" => "__device__",
            "constant" => "__constant__",
            "global" => "__global__",
            "host" => "__host__",
            "managed" => "__managed__",
            _ => return None,
        })
    })
}

/// The blocks of a cluster by axis, as an attribute says; `None` is not a plain number.
pub type ClusterDims = [Option<i128>; 3];

/// What attributes say that are blanked, each with its position.
#[derive(Default)]
struct Attributes {
    /// What was asked for, as written.
    alignments: Vec<(usize, String)>,
    packed: Vec<usize>,
    /// `vector_size(16)` and `ext_vector_type(4)`.
    vectors: Vec<usize>,
    /// `noreturn`
    endless: Vec<usize>,
    clusters: Vec<(usize, ClusterDims)>,
    /// The qualifiers of OpenCL C: where they stood.
    marks: Vec<(usize, Mark)>,
}

impl Attributes {
    /// What `alignas(..)`, `__align__(..)`, `__attribute__((..))` or `__declspec(..)` says about the layout of a class.
    fn layout(&mut self, at: usize, word: &str, arguments: &str) {
        let inner = |text: &str| -> Option<String> {
            Some(text.trim().strip_prefix('(')?.strip_suffix(')')?.trim().to_owned())
        };
        let Some(list) = inner(arguments) else { return };
        match word {
            "alignas" | "__align__" => self.alignments.push((at, list)),
            "__declspec" => {
                if list.contains("noreturn") {
                    self.endless.push(at);
                }
                if let Some((_, rest)) = list.split_once("align") {
                    self.alignments.push((at, inner(rest).unwrap_or_default()));
                }
            }
            "__attribute__" | "__attribute" => {
                let list = inner(&list).unwrap_or_default();
                let mut depth = 0usize;
                let items = list.split(|c: char| {
                    depth = match c {
                        '(' => depth + 1,
                        ')' => depth.saturating_sub(1),
                        _ => depth,
                    };
                    c == ',' && depth == 0
                });
                for item in items {
                    let (name, value) = item.split_at(item.find('(').unwrap_or(item.len()));
                    match name.trim().trim_matches('_') {
                        "packed" => self.packed.push(at),
                        "noreturn" => self.endless.push(at),
                        "vector_size" | "ext_vector_type" => self.vectors.push(at),
                        // Without a number it is the most that the target aligns anything by.
                        "aligned" if value.is_empty() => self.alignments.push((at, "16".to_owned())),
                        "aligned" => self.alignments.push((at, inner(value).unwrap_or_default())),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// The arguments of `__cluster_dims__`: what is left out is 1.
fn cluster_dims(arguments: &str) -> ClusterDims {
    let inner = arguments.trim().strip_prefix('(').unwrap_or(arguments).trim_end().trim_end_matches(')');
    let mut dims = [Some(1); 3];
    for (dim, part) in dims.iter_mut().zip(inner.split(',')) {
        *dim = part.trim().trim_end_matches(['u', 'U', 'l', 'L']).parse().ok().filter(|n| (1..1 << 16).contains(n));
    }
    // A comma inside of an argument, as in a call: nothing is known.
    if inner.split(',').count() > 3 || inner.contains('(') { [None; 3] } else { dims }
}

/// What a word of OpenCL C is, if it is a qualifier; the inner `None` is one that says nothing about memory.
fn qualifier(word: &str) -> Option<Option<Mark>> {
    Some(match word {
        "__kernel" | "kernel" => Some(Mark::Kernel),
        "__global" | "global" => Some(Mark::Global),
        "__local" | "local" => Some(Mark::Local),
        "__constant" | "constant" => Some(Mark::Constant),
        "__private" | "private" => Some(Mark::Private),
        "__read_only" | "read_only" => Some(Mark::ReadOnly),
        "__write_only" | "write_only" | "__read_write" | "read_write" => Some(Mark::Writable),
        "restrict" | "__restrict" | "__restrict__" => Some(Mark::Restrict),
        "__generic" | "__const" | "__const__" | "__volatile" | "__volatile__" => None,
        _ => return None,
    })
}

/// Words that are names in C, and not in the grammar, which is that of C++.
const ONLY_CPP: [&str; 33] = [
    "new",
    "delete",
    "class",
    "this",
    "template",
    "typename",
    "namespace",
    "operator",
    "public",
    "protected",
    "virtual",
    "friend",
    "try",
    "catch",
    "throw",
    "explicit",
    "mutable",
    "using",
    "and",
    "or",
    "not",
    "xor",
    "bitand",
    "bitor",
    "compl",
    "and_eq",
    "or_eq",
    "not_eq",
    "xor_eq",
    "constexpr",
    "nullptr",
    "decltype",
    "noexcept",
];

/// The sizes in `__attribute__((reqd_work_group_size(8, 8, 1)))`.
fn group_size(attribute: &str) -> Option<Mark> {
    let (_, rest) = attribute.split_once("reqd_work_group_size")?;
    let (list, _) = rest.trim_start().trim_start_matches('_').trim_start().strip_prefix('(')?.split_once(')')?;
    let sizes: Vec<i128> = list.split(',').filter_map(|n| n.trim().parse().ok()).filter(|n| *n > 0).collect();
    sizes.try_into().ok().map(Mark::GroupSize)
}

/// Text without the words that the grammar does not place everywhere that compilers do; positions stay.
struct Blanked {
    text: String,
    /// The same with other letters in the names that the grammar takes for words of C++, and `decltype` for its likes.
    parsed: String,
    attributes: Attributes,
}

fn blank_attributes(text: &str, dialect: Dialect) -> Blanked {
    let mut found = Attributes::default();
    const WORDS: [&str; 8] = [
        "__restrict",
        "__forceinline__",
        "__noinline__",
        "__inline__",
        "__grid_constant__",
        "__device_builtin__",
        "__extension__",
        "__cdecl",
    ];
    const CALLS: [&str; 6] = ["__attribute__", "__attribute", "__align__", "__declspec", "__cluster_dims__", "alignas"];
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let (mut renamed, mut types_of) = (Vec::new(), Vec::new());
    let mut hidden: Vec<(usize, u8)> = Vec::new();
    let word_char = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
    let mut i = 0;
    while i < bytes.len() {
        if !word_char(bytes[i]) {
            i += 1;
            continue;
        }
        let start = i;
        while i < bytes.len() && word_char(bytes[i]) {
            i += 1;
        }
        let word = &text[start..i];
        let mut end = i;
        let qualifier = if dialect == Dialect::OpenCl { qualifier(word) } else { None };
        if CALLS.contains(&word) {
            let mut j = i;
            while j < bytes.len() && bytes[j].is_ascii_whitespace() {
                j += 1;
            }
            // Without arguments it is a word.
            if bytes.get(j) == Some(&b'(') {
                let mut depth = 0usize;
                while let Some(byte) = bytes.get(j) {
                    match byte {
                        b'(' => depth += 1,
                        b')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    j += 1;
                    if depth == 0 {
                        break;
                    }
                }
                end = j;
            }
            if word == "__cluster_dims__" {
                found.clusters.push((start, cluster_dims(&text[i..end])));
            }
            found.layout(start, word, &text[i..end]);
            if let Some(qualifier) = of_clang(&text[i..end]).filter(|q| q.len() <= end - start) {
                // It is read as the word that headers have for it.
                for b in out[start..end].iter_mut().filter(|b| **b != b'\n') {
                    *b = b' ';
                }
                out[start..start + qualifier.len()].copy_from_slice(qualifier.as_bytes());
                i = end;
                continue;
            }
            if dialect == Dialect::OpenCl {
                found.marks.extend(group_size(&text[i..end]).map(|mark| (start, mark)));
            }
        } else if let Some(mark) = qualifier {
            found.marks.extend(mark.map(|mark| (start, mark)));
        } else if matches!(word, "__device__" | "__host__")
            && (is_after_captures(&out[..start])
                || is_between_result_and_name(&out[..start], &bytes[i..])
                || is_before_conversion(&text[i..]))
        {
            // What a lambda expression is for is not asked, nor what a function is for in front of its name, nor what a
            // conversion is for, which the grammar would take for its type.
        } else if !WORDS.contains(&word) {
            if dialect == Dialect::OpenCl && ONLY_CPP.contains(&word) {
                renamed.push(end - 1);
            }
            if matches!(word, "__typeof__" | "__typeof") {
                types_of.push(start..end);
            }
            match word {
                "new" => hidden.extend(stars_of_new(bytes, end).into_iter().map(|at| (at, b' '))),
                "typename" if begins_object(text, start, end) || is_of_typeid(&text[..start]) => {
                    hidden.extend((start..end).map(|at| (at, b' ')));
                }
                "class" | "struct" if dialect == Dialect::Cuda => {
                    if let Some(absent) = macro_of_class(text, end) {
                        if let Some(open) = text[absent.clone()].find('(') {
                            found.layout(absent.start, "alignas", &text[absent.start + open..absent.end]);
                        }
                        out[absent.clone()].fill(b' ');
                        i = absent.end;
                    }
                }
                "operator" => hidden.extend(conversion_by_name(text, start, end).map(|at| (at, b'_'))),
                "va_arg" => hidden.extend(type_of_argument(text, end)),
                "template" => {
                    let rest = instance_of_class(text, end);
                    let before = text[..start].trim_end();
                    let begin = before.strip_suffix("extern").map_or(start, str::len);
                    let whole = if rest.is_empty() { rest } else { begin..rest.end };
                    hidden.extend(whole.filter(|at| bytes[*at] != b'\n').map(|at| (at, b' ')));
                }
                _ => {}
            }
            continue;
        } else if word == "__restrict" {
            found.marks.push((start, Mark::Restrict));
        }
        for b in &mut out[start..end] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
        i = end;
    }
    for (at, target) in aliases_of_library(text) {
        if out[at.clone()] != bytes[at.clone()] {
            continue;
        }
        let end = at.end - target.len();
        out[at.start..end].fill(b' ');
        out[end..at.end].copy_from_slice(target.as_bytes());
    }
    let blanked = String::from_utf8(out.clone()).unwrap_or_else(|_| text.to_owned());
    for (at, byte) in hidden {
        out[at] = byte;
    }
    for at in empty_defaults(&out) {
        out[at] = b'0';
    }
    for at in renamed {
        out[at] = out[at].to_ascii_uppercase();
    }
    // The grammar has one word for the type of an expression.
    for range in types_of {
        let word = b"decltype".iter().chain(std::iter::repeat(&b' '));
        for (to, from) in out[range].iter_mut().zip(word) {
            *to = *from;
        }
    }
    let parsed = String::from_utf8(out).unwrap_or_else(|_| text.to_owned());
    Blanked { text: blanked, parsed, attributes: found }
}

/// Where `ours::` stands for `cub::`, for `namespace ours = cub;` of a name that means nothing else and has room for that.
fn aliases_of_library(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let alias = |at: usize| {
        let (name, target) = text[at..].strip_prefix("namespace")?.split_once(';')?.0.split_once('=')?;
        let (name, target) = (name.trim(), target.trim().trim_start_matches(':').trim());
        let known = LIBRARIES.into_iter().find(|library| *library == target)?;
        (name.len() >= known.len() && name != known && name.chars().all(is_word)).then_some((name, known))
    };
    let mut found = Vec::new();
    for (name, target) in text.match_indices("namespace").filter_map(|(at, _)| alias(at)) {
        let whole = |at: &usize| !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word);
        let places: Vec<usize> = text.match_indices(name).map(|(at, _)| at).filter(whole).collect();
        let (uses, others): (Vec<usize>, Vec<usize>) =
            places.into_iter().partition(|at| text[at + name.len()..].trim_start().starts_with("::"));
        let defines = |at: &usize| {
            let before = text[..*at].trim_end();
            before.strip_suffix("namespace").and_then(|before| alias(before.len())) == Some((name, target))
        };
        if others.iter().all(defines) {
            found.extend(uses.into_iter().map(|at| (at..at + name.len(), target)));
        }
    }
    found
}

/// The end of a name with its scopes and template arguments.
fn end_of_name(text: &str, from: usize) -> usize {
    let (mut depth, mut before) = (0usize, ' ');
    for (at, c) in text[from..].char_indices() {
        match c {
            '<' => depth += 1,
            '>' if depth == 0 => return from + at,
            '>' => depth -= 1,
            _ if depth > 0 && !matches!(c, ';' | '{' | '}') => {}
            // Two words in a row are no name.
            c if c.is_alphanumeric() || c == '_' => {
                let goes_on = text[from..from + at].ends_with(|p: char| p.is_alphanumeric() || p == '_' || p == ':');
                if !goes_on && before != ' ' {
                    return from + at;
                }
            }
            ':' | ' ' | '\n' => {}
            _ => return from + at,
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    text.len()
}

/// The bracket that closes the one at a position.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    text[open..].char_indices().find_map(|(at, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(open + at)
    })
}

/// Does a `typename` stand in front of an object that is made, `typename T::U(x).f()`, which the grammar does not read?
fn begins_object(text: &str, start: usize, end: usize) -> bool {
    let open = end_of_name(text, end);
    let Some(close) = text[open..].starts_with(['(', '{']).then(|| closing(text, open)).flatten() else { return false };
    let (before, after) = (text[..start].trim_end(), text[close + 1..].trim_start());
    let declares = text[open + 1..].trim_start().starts_with(['*', '&']);
    if before.ends_with([';', '{', '}', ')']) {
        return !declares && (after.starts_with('.') || after.starts_with("->"));
    }
    let in_list = before.ends_with(['(', ',', '<']);
    before.ends_with(['=', '+', '-', '*', '/', '%', '?', ':', '&', '|', '!'])
        || before.ends_with("return")
        || in_list && !declares
}

/// Does a `typename` begin the type in `typeid(typename T::U)`, which the grammar reads as an expression?
fn is_of_typeid(before: &str) -> bool {
    before.trim_end().strip_suffix('(').is_some_and(|rest| rest.trim_end().ends_with("typeid"))
}

/// The macro that is not there in `class X_API C {` and `struct X_EXPORT S : B {`, which would read as a variable or function
/// of class `X_API`: a word in capitals that names no class of the text, and a name, in front of what begins a class. With
/// arguments it has to say that it aligns: `struct X_ALIGN(8) S {`.
fn macro_of_class(text: &str, end: usize) -> Option<std::ops::Range<usize>> {
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let skip = |at: usize| at + (text[at..].len() - text[at..].trim_start().len());
    let word = |at: usize| at + text[at..].find(|c| !is_word(c)).unwrap_or(text[at..].len());
    let start = skip(end);
    let mut until = word(start);
    let name = &text[start..until];
    if name.contains("ALIGN") && text[until..].starts_with('(') {
        until += text[until..].find(')').map_or(0, |close| close + 1);
        // One number, or a name of one.
        if !text[start + name.len() + 1..until.max(1) - 1].chars().all(is_word) {
            return None;
        }
    }
    let capitals = name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());
    let begins_name = text[skip(until)..].starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    if !capitals || !begins_name || skip(until) == until {
        return None;
    }
    let mut after = skip(word(skip(until)));
    if text[skip(until)..].starts_with("final ") || text[after..].starts_with('<') {
        return None;
    }
    if text[after..].starts_with("final") {
        after = skip(word(after));
    }
    let rest = &text[after..];
    let begins_class = rest.starts_with('{') || rest.starts_with(':') && !rest.starts_with("::");
    // `for (struct S_T x : list)` declares a variable, `struct S_T x{1}` may.
    let line = text[..end].rsplit([';', '{', '}']).next().unwrap_or("");
    let is_type = text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].trim_end(), text[at + name.len()..].trim_start());
        let keyed = ["struct", "class", "union", "enum", "using"].iter().any(|key| before.ends_with(key));
        keyed && after.starts_with(['{', ':', ';', '=']) || before.ends_with('}') && after.starts_with([';', ','])
    });
    (begins_class && !line.contains('(') && !is_type).then_some(start..until)
}

/// The space in `x.operator float()`, which the grammar does not read.
fn conversion_by_name(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let before = text[..start].trim_end();
    let word = end + (text[end..].len() - text[end..].trim_start().len());
    let name = text[word..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let is_call = (before.ends_with('.') || before.ends_with("->"))
        && text[word + name.len()..].trim_start().starts_with('(')
        && !matches!(name, "" | "new" | "delete");
    if is_call { end..word } else { end..end }
}

/// What hides the type in `va_arg(list, T)`, which the grammar does not read.
fn type_of_argument(text: &str, end: usize) -> Vec<(usize, u8)> {
    let open = end + (text[end..].len() - text[end..].trim_start().len());
    let Some(close) = text[open..].starts_with('(').then(|| closing(text, open)).flatten() else { return Vec::new() };
    match text[open..close].rfind(',') {
        Some(comma) => (open + comma + 1..close).map(|at| (at, if at + 1 == close { b'0' } else { b' ' })).collect(),
        None => Vec::new(),
    }
}

/// The rest of `template struct a::S<int>;`, which the grammar does not read: it declares nothing new.
fn instance_of_class(text: &str, end: usize) -> std::ops::Range<usize> {
    let rest = text[end..].trim_start();
    let Some(rest) = rest.strip_prefix("struct ").or_else(|| rest.strip_prefix("class ")) else { return end..end };
    let name = text.len() - rest.trim_start().len();
    let until = end_of_name(text, name);
    if text[until..].starts_with(';') { end..until } else { end..end }
}

/// Do nothing but specifiers stand in front of `operator T()`, and not of an operator with a sign?
fn is_before_conversion(after: &str) -> bool {
    const SPECIFIERS: [&str; 9] = [
        "__device__",
        "__host__",
        "__forceinline__",
        "__noinline__",
        "__inline__",
        "inline",
        "constexpr",
        "explicit",
        "virtual",
    ];
    let mut rest = after.trim_start();
    loop {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, next) = (&rest[..end], rest[end..].trim_start());
        if word == "operator" {
            let named = next.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let to = next.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            return named && !["new", "delete", "co_await"].contains(&to);
        }
        if !SPECIFIERS.contains(&word) {
            return false;
        }
        rest = next;
    }
}

/// Does a qualifier stand between the result of a function and its name: `int & __host__ f()`?
fn is_between_result_and_name(before: &[u8], after: &[u8]) -> bool {
    let sign = before.iter().rev().find(|b| !b.is_ascii_whitespace());
    let name = after.iter().skip_while(|b| b.is_ascii_whitespace());
    let mut rest = name.skip_while(|b| **b == b'_' || b.is_ascii_alphanumeric());
    matches!(sign, Some(b'&' | b'*')) && rest.find(|b| !b.is_ascii_whitespace()) == Some(&b'(')
}

/// The stars in `new int *[n]`, which the grammar does not read.
fn stars_of_new(text: &[u8], from: usize) -> Vec<usize> {
    let mut depth = 0_usize;
    // With the template arguments of a name.
    let mut is_name = |b: &u8| {
        let within = depth > 0;
        match *b {
            b'<' => depth += 1,
            b'>' if within => depth -= 1,
            b';' | b'{' | b'}' => return false,
            _ => return within || b.is_ascii_alphanumeric() || matches!(*b, b'_' | b':') || b.is_ascii_whitespace(),
        }
        true
    };
    let named = from + text[from..].iter().take_while(|b| is_name(b)).count();
    let stars = text[named..].iter().take_while(|b| **b == b'*' || b.is_ascii_whitespace()).count();
    match text.get(named + stars) {
        Some(b'[') => (named..named + stars).filter(|at| text[*at] == b'*').collect(),
        _ => Vec::new(),
    }
}

/// The braces of default arguments `= {}`, which the grammar does not read.
fn empty_defaults(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut open, mut quote) = (Vec::new(), None);
    let next = |from: usize| (from..text.len()).find(|at| !text[*at].is_ascii_whitespace());
    let (mut before, mut earlier) = (b' ', b' ');
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        if let Some(own) = quote {
            match byte {
                b'\\' => at += 1,
                _ if byte == own || byte == b'\n' => quote = None,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => quote = Some(byte),
            // Not the one in `1'000`.
            b'\'' if !before.is_ascii_alphanumeric() => quote = Some(byte),
            b'{' if before == b'=' && !b"=!<>+-*/%&|^".contains(&earlier) && open.last() == Some(&b'(') => {
                let close = next(at).filter(|close| text[*close] == b'}');
                if let Some(close) = close
                    && next(close + 1).is_some_and(|after| b",)".contains(&text[after]))
                {
                    found.extend([at - 1, close]);
                }
                open.push(byte);
            }
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' => drop(open.pop()),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            (earlier, before) = (before, byte);
        }
    }
    found
}

/// Do the captures of a lambda expression end here?
fn is_after_captures(text: &[u8]) -> bool {
    text.iter().rev().find(|b| !b.is_ascii_whitespace()) == Some(&b']')
}

/// Is a text nested so deep that parsing it would take for ever? No code is: open brackets (clang gives up at 256),
/// closing ones without a partner, signs in a row, `<` that have no `>` in a statement, tokens of one statement or item of
/// a list, `else` in a row (each stands in the one before).
pub fn is_nested_too_deep(text: &str) -> bool {
    const BRACKETS: usize = 1_000;
    const BLOCKS: usize = 256;
    const SIGNS: usize = 1_000;
    const ANGLES: usize = 1_000;
    const CLOSED: usize = 1_000;
    const TOKENS: usize = 40_000;
    const ELSES: usize = 5_000;
    let (mut open, mut closed, mut angles, mut tokens) = (Vec::new(), 0_usize, 0_usize, 0_usize);
    // One a block, and whether a statement has just ended.
    let (mut elses, mut ended) = (vec![0_usize], false);
    let (mut in_word, mut quote, mut before, mut signs) = (false, None, b' ', 0_usize);
    for (at, byte) in text.bytes().enumerate() {
        let word = byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii();
        if let Some(own) = quote {
            // A quote without a partner ends with its line.
            if (byte == own && before != b'\\') || byte == b'\n' {
                quote = None;
            }
            before = if before == b'\\' { b' ' } else { byte };
            continue;
        }
        let goes_on = word && in_word;
        tokens += usize::from(!byte.is_ascii_whitespace() && !goes_on);
        if !byte.is_ascii_whitespace()
            && !goes_on
            && let Some(row) = elses.last_mut()
        {
            let is_else = text.as_bytes()[at..].starts_with(b"else");
            *row = if is_else || !ended { *row + usize::from(is_else) } else { 0 };
            ended = byte == b'}' || byte == b';' && open.last().is_none_or(|o| *o == b'{');
        }
        match byte {
            b'{' => elses.push(0),
            b'}' if elses.len() > 1 => drop(elses.pop()),
            _ => {}
        }
        match byte {
            // Not the one in `1'000`.
            b'"' | b'\'' if !in_word => quote = Some(byte),
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' if open.last().is_some_and(|o| *o != b'{') => drop(open.pop()),
            // What is open inside of a block ends with it.
            b'}' if open.contains(&b'{') => while open.pop().is_some_and(|o| o != b'{') {},
            b')' | b']' | b'}' => closed += 1,
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'-' | b'+' | b'!' | b'~' | b'*' | b'&' => signs += 1,
            _ if byte.is_ascii_whitespace() => {}
            _ => signs = 0,
        }
        match byte {
            b'{' | b'}' => (angles, tokens) = (0, 0),
            b';' if open.last().is_none_or(|o| *o == b'{') => (angles, tokens) = (0, 0),
            b',' => tokens = 0,
            _ => {}
        }
        let deep = || open.iter().filter(|b| **b == b'{').count() > BLOCKS;
        if (byte == b'{' && open.len() > BLOCKS && deep())
            || open.len() > BRACKETS
            || closed > CLOSED
            || signs > SIGNS
            || angles > ANGLES
            || tokens > TOKENS
            || elses.last().is_some_and(|row| *row > ELSES)
        {
            return true;
        }
        (in_word, before) = (word, byte);
    }
    false
}

impl<'a> Unit<'a> {
    /// Parses expanded text. `origin` maps a byte range of it to where it was written.
    pub fn parse(expanded: &str, dialect: Dialect, origin: &'a dyn Fn(usize, usize) -> Span) -> Option<Unit<'a>> {
        if is_nested_too_deep(expanded) {
            return None;
        }
        let Blanked { mut text, mut parsed, attributes } = blank_attributes(expanded, dialect);
        let mut inserted: Vec<usize> = Vec::new();
        let mut tree = parse(&parsed)?;
        for _ in 0..4 {
            let found = misread(tree.root_node(), &text, dialect);
            if found.is_empty() {
                break;
            }
            inserted = shifted(&inserted, &found);
            text = with_insertions(&text, &found);
            parsed = with_insertions(&parsed, &found);
            tree = parse(&parsed)?;
        }
        Some(Unit { text, tree, inserted, attributes, packs: Vec::new(), dialect, annotations: Vec::new(), origin })
    }

    /// The same with annotations, and what is wrong with them.
    pub fn annotated(
        expanded: &str,
        annotations: &[Annotation],
        dialect: Dialect,
        origin: &'a dyn Fn(usize, usize) -> Span,
    ) -> Option<(Unit<'a>, Vec<Problem>)> {
        let plain = Unit::parse(expanded, dialect, origin)?;
        if annotations.is_empty() {
            return Some((plain, Vec::new()));
        }
        let (statements, problems) = statements(&plain, annotations);
        let words: Vec<(usize, &str)> = statements.iter().map(|s| (s.at, s.text.as_str())).collect();
        let mut unit = Unit::parse(&with_insertions(expanded, &words), dialect, origin)?;
        let mut added = 0;
        for Inserted { at, text, span } in &statements {
            let start = at + added;
            added += text.len();
            unit.annotations.push(Note { start, end: start + text.len(), added, span: *span });
        }
        Some((unit, problems))
    }

    /// The position in the text before characters were inserted to have it read right.
    pub fn back(&self, at: usize) -> usize {
        at - self.inserted.partition_point(|p| *p < at)
    }

    /// The other way round.
    pub fn forth(&self, at: usize) -> usize {
        self.inserted.iter().fold(at, |at, p| if *p <= at { at + 1 } else { at })
    }

    /// The qualifiers of OpenCL C in a range of the text.
    fn marks_in(&self, range: std::ops::Range<usize>) -> Vec<Mark> {
        let range = self.back(range.start)..self.back(range.end);
        let marks = &self.attributes.marks;
        let from = marks.partition_point(|(at, _)| *at < range.start);
        marks[from..].iter().take_while(|(at, _)| *at < range.end).map(|(_, mark)| *mark).collect()
    }

    /// Where what belongs to a node begins: the end of the token in front of it.
    fn begin(&self, node: Node) -> usize {
        let before = self.text.get(..node.start_byte()).unwrap_or("");
        before.trim_end().len()
    }

    /// Is a parameter a pointer that is `__restrict__` itself?
    pub fn is_restrict(&self, parameter: Node) -> bool {
        let Some(declarator) = parameter.child_by_field_name("declarator") else { return false };
        let Some(name) = declared_name(declarator) else { return false };
        let head = self.text.get(declarator.start_byte()..name.start_byte()).unwrap_or("");
        let Some(star) = head.rfind('*').filter(|_| !head.contains(['&', '('])) else { return false };
        let words = ["__restrict__", "restrict"];
        head[star + 1..].split_whitespace().any(|word| words.contains(&word))
            || self.marks_in(declarator.start_byte() + star..name.start_byte()).contains(&Mark::Restrict)
    }

    /// The qualifiers of a declaration as they qualify what it declares: of what its pointers point to, and of the variable
    /// itself. Without a pointer all of them are of the variable.
    pub fn qualifiers(&self, declaration: Node, declarator: Option<Node>) -> (Vec<Mark>, Vec<Mark>) {
        let from = self.begin(declaration);
        let Some(declarator) = declarator else { return (Vec::new(), self.marks_in(from..declaration.end_byte())) };
        // The specifiers are those of every declarator in the list.
        let first = declaration.child_by_field_name("declarator").unwrap_or(declarator);
        let specifiers_end = first.start_byte().min(declarator.start_byte());
        let mut specifiers = self.marks_in(from..specifiers_end);
        let end = declared_name(declarator).map_or(declarator.end_byte(), |n| n.start_byte());
        let mut pointer = None;
        let mut node = Some(declarator);
        while let Some(current) = node {
            if matches!(current.kind(), "pointer_declarator" | "abstract_pointer_declarator") {
                pointer = Some(current.start_byte());
            }
            node = match current.kind() {
                "parenthesized_declarator" | "attributed_declarator" => {
                    current.child_by_field_name("declarator").or_else(|| last_named(current))
                }
                _ => current.child_by_field_name("declarator"),
            };
        }
        match pointer {
            None => {
                specifiers.extend(self.marks_in(specifiers_end..end));
                (Vec::new(), specifiers)
            }
            Some(star) => (specifiers, self.marks_in(star..end.max(star))),
        }
    }

    pub fn span(&self, node: Node) -> Span {
        let (start, end) = (self.back(node.start_byte()), self.back(node.end_byte()));
        let around = self.annotations.partition_point(|note| note.end <= start);
        if let Some(note) = self.annotations.get(around).filter(|note| note.start <= start && end <= note.end) {
            return note.span;
        }
        let plain = |at: usize| {
            let before = self.annotations.partition_point(|note| note.end <= at);
            at - before.checked_sub(1).and_then(|last| self.annotations.get(last)).map_or(0, |note| note.added)
        };
        (self.origin)(plain(start), plain(end))
    }

    fn written(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.back(range.start)..self.back(range.end)
    }

    /// The alignments that are asked for in a range of the text, as written.
    pub fn alignments(&self, range: std::ops::Range<usize>) -> Vec<&str> {
        let range = self.written(range);
        let alignments = &self.attributes.alignments;
        let from = alignments.partition_point(|(at, _)| *at < range.start);
        alignments[from..].iter().take_while(|(at, _)| *at < range.end).map(|(_, text)| text.as_str()).collect()
    }

    /// Does a range of the text say `packed`?
    pub fn is_packed(&self, range: std::ops::Range<usize>) -> bool {
        let range = self.written(range);
        self.attributes.packed.iter().any(|at| range.contains(at))
    }

    /// Does a declaration of a function say that it never returns?
    pub fn is_endless(&self, declaration: Node) -> bool {
        let end = declaration.child_by_field_name("body").map_or(declaration.end_byte(), |body| body.start_byte());
        // What stands in front of it is blanked.
        let begin = declaration.prev_sibling().map_or(0, |before| before.end_byte());
        let range = self.written(begin..end);
        let text = self.text.get(declaration.start_byte()..end).unwrap_or("");
        let says = |word: &str| matches!(word, "noreturn" | "_Noreturn" | "__noreturn__");
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(says)
            || self.attributes.endless.iter().any(|at| range.contains(at))
    }

    /// Does an attribute in this range make vectors of what is declared?
    pub fn is_vector(&self, range: std::ops::Range<usize>) -> bool {
        let range = self.written(range);
        self.attributes.vectors.iter().any(|at| range.contains(at))
    }

    /// The most that the members of a class are aligned by, of which the outer `None` is not understood.
    pub fn packing(&self, class: Node) -> Option<Option<u64>> {
        let at = self.written(class.byte_range()).start;
        self.packs.iter().rev().find(|(from, _)| *from <= at).map_or(Some(None), |(_, pack)| *pack)
    }

    /// Takes in the pragmas: where each stands, and its text.
    pub fn set_packing<'p>(&mut self, pragmas: impl Iterator<Item = (usize, &'p str)>) {
        let (mut now, mut kept) = (Some(None), Vec::new());
        for (at, text) in pragmas {
            let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            let Some(list) = dense.strip_prefix("pack").and_then(|t| t.strip_prefix('(')?.strip_suffix(')')) else {
                continue;
            };
            let mut words = list.split(',');
            let number = |word: &str| word.parse().ok().filter(|n: &u64| n.is_power_of_two()).map(Some);
            now = match (words.next().unwrap_or(""), words.next(), words.next()) {
                ("", None, None) => Some(None),
                ("push", to, None) => {
                    kept.push(now);
                    to.map_or(now, number)
                }
                ("pop", None, None) => kept.pop().unwrap_or(Some(None)),
                (n, None, None) => number(n),
                _ => None,
            };
            let added = self.annotations.iter().rev().find(|note| note.end - note.added <= at).map_or(0, |n| n.added);
            self.packs.push((at + added, now));
        }
    }

    /// What an attribute in front of the name of a function says about clusters.
    pub fn clusters(&self, name: Node) -> Option<ClusterDims> {
        let in_front = |at: usize| {
            let between = self.text.get(self.forth(at)..name.start_byte());
            between.is_some_and(|t| !t.contains([';', '{', '}']))
        };
        self.attributes.clusters.iter().rev().find(|(at, _)| in_front(*at)).map(|(_, dims)| *dims)
    }

    pub fn str(&self, node: Node) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub fn names(&self) -> Names<'_> {
        let mut names = Names { scopes: vec![Vec::new()], ..Names::default() };
        self.collect(self.tree.root_node(), None, ScopeId(0), &mut names, 0);
        self.collect_uses(&mut names);
        self.collect_broken(self.tree.root_node(), None, &mut names, 0);
        names
    }

    /// A header was not found: integers of the usual names are taken to be declared there. [INF-USUAL]
    pub fn without_header(&self, names: &mut Names<'_>) {
        names.header_missing = true;
        if self.dialect != Dialect::Cuda {
            return;
        }
        let words = self.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| super::builtins::usual_integer(word).is_some());
        let is_declared = |word: &str| {
            names.types.contains_key(word)
                || names.declared_classes.contains_key(word)
                || names.type_parameters.contains(word)
                || names.functions.contains_key(word)
                || names.globals.contains_key(word)
                || names.broken.contains(word)
        };
        names.usual = words.filter(|word| !is_declared(word)).map(str::to_owned).collect();
    }

    /// What may be declared where the parser did not understand a declaration: the words of its head in front of `(` and `<`.
    fn collect_broken<'t>(&'t self, node: Node<'t>, item: Option<Node<'t>>, names: &mut Names<'t>, depth: usize) {
        // What is not understood in the body of a function is lost there.
        let is_body = node.kind() == "compound_statement"
            && node.parent().is_some_and(|p| matches!(p.kind(), "function_definition" | "lambda_expression"));
        if !node.has_error() || is_body || depth > 200 {
            return;
        }
        if let Some(item) = item.filter(|_| node.is_error() || node.is_missing()) {
            let head = self.str(item).split('{').next().unwrap_or("");
            // What is deleted is not called.
            let head = if head.trim_end().ends_with("= delete;") { "" } else { head };
            for (at, c) in head.char_indices().filter(|(_, c)| matches!(c, '(' | '<')) {
                let before = head[..at].trim_end();
                let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
                if c == '(' || !matches!(word, "template" | "operator") {
                    names.broken.insert(word.to_owned());
                }
            }
        }
        let lists = matches!(
            node.kind(),
            "translation_unit" | "declaration_list" | "field_declaration_list" | "compound_statement"
        );
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.collect_broken(child, if lists { Some(child) } else { item }, names, depth + 1);
        }
    }

    fn collect<'t>(
        &'t self,
        node: Node<'t>,
        template: Option<Node<'t>>,
        scope: ScopeId,
        names: &mut Names<'t>,
        depth: usize,
    ) {
        if depth > 200 {
            return;
        }
        match node.kind() {
            "translation_unit" | "declaration_list" | "ERROR" | "compound_statement" | "preproc_if"
            | "preproc_ifdef" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.collect(child, None, scope, names, depth + 1);
                }
            }
            "linkage_specification" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.collect(body, None, scope, names, depth + 1);
                }
            }
            "namespace_definition" => {
                // What is in a namespace without a name, or an inline one, is found from outside as well.
                let inline = has_child(node, "inline");
                let scope = match node.child_by_field_name("name") {
                    Some(name) if !inline => {
                        let parts = self.str(name).split("::").map(|p| p.trim().to_owned());
                        parts.fold(scope, |scope, part| names.enter(scope, part))
                    }
                    _ => scope,
                };
                if let Some(body) = node.child_by_field_name("body") {
                    self.collect(body, None, scope, names, depth + 1);
                }
            }
            "template_declaration" => {
                let parameters = node.child_by_field_name("parameters");
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor).filter(|c| c.kind() != "template_parameter_list") {
                    self.collect(child, parameters, scope, names, depth + 1);
                }
            }
            "function_definition" => {
                if let Some(fun) = self.function(node, template, None, scope) {
                    self.add_function(fun, names);
                }
                if let Some(ty) = node.child_by_field_name("type") {
                    self.collect_type(ty, template, scope, names);
                }
            }
            "declaration" => {
                if let Some(ty) = node.child_by_field_name("type") {
                    self.collect_type(ty, template, scope, names);
                }
                if let Some(fun) = self.function(node, template, None, scope) {
                    self.add_function(fun, names);
                    return;
                }
                let mut cursor = node.walk();
                for declarator in node.children_by_field_name("declarator", &mut cursor) {
                    let (inner, value) = split_init(declarator);
                    if let Some(name) = declared_name(inner) {
                        let global = GlobalDecl { node, declarator: inner, value };
                        // The last one: a definition comes after `extern` declarations of it.
                        let list = names.globals.entry(self.str(name).to_owned()).or_default();
                        list.retain(|(known, _)| *known != scope);
                        list.push((scope, global));
                    }
                }
            }
            "type_definition" => {
                if let Some(ty) = node.child_by_field_name("type") {
                    self.collect_type(ty, template, scope, names);
                    let mut cursor = node.walk();
                    for declarator in node.children_by_field_name("declarator", &mut cursor) {
                        if let Some(name) = declared_name(declarator) {
                            let vector = self.is_vector(node.byte_range());
                            let ty = if vector { TypeDecl::Unread } else { TypeDecl::Typedef(ty, declarator) };
                            names.add_type(self.str(name), scope, ty);
                        }
                    }
                }
            }
            "alias_declaration" => {
                if let (Some(name), Some(ty)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) {
                    let ty = match template {
                        _ if self.is_vector(node.byte_range()) => TypeDecl::Unread,
                        Some(_) => TypeDecl::AliasTemplate(ty),
                        None => TypeDecl::Alias(ty),
                    };
                    names.add_type(self.str(name), scope, ty);
                }
            }
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.collect_type(node, template, scope, names);
            }
            "expression_statement" => {
                if let Some(call) = node.named_child(0).filter(|n| n.kind() == "call_expression")
                    && call.child_by_field_name("function").is_some_and(|f| self.str(f) == "__axiom")
                {
                    names.axioms.push(call);
                }
            }
            _ => {}
        }
    }

    fn add_function<'t>(&'t self, fun: FunDecl<'t>, names: &mut Names<'t>) {
        let Some(name) = declared_name(fun.declarator) else { return };
        // `S::f` is a member defined outside of its class, or of a namespace.
        let (qualifier, base) = self.qualified(name);
        let mut fun = fun;
        if let Some(class_name) = qualifier.parts.last() {
            let outer = Qualifier { parts: qualifier.parts[..qualifier.parts.len() - 1].to_vec(), ..qualifier };
            match names.pick_in(names.types.get(class_name), fun.scope, &outer) {
                Found::One(TypeDecl::Class(class, _)) => {
                    fun.class = Some(class);
                    fun.scope = names.class_scopes.get(&class.id()).copied().unwrap_or(fun.scope);
                }
                _ => fun.scope = qualifier.parts.iter().fold(fun.scope, |s, part| names.enter(s, part.clone())),
            }
        }
        // An explicit specialisation is listed with its template.
        let key = without_arguments(base);
        if self.str(key) == "__axiom" {
            return;
        }
        if fun.is_kernel && fun.has_body {
            names.kernels.push(fun);
        }
        names.functions.entry(self.function_key(key)).or_default().push(fun);
    }

    /// The name that a function is listed by: `operator +` and `operator+` are one.
    pub fn function_key(&self, name: Node) -> String {
        let text = self.str(name);
        match name.kind() {
            "operator_name" if text.ends_with(|c: char| !c.is_alphanumeric() && c != '_') => {
                text.split_whitespace().collect()
            }
            _ => text.to_owned(),
        }
    }

    /// A name apart: what is in front of it, and its last component.
    pub fn qualified<'t>(&self, name: Node<'t>) -> (Qualifier, Node<'t>) {
        let mut qualifier = Qualifier { absolute: self.str(name).starts_with("::"), parts: Vec::new() };
        let mut base = name;
        while base.kind() == "qualified_identifier" {
            if let Some(scope) = base.child_by_field_name("scope") {
                let text = self.str(scope).split('<').next().unwrap_or("");
                qualifier.parts.push(text.trim_start_matches("template ").trim().to_owned());
            }
            match base.child_by_field_name("name") {
                Some(inner) => base = inner,
                None => break,
            }
        }
        (qualifier, base)
    }

    /// Reads a node as a function, if it declares or defines one.
    pub fn function<'t>(
        &'t self,
        node: Node<'t>,
        template: Option<Node<'t>>,
        class: Option<Node<'t>>,
        scope: ScopeId,
    ) -> Option<FunDecl<'t>> {
        let mut declarator = node.child_by_field_name("declarator")?;
        while declarator.kind() != "function_declarator" {
            declarator = match declarator.kind() {
                "pointer_declarator" | "reference_declarator" | "attributed_declarator" => {
                    declarator.child_by_field_name("declarator").or_else(|| last_named(declarator))?
                }
                // `operator T*()`: its type and its empty list of parameters are inside of its name.
                "operator_cast" => break,
                _ => return None,
            };
        }
        // `int (*f)(int)` declares a pointer, not a function; `int (f)(int)` is one.
        let inner = declarator.child_by_field_name("declarator")?;
        let mut named = inner;
        while named.kind() == "parenthesized_declarator" {
            named = last_named(named)?;
        }
        let is_name = matches!(
            named.kind(),
            "identifier" | "field_identifier" | "qualified_identifier" | "operator_name" | "template_function"
        );
        if inner.kind() == "parenthesized_declarator" && declarator.kind() != "operator_cast" && !is_name {
            return None;
        }
        let mut cursor = node.walk();
        let marks = self.marks_in(self.begin(node)..declarator.start_byte());
        let is_kernel = match self.dialect {
            Dialect::Cuda => node.children(&mut cursor).any(|c| self.str(c) == "__global__"),
            Dialect::OpenCl => marks.contains(&Mark::Kernel),
        };
        let group_size = marks.iter().find_map(|mark| match mark {
            Mark::GroupSize(size) => Some(*size),
            _ => None,
        });
        let has_body = node.child_by_field_name("body").is_some();
        Some(FunDecl { node, declarator, template, class, scope, is_kernel, group_size, has_body })
    }

    fn collect_type<'t>(&'t self, node: Node<'t>, template: Option<Node<'t>>, scope: ScopeId, names: &mut Names<'t>) {
        let name = node.child_by_field_name("name");
        let Some(body) = node.child_by_field_name("body") else {
            let is_class = matches!(node.kind(), "struct_specifier" | "class_specifier");
            if let (true, Some(name), Some(parameters)) =
                (is_class, name, template.filter(|t| t.named_child_count() > 0))
                && name.kind() == "type_identifier"
            {
                let list = names.declared_classes.entry(self.str(name).to_owned()).or_default();
                list.push((scope, node, parameters));
            }
            return;
        };
        match node.kind() {
            "enum_specifier" => {
                // The enumerators of an `enum class` are only found through its name, those of others also without.
                let own = name.map(|name| names.enter(scope, self.str(name).to_owned()));
                let scoped = has_child(node, "class") || has_child(node, "struct");
                if let Some(name) = name {
                    names.add_type(self.str(name), scope, TypeDecl::Enum(node));
                }
                // An enumerator without a value is its predecessor plus one.
                let (mut base, mut plus) = (None, -1i128);
                let mut cursor = body.walk();
                for item in body.named_children(&mut cursor).filter(|c| c.kind() == "enumerator") {
                    let Some(item_name) = item.child_by_field_name("name") else { continue };
                    if let Some(value) = item.child_by_field_name("value") {
                        (base, plus) = (Some(value), 0);
                    } else {
                        plus += 1;
                    }
                    let list = names.enumerators.entry(self.str(item_name).to_owned()).or_default();
                    let enumerator = Enumerator { node: item, base, plus };
                    list.extend(own.map(|own| (own, enumerator)));
                    if !scoped {
                        list.push((scope, enumerator));
                    }
                }
            }
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                let mut own = scope;
                let mut instance_free = template.is_none();
                if let Some(name) = name {
                    let (qualifier, base) = self.qualified(name);
                    let simple = match base.kind() {
                        "template_type" => base.child_by_field_name("name").unwrap_or(base),
                        _ => base,
                    };
                    let outer = qualifier.parts.iter().fold(scope, |s, part| names.enter(s, part.clone()));
                    own = names.enter(outer, self.str(simple).to_owned());
                    if base.kind() == "template_type" {
                        instance_free = false;
                        let list = names.special_classes.entry(self.str(simple).to_owned()).or_default();
                        list.push((node, template));
                    } else {
                        names.add_type(self.str(base), outer, TypeDecl::Class(node, template));
                    }
                }
                names.class_scopes.insert(node.id(), own);
                let mut cursor = body.walk();
                for member in body.named_children(&mut cursor) {
                    match member.kind() {
                        "field_declaration" | "declaration" => {
                            if let Some(ty) = member.child_by_field_name("type") {
                                self.collect_type(ty, None, own, names);
                            }
                        }
                        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                            self.collect_type(member, None, own, names);
                        }
                        // In a template they depend on the instance that they are looked up in.
                        "alias_declaration" | "type_definition" if !instance_free => {}
                        "alias_declaration" | "type_definition" => self.collect(member, None, own, names, 150),
                        // `friend` functions with a body are found by their arguments.
                        "friend_declaration" => {
                            if let Some(inner) = last_named(member).filter(|m| m.kind() == "function_definition") {
                                // One in a template is made with each instance, and knows its arguments by those of the call.
                                self.collect(inner, template, scope, names, 150);
                            }
                        }
                        "template_declaration" => {
                            if let Some(inner) = last_named(member)
                                && matches!(inner.kind(), "struct_specifier" | "class_specifier")
                            {
                                self.collect_type(inner, member.child_by_field_name("parameters"), own, names);
                            }
                            // A friend that is a template itself.
                            if let Some(inner) = last_named(member).filter(|m| m.kind() == "friend_declaration")
                                && let Some(inner) = last_named(inner).filter(|m| m.kind() == "function_definition")
                            {
                                self.collect(inner, member.child_by_field_name("parameters"), scope, names, 150);
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The uses of functions that are templates.
    fn collect_uses<'t>(&'t self, names: &mut Names<'t>) {
        let is_template = |list: &Vec<FunDecl>| list.iter().any(|d| d.template.is_some());
        names.uses = names.functions.iter().filter(|(_, l)| is_template(l)).map(|(n, _)| (n.clone(), vec![])).collect();
        let is_class_template =
            |list: &[(ScopeId, TypeDecl)]| list.iter().any(|(_, decl)| matches!(decl, TypeDecl::Class(_, Some(_))));
        let classes = names.types.iter().filter(|(_, list)| is_class_template(list));
        names.class_uses = classes.map(|(name, _)| (name.clone(), vec![])).collect();
        let kernels = names.functions.iter().filter(|(_, list)| list.iter().any(|d| d.is_kernel));
        let kernels: FxHashSet<String> = kernels.map(|(name, _)| name.clone()).collect();
        each_named(self.tree.root_node(), |node| {
            let kind = node.kind();
            if matches!(kind, "identifier" | "field_identifier" | "type_identifier")
                && names.functions.contains_key(self.str(node))
            {
                names.named.entry(self.str(node).to_owned()).or_default().push(node);
            }
            if matches!(kind, "identifier" | "type_identifier" | "namespace_identifier")
                && let Some(uses) = names.class_uses.get_mut(self.str(node))
            {
                let with_arguments = |p: &Node| matches!(p.kind(), "template_type" | "template_function");
                uses.push(node.parent().filter(with_arguments).unwrap_or(node));
            }
            if kind == "call_expression" {
                let mut callee = node.child_by_field_name("function");
                while let Some(inner) = callee.and_then(|c| match c.kind() {
                    "template_function" | "template_method" | "qualified_identifier" => c.child_by_field_name("name"),
                    "field_expression" => c.child_by_field_name("field"),
                    _ => None,
                }) {
                    callee = Some(inner);
                }
                let named = callee.filter(|c| matches!(c.kind(), "identifier" | "field_identifier"));
                names.calls.entry(named.map_or("", |c| self.str(c)).to_owned()).or_default().push(node);
            }
            match kind {
                "using_declaration" if !has_child(node, "namespace") => {
                    if let Some(name) = last_named(node) {
                        let (qualifier, base) = self.qualified(name);
                        let base = self.str(base).to_owned();
                        // In a class, it is of a base.
                        if node.parent().is_none_or(|p| p.kind() != "field_declaration_list") {
                            names.used_of.entry(base.clone()).or_default().push(qualifier);
                        }
                        names.used.insert(base);
                    }
                }
                "using_declaration" => {
                    names.opened.extend(last_named(node).map(|name| self.str(name).to_owned()));
                }
                "namespace_alias_definition" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        let target = last_named(node).map_or("", |target| self.str(target)).trim_start_matches(':');
                        let targets = names.targets.entry(self.str(name).to_owned()).or_default();
                        targets.insert(target.split("::").map(|part| part.trim().to_owned()).collect());
                    }
                }
                "identifier" => {
                    let text = self.str(node);
                    if let Some(uses) = names.uses.get_mut(text)
                        && let Some(place) = self.use_at(node)
                    {
                        uses.push(place);
                    }
                    // Nor is the name of a specialisation, `k<float>(..)`, a mention.
                    let place = node.parent().filter(|p| p.kind() == "template_function").unwrap_or(node);
                    if kernels.contains(text) && place.parent().is_none_or(|p| p.kind() != "function_declarator") {
                        names.mentions.entry(text.to_owned()).or_default().push(node);
                    }
                }
                "type_parameter_declaration"
                | "optional_type_parameter_declaration"
                | "variadic_type_parameter_declaration"
                | "template_template_parameter_declaration" => {
                    if let Some(name) = name_of_type_parameter(node) {
                        names.type_parameters.insert(self.str(name).to_owned());
                    }
                }
                // `run<k>(p)`: the argument of a template reads like a type.
                "type_identifier" if is_argument_of_template(node) => {
                    let text = self.str(node);
                    if let Some(uses) = names.uses.get_mut(text) {
                        uses.push(node.parent().filter(|p| p.kind() == "template_type").unwrap_or(node));
                    }
                    if kernels.contains(text) {
                        names.mentions.entry(text.to_owned()).or_default().push(node);
                    }
                }
                _ => {}
            }
        });
        for (name, targets) in std::mem::take(&mut names.targets) {
            // A namespace of the unit may have that name elsewhere.
            let is_own = names.scopes.iter().any(|path| path.last() == Some(&name));
            let mut targets = targets.into_iter().filter(|_| !is_own);
            match (targets.next(), targets.next()) {
                (Some(target), None) if target.first().is_some_and(|first| PLATFORM.contains(&first.as_str())) => {
                    names.platform.insert(name, target);
                }
                _ => {
                    names.aliases.insert(name);
                }
            }
        }
    }

    /// The use of a function that its name stands in; `None` for a declaration of it.
    fn use_at<'t>(&self, name: Node<'t>) -> Option<Node<'t>> {
        let place = name.parent().filter(|p| p.kind() == "template_function").unwrap_or(name);
        let mut around = place;
        while let Some(parent) = around.parent() {
            match parent.kind() {
                "qualified_identifier" | "pointer_declarator" | "reference_declarator" => around = parent,
                "function_declarator" if parent.child_by_field_name("declarator") == Some(around) => around = parent,
                "template_instantiation" => return Some(place),
                "function_definition" | "declaration" if around.kind() == "function_declarator" => return None,
                "function_definition" | "declaration" if around.kind().ends_with("_declarator") => return None,
                _ => break,
            }
        }
        Some(place)
    }

    /// What a node stands in, innermost first. (`Node::parent` looks for each of them from the root again.)
    pub fn around<'t>(&'t self, node: Node<'t>) -> Vec<Node<'t>> {
        let root = self.tree.root_node();
        let down = |outer: &Node<'t>| outer.child_with_descendant(node).filter(|inner| *inner != node);
        let mut path: Vec<Node<'t>> = std::iter::successors(Some(root).filter(|root| *root != node), down).collect();
        path.reverse();
        path
    }

    /// The first place below a node that the parser could not read.
    pub fn first_error<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        if !node.has_error() {
            return None;
        }
        let mut current = node;
        loop {
            if current.is_error() || current.is_missing() {
                return Some(current);
            }
            let mut cursor = current.walk();
            let next = current.children(&mut cursor).find(|c| c.has_error() || c.is_missing());
            match next {
                Some(next) => current = next,
                None => return Some(current),
            }
        }
    }
}

pub fn has_child(node: Node, kind: &str) -> bool {
    child_of_kind(node, kind).is_some()
}

pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|c| c.kind() == kind)
}

/// Is this the declarator of a reference: `&r`, `*&r`, `(&r)[2]`?
pub fn is_reference(declarator: Node) -> bool {
    let mut node = Some(declarator);
    while let Some(inner) = node {
        node = match inner.kind() {
            "reference_declarator" | "abstract_reference_declarator" => return true,
            "pointer_declarator" | "array_declarator" | "function_declarator" | "init_declarator" => {
                inner.child_by_field_name("declarator")
            }
            "parenthesized_declarator" => last_named(inner),
            _ => None,
        };
    }
    false
}

/// The name of a template without its arguments.
pub fn without_arguments(name: Node<'_>) -> Node<'_> {
    match name.kind() {
        "template_function" | "template_method" => name.child_by_field_name("name").unwrap_or(name),
        _ => name,
    }
}

/// Calls `visit` for a node and all named ones below it, in the order of the text.
pub fn each_named<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_named() {
            visit(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

pub fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count().checked_sub(1)?).ok()?)
}

/// Does this name, that of a type as far as it is read, stand for an argument of a template?
fn is_argument_of_template(name: Node) -> bool {
    let mut node = name;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "template_type" | "qualified_identifier" => node = parent,
            kind => return kind == "type_descriptor",
        }
    }
    false
}

/// An `init_declarator` apart: the declarator, and the value.
pub fn split_init(node: Node<'_>) -> (Node<'_>, Option<Node<'_>>) {
    if node.kind() == "init_declarator" {
        let value = node.child_by_field_name("value");
        return (node.child_by_field_name("declarator").unwrap_or(node), value);
    }
    (node, None)
}

/// Is this the declarator of a function, and not of a pointer or a reference to one?
pub fn is_prototype(declarator: Node<'_>) -> bool {
    let mut node = declarator;
    while matches!(node.kind(), "pointer_declarator" | "reference_declarator" | "attributed_declarator") {
        match node.child_by_field_name("declarator").or_else(|| last_named(node)) {
            Some(inner) => node = inner,
            None => return false,
        }
    }
    let mut inner = node.child_by_field_name("declarator").filter(|_| node.kind() == "function_declarator");
    while let Some(outer) = inner.filter(|n| n.kind() == "parenthesized_declarator") {
        inner = last_named(outer);
    }
    inner.is_some_and(|n| !n.kind().ends_with("_declarator"))
}

/// The name that a declarator declares.
pub fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..200 {
        match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "operator_name"
            | "destructor_name"
            | "template_function"
            | "primitive_type"
            | "operator_cast" => return Some(node),
            // What comes after the declarator are attributes.
            "attributed_declarator" => node = node.named_child(0)?,
            "parenthesized_declarator" | "reference_declarator" | "variadic_declarator" => {
                node = node.child_by_field_name("declarator").or_else(|| last_named(node))?;
            }
            _ => node = node.child_by_field_name("declarator")?,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_is_nested_too_deep() {
        let table = format!("int t[] = {{ {} }};", "a < b, f(1 << 2), ".repeat(300));
        let long = "if (a < 3) { b = c < d; }\n".repeat(50_000);
        let shifts = "x = a << b << c;".repeat(2000);
        let lambdas = "f(g({1, 2}), [&](int x) { return x < 3; });\n".repeat(5000);
        let deep = format!("x = {}1{};", "(".repeat(900), ")".repeat(900));
        let quoted = format!("s = \"{}\"; c = '<'; n = 1'000;", "<(".repeat(50_000));
        let choices = "if (x) { if (y) a(); else b(); } else { c(); }\n".repeat(20_000);
        for text in [&table, &long, &shifts, &lambdas, &deep, &quoted, &choices] {
            assert!(!is_nested_too_deep(text), "{}", text.chars().take(60).collect::<String>());
        }
        for part in [
            "A<",
            "(",
            "{",
            "- ",
            "*&",
            ") + ",
            "{ x = ) + ",
            "for(;;)",
            "switch(x){case 1:",
            "x = 1 + 2 + 3 + ",
            "if(x){}else ",
            "if(x)f(1);else ",
        ] {
            assert!(is_nested_too_deep(&part.repeat(30_000)), "{part}");
        }
    }

    #[test]
    fn what_takes_too_long_to_parse_is_given_up() {
        let (open, close) = ("switch(x){case 1:".repeat(4096), "}".repeat(4096));
        assert!(
            parse(&format!("void k(int*a{open},int s{{{}for(int{close} i=0;)", "sizeof ".repeat(30_000))).is_none()
        );
        let nest = |n: usize| format!("void k(){{{};{}}}", "do ".repeat(n), "while(x);".repeat(n));
        assert!(parse(&nest(1_000)).is_some() && parse(&nest(10_000)).is_none());
        assert!(parse("void k(int *a) { a[0] = }").is_some());
        let row = |n: usize| format!("void k();{}", "k<<<{1},{2} ".repeat(n));
        assert!(parse(&row(1_000)).is_some() && parse(&row(20_000)).is_none());
    }

    #[test]
    fn words_are_put_in_and_their_places_are_known() {
        let words = [(0, "ab"), (2, "c"), (3, "d")];
        assert_eq!(with_insertions("123", &words), "ab12c3d");
        assert_eq!(shifted(&[], &words), [0, 1, 4, 6]);
        // Characters 0 and 3 were inserted before.
        assert_eq!(shifted(&[0, 3], &[(1, "x"), (3, "y")]), [0, 1, 4, 5]);
    }
}
