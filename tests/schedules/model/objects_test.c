/* The model of over-decomposed objects: terms by hand, against a simulation, and what is singular.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/arithmetic/chance.h"
#include "schedules/model/objects.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"

#define PROCESSORS_MAX 64
#define TASKS_MAX (PROCESSORS_MAX * 16)

static struct keel_objects_forecast predict(const struct keel_objects *objects)
{
    struct keel_objects_forecast forecast;
    size_t size = keel_objects_scratch(objects);
    void *scratch = size > 0 ? malloc(size) : NULL;

    assert_true(keel_objects_predict(objects, &forecast, scratch));
    free(scratch);
    return forecast;
}

/* Light tasks take 1 s, heavy ones 3 s, and nothing else takes any time. */
static struct keel_objects plain(uint32_t processors, uint64_t light, uint64_t heavy)
{
    return (struct keel_objects){
        .processors = processors,
        .classes = {.light = light, .heavy = heavy, .light_mean = 1, .heavy_mean = 3},
    };
}

/* --- as published --- */

/* Two processors of a kind, four tasks each. After 4 s, heavy ones are at their second task; one of
 * two goes to a light one: 3 tasks in 9 s, and 4 s and a task. */
static void rounds_by_hand(void **state)
{
    struct keel_objects objects = plain(4, 8, 8);
    struct keel_objects_forecast forecast = predict(&objects);

    (void)state;
    assert_true(forecast.overloaded == 2 && forecast.underloaded == 2);
    assert_true(forecast.lower.rounds == 1 && forecast.lower.locate_s == 0);
    assert_true(forecast.lower.overloaded.work_s == 9 && forecast.lower.overloaded.tasks == 3);
    assert_true(forecast.lower.overloaded.migrated == 1);
    assert_true(forecast.lower.underloaded.work_s == 7 && forecast.lower.underloaded.tasks == 5);
    assert_true(forecast.lower.total_s == 9 && forecast.upper.total_s == 9);
    assert_true(forecast.average_s == 9 && forecast.unbalanced_s == 12 && forecast.ideal_s == 8);
}

/* Each of three light ones takes a task in a round: both that are left after 4 s. */
static void many_sinks(void **state)
{
    struct keel_objects objects = plain(4, 12, 4);
    struct keel_objects_forecast forecast = predict(&objects);

    (void)state;
    assert_true(forecast.overloaded == 1 && forecast.lower.rounds == 1);
    assert_true(forecast.lower.overloaded.tasks == 2 && forecast.lower.overloaded.work_s == 6);
    assert_true(forecast.lower.underloaded.migrated == 1 && forecast.lower.total_s == 7);
    /* eight tasks: begun after 8 s: 3; 5 are left: 3 given, 1 executed, 1 given */
    objects = plain(4, 24, 8);
    forecast = predict(&objects);
    assert_true(forecast.lower.rounds == 2 && forecast.lower.overloaded.migrated == 4);
    assert_true(forecast.lower.overloaded.work_s == 12);
    assert_true(forecast.lower.underloaded.migrated == 2 && forecast.lower.total_s == 14);
    objects.quantum_s = 0.1; /* only the first task has to be searched for */
    forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.underloaded.request_s, 0.05 + 0.05));
    assert_true(is_near_unit(forecast.upper.underloaded.request_s, 0.15 + 0.05));
}

/* One light processor takes three tasks in three rounds, from one source after the other. */
static void few_sinks(void **state)
{
    struct keel_objects objects = plain(4, 8, 24);
    struct keel_objects_forecast forecast = predict(&objects);

    (void)state;
    assert_true(forecast.overloaded == 3 && forecast.lower.rounds == 4);
    assert_true(forecast.lower.overloaded.tasks == 7 && forecast.lower.overloaded.migrated == 1);
    assert_true(forecast.lower.underloaded.migrated == 3);
    assert_true(forecast.lower.underloaded.work_s == 17 && forecast.lower.total_s == 21);
    objects = plain(4, 4, 12); /* two left on each, and who gives least gives none */
    assert_true(predict(&objects).lower.total_s == 12);
    objects = plain(5, 10, 15); /* three sources give one to two processors: two to one of them */
    forecast = predict(&objects);
    assert_true(forecast.lower.rounds == 2 && forecast.lower.overloaded.migrated == 1);
    assert_true(forecast.lower.underloaded.migrated == 2 && forecast.lower.total_s == 12);
}

