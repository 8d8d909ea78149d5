/* Static loops whose results do not depend on how their iterations are dealt to threads: each case
 * is a region that may be taken over. See share_cases.h. */
#include "tests/omp_ext/shares/share_cases.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* RANGE(NAME, TYPE, FIRST, CONDITION, STEP, BODY): a loop over i of TYPE with that head. */
#define RANGE(name, type, first, condition, step, ...) \
    CASE(name)                                         \
    {                                                  \
        SHARE_PRAGMA(omp parallel for)                 \
        for (type i = first; condition; step) {        \
            __VA_ARGS__;                               \
        }                                              \
    }

/* Bodies: element types, vectorised code, code that becomes a call of memcpy() or memset(). */
EACH(taken_zero, , y[i] = 0)
EACH(taken_fill_bytes, , h[i] = 7)
EACH(taken_fill_words, , u[i] = 0xffffffff)
EACH(taken_float_axpy, , g[i] += 3 * f[i])
EACH(taken_long_shift, , l[i] = (l[i] << 2) ^ i)
EACH(taken_unsigned_multiply, , u[i] *= 2654435761u)
EACH(taken_short_add, , s[i] = (short)(s[i] + 5))
EACH(taken_byte_xor, , h[i] ^= 0x55)
EACH(taken_double_to_int, , a[i] = (int)x[i])
EACH(taken_double_to_float, , f[i] = (float)(x[i] * 3))
EACH(taken_narrow, , s[i] = (short)a[i])
EACH(taken_absolute, , c[i] = abs(c[i]))
EACH(taken_divide, , y[i] = x[i] / z[i])
EACH(taken_divide_by_variable, , a[i] = a[i] / stride)
EACH(taken_square_root, , y[i] = sqrt(x[i]))
EACH(taken_index_as_byte, , h[i] = (unsigned char)i)
EACH(taken_index_parity, , a[i] = i & 1)
EACH(taken_bits, , a[i] = __builtin_popcount(u[i]) + __builtin_clz(u[i] | 1))
EACH(taken_compare, , a[i] = (x[i] < y[i]) + 2 * (y[i] < z[i]))
EACH(taken_struct_copy, , p[i] = p[i + n])
EACH(taken_mixed_sizes, , y[i] = f[i] + a[i] + l[i] + s[i] + h[i])
EACH(taken_fused, , y[i] = fma(x[i], z[i], y[i]))
EACH(taken_long_double, , y[i] = (double)((long double)x[i] / 3))
EACH(taken_wide_product, , l[i] = (long)((__int128)l[i] * l[i] * 123456789 >> 32))

/* Indices: strides, offsets, indirect addressing. */
EACH(taken_stride_store, , a[2 * i] = i)
EACH(taken_interleave, , x[2 * i] = y[i]; x[2 * i + 1] = z[i])
EACH(taken_stencil, , y[i + 2] = x[i] + x[i + 1] + x[i + 2] + x[i + 3] + x[i + 4])
EACH(taken_gather_scatter, , y[b[i]] = x[b[i + 1]])
EACH(taken_update_indirect, , a[b[i]] += i)

CASE(taken_rows)
{
#pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            m[i][j] = w[i][j] * 2 + j;
        }
    }
}

CASE(taken_transposed)
{
#pragma omp parallel for
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j < columns; j++) {
            m[i][j] = w[j][i];
        }
    }
}

CASE(taken_matrix_vector)
{
#pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++) {
            sum += m[i][j] * x[j];
        }
        y[i] = sum;
    }
}

/* Control flow of bodies. */
EACH(
    taken_nested_if, , if (a[i] & 1) {
        if (c[i] > 0)
            y[i] = 1;
        else
            z[i] = 2;
    })
EACH(taken_triangular_down, , for (int k = i; k < n; k++) l[i] += a[k])
EACH(taken_inner_by_data, , for (int k = 0; k < h[i]; k++) l[i] ^= k * i)
EACH(
    taken_inner_break, , for (int k = 0; k < 99; k++) {
        if (a[k] > a[i])
            break;
        l[i] += k;
    })
EACH(taken_logical, , a[i] = (x[i] > 2 && y[i] > 2) || (z[i] > 8 && i > 3))

CASE(taken_goto)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        unsigned v = u[i];
    again:
        v = v % 2 ? v * 3 + 1 : v / 2;
        if (v > 1000) {
            goto again;
        }
        a[i] = (int)v;
    }
}

CASE(taken_computed_goto)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        static const void *const targets[] = {&&one, &&two, &&three};
        goto *targets[a[i] % 3];
    one:
        y[i] = 1;
        continue;
    two:
        y[i] = x[i];
        continue;
    three:
        z[i] = i;
    }
}

CASE(taken_binary_search)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int low = 0, high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            if (middle * 3 < a[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        c[i] = low;
    }
}

