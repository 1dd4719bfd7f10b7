//xfail:DATA_RACE
//--local_size=64 --num_groups=4
//
// The lanes come from the next vector.
__kernel void swap_lanes(__global float4 *v) {
    size_t i = get_global_id(0);
    v[i].xw = v[i + 1].wx;
}
