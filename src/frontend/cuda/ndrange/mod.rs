//! Host code of OpenCL in the form of CUDA, so that one reader serves both. [HOST-NDRANGE]
//!
//! What `clSetKernelArg` gives a kernel goes to a variable for this argument, which is declared where the function begins;
//! `clEnqueueNDRangeKernel` becomes a launch that is given these variables. So the values are those at the calls that set
//! them, and whether these are always run before the launch is asked as of any variable. A kernel that goes anywhere else
//! gets a use that is no launch: not all of its launches are known then.

mod builds;
mod calls;
mod doubts;
mod edits;
mod holders;
mod names;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::unit::{Unit, declared_name, each_named};
pub use builds::macros;
pub use doubts::asks_platform;
use edits::{Edits, Origins};
use holders::Holder;
use variables::Variables;

/// What the name of a kernel of OpenCL begins with in the text that is read as CUDA.
const KERNEL: &str = "__opencl_kernel_";

/// Stands where CUDA has the number of blocks, and is given the number of work-items.
pub const RANGE: &str = "__opencl_range";

/// The size of the work-groups that the runtime chooses.
pub const CHOSEN: &str = "__opencl_chosen";

/// Begins names of things of which nothing is known.
const UNKNOWN: &str = "__opencl_unknown";

/// Words that only host code of OpenCL has.
const WORDS: [&str; 14] = [
    "clSetKernelArg",
    ".setArg(",
    "clBuildProgram",
    "clCompileProgram",
    "clCreateProgram",
    "clCreateKernel",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clCloneKernel",
    "cl::Kernel",
    "enqueueNDRangeKernel",
    "EnqueueArgs",
    "make_kernel",
    "createKernels",
];

/// Integers that a header of the platform defines.
const INTEGERS: [(&str, &str); 9] = [
    ("cl_char", "signed char"),
    ("cl_uchar", "unsigned char"),
    ("cl_short", "short"),
    ("cl_ushort", "unsigned short"),
    ("cl_int", "int"),
    ("cl_uint", "unsigned int"),
    ("cl_long", "long"),
    ("cl_ulong", "unsigned long"),
    ("cl_bool", "unsigned int"),
];

/// May this text launch kernels of OpenCL?
pub fn is_host(text: &str) -> bool {
    WORDS.iter().any(|word| text.contains(word))
}

/// The kernel of OpenCL that a name of the new text means.
pub fn kernel_of(name: &str) -> Option<&str> {
    name.strip_prefix(KERNEL)
}

/// What host code says of kernels in ways that are not followed.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    /// Names that kernels may be created by.
    pub named: BTreeSet<String>,
    /// May it launch kernels of any name?
    pub any: bool,
    /// Functions that create a kernel by the name that they are given, and which argument that is.
    pub makers: Vec<(String, usize)>,
    /// Functions that are called, and which of their arguments are no plain strings; all, for what is done otherwise.
    pub calls: BTreeMap<String, BTreeSet<usize>>,
    /// The options of each place where a program is built; `None`: what is not plain.
    pub builds: Vec<Option<String>>,
    /// Variables that hold kernels, and that other units may reach.
    pub shared: BTreeSet<String>,
}

/// A unit of host code in the form of CUDA.
pub struct Translated {
    pub text: String,
    origins: Origins,
    pub doubts: Doubts,
}

/// Functions that create kernels with more parameters are not followed.
const MAX_PARAMETERS: usize = 32;

impl Translated {
    /// The range of the text that was translated which a range of the new one comes from.
    pub fn back(&self, start: usize, end: usize) -> (usize, usize) {
        let from = self.origins.back(start, false);
        (from, self.origins.back(end, true).max(from))
    }
}

/// A unit of host code.
struct Host<'u> {
    unit: &'u Unit<'u>,
    variables: Variables<'u>,
    identifiers: FxHashMap<&'u str, Vec<Node<'u>>>,
    /// The functions that are called in each one, by their names.
    called: BTreeMap<&'u str, BTreeSet<&'u str>>,
    /// The strings that are names of kernels which are followed.
    taken: FxHashSet<usize>,
    edits: Edits,
    /// What is declared where a function begins: by the position.
    declared: BTreeMap<usize, String>,
    kernels: BTreeSet<String>,
    /// Kernels with launches that are not followed.
    lost: BTreeSet<String>,
    any: bool,
    makers: Vec<(String, usize)>,
    /// How many unknown things there are.
    unknown: usize,
}

