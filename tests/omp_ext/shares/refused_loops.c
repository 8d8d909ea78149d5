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
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
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
CARRIED(refused_counter, int t = 0, a[i] = t++)
CARRIED(refused_counter_from_ten, int t = 10, a[i] = t++)
CARRIED(refused_counter_from_memory, int t = few, a[i] = t++)
CARRIED(refused_counter_by_three, int t = 0, a[i] = t; t += 3)
CARRIED(refused_counter_by_variable, int t = 0, a[i] = t; t += stride)
CARRIED(refused_counter_down, int t = 0, a[i] = t--)
CARRIED(refused_counter_before, int t = 0, a[i] = ++t)
CARRIED(refused_counter_long, long t = 0, l[i] = t++)
CARRIED(refused_counter_unsigned, unsigned t = 0, u[i] = t++)
CARRIED(refused_counter_short, short t = 0, s[i] = t++)
CARRIED(refused_counter_byte, unsigned char t = 0, h[i] = t++)
CARRIED(refused_counter_byte_widened, unsigned char t = 0, a[i] = t; t += 3)
CARRIED(refused_counter_double, double t = 0, y[i] = t; t += 0.5)
CARRIED(refused_counter_float, float t = 0, f[i] = t; t += 1)
CARRIED(refused_counter_vectorised, int t = 0, y[i] = x[i] + t++)
CARRIED(refused_counter_mixed_vector, long t = 0, a[i] = (int)t++ * 2)
CARRIED(refused_counter_from_index, int t = 0, a[i] = i - t; t++)
CARRIED(refused_counter_and_index, int t = 0, a[i] = i + t; t++)
CARRIED(refused_counter_times_index, int t = 0, l[i] = (long)i * t++)
CARRIED(refused_counter_squared, int t = 0, a[i] = t * t; t++)
CARRIED(refused_counter_parity, int t = 0, a[i] = t++ & 1)
CARRIED(refused_counter_modulo, int t = 0, a[i] = t++ % 5)
CARRIED(refused_counter_wraps, int t = 0, a[i] = t; if (++t == 8) t = 0)
CARRIED(refused_counter_masked, unsigned t = 0, a[i] = (int)t; t = (t + 1) & 7)
CARRIED(refused_counter_compared, int t = 0, if (t++ == 5) y[i] = 99)
CARRIED(refused_counter_of_some, int t = 0, if (a[i] & 1) t++; c[i] = t)
CARRIED(refused_counter_of_some_branchless, int t = 0, c[i] = t; t += a[i] > 500)
CARRIED(refused_counter_as_index, int t = 0, y[i] = x[t++])
CARRIED(refused_counter_as_offset, int t = 0, y[i] = x[i + t]; t++)
CARRIED(refused_counter_as_distance, int t = 0, y[i] = x[i - t]; t++)
CARRIED(refused_counter_as_byte_index, unsigned char t = 0, y[i] = x[t]; t += 7)
CARRIED(refused_counter_as_trip_count, int t = 0, for (int k = 0; k < t % 16; k++) l[i] += k; t++)
CARRIED(refused_counter_in_call, int t = 0, y[i] = sin(t++))
CARRIED(refused_counter_volatile, volatile int t = 0, a[i] = t++)
CARRIED(refused_counter_seldom_used, int t = 0, t++; if (a[i] == 77) y[i] = t)
CARRIED(refused_counter_limited, int t = 0, if (t < 4) t++, y[i] = 0)
CARRIED(refused_count_down_to_zero, int t = 6, if (t > 0) t--, y[i] = -1; else z[i] = 5)
CARRIED(refused_triangular_numbers, int t = 0, a[i] = t; t += i)
CARRIED(refused_powers, unsigned t = 1, u[i] = t; t *= 3)
CARRIED(refused_shifts, unsigned t = 1, u[i] = t; t = t << 1 | t >> 31)
CARRIED(refused_addresses, char *t = 0, l[i] = (long)t; t += 8)

CARRIED_IN(refused_counter_down_loop, , int i = n - 1, i >= 0, i--, int t = 0, a[i] = t++)
CARRIED_IN(refused_counter_plus_index, , int i = n - 1, i >= 0, i--, int t = 0, a[i] = i + t; t++)
CARRIED_IN(refused_counter_runtime, , int i = few, i < limit, i++, int t = 0, a[i] = t++)
CARRIED_IN(refused_counter_of_stride, , int i = 0, i < limit, i += 3, int t = 0, a[i] = t++)
CARRIED_IN(refused_counter_of_equal_stride, , int i = 0, i < limit, i += 3, int t = 0, a[i] = t;
           t += 3)
CARRIED_IN(refused_counter_of_steps, , int i = 0, i < limit, i += stride, int t = 0, a[i] = t++)
CARRIED_IN(refused_counter_unsigned_loop, , unsigned i = 0, i < (unsigned)limit, i++,
           unsigned t = 0, u[i] = t++)
CARRIED_IN(refused_counter_long_loop, , long i = 0, i < limit, i++, long t = 0, l[i] = t++)
CARRIED_IN(refused_counter_short_loop, , short i = 0, i < 900, i++, short t = 0, s[i] = t++)
CARRIED_IN(refused_counter_byte_loop, , unsigned char i = 0, i < 250, i++, unsigned char t = 0,
           h[i] = t++)
CARRIED_IN(refused_counter_pointer_loop, , double *i = x, i < x + n, i++, int t = 0, *i = t++)
CARRIED_IN(refused_counter_chunks, schedule(static, 7), int i = 0, i < n, i++, int t = 0,
           a[i] = t++)
CARRIED_IN(refused_counter_chunks_of_one, schedule(static, 1), int i = 0, i < n, i++, int t = 0,
           a[i] = t++)
CARRIED_IN(refused_previous_index_chunks, schedule(static, 4), int i = 0, i < n, i++, int t = 0,
           a[i] = i - t;
           t = i)

/* The loop's first iteration of a thread, and how far from it. */
CARRIED(refused_first_flag, bool t = true, y[i] = t; t = false)
CARRIED(refused_first_stores, bool t = true, if (t) y[i] = 1e3; t = false)
CARRIED(refused_first_counts, int t = 1, if (t) __atomic_fetch_add(value, t, __ATOMIC_RELAXED);
        t = 0)
CARRIED(refused_first_index, int t = -1, if (t < 0) t = i; a[i] = t)
CARRIED(refused_distance_to_first, int t = -1, if (t < 0) t = i; a[i] = i - t)
CARRIED(refused_first_element, double *t = 0, if (t == 0) t = x + i; y[i] = *t)
CARRIED(refused_packed, int t = -1, if (t < 0) t = i; if (a[i] > 500) y[t++] = x[i])
CARRIED(refused_first_twenty, int t = 0, y[i] = t++ < 20 ? x[i] : z[i])
CARRIED(refused_peeled, double t = 0, y[i] = i == 0 ? 5 : t; t = x[i] + 1)

/* The same without a jump: a counter that is subtracted from the loop's own. */
CARRIED(refused_first_masked, int t = 0, a[i] = (i - t) & 7; t++)
CARRIED(refused_first_divided, int t = 0, a[i] = (i - t) / 3; t++)
CARRIED(refused_first_remainder, int t = 0, a[i] = (i - t) % 5; t++)
CARRIED(refused_first_as_double, int t = 0, y[i] = (i - t) * 0.5; t++)
CARRIED(refused_first_added, int t = 0, y[i] = x[i] + (i - t); t++)
CARRIED(refused_first_compared, int t = 0, if (i - t > 300) y[i] = 1; t++)
CARRIED(refused_first_selects, int t = 0, y[i] = i - t > 300 ? x[i] : z[i]; t++)
CARRIED(refused_first_is_odd, int t = 0, if ((i - t) & 1) y[i] = 1; t++)
CARRIED(refused_first_is_zero, int t = 0, if (i == t) y[i] = 1; t++)
CARRIED(refused_first_of_table, int t = 0, y[i] = x[i] * z[i - t]; t++)
CARRIED(refused_first_as_trip_count, int t = 0, for (int k = 0; k < (i - t) % 9; k++) l[i] += k;
        t++)

/* Values of iterations before. */
CARRIED(refused_previous, double t = 0, y[i] = x[i] - t; t = x[i])
CARRIED(refused_previous_int, int t = 0, c[i] = a[i] - t; t = a[i])
CARRIED(refused_previous_index, int t = -1, a[i] = i - t; t = i)
CARRIED(refused_last_odd, int t = 0, if (a[i] & 1) t = a[i]; c[i] = t)
CARRIED(refused_last_index_of, int t = 0, if (a[i] > 900) t = i; c[i] = i - t)
CARRIED(refused_running_sum, double t = 0, t += x[i]; y[i] = t)
CARRIED(refused_running_sum_int, int t = 0, t += a[i]; c[i] = t)
CARRIED(refused_running_sum_float, float t = 0, t += f[i]; g[i] = t)
CARRIED(refused_running_sum_long, long t = 1, t += a[i]; l[i] = t)
CARRIED(refused_running_sum_seldom_read, int t = 0, t += a[i]; if (a[i] > 990) c[i] = t)
CARRIED(refused_running_product, unsigned t = 1, t *= u[i] | 1; u[i] = t)
CARRIED(refused_running_maximum, double t = 0, t = x[i] > t ? x[i] : t; y[i] = t)
CARRIED(refused_running_minimum, int t = 999, t = a[i] < t ? a[i] : t; c[i] = t)
CARRIED(refused_running_or, int t = 0, t |= 1 << (a[i] & 31); c[i] = t)
CARRIED(refused_running_xor, unsigned t = 0, t ^= u[i]; u[i] = t)
CARRIED(refused_toggle, bool t = false, a[i] = t; t = !t)
CARRIED(refused_toggle_of_some, int t = 0, c[i] = t; t ^= a[i] > 800)
CARRIED(refused_sign, int t = 1, a[i] *= t; t = -t)
CARRIED(refused_sign_double, double t = 1, y[i] *= t; t = -t)
CARRIED(refused_hash, unsigned t = 5381, t = t * 33 ^ h[i]; u[i] = t)
CARRIED(refused_seed, unsigned t = 1, t = t * 1103515245 + 12345; a[i] = t >> 16)
CARRIED(refused_seed_xorshift, uint64_t t = 88172645463325252, t ^= t << 13; t ^= t >> 7;
        t ^= t << 17; l[i] = (long)t)
