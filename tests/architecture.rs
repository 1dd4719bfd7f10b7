//! The shape of the project: imports point down, rules have one id everywhere, and documents name files that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The layers, lowest first; those of one line do not see each other. `report::finding` is plain data below `check`, and
/// `fuzz::soundness` drives the whole analysis from above it.
const LAYERS: [&[&str]; 11] = [
    &["base"],
    &["exp"],
    &["core"],
    &["opt", "text", "kernel"],
    &["frontend", "smt", "interp", "fuzz"],
    &["report::finding"],
    &["check"],
    &["report", "fuzz::soundness"],
    &["cli"],
    &["main"],
    &["lib"],
];

/// Layers that may use less than those below: `smt` is held to the core.
const FORBIDDEN: [(&str, &[&str]); 1] = [("smt", &["opt", "text", "kernel"])];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return all };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            all.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            all.push(path);
        }
    }
    all
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn layer_of(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).expect("the file is in src");
    if inside == Path::new("report/finding.rs") {
        return "report::finding".into();
    }
    if inside == Path::new("fuzz/soundness.rs") {
        return "fuzz::soundness".into();
    }
    let first = inside.components().next().expect("the path is not empty");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_string()
}

fn level(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&layer))
}

/// The layers that a file names in paths that start with `crate::` (or, in main, with the name of the library).
fn uses(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        for start in ["crate::", "faial_like::"] {
            for (at, _) in line.match_indices(start) {
                let rest = &line[at + start.len()..];
                let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(!word.is_empty() || !rest.starts_with('{'), "line {}: import layers one by one: {line}", i + 1);
                let part = ["report::finding", "fuzz::soundness"].into_iter().find(|part| {
                    let (layer, item) = part.split_once("::").unwrap_or((part, ""));
                    rest.starts_with(part) || rest.starts_with(&format!("{layer}::{{{item}"))
                });
                all.insert(part.map_or(word, str::to_owned));
            }
        }
    }
    all
}

