//! The built-in functions and types of CUDA that a kernel can use without a definition.

use std::sync::Arc;

use super::annotations::{ASSERT, ASSUME};
use crate::base::Name;
use crate::core::Scope;
use crate::exp::IntTy;
use crate::kernel::ir::Intrinsic;
use crate::kernel::types::{StructTy, Type};

/// What a call of a built-in function means, and the type of its result (`None`: that of its first argument, or of what
/// the first argument points to).
pub struct Builtin {
    pub intrinsic: Intrinsic,
    pub result: Option<Type>,
}

fn known(intrinsic: Intrinsic, result: Type) -> Option<Builtin> {
    Some(Builtin { intrinsic, result: Some(result) })
}

fn like_argument(intrinsic: Intrinsic) -> Option<Builtin> {
    Some(Builtin { intrinsic, result: None })
}

const FLOAT: Type = Type::Float(4);
const DOUBLE: Type = Type::Float(8);

const ATOMICS: [&str; 11] = ["Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"];

const MATH: [&str; 66] = [
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "logb",
    "sqrt",
    "rsqrt",
    "cbrt",
    "rcbrt",
    "hypot",
    "rhypot",
    "pow",
    "fabs",
    "floor",
    "ceil",
    "round",
    "rint",
    "trunc",
    "nearbyint",
    "fmod",
    "remainder",
    "fdim",
    "fmin",
    "fmax",
    "fma",
    "copysign",
    "ldexp",
    "scalbn",
    "erf",
    "erfc",
    "erfinv",
    "erfcinv",
    "erfcx",
    "normcdf",
    "normcdfinv",
    "lgamma",
    "tgamma",
    "sinpi",
    "cospi",
    "nextafter",
    "j0",
    "j1",
    "y0",
    "y1",
    "nan",
    "saturate",
    "fdivide",
    "powi",
    "norm3d",
];

