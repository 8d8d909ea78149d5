/* Decisions by replay, and following the best of several candidates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/replay/replay.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- replay: decisions by replay, by hand: what moves from the first decision on, what is not
 * followed, and what is printed about it --- */

#define WORKERS_MAX 12

struct run {
    uint32_t workers;
    struct keel_replay *replay;
    struct keel_profit_cost cost;
    struct keel_decide_situation situation;
    struct keel_replay_span span;
    uint64_t has[WORKERS_MAX], rows[WORKERS_MAX];
    double rate[WORKERS_MAX], work[WORKERS_MAX];
    double weight[WORKERS_MAX]; /* of a row there */
    unsigned movements;
};

/* 100 rows each, of 1000 bytes; a byte takes byte_s. A decision every second. */
static struct run begin(uint32_t workers, double byte_s)
{
    struct run run = {.workers = workers,
                      .replay = malloc(keel_replay_size(workers)),
                      .situation = {.remaining_s = 1000, .row_bytes = 1000},
                      .span = {.time_s = 1, .phase_s = 0}};

    keel_replay_begin(run.replay, workers, false, 0);
    keel_profit_cost_note(&run.cost, 1, 0, 1e-6);
    keel_profit_cost_note(&run.cost, 1, 1e6, 1e-6 + 1e6 * byte_s);
    for (uint32_t w = 0; w < workers; w++) {
        run.has[w] = 100;
        run.rate[w] = 10;
        run.weight[w] = 1;
    }
    return run;
}

static void end(struct run *run)
{
    free(run->replay);
}

/* Decides, and moves rows if that was decided. */
static struct keel_replay_decision decide(struct run *run)
{
    struct keel_decide_report report[WORKERS_MAX];
    void *scratch = malloc(keel_replay_scratch(run->workers));

    for (uint32_t w = 0; w < run->workers; w++) {
        double weight = run->weight[w];
        report[w] = (struct keel_decide_report){run->has[w], (double)run->has[w] * weight,
                                                run->rate[w] * weight, run->rate[w] * weight};
    }
    run->situation.now_s += 1;
    run->situation.remaining_s -= 1;
    struct keel_replay_decision made =
        keel_replay_decide(run->replay, &run->cost, &run->situation, &run->span, report, run->rows,
                           run->work, scratch);
    free(scratch);
    if (made.decision.verdict == KEEL_DECISION_MOVE) {
        run->movements++;
        memcpy(run->has, run->rows, sizeof run->has);
    }
    return made;
}

static void assert_has(const struct run *run, uint64_t first, uint64_t second)
{
    assert_int_equal(run->has[0], first);
    assert_int_equal(run->has[1], second);
}

/* Rows weigh `factor` times as much. */
static void weigh(struct run *run, const double *factor)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        run->weight[w] *= factor[w];
    }
    keel_replay_scale(run->replay, factor);
}

/* --- estimates --- */

/* Worker 0 has rate 8, for one decision 4, and 8 again; worker 1 stays. */
TEST(low_rates_fall_at_once_and_rise_slowly)
{
    const double rate[] = {8, 8, 4, 8, 8}, low[] = {8, 8, 4, 4.25, 4.484375};
    double value[KEEL_ESTIMATES * 2];

    for (unsigned i = 0; i < 5; i++) {
        keel_estimates_note(value, 2, i + 1, (double[]){rate[i], 3}, (double[]){7, 3});
        assert_true(keel_estimates_of(value, 2, KEEL_ESTIMATE_LAST)[0] == rate[i]);
        assert_true(keel_estimates_of(value, 2, KEEL_ESTIMATE_FILTERED)[0] == 7);
        assert_near(keel_estimates_of(value, 2, KEEL_ESTIMATE_LOW_16)[0], low[i]);
        for (unsigned kind = 0; kind < KEEL_ESTIMATES; kind++) {
            assert_true(keel_estimates_of(value, 2, (enum keel_estimate)kind)[1] == 3);
        }
    }
}

/* After 32 decisions, the mean forgets. */
TEST(long_means_forget)
{
    double value[KEEL_ESTIMATES * 2];

    for (unsigned i = 1; i <= 1000; i++) {
        keel_estimates_note(value, 2, i, (double[]){i <= 500 ? 1 : 2, 1}, (double[]){1, 1});
        double mean = keel_estimates_of(value, 2, KEEL_ESTIMATE_LONG_MEAN)[0];
        assert_true(i != 501 || is_within(mean, 1 + 1. / 32, 1e-12));
        assert_true(i != 1000 || is_within(mean, 2, 1e-6));
    }
}

/* --- from the first decision on --- */

