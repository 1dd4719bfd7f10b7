//xfail:DATA_RACE
//--local_size=64 --num_groups=4
//
// The cell on the right is written twice.
__kernel void smooth(__global const float *in, __global float *out) {
    __local float row[66];
    size_t i = get_local_id(0), g = get_global_id(0) + 1;
    row[i + 1] = in[g];
    if (i == 0)
        row[0] = in[g - 1];
    if (i == 62)
        row[64] = in[g - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = (row[i] + row[i + 1] + row[i + 2]) / 3;
}
