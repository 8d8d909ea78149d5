/* Forecasts of drawn workloads: against a slow simulation, and what holds for all of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/claim/claim.h"
#include "schedules/claim/team.h"
#include "schedules/forecast/predict.h"
#include "schedules/learn/learner.h"
#include "schedules/loop/registry.h"
#include "tests/schedules/forecast/predict_cases.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/draws.h"

#define THREADS_MAX 12

/* --- against a slow simulation --- */

/* Without a heap, without a shared walk, and with the cost of every iteration on its own. */
struct slow {
    const struct keel_spec *spec;
    const struct keel_workload *workload;
    double claim_ns;
    double clock[THREADS_MAX];
    bool refused[THREADS_MAX];
    struct keel_plan *plan[THREADS_MAX];
    struct keel_plan fallback[THREADS_MAX];
    struct keel_cursor cursor[THREADS_MAX];
    struct keel_claims claims;
    struct keel_team *team;
    struct keel_team_worker team_worker[THREADS_MAX];
    double chunk_ns[THREADS_MAX]; /* of the chunk that is still to be reported; -1: none */
    uint64_t chunk[THREADS_MAX];
    struct keel_sample sample[THREADS_MAX];
    double weight[THREADS_MAX];
    uint64_t batch[THREADS_MAX];
};

static bool has_team(const struct slow *slow)
{
    return slow->spec->schedule->claim >= KEEL_CLAIM_SIZED;
}

static double slow_chunk_ns(const struct keel_workload *workload, uint64_t first, uint64_t last)
{
    double sum = 0;

    /* an iteration that lies in two bins has its part of both */
    for (uint64_t i = first; i < last; i++) {
        for (int part = 0; part < KEEL_PROFILE_BINS; part++) {
            double place = ((double)i * KEEL_PROFILE_BINS + part) / KEEL_PROFILE_BINS;
            int bin = (int)(place * KEEL_PROFILE_BINS / (double)workload->iterations);
            sum += workload->profile->cost[bin] / KEEL_PROFILE_BINS;
        }
    }
    return sum * workload->iteration_ns;
}

static void slow_begin(struct slow *slow)
{
    const struct keel_workload *workload = slow->workload;
    bool learning = slow->spec->schedule->learns != KEEL_LEARNS_NOT;

    for (uint64_t i = 0; i < workload->threads; i++) {
        slow->clock[i] = workload->late_ns[i];
        slow->chunk_ns[i] = -1;
        if (!has_team(slow)) {
            struct keel_problem problem = {.spec = slow->spec,
                                           .iterations = workload->iterations,
                                           .threads = workload->threads,
                                           .thread = i,
                                           .weights = learning ? NULL : workload->weights};
            slow->plan[i] = keel_plan_build(&problem, realloc, &slow->fallback[i]);
            keel_cursor_begin(&slow->cursor[i], slow->plan[i]);
        }
    }
    if (has_team(slow)) {
        slow->team = aligned_alloc(64, keel_team_size(workload->threads));
        keel_team_begin(slow->team, slow->spec, workload->iterations, workload->threads, NULL,
                        NULL);
        for (uint64_t i = 0; i < 2 * workload->threads; i++) {
            uint64_t thread = i % workload->threads;
            struct keel_pace pace = {.mean_ns = workload->iteration_ns / workload->speed[thread]};
            keel_team_worker_begin(&slow->team_worker[thread], slow->team, thread, pace);
        }
    }
}

static int slow_first(const struct slow *slow)
{
    int first = -1;

    for (int i = 0; i < (int)slow->workload->threads; i++) {
        if (!slow->refused[i] && (first < 0 || slow->clock[i] < slow->clock[first])) {
            first = i;
        }
    }
    return first;
}

static double slow_weight(const struct slow *slow, int thread)
{
    struct keel_speeds speeds = {0};

    for (uint64_t i = 0; i < slow->workload->threads; i++) {
        keel_speeds_add(&speeds, keel_sample_pace_ns(&slow->sample[i]));
    }
    return keel_speeds_weight(&speeds, keel_sample_pace_ns(&slow->sample[thread]));
}