CASE(taken_newton)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double r = x[i];
        while (fabs(r * r - x[i]) > 1e-9) {
            r = 0.5 * (r + x[i] / r);
        }
        y[i] = r;
    }
}

CASE(taken_insertion_sort)
{
#pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        for (int j = 1; j < columns; j++) {
            double moved = m[i][j];
            int k = j;
            for (; k > 0 && m[i][k - 1] > moved; k--) {
                m[i][k] = m[i][k - 1];
            }
            m[i][k] = moved;
        }
    }
}

/* Heads of loops: types, directions, steps, bounds. */
RANGE(taken_up_to, int, 1, i <= limit, i++, y[i] = x[i - 1])
RANGE(taken_by_three, int, 1, i < limit, i += 3, y[i] = x[i + 1])
RANGE(taken_down_by_two, int, limit, i > 0, i -= 2, a[i] = i)
RANGE(taken_unsigned_by_five, unsigned, 2, i < (unsigned)limit, i += 5, u[i] = i * 4)
RANGE(taken_unsigned_down, unsigned, (unsigned)limit, i > 1, i--, u[i] = i * 5)
RANGE(taken_unsigned_high, unsigned, UINT_MAX - 900, i < UINT_MAX - 5, i++, u[UINT_MAX - i] = i)
RANGE(taken_unsigned_long_high, unsigned long, -900UL, i < -7UL, i += 3, l[-i] = (long)i)
RANGE(taken_long_low, long, LONG_MIN, i < LONG_MIN + 900, i++, l[i - LONG_MIN] = i)
RANGE(taken_long_high, long, LONG_MAX - 900, i < LONG_MAX - 5, i += 4, l[LONG_MAX - i] = 4)
RANGE(taken_size, size_t, 0, i < sizeof x / sizeof *x, i++, x[i] *= 2)
RANGE(taken_char, signed char, -100, i < 100, i++, a[i + 100] = i)
RANGE(taken_int_high, int, INT_MAX - 900, i < INT_MAX - 3, i++, a[INT_MAX - i] = i)
RANGE(taken_bounds_of_memory, int, a[0] % 9, i < a[1] % 99 + 500, i++, y[i] = 4)
RANGE(taken_pointer, double *, x, i < x + n, i++, *i += 5)
RANGE(taken_pointer_to_struct, struct point *, p, i != p + n, i++, i->count = i->id)
RANGE(taken_empty, int, 0, i < none, i++, y[i] = 77)
RANGE(taken_fewer_than_threads, int, 0, i < few, i++, y[i] = 79)

/* COLLAPSED(NAME, CLAUSES, HEAD, HEAD, BODY) */
#define COLLAPSED(name, clauses, outer, inner, ...) \
    CASE(name)                                      \
    {                                               \
        SHARE_PRAGMA(omp parallel for clauses)      \
        for outer                                                                                  \
            for inner                               \
            {                                       \
                __VA_ARGS__;                        \
            }                                       \
    }

COLLAPSED(taken_collapsed, collapse(2), (int i = 0; i < rows; i++), (int j = 0; j < columns; j++),
          m[i][j] = i * 100 + j)
COLLAPSED(taken_collapsed_runtime, collapse(2), (int i = few; i < rows; i++),
          (int j = 0; j < few * 8; j++), m[i][j] += w[i][j])
COLLAPSED(taken_collapsed_long, collapse(2), (long i = 0; i < limit / 27; i++),
          (long j = 1; j < limit / 40; j += 2), m[i][j] += w[i][j] * 2)

CASE(taken_collapsed_thrice)
{
#pragma omp parallel for collapse(3)
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 10; j++) {
            for (short k = 10; k > 0; k--) {
                a[i * 100 + j * 10 + k] = i * j - k;
            }
        }
    }
}

/* NESTED(NAME, CLAUSES, HEAD, HEAD): i and j, with a loop within whose length differs. */
#define NESTED(name, clauses, outer, inner)                \
    CASE(name)                                             \
    {                                                      \
        int height = few * 12, width = few * 9;            \
        long longest = limit / 40;                         \
        SHARE_PRAGMA(omp parallel for collapse(2) clauses) \
        for outer                                                                           \
            for inner                                      \
            {                                              \
                double sum = 0;                            \
                for (int k = 0; k <= (int)i; k++) {        \
                    sum += w[k][j] * (k - (int)j);         \
                }                                          \
                m[i][j] = sum;                             \
            }                                              \
    }

