//! How protocols and the later stages are written: the concrete syntax of `protocol-spec/01-syntax.md`.

use std::fmt::{Display, Formatter, Result};

use super::access::{Access, Mode, Scope, SiteId};
use super::align::Alignment;
use super::closure::{Closure, Context};
use super::kernel::{Coordinate, Kernel, Space};
use super::protocol::{Barrier, Protocol};
use super::range::{Range, Step};
use super::scope::Task;
use super::trace::Trace;
use super::unsync::Unsync;
use super::wellformed::WellFormed;
use crate::base::pretty::Printer;
use crate::exp::display::Quoted;
use crate::exp::{IntTy, N, Var};

/// What has a text form.
pub trait Print {
    fn print(&self, printer: &mut Printer);

    fn text(&self) -> String {
        let mut printer = Printer::new();
        self.print(&mut printer);
        printer.finish()
    }
}

impl Display for SiteId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "@{}", self.0)
    }
}

impl Display for Scope {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Scope::Warp => "warp",
            Scope::Block => "block",
            Scope::Cluster => "cluster",
            Scope::Grid => "grid",
        })
    }
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Space::Shared => "shared",
            Space::Global => "global",
        })
    }
}

/// A variable where it is bound: the type is written unless it is the default.
struct Binding<'v>(&'v Var);

impl Display for Binding<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", Quoted(&self.0.name))?;
        if self.0.ty == IntTy::I32 { Ok(()) } else { write!(f, ": {}", self.0.ty) }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} in {}..{}", Binding(&self.var), self.first, self.end)?;
        match &self.step {
            Step::Up(step) if *step == N::num(1) => Ok(()),
            Step::Up(step) => write!(f, " by + {step}"),
            Step::Down(step) => write!(f, " by - {step}"),
            Step::Times(factor) => write!(f, " by * {factor}"),
            Step::Over(factor) => write!(f, " by / {factor}"),
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.mode {
            Mode::Rd => write!(f, "rd")?,
            Mode::Wr(_) => write!(f, "wr")?,
            Mode::At(scope) => write!(f, "at {scope}")?,
        }
        write!(f, " {}", Quoted(&self.array))?;
        self.index.iter().try_for_each(|n| write!(f, "[{n}]"))?;
        if self.width != 1 {
            write!(f, " width {}", self.width)?;
        }
        if let Mode::Wr(Some(value)) = &self.mode {
            write!(f, " := {value}")?;
        }
        write!(f, " {}", self.site)
    }
}

impl Display for Barrier {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "sync {}", self.scope)?;
        match (self.fence.shared, self.fence.global) {
            (true, true) => {}
            (true, false) => f.write_str(" shared")?,
            (false, true) => f.write_str(" global")?,
            (false, false) => f.write_str(" nothing")?,
        }
        if let Some(mask) = &self.mask {
            write!(f, " mask {mask}")?;
        }
        write!(f, " {}", self.site)
    }
}

impl Print for Protocol {
    fn print(&self, p: &mut Printer) {
        match self {
            Protocol::Skip => {}
            Protocol::Access(access) => p.line(format_args!("{access};")),
            Protocol::Sync(barrier) => p.line(format_args!("{barrier};")),
            Protocol::Seq(parts) => parts.iter().for_each(|part| part.print(p)),
            Protocol::If(b, t, e) => {
                p.block(format_args!("if {b}"), |p| t.print(p));
                if **e != Protocol::Skip {
                    p.block("else", |p| e.print(p));
                }
            }
            Protocol::For(range, body) => p.block(format_args!("for {range}"), |p| body.print(p)),
        }
    }
}

impl Print for Unsync {
    fn print(&self, p: &mut Printer) {
        match self {
            Unsync::Skip => {}
            Unsync::Access(access) => p.line(format_args!("{access};")),
            Unsync::Seq(parts) => parts.iter().for_each(|part| part.print(p)),
            Unsync::If(b, t, e) => {
                p.block(format_args!("if {b}"), |p| t.print(p));
                if **e != Unsync::Skip {
                    p.block("else", |p| e.print(p));
                }
            }
            Unsync::For(range, body) => p.block(format_args!("for {range}"), |p| body.print(p)),
        }
    }
}

