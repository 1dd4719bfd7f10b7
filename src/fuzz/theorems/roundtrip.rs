//! THM-ROUNDTRIP: what is printed is read back as the same thing, at every stage and every level.

use super::Outcome;
use crate::core::{Kernel, Print, Protocol, align, levels, phases, project, seq, split, wellformed};
use crate::fuzz::kernels::WARP;
use crate::text::{Stage, parse_kernel, parse_protocol};

/// How a kernel is printed: [`Print::text`], or a wrong way.
pub type Printed<'p> = &'p dyn Fn(String) -> String;

/// The kernel and every stage of it, at every level: `print` gets the right text, and gives what is read.
///
/// Source:   protocol-spec/01-syntax.md.
pub fn holds(kernel: &Kernel<Protocol>, print: Printed) -> Outcome {
    protocol(kernel, print)?;
    let in_use = levels(kernel);
    let mut paper = false;
    for level in &in_use {
        let projection = project(kernel, *level, &in_use, WARP);
        let kernel = &projection.kernel;
        protocol(kernel, print)?;
        let closures = phases(kernel);
        let traces: Vec<_> = closures.iter().map(|c| seq(&projection, c)).collect();
        stage(&kernel.with_code(closures), print, |stage, code| match stage {
            Stage::Phases(back) if back == code => Some(kernel.with_code(back).text()),
            _ => None,
        })?;
        stage(&kernel.with_code(traces), print, |stage, _| match stage {
            Stage::Traces(back) => Some(kernel.with_code(back).text()),
            _ => None,
        })?;
        let Ok(admitted) = wellformed(kernel, *level) else { continue };
        paper = true;
        protocol(&kernel.with_code(admitted.code.protocol()), print)?;
        let aligned = align(&admitted.code);
        let closures = split(&aligned);
        stage(&kernel.with_code(aligned), print, |stage, code| match stage {
            Stage::Aligned(back) if back == code => Some(kernel.with_code(back).text()),
            _ => None,
        })?;
        stage(&kernel.with_code(closures), print, |stage, _| match stage {
            Stage::Phases(back) => Some(kernel.with_code(back).text()),
            _ => None,
        })?;
    }
    Ok(vec![("on both paths", paper)])
}

fn protocol(kernel: &Kernel<Protocol>, print: Printed) -> Result<(), String> {
    let text = kernel.text();
    let printed = print(text.clone());
    let back = parse_protocol(&printed).map_err(|errors| format!("{errors:?} in\n{printed}"))?;
    same_text(&text, &back.text())?;
    if back == kernel.with_code(flat(&kernel.code)) { Ok(()) } else { Err(format!("read as another kernel\n{text}")) }
}

/// Prints a stage and reads it; `again` prints what was read, when it is the same code.
fn stage<C>(kernel: &Kernel<C>, print: Printed, again: impl FnOnce(Stage, C) -> Option<String>) -> Result<(), String>
where
    Kernel<C>: Print,
    C: Clone,
{
    let text = kernel.text();
    let printed = print(text.clone());
    let back = parse_kernel(&printed).map_err(|errors| format!("{errors:?} in\n{printed}"))?;
    match again(back.code, kernel.code.clone()) {
        Some(after) => same_text(&text, &after),
        None => Err(format!("read as another thing\n{text}")),
    }
}

fn same_text(before: &str, after: &str) -> Result<(), String> {
    if before == after { Ok(()) } else { Err(format!("printed\n{before}\nread and printed again\n{after}")) }
}

/// Sequences flat, as they are printed.
fn flat(code: &Protocol) -> Protocol {
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => code.clone(),
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(flat).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => Protocol::If(b.clone(), Box::new(flat(t)), Box::new(flat(e))),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(flat(body))),
    }
}