NESTED(taken_nested, , (int i = 0; i < height; i++), (int j = 0; j < width; j++))
NESTED(taken_nested_between, , (int i = few; i < height; i++), (int j = few; j < width; j++))
NESTED(taken_nested_down, , (int i = height; i > 0; i--), (int j = width - 1; j >= few; j--))
NESTED(taken_nested_by_two, , (int i = 0; i < height; i += 2), (int j = 2; j < width; j++))
NESTED(taken_nested_unsigned, , (unsigned i = 0; i < height; i++), (unsigned j = 1; j < width; j++))
NESTED(taken_nested_long, , (long i = 0; i < longest; i++), (long j = 0; j < longest; j++))
NESTED(taken_nested_size, , (unsigned long i = 0; i < (unsigned long)longest; i++),
       (unsigned long j = 0; j < (unsigned long)longest; j++))
NESTED(taken_nested_numbers, , (int i = 0; i < rows; i++), (int j = 1; j < 26; j++))
NESTED(taken_nested_powers, , (int i = 0; i < 32; i++), (int j = 0; j < 16; j++))
NESTED(taken_nested_static, schedule(static), (int i = 0; i < height; i++),
       (int j = 0; j != width; j++))

CASE(taken_nested_thrice)
{
    int height = few * 3, width = few * 3, depth = stride;
#pragma omp parallel for collapse(3)
    for (int i = 0; i < height; i++) {
        for (int j = 1; j < width; j++) {
            for (int k = 2; k < depth; k++) {
                for (int g = 0; g < j; g++) {
                    a[i * 100 + j * 10 + k] += g * i - k;
                }
            }
        }
    }
}

CASE(taken_nested_sum)
{
    double t = 0;
    int height = few * 12, width = few * 9, most = 0;
#pragma omp parallel for collapse(2) reduction(+ : t) reduction(max : most)
    for (int i = 0; i < height; i++) {
        for (int j = 0; j < width; j++) {
            for (int k = 0; k < i; k++) {
                t += m[k][j] * i;
            }
            most = most > i * j ? most : i * j;
        }
    }
    rounded[0] = t;
    value[1] = most;
}

CASE(taken_nested_pixels)
{
    int height = few * 12, width = few * 9;
#pragma omp parallel for collapse(2)
    for (int i = 0; i < height; i++) {
        for (int j = 0; j < width; j++) {
            double at = 3.0 * j / width - 2, up = 2.0 * i / height - 1, r = 0, s = 0;
            int k = 0;
            while (k < 99 && r * r + s * s < 4) {
                double next = r * r - s * s + at;
                s = 2 * r * s + up;
                r = next;
                k++;
            }
            a[i * width + j] = k;
        }
    }
}

/* Schedules and other clauses. */
EACH(taken_nonmonotonic, schedule(nonmonotonic : static), y[i] = x[i] + 17)
EACH(taken_if_clause_false, if (limit < 500), y[i] = x[i] + 19)
EACH(taken_num_threads_one, num_threads(1), y[i] = x[i] + 22)
EACH(taken_more_threads, num_threads(40), y[i] = x[i] + 23)
EACH(taken_chunk_recurrence, schedule(static, 20), y[i] = i % 20 ? y[i - 1] + x[i] : x[i])

CASE(taken_simd)
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * z[i] + 1;
    }
}

CASE(taken_simd_sum)
{
    int sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < limit; i++) {
        sum += a[i] * 3;
    }
    value[0] = sum;
}

/* A thread has the same iterations of both loops. */
CASE(taken_pair)
{
#pragma omp parallel
    {
#pragma omp for nowait schedule(static)
        for (int i = 0; i < limit; i++) {
            y[i] = x[i] * 2;
        }
#pragma omp for schedule(static)
        for (int i = 0; i < limit; i++) {
            z[i] = y[i] + 1;
        }
    }
}

CASE(taken_pair_of_others)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < limit; i++) {
            y[i] = x[i] * 2;
        }
#pragma omp for nowait
        for (long i = 0; i < n / 2; i++) {
            l[i] = a[i];
        }
    }
}

CASE(taken_three_loops)
{
#pragma omp parallel
    {
#pragma omp for nowait schedule(static)
        for (int i = 0; i < n; i++) {
            y[i] = sin(x[i]);
        }
#pragma omp for nowait schedule(static)
        for (int i = 0; i < n; i++) {
            z[i] = y[i] * y[i];
        }
#pragma omp for nowait schedule(static)
        for (int i = 0; i < n; i++) {
            x[i] = z[i] + y[i];
        }
    }
}

CASE(taken_loop_in_if)
{
#pragma omp parallel
    {
        if (limit > 100) {
#pragma omp for nowait
            for (int i = 0; i < limit; i++) {
                y[i] = x[i] - 6;
            }
        }
    }
}

/* Most of the function may be placed apart from its begin. */
EACH(taken_unlikely_branch, , if (__builtin_expect(a[i] > 500, 0)) y[i] += fmod(x[i], 0.3))

