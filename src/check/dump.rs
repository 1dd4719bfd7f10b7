//! The stages of the pipeline as text.

use std::path::{Path, PathBuf};

use super::kernel::{CheckOptions, check_kernel, protocol_of};
use super::launch::{asked, launch};
use super::pipeline::{AtLevel, PhasePath, aligned, at_levels};
use super::protocol::protocol_text;
use super::schedule::{Settings, parallel, read_files};
use super::source::{KernelCode, SourceFile, SourceKernel, load, location};
use crate::core::{Kernel, Level, Print, Space, Violation, WellFormed, seq, split, wellformed};
use crate::kernel::infer::Inferred;
use crate::report::finding::LaunchSource;
use crate::smt::{Session, SolverConfig};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Ir,
    Protocol,
    Wellformed,
    Align,
    Split,
    Phases,
    Trace,
    Smt,
}

fn selected(settings: &Settings, name: &str) -> bool {
    let base = name.split('<').next().unwrap_or("");
    settings.kernels.is_empty() || settings.kernels.iter().any(|k| k == name || k == base)
}

/// The selected kernels of a file, or why there are none.
fn kernels<'f>(file: &'f SourceFile, settings: &Settings) -> Result<Vec<&'f SourceKernel>, String> {
    let found: Vec<_> = file.kernels.iter().filter(|k| selected(settings, &k.name)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let mut text = match settings.kernels.as_slice() {
        [] => format!("{}: no kernel was found", file.report.path),
        names => format!("{}: no kernel is named {}", file.report.path, names.join(" or ")),
    };
    for message in &file.report.messages {
        let at = message.at.as_ref().map_or(String::new(), |at| format!("{}:{}:{}: ", at.path, at.line, at.column));
        text.push_str(&format!("\n  {at}{} [{}]", message.text, message.code));
    }
    Err(text)
}

/// One stage of every kernel of a file.
pub fn dump(
    path: &Path,
    text: &str,
    stage: Stage,
    settings: &Settings,
    solver: &SolverConfig,
) -> Result<String, String> {
    let file = load(path, text.to_owned(), &settings.source);
    let mut out = String::new();
    for kernel in kernels(&file, settings)? {
        if stage == Stage::Ir {
            match &kernel.code {
                KernelCode::Cuda(lowered) => out.push_str(&lowered.program.text()),
                KernelCode::Protocol(_) => return Err(format!("{}: a protocol has no earlier stage", path.display())),
            }
            continue;
        }
        if stage == Stage::Smt {
            out.push_str(&questions(&file, kernel, settings, solver)?);
            continue;
        }
        let (launch, _) = launch(settings.block, settings.grid, &file.header, kernel, settings.check.ignore_host);
        let inferred = protocol_of(kernel, &launch, &settings.check);
        if stage == Stage::Protocol {
            out.push_str(&protocol_text(&inferred));
            continue;
        }
        for at in at_levels(
            &inferred.kernel,
            &asked(&file.header, &settings.check).levels,
            settings.check.warps,
            PhasePath::Phases,
        ) {
            let level = match at.level {
                Level::Warp => "warp: two threads of one warp",
                Level::Block => "block: two threads of one block",
                Level::Cluster => "cluster: two threads of different blocks of one cluster",
                Level::Grid if at.below == Some(Level::Cluster) => "grid: two threads of different clusters",
                Level::Grid => "grid: two threads of different blocks",
            };
            out.push_str(&format!("// {level}\n{}", at_level(&file, &inferred, &at, stage)));
        }
    }
    Ok(out)
}

/// What a stage after inference makes of a kernel at one level.
fn at_level(file: &SourceFile, inferred: &Inferred, at: &AtLevel, stage: Stage) -> String {
    let kernel = &at.projection.kernel;
    type Printed = Result<String, Violation>;
    let admitted = |print: &dyn Fn(Kernel<WellFormed>) -> Printed| {
        wellformed(kernel, at.level).and_then(|kernel| print(kernel).map_err(|large| vec![large]))
    };
    let paper = |print: &dyn Fn(Kernel<WellFormed>) -> Printed| match admitted(print) {
        Ok(text) => text,
        Err(violations) => {
            let head = format!("// `{}` is not in the language of the paper; the default path goes on\n", kernel.name);
            head + &violations.iter().map(|v| broken_rule(file, inferred, v)).collect::<String>()
        }
    };
    match stage {
        Stage::Wellformed => paper(&|k| Ok(k.text())),
        Stage::Align => paper(&|k| Ok(k.with_code(aligned(&k.code)?).text())),
        Stage::Split => paper(&|k| Ok(k.with_code(split(&aligned(&k.code)?)).text())),
        Stage::Phases => kernel.with_code(at.closures.clone()).text(),
        Stage::Trace => {
            let traces: Vec<_> = at.closures.iter().map(|c| seq(&at.projection, c)).collect();
            kernel.with_code(traces).text()
        }
        Stage::Ir | Stage::Protocol | Stage::Smt => crate::bug!("a stage that is not of one level"),
    }
}

