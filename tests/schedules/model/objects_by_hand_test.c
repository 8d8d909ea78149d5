/* The model of over-decomposed objects: its terms by hand, as published and refined. */
#include <stdbool.h>
#include <stddef.h>

#include "schedules/model/objects_bounds.h"
#include "tests/schedules/model/objects_cases.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

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
