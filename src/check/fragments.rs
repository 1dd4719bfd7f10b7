//! In which files a kernel is checked that several of them have, because they include where it is defined.
//!
//! A file that is only a part of others says little by itself: its macros are defined elsewhere, and so are the launches. So
//! a kernel is checked where it is launched, and alone only when no file is known that launches it. Every definition that
//! was found is checked at least once, in a file where all of it could be parsed if there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::source::{Launched, SourceFile, SourceKernel};
use crate::base::text::text_of;
use crate::report::finding::{FileStatus, Message};

/// A folder with more files is not searched for those that include another one.
const MAX_SIBLINGS: usize = 512;

/// When more files include one, none of them is read.
const MAX_INCLUDERS: usize = 8;

/// Larger files are data.
const MAX_BYTES: u64 = 4 << 20;

/// Where a kernel is defined: the file, and the position in it; and its name, which may be that of a macro there.
type Definition = (PathBuf, u32, String);

fn canonical(path: &Path) -> PathBuf {
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

/// Files beside the given ones that include one of them whose kernels no given file launches.
pub fn includers(given: &[SourceFile]) -> Vec<PathBuf> {
    let mut definitions = Definitions(BTreeMap::new());
    let mut launched: BTreeSet<Definition> = BTreeSet::new();
    for file in given {
        for kernel in file.kernels.iter().filter(|k| k.launched != Launched::Nowhere) {
            launched.insert(definitions.of(file, kernel));
        }
    }
    let read: BTreeSet<PathBuf> = given.iter().map(|f| canonical(Path::new(&f.report.path))).collect();
    let mut folders: BTreeMap<PathBuf, Siblings> = BTreeMap::new();
    let mut found: Vec<PathBuf> = Vec::new();
    for file in given.iter().filter(|f| is_part(f) && !is_protocol(f)) {
        let own = canonical(Path::new(&file.report.path));
        let alone = file.kernels.iter().any(|kernel| {
            let definition = definitions.of(file, kernel);
            definition.0 == own && !launched.contains(&definition)
        });
        let Some(folder) = Path::new(&file.report.path).parent().filter(|_| alone) else { continue };
        let siblings = folders.entry(canonical(folder)).or_insert_with(|| Siblings::read(folder));
        for path in siblings.that_include(&own) {
            if !read.contains(&canonical(&path)) && !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// Where other files launch a kernel too, of which they have only a declaration, its own file does not say how it is launched.
pub fn forget_launches(files: &mut [SourceFile]) {
    let mut users: BTreeMap<String, String> = BTreeMap::new();
    for file in files.iter() {
        users.extend(file.foreign.iter().map(|name| (name.clone(), file.report.path.clone())));
    }
    for file in files.iter_mut().filter(|_| !users.is_empty()) {
        for kernel in file.kernels.iter_mut().filter(|k| k.launched == Launched::Read) {
            let Some(user) = users.get(kernel.name.split('<').next().unwrap_or("")) else { continue };
            (kernel.host, kernel.launched) = (kernel.host.of_some_launch(), Launched::Unread);
            let text = format!("`{}` is used in {user} as well: its launches here are not taken for all", kernel.name);
            file.report.messages.push(Message { code: "launched-elsewhere", text, at: None, help: None });
        }
    }
}

/// The files of a folder that are C, and which of the others each one includes.
struct Siblings(Vec<(PathBuf, PathBuf, BTreeSet<PathBuf>)>);

impl Siblings {
    fn read(folder: &Path) -> Siblings {
        // The folder of a file that is named without one.
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.take(MAX_SIBLINGS + 1).map(|e| e.file_name()).collect();
        if names.len() > MAX_SIBLINGS {
            return Siblings(Vec::new());
        }
        names.sort();
        let mut files = Vec::new();
        for name in names {
            let path = folder.join(&name);
            let known = ["cu", "cuh", "h", "hpp", "hip", "c", "cc", "cpp", "cxx"];
            let is_c = path.extension().and_then(|e| e.to_str()).is_some_and(|e| known.contains(&e));
            let is_small = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES);
            if let Some(text) = (is_c && is_small).then(|| std::fs::read(&path).ok()).flatten() {
                let text = text_of(text);
                let included = text.lines().filter_map(included).map(|name| canonical(&folder.join(name)));
                files.push((canonical(&path), path.clone(), included.collect()));
            }
        }
        Siblings(files)
    }

    /// The files that are compiled by themselves, and include this one, or one that does.
    fn that_include(&self, file: &Path) -> Vec<PathBuf> {
        let mut reached: BTreeSet<&Path> = BTreeSet::from([file]);
        loop {
            let before = reached.len();
            for (own, _, included) in &self.0 {
                if included.iter().any(|i| reached.contains(i.as_path())) {
                    reached.insert(own);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        let is_unit = |path: &Path| {
            path.extension().is_some_and(|e| ["cu", "hip", "c", "cc", "cpp", "cxx"].iter().any(|known| e == *known))
        };
        let found =
            self.0.iter().filter(|(own, path, _)| own != file && reached.contains(own.as_path()) && is_unit(path));
        let found: Vec<PathBuf> = found.map(|(_, path, _)| path.clone()).collect();
        if found.len() > MAX_INCLUDERS { Vec::new() } else { found }
    }
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
            if !kept && !instead.is_empty() {
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
