/* Weights of the two classes (PAPERS.md R3) in place of those that tasks have. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "bench/papers_dir/prema05/tasks.h"
#include "tests/support/unit.h"

#define TASKS 64

static double sum_of(const double *weight)
{
    double sum = 0;

    for (int i = 0; i < TASKS; i++) {
        sum += weight[i];
    }
    return sum;
}

/* Two values, the heavier one for tasks that are the heavier ones, and the same work. */
static void check(const char *text)
{
    double before[TASKS], after[TASKS], light, heavy;

    assert_true(weights_make(text, TASKS, 100, before));
    memcpy(after, before, sizeof after);
    assert_true(weights_two_classes(TASKS, after));
    light = heavy = after[0];
    for (int i = 0; i < TASKS; i++) {
        light = after[i] < light ? after[i] : light;
        heavy = after[i] > heavy ? after[i] : heavy;
    }
    assert_true(light < heavy);
    for (int i = 0; i < TASKS; i++) {
        assert_true(after[i] == light || after[i] == heavy);
        for (int j = 0; j < TASKS; j++) {
            assert_true(before[i] >= before[j] || after[i] <= after[j]);
        }
    }
    double more = sum_of(after) - sum_of(before);
    assert_true(more < 1e-9 && more > -1e-9);
}

TEST(keeps_order_and_work)
{
    check("linear:2");
    check("linear:4");
    check("heavy:25:2");
    check("measured:bench/papers_dir/prema05/pcdt.csv");
}

/* Evenly rising weights are cut in the middle. */
TEST(cuts_even_weights_in_halves)
{
    double weight[TASKS];

    assert_true(weights_make("linear:3", TASKS, TASKS * 2.0, weight));
    assert_true(weights_two_classes(TASKS, weight));
    for (int i = 0; i < TASKS; i++) {
        assert_true((i < TASKS / 2) == (weight[i] < 2));
    }
}

/* A step has two classes as it is, and equal weights have one. */
TEST(leaves_classes_alone)
{
    double before[TASKS], after[TASKS];

    for (const char *const *text = (const char *const[]){"heavy:25:2", "linear:1", NULL};
         *text != NULL; text++) {
        assert_true(weights_make(*text, TASKS, 80, before));
        memcpy(after, before, sizeof after);
        assert_true(weights_two_classes(TASKS, after));
        for (int i = 0; i < TASKS; i++) {
            assert_true(after[i] - before[i] < 1e-12 && before[i] - after[i] < 1e-12);
        }
    }
    before[0] = -1;
    assert_false(weights_two_classes(TASKS, before));
}

/* Squares of a file go to tasks in their order: several to each, or a part of one. */
TEST(cuts_measured_squares)
{
    static const char text[] = "0.5,1.5,\n6,8\n";
    double weight[8];
    FILE *file = fopen("few.csv", "w");

    fputs(text, file);
    fclose(file);
    assert_true(weights_make("measured:few.csv", 2, 32, weight));
    assert_true(weight[0] == 4 && weight[1] == 28);
    assert_true(weights_make("measured:few.csv", 8, 16, weight));
    assert_true(weight[0] == 0.25 && weight[1] == 0.25 && weight[2] == 0.75 && weight[7] == 4);
    assert_false(weights_make("measured:none.csv", 2, 32, weight));
    file = fopen("few.csv", "a");
    fputs("heavy\n", file);
    fclose(file);
    assert_false(weights_make("measured:few.csv", 2, 32, weight));
    remove("few.csv");
}