/// The built-in function of that name, when there is one.
pub fn function(name: &str) -> Option<Builtin> {
    if let Some(rest) = name.strip_prefix("atomic") {
        let (operation, scope) = match rest.strip_suffix("_block") {
            Some(operation) => (operation, Scope::Block),
            None => (rest.strip_suffix("_system").unwrap_or(rest), Scope::Grid),
        };
        if ATOMICS.contains(&operation) {
            return like_argument(Intrinsic::Atomic(Name::new(operation), scope));
        }
    }
    // Of PyTorch and of HIP.
    let operation = match name {
        "gpuAtomicAdd" | "gpuAtomicAddNoReturn" | "unsafeAtomicAdd" | "safeAtomicAdd" | "atomicAddNoRet" => Some("Add"),
        "gpuAtomicMin" => Some("Min"),
        "gpuAtomicMax" => Some("Max"),
        _ => None,
    };
    if let Some(operation) = operation {
        return like_argument(Intrinsic::Atomic(Name::new(operation), Scope::Grid));
    }
    if let Some(builtin) = math(name).or_else(|| complex(name)).or_else(|| half(name)) {
        return Some(builtin);
    }
    if name.starts_with("curand") || name.starts_with("rocrand") {
        let result = match name {
            "curand" | "curand_poisson" | "curand_discrete" => Type::UINT,
            _ if name.contains("double") => DOUBLE,
            _ if name.ends_with('2') => vector_type("float2").unwrap_or(FLOAT),
            _ if name.ends_with('4') => {
                vector_type(if name == "curand4" { "uint4" } else { "float4" }).unwrap_or(FLOAT)
            }
            _ if name.contains("init") || name.starts_with("skipahead") => Type::Void,
            _ => FLOAT,
        };
        // The state is the last argument of curand_init and the first one of all others.
        return known(Intrinsic::TouchReadWrite(Name::new(name)), result);
    }
    if name.starts_with("tex1D")
        || name.starts_with("tex2D")
        || name.starts_with("tex3D")
        || name.starts_with("texCubemap")
    {
        return known(Intrinsic::Havoc(Name::new(name)), Type::Unknown(Arc::from("texel")));
    }
    if let Some(surface) = surface(name) {
        return Some(surface);
    }
    if name.starts_with("__shfl") {
        let intrinsic = Intrinsic::Havoc(Name::new(name));
        return Some(Builtin { intrinsic, result: None });
    }
    // An annotation of GPUVerify's prover: `__barrier_invariant_binary_3` and its like.
    if name.starts_with("__barrier_invariant") {
        return known(Intrinsic::Nothing, Type::BOOL);
    }
    match name {
        "__syncthreads" => known(Intrinsic::Barrier(Scope::Block), Type::Void),
        "__builtin_amdgcn_s_barrier" => known(Intrinsic::BareBarrier, Type::Void),
        // They order nothing between threads, or what their own thread does.
        "__builtin_amdgcn_wave_barrier"
        | "__builtin_amdgcn_sched_barrier"
        | "__builtin_amdgcn_sched_group_barrier"
        | "__builtin_amdgcn_s_waitcnt"
        | "__builtin_amdgcn_s_sleep"
        | "__builtin_amdgcn_s_setprio"
        | "__builtin_amdgcn_iglp_opt" => known(Intrinsic::Havoc(Name::new(name)), Type::INT),
        "__builtin_amdgcn_readfirstlane"
        | "__builtin_amdgcn_readlane"
        | "__builtin_amdgcn_ds_bpermute"
        | "__builtin_amdgcn_ds_permute"
        | "__builtin_amdgcn_ds_swizzle"
        | "__builtin_amdgcn_mov_dpp"
        | "__builtin_amdgcn_update_dpp"
        | "__builtin_amdgcn_mbcnt_lo"
        | "__builtin_amdgcn_mbcnt_hi" => known(Intrinsic::Havoc(Name::new(name)), Type::INT),
        "__builtin_amdgcn_ballot_w32" => known(Intrinsic::Havoc(Name::new(name)), Type::UINT),
        "__builtin_amdgcn_ballot_w64" => known(Intrinsic::Havoc(Name::new(name)), Type::Int(IntTy::U64)),
        "__syncthreads_count" | "__syncthreads_and" | "__syncthreads_or" => {
            known(Intrinsic::BarrierReduce(Name::new(name)), Type::INT)
        }
        // Evaluated by the program: what their arguments read counts.
        "printf" | "assert" | "__nanosleep" | "__prof_trigger" => known(Intrinsic::Havoc(Name::new(name)), Type::INT),
        // What is launched next, or where, is not for this kernel.
        "cudaGraphSetConditional" | "cudaStreamDestroy" | "cudaGetLastError" | "cudaPeekAtLastError" => {
            known(Intrinsic::Havoc(Name::new(name)), Type::INT)
        }
        "cudaStreamCreateWithFlags" | "cudaGetDevice" => known(Intrinsic::WritesPointers(Name::new(name)), Type::INT),
        "__cluster_barrier_arrive" => known(Intrinsic::Arrive(Scope::Cluster), Type::Void),
        "__cluster_barrier_wait" => known(Intrinsic::Wait(Scope::Cluster), Type::Void),
        // It orders nothing; a wait without another arrive is then a loss.
        "__cluster_barrier_arrive_relaxed" => known(Intrinsic::Nothing, Type::Void),
        "__syncwarp" => known(Intrinsic::Barrier(Scope::Warp), Type::Void),
        "__threadfence" | "__threadfence_system" => known(Intrinsic::Fence(Scope::Grid), Type::Void),
        // (Their arguments may say more.)
        "__threadfence_block" | "__builtin_amdgcn_fence" | "atomic_thread_fence" => {
            known(Intrinsic::Fence(Scope::Block), Type::Void)
        }
        "__builtin_assume_aligned_" | "__pragma" => known(Intrinsic::Nothing, Type::Void),
        // Annotations of GPUVerify's prover, which this analysis does not need.
        "__invariant"
        | "__global_invariant"
        | "__ensures"
        | "__global_ensures"
        | "__requires_fresh_array"
        | "__candidate_invariant"
        | "__array_snapshot"
        | "__function_wide_invariant"
        | "__function_wide_candidate_invariant"
        | "__candidate_global_invariant"
        | "__reads_from"
        | "__reads_from_local"
        | "__writes_to"
        | "__writes_to_local"
        | "__non_temporal_loads_begin"
        | "__non_temporal_loads_end"
        | "__modifies"
        | "__constant_read" => known(Intrinsic::Nothing, Type::BOOL),
        "__no_read"
        | "__no_write"
        | "__read"
        | "__write"
        | "__read_implies"
        | "__write_implies"
        | "__read_offset_bytes"
        | "__write_offset_bytes"
        | "__ptr_offset_bytes"
        | "__ptr_base"
        | "__atomic_has_taken_value"
        | "__dominator_enabled" => known(Intrinsic::Havoc(Name::new("annotation")), Type::INT),
        "__requires" | "__assume" | "__builtin_assume" | "__global_requires" | "__global_assume" | "__axiom"
        | ASSUME => known(Intrinsic::Assume, Type::BOOL),
        "__assert" | "static_assert" | "__global_assert" | "_Static_assert" | ASSERT => {
            known(Intrinsic::Assert, Type::Void)
        }
        "__trap" | "__builtin_trap" | "__builtin_unreachable" | "abort" | "exit" => known(Intrinsic::Trap, Type::Void),
        // A debugger goes on after it.
        "__brkpt" => known(Intrinsic::Nothing, Type::Void),
        "memcpy" | "__builtin_memcpy" | "memmove" | "__builtin_memmove" => known(Intrinsic::MemCopy, Type::Void.ptr()),
        "memset" | "__builtin_memset" => known(Intrinsic::MemSet, Type::Void.ptr()),
        "__ldg" | "__ldcg" | "__ldca" | "__ldcs" | "__ldlu" | "__ldcv" | "__builtin_nontemporal_load" => {
            like_argument(Intrinsic::ReadThrough)
        }
        "min" => like_argument(Intrinsic::Min(IntTy::I32)),
        "max" => like_argument(Intrinsic::Max(IntTy::I32)),
        "umin" => known(Intrinsic::Min(IntTy::U32), Type::UINT),
        "umax" => known(Intrinsic::Max(IntTy::U32), Type::UINT),
        "llmin" => known(Intrinsic::Min(IntTy::I64), Type::Int(IntTy::I64)),
        "llmax" => known(Intrinsic::Max(IntTy::I64), Type::Int(IntTy::I64)),
        "ullmin" => known(Intrinsic::Min(IntTy::U64), Type::Int(IntTy::U64)),
        "ullmax" => known(Intrinsic::Max(IntTy::U64), Type::Int(IntTy::U64)),
        "__umulhi" | "__sad" | "__usad" | "__brev" | "__byte_perm" | "__funnelshift_l" | "__funnelshift_r"
        | "__funnelshift_lc" | "__funnelshift_rc" | "__uhadd" | "__urhadd" | "__fns" | "__builtin_bswap32" => {
            known(Intrinsic::Pure(Name::new(name), None), Type::UINT)
        }
        name if is_of_lanes(name) => {
            let ty = if name.contains("_s32") { Type::INT } else { Type::UINT };
            known(Intrinsic::Pure(Name::new(name), None), ty)
        }
        "__builtin_bswap16" => known(Intrinsic::Pure(Name::new(name), Some((0, 0xffff))), Type::UINT),
        "__brevll" | "__umul64hi" | "__builtin_bswap64" => {
            known(Intrinsic::Pure(Name::new(name), None), Type::Int(IntTy::U64))
        }
        "__mulhi" | "__rhadd" => known(Intrinsic::Pure(Name::new(name), None), Type::INT),
        "__mul64hi" | "labs" | "llabs" => known(Intrinsic::Pure(Name::new(name), None), Type::Int(IntTy::I64)),
        // Of 16 bits, for numbers of half precision, it is another function.
        "__mul24" | "__umul24" | "mul24" | "__hadd" | "__dp4a" | "__dp2a_lo" | "__dp2a_hi" | "abs" => {
            like_argument(Intrinsic::Pure(Name::new(name), None))
        }
        "__popc" | "__builtin_popcount" => known(Intrinsic::Pure(Name::new(name), Some((0, 32))), Type::INT),
        "__popcll" => known(Intrinsic::Pure(Name::new(name), Some((0, 64))), Type::INT),
        "__clz" | "__builtin_clz" | "__ffs" | "__builtin_ffs" => {
            known(Intrinsic::Pure(Name::new(name), Some((0, 32))), Type::INT)
        }
        "__clzll" | "__ffsll" => known(Intrinsic::Pure(Name::new(name), Some((0, 64))), Type::INT),
        "isnan" | "isinf" | "isfinite" | "signbit" | "__isnan" | "__isinf" => {
            known(Intrinsic::Pure(Name::new(name), Some((0, 1))), Type::INT)
        }
        "__float2int_rn" | "__float2int_rz" | "__float2int_rd" | "__float2int_ru" | "__float_as_int"
        | "__double2int_rn" | "__double2int_rz" | "__double2int_rd" | "__double2loint" | "__double2hiint"
        | "float2int" | "__half2int_rn" => known(Intrinsic::Pure(Name::new(name), None), Type::INT),
        "__float2uint_rn" | "__float2uint_rz" | "__float2uint_rd" | "__float2uint_ru" | "__float_as_uint"
        | "__double2uint_rn" => known(Intrinsic::Pure(Name::new(name), None), Type::UINT),
        "__double_as_longlong"
        | "__double2ll_rn"
        | "__float2ll_rn"
        | "lrint"
        | "lrintf"
        | "llrint"
        | "llrintf"
        | "lround"
        | "lroundf"
        | "llround"
        | "llroundf" => known(Intrinsic::Pure(Name::new(name), None), Type::Int(IntTy::I64)),
        "__int_as_float" | "__uint_as_float" | "__int2float_rn" | "__uint2float_rn" | "__half2float"
        | "__ull2float_rn" | "__ll2float_rn" => known(Intrinsic::Pure(Name::new(name), None), FLOAT),
        "__builtin_inff" | "__builtin_huge_valf" | "__builtin_nanf" => {
            known(Intrinsic::Pure(Name::new(name), None), FLOAT)
        }
        "__builtin_inf" | "__builtin_huge_val" | "__builtin_nan" => {
            known(Intrinsic::Pure(Name::new(name), None), DOUBLE)
        }
        "__longlong_as_double" | "__hiloint2double" | "__int2double_rn" => {
            known(Intrinsic::Pure(Name::new(name), None), DOUBLE)
        }
        "sincos" | "sincosf" | "sincospi" | "sincospif" | "__sincosf" | "frexp" | "frexpf" | "modf" | "modff"
        | "remquo" | "remquof" => known(Intrinsic::WritesPointers(Name::new(name)), FLOAT),
        // Of HIP, where a warp may have 64 lanes; the upper ones are unknown in CUDA too, which is more than they can be.
        "__activemask" | "__ballot" | "__ballot_sync" | "__match_any_sync" => {
            known(Intrinsic::Havoc(Name::new(name)), Type::Int(IntTy::U64))
        }
        "__laneid_" | "__reduce_and_sync" | "__reduce_or_sync" | "__reduce_xor_sync" => {
            known(Intrinsic::Havoc(Name::new(name)), Type::UINT)
        }
        "__any" | "__any_sync" | "__all" | "__all_sync" => known(Intrinsic::Havoc(Name::new(name)), Type::INT),
        "clock" | "clock64" | "__clock" | "__clock64" | "__globaltimer" => {
            known(Intrinsic::Havoc(Name::new(name)), Type::Int(IntTy::I64))
        }
        // Of the type of the value.
        "__reduce_add_sync" | "__reduce_max_sync" | "__reduce_min_sync" => {
            like_argument(Intrinsic::Havoc(Name::new(name)))
        }
        "__match_all_sync" => known(Intrinsic::WritesPointers(Name::new(name)), Type::UINT),
        "__uniform_int" | "__uniform_bool" => known(Intrinsic::UniformInt, Type::BOOL),
        "__distinct_int" | "__distinct_bool" => known(Intrinsic::DistinctInt, Type::BOOL),
        "__other_int" | "__other_bool" => known(Intrinsic::OtherInt, Type::INT),
        "__enabled" => known(Intrinsic::Enabled, Type::BOOL),
        "__implies" => known(Intrinsic::Implies, Type::BOOL),
        "__is_pow2" | "__add_noovfl" | "__add_noovfl_unsigned" | "__add_noovfl_signed" => {
            known(Intrinsic::Pure(Name::new(name), None), Type::BOOL)
        }
        _ => None,
    }
}

