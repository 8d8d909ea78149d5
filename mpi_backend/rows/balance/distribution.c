/* Makes and frees distributions of rows. */
#include "mpi_backend/rows/rows_room.h"

#include <stdlib.h>

#include "mpi_backend/job/job.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/rows/balance/balance.h"
#include "mpi_backend/rows/copies/copies.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/victim.h"

#define ROWS_MAX (UINT64_C(1) << 43) /* weights need addresses for 8 bytes each */

/* --- making --- */

/* Returns how many rows each rank gets initially; NULL: no memory. */
static uint64_t *first_shares(uint64_t rows, uint32_t ranks)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    uint64_t *share = malloc((ranks + (size_t)1) * sizeof *share);
    double *weight = malloc(ranks * sizeof *weight);

    for (uint32_t i = 0; weight != NULL && i < ranks; i++) {
        weight[i] = i < settings->weights ? settings->weight[i] : 1;
    }
    if (share != NULL && weight != NULL) {
        keel_amounts_first_blocks(rows, ranks, settings->weights > 0 ? weight : NULL, share);
        for (uint32_t i = 0; i < ranks; i++) {
            share[i] = share[i + 1] - share[i];
        }
    } else {
        free(share);
        share = NULL;
    }
    free(weight);
    return share;
}

bool keel_mpi_rows_place_first(struct keel_mpi_rows *rows, uint64_t count)
{
    uint64_t *share = first_shares(count, rows->ranks);
    bool room = share != NULL && keel_mpi_placement_make(&rows->placement, rows->ranks, share) &&
                keel_mpi_weights_open(rows);

    free(share);
    return room;
}

static int look_at_arguments(uint64_t count, unsigned how, struct keel_mpi_rows **distribution)
{
    if (count > ROWS_MAX || how > KEEL_MPI_ANY || distribution == NULL) {
        keel_mpi_misuse("keel_mpi_rows_create(): %llu rows, kind %u, address %p: expected up to "
                        "2^43 rows, KEEL_MPI_ADJACENT or KEEL_MPI_ANY, and not NULL; nothing is "
                        "distributed",
                        (unsigned long long)count, how, (void *)distribution);
        return KEEL_MPI_ARGUMENT;
    }
    return KEEL_MPI_OK;
}

struct keel_mpi_rows *keel_mpi_rows_open(MPI_Comm comm, const char *where, int *code)
{
    struct keel_mpi_rows *rows = calloc(1, sizeof *rows);

    *code = keel_mpi_comm_open(comm, where, rows != NULL ? &rows->peers : NULL);
    if (*code != KEEL_MPI_OK) {
        return NULL; /* pending operations may use it */
    }
    rows->rank = rows->peers.rank;
    rows->ranks = rows->peers.ranks;
    rows->due = 1; /* the first balance call begins balancing */
    rows->copy_due = UINT64_MAX;
    rows->work_before = -1;
    rows->all_heard_s = keel_mpi_clock_s();
    rows->expected_calls = UINT64_MAX;
    return rows;
}

void keel_mpi_rows_release(struct keel_mpi_rows *rows)
{
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return; /* pending operations use it */
    }
    keel_mpi_copies_free(rows->copies);
    keel_mpi_peers_close(&rows->peers);
    keel_mpi_placement_free(&rows->placement);
    keel_mpi_store_close(&rows->weights);
    free(rows->list);
    free(rows);
}

int keel_mpi_rows_look_at_communicator(MPI_Comm comm)
{
    return keel_mpi_comm_look_at(comm, "rows can be distributed over an intracommunicator only; "
                                       "nothing is distributed");
}

static int read_report(const void *rows, void *report)
{
    return keel_mpi_rows_report(rows, report);
}

void keel_mpi_rows_begin(struct keel_mpi_rows *rows)
{
    keel_mpi_rows_update(rows);
    keel_mpi_work_begin_span(rows);
    if (keel_mpi_waits_observed()) {
        rows->observed = (struct keel_mpi_distribution *)keel_mpi_reported_new(
            KEEL_MPI_REPORTED_ROWS, rows, read_report);
    }
}

KEEL_MPI_PUBLIC int keel_mpi_rows_create(MPI_Comm comm, uint64_t count, unsigned how,
                                         struct keel_mpi_rows **distribution)
{
    int code = keel_mpi_rows_look_at_communicator(comm);

    if (distribution != NULL) {
        *distribution = NULL;
    }
    if (code != KEEL_MPI_OK) {
        return code;
    }
    struct keel_mpi_rows *rows = keel_mpi_rows_open(comm, "in keel_mpi_rows_create()", &code);
    if (rows == NULL) {
        keel_mpi_misuse("no rows can be distributed over this communicator (%s)",
                        keel_mpi_error_name(code));
        return code;
    }
    rows->adjacent = how == KEEL_MPI_ADJACENT;
    code = look_at_arguments(count, how, distribution);
    if (code == KEEL_MPI_OK &&
        (!keel_mpi_rows_place_first(rows, count) || !keel_mpi_rows_copies_begin(rows))) {
        keel_message("no memory for a distribution of %llu rows", (unsigned long long)count);
        code = KEEL_MPI_NO_ROOM;
    }
    /* KEEL_MPI_WEIGHTS as well: initial shares follow from them */
    const uint64_t settings[] = {keel_mpi_settings()->copies,
                                 keel_mpi_weights_digest(KEEL_DIGEST_START)};
    const uint64_t number[] = {count, how, keel_mpi_rows_digest(settings, 2)};
    code = keel_mpi_rows_agree_on(rows, code, number, sizeof number / sizeof number[0]);
    if (code != KEEL_MPI_OK) {
        keel_mpi_rows_release(rows);
        return code;
    }
    keel_mpi_rows_begin(rows);
    *distribution = rows;
    return KEEL_MPI_OK;
}

/* --- freeing --- */

void keel_mpi_rows_keep_measurements(const struct keel_mpi_rows *rows)
{
    keel_mpi_reported_end((struct keel_mpi_reported *)rows->observed, rows);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_free(struct keel_mpi_rows **distribution)
{
    struct keel_mpi_rows *rows = distribution != NULL ? *distribution : NULL;
    int code = keel_mpi_rows_is_missing(rows) ? KEEL_MPI_ARGUMENT : keel_mpi_call_check();

    if (code != KEEL_MPI_OK) {
        return code;
    }
    *distribution = NULL;
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return keel_mpi_peers_code(&rows->peers); /* pending operations use all of it */
    }
    keel_mpi_rows_keep_measurements(rows);
    keel_mpi_balance_call_free(rows);
    if (rows->sending) {
        return KEEL_MPI_OK; /* messages use the arrays */
    }
    keel_mpi_arrays_free(rows);
    if (!rows->late) { /* otherwise pending operations use the rest */
        keel_mpi_rows_release(rows);
    }
    return KEEL_MPI_OK;
}
