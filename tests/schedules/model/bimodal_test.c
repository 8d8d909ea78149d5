/* The bi-modal approximation: a split by hand, the best one of all, and what is singular. */
#include <math.h>
#include <stddef.h>

#include "schedules/model/objects_terms.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define TASKS_MAX 60

TEST(first_of_equal_splits)
{
    struct keel_bimodal bimodal;

    assert_true(keel_bimodal_split((double[]){1, 2, 3}, 3, &bimodal));
    assert_true(bimodal.light == 1 && bimodal.light_error == 0 && bimodal.heavy_error == 0.5);
}

/* R7: the step test has just two classes, and a linear one is cut in the middle. */
TEST(tests_of_the_paper)
{
    double weight[64];
    struct keel_bimodal bimodal;

    for (int i = 0; i < 64; i++) {
        weight[i] = i < 48 ? 1 : 2;
    }
    assert_true(keel_bimodal_split(weight, 64, &bimodal));
    assert_true(bimodal.light == 48 && bimodal.light_mean == 1 && bimodal.heavy_mean == 2);
    assert_true(bimodal.light_error == 0 && bimodal.heavy_error == 0);
    for (int i = 0; i < 64; i++) {
        weight[i] = 1 + i / 63.0;
    }
    assert_true(keel_bimodal_split(weight, 64, &bimodal));
    assert_int_equal(bimodal.light, 32);
    assert_true(is_near(bimodal.light_mean + bimodal.heavy_mean, 3));
}

static void check_refused(const double *weight, uint64_t tasks)
{
    struct keel_bimodal bimodal = {1, 1, 1, 1, 1, 1};

    assert_false(keel_bimodal_split(weight, tasks, &bimodal));
    assert_true(bimodal.light == 0 && bimodal.heavy == 0 && bimodal.light_mean == 0 &&
                bimodal.heavy_mean == 0 && bimodal.light_error == 0 && bimodal.heavy_error == 0);
}

TEST(nonsense_is_refused)
{
    check_refused(NULL, 0);
    check_refused((double[]){-1, 2}, 2);
    check_refused((double[]){1, NAN}, 2);
    check_refused((double[]){NAN}, 1);
    check_refused((double[]){1, INFINITY}, 2);
    check_refused((double[]){2, 1}, 2);
}
