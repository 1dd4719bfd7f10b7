//pass
//--num_groups=4
//
// The kernel says itself how large its groups are.
__kernel __attribute__((reqd_work_group_size(32, 2, 1))) void rotate(__global int *out) {
    __local int cells[64];
    size_t i = get_local_id(1) * 32 + get_local_id(0);
    cells[i] = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * 64 + i] = cells[(i + 1) % 64];
}
