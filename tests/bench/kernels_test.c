/* The loops of bench/imbalance compute what they say, and are as uneven as they say. Numbers that
 * are drawn in bench/ are those of SplitMix64, and fractions are below 1. */
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/imbalance_dir/kernel.h"
#include "bench/support/support.h"
#include "tests/support/unit.h"

#define SCALE 0.1

/* A process prepares a kernel once; later calls get the number of iterations. */
static size_t prepared(const struct kernel *kernel)
{
    static const struct kernel *known[16];
    static size_t iterations[16];
    size_t k = 0;

    while (known[k] != NULL && known[k] != kernel) {
        k++;
    }
    if (known[k] == NULL) {
        known[k] = kernel;
        iterations[k] = kernel->prepare(SCALE);
    }
    return iterations[k];
}

static double sum_of(const struct kernel *kernel)
{
    size_t iterations = prepared(kernel);
    double sum = 0;

    for (size_t i = 0; i < iterations; i++) {
        sum += kernel->run(i);
    }
    return sum;
}

TEST(every_kernel_is_found_by_its_name)
{
    for (const struct kernel *kernel = kernels; kernel->name != NULL; kernel++) {
        assert_ptr_equal(kernel_find(kernel->name), kernel);
    }
    assert_null(kernel_find("mandel"));
}

TEST(iterations_give_the_same_again_and_in_any_order)
{
    double first[4096];

    for (const struct kernel *kernel = kernels; kernel->name != NULL; kernel++) {
        size_t iterations = prepared(kernel);
        assert_in_range(iterations, 16, 4096);
        for (size_t i = 0; i < iterations; i++) {
            first[i] = kernel->run(i);
        }
        for (size_t i = iterations; i-- > 0;) {
            assert_true(kernel->run(i) == first[i]);
        }
    }
}

/* Sums of i rounded terms are not exact. */
TEST(triangular_rows_sum_up_to_their_formula)
{
    const struct kernel *triangular = kernel_find("triangular");
    size_t iterations = prepared(triangular);

    for (size_t i = 0; i < iterations; i++) {
        double wanted = (double)(i + 2) * (double)(i + 3) / 6;
        assert_float_equal(triangular->run(i) / wanted, 1, 1e-6);
    }
}

/* atan((1 - c) / w) + atan(c / w), summed up over the peaks. */
TEST(quadrature_finds_the_integral)
{
    assert_true(fabs(sum_of(kernel_find("quadrature")) - 15.303079995634373) < 1e-9);
}

/* The same loop in each process, other loops for other seeds; in other instances other costs, but
 * the same results. */
TEST(loops_are_drawn_by_their_seeds)
{
    size_t sizes[20];
    int alike = 0;

    assert_null(kernel_find("drawn:"));
    assert_null(kernel_find("drawn:x"));
    assert_null(kernel_find("drawn:7y"));
    for (int seed = 0; seed < 20; seed++) {
        char name[20];
        snprintf(name, sizeof name, "drawn:%d", seed);
        const struct kernel *kernel = kernel_find(name);
        assert_non_null(kernel);
        sizes[seed] = kernel->prepare(0.01);
        assert_in_range(sizes[seed], 60, 20000);
        double first = kernel->run(0), last = kernel->run(sizes[seed] - 1);
        kernel->begin(3);
        assert_true(kernel->run(sizes[seed] - 1) == last);
        assert_true(kernel->run(0) == first);
        kernel->begin(0);
        assert_int_equal(kernel->prepare(0.01), sizes[seed]);
        assert_true(kernel->run(0) == first);
        for (int other = 0; other < seed; other++) {
            alike += sizes[other] == sizes[seed];
        }
    }
    assert_in_range(alike, 0, 3);
}

/* The first of the generator that begins with 0, as its authors' program prints them. */
TEST(bits_are_those_of_splitmix64)
{
    uint64_t drawn = 0;

    assert_true(random_next(&drawn) == 0xe220a8397b1dcdafu);
    assert_true(random_next(&drawn) == 0x6e789e6aa1b965f4u);
    assert_true(random_next(&drawn) == 0x06c45d188009454fu);
    assert_true(random_bits(3 * RANDOM_STEP) == 0x06c45d188009454fu);
    assert_true(random_fraction(0) == 0);
    assert_true(random_fraction(1u << 11) == 0x1p-53);
    assert_true(random_fraction(UINT64_MAX) == 1 - 0x1p-53);
}
