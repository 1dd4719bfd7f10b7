//! Which host code launches the kernels of a file of OpenCL C. [HOST-NDRANGE]
//!
//! A program of OpenCL is a text that host code reads by the name of a file, so nothing in the file says where its kernels
//! are launched: the folders are searched where projects have such code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use itertools::Itertools;

use super::fragments::{MAX_LAUNCHING, Siblings, canonical};
use super::source::{SourceFile, SourceKernel, SourceOptions, load};
use crate::base::text::text_of;
use crate::frontend::cuda::ndrange::macros;

/// Folders beside that of a kernel which are for host code.
const OF_HOSTS: [&str; 5] = ["src", "source", "host", "sources", "lib"];

/// The folders in that of a kernel are all searched where they are no more than these.
const MAX_INNER: usize = 16;

/// More files are not searched for kernels of one name.
const MAX_FILES: usize = 256;

/// The host code that stands around the kernels of a folder.
#[derive(Default)]
pub(super) struct Hosts {
    pub files: Vec<PathBuf>,
    /// Kernels that files may launch which are too large to be read, by their folders.
    pub unread: Vec<(PathBuf, String)>,
    /// Kernels that several files around define, by their folders: host code may launch one or the other by the name.
    pub twins: Vec<(PathBuf, String)>,
}

/// The folders that host code for the kernels of one may be in.
fn folders_of(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found = vec![folder.to_owned()];
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inner: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_dir()).take(MAX_INNER + 1).collect();
    inner.sort();
    found.extend(inner.into_iter().take(MAX_INNER));
    if let Some(parent) = canonical(folder).parent() {
        found.push(parent.to_owned());
        found.extend(OF_HOSTS.iter().map(|name| parent.join(name)));
    }
    found.retain(|f| f.is_dir());
    found
}

fn folder_of(file: &SourceFile) -> &Path {
    Path::new(&file.report.path).parent().unwrap_or(Path::new(""))
}

fn kernels(file: &SourceFile) -> impl Iterator<Item = &SourceKernel> {
    file.kernels.iter().filter(|k| k.is_opencl)
}

/// The host code for each folder of kernels.
pub(super) fn hosts(given: &[SourceFile]) -> Vec<Hosts> {
    let mut names: BTreeMap<PathBuf, (&Path, BTreeSet<&str>)> = BTreeMap::new();
    for file in given.iter().filter(|f| kernels(f).next().is_some()) {
        let folder = folder_of(file);
        let entry = names.entry(canonical(folder)).or_insert((folder, BTreeSet::new()));
        entry.1.extend(kernels(file).map(|k| k.name.as_str()));
    }
    let of = |(own, (folder, names)): (PathBuf, (&Path, BTreeSet<&str>))| {
        let mut hosts = Hosts::default();
        let (mut size, mut seen, mut is_large) = (0, BTreeSet::new(), false);
        let around = folders_of(folder);
        hosts.twins = twins(&around, &names).into_iter().map(|name| (own.clone(), name)).collect();
        for around in around {
            let Some(siblings) = Siblings::read(&around, &names) else {
                is_large = true;
                continue;
            };
            for file in siblings.of_opencl() {
                if seen.insert(canonical(&file.path)) {
                    size += file.size;
                    hosts.files.push(file.path.clone());
                }
            }
        }
        if is_large || size > MAX_LAUNCHING {
            hosts.files.clear();
            hosts.unread = names.iter().map(|name| (own.clone(), (*name).to_owned())).collect();
        }
        hosts
    };
    names.into_iter().map(of).collect()
}

/// Those of these kernels that more than one file of the folders defines.
fn twins(folders: &[PathBuf], names: &BTreeSet<&str>) -> Vec<String> {
    let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut seen, mut left) = (BTreeSet::new(), MAX_FILES);
    for folder in folders {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_opencl = |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("cl"));
        for path in entries.map(|e| e.path()).filter(is_opencl) {
            if left == 0 || !seen.insert(canonical(&path)) {
                continue;
            }
            left -= 1;
            // One that cannot be read may define any of them.
            let text = std::fs::read(&path).ok().map(text_of);
            for name in names.iter().filter(|name| text.as_ref().is_none_or(|text| defines(text, name))) {
                *defined.entry(name).or_default() += 1;
            }
        }
    }
    // Of more files it is not known.
    let several = names.iter().filter(|name| left == 0 || defined.get(*name).is_some_and(|n| *n > 1));
    several.map(|name| (*name).to_owned()).collect()
}

/// Does a text define a kernel of this name?
fn defines(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        let head = before.rsplit([';', '{', '}']).next().unwrap_or("");
        !before.ends_with(is_part) && after.starts_with('(') && head.contains("kernel")
    })
}