CARRIED(refused_seed_rand_r, unsigned t = 7, a[i] = rand_r(&t))
CARRIED(refused_smoothed, double t = 0, t += 0.25 * (x[i] - t); y[i] = t)
CARRIED(refused_saturated, int t = 0, t += c[i]; if (t > 20) t = 20; if (t < 0) t = 0; a[i] = t)
CARRIED(refused_run_length, int t = 0, t = a[i] < a[i + 1] ? t + 1 : 0; c[i] = t)
CARRIED(refused_reset, int t = 0, t += a[i]; if (t > 5000) t = 0; c[i] = t)
CARRIED(refused_carry, unsigned t = 0, u[i] += t; t = u[i] < 500000000)
CARRIED(refused_wide, unsigned __int128 t = 1, t = t * 6364136223846793005 + 1;
        l[i] = (long)(t >> 64))
CARRIED(refused_long_double, long double t = 0, t += x[i] / 3; y[i] = (double)t)
CARRIED(refused_complex, double complex t = 1, t *= cexp(x[i] * I); y[i] = creal(t);
        z[i] = cimag(t))
CARRIED(refused_quadruple, _Float128 t = 0, t += x[i]; y[i] = (double)(t / 7))
CARRIED(refused_in_branches, int t = 0, if (a[i] > 500) t = a[i]; else if (a[i] < 200) c[i] = t)
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
CARRIED(refused_array, int t[8] = {0}, c[i] = t[a[i] & 7]++)
CARRIED(refused_array_of_last, int t[16] = {0}, c[i] = t[a[i] & 15]; t[a[i] & 15] = i)
CARRIED(refused_shift_register, double t[3] = {0}, y[i] = t[2]; t[2] = t[1]; t[1] = t[0];
        t[0] = x[i])
CARRIED(refused_ring, double t[8] = {0}, y[i] = t[i & 7]; t[i & 7] = x[i])
CARRIED(refused_struct, struct point t = {0}, t.x += x[i]; t.count++; p[i] = t)
CARRIED(refused_struct_copied, struct point t = p[room - 1], struct point k = t; t = p[i]; p[i] = k)
CARRIED(refused_array_pointer, int t[2] = {0}, int *k = &t[a[i] & 1]; c[i] = *k; *k = i)
CARRIED(refused_array_partly_written, int t[8] = {0}, for (int k = a[i] & 7; k < 8; k++) t[k] = i;
        c[i] = t[3])
CARRIED(refused_array_written_after, int t[8] = {0}, c[i] = t[3];
        for (int k = 0; k < 8; k++) t[k] = i + k)

struct bits {
    unsigned low : 3, high : 13;
};
CARRIED(refused_bit_field, struct bits t = {0}, a[i] = t.low; t.low++)
CARRIED(refused_bit_fields, struct bits t = {0}, t.high += t.low; t.low += (unsigned)a[i];
        a[i] = t.high)

union number {
    double whole;
    uint32_t half[2];
};
CARRIED(refused_union, union number t = {1}, t.half[0] += (uint32_t)i; t.whole += 0.5;
        y[i] = t.whole)

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

CASE(refused_two_before)
{
#pragma omp parallel
    {
        double t = 0, v = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            double next = x[i] + 0.5 * t - 0.25 * v;
            y[i] = next;
            v = t;
            t = next;
        }
    }
}

CASE(refused_fibonacci_numbers)
{
#pragma omp parallel
    {
        unsigned t = 0, v = 1;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            u[i] = t;
            unsigned next = t + v;
            t = v;
            v = next;
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

CASE(refused_swapped)
{
#pragma omp parallel
    {
        double *t = y, *v = z;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t[i] = 1;
            double *other = t;
            t = v;
            v = other;
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

/* The first iteration's state and a late use in one loop nest. */
CASE(refused_rows)
{
#pragma omp parallel
    {
        double t = 0;
#pragma omp for nowait
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                t = 0.5 * t + w[i][j];
                m[i][j] = t;
            }
        }
    }
}

CASE(refused_row_counter)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                m[i][j] = t++;
            }
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
CARRIED(refused_walk_from_middle, const double *t = x + n / 2, y[i] = *t++)
CARRIED(refused_walk_back, const double *t = x + n, y[i] = *--t)
CARRIED(refused_walk_by_two, const int *t = a, c[i] = *t; t += 2)
CARRIED(refused_walk_by_data, const double *t = x, y[i] = *t; t += c[i] > 0)
CARRIED(refused_walk_equal_types, const double *t = z, y[i] = x[i] + *t++)
CARRIED(refused_walk_same_array, const double *t = x + n, x[i] = *t++)
CARRIED(refused_walk_bytes, const unsigned char *t = h + n, h[i] = *t++)
CARRIED(refused_walk_structs, const struct point *t = p, y[i] = t->y; t++)
CARRIED_IN(refused_walk_rows, , int i = 0, i < rows, i++, const double *t = w[0],
           for (int j = 0; j < columns; j++) m[i][j] = t[j];
           t += columns)
CARRIED_IN(refused_walk_elements, , int i = 0, i < rows, i++, const double *t = w[0],
           for (int j = 0; j < columns; j++) m[i][j] = *t++)
CARRIED_IN(refused_walk_down, , int i = n - 1, i >= 0, i--, const double *t = x + n, y[i] = *--t)
FIRSTPRIVATE(refused_walk_firstprivate, const double *t = few == 3 ? x : z, firstprivate(t),
             y[i] = *t++)

CASE(refused_walk_list)
{
    static struct link {
        struct link *next;
        int number;
    } list[room];
    for (int i = 0; i < room; i++) {
        list[i] = (struct link){&list[(i + 389) % room], i};
    }
#pragma omp parallel
    {
        const struct link *t = list;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = t->number;
            t = t->next;
        }
    }
}

/* The same by clauses. */
FIRSTPRIVATE(refused_firstprivate, int t = few, firstprivate(t), a[i] = t++)
FIRSTPRIVATE(refused_firstprivate_constant, int t = 4, firstprivate(t), y[i] = t++)
FIRSTPRIVATE(refused_firstprivate_double, double t = factor, firstprivate(t), y[i] = t; t *= 1.0625)
FIRSTPRIVATE(refused_firstprivate_power, double t = factor, firstprivate(t),
             t = __builtin_powi(t, few - 4);
             y[i] = t)
FIRSTPRIVATE(refused_firstprivate_quotient, double complex t = factor, firstprivate(t),
             t /= x[i] + 2 * I;
             y[i] = creal(t))
FIRSTPRIVATE(refused_firstprivate_long, long t = -1, firstprivate(t), if (t < 0) t = i;
             l[i] = i - t)
FIRSTPRIVATE(refused_firstprivate_previous, double t = x[few], firstprivate(t), y[i] = x[i] * t;
             t = x[i])
FIRSTPRIVATE(refused_firstprivate_array, int t[8] = {0}, firstprivate(t), c[i] = ++t[a[i] & 7])
FIRSTPRIVATE(refused_firstprivate_struct, struct point t = {0}, firstprivate(t), t.count += a[i];
             t.id++; p[i] = t)
FIRSTPRIVATE(refused_firstprivate_bool, bool t = true, firstprivate(t), if (t) y[i] = 7; t = false)
FIRSTPRIVATE(refused_firstprivate_chunks, int t = few, firstprivate(t) schedule(static, 5),
             a[i] = t++)
FIRSTPRIVATE(refused_firstprivate_if, int t = few, firstprivate(t) if (limit > 3), a[i] = t++ * 2)
FIRSTPRIVATE(refused_firstprivate_three_threads, int t = few, firstprivate(t) num_threads(3),
             a[i] = t++ * 3)
FIRSTPRIVATE(refused_lastprivate, int t = 0, firstprivate(t) lastprivate(t), t++; y[i] = 3)
FIRSTPRIVATE(refused_reduction_read, int t = 0, reduction(+ : t), t += a[i]; c[i] = t)
FIRSTPRIVATE(refused_reduction_read_before, int t = 0, reduction(+ : t), c[i] = t; t++)
FIRSTPRIVATE(refused_reduction_read_some, int t = 0, reduction(+ : t), t++; if (a[i] < 9) c[i] = t)
FIRSTPRIVATE(refused_sum_read_last, int t = 0, reduction(+ : t), t += a[i]; if (i == 996) l[0] = t)
FIRSTPRIVATE(refused_maximum_read, double t = 0,
             reduction(max
                       : t),
             if (x[i] > t) t = x[i];
             y[i] = t)
FIRSTPRIVATE(refused_reduction_limits, int t = 0, reduction(+ : t), if (t < 20) { t++; y[i] = 0; })

CASE(refused_lastprivate_counter)
{
    int t = 0;
#pragma omp parallel for firstprivate(t) lastprivate(t)
    for (int i = 0; i < n; i++) {
        t += a[i];
    }
    value[0] = t;
}

CASE(refused_lastprivate_by_hand)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t++;
            if (i == n - 1) {
                value[0] = t;
            }
        }
    }
}

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

CASE(refused_simd)
{
    int t = 0;
#pragma omp parallel for simd firstprivate(t)
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + t;
        t = 1;
    }
}

/* Two loops of a region: what the first leaves in private variables. */
CASE(refused_pair_count)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t += a[i] > 500;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            c[i] = t;
        }
    }
}

CASE(refused_pair_last)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = 1;
            t = i;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = t;
        }
    }
}

CASE(refused_pair_maximum)
{
#pragma omp parallel
    {
        double t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t = x[i] > t ? x[i] : t;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            x[i] /= t;
        }
    }
}

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

/* What the second loop knows is the size of the share, or its end. */
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

