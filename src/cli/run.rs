//! The subcommands.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;

use super::args::{Arith, Cli, Command, ExplainArgs, Stage};
use super::compile_commands::missing;
use super::config::{
    CacheConfig, CheckConfig, DumpConfig, Environment, ExportConfig, FuzzConfig, LaunchConfig, ListConfig,
    SourceConfig, UsageError,
};
use super::exit::{Exit, exit_of};
use super::output;
use super::walk::{Walk, failed, path_text, read, walk};
use crate::check::dump;
use crate::check::kernel::CheckOptions;
use crate::check::pipeline::Warps;
use crate::check::schedule::{Settings, check_files, file_name, parallel, solver_settings};
use crate::check::source::SourceOptions;
use crate::core::scope::Level;
use crate::report::finding::{FileReport, Level as ReportLevel, Message, Report};
use crate::report::{explain, render};
use crate::smt::{Cache, Encoding, Located, Second, SolverConfig, locate_known};

/// Runs the program with the arguments of the process.
pub fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let failed = error.use_stderr();
            // Nothing can be done when the message cannot be printed.
            let _ = error.print();
            return if failed { Exit::Failed } else { Exit::Proved };
        }
    };
    let env = Environment::detect();
    let result = match cli.command {
        Command::Check(args) => CheckConfig::new(*args, cli.terminal, &env).and_then(|c| check(&c)),
        Command::Export(args) => ExportConfig::new(args).and_then(|c| export(&c)),
        Command::Dump(args) => DumpConfig::new(args).and_then(|c| dump_stage(&c)),
        Command::Fuzz(args) => super::fuzz::run(&FuzzConfig::new(args, cli.terminal, &env)),
        Command::Explain(args) => explain_code(&args),
        Command::List(args) => ListConfig::new(args).and_then(|c| list(&c)),
    };
    match result {
        Ok(exit) => exit,
        Err(UsageError(text)) => {
            eprintln!("error: {text}");
            Exit::Failed
        }
    }
}

pub(super) fn print(text: &str, file: Option<&Path>) -> Result<(), UsageError> {
    output::write(text, file).map_err(|error| {
        UsageError(format!("{}: {error}", file.map_or("standard output".to_owned(), |f| f.display().to_string())))
    })
}

fn source_options(config: &SourceConfig) -> SourceOptions {
    SourceOptions {
        defines: config.defines.iter().map(|d| (d.name.clone(), d.value.clone())).collect(),
        include_dirs: config.includes.clone(),
        files: config.commands.clone().unwrap_or_default(),
    }
}

fn settings(source: &SourceConfig, launch: &LaunchConfig, kernels: &[String]) -> Settings {
    Settings {
        source: source_options(source),
        check: CheckOptions {
            all_dims: launch.all_dims,
            large_grids: launch.large_grids,
            negative_sizes: launch.negative_sizes,
            any_stride: launch.any_stride,
            any_offsets: launch.any_offsets,
            ignore_host: launch.ignore_host,
            warps: Warps { size: launch.warp_size, lockstep: launch.lockstep_warps },
            ..CheckOptions::default()
        },
        block: launch.block,
        grid: launch.grid,
        kernels: kernels.to_vec(),
        jobs: 1,
        deadline: None,
    }
}

/// Says once which files are not in the compile commands.
fn note_missing<'p>(source: &SourceConfig, files: impl Iterator<Item = &'p Path>) {
    if let Some(text) = source.commands.as_ref().and_then(|commands| missing(commands, files)) {
        eprintln!("note: {text}");
    }
}

/// The texts of the files under the paths, and reports of those that could not be read.
pub(super) fn texts(paths: &[PathBuf]) -> (Vec<(PathBuf, String)>, Vec<FileReport>) {
    let Walk { inputs, failed: mut unread } = walk(paths);
    let mut found = Vec::new();
    for input in inputs {
        match read(&input.path) {
            Ok(text) => found.push((input.path, text)),
            Err(message) => unread.push(failed(&input.path, *message)),
        }
    }
    (found, unread)
}

