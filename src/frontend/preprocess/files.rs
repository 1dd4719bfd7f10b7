//! Where included files are read from.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub trait Files {
    /// The bytes of a file; `NotFound` makes the search for an include go on.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The files in a folder, and in those within it, whose paths end like this; none where there are too many files to tell.
    fn beneath(&self, folder: &Path, end: &Path) -> Vec<PathBuf>;
}

/// The files in a folder and in those within it, by their names.
type Listing = BTreeMap<OsString, Vec<PathBuf>>;

/// The file system. Only regular files of a sensible size are read: a device or a pipe would never end.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

const MAX_FILE: u64 = 64 << 20;
/// A larger folder is not searched.
const MAX_FILES: usize = 50_000;

impl Files for DiskFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let metadata = std::fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        if metadata.len() > MAX_FILE {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "larger than 64 MB"));
        }
        std::fs::read(path)
    }

    fn beneath(&self, folder: &Path, end: &Path) -> Vec<PathBuf> {
        // Of each folder once a run, for most files include something that is not there.
        static LISTINGS: Mutex<BTreeMap<PathBuf, Arc<Listing>>> = Mutex::new(BTreeMap::new());
        let mut listings = LISTINGS.lock().unwrap_or_else(PoisonError::into_inner);
        let listing = listings.entry(folder.to_path_buf()).or_insert_with(|| Arc::new(listing_of(folder))).clone();
        drop(listings);
        let named = listing.get(end.file_name().unwrap_or_default()).map(Vec::as_slice).unwrap_or_default();
        named.iter().filter(|path| path.ends_with(end)).cloned().collect()
    }
}

/// Without links, and folders with names that hide them; empty where it has too many files.
fn listing_of(folder: &Path) -> Listing {
    let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let mut listing = Listing::new();
    let mut left = MAX_FILES;
    let mut folders = vec![Path::new(".").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if left == 0 {
                return Listing::new();
            }
            left -= 1;
            if kind.is_dir() && !hidden(&entry.file_name()) {
                folders.push(entry.path());
            } else if kind.is_file() {
                listing.entry(entry.file_name()).or_default().push(normal(&entry.path()));
            }
        }
    }
    listing.values_mut().for_each(|paths| paths.sort());
    listing
}

/// Files that exist only in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryFiles {
    pub fn add(&mut self, path: impl AsRef<Path>, text: impl Into<Vec<u8>>) {
        self.files.insert(normal(path.as_ref()), text.into());
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(&normal(path)).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn beneath(&self, folder: &Path, end: &Path) -> Vec<PathBuf> {
        let folder = normal(folder);
        let within =
            |path: &Path| path.strip_prefix(&folder).is_ok_and(|rest| !rest.starts_with("..")) && path.ends_with(end);
        self.files.keys().filter(|path| within(path)).cloned().collect()
    }
}

/// The path without `.` and without `name/..`.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(result.components().next_back(), Some(Component::Normal(_))) => {
                result.pop();
            }
            Component::ParentDir | Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                result.push(component);
            }
        }
    }
    result
}

/// Headers of C, C++, POSIX, CUDA and OpenCL: nobody needs to be told that they are not there.
pub(super) fn is_well_known(name: &str) -> bool {
    const STARTS: [&str; 11] = [
        "curand",
        "cublas",
        "cufft",
        "cusparse",
        "cusolver",
        "cudnn",
        "cupti",
        "cuComplex",
        "nvToolsExt",
        "npp",
        "sm_",
    ];
    is_of_platform(name) || STARTS.iter().any(|start| name.starts_with(start))
}