fn broken_rule(file: &SourceFile, inferred: &Inferred, violation: &Violation) -> String {
    let site = violation.at.and_then(|site| inferred.sites.get(site.0 as usize));
    let at = site.map_or(String::new(), |s| {
        let at = location(&file.sources, s.span);
        format!("{}:{}:{}: ", at.path, at.line, at.column)
    });
    format!("//   {at}{} [{}]\n", violation.message, violation.rule)
}

/// The scripts that the solver gets for a kernel, each with its answer.
fn questions(
    file: &SourceFile,
    kernel: &SourceKernel,
    settings: &Settings,
    solver: &SolverConfig,
) -> Result<String, String> {
    let folder =
        std::env::temp_dir().join(format!("faial-like-{}-{:?}", std::process::id(), std::thread::current().id()));
    let mut session = Session::new(SolverConfig { keep_dir: Some(folder.clone()), ..solver.clone() });
    if let Err(reason) = session.solver() {
        return Err(reason.to_string());
    }
    let (launch, notes) = launch(settings.block, settings.grid, &file.header, kernel, settings.check.ignore_host);
    let options = CheckOptions { presolve: false, ..asked(&file.header, &settings.check).into_owned() };
    let report = check_kernel(kernel, &file.sources, &launch, &notes, &options, &mut session);
    let mut out =
        format!("; kernel {}: {} questions, of which those that the solver got follow\n", kernel.name, report.queries);
    let mut scripts: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    scripts.sort();
    for (i, script) in scripts.iter().enumerate() {
        let text = std::fs::read_to_string(script).map_err(|e| format!("{}: {e}", script.display()))?;
        out.push_str(&format!("; {} of {}\n{text}(reset)\n", i + 1, scripts.len()));
    }
    // A folder that stays behind in the temporary folder is no reason to fail.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(out)
}

/// The protocols of the kernels of a file: name and text.
pub fn protocols(path: &Path, text: &str, settings: &Settings) -> Vec<(String, String)> {
    let file = load(path, text.to_owned(), &settings.source);
    let kernels = file.kernels.iter().filter(|k| selected(settings, &k.name));
    let each = kernels.map(|kernel| {
        let (launch, _) = launch(settings.block, settings.grid, &file.header, kernel, settings.check.ignore_host);
        (kernel.name.clone(), protocol_text(&protocol_of(kernel, &launch, &settings.check)))
    });
    each.collect()
}

/// The kernels of files, their arrays, and their launches, a line each.
pub fn list(inputs: &[(PathBuf, String)], settings: &Settings) -> String {
    let files = read_files(inputs, settings);
    let one = |(): &mut (), file: &SourceFile| list_file(file, settings);
    parallel(&files[..inputs.len()], 1, || (), one, |file, text| format!("{}: {text}\n", file.report.path)).concat()
}

fn list_file(file: &SourceFile, settings: &Settings) -> String {
    let mut out = String::new();
    for kernel in &file.kernels {
        let (launch, notes) = launch(settings.block, settings.grid, &file.header, kernel, settings.check.ignore_host);
        let inferred = protocol_of(kernel, &launch, &settings.check);
        let line = file.sources.start(kernel.span).line;
        out.push_str(&format!("{}:{line}: {}\n", file.report.path, kernel.name));
        let dims = |d: [Option<i128>; 3]| d.map(|n| n.map_or("*".to_owned(), |n| n.to_string())).join(",");
        let from = match (&kernel.code, launch.from) {
            (KernelCode::Protocol(_), _) => "the protocol",
            (_, LaunchSource::Option) => "options",
            (_, LaunchSource::Header) => "the header",
            (_, LaunchSource::LaunchSite) => &kernel.host.place,
            (_, LaunchSource::GroupSize) => "reqd_work_group_size",
            (_, LaunchSource::LaunchBounds) => "__launch_bounds__",
            (_, LaunchSource::Symbolic) => "nowhere: any launch",
        };
        out.push_str(&format!("  block [{}], grid [{}], from {from}\n", dims(inferred.block), dims(inferred.grid)));
        for note in notes {
            out.push_str(&format!("  {note}\n"));
        }
        for array in &inferred.kernel.arrays {
            let space = match array.space {
                Space::Shared => "shared",
                Space::Global => "global",
            };
            out.push_str(&format!("  {space} {} in units of {} bytes\n", array.name, array.unit));
        }
    }
    out
}