/* Four tasks on each of four processors. */
static void processors_with_both_kinds(void **state)
{
    struct keel_objects objects = plain(4, 10, 6);
    struct keel_objects_forecast forecast = predict(&objects);

    (void)state;
    assert_true(forecast.overloaded == 2); /* 1.5 */
    objects = plain(4, 15, 1);             /* 1 1 1 3: the last one has begun after 4 s */
    forecast = predict(&objects);
    assert_true(forecast.overloaded == 1 && forecast.lower.total_s == 6);
    assert_true(forecast.lower.rounds == 0 && forecast.unbalanced_s == 6);
    objects = plain(4, 14, 2); /* 1 1 3 3: it has not */
    forecast = predict(&objects);
    assert_true(forecast.lower.overloaded.total_s == 5 && forecast.lower.total_s == 7);
}

/* The paper's terms, each with a value of its own. */
static void terms_by_hand(void **state)
{
    struct keel_objects objects = plain(4, 8, 8);

    (void)state;
    objects.quantum_s = 1;
    objects.context_s = 0.01;
    objects.poll_s = 0.03;
    objects.message_s = 0.1;
    objects.byte_s = 0.001;
    objects.task_bytes = 100;
    objects.task_messages = 2;
    objects.task_message_bytes = 50;
    objects.uninstall_s = 0.1;
    objects.pack_s = 0.2;
    objects.unpack_s = 0.3;
    objects.install_s = 0.4;
    objects.decision_s = 0.05;
    objects.request_s = 0.2;
    struct keel_objects_forecast forecast = predict(&objects);
    const struct keel_objects_terms *source = &forecast.lower.overloaded;
    const struct keel_objects_terms *sink = &forecast.lower.underloaded;
    assert_true(is_near_unit(forecast.lower.locate_s, 0.1 + 0.5 + 0.2 + 0.1 + 0.2));
    assert_true(is_near_unit(source->thread_s, 9 * 0.05)); /* R6 */
    assert_true(is_near_unit(source->application_s, 3 * 2 * 0.15));
    assert_true(source->request_s == 0 && source->decision_s == 0 && source->overlap_s == 0);
    assert_true(is_near_unit(source->migration_s, 0.1 + 0.2 + 0.2));
    assert_true(is_near_unit(source->total_s, 9 + 0.45 + 0.9 + 0.5));
    assert_true(is_near_unit(sink->application_s, 5 * 2 * 0.15));
    assert_true(is_near_unit(sink->request_s, 1.1) && is_near_unit(sink->decision_s, 0.05));
    assert_true(is_near_unit(sink->migration_s, 0.7));
    assert_true(is_near_unit(sink->total_s, 7 + 0.35 + 1.5 + 1.1 + 0.7 + 0.05));
    assert_true(is_near_unit(forecast.lower.total_s, 10.85));
    /* the other light processor is asked first */
    assert_true(is_near_unit(forecast.upper.locate_s, 2.2));
    assert_true(is_near_unit(forecast.upper.total_s, 11.8) && forecast.upper.rounds == 1);
    assert_true(is_near_unit(forecast.average_s, (10.85 + 11.8) / 2));
    assert_true(is_near_unit(forecast.unbalanced_s, 12 + 4 * 0.3));
    objects.overlap = 0.5;
    forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.overloaded.overlap_s, 0.45 + 0.1));
    assert_true(is_near_unit(forecast.lower.overloaded.total_s, 10.85 - 0.55));
    assert_true(is_near_unit(forecast.lower.underloaded.total_s, 10.7 - 0.75));
    assert_true(is_near_unit(forecast.unbalanced_s, 12 + 4 * 0.15));
}

