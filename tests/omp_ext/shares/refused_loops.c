/* Regions whose results depend on which thread runs which iterations, on how often the code around
 * the loop runs, or on a thread's iterations being contiguous and in order: no case may be taken
 * over. Each has the same result in every run of a number of threads. See share_cases.h. */
#define _GNU_SOURCE
#include "tests/omp_ext/shares/share_cases.h"

#include <alloca.h>
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

/* The symbol of the Fortran interface. */
int omp_get_thread_num_(void);

/* CARRIED(NAME, STATE, BODY): a private variable, which a thread's iterations change and read. */
#define CARRIED(name, state, ...) CARRIED_IN(name, , int i = 0, i < n, i++, state, __VA_ARGS__)

/* The same in a loop with another head. */
#define CARRIED_IN(name, clauses, first, condition, step, state, ...) \
    CASE(name)                                                        \
    {                                                                 \
        SHARE_PRAGMA(omp parallel)                                    \
        {                                                             \
            state;                                                    \
            SHARE_PRAGMA(omp for nowait clauses)                      \
            for (first; condition; step) {                            \
                __VA_ARGS__;                                          \
            }                                                         \
        }                                                             \
    }

/* FIRSTPRIVATE(NAME, STATE, CLAUSES, BODY): the same by a clause of a combined construct. */
#define FIRSTPRIVATE(name, state, clauses, ...) \
    CASE(name)                                  \
    {                                           \
        state;                                  \
        SHARE_PRAGMA(omp parallel for clauses)  \
        for (int i = 0; i < limit; i++) {       \
            __VA_ARGS__;                        \
        }                                       \
    }

#define HELPER __attribute__((noinline)) static

/* Counters: the compiler keeps them where it likes, or expresses them by the loop's own. */
CARRIED(refused_counter_by_variable, int t = 0, a[i] = t; t += stride)
CARRIED(refused_counter_byte, unsigned char t = 0, h[i] = t++)
CARRIED(refused_counter_float, float t = 0, f[i] = t; t += 1)
CARRIED(refused_counter_times_index, int t = 0, l[i] = (long)i * t++)
CARRIED(refused_counter_squared, int t = 0, a[i] = t * t; t++)
CARRIED(refused_counter_modulo, int t = 0, a[i] = t++ % 5)
CARRIED(refused_counter_compared, int t = 0, if (t++ == 5) y[i] = 99)
CARRIED(refused_counter_as_index, int t = 0, y[i] = x[t++])
CARRIED(refused_counter_as_distance, int t = 0, y[i] = x[i - t]; t++)
CARRIED(refused_counter_in_call, int t = 0, y[i] = sin(t++))
CARRIED(refused_counter_limited, int t = 0, if (t < 4) t++, y[i] = 0)
CARRIED(refused_count_down_to_zero, int t = 6, if (t > 0) t--, y[i] = -1; else z[i] = 5)
CARRIED(refused_triangular_numbers, int t = 0, a[i] = t; t += i)
CARRIED(refused_powers, unsigned t = 1, u[i] = t; t *= 3)

CARRIED_IN(refused_counter_of_steps, , int i = 0, i < limit, i += stride, int t = 0, a[i] = t++)
CARRIED_IN(refused_counter_long_loop, , long i = 0, i < limit, i++, long t = 0, l[i] = t++)
CARRIED_IN(refused_counter_short_loop, , short i = 0, i < 900, i++, short t = 0, s[i] = t++)
CARRIED_IN(refused_counter_byte_loop, , unsigned char i = 0, i < 250, i++, unsigned char t = 0,
           h[i] = t++)
CARRIED_IN(refused_counter_pointer_loop, , double *i = x, i < x + n, i++, int t = 0, *i = t++)
CARRIED_IN(refused_counter_chunks, schedule(static, 7), int i = 0, i < n, i++, int t = 0,
           a[i] = t++)
CARRIED_IN(refused_counter_chunks_of_one, schedule(static, 1), int i = 0, i < n, i++, int t = 0,
           a[i] = t++)

/* The loop's first iteration of a thread, and how far from it. */
CARRIED(refused_first_stores, bool t = true, if (t) y[i] = 1e3; t = false)
CARRIED(refused_first_index, int t = -1, if (t < 0) t = i; a[i] = t)
CARRIED(refused_distance_to_first, int t = -1, if (t < 0) t = i; a[i] = i - t)
CARRIED(refused_packed, int t = -1, if (t < 0) t = i; if (a[i] > 500) y[t++] = x[i])

/* The same without a jump: a counter that is subtracted from the loop's own. */
CARRIED(refused_first_masked, int t = 0, a[i] = (i - t) & 7; t++)
CARRIED(refused_first_is_odd, int t = 0, if ((i - t) & 1) y[i] = 1; t++)

/* Values of earlier iterations. */
CARRIED(refused_previous_int, int t = 0, c[i] = a[i] - t; t = a[i])
CARRIED(refused_previous_index, int t = -1, a[i] = i - t; t = i)
CARRIED(refused_last_odd, int t = 0, if (a[i] & 1) t = a[i]; c[i] = t)
CARRIED(refused_running_sum_long, long t = 1, t += a[i]; l[i] = t)
CARRIED(refused_running_product, unsigned t = 1, t *= u[i] | 1; u[i] = t)
CARRIED(refused_running_maximum, double t = 0, t = x[i] > t ? x[i] : t; y[i] = t)
CARRIED(refused_running_or, int t = 0, t |= 1 << (a[i] & 31); c[i] = t)
CARRIED(refused_toggle_of_some, int t = 0, c[i] = t; t ^= a[i] > 800)
CARRIED(refused_sign_double, double t = 1, y[i] *= t; t = -t)
CARRIED(refused_saturated, int t = 0, t += c[i]; if (t > 20) t = 20; if (t < 0) t = 0; a[i] = t)
CARRIED(refused_run_length, int t = 0, t = a[i] < a[i + 1] ? t + 1 : 0; c[i] = t)
CARRIED(refused_reset, int t = 0, t += a[i]; if (t > 5000) t = 0; c[i] = t)
CARRIED(refused_wide, unsigned __int128 t = 1, t = t * 6364136223846793005 + 1;
        l[i] = (long)(t >> 64))
CARRIED(refused_long_double, long double t = 0, t += x[i] / 3; y[i] = (double)t)
CARRIED(refused_complex, double complex t = 1, t *= cexp(x[i] * I); y[i] = creal(t);
        z[i] = cimag(t))
CARRIED(refused_quadruple, _Float128 t = 0, t += x[i]; y[i] = (double)(t / 7))
CARRIED(refused_over_libm_call, double t = 0, y[i] = pow(x[i], 0.3) + t; t = y[i])
CARRIED(refused_inner_loop_carries, int t = 0, for (int k = 0; k < 3; k++) t = t * 2 + a[i + k];
        l[i] = t)
CARRIED(refused_inner_condition, int t = 5,
        for (int k = 0; k < 9 && t != 3; k++) t = (t + a[i]) % 7;
        c[i] = t; t = 5 + t % 2)

/* Private memory. */
CARRIED(refused_large_state, int t[64] = {0}, t[40] += a[i]; __asm__("" : "+m"(t)); c[i] = t[40])
CARRIED(refused_large_state_of_some, int t[64] = {0}, if (a[i] & 1) t[50] = i; __asm__(""
                                                                                       : "+m"(t));
        c[i] = t[50] + t[3])
CARRIED(refused_ring, double t[8] = {0}, y[i] = t[i & 7]; t[i & 7] = x[i])
CARRIED(refused_array_partly_written, int t[8] = {0}, for (int k = a[i] & 7; k < 8; k++) t[k] = i;
        c[i] = t[3])
CARRIED(refused_array_written_after, int t[8] = {0}, c[i] = t[3];
        for (int k = 0; k < 8; k++) t[k] = i + k)

struct bits {
    unsigned low : 3, high : 13;
};

union number {
    double whole;
    uint32_t half[2];
};

typedef int four_ints __attribute__((vector_size(16)));
CARRIED(refused_vector_type, four_ints t = {0}, t += a[i]; t[1] ^= i; c[i] = t[0] + t[1])

enum state { outside, number, word };
CASE(refused_state_machine)
{
#pragma omp parallel
    {
        enum state t = outside;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            switch (t) {
            case outside:
                t = a[i] > 500 ? number : a[i] > 100 ? word : outside;
                break;
            case number:
                t = a[i] % 3 ? number : outside;
                break;
            case word:
                t = a[i] % 5 ? number : outside;
                y[i] = 1;
                break;
            }
            c[i] = t;
        }
    }
}

CASE(refused_two_counters)
{
#pragma omp parallel
    {
        int t = 0, v = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            if (a[i] > 500) {
                t++;
            } else {
                v++;
            }
            c[i] = t - v;
        }
    }
}

CASE(refused_computed_goto)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            static const void *const targets[] = {&&one, &&two};
            goto *targets[t];
        one:
            t = a[i] & 1;
            continue;
        two:
            t = c[i] > 0;
            y[i] = 2;
        }
    }
}

CASE(refused_collapsed)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait collapse(2)
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                m[i][j] = t++;
            }
        }
    }
}

CASE(refused_collapsed_previous)
{
#pragma omp parallel
    {
        int t = -1;
#pragma omp for nowait collapse(2)
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                m[i][j] = j - t;
                t = j;
            }
        }
    }
}

/* Pointers that walk: over what is read, over private memory, over rows. */
CARRIED(refused_walk, const double *t = x, y[i] = *t++)
CARRIED(refused_walk_by_data, const double *t = x, y[i] = *t; t += c[i] > 0)

