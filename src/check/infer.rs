//! From a kernel to its protocol, with all that is given of it: options, the launch, the host code.

use std::collections::BTreeMap;

use super::host::{HostFacts, is_of_host};
use super::kernel::CheckOptions;
use super::rows;
use super::source::{KernelCode, Launched, SourceKernel};
use crate::base::{Name, Span};
use crate::core::scope::Level;
use crate::exp::display::Quoted;
use crate::exp::{B, N, Subst, Var, free_vars_b};
use crate::kernel::infer::{Config, Inferred, infer};
use crate::report::finding::{Launch, LaunchSource};
use crate::text::parse_protocol;

/// Infers the protocol of a kernel, for the launch given.
pub fn protocol_of(kernel: &SourceKernel, launch: &Launch, options: &CheckOptions) -> Inferred {
    protocol_with(kernel, host_of(kernel, launch, options), launch, options, &[])
}

/// What holds of the host code: all that it says for the launches that are checked, or that pointers may be one where these
/// are not all.
pub(super) fn host_of<'k>(kernel: &'k SourceKernel, launch: &Launch, options: &CheckOptions) -> Option<&'k HostFacts> {
    let some = !kernel.host.some.is_empty() && !options.ignore_host;
    (launch.from == LaunchSource::LaunchSite || some).then_some(&kernel.host)
}

/// The same, with what is given of the host code, and without some of the assumptions of the source.
pub(super) fn protocol_with(
    kernel: &SourceKernel,
    host: Option<&HostFacts>,
    launch: &Launch,
    options: &CheckOptions,
    left_out: &[Span],
) -> Inferred {
    let mut inferred = match &kernel.code {
        KernelCode::Cuda(code) => {
            let mut config = config(launch, code.clusters, options);
            config.left_out = left_out.to_vec();
            config.unlaunched &= kernel.launched == Launched::Nowhere && !code.is_opencl;
            if code.is_opencl {
                (config.any_hardware, config.max_threads) = (true, GROUP_SIZE);
            }
            if let Some(n) = kernel.launch_bounds.filter(|n| (1..config.max_threads).contains(n)) {
                config.max_threads = n;
            }
            if let Some(host) = host {
                config.params.extend(host.params.iter().map(|(n, v)| (n.clone(), *v)));
                config.params.extend(options.params.clone());
                config.large_grids |= host.is_large;
                config.aliases = host.aliases.clone();
                config.overlaps = host.overlaps.clone();
            }
            let mut inferred = infer(&code.program, code.kernel, &config);
            // [INF-ENUM-VALUES]
            for (name, least, most) in &code.enumerations {
                if let Some(var) = inferred.kernel.globals.iter().find(|v| v.name.as_str() == name) {
                    let var = N::var(var);
                    let within = B::and([N::num(*least).le(&var), var.le(&N::num(*most))]);
                    inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), within]);
                    inferred.assumptions.push(format!("`{name}` has a value of its enumeration: {least} to {most}"));
                }
            }
            inferred
        }
        KernelCode::Protocol(inferred) => specialise(inferred, launch, options),
    };
    let mut fixed = fixed_sizes(launch);
    for (name, value) in &options.params {
        fixed.bind(&Name::new(name.as_str()), &N::num(*value));
    }
    for (condition, words) in host.into_iter().flat_map(|h| &h.conditions) {
        let condition = fixed.boolean(condition);
        let vars = free_vars_b(&condition);
        let globals = &mut inferred.kernel.globals;
        if condition.as_lit() == Some(true) {
            continue;
        }
        // What is given by options is told before what the host says.
        if condition.as_lit().is_some() || vars.iter().any(|v| !is_of_host(v) && !globals.contains(v)) {
            if let Some(host) = host.filter(|h| h.says_distances()) {
                return protocol_with(kernel, Some(&host.without_distances()), launch, options, left_out);
            }
        } else {
            globals.extend(vars.into_iter().filter(is_of_host).filter(|v| !globals.contains(v)).collect::<Vec<_>>());
            inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), condition]);
            inferred.assumptions.push(words.clone());
        }
    }
    if let Some(host) = host {
        for (later, (earlier, _)) in &host.aliases {
            inferred.assumptions.push(format!("`{later}` points into the same array as `{earlier}` ({})", host.place));
        }
    }
    if let Some(host) = host {
        let place = if host.place.is_empty() { &host.some } else { &host.place };
        for (later, earlier) in host.overlaps.iter().flat_map(|(later, all)| all.keys().map(move |e| (later, e))) {
            inferred.assumptions.push(format!("`{later}` may point into the same array as `{earlier}` ({place})"));
        }
    }
    let is_read = matches!(kernel.code, KernelCode::Protocol(_));
    for condition in &options.conditions {
        if let Ok(assumed) = assume(&inferred.kernel.globals, condition) {
            inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), assumed]);
            inferred.assumptions.push(condition.clone());
        }
    }
    if !is_read {
        rows::assume_usual(&mut inferred, host, options);
    }
    inferred
}