static void neighbourhoods_and_handshakes(void **state)
{
    struct keel_objects objects = plain(8, 24, 8); /* six light processors, two heavy ones */

    (void)state;
    objects.quantum_s = 0.2;
    objects.message_s = 0.01;
    objects.byte_s = 0.001;
    objects.request_bytes = 10;
    objects.request_s = 0.03;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.locate_s, 0.02 + 0.1 + 0.03 + 0.02 + 0.03));
    assert_true(is_near_unit(forecast.upper.locate_s, 6 * 0.2));
    objects.neighbourhood = 4; /* five others, and who has a task: in two requests */
    forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.locate_s, 0.26));
    assert_true(is_near_unit(forecast.upper.locate_s, 2 * 0.26));
    objects.handshakes = 2;
    assert_true(is_near_unit(predict(&objects).lower.locate_s, 0.26 + 0.02 + 0.1 + 0.03));
    objects.neighbourhood = 100; /* 7 */
    objects.handshakes = 1;
    forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.locate_s, 0.2 + 6 * 0.02));
    assert_true(forecast.upper.locate_s == forecast.lower.locate_s);
}

/* R8, half of 8 processors with tasks that are twice as heavy, 4 s and 8 s of work: it depends on
 * how many tasks are left after 4 s, and whether the last round has tasks for all. */
static void run_time_falls_in_a_damped_wave(void **state)
{
    static const double expected[] = {8, 8, 20 / 3.0, 6, 6.4, 20 / 3.0, 44 / 7.0};

    (void)state;
    for (uint64_t each = 1; each <= 7; each++) {
        struct keel_objects objects = plain(8, 4 * each, 4 * each);
        objects.classes.light_mean = 4.0 / (double)each;
        objects.classes.heavy_mean = 8.0 / (double)each;
        assert_true(is_near_unit(predict(&objects).average_s, expected[each - 1]));
    }
}

/* --- refined --- */

/* Two processors. The light one has done 1 + 1 at 2 s; the heavy one, which is at its first task,
 * gives the other: 2 + 3 s. */
static void walk_by_hand(void **state)
{
    static const double weight[] = {1, 1, 3, 3};
    struct keel_objects objects = plain(2, 2, 2);

    (void)state;
    objects.weight = weight;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(forecast.overloaded == 1 && forecast.underloaded == 1);
    assert_true(forecast.lower.total_s == 5 && forecast.upper.total_s == 5);
    assert_true(forecast.average_s == 5 && forecast.unbalanced_s == 6 && forecast.ideal_s == 4);
    assert_true(forecast.lower.overloaded.tasks == 1 && forecast.lower.underloaded.tasks == 3);
    objects.quantum_s = 1; /* waits from 0 to 1 s */
    forecast = predict(&objects);
    assert_true(forecast.average_s > 5.25 && forecast.average_s < 5.75);
    assert_true(forecast.lower.total_s >= 5 && forecast.upper.total_s <= 6);
    objects.early = true; /* asks after 1 s, gets the task before 2 s */
    forecast = predict(&objects);
    assert_true(forecast.lower.total_s == 5 && forecast.upper.total_s == 5);
}

/* The same with the terms of terms_by_hand(), where who is busy polls at once. */
static void terms_of_a_walk_by_hand(void **state)
{
    static const double weight[] = {1, 1, 3, 3};
    struct keel_objects objects = {
        .processors = 2,
        .classes = {.light = 2, .heavy = 2},
        .weight = weight,
        .message_s = 0.1,
        .byte_s = 0.001,
        .task_bytes = 100,
        .task_messages = 2,
        .task_message_bytes = 50,
        .uninstall_s = 0.1,
        .pack_s = 0.2,
        .unpack_s = 0.3,
        .install_s = 0.4,
        .decision_s = 0.05,
        .request_s = 0.2,
        .overlap = 0.5,
    };
    struct keel_objects_forecast forecast = predict(&objects);
    const struct keel_objects_terms *source = &forecast.lower.overloaded;
    const struct keel_objects_terms *sink = &forecast.lower.underloaded;

    (void)state;
    assert_true(source->work_s == 3 && is_near_unit(source->application_s, 0.3));
    assert_true(is_near_unit(source->migration_s, 0.5) &&
                is_near_unit(source->overlap_s, 0.15 + 0.1));
    assert_true(is_near_unit(source->total_s, 3.55));
    /* request, reply and both processed, and then until the task has been packed and has come */
    assert_true(sink->work_s == 5 && is_near_unit(sink->application_s, 0.9));
    assert_true(is_near_unit(sink->request_s, 0.6 + 0.5) && is_near_unit(sink->decision_s, 0.05));
    assert_true(is_near_unit(sink->migration_s, 0.7) && is_near_unit(sink->overlap_s, 0.45));
    assert_true(is_near_unit(sink->total_s, 5 + 0.9 + 1.1 + 0.05 + 0.7 - 0.45));
    assert_true(is_near_unit(forecast.average_s, sink->total_s));
    assert_true(is_near_unit(forecast.unbalanced_s, 6 + 0.3));
}

