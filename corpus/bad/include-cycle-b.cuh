#include "include-cycle-a.cu"
