//! How time and memory grow: the five families of \[MAP\] Fig. 17 at sizes 1 to 50, each case one run of the program, the
//! solver included.
//!
//! `sh .ci/setup cargo bench --bench fig17` prints a table; a file after `--` gets the plot as SVG.

mod families;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use families::{Family, Form};

const SIZES: [usize; 13] = [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50];
/// Each case is run this often, and the fastest run counts.
const ROUNDS: usize = 3;

/// One case: what its fastest run took, and the most that any run took of memory.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    /// Of the program and the solver together; `None` where the system does not say.
    kilobytes: Option<u64>,
}

struct Series {
    family: Family,
    form: Form,
    costs: Vec<(usize, Cost)>,
}

fn main() {
    let plot = std::env::args().skip(1).find(|a| !a.starts_with('-')).map(PathBuf::from);
    let folder = std::env::temp_dir().join(format!("faial-like-fig17-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the cases");
    println!("{:>22} {:>9} {:>5} {:>10} {:>10}", "family", "form", "size", "ms", "MB");
    let mut all = Vec::new();
    for form in Form::ALL {
        for family in Family::ALL {
            let costs: Vec<(usize, Cost)> =
                SIZES.iter().map(|size| (*size, case(&folder, family, form, *size))).collect();
            let series = Series { family, form, costs };
            println!("{:>22} {:>9} {:>5} {:>10.2}", family.name(), form.extension(), "grows", series.exponent());
            all.push(series);
        }
    }
    // A folder that stays behind in the temporary folder is no reason to fail.
    let _ = std::fs::remove_dir_all(&folder);
    let largest = all.iter().flat_map(|s| s.costs.last());
    let worst = largest.clone().fold(0.0f64, |worst, (_, cost)| worst.max(cost.seconds));
    let memory = largest.filter_map(|(_, cost)| cost.kilobytes).max();
    let memory = memory.map_or("not known".to_owned(), |kb| format!("{:.0} MB", kb as f64 / 1000.0));
    println!("size {}: {worst:.3} s and {memory} at most", SIZES[SIZES.len() - 1]);
    if let Some(file) = plot {
        std::fs::write(&file, svg(&all)).expect("the plot can be written");
        println!("{}", file.display());
    }
}

fn case(folder: &Path, family: Family, form: Form, size: usize) -> Cost {
    let file = folder.join(format!("{}-{size}.{}", family.name(), form.extension()));
    std::fs::write(&file, family.text(form, size, false)).expect("the case can be written");
    let mut best = Cost { seconds: f64::INFINITY, kilobytes: None };
    for _ in 0..ROUNDS {
        let cost = run(&file);
        best.seconds = best.seconds.min(cost.seconds);
        best.kilobytes = best.kilobytes.max(cost.kilobytes);
    }
    let memory = best.kilobytes.map_or("-".to_owned(), |kb| format!("{:.1}", kb as f64 / 1000.0));
    println!("{:>22} {:>9} {size:>5} {:>10.1} {memory:>10}", family.name(), form.extension(), best.seconds * 1000.0);
    best
}

/// Runs the program on a file. Exit code 0 says that the kernel is race-free: anything else is a mistake.
fn run(file: &Path) -> Cost {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_faial-like"))
        .args(["check", "-q", "--no-cache"])
        .arg(file)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut kilobytes = None;
    let status = loop {
        kilobytes = kilobytes.max(memory(child.id()));
        match child.try_wait().expect("the program can be waited for") {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    assert!(status.success(), "{}: not race-free: {status}", file.display());
    Cost { seconds, kilobytes }
}

/// The most memory that a process and those that it started have had so far.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let own: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    let mut all = own;
    for task in std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|id| id.parse().ok());
        all += children.filter_map(memory).sum::<u64>();
    }
    Some(all)
}

