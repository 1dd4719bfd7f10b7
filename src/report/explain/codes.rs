//! The long texts. A paragraph is broken into lines when it is printed; an example is printed as it stands.

use super::Entry;

pub const ENTRIES: &[Entry] = &[
    Entry {
        code: "data-race",
        title: "two threads touch the same cell, one of them writes, and nothing orders them",
        what: "Two different threads access the same cell of an array, at least one of them writes, and no barrier that \
               both threads take part in lies between the two accesses. Atomics whose scope covers both threads do not race with each other, but an atomic and a plain access do. A \
               finding is `confirmed` when the kernel was run with the values shown, and the two threads did make both \
               accesses with no barrier between them. Where the code cannot be run, which is then said, its \
               protocol was replayed. It is `possible` when it rests on something that is not modelled, which is \
               then named.",
        why: "The result depends on which thread comes first. It can be right on one device, driver or compiler and \
              wrong on the next, and the language gives such a program no meaning at all: the compiler may keep the \
              old value in a register, or move the access.",
        fix: "When both threads are in one block, put `__syncthreads()` between the two accesses, where all threads of \
              the block reach it. When they are in one warp, `__syncwarp()` is enough. When they are in different \
              blocks no block barrier helps: let each block write its own cells, use atomics, or split the kernel in \
              two. When the alarm needs values that never occur, say so with an assumption (`__requires(n % 32 == 0)` \
              in the kernel, or `--assume`) or fix the launch with `--block-dim` and `--grid-dim`.",
        limits: "Accesses by host code and by other kernels that run at the same time are not seen. Memory fences \
                 alone (`__threadfence()`) order nothing here, so hand-made locks and flags are reported.",
        example: "\
__global__ void shift(int *a) {
  __shared__ int s[256];
  s[threadIdx.x] = a[threadIdx.x];
  // __syncthreads(); here removes the race between the two lines
  a[threadIdx.x] = s[(threadIdx.x + 1) % 256];
}",
    },
    Entry {
        code: "same-value-race",
        title: "threads race, but all of them store provably the same value",
        what: "Two threads write one cell without anything that orders them, and the two values stored are provably \
               equal, as in many threads that set one flag. It is a warning, and a class of its own: it is never \
               counted as race-free.",
        why: "On current hardware the cell ends up with that value whoever comes last, so many programs do this on \
              purpose. The language still calls it a race, and it becomes a real one as soon as someone changes one \
              of the stores.",
        fix: "If it is on purpose, leave it: the exit code is 0. To forbid it, run with `--deny same-value`. To remove \
              it, let one thread store (`if (threadIdx.x == 0)`), or use an atomic.",
        limits: "Only values that are provably equal count; a store of equal values that needs an argument about the \
                 data is reported as a data race. One that is called possible may not be there at all, but if it is, \
                 the values are equal.",
        example: "\
__global__ void contains(const int *a, int key, int *found) {
  if (a[threadIdx.x] == key)
    *found = 1;  // every thread that gets here stores 1
}",
    },
    Entry {
        code: "barrier-divergence",
        title: "some threads reach a barrier that others do not",
        what: "Two threads that must both take part in a barrier do not meet there: one reaches it, the other has \
               returned, took another branch, left the loop, or is at the barrier of another iteration. The finding \
               names the thread that waits and the one that does not join it.",
        why: "The behaviour is undefined. Older devices hang, newer ones may let the barrier pass and release threads \
              that were meant to wait, so that the data behind the barrier is no longer protected.",
        fix: "Move the barrier out of the condition, so that all threads reach it. Instead of an early `return`, guard \
              the work: `if (i < n) { ... }` and then the barrier. Make loop bounds around a barrier the same for all \
              threads of the block.",
        limits: "Race checking goes on after a divergence and assumes that the threads do meet: other findings of the \
                 same kernel hold under that assumption. Whether a barrier can be left out is not checked.",
        example: "\
__global__ void f(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;   // the last block leaves in part
  a[i] *= 2;
  __syncthreads();      // and the rest of it waits
}",
    },
    Entry {
        code: "barrier-uniformity",
        title: "a barrier stands under a condition that may differ between threads",
        what: "A condition or a loop bound decides whether, or how often, a barrier is reached, and it could not be \
               proved to have the same value for all threads that take part in the barrier. No two threads were found \
               that differ, either.",
        why: "If it does differ, the kernel has a barrier divergence, whose behaviour is undefined. And what was \
              proved about races assumes that the threads do meet.",
        fix: "Compute the condition from values that are the same for the whole block: kernel parameters, `blockIdx`, \
              constants. When it comes from memory, read it once into a shared variable, or state what is known with \
              `__requires(__uniform_int(x))`.",
        limits: "A value read from memory is only known to be uniform when every thread reads the same cell of an array \
                 that the kernel does not write.",
        example: "\
while (!done[blockIdx.x]) {  // `done` is written in the loop
  step(a);
  __syncthreads();
}",
    },
    Entry {
        code: "outside-paper",
        title: "the kernel is not in the language that `--path paper` takes",
        what: "The option `--path paper` finds the phases of a kernel by aligning and splitting, as the paper on memory \
               access protocols does. That takes kernels whose barriers are under no condition, and whose loops around \
               barriers have a constant step and run at least once. This kernel has another form, or that its loops \
               run could not be proved.",
        why: "Outside of that language aligning does not keep what a kernel does, so that nothing is claimed.",
        fix: "Leave out `--path paper`: the default path takes these kernels too. If a loop is known to run, say so \
              with `--assume`, such as `--assume '0 < n'`.",
        limits: "Aligning copies the bodies of nested loops, and is given up when the result is very large.",
        example: "\
for (int i = 0; i < n; i++) {  // runs only if 0 < n
  a[threadIdx.x] = i;
  __syncthreads();
}",
    },
    Entry {
        code: "unknown-call",
        title: "a function is called that is not defined in this translation unit",
        what: "The kernel calls a function whose body was not found, and which is not one of the built-in functions \
               that are modelled. It may access any array it can reach through its arguments and through global \
               variables.",
        why: "What the function does to those arrays is not known, so nothing is claimed about them: the kernel is \
              inconclusive, not race-free.",
        fix: "Check a file that defines the function, name the folder of its header with `-I`, or give the compile \
              commands of the project with `--compile-commands`. A function that only computes on its arguments can \
              take them by value.",
        limits: "Calls through function pointers and virtual calls are unknown calls even when the function is defined \
                 in the file.",
        example: "\
#include \"blur_impl.cuh\"     // not found
__global__ void blur(float *a) {
  blur_row(a, threadIdx.x);  // may write any cell of `a`
}",
    },
    Entry {
        code: "unknown-pointer",
        title: "an access goes through a pointer that could not be traced to an array",
        what: "A load or store uses a pointer whose array is not known: it was read from memory, came from a cast of an \
               integer, or was picked in a way that could not be followed.",
        why: "The access may touch any array of that address space, so none of them can be called race-free.",
        fix: "Pass the array as a kernel parameter and index it, rather than storing pointers in structures or in \
              memory. Mark parameters that do not overlap with `__restrict__`.",
        limits: "Tables of pointers are not followed, whatever is stored in them.",
        example: "\
__global__ void f(float **rows) {
  float *row = rows[blockIdx.x];  // which array is this?
  row[threadIdx.x] = 0;
}",
    },
    Entry {
        code: "constant-write",
        title: "constant memory is written",
        what: "The kernel stores to a `__constant__` variable, to what a pointer to constant memory leads to, or to a \
               string. Only the host may write these.",
        why: "What such a store does is not defined, so that nothing is known of what the kernel does then.",
        fix: "Declare the variable `__device__` without `__constant__`, or write it from the host with \
              `cudaMemcpyToSymbol`.",
        limits: "Where the address is chosen among several arrays, it is enough that one of them is constant.",
        example: "\
__constant__ int table[64];
__global__ void f(int *a) { table[threadIdx.x] = a[threadIdx.x]; }",
    },
    Entry {
        code: "unknown-construct",
        title: "a piece of syntax is not understood",
        what: "The kernel uses a statement or an expression outside the part of the language that is modelled. Only \
               that piece is lost; the rest of the kernel is still analysed.",
        why: "What the piece does is not known. If it may access memory or change a value that reaches an index or a \
              condition, the kernel cannot be called race-free.",
        fix: "Hide the piece behind a macro that the checker does not see (`-D`), or put it in a small device function \
              with a plain fallback. A construct that you think should be understood is worth a report.",
        limits: "Whether an unknown piece touches memory is guessed on the careful side.",
        example: "\
int v = __builtin_shufflevector(a, b, 0, 5);",
    },
    Entry {
        code: "unknown-order",
        title: "what may order accesses is not followed",
        what: "The kernel has a piece that may access memory and may also wait for other threads, and that is not \
               modelled: inline assembly, a destructor that does something, a barrier for threads that are not known, or \
               a name that may be a macro of a header that was not found.",
        why: "What the piece accesses is not known, so that the kernel cannot be called race-free. It may also be what \
              keeps two accesses apart: races between what comes before it and what comes after are possible, and are \
              not confirmed.",
        fix: "Give the header (`-I`), use `__syncthreads()` or the barriers of `cooperative_groups` and `cuda::barrier` \
              on all threads of the block, or hide the piece behind a macro that the checker does not see (`-D`).",
        limits: "Whether an unknown piece touches memory or waits is guessed on the careful side.",
        example: "\
asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(p), \"r\"(v));",
    },
    Entry {
        code: "unknown-type",
        title: "the size or the fields of a type are not known",
        what: "A type is used whose definition was not found, mostly because its header is not there. The size of its \
               elements, and with it the bytes that an access covers, are not known.",
        why: "Two accesses of different types to one buffer can only be compared when the size of both is known.",
        fix: "Name the folder of the header with `-I`, or give the compile commands with `--compile-commands`. Defining \
              the name with `-D real=float` is often enough.",
        limits: "An array that is only ever accessed through one unknown type is treated as an array of separate cells.",
        example: "\
#include \"types.h\"   // not found
__global__ void f(real *a) {
  ((char *)a)[threadIdx.x] = 0;  // which `real` is this a part of?
}",
    },
    Entry {
        code: "unknown-value",
        title: "a value that decides an index or a condition is not known",
        what: "The index of an access, or a condition that guards it, depends on a value that is not modelled: the \
               contents of an array that the kernel writes, the result of an unknown function, or a variable that a \
               loop changes in a way without a closed form.",
        why: "The solver may choose any value there, so a race that it finds may not exist, and is called `possible`.",
        fix: "State what is known: `__requires(__distinct_int(idx[threadIdx.x]))` when no two threads get the same value, \
              or a range such as `__requires(0 <= k && k < 32)`. Assumptions are listed with the verdict.",
        limits: "Assumptions are checked for contradictions, not for truth.",
        example: "\
__global__ void scatter(float *out, const int *idx, const float *in) {
  out[idx[threadIdx.x]] = in[threadIdx.x];  // a race unless idx has no doubles
}",
    },
    Entry {
        code: "parse-error",
        title: "a piece of the source could not be parsed",
        what: "The parser did not recognise the marked text as CUDA C++. It went on behind it, so kernels elsewhere in \
               the file are not affected; a kernel that contains it is not called race-free.",
        why: "What stands there is not known, and it might access memory.",
        fix: "Check that the file compiles. If it does, the usual cause is a macro whose definition is not there: name \
              it with `-D`, or its header with `-I`.",
        limits: "Macros are expanded before parsing, so the marked text can differ from what the parser saw.",
        example: "\
__global__ void f(int *a) {
  FOR_EACH(i, 10) { a[i] = 0; }  // FOR_EACH comes from a missing header
}",
    },
    Entry {
        code: "solver-unknown",
        title: "the solver gave up before it reached an answer",
        what: "At least one question was answered neither yes nor no: it ran into the time limit, or the solver does not \
               know a method for it. Products of two unknowns in an index are the usual cause.",
        why: "That part of the kernel is neither proved nor refuted. It is not rounded up to either.",
        fix: "Give more time with `--query-timeout`, fix dimensions or parameters (`--block-dim 256`, `--param n=1024`), \
              or check one array at a time with `--array`. `--keep-smt DIR` keeps the question, to try another solver.",
        limits: "Limits in time make this outcome depend on the machine: a slower one may give up where a faster one \
                 does not.",
        example: "\
__global__ void f(float *a, int pitch, int rows) {
  a[(threadIdx.y * pitch + threadIdx.x) * rows % pitch] = 0;
}",
    },
    Entry {
        code: "solver-missing",
        title: "the solver program was not found",
        what: "The questions are answered by an external program, Z3 unless another one is named, and it could not be \
               started. Nothing was proved; the exit code is 2.",
        why: "Without a solver only the cheapest questions can be answered.",
        fix: "Install Z3 (`apt install z3`, `brew install z3`, or a release from its project page) and make sure that it \
              is on the PATH, or name the program with `--solver PATH`.",
        limits: "The version of the solver is not checked; very old ones may lack an option and end in `solver-failed`.",
        example: "faial-like check --solver /opt/z3/bin/z3 reduce.cu",
    },
    Entry {
        code: "solver-failed",
        title: "the solver stopped or answered something that makes no sense",
        what: "The solver process ended early, printed an error, or gave an answer that could not be read. The question \
               counts as not answered; the exit code is 2.",
        why: "A crash says nothing about the kernel. It is kept apart from `solver-unknown`, where the solver worked as \
              it should.",
        fix: "Run again with `--keep-smt DIR` and give the kept file to the solver by hand to see its message. Lack of \
              memory is the usual cause: use fewer processes with `-j 1`. If the question itself is at fault, please \
              report it with that file.",
        limits: "A solver that was killed from outside looks the same as one that crashed. With `--double-check`, two \
                 solvers that disagree about a question stop the whole run; the message names a file for each.",
        example: "faial-like check --keep-smt smt -j 1 reduce.cu && z3 smt/*.smt2",
    },
    Entry {
        code: "no-accesses",
        title: "the kernel touches no memory that threads share",
        what: "No access to a shared or global array was found in the kernel, and nothing was lost on the way. There is \
               nothing to race on. The verdict has a name of its own, because it often means that the wrong thing is \
               being checked.",
        why: "A kernel that is empty after macros, or in which `if (0)` removes the body, would otherwise be shown as \
              proved.",
        fix: "Check that the macros that select the body are defined (`-D`), and that `--array` and `--kernel` name what \
              you mean. `faial-like list` shows the arrays of each kernel.",
        limits: "Textures and surfaces that are only read do not count as accesses.",
        example: "\
__global__ void f(int *a) {
#ifdef USE_GPU   // not defined
  a[0] = threadIdx.x;
#endif
}",
    },
    Entry {
        code: "launched-elsewhere",
        title: "another file launches the kernel as well",
        what: "Another file declares this kernel without its body, and uses it in a way that is not understood, so the \
               launches that are seen are not all there are.",
        why: "What is taken from launches (sizes, values of parameters, relations) has to hold at each of them. A launch that \
              is not seen could have other sizes, and race.",
        fix: "Give the sizes (`--block`, `--grid`), or state what holds at all launches with `//@ requires`.",
        limits: "Only files that are checked in the same run, and those beside the kernel's, are looked at, and kernels of \
                 one name and as many parameters in different files are not told apart.",
        example: "\
// kernel.cu
__global__ void f(int *a) { a[threadIdx.x] = 1; }
void one(int *a) { f<<<1, 32>>>(a); }
// main.cu
__global__ void f(int *a);
void (*two)(int *) = f;",
    },
    Entry {
        code: "annotation",
        title: "an annotation in a comment is not used",
        what: "A comment that begins with `//@` or `/*@` states conditions: `requires` in front of a kernel or at the head of \
               its body, `assume` between statements. This one stands elsewhere, begins with another word, is no \
               expression, names something that is not declared, or would change something. An `assert` is read, and \
               neither checked nor assumed.",
        why: "A condition that is misread could hide a race. So one that is doubtful is left out, and the verdict is that \
              for the kernel without it.",
        fix: "Put it in front of the kernel or between two statements of a block, and state a condition of C without \
              assignments and calls, such as `//@ requires n % 32 == 0`.",
        limits: "Annotations in the arguments of macros and in directives are not used. Clauses of other tools \
                 (`loop_invariant`, `ensures`) are not known.",
        example: "\
//@ requires n++ > 0
__global__ void f(int *a, int n) {
  a[threadIdx.x] = n;
}",
    },
    Entry {
        code: "assumption-unused",
        title: "an assumption speaks of values that are not modelled",
        what: "A condition of `__requires`, `__assume` or an annotation depends on something that the analysis does not \
               follow, such as a floating-point number or what a function returns that is not defined.",
        why: "Without it the alarm may be one for values that never occur.",
        fix: "State the condition on the integers that indices and branches depend on.",
        limits: "It is told only where a kernel is not proved: a proof does not need it.",
        example: "\
//@ requires scale > 1.0f
__global__ void f(int *a, float scale) {
  a[(int)scale] = threadIdx.x;
}",
    },
    Entry {
        code: "vacuous",
        title: "the assumptions contradict each other, so any proof would be empty",
        what: "No launch and no values satisfy all assumptions at once: those of the command line, of `__requires` and \
               annotations in the kernel, and the limits of the launch.",
        why: "Under a contradiction everything can be proved, so a verdict of race-free would mean nothing.",
        fix: "Remove or correct one of the assumptions that are named: without any one of them the others can hold. `-v` \
              lists them all. A launch that is set with `--block-dim` can \
              contradict a `__requires(blockDim.x == 128)` in the kernel.",
        limits: "Only a contradiction of all assumptions together is noticed. An assumption that makes a single access \
                 unreachable is not.",
        example: "\
faial-like check --block-dim 256 f.cu

__global__ void f(int *a) {
  __requires(blockDim.x <= 128);
  a[threadIdx.x] = 0;
}",
    },
    Entry {
        code: "macro-",
        title: "a macro is used or defined in a way that cannot be expanded",
        what: "The family of messages on macros: a call with the wrong number of arguments or without its closing \
               parenthesis, a definition that is malformed, a `#` or `##` that has no meaning where it stands, a \
               condition of `#if` that cannot be evaluated. The message says which one.",
        why: "The text that the compiler would see is not known there. The macro is left as it stands, which mostly leads \
              to unknown names or to a parse error.",
        fix: "Check the definition. When it depends on a header that is not there, define the macro with `-D`, or name \
              the folder of the header with `-I`.",
        limits: "Extensions of compilers beyond variadic macros and `__VA_OPT__` are not known.",
        example: "\
#define AT(a, i, j) a[(i) * 32 + (j)]
AT(tile, threadIdx.x) = 0;   // one argument is missing",
    },
    Entry {
        code: "include-around",
        title: "an included file was found in a folder that nobody named",
        what: "The file of an `#include` is not beside the source and not in a folder named with `-I`, but in one of the folders \
               around the source, or in `include`, `common` or the like of one. It is read as if that folder had been named.",
        why: "A project may have several files of that name, and the build another one of them.",
        fix: "Name the folder with `-I DIR`, or give the compile commands of the project with `--compile-commands FILE`.",
        limits: "Folders are looked through up to the root of the repository, the nearest first, and eight at most.",
        example: "\
#include \"sizes.h\"
__global__ void put(int *a)
{
    a[threadIdx.x % SIZE] = threadIdx.x;
}",
    },
    Entry {
        code: "include-missing",
        title: "an included file was not found",
        what: "The file of an `#include` is not beside the source and not in a folder named with `-I`. Analysis goes on \
               without it. Headers of CUDA and of the standard library are not needed, and are not reported.",
        why: "Macros, types and functions of that file are not known. Where that matters to a kernel, it is inconclusive \
              with a reason of its own; where it does not, nothing is lost.",
        fix: "Name the folder with `-I DIR`, or give the compile commands of the project with `--compile-commands FILE`.",
        limits: "Files that a build generates are only found after the build has run.",
        example: "\
#include \"common/config.h\"

faial-like check -I . src/reduce.cu",
    },
    Entry {
        code: "host-differs",
        title: "code for the host differs from what the device has",
        what: "The source asks for `__CUDA_ARCH__` outside of functions for the device, and what the compiler reads for the host, where it \
               is not defined, is another text.",
        why: "Launches, and what the host gives to kernels, would be read from the wrong text. They are not used: kernels are checked \
              for any launch, or for those of the command line.",
        fix: "Ask for `__CUDA_ARCH__` only within functions for the device, or give the launch: `--block-dim`, `--grid-dim`, or the \
              header of the file.",
        limits: "Kernels are those of compute capability 8.0; `-D __CUDA_ARCH__=900` is another one.",
        example: "\
#if __CUDA_ARCH__ >= 700
#define BLOCK 64
#else
#define BLOCK 128    // what the host launches
#endif
__global__ void put(int *a)
{
    a[threadIdx.x % BLOCK] = threadIdx.x;
}",
    },
    Entry {
        code: "kernels-left-out",
        title: "the kernels of a file stand where a condition leaves them out",
        what: "No kernel was found in the file, and text that an `#if` or `#ifdef` leaves out has one.",
        why: "Nothing was checked, as nothing would be compiled with these definitions.",
        fix: "Define what the condition asks for: `-D NAME`, or `-D NAME=VALUE`, or give the compile commands of the project with \
              `--compile-commands FILE`.",
        limits: "Only the file itself is looked at, and the first such condition is named.",
        example: "\
#ifdef USE_CUDA
__global__ void put(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
#endif",
    },
    Entry {
        code: "included",
        title: "the kernels of a file are checked as part of another one",
        what: "A file that was given, or one in its folder, includes this file and launches its kernels. They are checked \
               there, with the macros and the launches of that file, and their findings point here.",
        why: "By itself a part of a program leaves open what the rest of it fixes: a kernel would be checked for sizes \
              and arguments that it is never given.",
        fix: "Nothing has to be done. With `--ignore-host` every file is checked by itself, and for any launch.",
        limits: "Launches in files that neither were given nor stand beside this one are not seen.",
        example: "\
// main.cu
#include \"kernel.cu\"
int main() { scale<<<4, 128>>>(a); }",
    },
    Entry {
        code: "include-cycle",
        title: "files include each other without end",
        what: "A file includes itself, directly or through others, and no `#pragma once` or include guard stops it.",
        why: "The compiler would refuse the file as well. Here the innermost include is left out, and the rest is \
              analysed.",
        fix: "Add `#pragma once` to the header, or break the cycle.",
        limits: "A guard that depends on a macro that is not known may be missed, and then the cycle is not real.",
        example: "\
// a.cuh
#include \"b.cuh\"
// b.cuh
#include \"a.cuh\"",
    },
    Entry {
        code: "not-text",
        title: "the file is not text",
        what: "The file is not UTF-8 and holds NUL bytes: it is a program or an image, or text in UTF-16. It was not \
               analysed.",
        why: "Nothing in it can be read as source code.",
        fix: "Convert UTF-16: `iconv -f utf-16 -t utf-8 old.cu > new.cu`. A binary file with the name of a source can be \
              left out with a line in `.gitignore` or `.ignore`.",
        limits: "UTF-16 is not read even with a byte order mark. Of other encodings (Latin-1, GBK) what is ASCII is read, \
                 and the rest is taken to stand in comments and strings; anywhere else it is a parse error.",
        example: "// an object file that was copied to kernel.cu",
    },
    Entry {
        code: "too-large",
        title: "the file is larger than the limit",
        what: "The file, or the text after macros and includes, is larger than what is analysed. It was left out.",
        why: "A file of that size is mostly generated or data, and it could take all memory of the machine.",
        fix: "Check the part that holds the kernels: move large tables into a header of their own that the check does not \
              need to see.",
        limits: "The limit is fixed and cannot be raised.",
        example: "const float table[] = { /* forty million numbers */ };",
    },
    Entry {
        code: "too-deep",
        title: "the code is nested deeper than the limit",
        what: "Expressions, blocks or includes are nested deeper than what is analysed. The piece below the limit is \
               treated as unknown.",
        why: "Each level takes room on the stack, and running out of it would end the whole run.",
        fix: "Generated expressions can be split with variables. When it comes from a macro that calls itself in a \
              circle, correct the macro.",
        limits: "The limit is fixed, and well above what people write by hand.",
        example: "x = ((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))));  // and on",
    },
    Entry {
        code: "ill-formed",
        title: "the protocol breaks a rule of the language",
        what: "The protocol names an array that it does not declare, gives a mask to a barrier that is not one of a warp, \
               or breaks another rule of `protocol-spec/03-wellformed.md`; the id of the rule stands in brackets. All \
               broken rules are listed, and the kernel is rejected.",
        why: "What such a protocol does is not defined, so that neither a race nor a proof would mean anything.",
        fix: "Correct the protocol where the places point. When it was exported from a source that has not changed, \
              this is a mistake of the program: please report it.",
        limits: "A text that cannot be read at all has `parse-error` instead, with the id of the rule where there is one.",
        example: "kernel k { array a: global; thread t in 0..8; code { wr b[t] @0; } }",
    },
    Entry {
        code: "header-dimensions",
        title: "the header asks for sizes that the hardware does not have",
        what: "The sizes of the block or grid in the first lines of the file are beyond what any device runs. Sizes that \
               could be counted are used all the same; others are dropped.",
        why: "A verdict for sizes that cannot be launched says nothing about a real run.",
        fix: "Correct the line with `--blockDim` and `--gridDim`, or give `--block-dim` and `--grid-dim`.",
        limits: "The limits are those of current devices: 1024 threads a block, and 65535 blocks along y and z.",
        example: "//--blockDim=4096 --gridDim=1",
    },
    Entry {
        code: "findings-limit",
        title: "there may be more pairs of accesses that race than are listed",
        what: "The kernel has findings, and others were not looked for or are not shown: there are as many as \
               `--max-findings` asks for, or looking for another one took much longer than for the first.",
        why: "The verdict is certain without them, and rests on those that are listed.",
        fix: "Fix those that are listed and run again, or give a larger `--max-findings`.",
        limits: "Two accesses that race in several phases of the kernel are one finding at each level.",
        example: "faial-like check --max-findings 100 src/",
    },
    Entry {
        code: "run-timeout",
        title: "the time for the whole run was over",
        what: "The time of `--timeout` was over before the kernel was begun, or its share of that time before it was done.",
        why: "What was not asked about it is not known.",
        fix: "Give more time, check fewer kernels with `--kernel`, or use more processors with `-j`.",
        limits: "What other kernels do not need of their shares goes to those that were cut short.",
        example: "faial-like check --timeout 10s src/",
    },
    Entry {
        code: "internal-error",
        title: "the program made a mistake",
        what: "The analysis of this kernel or file stopped at a state that should not exist. Other kernels are not touched.",
        why: "A mistake of the program must not look like a proof.",
        fix: "Please report it, with the source if that is possible.",
        limits: "The message names the place in the program, not in the kernel.",
        example: "internal-error: site 7 is not known",
    },
    Entry {
        code: "recursion",
        title: "a device function calls itself",
        what: "A function that the kernel uses calls itself, directly or through others. Calls are analysed by looking \
               into the body that is called, which has no end here. The innermost call is treated as unknown.",
        why: "The inner calls may access any array that they can reach, so nothing is claimed about those.",
        fix: "Write it as a loop. When the depth is fixed by a template argument, make the function a template, so that \
              each depth is a function of its own.",
        limits: "Also a recursion that ends after a fixed number of steps is reported.",
        example: "\
__device__ void down(int *a, int i) {
  a[i] += a[2 * i];
  if (i > 1) down(a, i / 2);
}",
    },
    Entry {
        code: "expansion-limit",
        title: "macros or calls expand to more than the limit",
        what: "After macros, templates and calls are put in place, the code is larger than what is analysed. What lies \
               behind the limit is treated as unknown.",
        why: "Such code grows with every level, often to twice the size, and would take all time and memory.",
        fix: "Check one kernel at a time with `--kernel NAME`, and fix template arguments or parameters that select among \
              many variants.",
        limits: "The limit is fixed. Loops are not unrolled, so they do not count.",
        example: "\
#define T2(x) x x
#define T4(x) T2(T2(x))
#define T16(x) T4(T4(x))   // and so on, to a million",
    },
    Entry {
        code: "no-kernels",
        title: "nothing to check was found",
        what: "No file under the given paths holds a kernel, or none has the name given with `--kernel`. The exit code is \
               3: nothing was proved.",
        why: "A check that looks at nothing would pass for ever, for instance after a folder was renamed.",
        fix: "Check the paths. In folders only `.cu`, `.cuh` and `.map` files are read, and files that `.gitignore` names \
              are left out; a file that is named itself is always read. `faial-like list PATH` shows what is found.",
        limits: "A kernel whose `__global__` comes from a macro of a missing header is not recognised as one.",
        example: "faial-like check --kernel reduce6 src   # it was renamed to reduce_6",
    },
    Entry {
        code: "unreadable-file",
        title: "a file or folder could not be read",
        what: "A path does not exist, may not be read, is a symbolic link that leads nowhere or in a circle, or failed to \
               read. The rest of the paths is still checked; the exit code is 2 unless a race is confirmed.",
        why: "What the file holds is not known, so the run as a whole cannot count as proved.",
        fix: "Correct the path or the rights; a broken link can be removed or named in `.gitignore`.",
        limits: "A file that changes while it is read is not noticed.",
        example: "faial-like check src/redcue.cu   # no such file or directory",
    },
    Entry {
        code: "overflow-assumed",
        title: "the verdict assumes that no index computation overflows",
        what: "Indices were computed with mathematical integers, and it could not be shown that no step exceeds the range \
               of its type.",
        why: "If a computation does wrap around, two threads can meet in a cell where the mathematical values differ, or \
              the other way round.",
        fix: "Bound the inputs: `__requires(0 <= n && n <= 1 << 20)`, or `--param n=1024`. With 64-bit types \
              (`size_t`) the question mostly goes away.",
        limits: "For signed types overflow is undefined in C++, and for those the compiler makes the same assumption.",
        example: "\
int i = blockIdx.x * blockDim.x + threadIdx.x;  // wraps beyond 2^31 threads
a[i * stride] = 0;                               // wraps much earlier",
    },
    Entry {
        code: "alias-assumed",
        title: "the verdict assumes that two pointers do not overlap",
        what: "The kernel takes several pointers, and they are treated as separate arrays, although nothing in the source \
               says that a caller may not pass the same memory twice.",
        why: "If two of them overlap, a write through one and a read through the other can race, and that was not looked \
              for.",
        fix: "If they never overlap, declare them `__restrict__`, which also helps the compiler: what calls \
              of a function that is not in the file return is then taken to be two arrays. If they may, check the \
              kernel with one parameter for both.",
        limits: "Whether callers keep to it is not checked.",
        example: "\
__global__ void shift(float *out, const float *in) {
  out[threadIdx.x] = in[threadIdx.x + 1];  // races when out == in
}",
    },
    Entry {
        code: "unused-axis-assumed",
        title: "the verdict assumes that an axis the kernel never reads has extent 1",
        what: "The kernel does not look at this axis at all (no `threadIdx.y`, no `blockDim.y`, no linear index), and \
               neither an option nor the source says how large it is. It is taken as 1.",
        why: "A launch with two threads along that axis would run everything twice, and nearly every write would race with \
              its own copy. That is hardly what the author meant, but the verdict does not hold for such a launch.",
        fix: "State the launch with `--block-dim` and `--grid-dim`, or drop the assumption with `--all-dims`.",
        limits: "The use of an axis in code that is never reached counts as a use.",
        example: "\
__global__ void f(int *a) {
  a[threadIdx.x] = 1;   // with blockDim.y == 2, two threads write each cell
}",
    },
];
