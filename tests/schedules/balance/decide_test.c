/* Decisions about rows, by hand: shares, the threshold, when a movement pays, and the other kinds;
 * what holds for any kind and any reports; and the reason of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/decide.h"
#include "schedules/learn/learn.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 12

/* A run that is being steered. */
struct steered {
    uint32_t workers;
    struct keel_decide_state *steering;
    struct keel_profit_cost cost;
    struct keel_decide_rules rules;
    struct keel_decide_situation situation;
    struct keel_decide_report report[WORKERS_MAX];
    uint64_t rows[WORKERS_MAX];
    double work[WORKERS_MAX];
};

static struct steered begin(enum keel_decide_kind kind, uint32_t workers, const uint64_t *rows,
                            const double *rate)
{
    struct steered run = {
        .workers = workers,
        .steering = malloc(keel_decide_size(workers)),
        .rules = {.kind = kind, .graph = KEEL_GRAPH_ALL, .gain = 0.1, .greatly = 1, .seed = 7},
        .situation = {.now_s = 100, .remaining_s = 1000, .row_bytes = 1000},
    };

    keel_decide_begin(run.steering, workers, 0);
    for (uint32_t w = 0; w < workers; w++) {
        run.report[w].rows = rows[w];
        run.report[w].work = (double)rows[w];
        run.report[w].rate = rate[w];
    }
    return run;
}

static struct keel_decision decide(struct steered *run)
{
    void *scratch = malloc(keel_decide_scratch(run->workers));
    struct keel_decision decision =
        keel_decide(run->steering, &run->cost, &run->rules, &run->situation, run->report, run->rows,
                    run->work, scratch);

    free(scratch);
    return decision;
}

static void end(struct steered *run)
{
    free(run->steering);
}

static void assert_rows(const struct steered *run, const uint64_t *expected)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        assert_int_equal(run->rows[w], expected[w]);
    }
}

static void assert_kept(const struct steered *run)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        assert_int_equal(run->rows[w], run->report[w].rows);
        assert_true(run->work[w] == run->report[w].work);
    }
}

#define WORKERS 4

/* --- shares --- */

