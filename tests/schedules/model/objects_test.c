/* The model of over-decomposed objects: its terms, and what it says of a phase that runs. */
#include <math.h>
#include <stdlib.h>

#include "schedules/model/objects_terms.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- the model of over-decomposed objects: two classes of tasks, its terms by hand, as
 * published and refined, in any situation, and where something is singular --- */

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

/* R7: the step test has just two classes, and a linear one is cut in the middle. */
TEST(tests_of_the_paper)
{
    double weight[64];
    struct keel_bimodal bimodal;

    for (int i = 0; i < 64; i++) {
        weight[i] = i < 48 ? 1 : 2;
    }
    assert_true(keel_bimodal_split(weight, 64, &bimodal));
    assert_true(bimodal.light == 48 && bimodal.light_mean == 1 && bimodal.heavy_mean == 2);
    for (int i = 0; i < 64; i++) {
        weight[i] = 1 + i / 63.0;
    }
    assert_true(keel_bimodal_split(weight, 64, &bimodal));
    assert_int_equal(bimodal.light, 32);
    assert_true(is_near(bimodal.light_mean + bimodal.heavy_mean, 3));
}

static void check_refused(const double *weight, uint64_t tasks)
{
    struct keel_bimodal bimodal = {1, 1, 1, 1};

    assert_false(keel_bimodal_split(weight, tasks, &bimodal));
    assert_true(bimodal.light == 0 && bimodal.heavy == 0 && bimodal.light_mean == 0 &&
                bimodal.heavy_mean == 0);
}

TEST(nonsense_is_refused)
{
    allow_exceptions();
    check_refused(NULL, 0);
    check_refused((double[]){-1, 2}, 2);
    check_refused((double[]){1, NAN}, 2);
    check_refused((double[]){NAN}, 1);
    check_refused((double[]){1, INFINITY}, 2);
    check_refused((double[]){2, 1}, 2);
}

/* --- as published --- */

/* Two processors of a kind, four tasks each. After 4 s, heavy ones are at their second task; one of
 * two goes to a light one: 3 tasks in 9 s, and 4 s and a task. */
TEST(rounds_by_hand)
{
    struct keel_objects objects = plain(4, 8, 8);
    struct keel_objects_forecast forecast = predict(&objects);

    assert_true(forecast.overloaded == 2 && forecast.underloaded == 2);
    assert_true(forecast.lower.rounds == 1 && forecast.lower.locate_s == 0);
    assert_true(forecast.lower.overloaded.work_s == 9 && forecast.lower.overloaded.tasks == 3);
    assert_true(forecast.lower.overloaded.migrated == 1);
    assert_true(forecast.lower.underloaded.work_s == 7 && forecast.lower.underloaded.tasks == 5);
    assert_true(forecast.lower.total_s == 9 && forecast.upper.total_s == 9);
    assert_true(forecast.average_s == 9 && forecast.unbalanced_s == 12 && forecast.ideal_s == 8);
}

