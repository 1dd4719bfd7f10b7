//xfail:DATA_RACE
//--local_size=[8,8] --num_groups=[4,4]
//
// Two rows are written to one.
__constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void flip(__read_only image2d_t in, __write_only image2d_t out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 texel = read_imagef(in, exact, at);
    write_imagef(out, (int2)(at.x, 31 - at.y / 2), texel);
}
