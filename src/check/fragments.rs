//! In which files a kernel is checked that several of them have, because they include where it is defined.
//!
//! A file that is only a part of others says little by itself: its macros are defined elsewhere, and so are the launches. So
//! a kernel is checked where it is launched, and alone only when no file is known that launches it. Every definition that
//! was found is checked at least once, in a file where all of it could be parsed if there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use itertools::Itertools;

use super::opencl;
use super::source::{ForeignLaunches, Launched, SourceFile, SourceKernel};
use crate::base::text::text_of;
use crate::frontend::cuda::ndrange;
use crate::report::finding::{FileStatus, Message};

/// A folder with more files is not searched for those that include another one.
const MAX_SIBLINGS: usize = 512;

/// When more files include one, none of them is read: the kernels would be checked in each.
const MAX_INCLUDING: usize = 8;

/// When the files that may launch kernels of a folder have more bytes, none of them is read.
pub(super) const MAX_LAUNCHING: u64 = 2 << 20;

/// Nor is a folder with more bytes searched.
const MAX_FOLDER: u64 = 32 << 20;

/// Larger files are data.
const MAX_BYTES: u64 = 4 << 20;

/// Where a kernel is defined: the file, and the position in it; and its name, which may be that of a macro there.
type Definition = (PathBuf, u32, String);

pub(super) fn canonical(path: &Path) -> PathBuf {
    // The folder of a name alone is this one.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The definitions of the kernels of each file.
struct Definitions(BTreeMap<PathBuf, PathBuf>);

impl Definitions {
    fn of(&mut self, file: &SourceFile, kernel: &SourceKernel) -> Definition {
        let path = file.sources.path(kernel.span.file);
        let known = self.0.entry(path.to_owned()).or_insert_with(|| canonical(path)).clone();
        let name = kernel.name.split('<').next().unwrap_or("");
        (known, kernel.span.start, name.to_owned())
    }
}

/// Is a kernel part of a C file whose header says nothing of sizes?
fn is_part(file: &SourceFile) -> bool {
    file.header.block.is_none() && file.header.grid.is_none()
}

fn is_protocol(file: &SourceFile) -> bool {
    Path::new(&file.report.path).extension().is_some_and(|e| e.eq_ignore_ascii_case("map"))
}

/// Files beside the given ones that include one of them whose kernels no given file launches, or that name a kernel of
/// one where they launch some. [HOST-UNIT], [HOST-LINKED]
pub fn beside(given: &[SourceFile]) -> Beside {
    let mut definitions = Definitions(BTreeMap::new());
    let mut launched: BTreeSet<Definition> = BTreeSet::new();
    for file in given {
        for kernel in file.kernels.iter().filter(|k| k.launched != Launched::Nowhere) {
            launched.insert(definitions.of(file, kernel));
        }
    }
    let read: BTreeSet<PathBuf> = given.iter().map(|f| canonical(Path::new(&f.report.path))).collect();
    let mut folders: BTreeMap<PathBuf, Folder> = BTreeMap::new();
    for file in given.iter().filter(|f| is_part(f) && !is_protocol(f)) {
        let Some(path) = Path::new(&file.report.path).parent() else { continue };
        let new = || Folder { path, names: BTreeSet::new(), alone: Vec::new() };
        let folder = folders.entry(canonical(path)).or_insert_with(new);
        let is_named = |k: &&SourceKernel| k.is_external && !k.is_opencl;
        folder.names.extend(file.kernels.iter().filter(is_named).map(|k| k.name.as_str()));
        let own = canonical(Path::new(&file.report.path));
        let alone = |kernel: &SourceKernel| {
            let definition = definitions.of(file, kernel);
            definition.0 == own && !launched.contains(&definition)
        };
        if file.kernels.iter().any(alone) {
            folder.alone.push(own);
        }
    }
    let mut found = Beside::default();
    for hosts in opencl::hosts(given) {
        found.unread.extend(hosts.unread);
        found.twins.extend(hosts.twins);
        for path in hosts.files {
            if !read.contains(&canonical(&path)) && !found.files.contains(&path) {
                found.files.push(path);
            }
        }
    }
    for (own, folder) in folders.iter().filter(|(_, f)| !f.names.is_empty() || !f.alone.is_empty()) {
        let Some(siblings) = Siblings::read(folder.path, &folder.names) else {
            found.unsearched.insert(own.clone());
            continue;
        };
        let including = folder.alone.iter().flat_map(|own| siblings.that_include(own));
        let launching = siblings.that_launch(&read);
        if launching.iter().map(|(s, _)| s.size).sum::<u64>() > MAX_LAUNCHING {
            let names = launching.iter().flat_map(|(_, names)| names);
            found.unread.extend(names.map(|name| (own.clone(), name.clone())));
        }
        let read_all = launching
            .iter()
            .filter(|(_, names)| !names.iter().any(|n| found.unread.contains(&(own.clone(), n.clone()))));
        for path in including.chain(read_all.map(|(s, _)| s.path.clone())) {
            if !read.contains(&canonical(&path)) && !found.files.contains(&path) {
                found.files.push(path);
            }
        }
    }
    found
}

/// What stands beside files.
#[derive(Default)]
pub struct Beside {
    /// Files to read as well.
    pub files: Vec<PathBuf>,
    /// Kernels that files may launch which are too large to be read, by their folders.
    unread: BTreeSet<(PathBuf, String)>,
    /// Kernels of OpenCL that several files define, by their folders.
    twins: BTreeSet<(PathBuf, String)>,
    /// Files of OpenCL C whose text depends on macros that are not known.
    pub(super) unsettled: BTreeSet<usize>,
    /// Folders with too much in them to be searched.
    unsearched: BTreeSet<PathBuf>,
}

/// What is looked for in a folder.
struct Folder<'f> {
    /// As it was given.
    path: &'f Path,
    /// Kernels that other files may launch.
    names: BTreeSet<&'f str>,
    /// Files whose kernels are launched nowhere.
    alone: Vec<PathBuf>,
}