TEST(a_load_from_the_start_is_followed_at_once)
{
    struct run run = begin(2, 1e-9);

    run.rate[0] = 5;
    struct keel_replay_decision made = decide(&run);
    assert_int_equal(made.decision.reason.cause, KEEL_CAUSE_GAIN);
    assert_near(made.decision.gain, 1 - 13.4 / 20);
    assert_has(&run, 67, 133);
    end(&run);
}

/* Where the end is not known, as long again as the job has run: at the second decision, a third of
 * 2 s pays for 0.33 s. */
TEST(unknown_ends_count_as_doubled_time)
{
    struct run run = begin(2, 1e-5);

    run.rate[0] = 5;
    run.situation.remaining_s = INFINITY;
    assert_int_equal(decide(&run).decision.verdict, KEEL_DECISION_KEEP);
    run.span.phase_s = 0;
    assert_int_equal(decide(&run).decision.verdict, KEEL_DECISION_MOVE);
    assert_has(&run, 67, 133);
    end(&run);
}

/* A load of 10 s ends, and 33 rows would go back, for a quarter of what remains. */
static bool follows_back(double byte_s, double remaining_s)
{
    struct run run = begin(2, byte_s);
    struct keel_replay_decision made = {0};

    run.rate[0] = 5;
    run.situation.remaining_s = 55;
    for (unsigned i = 0; i < 10; i++) {
        made = decide(&run);
    }
    assert_has(&run, 67, 133);
    run.rate[0] = 10;
    run.situation.remaining_s = remaining_s + 1;
    made = decide(&run);
    assert_int_equal(made.decision.reason.cause,
                     run.movements > 1 ? KEEL_CAUSE_GAIN : KEEL_CAUSE_COST);
    end(&run);
    return run.movements > 1;
}

/* It takes 6.6 s, which is not gained while the rates are likely to stay; or 0.66 s, which is, but
 * not to every end. */
TEST(what_cannot_pay_to_the_end_is_not_followed)
{
    assert_false(follows_back(2e-4, 100));
    assert_true(follows_back(2e-5, 100));
    assert_false(follows_back(2e-5, 0.65 / (1 - 100 / 133.)));
    assert_true(follows_back(2e-5, 0.67 / (1 - 100 / 133.)));
}

/* --- what is printed --- */

/* The same in phases of which 10 s are not computing: by that, less is lost. */
TEST(what_is_not_computing_is_not_lost)
{
    struct run run = begin(2, 1e-12);
    struct keel_replay_decision made = {0};

    run.rate[0] = 5;
    for (int i = 0; i < 5; i++) {
        run.span.phase_s = 10 + fmax((double)run.has[0] / 5, (double)run.has[1] / 10);
        made = decide(&run);
    }
    double level_s = 10 + 200. / 15, lost = 1 - level_s / 30, late = 1 - level_s / 23.4;
    assert_true(is_within(made.time_s[KEEL_CANDIDATE_STAY], 5 + 4 * (lost - late), 1e-6));
    end(&run);
}

/* 33 rows take 3.3 s by forecast, and no time in this run: for those who have not moved it is
 * printed what phases take, and those who have, that and the movement. */
TEST(movements_count_for_who_makes_them)
{
    struct run run = begin(2, 1e-4);
    struct keel_replay_decision made = {0};

    run.rate[0] = 5;
    for (int i = 0; i < 5; i++) {
        made = decide(&run);
        for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
            assert_true(made.time_s[j] > 0);
        }
    }
    assert_has(&run, 67, 133);
    double lost = 1 - 200. / 15 / 20, late = 1 - 200. / 15 / 13.4;
    assert_true(is_within(made.time_s[KEEL_CANDIDATE_STAY], 5 + 4 * (lost - late), 1e-6));
    assert_true(is_within(made.time_s[KEEL_CANDIDATE_AT_ONCE], 5 + 3.3, 1e-4));
    end(&run);
}

TEST(without_rates_nothing_is_decided)
{
    struct run run = begin(2, 1e-9);

    run.rate[0] = run.rate[1] = NAN;
    struct keel_replay_decision made = decide(&run);
    assert_int_equal(made.decision.verdict, KEEL_DECISION_NO_RATES);
    assert_int_equal(made.decision.reason.cause, KEEL_CAUSE_NO_RATES);
    assert_true(made.decision.reason.number[0] == 0 && made.decision.reason.number[1] == 0);
    assert_memory_equal(run.rows, run.has, 2 * sizeof(uint64_t));
    end(&run);
}

/* --- new units --- */

