/* Common code of programs of random loops: buffers, functions that iterations call, and the run of
 * a function. own_count and omp_get_thread_num() differ between threads. */
#ifndef TESTS_OMP_EXT_SHARES_RANDOM_LOOPS_H
#define TESTS_OMP_EXT_SHARES_RANDOM_LOOPS_H

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __GNUC__ >= 12
#define COMPARE_PRAGMA _Pragma("omp atomic compare")
#else
#define COMPARE_PRAGMA _Pragma("omp critical")
#endif

enum { room = 1024 };

/* ARRAYS(USE): USE(type, name) for each array that loops may store to. */
#define ARRAYS(use)         \
    use(int, ia);           \
    use(int, ib);           \
    use(int, ic);           \
    use(long, la);          \
    use(long, lb);          \
    use(unsigned, ua);      \
    use(short, sa);         \
    use(unsigned char, ha); \
    use(unsigned char, hb); \
    use(float, fa);         \
    use(float, fb);         \
    use(double, da);        \
    use(double, db);        \
    use(double, dc)

#define DECLARE(type, name) type name[room], *to_##name = name
#define FILL(type, name) name[i] = (type)(draw(16000) / 16.0)
#define DIGEST(type, name) digest = mix(digest, name, sizeof name)

ARRAYS(DECLARE);
int perm[2048], mi[256][8], none = 0, few = 3, stride = 7;
double table[room], md[256][8], factor = 1.25;
long value[16];
long own[64], spare[128], of_long[8];
int of_int[8];
unsigned of_unsigned[8];
double of_double[8];
static _Thread_local int own_count;
static unsigned long drawn;

static inline int whole(double d)
{
    return d > -1e6 && d < 1e6 ? (int)d % 99 : 7;
}
static __attribute__((noinline)) int blend(int a, int b)
{
    return (a & 255) * 3 + (b & 255);
}
__attribute__((noipa)) int blend_apart(int a, int b)
{
    return (a & 255) ^ (b & 1023);
}
static __attribute__((noinline)) int choose(int a, int b)
{
    return a > b ? a - (b & 15) : a < 9 ? few : perm[b & 255];
}
static __attribute__((noinline)) int of_table(int a)
{
    return perm[a & 511] + stride;
}
static __attribute__((noinline)) double halve(double d)
{
    return d > 4 ? d / 2 : d + factor;
}
static __attribute__((noinline)) double larger(double a, double b)
{
    return a > b ? a : b;
}
static __attribute__((noinline)) int next_of_thread(int a)
{
    return (own_count += a & 3) & 255;
}
static __attribute__((noinline)) int count_own(void)
{
    return ++own_count & 255;
}
static __attribute__((noinline)) int number_of(int a)
{
    return omp_get_thread_num() * (a & 15);
}
static __attribute__((noinline)) int team_of(int a)
{
    return (a & 255) + omp_get_num_threads();
}
static __attribute__((noinline)) int rarely(int a, int b)
{
    return (a & 31) == 17 ? number_of(b) : blend(a, b);
}
__attribute__((noipa)) void advance(int *k)
{
    *k += *k < 200 ? 3 : -190;
}
static __attribute__((noinline)) int depth_of(int a)
{
    return a <= 0 ? 1 : 1 + depth_of(a - 1 - (a & 1));
}

static unsigned draw(unsigned below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(drawn >> 33) % below;
}

static unsigned long mix(unsigned long digest, const void *start, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof digest) {
        unsigned long word;
        memcpy(&word, (const char *)start + at, sizeof word);
        digest = (digest ^ word) * 1099511628211u;
        digest ^= digest >> 29;
    }
    return digest;
}

static void run(const char *name, void (*function)(void))
{
    unsigned long digest = 14695981039346656037u;

    for (int k = 0; k < 4; k++) {
        drawn = 1;
        for (int i = 0; i < room; i++) {
            ARRAYS(FILL);
        }
        for (int i = 0; i < 2048; i++) {
            perm[i] = i < 256 ? i * 89 + 5 & 255 : i & 255;
            table[i & 1023] = draw(100) / 4.0;
            mi[i / 8][i % 8] = i;
            md[i / 8][i % 8] = i;
        }
        memset(value, 0, sizeof value);
        memset(own, 0, sizeof own);
        memset(of_int, 0, sizeof of_int);
        memset(of_long, 0, sizeof of_long);
        memset(of_unsigned, 0, sizeof of_unsigned);
        memset(of_double, 0, sizeof of_double);
        memset(spare, 0, sizeof spare);
#pragma omp parallel
        own_count = 10 * omp_get_thread_num();
        function();
        ARRAYS(DIGEST);
        digest = mix(digest, mi, sizeof mi);
        digest = mix(digest, md, sizeof md);
        digest = mix(digest, value, sizeof value);
        digest = mix(digest, own, sizeof own);
        digest = mix(digest, of_int, sizeof of_int);
        digest = mix(digest, of_long, sizeof of_long);
        digest = mix(digest, of_unsigned, sizeof of_unsigned);
        digest = mix(digest, of_double, sizeof of_double);
        digest = mix(digest, spare, sizeof spare);
    }
    printf("%s %016lx\n", name, digest);
    fflush(stdout);
}

#endif
