/* Events of distributed rows in the trace. */
#include "mpi_backend/rows/rows_events.h"

#include "mpi_backend/report/events.h"
#include "mpi_backend/report/reported.h"

uint64_t keel_mpi_rows_event_now(const struct keel_mpi_rows *rows)
{
    const struct keel_trace_ranks *events = rows->observed != NULL ? keel_mpi_events() : NULL;

    return events != NULL ? events->now() : 0;
}

void keel_mpi_rows_event_move(const struct keel_mpi_rows *rows, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes, uint64_t began)
{
    const struct keel_trace_ranks *events = keel_mpi_events();

    if (events != NULL) {
        events->move(&(struct keel_trace_move){
            .what = "rows",
            .name = rows->observed->of.name,
            .from = (int)from,
            .to = (int)rows->rank,
            .first = first,
            .last = last,
            .bytes = bytes,
            .began = began,
            .ended = events->now(),
        });
    }
}

#define FIGURES 9 /* of a decision, before those of the candidates */

void keel_mpi_rows_event_decision(const struct keel_mpi_rows *rows,
                                  const struct keel_mpi_decision *decision)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    const struct keel_mpi_rows_report *report = &rows->report;
    char reason[KEEL_MPI_DECISION_TEXT];
    size_t count = FIGURES;

    if (events == NULL) {
        return;
    }
    keel_mpi_decision_text(decision, reason);
    struct keel_trace_number number[FIGURES + KEEL_CANDIDATES] = {
        {"hook", (double)decision->hook},
        {"gain", decision->gain},
        {"moved", (double)decision->moved},
        {"work", rows->work},
        {"rate", report->rate},
        {"filtered_rate", report->filtered_rate},
        {"decision_s", report->decision_s},
        {"waiting_s", report->waiting_s},
        {"movement_s", report->movement_s},
    };
    for (unsigned j = 0; decision->followed < KEEL_CANDIDATES && j < KEEL_CANDIDATES; j++) {
        number[count++] =
            (struct keel_trace_number){keel_candidates[j].name, decision->candidate_s[j]};
    }
    events->decision(&(struct keel_trace_decision){
        .name = decision->moved > 0 ? "rows move" : "rows stay",
        .about = "rows",
        .object = rows->observed->of.name,
        .reason = reason,
        .count = count,
        .number = number,
    });
    events->counter("rate", report->filtered_rate);
    events->counter("share", (double)rows->placement.owned[rows->rank]);
}
