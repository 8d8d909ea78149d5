/* Which rows a rank has to get from others, and to send them.
 *
 * Row y is in the halo of rank a if a has a row x with |x - y| <= halo. So a rank that has rows in
 * my halo is one that has mine in its own, and of its rows only those that I receive say which:
 * what I send to it is what lies around what it sends to me. */
#include "mpi_backend/rows/halo/halo_plan.h"

#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

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

/* What is asked for. */
struct order {
    const struct keel_mpi_placement *placement;
    uint32_t rank;
    uint64_t halo, most;
};

/* Notes [first, last) with the rows around it. */
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

/* Adds what others have in these ranges. */
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

/* For each rank that something is received from, the own rows around that. */
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
