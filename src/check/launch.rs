//! The launch that a kernel is checked for: option, header, launches in the host code, launch bounds, or symbolic; the
//! first that says so wins.

use std::borrow::Cow;

use super::kernel::CheckOptions;
use super::source::SourceKernel;
use crate::core::scope::Level;
use crate::frontend::header::{Extent, Header};
use crate::report::finding::{Launch, LaunchSource};

/// What is asked of the kernels of a file: `--only-intra-group` in its header leaves pairs of different blocks out, unless
/// levels are given. [LAUNCH-SCOPE]
pub fn asked<'a>(header: &Header, options: &'a CheckOptions) -> Cow<'a, CheckOptions> {
    if header.flag("only-intra-group").is_none() || !options.levels.is_empty() {
        return Cow::Borrowed(options);
    }
    Cow::Owned(CheckOptions { levels: vec![Level::Warp, Level::Block], ..options.clone() })
}

/// Dimensions given by options; `None` is not given, an inner `None` is symbolic.
pub type GivenDims = Option<[Option<i128>; 3]>;

/// Chooses block and grid dimensions. Where they are `from` launches, all that the host code says of the kernel holds.
pub fn launch(
    block: GivenDims,
    grid: GivenDims,
    header: &Header,
    kernel: &SourceKernel,
    ignore_host: bool,
) -> (Launch, Vec<String>) {
    let extents = |e: [Extent; 3]| {
        e.map(|x| match x {
            Extent::Known(n) => Some(n),
            Extent::Any => None,
        })
    };
    let mut assumptions: Vec<String> = kernel.built.iter().cloned().collect();
    let given = block.is_some() || grid.is_some() || header.block.is_some() || header.grid.is_some();
    if !given && !ignore_host && !kernel.host.place.is_empty() {
        // No launch has other work-groups than those that the kernel is compiled for.
        let block = kernel.group_size.map_or(kernel.host.block, |size| size.map(Some));
        let grid = kernel.host.grid;
        let launch = Launch { block, grid, from: LaunchSource::LaunchSite, open: kernel.host.open };
        assumptions.extend(kernel.host.only_calls.clone());
        return (launch, assumptions);
    }
    let mut from = LaunchSource::Symbolic;
    // What is given, but not as a number, is not 1.
    let open = [block.is_some() || header.block.is_some(), grid.is_some() || header.grid.is_some()];
    let block = match (block, header.block) {
        (Some(given), _) => {
            from = LaunchSource::Option;
            given
        }
        (None, Some(given)) => {
            from = LaunchSource::Header;
            extents(given)
        }
        (None, None) if kernel.group_size.is_some() => {
            from = LaunchSource::GroupSize;
            kernel.group_size.map_or([None; 3], |size| size.map(Some))
        }
        (None, None) => {
            if let Some(n) = kernel.launch_bounds {
                from = LaunchSource::LaunchBounds;
                assumptions.push(format!("a block has at most {n} threads (__launch_bounds__)"));
            }
            [None; 3]
        }
    };
    let grid = match (grid, header.grid) {
        (Some(given), _) => {
            from = LaunchSource::Option;
            given
        }
        (None, Some(given)) => {
            if from == LaunchSource::Symbolic {
                from = LaunchSource::Header;
            }
            extents(given)
        }
        (None, None) => [None; 3],
    };
    let symbolic = |given: bool, dims: [Option<i128>; 3]| dims.map(|d| given && d.is_none());
    // Launches that are seen, and may not be all, say which axes are not 1.
    let open = match given || ignore_host {
        true => [symbolic(open[0], block), symbolic(open[1], grid)],
        false => kernel.host.open,
    };
    if let Some([x, y, z]) = kernel.offset {
        assumptions.push(format!("the global offset is ({x},{y},{z})"));
    }
    if kernel.whole_groups && grid.iter().any(Option::is_none) {
        assumptions.push("the global size is a multiple of the local size".to_owned());
    }
    (Launch { block, grid, from, open }, assumptions)
}
