/* Whole loops on simulated machines: that idle threads look near first makes no loop longer than
 * single iterations can, and blocks by weights end earlier where cores differ. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/forecast/simulation.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/draws.h"

#define CLAIM_NS 50
#define THREADS_MAX 256
#define N_MAX 20000

/* Threads of a machine, and how many in a row share a cache and a node. */
static const struct machine {
    uint64_t threads, cache, node;
} machines[] = {
    {256, 8, 32},              /* 8 nodes with 4 caches each */
    {256, 32, 256},            /* one node */
    {192, 8, 8},               /* 24 packages, each a node: hwloc's 192em64t-24n8c2t */
    {128, 32, 32},             /* 4 nodes: hwloc's 128arm-2pa2n8cluster4co */
    {64, 1, 8},                /* no caches in common: hwloc's 256ppc-8n8s4t, a thread per core */
    {64, 8, 8},                /* 8 nodes: hwloc's 64amd64-4p2n4ca2co */
    {12, 6, 6},     {5, 4, 5}, /* hwloc's 5intel64-hybrid-lakefield */
};

enum { MACHINES = sizeof machines / sizeof machines[0] };

enum shape { EQUAL, RISING, FALLING, HOT, RANDOM, FIRST_CACHE, FIRST_NODE, SHAPES };

/* A loop on a team. */
struct loop {
    uint64_t iterations;
    double before[N_MAX + 1]; /* work before each iteration */
    double largest;           /* work of an iteration */
    double speed[THREADS_MAX];
};

static double cost_of(enum shape shape, double place, const struct machine *machine, double hot,
                      struct draws *draws)
{
    switch (shape) {
    case RISING:
        return 2 * place;
    case FALLING:
        return 2 * (1 - place);
    case HOT:
        return fabs(place - hot) < 0.05 ? 20 : 0.1;
    case RANDOM:
        return -log(1 - (double)(draws_next(draws) >> 11) * 0x1p-53);
    case FIRST_CACHE:
        return place * (double)machine->threads < (double)machine->cache ? 50 : 0.2;
    case FIRST_NODE:
        return place * (double)machine->threads < (double)machine->node ? 10 : 0.2;
    default:
        return 1;
    }
}

static double unit_draw(struct draws *draws)
{
    return (double)(draws_next(draws) >> 11) * 0x1p-53;
}

static void draw_loop(struct loop *loop, enum shape shape, const struct machine *machine,
                      unsigned speeds, struct draws *draws)
{
    double hot = unit_draw(draws);

    loop->largest = 0;
    loop->before[0] = 0;
    for (uint64_t i = 0; i < loop->iterations; i++) {
        double cost =
            1000 * cost_of(shape, (double)i / (double)loop->iterations, machine, hot, draws);
        loop->before[i + 1] = loop->before[i] + cost;
        loop->largest = fmax(loop->largest, cost);
    }
    for (uint64_t t = 0; t < machine->threads; t++) {
        loop->speed[t] = speeds == 0                  ? 1
                         : speeds == 1                ? 0.5 + unit_draw(draws)
                         : t / machine->node % 2 == 0 ? 0.4
                                                      : 1;
    }
}

static double time_ns(const struct keel_simulated_chunk *chunk, void *context)
{
    const struct loop *loop = context;

    return (loop->before[chunk->last] - loop->before[chunk->first]) / loop->speed[chunk->thread];
}

/* Runs the loop; fails unless each iteration is run once. Returns when it ended. */
static double run(struct loop *loop, const struct keel_schedule *schedule, uint64_t threads,
                  const struct keel_placement *placement, const uint64_t *first)
{
    const struct keel_spec spec = keel_spec_of(schedule);
    const struct keel_simulation_setup setup = {
        .spec = &spec,
        .iterations = loop->iterations,
        .threads = threads,
        .first = first,
        .placement = placement,
        .claim_ns = CLAIM_NS,
        .time_ns = time_ns,
        .context = loop,
    };
    static unsigned char times[N_MAX];
    struct keel_simulation *simulation = keel_simulation_begin(&setup);
    struct keel_simulated_chunk chunk;
    double end = 0;

    assert_non_null(simulation);
    for (uint64_t i = 0; i < loop->iterations; i++) {
        times[i] = 0;
    }
    while (keel_simulation_next(simulation, &chunk)) {
        end = fmax(end, chunk.start_ns + chunk.time_ns);
        for (uint64_t i = chunk.first; i < chunk.last; i++) {
            times[i]++;
        }
    }
    keel_simulation_end(simulation);
    for (uint64_t i = 0; i < loop->iterations; i++) {
        assert_int_equal(times[i], 1);
    }
    return end;
}

/* The least time that any schedule takes, and the longest single iteration. */
static double ideal_ns(const struct loop *loop, uint64_t threads)
{
    double speed = 0;

    for (uint64_t t = 0; t < threads; t++) {
        speed += loop->speed[t];
    }
    return loop->before[loop->iterations] / speed;
}

static double longest_ns(const struct loop *loop, uint64_t threads)
{
    double slowest = loop->speed[0];

    for (uint64_t t = 1; t < threads; t++) {
        slowest = fmin(slowest, loop->speed[t]);
    }
    return loop->largest / slowest;
}

static struct keel_thread_groups *groups_of(const struct machine *machine)
{
    static struct keel_thread_groups groups[THREADS_MAX];

    for (uint64_t t = 0; t < machine->threads; t++) {
        groups[t] = (struct keel_thread_groups){(uint32_t)(t / machine->cache),
                                                (uint32_t)(t / machine->node)};
    }
    return groups;
}