/// The kernels, by file and position, that a file may launch by a name.
pub(super) fn meant(files: &[SourceFile], folders: &[PathBuf], user: usize, name: &str) -> Vec<(usize, usize)> {
    around(files, folders, user, |k| k.name == name)
}

/// The kernels of OpenCL around host code.
fn around(
    files: &[SourceFile],
    folders: &[PathBuf],
    user: usize,
    is_meant: impl Fn(&SourceKernel) -> bool,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (f, file) in files.iter().enumerate().filter(|(_, file)| kernels(file).next().is_some()) {
        let near = || is_near(&folders[f], &folders[user]);
        let own: Vec<usize> =
            (0..file.kernels.len()).filter(|k| file.kernels[*k].is_opencl && is_meant(&file.kernels[*k])).collect();
        if !own.is_empty() && near() {
            found.extend(own.into_iter().map(|k| (f, k)));
        }
    }
    found
}

/// Is this the folder of a kernel, or one that host code for it may be in?
fn is_near(kernels: &Path, hosts: &Path) -> bool {
    kernels == hosts || folders_of(kernels).iter().any(|p| canonical(p) == hosts)
}

/// Reads files again with the macros that the host code around them builds their programs with, where these are the same
/// wherever it does so. Returns those whose text depends on macros that are not known: nobody knows which kernels these launch.
pub(super) fn build(
    files: &mut [SourceFile],
    inputs: &[(PathBuf, String)],
    options: &SourceOptions,
) -> BTreeSet<usize> {
    let mut unsettled = BTreeSet::new();
    let folders: Vec<PathBuf> = files.iter().map(|f| canonical(folder_of(f))).collect();
    for (f, (path, text)) in inputs.iter().enumerate() {
        if kernels(&files[f]).next().is_none() {
            continue;
        }
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if is_included(folder_of(&files[f]), &name) {
            unsettled.insert(f);
        }
        let is_user = |(user, file): &(usize, &SourceFile)| {
            let builds = file.opencl.as_ref().is_some_and(|host| !host.builds.is_empty());
            builds
                && is_near(&folders[f], &folders[*user])
                && (folders[f] == folders[*user] || file.sources.all().any(|(_, text)| text.contains(&name)))
        };
        let users: Vec<&SourceFile> = files.iter().enumerate().filter(is_user).map(|(_, file)| file).collect();
        let builds = users.iter().filter_map(|file| file.opencl.as_ref()).flat_map(|host| &host.builds);
        let all: Option<BTreeSet<_>> = builds.map(|options| macros(options.as_deref()?)).collect();
        let hosts: BTreeSet<String> = users.iter().map(|file| file.report.path.clone()).collect();
        let hosts = hosts.into_iter().join(", ");
        let defined = match all.as_ref().map(|all| all.iter().collect::<Vec<_>>()).as_deref() {
            Some([only]) if !only.is_empty() => (*only).clone(),
            Some([_]) => continue,
            // Where nothing is seen to build programs, they may be built with anything.
            Some([]) => {
                if files[f].sources.all().any(|(_, text)| has_conditions(text)) {
                    unsettled.insert(f);
                }
                continue;
            }
            several => {
                // Names that are known to be defined must not change what is read; of others nothing is known.
                let is_known = several.is_some();
                if is_known || files[f].sources.all().any(|(_, text)| has_conditions(text)) {
                    unsettled.insert(f);
                }
                continue;
            }
        };
        let own = |name: &String| files[f].header.defines.iter().chain(&options.defines).any(|(n, _)| n == name);
        let defined: Vec<_> = defined.into_iter().filter(|(name, _)| !own(name)).collect();
        let words = defined.iter().map(|(name, value)| match value {
            Some(value) => format!("-D {name}={value}"),
            None => format!("-D {name}"),
        });
        let words = format!("the program is built with {}, as {hosts} does", words.format(" "));
        let mut options = options.clone();
        let mut flags = options.files.get(&canonical(path)).cloned().unwrap_or_default();
        flags.defines.extend(defined);
        let mut known = (*options.files).clone();
        known.insert(canonical(path), flags);
        options.files = Arc::new(known);
        files[f] = load(path, text.clone(), &options);
        files[f].kernels.iter_mut().for_each(|k| k.built = Some(words.clone()));
    }
    unsettled
}

