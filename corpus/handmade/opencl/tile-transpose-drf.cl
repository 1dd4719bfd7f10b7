//pass
//--local_size=[16,16] --num_groups=[4,4]
//
// A tile of a matrix goes through local memory; a barrier stands between its rows and its columns.
__kernel void transpose(__global const float *in, __global float *out) {
    __local float tile[16][17];
    size_t x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t column = get_group_id(1) * 16 + x, row = get_group_id(0) * 16 + y;
    out[row * get_global_size(1) + column] = tile[x][y];
}
