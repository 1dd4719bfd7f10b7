//! Where a report goes.

use std::io::{self, Write};
use std::path::Path;

/// Writes the text to a file, or to standard output. A reader that stopped reading, as `head` does, is no error.
pub fn write(text: &str, file: Option<&Path>) -> io::Result<()> {
    match file {
        Some(path) => std::fs::write(path, text),
        None => write_to(&mut io::stdout().lock(), text),
    }
}

fn write_to(out: &mut impl Write, text: &str) -> io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fails(io::ErrorKind);

    impl Write for Fails {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_broken_pipe_is_success_and_a_full_disk_is_not() {
        assert!(write_to(&mut Fails(io::ErrorKind::BrokenPipe), "text").is_ok());
        assert!(write_to(&mut Fails(io::ErrorKind::StorageFull), "text").is_err());
    }

    #[test]
    fn a_file_is_replaced() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("report.txt");
        write("a longer first report", Some(&path))?;
        write("second", Some(&path))?;
        assert_eq!(std::fs::read_to_string(&path)?, "second");
        assert!(write("text", Some(&folder.path().join("no/such/folder.txt"))).is_err());
        Ok(())
    }
}
