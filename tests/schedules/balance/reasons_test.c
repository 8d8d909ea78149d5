/* Reasons of decisions: each decision has one, it goes with the verdict, and its numbers say what
 * was compared. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "schedules/balance/decide.h"
#include "schedules/learn/reason.h"
#include "tests/schedules/balance/decide_cases.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

/* --- drawn runs --- */

struct counts {
    unsigned of[KEEL_CAUSES];
};

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

static struct steered draw_run(struct draws *draws)
{
    static const double greatly[] = {0.5, 1, 2, INFINITY};
    uint32_t workers = 1 + (uint32_t)draws_below(draws, WORKERS_MAX);
    enum keel_decide_kind kind =
        (enum keel_decide_kind)draws_below(draws, KEEL_DECIDE_BY_SHAKE + 1);
    uint64_t rows[WORKERS_MAX];
    double rate[WORKERS_MAX];

    for (uint32_t w = 0; w < workers; w++) {
        rows[w] = draws_below(draws, 60);
        rate[w] = 50 + 5 * draws_real(draws);
    }
    struct steered run = begin(kind, workers, rows, rate);
    run.rules.greatly = greatly[draws_below(draws, 4)];
    run.rules.gain = 0.02 + 0.1 * draws_real(draws);
    run.rules.adjacent = draws_below(draws, 2) == 0;
    run.rules.seed = draws_next(draws);
    keel_decide_note_cost(run.steering, 1, 0, 1e-3);
    keel_decide_note_cost(run.steering, 1, 1e6, 0.01 + pow(10, -2 + 4 * draws_real(draws)));
    return run;
}

/* Rates change now and then; filtered ones follow the measured ones late. */
static void draw_rates(struct steered *run, struct draws *draws)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        struct keel_decide_report *report = &run->report[w];
        bool jumps = draws_below(draws, 8) == 0;
        report->measured = jumps ? 20 + 80 * draws_real(draws)
                                 : (report->measured > 0 ? report->measured : report->rate) *
                                       (0.99 + 0.02 * draws_real(draws));
        report->rate += (report->measured - report->rate) / 2;
    }
}

static void follow(struct steered *run, const struct keel_decision *decision)
{
    run->situation.now_s += 1;
    for (uint32_t w = 0; w < run->workers && decision->verdict == KEEL_DECISION_MOVE; w++) {
        run->report[w].rows = run->rows[w];
        run->report[w].work = (double)run->rows[w];
    }
}

/* 100 decisions of a drawn run. */
static void check_run(struct draws *draws, struct counts *counts)
{
    struct steered run = draw_run(draws);

    for (int i = 0; i < 100; i++) {
        struct keel_decision decision = decide(&run);
        check_verdict(&decision);
        check_numbers(&run, &decision);
        counts->of[decision.reason.cause]++;
        follow(&run, &decision);
        draw_rates(&run, draws);
    }
    end(&run);
}

TEST(every_decision_has_its_reason)
{
    static const enum keel_cause expected[] = {
        KEEL_CAUSE_LEVEL, KEEL_CAUSE_SMALL_GAIN, KEEL_CAUSE_COST,
        KEEL_CAUSE_GAIN,  KEEL_CAUSE_ANY_COST,   KEEL_CAUSE_CHANCE,
    };
    struct draws draws = draws_begin();
    struct counts counts = {0};

    for (int run = 0; run < 300; run++) {
        check_run(&draws, &counts);
    }
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (counts.of[expected[i]] == 0) {
            fail_msg("cause %d never came", (int)expected[i]);
        }
    }
}

/* --- texts --- */

TEST(texts_are_short_and_without_commas)
{
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