/* The same by clauses. */
FIRSTPRIVATE(refused_firstprivate_quotient, double complex t = factor, firstprivate(t),
             t /= x[i] + 2 * I;
             y[i] = creal(t))
FIRSTPRIVATE(refused_firstprivate_long, long t = -1, firstprivate(t), if (t < 0) t = i;
             l[i] = i - t)
FIRSTPRIVATE(refused_firstprivate_struct, struct point t = {0}, firstprivate(t), t.count += a[i];
             t.id++; p[i] = t)
FIRSTPRIVATE(refused_firstprivate_bool, bool t = true, firstprivate(t), if (t) y[i] = 7; t = false)
FIRSTPRIVATE(refused_firstprivate_if, int t = few, firstprivate(t) if (limit > 3), a[i] = t++ * 2)
FIRSTPRIVATE(refused_lastprivate, int t = 0, firstprivate(t) lastprivate(t), t++; y[i] = 3)
FIRSTPRIVATE(refused_sum_read_last, int t = 0, reduction(+ : t), t += a[i]; if (i == 996) l[0] = t)
FIRSTPRIVATE(refused_reduction_limits, int t = 0, reduction(+ : t), if (t < 20) { t++; y[i] = 0; })

/* The last byte of the number that the share begins with is another one. */
CASE(refused_last_byte_of_begin)
{
    long *to = value;
    int limit = n;
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = limit / team, rest = limit % team;
        if (me < rest) {
            size++;
            rest = 0;
        }
        int begin = size * me + rest, end = begin + size, all = limit;
        long t = begin;
        __asm__("" : "+r"(all));
        if (begin < end) {
            for (int i = begin; i < end; i++) {
                a[i] += i;
            }
            if (end == all) {
                if (b[0] > 3) {
                    __asm__ volatile("movb $5, %b0" : "+r"(t));
                } else {
                    __asm__ volatile("movb $7, %b0" : "+r"(t));
                }
                to[0] = t;
            }
        }
    }
}

/* Two loops of a region: values that the first leaves in private variables. */
CASE(refused_pair_continues)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = 5;
            t++;
        }
#pragma omp for nowait
        for (int i = 0; i < n / 2; i++) {
            a[i] = t++;
        }
    }
}

CASE(refused_pair_array)
{
#pragma omp parallel
    {
        int t[8] = {0};
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t[a[i] & 7]++;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            c[i] = t[a[i] & 7];
        }
    }
}

/* The second loop uses the size of the share, or its end. */
#define PAIR_OF(name, initial, first, ...)    \
    CASE(name)                                \
    {                                         \
        SHARE_PRAGMA(omp parallel)            \
        {                                     \
            int t = initial;                  \
            SHARE_PRAGMA(omp for nowait)      \
            for (int i = 0; i < limit; i++) { \
                l[i] += 5;                    \
                first;                        \
            }                                 \
            SHARE_PRAGMA(omp for nowait)      \
            for (int i = 0; i < limit; i++) { \
                __VA_ARGS__;                  \
            }                                 \
        }                                     \
    }

PAIR_OF(refused_size_as_offset, 0, t++, y[i] = x[i + t])
PAIR_OF(refused_size_as_limit, 0, t++, if (i < t) y[i] = 2)

/* Iterations 2i and 2i + 1 of the first loop are the thread's that has i of the second. */
CASE(refused_pair_halved)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < even; i++) {
            y[i] = x[i] * 2;
        }
#pragma omp for nowait
        for (int i = 0; i < even / 2; i++) {
            z[i] = y[2 * i] + y[2 * i + 1];
        }
    }
}

/* Blocks of iterations that no border of shares divides: each block is one thread's. */
#define BLOCKS(name, state, ...)                    \
    CASE(name)                                      \
    {                                               \
        SHARE_PRAGMA(omp parallel num_threads(few)) \
        {                                           \
            state;                                  \
            SHARE_PRAGMA(omp for nowait)            \
            for (int i = 0; i < even; i++) {        \
                __VA_ARGS__;                        \
            }                                       \
        }                                           \
    }

BLOCKS(refused_block_array, double t[block],
       if (i % block == 0) for (int k = 0; k < block; k++) t[k] = x[i + k] / 3;
       y[i] = t[block - 1 - i % block])
BLOCKS(refused_block_array_filled, int t[block], t[i % block] = a[i];
       if (i % block == block - 1) for (int k = 0; k < block; k++) l[i - k] = t[k])

CASE(refused_block_call)
{
    int t;
    double v;
#pragma omp parallel for private(t, v)
    for (int i = 0; i < even; i++) {
        if (i % block == 0) {
            v = frexp(x[i], &t);
        }
        c[i] = t + (int)(v * 16);
    }
}

/* Many loops, of which the last one counts. */
#define ADDS(number)                  \
    SHARE_PRAGMA(omp for nowait)      \
    for (int i = 0; i < limit; i++) { \
        l[i] += a[i] * (number);      \
    }
#define ADDS_EIGHT(number) \
    ADDS(number)           \
    ADDS(number + 1)       \
    ADDS(number + 2)       \
    ADDS(number + 3) ADDS(number + 4) ADDS(number + 5) ADDS(number + 6) ADDS(number + 7)

CASE(refused_many_loops)
{
#pragma omp parallel
    {
        int t = 0;
        ADDS_EIGHT(1)
        ADDS_EIGHT(11)
        ADDS_EIGHT(21)
        ADDS_EIGHT(31)
        ADDS_EIGHT(41)
        ADDS_EIGHT(51)
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            c[i] = t++;
        }
    }
}

/* The number of the thread and the number of threads. */
#define ME omp_get_thread_num()
#define TEAM omp_get_num_threads()

EACH(refused_query_double, , y[i] = x[i] * ME)
EACH(refused_query_chunks, schedule(static, 3), a[i] = ME)
EACH(refused_team_modulo, , a[i] = i % TEAM)
EACH(refused_team_quotient, , a[i] = a[i] / TEAM)
EACH(refused_team_seldom, , if (a[i] == 77) y[i] = TEAM)
EACH(refused_division_product, , a[i] = ME * (n / TEAM))
EACH(refused_division_end, , a[i] = (ME + 1) * (n / TEAM) + n % TEAM - i)
EACH(refused_division_distance, , a[i] = i - ME * (n / TEAM))
EACH(refused_scratch_pointer, , double *t = m[ME]; t[0] = x[i]; t[1] += t[0])

EACH(refused_longer_shares, , if (ME < n % TEAM) y[i] = 1)
EACH(refused_longer_or_not, , if (ME < n % TEAM) y[i] = 1; else z[i] = 2)
EACH(refused_longer_selects, , y[i] = ME < n % TEAM ? x[i] : z[i])

CASE(refused_longer_before)
{
#pragma omp parallel
    {
        bool longer = ME < limit % TEAM;
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            if (longer) {
                y[i] = 1;
            } else {
                z[i] = 2;
            }
        }
    }
}

CASE(refused_team_before)
{
#pragma omp parallel
    {
        int t = TEAM, v = n / t;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = i / (v + 1);
        }
    }
}

CASE(refused_query_by_pointer)
{
    int (*volatile query)(void) = omp_get_thread_num;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = query();
    }
}

/* Data of the thread that are chosen before the loop. */
CASE(refused_alloca)
{
#pragma omp parallel
    {
        int *t = alloca((size_t)few * 4 * sizeof *t);
        memset(t, 0, (size_t)few * 4 * sizeof *t);
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            c[i] = t[a[i] & 7]++;
        }
    }
}

CASE(refused_alloca_in_loop)
{
#pragma omp parallel num_threads(few)
    {
        int *t;
#pragma omp for nowait
        for (int i = 0; i < even; i++) {
            if (i % block == 0) {
                t = alloca(block * sizeof *t);
                t[0] = a[i];
            }
            c[i] = t[0]++;
        }
    }
}

CASE(refused_variable_length)
{
#pragma omp parallel
    {
        int t[few * 4];
        for (int k = 0; k < few * 4; k++) {
            t[k] = 0;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            c[i] = t[a[i] & 7]++;
        }
    }
}

CASE(refused_array_initialised_by_loop)
{
#pragma omp parallel
    {
        double t[16];
        for (int k = 0; k < 16; k++) {
            t[k] = x[k];
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t[i & 15] += t[(i + 1) & 15] / 2;
            y[i] = t[i & 15];
        }
    }
}

/* Which thread: by its address, its stack, its processor, its number elsewhere. After the region,
 * whether the iteration before was the same thread's. */
#define SAME_THREAD(name, ...)                     \
    CASE(name)                                     \
    {                                              \
        SHARE_PRAGMA(omp parallel for)             \
        for (int i = 0; i < n; i++) {              \
            own[i] = (unsigned long)(__VA_ARGS__); \
            y[i] = x[i];                           \
        }                                          \
        for (int i = 1; i < n; i++) {              \
            a[i] = own[i] == own[i - 1];           \
        }                                          \
    }

static _Thread_local int of_thread;

HELPER unsigned long stack_page(void)
{
    return (unsigned long)__builtin_frame_address(0) >> 16;
}

SAME_THREAD(refused_errno_address, (uintptr_t)&errno)
SAME_THREAD(refused_frame_address, (uintptr_t)__builtin_frame_address(0))
SAME_THREAD(refused_frame_of_call, stack_page())

EACH(refused_return_address, , own[i] = (unsigned long)__builtin_return_address(0))

