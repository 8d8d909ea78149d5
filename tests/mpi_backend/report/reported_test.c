/* What the layer gives to reports: decisions, and reports of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/report/mpi_report.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- reports of ranks: what is kept of rows and of sets of objects: sums, the first phases and
 * the latest, and words --- */

static struct keel_mpi_object_set copy;
static struct keel_mpi_distribution rows_copy;

static int read_objects(const void *objects, void *report)
{
    *(struct keel_mpi_objects_report *)report = *(const struct keel_mpi_objects_report *)objects;
    return KEEL_MPI_OK;
}

static int read_rows(const void *rows, void *report)
{
    *(struct keel_mpi_rows_report *)report = *(const struct keel_mpi_rows_report *)rows;
    return KEEL_MPI_OK;
}

/* One that is freed and one that is not. */
TEST(objects_are_kept_while_they_live_and_after)
{
    const struct keel_mpi_objects_report freed = {
        .computed = 5, .bytes_taken = 11, .answering_s = 3, .copies_bytes = 9};
    const struct keel_mpi_objects_report lives = {.computed = 7, .idle_s = 0.5, .quantum_s = 2};
    size_t before = keel_mpi_reported_count(KEEL_MPI_REPORTED_OBJECTS);
    struct keel_mpi_reported *first =
        keel_mpi_reported_new(KEEL_MPI_REPORTED_OBJECTS, &freed, read_objects);

    keel_mpi_reported_end(first, &freed);
    keel_mpi_reported_new(KEEL_MPI_REPORTED_OBJECTS, &lives, read_objects);
    assert_int_equal(keel_mpi_reported_count(KEEL_MPI_REPORTED_OBJECTS), before + 2);
    keel_mpi_reported_copy(KEEL_MPI_REPORTED_OBJECTS, before, &copy.of);
    assert_string_equal(copy.of.name, "set 1");
    assert_int_equal(copy.sum.computed, 5);
    assert_int_equal(copy.sum.bytes_taken, 11);
    assert_int_equal(copy.sum.copies_bytes, 9);
    assert_true(copy.sum.answering_s == 3 && copy.sum.idle_s == 0);
    for (int i = 0; i < 2; i++) { /* each copy has it once */
        keel_mpi_reported_copy(KEEL_MPI_REPORTED_OBJECTS, before + 1, &copy.of);
        assert_string_equal(copy.of.name, "set 2");
        assert_int_equal(copy.sum.computed, 7);
        assert_true(copy.sum.idle_s == 0.5 && copy.sum.quantum_s == 2);
    }
}

/* The last of too many counts for all that come later: 64 + 3 - 63 = 4. */
TEST(the_last_distribution_stands_for_others)
{
    const struct keel_mpi_rows_report report = {.hooks = 2, .copies_bytes = 6};

    for (int i = 0; i < KEEL_MPI_REPORTED_MAX + 3; i++) {
        struct keel_mpi_reported *one =
            keel_mpi_reported_new(KEEL_MPI_REPORTED_ROWS, &report, read_rows);
        keel_mpi_reported_end(one, &report);
    }
    assert_int_equal(keel_mpi_reported_count(KEEL_MPI_REPORTED_ROWS), KEEL_MPI_REPORTED_MAX);
    keel_mpi_reported_copy(KEEL_MPI_REPORTED_ROWS, 0, &rows_copy.of);
    assert_string_equal(rows_copy.of.name, "distribution 1");
    assert_int_equal(rows_copy.sum.hooks, 2);
    keel_mpi_reported_copy(KEEL_MPI_REPORTED_ROWS, KEEL_MPI_REPORTED_MAX - 1, &rows_copy.of);
    assert_string_equal(rows_copy.of.name, "distribution 64 and others");
    assert_int_equal(rows_copy.of.members, 4);
    assert_int_equal(rows_copy.sum.hooks, 4 * 2);
    assert_int_equal(rows_copy.sum.copies_bytes, 6); /* the most of them, not the sum */
}