/// The file that uses a kernel of another one, and how, where that is understood.
type Use<'f> = (usize, Option<&'f ForeignLaunches>);

/// [HOST-LINKED] Gives kernels the launches of other files, which do not define them.
pub fn link(files: &mut [SourceFile], beside: &Beside) {
    let folder = |file: &SourceFile| canonical(Path::new(&file.report.path).parent().unwrap_or(Path::new("")));
    let folders: Vec<PathBuf> = files.iter().map(folder).collect();
    let mut linked: BTreeMap<(usize, usize), Vec<Use>> = BTreeMap::new();
    for (user, (name, uses)) in files.iter().enumerate().flat_map(|(u, f)| f.foreign.iter().map(move |of| (u, of))) {
        if uses.iter().any(|of| of.is_opencl) {
            for at in opencl::meant(files, &folders, user, name) {
                linked.entry(at).or_default().extend(uses.iter().map(|of| (user, Some(of))));
            }
            continue;
        }
        let is_meant = |k: &SourceKernel| k.is_external && !k.is_opencl && k.name.split('<').next() == Some(name);
        let kernels = files.iter().enumerate().flat_map(|(f, file)| (0..file.kernels.len()).map(move |k| (f, k)));
        let all: Vec<(usize, usize)> =
            kernels.filter(|(f, k)| *f != user && is_meant(&files[*f].kernels[*k])).collect();
        let near: Vec<(usize, usize)> = all.iter().copied().filter(|(f, _)| folders[*f] == folders[user]).collect();
        let is_declared = uses.iter().any(|of| of.parameters.is_some());
        let meant: &[(usize, usize)] = if near.is_empty() && is_declared { &all } else { &near };
        let count = |(f, k): &(usize, usize)| Some(files[*f].kernels[*k].parameters().len());
        // What fits no kernel may be for any that nothing else fits.
        let is_open = uses.iter().any(|of| !meant.iter().any(|at| count(at) == of.parameters));
        for at in meant {
            let own: Vec<&ForeignLaunches> = uses.iter().filter(|of| count(at) == of.parameters).collect();
            let is_unread = own.is_empty() && is_open;
            let uses = own.into_iter().map(Some).chain(is_unread.then_some(None));
            linked.entry(*at).or_default().extend(uses.map(|of| (user, of)));
        }
    }
    for (at, user) in opencl::not_followed(files, &folders) {
        linked.entry(at).or_default().push((user, None));
    }
    for (user, file) in files.iter().enumerate().filter(|(_, file)| file.report.status == FileStatus::Failed) {
        let names: BTreeSet<&str> = identifiers(&file.report.text).map(|(_, name)| name).collect();
        for (f, other) in files.iter().enumerate().filter(|(f, _)| folders[*f] == folders[user]) {
            let named = |k: &usize| other.kernels[*k].is_external && names.contains(other.kernels[*k].name.as_str());
            for k in (0..other.kernels.len()).filter(named) {
                linked.entry((f, k)).or_default().push((user, None));
            }
        }
    }
    let of_files = files
        .iter()
        .enumerate()
        .flat_map(|(f, file)| file.kernels.iter().enumerate().map(move |(k, kernel)| (f, k, kernel)));
    for (f, k, kernel) in of_files.filter(|(.., kernel)| kernel.is_external) {
        if beside.unread.contains(&(folders[f].clone(), kernel.name.clone())) {
            linked.entry((f, k)).or_default().push((f, None));
        }
    }
    let mut changes = Vec::new();
    for ((f, k), uses) in linked {
        let kernel = &files[f].kernels[k];
        let mut launches = kernel.launches.clone();
        let known = uses.iter().filter_map(|(_, of)| *of);
        launches.extend(known.flat_map(|of| &of.launches).cloned());
        let unread = uses.iter().find(|(_, of)| of.is_none_or(|of| !of.all)).map(|(user, _)| *user);
        let text = unread.filter(|_| kernel.launched == Launched::Read).map(|user| {
            let place = match user == f {
                true => "files beside this one, which are too large to be read,",
                false => &files[user].report.path,
            };
            format!("`{}` is used in {place} as well: its launches here are not taken for all", kernel.name)
        });
        let users = || uses.iter().map(|(user, _)| *user);
        let is_twin = kernel.is_opencl
            && (beside.twins.contains(&(folders[f].clone(), kernel.name.clone()))
                || opencl::embeds(files, users(), &kernel.name));
        // They are of one or the other.
        if is_twin && launches.len() > 1 || kernel.is_opencl && beside.unsettled.contains(&f) {
            continue;
        }
        let is_read = !kernel.is_opencl || opencl::reads(files, &folders, users(), f, is_twin);
        let all = kernel.launched != Launched::Unread && unread.is_none() && is_read;
        let users: BTreeSet<&str> = uses.iter().map(|(user, _)| files[*user].report.path.as_str()).collect();
        let only = (kernel.is_opencl && all && !launches.is_empty())
            .then(|| format!("no other host code than that of {} launches the kernel", users.into_iter().join(", ")));
        changes.push((f, k, launches, all, text, only));
    }
    for (f, k, launches, all, text, only) in changes {
        files[f].kernels[k].set_launches(launches, all);
        files[f].kernels[k].host.only_calls.extend(only);
        let message = text.map(|text| Message { code: "launched-elsewhere", text, at: None, help: None });
        files[f].report.messages.extend(message);
    }
    for (file, _) in files.iter_mut().zip(&folders).filter(|(_, folder)| beside.unsearched.contains(*folder)) {
        for kernel in file.kernels.iter_mut().filter(|k| k.is_external && !k.is_opencl && k.launched == Launched::Read)
        {
            let text = "no other file of the folder, which is too large to be searched, launches the kernel";
            kernel.host.only_calls.push(text.to_owned());
        }
    }
}

