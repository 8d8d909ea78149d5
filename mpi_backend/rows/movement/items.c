/* Items of rows that move. */
#include "mpi_backend/rows/movement/movement_room.h"

#include <stdlib.h>

#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"

/* Calls `visit` for each row of the payload and each kind of items; stops at the first failure.
 * Returns how many were done. */
static size_t visit_items(const struct keel_mpi_round *round,
                          const struct keel_mpi_payload *payload, size_t most,
                          bool (*visit)(const struct keel_mpi_rows_items *items, uint64_t row,
                                        uint64_t *size, char *bytes))
{
    size_t done = 0;
    char *bytes = payload->bytes;

    for (uint64_t row = payload->transfer->first; row < payload->transfer->last; row++) {
        for (const struct keel_mpi_items_entry *items = round->rows->items; items != NULL;
             items = items->next) {
            if (done == most || !visit(&items->call, row, &payload->size[done], bytes)) {
                return done;
            }
            bytes = bytes != NULL ? bytes + keel_mpi_packed_bytes(payload->size[done]) : NULL;
            done++;
        }
    }
    return done;
}

static bool ask_size(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size,
                     char *bytes)
{
    (void)bytes;
    *size = items->size(items->context, row);
    return true;
}

/* So many rows tell their size at most: it is the program that works it out. */
enum { ROWS_ASKED = 256 };

double keel_mpi_items_row_bytes(const struct keel_mpi_rows *rows, uint64_t turn)
{
    uint64_t own = rows->placement.owned[rows->rank], step = 1 + own / ROWS_ASKED;
    uint64_t first, last, asked = 0;
    double bytes = 0;

    if (rows->items == NULL) {
        return 0;
    }
    for (uint64_t place = turn % step;
         keel_mpi_placement_at(&rows->placement, rows->rank, place, 1, &first, &last);
         place += step) {
        for (const struct keel_mpi_items_entry *items = rows->items; items != NULL;
             items = items->next) {
            bytes += (double)items->call.size(items->call.context, first);
        }
        asked++;
    }
    return asked > 0 ? bytes / (double)asked : 0;
}

static bool pack(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    int failed = *size > 0 ? items->pack(items->context, row, bytes) : 0;

    if (failed != 0) {
        keel_message("a program's function failed with %d to pack row %llu; rows stay where they "
                     "are",
                     failed, (unsigned long long)row);
    }
    return failed == 0;
}

static bool unpack(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size,
                   char *bytes)
{
    int failed = items->unpack(items->context, row, bytes, (size_t)*size);

    if (failed != 0) {
        keel_message("a program's function failed with %d to unpack row %llu; rows stay where "
                     "they are",
                     failed, (unsigned long long)row);
    }
    return failed == 0;
}

static bool drop(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    (void)size;
    (void)bytes;
    if (items->drop != NULL) {
        items->drop(items->context, row);
    }
    return true;
}

int keel_mpi_items_exchange_sizes(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct keel_mpi_payload *payload = &round->payload[i];
        if (payload->sends) {
            visit_items(round, payload, SIZE_MAX, ask_size);
        }
        keel_mpi_transfers_start(round, payload, payload->size,
                                 keel_mpi_transfer_rows(payload->transfer) * round->kinds *
                                     sizeof *payload->size,
                                 keel_mpi_rows_tag(KEEL_MPI_TAG_SIZES, payload->number));
    }
    return keel_mpi_transfers_wait(round);
}

static int pack_payload(struct keel_mpi_round *round, struct keel_mpi_payload *payload)
{
    size_t count = (size_t)keel_mpi_transfer_rows(payload->transfer) * round->kinds, total;

    if (!keel_mpi_packed_total(payload->size, count, &total)) {
        return KEEL_MPI_NO_ROOM;
    }
    payload->bytes = malloc(total > 0 ? total : 1);
    if (payload->bytes == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    payload->total = total;
    if (payload->sends && visit_items(round, payload, SIZE_MAX, pack) < count) {
        return KEEL_MPI_CALLBACK;
    }
    return KEEL_MPI_OK;
}

int keel_mpi_items_pack(struct keel_mpi_round *round)
{
    int code = KEEL_MPI_OK;

    for (size_t i = 0; code == KEEL_MPI_OK && i < round->payloads; i++) {
        code = pack_payload(round, &round->payload[i]);
    }
    if (code == KEEL_MPI_NO_ROOM) {
        keel_mpi_transfers_say_no_memory();
    }
    return code;
}

int keel_mpi_items_unpack(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct keel_mpi_payload *payload = &round->payload[i];
        if (payload->sends) {
            continue;
        }
        payload->unpacked = visit_items(round, payload, SIZE_MAX, unpack);
        if (payload->unpacked < (size_t)keel_mpi_transfer_rows(payload->transfer) * round->kinds) {
            return KEEL_MPI_CALLBACK;
        }
    }
    return KEEL_MPI_OK;
}

void keel_mpi_items_drop_unpacked(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        if (round->payload[i].unpacked > 0) {
            visit_items(round, &round->payload[i], round->payload[i].unpacked, drop);
        }
    }
}

void keel_mpi_items_drop_sent(struct keel_mpi_round *round)
{
    for (size_t i = 0; round->kinds > 0 && i < round->payloads; i++) {
        if (round->payload[i].sends) {
            visit_items(round, &round->payload[i], SIZE_MAX, drop);
        }
    }
}