TEST(the_first_phases_and_the_latest_are_kept)
{
    const struct keel_mpi_objects_report report = {.computed = 7};
    struct keel_mpi_object_set *set = (struct keel_mpi_object_set *)keel_mpi_reported_new(
        KEEL_MPI_REPORTED_OBJECTS, &report, read_objects);
    const uint64_t phases = 3 * KEEL_MPI_PHASES_MAX, first = KEEL_MPI_PHASES_FIRST;

    for (uint64_t i = 1; i <= phases; i++) {
        keel_mpi_phase_note(set, &(struct keel_mpi_phase){.phase = i});
        assert_int_equal(set->phases + set->left_out, i);
    }
    assert_int_equal(set->phases, KEEL_MPI_PHASES_MAX);
    for (uint64_t i = 0; i < KEEL_MPI_PHASES_MAX; i++) {
        uint64_t number = i < first ? i + 1 : phases - KEEL_MPI_PHASES_MAX + i + 1;
        assert_int_equal(set->phase[i].phase, number);
    }
}

static void assert_text(const struct keel_mpi_phase *phase, const char *expected)
{
    char text[KEEL_MPI_PHASE_TEXT];

    keel_mpi_phase_text(phase, text);
    assert_string_equal(text, expected);
}

TEST(advice_is_in_words)
{
    allow_exceptions();
    struct keel_mpi_phase phase = {
        .mean_s = 0.0021, .longest_s = 0.125, .moves = true, .bounds.upper_s = 1};

    phase.advice = (struct keel_objects_advice){4, 0.125, 400};
    assert_text(&phase,
                "objects take 2.1 ms and 125 ms at most; 4 objects in place of each (400 on "
                "each rank) would take 12 % less time");
    phase.advice = (struct keel_objects_advice){0.25, 0.5, 12.5};
    assert_text(&phase, "objects take 2.1 ms and 125 ms at most; one object in place of 4 (13 on "
                        "each rank) would take 50 % less time");
    phase.advice = (struct keel_objects_advice){1, 0, 4};
    assert_text(&phase, "objects take 2.1 ms and 125 ms at most; another number of objects would "
                        "gain less than 1 %");
    phase.moves = false;
    assert_text(&phase, "objects take 2.1 ms and 125 ms at most; they stay where they are");
    phase.bounds.upper_s = 0;
    assert_text(&phase, "no bounds are known");
    phase = (struct keel_mpi_phase){.mean_s = 1.7e308,
                                    .longest_s = -1.7e308,
                                    .moves = true,
                                    .bounds.upper_s = 1,
                                    .advice = {1.0 / 64, 0.99, 1e20}};
    char text[KEEL_MPI_PHASE_TEXT];
    keel_mpi_phase_text(&phase, text);
    assert_true(strlen(text) < KEEL_MPI_PHASE_TEXT);
}

TEST_WITH(words_are_those_of_the_c_locale, NULL, back_to_c_locale)
{
    enter_turkish_locale();
    advice_is_in_words(state);
    assert_turkish_locale();
}

/* --- decisions kept for a report: as many as there is room for, those where something changed
 * --- */

static struct keel_mpi_decision decision(uint64_t call, enum keel_cause cause, uint64_t moved)
{
    return (struct keel_mpi_decision){.followed = KEEL_CANDIDATES,
                                      .call = call,
                                      .policy = "rate",
                                      .moved = moved,
                                      .reason = {.cause = cause}};
}

static void note(struct keel_mpi_decisions *decisions, uint64_t call, enum keel_cause cause,
                 uint64_t moved)
{
    const struct keel_mpi_decision next = decision(call, cause, moved);

    keel_mpi_decisions_note(decisions, &next);
}

