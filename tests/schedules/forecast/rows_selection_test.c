/* Which policy `auto` follows for rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/forecast/rows_selection.h"
#include "tests/support/draws.h"

#define WORKERS_MAX 40

static struct keel_rows_outlook outlook_of(uint32_t workers, const double *work, const double *rate)
{
    struct keel_rows_outlook outlook = {
        .workers = workers,
        .work = work,
        .rate = rate,
        .adjacent = true,
        .step_s = 1,
        .horizon_s = 10,
        .gain = 0.05,
    };

    for (uint32_t w = 0; work != NULL && w < workers; w++) {
        outlook.rows += (uint64_t)work[w];
    }
    return outlook;
}

static struct keel_rows_selection *begin(uint32_t workers)
{
    struct keel_rows_selection *selection = malloc(keel_rows_selection_size(workers));

    assert_non_null(selection);
    keel_rows_selection_begin(selection, workers);
    return selection;
}

static struct keel_rows_choice choose_next(struct keel_rows_selection *selection,
                                           const struct keel_rows_outlook *outlook)
{
    void *scratch = malloc(keel_rows_selection_scratch(outlook->workers));
    struct keel_rows_choice choice = keel_rows_selection_choose(selection, outlook, scratch);

    free(scratch);
    return choice;
}

/* At the first decision. */
static unsigned choose(const struct keel_rows_outlook *outlook, double *time_s)
{
    struct keel_rows_selection *selection = begin(outlook->workers);
    struct keel_rows_choice choice = choose_next(selection, outlook);

    assert_false(choice.arrives);
    if (time_s != NULL) {
        memcpy(time_s, choice.time_s, sizeof choice.time_s);
    }
    free(selection);
    return (unsigned)choice.rule.candidate;
}

static enum keel_decide_kind kind_of(const struct keel_rows_outlook *outlook)
{
    return keel_rows_candidates[choose(outlook, NULL)].kind;
}

/* Two workers, the first twice as fast: 30 and 60 rows' worth of rate, 60 rows each. A phase takes
 * 60 / 30 = 2 s, balanced 120 / 90 = 4/3 s; a step is one phase. 5 steps ahead and the one that is
 * over: 2 + 5 * 4/3 = 8.667 s, and 20 rows move once: 1 message of 0.5 s and 20 * 0.01 s. */
static void times_are_the_models(void **state)
{
    double time_s[KEEL_ROWS_CANDIDATES];
    struct keel_rows_outlook outlook = outlook_of(2, (double[]){60, 60}, (double[]){60, 30});

    (void)state;
    outlook.step_s = 2;
    outlook.horizon_s = 10;
    outlook.message_s = 0.5;
    outlook.row_s = 0.01;
    assert_int_equal(choose(&outlook, time_s), 0);
    assert_float_equal(time_s[0], 2 + 5 * 4.0 / 3 + 0.7, 1e-9);
    outlook.horizon_s = 0; /* one step at least */
    assert_int_equal(choose(&outlook, time_s), 0);
    assert_float_equal(time_s[0], 2 + 4.0 / 3 + 0.7, 1e-9);
}

/* One worker of 16 is slow. By rates it sends 5 rows to each of the others; with dear messages, 33
 * to each of its neighbours take less time, unless there is enough of it. */
static void dear_messages_that_pay_for_a_short_time_go_to_neighbours(void **state)
{
    double work[16], rate[16];

    (void)state;
    for (int w = 0; w < 16; w++) {
        work[w] = 100;
        rate[w] = w == 8 ? 25 : 100;
    }
    struct keel_rows_outlook outlook = outlook_of(16, work, rate);
    outlook.adjacent = false;
    outlook.step_s = 4;
    outlook.horizon_s = 12;
    outlook.message_s = 0.5;
    assert_int_equal(kind_of(&outlook), KEEL_DECIDE_BY_DIFFUSION);
    outlook.message_s = 1e-5;
    assert_int_equal(kind_of(&outlook), KEEL_DECIDE_BY_RATE);
    outlook.message_s = 0.5;
    outlook.step_s = 40;
    outlook.horizon_s = INFINITY;
    assert_int_not_equal(kind_of(&outlook), KEEL_DECIDE_BY_DIFFUSION);
}

