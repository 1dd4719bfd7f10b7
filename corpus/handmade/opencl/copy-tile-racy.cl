//xfail:DATA_RACE
//--local_size=64 --num_groups=4
//
// The group waits for the copy too late.
__kernel void scale(__global const float *in, __global float *out, float by) {
    __local float tile[64];
    size_t i = get_local_id(0);
    event_t done = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = by * tile[i];
    wait_group_events(1, &done);
}