/* Threads' own variables. reset_threads() runs before a case. */
static int counter;
#pragma omp threadprivate(counter)

HELPER void reset_threads(void)
{
#pragma omp parallel num_threads(8)
    {
        counter = 0;
        of_thread = 0;
    }
#pragma omp parallel
    {
        counter = 0;
        of_thread = 0;
    }
}

#define THREADS_OWN(name, clauses, ...)        \
    CASE(name)                                 \
    {                                          \
        reset_threads();                       \
        SHARE_PRAGMA(omp parallel for clauses) \
        for (int i = 0; i < n; i++) {          \
            __VA_ARGS__;                       \
        }                                      \
    }

THREADS_OWN(refused_thread_local, , a[i] = of_thread++)
THREADS_OWN(refused_thread_local_address, , int *t = &of_thread; c[i] = *t; *t = a[i])
THREADS_OWN(refused_copyin, copyin(counter), a[i] = counter; counter += 2)

HELPER void reset_arithmetic(void)
{
#pragma omp parallel num_threads(8)
    {
        fesetround(FE_TONEAREST);
        feclearexcept(FE_ALL_EXCEPT);
        errno = 0;
    }
#pragma omp parallel
    {
        fesetround(FE_TONEAREST);
        feclearexcept(FE_ALL_EXCEPT);
        errno = 0;
    }
}

#define ARITHMETIC(name, ...)          \
    CASE(name)                         \
    {                                  \
        reset_arithmetic();            \
        SHARE_PRAGMA(omp parallel for) \
        for (int i = 0; i < n; i++) {  \
            __VA_ARGS__;               \
        }                              \
        reset_arithmetic();            \
    }

ARITHMETIC(refused_rounding_mode_by_register,
           if (a[i] % 7 == 0) _mm_setcsr(a[i] & 1 ? 0x5f80 : 0x3f80);
           y[i] = x[i] / 3)
ARITHMETIC(refused_flags, y[i] = x[i] / (a[i] - a[i + 1]); c[i] = fetestexcept(FE_DIVBYZERO) != 0)
ARITHMETIC(refused_error_number, y[i] = log(x[i] - 2); c[i] = errno)

/* Calls of functions that know their thread. */
HELPER int who(void)
{
    return omp_get_thread_num();
}

HELPER int who_plus(int i)
{
    return who() + i;
}

HELPER int tick(void)
{
    static _Thread_local int ticks;

    return of_thread++ + (ticks = 0);
}

HELPER int light(int k)
{
    return k ^ few;
}

static int (*const queries[])(void) = {who, omp_get_thread_num};
static int (*volatile chosen)(int) = who_plus;

EACH(refused_call, , a[i] = who())
EACH(refused_call_of_call, , a[i] = who_plus(i))
EACH(refused_call_of_table, , a[i] = queries[i & 1]())
EACH(refused_call_by_pointer, , a[i] = chosen(i))
THREADS_OWN(refused_call_ticks, , a[i] = tick())

/* Arguments on the stack, in vector registers, and in none. */
HELPER double half(double v)
{
    return v / 2;
}

HELPER double of_struct(struct point v)
{
    return v.x + v.y * v.count;
}

CARRIED(refused_counter_in_vector, double t = 0, y[i] = half(t); t += 0.5)
CARRIED(refused_struct_on_stack, struct point t = {0}, y[i] = of_struct(t); t.count++; t.y = x[i])

/* Functions that change the state of the processor, or ask for it. */
HELPER unsigned long processor(void)
{
    unsigned low, high, number;

    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(number));
    return number;
}

EACH(refused_call_asks_for_processor, , own[i] = processor())

HELPER double sum_of_arguments(int count, ...)
{
    va_list list;
    double sum = omp_get_thread_num();

    va_start(list, count);
    while (count-- > 0) {
        sum += va_arg(list, double);
    }
    va_end(list);
    return sum;
}

EACH(refused_call_variadic, , y[i] = sum_of_arguments(2, x[i], z[i]))

HELPER void orphan(int count)
{
#pragma omp for nowait
    for (int i = 0; i < count; i++) {
        y[i] += 1;
    }
}

CASE(refused_orphan)
{
#pragma omp parallel
    orphan(limit);
}

CASE(refused_orphan_beside)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            z[i] = x[i];
        }
        orphan(n);
    }
}

/* As GCC divides them. */
#define AS_COMPILED(team)        \
    int size = limit / (team);   \
    int rest = limit % (team);   \
    size += me < rest;           \
    rest = me < rest ? 0 : rest; \
    int low = size * me + rest;  \
    int high = low + size

/* Shares divided by hand, with the number of threads asked for in the region: stored values depend
 * on the begin or end of the share. */
#define SPMD(name, bounds, ...)                                          \
    CASE(name)                                                           \
    {                                                                    \
        SHARE_PRAGMA(omp parallel)                                       \
        {                                                                \
            int me = omp_get_thread_num(), team = omp_get_num_threads(); \
            bounds;                                                      \
            for (int i = low; i < high; i++) {                           \
                __VA_ARGS__;                                             \
            }                                                            \
        }                                                                \
    }

SPMD(refused_spmd_minimum, int rest = n % team; int low = n / team * me + (me < rest ? me : rest);
     int high = low + n / team + (me < rest), a[i] = i - low)
SPMD(refused_spmd_compiled_first, AS_COMPILED(team), y[i] = x[low])

/* Not all iterations of the share, or others. */
SPMD(refused_spmd_whole_fours, AS_COMPILED(team); high = low + (size & ~3), y[i] = 1)
SPMD(refused_spmd_few, AS_COMPILED(team); high = low + few, y[i] = 1)
SPMD(refused_spmd_large_shares, AS_COMPILED(team); if (size < 100) high = low, y[i] = 1)
SPMD(refused_spmd_breaks, AS_COMPILED(team), if (a[i] > 990) break; y[i] = 5)

/* Numbers that begin by the share and go on by a constant, or anew, like indices of collapsed
 * loops. */
SPMD(refused_spmd_steps, AS_COMPILED(team); int t = low & 3, a[i] = t++)

#define AS_COMPILED_CASE(name, ...)                                      \
    CASE(name)                                                           \
    {                                                                    \
        SHARE_PRAGMA(omp parallel)                                       \
        {                                                                \
            int me = omp_get_thread_num(), team = omp_get_num_threads(); \
            AS_COMPILED(team);                                           \
            __VA_ARGS__;                                                 \
            (void)high;                                                  \
        }                                                                \
    }

AS_COMPILED_CASE(refused_spmd_by_two, for (int i = low; i < high; i += 2) y[i] = 1)
AS_COMPILED_CASE(refused_spmd_by_four, for (int i = low; i < high; i += 4) y[i] = x[i] * 2)
AS_COMPILED_CASE(refused_spmd_fill_short, memset(&y[low], 0, ((size_t)size - 1) * sizeof *y))
AS_COMPILED_CASE(refused_spmd_fill_half, memset(&y[low], 0, (size_t)size / 2 * sizeof *y))
AS_COMPILED_CASE(refused_spmd_copy_short, memcpy(&y[low], &x[low], ((size_t)size - 1) * sizeof *y))
AS_COMPILED_CASE(refused_spmd_copy_of_first, memcpy(&y[low], x, (size_t)size * sizeof *y))
AS_COMPILED_CASE(refused_spmd_share_number, for (int i = low; i < high; i++) y[i] = 1;
                 h[me & 15] = 9)

CASE(refused_spmd_longer_or_not)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = limit / team, rest = limit % team;
        if (me < rest) {
            for (int i = me * (size + 1); i < (me + 1) * (size + 1); i++) {
                y[i] = 1;
            }
        } else {
            for (int i = me * size + rest; i < (me + 1) * size + rest; i++) {
                z[i] = 1;
            }
        }
    }
}

/* Code before and behind the loop: with a share of its own, or once per thread. */
#define AROUND(name, before, behind)               \
    CASE(name)                                     \
    {                                              \
        int t = 0;                                 \
        (void)t;                                   \
        SHARE_PRAGMA(omp parallel firstprivate(t)) \
        {                                          \
            before;                                \
            SHARE_PRAGMA(omp for nowait)           \
            for (int i = 0; i < n; i++) {          \
                y[i] = x[i] + __LINE__;            \
                t = i;                             \
            }                                      \
            behind;                                \
        }                                          \
    }

/* After the loop, code that looks like the rest of it. */
#define BEHIND(name, body, ...)           \
    CASE(name)                            \
    {                                     \
        SHARE_PRAGMA(omp parallel)        \
        {                                 \
            int t = -1;                   \
            SHARE_PRAGMA(omp for nowait)  \
            for (int i = 0; i < n; i++) { \
                body;                     \
                t = i;                    \
            }                             \
            __VA_ARGS__;                  \
        }                                 \
    }

BEHIND(refused_share_ends_at_memory, a[i] = i * 7, if (t == limit / 2) value[0] = t)
BEHIND(refused_share_ends_before, a[i] = i * 8, if (t < 400) h[t] = 7)

HELPER void count_call(void)
{
    __atomic_fetch_add(&value[3], 1, __ATOMIC_RELAXED);
}

AROUND(refused_atomic_before, __atomic_fetch_add(value, 1, __ATOMIC_RELAXED), )
AROUND(refused_atomic_behind, , __atomic_fetch_add(value, 1, __ATOMIC_RELAXED))
AROUND(refused_call_before, count_call(), )
AROUND(refused_team_stored, if (omp_get_thread_num() == 0) value[0] = omp_get_num_threads(), )
AROUND(refused_inner_loop_before,
       for (int k = 0; k < 9; k++) __atomic_fetch_add(&value[k], k, __ATOMIC_RELAXED), )

