//! What the arguments come to: checked, with defaults filled in, and independent of the terminal from here on.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{
    Arith, AssumeArgs, CheckArgs, Define, Deny, Dims, DumpArgs, ExportArgs, FuzzArgs, FuzzPass, LaunchArgs, ListArgs,
    PathArg, SelectArgs, SolverArgs, SourceArgs, Stage, TerminalArgs, When,
};
use super::cache_folder::default_folder;
use super::compile_commands::{self, Flags};
use crate::check::kernel::assume;
use crate::check::pipeline::PhasePath;
use crate::exp::{IntTy, Var};
use crate::fuzz::Pass;
use crate::report::finding::Level;
use crate::report::{Drawing, Format, RenderOptions, Verbosity};

/// Arguments that are each fine but make no sense together, or with what is on the disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// What of the surroundings decides on defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    pub stdout_is_terminal: bool,
    /// `NO_COLOR` is set and not empty, or the terminal is `dumb`.
    pub no_color: bool,
    /// `NO_GRAPHICS` is set: sentences instead of drawings.
    pub no_graphics: bool,
    pub ci: bool,
    /// The terminal shows more than ASCII.
    pub unicode: bool,
    pub processors: NonZeroUsize,
    /// Where answers of the solver are kept; `None` where the user has no folder for such things.
    pub cache_folder: Option<PathBuf>,
}

