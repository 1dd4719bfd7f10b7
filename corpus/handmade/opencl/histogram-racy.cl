//xfail:DATA_RACE
//--local_size=64 --num_groups=4
//
// The counts are not atomic.
__kernel void histogram(__global const uchar *in, __global uint *bins) {
    __local uint own[64];
    size_t i = get_local_id(0);
    own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    own[in[get_global_id(0)] & 63]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[i], own[i]);
}