CASE(taken_either_loop)
{
#pragma omp parallel
    {
        if (few > 5) {
#pragma omp for nowait
            for (int i = 0; i < limit; i++) {
                y[i] = x[i] - 7;
            }
        } else {
#pragma omp for nowait
            for (int i = 1; i < limit; i++) {
                y[i] = x[i] - 8;
            }
        }
    }
}

CASE(taken_region_in_loop)
{
    for (int k = 0; k < few; k++) {
#pragma omp parallel for
        for (int i = 0; i < limit; i++) {
            a[i] = a[i] * 2 + k;
        }
    }
}

/* Data: private variables, input and results of the iterations. */
CASE(taken_firstprivate)
{
    int added = few * 4;
    double times = factor;
    float other = (float)factor;
#pragma omp parallel for firstprivate(added, times, other)
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * times + added * other;
    }
}

CASE(taken_shared_by_reference)
{
    double t = factor, *to = y;
    double keep[8] = {0};
#pragma omp parallel for shared(t, to, keep)
    for (int i = 0; i < n; i++) {
        to[i] = x[i] * t;
        if (i % 125 == 3) {
            keep[i / 125] = t + i;
        }
    }
    memcpy(rounded, keep, sizeof keep);
}

CASE(taken_private_in_branches)
{
    int t;
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        if (a[i] & 1) {
            t = 5;
        } else {
            t = c[i];
        }
        l[i] = t;
    }
}

CASE(taken_local_variable_length)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int used = a[i] % 30 + 1, t[used];
        for (int k = 0; k < used; k++) {
            t[k] = a[i + k];
        }
        c[i] = t[used - 1] + t[0];
    }
}

CASE(taken_private_struct)
{
    struct point t;
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        t = (struct point){x[i], z[i], a[i], i};
        if (t.x > t.y) {
            t.count = -t.count;
        }
        p[i] = t;
    }
}

CASE(taken_lastprivate)
{
    int t = 0;
#pragma omp parallel for lastprivate(t)
    for (int i = 0; i < n; i++) {
        t = a[i] * 3;
        c[i] = t;
    }
    value[0] = t;
}

CASE(taken_lastprivate_sum)
{
    int t = 0, sum = 0;
#pragma omp parallel for lastprivate(t) reduction(+ : sum)
    for (int i = 0; i < limit; i++) {
        t = a[i];
        sum += t;
    }
    value[0] = t, value[1] = sum;
}

/* As in Cython: a barrier before the loop, as a thread may set the variable after it. */
CASE(taken_first_and_last)
{
    int t = 7;
#pragma omp parallel
    {
#pragma omp for firstprivate(t) lastprivate(t)
        for (int i = 0; i < n; i++) {
            t = a[i] + i;
            y[i] = x[i] * t;
        }
    }
    value[0] = t;
}

CASE(taken_first_and_last_of_some)
{
    int t = -1, k = -2;
    double sum = -3;
#pragma omp parallel
    {
#pragma omp for firstprivate(t) lastprivate(t) lastprivate(k) lastprivate(sum)
        for (int i = 0; i < limit; i++) {
            t = i;
            sum = 0;
            for (k = 0; k < few; k++) {
                sum += x[i + k];
            }
            y[t] = sum;
        }
    }
    value[0] = t, value[1] = k, rounded[0] = sum;
}

CASE(taken_first_and_last_of_none)
{
    int t = 5;
#pragma omp parallel
    {
#pragma omp for firstprivate(t) lastprivate(t)
        for (int i = 0; i < none; i++) {
            t = i;
            a[i] = t;
        }
    }
    value[0] = t;
}

CASE(taken_last_behind)
{
    int t = 0;
#pragma omp parallel
    {
#pragma omp for lastprivate(t)
        for (int i = 0; i < n; i++) {
            t = i;
            c[i] = a[i] + t;
        }
    }
    value[0] = t;
}

CASE(taken_linear)
{
    int t = 5;
#pragma omp parallel for linear(t)
    for (int i = 0; i < n; i++) {
        a[i] = t++;
    }
    value[0] = t;
}

CASE(taken_linear_by_two)
{
    long t = few;
#pragma omp parallel for linear(t : 2)
    for (int i = 0; i < limit; i++) {
        y[i] = x[t];
        t += 2;
    }
}

CASE(taken_linear_pointer)
{
    double *t = x;
#pragma omp parallel for linear(t)
    for (int i = 0; i < limit; i++) {
        *t++ = i;
    }
}

/* Reductions. */
#define REDUCED(name, type, initial, clauses, result, ...) \
    CASE(name)                                             \
    {                                                      \
        type t = initial;                                  \
        SHARE_PRAGMA(omp parallel for clauses)             \
        for (int i = 0; i < limit; i++) {                  \
            __VA_ARGS__;                                   \
        }                                                  \
        result = t;                                        \
    }

