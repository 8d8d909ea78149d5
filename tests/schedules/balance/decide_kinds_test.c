/* Decisions of the other kinds, by hand, and what holds for any kind and any reports. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/balance/decide.h"
#include "tests/schedules/balance/decide_cases.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

/* --- the other kinds --- */

TEST(balancers_move_their_transfers)
{
    uint64_t rows[] = {90, 10, 10, 10};
    double rate[] = {1, 1, 1, 1};
    struct steered run = begin(KEEL_DECIDE_BY_REDISTRIBUTION, 4, rows, rate);

    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){30, 30, 30, 30});
    end(&run);
    run = begin(KEEL_DECIDE_BY_DIFFUSION, 4, rows, rate);
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){30, 30, 30, 30});
    end(&run);
    run = begin(KEEL_DECIDE_BY_DIFFUSION, 4, rows, rate);
    run.rules.graph = KEEL_GRAPH_RING; /* 0's neighbours are 1 and 3; the local ideal is 36 2/3 */
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
    assert_rows(&run, (uint64_t[]){37, 36, 10, 37});
    end(&run);
    run = begin(KEEL_DECIDE_BY_RANDOM, 4, rows, rate);
    run.rules.alpha = 0.5; /* of 90 - 30, to somebody */
    assert_int_equal(decide(&run).verdict, KEEL_DECISION_MOVE);
    assert_int_equal(run.rows[0], 60);
    end(&run);
}

TEST(shaking_moves_without_rates_and_at_any_cost)
{
    struct steered run =
        begin(KEEL_DECIDE_BY_SHAKE, 4, (uint64_t[]){5, 5, 5, 5}, (double[]){0, 0, 0, 0});
    int nothing = 0, moves = 0;

    keel_decide_note_cost(run.steering, 1, 1, 1e9);
    for (int i = 0; i < 100; i++) {
        struct keel_decision decision = decide(&run);
        moves += decision.verdict == KEEL_DECISION_MOVE;
        for (uint32_t w = 0; w < 4; w++) {
            nothing += run.rows[w] == 0;
            run.report[w].rows = run.rows[w];
            run.report[w].work = 0; /* not even work */
        }
    }
    assert_true(moves > 80);
    assert_in_range(nothing, 50, 250);
    end(&run);
}

/* --- whatever is reported --- */

static double draw_rate(struct draws *draws)
{
    double odd[] = {0, NAN, INFINITY, -INFINITY, -1, 1e300, 1e-300};

    return draws_below(draws, 12) == 0 ? odd[draws_below(draws, 7)]
                                       : 1 + (double)draws_below(draws, 30);
}

static struct steered draw_run(struct draws *draws)
{
    uint64_t rows[WORKERS_MAX], most = draws_below(draws, 3) == 0 ? 3 : 500;
    uint32_t workers = 1 + (uint32_t)draws_below(draws, WORKERS_MAX);
    double rate[WORKERS_MAX];

    for (uint32_t w = 0; w < workers; w++) {
        rows[w] = draws_below(draws, most);
        rate[w] = draw_rate(draws);
    }
    struct steered run = begin((enum keel_decide_kind)draws_below(draws, 6), workers, rows, rate);
    run.rules.graph = (enum keel_graph)draws_below(draws, 3);
    run.rules.adjacent = draws_below(draws, 2) == 0;
    run.rules.gain = (double)draws_below(draws, 30) / 100;
    run.rules.greatly = draws_below(draws, 4) == 0 ? INFINITY : 1;
    run.rules.seed = draws_next(draws);
    run.situation.remaining_s = draws_below(draws, 3) == 0 ? INFINITY : 50;
    if (draws_below(draws, 2) == 0) {
        for (uint32_t w = 0; w < workers; w++) {
            run.report[w].work *= 0.5 + (double)draws_below(draws, 4);
        }
    }
    keel_decide_note_cost(run.steering, 1, 0, 0.001);
    keel_decide_note_cost(run.steering, 0, 1000, 0.001);
    return run;
}

