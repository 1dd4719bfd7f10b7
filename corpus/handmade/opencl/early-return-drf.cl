//pass
//--local_size=64 --num_groups=4
//
// All work-items of a group reach the barrier, or none.
__kernel void last(__global int *a, int groups) {
    __local int cells[64];
    if ((int)get_group_id(0) >= groups)
        return;
    cells[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = cells[63 - get_local_id(0)];
}