/// `surf2Dwrite(value, surface, x, y)` and its like; `surf2Dread(&value, surface, x, y)` is not modelled.
fn surface(name: &str) -> Option<Builtin> {
    let stem = name.strip_prefix("surf")?;
    let (shape, write) = match stem.strip_suffix("write") {
        Some(shape) => (shape, true),
        None => (stem.strip_suffix("read")?, false),
    };
    let coordinates = match shape {
        "1D" => 1,
        "2D" | "1DLayered" => 2,
        "3D" | "2DLayered" | "Cubemap" | "CubemapLayered" => 3,
        _ => return None,
    };
    let result = if write { Type::Void } else { Type::Unknown(Arc::from("texel")) };
    known(Intrinsic::Surface { write, coordinates }, result)
}

fn math(name: &str) -> Option<Builtin> {
    let plain = |n: &str| MATH.contains(&n);
    if plain(name) {
        return known(Intrinsic::Pure(Name::new(name), None), DOUBLE);
    }
    if let Some(stem) = name.strip_suffix('f') {
        let stem = stem.strip_prefix("__").unwrap_or(stem);
        if plain(stem) || stem == "divide" {
            return known(Intrinsic::Pure(Name::new(name), None), FLOAT);
        }
    }
    // Intrinsics with a rounding mode: __fadd_rn, __dmul_rz, ...
    let rounded =
        ["_rn", "_rz", "_ru", "_rd"].iter().find_map(|s| name.strip_suffix(s)).and_then(|n| n.strip_prefix("__"));
    if let Some(stem) = rounded {
        for (prefix, ty) in [("f", FLOAT), ("d", DOUBLE)] {
            if let Some(operation) = stem.strip_prefix(prefix)
                && ["add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt", "ma", "maf"].contains(&operation)
            {
                return known(Intrinsic::Pure(Name::new(name), None), ty);
            }
        }
    }
    None
}

