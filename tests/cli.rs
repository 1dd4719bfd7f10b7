//! The program as it is used: exit codes, forms of output, files that are wrong in every way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use faial_like::smt::locate;
use tempfile::TempDir;

const RACY: &str = "corpus/papers/map/listing-2.1-simple-racy.cu";
const FREE: &str = "corpus/papers/map/listing-2.1-simple-drf.cu";
const GOOD: &str = "//--blockDim=32 --gridDim=1\n__global__ void good(int *a) { a[threadIdx.x] = 1; }\n";

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faial-like"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Runs the program where a solver is needed.
fn run(args: &[&str]) -> Output {
    let solver = match locate(None) {
        Ok(solver) => solver,
        Err(error) => panic!("{error}\nor run the tests as `sh .ci/setup cargo test`"),
    };
    let mut program = program();
    program.env("FAIAL_SOLVER", solver.path).args(args);
    // What an earlier run has left must not decide on a test.
    if args.first() == Some(&"check") {
        program.arg("--no-cache");
    }
    program.output().expect("the program runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {}", stderr(output)))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn all(output: &Output) -> String {
    stdout(output) + &stderr(output)
}

#[track_caller]
fn expect(args: &[&str], wanted: i32, words: &[&str]) -> String {
    let output = run(args);
    let text = all(&output);
    assert_eq!(code(&output), wanted, "{args:?}\n{text}");
    for word in words {
        assert!(text.contains(word), "{args:?} does not say `{word}`:\n{text}");
    }
    text
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn write(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn json(args: &[&str]) -> (i32, serde_json::Value) {
    let output = run(args);
    let value = serde_json::from_slice(&output.stdout);
    (code(&output), value.unwrap_or_else(|e| panic!("{args:?}: {e}\n{}", all(&output))))
}

#[test]
fn an_encoding_can_be_forced() {
    let folder = folder();
    let head = "//--blockDim=64 --gridDim=1\n__global__ void k(int *a, unsigned m) ";
    let bits = write(&folder, "bits.cu", format!("{head}{{ a[threadIdx.x ^ m] = threadIdx.x; }}\n"));
    let racy = write(&folder, "racy.cu", format!("{head}{{ a[threadIdx.x & m] = threadIdx.x; }}\n"));
    for (how, free, race) in [("auto", 0, 1), ("int", 3, 1), ("bv", 0, 1)] {
        expect(&["check", "--arith", how, "--no-presolve", &bits], free, &[]);
        expect(&["check", "--arith", how, "--no-presolve", &racy], race, &[]);
    }
    let sum = write(&folder, "sum.cu", format!("{head}{{ a[3 * threadIdx.x + m] = 1; }}\n"));
    for (how, scripts) in [("int", "Int"), ("bv", "(_ BitVec")] {
        let kept = folder.path().join(how);
        expect(
            &["check", "--arith", how, "--keep-smt", &kept.display().to_string(), "--query-timeout", "3", &sum],
            0,
            &[],
        );
        let scripts_of =
            fs::read_dir(&kept).expect("scripts").flatten().flat_map(|d| fs::read_dir(d.path()).expect("a folder"));
        for script in scripts_of.flatten() {
            let text = fs::read_to_string(script.path()).expect("a script");
            let other = if how == "int" { "BitVec" } else { " Int" };
            assert!(text.contains(scripts) && !text.contains(other), "{how}: {text}");
        }
    }
}

/// What changes from one run to the next.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.contains("\"time_ms\"") {
            continue;
        }
        match line.rsplit_once(" (") {
            Some((before, after)) if after.ends_with(" s)") => out.push_str(before),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

// Exit codes

#[test]
fn exit_codes_say_what_came_out() {
    expect(&["check", FREE], 0, &["race-free", "rounds"]);
    expect(&["check", RACY], 1, &["race", "tile"]);
    expect(&["check", FREE, RACY], 1, &[]);
    expect(&["check", "no-such-file.cu"], 2, &["no such file or directory"]);
    expect(&["check", "corpus/bad/good-beside-unknown-call.cu"], 3, &["inconclusive", "unknown-call"]);
}

#[test]
fn warps_in_lockstep_are_asked_for() {
    let files = folder();
    let text = "//--blockDim=32 --gridDim=1\n__global__ void k(int *a) { int t = threadIdx.x; a[t] = t; if (t < 16) a[t] += a[t + 16]; }\n";
    let path = write(&files, "k.cu", text);
    expect(&["check", &path], 1, &[]);
    expect(&["check", &path, "--lockstep-warps", "--verbose"], 0, &["lock-step"]);
}

#[test]
fn wrong_usage_is_told_and_is_no_verdict() {
    expect(&[], 2, &["Usage"]);
    expect(&["chek"], 2, &["chek"]);
    expect(&["check"], 2, &["PATH"]);
    expect(&["check", FREE, "--block-dim", "2048"], 2, &["at most 1024"]);
    expect(&["check", FREE, "--block-dim", "x"], 2, &["neither a number nor *"]);
    expect(&["check", FREE, "--param", "n"], 2, &["write NAME=VALUE"]);
    expect(&["check", FREE, "--compile-commands", "Cargo.toml"], 2, &["Cargo.toml:1:2", "no list of compile commands"]);
    expect(&["check", FREE, "--assume", "n <"], 2, &["--assume 'n <'"]);
    expect(&["check", FREE, "-o", "src"], 2, &["this is a folder"]);
    expect(&["fuzz", "nothing"], 2, &["roundtrip"]);
    expect(&["fuzz", "align", "--case", "3", "--cases", "9"], 2, &["--cases"]);
    expect(&["--help"], 0, &["Examples"]);
    for command in ["check", "export", "dump", "fuzz", "explain", "list"] {
        expect(&[command, "--help"], 0, &["faial-like"]);
    }
}

#[test]
fn the_path_of_the_paper_can_be_chosen() {
    expect(&["check", FREE, "--path", "paper"], 3, &["outside-paper", "may not run"]);
    expect(&["check", FREE, "--path", "paper", "--assume", "0 < n"], 0, &["race-free"]);
    expect(&["check", RACY, "--path", "paper"], 1, &["tile"]);
    let files = folder();
    let path =
        write(&files, "k.map", "kernel k { global n: i32; array a: global; code { if n < 2 { sync block @1; } } }");
    expect(&["check", &path], 0, &[]);
    expect(&["check", &path, "--path", "paper"], 3, &["outside-paper", "[WF-IF]"]);
    expect(&["check", FREE, "--path", "other"], 2, &["phases", "paper"]);
}

#[test]
fn fuzz_says_what_was_tried() {
    let words = ["align:", "Paper: 60 inputs", "with 4 nested synchronised loops", "no difference in 60 protocols"];
    expect(&["fuzz", "align", "--cases", "60", "--seed", "4"], 0, &words);
    let all = expect(&["fuzz", "all", "--cases", "10", "-j", "2", "-q"], 0, &["no difference in 20 protocols"]);
    for pass in ["align", "split", "phases", "scopes", "lockstep", "trace", "encode", "roundtrip"] {
        assert!(all.contains(&format!("{pass}: ")), "{all}");
    }
    assert!(!all.contains("inputs"), "{all}");
    expect(&["fuzz", "scopes", "--case", "7"], 0, &["no difference in 1 protocol from"]);
    expect(&["fuzz", "phases", "--time", "100ms"], 0, &["no difference"]);
    expect(&["fuzz", "split", "--cases", "0"], 3, &["no difference in 0 protocols"]);
}

#[test]
fn a_solver_that_is_too_slow_every_time_is_inconclusive() {
    let folder = folder();
    let arrays: Vec<String> = (0..6).map(|i| format!("a{i}")).collect();
    let params: Vec<String> = arrays.iter().map(|a| format!("int *{a}")).collect();
    let body: String = arrays.iter().map(|a| format!("{a}[threadIdx.x * n * n] = threadIdx.x; ")).collect();
    let text = format!("__global__ void k({}, int n) {{ {body}}}\n", params.join(", "));
    let file = write(&folder, "many.cu", text);
    for solver in ["z3-hangs.sh", "z3-hangs-on-questions.sh"] {
        let solver = format!("tests/fake-solvers/{solver}");
        let output = program()
            .args(["check", "--no-cache", "--format", "json", "--query-timeout", "100ms", "--solver", &solver, &file])
            .output()
            .expect("the program runs");
        assert_eq!(code(&output), 3, "{solver}: {}", all(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        let reasons = json["kernels"][0]["reasons"].as_array().cloned().unwrap_or_default();
        assert!(reasons.len() > 3, "{solver}: {reasons:?}");
        assert!(reasons.iter().all(|r| r["code"] == "solver-unknown"), "{solver}: {reasons:?}");
    }
    let args = ["check", "--no-cache", "--query-timeout", "1s", "--solver", "tests/fake-solvers/z3-dies.sh", &file];
    let output = program().args(args).output().expect("the program runs");
    assert_eq!(code(&output), 2, "{}", all(&output));
}

#[test]
fn kernels_share_the_time_of_a_run() {
    let folder = folder();
    let talk = std::fs::canonicalize("tests/fake-solvers/talk.inc").expect("it is there");
    let asked = folder.path().join("asked");
    let hangs = format!("echo . >> '{}'; sleep 60;", asked.display());
    let script =
        write(&folder, "z3-asked.sh", format!("#!/bin/sh\n. '{}'\non_check() {{ {hangs} }}\ntalk\n", talk.display()));
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    let hard =
        "//--blockDim=32 --gridDim=1\n__global__ void hard(int *a, int n) { a[threadIdx.x * n * n] = threadIdx.x; }\n";
    let easy = |i: usize| format!("__global__ void easy{i}(int *a) {{ a[threadIdx.x] = 0; }}\n");
    let mut tries = Vec::new();
    for others in [0, 3] {
        let text = hard.to_owned() + &(0..others).map(easy).collect::<String>();
        let file = write(&folder, &format!("with-{others}.cu"), text);
        let output = program()
            .args(["check", "--no-cache", "--format", "json", "-j", "1"])
            .args(["--timeout", "4s", "--solver", &script, &file])
            .output()
            .expect("the program runs");
        assert_eq!(code(&output), 3, "{}", all(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        let verdicts: Vec<&str> =
            json["kernels"].as_array().expect("kernels").iter().filter_map(|k| k["verdict"].as_str()).collect();
        assert_eq!(verdicts, [&["inconclusive"][..], &["race-free"; 3][..others]].concat());
        let last = json["kernels"][0]["reasons"].as_array().and_then(|r| r.last()?["code"].as_str()).unwrap_or("");
        assert_eq!(last, "run-timeout");
        tries.push(std::fs::read_to_string(&asked).expect("it was asked").len());
        std::fs::remove_file(&asked).expect("ours");
    }
    // What the others did not need goes to the first.
    assert!(tries[1] > tries[0], "{tries:?}");
}

#[test]
fn levels_are_selected_by_their_names() {
    let racy = |name: &str| format!("corpus/handmade/clusters/exchange-{name}-racy.cu");
    let (in_cluster, across) = (racy("block-sync"), racy("across"));
    for (level, codes) in [("warp", [0, 0]), ("block", [0, 0]), ("cluster", [1, 0]), ("grid", [0, 1])] {
        expect(&["check", &in_cluster, "--level", level], codes[0], &[]);
        expect(&["check", &across, "--level", level], codes[1], &[]);
        let text = expect(&["check", &across, "--level", level, "-v"], codes[1], &["only threads that meet"]);
        assert!(text.contains(&format!("are compared: {level}")), "{text}");
    }
    expect(&["check", &in_cluster, "--level", "warp,grid"], 0, &[]);
    expect(&["check", &in_cluster, "--level", "warp", "--level", "cluster"], 1, &["two blocks of one cluster"]);
    expect(&["check", FREE, "--level", "wrap"], 2, &["warp, block, cluster, grid"]);
    let phases = expect(&["dump", &in_cluster, "--stage", "phases"], 0, &["// cluster: two threads"]);
    assert!(phases.contains("// grid: two threads of different clusters"), "{phases}");
    let one = expect(&["dump", &in_cluster, "--stage", "phases", "--level", "cluster"], 0, &["cluster 2;"]);
    assert!(!one.contains("// grid"), "{one}");
}

#[test]
fn clusters_survive_an_export() {
    let folder = folder();
    let out = folder.path().join("maps").display().to_string();
    for (name, wanted) in [("exchange-drf", 0), ("exchange-across-racy", 1), ("leader-drf", 0)] {
        let file = format!("corpus/handmade/clusters/{name}.cu");
        expect(&["export", &file, "-o", &out], 0, &[]);
        let map = fs::read_dir(&out).expect("a folder").flatten().next().expect("a file").path();
        let text = fs::read_to_string(&map).expect("a protocol");
        assert!(text.contains(" cluster "), "{text}");
        expect(&["check", &map.display().to_string()], wanted, &[]);
        fs::remove_dir_all(&out).expect("a folder");
    }
}

#[test]
fn a_kernel_that_is_not_there_is_not_proved() {
    expect(&["check", FREE, "--kernel", "nobody"], 3, &["no kernel is named nobody"]);
    expect(&["dump", FREE, "--stage", "protocol", "--kernel", "nobody"], 2, &["no kernel is named nobody"]);
}

#[test]
fn without_a_solver_it_says_how_to_install_one() {
    // Where `.ci/setup` did not install one beside it.
    let elsewhere = folder();
    let copy = elsewhere.path().join("faial-like");
    fs::copy(env!("CARGO_BIN_EXE_faial-like"), &copy).expect("a copy of the program");
    let output = Command::new(copy)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("FAIAL_SOLVER")
        .env("PATH", "")
        .args(["check", "--no-cache", FREE])
        .output()
        .expect("the program runs");
    assert_eq!(code(&output), 2, "{}", all(&output));
    assert!(stderr(&output).contains("pip install z3-solver"), "{}", all(&output));
    let output = program()
        .env("FAIAL_SOLVER", "no/such/z3")
        .args(["check", "--no-cache", FREE])
        .output()
        .expect("the program runs");
    assert_eq!(code(&output), 2, "{}", all(&output));
    assert!(stderr(&output).contains("no/such/z3"), "{}", all(&output));
}

// What is assumed

const SYMBOLIC: &str = "__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }\n";

#[test]
fn parameters_and_conditions_reach_the_verdict() {
    let files = folder();
    let path = write(&files, "k.cu", SYMBOLIC);
    let fixed = ["check", &path, "--block-dim", "64", "--grid-dim", "1"];
    let with = |more: &[&'static str]| [fixed.as_slice(), more].concat();
    expect(&with(&["--param", "n=32", "-v"]), 1, &["assumes n = 32"]);
    expect(&with(&["--param", "n=64"]), 0, &["race-free"]);
    expect(&with(&["--assume", "64 <= n"]), 0, &["race-free"]);
    expect(&with(&["--assume", "n < 64"]), 1, &[]);
    let (_, report) = json(&with(&["--assume", "64 <= n", "--format", "json"]));
    let assumptions = report["kernels"][0]["assumptions"].to_string();
    assert!(assumptions.contains("64 <= n"), "{assumptions}");
    // Of another kernel nothing is assumed.
    let (_, report) = json(&with(&["--assume", "m == 3", "--format", "json"]));
    assert!(!report["kernels"][0]["assumptions"].to_string().contains("m == 3"));
}

#[test]
fn dimensions_are_those_of_the_options() {
    let files = folder();
    let path =
        write(&files, "k.cu", "__global__ void k(int *a) { a[threadIdx.x % 32] = threadIdx.x + 64 * blockIdx.x; }\n");
    expect(&["check", &path, "--block-dim", "32", "--grid-dim", "1"], 0, &[]);
    expect(&["check", &path, "--block-dim", "33", "--grid-dim", "1"], 1, &[]);
    let (_, report) = json(&["check", &path, "--block-dim", "32", "--grid-dim", "*", "--format", "json"]);
    let launch = &report["kernels"][0]["launch"];
    assert_eq!(launch["block"].to_string(), "[32,1,1]");
    assert_eq!(launch["grid"].to_string(), "[\"*\",1,1]");
    assert_eq!(launch["from"], "option");
    let every = ["check", &path, "--block-dim", "32", "--grid-dim", "*"];
    expect(&every, 1, &[]);
    expect(&[&every[..], &["--level", "block"]].concat(), 0, &[]);
}

// Forms of output

#[test]
fn json_follows_its_schema() {
    let schema = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-spec/output.schema.json"));
    let schema = serde_json::from_str(&schema.expect("the schema")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let files = folder();
    write(&files, "good.cu", GOOD);
    write(&files, "half.cu", "__global__ void half(int *a) { a[0");
    write(&files, "empty.cu", "");
    write(&files, "p.map", "kernel p { code { wr a[0] @1; } }");
    let root = files.path().display().to_string();
    for path in [RACY, FREE, "corpus/handmade/same-value", "corpus/handmade/divergence", "corpus/bad", &root] {
        let (_, report) = json(&["check", path, "--format", "json"]);
        let wrong: Vec<String> = validator.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path)).collect();
        assert!(wrong.is_empty(), "{path}: {wrong:#?}");
    }
}

#[test]
fn every_form_goes_to_a_file_as_well() {
    let files = folder();
    for (format, word) in [("text", "tile"), ("json", "\"version\""), ("sarif", "2.1.0"), ("html", "<html")] {
        let there = files.path().join(format).display().to_string();
        let printed = run(&["check", RACY, "--format", format]);
        let written = run(&["check", RACY, "--format", format, "-o", &there]);
        assert_eq!((code(&printed), code(&written)), (1, 1));
        assert!(stdout(&written).is_empty(), "{format}: {}", stdout(&written));
        let text = fs::read_to_string(&there).expect("the report");
        assert!(text.contains(word), "{format}: {text}");
        if format != "html" {
            assert_eq!(without_times(&text), without_times(&stdout(&printed)), "{format}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folders = ["check", "corpus/papers/map", "corpus/handmade/same-value", "--format", "json"];
    let one = run(&[&folders[..], &["-j", "1"]].concat());
    let two = run(&[&folders[..], &["-j", "2"]].concat());
    let again = run(&[&folders[..], &["-j", "2"]].concat());
    assert_eq!(without_times(&stdout(&one)), without_times(&stdout(&two)));
    assert_eq!(without_times(&stdout(&two)), without_times(&stdout(&again)));
}

#[test]
fn questions_are_kept_on_demand() {
    let files = folder();
    let keep = files.path().join("smt");
    expect(&["check", RACY, FREE, "-j", "2", "--keep-smt", &keep.display().to_string()], 1, &[]);
    let kernels: Vec<PathBuf> = fs::read_dir(&keep).expect("the folder").flatten().map(|e| e.path()).collect();
    assert_eq!(kernels.len(), 2, "{kernels:?}");
    for kernel in kernels {
        assert!(fs::read_dir(kernel).expect("a folder").count() > 0);
    }
}

// The other commands

#[test]
fn codes_and_findings_are_explained() {
    expect(&["explain"], 0, &["data-race"]);
    expect(&["explain", "data-race"], 0, &["two threads"]);
    expect(&["explain", "data-rase"], 2, &["did you mean data-race"]);
    let (_, report) = json(&["check", RACY, "--format", "json"]);
    let id = report["kernels"][0]["findings"][0]["id"].as_str().expect("an id").to_owned();
    expect(&["explain", &id, RACY], 0, &[&id, "tile"]);
}

#[test]
fn kernels_are_listed() {
    expect(&["list", "corpus/papers/map"], 0, &["transpose_tile", "block [16,4,1]", "shared tile", "the header"]);
}

#[test]
fn every_stage_is_dumped() {
    let stages = [
        ("ir", "fn rounds("),
        ("protocol", "code {"),
        ("wellformed", "code {"),
        ("align", "aligned {"),
        ("split", "phase {"),
        ("phases", "phase @"),
        ("trace", "traces {"),
        ("smt", "(check-sat)"),
    ];
    for (stage, word) in stages {
        expect(&["dump", RACY, "--stage", stage], 0, &[word]);
    }
    // A synchronised conditional is not in the language of the paper.
    let text = expect(&["dump", "corpus/handmade/divergence/branch-divergent.cu", "--stage", "align"], 0, &[]);
    assert!(text.contains("not in the language of the paper") && text.contains("[WF-"), "{text}");
}

#[test]
fn protocols_are_exported_and_found_out_of_date() {
    let files = folder();
    let out = files.path().join("protocols");
    let to = out.display().to_string();
    expect(&["export", "corpus/papers/map", "-o", &to, "--check"], 1, &["missing"]);
    expect(&["export", "corpus/papers/map", "-o", &to], 0, &["transpose_tile.map"]);
    expect(&["export", "corpus/papers/map", "-o", &to, "--check"], 0, &[]);
    let one = fs::read_dir(&out).expect("the folder").flatten().next().expect("a file").path();
    fs::write(&one, "kernel k { code { } }").expect("a file");
    expect(&["export", "corpus/papers/map", "-o", &to, "--check"], 1, &["out of date"]);
}

/// Exported protocols of the whole corpus are read back as they were written.
#[test]
fn exported_protocols_are_read_back() {
    let files = folder();
    let to = files.path().display().to_string();
    expect(&["export", "corpus/papers", "corpus/handmade", "-o", &to], 0, &[]);
    let mut count = 0;
    for entry in fs::read_dir(files.path()).expect("the folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a file");
        let worker = std::thread::Builder::new().stack_size(256 << 20);
        let path = entry.path();
        let back = worker.spawn(move || {
            use faial_like::core::Print;
            let kernel = faial_like::text::parse_protocol(&text).map_err(|errors| format!("{errors:?}"))?;
            let code: String = text.lines().filter(|l| !l.starts_with("//!")).map(|l| format!("{l}\n")).collect();
            if kernel.text() == code { Ok(()) } else { Err(format!("{code}\nread back\n{}", kernel.text())) }
        });
        let back = back.expect("a thread").join().expect("no panic");
        back.unwrap_or_else(|why: String| panic!("{}: {why}", path.display()));
        count += 1;
    }
    assert!(count > 300, "{count} protocols");
}

#[test]
fn protocols_are_checked_like_kernels() {
    let files = folder();
    let to = files.path().display().to_string();
    expect(&["export", RACY, FREE, "-o", &to], 0, &[]);
    let racy = files.path().join("listing-2.1-simple-racy.rounds.map").display().to_string();
    let free = files.path().join("listing-2.1-simple-drf.rounds.map").display().to_string();
    expect(&["check", &free], 0, &["race-free"]);
    let text = expect(&["check", &racy], 1, &["wr tile["]);
    assert!(text.contains(".map:"), "{text}");
    expect(&["dump", &racy, "--stage", "phases"], 0, &["phase @"]);
    expect(&["dump", &racy, "--stage", "ir"], 2, &["no earlier stage"]);
    let wrong = write(&files, "wrong.map", "kernel k {\n  thread t in 0..4;\n  code { wr a[x] @0; wr b[y] @1; }\n}\n");
    expect(&["check", &wrong], 2, &["`x` is not declared here", "`y` is not declared here"]);
    let lost = write(
        &files,
        "lost.map",
        "//! lost unknown-call: `f`\nkernel k {\n  array a: global;\n  thread t in 0..4;\n  code { wr a[t] @0; }\n}\n",
    );
    expect(&["check", &lost], 3, &["not all of the kernel"]);
}

// Files that are wrong

/// Checks a file beside a good one: the good one is proved, whatever the other is, soon, and without a crash.
#[track_caller]
fn beside_good(name: &str, text: impl AsRef<[u8]>, words: &[&str]) {
    let files = folder();
    let good = write(&files, "good.cu", GOOD);
    let bad = write(&files, name, text);
    let started = Instant::now();
    let output = run(&["check", &bad, &good]);
    let took = started.elapsed();
    let said = all(&output);
    let shown: String = said.chars().take(4000).collect();
    assert!(matches!(code(&output), 0 | 2 | 3), "{name}: {}\n{shown}", code(&output));
    assert!(said.contains("race-free  good"), "{name}: the good file is not proved:\n{shown}");
    assert!(!said.contains("panicked"), "{name}: {shown}");
    assert!(took < Duration::from_secs(60), "{name}: {took:?}");
    for word in words {
        assert!(said.contains(word), "{name} does not say `{word}`:\n{shown}");
    }
}

/// Bytes without a pattern, the same every time.
fn noise(length: usize, alphabet: &[u8]) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let each = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let i = (state >> 33) as usize;
        if alphabet.is_empty() { i as u8 } else { alphabet[i % alphabet.len()] }
    });
    each.take(length).collect()
}

#[test]
fn files_that_are_no_text() {
    beside_good("latin.cu", b"// \xe9\n__global__ void latin(int *a) { a[threadIdx.x] = 1; }", &["race-free  latin"]);
    beside_good("code.cu", b"__global__ void k(int *a) { a[\xe9] = 1; }", &["parse-error"]);
    beside_good("utf16.cu", b"\xff\xfei\0n\0t\0", &["not-text", "iconv"]);
    beside_good("random.cu", noise(10_000_000, &[]), &["not-text"]);
    beside_good("huge.cu", vec![b' '; (16 << 20) + 1], &["too-large"]);
    beside_good("empty.cu", "", &[]);
    beside_good("nul.cu", "__global__ void k(int *a) { a[0]\0 = 1; }", &["NUL byte"]);
    beside_good("ascii.cu", noise(300_000, b"(){};#\n abcxyz0123*+-\"'/\\<>"), &[]);
    beside_good("noise.map", noise(100_000, b"(){};#\n abcxyz0123*+-\"'/\\<>`@"), &["parse-error"]);
}

#[test]
fn files_that_end_too_soon() {
    beside_good("comment.cu", "__global__ void k(int *a) { a[0] = 1; /* }", &["unterminated-comment"]);
    beside_good("macro.cu", "#define F(x) x\n__global__ void k(int *a) { F(a[0] = 1; }", &["unterminated-call"]);
    beside_good("half.cu", "__global__ void k(int *a) { a[", &["parse-error"]);
}

#[test]
fn files_that_never_end() {
    let bomb: String = (1..40).map(|i| format!("#define A{i} A{} A{}\n", i - 1, i - 1)).collect();
    beside_good("bomb.cu", format!("{bomb}\n__global__ void k(int *a) {{ A39; }}"), &["expansion-limit"]);
    beside_good("cycle.cu", "#include \"cycle.cu\"\n__global__ void k(int *a) { a[threadIdx.x] = 1; }", &["itself"]);
}

#[test]
fn deep_files() {
    let deep = |open: &str, close: &str| open.repeat(10_000) + "1" + &close.repeat(10_000);
    let kernel = |body: String| format!("__global__ void k(int *a) {{ {body} }}\n");
    beside_good("parens.cu", kernel(format!("a[threadIdx.x] = {};", deep("(", ")"))), &["nested too deep"]);
    beside_good("blocks.cu", kernel(deep("{", ";}")), &["nested too deep"]);
    beside_good("ifs.cu", kernel("if (a[0]) ".repeat(3_000) + "a[0] = 1;"), &["too-deep"]);
    let loops = "do ".repeat(100_000) + ";" + &"while (a[0]);".repeat(100_000);
    beside_good("loops.cu", kernel(loops), &["nested too deep"]);
    beside_good("minus.cu", kernel(format!("a[threadIdx.x] = {};", "- ".repeat(10_000) + "1")), &["nested too deep"]);
    beside_good("index.cu", kernel(format!("a[{}] = 1;", deep("a[", "]"))), &[]);
    beside_good("stars.cu", format!("__global__ void k(int {}a) {{ }}\n", "*".repeat(10_000)), &[]);
    beside_good("sum.cu", kernel(format!("a[threadIdx.x] = {}0;", "threadIdx.x + ".repeat(5_000))), &[]);
    beside_good("blocks.map", format!("kernel k {{ code {}", "{ ".repeat(10_000)), &["parse-error"]);
    let ifs = "if 0 < 1 { ".repeat(10_000) + &"}".repeat(10_000);
    beside_good("ifs.map", format!("kernel k {{ code {{ {ifs} }} }}"), &["nested more than"]);
}

#[test]
fn kernels_that_a_condition_leaves_out_are_named() {
    let files = folder();
    let path = files.path().join("left_out.cu").display().to_string();
    for condition in ["#ifdef USE_GPU", "#if USE_GPU > 1\n#else\n#endif\n#if defined(USE_GPU)"] {
        write(&files, "left_out.cu", format!("{condition}\n{GOOD}\n#endif\nint main() {{ return 0; }}\n"));
        expect(&["check", &path], 3, &["no kernel was found", "left out by this condition", "-D NAME"]);
        expect(&["check", &path, "-D", "USE_GPU=1"], 0, &["1 kernel: 1 race-free"]);
    }
    write(&files, "left_out.cu", "#ifdef USE_GPU\nint n;\n#endif\n");
    let text = expect(&["check", &path], 3, &["no kernel was found"]);
    assert!(!text.contains("left out"), "{text}");
}

#[test]
fn folders_without_kernels_and_links_in_circles() {
    let files = folder();
    let root = files.path().display().to_string();
    expect(&["check", &root], 3, &["no kernel was found"]);
    expect(&["list", &root], 0, &[]);
    write(&files, "good.cu", GOOD);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(files.path(), files.path().join("back")).expect("a link");
        expect(&["check", &root], 2, &["a symbolic link leads back", "race-free  good"]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let files = folder();
    let good = write(&files, "good.cu", GOOD);
    let secret = write(&files, "secret.cu", GOOD);
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).expect("rights");
    if fs::read(&secret).is_ok() {
        eprintln!("skipped: rights do not stop the superuser");
        return;
    }
    expect(&["check", &good, &secret], 2, &["permission denied", "race-free  good"]);
}

/// Only those assumptions are named that are needed for the contradiction.
#[test]
fn a_contradiction_is_named() {
    let vacuous = |args: &[&str], named: &[&str], not_named: &[&str]| {
        let text = expect(&[&["check", "--color", "never"], args].concat(), 3, &["[vacuous]"]);
        let line = text.lines().find(|l| l.contains("no thread")).unwrap_or_default().to_owned();
        for word in named {
            assert!(line.contains(word), "`{word}` is not named: {line}");
        }
        for word in not_named {
            assert!(!line.contains(word), "`{word}` is named: {line}");
        }
    };
    let two = ["`__requires(n > 8)` (line 7)", "`__requires(n < 4)` (line 8)"];
    vacuous(
        &["corpus/handmade/vacuous/contradiction.cu"],
        &[two[0], two[1], " contradict each other"],
        &["a block of"],
    );
    let launch = ["`__requires(blockDim.x == 128)` (line 7)", "a block of (64,1,1) (set by the file header)"];
    vacuous(&["corpus/handmade/vacuous/launch-contradiction.cu"], &launch, &["a grid of"]);
    let folder = folder();
    let kernel =
        "__global__ void k(int *a, int n, int m) {\n  __requires(n > 8);\n  __requires(m > 0);\n  a[0] = n + m;\n}\n";
    let file = write(&folder, "k.cu", kernel);
    let all = ["--param", "m=1", "--param", "n=5", "--assume", "m < 9", "--block-dim", "64"];
    let params = ["`__requires(n > 8)` (line 2)", "`n = 5` (--param)"];
    vacuous(&[&[file.as_str()], &all[..]].concat(), &params, &["m = 1", "m > 0", "m < 9", "a block"]);
    let assumed = ["`__requires(n > 8)` (line 2)", "`n < m` (--assume)", "`m == 4` (--assume)"];
    let all = ["--assume", "n < m", "--assume", "m == 4", "--assume", "m < 99"];
    vacuous(&[&[file.as_str()], &all[..]].concat(), &assumed, &["m < 99", "m > 0"]);
    vacuous(&[&file, "--assume", "n < n"], &["`n < n` (--assume) cannot hold"], &["n > 8"]);
    let text = "kernel k {\n  global n: i32;\n  array a: global unit 4;\n  thread threadIdx.x: u32 in 0..4;\n  assume n < 3 && 0 < n && 5 < n;\n  code { wr a[n] @0; }\n}\n";
    let map = write(&folder, "k.map", text);
    vacuous(&[&map], &["`n < 3`", "`5 < n`"], &["0 < n"]);
}

/// What the README shows is what is printed.
#[test]
fn the_readme_shows_what_is_printed() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("the README");
    let mut shown = 0;
    for part in readme.split("<!-- run: faial-like ").skip(1) {
        let (command, rest) = part.split_once(" -->\n```text\n").expect("a block after the command");
        let (block, _) = rest.split_once("```\n").expect("the end of the block");
        let expected: String = block.lines().filter(|l| !l.starts_with("$ ")).map(|l| format!("{l}\n")).collect();
        let output = run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(without_times(&expected), without_times(&stdout(&output)), "{command}");
        shown += 1;
    }
    assert_eq!(shown, 3);
}

#[test]
fn compile_commands_give_the_flags_of_each_file() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let kernel = "#include \"size.h\"\n#include <scale.h>\n//--blockDim=32 --gridDim=1\n__global__ void k(int *a) { a[threadIdx.x * SIZE * SCALE + OFFSET + PRE] = threadIdx.x; }\n";
    let a = write("src/a.cu", &format!("//--blockDim=32 --gridDim=1\n{kernel}"));
    let b = write("src/b.cu", &format!("//--blockDim=32 --gridDim=1\n{kernel}"));
    let c = write("src/c.cu", GOOD);
    write("one/size.h", "#define SIZE 1\n");
    write("none/size.h", "#define SIZE 0\n");
    write("sys/scale.h", "#define SCALE 1\n");
    write("pre.h", "#define PRE 2\n");
    let entry = |file: &str, include: &str| {
        let flags =
            format!("-I {include} -isystem '../sys' -DOFFSET=\\\"bad\\\" -UOFFSET -DOFFSET=3 -include ../pre.h");
        format!("{{\"directory\": \"src\", \"file\": \"{file}\", \"command\": \"nvcc {flags} -c {file}\"}}")
    };
    let arguments = entry("b.cu", "../none").replace("\"command\": \"", "\"arguments\": [\"").replace("\"}", "\"]}");
    let list = arguments.split_once("[\"").map(|(_, l)| l.trim_end_matches("\"]}")).expect("arguments");
    let words = list.replace("-DOFFSET=\\\"bad\\\" ", "").replace('\'', "").replace(' ', "\", \"");
    let arguments = arguments.replace(list, &words);
    let json = write("compile_commands.json", &format!("[{},\n {arguments}]", entry("a.cu", "../one")));
    let here = folder.path().display().to_string();
    // Without them the names are not known.
    expect(&["check", &a], 3, &["inconclusive"]);
    for commands in [json.as_str(), here.as_str()] {
        let text = expect(&["check", &a, "--compile-commands", commands], 0, &["race-free"]);
        assert!(!text.contains("no entry"), "{text}");
        expect(&["check", &b, "--compile-commands", commands], 1, &["data race"]);
        let text = expect(&["check", &a, &c, "--compile-commands", commands], 0, &["have no entry for", "c.cu"]);
        assert_eq!(text.matches("no entry").count(), 1, "{text}");
        // What is given by hand wins.
        expect(&["check", &a, "-D", "OFFSET=7", "--compile-commands", commands], 0, &["race-free"]);
        expect(&["list", &a, "--compile-commands", commands], 0, &["global a"]);
    }
}

#[test]
fn compile_commands_that_are_malformed_are_shown() {
    let folder = folder();
    let path = folder.path().join("compile_commands.json");
    let name = path.display().to_string();
    let expect_of = |text: &str, words: &[&str]| {
        fs::write(&path, text).expect("a file");
        expect(&["check", FREE, "--compile-commands", &name], 2, words)
    };
    expect_of("[\n  {\"directory\": \".\",, }\n]", &["compile_commands.json:2:21:", "\"directory\": \".\",,"]);
    expect_of("[{\"directory\": \".\"}]", &["missing field `file`"]);
    expect_of("[{\"directory\": \".\", \"file\": \"a.cu\"}]", &["entry 1", "neither `command` nor `arguments`"]);
    expect_of("", &["compile_commands.json:1:0:"]);
    expect(&["check", FREE, "--compile-commands", "no/such.json"], 2, &["no/such.json"]);
    expect(&["check", FREE, "--compile-commands", "corpus"], 2, &["corpus/compile_commands.json"]);
}