/* Giving takes the source a second: it is at its second task until 7 s, so that its third goes to
 * the other at 6.1 s. */
static void giving_delays_the_source(void **state)
{
    static const double weight[] = {0.5, 0.5, 0.5, 0.6, 3, 3, 3, 3};
    struct keel_objects objects = plain(2, 4, 4);

    (void)state;
    objects.weight = weight;
    objects.uninstall_s = 1;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.total_s, 10.1) &&
                is_near_unit(forecast.average_s, 10.1));
    assert_true(is_near_unit(forecast.lower.overloaded.total_s, 8));
}

/* At 4 s there are two and three tasks left. From the fullest processor: 4 + 5 and 8.4 + 5 s; from
 * the emptiest: 6.1 + 5 and 6.3 + 5 s. */
static void fullest_and_emptiest_sources(void **state)
{
    static const double weight[] = {1, 1, 1, 1, 2.1, 2.1, 2.1, 2.1, 5, 5, 5, 5};
    struct keel_objects objects = plain(3, 8, 4);

    (void)state;
    objects.weight = weight;
    objects.neighbourhood = 2;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(is_near_unit(forecast.average_s, 13.4) &&
                is_near_unit(forecast.upper.total_s, 13.4));
    assert_true(is_near_unit(forecast.lower.total_s, 11.3));
}

/* One processor searches, among six, for the one that has a task, which comes in a message more. */
static void nobody_is_asked_twice(void **state)
{
    static const double weight[] = {0.1, 0.1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 29.8, 29.8};
    struct keel_objects objects = plain(7, 12, 2);

    (void)state;
    objects.weight = weight;
    objects.message_s = 0.01;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.total_s, 30.03) &&
                is_near_unit(forecast.upper.total_s, 30.13));
    assert_true(forecast.average_s > 30.06 && forecast.average_s < 30.1); /* 3.5 requests */
    objects.neighbourhood = 2;
    forecast = predict(&objects);
    assert_true(is_near_unit(forecast.lower.total_s, 30.04) &&
                is_near_unit(forecast.upper.total_s, 30.1));
    assert_true(forecast.average_s > 30.055 && forecast.average_s < 30.085); /* 2 */
}

/* Seven processors that are idle ask each other, or the one with tasks, which one of them does at
 * once: the first of seven polls, on average after an eighth of a quantum. */
static void idle_processors_answer_at_once(void **state)
{
    static const double weight[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,  0.1,
                                    0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 29.8, 29.8};
    struct keel_objects objects = plain(8, 14, 2);

    (void)state;
    objects.weight = weight;
    objects.quantum_s = 1;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(forecast.average_s > 30.05 && forecast.average_s < 30.2);
    assert_true(is_near_unit(forecast.upper.total_s, 30 + 7 * 0.5));
}

/* --- a simulation --- */

