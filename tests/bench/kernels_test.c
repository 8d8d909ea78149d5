/* What programs of bench/ are made of: the loops of bench/imbalance, and the plane of the stars. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/imbalance_dir/kernel.h"
#include "bench/papers_dir/fg95/plane.h"
#include "bench/support/support.h"
#include "tests/support/unit.h"

/* --- loops and numbers: the loops of bench/imbalance compute what they say, and are as uneven
 * as they say. Numbers that are drawn in bench/ are those of SplitMix64, and fractions are
 * below 1. --- */

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

/* --- the plane: the curve passes every square once, and goes to one beside it. Domains of
 * the plane: cut in proportion to powers, and given away in parts. --- */

static struct plane plane;
static int count[PLANE_CELLS];

/* One particle in each cell. */
static void fill(void)
{
    for (int cell = 0; cell < PLANE_CELLS; cell++) {
        count[cell] = 1;
    }
}

static void cut(enum plane_shape shape, int owners, const double *power)
{
    int at[PLANE_OWNERS_MAX];

    plane.shape = shape;
    plane.owners = owners;
    plane_cut(&plane, count, power, at);
    plane_paint(&plane, at);
}

static int particles_of(int owner)
{
    int sum = 0;

    for (int cell = 0; cell < PLANE_CELLS; cell++) {
        sum += plane.owner[cell] == owner ? count[cell] : 0;
    }
    return sum;
}

TEST(cuts_by_power)
{
    const double power[] = {1, 3, 2, 2};

    fill();
    for (int shape = 0; shape < 2; shape++) {
        cut((enum plane_shape)shape, 4, power);
        for (int owner = 0; owner < 4; owner++) {
            assert_int_equal(particles_of(owner), PLANE_CELLS / 8 * (int)power[owner]);
        }
    }
}

TEST(knows_who_touches)
{
    const double power[] = {1, 1, 1, 1};
    bool next[16];

    fill();
    cut(PLANE_BOXES, 4, power); /* 0 below 1 on the left, 2 below 3 on the right */
    plane_neighbours(&plane, next);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            assert_true(next[4 * i + j] == (i != j && i + j != 3));
        }
    }
    plane_line(4, next);
    for (int i = 0; i < 16; i++) {
        assert_true(next[i] == (abs(i / 4 - i % 4) == 1));
    }
}

/* Of 0 and 1, left and right, 0 gives what lies right of a line; gifts count from before the step.
 * */
TEST(gives_what_is_beyond)
{
    const double power[] = {1, 1};
    struct plane_gift gift = {.from = 0, .to = 1}, back = {.from = 1, .to = 0};
    const double left[2] = {10, 50}, right[2] = {30, 50};

    fill();
    cut(PLANE_BOXES, 2, power);
    uint8_t *before = malloc(PLANE_CELLS);
    memcpy(before, plane.owner, PLANE_CELLS);
    plane_set_key(&plane, &gift, left, right);
    gift.bound = plane_key(&gift, PLANE_SIDE / 2 - 11);
    plane_give(&plane, before, &gift);
    assert_int_equal(particles_of(1), PLANE_SIDE * (PLANE_SIDE / 2 + 10));
    plane_set_key(&plane, &back, right, left);
    back.bound = plane_key(&back, PLANE_SIDE / 2 + 5); /* 5 own columns; not the 10 that came */
    plane_give(&plane, before, &back);
    assert_int_equal(particles_of(1), PLANE_SIDE * (PLANE_SIDE / 2 + 5));
    free(before);
}

/* Along the curve: to the next one from the end, to the one before from the beginning. */
TEST(gives_along_the_curve)
{
    const double power[] = {1, 1, 1};

    fill();
    for (int to = 0; to < 3; to += 2) {
        struct plane_gift gift = {.from = 1, .to = to};
        cut(PLANE_CURVE, 3, power);
        uint8_t *before = malloc(PLANE_CELLS);
        memcpy(before, plane.owner, PLANE_CELLS);
        plane_set_key(&plane, &gift, (const double[2]){0, 0}, (const double[2]){0, 0});
        gift.bound = to == 2 ? 2 * PLANE_CELLS / 3 - 101 : -PLANE_CELLS / 3 - 100;
        plane_give(&plane, before, &gift);
        int more = particles_of(to) - (PLANE_CELLS / 3);
        assert_true(more >= 99 && more <= 102);
        bool next[9];
        plane_neighbours(&plane, next);
        assert_true(next[3 + to]);
        free(before);
    }
}

/* --- the curve --- */

TEST(the_curve_passes_all_squares_without_a_jump)
{
    for (unsigned order = 0; order <= 6; order++) {
        uint32_t side = 1u << order, count = side * side;
        int at[64 * 64][2];

        for (uint32_t i = 0; i < count; i++) {
            at[i][0] = -1;
        }
        for (uint32_t x = 0; x < side; x++) {
            for (uint32_t y = 0; y < side; y++) {
                uint32_t passed = curve_to(order, x, y);
                assert_true(passed < count);
                assert_int_equal(at[passed][0], -1);
                at[passed][0] = (int)x;
                at[passed][1] = (int)y;
            }
        }
        for (uint32_t i = 1; i < count; i++) {
            assert_int_equal(abs(at[i][0] - at[i - 1][0]) + abs(at[i][1] - at[i - 1][1]), 1);
        }
    }
}

TEST(it_ends_in_the_lower_right_corner)
{
    assert_true(curve_to(16, 0, 0) == 0);
    assert_true(curve_to(16, 65535, 0) == UINT32_MAX);
}