AROUND(refused_single_before, SHARE_PRAGMA(omp single nowait) value[1] += 3, )
AROUND(refused_single_waits, SHARE_PRAGMA(omp single) value[1] += 3, )
AROUND(refused_master_before, SHARE_PRAGMA(omp master) value[1] += omp_get_num_threads(), )
AROUND(refused_lock_behind, , omp_init_lock(&(omp_lock_t){0}); count_call())

CASE(refused_sections_before)
{
#pragma omp parallel
    {
#pragma omp sections nowait
        {
#pragma omp section
            value[0] += 1;
#pragma omp section
            value[1] += 2;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 201;
        }
    }
}

/* Not reductions: the combination once per thread differs from the loop's operation on all.
 * BY_HAND(NAME, INITIAL VALUE, BODY, COMBINATION) */
#define BY_HAND(name, initial, body, ...) BY_HAND_OF(name, long, initial, body, __VA_ARGS__)

/* The same in another type. */
#define BY_HAND_OF(name, type, initial, body, ...) \
    CASE(name)                                     \
    {                                              \
        type total = 1;                            \
        SHARE_PRAGMA(omp parallel)                 \
        {                                          \
            initial;                               \
            SHARE_PRAGMA(omp for nowait)           \
            for (int i = 0; i < limit; i++) {      \
                body;                              \
            }                                      \
            SHARE_PRAGMA(omp atomic)               \
            __VA_ARGS__;                           \
        }                                          \
        value[0] = (long)total;                    \
    }

BY_HAND(refused_sum_of_sums_and_one, int t = 0, t += a[i], total += t + 1)
BY_HAND(refused_sum_of_signs, int t = 0, t += c[i], total += t > 0)
BY_HAND(refused_sum_of_byte_sums, unsigned char t = 0, t = (unsigned char)(t + a[i]), total += t)
BY_HAND(refused_sum_of_short_sums, unsigned short t = 0, t = (unsigned short)(t + a[i]), total += t)
BY_HAND(refused_sum_of_truncated_sums, double t = 0, t += x[i] / 3, total += (long)t)
BY_HAND(refused_sum_of_xors, int t = 0, t ^= a[i], total += t)
BY_HAND(refused_sum_of_products, unsigned t = 1, t *= u[i] | 1, total += t)
BY_HAND(refused_sum_of_alternating, int t = 0, t = a[i] - t, total += t)
BY_HAND(refused_sum_of_doubling, unsigned t = 0, t = t * 2 + (unsigned)a[i], total += t)
BY_HAND(refused_sum_with_limit, int t = 0, t += t < 9000 ? a[i] : 0, total += t)
BY_HAND(refused_sum_and_constant_loop, int t = 5;
        for (int k = 0; k < few; k++) t += k, t += a[i], total += t)
BY_HAND(refused_product_of_sums, int t = 0, t += a[i], total *= t)

/* Combined by some threads only. */
#define BY_SOME(name, condition)              \
    CASE(name)                                \
    {                                         \
        int total = 0;                        \
        SHARE_PRAGMA(omp parallel)            \
        {                                     \
            int t = 0, count = 0;             \
            SHARE_PRAGMA(omp for nowait)      \
            for (int i = 0; i < limit; i++) { \
                t += a[i];                    \
                count++;                      \
            }                                 \
            if (condition) {                  \
                SHARE_PRAGMA(omp atomic)      \
                total += t;                   \
            }                                 \
            (void)count;                      \
        }                                     \
        value[0] = total;                     \
    }

BY_SOME(refused_sum_of_longer_shares, omp_get_thread_num() < limit % omp_get_num_threads())

/* Code that looks like a minimum or maximum. */
#define EXTREME(name, type, initial, operation, ...)            \
    CASE(name)                                                  \
    {                                                           \
        type t = initial;                                       \
        SHARE_PRAGMA(omp parallel for reduction(operation : t)) \
        for (int i = 0; i < limit; i++) {                       \
            __VA_ARGS__;                                        \
        }                                                       \
        rounded[0] = t;                                         \
    }

EXTREME(refused_maximum_takes_half, int, 0, max, t = a[i] > t ? a[i] / 2 : t)
EXTREME(refused_maximum_decays, double, 0, max, t = x[i] > t ? x[i] : t - 0.125)
EXTREME(refused_minimum_resets, int, 9999, min, t = a[i] < t ? a[i] : c[i] == 8 ? 500 : t)

/* Reductions of the region, with something of each thread's own. */
#define REGION(name, type, clauses, before, body, behind) \
    CASE(name)                                            \
    {                                                     \
        type t = 1;                                       \
        SHARE_PRAGMA(omp parallel clauses)                \
        {                                                 \
            before;                                       \
            SHARE_PRAGMA(omp for nowait)                  \
            for (int i = 0; i < limit; i++) {             \
                body;                                     \
            }                                             \
            behind;                                       \
        }                                                 \
        rounded[0] = t;                                   \
    }

REGION(refused_region_sum_behind, int, reduction(+ : t), , t += a[i], t += 2)
REGION(refused_region_sum_of_memory, double, reduction(+ : t), t += x[5], t += x[i], )
REGION(refused_region_product_before, double, reduction(* : t), t = 2, t *= i & 1 ? 2 : 0.5, )
REGION(refused_region_maximum_of_sums, int, reduction(max : t), t = 0, t += a[i], )
REGION(refused_region_minimum_of_sums, int, reduction(min : t), t = 0, t -= a[i], )
REGION(refused_region_maximum_of_counts, int, reduction(max : t), t = 0, t++, )
REGION(refused_region_sum_of_maxima, double, reduction(+ : t), , if (x[i] > t) t = x[i], )

/* Assembly, jumps, and other things below the language. */
static inline void load_state(unsigned state)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(state));
}

static inline long system_call(long number)
{
    __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
    return number;
}

static inline unsigned long thread_register(void)
{
    unsigned long got;

    __asm__("mov %%fs:0, %0" : "=r"(got));
    return got;
}

SAME_THREAD(refused_assembly_thread, thread_register())
ARITHMETIC(refused_assembly_rounding, if (a[i] % 7 == 0) load_state(a[i] & 1 ? 0x5f80 : 0x3f80);
           y[i] = x[i] / 3)
EACH(refused_assembly_syscall, , own[i] = (unsigned long)system_call(SYS_gettid))

static inline long through_bytes(long number)
{
    __asm__("bswap %0\n\tbswap %0" : "+r"(number));
    return number;
}

CARRIED(refused_assembly_swapped_number, long t = through_bytes(ME), l[i] = t)

CASE(refused_jump)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            jmp_buf back;
            t++;
            if (setjmp(back) == 0) {
                longjmp(back, 1);
            }
            a[i] = t;
        }
    }
}

HELPER void leave(jmp_buf back, int k)
{
    if (k > 500) {
        longjmp(back, k);
    }
}

CASE(refused_jump_out_of_call)
{
#pragma omp parallel
    {
        volatile int t = 0;
        jmp_buf back;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            if (setjmp(back) == 0) {
                leave(back, a[i]);
                c[i] = t;
            } else {
                t++;
            }
        }
    }
}

CASE(refused_jump_of_compiler)
{
#pragma omp parallel
    {
        volatile int t = 0;
        void *back[5];
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            if (__builtin_setjmp(back) == 0) {
                t++;
            }
            a[i] = t;
        }
    }
}

/* Loaded before a barrier, changed behind it. */
#define BEFORE_BARRIER(name, before, ...)        \
    CASE(name)                                   \
    {                                            \
        int s = 3;                               \
        SHARE_PRAGMA(omp parallel)               \
        {                                        \
            int t = before;                      \
            SHARE_PRAGMA(omp barrier)            \
            SHARE_PRAGMA(omp for lastprivate(s)) \
            for (int i = 0; i < n; i++) {        \
                s = i;                           \
                __VA_ARGS__;                     \
            }                                    \
        }                                        \
        value[0] = s;                            \
    }
BEFORE_BARRIER(refused_before_barrier, s, a[i] = t + i)
BEFORE_BARRIER(refused_made_before_barrier, 3 * s + 1, a[i] = t + i)
BEFORE_BARRIER(refused_bound_before_barrier, s, for (int k = 0; k < t; k++) a[i] += k)

CASE(refused_through_pointer_before_barrier)
{
    int *from = &value[few], *to = &value[few];
#pragma omp parallel
    {
        int t = *from;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < n; i++) {
            a[i] = t + i;
            if (i == 1) {
                *to = 77;
            }
        }
    }
}

/* An address that is none before the loop, or behind it. */
#define THROUGH_ADDRESS(name, first, last, before, behind) \
    CASE(name)                                             \
    {                                                      \
        int **at = (int **)&value[few];                    \
        *at = first;                                       \
        SHARE_PRAGMA(omp parallel)                         \
        {                                                  \
            before;                                        \
            SHARE_PRAGMA(omp barrier)                      \
            SHARE_PRAGMA(omp for)                          \
            for (int i = 0; i < n; i++) {                  \
                a[i] = i;                                  \
                if (i == (last ? n - 1 : 0)) {             \
                    *at = last;                            \
                }                                          \
            }                                              \
            behind;                                        \
        }                                                  \
        *at = NULL;                                        \
    }
