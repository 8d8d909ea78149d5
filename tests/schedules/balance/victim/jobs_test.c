/* Seeking and migration together, in a simulated job: every iteration runs exactly once, and how
 * near to the ideal time the job ends with how many messages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/schedules/balance/victim/job.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 1024
#define ITERATIONS_EACH 400

static const char *const kind_name[] = {"tree", "steal", "diffuse"};

/* --- every iteration exactly once --- */

static void check_exact(const struct job *job)
{
    struct job_outcome outcome = job_run(job);

    if (!outcome.exact) {
        printf("# %s, %u workers, %llu iterations, wait %d\n", kind_name[job->kind], job->workers,
               (unsigned long long)job->iterations, job->wait);
    }
    assert_true(outcome.exact);
}

static void small_jobs_are_exact(void **state)
{
    static const double speed[] = {1, 5, 2, 0.3, 1, 1, 7, 0.9};
    static const double latency[] = {0, 0.05, 1, 100};

    (void)state;
    for (uint32_t i = 0; i < 8 * 3 * JOB_WAITS * 4 * 2 * 10; i++) {
        struct job job = {
            .workers = 1 + i % 8,
            .kind = i / 8 % 3,
            .wait = i / 24 % JOB_WAITS,
            .latency = latency[i / 72 % 4],
            .known = i / 288 % 2 == 0 ? speed : NULL,
            .iterations = i / 576,
            .speed = speed,
            .neighbours = 2,
        };
        check_exact(&job);
    }
}

static void any_job_is_exact(void **state)
{
    struct draws draws = draws_begin();
    static double speed[64], known[64], work[2000];

    (void)state;
    for (int times = 0; times < 300; times++) {
        struct job job = {
            .workers = 1 + (uint32_t)draws_below(&draws, 64),
            .iterations = draws_below(&draws, 2000),
            .speed = speed,
            .work = times % 2 == 0 ? work : NULL,
            .known = times % 3 == 0 ? known : NULL,
            .kind = draws_below(&draws, 3),
            .wait = draws_below(&draws, JOB_WAITS),
            .neighbours = 1 + (uint32_t)draws_below(&draws, KEEL_VICTIM_NEIGHBOURS_MAX),
            .latency = draws_real(&draws) * (double)draws_below(&draws, 20),
            .ahead = draws_real(&draws) * (double)draws_below(&draws, 20),
            .seed = draws_next(&draws),
        };
        for (int i = 0; i < 64; i++) {
            speed[i] = exp(6 * draws_real(&draws) - 3);
            known[i] = exp(6 * draws_real(&draws) - 3);
        }
        for (int i = 0; i < 2000; i++) {
            work[i] = draws_below(&draws, 10) == 0 ? 10 : draws_real(&draws);
        }
        check_exact(&job);
    }
}

/* --- how well it ends --- */

/* How a job of unequal workers (1 to 8 times the slowest, mean 1, so that the ideal time is
 * ITERATIONS_EACH) is set up. */
struct figure {
    enum keel_victim_kind kind;
    enum job_wait wait;
    bool known;
    double ahead;
    uint32_t workers;
    double most_time;     /* of the ideal */
    double most_messages; /* per worker */
};

static void draw_speeds(uint32_t workers, double *speed)
{
    struct draws draws = {12345};
    double sum = 0;

    for (uint32_t w = 0; w < workers; w++) {
        speed[w] = 1 + 7 * draws_real(&draws);
        sum += speed[w];
    }
    for (uint32_t w = 0; w < workers; w++) {
        speed[w] *= workers / sum;
    }
}

static void check_figure(const struct figure *figure)
{
    static double speed[WORKERS_MAX];
    struct job job = {
        .workers = figure->workers,
        .iterations = (uint64_t)figure->workers * ITERATIONS_EACH,
        .speed = speed,
        .known = figure->known ? speed : NULL,
        .kind = figure->kind,
        .wait = figure->wait,
        .neighbours = 8,
        .latency = 0.05,
        .ahead = figure->ahead,
        .seed = 7,
    };

    draw_speeds(figure->workers, speed);
    struct job_outcome outcome = job_run(&job);
    double workers = figure->workers, time = outcome.time / ITERATIONS_EACH;
    double messages = (double)outcome.messages / workers;
    printf("# %-7s %-8s rates %-7s ahead %g  %4u workers: %.4f of ideal; per worker %.1f messages "
           "(at most %llu), %.2f migrations\n",
           kind_name[job.kind], job.wait == JOB_REMEMBER ? "remember" : "retry",
           figure->known ? "known" : "unknown", job.ahead, job.workers, time, messages,
           (unsigned long long)outcome.most, (double)outcome.migrations / workers);
    assert_true(outcome.exact);
    assert_true(time >= 1 - 1e-9 && time <= figure->most_time);
    assert_true(messages <= figure->most_messages);
}

/* Bounds: half as much again above the ideal as measured, and a third more messages. */
static void jobs_end_near_the_ideal_time(void **state)
{
    static const struct figure figures[] = {
        {KEEL_VICTIM_TREE, JOB_REMEMBER, true, 0, 2, 1.005, 6},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, true, 0, 16, 1.005, 13},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, true, 0, 64, 1.015, 18},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, true, 0, 256, 1.01, 24},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, true, 0, 1024, 1.015, 29},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 0, 2, 1.005, 7},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 0, 16, 1.02, 35},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 0, 64, 1.035, 49},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 0, 256, 1.035, 57},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 0, 1024, 1.055, 72},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 4, 16, 1.01, 41},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 4, 64, 1.025, 56},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 4, 256, 1.025, 59},
        {KEEL_VICTIM_TREE, JOB_REMEMBER, false, 4, 1024, 1.045, 71},
        {KEEL_VICTIM_TREE, JOB_RETRY, false, 0, 1024, 1.07, 122},
        {KEEL_VICTIM_STEAL, JOB_REMEMBER, true, 0, 1024, 1.02, 34},
        {KEEL_VICTIM_STEAL, JOB_REMEMBER, false, 0, 2, 1.005, 11},
        {KEEL_VICTIM_STEAL, JOB_REMEMBER, false, 0, 16, 1.03, 59},
        {KEEL_VICTIM_STEAL, JOB_REMEMBER, false, 0, 64, 1.045, 75},
        {KEEL_VICTIM_STEAL, JOB_REMEMBER, false, 0, 256, 1.06, 84},
        {KEEL_VICTIM_STEAL, JOB_REMEMBER, false, 0, 1024, 1.06, 90},
        {KEEL_VICTIM_STEAL, JOB_RETRY, false, 0, 1024, 1.065, 129},
        {KEEL_VICTIM_DIFFUSE, JOB_REMEMBER, true, 0, 1024, 1.015, 59},
        {KEEL_VICTIM_DIFFUSE, JOB_REMEMBER, false, 0, 2, 1.005, 10},
        {KEEL_VICTIM_DIFFUSE, JOB_REMEMBER, false, 0, 16, 1.03, 86},
        {KEEL_VICTIM_DIFFUSE, JOB_REMEMBER, false, 0, 64, 1.045, 112},
        {KEEL_VICTIM_DIFFUSE, JOB_REMEMBER, false, 0, 256, 1.05, 118},
        {KEEL_VICTIM_DIFFUSE, JOB_REMEMBER, false, 0, 1024, 1.055, 127},
        {KEEL_VICTIM_DIFFUSE, JOB_RETRY, false, 0, 1024, 1.075, 182},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        check_figure(&figures[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_jobs_are_exact),
        cmocka_unit_test(any_job_is_exact),
        cmocka_unit_test(jobs_end_near_the_ideal_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