/// The functions of `cuComplex.h`, which compute.
fn complex(name: &str) -> Option<Builtin> {
    let known_as = |result: Type| known(Intrinsic::Pure(Name::new(name), None), result);
    let make = match name {
        "make_cuComplex" | "make_cuFloatComplex" => Some("float2"),
        "make_cuDoubleComplex" => Some("double2"),
        "cuComplexDoubleToFloat" | "cuConjf" => Some("float2"),
        "cuComplexFloatToDouble" | "cuConj" => Some("double2"),
        _ => None,
    };
    if let Some(ty) = make {
        return known_as(vector_type(ty)?);
    }
    let operation = name.strip_prefix("cuC")?;
    let (operation, single) = match operation.strip_suffix('f') {
        Some(operation) => (operation, true),
        None => (operation, false),
    };
    match operation {
        "real" | "imag" | "abs" => known_as(if single { FLOAT } else { DOUBLE }),
        "add" | "sub" | "mul" | "div" | "fma" => known_as(vector_type(if single { "float2" } else { "double2" })?),
        _ => None,
    }
}

/// The functions of `cuda_fp16.h` and `cuda_bf16.h` that compute with numbers of half precision, one or two at a time.
fn half(name: &str) -> Option<Builtin> {
    let pure = |result: Type| known(Intrinsic::Pure(Name::new(name), None), result);
    let (one, two) = (Type::Float(2), vector_type("half2")?);
    match name {
        "__nv_cvt_float_to_fp8"
        | "__nv_cvt_double_to_fp8"
        | "__nv_cvt_halfraw_to_fp8"
        | "__nv_cvt_bfloat16raw_to_fp8" => return pure(Type::Int(IntTy::U8)),
        "__nv_cvt_float2_to_fp8x2"
        | "__nv_cvt_double2_to_fp8x2"
        | "__nv_cvt_halfraw2_to_fp8x2"
        | "__nv_cvt_bfloat16raw2_to_fp8x2" => return pure(Type::Int(IntTy::U16)),
        "__nv_cvt_fp8_to_halfraw" => return pure(one),
        "__bfloat162float" | "__low2float" | "__high2float" => return pure(FLOAT),
        "__half22float2" | "__bfloat1622float2" => return pure(vector_type("float2")?),
        "__float2half"
        | "__float2half_rn"
        | "__float2half_rz"
        | "__float2half_rd"
        | "__float2half_ru"
        | "__float2bfloat16"
        | "__float2bfloat16_rn"
        | "__float2bfloat16_rz"
        | "__float2bfloat16_rd"
        | "__float2bfloat16_ru"
        | "__double2half"
        | "__double2bfloat16"
        | "__low2half"
        | "__high2half"
        | "__low2bfloat16"
        | "__high2bfloat16"
        | "__int2half_rn"
        | "__uint2half_rn"
        | "__int2bfloat16_rn"
        | "__ushort_as_half"
        | "__short_as_half"
        | "__ushort_as_bfloat16"
        | "__short_as_bfloat16" => return pure(one),
        "__float2half2_rn"
        | "__floats2half2_rn"
        | "__float22half2_rn"
        | "__float2bfloat162_rn"
        | "__floats2bfloat162_rn"
        | "__float22bfloat162_rn"
        | "__halves2half2"
        | "__half2half2"
        | "__bfloat162bfloat162"
        | "__halves2bfloat162"
        | "__lowhigh2highlow"
        | "__low2half2"
        | "__high2half2"
        | "__lows2half2"
        | "__highs2half2"
        | "__low2bfloat162"
        | "__high2bfloat162" => return pure(two),
        "__half_as_ushort" | "__bfloat16_as_ushort" => return pure(Type::Int(IntTy::U16)),
        "__half_as_short" | "__bfloat16_as_short" => return pure(Type::Int(IntTy::I16)),
        "__half2int_rz" | "__half2int_rd" | "__half2int_ru" | "__bfloat162int_rn" | "__bfloat162int_rz" => {
            return pure(Type::INT);
        }
        _ => {}
    }
    let stem = name.strip_prefix("__h").or_else(|| name.strip_prefix('h'))?;
    const OPERATIONS: [&str; 13] =
        ["add", "sub", "mul", "div", "fma", "neg", "abs", "min", "max", "add_sat", "sub_sat", "mul_sat", "fma_sat"];
    const RELATIONS: [&str; 12] = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu"];
    let rounded = stem.strip_suffix("_rn").unwrap_or(stem);
    if name.starts_with("__h") {
        // Of one number like the argument, whatever that is: `__hadd` is also one of integers.
        return match rounded.strip_suffix('2').or_else(|| rounded.strip_suffix("2_sat")) {
            Some(operation) if OPERATIONS.contains(&operation) || RELATIONS.contains(&operation) => pure(two),
            _ if RELATIONS.contains(&rounded) || matches!(rounded, "isnan" | "isinf") => pure(Type::BOOL),
            _ if OPERATIONS.contains(&rounded) && rounded != "add" => {
                like_argument(Intrinsic::Pure(Name::new(name), None))
            }
            _ if matches!(rounded, "min_nan" | "max_nan") => like_argument(Intrinsic::Pure(Name::new(name), None)),
            _ => None,
        };
    }
    const FUNCTIONS: [&str; 14] = [
        "exp", "exp2", "exp10", "log", "log2", "log10", "sqrt", "rsqrt", "rcp", "sin", "cos", "floor", "ceil", "trunc",
    ];
    match stem.strip_prefix('2') {
        Some(function) if FUNCTIONS.contains(&function) || function == "rint" => pure(two),
        None if FUNCTIONS.contains(&stem) || stem == "rint" || stem == "tanh" => pure(one),
        _ => None,
    }
}

