/* Which rank owns which rows, the memory of one array of them, and which rows of others are in its
 * halo. */
#include "mpi_backend/rows/placement.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "schedules/arithmetic/arithmetic.h"

/* Makes room for `runs` runs. False: no memory, and *placement is empty. */
static bool reserve(struct keel_mpi_placement *placement, uint64_t rows, uint32_t ranks,
                    size_t runs)
{
    *placement = (struct keel_mpi_placement){.rows = rows, .ranks = ranks};
    placement->run = calloc(runs > 0 ? runs : 1, sizeof *placement->run);
    placement->owned = calloc(ranks > 0 ? ranks : 1, sizeof *placement->owned);
    if (placement->run == NULL || placement->owned == NULL) {
        keel_mpi_placement_free(placement);
        return false;
    }
    return true;
}

/* Appends rows [first, last), if any, to `run`. Returns the new count. */
static size_t append(struct keel_mpi_run *run, size_t count, uint64_t first, uint64_t last,
                     uint32_t owner)
{
    if (first < last && (count == 0 || run[count - 1].owner != owner)) {
        run[count++] = (struct keel_mpi_run){first, owner};
    }
    return count;
}

bool keel_mpi_placement_make(struct keel_mpi_placement *placement, uint32_t ranks,
                             const uint64_t *shares)
{
    uint64_t rows = 0;
    size_t runs = 0;

    for (uint32_t r = 0; r < ranks; r++) {
        rows += shares[r];
        runs += shares[r] > 0;
    }
    if (!reserve(placement, rows, ranks, runs)) {
        return false;
    }
    for (uint64_t first = 0, r = 0; r < ranks; first += shares[r++]) {
        placement->count =
            append(placement->run, placement->count, first, first + shares[r], (uint32_t)r);
        placement->owned[r] = shares[r];
    }
    return true;
}

bool keel_mpi_placement_copy(struct keel_mpi_placement *copy,
                             const struct keel_mpi_placement *placement)
{
    if (!reserve(copy, placement->rows, placement->ranks, placement->count)) {
        return false;
    }
    copy->count = placement->count;
    memcpy(copy->run, placement->run, placement->count * sizeof *copy->run);
    memcpy(copy->owned, placement->owned, placement->ranks * sizeof *copy->owned);
    return true;
}

void keel_mpi_placement_free(struct keel_mpi_placement *placement)
{
    free(placement->run);
    free(placement->owned);
    *placement = (struct keel_mpi_placement){0};
}

