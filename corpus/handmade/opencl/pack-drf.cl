//pass
//--local_size=64 --num_groups=4
//
// Vectors of three lanes are stored without gaps.
__kernel void pack(__global const float4 *in, __global float *out) {
    size_t i = get_global_id(0);
    float4 v = in[i];
    vstore3(v.xyz, i, out);
}