/// `int4`, `uchar2`, `dim3`, ...: the vector types.
pub fn vector_type(name: &str) -> Option<Type> {
    if name == "dim3" {
        let members = ["x", "y", "z"].map(|f| (Arc::from(f), Type::UINT)).to_vec();
        return Some(Type::Struct(Arc::new(StructTy::layout(name, members, false, None, true))));
    }
    let digit = name.strip_suffix(['1', '2', '3', '4'])?;
    let lanes = usize::from(name.as_bytes()[name.len() - 1] - b'0');
    let elem = match digit {
        "char" => Type::Int(IntTy::I8),
        "uchar" => Type::Int(IntTy::U8),
        "short" => Type::Int(IntTy::I16),
        "ushort" => Type::Int(IntTy::U16),
        "int" => Type::INT,
        "uint" => Type::UINT,
        "long" | "longlong" => Type::Int(IntTy::I64),
        "ulong" | "ulonglong" => Type::Int(IntTy::U64),
        "float" => FLOAT,
        "double" => DOUBLE,
        "half" => Type::Float(2),
        _ => return None,
    };
    let members: Vec<_> = ["x", "y", "z", "w"].iter().take(lanes).map(|f| (Arc::from(*f), elem.clone())).collect();
    let align = if lanes == 3 { None } else { Some((elem.size() * lanes as u64).min(16)) };
    Some(Type::Struct(Arc::new(StructTy::layout(name, members, false, align, true))))
}

