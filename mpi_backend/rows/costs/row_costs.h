/* What own rows cost, as the loops over them show.
 *
 *   balance call -> a window is open for a phase, as often as that costs next to nothing -> times
 *   of rows
 *   measurements are due -> row_weights.h -> weights of own rows, what others have to know
 *        -> measurements.h
 *   decision -> the same scale for all ranks (schedules/rows/scale.c) -> weights of own rows
 *
 * Nothing is measured where the program weighs rows itself, nor within sweeps: phases there are
 * parts of a sweep. */
#ifndef MPI_BACKEND_ROWS_COSTS_ROW_COSTS_H
#define MPI_BACKEND_ROWS_COSTS_ROW_COSTS_H

#include "mpi_backend/rows/balance/measurements.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/rows/row_weights.h"

/* Of this rank. */
struct keel_mpi_row_costs {
    double credit_s;             /* that measuring may take now */
    double last_pieces;          /* of the last phase that was measured */
    double busy_s;               /* of computing in this span when the phase began */
    uint64_t placements;         /* rows->placements, then */
    bool in_sweep;               /* the phase began within a sweep: it is not a whole one */
    struct keel_row_times times; /* since rows moved */
    uint64_t *before;            /* own rows when they were measured last, increasing */
    uint64_t rows_before;        /* how many; 0: they were not measured */
    struct keel_row_measurement measurement;
    double speed;         /* weight per s, by the last measurement; 0: there was none */
    double span_busy_s;   /* computing in whole phases since the last measurements or movement */
    uint64_t span_phases; /* their number */
};

/* Makes rows->costs, at the first balance call; without memory nothing is measured. */
void keel_mpi_row_costs_begin(struct keel_mpi_rows *rows);
void keel_mpi_row_costs_free(struct keel_mpi_rows *rows);

/* At each balance call: the phase before it is over; the one behind it begins. */
void keel_mpi_row_costs_end_phase(struct keel_mpi_rows *rows);
void keel_mpi_row_costs_begin_phase(struct keel_mpi_rows *rows);

/* Phases count from now on for the next measurements. */
void keel_mpi_row_costs_begin_span(struct keel_mpi_rows *rows);

/* Whether rows are being measured for the first time, so that it is too early to move them. */
bool keel_mpi_row_costs_wait(const struct keel_mpi_rows *rows);

/* Sets the weights of own rows by their times, if there are any since the last call. Returns the
 * ratio of the sum of weights to the sum before. */
double keel_mpi_row_costs_weigh(struct keel_mpi_rows *rows);

/* Adjacent rows of which this rank had [first, last) before: multiplies the weights of those that
 * came from lower ranks by below, from higher ones by above, and of the others so that all make up
 * `work`. */
void keel_mpi_row_costs_move(struct keel_mpi_rows *rows, uint64_t first_before,
                             uint64_t last_before, double below, double above, double work);

/* Multiplies the weights of all own rows. */
void keel_mpi_row_costs_scale(struct keel_mpi_rows *rows, double factor);

/* Fills in what other ranks have to know of the weights. */
void keel_mpi_row_costs_measurements(const struct keel_mpi_rows *rows,
                                     struct keel_mpi_measurements *measurements);

#endif
