/* Weights of own rows from the measured times of loops over them.
 *
 *   balance call -> a window is open for a phase, as often as measuring costs little -> times
 *   of rows
 *   measurements are due -> row_weights.h -> weights of own rows, values for other ranks
 *        -> measurements.h
 *   decision -> the same scale for all ranks (schedules/rows/scale.c) -> weights of own rows
 *
 * Nothing is measured if the program weighs rows itself, nor within sweeps, where a phase is only a
 * part of a sweep. */
#ifndef MPI_BACKEND_ROWS_COSTS_ROW_COSTS_H
#define MPI_BACKEND_ROWS_COSTS_ROW_COSTS_H

#include "mpi_backend/rows/costs/measurements.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/rows/row_weights.h"

/* Of this rank. */
struct keel_mpi_row_costs {
    double credit_s;             /* computing time that measuring may take now */
    double last_pieces;          /* timed pieces of the last phase that was measured */
    double busy_s;               /* computing in this span when the phase began */
    uint64_t placements;         /* rows->placements at that time */
    bool in_sweep;               /* the phase began within a sweep: it is only a part */
    struct keel_row_times times; /* since rows moved */
    uint64_t *before;            /* own rows when they were measured last, increasing */
    uint64_t rows_before;        /* their number; 0: never measured */
    struct keel_row_measurement measurement;
    double speed;         /* weight per s, by the last measurement; 0: none yet */
    double span_busy_s;   /* computing in whole phases since the last measurements or movement */
    uint64_t span_phases; /* their number */
};

/* Makes rows->costs, at the first balance call; if there is no memory, nothing is measured. */
void keel_mpi_row_costs_begin(struct keel_mpi_rows *rows);
void keel_mpi_row_costs_free(struct keel_mpi_rows *rows);

/* At each balance call: ends the phase before it, and begins the one after it. */
void keel_mpi_row_costs_end_phase(struct keel_mpi_rows *rows);
void keel_mpi_row_costs_begin_phase(struct keel_mpi_rows *rows);

/* Phases from now on are part of the next measurements. */
void keel_mpi_row_costs_begin_span(struct keel_mpi_rows *rows);

/* Whether rows are being measured for the first time, so that it is too early to move them. */
bool keel_mpi_row_costs_wait(const struct keel_mpi_rows *rows);

/* Sets the weights of own rows by their times, if there are any since the last call. Returns the
 * ratio of the sum of weights to the sum before. */
double keel_mpi_row_costs_weigh(struct keel_mpi_rows *rows);

/* For adjacent rows, of which this rank owned [first_before, last_before) before: multiplies the
 * weights of rows that came from lower ranks by `below`, from higher ones by `above`, and scales
 * the others so that the sum is `work`. */
void keel_mpi_row_costs_move(struct keel_mpi_rows *rows, uint64_t first_before,
                             uint64_t last_before, double below, double above, double work);

/* Multiplies the weights of all own rows. */
void keel_mpi_row_costs_scale(struct keel_mpi_rows *rows, double factor);

/* Fills in the values that other ranks need to know of the weights. */
void keel_mpi_row_costs_measurements(const struct keel_mpi_rows *rows,
                                     struct keel_mpi_measurements *measurements);

#endif
