/* Gathers the results of a loop.
 *
 * All memory is taken, and everything is checked, before data move: ranks agree on each step, so
 * that an error of one rank is one of all, and no rank waits for a message that does not come. */
#include "mpi_backend/results/range_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "schedules/arithmetic/arithmetic.h"

#define BLOCK_MAX (UINT64_C(1) << 30) /* elements in a block of a datatype, which counts in int */
#define TAG 0                         /* messages have another one (channel.c) */

struct gather {
    struct keel_mpi_peers *peers;
    int rank, ranks, root;
    bool takes; /* this rank gets the result */
    uint64_t iterations;
    const struct keel_mpi_range_list *own;
    char *buffer;
    size_t count; /* elements of an iteration; 0: nothing to move */
    MPI_Datatype type;
    MPI_Count size, extent; /* of `type`, bytes */

    /* Of one rank's datatype. */
    uint64_t room;
    int *length;
    MPI_Aint *displacement;

    MPI_Request *request; /* room for a message from each rank, and one to each */

    /* Where the result goes: ranges of all ranks, those of rank r at list + place[r]. */
    int *ranges_of, *place;
    struct keel_mpi_range *list, *sorted;
};

/* --- calls of MPI --- */

#define WHERE "where iterations are brought together"

/* Waits for what such a call has begun. */
static bool finish(const struct gather *gather, bool begun, MPI_Request *request)
{
    return begun && keel_mpi_peers_await(gather->peers, WHERE, 1, request) == KEEL_MPI_OK;
}

/* --- agreeing --- */

/* If there are several, the last of these is returned. */
enum problem {
    FINE,
    ROOTS_DIFFER,
    ELEMENTS_DIFFER,
    LOOPS_DIFFER,
    BAD_ROOT,
    BAD_TYPE,
    NO_BUFFER,
    IN_PLACE,
    TOO_LARGE,
    NO_ROOM,
    GAP,
    REPEATED,
    BROKEN, /* MPI, or ranks have not come in time: it has been said */
};

struct verdict {
    enum problem problem;
    uint64_t first, last; /* gap */
};

/* The worst of what the ranks have found. */
static void agree(const struct gather *gather, struct verdict *verdict)
{
    uint64_t all[3] = {(uint64_t)verdict->problem, verdict->first, verdict->last};

    if (keel_mpi_peers_maxima(gather->peers, WHERE, all, 3) == KEEL_MPI_OK) {
        *verdict = (struct verdict){(enum problem)all[0], all[1], all[2]};
    } else {
        verdict->problem = BROKEN;
    }
}

/* The same, with whatever all ranks have to have alike: equal where the largest is the smallest. */
static void agree_on_arguments(const struct gather *gather, struct verdict *verdict)
{
    uint64_t root = (uint32_t)gather->root, elements = gather->count * (uint64_t)gather->size;
    uint64_t all[] = {
        (uint64_t)verdict->problem, root, ~root, elements, ~elements, gather->iterations,
        ~gather->iterations};

    if (keel_mpi_peers_maxima(gather->peers, WHERE, all, sizeof all / sizeof all[0]) !=
        KEEL_MPI_OK) {
        verdict->problem = BROKEN;
        return;
    }
    verdict->problem = (enum problem)all[0];
    for (int i = 1; verdict->problem == FINE && i <= 5; i += 2) {
        verdict->problem = all[i] == ~all[i + 1] ? FINE : (enum problem)(ROOTS_DIFFER + i / 2);
    }
}

