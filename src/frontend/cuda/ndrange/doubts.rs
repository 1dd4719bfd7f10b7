//! Signs that host code does more than what is followed: then all that is read of it is doubtful. [HOST-NDRANGE], [HOST-BUILD]

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::Host;
use super::holders::{inside, is_kernel_type, plain_type};
use super::variables::Kind;
use crate::frontend::cuda::host::listed_in;

/// Functions of the platform that are followed where they are called: through a pointer they may be given anything.
const CALLED: [&str; 5] =
    ["clCreateKernel", "clSetKernelArg", "clEnqueueNDRangeKernel", "clEnqueueTask", "clBuildProgram"];

impl<'u> Host<'u> {
    /// May kernels of any name be created, or launched, in forms that are not followed?
    pub(super) fn is_open(&self, nodes: &[Node<'u>]) -> bool {
        nodes.iter().any(|node| {
            let text = || self.unit.str(*node);
            let field = |name: &str| node.child_by_field_name(name);
            let is_of_kernel = |ty: Option<Node<'u>>| ty.is_some_and(|ty| is_kernel_type(self.unit.str(ty)));
            let parent = node.parent();
            match node.kind() {
                "identifier" if CALLED.contains(&text()) => {
                    let call = parent.filter(|p| p.kind() == "call_expression");
                    let declares = parent.is_some_and(|p| p.kind() == "function_declarator");
                    !declares && call.and_then(|c| c.child_by_field_name("function")) != Some(*node)
                }
                // `cl::Kernel{program, name}`, `using K = cl::Kernel;`
                "compound_literal_expression" | "alias_declaration" | "type_definition" => is_of_kernel(field("type")),
                "base_class_clause" => listed_in(*node).into_iter().any(|base| is_kernel_type(self.unit.str(base))),
                // `k = {program, name};`, `return {program, name};`
                "initializer_list" => {
                    let is_value =
                        parent.is_some_and(|p| matches!(p.kind(), "assignment_expression" | "return_statement"));
                    is_value && self.unit.text.contains("Kernel") && listed_in(*node).len() == 2
                }
                "namespace_alias_definition" => text().trim_end_matches([';', ' ']).ends_with("cl"),
                "qualified_identifier" | "template_type" | "template_function" => {
                    let name = text().split('<').next().unwrap_or("");
                    let last = name.rsplit("::").next().unwrap_or(name).trim();
                    let is_maker = matches!(last, "make_kernel" | "KernelFunctor");
                    let within = parent.is_some_and(|p| p.kind() == "qualified_identifier");
                    is_maker && !within && text().contains('<') && !is_kernel_type(text())
                }
                _ => false,
            }
        })
    }

    /// The variables outside of functions that hold kernels, by which other units may reach these.
    pub(super) fn shared(&self) -> BTreeSet<String> {
        let is_shared = |node: Node<'u>| !self.unit.str(node).trim_start().starts_with("static");
        let all = self.variables.list.iter().filter(|v| v.kind == Kind::Global && is_shared(v.node));
        let kernels = all.filter(|v| is_kernel_type(self.variables.spelled(v)));
        kernels.map(|v| self.unit.str(v.name).to_owned()).collect()
    }

    /// May programs be made of more than one file, or be built with macros that no option which is followed gives?
    pub(super) fn may_define(&self, nodes: &[Node<'u>], builds: &[Option<String>]) -> bool {
        nodes.iter().any(|node| match node.kind() {
            "string_literal" | "raw_string_literal" => {
                let text = self.unit.str(*node);
                let is_followed = |text: &str| {
                    let inner = text.trim_matches('"');
                    let call = node.parent().and_then(|list| list.parent());
                    let function = call.and_then(|c| c.child_by_field_name("function"));
                    // What stands around the numbers.
                    let is_format = function.is_some_and(|f| self.unit.str(f) == "sprintf");
                    let inner = if is_format { inner.split('%').next().unwrap_or("") } else { inner };
                    builds.iter().flatten().any(|options| options.contains(inner))
                };
                let directive = ["#define", "#undef", "#include", "# define"].iter().any(|d| text.contains(d));
                let is_text = directive && !text.contains("kernel");
                is_text || text.contains("-D") && !is_followed(text)
            }
            "call_expression" => {
                let function = node.child_by_field_name("function").map_or("", |f| self.unit.str(f));
                let arguments = node.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                let is_one = || arguments.get(1).is_some_and(|n| self.unit.str(inside(*n)) == "1");
                match function {
                    "clCreateProgramWithSource" => !is_one(),
                    "clLinkProgram" => true,
                    method => method.ends_with(".compile") || method.ends_with("->compile"),
                }
            }
            _ => false,
        })
    }

    /// Are these the devices that a program is built for, and no options?
    pub(super) fn are_devices(&self, list: &[Node<'u>]) -> bool {
        let [only] = list else { return list.is_empty() };
        let only = inside(*only);
        let of_type = self.variables.find(only).map(|v| self.variables.spelled(&self.variables.list[v]));
        let is_device = |ty: &str| plain_type(ty).contains("Device") || ty.contains("VECTOR_CLASS");
        only.kind() == "initializer_list" || only.kind() == "identifier" && of_type.is_some_and(is_device)
    }

    /// Is the name of a variable that of something else somewhere?
    pub(super) fn is_shadowed(&self, name: &str) -> bool {
        let others = ["enumerator", "structured_binding_declarator"];
        let is_other = |n: &Node<'u>| n.parent().is_some_and(|p| others.contains(&p.kind()));
        self.identifiers.get(name).is_some_and(|all| all.iter().any(is_other))
    }

    /// Does what a call is given change anything, or set arguments and launch itself?
    pub(super) fn has_effects(&self, list: Node<'u>) -> bool {
        let mut found = false;
        super::each_named(list, |n| {
            let function = n.child_by_field_name("function").filter(|_| n.kind() == "call_expression");
            let acts = function.is_some_and(|f| {
                let name = self.unit.str(f);
                ["SetKernelArg", "setArg", "nqueue"].iter().any(|word| name.contains(word))
            });
            found |= acts || matches!(n.kind(), "update_expression" | "assignment_expression");
        });
        found
    }
}

/// Does a text have conditions on what headers of the platform may define? What is left out then may be what is compiled.
pub fn asks_platform(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let asked = directive.filter(|d| d.starts_with("if") || d.starts_with("elif"));
        let is_asked = |word: &str| {
            let is_guard = ["_H", "_HPP", "_HH"].iter().any(|end| word.trim_end_matches('_').ends_with(end));
            word.starts_with("CL_") && !is_guard
        };
        asked.is_some_and(|d| d.split(|c| !is_part(c)).any(is_asked))
    })
}

/// Is a word one of those of a text?
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == word)
}
