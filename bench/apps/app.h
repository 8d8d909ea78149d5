/* Shared by the applications around their main loop: options, the clock, and the line of
 * measurements. The computation, and how it moves, is in their own files.
 *
 *     struct app app = app_begin("sor", 500, 100, NULL, arguments, argument);
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
 * Common options: --size, --steps, --seed, --verify, --help. KEEL_MPI_BALANCE selects the policy.
 * Rank 0 ends with one CSV line:
 *
 *     app,ranks,policy,seconds,
 *     calls,interactions,movements,rows_moved,bytes_sent,decision_s,movement_s,efficiency,verified
 *
 * seconds: from barrier to barrier around the main loop; bytes_sent of all ranks; decision_s and
 * movement_s of the rank that spent most on them; efficiency: computing time of all ranks over
 * ranks * seconds; verified: yes, no, or - without --verify. */
#ifndef BENCH_APPS_APP_H
#define BENCH_APPS_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/support/job.h"
#include "mpi_backend/include/keel_mpi.h"

/* An option of one application. A list of them ends with one whose name is NULL. */
struct app_option {
    const char *name;  /* without dashes */
    const char *value; /* placeholder of its value in --help; NULL: it takes none */
    const char *help;
    const char **text; /* gets the value, "" if it takes none; unchanged if it is not given */
};

struct app {
    const char *name;
    int rank, ranks;
    uint64_t size, steps, seed; /* their meaning depends on the application */
    bool verify;

    /* Written by app.c only. */
    double start_s, seconds;
    struct app_measurements {
        uint64_t calls, interactions, movements, moved;
        double bytes, decision_s, movement_s, busy_s; /* of this rank */
    } measurements;
};

/* Starts MPI and reads the options; `size` and `steps` are the defaults. Ends the program if the
 * options are wrong (status 2), or only ask for help. own: NULL for none. */
struct app app_begin(const char *name, uint64_t size, uint64_t steps, const struct app_option *own,
                     int arguments, char **argument);

/* Reads an option's value, a whole number from `least` to `most`; ends the program if it is not
 * one. */
uint64_t app_number(const struct app *app, const char *option, const char *text, uint64_t least,
                    uint64_t most);

/* Ends the program with a message about a wrong value of an option: status 2. */
void app_refuse(const struct app *app, const char *option, const char *text, const char *expected)
    __attribute__((noreturn));

/* Starts the clock. Collective. */
void app_start(struct app *app);

/* Stops the clock. Collective. */
void app_stop(struct app *app, const struct keel_mpi_rows *rows);

/* Prints the measurements, and ends MPI. same: on rank 0, whether the result is the serial one.
 * Returns the program's status: 1 with --verify if it is not. Collective. */
int app_end(struct app *app, bool same);

/* The i-th of a sequence of numbers in [0, 1), which any rank can compute without those before. */
double app_uniform(uint64_t seed, uint64_t i);

#endif
