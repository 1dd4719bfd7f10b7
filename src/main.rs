use std::process::ExitCode;

fn main() -> ExitCode {
    faial_like::cli::run::run().into()
}