/* Each of three light ones takes a task in a round: both that are left after 4 s. */
TEST(many_sinks)
{
    struct keel_objects objects = plain(4, 12, 4);
    struct keel_objects_forecast forecast = predict(&objects);

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

/* floor(N_beta / N_alpha) is 0: an overloaded processor uses up one task in a round, its own. */
TEST(more_overloaded_processors_give_nothing)
{
    struct keel_objects objects = plain(4, 4, 12);
    struct keel_objects_forecast forecast = predict(&objects);

    assert_true(forecast.overloaded == 3 && forecast.underloaded == 1);
    assert_true(forecast.lower.rounds == 2 && forecast.lower.overloaded.migrated == 0);
    assert_true(forecast.lower.underloaded.migrated == 0);
    assert_true(forecast.lower.total_s == 12 && forecast.upper.total_s == 12);
    /* 60 s for each of 32 processors, of 8 tasks of w or, three quarters of them, 2 w: w is
     * 60 / 8 / 1.75 s, and T_alpha 8 * 2 w */
    objects = plain(32, 64, 192);
    objects.classes.light_mean = 60 / 8.0 / 1.75;
    objects.classes.heavy_mean = 2 * objects.classes.light_mean;
    assert_true(is_near_unit(predict(&objects).average_s / 68.571428571428571, 1));
    objects = plain(5, 12, 8); /* floor(3 / 2): as two of each */
    forecast = predict(&objects);
    assert_true(forecast.overloaded == 2 && forecast.lower.overloaded.migrated == 1);
    assert_true(forecast.lower.total_s == 9);
}

/* The paper's terms, each with a value of its own. */
TEST(terms_by_hand)
{
    struct keel_objects objects = plain(4, 8, 8);

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

TEST(neighbourhoods_and_handshakes)
{
    struct keel_objects objects = plain(8, 24, 8); /* six light processors, two heavy ones */

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

/* --- refined --- */

/* Two processors. The light one has done 1 + 1 at 2 s; the heavy one, which is at its first task,
 * gives the other: 2 + 3 s. */
TEST(walk_by_hand)
{
    static const double weight[] = {1, 1, 3, 3};
    struct keel_objects objects = plain(2, 2, 2);

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
TEST(terms_of_a_walk_by_hand)
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

/* At 4 s there are two and three tasks left. From the fullest processor: 4 + 5 and 8.4 + 5 s; from
 * the emptiest: 6.1 + 5 and 6.3 + 5 s. */
TEST(fullest_and_emptiest_sources)
{
    static const double weight[] = {1, 1, 1, 1, 2.1, 2.1, 2.1, 2.1, 5, 5, 5, 5};
    struct keel_objects objects = plain(3, 8, 4);

    objects.weight = weight;
    objects.neighbourhood = 2;
    struct keel_objects_forecast forecast = predict(&objects);
    assert_true(is_near_unit(forecast.average_s, 13.4) &&
                is_near_unit(forecast.upper.total_s, 13.4));
    assert_true(is_near_unit(forecast.lower.total_s, 11.3));
}

/* One processor searches, among six, for the one that has a task, which comes in a message more. */
TEST(nobody_is_asked_twice)
{
    static const double weight[] = {0.1, 0.1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 29.8, 29.8};
    struct keel_objects objects = plain(7, 12, 2);

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

/* --- any situation --- */

static void check_terms(const struct keel_objects_terms *terms)
{
    const double *number = (const double *)terms;

    for (size_t i = 0; i < sizeof(*terms) / sizeof(double); i++) {
        assert_true(number[i] >= 0); /* and no NaN */
    }
    assert_true(is_near_unit(
        terms->total_s, terms->work_s + terms->thread_s + terms->application_s + terms->request_s +
                            terms->migration_s + terms->decision_s - terms->overlap_s));
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

TEST(bounds_and_terms_of_any_situation)
{
    struct draws draws = draws_begin();

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
        assert_true(forecast.lower.locate_s == 0 && forecast.upper.locate_s == 0);
    }
}

/* --- what is singular --- */

TEST(nothing_to_do_is_refused)
{
    struct keel_objects objects = plain(0, 3, 3);
    struct keel_objects_forecast forecast = {.overloaded = 7, .average_s = 7};

    assert_false(keel_objects_predict(&objects, &forecast, NULL));
    assert_true(forecast.overloaded == 0 && forecast.average_s == 0);
    objects = plain(3, 0, 0);
    assert_false(keel_objects_predict(&objects, &forecast, NULL));
}

/* --- bounds and advice while a phase runs: bounds of phases and advice about the number of
 * objects: by hand, in drawn situations, and where numbers can't be --- */

#define ONLINE_RANKS_MAX 40

/* Two ranks, 300 objects of 10 ms and 50 ms at most, of which the first one begins with 200: 0.5 s
 * move. */
static const struct keel_objects_rank two[] = {{200, 100}, {100, 100}};
static const struct keel_objects_known pair = {.ranks = 2,
                                               .rank = two,
                                               .objects = 300,
                                               .mean_s = 0.01,
                                               .longest_s = 0.05,
                                               .moves = true,
                                               .neighbourhood = 1,
                                               .request_s = 0.014,
                                               .give_s = 0.0001,
                                               .take_s = 0.0002,
                                               .visit_s = 0.00002};

static struct keel_objects_bounds bounds_of(const struct keel_objects_known *known)
{
    struct keel_objects_bounds bounds;

    assert_true(keel_objects_bounds(known, &bounds));
    return bounds;
}

/* One three times slower: it gives 50 of 100 objects. */
TEST(speeds_count)
{
    const struct keel_objects_rank rank[] = {{100, 100.0 / 3}, {100, 100}};
    struct keel_objects_known known = pair;

    known.rank = rank;
    known.objects = 200;
    struct keel_objects_bounds bounds = bounds_of(&known);
    assert_near(bounds.ideal_s, 1.5);
    assert_near(bounds.unbalanced_s, 3);
    assert_near(bounds.moved, 50);
}

/* --- any situation --- */

static double draw_to(struct draws *draws, double most)
{
    return most * (double)(draws_next(draws) % 1001) / 1000;
}

static struct keel_objects_known draw_known(struct draws *draws,
                                            struct keel_objects_rank rank[ONLINE_RANKS_MAX])
{
    struct keel_objects_known known = {
        .ranks = 1 + (uint32_t)(draws_next(draws) % ONLINE_RANKS_MAX),
        .rank = rank,
        .objects = 1 + draws_next(draws) % 5000,
        .mean_s = draw_to(draws, 0.1),
        .moves = true,
        .neighbourhood = (uint32_t)(draws_next(draws) % 20),
        .request_s = draw_to(draws, 0.01),
        .give_s = draw_to(draws, 0.001),
        .take_s = draw_to(draws, 0.001),
        .visit_s = draw_to(draws, 1e-5),
    };

    known.longest_s = known.mean_s * (1 + draw_to(draws, 20));
    for (uint32_t i = 0; i < known.ranks; i++) {
        rank[i] = (struct keel_objects_rank){draw_to(draws, 100), draw_to(draws, 10)};
    }
    rank[0] = (struct keel_objects_rank){1 + draw_to(draws, 100), 1};
    return known;
}

/* --- advice --- */

/* Ten thousand objects of a microsecond each, which cost as much to visit. */
TEST(many_objects_should_be_fewer)
{
    const struct keel_objects_rank rank[] = {{7500, 1e6}, {2500, 1e6}};
    const struct keel_objects_known known = {.ranks = 2,
                                             .rank = rank,
                                             .objects = 10000,
                                             .mean_s = 1e-6,
                                             .longest_s = 1e-6,
                                             .moves = true,
                                             .give_s = 1e-6,
                                             .take_s = 1e-6,
                                             .visit_s = 1e-6};
    struct keel_objects_advice advice = keel_objects_advise(&known);

    assert_true(advice.pieces < 1 && advice.gain > 0.3);
    assert_near(advice.per_rank, 5000 * advice.pieces);
}

TEST(advice_is_bounded)
{
    struct draws draws = draws_begin();
    struct keel_objects_rank rank[ONLINE_RANKS_MAX];
    int changes = 0;

    for (int i = 0; i < 2000; i++) {
        struct keel_objects_known known = draw_known(&draws, rank);
        struct keel_objects_bounds bounds = bounds_of(&known);
        struct keel_objects_advice advice = keel_objects_advise(&known);
        double mean_s = (bounds.lower_s + bounds.upper_s) / 2;
        assert_true(advice.pieces >= 1.0 / 64 && advice.pieces <= 64);
        assert_true(advice.pieces >= 1 || advice.per_rank >= 1);
        assert_true((advice.gain == 0) == (advice.pieces == 1));
        assert_true(advice.gain == 0 || advice.gain >= 0.9 * KEEL_OBJECTS_ADVICE_GAIN);
        assert_true(advice.gain * mean_s <= mean_s - bounds.ideal_s + 1e-12);
        changes += advice.pieces != 1;
    }
    assert_true(changes > 100 && changes < 2000);
}

/* --- numbers that can't be --- */

TEST(nothing_to_know)
{
    allow_exceptions();
    const struct keel_objects_rank none[] = {{0, 1}, {0, 1}}, unknown[] = {{1, 0}, {1, -1}},
                                   wild[] = {{NAN, INFINITY}, {INFINITY, NAN}};
    const struct keel_objects_rank *const rank[] = {none, unknown, wild};
    struct keel_objects_known known = pair;
    struct keel_objects_bounds bounds;

    for (int i = 0; i < 3; i++) {
        known.rank = rank[i];
        assert_false(keel_objects_bounds(&known, &bounds));
        assert_true(bounds.upper_s == 0 && bounds.lower_s == 0 && bounds.ideal_s == 0);
        assert_true(keel_objects_advise(&known).pieces == 1);
    }
    known = pair;
    known.objects = 0;
    assert_false(keel_objects_bounds(&known, &bounds));
    known = pair;
    known.ranks = 0;
    assert_false(keel_objects_bounds(&known, &bounds));
    assert_true(keel_objects_advise(&known).pieces == 1);
}
