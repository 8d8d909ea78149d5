/* The rows of a rank in one piece of memory, and copies of these at other ranks. */
#include "mpi_backend/rows/copies/copies.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"

/* --- where things lie --- */

#define MOST (SIZE_MAX / 4) /* bytes of an array's rows: none have so many */

/* Bytes of the sizes of items. */
static size_t bytes_of_sizes(uint64_t count, uint64_t kinds)
{
    return keel_mpi_packed_bytes(count * kinds * sizeof(uint64_t));
}

/* Each section begins at a multiple of what items are aligned to. Bytes before the sizes of items;
 * 0: more than memory can hold. */
static size_t bytes_of_arrays(const struct keel_mpi_rows *rows, uint64_t count, uint64_t arrays)
{
    size_t total = sizeof(struct keel_mpi_snapshot), part;

    if (count > MOST / sizeof(double)) {
        return 0;
    }
    total += keel_mpi_packed_bytes(count * sizeof(double));
    const struct keel_mpi_array *array = rows->arrays;
    for (uint64_t i = 0; i < arrays && array != NULL; i++, array = array->next) {
        if (__builtin_mul_overflow(count, keel_mpi_array_row_bytes(array), &part) || part > MOST ||
            __builtin_add_overflow(total, keel_mpi_packed_bytes(part), &total)) {
            return 0;
        }
    }
    return total;
}

static const struct keel_mpi_snapshot *head_of(const void *data)
{
    return data;
}

static const uint64_t *sizes_of(const struct keel_mpi_rows *rows, const void *data)
{
    const struct keel_mpi_snapshot *head = head_of(data);

    return (const uint64_t *)(const void *)((const char *)data +
                                            bytes_of_arrays(rows, head->rows, head->arrays));
}

/* The items, behind their sizes. */
static const char *items_of(const struct keel_mpi_rows *rows, const void *data)
{
    const struct keel_mpi_snapshot *head = head_of(data);

    return (const char *)sizes_of(rows, data) + bytes_of_sizes(head->rows, head->kinds);
}

/* --- own rows --- */

/* Calls `visit` for all own rows, as ranges. False: it has returned false. */
static bool visit_own(const struct keel_mpi_rows *rows, void *context,
                      bool (*visit)(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                                    void *context))
{
    uint64_t first, last, from = 0;

    while (keel_mpi_placement_next(&rows->placement, rows->rank, from, &first, &last)) {
        if (!visit(rows, first, last, context)) {
            return false;
        }
        from = last;
    }
    return true;
}

/* Adds the bytes of items and their sizes. */
static bool add_items(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                      void *context)
{
    size_t *total = context, padded;

    for (uint64_t row = first; row < last; row++) {
        for (const struct keel_mpi_items_entry *items = rows->items; items != NULL;
             items = items->next) {
            uint64_t size = items->call.size(items->call.context, row);
            if (!keel_mpi_packed_total(&size, 1, &padded) ||
                __builtin_add_overflow(*total, padded, total)) {
                return false;
            }
        }
    }
    return true;
}

size_t keel_mpi_snapshot_bytes(const struct keel_mpi_rows *rows)
{
    uint64_t count = rows->placement.owned[rows->rank], kinds = keel_mpi_rows_count_kinds(rows);
    size_t total = bytes_of_arrays(rows, count, keel_mpi_rows_count_arrays(rows));

    if (total == 0 || (kinds > 0 && count > MOST / sizeof(uint64_t) / kinds) ||
        __builtin_add_overflow(total, bytes_of_sizes(count, kinds), &total)) {
        return 0;
    }
    return visit_own(rows, &total, add_items) ? total : 0;
}

/* --- making one --- */

struct making {
    char *at, *end; /* where the next bytes go */
    uint64_t *size; /* where the next size of an item goes */
    const struct keel_mpi_store *store;
};

static bool put_rows(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last, void *context)
{
    struct making *making = context;
    size_t row_bytes = making->store->row_bytes, bytes = (size_t)(last - first) * row_bytes;

    (void)rows;
    memcpy(making->at, making->store->base + first * row_bytes, bytes);
    making->at += bytes;
    return true;
}

/* Goes on behind a section of `bytes`, with zeroes where its padding is. */
static void pad(char **at, size_t bytes)
{
    size_t padded = keel_mpi_packed_bytes(bytes);

    memset(*at + bytes, 0, padded - bytes);
    *at += padded;
}

