//! Which assumptions contradict each other: so few that without any one of them the rest can hold.

use super::host::HostFacts;
use super::infer::{host_of, protocol_with};
use super::kernel::CheckOptions;
use super::source::{KernelCode, SourceKernel};
use crate::base::Span;
use crate::core::{Kernel, Protocol};
use crate::exp::{B, BExp};
use crate::kernel::infer::Inferred;
use crate::report::finding::{Launch, LaunchSource};

/// An assumption that can be left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Grid,
    Block,
    /// A condition of the host code, with its words.
    Host(String),
    /// A parameter that the host code gives a value.
    Bound(String, i128),
    /// A parameter that an option gives a value.
    Param(String, i128),
    /// A condition that an option states.
    Assume(String),
    /// A condition of a protocol that was read.
    Protocol(B),
    /// A statement of the kernel.
    Source(Span),
}

impl Part {
    /// For a person; a statement of the kernel is to be quoted instead.
    pub fn words(&self, launch: &Launch, kernel: &SourceKernel) -> String {
        let from = match launch.from {
            LaunchSource::Option => " (set by the command line)",
            LaunchSource::Header => " (set by the file header)",
            LaunchSource::LaunchSite => " (set by the launch site)",
            LaunchSource::GroupSize => " (from reqd_work_group_size)",
            LaunchSource::LaunchBounds => " (set by __launch_bounds__)",
            LaunchSource::Symbolic => "",
        };
        let dims = |dims: [Option<i128>; 3]| dims.map(|d| d.map_or("*".to_owned(), |d| d.to_string())).join(",");
        match self {
            Part::Grid => format!("a grid of ({}){from}", dims(launch.grid)),
            Part::Block => format!("a block of ({}){from}", dims(launch.block)),
            Part::Host(words) => words.clone(),
            Part::Bound(name, value) => format!("`{name} = {value}` ({})", kernel.host.place),
            Part::Param(name, value) => format!("`{name} = {value}` (--param)"),
            Part::Assume(condition) => format!("`{condition}` (--assume)"),
            Part::Protocol(condition) => format!("`{condition}`"),
            Part::Source(_) => String::new(),
        }
    }
}

/// What becomes part of a protocol, and can be left out of it.
#[derive(Clone)]
pub struct Given<'k> {
    kernel: &'k SourceKernel,
    host: Option<HostFacts>,
    launch: Launch,
    options: CheckOptions,
    /// The assumptions of the source.
    stated: Vec<Span>,
    left_out: Vec<Span>,
    /// The conditions of a protocol that was read, which is not inferred again.
    read: Option<Vec<B>>,
}

impl<'k> Given<'k> {
    pub fn new(kernel: &'k SourceKernel, launch: &Launch, options: &CheckOptions, inferred: &Inferred) -> Given<'k> {
        let host = host_of(kernel, launch, options).cloned();
        let read = match &kernel.code {
            KernelCode::Cuda(_) => None,
            KernelCode::Protocol(read) => Some(match read.kernel.pre.kind() {
                BExp::And(parts) => parts.clone(),
                _ => vec![read.kernel.pre.clone()],
            }),
        };
        let stated = inferred.assumed.clone();
        Given { kernel, host, launch: launch.clone(), options: options.clone(), stated, left_out: Vec::new(), read }
    }

    fn protocol(&self) -> Kernel<Protocol> {
        let (KernelCode::Protocol(whole), Some(read)) = (&self.kernel.code, &self.read) else {
            return protocol_with(self.kernel, self.host.as_ref(), &self.launch, &self.options, &self.left_out).kernel;
        };
        let mut part = whole.clone();
        part.kernel.pre = B::and(read.iter().cloned());
        let kernel = SourceKernel {
            name: self.kernel.name.clone(),
            host: self.kernel.host.clone(),
            launches: Vec::new(),
            built: self.kernel.built.clone(),
            code: KernelCode::Protocol(part),
            ..*self.kernel
        };
        protocol_with(&kernel, self.host.as_ref(), &self.launch, &self.options, &[]).kernel
    }

    /// First what the kernel says least about: of two contradictions, the one in the source is the better one to name.
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let set = |dims: [Option<i128>; 3]| dims.iter().any(Option::is_some);
        parts.extend(set(self.launch.grid).then_some(Part::Grid));
        parts.extend(set(self.launch.block).then_some(Part::Block));
        if let Some(host) = &self.host {
            parts.extend(host.conditions.iter().map(|(_, words)| Part::Host(words.clone())));
            parts.extend(host.params.iter().map(|(n, v)| Part::Bound(n.clone(), *v)));
        }
        parts.extend(self.options.params.iter().map(|(n, v)| Part::Param(n.clone(), *v)));
        parts.extend(self.options.conditions.iter().map(|c| Part::Assume(c.clone())));
        parts.extend(self.read.iter().flatten().map(|b| Part::Protocol(b.clone())));
        parts.extend(self.stated.iter().map(|span| Part::Source(*span)));
        parts
    }

    fn without(&self, part: &Part) -> Given<'k> {
        let mut less = self.clone();
        match (part, &mut less.host) {
            (Part::Grid, _) => less.launch.grid = [None; 3],
            (Part::Block, _) => less.launch.block = [None; 3],
            (Part::Host(words), Some(host)) => host.conditions.retain(|(_, w)| w != words),
            (Part::Bound(name, _), Some(host)) => {
                host.params.remove(name);
            }
            (Part::Host(_) | Part::Bound(..), None) => {}
            (Part::Param(name, _), _) => {
                less.options.params.remove(name);
            }
            (Part::Assume(condition), _) => less.options.conditions.retain(|c| c != condition),
            (Part::Protocol(condition), _) => less.read.iter_mut().for_each(|read| read.retain(|b| b != condition)),
            (Part::Source(span), _) => less.left_out.push(*span),
        }
        less
    }
}

/// Leaves out one assumption after the other, as long as `contradictory` says that the rest still cannot hold. It may say
/// no when it does not know: then an assumption more is named. What is left is returned in reverse: the source first.
pub fn contradiction(mut given: Given, contradictory: &mut impl FnMut(&Kernel<Protocol>) -> bool) -> Vec<Part> {
    let mut needed = Vec::new();
    for part in given.parts() {
        let less = given.without(&part);
        if contradictory(&less.protocol()) {
            given = less;
        } else {
            needed.push(part);
        }
    }
    // As they stand in the source, and then the rest.
    let (mut source, rest): (Vec<Part>, Vec<Part>) = needed.into_iter().partition(|p| matches!(p, Part::Source(_)));
    source.extend(rest);
    source
}