/* Under steal, a loop ends within 5 % of the ideal time, and what the claims and three iterations
 * take, whatever the order of victims; seen are 2.4 iterations without and 1.8 with nearness. */
#define IDEAL_PART 1.05
#define ITERATIONS_MORE 3

static void looking_near_first_keeps_the_bound_of_steal(void **state)
{
    struct draws draws = draws_begin();
    static struct loop loop;
    double sum = 0, cases = 0;

    (void)state;
    for (unsigned m = 0; m < MACHINES; m++) {
        const struct machine *machine = &machines[m];
        const struct keel_placement placement = {.threads = machine->threads,
                                                 .groups = groups_of(machine)};
        for (unsigned c = 0; c < SHAPES * 6; c++) {
            loop.iterations = c % 2 == 0 ? N_MAX : 3 * machine->threads;
            draw_loop(&loop, c / 6, machine, c % 3, &draws);
            double anywhere = run(&loop, &keel_schedule_steal, machine->threads, NULL, NULL);
            double near = run(&loop, &keel_schedule_steal, machine->threads, &placement, NULL);
            double claims = CLAIM_NS * (double)loop.iterations / (double)machine->threads;
            assert_true(near <= IDEAL_PART * ideal_ns(&loop, machine->threads) + 2 * claims +
                                    ITERATIONS_MORE * longest_ns(&loop, machine->threads));
            sum += near / anywhere;
            cases++;
        }
    }
    printf("# steal: looking near first takes %.4f of the time, mean of %.0f loops\n", sum / cases,
           cases);
    assert_true(sum / cases < 1.01);
}

/* So it is with the others of blocks, in the mean; which thread gets a long piece at the end is
 * chance, one way or the other. */
static void looking_near_first_changes_no_schedule_in_the_mean(void **state)
{
    static const struct keel_schedule *const schedules[] = {&keel_schedule_afs, &keel_schedule_ich,
                                                            &keel_schedule_rate};
    struct draws draws = draws_begin();
    static struct loop loop;

    (void)state;
    for (unsigned s = 0; s < 3; s++) {
        double sum = 0;
        for (unsigned c = 0; c < 60; c++) {
            const struct machine *machine = &machines[c % MACHINES];
            const struct keel_placement placement = {.threads = machine->threads,
                                                     .groups = groups_of(machine)};
            loop.iterations = 5000;
            draw_loop(&loop, c % SHAPES, machine, c % 3, &draws);
            double anywhere = run(&loop, schedules[s], machine->threads, NULL, NULL);
            sum += run(&loop, schedules[s], machine->threads, &placement, NULL) / anywhere / 60;
        }
        printf("# %s: %.4f\n", schedules[s]->name, sum);
        assert_true(sum < 1.03);
    }
}

/* Iterations that threads take from others, of blocks with these bounds. */
static uint64_t moved(struct loop *loop, const struct keel_placement *placement,
                      const uint64_t *bound, uint64_t threads)
{
    const struct keel_spec spec = keel_spec_of(&keel_schedule_steal);
    const struct keel_simulation_setup setup = {
        .spec = &spec,
        .iterations = loop->iterations,
        .threads = threads,
        .first = bound,
        .placement = placement,
        .claim_ns = CLAIM_NS,
        .time_ns = time_ns,
        .context = loop,
    };
    struct keel_simulation *simulation = keel_simulation_begin(&setup);
    struct keel_simulated_chunk chunk;
    uint64_t count = 0;

    assert_non_null(simulation);
    while (keel_simulation_next(simulation, &chunk)) {
        if (chunk.first < bound[chunk.thread] || chunk.first >= bound[chunk.thread + 1]) {
            count += chunk.last - chunk.first;
        }
    }
    keel_simulation_end(simulation);
    return count;
}

/* 4 fast cores and 8 slow ones: blocks as large as these are fast leave little to steal. */
static void blocks_by_weights_are_for_cores_that_differ(void **state)
{
    static struct loop loop = {.iterations = 12000};
    struct keel_processor processor[12];
    uint64_t place[13], equal[13], weighted[13];
    uint32_t number[12];
    struct draws draws = draws_begin();
    const struct machine machine = {12, 12, 12};

    (void)state;
    draw_loop(&loop, EQUAL, &machine, 0, &draws);
    for (uint32_t t = 0; t < 12; t++) {
        loop.speed[t] = t < 4 ? 1 : 0.5;
        processor[t] = (struct keel_processor){t, 0, 0, 1024 * loop.speed[t]};
        number[t] = t;
        place[t] = t;
    }
    place[12] = 12;
    struct keel_placement *placement =
        keel_placement_make(&(struct keel_places){12, place, number, 12, processor});
    assert_non_null(placement);
    for (uint64_t t = 0; t <= 12; t++) {
        equal[t] = t * 1000;
        weighted[t] = keel_placement_first(placement, t, loop.iterations);
    }
    uint64_t moved_equal = moved(&loop, NULL, equal, 12);
    uint64_t moved_weighted = moved(&loop, placement, weighted, 12);
    assert_true(moved_equal > 12000 / 8);
    assert_true(moved_weighted < moved_equal / 10);
    assert_true(run(&loop, &keel_schedule_steal, 12, placement, weighted) <
                1.02 * run(&loop, &keel_schedule_steal, 12, NULL, NULL));
    free(placement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_near_first_keeps_the_bound_of_steal),
        cmocka_unit_test(looking_near_first_changes_no_schedule_in_the_mean),
        cmocka_unit_test(blocks_by_weights_are_for_cores_that_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
