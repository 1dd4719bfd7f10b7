// Each macro applies the one before four times: the last line stands for far more than 4^24 additions.

#define M0(x) ((x) + 1)
#define M1(x) M0(M0(x)) + M0(M0(x))
#define M2(x) M1(M1(x)) + M1(M1(x))
#define M3(x) M2(M2(x)) + M2(M2(x))
#define M4(x) M3(M3(x)) + M3(M3(x))
#define M5(x) M4(M4(x)) + M4(M4(x))
#define M6(x) M5(M5(x)) + M5(M5(x))
#define M7(x) M6(M6(x)) + M6(M6(x))
#define M8(x) M7(M7(x)) + M7(M7(x))
#define M9(x) M8(M8(x)) + M8(M8(x))
#define M10(x) M9(M9(x)) + M9(M9(x))
#define M11(x) M10(M10(x)) + M10(M10(x))
#define M12(x) M11(M11(x)) + M11(M11(x))
#define M13(x) M12(M12(x)) + M12(M12(x))
#define M14(x) M13(M13(x)) + M13(M13(x))
#define M15(x) M14(M14(x)) + M14(M14(x))
#define M16(x) M15(M15(x)) + M15(M15(x))
#define M17(x) M16(M16(x)) + M16(M16(x))
#define M18(x) M17(M17(x)) + M17(M17(x))
#define M19(x) M18(M18(x)) + M18(M18(x))
#define M20(x) M19(M19(x)) + M19(M19(x))
#define M21(x) M20(M20(x)) + M20(M20(x))
#define M22(x) M21(M21(x)) + M21(M21(x))
#define M23(x) M22(M22(x)) + M22(M22(x))
#define M24(x) M23(M23(x)) + M23(M23(x))

__global__ void explosion(int *a)
{
    a[threadIdx.x] = M24(threadIdx.x);
}