REDUCED(taken_sum_widened, long, 3, reduction(+ : t), value[0], t += (long)a[i] * c[i])
REDUCED(taken_sum_index, long, 0, reduction(+ : t), value[0], t += i)
REDUCED(taken_count, int, 0, reduction(+ : t), value[0], if (x[i] > 3) t++)
REDUCED(taken_sum_branches, int, 0, reduction(+ : t), value[0], t += c[i] > 0 ? a[i] : -i)
REDUCED(taken_sum_inner, double, 0, reduction(+ : t), rounded[0],
        for (int k = 0; k < i % 9; k++) t += x[k] * y[i])
REDUCED(taken_sum_sines, double, 0, reduction(+ : t), rounded[0], t += sin(x[i]) + 2)
REDUCED(taken_difference_of_sums, int, 9, reduction(- : t), value[0], t -= a[i])
REDUCED(taken_product, unsigned, 3, reduction(* : t), value[0], t *= u[i] | 1)
REDUCED(taken_product_double, double, 3, reduction(* : t), rounded[0], t *= i % 2 ? 0.5 : 2)
REDUCED(taken_minimum, int, 9999,
        reduction(min
                  : t),
        value[0], if (a[i] + c[i] < t) t = a[i] + c[i])
REDUCED(taken_maximum, int, -9999, reduction(max : t), value[0], t = a[i] > t ? a[i] : t)
REDUCED(taken_minimum_double, double, 9999,
        reduction(min
                  : t),
        rounded[0], t = fmin(t, x[i] - y[i]))
REDUCED(taken_maximum_double, double, -9999,
        reduction(max
                  : t),
        rounded[0], if (x[i] - y[i] > t) t = x[i] - y[i])
REDUCED(taken_maximum_float, float, -9999, reduction(max : t), rounded[0], if (f[i] > t) t = f[i])
REDUCED(taken_minimum_unsigned, unsigned, ~0u,
        reduction(min
                  : t),
        value[0], t = u[i] < t ? u[i] : t)
REDUCED(taken_and, int, -1, reduction(& : t), value[0], t &= a[i] | 0x15)
REDUCED(taken_or, int, 0, reduction(| : t), value[0], t |= a[i] & 0x2a)
REDUCED(taken_xor, int, 3, reduction(^ : t), value[0], t ^= a[i])
REDUCED(taken_any_bool, bool, 0, reduction(|| : t), value[0], t = t || a[i] == 0)
REDUCED(taken_sum_if, int, 0, reduction(+ : t) if (limit > 5), value[0], t += a[i] * 6)

CASE(taken_sum_negative)
{
    int t = 0;
#pragma omp parallel for reduction(+ : t)
    for (int i = limit; i > 0; i--) {
        t -= a[i];
    }
    value[0] = t;
}

CASE(taken_two_sums)
{
    double sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    rounded[0] = sum, rounded[1] = squares;
}

CASE(taken_three_reductions)
{
    int sum = 0, most = 0;
    double least = 1e9;
#pragma omp parallel for reduction(+ : sum) reduction(max : most) reduction(min : least)
    for (int i = 0; i < n; i++) {
        sum += a[i];
        most = a[i] > most ? a[i] : most;
        least = x[i] < least ? x[i] : least;
    }
    value[0] = sum, value[1] = most, rounded[0] = least;
}

CASE(taken_array_section_sum)
{
    long *t = value;
#pragma omp parallel for reduction(+ : t [0:16])
    for (int i = 0; i < n; i++) {
        t[h[i] & 15]++;
    }
}

CASE(taken_region_sum)
{
    int t = 0;
#pragma omp parallel reduction(+ : t)
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t += a[i] * 7;
        }
    }
    value[0] = t;
}

CASE(taken_collapsed_sum)
{
    double t = 0;
#pragma omp parallel for collapse(2) reduction(+ : t)
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            t += m[i][j] * i;
        }
    }
    rounded[0] = t;
}

CASE(taken_complex_sum)
{
    double complex t = 0;
#pragma omp parallel for reduction(+ : t)
    for (int i = 0; i < n; i++) {
        t += x[i] + y[i] * I;
    }
    rounded[0] = creal(t), rounded[1] = cimag(t);
}

#pragma omp declare reduction(add_points                                              \
                              : struct point                                          \
                              : omp_out.x += omp_in.x, omp_out.count += omp_in.count) \
    initializer(omp_priv = {0})

CASE(taken_declared_sum)
{
    struct point t = {0};
#pragma omp parallel for reduction(add_points : t)
    for (int i = 0; i < n; i++) {
        t.x += x[i];
        t.count += a[i];
    }
    rounded[0] = t.x, value[0] = t.count;
}

/* A reduction that is written by hand. */
CASE(taken_sum_by_hand)
{
    int total = 0;
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            t += a[i] * 11;
        }
#pragma omp atomic
        total += t;
    }
    value[0] = total;
}

