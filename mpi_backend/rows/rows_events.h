/* Events of distributed rows in the trace: decisions, rows that have come, rates and shares.
 *
 *   balance/hook.c, movement/round.c -> [rows_events] -> report/events.h
 *
 * By the thread that uses the distribution. */
#ifndef MPI_BACKEND_ROWS_ROWS_EVENTS_H
#define MPI_BACKEND_ROWS_ROWS_EVENTS_H

#include "mpi_backend/report/decisions.h"
#include "mpi_backend/rows/state.h"

/* When something begins; 0: nothing is traced. */
uint64_t keel_mpi_rows_event_now(const struct keel_mpi_rows *rows);

/* Rows [first, last) have come from that rank since `began`. */
void keel_mpi_rows_event_move(const struct keel_mpi_rows *rows, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes, uint64_t began);

/* A decision, and this rank's rate and share after it. Of distributions that are observed. */
void keel_mpi_rows_event_decision(const struct keel_mpi_rows *rows,
                                  const struct keel_mpi_decision *decision);

/* --- KEEL_MPI_TRACE ---
 *
 * KEEL_MPI_TRACE: a line for each exchange of figures, as a rank saw it.
 *
 *   hook.c, once a ruling has been carried out --> [a line] --> FILE.RANK */

/* At the first hook. If the file cannot be written, that is said, and nothing is traced. */
void keel_mpi_rows_trace_open(struct keel_mpi_rows *rows);

/* time_s: since the first hook. */
void keel_mpi_rows_trace_note(const struct keel_mpi_rows *rows, double time_s,
                              const struct keel_mpi_decision *decision);

void keel_mpi_rows_trace_close(struct keel_mpi_rows *rows);

#endif