/* As omp_ext/loop/learning.c: earlier instances stand for a first chunk of N/P; then with each
 * chunk, or where a thread finds that a batch has begun. */
static void slow_learn(struct slow *slow, int thread)
{
    const struct keel_schedule *schedule = slow->spec->schedule;
    uint64_t batch = slow->claims.next >> 32;

    keel_sample_add(&slow->sample[thread], slow->chunk[thread],
                    slow->chunk_ns[thread] + schedule->learns_overhead * slow->claim_ns);
    if (schedule->learns == KEEL_LEARNS_CHUNKS ||
        (schedule->learns == KEEL_LEARNS_BATCHES && batch != slow->batch[thread])) {
        slow->weight[thread] = slow_weight(slow, thread);
    }
    slow->batch[thread] = batch;
}

static bool learns(const struct keel_spec *spec)
{
    return spec->schedule->claim == KEEL_CLAIM_WEIGHTED &&
           spec->schedule->learns != KEEL_LEARNS_NOT;
}

static void slow_begin_learning(struct slow *slow)
{
    const struct keel_workload *workload = slow->workload;
    uint64_t share = workload->iterations / workload->threads;

    for (uint64_t i = 0; i < workload->threads; i++) {
        share = share > 0 ? share : 1;
        keel_sample_add(&slow->sample[i], share,
                        workload->iteration_ns / workload->speed[i] * (double)share);
    }
    for (uint64_t i = 0; i < workload->threads; i++) {
        slow->weight[i] = slow_weight(slow, (int)i);
    }
}

static bool slow_claim(struct slow *slow, int thread, uint64_t *first, uint64_t *last)
{
    if (learns(slow->spec)) {
        if (slow->chunk_ns[thread] >= 0) {
            slow_learn(slow, thread);
        }
        slow->cursor[thread].share = keel_plan_share(slow->plan[thread], slow->weight[thread]);
    }
    if (!has_team(slow)) {
        return keel_claim(slow->plan[thread], &slow->claims, &slow->cursor[thread], first, last);
    }
    if (slow->chunk_ns[thread] >= 0) {
        keel_team_worker_done(&slow->team_worker[thread], slow->chunk_ns[thread], slow->claim_ns);
    }
    return keel_team_worker_next(&slow->team_worker[thread], first, last);
}

static void slow_end(struct slow *slow)
{
    for (uint64_t i = 0; i < slow->workload->threads; i++) {
        if (slow->plan[i] != &slow->fallback[i]) {
            free(slow->plan[i]);
        }
    }
    free(slow->team);
}

static struct keel_forecast slow_forecast(const struct keel_spec *spec,
                                          const struct keel_workload *workload, double claim_ns)
{
    struct slow slow = {.spec = spec, .workload = workload, .claim_ns = claim_ns};
    struct keel_forecast forecast = {0};
    double earliest = INFINITY;
    uint64_t first, last;

    slow_begin(&slow);
    slow_begin_learning(&slow);
    for (int thread; (thread = slow_first(&slow)) >= 0;) {
        if (slow_claim(&slow, thread, &first, &last)) {
            slow.chunk_ns[thread] = slow_chunk_ns(workload, first, last) / workload->speed[thread];
            slow.chunk[thread] = last - first;
            slow.clock[thread] += claim_ns + slow.chunk_ns[thread];
            forecast.chunks++;
        } else {
            slow.refused[thread] = true;
        }
    }
    for (uint64_t i = 0; i < workload->threads; i++) {
        forecast.time_ns = fmax(forecast.time_ns, slow.clock[i]);
        earliest = fmin(earliest, workload->late_ns[i]);
    }
    forecast.time_ns -= earliest;
    slow_end(&slow);
    return forecast;
}

/* --- drawn workloads --- */

struct drawn {
    struct keel_workload workload;
    struct keel_profile profile;
    double speed[THREADS_MAX], late_ns[THREADS_MAX];
};

static void normalize(double *value, uint64_t count)
{
    double sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += value[i];
    }
    for (uint64_t i = 0; i < count; i++) {
        value[i] *= (double)count / sum;
    }
}

