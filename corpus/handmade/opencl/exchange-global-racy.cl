//xfail:DATA_RACE
//--local_size=64 --num_groups=4
//
// The first barrier orders only local memory.
__kernel void exchange(__global int *a) {
    size_t first = get_group_id(0) * get_local_size(0), i = get_local_id(0);
    a[first + i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = a[first + (get_local_size(0) - 1 - i)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[first + i] = v;
}