static void put_store(const struct keel_mpi_rows *rows, struct making *making,
                      const struct keel_mpi_store *store)
{
    char *section = making->at;

    making->store = store;
    visit_own(rows, making, put_rows);
    size_t bytes = (size_t)(making->at - section);
    making->at = section;
    pad(&making->at, bytes);
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

static bool put_items(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                      void *context)
{
    for (uint64_t row = first; row < last; row++) {
        for (const struct keel_mpi_items_entry *items = rows->items; items != NULL;
             items = items->next) {
            if (!put_item(&items->call, row, context)) {
                return false;
            }
        }
    }
    return true;
}

int keel_mpi_snapshot_make(const struct keel_mpi_rows *rows, void *data, size_t bytes)
{
    struct making making = {.at = data, .end = (char *)data + bytes};
    struct keel_mpi_snapshot head = {bytes, rows->placement.owned[rows->rank],
                                     keel_mpi_rows_count_arrays(rows),
                                     keel_mpi_rows_count_kinds(rows)};

    memcpy(making.at, &head, sizeof head);
    making.at += sizeof head;
    put_store(rows, &making, &rows->weights);
    for (const struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        put_store(rows, &making, &array->store);
    }
    making.size = (uint64_t *)(void *)making.at;
    pad(&making.at, head.rows * head.kinds * sizeof(uint64_t));
    return visit_own(rows, &making, put_items) ? KEEL_MPI_OK : KEEL_MPI_CALLBACK;
}

/* --- rows again --- */

bool keel_mpi_snapshot_is_right(const struct keel_mpi_rows *rows, const void *data, size_t bytes,
                                uint64_t count)
{
    const struct keel_mpi_snapshot *head = head_of(data);
    size_t before, sizes;

    if (bytes < sizeof *head || head->bytes != bytes || head->rows != count ||
        head->arrays > keel_mpi_rows_count_arrays(rows) ||
        head->kinds > keel_mpi_rows_count_kinds(rows) ||
        count > MOST / sizeof(uint64_t) / (head->kinds + 1)) {
        return false;
    }
    before = bytes_of_arrays(rows, count, head->arrays);
    sizes = bytes_of_sizes(count, head->kinds);
    if (before == 0 || before > bytes || sizes > bytes - before) {
        return false;
    }
    size_t left = bytes - before - sizes;
    const uint64_t *size = sizes_of(rows, data);
    for (uint64_t i = 0; i < count * head->kinds; i++) {
        if (size[i] > left || keel_mpi_packed_bytes(size[i]) > left) {
            return false;
        }
        left -= keel_mpi_packed_bytes(size[i]);
    }
    return left == 0;
}

/* A section of all rows goes to where they lie. */
static void give_section(const struct keel_mpi_store *store, const char *from,
                         const struct keel_mpi_placement *placement, uint32_t rank)
{
    uint64_t first, last, next = 0;

    while (keel_mpi_placement_next(placement, rank, next, &first, &last)) {
        size_t bytes = (size_t)(last - first) * store->row_bytes;
        memcpy(store->base + first * store->row_bytes, from, bytes);
        from += bytes;
        next = last;
    }
}

void keel_mpi_snapshot_give_arrays(const struct keel_mpi_rows *rows, const void *data,
                                   const struct keel_mpi_placement *placement, uint32_t rank)
{
    const struct keel_mpi_snapshot *head = head_of(data);
    const char *from = (const char *)data + sizeof *head;
    const struct keel_mpi_array *array = rows->arrays;

    give_section(&rows->weights, from, placement, rank);
    from += keel_mpi_packed_bytes(head->rows * sizeof(double));
    for (uint64_t i = 0; i < head->arrays && array != NULL; i++, array = array->next) {
        give_section(&array->store, from, placement, rank);
        from += keel_mpi_packed_bytes(head->rows * keel_mpi_array_row_bytes(array));
    }
}

static void drop_row(const struct keel_mpi_rows *rows, uint64_t kinds, uint64_t row)
{
    const struct keel_mpi_items_entry *items = rows->items;

    for (uint64_t i = 0; i < kinds && items != NULL; i++, items = items->next) {
        if (items->call.drop != NULL) {
            items->call.drop(items->call.context, row);
        }
    }
}

void keel_mpi_snapshot_drop_items(const struct keel_mpi_rows *rows, uint64_t kinds,
                                  const struct keel_mpi_placement *placement, uint32_t rank,
                                  uint64_t end)
{
    uint64_t row, last, next = 0;

    while (keel_mpi_placement_next(placement, rank, next, &row, &last) && row < end) {
        for (next = last; row < last && row < end; row++) {
            drop_row(rows, kinds, row);
        }
    }
}

/* Those of one row. */
static int give_row(const struct keel_mpi_rows *rows, uint64_t kinds, uint64_t row,
                    const uint64_t **size, const char **at)
{
    const struct keel_mpi_items_entry *items = rows->items;

    for (uint64_t i = 0; i < kinds && items != NULL; i++, items = items->next) {
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
    uint64_t kinds = head_of(data)->kinds, row, last, next = 0;
    const uint64_t *size = sizes_of(rows, data);
    const char *at = items_of(rows, data);

    while (keel_mpi_placement_next(placement, rank, next, &row, &last)) {
        for (next = last; row < last; row++) {
            if (give_row(rows, kinds, row, &size, &at) != KEEL_MPI_OK) {
                keel_mpi_snapshot_drop_items(rows, kinds, placement, rank, row);
                return KEEL_MPI_CALLBACK;
            }
        }
    }
    return KEEL_MPI_OK;
}

/* --- copies --- */

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