size_t keel_mpi_placement_find(const struct keel_mpi_placement *placement, uint64_t row)
{
    size_t low = 0, high = placement->count;

    /* run[low].first <= row < run[high].first, if that run exists */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (placement->run[middle].first <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool keel_mpi_placement_next(const struct keel_mpi_placement *placement, uint32_t rank,
                             uint64_t from, uint64_t *first, uint64_t *last)
{
    if (from >= placement->rows) {
        return false;
    }
    for (size_t i = keel_mpi_placement_find(placement, from); i < placement->count; i++) {
        if (placement->run[i].owner == rank) {
            *first = max_u64(from, placement->run[i].first);
            *last = keel_mpi_placement_end(placement, i);
            return true;
        }
    }
    return false;
}

bool keel_mpi_placement_at(const struct keel_mpi_placement *placement, uint32_t rank,
                           uint64_t place, uint64_t most, uint64_t *first, uint64_t *last)
{
    for (size_t i = 0; i < placement->count; i++) {
        uint64_t rows = keel_mpi_placement_end(placement, i) - placement->run[i].first;
        if (placement->run[i].owner != rank) {
            continue;
        }
        if (place < rows) {
            *first = placement->run[i].first + place;
            *last = *first + min_u64(most, rows - place);
            return true;
        }
        place -= rows;
    }
    return false;
}

static int by_row(const void *a, const void *b)
{
    uint64_t left = ((const struct keel_mpi_transfer *)a)->first;
    uint64_t right = ((const struct keel_mpi_transfer *)b)->first;

    return (left > right) - (left < right);
}

/* Fills in `run`, which has room, from transfers sorted by row. Returns the number of runs. */
static size_t assign(struct keel_mpi_placement *placement, const struct keel_mpi_transfer *transfer,
                     size_t transfers, struct keel_mpi_run *run)
{
    size_t count = 0, given = 0;

    for (size_t i = 0; i < placement->count; i++) {
        uint64_t from = placement->run[i].first, end = keel_mpi_placement_end(placement, i);
        uint32_t owner = placement->run[i].owner;
        while (given < transfers && transfer[given].first < end) {
            uint64_t first = max_u64(transfer[given].first, from);
            uint64_t last = min_u64(transfer[given].last, end);
            uint64_t rows = max_u64(first, last) - first;
            count = append(run, count, from, first, owner);
            count = append(run, count, first, last, transfer[given].to);
            placement->owned[owner] -= rows;
            placement->owned[transfer[given].to] += rows;
            from = first + rows;
            if (transfer[given].last > end) {
                break;
            }
            given++;
        }
        count = append(run, count, from, end, owner);
    }
    return count;
}

bool keel_mpi_placement_assign(struct keel_mpi_placement *placement,
                               const struct keel_mpi_transfer *transfer, size_t transfers)
{
    /* Each transfer ends a run and begins two, at most. */
    struct keel_mpi_run *run = malloc((placement->count + 2 * transfers + 1) * sizeof *run);
    struct keel_mpi_transfer *sorted = malloc((transfers + 1) * sizeof *sorted);

    if (run == NULL || sorted == NULL) {
        free(run);
        free(sorted);
        return false;
    }
    memcpy(sorted, transfer, transfers * sizeof *sorted);
    qsort(sorted, transfers, sizeof *sorted, by_row);
    size_t count = assign(placement, sorted, transfers, run);
    free(sorted);
    free(placement->run);
    struct keel_mpi_run *fitting = realloc(run, (count > 0 ? count : 1) * sizeof *run);
    placement->run = fitting != NULL ? fitting : run;
    placement->count = count;
    return true;
}

/* --- memory of rows --- */

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t page_down(size_t bytes)
{
    return bytes - bytes % page_bytes();
}

/* bytes <= SIZE_MAX - page_bytes() */
static size_t page_up(size_t bytes)
{
    return page_down(bytes + page_bytes() - 1);
}

/* Reserves addresses without memory, at `place`, or anywhere if it is NULL. Without MAP_NORESERVE,
 * so that the kernel counts a page when it gets memory, and returns an error if memory is short. */
static void *reserve_pages(void *place, size_t bytes)
{
    int fixed = place != NULL ? MAP_FIXED : 0;

    return mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
}

bool keel_mpi_store_open(struct keel_mpi_store *store, uint64_t rows, size_t row_bytes)
{
    size_t bytes;

    *store = (struct keel_mpi_store){.row_bytes = row_bytes};
    if (__builtin_mul_overflow(rows, row_bytes, &bytes) || bytes > SIZE_MAX - page_bytes()) {
        return false;
    }
    /* An array without rows has an address of its own, too. */
    bytes = page_up(bytes > 0 ? bytes : 1);
    void *base = reserve_pages(NULL, bytes);
    if (base == MAP_FAILED) {
        return false;
    }
    store->base = base;
    store->bytes = bytes;
    return true;
}

bool keel_mpi_store_commit(struct keel_mpi_store *store, uint64_t first, uint64_t last)
{
    if (first >= last) {
        return true;
    }
    size_t from = page_down(first * store->row_bytes), end = page_up(last * store->row_bytes);

    return mprotect(store->base + from, end - from, PROT_READ | PROT_WRITE) == 0;
}

/* Releases bytes [from, end), whole pages if any. Maps them anew, as mprotect(2) would not do: the
 * kernel goes on counting pages that were writable once. If the kernel has no memory for that, the
 * pages stay. */
static void give_back(struct keel_mpi_store *store, size_t from, size_t end)
{
    if (from < end) {
        (void)reserve_pages(store->base + from, end - from);
    }
}

void keel_mpi_store_trim(struct keel_mpi_store *store, const struct keel_mpi_range *range,
                         size_t count)
{
    size_t from = 0;

    for (size_t i = 0; i < count; i++) {
        if (range[i].first < range[i].last) {
            give_back(store, from, page_down(range[i].first * store->row_bytes));
            from = page_up(range[i].last * store->row_bytes);
        }
    }
    give_back(store, from, store->bytes);
}

void keel_mpi_store_close(struct keel_mpi_store *store)
{
    if (store->base != NULL) {
        munmap(store->base, store->bytes);
    }
    *store = (struct keel_mpi_store){0};
}

/* --- halos ---
 *
 * Which rows a rank receives from others, and sends to them.
 *
 * Row y is in the halo of rank a if a owns a row x with |x - y| <= halo. This relation is
 * symmetric: rank a receives rows from b exactly if b receives rows from a, and the rows that a
 * sends to b are those of a around the rows that it receives from b. */

#define FIRST_ROOM 4

/* --- pieces --- */

static bool reserve_one(struct keel_mpi_halo_pieces *pieces)
{
    if (pieces->count < pieces->room) {
        return true;
    }
    size_t room = pieces->room > 0 ? 2 * pieces->room : FIRST_ROOM;
    struct keel_mpi_halo_piece *grown =
        room > SIZE_MAX / sizeof *grown ? NULL : realloc(pieces->piece, room * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    pieces->piece = grown;
    pieces->room = room;
    return true;
}

static bool add(struct keel_mpi_halo_pieces *pieces, uint32_t rank, uint64_t first, uint64_t last,
                uint64_t most)
{
    for (uint64_t end; first < last; first = end) {
        end = first + min_u64(last - first, most);
        if (!reserve_one(pieces)) {
            return false;
        }
        pieces->piece[pieces->count++] = (struct keel_mpi_halo_piece){first, end, rank};
    }
    return true;
}

static int by_rank_and_row(const void *left, const void *right)
{
    const struct keel_mpi_halo_piece *a = left, *b = right;

    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                              : (a->first > b->first) - (a->first < b->first);
}

/* --- planning --- */

/* The plan that is to be made. */
struct order {
    const struct keel_mpi_placement *placement;
    uint32_t rank;
    uint64_t halo, most;
};

/* Adds [first, last) with the rows around it. */
static void note_around(const struct order *order, struct keel_mpi_range_list *ranges,
                        uint64_t first, uint64_t last)
{
    keel_mpi_range_list_note(ranges, first - min_u64(first, order->halo),
                             last + min_u64(order->placement->rows - last, order->halo));
}

static bool list_here(const struct order *order, struct keel_mpi_halo_plan *plan)
{
    const struct keel_mpi_placement *placement = order->placement;

    for (size_t i = 0; i < placement->count; i++) {
        if (placement->run[i].owner == order->rank) {
            uint64_t first = placement->run[i].first, last = keel_mpi_placement_end(placement, i);
            keel_mpi_range_list_note(&plan->own, first, last);
            note_around(order, &plan->here, first, last);
        }
    }
    keel_mpi_range_list_merge(&plan->here);
    return !plan->own.incomplete && !plan->here.incomplete;
}

/* Adds the rows of other ranks in these ranges. */
static bool list_receives(const struct order *order, const struct keel_mpi_range_list *ranges,
                          struct keel_mpi_halo_pieces *receives)
{
    const struct keel_mpi_placement *placement = order->placement;

    for (size_t r = 0; r < ranges->count; r++) {
        uint64_t first = ranges->range[r].first, last = ranges->range[r].last;
        for (size_t i = keel_mpi_placement_find(placement, first); first < last; i++) {
            uint64_t end = min_u64(keel_mpi_placement_end(placement, i), last);
            uint32_t owner = placement->run[i].owner;
            if (owner != order->rank && !add(receives, owner, first, end, order->most)) {
                return false;
            }
            first = end;
        }
    }
    if (receives->count > 0) {
        qsort(receives->piece, receives->count, sizeof *receives->piece, by_rank_and_row);
    }
    return true;
}

/* Adds the own rows in these ranges as pieces for `to`. */
static bool list_sends_to(const struct order *order, uint32_t to,
                          const struct keel_mpi_range_list *around, struct keel_mpi_halo_plan *plan)
{
    const struct keel_mpi_range_list *own = &plan->own;

    for (size_t r = 0; r < around->count; r++) {
        uint64_t first = around->range[r].first, last = around->range[r].last;
        for (size_t i = keel_mpi_range_list_before(own, first);
             i < own->count && own->range[i].first < last; i++) {
            if (!add(&plan->sends, to, max_u64(own->range[i].first, first),
                     min_u64(own->range[i].last, last), order->most)) {
                return false;
            }
        }
    }
    return true;
}

/* Adds, for each rank that sends rows to this one, the own rows around those. */
static bool list_sends(const struct order *order, struct keel_mpi_halo_plan *plan)
{
    const struct keel_mpi_halo_pieces *receives = &plan->receives;
    struct keel_mpi_range_list around = {0};
    bool room = true;

    for (size_t i = 0; room && i < receives->count;) {
        uint32_t rank = receives->piece[i].rank;
        keel_mpi_range_list_clear(&around);
        for (; i < receives->count && receives->piece[i].rank == rank; i++) {
            note_around(order, &around, receives->piece[i].first, receives->piece[i].last);
        }
        keel_mpi_range_list_merge(&around);
        room = !around.incomplete && list_sends_to(order, rank, &around, plan);
    }
    keel_mpi_range_list_free(&around);
    return room;
}

bool keel_mpi_halo_plan_make(struct keel_mpi_halo_plan *plan,
                             const struct keel_mpi_placement *placement, uint32_t rank,
                             uint64_t halo, uint64_t most)
{
    struct order order = {placement, rank, halo, most};

    *plan = (struct keel_mpi_halo_plan){0};
    if (!list_here(&order, plan) || !list_receives(&order, &plan->here, &plan->receives) ||
        !list_sends(&order, plan)) {
        keel_mpi_halo_plan_free(plan);
        return false;
    }
    return true;
}

void keel_mpi_halo_plan_free(struct keel_mpi_halo_plan *plan)
{
    keel_mpi_range_list_free(&plan->own);
    keel_mpi_range_list_free(&plan->here);
    free(plan->receives.piece);
    free(plan->sends.piece);
    *plan = (struct keel_mpi_halo_plan){0};
}