impl Print for Closure {
    fn print(&self, p: &mut Printer) {
        let start = self.start.map_or(String::new(), |site| format!(" {site}"));
        let approximate = if self.approximate { " approximate" } else { "" };
        p.block(format_args!("phase{start}{approximate}"), |p| {
            for context in &self.context {
                match context {
                    Context::Bind(range) => p.line(format_args!("var {range};")),
                    Context::Assume(b) => p.line(format_args!("assume {b};")),
                }
            }
            p.block("code", |p| self.code.print(p));
        });
    }
}

impl Display for Task {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Task::One => "1",
            Task::Two => "2",
        })
    }
}

impl Print for Trace {
    fn print(&self, p: &mut Printer) {
        match self {
            Trace::Skip => {}
            Trace::Access(task, access) => p.line(format_args!("{task}: {access};")),
            Trace::Seq(parts) => parts.iter().for_each(|part| part.print(p)),
            Trace::If(b, t, e) => {
                p.block(format_args!("if {b}"), |p| t.print(p));
                if **e != Trace::Skip {
                    p.block("else", |p| e.print(p));
                }
            }
            Trace::Var(range, body) => p.block(format_args!("var {range}"), |p| body.print(p)),
        }
    }
}

fn coordinate(p: &mut Printer, kind: &str, coordinate: &Coordinate, cluster: Option<&N>) {
    let cluster = cluster.filter(|size| size.as_num() != Some(1)).map_or(String::new(), |n| format!(" cluster {n}"));
    p.line(format_args!("{kind} {} in 0..{}{cluster};", Binding(&coordinate.var), coordinate.extent));
}

impl<C> Kernel<C> {
    /// The header, then what `code` prints.
    fn print_with(&self, p: &mut Printer, code: impl FnOnce(&mut Printer)) {
        p.block(format_args!("kernel {}", Quoted(&self.name)), |p| {
            for var in &self.globals {
                p.line(format_args!("global {}: {};", Quoted(&var.name), var.ty));
            }
            for array in &self.arrays {
                p.line(format_args!("array {}: {} unit {};", Quoted(&array.name), array.space, array.unit));
            }
            self.blocks.iter().enumerate().for_each(|(i, c)| coordinate(p, "block", c, self.clusters.get(i)));
            self.threads.iter().for_each(|c| coordinate(p, "thread", c, None));
            if self.pre.as_lit() != Some(true) {
                p.line(format_args!("assume {};", self.pre));
            }
            self.pairs.iter().for_each(|b| p.line(format_args!("pairs {b};")));
            if !self.last.is_empty() {
                let sites: Vec<String> = self.last.iter().map(|s| format!("@{}", s.0)).collect();
                p.line(format_args!("last {};", sites.join(" ")));
            }
            code(p);
        });
    }
}

impl Print for Kernel<Protocol> {
    fn print(&self, p: &mut Printer) {
        self.print_with(p, |p| p.block("code", |p| self.code.print(p)));
    }
}

impl Print for Kernel<WellFormed> {
    fn print(&self, p: &mut Printer) {
        self.print_with(p, |p| p.block("code", |p| self.code.protocol().print(p)));
    }
}

impl Print for Kernel<Alignment> {
    fn print(&self, p: &mut Printer) {
        self.print_with(p, |p| p.block("aligned", |p| self.code.protocol().print(p)));
    }
}

impl Print for Kernel<Vec<Closure>> {
    fn print(&self, p: &mut Printer) {
        self.print_with(p, |p| p.block("phases", |p| self.code.iter().for_each(|c| c.print(p))));
    }
}

impl Print for Kernel<Vec<Trace>> {
    fn print(&self, p: &mut Printer) {
        let each = |p: &mut Printer| self.code.iter().for_each(|h| p.block("trace", |p| h.print(p)));
        self.print_with(p, |p| p.block("traces", each));
    }
}
