/* Decisions kept for a report: as many as there is room for, those where something changed. */
#include <stddef.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/report/mpi_report.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

static struct keel_mpi_decision decision(uint64_t hook, enum keel_cause cause, uint64_t moved)
{
    return (struct keel_mpi_decision){.followed = KEEL_CANDIDATES,
                                      .hook = hook,
                                      .policy = "rate",
                                      .moved = moved,
                                      .reason = {.cause = cause}};
}

static void note(struct keel_mpi_decisions *decisions, uint64_t hook, enum keel_cause cause,
                 uint64_t moved)
{
    const struct keel_mpi_decision next = decision(hook, cause, moved);

    keel_mpi_decisions_note(decisions, &next);
}

/* Of a hundred that come out alike, the first and the last one. */
TEST(equal_ones_are_counted)
{
    struct keel_mpi_decisions decisions = {0};

    for (uint64_t hook = 1; hook <= 100; hook++) {
        note(&decisions, hook, KEEL_CAUSE_LEVEL, 0);
    }
    note(&decisions, 101, KEEL_CAUSE_GAIN, 12);
    note(&decisions, 102, KEEL_CAUSE_LEVEL, 0);
    assert_int_equal(decisions.count, 4);
    assert_int_equal(decisions.left_out, 98);
    const uint64_t hooks[] = {1, 100, 101, 102};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(decisions.kept[i].hook, hooks[i]);
    }
}

TEST(movements_are_never_alike)
{
    struct keel_mpi_decisions decisions = {0};

    for (uint64_t hook = 1; hook <= KEEL_MPI_DECISIONS_MAX; hook++) {
        note(&decisions, hook, KEEL_CAUSE_GAIN, 7);
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
    uint64_t hooks = 5000;

    for (uint64_t hook = 1; hook <= hooks; hook++) {
        note(&decisions, hook, (enum keel_cause)(1 + draws_below(&draws, 3)),
             draws_below(&draws, 4) == 0 ? 5 : 0);
        assert_int_equal(decisions.count + decisions.left_out, hook);
        assert_int_equal(decisions.kept[decisions.count - 1].hook, hook);
    }
    assert_int_equal(decisions.count, KEEL_MPI_DECISIONS_MAX);
    assert_int_equal(decisions.kept[0].hook, 1);
    assert_true(decisions.kept[KEEL_MPI_DECISIONS_FIRST - 1].hook < 50);
    assert_true(decisions.kept[KEEL_MPI_DECISIONS_FIRST].hook > hooks - 500);
    for (size_t i = 1; i < decisions.count; i++) {
        assert_true(decisions.kept[i].hook > decisions.kept[i - 1].hook);
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
    assert_string_equal(text, "no computing was seen");
}