/// Does another text of OpenCL C in a folder include a file? Then programs may be made of that one. So they may where one
/// cannot be read, or there are too many.
fn is_included(folder: &Path, name: &str) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let others = entries.filter(|path| {
        let is_opencl = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("cl")) && !path.is_dir();
        is_opencl && path.file_name().is_some_and(|own| own.to_string_lossy() != name)
    });
    let others: Vec<_> = others.take(MAX_FILES + 1).collect();
    let includes = |bytes: Vec<u8>| {
        let text = text_of(bytes);
        let mut directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        directives.any(|line| line.trim_start().starts_with("include") && line.contains(name))
    };
    others.len() > MAX_FILES || others.iter().any(|path| std::fs::read(path).map_or(true, includes))
}

/// How names that the platform defines begin.
const PLATFORM: [&str; 9] =
    ["cl_khr", "cl_amd", "cl_intel", "cl_nv", "cl_ext", "CL_VERSION_", "__OPENCL_", "__IMAGE_SUPPORT__", "__ENDIAN_"];

/// Does a text have conditions on more than what the platform defines?
fn has_conditions(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let includes = directive.is_some_and(|d| d.starts_with("include"));
        let asked = directive.filter(|d| d.starts_with("if") || d.starts_with("elif"));
        let own = |word: &&str| {
            let of_platform = PLATFORM.iter().any(|start| word.starts_with(start));
            word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !of_platform && *word != "defined"
        };
        includes || asked.is_some_and(|d| d.split(|c| !is_part(c)).skip(1).any(|word| own(&word)))
    })
}

/// Has some of this host code a kernel of the name in its own text, as a string?
pub(super) fn embeds(files: &[SourceFile], mut users: impl Iterator<Item = usize>, name: &str) -> bool {
    users.any(|user| files[user].sources.all().any(|(_, text)| defines(text, name)))
}

/// Is it known that some of this host code reads the file of a kernel? What stands in its folder does.
pub(super) fn reads(
    files: &[SourceFile],
    folders: &[PathBuf],
    users: impl Iterator<Item = usize>,
    kernel: usize,
    is_twin: bool,
) -> bool {
    let name = Path::new(&files[kernel].report.path).file_name().map(|n| n.to_string_lossy().into_owned());
    let is_named = |user: usize| {
        let name = name.as_deref().unwrap_or("");
        files[user].sources.all().any(|(_, text)| text.contains(name))
    };
    let mut users = users;
    users.any(|user| folders[user] == folders[kernel] && !is_twin || is_named(user))
}

/// May a file launch kernels of any name? It does not where functions that are given the name are given plain ones by all.
fn is_any(files: &[SourceFile], user: usize) -> bool {
    let Some(host) = &files[user].opencl else { return false };
    let is_open = |(function, position): &(String, usize)| {
        files.iter().filter(|f| kernels(f).next().is_none()).any(|file| match &file.opencl {
            Some(other) => other.calls.get(function).is_some_and(|open| open.contains(position)),
            None => file.report.text.contains(function.as_str()),
        })
    };
    let is_shared = |(other, file): (usize, &SourceFile)| {
        other != user && file.opencl.as_ref().is_some_and(|other| !other.shared.is_disjoint(&host.shared))
    };
    host.any || host.makers.iter().any(is_open) || files.iter().enumerate().any(is_shared)
}

/// Kernels that host code may launch in ways that are not followed, and that code.
pub(super) fn not_followed(files: &[SourceFile], folders: &[PathBuf]) -> Vec<((usize, usize), usize)> {
    let mut found = Vec::new();
    for (user, file) in files.iter().enumerate().filter(|(_, file)| kernels(file).next().is_none()) {
        let text = &file.report.text;
        let any = is_any(files, user);
        let is_meant = |k: &SourceKernel| match &file.opencl {
            Some(host) => any || host.named.contains(&k.name),
            None => text.contains(&format!("\"{}\"", k.name)),
        };
        found.extend(around(files, folders, user, is_meant).into_iter().map(|at| (at, user)));
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A link that leads nowhere is a file that cannot be read.
    #[test]
    fn files_that_cannot_be_read_may_hold_anything() {
        let folder = tempfile::tempdir().expect("a folder");
        let (own, other) = (folder.path().join("own.cl"), folder.path().join("other.cl"));
        std::fs::write(&own, "__kernel void k() {}").expect("a file");
        let found = || {
            let several = twins(&[folder.path().to_owned()], &BTreeSet::from(["k"]));
            (is_included(folder.path(), "own.cl"), several.len())
        };
        std::fs::write(&other, "__kernel void f() {}").expect("a file");
        assert_eq!(found(), (false, 0));
        std::fs::write(&other, "#include \"own.cl\"\n__kernel void k() {}").expect("a file");
        assert_eq!(found(), (true, 1));
        std::fs::remove_file(&other).expect("no file");
        std::os::unix::fs::symlink(folder.path().join("none"), &other).expect("a link");
        assert_eq!(found(), (true, 1));
    }
}
