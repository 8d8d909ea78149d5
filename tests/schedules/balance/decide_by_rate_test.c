/* Decisions by rate, by hand: shares, the threshold, and when a movement pays; each with its
 * reason. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/balance/decide.h"
#include "tests/schedules/balance/decide_cases.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define WORKERS 4

/* --- shares --- */

/* Without costs. Rows of 1000 bytes; work: 0: as rows. */
TEST(rows_follow_rates)
{
    static const struct {
        uint32_t workers;
        bool adjacent;
        uint64_t rows[WORKERS];
        double rate[WORKERS], work[WORKERS];
        enum keel_cause cause;
        uint64_t wanted[WORKERS];
        double gain, bytes, messages;
    } cases[] = {
        /* 10 s, then 5 s */
        {3,
         false,
         {100, 100, 100},
         {10, 20, 30},
         {0},
         KEEL_CAUSE_GAIN,
         {50, 100, 150},
         0.5,
         5e4,
         1},
        /* in blocks, the 50 rows pass through the one in the middle */
        {3, true, {100, 100, 100}, {10, 20, 30}, {0}, KEEL_CAUSE_GAIN, {50, 100, 150}, 0.5, 1e5, 2},
        /* rates that are not known are the mean of the others */
        {3, false, {100, 100, 100}, {10, 0, 30}, {0}, KEEL_CAUSE_GAIN, {50, 100, 150}, 0.5, 5e4, 1},
        {3,
         false,
         {100, 100, 100},
         {10, NAN, 30},
         {0},
         KEEL_CAUSE_GAIN,
         {50, 100, 150},
         .5,
         5e4,
         1},
        {3,
         true,
         {100, 100, 100},
         {10, INFINITY, 30},
         {0},
         KEEL_CAUSE_GAIN,
         {50, 100, 150},
         .5,
         1e5,
         2},
        {3, false, {100, 100, 100}, {10, -3, 30}, {0}, KEEL_CAUSE_GAIN, {50, 100, 150}, .5, 5e4, 1},
        {2, false, {3, 5}, {0, NAN}, {0}, KEEL_CAUSE_NO_RATES, {3, 5}, 0, 0, 0},
        /* work that is no number is a row each, as of the others */
        {3,
         false,
         {100, 100, 100},
         {10, 20, 30},
         {100, NAN, 100},
         KEEL_CAUSE_GAIN,
         {50, 100, 150},
         .5,
         5e4,
         1},
        {3,
         false,
         {100, 100, 100},
         {10, 20, 30},
         {100, -1, 100},
         KEEL_CAUSE_GAIN,
         {50, 100, 150},
         .5,
         5e4,
         1},
        /* who has no rows has no work, whatever it says */
        {2, false, {10, 0}, {1, 1}, {10, 30}, KEEL_CAUSE_GAIN, {5, 5}, 0.5, 5000, 1},
        {2, false, {100, 200}, {10, 20}, {0}, KEEL_CAUSE_SMALL_GAIN, {100, 200}, 0, 0, 0},
        /* whole rows cannot be shared better than 4 : 3 */
        {2, false, {3, 4}, {1, 1}, {0}, KEEL_CAUSE_SMALL_GAIN, {3, 4}, 0, 0, 0},
        {1, false, {10}, {1}, {0}, KEEL_CAUSE_SMALL_GAIN, {10}, 0, 0, 0},
        /* few rows go to the fast */
        {4,
         false,
         {2, 0, 0, 0},
         {1, 1, 100, 100},
         {0},
         KEEL_CAUSE_GAIN,
         {0, 0, 1, 1},
         0.995,
         2000,
         2},
        /* a worker a hundred times slower should have none of four rows, but nobody is left
         * without */
        {2, false, {2, 2}, {1, 100}, {0}, KEEL_CAUSE_GAIN, {1, 3}, 0.5, 1000, 1},
        {2, true, {2, 2}, {1, 100}, {0}, KEEL_CAUSE_GAIN, {1, 3}, 0.5, 1000, 1},
        {2, false, {110, 110}, {1, 10}, {0}, KEEL_CAUSE_GAIN, {20, 200}, 1 - 2 / 11., 9e4, 1},
        /* 10 rows of 4 and 10 of 1: half of 50 lies 6.25 rows from the beginning */
        {2, true, {10, 10}, {1, 1}, {40, 10}, KEEL_CAUSE_GAIN, {6, 14}, 1 - 26 / 40., 4000, 1},
        /* 5 % are under the threshold */
        {2,
         false,
         {1050, 950},
         {10, 10},
         {0},
         KEEL_CAUSE_SMALL_GAIN,
         {1050, 950},
         1 - 1 / 1.05,
         0,
         0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct steered run =
            begin(KEEL_DECIDE_BY_RATE, cases[i].workers, cases[i].rows, cases[i].rate);
        run.rules.adjacent = cases[i].adjacent;
        for (uint32_t w = 0; w < run.workers && cases[i].work[0] > 0; w++) {
            run.report[w].work = cases[i].work[w];
        }
        struct keel_decision decision = decide(&run);
        bool moves = cases[i].cause == KEEL_CAUSE_GAIN;
        if (decision.reason.cause != cases[i].cause ||
            !is_near_unit(decision.gain, cases[i].gain)) {
            fail_msg("case %d: cause %d, gain %g", (int)i, (int)decision.reason.cause,
                     decision.gain);
        }
        assert_int_equal(decision.verdict == KEEL_DECISION_MOVE, moves);
        assert_rows(&run, cases[i].wanted);
        assert_true(is_near_unit(decision.bytes, cases[i].bytes));
        assert_true(decision.messages == cases[i].messages);
        end(&run);
    }
}

TEST(workers_without_work_stay)
{
    for (int kind = KEEL_DECIDE_BY_RATE; kind <= KEEL_DECIDE_BY_SHAKE; kind++) {
        struct steered run =
            begin((enum keel_decide_kind)kind, 3, (uint64_t[]){0, 0, 0}, (double[]){1, 2, 3});
        assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
        assert_kept(&run);
        end(&run);
    }
    struct steered run = begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){10, 10}, (double[]){1, 2});
    run.report[0].work = run.report[1].work = 0;
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_KEEP);
    assert_kept(&run);
    end(&run);
}