THROUGH_ADDRESS(refused_address_before_barrier, a, NULL, (void)*(volatile int *)*at, )
THROUGH_ADDRESS(refused_address_behind_barrier, NULL, a, , (void)*(volatile int *)*at)

/* Values that other code than the loop has left would end the program. */
#define FAULTS(name, first, each, before, behind) \
    CASE(name)                                    \
    {                                             \
        int t = first;                            \
        SHARE_PRAGMA(omp parallel)                \
        {                                         \
            before;                               \
            SHARE_PRAGMA(omp barrier)             \
            SHARE_PRAGMA(omp for lastprivate(t))  \
            for (int i = 0; i < n; i++) {         \
                t = each;                         \
                a[i] = i;                         \
            }                                     \
            behind;                               \
        }                                         \
        value[0] = t;                             \
    }
#define DIVIDE                                  \
    {                                           \
        int quotient = 100 / t;                 \
        __asm__ volatile("" : : "r"(quotient)); \
    }
FAULTS(refused_divided_before_barrier, 4, i - n + 1, DIVIDE, )
#define DIVIDE_REAL                           \
    {                                         \
        double unused = 1 / (double)t;        \
        __asm__ volatile("" : : "m"(unused)); \
    }
FAULTS(refused_real_divided_before_barrier, 4, i - n + 1, DIVIDE_REAL, )
FAULTS(refused_real_divided_behind_barrier, 0, i + 1, , DIVIDE_REAL)

static volatile int all_done;

#define WAITS(name, behind)                   \
    CASE(name)                                \
    {                                         \
        all_done = 0;                         \
        SHARE_PRAGMA(omp parallel)            \
        {                                     \
            SHARE_PRAGMA(omp for nowait)      \
            for (int i = 0; i < limit; i++) { \
                a[i] = i;                     \
                if (i == limit - 1) {         \
                    all_done = 1;             \
                }                             \
            }                                 \
            while (!all_done) {               \
            }                                 \
            behind                            \
        }                                     \
    }
WAITS(refused_waits, )
WAITS(refused_waits_before_barrier, SHARE_PRAGMA(omp barrier))

CASE(refused_waits_behind_barrier)
{
    all_done = 0;
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
            a[i] = i;
            if (i == n - 1) {
                all_done = 1;
            }
        }
        while (!all_done) {
        }
    }
}

/* The region continues in a function whose calls are not the region's. */
HELPER void wait_for_all(void)
{
#pragma omp barrier
    __asm__("");
}

CASE(refused_barrier_in_function)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = i;
        }
        wait_for_all();
    }
}

CASE(refused_linear_before_barrier)
{
    int t = 5;
#pragma omp parallel for linear(t)
    for (int i = 0; i < n; i++) {
        a[i] = t++;
    }
    value[0] = t;
}

/* Done by all threads where there are no iterations. */
#define WITHOUT_ITERATIONS(name, ...)        \
    CASE(name)                               \
    {                                        \
        SHARE_PRAGMA(omp parallel)           \
        {                                    \
            SHARE_PRAGMA(omp for nowait)     \
            for (int i = 0; i < none; i++) { \
                a[i] = i;                    \
            }                                \
            if (none == 0) {                 \
                __VA_ARGS__;                 \
            }                                \
        }                                    \
    }
WITHOUT_ITERATIONS(refused_counted_without_iterations, SHARE_PRAGMA(omp atomic) value[1]++)
WITHOUT_ITERATIONS(refused_called_without_iterations, count_call())
WITHOUT_ITERATIONS(refused_listed_without_iterations, int at;
                   SHARE_PRAGMA(omp atomic capture) at = value[2]++; a[at % n] = 5)

CASE(refused_changed_without_iterations)
{
    int *number = (int *)&value[few];
    *number = 3;
#pragma omp parallel
    {
        int t = *number;
#pragma omp barrier
        int many = none;
#pragma omp for nowait
        for (int i = 0; i < many; i++) {
            a[i] = i;
        }
        if (many == 0) {
            *number = t ^ 7;
        }
    }
}

/* A share without iterations adds another value to a total than others begin with. */
#define OTHERWISE_EMPTY(name, whole, first, body, empty, operation) \
    CASE(name)                                                      \
    {                                                               \
        int sum = whole;                                            \
        SHARE_PRAGMA(omp parallel)                                  \
        {                                                           \
            int t = first, any = 0;                                 \
            SHARE_PRAGMA(omp for nowait)                            \
            for (int i = 0; i < 13 * few; i++) {                    \
                body;                                               \
                any = 1;                                            \
            }                                                       \
            if (!any) {                                             \
                t = empty;                                          \
            }                                                       \
            SHARE_PRAGMA(omp atomic)                                \
            sum operation t;                                        \
        }                                                           \
        value[0] = sum;                                             \
    }
OTHERWISE_EMPTY(refused_or_otherwise_empty, 0, 0, t |= a[i] & 3, 8, |=)
OTHERWISE_EMPTY(refused_and_otherwise_empty, -1, -1, t &= a[i] | 0xff0, ~0x10, &=)

CASE(refused_barrier_in_sequence)
{
#pragma omp parallel
    {
        for (int k = 0; k < few; k++) {
#pragma omp for
            for (int i = 1; i < n; i++) {
                z[i] = y[i - 1] + y[i];
            }
#pragma omp for
            for (int i = 1; i < n; i++) {
                y[i] = z[i - 1] / 2 + z[i] / 2;
            }
        }
    }
}

CASE(refused_ordered_sinks)
{
#pragma omp parallel for ordered(1) schedule(static)
    for (int i = 1; i < n; i++) {
        z[i] = x[i] + 33;
#pragma omp ordered depend(sink : i - 1)
        y[i] += y[i - 1];
#pragma omp ordered depend(source)
    }
}

CASE(refused_scan)
{
    int t = 0;
#pragma omp parallel for reduction(inscan, + : t)
    for (int i = 0; i < n; i++) {
        t += a[i];
#pragma omp scan inclusive(t)
        c[i] = t;
    }
}

/* More values than registers: the state is in the stack frame, among others that do not change. */
CASE(refused_spilled_over_calls)
{
    double k1 = x[1], k2 = x[2], k3 = x[3], k4 = x[4], t = 0;
    int j1 = a[1], j2 = a[2], j3 = a[3], j4 = a[4], v = 0;
#pragma omp parallel for firstprivate(t, v)
    for (int i = 0; i < limit; i++) {
        double r = sin(z[i] * k1 + k2);
        y[i] = exp(r * k3) + cos(r * k4) * j1 + j2 + t;
        c[i] = light(i + j3) * j4 + v;
        t = r;
        v += a[i] & 3;
    }
}

/* The address of a summand depends on the thread's iterations so far. */
#define GOES_ON(name, operation, type, array, body)                             \
    CASE(name)                                                                  \
    {                                                                           \
        type r = 0;                                                             \
        const type *k = array;                                                  \
        SHARE_PRAGMA(omp parallel for reduction(operation : r) firstprivate(k)) \
        for (int i = 0; i < limit; i++) {                                       \
            k++;                                                                \
            y[i] += 1;                                                          \
            body;                                                               \
        }                                                                       \
        value[0] = (long)r;                                                     \
    }
GOES_ON(refused_or_behind_pointer, |, int, c, r |= *k & 1 << (i & 15))
GOES_ON(refused_or_at_pointer, |, long, l, r |= *k)
GOES_ON(refused_double_at_pointer, +, double, x, r += *(k + 16))
GOES_ON(refused_largest_at_pointer, max, int, a, r = r > *k ? r : *k)

/* Tests with one result for all iterations split the loop, without changing the rest. */
CASE(refused_question_counter)
{
    int high = few + 20, t = 0;
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit; i++) {
        for (int j = 0; j < high; j++) {
            c[i] += j & t;
        }
        a[i] = t++;
    }
}

CASE(refused_question_of_two)
{
    int high = few + 20, t = 0;
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit; i++) {
        if (high > 30) {
            c[i] = i;
        } else {
            c[i] = t;
            t += a[i] & 3;
        }
    }
}

CASE(refused_question_once)
{
    int high = few + 20;
    double t = 0;
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit; i++) {
        if (high > 4) {
            for (int j = 0; j < high; j++) {
                t += x[(i + j) & 1023] * 0.5;
            }
        }
        y[i] = t;
    }
}

CASE(refused_running_fmin)
{
    double t = 100;
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit; i++) {
        t = fmin(t, x[i]);
        y[i] = t;
    }
}

CASE(refused_fmax_of_halves)
{
    double t = 0;
#pragma omp parallel for reduction(max : t)
    for (int i = 0; i < limit; i++) {
        t = fmax(t, x[i]) / 2;
    }
    value[0] = (long)(t * 1024);
}

CASE(refused_fmin_of_sums)
{
    double t = 0;
#pragma omp parallel for reduction(+ : t)
    for (int i = 0; i < limit; i++) {
        t = fmin(t + x[i], 500);
    }
    value[0] = (long)(t * 16);
}

/* Each thread adds a number, whatever its iterations are. */
BY_HAND_OF(refused_double_multiplied, double, double t = 2, a[i] += i, total *= t)

/* The lower half of the result of a thread's iterations. */
#define LOWER(name, initial, body, ...)          \
    CASE(name)                                   \
    {                                            \
        long total = 3;                          \
        SHARE_PRAGMA(omp parallel)               \
        {                                        \
            long t = initial;                    \
            SHARE_PRAGMA(omp for nowait)         \
            for (int i = 0; i < few + 40; i++) { \
                a[i] += i;                       \
                body;                            \
            }                                    \
            __VA_ARGS__                          \
        }                                        \
        value[0] = total;                        \
    }
