//! What methods of the classes of well-known libraries return, whose headers are not there. [HOST-METHOD]

use tree_sitter::Node;

use super::super::unit::{child_of_kind, last_named};
use super::places::listed_in;
use super::variables::{Part, Variable};
use super::{Host, symbol};
use crate::base::Name;
use crate::exp::{IntTy, N};

/// Containers whose `size()` is a `size_t`.
const CONTAINERS: [&str; 11] = [
    "vector",
    "array",
    "string",
    "deque",
    "list",
    "map",
    "set",
    "unordered_map",
    "unordered_set",
    "device_vector",
    "host_vector",
];
/// Where these are.
const OF_CONTAINERS: [&str; 2] = ["std", "thrust"];
/// Where tensors are.
const OF_TENSORS: [&str; 2] = ["torch", "at"];
/// Methods of a tensor that return an `int64_t`.
const NUMBERS: [&str; 7] = ["size", "stride", "numel", "dim", "ndimension", "element_size", "itemsize"];
/// Methods that return a list of these.
const LISTS: [&str; 2] = ["sizes", "strides"];
/// Methods of a tensor that return one of the same memory, perhaps of the same, and of a part of it.
const SAME: [&str; 33] = [
    "T",
    "mT",
    "H",
    "mH",
    "adjoint",
    "conj",
    "tensor_data",
    "variable_data",
    "rename",
    "refine_names",
    "align_to",
    "ravel",
    "swapaxes",
    "swapdims",
    "movedim",
    "moveaxis",
    "unflatten",
    "broadcast_to",
    "view_as_real",
    "view_as_complex",
    "positive",
    "view",
    "view_as",
    "detach",
    "data",
    "squeeze",
    "unsqueeze",
    "t",
    "transpose",
    "permute",
    "expand",
    "expand_as",
    "alias",
];
const PERHAPS: [&str; 30] = [
    "contiguous",
    "reshape",
    "reshape_as",
    "flatten",
    "to",
    "cuda",
    "cpu",
    "type",
    "type_as",
    "toType",
    "index",
    "float",
    "half",
    "bfloat16",
    "double",
    "int",
    "long",
    "short",
    "char",
    "bool",
    "to_dense",
    "coalesce",
    "resolve_conj",
    "resolve_neg",
    "pin_memory",
    "dropout",
    "values",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
];
const PART: [&str; 17] = [
    "slice",
    "narrow",
    "select",
    "diagonal",
    "unfold",
    "as_strided",
    "chunk",
    "split",
    "unbind",
    "real",
    "imag",
    "tensor_split",
    "hsplit",
    "vsplit",
    "dsplit",
    "broadcast_tensors",
    "meshgrid",
];
/// Methods of a tensor that change its elements, and no sizes. Others whose names end like theirs may change these, of all
/// tensors that share it.
const FILLS: [&str; 37] = [
    "zero_",
    "fill_",
    "copy_",
    "add_",
    "sub_",
    "mul_",
    "div_",
    "clamp_",
    "clamp_min_",
    "clamp_max_",
    "relu_",
    "uniform_",
    "normal_",
    "random_",
    "exp_",
    "log_",
    "sqrt_",
    "rsqrt_",
    "abs_",
    "neg_",
    "pow_",
    "sigmoid_",
    "tanh_",
    "masked_fill_",
    "index_fill_",
    "index_add_",
    "index_put_",
    "index_copy_",
    "scatter_",
    "scatter_add_",
    "bernoulli_",
    "addmm_",
    "addcmul_",
    "addcdiv_",
    "lerp_",
    "requires_grad_",
    "fill_diagonal_",
];

/// How the memory of a tensor is that of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    Same,
    Perhaps,
    Part,
}

fn view(function: &str) -> Option<View> {
    // They return what they change.
    if function.ends_with('_') || function.ends_with("_out") {
        return Some(View::Same);
    }
    let all = [(&SAME[..], View::Same), (&PERHAPS[..], View::Perhaps), (&PART[..], View::Part)];
    all.into_iter().find(|(names, _)| names.contains(&function)).map(|(_, view)| view)
}

/// Does a method of a tensor return what may share its memory?
pub(super) fn gives_view(method: &str) -> bool {
    view(method).is_some()
}

/// How far the value of a variable is followed.
const MAX_STEPS: usize = 8;

/// Does a function, or a method, leave the sizes of all tensors as they are?
fn leaves_sizes(name: &str) -> bool {
    const CHANGES: [&str; 8] = [
        "set_data",
        "reset",
        "swap",
        "mutable_grad",
        "unsafeReleaseTensorImpl",
        "unsafeGetTensorImpl",
        "getIntrusivePtr",
        "resize_output",
    ];
    FILLS.contains(&name) || !name.ends_with('_') && !name.ends_with("_out") && !CHANGES.contains(&name)
}

