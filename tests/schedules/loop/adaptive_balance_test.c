/* How close schedules that measure come to the ideal time, total work over total speed: simulated,
 * so that the same loop always takes as long. Iterations take a microsecond, a claim a tenth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/forecast/simulation.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/draws.h"

#define ITERATION_NS 1000.0
#define CLAIM_NS 100.0
#define N 5000
#define N_MAX 100000
#define P_MAX 64
#define CHANGE_NS 500e3

/* Work that is done at speed 1 in as many ns. */
struct loop {
    uint64_t iterations, threads;
    double before[N_MAX + 1]; /* work of the iterations before each one */
    double speed[P_MAX];
    bool changes; /* thread 0 runs at a fifth of its speed from CHANGE_NS on */
};

static struct loop loop;

static double run_time_ns(const struct keel_simulated_chunk *chunk, void *context)
{
    double work = loop.before[chunk->last] - loop.before[chunk->first];
    double speed = loop.speed[chunk->thread];

    (void)context;
    if (!loop.changes || chunk->thread != 0) {
        return work / speed;
    }
    double early_ns = fmax(0, fmin(work / speed, CHANGE_NS - chunk->start_ns));
    return early_ns + (work / speed - early_ns) * 5;
}

static double ideal_ns(void)
{
    double speed = 0, work = loop.before[loop.iterations];

    for (uint64_t i = 0; i < loop.threads; i++) {
        speed += loop.speed[i];
    }
    return loop.changes ? CHANGE_NS + (work - CHANGE_NS * speed) / (speed - loop.speed[0] * 4 / 5)
                        : work / speed;
}

/* When the last thread is done. */
static double end_ns(struct keel_simulation_setup *setup)
{
    struct keel_simulation *rehearsal = keel_simulation_begin(setup);
    struct keel_simulated_chunk chunk;
    double end = 0;

    while (keel_simulation_next(rehearsal, &chunk)) {
        end = fmax(end, chunk.start_ns + chunk.time_ns);
    }
    keel_simulation_end(rehearsal);
    return end;
}

/* --- loops --- */

/* cost: of an iteration, by its place 0 .. 1. */
static void set_loop(uint64_t iterations, double (*cost)(double place))
{
    loop = (struct loop){.iterations = iterations};
    for (uint64_t i = 0; i < iterations; i++) {
        loop.before[i + 1] = loop.before[i] + ITERATION_NS * cost((double)i / (double)iterations);
    }
}

static void set_threads(uint64_t threads, uint64_t odd, double speed)
{
    loop.threads = threads;
    for (uint64_t i = 0; i < threads; i++) {
        loop.speed[i] = i == odd ? speed : 1;
    }
}

/* The same ones at each run. */
static struct draws fixed;

static double uniform(void)
{
    return draws_real(&fixed);
}

static double even(double place)
{
    (void)place;
    return 1;
}

static double rising(double place)
{
    return 2 * place;
}

static double falling(double place)
{
    return 2 * (1 - place);
}

static double exponential(double place)
{
    (void)place;
    return -log(1 - uniform());
}

/* Infinite variance. */
static double heavy_tailed(double place)
{
    (void)place;
    return 0.2 * pow(1 - uniform(), -1 / 1.5);
}

static void one_slow_of_two(void)
{
    set_loop(N, even);
    set_threads(2, 1, 0.2);
}

static void first_slow_of_two(void)
{
    set_loop(N, even);
    set_threads(2, 0, 0.2);
}

static void one_slow_of_four(void)
{
    set_loop(N, even);
    set_threads(4, 2, 0.2);
}

static void slowed_down_midway(void)
{
    set_loop(N, even);
    set_threads(4, 0, 1);
    loop.changes = true;
}

static void many_threads(uint64_t iterations)
{
    set_loop(iterations, even);
    set_threads(64, 0, 1);
    for (uint64_t i = 0; i < 64; i++) {
        loop.speed[i] = 0.2 + uniform();
    }
}

static void many_threads_long_loop(void)
{
    many_threads(N_MAX);
}

static void many_threads_short_loop(void)
{
    many_threads(N);
}

static void rising_costs(void)
{
    set_loop(N, rising);
    set_threads(4, 3, 0.5);
}

static void falling_costs(void)
{
    set_loop(N, falling);
    set_threads(4, 3, 0.5);
}

static void exponential_costs(void)
{
    set_loop(N, exponential);
    set_threads(4, 3, 0.5);
}

static void heavy_tailed_costs(void)
{
    set_loop(N, heavy_tailed);
    set_threads(4, 3, 0.5);
}

/* --- what is asked --- */

