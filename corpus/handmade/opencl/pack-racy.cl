//xfail:DATA_RACE
//--local_size=64 --num_groups=4
//
// Four lanes are stored where there is place for three.
__kernel void pack(__global const float4 *in, __global float *out) {
    size_t i = get_global_id(0);
    float4 v = in[i];
    vstore4(v, 0, out + 3 * i);
}