static void draw_workload(struct draws *draws, uint64_t most, struct drawn *drawn)
{
    uint64_t threads = 1 + draws_below(draws, THREADS_MAX);

    keel_profile_begin(&drawn->profile);
    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        drawn->profile.cost[b] = exp(2 * draws_real(draws));
    }
    normalize(drawn->profile.cost, KEEL_PROFILE_BINS);
    for (uint64_t i = 0; i < threads; i++) {
        drawn->speed[i] = exp(3 * draws_real(draws));
        drawn->late_ns[i] = draws_below(draws, 2) * 1000 * draws_real(draws);
    }
    normalize(drawn->speed, threads);
    drawn->workload = (struct keel_workload){
        .iterations = 1 + draws_below(draws, most),
        .threads = threads,
        .profile = &drawn->profile,
        .iteration_ns = 1 + 1000 * draws_real(draws),
        .speed = drawn->speed,
        .late_ns = drawn->late_ns,
        .weights = drawn->speed,
    };
}

/* Where learned blocks lie, the slow simulation does not know. */
static bool is_followed(const struct keel_spec *spec)
{
    const struct keel_schedule *schedule = spec->schedule;

    return !schedule->wants_costs &&
           (schedule->claim != KEEL_CLAIM_BLOCKS || schedule->learns == KEEL_LEARNS_NOT);
}

/* Of all iterations on all threads. */
static double dearest_ns(const struct drawn *drawn)
{
    double cost = 0, speed = INFINITY;

    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        cost = fmax(cost, drawn->profile.cost[b]);
    }
    for (uint64_t i = 0; i < drawn->workload.threads; i++) {
        speed = fmin(speed, drawn->speed[i]);
    }
    return drawn->workload.iteration_ns * cost / speed;
}

/* Sizes that come from measured times may differ by one, as sums round differently; rarely, and not
 * by much. */
static void equals_a_slow_simulation(void **state)
{
    const struct keel_claim_costs same = {10, 10, 10, 10, 0};
    struct draws draws = draws_begin();
    struct drawn drawn;
    int measured = 0, differing = 0;

    (void)state;
    for (int round = 0; round < 20; round++) {
        draw_workload(&draws, KEEL_PREDICT_CHUNKS_MAX, &drawn);
        for (const char *const *text = specs_texts; *text != NULL; text++) {
            struct keel_spec spec = specs_read(*text);
            if (!is_followed(&spec)) {
                continue;
            }
            struct keel_forecast wanted = slow_forecast(&spec, &drawn.workload, 10);
            struct keel_forecast got = keel_predict(&spec, &drawn.workload, &same);
            double difference = fabs(got.time_ns - wanted.time_ns);
            bool equal = difference <= 1e-6 * wanted.time_ns && got.chunks == wanted.chunks;
            bool sized = spec.schedule->claim == KEEL_CLAIM_SIZED || learns(&spec);
            measured += sized;
            differing += sized && !equal;
            if (!equal && !(sized && difference <= 0.05 * wanted.time_ns + dearest_ns(&drawn))) {
                fail_msg("%s: %g ns, %g chunks; the slow simulation has %g and %g", *text,
                         got.time_ns, got.chunks, wanted.time_ns, wanted.chunks);
            }
        }
    }
    assert_in_range(differing, 0, measured / 10);
}

/* Over KEEL_PREDICT_CHUNKS_MAX chunks, where nothing is walked. Times differ by where in its last
 * chunk of up to three iterations each thread is met. */
static void closed_forms_come_close(void **state)
{
    const struct keel_claim_costs same = {10, 10, 10, 10, 0};
    const char *const texts[] = {"ss", "css,3", "static,1", "static,2"};
    struct draws draws = draws_begin();
    struct drawn drawn;

    (void)state;
    for (int round = 0; round < 10; round++) {
        draw_workload(&draws, 1, &drawn);
        drawn.workload.iterations = 5000 + draws_below(&draws, 5000);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            struct keel_spec spec = specs_read(texts[i]);
            struct keel_forecast wanted = slow_forecast(&spec, &drawn.workload, 10);
            struct keel_forecast got = keel_predict(&spec, &drawn.workload, &same);
            assert_close(got.chunks, wanted.chunks, 1e-3);
            if (fabs(got.time_ns - wanted.time_ns) >
                0.01 * wanted.time_ns + 3 * dearest_ns(&drawn)) {
                fail_msg("%s: %g instead of %g", texts[i], got.time_ns, wanted.time_ns);
            }
        }
    }
}

