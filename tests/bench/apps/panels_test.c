/* bench/apps/panels.c: integrals are as near as they should be, panels follow the peaks and fill
 * their cells, and cells go on as they would have after they were moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "bench/apps/panels.h"

#define ACROSS 4
#define CELLS (ACROSS * ACROSS)

static const struct panels_task task = {.across = ACROSS, .tolerance = 1e-4, .narrow = 1 / 40.0};
static struct panels_cell cell[CELLS];

static int make_all(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < CELLS; i++) {
        panels_make(&cell[i], i);
    }
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    for (int i = 0; i < CELLS; i++) {
        panels_free(&cell[i]);
    }
    return 0;
}

static double integrate_all(double time, int *panels)
{
    double sum = 0;

    *panels = 0;
    for (int i = 0; i < CELLS; i++) {
        panels_integrate(&task, &cell[i], time);
        sum += cell[i].integral;
        *panels += cell[i].count;
    }
    return sum;
}

/* By the middles of many small squares. */
static double integral_of_grid(double time)
{
    const int fine = 1500;
    double sum = 0;

    for (int i = 0; i < fine; i++) {
        for (int j = 0; j < fine; j++) {
            sum += panels_value(&task, (i + 0.5) / fine, (j + 0.5) / fine, time);
        }
    }
    return sum / fine / fine;
}

static void integrals_are_near(void **state)
{
    static const double times[] = {0, 0.3, 0.31, 0.8};
    int panels;

    (void)state;
    for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
        double integral = integrate_all(times[t], &panels), grid = integral_of_grid(times[t]);
        assert_true(integral > 20); /* the peaks are in it */
        assert_true(fabs(integral - grid) < 2e-3);
    }
}

static void cells_are_full_of_panels(void **state)
{
    int panels;

    (void)state;
    for (int step = 0; step < 5; step++) {
        integrate_all(step * 0.1, &panels);
        for (int i = 0; i < CELLS; i++) {
            double area = 0;
            for (int p = 0; p < cell[i].count; p++) {
                area += ldexp(1, -2 * cell[i].level[p]);
            }
            assert_true(area == 1);
        }
    }
}

static void move(struct panels_cell *moved)
{
    void *buffer = malloc(panels_size(moved));

    panels_pack(moved, buffer);
    panels_free(moved);
    assert_true(panels_unpack(moved, buffer));
    free(buffer);
}

static void moving_changes_nothing(void **state)
{
    struct panels_cell stays;

    (void)state;
    panels_make(&stays, 0);
    for (int step = 0; step < 5; step++) {
        panels_integrate(&task, &stays, step * 0.1);
        panels_integrate(&task, &cell[0], step * 0.1);
        move(&cell[0]);
    }
    assert_true(cell[0].number == stays.number);
    assert_true(cell[0].integral == stays.integral && cell[0].total == stays.total);
    assert_true(cell[0].total > cell[0].integral);
    assert_int_equal(cell[0].count, stays.count);
    assert_memory_equal(cell[0].level, stays.level, (size_t)stays.count);
    panels_free(&stays);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make_all, free_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(integrals_are_near),
        WITH(cells_are_full_of_panels),
        WITH(moving_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