/// The type of the pipelines of a thread, which count the batches of copies that are not waited for, and that of the barriers of
/// a block: `cuda::pipeline<cuda::thread_scope_thread>`; and numbers of bytes, of which something is known.
pub fn waiting_type(name: &str, arguments: &str) -> Option<Type> {
    if name == "aligned_size_t" {
        return Some(Type::Int(IntTy::U64));
    }
    let scope = arguments.trim_matches(['<', '>', ' ']).rsplit("::").next().unwrap_or("");
    let member = match (name, scope) {
        ("pipeline", "thread_scope_thread") => ("batches", Type::INT),
        ("barrier", "thread_scope_block") => ("state", Type::Int(IntTy::U64)),
        _ => return None,
    };
    let members = vec![(Arc::from(member.0), member.1)];
    Some(Type::Struct(Arc::new(StructTy::layout(&format!("cuda::{name}"), members, false, None, true))))
}

/// The bytes of the states of random number generators.
fn generator_state(name: &str) -> Option<u64> {
    let stem = name.strip_suffix("_t").unwrap_or(name);
    Some(match stem {
        "curandState" | "curandStateXORWOW" => 48,
        "curandStateMRG32k3a" => 72,
        "curandStatePhilox4_32_10" => 64,
        "curandStateMtgp32" => 4120,
        "curandStateSobol32" | "curandStateScrambledSobol32" => 140,
        "curandStateSobol64" | "curandStateScrambledSobol64" => 536,
        _ => return None,
    })
}

