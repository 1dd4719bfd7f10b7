//pass
//--local_size=64 --num_groups=4
//
// Two lanes of a vector are swapped in place.
__kernel void swap_lanes(__global float4 *v) {
    size_t i = get_global_id(0);
    v[i].xw = v[i].wx;
}