/* Of a hundred that come out alike, the first and the last one. */
TEST(equal_ones_are_counted)
{
    struct keel_mpi_decisions decisions = {0};

    for (uint64_t call = 1; call <= 100; call++) {
        note(&decisions, call, KEEL_CAUSE_LEVEL, 0);
    }
    note(&decisions, 101, KEEL_CAUSE_GAIN, 12);
    note(&decisions, 102, KEEL_CAUSE_LEVEL, 0);
    assert_int_equal(decisions.count, 4);
    assert_int_equal(decisions.left_out, 98);
    const uint64_t calls[] = {1, 100, 101, 102};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(decisions.kept[i].call, calls[i]);
    }
}

TEST(movements_are_never_alike)
{
    struct keel_mpi_decisions decisions = {0};

    for (uint64_t call = 1; call <= KEEL_MPI_DECISIONS_MAX; call++) {
        note(&decisions, call, KEEL_CAUSE_GAIN, 7);
    }
    assert_int_equal(decisions.count, KEEL_MPI_DECISIONS_MAX);
    assert_int_equal(decisions.left_out, 0);
}

/* Where there are too many, the first ones and the latest stay, in their order, and all are
 * counted. */
TEST(first_and_latest_stay)
{
    struct draws draws = draws_begin();
    struct keel_mpi_decisions decisions = {0};
    uint64_t calls = 5000;

    for (uint64_t call = 1; call <= calls; call++) {
        note(&decisions, call, (enum keel_cause)(1 + draws_below(&draws, 3)),
             draws_below(&draws, 4) == 0 ? 5 : 0);
        assert_int_equal(decisions.count + decisions.left_out, call);
        assert_int_equal(decisions.kept[decisions.count - 1].call, call);
    }
    assert_int_equal(decisions.count, KEEL_MPI_DECISIONS_MAX);
    assert_int_equal(decisions.kept[0].call, 1);
    assert_true(decisions.kept[KEEL_MPI_DECISIONS_FIRST - 1].call < 50);
    assert_true(decisions.kept[KEEL_MPI_DECISIONS_FIRST].call > calls - 500);
    for (size_t i = 1; i < decisions.count; i++) {
        assert_true(decisions.kept[i].call > decisions.kept[i - 1].call);
    }
}

/* --- texts --- */

TEST(a_failure_names_its_code)
{
    struct keel_mpi_decision failed = decision(1, KEEL_CAUSE_FAILED, 0);
    char text[KEEL_MPI_DECISION_TEXT];

    failed.reason.number[0] = KEEL_MPI_NO_ROOM;
    keel_mpi_decision_text(&failed, text);
    assert_string_equal(text, "rows could not be moved: KEEL_MPI_NO_ROOM");
}

/* Whom it follows, beside who stays; who stays, beside the quickest of the others. */
TEST(a_replay_has_its_times)
{
    struct keel_mpi_decision replayed = decision(1, KEEL_CAUSE_LEVEL, 0);
    char text[KEEL_MPI_DECISION_TEXT];

    for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
        replayed.candidate_s[j] = 9 - j % 7;
    }
    replayed.followed = KEEL_CANDIDATE_PAPER;
    keel_mpi_decision_text(&replayed, text);
    assert_string_equal(text, "no other shares are better; follows paper: 8 s so far where stay "
                              "takes 9 s");
    replayed.followed = KEEL_CANDIDATE_STAY;
    replayed.reason.cause = KEEL_CAUSE_STAYS;
    replayed.candidate_s[KEEL_CANDIDATE_STAY] = 0.5;
    replayed.candidate_s[KEEL_CANDIDATE_AT_ONCE] = 0.75;
    keel_mpi_decision_text(&replayed, text);
    assert_string_equal(text, "staying has lost least so far; follows stay: 0.5 s so far where "
                              "at-once takes 0.75 s");
}

/* Before a rate is known there are no times. */
TEST(without_rates_nobody_is_compared)
{
    struct keel_mpi_decision early = decision(1, KEEL_CAUSE_NO_WORK, 0);
    char text[KEEL_MPI_DECISION_TEXT];

    early.followed = KEEL_CANDIDATE_STEADY;
    keel_mpi_decision_text(&early, text);
    assert_string_equal(text, "no computing was measured");
}
