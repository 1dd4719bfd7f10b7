//! The stages of the pipeline as text.

use std::path::Path;

use super::kernel::protocol_of;
use super::launch::{GivenDims, launch};
use super::pipeline::at_levels;
use super::schedule::Settings;
use super::source::load;
use crate::frontend::header::Header;
use crate::report::finding::{Launch, LaunchSource};

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

/// One stage of every kernel of a file.
pub fn dump(path: &Path, text: &str, stage: Stage, settings: &Settings) -> Result<String, String> {
    let file = load(path, text.to_owned(), &settings.source);
    let mut out = String::new();
    for kernel in file.kernels.iter().filter(|k| selected(settings, &k.name)) {
        if stage == Stage::Ir {
            out.push_str(&format!("kernel {}\n{:#?}\n", kernel.name, kernel.program));
            continue;
        }
        let (launch, _) = launch(settings.block, settings.grid, &file.header, kernel.launch_bounds);
        let inferred = protocol_of(kernel, &launch, &settings.check);
        if stage == Stage::Protocol {
            out.push_str(&format!("{:#?}\n", inferred.kernel.code));
            continue;
        }
        for at in at_levels(&inferred.kernel, &settings.check.levels, settings.check.warp_size) {
            for phase in at.race_phases() {
                out.push_str(&format!("{phase:#?}\n"));
            }
        }
    }
    Ok(out)
}

/// The protocols of the kernels of a file: name and text.
pub fn protocols(path: &Path, text: &str, settings: &Settings) -> Result<Vec<(String, String)>, String> {
    let file = load(path, text.to_owned(), &settings.source);
    let mut all = Vec::new();
    for kernel in file.kernels.iter().filter(|k| selected(settings, &k.name)) {
        let (launch, _) = launch(settings.block, settings.grid, &file.header, kernel.launch_bounds);
        let inferred = protocol_of(kernel, &launch, &settings.check);
        all.push((kernel.name.clone(), format!("{:#?}\n", inferred.kernel.code)));
    }
    Ok(all)
}

type Choose = fn(GivenDims, GivenDims, &Header, Option<i128>) -> (Launch, Vec<String>);

/// The kernels of a file, their arrays, and their launches, a line each.
pub fn list(path: &Path, text: &str, settings: &Settings, choose: Choose) -> String {
    let file = load(path, text.to_owned(), &settings.source);
    let mut out = String::new();
    for kernel in &file.kernels {
        let (launch, notes) = choose(settings.block, settings.grid, &file.header, kernel.launch_bounds);
        let inferred = protocol_of(kernel, &launch, &settings.check);
        let line = file.sources.start(kernel.span).line;
        out.push_str(&format!("{}:{line}: {}\n", path.display(), kernel.name));
        let dims = |d: [Option<i128>; 3]| {
            d.map(|n| n.map_or("*".to_owned(), |n| n.to_string())).join(",")
        };
        let from = match launch.from {
            LaunchSource::Option => "options",
            LaunchSource::Header => "the header",
            LaunchSource::LaunchSite => "a launch site",
            LaunchSource::LaunchBounds => "__launch_bounds__",
            LaunchSource::Symbolic => "nowhere: any launch",
        };
        out.push_str(&format!("  block [{}], grid [{}], from {from}\n", dims(inferred.block), dims(inferred.grid)));
        for note in notes {
            out.push_str(&format!("  {note}\n"));
        }
        for array in &inferred.kernel.arrays {
            let space = match array.space {
                crate::core::Space::Shared => "shared",
                crate::core::Space::Global => "global",
            };
            out.push_str(&format!("  {space} {} in units of {} bytes\n", array.name, array.unit));
        }
    }
    out
}