static const struct {
    int code;
    const char *reason;
} outcomes[] = {
    [FINE] = {KEEL_MPI_OK, NULL},
    [ROOTS_DIFFER] = {KEEL_MPI_ARGUMENT, "ranks name different roots"},
    [ELEMENTS_DIFFER] = {KEEL_MPI_ARGUMENT, "elements are not alike on all ranks"},
    [LOOPS_DIFFER] = {KEEL_MPI_MISMATCH, "the loop is not alike on all ranks"},
    [BAD_ROOT] = {KEEL_MPI_ARGUMENT, "the root of some rank is no rank"},
    [BAD_TYPE] = {KEEL_MPI_ARGUMENT, "the datatype of some rank is MPI_DATATYPE_NULL"},
    [NO_BUFFER] = {KEEL_MPI_ARGUMENT, "the buffer of some rank is NULL"},
    [IN_PLACE] = {KEEL_MPI_ARGUMENT,
                  "the buffer of some rank is MPI_IN_PLACE, expected its address"},
    [TOO_LARGE] = {KEEL_MPI_ARGUMENT, "elements of some rank are more than memory can hold"},
    [NO_ROOM] = {KEEL_MPI_NO_ROOM, "some rank has no memory for the list of ranges"},
    [GAP] = {KEEL_MPI_MISMATCH, "some iterations have been executed by no rank"},
    [REPEATED] = {KEEL_MPI_MISMATCH, "some iterations have been executed more than once"},
};

/* All arguments that may be wrong are in the message. */
static int report(const struct gather *gather, const struct verdict *verdict)
{
    char root[32] = "all ranks", gap[64] = "";

    if (gather->root != KEEL_MPI_GATHER_ALL) {
        snprintf(root, sizeof root, "rank %d of %d", gather->root, gather->ranks);
    }
    if (verdict->problem == GAP) {
        snprintf(gap, sizeof gap, ", %llu to %llu", (unsigned long long)verdict->first,
                 (unsigned long long)verdict->last - 1);
    }
    if (verdict->problem == BROKEN) {
        return keel_mpi_peers_code(gather->peers);
    }
    if (verdict->problem != FINE) {
        keel_mpi_misuse("%s%s; nothing is gathered (here %llu iterations of %zu elements of %lld "
                        "bytes, to %s)",
                        outcomes[verdict->problem].reason, gap,
                        (unsigned long long)gather->iterations, gather->count,
                        (long long)gather->size, root);
    }
    return outcomes[verdict->problem].code;
}

/* --- arguments and memory --- */

/* Whether the elements of all iterations have displacements, and numbers, at all. */
static bool has_addresses(const struct gather *gather)
{
    unsigned __int128 elements = (unsigned __int128)gather->iterations * gather->count;
    MPI_Count extent = gather->extent < 0 ? -gather->extent : gather->extent;

    return elements <= PTRDIFF_MAX / (unsigned __int128)(extent > 0 ? extent : 1);
}

static enum problem look_at_arguments(struct gather *gather)
{
    MPI_Count bound;

    if (gather->root != KEEL_MPI_GATHER_ALL &&
        (gather->root < 0 || gather->root >= gather->ranks)) {
        return BAD_ROOT;
    }
    if (gather->type == MPI_DATATYPE_NULL) {
        return BAD_TYPE;
    }
    if (!KEEL_MPI_CALL(gather->peers, MPI_Type_size_x, gather->type, &gather->size) ||
        !KEEL_MPI_CALL(gather->peers, MPI_Type_get_extent_x, gather->type, &bound,
                       &gather->extent)) {
        return BROKEN;
    }
    gather->count = gather->size > 0 ? gather->count : 0;
    if (gather->buffer == NULL && gather->count > 0 && gather->iterations > 0) {
        return NO_BUFFER;
    }
    if (gather->buffer == MPI_IN_PLACE) {
        return IN_PLACE;
    }
    return has_addresses(gather) ? FINE : TOO_LARGE;
}

/* Blocks that the range takes in a datatype. */
static uint64_t blocks_of(const struct gather *gather, const struct keel_mpi_range *range)
{
    return div_ceil((range->last - range->first) * gather->count, BLOCK_MAX);
}

