/* Decisions about rows, kept for a report. */
#include "mpi_backend/report/mpi_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "schedules/text/text.h"

/* Whom another one is compared with: rows that stay; these, with the quickest of the others. */
static unsigned other_than(const struct keel_mpi_decision *decision)
{
    unsigned other = KEEL_CANDIDATE_STAY;

    for (unsigned j = 0; decision->followed == KEEL_CANDIDATE_STAY && j < KEEL_CANDIDATES; j++) {
        bool quicker = decision->candidate_s[j] < decision->candidate_s[other];
        other = j != KEEL_CANDIDATE_STAY && (other == KEEL_CANDIDATE_STAY || quicker) ? j : other;
    }
    return other;
}

/* Whom the decision follows, and what it and another one would have taken. */
static void append_followed(const struct keel_mpi_decision *decision, char *text, size_t room)
{
    unsigned other = other_than(decision);
    locale_t previous = keel_c_locale_enter();

    snprintf(text, room, "; follows %s: %.4g s so far where %s takes %.4g s",
             keel_candidates[decision->followed].name, decision->candidate_s[decision->followed],
             keel_candidates[other].name, decision->candidate_s[other]);
    keel_c_locale_leave(previous);
}

void keel_mpi_decision_text(const struct keel_mpi_decision *decision,
                            char text[KEEL_MPI_DECISION_TEXT])
{
    keel_reason_text(&decision->reason, decision->moved, text);
    size_t length = strlen(text), room = KEEL_MPI_DECISION_TEXT - length;

    if (decision->reason.cause == KEEL_CAUSE_FAILED) {
        snprintf(text + length, room, ": %s", keel_mpi_error_name((int)decision->reason.number[0]));
    } else if (decision->followed < KEEL_CANDIDATES &&
               decision->candidate_s[KEEL_CANDIDATE_STAY] > 0) { /* else no rate is known */
        append_followed(decision, text + length, room);
    }
}

static bool is_alike(const struct keel_mpi_decision *one, const struct keel_mpi_decision *other)
{
    return one->reason.cause == other->reason.cause && one->policy == other->policy &&
           one->moved == 0 && other->moved == 0;
}

/* Whether the last one may go: the one before it and the one that comes tell the same. */
static bool is_between(const struct keel_mpi_decisions *decisions,
                       const struct keel_mpi_decision *next)
{
    const struct keel_mpi_decision *end = &decisions->kept[decisions->count];

    return decisions->count > 1 && is_alike(&end[-2], &end[-1]) && is_alike(&end[-1], next);
}

static void drop(struct keel_mpi_decisions *decisions, size_t place)
{
    struct keel_mpi_decision *kept = &decisions->kept[place];

    memmove(kept, kept + 1, (decisions->count - place - 1) * sizeof *kept);
    decisions->count--;
    decisions->left_out++;
}

void keel_mpi_decisions_note(struct keel_mpi_decisions *decisions,
                             const struct keel_mpi_decision *decision)
{
    if (is_between(decisions, decision)) {
        drop(decisions, decisions->count - 1);
    } else if (decisions->count == KEEL_MPI_DECISIONS_MAX) {
        drop(decisions, KEEL_MPI_DECISIONS_FIRST);
    }
    decisions->kept[decisions->count++] = *decision;
}