/* Calls: of the mathematical library, of functions of the program. */
EACH(taken_power, , y[i] = pow(x[i], z[i]))
EACH(taken_logarithm, , y[i] = log(x[i]) - log10(z[i]))
EACH(taken_hypot, , y[i] = hypot(x[i], z[i]))
EACH(taken_rounding, , y[i] = floor(x[i]) + ceil(z[i]) + rint(y[i]))
EACH(taken_lround, , l[i] = lround(x[i] * 7))
EACH(taken_cubic_root, , y[i] = cbrt(x[i]))
EACH(taken_arc_tangent, , y[i] = atan2(x[i], z[i]))
EACH(taken_float_cosine, , f[i] = cosf(g[i]))
EACH(taken_sine_and_cosine, , y[i] = sin(x[i]) * cos(x[i]))
EACH(taken_gamma, , y[i] = tgamma(x[i] / 2))
EACH(taken_frexp, , int t; y[i] = frexp(x[i], &t); a[i] = t)
EACH(taken_modf, , double t; y[i] = modf(x[i] * 3, &t); z[i] = t)
EACH(taken_power_of_integer, , y[i] = __builtin_powi(x[i], few))
EACH(taken_complex_quotient, , y[i] = creal((1 + I * y[i]) / (x[i] + 2 * I)))
EACH(taken_complex_exponential, , y[i] = cabs(cexp(x[i] * I)))
EACH(taken_call_in_branch, , if (a[i] > 500) y[i] = tan(x[i]))
EACH(taken_copy_of_some, , memcpy(&h[2 * i], &l[i], (size_t)(i % 2) + 1))
EACH(taken_clear_rows, , if (i < rows) memset(m[i], 0, sizeof(double) * (size_t)(a[i] % columns)))
EACH(taken_compare_rows, , a[i] = memcmp(&p[i], &p[i + 1], 16) > 0)
EACH(taken_abort_never, , if (a[i] < -5) abort(); y[i] = 6)

#define HELPER __attribute__((noinline)) static

HELPER double pure(double v)
{
    return v > 3 ? v * v : v + 1;
}

HELPER int fibonacci(int k)
{
    return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}

HELPER double sum_of(const double *v, int count)
{
    double sum = 0;

    for (int k = 0; k < count; k++) {
        sum += v[k];
    }
    return sum;
}

HELPER struct point made(double v, int i)
{
    return (struct point){v, v + pure(v), i, -i};
}

HELPER double passed(struct point v)
{
    return v.x * v.count + v.y * v.id;
}

HELPER double many(double d1, double d2, double d3, double d4, double d5, double d6, double d7,
                   double d8, double d9, double d10, int i1, int i2, int i3, int i4, int i5, int i6,
                   int i7, int i8)
{
    return d1 + 2 * d2 + 3 * d3 + 4 * d4 + 5 * d5 + 6 * d6 + 7 * d7 + 8 * d8 + 9 * d9 + 10 * d10 +
           i1 * i2 + i3 * i4 + i5 * i6 + i7 * i8;
}

HELPER int variadic(int count, ...)
{
    va_list list;
    int sum = 0;

    va_start(list, count);
    for (int k = 0; k < count; k++) {
        sum += va_arg(list, int);
    }
    va_end(list);
    return sum;
}

HELPER int is_odd(int k);

HELPER int is_even(int k)
{
    return k == 0 ? 1 : is_odd(k - 1);
}

HELPER int is_odd(int k)
{
    return k == 0 ? 0 : is_even(k - 1);
}

HELPER double wrapped(double v)
{
    return exp(sin(v)) + pure(v);
}

HELPER void smooth(double *row, int count)
{
    double t[columns];

    for (int k = 0; k < count; k++) {
        t[k] = row[k] + row[k > 0 ? k - 1 : 0];
    }
    memcpy(row, t, sizeof *t * (size_t)count);
}

EACH(taken_mutual_recursion, , a[i] = is_even(a[i]))
EACH(taken_call_of_local_array, , double t[4] = {x[i], y[i], z[i], 1}; y[i] = sum_of(t, 4))
EACH(taken_struct_result, , p[i] = made(x[i], i))
EACH(taken_struct_argument, , y[i] = passed(p[i]))
EACH(taken_many_arguments, ,
     y[i] = many(x[i], 2, z[i], 4, 5, i, 7, x[0], 9, i, i, 2, 3, 4, 5, a[i], 7, 8))
EACH(taken_variadic, , a[i] = variadic(4, i, a[i], c[i], 9))
EACH(taken_call_of_calls, , y[i] = wrapped(x[i]))
EACH(taken_call_with_scratch, , if (i < rows) smooth(m[i], columns))

CASE(taken_call_of_private_array)
{
    double t[8];
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 8; k++) {
            t[k] = x[i + k];
        }
        y[i] = sum_of(t, 8);
    }
}