/* Without costs. Rows of 1000 bytes. */
TEST(rows_follow_rates)
{
    static const struct {
        uint32_t workers;
        bool adjacent;
        uint64_t rows[WORKERS];
        double rate[WORKERS];
        uint64_t wanted[WORKERS];
        double gain, bytes, messages;
        double work[WORKERS];  /* 0: as rows */
        enum keel_cause cause; /* KEEL_CAUSE_NONE: the gain, if rows move, or how small it is */
    } cases[] = {
        /* 10 s, then 5 s */
        {3, false, {100, 100, 100}, {10, 20, 30}, {50, 100, 150}, 0.5, 5e4, 1, {0}, 0},
        /* in blocks, the 50 rows pass through the one in the middle */
        {3, true, {100, 100, 100}, {10, 20, 30}, {50, 100, 150}, 0.5, 1e5, 2, {0}, 0},
        /* rates that are not known are the mean of the others */
        {3, false, {100, 100, 100}, {10, 0, 30}, {50, 100, 150}, 0.5, 5e4, 1, {0}, 0},
        {3, false, {100, 100, 100}, {10, NAN, 30}, {50, 100, 150}, 0.5, 5e4, 1, {0}, 0},
        {3, true, {100, 100, 100}, {10, INFINITY, 30}, {50, 100, 150}, 0.5, 1e5, 2, {0}, 0},
        {3, false, {100, 100, 100}, {10, -3, 30}, {50, 100, 150}, 0.5, 5e4, 1, {0}, 0},
        {2, false, {3, 5}, {0, NAN}, {3, 5}, 0, 0, 0, {0}, KEEL_CAUSE_NO_RATES},
        /* work that is no number is a row each, as of the others */
        {3, false, {100, 100, 100}, {10, 20, 30}, {50, 100, 150}, .5, 5e4, 1, {100, NAN, 100}, 0},
        {3, false, {100, 100, 100}, {10, 20, 30}, {50, 100, 150}, .5, 5e4, 1, {100, -1, 100}, 0},
        /* who has no rows has no work, whatever it says */
        {2, false, {10, 0}, {1, 1}, {5, 5}, 0.5, 5000, 1, {10, 30}, 0},
        {2, false, {100, 200}, {10, 20}, {100, 200}, 0, 0, 0, {0}, 0},
        /* whole rows cannot be shared better than 4 : 3 */
        {2, false, {3, 4}, {1, 1}, {3, 4}, 0, 0, 0, {0}, 0},
        {1, false, {10}, {1}, {10}, 0, 0, 0, {0}, 0},
        /* few rows go to the fast */
        {4, false, {2, 0, 0, 0}, {1, 1, 100, 100}, {0, 0, 1, 1}, 0.995, 2000, 2, {0}, 0},
        /* a worker a hundred times slower should have none of four rows, but none is left
         * without */
        {2, false, {2, 2}, {1, 100}, {1, 3}, 0.5, 1000, 1, {0}, 0},
        {2, true, {2, 2}, {1, 100}, {1, 3}, 0.5, 1000, 1, {0}, 0},
        {2, false, {110, 110}, {1, 10}, {20, 200}, 1 - 2 / 11., 9e4, 1, {0}, 0},
        /* 10 rows of 4 and 10 of 1: half of 50 lies 6.25 rows from the beginning */
        {2, true, {10, 10}, {1, 1}, {6, 14}, 1 - 26 / 40., 4000, 1, {40, 10}, 0},
        /* 5 % are under the threshold */
        {2, false, {1050, 950}, {10, 10}, {1050, 950}, 1 - 1 / 1.05, 0, 0, {0}, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct steered run =
            begin(KEEL_DECIDE_BY_RATE, cases[i].workers, cases[i].rows, cases[i].rate);
        run.rules.adjacent = cases[i].adjacent;
        for (uint32_t w = 0; w < run.workers && cases[i].work[0] > 0; w++) {
            run.report[w].work = cases[i].work[w];
        }
        struct keel_decision decision = decide(&run);
        bool moves = cases[i].messages > 0;
        enum keel_cause by_gain = moves ? KEEL_CAUSE_GAIN : KEEL_CAUSE_SMALL_GAIN;
        enum keel_cause cause = cases[i].cause != KEEL_CAUSE_NONE ? cases[i].cause : by_gain;
        if (decision.reason.cause != cause || !is_near_unit(decision.gain, cases[i].gain)) {
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
        keel_profit_cost_note(&run.cost, 1, 0, cases[i].cost_s);
        struct keel_decision decision = decide(&run);
        assert_int_equal(decision.reason.cause, cases[i].cause);
        assert_true(is_near_unit(decision.saving_s, cases[i].saving_s));
        assert_true(is_near_unit(decision.cost_s, cases[i].cost_s));
        assert_int_equal(run.rows[0], cases[i].cause == KEEL_CAUSE_COST ? 100 : 50);
        end(&run);
    }
}

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

    keel_profit_cost_note(&run.cost, 1, 1, 1e9);
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
    struct steered run = begin((enum keel_decide_kind)draws_below(draws, KEEL_DECIDE_BY_SHAKE + 1),
                               workers, rows, rate);
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
    keel_profit_cost_note(&run.cost, 1, 0, 0.001);
    keel_profit_cost_note(&run.cost, 0, 1000, 0.001);
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

static bool is_movement(uint64_t cause)
{
    return cause == KEEL_CAUSE_GAIN || cause == KEEL_CAUSE_ANY_COST;
}

static double least_saving(const struct keel_decide_rules *rules, double cost_s)
{
    return cost_s / (rules->greatly > 0 ? rules->greatly : KEEL_DECIDE_GREATLY);
}

/* What the numbers of a reason have to be to each other and to the rest of the decision. */
static void check_numbers(const struct steered *run, const struct keel_decision *decision)
{
    double first = decision->reason.number[0], second = decision->reason.number[1];

    switch ((enum keel_cause)decision->reason.cause) {
    case KEEL_CAUSE_SMALL_GAIN:
        assert_true(first == decision->gain && second == run->rules.gain && first < second);
        break;
    case KEEL_CAUSE_COST:
        assert_true(first == decision->cost_s && second == decision->saving_s);
        assert_true(second == 0 || least_saving(&run->rules, first) > second);
        break;
    case KEEL_CAUSE_GAIN:
        assert_true(first == decision->cost_s && second == decision->saving_s && second > 0);
        assert_true(least_saving(&run->rules, first) <= second);
        break;
    default:
        assert_true(first == 0 && second == 0);
    }
}

/* A movement's reason goes with the verdict. */
static void check_verdict(const struct keel_decision *decision)
{
    uint64_t cause = decision->reason.cause;
    bool by_chance = cause == KEEL_CAUSE_CHANCE;

    assert_true(cause != KEEL_CAUSE_NONE && cause < KEEL_CAUSES);
    if (!by_chance) {
        assert_int_equal(decision->verdict == KEEL_DECISION_MOVE, is_movement(cause));
    }
    assert_int_equal(decision->verdict == KEEL_DECISION_NO_RATES, cause == KEEL_CAUSE_NO_RATES);
    assert_int_equal(decision->verdict == KEEL_DECISION_CANCELLED, cause == KEEL_CAUSE_COST);
}

TEST(decisions_keep_sums_never_harm_and_have_their_reasons)
{
    allow_exceptions();
    static const enum keel_cause expected[] = {
        KEEL_CAUSE_NO_RATES, KEEL_CAUSE_LEVEL,    KEEL_CAUSE_SMALL_GAIN, KEEL_CAUSE_COST,
        KEEL_CAUSE_GAIN,     KEEL_CAUSE_ANY_COST, KEEL_CAUSE_CHANCE,
    };
    struct draws draws = draws_begin();
    unsigned count[KEEL_CAUSES] = {0};

    for (int times = 0; times < 2000; times++) {
        struct steered run = draw_run(&draws);
        for (int step = 0; step < 25; step++) {
            struct keel_decision decision = decide(&run);
            check(&run, &decision);
            check_verdict(&decision);
            check_numbers(&run, &decision);
            count[decision.reason.cause]++;
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
                keel_profit_cost_note(&run.cost, decision.messages, decision.bytes,
                                      1e-6 * decision.bytes + 0.001);
            }
        }
        end(&run);
    }
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (count[expected[i]] == 0) {
            fail_msg("cause %d never came", (int)expected[i]);
        }
    }
}

