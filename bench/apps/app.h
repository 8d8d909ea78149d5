/* Shared by the applications around their main loop: options, the clock, and the line of
 * measurements. The computation, and how it moves, is in their own files.
 *
 *     struct app app = {.name = "sor", .size = 500};
 *     const struct app_option options[] = {{"size", .number = &app.size, .least = 1}, {0}};
 *     app_begin(&app, options, arguments, argument);
 *     ... rows are made with job_check(keel_mpi_rows_create(...)) ...
 *     app_start(&app);
 *     for (uint64_t step = 0; step < app.steps; step++) {
 *         ...
 *         job_check(keel_mpi_rows_balance(rows, NULL));
 *     }
 *     app_stop(&app, rows);
 *     ... with app.verify, rank 0 runs the serial program and compares ...
 *     return app_end(&app, same);
 *
 * KEEL_MPI_BALANCE selects the policy. Rank 0 ends with one CSV line:
 *
 *     app,ranks,seconds,movements,decision_s,verified
 *
 * seconds: from barrier to barrier around the main loop; decision_s of the rank that spent most on
 * it; verified: yes, no, or - without --verify. */
#ifndef BENCH_APPS_APP_H
#define BENCH_APPS_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/support/end_job.h"
#include "mpi_backend/include/keel_mpi.h"

/* An option of an application. A list of them ends with one whose name is NULL. */
struct app_option {
    const char *name; /* without dashes */
    bool *flag;       /* becomes true; NULL: the option has a number */
    uint64_t *number; /* gets a whole number from `least` to 10^9; unchanged if it is not given */
    uint64_t least;
};

struct app {
    const char *name;
    int rank, ranks;
    uint64_t size, steps; /* their meaning depends on the application */
    bool verify;          /* --verify: compare with a serial run */

    /* Written by app.c only. */
    double start_s, seconds;
    struct keel_mpi_rows_report report; /* of this rank */
};

/* Starts MPI and reads the options. Ends the program if these are wrong: status 2. */
void app_begin(struct app *app, const struct app_option *options, int arguments, char **argument);

/* Starts the clock. Collective. */
void app_start(struct app *app);

/* Stops the clock. Collective. */
void app_stop(struct app *app, const struct keel_mpi_rows *rows);

/* Prints the measurements, and ends MPI. same: on rank 0, whether the result is the serial one.
 * Returns the program's status: 1 with --verify if it is not. Collective. */
int app_end(struct app *app, bool same);

/* The i-th of a sequence of numbers in [0, 1), which any rank can compute without those before. */
double app_uniform(uint64_t i);

#endif