CASE(taken_call_of_shared_struct)
{
    struct point t = p[few];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        y[i] = passed(t) + sum_of(&t.x, 2) + i;
    }
}

/* Iterations may synchronise. */
EACH(taken_atomic_or, , SHARE_PRAGMA(omp atomic) value[a[i] & 7] |= 1L << (i & 31))
EACH(taken_sync_builtin, , __atomic_fetch_add(&value[i & 3], a[i], __ATOMIC_RELAXED))
EACH(taken_critical, , SHARE_PRAGMA(omp critical) value[1] += a[i])
EACH(taken_named_critical, ,
     SHARE_PRAGMA(omp critical(maximum)) if (a[i] > value[2]) value[2] = a[i])

CASE(taken_lock)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&lock);
        value[0] += a[i];
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

/* Allocation that ends with the iteration. */
CASE(taken_allocation)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int *t = malloc((size_t)(a[i] + 1) * sizeof *t);
        t[a[i]] = i;
        c[i] = t[a[i]] + 1;
        free(t);
    }
}

/* More values than registers. */
CASE(taken_many_arrays)
{
    double *r0 = x, *r1 = x + n, *r2 = y, *r3 = y + n, *r4 = z, *r5 = z + n;
    int *r6 = a, *r7 = b, *r8 = c;
    long *r9 = l;
    float *r10 = f, *r11 = g;
#pragma omp parallel for
    for (int i = 0; i < limit; i++) {
        r0[i] = r1[i] + r2[i] * r3[i];
        r4[i] = r5[i] + r6[i] * r7[i];
        r8[i] = (int)r9[i] + r6[i];
        r10[i] = r11[i] + r8[i];
    }
}

CASE(taken_many_scalars)
{
    double k1 = x[1], k2 = x[2], k3 = x[3], k4 = x[4], k5 = x[5], k6 = x[6], k7 = x[7], k8 = x[8];
    double k9 = x[9], k10 = x[10], k11 = x[11], k12 = x[12], k13 = x[13], k14 = x[14];
    int j1 = a[1], j2 = a[2], j3 = a[3], j4 = a[4], j5 = a[5], j6 = a[6], j7 = a[7], j8 = a[8];
#pragma omp parallel for
    for (int i = 0; i < limit; i++) {
        double v = z[i];
        y[i] = (((((((v * k1 + k2) * v + k3) * v + k4) * v + k5) * v + k6) * v + k7) * v + k8) /
               ((((((v * k9 + k10) * v + k11) * v + k12) * v + k13) * v + k14) * v + k1 + k8 + k3);
        c[i] = ((((i * j1 + j2) ^ j3) + (j4 & i) * j5) ^ j6) + (j7 | i) * j8 + j1 * j8;
    }
}

CASE(taken_spills_over_calls)
{
    double k1 = x[1], k2 = x[2], k3 = x[3], k4 = x[4];
    int j1 = a[1], j2 = a[2], j3 = a[3], j4 = a[4], j5 = a[5], j6 = a[6];
#pragma omp parallel for
    for (int i = 0; i < limit; i++) {
        double v = pow(z[i] * k1, 0.25), r = sin(v + k2);
        y[i] = exp(r * k3) + cos(v * k4) * j1 + j2;
        c[i] = fibonacci((i + j3) % 7) * j4 + fibonacci((i ^ j5) % 5) * j6 + a[i];
    }
}

CASE(taken_unrolled)
{
#pragma omp parallel for
    for (int i = 0; i < n - 1; i += 4) {
        double t0 = x[i], t1 = x[i + 1], t2 = x[i + 2], t3 = x[i + 3];
        y[i] = t0 + t1, y[i + 1] = t0 - t1, y[i + 2] = t2 + t3, y[i + 3] = t2 - t3;
        z[i] = t0 * t2, z[i + 1] = t1 * t3, z[i + 2] = t0 / t2, z[i + 3] = t1 / t3;
    }
}

CASE(taken_vector_type)
{
    typedef double pair __attribute__((vector_size(16), aligned(8)));
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++) {
        pair v = *(pair *)&x[2 * i];
        *(pair *)&y[2 * i] = v * v + 1;
    }
}

CASE(taken_bit_fields)
{
    struct bits {
        unsigned low : 5, middle : 11, high : 16;
    };
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        struct bits t;
        memcpy(&t, &u[i], sizeof t);
        t.middle += t.low;
        a[i] = (int)(t.middle ^ t.high);
    }
}

/* Loops within the iterations, as large as the compiler does not know: it makes a loop over the
 * share for each kind of size, vectors within, and a stack frame that is aligned for them. Taken at
 * -O3, too. */
