//! `compile_commands.json`: the flags that each file is compiled with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::config::UsageError;
use crate::check::source::FileFlags;

/// The flags of files, by their canonical paths.
pub type Flags = Arc<BTreeMap<PathBuf, FileFlags>>;

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    /// With the quotes of a shell.
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// Reads the file, or the `compile_commands.json` of a folder.
pub fn read(path: &Path) -> Result<Flags, UsageError> {
    let file = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let shown = file.display().to_string();
    let bytes = std::fs::read(&file).map_err(|error| UsageError(format!("--compile-commands {shown}: {error}")))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| malformed(&shown, &text, &error))?;
    // Relative to the folder of the file itself, when `directory` is not absolute.
    let base = file.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut flags = BTreeMap::new();
    for (i, entry) in entries.into_iter().enumerate() {
        let folder = base.join(&entry.directory);
        let words = match (entry.arguments, entry.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => words(&command),
            (None, None) => {
                let name = entry.file.display();
                let text = format!("{shown}: entry {} (`{name}`) has neither `command` nor `arguments`", i + 1);
                return Err(UsageError(text));
            }
        };
        let source = folder.join(&entry.file);
        let source = source.canonicalize().unwrap_or(source);
        // A file that is compiled twice is taken as it is compiled first.
        flags.entry(source).or_insert_with(|| file_flags(&words, &folder));
    }
    Ok(Arc::new(flags))
}

/// Which of the files have no entry, in a sentence.
pub fn missing<'p>(flags: &Flags, files: impl Iterator<Item = &'p Path>) -> Option<String> {
    let known = |file: &Path| file.canonicalize().is_ok_and(|f| flags.contains_key(&f));
    let without: Vec<String> = files.filter(|f| !known(f)).map(|f| f.display().to_string()).collect();
    let named = without.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    let more = if without.len() > 3 { ", .." } else { "" };
    match without.len() {
        0 => None,
        1 => Some(format!("the compile commands have no entry for {named}")),
        n => Some(format!("the compile commands have no entry for {n} files: {named}{more}")),
    }
}

fn malformed(name: &str, text: &str, error: &serde_json::Error) -> UsageError {
    let (line, column) = (error.line(), error.column());
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    let diagnostic = MietteDiagnostic::new(format!("{name}:{line}:{column}: this is no list of compile commands"))
        .with_label(LabeledSpan::at_offset(at, why));
    let report = Report::from(diagnostic).with_source_code(NamedSource::new(name, text.to_owned()));
    let mut drawn = String::new();
    let drawing = GraphicalReportHandler::new_themed(GraphicalTheme::none());
    match drawing.render_report(&mut drawn, report.as_ref()) {
        Ok(()) => UsageError(drawn.trim().trim_start_matches(['x', '\u{d7}', ' ']).to_owned()),
        Err(_) => UsageError(report.to_string()),
    }
}

/// Splits a command as a shell does: blanks, quotes, backslashes.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n' | '\r') => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), _) if c == open => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some('"'), '\\') if chars.peek().is_some_and(|next| matches!(next, '"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The flags of gcc, clang and nvcc that change what is read.
fn file_flags(words: &[String], folder: &Path) -> FileFlags {
    /// Each with its short form, to which the value may be joined.
    const FLAGS: [(&str, char); 12] = [
        ("-isystem", 'S'),
        ("-iquote", 'I'),
        ("-idirafter", 'A'),
        ("-include", 'P'),
        ("--include-path", 'I'),
        ("--system-include", 'S'),
        ("--pre-include", 'P'),
        ("--define-macro", 'D'),
        ("--undefine-macro", 'U'),
        ("-I", 'I'),
        ("-D", 'D'),
        ("-U", 'U'),
    ];
    let mut flags = FileFlags::default();
    let (mut system, mut after) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let Some((name, kind)) = FLAGS.iter().find(|(name, _)| word.starts_with(name)) else { continue };
        let joined = &word[name.len()..];
        let value = match joined.strip_prefix('=').unwrap_or(joined) {
            "" => words.next().map(String::as_str),
            // `-include-pch` and the like are other flags.
            other if other.starts_with('-') && name.len() > 2 => None,
            value => Some(value),
        };
        let Some(value) = value else { continue };
        match kind {
            'I' => flags.include_dirs.push(folder.join(value)),
            'S' => system.push(folder.join(value)),
            'A' => after.push(folder.join(value)),
            'P' => {
                // Looked for in the folder, and then like any header.
                let own = folder.join(value);
                flags.preincludes.push(if own.is_file() { own } else { PathBuf::from(value) });
            }
            'D' => {
                let (name, value) = match value.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (value, None),
                };
                flags.defines.retain(|(known, _)| known != name);
                flags.defines.push((name.to_owned(), value));
            }
            _ => {
                flags.defines.retain(|(known, _)| known != value);
                flags.undefines.push(value.to_owned());
            }
        }
    }
    flags.include_dirs.extend(system);
    flags.include_dirs.extend(after);
    flags.include_dirs.retain(|folder| seen.insert(folder.clone()));
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let command = r#"nvcc  -DA="a b" '-DB="x"' -D\"q\" "-DC=\"s\\t\"" -DE='' c.cu"#;
        assert_eq!(words(command), ["nvcc", "-DA=a b", r#"-DB="x""#, r#"-D"q""#, r#"-DC="s\t""#, "-DE=", "c.cu"]);
        assert!(words("  ").is_empty());
        assert_eq!(words("a ''"), ["a", ""]);
        assert_eq!(words("a 'b"), ["a", "b"]);
    }

    #[test]
    fn flags_are_read_joined_and_apart() {
        let command = "nvcc -I inc -Iother -I=third -isystem sys -idirafter late -DN=4 -D M -UN -D K= -U __X__ -include pre.h \
                       -c -o k.o -O2 -std=c++17 -include-pch p.pch --define-macro Q=1 k.cu -I";
        let flags = file_flags(&words(command), Path::new("/src"));
        let folders = ["inc", "other", "third", "sys", "late"].map(|f| Path::new("/src").join(f));
        assert_eq!(flags.include_dirs, folders);
        let define = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(flags.defines, [define("M", None), define("K", Some("")), define("Q", Some("1"))]);
        assert_eq!(flags.undefines, ["N", "__X__"]);
        assert_eq!(flags.preincludes, [PathBuf::from("pre.h")]);
    }

    #[test]
    fn what_is_malformed_is_shown_with_line_and_column() {
        let text = "[\n  { \"directory\": \"/\",\n    \"file\": 3 }\n]";
        let error = serde_json::from_str::<Vec<Entry>>(text).err().expect("an error");
        let shown = malformed("c.json", text, &error).0;
        assert!(
            shown.starts_with("c.json:3:") && shown.contains("invalid type") && shown.contains("\"file\": 3"),
            "{shown}"
        );
        // The end of the text, and characters of several bytes.
        for text in ["", "[", "{}", "[\"é", "\u{feff}[]"] {
            let error = serde_json::from_str::<Vec<Entry>>(text).err().expect("an error");
            assert!(malformed("c.json", text, &error).0.contains("no list of compile commands"));
        }
    }
}