/// The words that stand, quoted, after one of the marks.
fn quoted_after(text: &str, marks: &[&str]) -> BTreeSet<String> {
    let places = marks.iter().flat_map(|mark| text.match_indices(mark).map(|(at, mark)| at + mark.len()));
    let words = places.filter_map(|at| text[at..].trim_start().strip_prefix('"')?.split('"').next());
    words
        .filter(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_code_that_is_reported_is_explained() {
    let mut unknown = Vec::new();
    let mut seen = 0;
    for file in files(&root().join("src"), "rs") {
        let text = read(&file);
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        for code in quoted_after(text, &["code: ", ".reason(", ".lose(", "gave_up(file, *k, launch,"]) {
            seen += 1;
            if faial_like::report::explain::explain(&code).is_err() {
                unknown.push(format!("{}: {code}", relative(&file)));
            }
        }
    }
    assert!(seen > 30, "only {seen} codes were seen");
    assert!(unknown.is_empty(), "no entry in `explain` for {unknown:#?}");
}

#[test]
fn imports_point_down() {
    let mut wrong = Vec::new();
    for path in files(&root().join("src"), "rs") {
        let layer = layer_of(&path);
        let Some(own) = level(&layer) else {
            wrong.push(format!("{}: `{layer}` is not a layer", relative(&path)));
            continue;
        };
        let forbidden = FORBIDDEN.iter().find(|(name, _)| *name == layer).map_or(&[][..], |(_, names)| names);
        for used in uses(&read(&path)) {
            // Macros and items of the root of the crate, such as `bug!`.
            let Some(below) = level(&used) else { continue };
            let same = used == layer || (layer == "report" && used == "report::finding");
            if !same && (below >= own || forbidden.contains(&used.as_str())) {
                wrong.push(format!("{}: `{layer}` must not use `{used}`", relative(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_import_that_points_up_is_seen() {
    assert!(uses("use crate::smt::encode;").contains("smt"));
    assert!(level("smt") > level("core") && level("check") > level("report::finding"));
    assert!(uses("// crate::smt\n").is_empty());
}

/// The rule ids of a text: capitals and digits with a dash, in brackets.
fn rules(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for part in text.split('[').skip(1) {
        if let Some((id, _)) = part.split_once(']') {
            let capitals = id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
            let family = id.split('-').next().unwrap_or_default();
            if capitals && FAMILIES.contains(&family) && id.len() > family.len() + 1 {
                all.insert(id.to_string());
            }
        }
    }
    all
}

/// The judgments of the core, and the rules of the pre-solvers.
const FAMILIES: [&str; 14] = [
    "RANGE", "SEM", "WF", "ALIGN", "SPLIT", "TRACE", "SEQ", "HEAD", "PHASE", "SCOPE", "SIDE", "RACE", "UNIFORM", "OPT",
];

fn rules_in(folder: &str, extension: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for path in files(&root().join(folder), extension) {
        for rule in rules(&read(&path)) {
            all.entry(rule).or_insert_with(|| relative(&path));
        }
    }
    all
}

#[test]
fn rules_of_the_specification_are_those_of_the_core() {
    let specified = rules_in("protocol-spec", "md");
    let mut implemented = rules_in("src/core", "rs");
    implemented.extend(rules_in("src/opt", "rs"));
    assert!(specified.len() > 50, "the rules were not found: {specified:?}");
    let only = |a: &BTreeMap<String, String>, b: &BTreeMap<String, String>| -> Vec<String> {
        a.iter().filter(|(rule, _)| !b.contains_key(*rule)).map(|(rule, path)| format!("[{rule}] in {path}")).collect()
    };
    let unimplemented = only(&specified, &implemented);
    let unspecified = only(&implemented, &specified);
    assert!(unimplemented.is_empty() && unspecified.is_empty(), "{unimplemented:#?}\n{unspecified:#?}");
    // File tests say which rule they show.
    let shown = rules_in("tests/files", "map");
    let unknown = only(&shown, &specified);
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn violations_carry_rules_of_the_specification() {
    let specified = rules_in("protocol-spec", "md");
    let text = read(&root().join("src/core/wellformed.rs"));
    let ids = text.split('"').skip(1).step_by(2).filter(|s| s.starts_with("WF-")).collect::<BTreeSet<_>>();
    assert!(ids.len() > 8);
    let unknown: Vec<_> = ids.iter().filter(|id| !specified.contains_key(**id)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Words in backquotes, and targets of links, that look like files of the project.
fn named_files(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let links = text.split("](").skip(1).filter_map(|part| part.split_once(')').map(|(target, _)| target));
    quoted
        .chain(links)
        .filter(|word| !word.contains(char::is_whitespace) && !word.contains("://") && !word.contains(['*', '<', '{']))
        .filter(|word| {
            let path = Path::new(word);
            let folders = ["src/", "tests/", "protocol-spec/", "proofs-notes/", "corpus/"];
            let known =
                path.extension().is_some_and(|e| ["rs", "md", "map", "toml", "cu", "json"].iter().any(|k| e == *k));
            folders.iter().any(|f| word.starts_with(f)) || (known && word.contains('/')) || word.ends_with(".md")
        })
        .map(str::to_string)
        .collect()
}

#[test]
fn files_named_in_documents_exist() {
    let mut documents = vec![root().join("README.md")];
    for folder in ["protocol-spec", "proofs-notes", "corpus"] {
        documents.extend(files(&root().join(folder), "md"));
    }
    let mut missing = Vec::new();
    for document in documents.iter().filter(|d| d.exists()) {
        let folder = document.parent().unwrap_or(root());
        for name in named_files(&read(document)) {
            let target = name.split('#').next().unwrap_or(&name);
            if !root().join(target).exists() && !folder.join(target).exists() {
                missing.push(format!("{} names `{name}`", relative(document)));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn files_named_in_doc_comments_of_the_core_exist() {
    let mut missing = Vec::new();
    for path in files(&root().join("src/core"), "rs") {
        for line in read(&path).lines().filter(|line| line.trim_start().starts_with("//")) {
            for word in line.split([' ', ';', ',', ':', '[', ']', '(', ')', '`']) {
                let word = word.trim_end_matches('.');
                let a_file = word.ends_with(".md") || word.ends_with(".rs");
                if a_file && word.contains('/') && !root().join(word).exists() {
                    missing.push(format!("{} names `{word}`", relative(&path)));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn theorems_of_the_ledger_have_tests() {
    let ledger = read(&root().join("proofs-notes/README.md"));
    let theorems: Vec<&str> =
        ledger.lines().filter(|line| line.starts_with("| THM") || line.starts_with("| PROP")).collect();
    assert!(theorems.len() >= 8);
    for row in theorems {
        let name = row.split('|').nth(1).unwrap_or_default().trim();
        let tested = named_files(row).iter().any(|file| read(&root().join(file)).contains(name));
        assert!(tested, "no file of its row mentions {name}");
    }
}
