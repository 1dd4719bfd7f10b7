//! The command line as typed: clap types and the parsers of single values, nothing resolved. See [`super::config`].

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::report::Format;
use crate::report::finding::Level;

/// Proves CUDA kernels free of data races and barrier divergence, or shows the threads that race.
#[derive(Debug, Parser)]
#[command(
    name = "faial-like",
    version,
    after_help = "\
Examples:
  faial-like check src/                            every kernel below a folder
  faial-like check --block-dim 256 reduce.cu       one file, for blocks of 256 threads
  faial-like explain data-race                     what a finding means"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    Export(ExportArgs),
    Dump(DumpArgs),
    Fuzz(FuzzArgs),
    Explain(ExplainArgs),
    List(ListArgs),
}

#[derive(Debug, Clone, Copy, Default, Args)]
pub struct TerminalArgs {
    /// Print findings and the summary only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print assumptions, all reasons, and times as well
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub color: When,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// In a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// Give a verdict for every kernel under the files and folders
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0  everything asked for was proved
  1  at least one confirmed race or divergence
  2  wrong usage, or a file or the solver failed
  3  nothing worse than inconclusive

Examples:
  faial-like check src/
  faial-like check --block-dim 16,16 --grid-dim '*' --param n=1024 transpose.cu
  faial-like check --format sarif -o races.sarif -I include src/
  faial-like check --kernel reduce --array sdata --assume 'n % 32 == 0' reduce.cu")]
pub struct CheckArgs {
    /// Files, and folders to search for .cu, .cuh, .cl and .map files; .gitignore is honoured in folders
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub assume: AssumeArgs,
    /// How phases are found
    #[arg(long, value_name = "PATH", value_enum, default_value_t, help_heading = "Solver")]
    pub path: PathArg,
    #[command(flatten)]
    pub solver: SolverArgs,
    /// The form of the report
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text", help_heading = "Output")]
    pub format: Format,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Findings that are looked for in a kernel, at most; a lower number does not change its verdict
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Output")]
    pub max_findings: NonZeroUsize,
    /// Count a warning as an error: exit code 1 when it occurs
    #[arg(long, value_name = "WARNING", value_enum, value_delimiter = ',', help_heading = "Output")]
    pub deny: Vec<Deny>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum PathArg {
    /// One phase a barrier, without copies
    #[default]
    Phases,
    /// By aligning and splitting, as the paper does: for comparison. Other kernels than those of its language are
    /// inconclusive
    Paper,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Arith {
    /// As integers with ranges, and as bit-vectors where these decide more
    #[default]
    Auto,
    /// As integers only: bit operations on unknowns are unknown functions
    Int,
    /// As bit-vectors of the width of their type only
    Bv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Races between stores of provably the same value
    SameValue,
}

/// Write the protocols as text, one file a kernel, for review
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  faial-like export src/ -o protocols            write or rewrite them
  faial-like export src/ -o protocols --check    in CI: fail when they are out of date")]
pub struct ExportArgs {
    /// Files, and folders to search
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Write nothing; fail when the folder is out of date
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    /// Only kernels of this name; can be repeated
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
}

/// Print one stage of the pipeline as text
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  faial-like dump reduce.cu --stage protocol
  faial-like dump reduce.cu --stage smt --kernel reduce --array sdata --level block")]
pub struct DumpArgs {
    /// A source file, or a protocol as text (.map)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which stage
    #[arg(long, value_enum, value_name = "STAGE")]
    pub stage: Stage,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub assume: AssumeArgs,
}

/// The stages that can be printed, in the order they are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Stage {
    /// The kernel, after parsing
    Ir,
    /// The memory access protocol that was inferred
    Protocol,
    /// The protocol, checked and with its names apart
    Wellformed,
    /// With every synchronised loop starting and ending at a barrier
    Align,
    /// Split into barrier-free fragments
    Split,
    /// The phases between barriers
    Phases,
    /// The guarded accesses of each phase
    Trace,
    /// The questions put to the solver
    Smt,
}

/// Run random protocols through one pass, against the reference semantics
#[derive(Debug, Args)]
#[command(after_help = "\
A counterexample is shrunk, and printed with the command that finds it again.

Exit codes:
  0  no difference
  1  a difference: a bug in the pass, or in the reference semantics
  2  wrong usage
  3  no protocol was tried

Examples:
  faial-like fuzz phases --cases 10000
  faial-like fuzz all --seed 7 --time 30s
  faial-like fuzz align --seed 7 --case 321")]
pub struct FuzzArgs {
    /// Which pass
    #[arg(value_name = "PASS", value_enum)]
    pub pass: FuzzPass,
    /// How many protocols of each kind that the pass is tested on [default: 1000, or as many as --time allows]
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// Only the protocol of this number
    #[arg(long, value_name = "N", conflicts_with_all = ["cases", "time"])]
    pub case: Option<u64>,
    /// Where the random numbers start; the same seed gives the same protocols
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Stop each pass after this time: 30, 30s, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Protocols tried at the same time [default: the number of processors]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// For soundness: change the kernels of these files and folders a little, instead of making some; can be repeated
    #[arg(long, value_name = "PATH")]
    pub from: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FuzzPass {
    /// Alignment of barriers keeps the history
    Align,
    /// Splitting keeps the accesses of every phase
    Split,
    /// Phases without copying are the phases of the history
    Phases,
    /// The levels together find what the direct definition finds
    Scopes,
    /// The stores of a phase have the races of a warp in lock-step
    Lockstep,
    /// A symbolic trace has a race if and only if its phases have one
    Trace,
    /// A formula is satisfiable if and only if two threads race
    Encode,
    /// What is printed is read back as the same, at every stage
    Roundtrip,
    /// All of these, one after the other
    All,
    /// Kernels that are called race-free do not race when they are run; needs a solver
    Soundness,
}

/// Say what a finding or a reason means, why it is one, how to fix it, and known limits
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  faial-like explain                          the list of all codes
  faial-like explain barrier-divergence
  faial-like explain r-5d1c9e02 src/scan.cu   one finding, by its id")]
pub struct ExplainArgs {
    /// A code, such as data-race, or the id of a finding; without it, all codes are listed
    #[arg(value_name = "CODE|ID")]
    pub code: Option<String>,
    /// Where to look for the finding, when an id is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// List kernels, their arrays, their launch configurations, and where each of these came from
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  faial-like list src/
  faial-like list -D USE_HALF -I include gemm.cu")]
pub struct ListArgs {
    /// Files, and folders to search
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub source: SourceArgs,
}

/// x, y, z; `None` is symbolic.
pub type Dims = [Option<i128>; 3];

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Launch")]
pub struct LaunchArgs {
    /// Threads of a block: 256, 16,16 or [8,8,4]; * leaves a dimension symbolic
    #[arg(long, value_name = "DIMS", value_parser = block_dim)]
    pub block_dim: Option<Dims>,
    /// Blocks of the grid, in the same form
    #[arg(long, value_name = "DIMS", value_parser = grid_dim)]
    pub grid_dim: Option<Dims>,
    /// Do not assume that an axis the kernel never reads has extent 1
    #[arg(long)]
    pub all_dims: bool,
    /// Do not assume that a launch of unknown size has fewer than 2^28 threads along x, and 2^22 blocks
    #[arg(long)]
    pub large_grids: bool,
    /// Do not assume that the sizes by which something is divided, or that bound it, are not negative
    #[arg(long)]
    pub negative_sizes: bool,
    /// Do not assume that rows of an array do not overlap, where a parameter says how far apart they are
    #[arg(long)]
    pub any_stride: bool,
    /// Do not assume that arrays which say where rows begin (`row[i]` to `row[i + 1]`) are not negative and do not decrease
    #[arg(long)]
    pub any_offsets: bool,
    /// Take nothing from the launches in the host code
    #[arg(long)]
    pub ignore_host: bool,
    /// Threads of a warp
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub warp_size: u32,
    /// Threads of a warp run in lock-step, as before Volta
    #[arg(long)]
    pub lockstep_warps: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Source")]
pub struct SourceArgs {
    /// Define a macro; its value is 1 if none is given
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    pub define: Vec<Define>,
    /// Search this folder for included files; can be repeated
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Take macros and folders of each file from a compile_commands.json, or from the one in a folder
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectArgs {
    /// Only kernels of this name; can be repeated
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Only races on arrays of this name; can be repeated
    #[arg(long, value_name = "NAME")]
    pub array: Vec<String>,
    /// Only threads that meet at these levels: warp, block, cluster, grid
    #[arg(long, value_name = "LEVELS", value_enum, value_delimiter = ',')]
    pub level: Vec<Level>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Assumptions")]
pub struct AssumeArgs {
    /// Fix an integer parameter or global; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = param)]
    pub param: Vec<Param>,
    /// Assume a condition on parameters and symbolic dimensions, such as 'n % 32 == 0'; it is listed with the verdict
    /// of each kernel that has these names; can be repeated
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Solver")]
pub struct SolverArgs {
    /// The solver program: z3, cvc5 or yices-smt2 [default: the first on the PATH]
    #[arg(long, value_name = "PATH", env = "FAIAL_SOLVER", hide_env_values = true)]
    pub solver: Option<PathBuf>,
    /// Time for one question to the solver: 10, 10s, 500ms, 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub query_timeout: Duration,
    /// Time for the whole run; what is left then is inconclusive
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Kernels checked at the same time [default: the number of processors]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Keep every question and answer in a folder, to be run again by hand; the solver is asked everything then
    #[arg(long, value_name = "DIR")]
    pub keep_smt: Option<PathBuf>,
    /// Where answers of the solver are kept for later runs [default: faial-like in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Neither use nor keep answers of other runs
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
    /// Ask the solver also what can be answered without it
    #[arg(long)]
    pub no_presolve: bool,
    /// How numbers are put to the solver
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub arith: Arith,
    /// Have every proof confirmed by a second solver; stop when the two disagree
    #[arg(long)]
    pub double_check: bool,
    /// The second solver: z3, cvc5 or yices-smt2 [default: the first on the PATH that is not the solver in use]
    #[arg(long, value_name = "PATH", requires = "double_check")]
    pub second_solver: Option<PathBuf>,
}

/// `-D NAME=VALUE`. The name of a function-like macro includes its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Define {
    pub name: String,
    pub value: Option<String>,
}

/// `--param NAME=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub value: i128,
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Format] {
        &[Format::Text, Format::Json, Format::Sarif, Format::Html]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Format::Text => PossibleValue::new("text").help("For people"),
            Format::Json => PossibleValue::new("json").help("For programs; protocol-spec/output.schema.json"),
            Format::Sarif => PossibleValue::new("sarif").help("For code scanning services and editors"),
            Format::Html => PossibleValue::new("html").help("One page that needs nothing else"),
        })
    }
}

impl ValueEnum for Level {
    fn value_variants<'a>() -> &'a [Level] {
        &[Level::Warp, Level::Block, Level::Cluster, Level::Grid]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Level::Warp => PossibleValue::new("warp").help("Two threads of one warp"),
            Level::Block => PossibleValue::new("block").help("Two warps of one block"),
            Level::Cluster => PossibleValue::new("cluster").help("Two blocks of one cluster"),
            Level::Grid => PossibleValue::new("grid").help("Two blocks of the grid"),
        })
    }
}

const BLOCK_LIMITS: [i128; 3] = [1024, 1024, 64];
const BLOCK_THREADS: i128 = 1024;
const GRID_LIMITS: [i128; 3] = [i32::MAX as i128, 65535, 65535];

fn block_dim(text: &str) -> Result<Dims, String> {
    let dims = dims(text)?;
    within("blockDim", dims, BLOCK_LIMITS)?;
    let threads: i128 = dims.iter().flatten().product();
    if threads > BLOCK_THREADS {
        return Err(format!("a block has at most {BLOCK_THREADS} threads, and this one has {threads}"));
    }
    Ok(dims)
}

fn grid_dim(text: &str) -> Result<Dims, String> {
    let dims = dims(text)?;
    within("gridDim", dims, GRID_LIMITS)?;
    Ok(dims)
}

fn within(what: &str, dims: Dims, limits: [i128; 3]) -> Result<(), String> {
    for ((dim, limit), axis) in dims.into_iter().zip(limits).zip(["x", "y", "z"]) {
        if dim.is_some_and(|d| d > limit) {
            return Err(format!("{what}.{axis} is at most {limit}"));
        }
    }
    Ok(())
}

/// `256`, `16,16`, `[8,8,4]`; what is left out is 1, and `*` is symbolic.
fn dims(text: &str) -> Result<Dims, String> {
    let text = text.trim();
    let inner = match (text.strip_prefix('['), text.strip_suffix(']')) {
        (Some(rest), Some(_)) => rest.strip_suffix(']').unwrap_or(rest),
        (None, None) => text,
        _ => return Err("a bracket is missing: write [8,8,4]".to_owned()),
    };
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err(format!("there are three dimensions x,y,z at most, and this has {}", parts.len()));
    }
    let mut dims = [Some(1); 3];
    for (dim, part) in dims.iter_mut().zip(&parts) {
        *dim = match *part {
            "*" => None,
            "" => return Err("a number is missing: write 256, 16,16 or [8,8,4]".to_owned()),
            _ => match part.parse::<i128>() {
                Ok(n) if n >= 1 => Some(n),
                Ok(_) => return Err("a dimension is at least 1".to_owned()),
                Err(_) => return Err(format!("`{part}` is neither a number nor *: write 256, 16,16 or [8,8,4]")),
            },
        };
    }
    Ok(dims)
}