static void nothing_is_asked_where_little_is_gained(void **state)
{
    double time_s[KEEL_ROWS_CANDIDATES];
    struct keel_rows_outlook outlook = outlook_of(2, (double[]){52, 48}, (double[]){1, 1});

    (void)state;
    assert_int_equal(choose(&outlook, time_s), 0);
    assert_true(time_s[0] == 0 && time_s[3] == 0);
    outlook.gain = 0.01;
    choose(&outlook, time_s);
    assert_true(time_s[0] > 0);
}

/* Shares of work that is no number of rows: the same choice, the same times. */
static void units_of_work_do_not_matter(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 100; times++) {
        uint32_t workers = 2 + (uint32_t)draws_below(&draws, WORKERS_MAX - 1);
        double work[WORKERS_MAX], rate[WORKERS_MAX], small[WORKERS_MAX], slow[WORKERS_MAX];
        double time_s[2][KEEL_ROWS_CANDIDATES];
        for (uint32_t w = 0; w < workers; w++) {
            work[w] = 5000 + (double)draws_below(&draws, 5000);
            rate[w] = 1 + (double)draws_below(&draws, 8);
            small[w] = work[w] * 0.37e-3;
            slow[w] = rate[w] * 0.37e-3;
        }
        struct keel_rows_outlook outlook = outlook_of(workers, work, rate);
        outlook.message_s = 0.001;
        outlook.row_s = 1e-5;
        struct keel_rows_outlook other = outlook;
        other.work = small;
        other.rate = slow;
        choose(&outlook, time_s[0]);
        choose(&other, time_s[1]);
        for (int i = 0; i <= KEEL_ROWS_BY_REDISTRIBUTION; i++) {
            assert_float_equal(time_s[0][i] / time_s[1][i], 1, 0.03);
        }
    }
}

static void odd_numbers_are_harmless(void **state)
{
    struct draws draws = draws_begin();
    static const double odd[] = {0, -1, NAN, INFINITY, -INFINITY, 1e300, 1e-300, 5};

    (void)state;
    for (int times = 0; times < 3000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, 5);
        double work[5], rate[5], time_s[KEEL_ROWS_CANDIDATES];
        for (uint32_t w = 0; w < 5; w++) {
            work[w] = odd[draws_below(&draws, 8)];
            rate[w] = odd[draws_below(&draws, 8)];
        }
        struct keel_rows_outlook outlook = {
            .workers = workers,
            .work = work,
            .rate = rate,
            .rows = draws_below(&draws, 1000),
            .adjacent = draws_below(&draws, 2) == 0,
            .step_s = odd[draws_below(&draws, 8)],
            .horizon_s = odd[draws_below(&draws, 8)],
            .message_s = odd[draws_below(&draws, 8)],
            .row_s = odd[draws_below(&draws, 8)],
            .gain = odd[draws_below(&draws, 8)],
        };
        struct keel_rows_selection *selection = begin(workers);
        for (int again = 0; again < 3; again++) {
            struct keel_rows_choice choice = choose_next(selection, &outlook);
            assert_in_range(choice.rule.candidate, 0, KEEL_ROWS_CANDIDATES - 1);
            assert_in_range(choice.rule.every, 1, 8);
            memcpy(time_s, choice.time_s, sizeof time_s);
            keel_rows_selection_decided(selection, again > 0, rate);
            outlook.time_s = odd[draws_below(&draws, 8)];
            outlook.phase_s = odd[draws_below(&draws, 8)];
            outlook.phases = odd[draws_below(&draws, 8)];
            outlook.movement_s = odd[draws_below(&draws, 8)];
            outlook.decision_s = odd[draws_below(&draws, 8)];
        }
        free(selection);
        for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
            assert_false(isnan(time_s[i]));
        }
    }
}