static double drawn(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Who is idle asks anyone, again and again; who is busy answers at its next poll, which is anywhere
 * in a quantum. Tasks are given from the end. */
static double simulated(uint32_t processors, uint32_t each, const double *weight, double quantum_s,
                        double message_s, uint64_t seed)
{
    double free_s[PROCESSORS_MAX] = {0}, answer_s[PROCESSORS_MAX], end_s = 0;
    uint32_t next[PROCESSORS_MAX] = {0}, until[PROCESSORS_MAX], asked[PROCESSORS_MAX], left;

    for (uint32_t p = 0; p < processors; p++) {
        until[p] = each;
        answer_s[p] = -1;
    }
    for (left = processors * each; left > 0;) {
        uint32_t p = 0;
        for (uint32_t q = 1; q < processors; q++) {
            double mine = answer_s[q] >= 0 ? answer_s[q] : free_s[q];
            p = mine < (answer_s[p] >= 0 ? answer_s[p] : free_s[p]) ? q : p;
        }
        double work_s = -1;
        if (answer_s[p] >= 0) {
            uint32_t source = asked[p];
            free_s[p] = answer_s[p] + message_s;
            answer_s[p] = -1;
            if (next[source] < until[source]) {
                work_s = weight[source * each + --until[source]];
            }
        } else if (next[p] < until[p]) {
            work_s = weight[p * each + next[p]++];
        } else {
            double poll_s = quantum_s * drawn(&seed);
            asked[p] = (uint32_t)(drawn(&seed) * (processors - 1));
            asked[p] += asked[p] >= p;
            answer_s[p] = free_s[p] + message_s + (free_s[asked[p]] > free_s[p] ? poll_s : 0);
        }
        if (work_s >= 0) {
            free_s[p] += work_s;
            end_s = fmax(end_s, free_s[p]);
            left--;
        }
    }
    return end_s;
}

enum test { LINEAR_2, LINEAR_4, STEP, HEAVY_TAILED, TESTS };

/* R7: 40 s on a processor, about. */
static void set_weights(enum test test, uint32_t tasks, uint32_t each, double *weight)
{
    for (uint32_t i = 0; i < tasks; i++) {
        double x = (i + 0.5) / tasks;
        weight[i] = test == LINEAR_2   ? 1 + x
                    : test == LINEAR_4 ? 1 + 3 * x
                    : test == STEP     ? (4 * i < 3 * tasks ? 1 : 2)
                                       : pow(1 - (i * 37 % tasks + 0.5) / tasks, -0.5);
        weight[i] *= 40.0 / each;
    }
}

/* The bars of the tests: 4 % of linear ones, 8 % of steps, 5 % of heavy tails. */
static void average_meets_the_simulation(void **state)
{
    static const double bar[] = {0.04, 0.04, 0.08, 0.05};

    (void)state;
    for (int i = 0; i < 2 * TESTS; i++) {
        enum test test = (enum test)(i / 2);
        uint32_t processors = i % 2 == 0 ? 32 : 64;
        for (uint32_t each = 2; each <= 16; each *= 2) {
            double weight[TASKS_MAX], mean = 0;
            struct keel_objects objects = {
                .processors = processors,
                .classes = {.light = processors * each},
                .weight = weight,
                .quantum_s = 0.5,
                .message_s = 0.001,
            };
            set_weights(test, processors * each, each, weight);
            for (uint64_t seed = 1; seed <= 40; seed++) {
                mean += simulated(processors, each, weight, 0.5, 0.002, seed) / 40;
            }
            struct keel_objects_forecast forecast = predict(&objects);
            if (!(fabs(forecast.average_s / mean - 1) <= bar[test])) {
                fail_msg("test %d, %u processors, %u tasks each: %g s, simulated %g s", test,
                         processors, each, forecast.average_s, mean);
            }
        }
    }
}

/* --- any situation --- */

static void check_terms(const struct keel_objects_terms *terms)
{
    const double *number = (const double *)terms;

    for (size_t i = 0; i < sizeof(*terms) / sizeof(double); i++) {
        assert_true(number[i] >= 0); /* and no NaN */
    }
    assert_true(isinf(terms->total_s) ||
                is_near_unit(terms->total_s, terms->work_s + terms->thread_s +
                                                 terms->application_s + terms->request_s +
                                                 terms->migration_s + terms->decision_s -
                                                 terms->overlap_s));
}

static void check_sound(const struct keel_objects_forecast *forecast)
{
    const struct keel_objects_bound *bounds[] = {&forecast->lower, &forecast->upper};

    for (int i = 0; i < 2; i++) {
        check_terms(&bounds[i]->overloaded);
        check_terms(&bounds[i]->underloaded);
        assert_true(bounds[i]->total_s ==
                    fmax(bounds[i]->overloaded.total_s, bounds[i]->underloaded.total_s));
        assert_true(bounds[i]->rounds >= 0 && bounds[i]->locate_s >= 0);
    }
    assert_true(forecast->lower.total_s <= forecast->average_s * (1 + 1e-12));
    assert_true(forecast->average_s <= forecast->upper.total_s * (1 + 1e-12));
    assert_true(forecast->ideal_s >= 0 && forecast->unbalanced_s >= 0);
}

static double some(struct draws *draws, double most)
{
    return draws_below(draws, 3) == 0 ? 0 : most * (double)draws_below(draws, 100) / 100;
}

static struct keel_objects draw(struct draws *draws)
{
    return (struct keel_objects){
        .processors = 1 + (uint32_t)draws_below(draws, 20),
        .neighbourhood = (uint32_t)draws_below(draws, 8),
        .handshakes = (uint32_t)draws_below(draws, 4),
        .early = draws_below(draws, 2),
        .quantum_s = some(draws, 1),
        .context_s = some(draws, 0.01),
        .poll_s = some(draws, 0.01),
        .message_s = some(draws, 0.1),
        .byte_s = some(draws, 0.001),
        .request_bytes = some(draws, 10),
        .task_bytes = some(draws, 100),
        .task_messages = some(draws, 3),
        .task_message_bytes = some(draws, 100),
        .uninstall_s = some(draws, 0.1),
        .pack_s = some(draws, 0.1),
        .unpack_s = some(draws, 0.1),
        .install_s = some(draws, 0.1),
        .decision_s = some(draws, 0.1),
        .request_s = some(draws, 0.1),
        .overlap = some(draws, 1),
    };
}

static int by_weight(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void bounds_and_terms_of_any_situation(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 1000; times++) {
        double weight[100], work = 0;
        uint64_t tasks = 1 + draws_below(&draws, 100);
        struct keel_objects objects = draw(&draws);
        for (uint64_t i = 0; i < tasks; i++) {
            weight[i] = some(&draws, 5);
            work += weight[i];
        }
        qsort(weight, tasks, sizeof(double), by_weight);
        assert_true(keel_bimodal_split(weight, tasks, &objects.classes));
        struct keel_objects_forecast forecast = predict(&objects);
        check_sound(&forecast);
        assert_int_equal(forecast.overloaded + forecast.underloaded, objects.processors);
        assert_true(is_near_unit(forecast.ideal_s, work / objects.processors));
        objects.weight = weight;
        forecast = predict(&objects);
        check_sound(&forecast);
        assert_int_equal(forecast.overloaded + forecast.underloaded, objects.processors);
        assert_true(is_near_unit(forecast.ideal_s, work / objects.processors));
        assert_true(forecast.ideal_s <= forecast.lower.total_s * (1 + 1e-12));
        assert_true(forecast.lower.total_s >= weight[tasks - 1]);
    }
}

/* --- what is singular --- */

/* Nothing to balance: three tasks of 2 s, and polls. */
static void one_class(void **state)
{
    static const double weight[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    struct keel_objects objects = {.processors = 4, .quantum_s = 1, .poll_s = 0.5};

    (void)state;
    assert_true(keel_bimodal_split(weight, 12, &objects.classes));
    for (int i = 0; i < 2; i++) {
        struct keel_objects_forecast forecast = predict(&objects);
        check_sound(&forecast);
        assert_true(forecast.overloaded == 0 && forecast.underloaded == 4);
        assert_true(forecast.lower.total_s == 9 && forecast.upper.total_s == 9);
        assert_true(forecast.average_s == 9 && forecast.unbalanced_s == 6 && forecast.ideal_s == 6);
        assert_true(forecast.lower.underloaded.migrated == 0);
        assert_true(forecast.lower.underloaded.tasks == 3);
        objects.weight = weight;
    }
}

static void one_processor_and_one_task(void **state)
{
    static const double weight[] = {1, 1, 3};
    struct keel_objects objects = plain(1, 2, 1);

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct keel_objects_forecast forecast = predict(&objects);
        check_sound(&forecast);
        assert_true(forecast.lower.total_s == 5 && forecast.upper.total_s == 5);
        assert_true(forecast.ideal_s == 5 && forecast.unbalanced_s == 5);
        objects.weight = weight;
    }
    objects = (struct keel_objects){.processors = 4, .quantum_s = 1};
    assert_true(keel_bimodal_split(weight + 2, 1, &objects.classes));
    for (int i = 0; i < 2; i++) {
        struct keel_objects_forecast forecast = predict(&objects);
        check_sound(&forecast);
        assert_true(forecast.average_s == 3 && forecast.ideal_s == 0.75);
        objects.weight = weight + 2;
    }
}

static void nothing_to_do_is_refused(void **state)
{
    struct keel_objects objects = plain(0, 3, 3);
    struct keel_objects_forecast forecast = {.overloaded = 7, .average_s = 7};

    (void)state;
    assert_false(keel_objects_predict(&objects, &forecast, NULL));
    assert_true(forecast.overloaded == 0 && forecast.average_s == 0);
    objects = plain(3, 0, 0);
    assert_false(keel_objects_predict(&objects, &forecast, NULL));
}

static void tasks_without_work(void **state)
{
    struct keel_objects objects = plain(2, 4, 4);

    (void)state;
    objects.classes.light_mean = objects.classes.heavy_mean = 0;
    objects.install_s = 1;
    struct keel_objects_forecast forecast = predict(&objects);
    check_sound(&forecast);
    assert_true(forecast.upper.total_s == 0 && forecast.upper.overloaded.migrated == 0);
}

static void nonsense_counts_as_nothing(void **state)
{
    static const double bad[] = {NAN, -1, INFINITY, 1e308};
    static const double weight[] = {1, 1, 1, 1, 3, 3, 3, 3};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct keel_objects objects = plain(2, 4, 4);
        double *number[] = {
            &objects.quantum_s,   &objects.context_s,     &objects.poll_s,
            &objects.message_s,   &objects.byte_s,        &objects.request_bytes,
            &objects.task_bytes,  &objects.task_messages, &objects.task_message_bytes,
            &objects.uninstall_s, &objects.pack_s,        &objects.unpack_s,
            &objects.install_s,   &objects.decision_s,    &objects.request_s,
            &objects.overlap};
        for (size_t n = 0; n < sizeof(number) / sizeof(number[0]); n++) {
            *number[n] = bad[i];
        }
        for (int refined = 0; refined < 2; refined++) {
            struct keel_objects_forecast forecast = predict(&objects);
            check_sound(&forecast);
            if (i < 3) {
                assert_true(forecast.average_s == 9);
            }
            objects.weight = weight;
        }
        double bad_weight[] = {1, 1, 1, 1, bad[i], 3, bad[i], 3};
        objects = plain(2, 4, 4);
        objects.weight = bad_weight;
        struct keel_objects_forecast forecast = predict(&objects);
        check_sound(&forecast);
        objects.weight = NULL;
        objects.classes.heavy_mean = objects.classes.light_mean = bad[i];
        forecast = predict(&objects);
        check_sound(&forecast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_by_hand),
        cmocka_unit_test(many_sinks),
        cmocka_unit_test(few_sinks),
        cmocka_unit_test(processors_with_both_kinds),
        cmocka_unit_test(terms_by_hand),
        cmocka_unit_test(neighbourhoods_and_handshakes),
        cmocka_unit_test(run_time_falls_in_a_damped_wave),
        cmocka_unit_test(walk_by_hand),
        cmocka_unit_test(terms_of_a_walk_by_hand),
        cmocka_unit_test(giving_delays_the_source),
        cmocka_unit_test(fullest_and_emptiest_sources),
        cmocka_unit_test(nobody_is_asked_twice),
        cmocka_unit_test(idle_processors_answer_at_once),
        cmocka_unit_test(average_meets_the_simulation),
        cmocka_unit_test(bounds_and_terms_of_any_situation),
        cmocka_unit_test(one_class),
        cmocka_unit_test(one_processor_and_one_task),
        cmocka_unit_test(nothing_to_do_is_refused),
        cmocka_unit_test(tasks_without_work),
        cmocka_unit_test(nonsense_counts_as_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