PAIR_OF(refused_size, 0, t++, a[i] = t)
PAIR_OF(refused_size_compared, 0, t++, if (t > 200) y[i] = 1)
PAIR_OF(refused_size_selects, 0, t++, y[i] = t > 200 ? x[i] : z[i])
PAIR_OF(refused_size_as_offset, 0, t++, y[i] = x[i + t])
PAIR_OF(refused_size_as_index, 0, t++, y[i] = x[t])
PAIR_OF(refused_size_masked, 0, t++, a[i] = i & t & 0xff)
PAIR_OF(refused_size_as_limit, 0, t++, if (i < t) y[i] = 2)
PAIR_OF(refused_end_compared, 0, t = i, if (t > 500) y[i] = 1)
PAIR_OF(refused_end_distance, 0, t = i, a[i] = t - i)
PAIR_OF(refused_end_is_here, 0, t = i, if (t == i) y[i] = 3)
PAIR_OF(refused_end_element, 0, t = i, y[i] = x[t])
PAIR_OF(refused_end_masked, 0, t = i, a[i] = t & 7)
PAIR_OF(refused_first_of_pair, -1, if (t < 0) t = i, a[i] = t)
PAIR_OF(refused_sum_of_pair, 0, t += a[i], c[i] = t)
PAIR_OF(refused_sum_goes_on, 0, t += a[i], t += c[i]; a[i] = t)

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

/* A chunk later is another thread's, a chunk of the same number is not: chunks k and k + 3. */
CASE(refused_pair_of_chunks_shifted)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for nowait schedule(static, 10)
        for (int i = 0; i < n; i++) {
            y[i] = x[i] * 3;
        }
#pragma omp for nowait schedule(static, 10)
        for (int i = 0; i < n - 30; i++) {
            z[i] = y[i + 30];
        }
    }
}

CASE(refused_chunks_in_order)
{
#pragma omp parallel for num_threads(3) schedule(static, 10)
    for (int i = 0; i < n; i++) {
        y[i] = i < 30 ? x[i] : y[i - 30] + x[i];
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

BLOCKS(refused_block_value, double t, if (i % block == 0) t = x[i]; y[i] = t)
BLOCKS(refused_block_index, int t, if (i % block == 0) t = i; a[i] = t)
BLOCKS(refused_block_sum, double t, t = i % block ? t + x[i] : x[i]; y[i] = t)
BLOCKS(refused_block_pointer, const double *t, if (i % block == 0) t = x + i; y[i] = t[3])
BLOCKS(refused_block_counter, int t, if (i % block == 0) t = 0; a[i] = t++)
BLOCKS(refused_block_struct, struct point t, if (i % block == 0) t = p[i]; t.count++; p[i + n] = t)
BLOCKS(refused_block_array, double t[block],
       if (i % block == 0) for (int k = 0; k < block; k++) t[k] = x[i + k] / 3;
       y[i] = t[block - 1 - i % block])
BLOCKS(refused_block_array_filled, int t[block], t[i % block] = a[i];
       if (i % block == block - 1) for (int k = 0; k < block; k++) l[i - k] = t[k])

CASE(refused_block_private)
{
    int t;
#pragma omp parallel for private(t)
    for (int i = 0; i < even; i++) {
        if (i % block == 0) {
            t = a[i];
        }
        c[i] = t;
    }
}

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

EACH(refused_query, , a[i] = ME)
EACH(refused_query_sum, , l[i] += 3 * ME + i)
EACH(refused_query_double, , y[i] = x[i] * ME)
EACH(refused_query_odd, , if (ME & 1) y[i] = 1)
EACH(refused_query_is_zero, , if (ME == 0) y[i] = 2)
EACH(refused_query_is_last, , if (ME == TEAM - 1) y[i] = 3)
EACH(refused_query_in_inner_loop, , for (int k = 0; k < ME; k++) l[i] += k)
EACH(refused_query_seldom, , if (a[i] == 77) y[i] = ME)
EACH(refused_query_chunks, schedule(static, 3), a[i] = ME)
EACH(refused_team, , a[i] = TEAM)
EACH(refused_team_modulo, , a[i] = i % TEAM)
EACH(refused_team_quotient, , a[i] = a[i] / TEAM)
EACH(refused_team_is_three, , if (TEAM == 3) y[i] = 4)
EACH(refused_team_seldom, , if (a[i] == 77) y[i] = TEAM)
EACH(refused_division_quotient, , a[i] = n / TEAM)
EACH(refused_division_remainder, , a[i] = n % TEAM)
EACH(refused_division_longer, , a[i] = ME < n % TEAM)
EACH(refused_division_product, , a[i] = ME * (n / TEAM))
EACH(refused_division_start, , a[i] = ME * (n / TEAM) + n % TEAM)
EACH(refused_division_end, , a[i] = (ME + 1) * (n / TEAM) + n % TEAM - i)
EACH(refused_division_distance, , a[i] = i - ME * (n / TEAM))
EACH(refused_scratch, , value[ME & 15] += a[i])
EACH(refused_scratch_count, , u[room - 64 + ME]++)
EACH(refused_scratch_read, , y[i] = x[ME])
EACH(refused_scratch_row, , m[ME][i % columns] += x[i])
EACH(refused_scratch_pointer, , double *t = m[ME]; t[0] = x[i]; t[1] += t[0])
EACH(refused_scratch_struct, , struct point *t = &p[room - 64 + ME]; t->count += a[i]; t->x = i)
EACH(refused_scratch_atomic, , SHARE_PRAGMA(omp atomic) value[ME & 15] += i)
EACH(refused_scratch_reversed, , value[15 - (ME & 15)]++)
EACH(refused_level, , a[i] = omp_get_level() + omp_get_ancestor_thread_num(1))
EACH(refused_ancestor, , a[i] = omp_get_ancestor_thread_num(omp_get_level()))
EACH(refused_team_size, , a[i] = omp_get_team_size(1))
EACH(refused_active_level, ,
     if (omp_get_active_level() == 1) a[i] = omp_get_team_size(omp_get_level()))
EACH(refused_place, , own[i] = (unsigned long)omp_get_place_num())
EACH(refused_query_fortran, , a[i] = omp_get_thread_num_())

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

CASE(refused_query_before)
{
#pragma omp parallel
    {
        int t = ME;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = t;
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

CASE(refused_query_as_state)
{
#pragma omp parallel
    {
        int t = ME;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = t;
            t = (t + 1) % 3;
        }
    }
}

CASE(refused_query_in_private_struct)
{
#pragma omp parallel
    {
        struct point t = {ME, TEAM, ME, TEAM};
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            p[i] = t;
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

CASE(refused_query_firstprivate_pointer)
{
    int (*query)(void) = few == 3 ? omp_get_thread_num : omp_get_num_threads;
#pragma omp parallel for firstprivate(query)
    for (int i = 0; i < n; i++) {
        a[i] = query() + 1;
    }
}

/* Data of the thread that are chosen before the loop. */
CASE(refused_pointer_to_row)
{
#pragma omp parallel
    {
        double *t = m[ME];
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t[i % columns] += x[i];
        }
    }
}

CASE(refused_pointer_to_count)
{
#pragma omp parallel
    {
        unsigned *t = &u[room - 64 + ME];
        *t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            *t += (unsigned)a[i];
        }
    }
}

CASE(refused_pointer_of_table)
{
    double *table[64];
    for (int k = 0; k < 64; k++) {
        table[k] = k < 16 ? m[k] : x;
    }
#pragma omp parallel
    {
        double *t = table[ME];
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t[0] += i;
        }
    }
}

CASE(refused_allocated)
{
#pragma omp parallel
    {
        int *t = calloc(8, sizeof *t);
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            c[i] = t[a[i] & 7]++;
        }
        free(t);
    }
}

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

SAME_THREAD(refused_pthread_self, pthread_self())
SAME_THREAD(refused_gettid, syscall(SYS_gettid))
SAME_THREAD(refused_gettid_call, gettid())
SAME_THREAD(refused_thread_pointer, (uintptr_t)__builtin_thread_pointer())
SAME_THREAD(refused_thread_address, (uintptr_t)&of_thread)
SAME_THREAD(refused_errno_address, (uintptr_t)&errno)
SAME_THREAD(refused_frame_address, (uintptr_t)__builtin_frame_address(0))
SAME_THREAD(refused_frame_of_call, stack_page())

EACH(refused_return_address, , own[i] = (unsigned long)__builtin_return_address(0))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-address"
#pragma GCC diagnostic pop

CASE(refused_local_address)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int t[4] = {i};
        own[i] = (uintptr_t)t;
        __asm__("" : : "r"(t) : "memory");
    }
    for (int i = 1; i < n; i++) {
        a[i] = own[i] == own[i - 1];
    }
}

EACH(refused_processor, , own[i] = (unsigned long)sched_getcpu())

/* Threads' own variables. reset_threads() runs before a case. */
static int counter, copied[4];
#pragma omp threadprivate(counter, copied)
static pthread_key_t key;

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

THREADS_OWN(refused_threadprivate, , a[i] = counter++)
THREADS_OWN(refused_threadprivate_written, , c[i] = counter; y[i] = 1; counter = a[i])
THREADS_OWN(refused_threadprivate_seldom, , if (a[i] == 77) y[i] = counter; counter++)
THREADS_OWN(refused_threadprivate_sum, , counter += a[i]; c[i] = counter)
THREADS_OWN(refused_thread_local, , a[i] = of_thread++)
THREADS_OWN(refused_thread_local_address, , int *t = &of_thread; c[i] = *t; *t = a[i])
THREADS_OWN(refused_copyin, copyin(counter), a[i] = counter; counter += 2)

CASE(refused_copyin_array)
{
    copied[0] = few;
    copied[3] = limit;
#pragma omp parallel for copyin(copied)
    for (int i = 0; i < n; i++) {
        a[i] = copied[0]++ + copied[3];
    }
}

CASE(refused_copyprivate)
{
#pragma omp parallel
    {
        int t;
#pragma omp single copyprivate(t)
        t = few;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            a[i] = t++;
        }
    }
}