/// Those of them that have exactly this name, or are in a folder that a library has for itself. A project that calls a header
/// of its own `cuda_utils.h` or `cublas_utils.h` means its own.
pub(super) fn is_of_platform(name: &str) -> bool {
    const NAMES: &str = " algorithm any array atomic bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv \
        chrono cinttypes climits clocale cmath codecvt compare complex concepts condition_variable csetjmp csignal \
        cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception \
        execution filesystem format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream \
        istream iterator limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue \
        random ranges ratio regex scoped_allocator set shared_mutex source_location span sstream stack stdexcept \
        streambuf string string_view strstream system_error thread tuple type_traits typeindex typeinfo unordered_map \
        unordered_set utility valarray variant vector version \
        assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h malloc.h math.h \
        memory.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h \
        stdnoreturn.h string.h strings.h tgmath.h threads.h time.h uchar.h values.h wchar.h wctype.h \
        dirent.h dlfcn.h fcntl.h getopt.h glob.h netdb.h poll.h regex.h termios.h libgen.h omp.h pthread.h sched.h unistd.h windows.h winsock2.h x86intrin.h \
        immintrin.h emmintrin.h xmmintrin.h mpi.h \
        builtin_types.h channel_descriptor.h common_functions.h cooperative_groups.h cudaGL.h cudart_platform.h \
        device_atomic_functions.h device_double_functions.h device_functions.h device_functions.hpp \
        device_launch_parameters.h device_types.h driver_functions.h driver_types.h drvapi_error_string.h host_config.h \
        host_defines.h library_types.h math_constants.h math_functions.h mma.h nccl.h nvml.h nvrtc.h surface_functions.h \
        surface_indirect_functions.h surface_types.h texture_fetch_functions.h texture_indirect_functions.h \
        texture_types.h vector_functions.h vector_functions.hpp vector_types.h opencl.h opencl-c.h opencl-c-base.h \
        texture_fetch_functions.hpp crt/host_defines.h crt/mma.h \
        cuda.h cuda_awbarrier.h cuda_awbarrier_helpers.h cuda_awbarrier_primitives.h cuda_bf16.h cuda_bf16.hpp \
        cuda_d3d10_interop.h cuda_d3d11_interop.h cuda_d3d9_interop.h cuda_device_runtime_api.h cuda_egl_interop.h \
        cuda_fp16.h cuda_fp16.hpp cuda_fp4.h cuda_fp4.hpp cuda_fp6.h cuda_fp6.hpp cuda_fp8.h cuda_fp8.hpp \
        cuda_gl_interop.h cuda_occupancy.h cuda_pipeline.h cuda_pipeline_helpers.h cuda_pipeline_primitives.h \
        cuda_profiler_api.h cuda_runtime.h cuda_runtime_api.h cuda_stdint.h cuda_surface_types.h cuda_texture_types.h \
        cuda_vdpau_interop.h cuda_wmma.h cudaD3D10.h cudaD3D11.h cudaD3D9.h cudaEGL.h cudaEGLTypedefs.h \
        cudaGLTypedefs.h cudaProfiler.h cudaProfilerTypedefs.h cudaTypedefs.h cudaVDPAU.h cudaVDPAUTypedefs.h \
        cudalibxt.h helper_cuda.h helper_cuda_drvapi.h helper_cuda_gl.h helper_cusolver.h helper_functions.h \
        helper_gl.h helper_image.h helper_math.h helper_multiprocess.h helper_string.h helper_timer.h ";
    const FOLDERS: [&str; 10] =
        ["arpa/", "netinet/", "cuda/", "nvtx3/", "thrust/", "cub/", "cooperative_groups/", "CL/", "sys/", "GL/"];
    let spaced = [" ", name, " "].concat();
    NAMES.contains(&spaced) || FOLDERS.iter().any(|folder| name.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_dots() {
        assert_eq!(normal(Path::new("a/./b/../c.h")), Path::new("a/c.h"));
        assert_eq!(normal(Path::new("../../c.h")), Path::new("../../c.h"));
        assert_eq!(normal(Path::new("/a/../c.h")), Path::new("/c.h"));
    }

    #[test]
    fn well_known_headers_are_whole_names() {
        assert!(is_well_known("cuda_runtime.h") && is_well_known("stdio.h") && is_well_known("thrust/sort.h"));
        assert!(!is_well_known("common.h") && !is_well_known("std") && !is_well_known(""));
        assert!(is_well_known("cublas_v2.h") && is_well_known("cuda/atomic") && is_of_platform("helper_math.h"));
        assert!(
            !is_of_platform("cublas_utils.h") && !is_well_known("cuda_utils.h") && !is_well_known("cudamatrix/dim.h")
        );
    }

    #[test]
    fn only_regular_files_are_read() {
        let error = |path: &str| DiskFiles.read(Path::new(path)).map_err(|e| e.kind());
        assert_eq!(error("/"), Err(io::ErrorKind::NotFound));
        assert_eq!(error("/dev/zero"), Err(io::ErrorKind::InvalidInput));
    }
}
