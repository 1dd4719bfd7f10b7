//! Runs the files of `tests/files`: each names a stage, has an input, and what is expected of the stage in comments.
//!
//! ```text
//! //@ test align
//! kernel k { .. }
//! //> what the stage prints, line by line
//! ```
//!
//! `BLESS=1 cargo test --test filetests` writes what the stages print into the files.

use std::path::{Path, PathBuf};

use faial_like::core::race::RacePhase;
use faial_like::core::{
    Kernel, Level, Print, Protocol, align, levels, phases, project, race_phase, seq, split, violations, wellformed,
};
use faial_like::text::parse_protocol;
use libtest_mimic::{Arguments, Failed, Trial};

const MARK: &str = "//> ";

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || check(&path))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "map") {
            files.push(path);
        }
    }
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let Some(stage) = text.lines().next().and_then(|line| line.strip_prefix("//@ test ")) else {
        return Err("the first line must be `//@ test <stage>`".into());
    };
    let (input, expected): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| !line.starts_with(MARK.trim_end()));
    let input = input.join("\n").trim_end().to_string();
    let found = run(stage.trim(), &input)?;
    let expected: Vec<&str> = expected.iter().map(|line| line.strip_prefix(MARK).unwrap_or("")).collect();
    if found.lines().eq(expected.iter().copied()) {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        let output: String = found.lines().map(|line| format!("{}\n", format!("{MARK}{line}").trim_end())).collect();
        std::fs::write(path, format!("{input}\n\n{output}"))?;
        return Ok(());
    }
    Err(format!("expected\n{}\n\nfound\n{found}", expected.join("\n")).into())
}

/// What the stage prints for the input.
fn run(stage: &str, input: &str) -> Result<String, Failed> {
    let kernel = match parse_protocol(input) {
        Ok(kernel) => kernel,
        Err(errors) if stage == "text" => return Ok(errors.iter().map(|e| format!("{e}\n")).collect()),
        Err(errors) => return Err(format!("{errors:?}").into()),
    };
    let refused = |found: Vec<faial_like::core::Violation>| -> String {
        let at = |v: &faial_like::core::Violation| v.at.map_or(String::new(), |site| format!(" {site}"));
        found.iter().map(|v| format!("[{}]{} {}\n", v.rule, at(v), v.message)).collect()
    };
    let closures = |kernel: &Kernel<Protocol>| kernel.with_code(phases(kernel));
    Ok(match stage {
        "text" => kernel.text(),
        "wellformed" => {
            let all = Level::ALL.map(|level| format!("{level:?}\n{}", refused(violations(&kernel, level))));
            let paper = wellformed(&kernel, Level::Block).err().map_or(String::new(), refused);
            format!("{}paper\n{paper}", all.concat())
        }
        "align" => match wellformed(&kernel, Level::Block) {
            Ok(admitted) => kernel.with_code(align(&admitted.code)).text(),
            Err(found) => refused(found),
        },
        "split" => match wellformed(&kernel, Level::Block) {
            Ok(admitted) => kernel.with_code(split(&align(&admitted.code))).text(),
            Err(found) => refused(found),
        },
        "phases" => closures(&kernel).text(),
        "trace" => {
            let projection = project(&kernel, Level::Block, &[Level::Block], 32);
            let closures = phases(&projection.kernel);
            kernel.with_code(closures.iter().map(|c| seq(&projection, c)).collect::<Vec<_>>()).text()
        }
        "scope" => {
            let in_use = levels(&kernel);
            let each = in_use.iter().map(|level| {
                let projection = project(&kernel, *level, &in_use, 32);
                format!("{level:?} when {}\n{}", projection.meet, projection.kernel.text())
            });
            each.collect()
        }
        "race" => {
            let projection = project(&kernel, Level::Block, &[Level::Block], 32);
            phases(&projection.kernel).iter().map(|c| describe(&race_phase(&projection, c))).collect()
        }
        other => return Err(format!("there is no stage `{other}`").into()),
    })
}

fn describe(phase: &RacePhase) -> String {
    let start = phase.start.map_or(String::new(), |site| format!(" {site}"));
    let mut text = format!("phase{start}\n  assume {}\n", phase.assumptions);
    for (i, one) in phase.sides.iter().enumerate() {
        for two in phase.sides.iter().skip(i) {
            let formula = phase.pair(one, two);
            if formula.as_lit() != Some(false) {
                text += &format!("  {} and {}: {formula}\n", one.site, two.site);
            }
        }
    }
    text
}