fn check(config: &CheckConfig) -> Result<Exit, UsageError> {
    let cache = Arc::new(match &config.solver.cache {
        CacheConfig::Folder(folder) => Cache::in_folder(folder.clone()),
        CacheConfig::Off | CacheConfig::Nowhere => Cache::in_memory(),
    });
    let solver = solver_config(config, &cache)?;
    let (inputs, unread) = texts(&config.paths);
    note_missing(&config.source, inputs.iter().map(|(path, _)| path.as_path()));
    let mut settings = settings(&config.source, &config.launch, &config.select.kernels);
    settings.jobs = config.solver.jobs.get();
    settings.deadline = config.solver.timeout.map(|t| Instant::now() + t);
    settings.check.arrays = config.select.arrays.clone();
    settings.check.params = config.assume.params.clone();
    settings.check.conditions = config.assume.conditions.clone();
    settings.check.levels = levels(&config.select.levels);
    settings.check.path = config.path;
    settings.check.presolve = config.solver.presolve;
    settings.check.max_findings = config.max_findings.get();
    let mut report = check_files(&inputs, &settings, &solver);
    note_cache(&config.solver.cache, &cache);
    if let Some(second) = &solver.second {
        if let Some(what) = second.disagreement() {
            return Err(UsageError(what));
        }
        note_second(second);
    }
    report.files.extend(unread);
    report.files.sort_by(|a, b| a.path.cmp(&b.path));
    if report.kernels.is_empty() {
        let text = match config.select.kernels.as_slice() {
            [] => "no kernel was found".to_owned(),
            names => format!("no kernel is named {}", names.join(" or ")),
        };
        report.messages.push(Message { code: "no-kernels", text, at: None, help: None });
    }
    let text = render(&report, config.output.format, &config.output.render);
    print(&text, config.output.file.as_deref())?;
    Ok(exit_of(&report, config.deny_same_value))
}

/// The levels that are checked.
fn levels(selected: &[ReportLevel]) -> Vec<Level> {
    let each = selected.iter().map(|l| match l {
        ReportLevel::Warp => Level::Warp,
        ReportLevel::Block => Level::Block,
        ReportLevel::Cluster => Level::Cluster,
        ReportLevel::Grid => Level::Grid,
    });
    each.collect()
}

fn solver_config(config: &CheckConfig, cache: &Arc<Cache>) -> Result<SolverConfig, UsageError> {
    let options = &config.solver;
    let located = find_solver(options.program.as_deref(), cache)?;
    let timeout = options.query_timeout.max(Duration::from_millis(1));
    let second = match &options.second {
        None => None,
        Some(second) => {
            let folder = options.keep_smt.clone().unwrap_or_else(std::env::temp_dir);
            let found = Second::locate(second.program.as_deref(), &located, timeout, folder);
            Some(Arc::new(found.map_err(|e| UsageError(format!("--double-check: {e}")))?))
        }
    };
    Ok(SolverConfig {
        solver: options.program.clone(),
        located: Some(located),
        cache: Some(Arc::clone(cache)),
        second,
        timeout,
        keep_dir: options.keep_smt.clone(),
        encoding: match options.arith {
            Arith::Auto => Encoding::Auto,
            Arith::Int => Encoding::Integers,
            Arith::Bv => Encoding::BitVectors,
        },
        ..solver_settings()
    })
}

/// Looks for the solver, which is not started for that a second time.
fn find_solver(program: Option<&Path>, cache: &Cache) -> Result<Located, UsageError> {
    let mut asked = false;
    let located = locate_known(program, |path| {
        let known = cache.known_kind(path);
        asked = known.is_none();
        known
    });
    let located = located.map_err(|e| UsageError(e.to_string()))?;
    if asked {
        cache.learn_kind(&located);
    }
    Ok(located)
}

/// Says once why the next run will ask everything again.
fn note_cache(config: &CacheConfig, cache: &Cache) {
    let why = match config {
        CacheConfig::Off => None,
        CacheConfig::Folder(_) => cache.trouble(),
        CacheConfig::Nowhere => Some("neither XDG_CACHE_HOME nor HOME names a folder".to_owned()),
    };
    if let Some(why) = why {
        eprintln!("note: answers of the solver are not kept ({why}); see --cache and --no-cache");
    }
}

/// Says how much the second solver was worth.
fn note_second(second: &Second) {
    let tally = second.tally();
    if tally.undecided > 0 {
        let asked = tally.confirmed + tally.undecided;
        eprintln!("note: `{}` confirmed {} of {asked} proofs", second.path().display(), tally.confirmed);
    }
}

fn dump_stage(config: &DumpConfig) -> Result<Exit, UsageError> {
    let text = read(&config.file).map_err(|m| UsageError(format!("{}: {}", path_text(&config.file), m.text)))?;
    note_missing(&config.source, std::iter::once(config.file.as_path()));
    let mut settings = settings(&config.source, &config.launch, &config.select.kernels);
    settings.check.arrays = config.select.arrays.clone();
    settings.check.params = config.assume.params.clone();
    settings.check.conditions = config.assume.conditions.clone();
    settings.check.levels = levels(&config.select.levels);
    let stage = match config.stage {
        Stage::Ir => dump::Stage::Ir,
        Stage::Protocol => dump::Stage::Protocol,
        Stage::Wellformed => dump::Stage::Wellformed,
        Stage::Align => dump::Stage::Align,
        Stage::Split => dump::Stage::Split,
        Stage::Phases => dump::Stage::Phases,
        Stage::Trace => dump::Stage::Trace,
        Stage::Smt => dump::Stage::Smt,
    };
    let input = [(config.file.clone(), text)];
    let texts = parallel(
        &input,
        1,
        || (),
        |(), (path, text)| dump::dump(path, text, stage, &settings, &solver_settings()),
        |_, text| Err(text),
    );
    for text in texts {
        print(&text.map_err(UsageError)?, None)?;
    }
    Ok(Exit::Proved)
}

