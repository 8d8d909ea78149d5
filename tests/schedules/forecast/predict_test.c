/* Forecasts, simulated loops, estimates of the rest, and medians. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/team.h"
#include "schedules/forecast/predict.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- forecasts by hand, by the rules of chance, and at the extremes --- */

static const struct keel_claim_costs no_costs = {0};
static const struct keel_claim_costs costs = {
    .step_ns = 20, .own_ns = 3, .weighted_ns = 30, .timed_ns = 60, .start_ns = 200};
static const double slow_and_quick[] = {1.0 / 3, 5.0 / 3};

static void assert_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
        fail_msg("%.12g instead of %.12g", value, wanted);
    }
}

/* Two threads, 100 ns an iteration. */
static struct keel_workload pair(uint64_t iterations)
{
    return (struct keel_workload){.iterations = iterations, .threads = 2, .iteration_ns = 100};
}

static struct keel_forecast forecast_of(const char *text, const struct keel_workload *workload,
                                        const struct keel_claim_costs *claim_costs)
{
    struct keel_spec spec = specs_read(text);

    return keel_predict(&spec, workload, claim_costs);
}

static void assert_forecast(struct keel_forecast forecast, double time_ns, double chunks)
{
    assert_close(forecast.time_ns, time_ns, 1e-9);
    assert_close(forecast.chunks, chunks, 1e-9);
}

static void assert_possible(const char *text, struct keel_forecast forecast,
                            const struct keel_workload *workload)
{
    double ideal = keel_predict_ideal_ns(workload);

    if (!(forecast.time_ns >= ideal && forecast.time_ns < INFINITY)) {
        fail_msg("%s: %g ns, ideal %g", text, forecast.time_ns, ideal);
    }
    if (!(forecast.chunks >= 1 && forecast.chunks <= 1.01 * (double)workload->iterations + 1)) {
        fail_msg("%s: %g chunks of %g iterations", text, forecast.chunks,
                 (double)workload->iterations);
    }
    if (!(forecast.imbalance > -1e-9 && forecast.imbalance <= (double)workload->threads)) {
        fail_msg("%s: imbalance %g", text, forecast.imbalance);
    }
}

/* --- by hand --- */

TEST(static_blocks_end_with_the_slowest)
{
    struct keel_workload workload = pair(1000);

    assert_forecast(forecast_of("static", &workload, &costs), 50003, 2);
    assert_close(forecast_of("static", &workload, &costs).imbalance, 0, 1e-12);
    workload.speed = slow_and_quick;
    /* 500 x 300 + 3 beside 500 x 60 + 3 */
    assert_forecast(forecast_of("static", &workload, &costs), 150003, 2);
    assert_close(forecast_of("static", &workload, &costs).imbalance, 150003 / 90003.0 - 1, 1e-12);
}

/* Batches of 6, 4 and 2: 1 | 5, 1 | 3, - | 2. Both end at 600. */
TEST(weights_divide_batches)
{
    struct keel_workload workload = pair(12);

    workload.speed = workload.weights = slow_and_quick;
    assert_forecast(forecast_of("wf2", &workload, &no_costs), 600, 5);
    assert_forecast(forecast_of("awf", &workload, &no_costs), 600, 5);
    workload.weights = NULL;
    /* weights of 1: 3 | 3, 1 1 2 | 0 ... the slow thread needs 900 for its first chunk */
    assert_close(forecast_of("wf2", &workload, &no_costs).time_ns, 900, 1e-9);
}

/* Stated weights are not for schedules that learn theirs. */
TEST(learned_weights_are_speeds)
{
    struct keel_workload workload = pair(100000);

    workload.speed = slow_and_quick;
    workload.weights = (const double[]){5.0 / 3, 1.0 / 3};
    const char *const learning[] = {"awf", "awf-b", "awf-c", "awf-d", "awf-e", "rate", "af"};
    for (size_t i = 0; i < sizeof learning / sizeof learning[0]; i++) {
        assert_in_range(forecast_of(learning[i], &workload, &no_costs).time_ns, 5000000, 5050000);
    }
    assert_true(forecast_of("wf2", &workload, &no_costs).time_ns > 10000000);
}

/* --- chance --- */

/* Who comes by at any time meets a chunk of 100 + 50^2 / 100 ns; of two threads, the one that has
 * more of its last chunk ahead has 2/3 of that, and they have 1/2 on average. */
TEST(long_sequences_end_unevenly)
{
    struct keel_workload workload = pair(2000);

    assert_close(forecast_of("ss", &workload, &no_costs).time_ns, 100000 + 100 / 6.0, 1e-6);
    workload.deviation_ns = 50;
    struct keel_forecast forecast = forecast_of("ss", &workload, &no_costs);
    assert_close(forecast.time_ns, 100000 + 125 / 6.0, 1e-6);
    assert_true(forecast.imbalance > 0 && forecast.imbalance < 1e-3);
}

/* --- extremes --- */

TEST(an_empty_loop_takes_no_time)
{
    struct keel_workload workload = pair(0);

    assert_forecast(forecast_of("gss", &workload, &costs), 0, 0);
    assert_close(keel_predict_ideal_ns(&workload), 0, 0);
    workload = pair(10);
    workload.threads = 0;
    assert_forecast(forecast_of("gss", &workload, &costs), 0, 0);
}