/// A file of a folder that is C.
pub(super) struct Sibling {
    own: PathBuf,
    pub(super) path: PathBuf,
    pub(super) size: u64,
    /// Those of the folder that it includes.
    included: BTreeSet<PathBuf>,
    /// The kernels that are looked for which it names; what it declares of them, and what it defines.
    named: BTreeSet<String>,
    declared: BTreeSet<(String, String)>,
    defined: BTreeSet<(String, String)>,
    /// Does it launch kernels?
    launches: bool,
    /// Is it host code of OpenCL, or does it have the name of a kernel in a string?
    hosts: bool,
}

impl Sibling {
    /// Is it compiled by itself?
    fn is_unit(&self) -> bool {
        let units = ["cu", "hip", "c", "cc", "cpp", "cxx", "c++", "cp", "m", "mm"];
        self.path.extension().is_some_and(|e| units.iter().any(|known| e.eq_ignore_ascii_case(known)))
    }
}

pub(super) struct Siblings(Vec<Sibling>);

impl Siblings {
    /// `None`: there is too much in the folder.
    pub(super) fn read(folder: &Path, names: &BTreeSet<&str>) -> Option<Siblings> {
        // The folder of a file that is named without one.
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.take(MAX_SIBLINGS + 1).map(|e| e.file_name()).collect();
        if files.len() > MAX_SIBLINGS {
            return None;
        }
        files.sort();
        let (mut found, mut left) = (Vec::new(), MAX_FOLDER);
        for name in files {
            let path = folder.join(&name);
            let known = ["cu", "cuh", "h", "hh", "hpp", "hip", "c", "cc", "cpp", "cxx", "c++", "cp", "m", "mm"];
            let is_c = path.extension().is_some_and(|e| known.iter().any(|known| e.eq_ignore_ascii_case(known)));
            let size = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file).map(|m| m.len());
            let Some(size) = size.filter(|size| is_c && *size <= MAX_BYTES) else { continue };
            left = left.checked_sub(size)?;
            let Ok(text) = std::fs::read(&path) else { continue };
            let text = text_of(text);
            let included = text.lines().filter_map(included).map(|name| canonical(&folder.join(name))).collect();
            let (mut named, mut declared, mut defined) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            for (at, name) in identifiers(&text).filter(|(_, name)| names.contains(name)) {
                named.insert(name.to_owned());
                match declaration(&text, at, name) {
                    Some((parameters, true)) => defined.insert((name.to_owned(), parameters)),
                    Some((parameters, false)) => declared.insert((name.to_owned(), parameters)),
                    None => false,
                };
            }
            let launches = ["<<<", "cudaLaunch", "hipLaunch"].iter().any(|launch| text.contains(launch));
            // A macro of a file that it includes may launch what it names.
            let is_plain_c = path.extension().is_some_and(|e| e != "m" && e != "mm");
            let hosts = ndrange::is_host(&text) || is_plain_c && !named.is_empty();
            found.push(Sibling {
                own: canonical(&path),
                path,
                size,
                included,
                named,
                declared,
                defined,
                launches,
                hosts,
            });
        }
        Some(Siblings(found))
    }

    /// The files that are compiled by themselves, and include this one, or one that does.
    fn that_include(&self, file: &Path) -> Vec<PathBuf> {
        let mut reached: BTreeSet<&Path> = BTreeSet::from([file]);
        loop {
            let before = reached.len();
            for sibling in &self.0 {
                if sibling.included.iter().any(|i| reached.contains(i.as_path())) {
                    reached.insert(&sibling.own);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        let found = self.0.iter().filter(|s| s.own != file && reached.contains(s.own.as_path()) && s.is_unit());
        let found: Vec<PathBuf> = found.map(|s| s.path.clone()).collect();
        if found.len() > MAX_INCLUDING { Vec::new() } else { found }
    }

    /// A file, and those of the folder that it includes.
    fn parts<'s>(&'s self, unit: &'s Sibling) -> Vec<&'s Sibling> {
        let mut parts: Vec<&Sibling> = vec![unit];
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            let included = &part.included;
            for inner in self.0.iter().filter(|s| included.contains(&s.own)) {
                if !parts.iter().any(|p| p.own == inner.own) {
                    parts.push(inner);
                }
            }
            at += 1;
        }
        parts
    }

    /// The files that are compiled by themselves and may launch kernels of OpenCL. [HOST-NDRANGE]
    pub(super) fn of_opencl(&self) -> Vec<&Sibling> {
        self.0.iter().filter(|s| s.is_unit() && self.parts(s).iter().any(|p| p.hosts)).collect()
    }

    /// The files that are compiled by themselves, are not among those that were `read`, and launch kernels, with those that
    /// they include, and name some which they do not define: these.
    fn that_launch(&self, read: &BTreeSet<PathBuf>) -> Vec<(&Sibling, BTreeSet<String>)> {
        let others = |unit: &Sibling| {
            let parts = self.parts(unit);
            let defined: BTreeSet<&(String, String)> = parts.iter().flat_map(|p| &p.defined).collect();
            let is_other = |name: &&String| !defined.iter().any(|(own, _)| own == *name);
            let named = parts.iter().flat_map(|p| &p.named).filter(is_other);
            let declared = parts.iter().flat_map(|p| &p.declared).filter(|d| !defined.contains(d));
            let all: BTreeSet<String> = named.chain(declared.map(|(name, _)| name)).cloned().collect();
            if parts.iter().any(|p| p.launches) { all } else { BTreeSet::new() }
        };
        let units = self.0.iter().filter(|s| s.is_unit() && !read.contains(&s.own));
        units.map(|s| (s, others(s))).filter(|(_, names)| !names.is_empty()).collect()
    }
}

/// The names in a text, and where they stand.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = text.split(move |c| !is_part(c)).filter(|name| !name.is_empty());
    names.map(|name| (name.as_ptr() as usize - text.as_ptr() as usize, name))
}