/// A class whose only member is of a type.
fn holding(name: &str, ty: Type) -> Type {
    Type::Struct(Arc::new(StructTy::layout(name, vec![(Arc::from("__x"), ty)], false, None, true)))
}

/// Types that have a name without a definition in the text.
pub fn named_type(name: &str) -> Option<Type> {
    if let Some(ty) = vector_type(name) {
        return Some(ty);
    }
    if let Some(size) = generator_state(name) {
        let layout = StructTy { name: Arc::from(name), fields: vec![], size, align: 8, complete: true };
        return Some(Type::Struct(Arc::new(layout)));
    }
    Some(match name {
        "int8_t" => Type::Int(IntTy::I8),
        "uint8_t" | "uchar" | "byte" => Type::Int(IntTy::U8),
        "int16_t" => Type::Int(IntTy::I16),
        "uint16_t" | "ushort" => Type::Int(IntTy::U16),
        "int32_t" => Type::INT,
        "uint32_t" | "uint" => Type::UINT,
        "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "clock_t" | "longlong" => Type::Int(IntTy::I64),
        "uint64_t" | "size_t" | "uintptr_t" | "ulong" | "ulonglong" => Type::Int(IntTy::U64),
        "half" | "__half" | "__nv_bfloat16" | "nv_bfloat16" => Type::Float(2),
        "__half2" | "__nv_bfloat162" | "nv_bfloat162" => vector_type("half2")?,
        "__nv_fp8_e4m3" | "__nv_fp8_e5m2" => Type::Float(1),
        "__nv_fp8x2_e4m3" | "__nv_fp8x2_e5m2" => holding(name, Type::Int(IntTy::U16)),
        "__nv_fp8x4_e4m3" | "__nv_fp8x4_e5m2" => holding(name, Type::UINT),
        "__nv_fp8_storage_t" => Type::Int(IntTy::U8),
        "__nv_fp8x2_storage_t" => Type::Int(IntTy::U16),
        "__nv_fp8x4_storage_t" => Type::UINT,
        "cuComplex" | "cuFloatComplex" | "cufftComplex" => vector_type("float2")?,
        "cuDoubleComplex" | "cufftDoubleComplex" => vector_type("double2")?,
        "cufftReal" => FLOAT,
        "cufftDoubleReal" => DOUBLE,
        "cudaPitchedPtr" => Type::Struct(Arc::new(StructTy::layout(
            name,
            vec![
                (Arc::from("ptr"), Type::Void.ptr()),
                (Arc::from("pitch"), Type::Int(IntTy::U64)),
                (Arc::from("xsize"), Type::Int(IntTy::U64)),
                (Arc::from("ysize"), Type::Int(IntTy::U64)),
            ],
            false,
            None,
            true,
        ))),
        "cudaExtent" => Type::Struct(Arc::new(StructTy::layout(
            name,
            ["width", "height", "depth"].map(|field| (Arc::from(field), Type::Int(IntTy::U64))).to_vec(),
            false,
            None,
            true,
        ))),
        "cudaTextureObject_t" | "cudaSurfaceObject_t" => Type::Int(IntTy::U64),
        "wchar_t" => Type::INT,
        "char16_t" => Type::Int(IntTy::U16),
        "char32_t" => Type::UINT,
        "va_list" => Type::Void.ptr(),
        _ => return None,
    })
}