TEST(large_teams_are_forecast)
{
    enum { THREADS = 1024 };
    double *speed = malloc(THREADS * sizeof *speed);

    for (int i = 0; i < THREADS; i++) {
        speed[i] = i % 2 == 0 ? 0.5 : 1.5;
    }
    struct keel_workload workload = {.iterations = 1 << 20,
                                     .threads = THREADS,
                                     .iteration_ns = 100,
                                     .speed = speed,
                                     .wobble = 0.01};
    assert_in_range(forecast_of("static", &workload, &no_costs).time_ns, 204800, 225000);
    assert_in_range(forecast_of("fac2", &workload, &no_costs).time_ns, 102400, 110000);
    assert_in_range(forecast_of("awf", &workload, &no_costs).time_ns, 102400, 105000);
    assert_in_range(forecast_of("steal", &workload, &no_costs).time_ns, 102400, 110000);
    free(speed);
}

TEST(impossible_numbers_are_replaced)
{
    allow_exceptions();
    const double bad[] = {NAN, -1, INFINITY, -INFINITY};
    struct keel_profile profile;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const double b = bad[i], pairs[] = {b, b};
        struct keel_claim_costs bad_costs = {b, b, b, b, b};
        keel_profile_begin(&profile);
        memcpy(profile.cost, pairs, sizeof pairs);
        struct keel_workload workload = {.iterations = 5000,
                                         .threads = 2,
                                         .profile = &profile,
                                         .iteration_ns = 100,
                                         .deviation_ns = b,
                                         .speed = pairs,
                                         .late_ns = pairs,
                                         .wobble = b};
        for (const char *const *text = specs_texts; *text != NULL; text++) {
            assert_possible(*text, forecast_of(*text, &workload, &bad_costs), &workload);
        }
        assert_close(keel_predict_ideal_ns(&workload), 250000, 1e-12);
        workload.iteration_ns = b;
        assert_close(forecast_of("fac2", &workload, &bad_costs).time_ns, 0, 0);
    }
}

TEST(without_memory_there_is_no_forecast)
{
    struct keel_workload workload = pair(1000);

    workload.threads = UINT64_MAX;
    assert_true(isinf(forecast_of("static", &workload, &no_costs).time_ns));
}

/* --- simulated loops: claims in the order of time, by hand and for any times --- */

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

/* --- estimates of how long the rest of a loop takes, by hand --- */

/* Each worker gets 500 of 1000 iterations of 10 ns, in 4 chunks of 5 ns, and is as much longer as
 * chance has it; the second one is twice as fast. */
TEST(dealt_chunks_take_what_chance_adds)
{
    const struct keel_estimate_rest rest = {.iterations = 1000,
                                            .iteration_ns = 10,
                                            .deviation_ns = 2,
                                            .claim_ns = 5,
                                            .chunks = 7,
                                            .last_chunk = 100};

    for (unsigned run = 0; run < 10; run++) {
        struct keel_forecast_worker worker[2] = {{.speed = 1, .thread = 0},
                                                 {.speed = 2, .thread = 1, .clock_ns = 50}};
        double longer_ns = keel_estimate_dealt(&rest, worker, 2, run);
        double first_ns = worker[0].busy_ns - 20 - 5000, second_ns = 2 * (worker[1].busy_ns - 20);
        assert_true(longer_ns != 0);
        assert_true(is_within(first_ns + second_ns - 5000, longer_ns, 1e-6));
        assert_near(worker[0].clock_ns, worker[0].busy_ns);
        assert_near(worker[1].clock_ns, 50 + worker[1].busy_ns);
    }
}

/* 100 iterations of 10 ns, speeds 1 and 3: 250 ns, but for a thread that comes at 1000. */
TEST(shared_chunks_go_by_speed)
{
    const struct keel_estimate_rest rest = {
        .iterations = 100, .iteration_ns = 10, .chunks = 100, .last_chunk = 1};
    struct keel_forecast_worker worker[3] = {
        {.speed = 1}, {.speed = 3, .thread = 1}, {.speed = 1, .thread = 2, .clock_ns = 1000}};

    assert_true(keel_estimate_shared(&rest, worker, 3) >= 250);
    assert_near(worker[0].clock_ns, 250);
    assert_near(worker[1].busy_ns, 250);
    assert_true(worker[2].clock_ns == 1000 && worker[2].busy_ns == 0);
}

/* --- medians: the median of a stream --- */

TEST(of_two_modes_the_larger_one_counts)
{
    struct keel_median median = {0}, other = {0};

    keel_median_add(&median, 100, 40);
    keel_median_add(&median, 30000, 60);
    assert_true(keel_median_of(&median) == 30000);
    keel_median_add(&other, 100, 20); /* as many of each: the lower one */
    keel_median_merge(&median, &other);
    assert_true(keel_median_of(&median) == 100);
}

static int by_size(const void *a, const void *b)
{
    return (*(const uint64_t *)a > *(const uint64_t *)b) -
           (*(const uint64_t *)a < *(const uint64_t *)b);
}

TEST(it_is_off_by_less_than_a_factor_of_two)
{
    struct draws draws = draws_begin();
    static uint64_t amount[1001];

    for (int round = 0; round < 200; round++) {
        struct keel_median median = {0};
        uint64_t most = UINT64_C(1) << (8 + draws_below(&draws, 28));
        for (int i = 0; i < 1001; i++) {
            amount[i] = 64 + draws_below(&draws, most);
            keel_median_add(&median, amount[i], 1);
        }
        qsort(amount, 1001, sizeof amount[0], by_size);
        double exact = (double)amount[500];
        assert_true(keel_median_of(&median) > exact / 2 && keel_median_of(&median) < exact * 2);
    }
}