/// The declaration of a kernel that stands here: its parameters, and whether a body follows.
fn declaration(text: &str, at: usize, name: &str) -> Option<(String, bool)> {
    // Qualifiers, attributes and the result are no longer than this, nor are the parameters.
    const LONGEST: usize = 4096;
    const QUALIFIER: &[u8] = b"__global__";
    let list = text[at + name.len()..].trim_start().strip_prefix('(')?;
    let head = text.as_bytes()[at.saturating_sub(LONGEST)..at].rsplit(|b| b";{}".contains(b)).next()?;
    head.windows(QUALIFIER.len()).any(|word| word == QUALIFIER).then_some(())?;
    let mut depth = 1usize;
    let (end, _) = list.char_indices().take(LONGEST).find(|(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some((list[..end].split_whitespace().collect(), list[end + 1..].trim_start().starts_with('{')))
}

/// The name in `#include "name"`, or `<name>`: a project gives its own folders for that too.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split('"').next());
    quoted.or_else(|| rest.strip_prefix('<')?.split('>').next())
}

/// The kernels to check, by file and position; of the files from `given` on, only kernels of the files before them. The
/// files whose kernels are all checked elsewhere get a remark.
pub fn checked(files: &mut [SourceFile], given: usize) -> Vec<(usize, usize)> {
    let mut definitions = Definitions(BTreeMap::new());
    let own: BTreeSet<PathBuf> = files[..given].iter().map(|f| canonical(Path::new(&f.report.path))).collect();
    let mut places: BTreeMap<Definition, Vec<(usize, usize)>> = BTreeMap::new();
    for (f, file) in files.iter().enumerate() {
        for (k, kernel) in file.kernels.iter().enumerate() {
            let definition = definitions.of(file, kernel);
            if f < given || own.contains(&definition.0) {
                places.entry(definition).or_default().push((f, k));
            }
        }
    }
    let mut dropped: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
    for ((path, ..), list) in &places {
        let kernel = |(f, k): &(usize, usize)| &files[*f].kernels[*k];
        let whole = |at: &&(usize, usize)| kernel(at).is_whole;
        let launched: BTreeSet<usize> =
            list.iter().filter(whole).filter(|at| kernel(at).launched != Launched::Nowhere).map(|at| at.0).collect();
        // Other files that include the one with the definition.
        let including: BTreeSet<usize> = list
            .iter()
            .filter(whole)
            .filter(|at| canonical(Path::new(&files[at.0].report.path)) != *path)
            .map(|at| at.0)
            .collect();
        for at in list {
            let kept = kernel(at).launched != Launched::Nowhere || !is_part(&files[at.0]) || launched.contains(&at.0);
            let instead = if !launched.is_empty() {
                launched.clone()
            } else if including.contains(&at.0) {
                BTreeSet::new()
            } else {
                including.clone()
            };
            // What macros make of it in this file must be what they make of it there, unless it is the file of the definition.
            let is_own = canonical(Path::new(&files[at.0].report.path)) == *path;
            let same =
                |f: &usize| list.iter().any(|other| other.0 == *f && kernel(other).code.is_same(&kernel(at).code));
            if !kept && !instead.is_empty() && (is_own || instead.iter().any(same)) {
                dropped.insert(*at, instead);
            }
        }
    }
    let tasks: Vec<(usize, usize)> =
        (0..files.len()).flat_map(|f| (0..files[f].kernels.len()).map(move |k| (f, k))).collect();
    let in_question: BTreeSet<(usize, usize)> = places.into_values().flatten().collect();
    let paths: Vec<String> = files.iter().map(|f| f.report.path.clone()).collect();
    for (f, file) in files[..given].iter_mut().enumerate() {
        let elsewhere: BTreeSet<usize> =
            dropped.iter().filter(|(at, _)| at.0 == f).flat_map(|(_, i)| i.clone()).collect();
        let all = (0..file.kernels.len()).all(|k| dropped.contains_key(&(f, k)));
        if all && !file.kernels.is_empty() && file.report.status != FileStatus::Failed {
            let names: Vec<&str> = elsewhere.iter().map(|f| paths[*f].as_str()).collect();
            let text = format!("the kernels of this file are checked as part of `{}`", names.join("`, `"));
            file.report.messages.push(Message { code: "included", text, at: None, help: None });
        }
    }
    tasks.into_iter().filter(|at| in_question.contains(at) && !dropped.contains_key(at)).collect()
}