/* Makes room for the blocks of a rank with these ranges. */
static bool reserve_blocks(struct gather *gather, const struct keel_mpi_range *range, size_t ranges)
{
    uint64_t blocks = 1;

    for (size_t i = 0; i < ranges; i++) {
        blocks += blocks_of(gather, &range[i]);
    }
    if (blocks <= gather->room) {
        return true;
    }
    free(gather->length);
    free(gather->displacement);
    gather->room = 0;
    gather->length = NULL;
    gather->displacement = NULL;
    if (blocks > INT_MAX) {
        return false;
    }
    gather->room = blocks;
    gather->length = malloc(blocks * sizeof *gather->length);
    gather->displacement = malloc(blocks * sizeof *gather->displacement);
    return gather->length != NULL && gather->displacement != NULL;
}

/* Preparations before ranks exchange the numbers of their ranges. */
static bool reserve_counts(struct gather *gather)
{
    gather->takes = gather->root == KEEL_MPI_GATHER_ALL || gather->root == gather->rank;
    gather->request = malloc(2 * (size_t)gather->ranks * sizeof *gather->request);
    if (gather->request == NULL) {
        return false;
    }
    if (gather->takes) {
        gather->ranges_of = malloc((size_t)gather->ranks * sizeof *gather->ranges_of);
        gather->place = malloc((size_t)gather->ranks * sizeof *gather->place);
        if (gather->ranges_of == NULL || gather->place == NULL) {
            return false;
        }
    }
    return !gather->own->incomplete && gather->own->count <= INT_MAX &&
           reserve_blocks(gather, gather->own->range, gather->own->count);
}

/* Preparations before they exchange the ranges. */
static bool reserve_list(struct gather *gather)
{
    uint64_t total = 0;

    for (int r = 0; r < gather->ranks; r++) {
        if (gather->ranges_of[r] < 0) { /* no rank sends that */
            return false;
        }
        gather->place[r] = (int)min_u64(total, INT_MAX);
        total += (uint64_t)gather->ranges_of[r];
    }
    if (total > INT_MAX) {
        return false;
    }
    gather->list = malloc((total + 1) * sizeof *gather->list);
    gather->sorted = malloc((total + 1) * sizeof *gather->sorted);
    return gather->list != NULL && gather->sorted != NULL;
}

static void release(struct gather *gather)
{
    free(gather->length);
    free(gather->displacement);
    free(gather->request);
    free(gather->ranges_of);
    free(gather->place);
    free(gather->list);
    free(gather->sorted);
}

/* Also where MPI has failed. */
static bool free_type(struct gather *gather, MPI_Datatype *type)
{
    return KEEL_MPI_CALL(gather->peers, MPI_Type_free, type);
}

/* --- ranges --- */

static bool exchange_counts(struct gather *gather)
{
    int *own = &gather->peers->count;
    MPI_Comm comm = gather->peers->comm;
    MPI_Request request;

    *own = (int)gather->own->count;
    if (gather->root == KEEL_MPI_GATHER_ALL) {
        return finish(gather,
                      KEEL_MPI_CALL(gather->peers, MPI_Iallgather, own, sizeof *own, MPI_BYTE,
                                    gather->ranges_of, sizeof *own, MPI_BYTE, comm, &request),
                      &request);
    }
    return finish(gather,
                  KEEL_MPI_CALL(gather->peers, MPI_Igather, own, 1, MPI_INT, gather->ranges_of, 1,
                                MPI_INT, gather->root, comm, &request),
                  &request);
}

static bool exchange_pairs(struct gather *gather, MPI_Datatype pair)
{
    const struct keel_mpi_range *own = gather->own->range;
    int ranges = (int)gather->own->count;
    MPI_Comm comm = gather->peers->comm;
    MPI_Request request;

    if (gather->root == KEEL_MPI_GATHER_ALL) {
        return finish(gather,
                      KEEL_MPI_CALL(gather->peers, MPI_Iallgatherv, own, ranges, pair, gather->list,
                                    gather->ranges_of, gather->place, pair, comm, &request),
                      &request);
    }
    return finish(gather,
                  KEEL_MPI_CALL(gather->peers, MPI_Igatherv, own, ranges, pair, gather->list,
                                gather->ranges_of, gather->place, pair, gather->root, comm,
                                &request),
                  &request);
}

