/* Simulated loops: claims in the order of time, by hand and for any times. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/forecast/predict.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define THREADS_MAX 40
#define CLAIM_NS 1

static struct draws draws;
static struct keel_claim_context seen; /* by the latest claim */

static uint64_t two(const struct keel_claim_context *context)
{
    seen = *context;
    return 2;
}

static const struct keel_schedule twos = {.claim = KEEL_CLAIM_SIZED, .take = two, .timed = true};
static const struct keel_spec spec = {.schedule = &twos, .value = {[KEEL_MIN] = {.count = 1}}};

/* As many ns an iteration as `context` has for the thread. */
static double by_thread(const struct keel_simulated_chunk *chunk, void *context)
{
    return (double)(chunk->last - chunk->first) * ((const double *)context)[chunk->thread];
}

static double drawn_ns(const struct keel_simulated_chunk *chunk, void *context)
{
    (void)chunk, (void)context;
    return (double)draws_below(&draws, 5);
}

static void expect(struct keel_simulation *simulation, uint64_t thread, uint64_t first,
                   double start_ns, double time_ns)
{
    struct keel_simulated_chunk chunk;

    assert_true(keel_simulation_next(simulation, &chunk));
    assert_int_equal(chunk.thread, thread);
    assert_int_equal(chunk.first, first);
    assert_int_equal(chunk.last, first + 2);
    assert_true(chunk.start_ns == start_ns && chunk.time_ns == time_ns);
}

static void expect_end(struct keel_simulation *simulation)
{
    struct keel_simulated_chunk chunk;

    assert_false(keel_simulation_next(simulation, &chunk));
    assert_false(keel_simulation_next(simulation, &chunk));
    keel_simulation_end(simulation);
}

/* Claims go on in time, at the same time by thread; each begins where the thread's last chunk
 * ended; and each iteration is in one chunk. */
static void check_any(uint64_t threads, uint64_t iterations)
{
    const struct keel_simulation_setup setup = {.spec = &spec,
                                                .iterations = iterations,
                                                .threads = threads,
                                                .claim_ns = CLAIM_NS,
                                                .time_ns = drawn_ns};
    struct keel_simulation *simulation = keel_simulation_begin(&setup);
    struct keel_simulated_chunk chunk, before = {.start_ns = -1};
    double free_ns[THREADS_MAX] = {0};

    while (keel_simulation_next(simulation, &chunk)) {
        assert_true(chunk.thread < threads && chunk.first == before.last);
        assert_true(chunk.start_ns == free_ns[chunk.thread] + CLAIM_NS);
        assert_true(chunk.start_ns > before.start_ns ||
                    (chunk.start_ns == before.start_ns && chunk.thread > before.thread));
        free_ns[chunk.thread] = chunk.start_ns + chunk.time_ns;
        before = chunk;
    }
    assert_int_equal(before.last, iterations);
    keel_simulation_end(simulation);
}

TEST(claims_of_any_loop_are_in_order)
{
    for (int times = 0; times < 300; times++) {
        check_any(1 + draws_below(&draws, THREADS_MAX), draws_below(&draws, 400));
    }
}

TEST(large_teams_are_refused)
{
    static double ns[KEEL_SIMULATION_THREADS_MAX];
    struct keel_simulation_setup setup = {.spec = &spec,
                                          .iterations = 2,
                                          .threads = KEEL_SIMULATION_THREADS_MAX,
                                          .time_ns = by_thread,
                                          .context = ns};
    struct keel_simulation *simulation = keel_simulation_begin(&setup);

    assert_non_null(simulation);
    expect(simulation, 0, 0, 0, 0);
    expect_end(simulation);
    setup.threads++;
    assert_null(keel_simulation_begin(&setup));
}

BEFORE_TESTS
{
    draws = draws_begin();
}
