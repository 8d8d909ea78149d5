/* A simulated loop and its blocks learn from each other until all threads take equally long. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/schedules/balance/loop.h"

#define ITERATIONS 20000

static struct draws draws;
static struct loop loop;

/* How an instance runs. */
enum way { AMONG, BLOCKS, STEALING };

static void instance(struct keel_blocks *balance, enum way way)
{
    if (way == AMONG) {
        loop_run_among(&loop);
    } else if (way == BLOCKS) {
        loop_run_blocks(&loop, balance, 16);
    } else {
        loop_run_stealing(&loop, balance, 16);
    }
    keel_blocks_learn(balance, loop.iterations, loop.part);
}

/* The first instance, then so many in blocks; the time of the next over the ideal one. */
static double learned(struct keel_blocks *balance, enum way first, enum way way, int instances)
{
    for (int i = 0; i < instances; i++) {
        instance(balance, i == 0 ? first : way);
    }
    return loop_over_ideal(&loop, balance);
}

static struct keel_blocks *begin(void)
{
    struct keel_blocks *balance = malloc(keel_blocks_size(loop.workers));

    assert_non_null(balance);
    keel_blocks_begin(balance, loop.workers);
    return balance;
}

static void check(enum shape shape, const char *when, double time, double most)
{
    if (!(time <= most)) {
        print_message("%s, %d threads, %s: %.4f > %.4f\n", loop_shape_name(shape),
                      (int)loop.workers, when, time, most);
    }
    assert_true(time <= most);
}

/* A fifth, or anything up to twice as fast as the slowest. */
static void draw_speeds(void)
{
    if (draws_below(&draws, 2)) {
        loop.speed[draws_below(&draws, loop.workers)] = 0.2;
        return;
    }
    for (uint64_t w = 0; w < loop.workers; w++) {
        loop.speed[w] = 0.5 + 0.5 * draws_real(&draws);
    }
}

static void for_each_team(enum shape first, enum shape last,
                          void (*test)(enum shape, struct keel_blocks *))
{
    for (enum shape shape = first; shape <= last; shape++) {
        for (uint64_t workers = 2; workers <= LOOP_WORKERS_MAX; workers++) {
            loop_begin(&loop, &draws, shape, ITERATIONS, workers);
            draw_speeds();
            struct keel_blocks *balance = begin();
            test(shape, balance);
            free(balance);
        }
    }
}

static void smooth(enum shape shape, struct keel_blocks *balance)
{
    check(shape, "after one instance", learned(balance, AMONG, BLOCKS, 1), 1.03);
}

static void one_instance_is_enough_for_smooth_costs(void **state)
{
    (void)state;
    for_each_team(FLAT, DECREASING, smooth);
}

/* How long the loop may take in the end. A step within a bin is smoothed by it, which slows down
 * how blocks around it find their bounds; the threshold holds all the same. */
static double settled(enum shape shape)
{
    return shape == STEP || shape == MANDEL ? 1.15 : 1.05;
}

static void rough(enum shape shape, struct keel_blocks *balance)
{
    check(shape, "after one instance", learned(balance, AMONG, BLOCKS, 1), 1.25);
    check(shape, "after some more", learned(balance, BLOCKS, BLOCKS, 8), 1.12);
    check(shape, "in the end", learned(balance, BLOCKS, BLOCKS, 60), settled(shape));
}

static void every_shape_ends_in_equal_times(void **state)
{
    (void)state;
    for_each_team(0, SHAPES - 1, rough);
}

static void stolen(enum shape shape, struct keel_blocks *balance)
{
    check(shape, "in the end", learned(balance, AMONG, STEALING, 60), settled(shape));
}

static void stealing_does_not_mislead(void **state)
{
    (void)state;
    for_each_team(0, SHAPES - 1, stolen);
}

/* Nothing tells speed from cost at first. */
static void apart(enum shape shape, struct keel_blocks *balance)
{
    check(shape, "after 15 instances", learned(balance, BLOCKS, BLOCKS, 15), 1.25);
    check(shape, "in the end", learned(balance, BLOCKS, BLOCKS, 85), settled(shape));
}

static void blocks_from_the_start_converge_too(void **state)
{
    (void)state;
    for_each_team(0, SHAPES - 1, apart);
}

static void changed(enum shape shape, struct keel_blocks *balance)
{
    learned(balance, AMONG, BLOCKS, 12);
    loop.speed[0] *= 0.25;
    loop.speed[loop.workers - 1] *= 2;
    check(shape, "8 after a change", learned(balance, BLOCKS, BLOCKS, 8), 1.2);
    check(shape, "in the end", learned(balance, BLOCKS, BLOCKS, 40), settled(shape));
    loop.speed[0] *= 4;
    check(shape, "in the end of the way back", learned(balance, BLOCKS, BLOCKS, 30), 1.25);
}

static void blocks_follow_changing_speeds(void **state)
{
    (void)state;
    for_each_team(0, SHAPES - 1, changed);
}

static void noisy(enum shape shape, struct keel_blocks *balance)
{
    double mean = 0;

    loop.noise = 0.05;
    learned(balance, AMONG, BLOCKS, 10);
    for (int i = 0; i < 100; i++) {
        mean += learned(balance, BLOCKS, BLOCKS, 1) / 100;
    }
    check(shape, "under noise", mean, 1.15);
}

static void noise_stays_below_the_threshold(void **state)
{
    (void)state;
    for_each_team(0, SHAPES - 1, noisy);
}

/* Its costs lie where they did. */
static void another_number_of_iterations_needs_no_new_learning(void **state)
{
    (void)state;
    loop_begin(&loop, &draws, DECREASING, ITERATIONS, 4);
    loop.speed[2] = 0.2;
    struct keel_blocks *balance = begin();
    learned(balance, AMONG, BLOCKS, 10);
    loop_begin(&loop, &draws, DECREASING, 3 * ITERATIONS / 2 + 7, 4);
    loop.speed[2] = 0.2;
    check(DECREASING, "with more iterations", loop_over_ideal(&loop, balance), 1.03);
    free(balance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_instance_is_enough_for_smooth_costs),
        cmocka_unit_test(every_shape_ends_in_equal_times),
        cmocka_unit_test(stealing_does_not_mislead),
        cmocka_unit_test(blocks_from_the_start_converge_too),
        cmocka_unit_test(blocks_follow_changing_speeds),
        cmocka_unit_test(noise_stays_below_the_threshold),
        cmocka_unit_test(another_number_of_iterations_needs_no_new_learning),
    };

    draws = draws_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
