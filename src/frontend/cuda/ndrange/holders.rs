//! The variables that hold kernels, and what is done with them.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::super::unit::{declared_name, last_named};
use super::calls::{Enqueue, Set};
use super::variables::{Kind, Variable, function_around};
use super::{Host, KERNEL};
use crate::frontend::cuda::host::listed_in;

/// A variable that holds a kernel.
pub(super) struct Holder {
    variable: usize,
    /// The names of the kernels that are assigned to it.
    names: BTreeSet<String>,
}

/// What a name of a holder stands in.
enum Use<'u> {
    /// The kernel stays as it is, and where it is.
    Nothing,
    Set(Set<'u>),
    Enqueue(Enqueue<'u>),
    /// An argument of a function.
    Passed,
    Other,
}

/// Functions that leave the arguments of a kernel as they are.
const ASKS: [&str; 7] = [
    "clReleaseKernel",
    "clRetainKernel",
    "clGetKernelInfo",
    "clGetKernelArgInfo",
    "clGetKernelWorkGroupInfo",
    "clGetKernelSubGroupInfo",
    "clGetKernelSubGroupInfoKHR",
];

/// Their like of the classes.
const METHODS: [&str; 4] = ["getWorkGroupInfo", "getInfo", "getArgInfo", "getSubGroupInfo"];

/// A type without what qualifies it.
pub(super) fn plain_type(spelled: &str) -> &str {
    let ty = spelled.trim().trim_start_matches("const ").trim_start_matches("::").trim();
    ty.strip_prefix("cl::").unwrap_or(ty)
}

/// Is this the type of a kernel?
pub(super) fn is_kernel_type(spelled: &str) -> bool {
    matches!(plain_type(spelled), "cl_kernel" | "Kernel") || is_functor_type(spelled)
}

fn is_functor_type(spelled: &str) -> bool {
    ["KernelFunctor<", "make_kernel<"].iter().any(|start| plain_type(spelled).starts_with(start))
}

/// The node without casts and parentheses around it.
fn outside(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(parent) =
        node.parent().filter(|p| matches!(p.kind(), "parenthesized_expression" | "cast_expression"))
    {
        node = parent;
    }
    node
}

impl<'u> Host<'u> {
    /// The variables that kernels are assigned to; kernels that are created for anything else are lost.
    pub(super) fn holders(&mut self, nodes: &[Node<'u>]) -> Vec<Holder> {
        let mut found: BTreeMap<usize, Holder> = BTreeMap::new();
        let is_plain = |v: &Variable<'u>| v.declarator.kind() == "identifier" && v.kind != Kind::Member;
        for i in 0..self.variables.list.len() {
            let variable = self.variables.list[i];
            if is_kernel_type(self.variables.spelled(&variable)) && is_plain(&variable) {
                // What another unit assigns to it is not known.
                let linked = variable.node.parent().is_some_and(|p| p.kind() == "linkage_specification");
                let spelled = self.unit.str(variable.node).trim_start();
                self.any |= linked || spelled.starts_with("extern") || spelled.starts_with("inline");
                found.insert(i, Holder { variable: i, names: BTreeSet::new() });
            }
        }
        for (node, name) in self.creations(nodes) {
            let Some(name) = name else { continue };
            self.kernels.insert(name.clone());
            let whole = outside(node);
            let variable = whole.parent().and_then(|parent| match parent.kind() {
                "init_declarator" | "declaration" => {
                    let declarator = match parent.kind() {
                        "declaration" => whole,
                        _ => parent.child_by_field_name("declarator")?,
                    };
                    self.variables.find(declared_name(declarator)?)
                }
                "assignment_expression" if parent.child_by_field_name("right") == Some(whole) => {
                    let left = parent.child_by_field_name("left").filter(|l| l.kind() == "identifier")?;
                    self.variables.find(left)
                }
                _ => None,
            });
            // `auto k = ..`
            let is_auto =
                |v: &Variable<'u>| self.variables.spelled(v) == "auto" && is_plain(v) && v.kind == Kind::Local;
            match variable {
                Some(i) if found.contains_key(&i) || is_auto(&self.variables.list[i]) => {
                    let new = || Holder { variable: i, names: BTreeSet::new() };
                    found.entry(i).or_insert_with(new).names.insert(name);
                }
                _ => self.lose(&name),
            }
        }
        found.into_values().collect()
    }

    /// Where kernels are created, and by which name where that is plain. What is not may be any kernel.
    fn creations(&mut self, nodes: &[Node<'u>]) -> Vec<(Node<'u>, Option<String>)> {
        let mut found = Vec::new();
        for node in nodes.iter().copied() {
            let field = |name: &str| node.child_by_field_name(name);
            let name = match node.kind() {
                "call_expression" => {
                    let Some(function) = field("function") else { continue };
                    let text = self.unit.str(function);
                    let arguments = field("arguments").map(listed_in).unwrap_or_default();
                    let last = text.rsplit(['.', '>', ':']).next().unwrap_or(text);
                    if last == "clCreateKernelsInProgram" || last == "createKernels" || last == "clCloneKernel" {
                        self.any = true;
                        continue;
                    }
                    let class = is_kernel_type(text) && text != "cl_kernel";
                    match (text, arguments.as_slice()) {
                        ("clCreateKernel", [_, name, ..]) => *name,
                        (_, [_, name, ..]) if class => *name,
                        _ => continue,
                    }
                }
                // `cl::Kernel k(program, "name")`, `cl::Kernel k{program, "name"}`
                "argument_list" | "initializer_list" => {
                    let Some(declaration) = node.parent() else { continue };
                    let whole = match declaration.kind() {
                        "init_declarator" => declaration.parent(),
                        "declaration" => Some(declaration),
                        _ => None,
                    };
                    let ty = whole.filter(|w| w.kind() == "declaration").and_then(|w| w.child_by_field_name("type"));
                    let is_kernel = ty.is_some_and(|ty| is_kernel_type(self.unit.str(ty)));
                    match listed_in(node).as_slice() {
                        [_, name, ..] if is_kernel => *name,
                        _ => continue,
                    }
                }
                // A list of its first value, or of its members.
                "field_initializer" => {
                    let member = node.named_child(0).map_or("", |m| self.unit.str(m));
                    let is_kernel =
                        |v: &Variable<'u>| self.unit.str(v.name) == member && is_kernel_type(self.variables.spelled(v));
                    if !self.variables.list.iter().any(is_kernel) {
                        continue;
                    }
                    match last_named(node).map(listed_in).unwrap_or_default().as_slice() {
                        // It goes to what is not followed.
                        [_, name, ..] => match self.literal(*name) {
                            Some(name) => {
                                self.lose(&name);
                                continue;
                            }
                            None => *name,
                        },
                        _ => continue,
                    }
                }
                // Several of them, or one that is made elsewhere.
                "template_argument_list" => {
                    let holds = listed_in(node).into_iter().any(|argument| {
                        matches!(plain_type(self.unit.str(argument).trim_end_matches(['*', '&', ' '])), "Kernel")
                    });
                    self.any |= holds;
                    continue;
                }
                "new_expression" => {
                    self.any |= field("type").is_some_and(|ty| is_kernel_type(self.unit.str(ty)));
                    continue;
                }
                // `cl::Kernel k(program, name)` reads as a function.
                "function_declarator" => {
                    let declaration = node.parent().filter(|p| p.kind() == "declaration");
                    let ty = declaration.and_then(|d| d.child_by_field_name("type"));
                    let inside = function_around(node).is_some();
                    let is_class = ty.is_some_and(|ty| {
                        let ty = self.unit.str(ty);
                        is_kernel_type(ty) && ty != "cl_kernel"
                    });
                    self.any |= inside && is_class;
                    continue;
                }
                _ => continue,
            };
            let text = self.name_of(name);
            match (&text, self.maker(name)) {
                (Some(_), _) => {}
                (None, Some(maker)) => self.makers.push(maker),
                (None, None) => self.any = true,
            }
            found.push((node, text));
        }
        found
    }

    /// Writes what is done with a kernel in the form of CUDA, where all of it is understood.
    pub(super) fn follow(&mut self, holder: &Holder) {
        let variable = self.variables.list[holder.variable];
        let name = self.unit.str(variable.name);
        let mut uses = Vec::new();
        let first = variable.value.filter(|v| !v.kind().ends_with("list"));
        let made = variable.value.filter(|v| v.kind().ends_with("list")).map(listed_in).unwrap_or_default();
        let is_known = first.is_none_or(|v| self.is_creation(inside(v)) || is_null(self.unit.str(inside(v))));
        // A copy of another one is the same kernel.
        let mut is_whole = holder.names.len() <= 1 && is_known && made.len() != 1;
        let nodes = self.identifiers.get(name).cloned().unwrap_or_default();
        for node in nodes.into_iter().filter(|n| *n != variable.name) {
            match self.variables.find(node) {
                Some(v) if v == holder.variable => uses.push((node, self.use_of(node))),
                Some(_) => {}
                None => is_whole &= self.is_other(node, &variable),
            }
        }
        let outlives = self.unit.str(variable.node).trim_start();
        is_whole &= !outlives.starts_with("extern") && !outlives.contains("thread_local");
        // What stands in no function is run by nothing that is followed.
        let is_followed = |(node, of): &(Node<'u>, Use<'u>)| match of {
            Use::Other => false,
            Use::Set(_) | Use::Enqueue(_) => function_around(*node).is_some(),
            Use::Nothing | Use::Passed => true,
        };
        is_whole &= uses.iter().all(is_followed);
        let of_caller = variable.kind == Kind::Parameter;
        // Only what nobody else can reach is given to functions that are followed.
        let is_own = variable.kind == Kind::Local && !outlives.starts_with("static");
        let passed: Vec<Node<'u>> =
            uses.iter().filter_map(|(node, of)| matches!(of, Use::Passed).then_some(*node)).collect();
        is_whole &= passed.is_empty() || is_own || of_caller;
        // Two names of one kernel.
        is_whole &= !passed
            .iter()
            .enumerate()
            .any(|(i, node)| passed[..i].iter().any(|other| outside(*other).parent() == outside(*node).parent()));
        let kernel = match (holder.names.first(), of_caller) {
            (Some(kernel), false) => format!("{KERNEL}{kernel}"),
            (None, true) => name.to_owned(),
            // It is nothing, or what was created elsewhere, which is lost there.
            (None, false) => return,
            (Some(_), true) => {
                holder.names.iter().for_each(|n| self.lose(n));
                return;
            }
        };
        if !is_whole {
            holder.names.iter().for_each(|n| self.lose(n));
            return;
        }
        if !of_caller {
            for node in &passed {
                self.edits.replace(node.byte_range(), kernel.clone());
            }
        }
        // What is asked about a parameter is no use of it.
        for (node, _) in uses.iter().filter(|(_, of)| of_caller && matches!(of, Use::Nothing)) {
            let unknown = self.unknown();
            self.edits.replace(node.byte_range(), unknown);
        }
        // The functions that set arguments, or launch.
        let mut functions: Vec<(Node<'u>, Vec<Set<'u>>, Vec<Enqueue<'u>>)> = Vec::new();
        let mut setting: BTreeSet<usize> = BTreeSet::new();
        for (node, of) in uses {
            let Some(function) = function_around(node) else { continue };
            let at = functions.iter().position(|(f, ..)| *f == function).unwrap_or_else(|| {
                functions.push((function, Vec::new(), Vec::new()));
                functions.len() - 1
            });
            match of {
                Use::Set(set) => {
                    setting.insert(function.id());
                    functions[at].1.push(set);
                }
                Use::Enqueue(enqueue) => functions[at].2.push(enqueue),
                _ => {}
            }
        }
        for (function, sets, enqueues) in functions {
            let name = function.child_by_field_name("declarator").and_then(declared_name);
            let name = name.map_or("", |n| self.unit.str(self.unit.qualified(n).1));
            // Nothing else sets arguments while this function runs.
            let is_alone = passed.is_empty()
                && setting.iter().all(|f| *f == function.id())
                && (is_own || !self.is_recursive(name));
            self.write(holder.variable, &kernel, function, sets, enqueues, is_alone);
        }
    }

    /// Is this name, which is that of no variable that is known, none of this one for sure?
    fn is_other(&self, node: Node<'u>, variable: &Variable<'u>) -> bool {
        // `x.kernel`, and the member itself.
        node.kind() == "field_identifier"
            || variable.kind != Kind::Global && function_around(node) != function_around(variable.name)
    }

    /// What is done with a kernel at a mention of its variable.
    fn use_of(&mut self, node: Node<'u>) -> Use<'u> {
        let whole = outside(node);
        let Some(parent) = whole.parent() else { return Use::Other };
        // What a call is given besides is left out.
        let list = match parent.kind() {
            "argument_list" => Some(parent),
            "field_expression" => parent.parent().and_then(|call| call.child_by_field_name("arguments")),
            _ => None,
        };
        if list.is_some_and(|list| self.has_effects(list)) {
            return Use::Other;
        }
        let is_field = |name: &str| parent.child_by_field_name(name) == Some(whole);
        match parent.kind() {
            "argument_list" => {
                let Some(call) = parent.parent().filter(|c| c.kind() == "call_expression") else { return Use::Other };
                let Some(function) = call.child_by_field_name("function") else { return Use::Other };
                let arguments = listed_in(parent);
                let at = arguments.iter().position(|a| *a == whole);
                // `pick(sizes)` for the queue.
                let first = arguments.first().filter(|a| at != Some(0) && a.kind() == "call_expression");
                let given = first.and_then(|a| a.child_by_field_name("arguments")).map(listed_in).unwrap_or_default();
                if !given.is_empty() {
                    return Use::Other;
                }
                let text = self.unit.str(function);
                match (text, at) {
                    (_, Some(0)) if ASKS.contains(&text) => Use::Nothing,
                    ("clSetKernelArg" | "clSetKernelArgSVMPointer", Some(0)) => {
                        self.set_of(call, &arguments).map_or(Use::Other, Use::Set)
                    }
                    ("clEnqueueNDRangeKernel" | "clEnqueueTask", Some(1)) => {
                        self.enqueue_of(call, text, &arguments).map_or(Use::Other, Use::Enqueue)
                    }
                    (_, Some(0)) if function.kind() == "field_expression" => {
                        let method = function.child_by_field_name("field").map_or("", |f| self.unit.str(f));
                        match method {
                            "enqueueNDRangeKernel" | "enqueueTask" => {
                                self.enqueue_of(call, method, &arguments).map_or(Use::Other, Use::Enqueue)
                            }
                            _ => Use::Other,
                        }
                    }
                    (_, Some(_)) if function.kind() == "identifier" && !text.starts_with("cl") && whole == node => {
                        Use::Passed
                    }
                    _ => Use::Other,
                }
            }
            // `k.setArg(0, x)`
            "field_expression" if is_field("argument") => {
                let call = parent.parent().filter(|c| c.child_by_field_name("function") == Some(parent));
                let field = parent.child_by_field_name("field");
                let method = field.map_or("", |f| self.unit.str(f));
                let method = method.split('<').next().unwrap_or(method).trim();
                let has_dot = !self.unit.str(parent).contains("->");
                match (method, call.and_then(|c| Some((c, c.child_by_field_name("arguments")?)))) {
                    (method, Some(_)) if METHODS.contains(&method) => Use::Nothing,
                    ("setArg", Some((call, list))) if has_dot => {
                        self.argument_of(call, &listed_in(list)).map_or(Use::Other, Use::Set)
                    }
                    _ => Use::Other,
                }
            }
            // `k(cl::EnqueueArgs(queue, range), a, b)`
            "call_expression" if is_field("function") => {
                let list = parent.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                self.functor_call(parent, &list).map_or(Use::Other, Use::Enqueue)
            }
            "assignment_expression" if is_field("left") => {
                let is_plain = parent.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "=");
                let value = parent.child_by_field_name("right").map(inside);
                let is_known = value.is_some_and(|v| self.is_creation(v) || is_null(self.unit.str(v)));
                // The value of the assignment may only be compared.
                let after = outside(parent).parent();
                let kind = after.map_or("", |p| p.kind());
                match is_plain
                    && is_known
                    && matches!(kind, "expression_statement" | "binary_expression" | "condition_clause")
                {
                    true => Use::Nothing,
                    false => Use::Other,
                }
            }
            "binary_expression" => match parent.child_by_field_name("operator").map(|o| self.unit.str(o)) {
                Some("==" | "!=" | "&&" | "||") => Use::Nothing,
                _ => Use::Other,
            },
            "unary_expression" => match self.unit.str(parent).starts_with('!') {
                true => Use::Nothing,
                false => Use::Other,
            },
            "condition_clause" | "sizeof_expression" => Use::Nothing,
            _ => Use::Other,
        }
    }

    fn is_creation(&self, node: Node<'u>) -> bool {
        let function = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
        function.is_some_and(|f| {
            let text = self.unit.str(f);
            text == "clCreateKernel" || is_kernel_type(text) && text != "cl_kernel"
        })
    }
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "NULL" | "0" | "nullptr" | "((void*)0)" | "((void *)0)" | "(void*)0" | "(void *)0")
}

/// What is inside of casts and parentheses.
pub(super) fn inside(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(inner) = match node.kind() {
        "parenthesized_expression" => last_named(node),
        "cast_expression" => node.child_by_field_name("value"),
        _ => None,
    } {
        node = inner;
    }
    node
}
