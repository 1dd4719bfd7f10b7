//! A file: read, preprocessed, parsed, and its kernels lowered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::host::{HostFacts, PlacedLaunch, host_facts, placed};
use super::protocol::load_protocols;
use crate::base::{FileId, SourceMap, Span};
use crate::frontend::cuda::bundled;
use crate::frontend::cuda::host::{Filled, Foreign, filled, foreign_kernels, is_internal, launches};
use crate::frontend::cuda::lower::{Lower, LoweredKernel};
use crate::frontend::cuda::ndrange;
use crate::frontend::cuda::passes::{Pass, host_differs};
use crate::frontend::cuda::unit::{Dialect, Unit, is_nested_too_deep};
use crate::frontend::header::{Extent, Header, parse_header};

use crate::frontend::preprocess::{
    CUDA_PREDEFINED, Clause, DiskFiles, Expanded, Limits, OPENCL_PREDEFINED, Options, Severity, preprocess,
};
use crate::kernel::infer::Inferred;
use crate::kernel::ir::{Storage, VarDecl};
use crate::report::finding::{FileReport, FileStatus, Location, Message};

/// A file with the kernels found in it.
pub struct SourceFile {
    pub sources: SourceMap,
    pub header: Header,
    pub kernels: Vec<SourceKernel>,
    /// Kernels that this file uses and does not define, by name.
    pub foreign: BTreeMap<String, Vec<ForeignLaunches>>,
    /// What it says of kernels of OpenCL in ways that are not followed, where it is host code of such.
    pub opencl: Option<ndrange::Doubts>,
    pub report: FileReport,
}

/// How a file launches a kernel of another one.
pub struct ForeignLaunches {
    /// How many parameters the kernel is declared with; `None` where it is not declared.
    pub parameters: Option<usize>,
    pub launches: Vec<PlacedLaunch>,
    /// Are these all?
    pub all: bool,
    /// Is it one of OpenCL, which is known by its name alone?
    pub is_opencl: bool,
}

/// A kernel of a file, whatever it is written in.
pub struct SourceKernel {
    pub name: String,
    pub span: Span,
    pub launch_bounds: Option<i128>,
    /// What launches say.
    pub host: HostFacts,
    /// Those in the same file.
    pub launches: Vec<PlacedLaunch>,
    /// May other files launch it?
    pub is_external: bool,
    pub is_opencl: bool,
    /// The macros that host code builds its program with, in words.
    pub built: Option<String>,
    pub launched: Launched,
    /// Could all of it be parsed?
    pub is_whole: bool,
    /// The block that the kernel is compiled for.
    pub group_size: Option<[i128; 3]>,
    /// The offset of the global ids, where the code depends on it.
    pub offset: Option<[i128; 3]>,
    /// Does the code read sizes of work-groups, which are the same for all where the global size is a multiple?
    pub whole_groups: bool,
    pub code: KernelCode,
}

/// Is a kernel launched by what its file, or a file that this includes, says of it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launched {
    /// It is not even named.
    Nowhere,
    /// All launches were read.
    Read,
    /// It is also used in ways that are not understood.
    Unread,
}

pub enum KernelCode {
    Cuda(Box<LoweredKernel>),
    /// A protocol that was read, in the form of one that was inferred.
    Protocol(Box<Inferred>),
}

impl KernelCode {
    /// Do two read as one? What is called is a part of it, and where it stands is none.
    pub fn is_same(&self, other: &KernelCode) -> bool {
        match (self, other) {
            (KernelCode::Cuda(one), KernelCode::Cuda(other)) => one.program.text() == other.program.text(),
            _ => false,
        }
    }
}

impl SourceKernel {
    /// The parameters, which arguments of launches are for.
    pub fn parameters(&self) -> &[VarDecl] {
        match &self.code {
            KernelCode::Cuda(lowered) => {
                let function = &lowered.program.functions[lowered.kernel.0 as usize];
                &function.vars[..function.params]
            }
            KernelCode::Protocol(_) => &[],
        }
    }

