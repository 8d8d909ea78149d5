/* Copies of rows. */
#include "mpi_backend/rows/copies/copies.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_clock.h"
#include "mpi_backend/process/errors.h"
#include "mpi_backend/process/mpi_settings.h"
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

/* Waits for the last one: own rows have gone, held ones have come. */
static int complete_last(struct keel_mpi_rows *rows)
{
    struct keel_mpi_copy *last = &rows->copies->copy[rows->copies->latest];
    int code = keel_mpi_rows_await_messages(rows, WHERE, 2, last->request);

    if (code == KEEL_MPI_OK) {
        code = keel_mpi_peers_code(&rows->peers);
    }
    last->complete = last->complete || (code == KEEL_MPI_OK && last->step > 0);
    return code;
}

static void start(struct keel_mpi_rows *rows, bool sends, enum keel_mpi_rows_tag kind, void *at,
                  size_t bytes, MPI_Request *request)
{
    keel_mpi_copies_start(rows->copies, &rows->peers, sends, kind, rows->hooks, at, bytes, request);
}

/* How much there will be to send, and to hold. */
static int exchange_sizes(struct keel_mpi_rows *rows)
{
    uint64_t *size = rows->copies->size;
    MPI_Request request[2];

    size[0] = keel_mpi_snapshot_bytes(rows);
    rows->copies->asking = true;
    start(rows, false, KEEL_MPI_TAG_COPY_SIZES, &size[1], sizeof size[1], &request[0]);
    start(rows, true, KEEL_MPI_TAG_COPY_SIZES, &size[0], sizeof size[0], &request[1]);
    int code = keel_mpi_rows_await_messages(rows, WHERE, 2, request);
    rows->copies->asking = code != KEEL_MPI_OK;
    return code == KEEL_MPI_OK ? keel_mpi_peers_code(&rows->peers) : code;
}

/* Memory for `size` bytes where `memory` has not room for them; else that, to be used again. */
static bool reserve(struct keel_mpi_copy_memory *fresh, const struct keel_mpi_copy_memory *memory,
                    uint64_t size)
{
    *fresh = *memory;
    if (size == 0) {
        return false; /* that rank's rows are more than memory can hold */
    }
    if (size > memory->room) {
        *fresh = (struct keel_mpi_copy_memory){.data = malloc(size), .room = size};
    }
    fresh->bytes = size;
    return fresh->data != NULL;
}

/* Memory that was reserved, which there is, or is not, to be used. */
static void settle(struct keel_mpi_copy_memory *memory, struct keel_mpi_copy_memory *fresh,
                   bool used)
{
    if (memory->data != fresh->data) {
        free(used ? memory->data : fresh->data);
    }
    if (used) {
        *memory = *fresh;
    }
}

/* What is in `copy` is needed no more: its memory gets the rows of now. */
static int begin_copy(struct keel_mpi_rows *rows, struct keel_mpi_copy *copy,
                      struct keel_mpi_placement *placement)
{
    keel_mpi_placement_free(&copy->placement);
    copy->placement = *placement;
    copy->step = rows->hooks;
    copy->complete = false;
    int code = keel_mpi_snapshot_make(rows, copy->own.data, copy->own.bytes);

    /* others wait for it, and hear at the next copy that it is none */
    start(rows, false, KEEL_MPI_TAG_COPIES, copy->held.data, copy->held.bytes, &copy->request[1]);
    start(rows, true, KEEL_MPI_TAG_COPIES, copy->own.data, copy->own.bytes, &copy->request[0]);
    rows->report.copies++;
    rows->report.copies_sent_bytes += copy->own.bytes;
    return code;
}

static void count_memory(struct keel_mpi_rows *rows)
{
    uint64_t bytes = 0;

    for (struct keel_mpi_copies *copies = rows->copies; copies != NULL; copies = copies->before) {
        for (int i = 0; i < 2; i++) {
            bytes += copies->copy[i].own.room + copies->copy[i].held.room;
        }
    }
    rows->report.copies_bytes = bytes;
}

static int take(struct keel_mpi_rows *rows)
{
    struct keel_mpi_copies *copies = rows->copies;
    struct keel_mpi_copy *next = &copies->copy[1 - copies->latest];
    struct keel_mpi_copy_memory own = next->own, held = next->held;
    struct keel_mpi_placement placement = {0};
    int failed = copies->failed, code = complete_last(rows);

    if (code == KEEL_MPI_OK) {
        code = exchange_sizes(rows);
    }
    if (code != KEEL_MPI_OK) {
        return code; /* on all ranks, sooner or later */
    }
    bool room = keel_mpi_placement_copy(&placement, &rows->placement);
    room = reserve(&own, &next->own, copies->size[0]) && room;
    room = reserve(&held, &next->held, copies->size[1]) && room;
    failed = failed == KEEL_MPI_OK && !room ? KEEL_MPI_NO_ROOM : failed;
    code = keel_mpi_rows_agree(rows, failed,
                               keel_mpi_rows_digest((uint64_t[]){copies->ring, rows->hooks}, 2));
    settle(&next->own, &own, code == KEEL_MPI_OK);
    settle(&next->held, &held, code == KEEL_MPI_OK);
    if (code != KEEL_MPI_OK) {
        keel_mpi_placement_free(&placement);
        return code;
    }
    keel_mpi_copies_confirm(copies, copies->copy[copies->latest].step);
    copies->failed = begin_copy(rows, next, &placement);
    copies->latest = 1 - copies->latest;
    count_memory(rows);
    return keel_mpi_peers_code(&rows->peers);
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
    int code = take(rows);
    rows->report.waiting_s = waited_s; /* it is part of what copies take */
    rows->copy_due = next_hook(rows);
    if (code != KEEL_MPI_OK) {
        stop(rows, code);
    }
    rows->report.copies_s += keel_mpi_clock_s() - began_s;
    return code;
}

void keel_mpi_rows_copies_look(struct keel_mpi_rows *rows)
{
    struct keel_mpi_copy *last = &rows->copies->copy[rows->copies->latest];
    int done = 0;

    if (last->step > 0 && !last->complete &&
        keel_mpi_check(&rows->peers, MPI_Test(&last->request[1], &done, MPI_STATUS_IGNORE),
                       "MPI_Test")) {
        last->complete = done != 0;
    }
}

/* --- ending --- */

void keel_mpi_rows_copies_end(struct keel_mpi_rows *rows)
{
    if (rows->copies == NULL) {
        return;
    }
    rows->copy_due = UINT64_MAX;
    if (!rows->late && keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) {
        (void)complete_last(rows);
    }
    keel_mpi_copies_free(rows->copies);
    rows->copies = NULL;
}