static bool exchange_ranges(struct gather *gather)
{
    MPI_Datatype pair;

    if (!KEEL_MPI_CALL(gather->peers, MPI_Type_contiguous, 2, MPI_UINT64_T, &pair)) {
        return false;
    }
    bool exchanged =
        KEEL_MPI_CALL(gather->peers, MPI_Type_commit, &pair) && exchange_pairs(gather, pair);
    return free_type(gather, &pair) && exchanged;
}

/* Whether the ranges of all ranks together are [0, N), each iteration once: they cover it, and are
 * no more than it. */
static void look_at_cover(struct gather *gather, struct verdict *verdict)
{
    int last = gather->ranks - 1;
    struct keel_mpi_range_list all = {
        .range = gather->sorted, .count = (size_t)(gather->place[last] + gather->ranges_of[last])};
    unsigned __int128 executed = 0;

    memcpy(gather->sorted, gather->list, all.count * sizeof *gather->list);
    for (size_t i = 0; i < all.count; i++) {
        executed += gather->list[i].last - gather->list[i].first;
    }
    keel_mpi_range_list_merge(&all);
    if (keel_mpi_range_list_gap(&all, 0, gather->iterations, &verdict->first, &verdict->last)) {
        verdict->problem = GAP;
    } else if (executed != gather->iterations) {
        verdict->problem = REPEATED;
    }
}

/* The largest rank's datatype is the one that needs most. */
static bool reserve_all_blocks(struct gather *gather)
{
    bool room = true;

    for (int r = 0; r < gather->ranks && room; r++) {
        room =
            reserve_blocks(gather, gather->list + gather->place[r], (size_t)gather->ranges_of[r]);
    }
    return room;
}

/* Those of all ranks, where the result goes. */
static void list_ranges(struct gather *gather, struct verdict *verdict)
{
    if (!exchange_counts(gather)) {
        verdict->problem = BROKEN;
        return;
    }
    if (gather->takes && !reserve_list(gather)) {
        verdict->problem = NO_ROOM;
    }
    agree(gather, verdict);
    if (verdict->problem == FINE && !exchange_ranges(gather)) {
        verdict->problem = BROKEN;
    }
}

static void look_at_ranges(struct gather *gather, struct verdict *verdict)
{
    list_ranges(gather, verdict);
    if (verdict->problem != FINE) {
        return;
    }
    if (gather->takes) {
        look_at_cover(gather, verdict);
        if (verdict->problem == FINE && !reserve_all_blocks(gather)) {
            verdict->problem = NO_ROOM;
        }
    }
    agree(gather, verdict);
}

/* --- data --- */

/* Appends the blocks of a range; element e lies at e * extent from the buffer. */
static int add_blocks(struct gather *gather, const struct keel_mpi_range *range, int blocks)
{
    uint64_t element = range->first * gather->count, end = range->last * gather->count;

    for (; element < end; blocks++) {
        uint64_t length = min_u64(end - element, BLOCK_MAX);
        gather->length[blocks] = (int)length;
        gather->displacement[blocks] = (MPI_Aint)element * (MPI_Aint)gather->extent;
        element += length;
    }
    return blocks;
}

/* All elements of these ranges, in place; MPI_DATATYPE_NULL: MPI has failed. */
static MPI_Datatype datatype_of(struct gather *gather, const struct keel_mpi_range *range,
                                size_t ranges)
{
    MPI_Datatype type;
    int blocks = 0;

    for (size_t i = 0; i < ranges; i++) {
        blocks = add_blocks(gather, &range[i], blocks);
    }
    if (!KEEL_MPI_CALL(gather->peers, MPI_Type_create_hindexed, blocks, gather->length,
                       gather->displacement, gather->type, &type)) {
        return MPI_DATATYPE_NULL;
    }
    if (!KEEL_MPI_CALL(gather->peers, MPI_Type_commit, &type)) {
        free_type(gather, &type);
        return MPI_DATATYPE_NULL;
    }
    return type;
}