impl Series {
    /// The exponent of the growth: the slope, in a log-log plot of the sizes from 10 on, of the time above that of size 1.
    fn exponent(&self) -> f64 {
        let base = self.costs.first().map_or(0.0, |(_, c)| c.seconds);
        let points: Vec<(f64, f64)> = self
            .costs
            .iter()
            .filter(|(size, _)| *size >= 10)
            .map(|(size, c)| ((*size as f64).ln(), (c.seconds - base).max(1e-4).ln()))
            .collect();
        let count = points.len() as f64;
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x) * (p.0 - x))
    }
}

const COLOURS: [&str; 5] = ["#0b6fa4", "#c4540a", "#1b7f3b", "#8a3fa0", "#9b1c31"];
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 500.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 360.0;
/// Milliseconds at the lower and upper edge.
const EDGES: [f64; 2] = [5.0, 1000.0];

/// A log-log plot of time by size: solid lines for CUDA, dashed ones for protocols.
fn svg(all: &[Series]) -> String {
    let x = |size: f64| LEFT + (RIGHT - LEFT) * size.ln() / (SIZES[SIZES.len() - 1] as f64).ln();
    let y = |ms: f64| {
        let ms = ms.clamp(EDGES[0], EDGES[1]);
        BOTTOM - (BOTTOM - TOP) * (ms / EDGES[0]).ln() / (EDGES[1] / EDGES[0]).ln()
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title>Time by size of the families of Fig. 17</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let mut line = |from: (f64, f64), to: (f64, f64), style: &str| {
        out.push_str(&format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {style}/>\n",
            from.0, from.1, to.0, to.1
        ));
    };
    let grid = "stroke=\"#dddddd\"";
    let marks = ([1, 2, 5, 10, 20, 50], [5, 10, 20, 50, 100, 200, 500, 1000]);
    for size in marks.0 {
        line((x(f64::from(size)), TOP), (x(f64::from(size)), BOTTOM), grid);
    }
    for ms in marks.1 {
        line((LEFT, y(f64::from(ms))), (RIGHT, y(f64::from(ms))), grid);
    }
    line((LEFT, y(500.0)), (RIGHT, y(500.0)), "stroke=\"#888888\" stroke-dasharray=\"2 3\"");
    let mut text = |at: (f64, f64), anchor: &str, words: &str| {
        out.push_str(&format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{words}</text>\n", at.0, at.1));
    };
    for size in marks.0 {
        text((x(f64::from(size)), BOTTOM + 18.0), "middle", &size.to_string());
    }
    for ms in marks.1 {
        text((LEFT - 8.0, y(f64::from(ms)) + 4.0), "end", &ms.to_string());
    }
    text(((LEFT + RIGHT) / 2.0, BOTTOM + 40.0), "middle", "size");
    text((LEFT, TOP - 10.0), "middle", "ms, the solver included");
    for (i, family) in Family::ALL.iter().enumerate() {
        text((RIGHT + 50.0, TOP + 20.0 + 22.0 * i as f64), "start", family.name());
    }
    text((RIGHT + 50.0, TOP + 140.0), "start", "from CUDA");
    text((RIGHT + 50.0, TOP + 162.0), "start", "from the protocol");
    let mut path = |points: &[(f64, f64)], colour: &str, dashed: bool| {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dashes = if dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        out.push_str(&format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes} points=\"{}\"/>\n",
            points.join(" ")
        ));
    };
    let sample = |row: f64| [(RIGHT + 15.0, TOP + row), (RIGHT + 42.0, TOP + row)];
    for (i, colour) in COLOURS.iter().enumerate() {
        path(&sample(16.0 + 22.0 * i as f64), colour, false);
    }
    path(&sample(136.0), "black", false);
    path(&sample(158.0), "black", true);
    for series in all {
        let colour = Family::ALL.iter().zip(COLOURS).find(|(f, _)| **f == series.family).map_or("black", |(_, c)| c);
        let points: Vec<_> = series.costs.iter().map(|(n, c)| (x(*n as f64), y(c.seconds * 1000.0))).collect();
        path(&points, colour, series.form == Form::Protocol);
    }
    out.push_str("</svg>\n");
    out
}