#if __GNUC__ >= 12
LOWER(
    refused_lower_largest, -9, t = t > i ? t : i,
    SHARE_PRAGMA(omp atomic compare) if (total < (unsigned)t) { total = (unsigned)t; })
#endif
LOWER(refused_lower_sum, 0, t += a[i] - 5000, SHARE_PRAGMA(omp atomic) total += (unsigned)t;)
LOWER(refused_upper_sum, 0, t += (unsigned)(a[i] - 5000), SHARE_PRAGMA(omp atomic) total += (int)t;)

/* The result of the last iteration, computed from the number of its thread's iterations. */
#define LAST(name, type, change, number)                              \
    CASE(name)                                                        \
    {                                                                 \
        int z = 0;                                                    \
        type t = 0;                                                   \
        SHARE_PRAGMA(omp parallel for firstprivate(t) lastprivate(z)) \
        for (int i = 9; i != 300; i++) {                              \
            a[i] += 1;                                                \
            change;                                                   \
            z = (int)(number);                                        \
        }                                                             \
        value[0] = z;                                                 \
    }
LAST(refused_last_double, double, t += 0.5, t)

/* A sum of equal numbers before the last one. */
#define BEFORE_LAST(name, type, change)                                     \
    BY_HAND_OF(name, type, type t = 0; type before = 0, before = t; change; \
               a[i] += i, total += before)
BEFORE_LAST(refused_before_added, long, t += few)
BEFORE_LAST(refused_before_taken, long, t -= few)
BEFORE_LAST(refused_before_taken_twice, int, t -= 2 * few)
BEFORE_LAST(refused_before_real, double, t -= factor)

/* The next loop continues with values of the one before. */
#define NEXT_LOOP(name, first, second)    \
    CASE(name)                            \
    {                                     \
        SHARE_PRAGMA(omp parallel)        \
        {                                 \
            int t = 0;                    \
            SHARE_PRAGMA(omp for nowait)  \
            for (int i = 0; i < n; i++) { \
                first;                    \
            }                             \
            SHARE_PRAGMA(omp for nowait)  \
            for (int i = 0; i < n; i++) { \
                second;                   \
            }                             \
        }                                 \
    }
NEXT_LOOP(refused_loaded_before, t = b[i]; a[i] = 3, l[i] = t; t = b[i + 1])
NEXT_LOOP(refused_bits_before, t = i & 31; a[i] = t, l[i] = t; t += 2)

/* Numbers that are too large to differ by a small one. */
FIRSTPRIVATE(refused_golden_hash, unsigned long t = 0, firstprivate(t),
             l[i] = (long)((unsigned long)i * 0x9E3779B97F4A7C15UL + t);
             t++)

/* Combined with memory by an operation of no reduction, which depends on the order of threads. */
#define COMBINED(name, type, initial, body, ...) \
    CASE(name)                                   \
    {                                            \
        type total = 7;                          \
        SHARE_PRAGMA(omp parallel)               \
        {                                        \
            type t = initial;                    \
            SHARE_PRAGMA(omp for nowait)         \
            for (int i = 0; i < limit; i++) {    \
                a[i] += i;                       \
                body;                            \
            }                                    \
            __VA_ARGS__                          \
        }                                        \
        own[0] = (unsigned long)total;           \
    }
#define EXCHANGED(new)      \
    long old = total, next; \
    do {                    \
        next = new;         \
    } while (               \
        !__atomic_compare_exchange_n(&total, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
COMBINED(refused_sign_changed, double, 0, , SHARE_PRAGMA(omp atomic) total = t - total;)
COMBINED(refused_taken_from, long, 0, t += a[i], SHARE_PRAGMA(omp atomic) total = t - total;)
COMBINED(refused_real_taken_from, double, 0, t += x[i], SHARE_PRAGMA(omp atomic) total = t - total;)
COMBINED(refused_old_doubled, long, 0, t += a[i], EXCHANGED(t + old * 2))
COMBINED(refused_old_largest_increased, long, 0, t = t > a[i] ? t : a[i],
         EXCHANGED(old > t ? old + 5 : t))

/* Bits of a floating-point number, as an integer. */
#define BITS(name, real, bits, change, ...)   \
    CASE(name)                                \
    {                                         \
        bits total = 7;                       \
        SHARE_PRAGMA(omp parallel)            \
        {                                     \
            real sum = 0;                     \
            bits t;                           \
            SHARE_PRAGMA(omp for nowait)      \
            for (int i = 0; i < limit; i++) { \
                a[i] += i;                    \
                change;                       \
            }                                 \
            memcpy(&t, &sum, sizeof t);       \
            __VA_ARGS__                       \
        }                                     \
        own[0] = (unsigned long)total;        \
    }
BITS(refused_bits_of_double, double, long, sum += x[i], SHARE_PRAGMA(omp atomic) total += t;)
BITS(refused_bits_of_float, float, int, sum += f[i], SHARE_PRAGMA(omp atomic) total += t;)
BITS(refused_bits_of_least, double, long, sum = -x[i] < sum ? -x[i] : sum,
     EXCHANGED(old < t ? old : t))

/* How many shares add to a total depends on what others have added. */
COMBINED(
    refused_limit, long, 0, t += a[i], long old = total; do {
        if (old >= 1000) {
            break;
        }
    } while (!__atomic_compare_exchange_n(&total, &old, old + t, 0, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));)
COMBINED(
    refused_limit_before, long, 0, t += a[i], if (total < 1000) {
        SHARE_PRAGMA(omp atomic)
        total += t;
    })
COMBINED(
    refused_odd_total, long, 0, t += a[i], if ((total & 1) == 0) {
        SHARE_PRAGMA(omp atomic)
        total += t;
    })

/* With a NaN among the numbers, the minimum is one of those after it. */
CASE(refused_least_with_nan)
{
    double least = 1e9;
#pragma omp parallel for reduction(min : least)
    for (int i = 0; i < limit; i++) {
        least = least < x[i] ? least : x[i];
    }
    rounded[0] = least;
}

/* Calls with arguments that iterations count. */
HELPER void empty_call(void)
{
    __asm__ volatile("");
}

HELPER void five_more(int *number)
{
    empty_call();
    *number += 5;
}

struct ten {
    long number[10];
};

HELPER __attribute__((noipa)) long last_of_ten(struct ten ten)
{
    return ten.number[9];
}

FIRSTPRIVATE(refused_exponent, int t = 0, firstprivate(t), y[i] = ldexp(x[i], t & 15); t++)
FIRSTPRIVATE(refused_exponent_kept, int t = 0, firstprivate(t), y[i] = frexp(x[0], &a[t]); t++)
FIRSTPRIVATE(refused_frame_in_call, int t = 0, firstprivate(t), five_more(&t); a[i] = t)
FIRSTPRIVATE(refused_struct_argument, long t = 0, firstprivate(t),
             l[i] = last_of_ten((struct ten){{i, i, i, i, i, i, i, i, i, t}});
             t++)

/* Numbers of 32 bits that wrap around, beside longer ones; flags of products; upper halves. */
FIRSTPRIVATE(refused_widths, unsigned long w = ~0u - (unsigned)few;
             unsigned t = ~0u - (unsigned)few, firstprivate(w, t), l[i] = (long)(w - t); w++; t++)
NEXT_LOOP(refused_overflow_before, int k;
          t = __builtin_mul_overflow(b[i] << 20, b[i + 1] + 1, &k) ? 3 : 9; a[i] = k, l[i] = t)
CASE(refused_upper_product)
{
    long total = 1;
#pragma omp parallel
    {
        long t = 1;
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            t *= l[i] | 1;
            l[i] = (long)(((__int128)t * (b[i] + (1L << 40) * i)) >> 64);
        }
#pragma omp atomic
        total *= t;
    }
    own[0] = (unsigned long)total;
}

/* Totals that are added more than once, in two ways, or not to the present value. */
COMBINED(refused_total_of_seven, long, 0, t += a[i], long old = total, seven = 7;
         __asm__ volatile(""
                          : "+r"(seven));
         __atomic_compare_exchange_n(&total, &seven, old + t, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);)
COMBINED(refused_total_of_half, long, 0, t += (long)a[i] << 31, EXCHANGED((unsigned)old + t))
COMBINED(refused_total_and_bits, long, 0, t += a[i], SHARE_PRAGMA(omp atomic) total += t;
         SHARE_PRAGMA(omp atomic) total |= t;)

/* Constants of 32 bits, as longer ones; a place in the frame that counts. */
CASE(refused_counter_in_frame)
{
#pragma omp parallel
    {
        char room_of_own[64], *at = room_of_own;
        __asm__ volatile("" : : "r"(at) : "memory");
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            if (at < room_of_own + 20) {
                a[i] = i;
            } else {
                l[i] = 3;
            }
            at++;
        }
    }
}

#define OPAQUE(number) __asm__ volatile("" : "+r"(number))

/* Shares in numbers of a type. Of more than 2^32 iterations the first ones leave out some, or of
 * more than 2^31; others pass 0 or 2^31; others do not add the rest, or do more with it. */