static const struct balance {
    const char *name, *spec;
    void (*set)(void);
    double percent; /* over the ideal time, at most */
} balances[] = {
    {"one slow of two", "af", one_slow_of_two, 1},
    {"one slow of two", "maf", one_slow_of_two, 1},
    {"one slow of two", "aid", one_slow_of_two, 2},
    {"one slow of two", "rate", one_slow_of_two, 2},
    {"one slow of two", "monotonic:rate", one_slow_of_two, 2},
    {"one slow of two", "steal", one_slow_of_two, 3},
    {"the first slow of two", "af", first_slow_of_two, 1},
    {"the first slow of two", "maf", first_slow_of_two, 1},
    {"the first slow of two", "aid", first_slow_of_two, 2},
    {"the first slow of two", "rate", first_slow_of_two, 2},
    {"the first slow of two", "monotonic:rate", first_slow_of_two, 2},
    {"one slow of four", "af", one_slow_of_four, 1},
    {"one slow of four", "maf", one_slow_of_four, 1},
    {"one slow of four", "aid", one_slow_of_four, 2},
    {"one slow of four", "rate", one_slow_of_four, 2},
    {"one slow of four", "monotonic:rate", one_slow_of_four, 2},
    {"one slow of four", "afs", one_slow_of_four, 2},
    {"one slow of four", "steal", one_slow_of_four, 5},

    /* aid hands out large shares once and can't take them back. */
    {"slowed down midway", "af", slowed_down_midway, 5},
    {"slowed down midway", "maf", slowed_down_midway, 5},
    {"slowed down midway", "rate", slowed_down_midway, 3},
    {"slowed down midway", "monotonic:rate", slowed_down_midway, 3},
    {"slowed down midway", "steal", slowed_down_midway, 5},

    {"64 threads", "af", many_threads_long_loop, 1},
    {"64 threads", "maf", many_threads_long_loop, 1},
    {"64 threads", "aid", many_threads_long_loop, 3},
    {"64 threads", "rate", many_threads_long_loop, 1},
    {"64 threads", "monotonic:rate", many_threads_long_loop, 1},
    {"64 threads, 78 iterations each", "af", many_threads_short_loop, 7},
    {"64 threads, 78 iterations each", "rate", many_threads_short_loop, 7},
    {"64 threads, 78 iterations each", "monotonic:rate", many_threads_short_loop, 7},

    {"rising costs", "af", rising_costs, 2},
    {"rising costs", "maf", rising_costs, 2},
    {"rising costs", "rate", rising_costs, 3},
    {"rising costs", "monotonic:rate", rising_costs, 3},
    {"falling costs", "af", falling_costs, 2},
    {"falling costs", "maf", falling_costs, 2},
    {"falling costs", "rate", falling_costs, 3},
    {"falling costs", "monotonic:rate", falling_costs, 3},
    {"exponential costs", "af", exponential_costs, 2},
    {"exponential costs", "maf", exponential_costs, 2},
    {"exponential costs", "rate", exponential_costs, 3},
    {"exponential costs", "monotonic:rate", exponential_costs, 3},
    /* The largest iteration alone takes a tenth of the time. */
    {"heavy-tailed costs", "af", heavy_tailed_costs, 10},
    {"heavy-tailed costs", "rate", heavy_tailed_costs, 10},
    {"heavy-tailed costs", "monotonic:rate", heavy_tailed_costs, 10},
};

#define BALANCES (sizeof balances / sizeof balances[0])

static struct keel_spec read_spec(const char *text)
{
    struct keel_spec spec = specs_read(text);

    if (spec.in_order) {
        spec.schedule = spec.schedule->in_order;
    }
    return spec;
}

static struct keel_simulation_setup play_of(const struct keel_spec *spec)
{
    return (struct keel_simulation_setup){.spec = spec,
                                          .iterations = loop.iterations,
                                          .threads = loop.threads,
                                          .claim_ns = CLAIM_NS,
                                          .time_ns = run_time_ns};
}

static void assert_within(struct keel_simulation_setup *setup, double percent)
{
    double over = 100 * (end_ns(setup) / ideal_ns() - 1);

    if (over < 0 || over > percent) {
        fail_msg("%.2f %% over the ideal time", over);
    }
}

static void time_is_near_the_ideal(void **state)
{
    const struct balance *balance = *state;
    struct keel_spec spec = read_spec(balance->spec);

    fixed.state = 1;
    balance->set();
    struct keel_simulation_setup setup = play_of(&spec);
    assert_within(&setup, balance->percent);
}

/* As from the second instance on. */
static void known_paces_and_fitting_blocks_leave_one_percent(void **state)
{
    static const char *const specs[] = {"af", "maf", "aid", "rate", "monotonic:rate", "auto"};
    static const struct keel_pace known[] = {{ITERATION_NS, 0}, {5 * ITERATION_NS, 0}};
    static const uint64_t first[] = {0, 4167, N};

    (void)state;
    one_slow_of_two();
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct keel_spec spec = read_spec(specs[i]);
        struct keel_simulation_setup setup = play_of(&spec);
        setup.known = known;
        setup.first = first;
        assert_within(&setup, 1);
    }
}

/* Blocks stay where they are: no thread takes more than a hundredth of the loop from another. */
static void fitting_blocks_stay(void **state)
{
    struct keel_spec spec = read_spec("rate");
    static const struct keel_pace known[] = {{ITERATION_NS, 0}, {5 * ITERATION_NS, 0}};
    static const uint64_t first[] = {0, 4167, N};
    struct keel_simulated_chunk chunk;
    uint64_t moved = 0;

    (void)state;
    one_slow_of_two();
    struct keel_simulation_setup setup = play_of(&spec);
    setup.known = known;
    setup.first = first;
    struct keel_simulation *rehearsal = keel_simulation_begin(&setup);
    while (keel_simulation_next(rehearsal, &chunk)) {
        bool own = (chunk.first < first[1]) == (chunk.thread == 0);
        moved += own ? 0 : chunk.last - chunk.first;
    }
    keel_simulation_end(rehearsal);
    assert_true(moved < N / 100);
}

int main(void)
{
    static struct CMUnitTest tests[BALANCES + 2];
    static char names[BALANCES][80];

    for (size_t i = 0; i < BALANCES; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", balances[i].spec, balances[i].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = time_is_near_the_ideal,
                                       .initial_state = (void *)&balances[i]};
    }
    tests[BALANCES] =
        (struct CMUnitTest)cmocka_unit_test(known_paces_and_fitting_blocks_leave_one_percent);
    tests[BALANCES + 1] = (struct CMUnitTest)cmocka_unit_test(fitting_blocks_stay);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
