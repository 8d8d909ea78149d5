/* The rows of a rank in one piece of memory, and copies of it on other ranks. */
#include "mpi_backend/rows/copies/copies.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"

/* --- layout --- */

/* Bytes of the section with the sizes of items. */
static size_t bytes_of_sizes(uint64_t count, uint64_t kinds)
{
    return keel_mpi_packed_bytes(count * kinds * sizeof(uint64_t));
}

/* Bytes before the sizes of items. Each section is aligned as items are. */
static size_t bytes_of_arrays(const struct keel_mpi_rows *rows, uint64_t count, uint64_t arrays)
{
    const struct keel_mpi_array *array = rows->arrays;
    size_t total = sizeof(struct keel_mpi_snapshot) + keel_mpi_packed_bytes(count * sizeof(double));

    for (uint64_t i = 0; i < arrays; i++, array = array->next) {
        total += keel_mpi_packed_bytes(count * keel_mpi_array_row_bytes(array));
    }
    return total;
}

/* Adds the bytes of the items of a row to *total. False: more than memory can hold. */
static bool add_row(const struct keel_mpi_rows *rows, uint64_t row, size_t *total)
{
    const struct keel_mpi_items_entry *items = rows->items;
    size_t padded;

    for (; items != NULL; items = items->next) {
        uint64_t size = items->call.size(items->call.context, row);
        if (!keel_mpi_packed_total(&size, 1, &padded) ||
            __builtin_add_overflow(*total, padded, total)) {
            return false;
        }
    }
    return true;
}

size_t keel_mpi_snapshot_bytes(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    uint64_t count = placement->owned[rows->rank];
    size_t total = bytes_of_arrays(rows, count, keel_mpi_rows_count_arrays(rows)) +
                   bytes_of_sizes(count, keel_mpi_rows_count_kinds(rows));

    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rows->rank, end, &row, &end);) {
        for (; row < end; row++) {
            if (!add_row(rows, row, &total)) {
                return 0;
            }
        }
    }
    return total;
}

/* --- making one --- */

struct making {
    char *at, *end; /* where the next bytes go */
    uint64_t *size; /* where the next size of an item goes */
};

/* Advances *at behind a section of `bytes`, and fills its padding with zeroes. */
static void pad(char **at, size_t bytes)
{
    size_t padded = keel_mpi_packed_bytes(bytes);

    memset(*at + bytes, 0, padded - bytes);
    *at += padded;
}

static void put_store(const struct keel_mpi_rows *rows, struct making *making,
                      const struct keel_mpi_store *store)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    char *to = making->at;

    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rows->rank, end, &row, &end);) {
        size_t bytes = (size_t)(end - row) * store->row_bytes;
        memcpy(to, store->base + row * store->row_bytes, bytes);
        to += bytes;
    }
    pad(&making->at, (size_t)(to - making->at));
}

static bool put_item(const struct keel_mpi_rows_items *items, uint64_t row, struct making *making)
{
    uint64_t size = items->size(items->context, row);
    size_t padded = keel_mpi_packed_bytes(size);

    if (padded > (size_t)(making->end - making->at)) {
        keel_message("a program's function gives sizes of row %llu that change; there is no copy "
                     "of rows",
                     (unsigned long long)row);
        return false;
    }
    *making->size++ = size;
    int failed = size > 0 ? items->pack(items->context, row, making->at) : 0;
    if (failed != 0) {
        keel_message("a program's function failed with %d to pack row %llu; there is no copy of "
                     "rows",
                     failed, (unsigned long long)row);
        return false;
    }
    pad(&making->at, size);
    return true;
}

static bool put_row(const struct keel_mpi_rows *rows, uint64_t row, struct making *making)
{
    const struct keel_mpi_items_entry *items = rows->items;

    while (items != NULL && put_item(&items->call, row, making)) {
        items = items->next;
    }
    return items == NULL;
}

int keel_mpi_snapshot_make(const struct keel_mpi_rows *rows, void *data, size_t bytes)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    struct making making = {.at = data, .end = (char *)data + bytes};
    struct keel_mpi_snapshot head = {keel_mpi_rows_count_arrays(rows),
                                     keel_mpi_rows_count_kinds(rows)};

    memcpy(making.at, &head, sizeof head);
    making.at += sizeof head;
    put_store(rows, &making, &rows->weights);
    for (const struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        put_store(rows, &making, &array->store);
    }
    making.size = (uint64_t *)(void *)making.at;
    pad(&making.at, placement->owned[rows->rank] * head.kinds * sizeof(uint64_t));
    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rows->rank, end, &row, &end);) {
        for (; row < end; row++) {
            if (!put_row(rows, row, &making)) {
                return KEEL_MPI_CALLBACK;
            }
        }
    }
    return KEEL_MPI_OK;
}

/* --- rows again --- */