static void without_work_nothing_is_searched_for(void **state)
{
    struct keel_rows_selection *selection = begin(2);
    struct keel_rows_outlook outlook = outlook_of(2, (double[]){0, 0}, (double[]){1, 1});

    (void)state;
    outlook.gain = 0;
    struct keel_rows_choice choice = choose_next(selection, &outlook);
    assert_int_equal(choice.rule.candidate, KEEL_ROWS_BY_RATE);
    assert_true(choice.flow == 0 && choice.runs == 0);
    free(selection);
}

/* --- work that comes and goes --- */

#define HOT 0 /* where work comes */
#define ANY KEEL_ROWS_CANDIDATES

/* A job whose first worker gets work from the others in each phase. */
struct played {
    struct keel_rows_selection *selection;
    struct keel_rows_outlook outlook;
    double work[WORKERS_MAX], rate[WORKERS_MAX];
    struct keel_rows_choice choice;
};

static struct played play_begin(uint32_t workers)
{
    struct played played = {.selection = begin(workers)};

    for (uint32_t w = 0; w < workers; w++) {
        played.work[w] = 1000;
        played.rate[w] = 1000;
    }
    played.outlook = outlook_of(workers, NULL, NULL);
    played.outlook.rows = workers * 50;
    played.outlook.horizon_s = INFINITY;
    played.outlook.message_s = 1e-4;
    played.outlook.row_s = 1e-5;
    return played;
}

static double longest(const struct played *played)
{
    double result = 0;

    for (uint32_t w = 0; w < played->outlook.workers; w++) {
        result = fmax(result, played->work[w] / played->rate[w]);
    }
    return result;
}

/* Work that comes to the hot worker in a phase, evenly from the others. */
static void flow(struct played *played, double flow)
{
    uint32_t workers = played->outlook.workers;

    for (uint32_t w = 0; w < workers; w++) {
        played->work[w] += w == HOT ? flow : -flow / (workers - 1);
    }
}

/* A decision, and the phases until the next one. Every policy but `stay` makes shares level.
 * slower: what phases take over what they should, under this candidate. */
static void play_beside(struct played *played, double flow_per_phase, double slower,
                        uint64_t candidate)
{
    struct keel_rows_outlook *outlook = &played->outlook;

    outlook->work = played->work;
    outlook->rate = played->rate;
    played->choice = choose_next(played->selection, outlook);
    bool moves = played->choice.rule.candidate != KEEL_ROWS_STAY;
    double sum = 0;
    for (uint32_t w = 0; w < outlook->workers; w++) {
        sum += played->work[w];
    }
    for (uint32_t w = 0; w < outlook->workers && moves; w++) {
        played->work[w] = sum / outlook->workers;
    }
    keel_rows_selection_decided(played->selection, moves, played->work);
    outlook->phases = (double)played->choice.rule.every;
    outlook->phase_s = 0;
    outlook->movement_s = moves ? outlook->message_s : 0;
    for (uint64_t phase = 0; phase < played->choice.rule.every; phase++) {
        flow(played, flow_per_phase);
        bool is = candidate == ANY || played->choice.rule.candidate == candidate;
        outlook->phase_s += longest(played) * (is ? slower : 1) / outlook->phases;
    }
    outlook->time_s = outlook->phase_s * outlook->phases + outlook->movement_s;
}

static void play(struct played *played, double flow_per_phase, double slower)
{
    play_beside(played, flow_per_phase, slower, ANY);
}

static void work_that_comes_and_goes_is_noticed(void **state)
{
    struct played played = play_begin(8);

    (void)state;
    for (int times = 0; times < 10; times++) {
        play(&played, 60, 1);
    }
    assert_true(played.choice.arrives);
    assert_in_range(played.choice.runs, 10, KEEL_ROWS_SEARCH_RUNS);
    assert_float_equal(played.choice.flow, 60 / 8000.0, 0.002);
    free(played.selection);
}