/* --- profit --- */

/* Half of the time can be saved, for 100 s as rates have lasted so far, or what remains; published:
 * whatever remains. */
TEST(costs_are_weighed)
{
    static const struct {
        double cost_s, remaining_s, greatly;
        bool published;
        double saving_s;
        enum keel_cause cause;
    } cases[] = {
        {0.25, 1000, 1, false, 50, KEEL_CAUSE_GAIN},
        {0.25, 0.4, 1, false, 0.2, KEEL_CAUSE_COST},
        {0.08, 0.4, 1, false, 0.2, KEEL_CAUSE_GAIN},
        {0.08, 0.4, 0.3, false, 0.2, KEEL_CAUSE_COST},
        {1000, 0.4, INFINITY, false, 0, KEEL_CAUSE_ANY_COST},
        {49, 0.4, 1, true, 50, KEEL_CAUSE_GAIN},
        {51, 0.4, 1, true, 50, KEEL_CAUSE_COST},
        {99, 0.4, 2, true, 50, KEEL_CAUSE_GAIN},
        {101, 0.4, 2, true, 50, KEEL_CAUSE_COST},
        {1000, 0.4, INFINITY, true, 0, KEEL_CAUSE_ANY_COST},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct steered run =
            begin(KEEL_DECIDE_BY_RATE, 2, (uint64_t[]){100, 100}, (double[]){10, 30});
        run.rules.greatly = cases[i].greatly;
        run.rules.published = cases[i].published;
        run.situation.remaining_s = cases[i].remaining_s;
        run.report[1].measured = 10; /* what was measured last has no say: there are filters */
        keel_decide_note_cost(run.steering, 1, 0, cases[i].cost_s);
        struct keel_decision decision = decide(&run);
        assert_int_equal(decision.reason.cause, cases[i].cause);
        assert_true(is_near_unit(decision.saving_s, cases[i].saving_s));
        assert_true(is_near_unit(decision.cost_s, cases[i].cost_s));
        assert_int_equal(run.rows[0], cases[i].cause == KEEL_CAUSE_COST ? 100 : 50);
        end(&run);
    }
}