/// Writes the protocols of all kernels, one file a kernel; or, with `--check`, compares them with those on disk.
fn export(config: &ExportConfig) -> Result<Exit, UsageError> {
    let (inputs, unread) = texts(&config.paths);
    for file in &unread {
        eprintln!("{}: {}", file.path, file.messages.first().map_or("could not be read", |m| m.text.as_str()));
    }
    note_missing(&config.source, inputs.iter().map(|(path, _)| path.as_path()));
    let settings = settings(&config.source, &config.launch, &config.kernels);
    let all =
        parallel(&inputs, 1, || (), |(), (path, text)| Ok(dump::protocols(path, text, &settings)), |_, text| Err(text));
    let mut wanted: Vec<(PathBuf, String)> = Vec::new();
    for ((path, _), protocols) in inputs.iter().zip(all) {
        for (kernel, text) in protocols.map_err(UsageError)? {
            let stem = path.file_stem().map_or("kernel".into(), |s| s.to_string_lossy());
            let name = file_name(&kernel);
            let mut file = config.folder.join(format!("{stem}.{name}.map"));
            let mut n = 2;
            while wanted.iter().any(|(f, _)| *f == file) {
                file = config.folder.join(format!("{stem}.{name}.{n}.map"));
                n += 1;
            }
            wanted.push((file, text));
        }
    }
    let mut stale = false;
    for (file, text) in &wanted {
        if config.check {
            match std::fs::read_to_string(file) {
                Ok(there) if there == *text => {}
                Ok(_) => {
                    println!("{}: out of date", file.display());
                    stale = true;
                }
                Err(_) => {
                    println!("{}: missing", file.display());
                    stale = true;
                }
            }
        } else {
            let io = |error: std::io::Error| UsageError(format!("{}: {error}", file.display()));
            std::fs::create_dir_all(&config.folder).map_err(io)?;
            std::fs::write(file, text).map_err(io)?;
            println!("{}", file.display());
        }
    }
    if wanted.is_empty() {
        println!("no kernel was found");
    }
    Ok(match (stale, unread.is_empty()) {
        (true, _) => Exit::Racy,
        (false, false) => Exit::Failed,
        (false, true) => Exit::Proved,
    })
}

fn list(config: &ListConfig) -> Result<Exit, UsageError> {
    let (inputs, unread) = texts(&config.paths);
    note_missing(&config.source, inputs.iter().map(|(path, _)| path.as_path()));
    let settings = settings(&config.source, &config.launch, &[]);
    print(&dump::list(&inputs, &settings), None)?;
    for file in &unread {
        eprintln!("{}: {}", file.path, file.messages.first().map_or("could not be read", |m| m.text.as_str()));
    }
    Ok(if unread.is_empty() { Exit::Proved } else { Exit::Failed })
}

fn explain_code(args: &ExplainArgs) -> Result<Exit, UsageError> {
    let Some(code) = &args.code else {
        let codes: Vec<&str> = explain::ENTRIES.iter().map(|e| e.code).collect();
        print(&format!("{}\n", codes.join("\n")), None)?;
        return Ok(Exit::Proved);
    };
    match explain::explain(code) {
        Ok(text) => {
            print(&text, None)?;
            Ok(Exit::Proved)
        }
        Err(_) if !args.paths.is_empty() => explain_finding(code, &args.paths),
        Err(near) => {
            let hint = match near.as_slice() {
                [] => "`faial-like explain` lists all codes; the id of a finding needs the path of its file".to_owned(),
                near => format!("did you mean {}?", near.join(", ")),
            };
            Err(UsageError(format!("`{code}` is not a code: {hint}")))
        }
    }
}

/// Looks for a finding by its id, and prints it with the long text of its code.
fn explain_finding(id: &str, paths: &[PathBuf]) -> Result<Exit, UsageError> {
    let (inputs, _) = texts(paths);
    let mut report: Report = check_files(&inputs, &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
    for kernel in &mut report.kernels {
        kernel.findings.retain(|f| f.id.starts_with(id));
    }
    report.kernels.retain(|k| !k.findings.is_empty());
    let Some(finding) = report.kernels.iter().flat_map(|k| &k.findings).next() else {
        return Err(UsageError(format!("no finding under these paths has the id `{id}`")));
    };
    let code = crate::report::finding_code(finding);
    let long = explain::explain(code).unwrap_or_default();
    let text = render(&report, crate::report::Format::Text, &crate::report::RenderOptions::default());
    print(&format!("{text}\n{long}"), None)?;
    Ok(Exit::Proved)
}
