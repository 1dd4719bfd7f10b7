//xfail:BARRIER_DIVERGENCE
//--local_size=64 --num_groups=4
//
// Some work-items of a group return before the barrier.
__kernel void last(__global int *a, int groups) {
    __local int cells[64];
    if ((int)get_global_id(0) >= groups)
        return;
    cells[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = cells[63 - get_local_id(0)];
}
