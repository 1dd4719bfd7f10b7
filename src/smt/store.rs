//! A folder of small files that several processes use at once. Nothing in it is needed: what cannot be read is asked
//! again, and what cannot be written is asked again next time.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

use super::entry::Digest;

/// What all files together may take; the oldest go first. Files are spread over [`SHARDS`] folders by their digest, each
/// with its share.
pub const MAX_BYTES: u64 = 256 << 20;
const SHARDS: u64 = 256;
/// What a file takes on a disk at least.
const BLOCK: u64 = 4096;
/// Larger files are not written, and not read.
const MAX_FILE: u64 = 256 << 10;

pub struct Store {
    folder: PathBuf,
    max_bytes: u64,
    /// The first failure. After it nothing is written any more.
    trouble: Mutex<Option<String>>,
    broken: AtomicBool,
    temporary: AtomicU64,
}

impl Store {
    /// Nothing is touched before something is written.
    pub fn new(folder: PathBuf, max_bytes: u64) -> Store {
        Store {
            folder,
            max_bytes,
            trouble: Mutex::new(None),
            broken: AtomicBool::new(false),
            temporary: AtomicU64::new(0),
        }
    }

    /// Why nothing is kept, if something failed.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok().and_then(|t| t.clone())
    }

    pub fn read(&self, key: &Digest) -> Option<String> {
        let path = self.path(key);
        let result = fs::metadata(&path).and_then(|meta| match meta.is_file() && meta.len() <= MAX_FILE {
            true => fs::read(&path),
            false => Err(ErrorKind::NotFound.into()),
        });
        match result {
            Ok(bytes) => String::from_utf8(bytes).ok(),
            Err(error) => {
                if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                    self.failed(&path, &error);
                }
                None
            }
        }
    }

    /// Replaces the file as a whole: no reader sees half of it.
    pub fn write(&self, key: &Digest, text: &str) {
        if self.broken.load(Ordering::Relaxed) || text.len() as u64 > MAX_FILE {
            return;
        }
        let path = self.path(key);
        if let Err(error) = self.replace(&path, text) {
            self.failed(&path, &error);
            return;
        }
        // Counting a shard takes a look at all its files: now and then is enough.
        if key.as_bytes()[1].is_multiple_of(16)
            && let Some(shard) = path.parent()
        {
            // Another process may be at it too; the next time comes soon.
            let _ = prune(shard, self.max_bytes / SHARDS);
        }
    }

    fn path(&self, key: &Digest) -> PathBuf {
        let hex = key.to_hex();
        let (shard, rest) = hex.split_at(2);
        self.folder.join(shard).join(rest)
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        let Some(shard) = path.parent() else { return Err(ErrorKind::InvalidInput.into()) };
        let number = self.temporary.fetch_add(1, Ordering::Relaxed);
        let temporary = shard.join(format!("tmp-{}-{number}", std::process::id()));
        let mut written = fs::write(&temporary, text);
        if written.as_ref().is_err_and(|e| e.kind() == ErrorKind::NotFound) {
            create(shard)?;
            written = fs::write(&temporary, text);
        }
        let result = written.and_then(|()| fs::rename(&temporary, path));
        if result.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        result
    }

    fn failed(&self, path: &Path, error: &io::Error) {
        self.broken.store(true, Ordering::Relaxed);
        if let Ok(mut trouble) = self.trouble.lock() {
            trouble.get_or_insert_with(|| format!("{}: {error}", path.display()));
        }
    }
}

/// Makes a folder that only its owner can change: who can write an answer can prove anything.
fn create(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Removes the oldest files of a folder until the rest takes three quarters of what it may.
fn prune(folder: &Path, max_bytes: u64) -> io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        // A file that another process has just removed or renamed is no concern of ours.
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_file() {
            let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((modified, meta.len().next_multiple_of(BLOCK).max(BLOCK), entry.path()));
        }
    }
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    if total <= max_bytes {
        return Ok(());
    }
    files.sort();
    for (_, size, path) in files {
        if total <= max_bytes / 4 * 3 {
            break;
        }
        fs::remove_file(path)?;
        total -= size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u64) -> Digest {
        blake3::hash(&n.to_le_bytes())
    }

    #[test]
    fn what_was_written_is_read_and_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path().join("a/b"), MAX_BYTES);
        assert_eq!(store.read(&key(1)), None);
        for text in ["one", "another"] {
            store.write(&key(1), text);
            assert_eq!(store.read(&key(1)).as_deref(), Some(text));
        }
        assert_eq!(store.read(&key(2)), None);
        assert_eq!(store.trouble(), None);
    }

    #[test]
    fn the_size_is_bounded_and_the_newest_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        // Room for two files in each part.
        let store = Store::new(folder.path().to_path_buf(), SHARDS * 2 * BLOCK);
        for n in 0..20_000 {
            store.write(&key(n), "text");
        }
        let count = fs::read_dir(folder.path()).expect("a folder").flatten();
        let count: usize = count.map(|shard| fs::read_dir(shard.path()).expect("a folder").count()).sum();
        // Some were added to each part since it was last looked at: 16 on average.
        assert!(count < 256 * 40, "{count} files");
        assert!(count >= 256, "{count} files");
        assert_eq!(store.trouble(), None);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_trouble_once_and_nothing_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("a file");
        let store = Store::new(file.join("sub"), MAX_BYTES);
        assert_eq!(store.read(&key(1)), None);
        assert_eq!(store.trouble(), None);
        store.write(&key(1), "text");
        let first = store.trouble().expect("trouble");
        store.write(&key(2), "text");
        assert_eq!(store.trouble(), Some(first));
    }

    #[test]
    fn a_folder_in_place_of_a_file_is_nothing_to_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path().to_path_buf(), MAX_BYTES);
        fs::create_dir_all(store.path(&key(1))).expect("a folder");
        assert_eq!(store.read(&key(1)), None);
        store.write(&key(1), "text");
        assert!(store.trouble().is_some());
    }
}