/// The sizes of the launch that are numbers.
fn fixed_sizes(launch: &Launch) -> Subst<'static> {
    let mut fixed = Subst::new();
    for (what, sizes) in [("blockDim", launch.block), ("gridDim", launch.grid)] {
        for (axis, size) in ["x", "y", "z"].into_iter().zip(sizes) {
            if let Some(size) = size {
                fixed.bind(&Name::new(format!("{what}.{axis}")), &N::num(size));
            }
        }
    }
    fixed
}

/// Reads a condition over globals. It is one of all threads; what it says of a name that a kernel does not have is not
/// assumed of that kernel.
pub fn assume(globals: &[Var], condition: &str) -> Result<B, String> {
    let mut declared = String::new();
    for var in globals {
        declared.push_str(&format!("global {}: {};\n", Quoted(&var.name), var.ty));
    }
    let head = format!("kernel k {{\n{declared}assume\n");
    match parse_protocol(&format!("{head}{condition}\n; code {{}} }}")) {
        Ok(kernel) => Ok(kernel.pre),
        Err(errors) => Err(errors.into_iter().next().map_or(String::new(), |e| e.message)),
    }
}

/// Work-items of a work-group of OpenCL, at most: some devices that are no GPU take thousands.
const GROUP_SIZE: i128 = 1 << 16;

fn config(launch: &Launch, cluster: Option<[Option<i128>; 3]>, options: &CheckOptions) -> Config {
    Config {
        block: launch.block,
        grid: launch.grid,
        cluster,
        may_be_one: launch.open.map(|axes| axes.map(|open| !open && !options.all_dims)),
        unlaunched: launch.from == LaunchSource::Symbolic && !options.all_dims,
        params: options.params.clone(),
        warp_size: i128::from(options.warps.size),
        lockstep: options.warps.lockstep,
        max_threads: 1024,
        any_hardware: false,
        large_grids: options.large_grids,
        aliases: BTreeMap::new(),
        overlaps: BTreeMap::new(),
        settles: [Level::Block, Level::Grid].map(|highest| {
            let shares = |level: &Level| cluster.is_some() || *level <= highest && *level != Level::Cluster;
            let looked_at = |level: &Level| options.levels.is_empty() || options.levels.contains(level);
            options.arrays.is_empty() && Level::ALL.iter().all(|level| !shares(level) || looked_at(level))
        }),
        left_out: Vec::new(),
        steps: options.steps,
    }
}

/// A protocol that was read, for fixed parameters and dimensions: those of its globals that have the name.
fn specialise(inferred: &Inferred, launch: &Launch, options: &CheckOptions) -> Inferred {
    let mut inferred = inferred.clone();
    let dims = [("blockDim", launch.block), ("gridDim", launch.grid)];
    let dims = dims
        .iter()
        .flat_map(|(what, dims)| ["x", "y", "z"].iter().zip(dims).map(move |(a, d)| (format!("{what}.{a}"), *d)));
    let fixed = dims.filter_map(|(name, dim)| Some((name, dim?)));
    let mut pre = vec![inferred.kernel.pre.clone()];
    for (name, value) in fixed.chain(options.params.iter().map(|(n, v)| (n.clone(), *v))) {
        if let Some(var) = inferred.kernel.globals.iter().find(|v| v.name.as_str() == name) {
            pre.push(N::var(var).eq(&N::num(value)));
            inferred.assumptions.push(format!("{name} = {value}"));
        }
    }
    inferred.kernel.pre = B::and(pre);
    inferred
}