/* The second region finds what the same thread has left. */
CASE(refused_threadprivate_pair)
{
    static int kept[room];
#pragma omp threadprivate(kept)
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        kept[i] = a[i] * 2;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        c[i] = kept[i];
    }
}

CASE(refused_threadprivate_result)
{
    int sum = 0;
    reset_threads();
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        counter += a[i];
        y[i] = 1;
    }
#pragma omp parallel reduction(+ : sum)
    sum += counter * (omp_get_thread_num() + 1);
    value[0] = sum;
}

CASE(refused_thread_specific)
{
    pthread_key_create(&key, 0);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        long t = (long)pthread_getspecific(key);
        l[i] = t;
        pthread_setspecific(key, (void *)(t + 1));
    }
    pthread_key_delete(key);
}

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

ARITHMETIC(refused_rounding_mode,
           if (a[i] % 7 == 0) fesetround(a[i] & 1 ? FE_UPWARD : FE_TOWARDZERO);
           y[i] = x[i] / 3)
ARITHMETIC(refused_rounding_mode_by_register,
           if (a[i] % 7 == 0) _mm_setcsr(a[i] & 1 ? 0x5f80 : 0x3f80);
           y[i] = x[i] / 3)
ARITHMETIC(refused_rounding_mode_read, if (a[i] == 500) fesetround(FE_UPWARD); a[i] = fegetround())
ARITHMETIC(refused_flags, y[i] = x[i] / (a[i] - a[i + 1]); c[i] = fetestexcept(FE_DIVBYZERO) != 0)
ARITHMETIC(refused_flags_by_register, y[i] = x[i] / (a[i] - a[i + 1]);
           c[i] = (_mm_getcsr() & 4) != 0)
ARITHMETIC(refused_error_number, y[i] = log(x[i] - 2); c[i] = errno)
ARITHMETIC(refused_error_number_written, if (a[i] % 9 == 0) errno = a[i]; c[i] = errno)

/* Calls of functions that know their thread. */
HELPER int who(void)
{
    return omp_get_thread_num();
}

HELPER int who_plus(int i)
{
    return who() + i;
}

HELPER int if_odd(int i)
{
    return i & 1 ? omp_get_num_threads() : i;
}

__attribute__((noinline, const)) static int who_const(void)
{
    return omp_get_thread_num();
}

__attribute__((noinline, pure)) static int count_of_thread(const int *counts)
{
    return counts[omp_get_thread_num()];
}

HELPER int tick(void)
{
    static _Thread_local int ticks;

    return of_thread++ + (ticks = 0);
}

HELPER int recursive_who(int k)
{
    return k == 0 ? omp_get_thread_num() : recursive_who(k - 1) + 1;
}

HELPER void add_to_scratch(int v)
{
    value[omp_get_thread_num() & 15] += v;
}

HELPER int bump(int *t)
{
    return (*t)++;
}

HELPER void advance(struct point *t, double v)
{
    t->x = t->x * 0.5 + v;
    t->count++;
}

HELPER int light(int k)
{
    return k ^ few;
}

HELPER int ancestor(int i)
{
    return omp_get_ancestor_thread_num(1) * i;
}

static int (*const queries[])(void) = {who, omp_get_thread_num};
static int (*volatile chosen)(int) = who_plus;

EACH(refused_call, , a[i] = who())
EACH(refused_call_of_call, , a[i] = who_plus(i))
EACH(refused_call_asks_seldom, , a[i] = if_odd(a[i]))
EACH(refused_call_const, , a[i] = who_const() * 3)
EACH(refused_call_pure, , a[i] = count_of_thread(c))
EACH(refused_call_recursive, , a[i] = recursive_who(i % 5))
EACH(refused_call_scratch, , add_to_scratch(a[i]))
EACH(refused_call_ancestor, , a[i] = ancestor(i))
EACH(refused_call_of_table, , a[i] = queries[i & 1]())
EACH(refused_call_by_pointer, , a[i] = chosen(i))
EACH(refused_call_in_branch, , if (a[i] > 900) y[i] = who())
THREADS_OWN(refused_call_ticks, , a[i] = tick())
CARRIED(refused_call_bumps, int t = 0, a[i] = bump(&t))
CARRIED(refused_call_advances, struct point t = {0}, advance(&t, x[i]); p[i] = t)
CARRIED(refused_over_call, int t = 0, a[i] = light(i) + t++)
CARRIED(refused_over_two_calls, int t = 3, c[i] = light(a[i]); a[i] = light(t); t += c[i] & 3)
CARRIED(refused_over_call_double, double t = 0, y[i] = light(a[i]) + t; t = y[i] / 2)

/* Arguments on the stack, in vector registers, and in none. */
HELPER double many(double d1, double d2, double d3, double d4, double d5, double d6, double d7,
                   double d8, double d9, int i1, int i2, int i3, int i4, int i5, int i6, int i7)
{
    return d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8 + 3 * d9 + i1 + i2 + i3 + i4 + i5 + i6 + 5.0 * i7;
}

HELPER int bump_seventh(int i1, int i2, int i3, int i4, int i5, int i6, int *t)
{
    return (*t)++ + (i1 ^ i2 ^ i3 ^ i4 ^ i5 ^ i6);
}

HELPER double half(double v)
{
    return v / 2;
}

HELPER double of_struct(struct point v)
{
    return v.x + v.y * v.count;
}

CARRIED(refused_counter_on_stack, int t = 0,
        y[i] = many(1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, t++))
CARRIED(refused_first_on_stack, int t = 0,
        y[i] = many(1, 2, 3, 4, 5, 6, 7, 8, x[i], 1, 2, 3, 4, 5, 6, i - t);
        t++)
CARRIED(refused_double_on_stack, double t = 0,
        y[i] = many(1, 2, 3, 4, 5, 6, 7, 8, t, 1, 2, 3, 4, 5, 6, i);
        t += 0.5)
CARRIED(refused_pointer_on_stack, int t = 0, a[i] = bump_seventh(1, 2, 3, 4, 5, i, &t))
CARRIED(refused_first_in_vector, int t = 0, y[i] = half((i - t) * 0.25); t++)
CARRIED(refused_counter_in_vector, double t = 0, y[i] = half(t); t += 0.5)
CARRIED(refused_struct_on_stack, struct point t = {0}, y[i] = of_struct(t); t.count++; t.y = x[i])

/* Functions that change the state of the processor, or ask for it. */
HELPER void round_by(unsigned state)
{
    _mm_setcsr(state);
}

HELPER unsigned state_of_arithmetic(void)
{
    return _mm_getcsr() & 0x3f;
}

HELPER unsigned long processor(void)
{
    unsigned low, high, number;

    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(number));
    return number;
}

ARITHMETIC(refused_call_rounds, if (a[i] % 7 == 0) round_by(a[i] & 1 ? 0x5f80 : 0x3f80);
           y[i] = x[i] / 3)
ARITHMETIC(refused_call_asks_for_flags, y[i] = x[i] / (a[i] - a[i + 1]);
           c[i] = (int)state_of_arithmetic())
EACH(refused_call_asks_for_processor, , own[i] = processor())

HELPER int compare_by_thread(const void *left, const void *right)
{
    int order = *(const int *)left - *(const int *)right;

    return omp_get_thread_num() & 1 ? order : -order;
}

EACH(refused_library_asks, , qsort(&l[2 * i], 4, sizeof(int), compare_by_thread))

HELPER int compare_and_count(const void *left, const void *right)
{
    of_thread++;
    return *(const int *)left - *(const int *)right;
}

THREADS_OWN(refused_library_calls_back, , qsort(&c[2 * i], 2, sizeof *c, compare_and_count);
            a[i] = of_thread)

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

/* Shares divided by hand, with the number of threads asked for in the region: what is stored tells
 * where the share begins, or ends. */
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

SPMD(refused_spmd, int low = me * n / team; int high = (me + 1) * n / team, y[i] = x[i] + x[low])
SPMD(refused_spmd_long, int low = (int)((long)limit * me / team);
     int high = (int)((long)limit * (me + 1) / team), a[i] = i - low)
SPMD(refused_spmd_ceiling, int size = (n + team - 1) / team; int low = me * size;
     int high = low + size < n ? low + size : n, y[i] = x[i] + x[low])
SPMD(refused_spmd_last_takes_rest, int size = n / team; int low = me * size;
     int high = me == team - 1 ? n : low + size, a[i] = high - i)
SPMD(refused_spmd_minimum, int rest = n % team; int low = n / team * me + (me < rest ? me : rest);
     int high = low + n / team + (me < rest), a[i] = i - low)
SPMD(refused_spmd_as_compiled, AS_COMPILED(team), a[i] = i - low)
SPMD(refused_spmd_compiled_sum, AS_COMPILED(team); double t = 0, t += x[i]; y[i] = t)
SPMD(refused_spmd_compiled_first, AS_COMPILED(team), y[i] = x[low])
SPMD(refused_spmd_compiled_end, AS_COMPILED(team), y[i] = x[high - 1 - (i - low)])
SPMD(refused_spmd_reversed, int low = (team - 1 - me) * n / team;
     int high = (team - me) * n / team, a[i] = i - low)
SPMD(refused_spmd_own_slot, int low = me * n / team;
     int high = (me + 1) * n / team, value[me & 15] += a[i])
SPMD(refused_spmd_by_double, int low = (int)((double)n * me / team);
     int high = (int)((double)n * (me + 1) / team), a[i] = i - low)
SPMD(refused_spmd_unsigned, int low = (int)((unsigned)n * (unsigned)me / (unsigned)team);
     int high = (int)((unsigned)n * (unsigned)(me + 1) / (unsigned)team), a[i] = i - low)
SPMD(refused_spmd_rounded_up, int size = (n / team + 8) & ~7; int low = me * size;
     int high = low + size < n ? low + size : n, y[i] = x[i] + x[low])
SPMD(refused_spmd_stops, int low = me * n / team;
     int high = (me + 1) * n / team, if (a[i] > 990) break; y[i] = 5)