    /// Takes these launches for those of the kernel, which are all or are not.
    pub fn set_launches(&mut self, launches: Vec<PlacedLaunch>, all: bool) {
        self.launched = match (all, launches.is_empty()) {
            (false, _) => Launched::Unread,
            (true, true) => Launched::Nowhere,
            (true, false) => Launched::Read,
        };
        let untold = std::mem::take(&mut self.host.untold);
        let facts = host_facts(self.parameters(), &launches);
        self.host = if all { facts } else { facts.of_some_launch() };
        self.host.untold.extend(untold);
        self.launches = launches;
    }
}

impl From<LoweredKernel> for SourceKernel {
    fn from(kernel: LoweredKernel) -> SourceKernel {
        let LoweredKernel { ref name, span, launch_bounds, group_size, uses_offset, whole_groups, .. } = kernel;
        let name = name.clone();
        let offset = uses_offset.then_some(kernel.offset);
        SourceKernel {
            name,
            span,
            launch_bounds,
            group_size,
            offset,
            whole_groups,
            host: HostFacts::default(),
            launches: Vec::new(),
            is_external: false,
            is_opencl: false,
            built: None,
            launched: Launched::Nowhere,
            is_whole: true,
            code: KernelCode::Cuda(Box::new(kernel)),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    pub defines: Vec<(String, Option<String>)>,
    pub include_dirs: Vec<PathBuf>,
    /// Of single files, by canonical path.
    pub files: Arc<BTreeMap<PathBuf, FileFlags>>,
}

/// What a file is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFlags {
    pub defines: Vec<(String, Option<String>)>,
    pub undefines: Vec<String>,
    pub include_dirs: Vec<PathBuf>,
    /// Read before the file.
    pub preincludes: Vec<PathBuf>,
}

/// What only compilers of CUDA define.
const PLATFORM_OF_CUDA: [&str; 5] = ["__CUDACC__", "__NVCC__", "__CUDA_ARCH__", "CUDART_VERSION", "CUDA_VERSION"];

/// Where a span is, for a report.
pub fn location(sources: &SourceMap, span: Span) -> Location {
    let (start, end) = (sources.start(span), sources.end(span));
    Location {
        path: sources.path(span.file).display().to_string(),
        line: start.line,
        column: start.column,
        end_column: if end.line == start.line { end.column } else { start.column + 1 },
        start: span.start as usize,
        end: span.end as usize,
    }
}

/// Reads the kernels of a file from its text: protocols if its name ends in `.map`, OpenCL C for `.cl`, else CUDA.
pub fn load(path: &Path, text: String, options: &SourceOptions) -> SourceFile {
    let ends_in = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if ends_in("map") {
        return load_protocols(path, text);
    }
    load_kernels(path, text, if ends_in("cl") { Dialect::OpenCl } else { Dialect::Cuda }, options)
}

/// What is wrong with the sizes of a header, by the limits of the hardware.
fn out_of_range(header: &Header) -> Option<String> {
    let known = |extents: Option<[Extent; 3]>| {
        extents.unwrap_or([Extent::Any; 3]).map(|e| match e {
            Extent::Known(n) => n,
            Extent::Any => 1,
        })
    };
    let (block, grid) = (known(header.block), known(header.grid));
    let threads = block.iter().fold(1i128, |all, n| all.saturating_mul(*n));
    if threads > 1024 {
        return Some(format!("a block has at most 1024 threads, and this one has {threads}"));
    }
    let limits = [("blockDim", block, [1024, 1024, 64]), ("gridDim", grid, [i128::from(i32::MAX), 65535, 65535])];
    for (what, sizes, limits) in limits {
        for ((size, limit), axis) in sizes.into_iter().zip(limits).zip(["x", "y", "z"]) {
            if size > limit || size < 1 {
                return Some(format!("{what}.{axis} is between 1 and {limit}, and not {size}"));
            }
        }
    }
    None
}

/// Where the header gives sizes.
fn header_span(sources: &SourceMap, root: FileId) -> Span {
    let text = sources.text(root);
    let sizes =
        text.find("--blockDim").or_else(|| text.find("--gridDim")).or_else(|| text.find("--local_size")).unwrap_or(0);
    let length = text[sizes..].split([' ', '\n', '\r']).next().map_or(0, str::len);
    Span::new(root, sizes, sizes + length)
}

/// Where code for the host is not what the device has: `expanded` is what a compiler reads for the device. [HOST-PASS]
fn host_pass(
    path: &Path,
    text: &str,
    dialect: Dialect,
    settings: &Options,
    sources: &SourceMap,
    expanded: &Expanded,
) -> Option<Span> {
    let asks = dialect == Dialect::Cuda && sources.all().any(|(_, text)| text.contains("__CUDA_ARCH__"));
    if !asks || !expanded.text.contains("__global__") {
        return None;
    }
    let mut settings = settings.clone();
    settings.undefines.push("__CUDA_ARCH__".to_owned());
    let mut again = SourceMap::default();
    let root = again.add(path, text);
    let on_host = preprocess(&mut again, root, &settings, &DiskFiles);
    let passes = [Pass { expanded, sources }, Pass { expanded: &on_host, sources: &again }];
    fn nowhere(_: usize, _: usize) -> Span {
        Span::new(FileId(0), 0, 0)
    }
    let (pass, at) = host_differs(passes, &|expanded| Unit::parse(&expanded.text, dialect, &nowhere))?;
    if pass == 0 {
        return Some(at);
    }
    let file = sources.all().position(|(path, _)| path == again.path(at.file));
    Some(file.map_or(Span::new(root, 0, 0), |file| Span { file: FileId(file as u32), ..at }))
}

fn load_kernels(path: &Path, text: String, dialect: Dialect, options: &SourceOptions) -> SourceFile {
    let mut sources = SourceMap::default();
    let mut header = parse_header(&text);
    let root = sources.add(path, text.clone());
    let mut defines = header.defines.clone();
    let canonical = if options.files.is_empty() { None } else { path.canonicalize().ok() };
    let flags = canonical.and_then(|path| options.files.get(&path)).cloned().unwrap_or_default();
    defines.extend(flags.defines);
    defines.extend(options.defines.iter().cloned());
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut include_dirs: Vec<PathBuf> = options.include_dirs.clone();
    include_dirs.extend(flags.include_dirs);
    include_dirs.extend(header.include_dirs.iter().map(|d| folder.join(d)));
    let predefined = match dialect {
        Dialect::Cuda => CUDA_PREDEFINED,
        Dialect::OpenCl => OPENCL_PREDEFINED,
    };
    let FileFlags { mut undefines, preincludes, .. } = flags;
    // The compiler of host code of OpenCL is none of CUDA.
    let of_cuda = ["cu", "cuh", "hip"].iter().any(|known| path.extension().is_some_and(|e| e == *known));
    if dialect == Dialect::Cuda && !of_cuda && ndrange::is_host(&text) {
        undefines.extend(PLATFORM_OF_CUDA.map(str::to_owned));
    }
    let limits = Limits::default();
    let mut settings = Options { defines, undefines, preincludes, bundled: None, include_dirs, predefined, limits };
    let mut expanded = preprocess(&mut sources, root, &settings, &DiskFiles);
    settings.bundled = bundled::needed_by(&expanded.text).filter(|_| dialect == Dialect::Cuda);
    if settings.bundled.is_some() {
        sources = SourceMap::default();
        sources.add(path, text.clone());
        expanded = preprocess(&mut sources, root, &settings, &DiskFiles);
    }
    let mut messages = Vec::new();
    let mut status = FileStatus::Ok;
    if let Some(why) = out_of_range(&header) {
        // Sizes that mean nothing are dropped; sizes of other hardware are what the verdict is asked for.
        let sizes = header.block.iter().chain(&header.grid).flatten();
        let meaningless = sizes.into_iter().any(|e| matches!(e, Extent::Known(n) if !(1..1 << 31).contains(n)));
        let then = if meaningless {
            (header.block, header.grid) = (None, None);
            "the sizes of the header are not used"
        } else {
            "the verdict is for these sizes all the same"
        };
        let text = format!("{why}; {then}");
        let at = Some(location(&sources, header_span(&sources, root)));
        messages.push(Message { code: "header-dimensions", text, at, help: None });
    }
    if let Some(at) = sources.text(root).find('\0') {
        status = FileStatus::Partial;
        let text = "the file contains a NUL byte; what is around it may not be what was meant".to_owned();
        let at = Some(location(&sources, Span::new(root, at, at + 1)));
        messages.push(Message { code: "parse-error", text, at, help: None });
    }
    for remark in &header.remarks {
        let at = Span::new(root, remark.at.start, remark.at.end);
        messages.push(Message {
            code: remark.code,
            text: remark.text.clone(),
            at: Some(location(&sources, at)),
            help: None,
        });
    }
    for remark in &expanded.remarks {
        if remark.severity == Severity::Error {
            status = FileStatus::Partial;
        }
        let at = remark.at.map(|span| location(&sources, span));
        messages.push(Message { code: remark.code, text: remark.text.clone(), at, help: remark.help.clone() });
    }
    let written = |start: usize, end: usize| expanded.origins.origin(start, end).span;
    let on_host = host_pass(path, &text, dialect, &settings, &sources, &expanded);
    if let Some(at) = on_host {
        let text = "code for the host differs here where `__CUDA_ARCH__` is not defined; launches and what they say are not used".to_owned();
        let at = Some(location(&sources, at));
        messages.push(Message { code: "host-differs", text, at, help: None });
    }
    let is_host = dialect == Dialect::Cuda && ndrange::is_host(&expanded.text);
    // What is written for both platforms is read as CUDA.
    let is_mixed = is_host && expanded.text.contains("__global__");
    let plain = if is_host && !is_mixed { Unit::parse(&expanded.text, dialect, &written) } else { None };
    let translated = plain.as_ref().map(|unit| (ndrange::translate(unit), unit));
    let origin = |start: usize, end: usize| match &translated {
        Some((text, unit)) => {
            let (start, end) = text.back(start, end);
            written(unit.back(start), unit.back(end))
        }
        None => written(start, end),
    };
    let opencl = match &translated {
        Some((text, _)) => {
            let mut doubts = text.doubts.clone();
            doubts.any |= sources.all().any(|(_, text)| ndrange::asks_platform(text));
            Some(doubts)
        }
        None => is_host.then(|| ndrange::Doubts { any: true, builds: vec![None], ..ndrange::Doubts::default() }),
    };
    let (mut kernels, mut foreign) = (Vec::new(), BTreeMap::new());
    let (read, annotations, pragmas) = match &translated {
        Some((text, _)) => (text.text.as_str(), &[][..], &[][..]),
        None => (expanded.text.as_str(), &expanded.annotations[..], &expanded.pragmas[..]),
    };
    match Unit::annotated(read, annotations, dialect, &origin) {
        Some((mut unit, mut problems)) => {
            unit.set_packing(pragmas.iter().map(|p| (p.offset, p.expanded.as_str())));
            let mut names = unit.names();
            if expanded.remarks.iter().any(|r| r.code == "include-missing") {
                unit.without_header(&mut names);
            }
            let mut lower = Lower::new(&unit, &names);
            lower.offset = header.offset();
            // Without `main`, others may call the functions that launch.
            let mains = names.functions.get("main").into_iter().flatten();
            let has_main = mains.into_iter().any(|d| d.class.is_none() && names.path(d.scope).is_empty());
            for (name, uses) in foreign_kernels(&mut lower) {
                let of_opencl = ndrange::kernel_of(&name);
                let launches_of = |f: Foreign| ForeignLaunches {
                    parameters: f.parameters,
                    launches: placed(f.launches, None, &sources, has_main),
                    all: f.all && on_host.is_none(),
                    is_opencl: of_opencl.is_some(),
                };
                let uses: Vec<ForeignLaunches> = uses.into_iter().map(launches_of).collect();
                foreign.entry(of_opencl.unwrap_or(&name).to_owned()).or_insert_with(Vec::new).extend(uses);
            }
            let mut seen = FxHashSet::default();
            for decl in &names.kernels {
                // A file that is included twice gives its kernels once, where these are the same.
                if !seen.insert((unit.span(decl.node), unit.str(decl.node), names.path(decl.scope))) {
                    continue;
                }
                for bindings in lower.instances(decl) {
                    let mut lowered = lower.kernel(decl, &bindings);
                    let mut untold = BTreeSet::new();
                    for global in &mut lowered.program.globals {
                        let filled = filled(&mut lower, global);
                        match filled.map(|f| if on_host.is_some() { Filled::Untold } else { f }) {
                            // Kernels may have changed what is not constant since.
                            Some(Filled::With(cells)) if global.decl.storage == Storage::Constant => {
                                global.filled = cells;
                            }
                            Some(Filled::Kept(cells)) => {
                                (global.filled, global.is_kept) = (cells, true);
                            }
                            Some(_) => {
                                untold.insert(global.decl.name.to_string());
                            }
                            None => {}
                        }
                    }
                    let (launches, all) = match on_host {
                        None => launches(&mut lower, decl, &bindings),
                        Some(_) => (Vec::new(), false),
                    };
                    let launches = placed(launches, Some(lowered.span.file), &sources, has_main);
                    let mut kernel = SourceKernel::from(lowered);
                    kernel.host.untold = untold;
                    kernel.set_launches(launches, all);
                    kernel.is_whole = unit.first_error(decl.node).is_none();
                    kernel.is_opencl = dialect == Dialect::OpenCl;
                    kernel.is_external = kernel.is_opencl || decl.template.is_none() && !is_internal(&unit, decl.node);
                    kernels.push(kernel);
                }
            }
            for assert in expanded.annotations.iter().filter(|a| a.clause == Clause::Assert) {
                let text = "`assert` is neither checked nor assumed here".to_owned();
                messages.push(Message {
                    code: "annotation",
                    text,
                    at: Some(location(&sources, assert.at)),
                    help: None,
                });
            }
            problems.append(&mut lower.problems);
            problems.sort_by(|a, b| (a.at, &a.text).cmp(&(b.at, &b.text)));
            problems.dedup();
            for problem in problems {
                status = FileStatus::Partial;
                let (text, at) = (format!("{}; it is not used", problem.text), Some(location(&sources, problem.at)));
                messages.push(Message { code: "annotation", text, at, help: None });
            }
            if let Some(error) = unit.first_error(unit.tree.root_node()) {
                status = FileStatus::Partial;
                let at = Some(location(&sources, unit.span(error)));
                let text = "this could not be parsed; what it declares is not known".to_owned();
                messages.push(Message { code: "parse-error", text, at, help: None });
            }
        }
        None => {
            status = FileStatus::Failed;
            let why = if is_nested_too_deep(&expanded.text) { ": it is nested too deep" } else { "" };
            let text = format!("the file could not be parsed at all{why}");
            messages.push(Message { code: "parse-error", text, at: None, help: None });
        }
    }
    if let Some(at) = expanded.left_out.filter(|_| kernels.is_empty()) {
        let text = "the kernels of this file are left out by this condition".to_owned();
        let help = Some("define what it asks for with `-D NAME`, or `-D NAME=VALUE`".to_owned());
        messages.push(Message { code: "kernels-left-out", text, at: Some(location(&sources, at)), help });
    }
    let report = FileReport { path: path.display().to_string(), text, status, messages };
    SourceFile { sources, header, kernels, foreign, opencl, report }
}
