/* Common declarations of the programs of cases. A case is a function with one parallel region that
 * works on the buffers; main(), in share_cases.c, fills them in a fixed way, runs the case and
 * prints its name and a digest of all buffers. C and C++. */
#ifndef TESTS_OMP_EXT_SHARES_SHARE_CASES_H
#define TESTS_OMP_EXT_SHARES_SHARE_CASES_H

#ifdef __cplusplus
#define SHARE_C extern "C"
#else
#define SHARE_C extern
#endif

/* Iterations: a prime; and a number that 1, 2, 3 and 5 threads divide into shares of whole blocks
 * of 20. Buffers have room for shifted and scaled indices. */
enum { n = 997, even = 600, block = 20, room = 2560, rows = 37, columns = 27 };

struct point {
    double x, y;
    int count, id;
};

SHARE_C double x[room], y[room], z[room]; /* 0.5 to 8.4375, in sixteenths */
SHARE_C float f[room], g[room];           /* the same */
SHARE_C int a[room], c[room];             /* 0 to 999; -8 to 8 */
SHARE_C int b[room]; /* a permutation of the first n numbers, then the others */
SHARE_C long l[room];
SHARE_C unsigned u[room];
SHARE_C short s[room];
SHARE_C unsigned char h[room];
SHARE_C struct point p[room];
SHARE_C double m[rows][columns], w[rows][columns];
SHARE_C long value[16];          /* results that are exact */
SHARE_C double rounded[16];      /* results that count to nine digits */
SHARE_C unsigned long own[room]; /* not in the digest */

/* Values that the compiler does not know: n, 3, 0, 7, and 1.25. */
SHARE_C int limit, few, none, stride;
SHARE_C double factor;

/* The cases are in a section of their own, whose begin and end the linker defines. */
struct share_case {
    const char *name;
    void (*run)(void);
    long line;
};

#define SHARE_PRAGMA(...) _Pragma(#__VA_ARGS__)

#define SHARE_ENTRY __attribute__((used, aligned(8), section("share_cases")))

#define CASE(name)                                                              \
    SHARE_C void name(void);                                                    \
    SHARE_ENTRY static struct share_case name##_case = {#name, name, __LINE__}; \
    void name(void)

/* EACH(NAME, CLAUSES, BODY): a case that runs BODY for each i below n. */
#define EACH(name, clauses, ...)               \
    CASE(name)                                 \
    {                                          \
        SHARE_PRAGMA(omp parallel for clauses) \
        for (int i = 0; i < n; i++) {          \
            __VA_ARGS__;                       \
        }                                      \
    }

#endif