static void without_flows_all_is_as_at_first(void **state)
{
    struct played played = play_begin(8);

    (void)state;
    for (int times = 0; times < 10; times++) {
        play(&played, 0, 1);
    }
    assert_false(played.choice.arrives);
    assert_int_equal(played.choice.rule.candidate, KEEL_ROWS_BY_RATE);
    free(played.selection);
}

/* Where all takes four times as long, a choice is the same, and takes four times as long. */
static void the_unit_of_time_does_not_matter(void **state)
{
    struct played one = play_begin(8), other = play_begin(8);

    (void)state;
    for (uint32_t w = 0; w < 8; w++) {
        other.rate[w] /= 4;
    }
    other.outlook.step_s *= 4;
    other.outlook.message_s *= 4;
    other.outlook.row_s *= 4;
    for (int times = 0; times < 10; times++) {
        double comes = times % 2 == 0 ? 50 : -30;
        play(&one, comes, 1);
        play(&other, comes, 1);
        assert_memory_equal(&one.choice.rule, &other.choice.rule, sizeof one.choice.rule);
        for (int i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
            double time_s = 4 * one.choice.time_s[i];
            assert_float_equal(other.choice.time_s[i], time_s, 1e-9 * time_s);
        }
    }
    assert_true(one.choice.arrives);
    free(one.selection);
    free(other.selection);
}

/* As much comes as goes, a 1000th of a worker's work or a 20th. */
static void chance_counts_from_some_work_on(void **state)
{
    static const double work[] = {1, 50};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct played played = play_begin(8);
        for (int times = 0; times < 10; times++) {
            play(&played, times % 2 == 0 ? work[i] : -work[i], 1);
        }
        assert_int_equal(played.choice.arrives, i == 1);
        free(played.selection);
    }
}

/* Rows turn out to weigh other than they were taken to: none have come or gone. */
static void weigh(struct played *played, const double *factor)
{
    for (uint32_t w = 0; w < played->outlook.workers; w++) {
        played->work[w] *= factor[w];
        played->rate[w] *= factor[w];
    }
    keel_rows_selection_scale(played->selection, factor);
}

static void new_units_are_no_flow(void **state)
{
    const double factor[] = {4, 1, 0.25, 1, 0.5, 2, 1, 1}, back[] = {0.25, 1, 4, 1, 2, 0.5, 1, 1};

    (void)state;
    for (int weighed_after = 1; weighed_after < 10; weighed_after++) {
        struct played played = play_begin(8);
        for (int times = 0; times < 12; times++) {
            if (times == weighed_after) {
                weigh(&played, factor);
            }
            play(&played, 0, 1);
            assert_false(played.choice.arrives);
            assert_float_equal(played.choice.flow, 0, 1e-9);
        }
        free(played.selection);
    }
    struct played played = play_begin(8);
    for (int times = 0; times < 10; times++) {
        play(&played, 60, 1);
    }
    double flow_before = played.choice.flow;
    weigh(&played, factor);
    weigh(&played, back);
    play(&played, 60, 1);
    assert_true(played.choice.arrives);
    assert_float_equal(played.choice.flow, flow_before, 1e-3 * flow_before);
    free(played.selection);
}

/* Rows that take longer to move than they would save stay where they are. */
static void rows_that_are_too_dear_stay(void **state)
{
    struct played played = play_begin(4);

    (void)state;
    played.outlook.row_s = 1;
    for (int times = 0; times < 6; times++) {
        play(&played, 20, 1);
    }
    assert_true(played.choice.arrives);
    assert_int_equal(played.choice.rule.candidate, KEEL_ROWS_STAY);
    free(played.selection);
}