/* Not all iterations of the share, or others. */
SPMD(refused_spmd_but_first, AS_COMPILED(team); low++, y[i] = 1)
SPMD(refused_spmd_but_last, AS_COMPILED(team); high--, y[i] = 1)
SPMD(refused_spmd_but_last_vectorised, AS_COMPILED(team); high--, y[i] = x[i] * 3)
SPMD(refused_spmd_first_half, AS_COMPILED(team); high = low + size / 2, y[i] = 1)
SPMD(refused_spmd_first_quarter, AS_COMPILED(team); high = low + (size >> 2), y[i] = 1)
SPMD(refused_spmd_whole_fours, AS_COMPILED(team); high = low + (size & ~3), y[i] = 1)
SPMD(refused_spmd_scaled, AS_COMPILED(team); high += low; low *= 2, y[i] = 1)
SPMD(refused_spmd_few, AS_COMPILED(team); high = low + few, y[i] = 1)
SPMD(refused_spmd_at_most, AS_COMPILED(team); high = size > 16 ? low + 16 : high, y[i] = 1)
SPMD(refused_spmd_large_shares, AS_COMPILED(team); if (size < 100) high = low, y[i] = 1)
SPMD(refused_spmd_breaks, AS_COMPILED(team), if (a[i] > 990) break; y[i] = 5)
SPMD(refused_spmd_swaps_halves, AS_COMPILED(team);
     int half_way = size / 2, y[i] = x[i < low + half_way ? i + half_way : i - half_way])

/* Numbers that begin by the share and go on by a constant, or anew, like indices of collapsed
 * loops. */
SPMD(refused_spmd_steps, AS_COMPILED(team); int t = low & 3, a[i] = t++)
SPMD(refused_spmd_wraps, AS_COMPILED(team); int t = low * 7 % 11, a[i] = t; if (++t == 11) t = 0)
SPMD(refused_spmd_other_digits, AS_COMPILED(team); int t = low / 5;
     int k = low % 7, a[i] = t * 100 + k; if (++k == 7) k = 0, t++)
SPMD(refused_spmd_begins_anew, AS_COMPILED(team); int t = low / 9, a[i] = t; t++;
     if (c[i] > 6) t = 0)
SPMD(refused_spmd_digits_of_size, AS_COMPILED(team); int t = size % 8, a[i] = t;
     if (++t == 8) t = 0)

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
AS_COMPILED_CASE(refused_spmd_every_second, for (int k = 0; k < size / 2; k++) y[low + 2 * k] = 1)
AS_COMPILED_CASE(refused_spmd_pairs,
                 for (int k = 0; k < size / 2; k++) y[low + 2 * k] = y[low + 2 * k + 1])
AS_COMPILED_CASE(refused_spmd_down_by_two, for (int i = high - 1; i >= low; i -= 2) y[i] = 1)
AS_COMPILED_CASE(refused_spmd_fill_short, memset(&y[low], 0, ((size_t)size - 1) * sizeof *y))
AS_COMPILED_CASE(refused_spmd_fill_half, memset(&y[low], 0, (size_t)size / 2 * sizeof *y))
AS_COMPILED_CASE(refused_spmd_copy_short, memcpy(&y[low], &x[low], ((size_t)size - 1) * sizeof *y))
AS_COMPILED_CASE(refused_spmd_copy_of_first, memcpy(&y[low], x, (size_t)size * sizeof *y))
AS_COMPILED_CASE(refused_spmd_move_within,
                 memmove(&y[low], &y[low + 1], ((size_t)size - 1) * sizeof *y))
AS_COMPILED_CASE(refused_spmd_one_store, y[low] = 1)
AS_COMPILED_CASE(refused_spmd_last_store, y[high - 1] = 1)
AS_COMPILED_CASE(refused_spmd_share_number, for (int i = low; i < high; i++) y[i] = 1;
                 h[me & 15] = 9)
AS_COMPILED_CASE(refused_spmd_reverses,
                 for (int i = low; i < high; i++) y[i] = x[low + high - 1 - i])
AS_COMPILED_CASE(
    refused_spmd_bubbles, for (int i = low; i + 1 < high; i++) if (a[i] > a[i + 1]) {
        int k = a[i];
        a[i] = a[i + 1];
        a[i + 1] = k;
    })

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

CASE(refused_spmd_cyclic)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads(), t = 0;
        for (int i = me; i < n; i += team) {
            a[i] = t++;
        }
    }
}

CASE(refused_spmd_blocks)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads(), t = 0;
        for (int first = me * 16; first < n; first += team * 16) {
            for (int i = first; i < first + 16 && i < n; i++) {
                a[i] = t;
            }
            t++;
        }
    }
}

CASE(refused_spmd_by_number)
{
#pragma omp parallel num_threads(3)
    switch (omp_get_thread_num()) {
    case 0:
        for (int i = 0; i < n; i++) {
            y[i]++;
        }
        break;
    case 1:
        for (int i = 0; i < n; i++) {
            z[i]++;
        }
        break;
    default:
        for (int i = 0; i < n; i++) {
            x[i]++;
        }
    }
}

/* The number of threads comes from elsewhere: the program does not expect other thread numbers. */
#define SPMD_OF(name, count, bounds, ...)            \
    CASE(name)                                       \
    {                                                \
        int team = count;                            \
        SHARE_PRAGMA(omp parallel num_threads(team)) \
        {                                            \
            int me = omp_get_thread_num();           \
            bounds;                                  \
            for (int i = low; i < high; i++) {       \
                __VA_ARGS__;                         \
            }                                        \
        }                                            \
    }

static const int starts[5] = {0, 100, 500, n, n};

SPMD_OF(refused_spmd_constant, 4, int low = me * 250; int high = low + 250, y[i] += x[i])
SPMD_OF(refused_spmd_constant_division, 3, int low = me * n / 3;
        int high = (me + 1) * n / 3, y[i] += x[i])
SPMD_OF(refused_spmd_of_maximum, omp_get_max_threads(), int low = me * n / team;
        int high = (me + 1) * n / team, y[i] += x[i])
SPMD_OF(refused_spmd_of_maximum_padded, omp_get_max_threads(), int size = (n + team - 1) / team;
        int low = me * size; int high = low + size, y[i] += 2)
SPMD_OF(refused_spmd_of_variable, few, int size = limit / team; int low = me * size;
        int high = me == team - 1 ? limit : low + size, y[i] += 3)
SPMD_OF(refused_spmd_of_table, few, int low = starts[me & 3];
        int high = starts[(me & 3) + 1], y[i] += 4)
SPMD_OF(refused_spmd_as_compiled_of_variable, few, AS_COMPILED(team), y[i] += 5)

