/* Decisions about the rows of one distribution, kept for a report: memory is bounded however long a
 * job runs.
 *
 *   rows/balance/hook.c -> [decisions] -> report/process.c
 *
 * No MPI; by one thread at a time. */
#ifndef MPI_BACKEND_REPORT_DECISIONS_H
#define MPI_BACKEND_REPORT_DECISIONS_H

#include <stddef.h>

#include "schedules/learn/reason.h"
#include "schedules/replay/replay_policies.h"

struct keel_mpi_decision {
    uint64_t hook;      /* number of the hook that carried it out */
    double time_s;      /* of the clock of process/mpi_clock.h */
    double gain;        /* part of the time that moving would save */
    uint64_t moved;     /* rows, of all ranks */
    const char *policy; /* that was asked for; constant */
    struct keel_reason reason;
    unsigned followed;                   /* candidate (candidates.h); KEEL_CANDIDATES: none */
    double candidate_s[KEEL_CANDIDATES]; /* how long what was done would have taken each, s */
};

#define KEEL_MPI_DECISION_TEXT (KEEL_REASON_TEXT + 160)

/* Writes why it came out as it did, without commas. */
void keel_mpi_decision_text(const struct keel_mpi_decision *decision,
                            char text[KEEL_MPI_DECISION_TEXT]);

#define KEEL_MPI_DECISIONS_MAX 64  /* are kept */
#define KEEL_MPI_DECISIONS_FIRST 8 /* of these, the first ones of all */

/* Begins as {0}. */
struct keel_mpi_decisions {
    struct keel_mpi_decision kept[KEEL_MPI_DECISIONS_MAX]; /* in their order */
    size_t count;
    uint64_t left_out; /* count + left_out: all that were noted */
};

/* Of decisions that came out alike in a row, the first and the last are kept; of those, where there
 * are too many, the first and the latest ones. */
void keel_mpi_decisions_note(struct keel_mpi_decisions *decisions,
                             const struct keel_mpi_decision *decision);

#endif