/// The type that PyTorch computes with, or sums up in, on a device: `at::opmath_type<T>`, `at::acc_type<T, true>`.
pub fn computed_type(ty: &Type, sums: bool) -> Option<Type> {
    match ty {
        Type::Float(8) => Some(DOUBLE),
        Type::Float(_) => Some(FLOAT),
        Type::Int(int) if sums && *int != IntTy::BOOL => Some(Type::Int(IntTy::I64)),
        Type::Int(_) => Some(ty.clone()),
        _ => None,
    }
}

/// The integer type of the standard library that is meant by a name where nothing declares it. [INF-USUAL]
pub fn usual_integer(name: &str) -> Option<&'static str> {
    const STANDARD: [&str; 8] =
        ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"];
    STANDARD.into_iter().find(|standard| standard.strip_suffix("_t") == Some(name))
}

/// `__vadd2`, `__vmaxs4`, `__viaddmax_s32`: functions of integers, or of the parts of integers, and of nothing else.
fn is_of_lanes(name: &str) -> bool {
    const KINDS: [&str; 15] = [
        "abs", "add", "avg", "cmp", "hadd", "max", "min", "neg", "sad", "set", "sub", "iaddmax", "iaddmin", "imax",
        "imin",
    ];
    name.strip_prefix("__v")
        .is_some_and(|rest| rest.ends_with(['2', '4', 'u']) && KINDS.iter().any(|kind| rest.starts_with(kind)))
}