/// Writes the launches of a unit as those of CUDA.
pub fn translate<'u>(unit: &'u Unit<'u>) -> Translated {
    let mut nodes: Vec<Node<'u>> = Vec::new();
    each_named(unit.tree.root_node(), |node| nodes.push(node));
    let mut identifiers: FxHashMap<&'u str, Vec<Node<'u>>> = FxHashMap::default();
    let mut called: BTreeMap<&'u str, BTreeSet<&'u str>> = BTreeMap::new();
    for node in nodes.iter().copied() {
        if matches!(node.kind(), "identifier" | "field_identifier" | "type_identifier") {
            identifiers.entry(unit.str(node)).or_default().push(node);
            // What a function names it may call.
            let function = variables::function_around(node)
                .filter(|f| f.child_by_field_name("body").is_some_and(|body| body.start_byte() < node.start_byte()));
            let declarator = function.and_then(|f| f.child_by_field_name("declarator"));
            if let Some(name) = declarator.and_then(declared_name) {
                let name = unit.str(unit.qualified(name).1);
                called.entry(name).or_default().insert(unit.str(node));
            }
        }
    }
    let variables = Variables::of(unit, &nodes);
    let mut host = Host {
        unit,
        variables,
        identifiers,
        called,
        taken: FxHashSet::default(),
        edits: Edits::default(),
        declared: BTreeMap::new(),
        kernels: BTreeSet::new(),
        lost: BTreeSet::new(),
        any: false,
        makers: Vec::new(),
        unknown: 0,
    };
    let names = unit.names();
    host.rename(&nodes, &names);
    let holders: Vec<Holder> = host.holders(&nodes);
    for holder in &holders {
        host.follow(holder);
    }
    let named = host.other_strings(&nodes).into_iter().collect();
    let mut builds = host.builds(&nodes);
    if host.may_define(&nodes, &builds) {
        builds.push(None);
    }
    host.any |= host.is_open(&nodes);
    let shared = host.shared();
    for (at, text) in std::mem::take(&mut host.declared) {
        host.edits.insert(at, text);
    }
    let mut head = String::new();
    for (name, ty) in INTEGERS.iter().filter(|(name, _)| !names.types.contains_key(*name)) {
        head.push_str(&format!("typedef {ty} {name};\n"));
    }
    let mut tail = String::new();
    for name in &host.kernels {
        head.push_str(&format!("__global__ void {KERNEL}{name}();\n"));
    }
    for (i, name) in host.lost.iter().enumerate() {
        tail.push_str(&format!("\nvoid {UNKNOWN}_use{i}() {{ {UNKNOWN}_use({KERNEL}{name}); }}\n"));
    }
    let end = unit.text.len();
    host.edits.insert(0, head);
    host.edits.insert(end, tail);
    let (text, origins) = host.edits.applied(&unit.text, 0..end);
    let calls = host.open_calls();
    let doubts = Doubts { named, any: host.any, makers: host.makers, calls, builds, shared };
    Translated { text, origins, doubts }
}

impl<'u> Host<'u> {
    /// A name that nothing else has.
    fn unknown(&mut self) -> String {
        self.unknown += 1;
        format!("{UNKNOWN}{}", self.unknown)
    }

    fn lose(&mut self, name: &str) {
        self.kernels.insert(name.to_owned());
        self.lost.insert(name.to_owned());
    }

    /// Can a function come to be called while it runs?
    fn is_recursive(&self, name: &str) -> bool {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut stack = vec![name];
        while let Some(function) = stack.pop() {
            for inner in self.called.get(function).into_iter().flatten() {
                if *inner == name {
                    return true;
                }
                if seen.insert(inner) {
                    stack.push(inner);
                }
            }
        }
        false
    }
}