/// Does a program call something that changes the sizes of a tensor?
pub(super) fn resizes(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| {
        let head = text[..at].trim_end();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = &head[head.trim_end_matches(is_part).len()..];
        !leaves_sizes(name) && head[..head.len() - name.len()].ends_with(['.', '>', ':'])
    })
}

/// Is this the path of a function that makes or computes tensors?
fn is_of_tensors(function: &str) -> bool {
    function.split_once("::").is_some_and(|(path, _)| OF_TENSORS.contains(&path))
}

/// Is it one that changes nothing that it is given?
pub(super) fn leaves_tensors(function: &str) -> bool {
    is_of_tensors(function) && leaves_sizes(function.rsplit("::").next().unwrap_or(function))
}

/// Is a variable none of a pointer, or an array?
fn is_object(variable: &Variable) -> bool {
    variable.declarator.is_none_or(|d| {
        let inner = child_of_kind(d, "pointer_declarator").or_else(|| child_of_kind(d, "array_declarator"));
        !matches!(d.kind(), "pointer_declarator" | "array_declarator") && inner.is_none()
    })
}

impl<'u> Host<'_, 'u> {
    /// The type of a size of a tensor or a container.
    pub(super) fn method_type(&self, node: Node<'u>) -> Option<IntTy> {
        match node.kind() {
            "call_expression" => {
                let (object, method) = self.method_of(node)?;
                if NUMBERS.contains(&method) && self.is_tensor(object) {
                    return Some(IntTy::I64);
                }
                (method == "size" && self.is_container(object)).then_some(IntTy::U64)
            }
            "subscript_expression" => self.is_list(node.child_by_field_name("argument")?).then_some(IntTy::I64),
            _ => None,
        }
    }

    /// The tensor, or the address, whose memory what a call returns may share: of a method of a tensor, or a function that is
    /// given one.
    pub(super) fn viewed(&self, call: Node<'u>) -> Option<(Node<'u>, View)> {
        if let Some((object, method)) = self.method_of(call) {
            return view(method).filter(|_| self.is_tensor(object)).map(|view| (object, view));
        }
        let function = self.unit.str(call.child_by_field_name("function")?);
        let name = function.rsplit("::").next().filter(|_| is_of_tensors(function))?;
        let first = listed_in(call.child_by_field_name("arguments")?).first().copied()?;
        let view = if name == "from_blob" { View::Same } else { view(name)? };
        Some((first, view))
    }

    /// Does a call of a method leave a tensor or a container as it is? Those of tensors that change it have names that end
    /// with `_`, but for a few.
    pub(super) fn leaves_object(&self, object: Node<'u>, method: Node<'u>) -> bool {
        const OF_CONTAINER: [&str; 3] = ["size", "empty", "capacity"];
        let method = self.unit.str(method).split('<').next().unwrap_or("");
        let is_asked = self.is_container(object) && OF_CONTAINER.contains(&method);
        is_asked || leaves_sizes(method) && self.is_tensor(object)
    }

    /// May a call change the sizes of tensors that others share?
    pub(super) fn changes_sizes(&self, call: Node<'u>) -> bool {
        let name = match self.method_of(call) {
            // Elements of lists, and what calls return, are tensors as well.
            Some((object, method)) => Some(method).filter(|m| m.ends_with('_') || self.is_tensor(object)),
            None => {
                let function = call.child_by_field_name("function");
                // A function of the program may change what it is given by value.
                if self.said.resizes
                    && function.is_some_and(|f| self.lower.names.functions.contains_key(self.callee(f)))
                {
                    return true;
                }
                function.map(|f| self.unit.str(f)).filter(|f| is_of_tensors(f))
            }
        };
        name.is_some_and(|name| !leaves_sizes(name.rsplit("::").next().unwrap_or(name)))
    }

    /// May a variable be a tensor?
    pub(super) fn holds_tensor(&self, variable: usize) -> bool {
        let known = &self.variables[variable];
        let value = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        known.ty.is_some_and(|ty| match self.unit.str(ty) {
            "auto" => value.is_some_and(|v| self.is_tensor(v)),
            text => text.contains("Tensor"),
        })
    }

    /// `m[i]` may insert an element.
    pub(super) fn inserts(&self, container: Node<'u>) -> bool {
        let ty = self.variable_at(container).and_then(|v| v.ty).filter(|_| self.is_container(container));
        ty.is_some_and(|ty| self.unit.str(ty).contains("map"))
    }

    /// A size of a tensor or a container: a number of which nothing else is known. Two calls return the same one where the
    /// text is the same, and the object was not changed in between.
    pub(super) fn size_of_object(&mut self, node: Node<'u>) -> Option<N> {
        let ty = self.method_type(node).filter(|_| self.arguments.is_empty())?;
        let mut name: String = self.unit.str(node).split_whitespace().collect();
        let key = self.object_of(node).map(|object| (name.clone(), object, self.version(object, &Part::Whole, node)));
        let known = match &key {
            Some(key) => self.lengths.get(key),
            None => self.results.get(&node.id()),
        };
        if let Some(known) = known {
            return Some(known.clone());
        }
        while !self.symbols.insert(name.clone()) {
            name.push('\'');
        }
        self.types.insert(Name::new(name.as_str()), ty);
        let value = symbol(&name);
        self.taken.push(N::num(0).le(&value));
        match key {
            Some(key) => drop(self.lengths.insert(key, value.clone())),
            None => drop(self.results.insert(node.id(), value.clone())),
        }
        Some(value)
    }

    /// The variable that is asked for a size, with constants only.
    fn object_of(&self, node: Node<'u>) -> Option<usize> {
        let (object, _) = self.method_of(node)?;
        let arguments = listed_in(node.child_by_field_name("arguments")?);
        let plain = arguments.iter().all(|a| a.kind() == "number_literal") && object.kind() == "identifier";
        let found = self.find(self.unit.str(object), object).filter(|_| plain)?;
        let known = &self.variables[found];
        (!known.is_wild && !known.is_remote).then_some(found)
    }

    /// Is this `x.sizes()` of a tensor, or a variable that holds it?
    fn is_list(&self, node: Node<'u>) -> bool {
        match node.kind() {
            "identifier" => {
                self.only_value(node).is_some_and(|value| value.kind() != "identifier" && self.is_list(value))
            }
            "call_expression" => {
                self.method_of(node).is_some_and(|(object, method)| LISTS.contains(&method) && self.is_tensor(object))
            }
            _ => false,
        }
    }

    /// The object and the method of `x.f(..)`.
    fn method_of(&self, call: Node<'u>) -> Option<(Node<'u>, &'u str)> {
        let function = call.child_by_field_name("function").filter(|f| f.kind() == "field_expression")?;
        self.unit.str(function.child_by_field_name("operator")?).eq(".").then_some(())?;
        let field = function.child_by_field_name("field").filter(|f| f.kind() == "field_identifier")?;
        Some((function.child_by_field_name("argument")?, self.unit.str(field)))
    }

    /// Is this a tensor: by the type of a variable, or made by a function or a method of these?
    pub(super) fn is_tensor(&self, node: Node<'u>) -> bool {
        self.is_tensor_in(node, MAX_STEPS)
    }

    fn is_tensor_in(&self, node: Node<'u>, steps: usize) -> bool {
        let steps = match steps.checked_sub(1) {
            Some(left) if !self.lower.names.types.contains_key("Tensor") => left,
            _ => return false,
        };
        match node.kind() {
            "parenthesized_expression" => last_named(node).is_some_and(|inner| self.is_tensor_in(inner, steps)),
            "identifier" => match self.variable_at(node).filter(|v| is_object(v)).and_then(|v| v.ty) {
                Some(ty) if self.unit.str(ty) == "auto" => {
                    self.only_value(node).is_some_and(|value| self.is_tensor_in(value, steps))
                }
                Some(ty) => {
                    let (path, base) = self.unit.qualified(ty);
                    let path: Vec<&str> = path.parts.iter().map(String::as_str).collect();
                    let of_library = match path.as_slice() {
                        [] => self.lower.names.used.contains("Tensor"),
                        [only] => OF_TENSORS.contains(only),
                        _ => false,
                    };
                    of_library && self.unit.str(base) == "Tensor"
                }
                None => false,
            },
            // A row of it.
            "subscript_expression" => {
                node.child_by_field_name("argument").is_some_and(|tensor| self.is_tensor_in(tensor, steps))
            }
            "call_expression" => match self.method_of(node) {
                Some((object, method)) => {
                    !NUMBERS.contains(&method) && !LISTS.contains(&method) && self.is_tensor_in(object, steps)
                }
                None => node.child_by_field_name("function").is_some_and(|f| is_of_tensors(self.unit.str(f))),
            },
            _ => false,
        }
    }

    /// Is this a variable whose type is a container of the library?
    pub(super) fn is_container(&self, node: Node<'u>) -> bool {
        let known = self.variable_at(node).filter(|v| node.kind() == "identifier" && is_object(v));
        let Some(ty) = known.and_then(|v| v.ty) else { return false };
        let name = self.unit.str(ty).split('<').next().unwrap_or("");
        name.split_once("::")
            .is_some_and(|(path, base)| OF_CONTAINERS.contains(&path) && CONTAINERS.contains(&base.trim()))
    }

    /// The initialiser of a variable that nothing else changes as a whole.
    fn only_value(&self, name: Node<'u>) -> Option<Node<'u>> {
        let known = self.variable_at(name)?;
        let init = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        let assigned = known.events.iter().any(|e| !e.declares && e.value.is_some() && e.field.is_none());
        init.filter(|_| !assigned && !known.is_remote)
    }
}