impl Environment {
    pub fn detect() -> Environment {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| std::env::var(n).ok().filter(|v| !v.is_empty()));
        let utf8 = locale.is_some_and(|l| l.to_uppercase().replace('-', "").contains("UTF8"));
        Environment {
            stdout_is_terminal: std::io::stdout().is_terminal(),
            no_color: set("NO_COLOR") || std::env::var_os("TERM").is_some_and(|t| t == "dumb"),
            no_graphics: set("NO_GRAPHICS"),
            ci: set("CI"),
            unicode: utf8 || set("WT_SESSION"),
            processors: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            cache_folder: default_folder(|name| std::env::var_os(name)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckConfig {
    pub paths: Vec<PathBuf>,
    pub source: SourceConfig,
    pub launch: LaunchConfig,
    pub select: SelectConfig,
    pub assume: AssumeConfig,
    pub solver: SolverConfig,
    pub output: OutputConfig,
    pub deny_same_value: bool,
    pub max_findings: NonZeroUsize,
    pub path: PhasePath,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportConfig {
    pub paths: Vec<PathBuf>,
    pub folder: PathBuf,
    pub check: bool,
    pub source: SourceConfig,
    pub launch: LaunchConfig,
    pub kernels: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpConfig {
    pub file: PathBuf,
    pub stage: Stage,
    pub source: SourceConfig,
    pub launch: LaunchConfig,
    pub select: SelectConfig,
    pub assume: AssumeConfig,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzConfig {
    pub passes: Vec<Pass>,
    /// Random kernels, through everything, against runs of them.
    pub soundness: bool,
    /// Where the kernels to change come from; without any they are made.
    pub from: Vec<PathBuf>,
    pub cases: FuzzCases,
    pub seed: u64,
    pub time: Option<Duration>,
    pub jobs: NonZeroUsize,
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FuzzCases {
    /// So many for each kind of protocol.
    Each(u64),
    /// The one with this number.
    Only(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListConfig {
    pub paths: Vec<PathBuf>,
    pub source: SourceConfig,
    pub launch: LaunchConfig,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceConfig {
    /// In the order given: a later definition of a name replaces an earlier one.
    pub defines: Vec<Define>,
    pub includes: Vec<PathBuf>,
    /// The flags of each file, from `--compile-commands`.
    pub commands: Option<Flags>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchConfig {
    /// `None`: taken from the source.
    pub block: Option<Dims>,
    pub grid: Option<Dims>,
    pub all_dims: bool,
    pub large_grids: bool,
    pub negative_sizes: bool,
    pub any_stride: bool,
    pub any_offsets: bool,
    pub warp_size: u32,
    pub lockstep_warps: bool,
    pub ignore_host: bool,
}

/// Empty lists select everything; levels are sorted, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectConfig {
    pub kernels: Vec<String>,
    pub arrays: Vec<String>,
    pub levels: Vec<Level>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssumeConfig {
    pub params: BTreeMap<String, i128>,
    /// Source text, not yet parsed.
    pub conditions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverConfig {
    /// `None`: looked for on the machine.
    pub program: Option<PathBuf>,
    pub query_timeout: Duration,
    pub timeout: Option<Duration>,
    pub jobs: NonZeroUsize,
    pub keep_smt: Option<PathBuf>,
    pub cache: CacheConfig,
    /// Not when every question or every proof is to be seen by a solver.
    pub presolve: bool,
    pub arith: Arith,
    pub second: Option<SecondConfig>,
}

/// Where answers are kept for later runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheConfig {
    /// It is not wanted.
    Off,
    Folder(PathBuf),
    /// It is wanted, and there is no place for it.
    Nowhere,
}

/// Proofs are confirmed by a second solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondConfig {
    /// `None`: looked for on the machine.
    pub program: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputConfig {
    pub format: Format,
    /// `None` is standard output.
    pub file: Option<PathBuf>,
    pub render: RenderOptions,
}

impl CheckConfig {
    pub fn new(args: CheckArgs, terminal: TerminalArgs, env: &Environment) -> Result<CheckConfig, UsageError> {
        if let Some(file) = &args.output
            && file.is_dir()
        {
            return Err(UsageError(format!("-o {}: this is a folder, and the report is one file", file.display())));
        }
        let render = render_options(terminal, args.output.is_none(), env);
        Ok(CheckConfig {
            paths: args.paths,
            source: SourceConfig::new(args.source)?,
            launch: LaunchConfig::new(args.launch)?,
            select: SelectConfig::new(args.select)?,
            assume: AssumeConfig::new(args.assume)?,
            solver: SolverConfig::new(args.solver, env)?,
            output: OutputConfig { format: args.format, file: args.output, render },
            deny_same_value: args.deny.contains(&Deny::SameValue),
            max_findings: args.max_findings,
            path: match args.path {
                PathArg::Phases => PhasePath::Phases,
                PathArg::Paper => PhasePath::Paper,
            },
        })
    }
}

impl ExportConfig {
    pub fn new(args: ExportArgs) -> Result<ExportConfig, UsageError> {
        is_folder_or_free("-o", &args.output)?;
        Ok(ExportConfig {
            paths: args.paths,
            folder: args.output,
            check: args.check,
            source: SourceConfig::new(args.source)?,
            launch: LaunchConfig::new(args.launch)?,
            kernels: args.kernel,
        })
    }
}

impl DumpConfig {
    pub fn new(args: DumpArgs) -> Result<DumpConfig, UsageError> {
        if args.file.is_dir() {
            return Err(UsageError(format!("{} is a folder: name one file to dump", args.file.display())));
        }
        Ok(DumpConfig {
            file: args.file,
            stage: args.stage,
            source: SourceConfig::new(args.source)?,
            launch: LaunchConfig::new(args.launch)?,
            select: SelectConfig::new(args.select)?,
            assume: AssumeConfig::new(args.assume)?,
        })
    }
}

impl FuzzConfig {
    pub fn new(args: FuzzArgs, terminal: TerminalArgs, env: &Environment) -> FuzzConfig {
        let passes = match args.pass {
            FuzzPass::Align => vec![Pass::Align],
            FuzzPass::Split => vec![Pass::Split],
            FuzzPass::Phases => vec![Pass::Phases],
            FuzzPass::Scopes => vec![Pass::Scopes],
            FuzzPass::Lockstep => vec![Pass::Lockstep],
            FuzzPass::Trace => vec![Pass::Trace],
            FuzzPass::Encode => vec![Pass::Encode],
            FuzzPass::Roundtrip => vec![Pass::Roundtrip],
            FuzzPass::All => Pass::ALL.to_vec(),
            FuzzPass::Soundness => vec![],
        };
        let cases = match (args.case, args.cases, args.time) {
            (Some(case), _, _) => FuzzCases::Only(case),
            (None, Some(cases), _) => FuzzCases::Each(cases),
            (None, None, Some(_)) => FuzzCases::Each(u64::MAX),
            (None, None, None) => FuzzCases::Each(1000),
        };
        let jobs = args.jobs.unwrap_or(env.processors);
        let soundness = matches!(args.pass, FuzzPass::Soundness);
        let (from, seed, time, quiet) = (args.from, args.seed, args.time, terminal.quiet);
        FuzzConfig { passes, soundness, from, cases, seed, time, jobs, quiet }
    }
}

impl ListConfig {
    pub fn new(args: ListArgs) -> Result<ListConfig, UsageError> {
        Ok(ListConfig {
            paths: args.paths,
            source: SourceConfig::new(args.source)?,
            launch: LaunchConfig::new(args.launch)?,
        })
    }
}

impl SourceConfig {
    pub fn new(args: SourceArgs) -> Result<SourceConfig, UsageError> {
        // A compiler says nothing of a missing folder; here it would show only as unknown names much later.
        for folder in &args.include {
            if !folder.is_dir() {
                return Err(UsageError(format!("-I {}: no such folder", folder.display())));
            }
        }
        let commands = args.compile_commands.as_deref().map(compile_commands::read).transpose()?;
        Ok(SourceConfig { defines: args.define, includes: args.include, commands })
    }
}

impl LaunchConfig {
    pub fn new(args: LaunchArgs) -> Result<LaunchConfig, UsageError> {
        Ok(LaunchConfig {
            block: args.block_dim,
            grid: args.grid_dim,
            all_dims: args.all_dims,
            large_grids: args.large_grids,
            negative_sizes: args.negative_sizes,
            any_stride: args.any_stride,
            any_offsets: args.any_offsets,
            warp_size: args.warp_size,
            lockstep_warps: args.lockstep_warps,
            ignore_host: args.ignore_host,
        })
    }
}

impl SelectConfig {
    pub fn new(args: SelectArgs) -> Result<SelectConfig, UsageError> {
        let mut levels = args.level;
        levels.sort_unstable();
        levels.dedup();
        Ok(SelectConfig { kernels: args.kernel, arrays: args.array, levels })
    }
}

impl AssumeConfig {
    pub fn new(args: AssumeArgs) -> Result<AssumeConfig, UsageError> {
        let mut params = BTreeMap::new();
        for param in args.param {
            if let Some(before) = params.insert(param.name.clone(), param.value)
                && before != param.value
            {
                return Err(UsageError(format!("--param {} is given as {before} and as {}", param.name, param.value)));
            }
        }
        if args.assume.iter().any(|c| c.trim().is_empty()) {
            return Err(UsageError("--assume needs a condition, such as 'n % 32 == 0'".to_owned()));
        }
        for condition in &args.assume {
            // Which names there are shows only for each kernel: here, all that it uses are there.
            if let Err(why) = assume(&names(condition), condition) {
                return Err(UsageError(format!("--assume '{condition}': {why}")));
            }
        }
        Ok(AssumeConfig { params, conditions: args.assume })
    }
}

/// The words of a condition that may be variables.
fn names(condition: &str) -> Vec<Var> {
    let words = condition.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')));
    let words = words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    let words: BTreeSet<&str> = words.filter(|w| !matches!(*w, "true" | "false")).collect();
    words.into_iter().map(|w| Var::new(w, IntTy::I32)).collect()
}

impl SolverConfig {
    pub fn new(args: SolverArgs, env: &Environment) -> Result<SolverConfig, UsageError> {
        if let Some(folder) = &args.keep_smt {
            is_folder_or_free("--keep-smt", folder)?;
        }
        if let Some(folder) = &args.cache {
            is_folder_or_free("--cache", folder)?;
        }
        let cache = match (args.no_cache, args.cache, &env.cache_folder) {
            (true, _, _) => CacheConfig::Off,
            (false, Some(folder), _) => CacheConfig::Folder(folder),
            (false, None, Some(folder)) => CacheConfig::Folder(folder.clone()),
            (false, None, None) => CacheConfig::Nowhere,
        };
        Ok(SolverConfig {
            cache,
            presolve: !args.no_presolve && !args.double_check && args.keep_smt.is_none(),
            arith: args.arith,
            second: args.double_check.then_some(SecondConfig { program: args.second_solver }),
            program: args.solver,
            query_timeout: args.query_timeout,
            timeout: args.timeout,
            jobs: args.jobs.unwrap_or(env.processors),
            keep_smt: args.keep_smt,
        })
    }
}

/// How to print what goes to standard output, or to a file when `to_stdout` is false.
pub fn render_options(terminal: TerminalArgs, to_stdout: bool, env: &Environment) -> RenderOptions {
    let at_terminal = to_stdout && env.stdout_is_terminal;
    RenderOptions {
        verbosity: match (terminal.quiet, terminal.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        },
        color: match terminal.color {
            When::Always => true,
            When::Never => false,
            When::Auto => at_terminal && !env.no_color,
        },
        drawing: if env.no_graphics {
            Drawing::Narrated
        } else if at_terminal && env.unicode && !env.ci {
            Drawing::Unicode
        } else {
            Drawing::Ascii
        },
    }
}

fn is_folder_or_free(option: &str, path: &Path) -> Result<(), UsageError> {
    if path.exists() && !path.is_dir() {
        return Err(UsageError(format!("{option} {}: this is a file, and a folder is needed", path.display())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::args::{Cli, Command};
    use super::*;
    use clap::Parser;

    fn environment() -> Environment {
        Environment {
            stdout_is_terminal: true,
            no_color: false,
            no_graphics: false,
            ci: false,
            unicode: true,
            processors: NonZeroUsize::MIN,
            cache_folder: Some(PathBuf::from("/home/user/.cache/faial-like")),
        }
    }

    fn check(args: &[&str]) -> Result<CheckConfig, UsageError> {
        let cli = Cli::try_parse_from(["faial-like", "check", "a.cu"].iter().chain(args)).expect("arguments");
        match cli.command {
            Command::Check(check) => CheckConfig::new(*check, cli.terminal, &environment()),
            other => panic!("not a check: {other:?}"),
        }
    }

    fn refusal(args: &[&str]) -> String {
        check(args).err().map_or_else(String::new, |e| e.to_string())
    }

    #[test]
    fn defaults_are_filled_in() {
        let config = check(&[]).expect("a configuration");
        assert_eq!(config.select.levels, []);
        assert_eq!(config.launch.block, None);
        assert_eq!(config.launch.warp_size, 32);
        assert_eq!(config.solver.query_timeout, Duration::from_secs(10));
        assert_eq!(config.solver.timeout, None);
        assert!(!config.deny_same_value);
    }

    #[test]
    fn answers_are_kept_unless_that_is_not_wanted() {
        let cache = |args: &[&str]| check(args).expect("a configuration").solver.cache;
        assert_eq!(cache(&[]), CacheConfig::Folder(PathBuf::from("/home/user/.cache/faial-like")));
        assert_eq!(cache(&["--cache", "here"]), CacheConfig::Folder(PathBuf::from("here")));
        assert_eq!(cache(&["--no-cache"]), CacheConfig::Off);
        assert_eq!(refusal(&["--cache", "Cargo.toml"]), "--cache Cargo.toml: this is a file, and a folder is needed");
    }

    #[test]
    fn lists_are_put_in_order() {
        let config =
            check(&["--level", "grid,warp,grid", "--param", "n=1", "--param", "n=1"]).expect("a configuration");
        assert_eq!(config.select.levels, [Level::Warp, Level::Grid]);
        assert_eq!(config.assume.params.len(), 1);
    }

    #[test]
    fn contradictions_are_refused() {
        assert_eq!(refusal(&["--param", "n=1", "--param", "n=2"]), "--param n is given as 1 and as 2");
        assert_eq!(refusal(&["--assume", " "]), "--assume needs a condition, such as 'n % 32 == 0'");
        assert_eq!(refusal(&["-o", "."]), "-o .: this is a folder, and the report is one file");
        assert_eq!(refusal(&["-I", "no/such"]), "-I no/such: no such folder");
        assert!(refusal(&["--compile-commands", "no.json"]).starts_with("--compile-commands no.json: "));
        assert_eq!(refusal(&["--assume", "n <"]), "--assume 'n <': expected an expression, found `;`");
        assert!(!refusal(&["--assume", "n < 4; wr a[0]"]).is_empty());
        assert_eq!(refusal(&["--assume", "n % 32 == 0"]), "");
        assert_eq!(
            refusal(&["--keep-smt", "Cargo.toml"]),
            "--keep-smt Cargo.toml: this is a file, and a folder is needed"
        );
    }

    #[test]
    fn colours_and_drawings_follow_the_terminal() {
        let terminal = environment();
        let options = |args: TerminalArgs, to_stdout, env: &Environment| {
            let options = render_options(args, to_stdout, env);
            (options.color, options.drawing)
        };
        let plain = TerminalArgs::default();
        let pipe = Environment { stdout_is_terminal: false, ..terminal.clone() };
        assert_eq!(options(plain, true, &terminal), (true, Drawing::Unicode));
        assert_eq!(options(plain, true, &pipe), (false, Drawing::Ascii));
        assert_eq!(options(plain, false, &terminal), (false, Drawing::Ascii));
        let no_color = Environment { no_color: true, ..terminal.clone() };
        assert_eq!(options(plain, true, &no_color), (false, Drawing::Unicode));
        let ci = Environment { ci: true, ..terminal.clone() };
        assert_eq!(options(plain, true, &ci).1, Drawing::Ascii);
        let spoken = Environment { no_graphics: true, ..terminal.clone() };
        assert_eq!(options(plain, true, &spoken).1, Drawing::Narrated);
        let always = TerminalArgs { color: When::Always, ..plain };
        assert_eq!(options(always, true, &pipe), (true, Drawing::Ascii));
        let never = TerminalArgs { color: When::Never, ..plain };
        assert_eq!(options(never, true, &terminal), (false, Drawing::Unicode));
    }
}
