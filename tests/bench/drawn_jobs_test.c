/* Jobs that bench/follow draws are what they are said to be, and the same whoever draws them. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/follow_dir/draw.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define JOBS 3000

TEST(jobs_are_within_their_ranges)
{
    uint64_t seed = draws_begin().state;
    struct drawn_job job;

    for (uint64_t number = 1; number <= JOBS; number++) {
        drawn_job(seed, number, &job);
        uint64_t hooks = job.iterations * job.strips * (job.shape == DRAWN_SOR ? 2 : 1);
        assert_in_range(job.workers, 2, 64);
        assert_in_range(job.size, 4 * job.workers, 2000);
        assert_in_range(hooks, 10, 600);
        assert_true(job.bytes_per_s >= 1e6 && job.bytes_per_s <= 1e9);
        assert_true(job.latency_s >= 2e-6 && job.latency_s <= 5e-4);
        assert_true(job.dedicated_s >= 5 && job.dedicated_s <= 300);
        assert_true(job.flops > 0 && job.noise >= 0 && job.noise < 0.1 && job.mean >= 1);
        for (uint32_t i = 0; i < job.workers; i++) {
            assert_true(job.speed[i] >= 0.25e6 && job.speed[i] <= 1e6);
        }
        assert_in_range(job.loads, 0, DRAWN_LOADS_MAX);
        for (uint32_t i = 0; i < job.loads; i++) {
            assert_true(job.load[i].host < job.workers);
            assert_true(job.load[i].left >= 0.25 && job.load[i].left <= 0.5);
            for (uint32_t other = 0; other < i; other++) {
                assert_true(job.load[i].host != job.load[other].host);
            }
        }
    }
}

/* Computing of all phases takes as long as it is said to. */
TEST(work_is_what_takes_that_time)
{
    uint64_t seed = draws_begin().state;
    struct drawn_job job;

    for (uint64_t number = 1; number <= JOBS; number++) {
        drawn_job(seed, number, &job);
        double size = (double)job.size, flops = job.flops, speeds = 0;
        flops *= job.shape == DRAWN_MM    ? size * size * size
                 : job.shape == DRAWN_SOR ? size * size * (double)job.iterations
                                          : size * (double)(job.mean * job.iterations);
        for (uint32_t i = 0; i < job.workers; i++) {
            speeds += job.speed[i];
        }
        assert_true(fabs(flops / speeds - job.dedicated_s) < 1e-6 * job.dedicated_s);
    }
}

TEST(a_case_is_the_same_again_and_another_one_is_not)
{
    struct drawn_job one, again, next, other_seed;

    drawn_job(5, 17, &one);
    drawn_job(5, 18, &next);
    drawn_job(6, 17, &other_seed);
    drawn_job(5, 17, &again);
    assert_memory_equal(&one, &again, sizeof one);
    assert_true(one.dedicated_s != next.dedicated_s);
    assert_true(one.dedicated_s != other_seed.dedicated_s);
}

/* What a file says: how long a period is (0: it does not repeat), and the mean part in it, or up to
 * horizon_s. */
static double read_mean(const struct drawn_load *load, double horizon_s, double *period_s)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    double time_s = 0, part = -1, next_s, next, sum = 0;

    drawn_load_write(file, load, horizon_s);
    fclose(file);
    char *line = text;
    *period_s = 0;
    if (sscanf(line, "PERIODICITY %lf", period_s) == 1) {
        line = strchr(line, '\n') + 1;
        horizon_s = *period_s;
    }
    for (; line != NULL && sscanf(line, "%lf %lf", &next_s, &next) == 2;
         line = strchr(line, '\n') + 1) {
        assert_true(part >= 0 || next_s == 0); /* begins at 0, and goes on in order */
        assert_true(next_s >= time_s && next > 0 && next <= 1);
        sum += part >= 0 ? part * (fmin(next_s, horizon_s) - time_s) : 0;
        time_s = fmin(next_s, horizon_s);
        part = next;
    }
    free(text);
    return (sum + part * (horizon_s - time_s)) / horizon_s;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-3;
}

TEST(files_say_what_loads_are)
{
    struct drawn_load load = {.kind = DRAWN_ALWAYS, .left = 0.5, .stays_s = INFINITY};
    double period_s;

    assert_true(near(read_mean(&load, 100, &period_s), 0.5) && period_s == 0);
    load = (struct drawn_load){.kind = DRAWN_STEP, .left = 0.5, .start_s = 20};
    assert_true(near(read_mean(&load, 100, &period_s), 0.6) && period_s == 0);
    load.begins_on = 1;
    assert_true(near(read_mean(&load, 100, &period_s), 0.9) && period_s == 0);
    load = (struct drawn_load){
        .kind = DRAWN_RAMP, .left = 0.5, .start_s = 20, .on_s = 40, .stays_s = INFINITY};
    assert_true(near(read_mean(&load, 100, &period_s), 0.7));
    load.stays_s = 0; /* up and down again, within 80 s */
    assert_true(near(read_mean(&load, 100, &period_s), 0.8));
    load = (struct drawn_load){
        .kind = DRAWN_PERIODIC, .left = 0.25, .start_s = 2, .on_s = 4, .period_s = 10};
    assert_true(near(read_mean(&load, 100, &period_s), 0.7) && near(period_s, 10));
    load.start_s = 8; /* there at the end of a period and at the beginning of the next */
    assert_true(near(read_mean(&load, 100, &period_s), 0.7) && near(period_s, 10));
}
