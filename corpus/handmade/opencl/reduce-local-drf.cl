//pass
//--local_size=128 --num_groups=8
//
// A sum by halving, in local memory given by the host.
__kernel void reduce(__global const int *in, __global int *out, __local int *sums) {
    size_t i = get_local_id(0);
    sums[i] = in[get_global_id(0)];
    for (size_t d = get_local_size(0) / 2; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < d)
            sums[i] += sums[i + d];
    }
    if (i == 0)
        out[get_group_id(0)] = sums[0];
}