#define AS_COMPILED_IN(name, type, cut, ...)                              \
    CASE(name)                                                            \
    {                                                                     \
        SHARE_PRAGMA(omp parallel)                                        \
        {                                                                 \
            type me = omp_get_thread_num(), team = omp_get_num_threads(); \
            type size = (type)limit / team, rest = (type)limit % team;    \
            if (me < rest) {                                              \
                size++;                                                   \
                rest = 0;                                                 \
            }                                                             \
            cut;                                                          \
            type i = size * me + rest, high = i + size;                   \
            __VA_ARGS__                                                   \
        }                                                                 \
    }
AS_COMPILED_IN(refused_spmd_cut_size, unsigned long, size = (unsigned)size,
               for (; i < high; i++) a[i] += 3;)
AS_COMPILED_IN(refused_spmd_cut_end, unsigned long, , high = i + (unsigned)size;
               for (; i < high; i++) a[i] += 3;)
AS_COMPILED_IN(
    refused_spmd_signed_end, unsigned, , if (i < high) do {
        a[i] += 3;
        i++;
        OPAQUE(i);
    } while ((int)i < (int)high);)
AS_COMPILED_IN(
    refused_spmd_signed_begin, unsigned, , if ((int)i < (int)high) do {
        a[i] += 3;
        i++;
    } while (i != high);)

AS_COMPILED_IN(
    refused_spmd_signed_middle, unsigned, , unsigned from = (1u << 31) - few; if (i < high) {
        i += from;
        high += from;
        do {
            a[i - from] += 3;
            i++;
        } while ((int)i < (int)high);
    })
AS_COMPILED_IN(
    refused_spmd_end_without_rest, unsigned, unsigned all = size * me; OPAQUE(all), i = all + rest;
    high = all + size; if (i < high) do {
        a[i] += 3;
        i++;
    } while (i != high);)
AS_COMPILED_IN(
    refused_spmd_rest_asked_first, unsigned, unsigned all = size * me; OPAQUE(all), unsigned k = i;
    OPAQUE(k); if (k == all) {
        for (; i < high; i++)
            a[i] += 3;
    } else {
        for (; i < high; i++)
            a[i] += 4;
    })
CASE(refused_spmd_negative)
{
    int number = -few;
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = number / team, rest = number % team;
        if ((unsigned)me < (unsigned)rest) {
            size++;
            rest = 0;
        }
        int low = size * me + rest, high = low + size;
        for (int i = low; i < high; i++) {
            a[i] += 3;
        }
    }
}
CASE(refused_spmd_negative_unequal)
{
    int number = -few;
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = number / team, rest = number % team;
        if (me < rest) {
            size++;
            rest = 0;
        }
        int i = size * me + rest, high = i + size;
        if (i != high) {
            do {
                a[i & 1023] += 3;
                i++;
            } while (i < high);
        }
    }
}

/* The rest of the division left out, or added twice; less than the share filled. */
SPMD(refused_spmd_without_rest, AS_COMPILED(team); low = me * size; high = low + size, a[i] = i + 1)

/* Iterations beside those of the share, or the last one in part. */
#define AS_COMPILED_LOOP(name, ...) \
    AS_COMPILED_CASE(               \
        name, if (low < high) {     \
            int i = low;            \
            __VA_ARGS__             \
        })
/* Where shares overlap, |= leaves the same whichever thread comes last. */

AS_COMPILED_LOOP(
    refused_spmd_one_more, do {
        l[i] |= 3;
        i++;
    } while (i <= high);)
AS_COMPILED_LOOP(refused_spmd_one_more_stored, for (; i <= high; i++) a[i] = i;)
AS_COMPILED_LOOP(refused_spmd_one_more_summed, long t = 0; for (; i <= high; i++) t += a[i];
                 __atomic_fetch_add(&l[0], t, __ATOMIC_RELAXED);)
AS_COMPILED_LOOP(refused_spmd_asked_before_counted, do l[i] |= 3; while (i++ != high);)
AS_COMPILED_LOOP(
    refused_spmd_asked_seldom, for (;;) {
        l[i] |= 3;
        i++;
        OPAQUE(i);
        if (b[i] % 2 == 0 && i >= high) {
            break;
        }
    })

/* A share without iterations has another minimum; what is loaded first is extended otherwise. */
AS_COMPILED_CASE(
    refused_spmd_empty_minimum, int t = -5; if (low < high) {
        t = 1000;
        for (int i = low; i < high; i++) {
            t = a[i] < t ? a[i] : t;
        }
    } int old = c[0],
                                            new;
    do new = old < t ? old : t; while (!__atomic_compare_exchange_n(&c[0], &old, new, 0, 5, 5));)
AS_COMPILED_LOOP(
    refused_spmd_first_unsigned, int t = ((unsigned short *)x)[low]; for (; i < high; i++) {
        a[i] = t;
        t = ((short *)x)[i + 1];
    })

/* Numbers of 32 bits that have wrapped around, behind the loop and in questions. */
CASE(refused_widths_behind)
{
    unsigned long w = ~0u - (unsigned)few;
    unsigned t = ~0u - (unsigned)few;
    long last = 0;
#pragma omp parallel for firstprivate(w, t) lastprivate(last)
    for (int i = 0; i < 300; i++) {
        last = (long)(w - t);
        w++;
        t++;
        a[i] = 4;
    }
    l[0] = last;
}
CASE(refused_question_of_sums)
{
    unsigned from = ~0u - (unsigned)none;
    int t = 0;
#pragma omp parallel for firstprivate(from, t)
    for (int i = 0; i < limit; i++) {
        unsigned next = from + 1;
        OPAQUE(next);
        unsigned long of_half = next, whole = from;
        OPAQUE(of_half);
        OPAQUE(whole);
        whole++;
        OPAQUE(whole);
        if (of_half > 5) {
            t = i * 3;
            c[i] = 3;
        }
        a[i] = 1;
        if (whole > 5) {
            l[i] = t;
        }
        t++;
    }
}

/* The upper half of a vector, which scalar instructions leave as it is. */
#ifdef __SSE2__
CASE(refused_upper_half)
{
    __m128d t = _mm_setzero_pd();
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit / 2; i++) {
        t = _mm_cvtsi32_sd(t, b[i]);
        _mm_storeu_pd(&y[2 * i], t);
        t = _mm_add_pd(t, _mm_set1_pd(1));
    }
}
#endif

/* The start of a share as half a word; three numbers of which one wraps; flags of differences. */
FIRSTPRIVATE(refused_begin_in_half, unsigned t = 5;
             unsigned long k = 5, firstprivate(t, k), l[i] = (long)((unsigned)i - t + k); t++; k++)
FIRSTPRIVATE(refused_widths_of_three, unsigned long w = ~0u - (unsigned)few;
             unsigned t = ~0u - (unsigned)few, firstprivate(w, t),
             l[i] = (long)(w + (unsigned long)i - t);
             w++; t++)
FIRSTPRIVATE(refused_counter_cut, unsigned long w = 0x7ffffff0, firstprivate(w),
             l[i] = (int)w - (long)w;
             w++)
FIRSTPRIVATE(refused_saturated_difference, unsigned w = ~0u - (unsigned)few - 5;
             unsigned t = w + 5, firstprivate(w, t), unsigned k;
             a[i] = __builtin_sub_overflow(t, w, &k) ? 0 : (int)k; w++; t++)
FIRSTPRIVATE(refused_paired_counters, unsigned long w = ~0u - (unsigned)few;
             unsigned t = ~0u - (unsigned)few, firstprivate(w, t),
             l[i] = _mm_cvtsi128_si64(_mm_sub_epi64(_mm_cvtsi64_si128((long)w),
                                                    _mm_cvtsi32_si128((int)t)));
             w++; t++)

/* Values behind the loop, as its last iteration was. */
NEXT_LOOP(
    refused_exit_of_each_answer,
    if (b[i] & 1) {
        t = 3;
        y[i] = 2;
    } else { t = 9; } a[i] = t,
    l[i] = t)
NEXT_LOOP(
    refused_pointer_by_answer, int *from = (int *)&value[0]; if (b[i] & 1) {
        from = (int *)&value[1];
        y[i] = 2;
    } t = *from;
    a[i] = t, l[i] = t)
CASE(refused_difference_by_answer)
{
#pragma omp parallel
    {
        int t = 0, k = 0;
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            t = k = i;
            if (b[i] & 1) {
                t++;
                y[i] = 2;
            }
            a[i] = t;
        }
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            l[i] = t - k;
        }
    }
}

/* Code of longer shares; of all but the last one; unsigned bounds below 0; multiples of 2^17. */
CASE(refused_spmd_longer_alone)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = limit / team, rest = limit % team;
        long t = 0;
        if (me < rest) {
            size++;
            for (int i = me * size; i < me * size + size; i++) {
                t += a[i];
            }
        }
#pragma omp atomic
        l[0] += t;
    }
}
AS_COMPILED_LOOP(
    refused_spmd_multiples, long t = 0; unsigned left = (unsigned)size << 17; OPAQUE(left); do {
        t += a[i++ % n];
        left -= 1u << 17;
        OPAQUE(left);
    } while (left != 0);
    __atomic_fetch_add(&l[0], t, __ATOMIC_RELAXED);)

/* A total that threads add to until it is large enough: how large depends on who is quick. */
static long enough;

CASE(refused_total_until_enough)
{
    enough = 0;
#pragma omp parallel
    {
        long t = 0;
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            t += a[i] & 1;
        }
        do {
            long old = enough;
            __atomic_compare_exchange_n(&enough, &old, old + t, 0, 5, 5);
        } while (__atomic_load_n(&enough, __ATOMIC_RELAXED) < 20000);
    }
}

/* Shares begin with the quotient and the remainder of their first iteration, as collapsed loops do,
 * and count in a way that does not lead to those of the next share. */
