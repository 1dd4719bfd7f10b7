//! Where answers are kept when no option says so.

use std::ffi::OsString;
use std::path::PathBuf;

const NAME: &str = "faial-like";

/// The folder for what can be made again, by the rules of the platform; `None` where the user has no place for files.
pub fn default_folder(get: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A relative path is to be ignored, says the specification of these variables.
    let folder = |name: &str| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(cache) = folder("XDG_CACHE_HOME") {
        return Some(cache.join(NAME));
    }
    if cfg!(windows) {
        return folder("LOCALAPPDATA").map(|local| local.join(NAME).join("cache"));
    }
    let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    folder("HOME").map(|home| home.join(below).join(NAME))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn folder(vars: &[(&str, &str)]) -> Option<PathBuf> {
        default_folder(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value)))
    }

    #[test]
    fn the_rules_of_the_platform() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(folder(&[("HOME", "/h")]), path("/h/.cache/faial-like"));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), path("/c/faial-like"));
        for not_a_place in ["", "c", "./c"] {
            assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", not_a_place)]), path("/h/.cache/faial-like"));
            assert_eq!(folder(&[("HOME", not_a_place)]), None);
        }
        assert_eq!(folder(&[]), None);
    }
}