CASE(taken_within_product)
{
    int high = few + 20;
#pragma omp parallel for
    for (int i = 0; i < high; i++) {
        for (int j = 0; j < high; j++) {
            double sum = 0;
            for (int k = 0; k < high; k++) {
                sum += m[i][k] * w[k][j];
            }
            x[i * 24 + j] = sum;
        }
    }
}

CASE(taken_within_stencil)
{
    int high = few + 20;
#pragma omp parallel for
    for (int i = 1; i < high - 1; i++) {
        for (int j = 1; j < high - 1; j++) {
            m[i][j] = 0.25 * (w[i - 1][j] + w[i + 1][j] + w[i][j - 1] + w[i][j + 1]);
        }
    }
}

CASE(taken_within_norm)
{
    int high = few + 20;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i < high; i++) {
        for (int j = 1; j < high; j++) {
            double difference = m[i][j] - w[i][j];
            sum += difference * difference;
        }
    }
    rounded[0] = sum;
}

CASE(taken_within_bodies)
{
    int high = few + 20;
#pragma omp parallel for
    for (int i = 0; i < limit; i++) {
        double force = 0, other = 0;
        for (int j = 0; j < high; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], square = dx * dx + dy * dy + 0.01;
            double inverse = 1 / (square * sqrt(square));
            force += dx * inverse;
            other += dy * inverse;
        }
        z[i] = force + other;
    }
}

CASE(taken_within_blur)
{
    int high = few + 16;
#pragma omp parallel for
    for (int i = 1; i < high; i++) {
        for (int j = 1; j < high; j++) {
            float sum = 0;
            for (int u = -1; u <= 1; u++) {
                for (int v = -1; v <= 1; v++) {
                    sum += f[(i + u) * 20 + j + v];
                }
            }
            g[i * 20 + j] = sum / 9;
        }
    }
}

CASE(taken_within_escape)
{
    int high = few + 20;
#pragma omp parallel for
    for (int i = 0; i < high; i++) {
        for (int j = 0; j < high; j++) {
            double re = j / 12.0 - 1.5, im = i / 12.0 - 1, a0 = 0, b0 = 0;
            int count = 0;
            while (count < 100 && a0 * a0 + b0 * b0 < 4) {
                double next = a0 * a0 - b0 * b0 + re;
                b0 = 2 * a0 * b0 + im;
                a0 = next;
                count++;
            }
            l[i * 24 + j] = count;
        }
    }
}

CASE(taken_within_largest)
{
    int high = few + 20;
    double largest = 0;
#pragma omp parallel for reduction(max : largest)
    for (int i = 1; i < high; i++) {
        for (int j = 1; j < high; j++) {
            double difference = fabs(m[i][j] - w[i][j]);
            if (difference > largest) {
                largest = difference;
            }
        }
    }
    rounded[0] = largest;
}

CASE(taken_fmin)
{
    double least = 1e10;
#pragma omp parallel for reduction(min : least)
    for (int i = 0; i < limit; i++) {
        least = fmin(least, x[i] / (y[i] + factor));
    }
    rounded[0] = least;
}

CASE(taken_fmax_float)
{
    float largest = -1;
#pragma omp parallel for reduction(max : largest)
    for (int i = 0; i < limit; i++) {
        largest = fmaxf(f[i] * 2, largest);
    }
    rounded[0] = largest;
}

/* Rows of a power of 2, in which all indices are counted in one register. */
static double by_column[32][32], product_of_both[32][32];

CASE(taken_product_of_powers)
{
    int high = few + 20;
#pragma omp parallel for
    for (int i = 0; i < high; i++) {
        for (int j = 0; j < high; j++) {
            double sum = 0;
            for (int k = 0; k < high; k++) {
                sum += by_column[i][k] * by_column[k][j] + x[k];
            }
            product_of_both[i][j] = sum;
        }
    }
    memcpy(y, product_of_both, sizeof product_of_both);
}

/* Rows whose length is a variable: pointers go on by it from one iteration to the next. */
#define ROWS(name, index, length, ...)                              \
    CASE(name)                                                      \
    {                                                               \
        length size = few + 20;                                     \
        double *from = x, *to = y;                                  \
        SHARE_PRAGMA(omp parallel for firstprivate(size, from, to)) \
        for (index i = 0; i < rows; i++) {                          \
            __VA_ARGS__;                                            \
        }                                                           \
    }
ROWS(taken_rows_of, int, int, to[i * size] = from[i] * 2)
ROWS(taken_rows_of_unsigned, unsigned long, unsigned long, to[i * size] = from[i])
ROWS(
    taken_rows_added, long, long, double sum = 0;
    for (long k = 0; k < size; k++) { sum += from[i * size + k]; } to[i] = sum)
ROWS(
    taken_rows_filled, int, long,
    for (long k = 0; k < size; k++) { to[i * size + k] = from[k] + i; })
ROWS(taken_rows_of_product, long, long, long part = few; to[(i * part + 1) * size] = from[i])