CASE(refused_spmd_cyclic_of_maximum)
{
    int team = omp_get_max_threads();
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < n; i += team) {
        y[i] += 6;
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

/* Behind the loop, what looks like the rest of it. */
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

BEHIND(refused_last_marked, a[i] = i * 2, if (t >= 0) a[t] = -1)
BEHIND(refused_last_element_marked, y[i] = x[i] * 2, if (t >= 0) y[t] = 0)
BEHIND(refused_last_element_added, y[i] = x[i] * 2, if (t >= 0) y[t] += 1)
BEHIND(refused_last_fours_marked, a[i] = i * 3, for (int k = 0; t >= 0 && k < 4; k++) a[t - k] = k)
BEHIND(refused_last_of_others_marked, a[i] = i * 4, if (t >= 0) c[t] = -1)
BEHIND(refused_share_ends_at, a[i] = i * 5, if (t == 498 || t == 332 || t == 199) value[0] = 7)
BEHIND(refused_share_ends_at_half, a[i] = i * 6, if (t == (n + 1) / 2 - 1) value[0] = t)
BEHIND(refused_share_ends_at_memory, a[i] = i * 7, if (t == limit / 2) value[0] = t)
BEHIND(refused_share_ends_before, a[i] = i * 8, if (t < 400) h[t] = 7)
BEHIND(refused_share_does_not_end_at, a[i] = i * 9, if (t != n - 1 && t >= 0) h[t] = 7)

HELPER void count_call(void)
{
    __atomic_fetch_add(&value[3], 1, __ATOMIC_RELAXED);
}

AROUND(refused_atomic_before, __atomic_fetch_add(value, 1, __ATOMIC_RELAXED), )
AROUND(refused_atomic_behind, , __atomic_fetch_add(value, 1, __ATOMIC_RELAXED))
AROUND(refused_atomic_query, , __atomic_fetch_add(value, omp_get_num_threads(), __ATOMIC_RELAXED))
AROUND(refused_exchange_behind, , __atomic_fetch_xor(value, 5 + t, __ATOMIC_RELAXED))
AROUND(refused_call_before, count_call(), )
AROUND(refused_call_behind, , count_call())
AROUND(refused_slot_before, value[omp_get_thread_num() & 15]++, )
AROUND(refused_slot_behind, , value[omp_get_thread_num() & 15] = t)
AROUND(refused_marks_behind, , a[t] = -1)
AROUND(refused_team_stored, if (omp_get_thread_num() == 0) value[0] = omp_get_num_threads(), )
AROUND(refused_numbers_stored, a[omp_get_thread_num()] = 5, )
AROUND(refused_inner_loop_before,
       for (int k = 0; k < 9; k++) __atomic_fetch_add(&value[k], k, __ATOMIC_RELAXED), )
AROUND(refused_usleep, usleep(1); count_call(), )

AROUND(refused_omp_atomic_before, SHARE_PRAGMA(omp atomic) value[1] += 3, )
AROUND(refused_omp_atomic_behind, , SHARE_PRAGMA(omp atomic) value[2] += 5)
AROUND(refused_omp_atomic_double, , SHARE_PRAGMA(omp atomic) rounded[2] += 5)
AROUND(refused_critical_before, SHARE_PRAGMA(omp critical) value[1] += 3, )
AROUND(refused_critical_behind, , SHARE_PRAGMA(omp critical) value[2] += t)
AROUND(refused_single_before, SHARE_PRAGMA(omp single nowait) value[1] += 3, )
AROUND(refused_single_behind, , SHARE_PRAGMA(omp single nowait) value[2] += 5)
AROUND(refused_single_waits, SHARE_PRAGMA(omp single) value[1] += 3, )
AROUND(refused_master_before, SHARE_PRAGMA(omp master) value[1] += omp_get_num_threads(), )
AROUND(refused_master_behind, , SHARE_PRAGMA(omp master) value[2] += t)
AROUND(refused_barrier_before, a[omp_get_thread_num()] = 9;
       SHARE_PRAGMA(omp barrier), a[room - 1 - t] = a[0])
AROUND(refused_task_before, SHARE_PRAGMA(omp task) count_call(), )
AROUND(refused_task_behind, , SHARE_PRAGMA(omp task) count_call())
AROUND(refused_taskwait_behind, , SHARE_PRAGMA(omp taskwait) count_call())
AROUND(refused_taskloop, SHARE_PRAGMA(omp taskloop) for (int k = 0; k < 7; k++) count_call(), )
AROUND(refused_lock_behind, , omp_init_lock(&(omp_lock_t){0}); count_call())
AROUND(refused_setting_before, omp_set_num_threads(omp_get_thread_num() + 2),
       value[omp_get_thread_num() & 15] = omp_get_max_threads())

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

CASE(refused_lock_around)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    {
        int t = 0;
        omp_set_lock(&lock);
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t += a[i];
        }
        value[0] += t * t;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

/* Not reductions: what is combined once per thread is not what the loop's operation makes of the
 * whole. BY_HAND(NAME, INITIAL VALUE, BODY, COMBINATION) */
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

BY_HAND(refused_sum_from_one, int t = 1, t += a[i], total += t)
BY_HAND(refused_sum_from_memory, int t = few, t += a[i], total += t)
BY_HAND(refused_sum_from_minus_one, long t = -1, t += a[i], total += t)
BY_HAND(refused_sum_of_squared_sums, long t = 0, t += a[i], total += t * t)
BY_HAND(refused_sum_of_halved_sums, int t = 0, t += a[i], total += t / 2)
BY_HAND(refused_sum_of_sums_and_one, int t = 0, t += a[i], total += t + 1)
BY_HAND(refused_sum_of_even_sums, int t = 0, t += a[i], total += t & ~1)
BY_HAND(refused_sum_of_signs, int t = 0, t += c[i], total += t > 0)
BY_HAND(refused_sum_of_some_sums, int t = 0, t += a[i], total += t > 99999 ? t : 0)
BY_HAND(refused_sum_of_byte_sums, unsigned char t = 0, t = (unsigned char)(t + a[i]), total += t)
BY_HAND(refused_sum_of_short_sums, unsigned short t = 0, t = (unsigned short)(t + a[i]), total += t)
BY_HAND(refused_sum_of_signed_bytes, signed char t = 0, t = (signed char)(t + a[i]), total += t)
BY_HAND(refused_sum_of_unsigned_sums, unsigned t = 0, t += u[i], total += t)
BY_HAND(refused_sum_of_wrapped_sums, unsigned t = 0, t += u[i], total += (int)t)
BY_HAND(refused_sum_of_truncated_sums, double t = 0, t += x[i] / 3, total += (long)t)
BY_HAND(refused_xor_of_sums, int t = 0, t += a[i], total ^= t)
BY_HAND(refused_or_of_sums, int t = 0, t += a[i], total |= t)
BY_HAND(refused_sum_of_ors, int t = 0, t |= a[i], total += t)
BY_HAND(refused_sum_of_xors, int t = 0, t ^= a[i], total += t)
BY_HAND(refused_sum_of_maxima, int t = 0, t = a[i] > t ? a[i] : t, total += t)
BY_HAND(refused_sum_of_minima, int t = 999, t = a[i] < t ? a[i] : t, total += t)
BY_HAND(refused_sum_of_products, unsigned t = 1, t *= u[i] | 1, total += t)
BY_HAND(refused_sum_of_alternating, int t = 0, t = a[i] - t, total += t)
BY_HAND(refused_sum_of_doubling, unsigned t = 0, t = t * 2 + (unsigned)a[i], total += t)
BY_HAND(refused_sum_with_reset, int t = 0, t = a[i] > 990 ? 0 : t + a[i], total += t)
BY_HAND(refused_sum_with_limit, int t = 0, t += t < 9000 ? a[i] : 0, total += t)
BY_HAND(refused_sum_of_last, int t = 0, t = a[i], total += t)
BY_HAND(refused_sum_of_counts, int t = 0, t++, total += (long)t * t)
BY_HAND(refused_sum_of_firsts, int t = -1, if (t < 0) t = i, total += t)
BY_HAND(refused_sum_of_ends, int t = 0, t = i, total += t)
BY_HAND(refused_sum_and_team, int t = 0, t += a[i], total += t + omp_get_num_threads())
BY_HAND(refused_sum_and_number, int t = 0, t += a[i], total += t * omp_get_thread_num())
BY_HAND(refused_sum_and_constant_loop, int t = 5;
        for (int k = 0; k < few; k++) t += k, t += a[i], total += t)
BY_HAND(refused_product_of_sums, int t = 0, t += a[i], total *= t)
BY_HAND(refused_xor_from_one, int t = 1, t ^= a[i], total ^= t)
BY_HAND(refused_count_of_team, , y[i] = x[i] + 71, total++)

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

BY_SOME(refused_sum_of_large_shares, count > 200)
BY_SOME(refused_sum_of_large_sums, t > 99999)
BY_SOME(refused_sum_of_odd_sums, t & 1)
BY_SOME(refused_sum_of_first_thread, omp_get_thread_num() == 0)
BY_SOME(refused_sum_of_longer_shares, omp_get_thread_num() < limit % omp_get_num_threads())

/* What looks like a minimum or maximum. */
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

EXTREME(refused_maximum_takes_next, int, 0, max, if (a[i] > t) t = a[i + 1] / 8)
EXTREME(refused_maximum_takes_half, int, 0, max, t = a[i] > t ? a[i] / 2 : t)
EXTREME(refused_maximum_takes_other, double, 0, max, t = x[i] > t ? z[i] / 4 : t)
EXTREME(refused_maximum_or_minimum, int, 0, max,
        t = a[i] & 1 ? (a[i] > t ? a[i] : t) : (a[i + 1] < t ? a[i + 1] : t))
EXTREME(refused_maximum_of_growing, int, 0, max, t = t + c[i] > 0 ? t + c[i] : 0)
EXTREME(refused_maximum_decays, double, 0, max, t = x[i] > t ? x[i] : t - 0.125)
EXTREME(refused_minimum_takes_other, int, 9999, min, if (a[i] < t) t = b[i])
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

REGION(refused_region_sum_before, int, reduction(+ : t), t += 1, t += a[i], )
REGION(refused_region_sum_behind, int, reduction(+ : t), , t += a[i], t += 2)
REGION(refused_region_sum_squared, long, reduction(+ : t), , t += a[i], t *= t)
REGION(refused_region_sum_halved, int, reduction(+ : t), , t += a[i], t /= 2)
REGION(refused_region_sum_limited, int, reduction(+ : t), , t += a[i], if (t > 50000) t = 50000)
REGION(refused_region_sum_initial, double, reduction(+ : t), t = 0.5, t += x[i], )
REGION(refused_region_sum_number, int, reduction(+ : t), t += omp_get_thread_num(), t += a[i], )
REGION(refused_region_sum_of_memory, double, reduction(+ : t), t += x[5], t += x[i], )
REGION(refused_region_product_before, double, reduction(* : t), t = 2, t *= i & 1 ? 2 : 0.5, )
REGION(refused_region_xor_before, int, reduction(^ : t), t ^= 5, t ^= a[i], )
REGION(refused_region_maximum_of_sums, int, reduction(max : t), t = 0, t += a[i], )
REGION(refused_region_minimum_of_sums, int, reduction(min : t), t = 0, t -= a[i], )
REGION(refused_region_or_of_sums, int, reduction(| : t), t = 0, t += a[i], )
REGION(refused_region_count, int, reduction(+ : t), t++, y[i] = x[i] + 72, )
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

static inline unsigned long stack_register(void)
{
    unsigned long got;

    __asm__("mov %%rsp, %0" : "=r"(got));
    return got;
}

CARRIED(refused_assembly_counter, int t = 0, __asm__("add $1, %0" : "+r"(t)); a[i] = t)
CARRIED(refused_assembly_memory, int t = 0, __asm__("addl $1, %0" : "+m"(t)); a[i] = t)
CARRIED(refused_assembly_barrier, int t = 0, __asm__("" : "+r"(t)); a[i] = t++)
SAME_THREAD(refused_assembly_thread, thread_register())
SAME_THREAD(refused_assembly_stack, stack_register())
ARITHMETIC(refused_assembly_rounding, if (a[i] % 7 == 0) load_state(a[i] & 1 ? 0x5f80 : 0x3f80);
           y[i] = x[i] / 3)
EACH(refused_assembly_syscall, , own[i] = (unsigned long)system_call(SYS_gettid))

static inline long through_stack(long number)
{
    __asm__("push %0\n\tpop %0" : "+r"(number));
    return number;
}

static inline long through_vector(long number)
{
    long got;

    __asm__("movq %1, %%xmm7\n\tmovq %%xmm7, %0" : "=r"(got) : "r"(number) : "xmm7");
    return got;
}

static inline long through_bytes(long number)
{
    __asm__("bswap %0\n\tbswap %0" : "+r"(number));
    return number;
}

CARRIED(refused_assembly_pushed_number, long t = through_stack(ME), l[i] = t)
CARRIED(refused_assembly_vector_number, long t = through_vector(ME), l[i] = t)
CARRIED(refused_assembly_swapped_number, long t = through_bytes(ME), l[i] = t)
CARRIED(refused_assembly_pushed_counter, long t = 0, l[i] = t; t = through_stack(t) + 1)

CASE(refused_assembly_processor)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        unsigned low, high, number;
        __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(number));
        own[i] = number;
    }
}

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

/* Other constructs in the region. */
CASE(refused_barrier_between)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 31;
        }