/* The same figures, the same choice, to the last bit: what lets every rank choose for itself. */
static void all_workers_choose_the_same(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int times = 0; times < 20; times++) {
        uint32_t workers = 2 + (uint32_t)draws_below(&draws, WORKERS_MAX - 1);
        struct played one = play_begin(workers), other = play_begin(workers);
        double comes = 200 * draws_real(&draws);
        one.outlook.row_s = other.outlook.row_s = 1e-3 * draws_real(&draws);
        for (int step = 0; step < 8; step++) {
            play(&one, comes, 1);
            play(&other, comes, 1);
            assert_memory_equal(&one.choice.rule, &other.choice.rule, sizeof one.choice.rule);
            assert_memory_equal(one.choice.time_s, other.choice.time_s, sizeof one.choice.time_s);
        }
        free(one.selection);
        free(other.selection);
    }
}

/* What comes out worse than forecast, whatever is forecast, is given up for something else. */
static void a_choice_that_comes_out_worse_is_revised(void **state)
{
    struct played played = play_begin(8);
    uint64_t followed, seen = 0, kinds = 0;

    (void)state;
    for (int times = 0; times < 6; times++) {
        play(&played, 60, 1);
    }
    assert_true(played.choice.arrives);
    followed = played.choice.rule.candidate;
    for (int times = 0; times < 12; times++) {
        play_beside(&played, 60, 1.6, followed);
        seen |= UINT64_C(1) << played.choice.rule.candidate;
    }
    for (; seen != 0; seen &= seen - 1) {
        kinds++;
    }
    assert_true(kinds > 1);
    assert_int_not_equal(played.choice.rule.candidate, followed);
    free(played.selection);
}

/* Without a reason nothing changes: forecasts that differ by less than hysteresis. */
static void choices_stay(void **state)
{
    struct draws draws = draws_begin();
    struct played played = play_begin(8);
    unsigned changes = 0;
    struct keel_rows_rule before = {0};

    (void)state;
    for (int times = 0; times < 60; times++) {
        play(&played, 60 + 4 * draws_real(&draws), 1 + 0.01 * draws_real(&draws));
        if (times > 10) {
            changes += memcmp(&before, &played.choice.rule, sizeof before) != 0;
        }
        before = played.choice.rule;
    }
    printf("# %u changes in 50 decisions\n", changes);
    assert_true(changes <= 5);
    free(played.selection);
}

static void rules_are_written_as_people_write_them(void **state)
{
    char text[KEEL_ROWS_RULE_TEXT];

    (void)state;
    keel_rows_rule_text(&(struct keel_rows_rule){KEEL_ROWS_BY_RANDOM, 1.2, 0.5, 0, 4}, text);
    assert_string_equal(text, "random w=1.2 alpha=0.5 every=4");
    keel_rows_rule_text(&(struct keel_rows_rule){KEEL_ROWS_STAY, 0, 0, 0, 1}, text);
    assert_string_equal(text, "stay");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_the_models),
        cmocka_unit_test(dear_messages_that_pay_for_a_short_time_go_to_neighbours),
        cmocka_unit_test(nothing_is_asked_where_little_is_gained),
        cmocka_unit_test(units_of_work_do_not_matter),
        cmocka_unit_test(odd_numbers_are_harmless),
        cmocka_unit_test(without_work_nothing_is_searched_for),
        cmocka_unit_test(work_that_comes_and_goes_is_noticed),
        cmocka_unit_test(without_flows_all_is_as_at_first),
        cmocka_unit_test(the_unit_of_time_does_not_matter),
        cmocka_unit_test(chance_counts_from_some_work_on),
        cmocka_unit_test(new_units_are_no_flow),
        cmocka_unit_test(rows_that_are_too_dear_stay),
        cmocka_unit_test(all_workers_choose_the_same),
        cmocka_unit_test(a_choice_that_comes_out_worse_is_revised),
        cmocka_unit_test(choices_stay),
        cmocka_unit_test(rules_are_written_as_people_write_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
