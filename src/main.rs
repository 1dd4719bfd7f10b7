use std::process::ExitCode;

/// Terms are many small allocations: a fifth of a short run is spent on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    faial_like::cli::run::run().into()
}