#pragma omp for
        for (int i = 0; i < n; i++) {
            z[i] = y[n - 1 - i];
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

/* Asked before a barrier, changed behind it. */
/* An iteration changes what was asked for before the barrier. */
CASE(refused_answer_before_barrier)
{
    int t = none;
#pragma omp parallel
    {
        int known = t;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < limit; i++) {
            if (known) {
                a[i] = 1;
                for (int k = 0; k < 5; k++) {
                    x[i] += k;
                }
            } else {
                for (int k = 0; k < 9; k++) {
                    x[i] *= k + 1;
                }
                a[i] = 2;
                if (i == 3) {
                    t = 1;
                    __asm__ volatile("" ::: "memory");
                }
            }
        }
    }
    value[0] = t;
}

CASE(refused_asked_before_barrier)
{
    int *done = (int *)&value[few];
#pragma omp parallel
    {
        if (*done == 0) {
#pragma omp barrier
#pragma omp for nowait
            for (int i = 0; i < n; i++) {
                a[i] += 1;
                if (i == 3) {
                    *done = 1;
                }
            }
        } else {
#pragma omp barrier
#pragma omp for nowait
            for (int i = 0; i < n; i++) {
                a[i] += 2;
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

/* What another one than the loop has left would end the program. */
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
FAULTS(refused_divided_behind_barrier, 0, i + 1, , DIVIDE)
FAULTS(refused_trap_behind_barrier, 0, i + 1, , if (t == 0) __builtin_trap())
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

/* The region goes on in a function whose calls are not the region's. */
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

/* What a share without iterations adds to a total is not what others begin with. */
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

CASE(refused_ordered)
{
    int t = 0;
#pragma omp parallel for ordered schedule(static)
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + 32;
#pragma omp ordered
        a[i] = t += a[i];
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

CASE(refused_cancel)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        y[i] += x[i] + 34;
#pragma omp cancel for if (a[i] < 0)
    }
}

CASE(refused_cancellation_point)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] += x[i] + 35;
        }
#pragma omp cancellation point parallel
        count_call();
    }
}

CASE(refused_task_in_loop)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        a[i] = i + 36;
        value[omp_get_thread_num() & 15]++;
    }
}

CASE(refused_single_in_region)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 37;
        }
#pragma omp single
        for (int i = 0; i < n; i++) {
            z[i] += 1;
        }
    }
}

CASE(refused_dynamic_beside)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 38;
        }
#pragma omp for nowait schedule(dynamic, 3)
        for (int i = 0; i < n; i++) {
            z[i] += 1;
        }
    }
}

CASE(refused_guided_before)
{
#pragma omp parallel
    {
#pragma omp for nowait schedule(guided)
        for (int i = 0; i < n; i++) {
            z[i] += 2;
        }
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 39;
        }
    }
}

CASE(refused_runtime_beside)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 40;
        }
#pragma omp for nowait schedule(runtime)
        for (int i = 0; i < n; i++) {
            z[i] += 3;
        }
    }
}

/* Every thread runs the loop. */
CASE(refused_replicated)
{
#pragma omp parallel
    for (int i = 0; i < n; i++) {
        __atomic_fetch_add(&l[i], i, __ATOMIC_RELAXED);
    }
}

CASE(refused_replicated_beside)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + 41;
        }
        for (int i = 0; i < 50; i++) {
            __atomic_fetch_add(&l[i], i, __ATOMIC_RELAXED);
        }
    }
}

HELPER void inner_team(int i)
{
#pragma omp parallel num_threads(2)
    __atomic_fetch_add(&value[omp_get_ancestor_thread_num(1) & 15], i, __ATOMIC_RELAXED);
}

CASE(refused_nested)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        inner_team(i);
    }
    omp_set_max_active_levels(1);
}

CASE(refused_nested_number)
{
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#pragma omp parallel num_threads(2)
        __atomic_fetch_add(&l[i], omp_get_ancestor_thread_num(1), __ATOMIC_RELAXED);
    }
}

CASE(refused_setting_carried)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] > 800) {
            omp_set_num_threads(i % 5 + 1);
        }
        c[i] = omp_get_max_threads();
    }
}

/* Iterations that wait for those of other threads, which run at the same time. */
CASE(refused_barrier_by_hand)
{
    int team = omp_get_max_threads(), arrived = 0;
#pragma omp parallel for
    for (int i = 0; i < 8 * team; i++) {
        __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < team * (i % 8 + 1)) {
            sched_yield();
        }
        a[i] = i;
    }
}

CASE(refused_waits_for_later)
{
    static int begun[n];
    memset(begun, 0, sizeof begun);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 600; i++) {
        __atomic_store_n(&begun[i], 1, __ATOMIC_RELEASE);
        while (i < 300 && __atomic_load_n(&begun[i + 300], __ATOMIC_ACQUIRE) == 0) {
            sched_yield();
        }
        a[i] = i;
    }
}

/* More values than registers: the state is in the stack frame, among others that do not change. */
CASE(refused_spilled_counter)
{
    double *r0 = x, *r1 = x + n, *r2 = y, *r3 = y + n, *r4 = z, *r5 = z + n;
    int *r6 = a, *r7 = b, *r8 = c, t = few, v = 0;
    long *r9 = l;
    float *r10 = f, *r11 = g;
#pragma omp parallel for firstprivate(t, v)
    for (int i = 0; i < limit; i++) {
        r0[i] = r1[i] + r2[i] * r3[i];
        r4[i] = r5[i] + r6[i] * r7[i];
        r8[i] = (int)r9[i] + r6[i] + t;
        r10[i] = r11[i] + r8[i] + v;
        t += 3;
        v ^= t;
    }
}

CASE(refused_spilled_double)
{
    double k1 = x[1], k2 = x[2], k3 = x[3], k4 = x[4], k5 = x[5], k6 = x[6], k7 = x[7], k8 = x[8];
    double k9 = x[9], k10 = x[10], k11 = x[11], k12 = x[12], k13 = x[13], k14 = x[14], t = 0;
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit; i++) {
        double v = z[i];
        t = t / 2 + v;
        y[i] = (((((((v * k1 + k2) * v + k3) * v + k4) * v + k5) * v + k6) * v + k7) * v + k8) /
               ((((((v * k9 + k10) * v + k11) * v + k12) * v + k13) * v + k14) * v + k1 + t + k3);
    }
}

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

/* What is added to a sum stands where only the thread's own iterations so far say. */
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
GOES_ON(refused_xor_at_pointer, ^, int, a, r ^= *k)
GOES_ON(refused_sum_at_pointer, +, int, a, r += *k)
GOES_ON(refused_unsigned_at_pointer, +, unsigned, u, r += *k)
GOES_ON(refused_double_at_pointer, +, double, x, r += *(k + 16))
GOES_ON(refused_largest_at_pointer, max, int, a, r = r > *k ? r : *k)

CASE(refused_sum_of_own_array)
{
    int r = 0, t[4] = {1, 2, 3, 4};
#pragma omp parallel for reduction(+ : r) firstprivate(t)
    for (int i = 0; i < limit; i++) {
        t[b[i] & 3] += i & 1;
        r += t[i & 3];
    }
    value[0] = r;
}

/* Questions with one answer for all iterations part the loop, and change nothing about the rest. */
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
BY_HAND_OF(refused_one_added, int, int t = 1, a[i] += i, total += t)
BY_HAND_OF(refused_half_added, double, double t = 0.5, a[i] += i, total += t)
BY_HAND_OF(refused_double_multiplied, double, double t = 2, a[i] += i, total *= t)
BY_HAND_OF(refused_bits_changed, int, int t = 5, a[i] += i, total ^= t)

/* The lower half of what a thread's iterations come to. */
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

/* What the last iteration leaves, computed from how many its thread has had. */
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
LAST(refused_last_count, int, t++, t)
LAST(refused_last_byte, unsigned char, t--, t)
LAST(refused_last_from_begin, int, t++, i - t)
LAST(refused_last_bits, int, t++, (i - t) & 6)
LAST(refused_last_of_threes, long, t += 3, t / 8)
LAST(refused_last_square, unsigned, t += 2, t *t)
LAST(refused_last_loaded, int, t++, b[t])
LAST(refused_last_loaded_at_begin, int, t++, b[i - t])
LAST(refused_last_double, double, t += 0.5, t)

/* What a sum of equal numbers was before the last one. */
#define BEFORE_LAST(name, type, change)                                     \
    BY_HAND_OF(name, type, type t = 0; type before = 0, before = t; change; \
               a[i] += i, total += before)
BEFORE_LAST(refused_before_added, long, t += few)
BEFORE_LAST(refused_before_taken, long, t -= few)
BEFORE_LAST(refused_before_taken_twice, int, t -= 2 * few)
BEFORE_LAST(refused_before_one, unsigned, t++)
BEFORE_LAST(refused_before_real, double, t -= factor)

/* What one loop leaves, the next one goes on with. */
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
NEXT_LOOP(refused_rest_before, t = i * i % 11; a[i] = t, l[i] = t; t++; if (b[i] > 50) t = 0)
NEXT_LOOP(refused_bits_before, t = i & 31; a[i] = t, l[i] = t; t += 2)

/* Numbers that are too large to be told apart by a small one. */
FIRSTPRIVATE(refused_golden_hash, unsigned long t = 0, firstprivate(t),
             l[i] = (long)((unsigned long)i * 0x9E3779B97F4A7C15UL + t);
             t++)
FIRSTPRIVATE(refused_high_bits, unsigned long t = 0, firstprivate(t),
             l[i] = (long)((unsigned long)i * 0x1000000000000001UL + t);
             t++)

/* Two questions about the same number, of different widths, or about two differences. */
CASE(refused_question_of_width)
{
    long high = 1L << (few + 37);
    int t = 0;
#pragma omp parallel for firstprivate(t, high)
    for (int i = 0; i < limit; i++) {
        if ((int)high > 0) {
            t = i * 3;
            c[i] = i;
        }
        a[i] = i;
        if (high > 0) {
            l[i] = t;
        }
        t++;
    }
}