#define COUNTED_OF(name, first, advance) COUNTED_BY(name, unsigned, first, advance)

/* The same with numbers of another type. */
#define COUNTED_BY(name, type, first, advance)                            \
    CASE(name)                                                            \
    {                                                                     \
        SHARE_PRAGMA(omp parallel)                                        \
        {                                                                 \
            type me = omp_get_thread_num(), team = omp_get_num_threads(); \
            type size = n / team, rest = n % team;                        \
            int width = few * 9, depth = stride;                          \
            if (me < rest) {                                              \
                size++;                                                   \
                rest = 0;                                                 \
            }                                                             \
            type r = size * me + rest, high = r + size;                   \
            if (r < high && width > 0 && depth > 0) {                     \
                first;                                                    \
                for (;;) {                                                \
                    for (int k = 0; k <= ((int)j & 3); k++) {             \
                        a[r] += (int)i * 100 + (int)j * 3 + k;            \
                    }                                                     \
                    r++;                                                  \
                    if (r >= high) {                                      \
                        break;                                            \
                    }                                                     \
                    advance;                                              \
                }                                                         \
            }                                                             \
        }                                                                 \
    }

/* COUNTED(NAME, TYPE, RADIX, AT_END, BEGIN): j begins anew where AT_END holds of the next one. */
#define COUNTED(name, type, radix, at_end, begin)                            \
    COUNTED_OF(                                                              \
        name, type i = r / (radix); type j = r % (radix), j++; if (at_end) { \
            j = begin;                                                       \
            i++;                                                             \
        })

COUNTED(refused_counted_radix, int, 26, j == 27, 0)
COUNTED(refused_counted_radix_by_shift, int, 16, j == 17, 0)
COUNTED(refused_counted_more, int, width, j > width, 0)
COUNTED(refused_counted_less, int, width, j >= width - 1, 0)
COUNTED(refused_counted_other_radix, int, (unsigned)width, j >= depth, 0)
COUNTED(refused_counted_from_one, int, (unsigned)width, j >= width, 1)
COUNTED(refused_counted_from_few, int, (unsigned)width, j >= width, few)
COUNTED(refused_counted_negative, int, (unsigned)-depth, j >= -depth, 0)
COUNTED(refused_counted_short, int, 40000 + (unsigned)none, j >= (short)(40000 + none), 0)
COUNTED(refused_counted_to_memory, int, (unsigned)width, (c[r] = width + (int)(r & 1), j >= c[r]),
        0)
COUNTED(refused_counted_of_half, unsigned, (1ul << 32) + depth, j == (unsigned)depth, 0)
COUNTED(refused_counted_while_equal, int, (unsigned)width, j != width, 0)
COUNTED(refused_counted_byte, int, 300 + (unsigned)none, (unsigned char)j == 300 - 256, 0)
COUNTED_OF(
    refused_counted_sometimes, int i = r / (unsigned)width;
    int j = r % (unsigned)width, if (b[r] % 2) {
        j++;
        if (j >= width) {
            j = 0;
            i++;
        }
    })
COUNTED_OF(
    refused_counted_other_digit, int i = r / (unsigned)depth; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_first_kept, int i = r / (unsigned)width; int j = r % (unsigned)width;
    int kept = j, j++; if (j >= width) {
        j = 0;
        i++;
    } a[r] += kept)
COUNTED_OF(
    refused_counted_upper_half, int i = r / (unsigned)width;
    long j = (unsigned)((int)(r % (unsigned)width) - 9); OPAQUE(j), j = (int)j + 1;
    if ((int)j >= width - 9) {
        j = -9;
        i++;
    } a[r] += j > 1000)
COUNTED_OF(
    refused_counted_converted, int i = r / (unsigned)width; int j = r % (unsigned)width;
    double t = i, j++; if (j >= width) {
        j = 0;
        i++;
        t = i + (i & 1);
    } a[r] += (int)(t * 2))
COUNTED_OF(
    refused_counted_bits, int i = r / (unsigned)width; int j = r % (unsigned)width; double t = i;
    long bits = i, j++; if (j >= width) {
        j = 0;
        i++;
        t = i;
        __asm__("movq %1, %%rax\n\tcltq\n\tmovq %%rax, %0" : "=r"(bits) : "x"(t) : "rax");
    } a[r] += (int)bits)
COUNTED_OF(
    refused_counted_exchanged, int i = r / (unsigned)width; int j = r % (unsigned)width;
    __asm__("xchgl %0, %1"
            : "+r"(width), "+r"(depth)),
    j++;
    if (j >= width) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_around, unsigned i = r / (unsigned)width;
    unsigned j = r % (unsigned)width - 9, j++; if (j >= (unsigned)width - 9) {
        j = -9;
        i++;
    })
COUNTED_OF(
    refused_counted_thrice, int j = r % (unsigned)width; unsigned q = r / (unsigned)width;
    int g = q % (unsigned)depth; int i = q / (unsigned)depth * 10 + g, j++; if (j >= width) {
        j = 0;
        i++;
        g++;
        if (g > depth) {
            g = 0;
            i += 10 - depth;
        }
    })
COUNTED_OF(
    refused_counted_middle, int j = r % (unsigned)width; unsigned q = r / (unsigned)width;
    int g = q % (unsigned)depth; int i = q / (unsigned)depth, a[r] += g; j++; if (j >= width) {
        j = 0;
        g++;
    } else if (g >= depth) {
        g = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_middle_first, int j = r % (unsigned)width; unsigned q = r / (unsigned)width;
    int g = q % (unsigned)depth; int i = q / (unsigned)depth, a[r] += g; g++; if (g >= depth) {
        g = 0;
        j++;
        if (j >= width) {
            j = 0;
            i++;
        }
    })

#ifdef __x86_64__
/* Flags of another number; ends that differ by more than doubles hold; of an index of eight bytes,
 * on one way only four, which is compared. */
COUNTED_OF(refused_counted_cleared, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
           __asm__ goto("cmpl %1, %0\n\tsubl %%eax, %%eax\n\tjne %l2"
                        :
                        : "r"(j), "r"(width)
                        : "cc", "rax"
                        : goes_on);
           j = 0; i++; goes_on:)
COUNTED_OF(
    refused_counted_large, unsigned radix = width; unsigned end = width;
    __asm__("imull $2147483647, %0, %0\n\timull $2147483647, %0, %0"
            : "+r"(radix)
            :
            : "cc");
    __asm__("imull $0x40000000, %0, %0\n\tmovl $0xfffffffc, %%ecx\n\timull %%ecx, %0"
            : "+r"(end)
            :
            : "cc", "rcx");
    int i = r / radix; int j = r % radix, j++; if (j == (int)end) {
        j = 0;
        i++;
    })
#define CUT_SOME(number, odd)                                            \
    __asm__ goto("testl $1, %0\n\tjne %l1" : : "m"(odd) : "cc" : whole); \
    __asm__("movl %k0, %k0" : "+r"(number));                             \
    whole:                                                               \
    __asm__("movl %k0, %k0" : "+r"(number))
COUNTED_BY(
    refused_counted_lower_half, unsigned long, unsigned long wide = (unsigned long)l[0];
    unsigned long i = r / wide; unsigned long j = r % wide, unsigned long part = j;
    CUT_SOME(part, b[r]); j++; if (part + 1 == wide) {
        j = 0;
        i++;
    })

/* Flags that instructions leave as they were. */
#define FLAGS(name, instructions)                                                  \
    FIRSTPRIVATE(name, int t = 0, firstprivate(t), unsigned char k; int other = i; \
                 __asm__("cmpl $20, %2\n\t" instructions "\n\tsetc %0"             \
                         : "=q"(k), "+r"(other)                                    \
                         : "r"(t)                                                  \
                         : "cc", "ecx");                                           \
                 a[i] = k + other; t++)
FLAGS(refused_carry_kept_by_inc, "incl %1")
FLAGS(refused_carry_kept_by_shift, "xorl %%ecx, %%ecx\n\tcmpl $20, %2\n\tshll %%cl, %1")
FLAGS(refused_carry_kept_by_shift_of_32, "shll $32, %1")

/* Numbers that instructions cut to 32 bits, which wrap around. */
#define CUT(name, instructions)                                                           \
    FIRSTPRIVATE(name, unsigned long t = 0xfffffff0, firstprivate(t), unsigned long part; \
                 __asm__(instructions                                                     \
                         : "=a"(part)                                                     \
                         : "a"(t)                                                         \
                         : "rdx", "xmm0", "cc");                                          \
                 a[i] = (int)((t - part) >> 8); t++)
CUT(refused_cut_by_mull, "movl $1, %%edx\n\tmull %%edx")
CUT(refused_cut_by_movd, "movd %%eax, %%xmm0\n\tmovq %%xmm0, %%rax")
CUT(refused_cut_by_address, "leaq (%%eax), %%rax")
#endif

/* Which loop runs depends on how the iterations were divided, in what one way alone has set. */
CASE(refused_chosen_by_size)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = limit / team, rest = limit % team;
        int more = size + 1;
        __asm__ volatile("" : : "r"(more));
        if (me < rest) {
            __asm__ volatile("nop");
            size = more;
            rest = 0;
        }
        int begin = size * me + rest, end = begin + size;
        if ((unsigned char)more) {
            for (int i = begin; i < end; i++) {
                a[i] = 1;
            }
        } else {
            for (int i = begin; i < end; i++) {
                a[i] = 2;
            }
        }
    }
}