/* By the reported rates, the mean where one is none; blocks and others alike. */
static double time_of(const struct steered *run, const double *work)
{
    double sum = 0, known = 0, longest = 0;

    for (uint32_t w = 0; w < run->workers; w++) {
        bool is_known = run->report[w].rate > 1e-150 && run->report[w].rate < 1e150;
        sum += is_known ? run->report[w].rate : 0;
        known += is_known;
    }
    for (uint32_t w = 0; w < run->workers; w++) {
        bool is_known = run->report[w].rate > 1e-150 && run->report[w].rate < 1e150;
        longest = fmax(longest, work[w] / (is_known ? run->report[w].rate : sum / known));
    }
    return longest;
}

static void check(const struct steered *run, const struct keel_decision *decision)
{
    uint64_t all = 0, left = 0;
    double work = 0, worked = 0, present[WORKERS_MAX];
    bool same = true, alike = true;

    for (uint32_t w = 0; w < run->workers; w++) {
        all += run->report[w].rows;
        left += run->rows[w];
        work += run->report[w].work;
        worked += run->work[w];
        present[w] = run->report[w].work;
        same &= run->rows[w] == run->report[w].rows;
        alike &= run->report[w].work == (double)run->report[w].rows;
        assert_true(run->work[w] >= 0);
        assert_true(run->rows[w] <= left); /* no wrap */
    }
    assert_int_equal(left, all);
    assert_true(run->rules.kind == KEEL_DECIDE_BY_SHAKE || fabs(worked - work) <= 1e-6);
    assert_true(decision->gain >= 0 && decision->gain <= 1);
    assert_true(decision->cost_s >= 0 && decision->saving_s >= 0);
    assert_true((decision->verdict == KEEL_DECISION_MOVE) == !same);
    for (uint32_t w = 0; !same && run->rules.kind != KEEL_DECIDE_BY_SHAKE && w < run->workers;
         w++) {
        assert_true(run->rows[w] > 0 || all < run->workers);
    }
    bool weighed = run->rules.kind != KEEL_DECIDE_BY_SHAKE && !isinf(run->rules.greatly);
    if (!same && alike && weighed) {
        double after[WORKERS_MAX];
        for (uint32_t w = 0; w < run->workers; w++) {
            after[w] = (double)run->rows[w];
        }
        assert_true(time_of(run, after) <= time_of(run, present) * (1 + 1e-9));
    }
}

TEST(decisions_keep_sums_and_never_harm)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 2000; times++) {
        struct steered run = draw_run(&draws);
        for (int step = 0; step < 25; step++) {
            struct keel_decision decision = decide(&run);
            check(&run, &decision);
            bool alike = true;
            for (uint32_t w = 0; w < run.workers; w++) {
                alike &= run.report[w].work == (double)run.report[w].rows;
            }
            for (uint32_t w = 0; w < run.workers; w++) {
                run.report[w].rows = run.rows[w];
                run.report[w].work = alike ? (double)run.rows[w] : run.work[w];
                run.report[w].work = run.rows[w] > 0 ? run.report[w].work : 0;
                run.report[w].rate =
                    draws_below(&draws, 4) == 0 ? draw_rate(&draws) : run.report[w].rate;
            }
            run.situation.now_s += (double)draws_below(&draws, 5);
            if (decision.verdict == KEEL_DECISION_MOVE) {
                keel_decide_note_cost(run.steering, decision.messages, decision.bytes,
                                      1e-6 * decision.bytes + 0.001);
            }
        }
        end(&run);
    }
}

TEST(same_reports_same_decisions)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 300; times++) {
        struct draws again = draws;
        struct steered one = draw_run(&draws), other = draw_run(&again);
        for (int step = 0; step < 10; step++) {
            struct keel_decision a = decide(&one), b = decide(&other);
            assert_true(a.verdict == b.verdict && a.gain == b.gain);
            assert_memory_equal(one.rows, other.rows, one.workers * sizeof one.rows[0]);
            assert_memory_equal(one.work, other.work, one.workers * sizeof one.work[0]);
        }
        end(&one);
        end(&other);
    }
}