CASE(refused_question_of_difference)
{
    unsigned high = ~0u - (unsigned)none, low = (unsigned)few;
    int t = 0;
#pragma omp parallel for firstprivate(t, high, low)
    for (int i = 0; i < limit; i++) {
        if (high < low) {
            t = i * 3;
            c[i] = i;
        }
        a[i] = i;
        if (high + 1 < low + 1) {
            l[i] = t;
        }
        t++;
    }
}

/* Combined with what is there in a way that is none of a reduction, and depends on the order of
 * threads. */
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
COMBINED(refused_old_increased, long, 0, t += a[i],
         EXCHANGED((old + 5) ^ 0; __asm__(""); next += t))
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
BITS(refused_bits_of_integer, long, double, sum += l[i], SHARE_PRAGMA(omp atomic) total += t;)
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

/* A byte of the sum's beginning is set in its register. */
COMBINED(refused_byte_of_begin, long, few + (1L << 40); __asm__("movb $0, %b0"
                                                                : "+q"(t)),
                                                        t += a[i],
                                                        SHARE_PRAGMA(omp atomic) total += t;)
CASE(refused_volatile_byte)
{
    long total = 7;
#pragma omp parallel
    {
        volatile union {
            long all;
            unsigned char part[8];
        } it;
        it.all = ((long)few << 40) + 300;
        long begin = it.all, t = begin - it.part[0];
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            t += a[i];
        }
#pragma omp atomic
        total += t;
    }
    own[0] = (unsigned long)total;
}

/* Where a NaN is among the numbers, the smallest one is one of those behind it. */
CASE(refused_least_with_nan)
{
    double least = 1e9;
#pragma omp parallel for reduction(min : least)
    for (int i = 0; i < limit; i++) {
        least = least < x[i] ? least : x[i];
    }
    rounded[0] = least;
}

/* Where calls take what iterations count. */
HELPER void empty_call(void)
{
    __asm__ volatile("");
}

HELPER long behind_call(long number)
{
    empty_call();
    return number * 3 + 1;
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
FIRSTPRIVATE(refused_behind_call, long t = 0, firstprivate(t), l[i] = behind_call(t); t++)
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

/* Totals that come more than once, in two ways, or not by what is there. */
COMBINED(
    refused_total_again, long, 0, t += a[i], do {
        SHARE_PRAGMA(omp atomic)
        total += t;
    } while (__atomic_load_n(&total, __ATOMIC_SEQ_CST) < 1000000);)
COMBINED(refused_total_of_seven, long, 0, t += a[i], long old = total, seven = 7;
         __asm__ volatile(""
                          : "+r"(seven));
         __atomic_compare_exchange_n(&total, &seven, old + t, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);)
COMBINED(refused_total_of_half, long, 0, t += (long)a[i] << 31, EXCHANGED((unsigned)old + t))
COMBINED(refused_total_and_bits, long, 0, t += a[i], SHARE_PRAGMA(omp atomic) total += t;
         SHARE_PRAGMA(omp atomic) total |= t;)

/* Constants of 32 bits, as longer ones; a place in the frame that counts. */
COMBINED(refused_begin_of_half, long, 0, t += a[i], unsigned one_less = 0;
         __asm__ volatile(""
                          : "+r"(one_less));
         one_less -= 1; __asm__ volatile(""
                                         : "+r"(one_less));
         t += (long)one_less + 1; SHARE_PRAGMA(omp atomic) total += t;)
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
    refused_spmd_cut_both, unsigned long, , unsigned k = (unsigned)i; if (i < high) do {
        a[k] += 3;
        k++;
    } while (k != (unsigned)high);)
AS_COMPILED_IN(
    refused_spmd_unsigned_end, int, , int from = -few; if (i < high) {
        i += from;
        high += from;
        do {
            a[i + few] += 3;
            i++;
        } while ((unsigned)i < (unsigned)high);
    })
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
    refused_spmd_asks_rest, unsigned, unsigned all = size * me; OPAQUE(all), all = i - all;
    OPAQUE(all); for (; i < high; i++) {
        a[i] += 3;
        if (all > 1) {
            a[i] += 100;
        }
    })
AS_COMPILED_IN(
    refused_spmd_rest_asked_first, unsigned, unsigned all = size * me; OPAQUE(all), unsigned k = i;
    OPAQUE(k); if (k == all) {
        for (; i < high; i++)
            a[i] += 3;
    } else {
        for (; i < high; i++)
            a[i] += 4;
    })
AS_COMPILED_IN(
    refused_spmd_rest_seldom, unsigned, OPAQUE(rest);
    if (few == 3) { rest = 0; }, for (; i < high; i++) a[i] += 3;)
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
SPMD(refused_spmd_two_rests, AS_COMPILED(team); __asm__ volatile(""
                                                                 : "+r"(low));
     low += rest; high = low + size, a[i] = i + 1)
CASE(refused_spmd_fills_less)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        AS_COMPILED(team);
        if (low < high) {
            memset(&a[low], 1, (size_t)(high - low) * sizeof *a - sizeof *a);
        }
    }
}

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
AS_COMPILED_LOOP(
    refused_spmd_five_more_summed, long t = 0; do { t += a[i++]; } while (i < high + 5);
    __atomic_fetch_add(&l[0], t, __ATOMIC_RELAXED);)
AS_COMPILED_LOOP(refused_spmd_asked_before_counted, do l[i] |= 3; while (i++ != high);)
AS_COMPILED_LOOP(
    refused_spmd_one_less, while (i < high - 1) {
        l[i] += 3;
        i++;
    })
AS_COMPILED_LOOP(
    refused_spmd_half_of_last, for (;;) {
        a[i] = 3;
        OPAQUE(i);
        if (i == high - 1) {
            break;
        }
        l[i] = 4;
        i++;
    })
AS_COMPILED_LOOP(
    refused_spmd_asked_seldom, for (;;) {
        l[i] |= 3;
        i++;
        OPAQUE(i);
        if (b[i] % 2 == 0 && i >= high) {
            break;
        }
    })
AS_COMPILED_LOOP(
    refused_spmd_asked_within, for (;; i++) {
        for (int k = 0; k < few; k++) {
            l[i] += k + 1;
            OPAQUE(i);
            if (i + 1 >= high) {
                goto over;
            }
        }
    } over:;)

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

/* What begins a share as half a word; three numbers of which one wraps; flags of differences. */
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
AS_COMPILED_CASE(refused_sum_from_difference, unsigned from = ~0u - (unsigned)few;
                 long t = (long)(((unsigned long)from << 2) - (from << 2));
                 for (int i = low; i < high; i++) t += a[i];
                 __atomic_fetch_add(&l[0], t, __ATOMIC_RELAXED);)

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
CASE(refused_spmd_but_last_share)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        int size = 300 / team, rest = 300 % team;
        size += me < rest;
        rest = me < rest ? 0 : rest;
        int low = size * me + rest, high = low + size;
        if (high != 300) {
            for (int i = low; i < high; i++) {
                a[i] = 4;
            }
        }
    }
}
AS_COMPILED_LOOP(
    refused_spmd_below_zero, unsigned from = (unsigned)i - 10, to = (unsigned)high - 10;
    OPAQUE(from); OPAQUE(to); do {
        a[(int)from + 10] = 4;
        from++;
    } while (from < to);)
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

/* Shares begin with the quotient and the remainder of their first iteration, as loops that are
 * collapsed do, and count in a way that does not come to those of the next share. */
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
COUNTED(refused_counted_seldom, int, (unsigned)width, j >= width && b[r] % 2, 0)
COUNTED(refused_counted_to_memory, int, (unsigned)width, (c[r] = width + (int)(r & 1), j >= c[r]),
        0)
COUNTED(refused_counted_of_half, unsigned, (1ul << 32) + depth, j == (unsigned)depth, 0)
COUNTED(refused_counted_while_equal, int, (unsigned)width, j != width, 0)
COUNTED(refused_counted_byte, int, 300 + (unsigned)none, (unsigned char)j == 300 - 256, 0)
COUNTED_OF(
    refused_counted_by_two, int i = r / (unsigned)width; int j = r % (unsigned)width, j += 2;
    if (j >= width) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_outer_by_two, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i += 2;
    })
COUNTED_OF(
    refused_counted_outer_often, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) { j = 0; } else { i++; })
COUNTED_OF(
    refused_counted_outer_seldom, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        if (b[r] % 2)
            i++;
    })
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
    refused_counted_twice, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    } if (i == 5 && j == 3) j++)
COUNTED_OF(
    refused_counted_end_moves, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
        width += i & 1;
    })
COUNTED_OF(
    refused_counted_end_of_share, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width || r + 1 == high) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_behind, int i = (r + 1) / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_other_digit, int i = r / (unsigned)depth; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_of_end, int i = high / (unsigned)width; int j = high % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    })
COUNTED_OF(
    refused_counted_compared, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    } if (j == (int)me) { a[r] += 9; })
COUNTED_OF(
    refused_counted_equal_size, int i = r / (unsigned)width; int j = r % (unsigned)width, j++;
    if (j >= width) {
        j = 0;
        i++;
    } if (j == (int)size) { a[r] += 9; })
COUNTED_OF(
    refused_counted_equal_begin, int i = r / (unsigned)width; int j = r % (unsigned)width;
    unsigned begin = r, j++; if (j >= width) {
        j = 0;
        i++;
    } if (i == (int)begin) { a[r] += 9; })
COUNTED_OF(
    refused_counted_first_kept, int i = r / (unsigned)width; int j = r % (unsigned)width;
    int kept = j, j++; if (j >= width) {
        j = 0;
        i++;
    } a[r] += kept)
COUNTED_OF(
    refused_counted_first_divided, int i = r / (unsigned)width; int j = r % (unsigned)width;
    unsigned begin = r; OPAQUE(begin), j++; if (j >= width) {
        j = 0;
        i++;
    } a[r] += begin % (unsigned)depth)
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
    refused_counted_by_product, unsigned i = r * 9363 >> 16; unsigned j = r - i * 7, j++;
    if (j == 8) {
        j = 0;
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