/* Each worker takes as long as before, by all estimates: no candidate moves, virtually or not. */
TEST(new_units_are_no_change_of_speed)
{
    const double factor[] = {2, 0.5, 1};

    for (int weighed_after = 0; weighed_after < 40; weighed_after += 13) {
        struct run run = begin(3, 1e-9);
        struct keel_replay_decision made = {0};
        for (int i = 0; i < 80; i++) {
            if (i == weighed_after) {
                weigh(&run, factor);
            }
            made = decide(&run);
            assert_near(made.stable_s, i + 1);
        }
        assert_int_equal(run.movements, 0);
        for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
            assert_near(made.time_s[j], 80);
        }
        end(&run);
    }
}

/* Where all rows weigh more, all is as it would have been. Powers of two are exact. */
TEST(the_unit_of_all_does_not_matter)
{
    struct draws draws = draws_begin();
    double factor[WORKERS_MAX];

    for (int times = 0; times < 100; times++) {
        struct run run = begin(1 + (uint32_t)draws_below(&draws, WORKERS_MAX), 1e-6);
        for (uint32_t w = 0; w < run.workers; w++) {
            run.weight[w] = 0.5; /* rows that weigh 1 are dealt whole */
        }
        struct run twin = run;
        uint64_t weighed_at = draws_below(&draws, 100);
        twin.replay = malloc(keel_replay_size(run.workers));
        keel_replay_begin(twin.replay, run.workers, false, 0);
        for (uint32_t w = 0; w < WORKERS_MAX; w++) {
            factor[w] = 0.125;
        }
        for (uint64_t i = 0; i < 200; i++) {
            for (uint32_t w = 0; w < run.workers; w++) {
                bool loaded = draws_below(&draws, 10) == 0 || (w == 0 && i % 20 < 10);
                twin.rate[w] = run.rate[w] = loaded ? 5 : 10;
            }
            if (i == weighed_at) {
                weigh(&twin, factor);
            }
            struct keel_replay_decision one = decide(&run), other = decide(&twin);
            assert_int_equal(one.followed, other.followed);
            assert_memory_equal(one.time_s, other.time_s, sizeof one.time_s);
            assert_memory_equal(run.has, twin.has, run.workers * sizeof *run.has);
        }
        end(&run);
        end(&twin);
    }
}

/* Unequal from the start: rows move at 1 s, and again at 6 s, since they have been put back. */
TEST(what_was_refused_was_no_movement)
{
    struct run run = begin(2, 0);

    run.rate[0] = 5;
    for (int i = 0; i < 5; i++) {
        decide(&run);
    }
    assert_int_equal(run.movements, 1);
    run.has[0] = run.has[1] = 100;
    assert_true(decide(&run).stable_s == 0);
    assert_int_equal(run.movements, 2);
    assert_true(fabs(keel_replay_withdraw(run.replay) - 5) < 1e-9);
    end(&run);
}

/* --- the best of several: following the best of several candidates: who is best is found,
 * where it is worth its cost --- */

static unsigned after(int decisions, const double *loss, const double *cost, double hold)
{
    struct keel_leader leader;
    unsigned followed = 0;

    keel_leader_begin(&leader, 3, 1, 1);
    for (int i = 0; i < decisions; i++) {
        keel_leader_note(&leader, 1, loss);
        followed = keel_leader_choose(&leader, cost, hold);
    }
    return followed;
}

/* Candidate 2 gains 0.1 at each decision; going there costs 1. */
TEST(a_change_has_to_be_worth_its_cost)
{
    const double loss[] = {0.3, 0.2, 0.1}, cost[] = {0, 0, 1}, none[] = {0, 0, 0};
    const double other[] = {0.1, 0.2, 0.3};

    assert_int_equal(after(1, other, none, 0), 0);
    assert_int_equal(after(9, loss, cost, 0), 1);
    assert_int_equal(after(11, loss, cost, 0), 2);
    assert_int_equal(after(1, loss, none, 0), 2);
    assert_int_equal(after(19, loss, cost, 1), 1);
    assert_int_equal(after(21, loss, cost, 1), 2);
}

/* Candidate 0 was better for 1000 decisions, and 1 has been since. */
TEST(what_is_long_ago_is_forgotten)
{
    const double none[] = {0, 0};
    struct keel_leader leader;
    int late = 0;

    keel_leader_begin(&leader, 2, 0, 1 - 1. / 32);
    for (int i = 0; i < 1000; i++) {
        keel_leader_note(&leader, 1, (double[]){0, 1});
        assert_int_equal(keel_leader_choose(&leader, none, 0), 0);
    }
    do {
        keel_leader_note(&leader, 1, (double[]){1, 0});
        late++;
    } while (late < 1000 && keel_leader_choose(&leader, none, 0) == 0);
    assert_in_range(late, 20, 25); /* half of the sums: ln 2 times 32 */
    assert_int_equal(leader.followed, 1);
}