/* --- texts --- */

TEST(texts_are_short_and_without_commas)
{
    allow_exceptions();
    static const double number[] = {0, 1.0 / 3, 1e-9, -1e300, INFINITY, NAN, 12.3456789};
    char text[KEEL_REASON_TEXT], seen[KEEL_CAUSES][KEEL_REASON_TEXT];

    for (uint64_t cause = 0; cause < KEEL_CAUSES; cause++) {
        for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
            const struct keel_reason reason = {cause, {number[i], -number[i]}};
            keel_reason_text(&reason, UINT64_MAX, text);
            assert_null(strchr(text, ','));
            assert_true(strlen(text) > 5 && strlen(text) < KEEL_REASON_TEXT - 1);
        }
        keel_reason_text(&(struct keel_reason){cause, {1, 2}}, 3, seen[cause]);
        for (uint64_t other = 0; other < cause; other++) {
            assert_string_not_equal(seen[cause], seen[other]);
        }
    }
    keel_reason_text(&(struct keel_reason){KEEL_CAUSES + 7, {0, 0}}, 0, text);
    assert_string_equal(text, "nothing was decided");
    keel_reason_text(&(struct keel_reason){KEEL_CAUSE_GAIN, {0, 50}}, 50, text);
    assert_string_equal(text, "50 rows even out: costs 0 s and saves 50 s");
    keel_reason_text(&(struct keel_reason){KEEL_CAUSE_COST, {1000, 16.4}}, 0, text);
    assert_string_equal(text, "moving costs 1e+03 s and would save 16.4 s");
    keel_reason_text(&(struct keel_reason){KEEL_CAUSE_SMALL_GAIN, {0.002, 0.1}}, 0, text);
    assert_string_equal(text, "gain 0.2 % is under the threshold of 10 %");
}