/* --- what holds for all --- */

static void no_forecast_beats_the_ideal(void **state)
{
    struct draws draws = draws_begin();
    struct drawn drawn;

    (void)state;
    for (int round = 0; round < 30; round++) {
        draw_workload(&draws, round < 20 ? 3000 : UINT64_MAX, &drawn);
        drawn.workload.deviation_ns = draws_below(&draws, 2) * 2000 * draws_real(&draws);
        drawn.workload.wobble = draws_below(&draws, 2) * 0.3 * draws_real(&draws);
        for (const char *const *text = specs_texts; *text != NULL; text++) {
            struct keel_spec spec = specs_read(*text);
            struct keel_forecast forecast = keel_predict(&spec, &drawn.workload, &costs);
            assert_possible(*text, forecast, &drawn.workload);
            struct keel_forecast again = keel_predict(&spec, &drawn.workload, &costs);
            assert_memory_equal(&forecast, &again, sizeof forecast);
        }
    }
}

static void without_memory_forecasts_are_rough(void **state)
{
    struct draws draws = draws_begin();
    struct drawn drawn;

    (void)state;
    for (int round = 0; round < 20; round++) {
        draw_workload(&draws, 3000, &drawn);
        for (const char *const *text = specs_texts; *text != NULL; text++) {
            struct keel_spec spec = specs_read(*text);
            assert_possible(*text, keel_predict_in(NULL, &spec, &drawn.workload, &costs),
                            &drawn.workload);
        }
    }
    struct keel_workload workload = pair(1000);
    struct keel_spec spec = specs_read("static"), ss = specs_read("ss");
    workload.speed = slow_and_quick;
    assert_close(keel_predict_in(NULL, &spec, &workload, &no_costs).time_ns, 150000, 1e-9);
    /* 1000 x (50 + 20/2) */
    assert_close(keel_predict_in(NULL, &ss, &workload, &costs).time_ns, 60000, 1e-9);
    assert_true(keel_predict_size(UINT64_MAX) == SIZE_MAX);
}

static void memory_serves_again(void **state)
{
    struct draws draws = draws_begin();
    struct drawn drawn;
    void *memory = aligned_alloc(64, keel_predict_size(THREADS_MAX));

    (void)state;
    draw_workload(&draws, 3000, &drawn);
    for (const char *const *text = specs_texts; *text != NULL; text++) {
        struct keel_spec spec = specs_read(*text);
        struct keel_forecast forecast = keel_predict_in(memory, &spec, &drawn.workload, &costs);
        struct keel_forecast wanted = keel_predict(&spec, &drawn.workload, &costs);
        assert_memory_equal(&forecast, &wanted, sizeof forecast);
    }
    free(memory);
}

static void dearer_claims_take_longer(void **state)
{
    const char *const texts[] = {"static", "static,1", "ss", "css,7", "steal,4", "fac2"};

    (void)state;
    for (uint64_t iterations = 500; iterations <= 50000; iterations *= 10) {
        struct keel_workload workload = pair(iterations);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            double before = 0;
            for (double ns = 0; ns <= 1000; ns = 10 * ns + 1) {
                struct keel_claim_costs dear = {ns, ns, ns, ns, ns};
                double time = forecast_of(texts[i], &workload, &dear).time_ns;
                assert_true(time > before);
                before = time;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_slow_simulation),
        cmocka_unit_test(closed_forms_come_close),
        cmocka_unit_test(no_forecast_beats_the_ideal),
        cmocka_unit_test(without_memory_forecasts_are_rough),
        cmocka_unit_test(memory_serves_again),
        cmocka_unit_test(dearer_claims_take_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