/* Starts to send what these ranges hold, or to receive it. */
static bool start(struct gather *gather, const struct keel_mpi_range *range, size_t ranges,
                  bool sends, int rank, MPI_Request *request)
{
    struct keel_mpi_peers *peers = gather->peers;
    MPI_Datatype type = datatype_of(gather, range, ranges);

    if (type == MPI_DATATYPE_NULL) {
        return false;
    }
    bool started = sends ? KEEL_MPI_CALL(peers, MPI_Isend, gather->buffer, 1, type, rank, TAG,
                                         peers->comm, request)
                         : KEEL_MPI_CALL(peers, MPI_Irecv, gather->buffer, 1, type, rank, TAG,
                                         peers->comm, request);
    return free_type(gather, &type) && started; /* it stays until the message is complete */
}

/* Receives first. All begin with the rank behind them, so that they do not all send to one. */
static bool move(struct gather *gather)
{
    const struct keel_mpi_range_list *own = gather->own;
    int count = 0;

    for (int i = 1; gather->count > 0 && gather->takes && i < gather->ranks; i++) {
        int from = (gather->rank + gather->ranks - i) % gather->ranks;
        if (gather->ranges_of[from] > 0 &&
            !start(gather, gather->list + gather->place[from], (size_t)gather->ranges_of[from],
                   false, from, &gather->request[count++])) {
            return false;
        }
    }
    for (int i = 1; gather->count > 0 && own->count > 0 && i < gather->ranks; i++) {
        int to = (gather->rank + i) % gather->ranks;
        if ((gather->root == KEEL_MPI_GATHER_ALL || gather->root == to) &&
            !start(gather, own->range, own->count, true, to, &gather->request[count++])) {
            return false;
        }
    }
    /* Each has a deadline of its own: all of them may take longer while data flow. */
    for (int i = 0; i < count; i++) {
        if (keel_mpi_peers_await(gather->peers, WHERE, 1, &gather->request[i]) != KEEL_MPI_OK) {
            return false;
        }
    }
    return true;
}

/* First what can be refused, then data move. */
static void gather_all(struct gather *gather, struct verdict *verdict)
{
    verdict->problem = look_at_arguments(gather);
    if (verdict->problem == FINE && !reserve_counts(gather)) {
        verdict->problem = NO_ROOM;
    }
    agree_on_arguments(gather, verdict);
    if (verdict->problem == FINE) {
        look_at_ranges(gather, verdict);
    }
    if (verdict->problem == FINE) {
        verdict->problem = move(gather) ? FINE : BROKEN;
    }
}

bool keel_mpi_gather_lists(struct keel_mpi_peers *peers, const struct keel_mpi_range_list *own,
                           struct keel_mpi_range_list *all)
{
    struct gather gather = {
        .peers = peers, .ranks = (int)peers->ranks, .root = KEEL_MPI_GATHER_ALL, .own = own};
    struct verdict verdict = {.problem = reserve_counts(&gather) ? FINE : NO_ROOM};

    agree(&gather, &verdict);
    if (verdict.problem == FINE) {
        list_ranges(&gather, &verdict);
    }
    if (verdict.problem == FINE) {
        int last = gather.ranks - 1;
        all->range = gather.list;
        all->count = all->room = (size_t)(gather.place[last] + gather.ranges_of[last]);
        gather.list = NULL;
    }
    if (verdict.problem != BROKEN) { /* otherwise pending operations use it */
        release(&gather);
    }
    return verdict.problem == FINE;
}

int keel_mpi_gather_ranges(struct keel_mpi_peers *peers, uint64_t iterations,
                           const struct keel_mpi_range_list *own, void *buffer, size_t count,
                           MPI_Datatype type, int root)
{
    struct gather gather = {.peers = peers,
                            .rank = (int)peers->rank,
                            .ranks = (int)peers->ranks,
                            .root = root,
                            .iterations = iterations,
                            .own = own,
                            .buffer = buffer,
                            .count = count,
                            .type = type};
    struct verdict verdict = {FINE};

    gather_all(&gather, &verdict);
    if (verdict.problem != BROKEN) { /* otherwise pending operations use it */
        release(&gather);
    }
    return report(&gather, &verdict);
}