/* Copies a section of all rows to their addresses. */
static void give_section(const struct keel_mpi_store *store, const char **from,
                         const struct keel_mpi_placement *placement, uint32_t rank)
{
    const char *at = *from;

    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rank, end, &row, &end);) {
        size_t bytes = (size_t)(end - row) * store->row_bytes;
        memcpy(store->base + row * store->row_bytes, at, bytes);
        at += bytes;
    }
    *from += keel_mpi_packed_bytes((size_t)(at - *from));
}

void keel_mpi_snapshot_give_arrays(const struct keel_mpi_rows *rows, const void *data,
                                   const struct keel_mpi_placement *placement, uint32_t rank)
{
    const struct keel_mpi_snapshot *head = data;
    const char *from = (const char *)data + sizeof *head;
    const struct keel_mpi_array *array = rows->arrays;

    give_section(&rows->weights, &from, placement, rank);
    for (uint64_t i = 0; i < head->arrays; i++, array = array->next) {
        give_section(&array->store, &from, placement, rank);
    }
}

static void drop_row(const struct keel_mpi_rows *rows, uint64_t kinds, uint64_t row)
{
    const struct keel_mpi_items_entry *items = rows->items;

    for (uint64_t i = 0; i < kinds; i++, items = items->next) {
        if (items->call.drop != NULL) {
            items->call.drop(items->call.context, row);
        }
    }
}

void keel_mpi_snapshot_drop_items(const struct keel_mpi_rows *rows, uint64_t kinds,
                                  const struct keel_mpi_placement *placement, uint32_t rank,
                                  uint64_t end)
{
    uint64_t row, last = 0;

    while (keel_mpi_placement_next(placement, rank, last, &row, &last)) {
        for (; row < last && row < end; row++) {
            drop_row(rows, kinds, row);
        }
    }
}

/* Unpacks the items of one row. */
static int give_row(const struct keel_mpi_rows *rows, uint64_t kinds, uint64_t row,
                    const uint64_t **size, const char **at)
{
    const struct keel_mpi_items_entry *items = rows->items;

    for (uint64_t i = 0; i < kinds; i++, items = items->next) {
        int failed = items->call.unpack(items->call.context, row, *at, (size_t) * *size);
        if (failed != 0) {
            keel_message("a program's function failed with %d to unpack row %llu; rows don't come "
                         "back",
                         failed, (unsigned long long)row);
            drop_row(rows, i, row);
            return KEEL_MPI_CALLBACK;
        }
        *at += keel_mpi_packed_bytes(*(*size)++);
    }
    return KEEL_MPI_OK;
}

int keel_mpi_snapshot_give_items(const struct keel_mpi_rows *rows, const void *data,
                                 const struct keel_mpi_placement *placement, uint32_t rank)
{
    const struct keel_mpi_snapshot *head = data;
    uint64_t count = placement->owned[rank];
    const char *sizes = (const char *)data + bytes_of_arrays(rows, count, head->arrays);
    const char *at = sizes + bytes_of_sizes(count, head->kinds);
    const uint64_t *size = (const uint64_t *)(const void *)sizes;

    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rank, end, &row, &end);) {
        for (; row < end; row++) {
            if (give_row(rows, head->kinds, row, &size, &at) != KEEL_MPI_OK) {
                keel_mpi_snapshot_drop_items(rows, head->kinds, placement, rank, row);
                return KEEL_MPI_CALLBACK;
            }
        }
    }
    return KEEL_MPI_OK;
}

/* --- copies --- */

#define WHERE "where copies of rows are taken"

/* --- beginning --- */

/* The next copy is due at a balance call whose number is a multiple of KEEL_MPI_COPIES. */
static uint64_t next_call(const struct keel_mpi_rows *rows)
{
    uint64_t every = keel_mpi_settings()->copies;

    return rows->calls - rows->calls % every + every;
}

void keel_mpi_rows_copies_due(struct keel_mpi_rows *rows)
{
    rows->copy_due = rows->copies != NULL ? next_call(rows) : UINT64_MAX;
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
    const uint64_t alike[] = {rows->copies->ring, rows->calls};

    return keel_mpi_rows_agree(rows, code, keel_mpi_rows_digest(alike, 2));
}

/* No rank takes copies any more. */
static void stop(struct keel_mpi_rows *rows, int code)
{
    rows->copy_due = UINT64_MAX;
    if (rows->rank == 0 && keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) {
        keel_message("copies of rows can't be taken any more (%s): the last ones are those of "
                     "balance call %llu",
                     keel_mpi_error_name(code), (unsigned long long)rows->copies->confirmed);
    }
}

int keel_mpi_rows_copies_take(struct keel_mpi_rows *rows)
{
    double began_s = keel_mpi_clock_s();

    if (rows->open_sweep != NULL) {
        rows->copy_due = rows->calls + 1; /* within a sweep, some rows are further than others */
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
                                                                          .step = rows->calls,
                                                                          .pack = pack,
                                                                          .await = await,
                                                                          .agree = agree});
    rows->report.waiting_s = waited_s; /* counts as time of copies */
    rows->copy_due = next_call(rows);
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
