/* Copies of rows. */
#include "mpi_backend/rows/copies/copies.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/copies/snapshot.h"
#include "omp_ext/support/message.h"

#define WHERE "where copies of rows are taken"

/* --- beginning --- */

/* The next one is due at a hook whose number is a multiple of KEEL_MPI_COPIES. */
static uint64_t next_hook(const struct keel_mpi_rows *rows)
{
    uint64_t every = keel_mpi_settings()->copies;

    return rows->hooks - rows->hooks % every + every;
}

void keel_mpi_rows_copies_due(struct keel_mpi_rows *rows)
{
    rows->copy_due = rows->copies != NULL ? next_hook(rows) : UINT64_MAX;
}

bool keel_mpi_rows_copies_begin(struct keel_mpi_rows *rows)
{
    bool room = keel_mpi_copies_open(&rows->copies, &rows->peers, 1, NULL);

    keel_mpi_rows_copies_due(rows);
    return room;
}

/* --- one copy --- */

static int pack(void *of, struct keel_mpi_copy *copy)
{
    struct keel_mpi_rows *rows = of;
    size_t bytes = keel_mpi_snapshot_bytes(rows); /* 0: more than memory can hold */
    char *data = bytes > 0 ? malloc(bytes) : NULL;
    bool room = keel_mpi_placement_copy(&copy->placement, &rows->placement) && data != NULL;
    int code = room ? keel_mpi_snapshot_make(rows, data, bytes) : KEEL_MPI_NO_ROOM;

    if (code != KEEL_MPI_OK) {
        free(data);
        return code;
    }
    copy->own = (struct keel_mpi_copy_memory){.data = data, .bytes = bytes};
    return KEEL_MPI_OK;
}

static int await(void *of, int count, MPI_Request *request)
{
    return keel_mpi_rows_await_messages(of, WHERE, count, request);
}

static int agree(void *of, int code)
{
    struct keel_mpi_rows *rows = of;
    const uint64_t alike[] = {rows->copies->ring, rows->hooks};

    return keel_mpi_rows_agree(rows, code, keel_mpi_rows_digest(alike, 2));
}

/* None are taken any more, on any rank. */
static void stop(struct keel_mpi_rows *rows, int code)
{
    rows->copy_due = UINT64_MAX;
    if (rows->rank == 0 && keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) {
        keel_message("copies of rows can't be taken any more (%s): the last ones are those of "
                     "hook %llu",
                     keel_mpi_error_name(code), (unsigned long long)rows->copies->confirmed);
    }
}

int keel_mpi_rows_copies_take(struct keel_mpi_rows *rows)
{
    double began_s = keel_mpi_clock_s();

    if (rows->open_sweep != NULL) {
        rows->copy_due = rows->hooks + 1; /* some rows have been swept further than others */
        return KEEL_MPI_OK;
    }
    if (rows->late || keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        stop(rows, keel_mpi_rows_late_code(rows));
        return keel_mpi_rows_late_code(rows);
    }
    double waited_s = rows->report.waiting_s;
    int code =
        keel_mpi_copies_take(rows->copies, &(struct keel_mpi_copy_taking){.of = rows,
                                                                          .peers = &rows->peers,
                                                                          .step = rows->hooks,
                                                                          .pack = pack,
                                                                          .await = await,
                                                                          .agree = agree});
    rows->report.waiting_s = waited_s; /* it is part of what copies take */
    rows->copy_due = next_hook(rows);
    if (code != KEEL_MPI_OK) {
        stop(rows, code);
    } else {
        const struct keel_mpi_copy *last = &rows->copies->copy[rows->copies->latest];
        rows->report.copies++;
        rows->report.copies_sent_bytes += last->own.bytes;
        rows->report.copies_bytes = last->own.bytes + last->held.bytes;
    }
    rows->report.copies_s += keel_mpi_clock_s() - began_s;
    return code;
}