fn define(text: &str) -> Result<Define, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let plain = match name.split_once('(') {
        Some((plain, params)) if params.ends_with(')') => plain,
        Some(_) => return Err(format!("`{name}` lacks its closing parenthesis")),
        None => name,
    };
    if !is_identifier(plain) {
        return Err(format!("`{plain}` is not the name of a macro: write NAME or NAME=VALUE"));
    }
    Ok(Define { name: name.to_owned(), value })
}

fn param(text: &str) -> Result<Param, String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("a value is missing: write NAME=VALUE, such as n=1024".to_owned());
    };
    let name = name.trim();
    if !is_identifier(name) {
        return Err(format!("`{name}` is not a name: write NAME=VALUE, such as n=1024"));
    }
    match integer(value.trim()) {
        Some(value) => Ok(Param { name: name.to_owned(), value }),
        None => Err(format!("`{value}` is not an integer: write 1024, -1 or 0x400")),
    }
}

fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let value = match hex {
        Some(hex) if hex.starts_with(['+', '-']) => return None,
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<i128>().ok()?,
    };
    value.checked_mul(sign)
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `10` and `10s` are seconds; also `500ms`, `2m`, `1h`, `0.5s`.
fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..) {
        Some("" | "s") => 1.0,
        Some("ms") => 0.001,
        Some("m") => 60.0,
        Some("h") => 3600.0,
        _ => return Err(format!("`{text}` is not a time: write 10s, 500ms, 2m or 1h")),
    };
    match digits.parse::<f64>().ok().and_then(|n| Duration::try_from_secs_f64(n * unit).ok()) {
        Some(time) if !time.is_zero() => Ok(time),
        Some(_) => Err("a time limit is more than 0".to_owned()),
        None => Err(format!("`{text}` is not a time: write 10s, 500ms, 2m or 1h")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn check(args: &[&str]) -> CheckArgs {
        let words = ["faial-like", "check"].iter().chain(args);
        match Cli::try_parse_from(words).map(|cli| cli.command) {
            Ok(Command::Check(check)) => *check,
            other => panic!("{args:?} is not a check: {other:?}"),
        }
    }

    fn refusal(args: &[&str]) -> String {
        match Cli::try_parse_from(["faial-like", "check"].iter().chain(args)) {
            Ok(_) => panic!("{args:?} is accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_option_has_help_and_every_command_an_example() {
        for command in std::iter::once(&Cli::command()).chain(Cli::command().get_subcommands()) {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Examples:\n  faial-like "), "{} has no example", command.get_name());
            for arg in command.get_arguments() {
                assert!(arg.get_help().is_some(), "{}: {} has no help", command.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn dimensions_have_three_forms() {
        let cases: [(&str, Dims); 7] = [
            ("256", [Some(256), Some(1), Some(1)]),
            ("16,16", [Some(16), Some(16), Some(1)]),
            ("[8,8,4]", [Some(8), Some(8), Some(4)]),
            (" [ 8 , 8 ] ", [Some(8), Some(8), Some(1)]),
            ("*", [None, Some(1), Some(1)]),
            ("16,*", [Some(16), None, Some(1)]),
            ("[*,*,*]", [None, None, None]),
        ];
        for (text, expected) in cases {
            assert_eq!(block_dim(text), Ok(expected), "{text}");
            assert_eq!(grid_dim(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn wrong_dimensions_say_what_is_wrong() {
        let cases = [
            ("", "a number is missing: write 256, 16,16 or [8,8,4]"),
            ("16,", "a number is missing: write 256, 16,16 or [8,8,4]"),
            ("[]", "a number is missing: write 256, 16,16 or [8,8,4]"),
            ("[8,8", "a bracket is missing: write [8,8,4]"),
            ("8]", "a bracket is missing: write [8,8,4]"),
            ("1,1,1,1", "there are three dimensions x,y,z at most, and this has 4"),
            ("0", "a dimension is at least 1"),
            ("-4", "a dimension is at least 1"),
            ("n", "`n` is neither a number nor *: write 256, 16,16 or [8,8,4]"),
            ("1e3", "`1e3` is neither a number nor *: write 256, 16,16 or [8,8,4]"),
            ("2048", "blockDim.x is at most 1024"),
            ("1,1,65", "blockDim.z is at most 64"),
            ("32,64", "a block has at most 1024 threads, and this one has 2048"),
        ];
        for (text, expected) in cases {
            assert_eq!(block_dim(text), Err(expected.to_owned()), "{text}");
        }
        assert_eq!(grid_dim("1,65536"), Err("gridDim.y is at most 65535".to_owned()));
        assert_eq!(grid_dim("2147483647").map(|d| d[0]), Ok(Some(2147483647)));
    }

    #[test]
    fn macros_may_have_a_value_and_parameters() {
        let define = |text| define(text).map(|d| (d.name, d.value));
        let owned = |name: &str, value: Option<&str>| Ok((name.to_owned(), value.map(str::to_owned)));
        assert_eq!(define("N"), owned("N", None));
        assert_eq!(define("N="), owned("N", Some("")));
        assert_eq!(define("N=a=b"), owned("N", Some("a=b")));
        assert_eq!(define("F(x)=x+1"), owned("F(x)", Some("x+1")));
        assert!(define("1N").is_err());
        assert!(define("=3").is_err());
        assert!(define("F(x=1").is_err());
    }

    #[test]
    fn parameters_are_integers() {
        let value = |text| param(text).map(|p| p.value);
        assert_eq!(value("n=1024"), Ok(1024));
        assert_eq!(value("n = -0x10"), Ok(-16));
        assert_eq!(value("n=1.5"), Err("`1.5` is not an integer: write 1024, -1 or 0x400".to_owned()));
        assert_eq!(value("n=--1"), Err("`--1` is not an integer: write 1024, -1 or 0x400".to_owned()));
        assert_eq!(value("n"), Err("a value is missing: write NAME=VALUE, such as n=1024".to_owned()));
        assert_eq!(value("a b=1"), Err("`a b` is not a name: write NAME=VALUE, such as n=1024".to_owned()));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("0.5m"), Ok(Duration::from_secs(30)));
        for wrong in ["", "s", "10d", "-1s", "inf", "nan", "1e99h", "ten"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!(duration("0"), Err("a time limit is more than 0".to_owned()));
    }

    #[test]
    fn lists_are_given_by_commas_or_by_repetition() {
        let args =
            check(&["a.cu", "--level", "block,warp", "--level", "grid", "--deny", "same-value", "-DN", "-D", "M=2"]);
        assert_eq!(args.select.level, [Level::Block, Level::Warp, Level::Grid]);
        assert_eq!(args.deny, [Deny::SameValue]);
        assert_eq!(args.source.define.len(), 2);
        assert_eq!(args.format, Format::Text);
    }

    #[test]
    fn a_refusal_names_the_option_and_the_reason() {
        let text = refusal(&["a.cu", "--block-dim", "32,64"]);
        assert!(text.contains("--block-dim") && text.contains("at most 1024 threads"), "{text}");
        assert!(refusal(&[]).contains("PATH"));
        assert!(refusal(&["a.cu", "-q", "-v"]).contains("cannot be used with"));
        assert!(refusal(&["a.cu", "--blok-dim", "1"]).contains("--block-dim"));
    }

    #[test]
    fn terminal_options_work_on_either_side_of_the_command() {
        for words in [["faial-like", "-v", "list", "."], ["faial-like", "list", ".", "-v"]] {
            assert!(Cli::try_parse_from(words).is_ok_and(|cli| cli.terminal.verbose));
        }
    }
}
