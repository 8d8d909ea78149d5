/* Copies of the rows or objects of a rank at another one. */
#include "mpi_backend/rows/copies/generations.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"

/* --- taking them --- */

/* Fills in, for each rank, the number of the first rank on its machine. */
static void find_machines(const struct keel_mpi_peers *peers, uint32_t *machine)
{
    for (uint32_t i = 0; i < peers->ranks; i++) {
        machine[i] = 0;
        while (keel_mpi_hosts_number(peers->hosts, machine[i]) !=
               keel_mpi_hosts_number(peers->hosts, i)) {
            machine[i]++;
        }
    }
}

static bool find_holders(struct keel_mpi_copies *copies, const struct keel_mpi_peers *peers)
{
    uint32_t *holder = calloc(peers->ranks, sizeof *holder);
    uint32_t *machine = calloc(peers->ranks, sizeof *machine);
    bool room = holder != NULL && machine != NULL;

    if (room) {
        find_machines(peers, machine);
        room = keel_mpi_copies_ring(peers->ranks, machine, holder);
    }
    for (uint32_t i = 0; room && i < peers->ranks; i++) {
        copies->ring = keel_mpi_rows_digest((uint64_t[]){copies->ring, holder[i]}, 2);
        copies->held_of = holder[i] == peers->rank ? i : copies->held_of;
    }
    copies->holder = room ? holder[peers->rank] : 0;
    free(machine);
    free(holder);
    return room;
}

bool keel_mpi_copies_open(struct keel_mpi_copies **opened, const struct keel_mpi_peers *peers,
                          uint64_t epoch, const uint64_t *id)
{
    *opened = NULL;
    if (keel_mpi_settings()->copies == 0 || peers->ranks < 2) {
        return true;
    }
    struct keel_mpi_copies *copies = calloc(1, sizeof *copies);
    if (copies == NULL || (copies->id = calloc(peers->ranks, sizeof *copies->id)) == NULL ||
        !find_holders(copies, peers)) {
        keel_mpi_copies_free(copies);
        return false;
    }
    copies->epoch = epoch;
    copies->ranks = peers->ranks;
    copies->rank = peers->rank;
    for (uint32_t i = 0; i < peers->ranks; i++) {
        copies->id[i] = id != NULL ? id[i] : i;
    }
    for (int i = 0; i < 2; i++) {
        copies->copy[i].request[0] = copies->copy[i].request[1] = MPI_REQUEST_NULL;
    }
    *opened = copies;
    return true;
}

/* Starts to send to the holder, or to receive from held_of. */
static void start(const struct keel_mpi_copies *copies, const struct keel_mpi_copy_taking *taking,
                  bool sends, enum keel_mpi_rows_tag kind, void *at, size_t bytes,
                  MPI_Request *request)
{
    keel_mpi_rows_message_start(
        taking->peers,
        &(struct keel_mpi_rows_message){.sends = sends,
                                        .at = at,
                                        .bytes = bytes,
                                        .rank = (int)(sends ? copies->holder : copies->held_of),
                                        .tag = keel_mpi_rows_tag(kind, taking->step),
                                        .comm = taking->peers->comm},
        request);
}

static int await(const struct keel_mpi_copy_taking *taking, MPI_Request request[2])
{
    int code = taking->await(taking->of, 2, request);

    return code == KEEL_MPI_OK ? keel_mpi_peers_code(taking->peers) : code;
}

/* Frees a copy, except memory that pending messages use. */
static void drop(struct keel_mpi_copy *copy)
{
    keel_mpi_placement_free(&copy->placement);
    if (copy->request[0] == MPI_REQUEST_NULL) {
        free(copy->own.data);
    }
    if (copy->request[1] == MPI_REQUEST_NULL) {
        free(copy->held.data);
    }
    *copy = (struct keel_mpi_copy){.request = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
}

/* Packs the data of this rank, and allocates memory for the copy of the other rank. */
static int prepare(struct keel_mpi_copies *copies, const struct keel_mpi_copy_taking *taking,
                   struct keel_mpi_copy *next)
{
    uint64_t *size = copies->size;
    MPI_Request request[2];
    int own = taking->pack(taking->of, next);

    size[0] = next->own.bytes;
    copies->asking = true;
    start(copies, taking, false, KEEL_MPI_TAG_COPY_SIZES, &size[1], sizeof size[1], &request[1]);
    start(copies, taking, true, KEEL_MPI_TAG_COPY_SIZES, &size[0], sizeof size[0], &request[0]);
    int code = await(taking, request);
    copies->asking = code != KEEL_MPI_OK;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    next->held.bytes = size[1];
    next->held.data = malloc(size[1]);
    bool room = next->held.data != NULL || size[1] == 0;
    return taking->agree(taking->of, own == KEEL_MPI_OK && !room ? KEEL_MPI_NO_ROOM : own);
}

int keel_mpi_copies_take(struct keel_mpi_copies *copies, const struct keel_mpi_copy_taking *taking)
{
    struct keel_mpi_copy *last = &copies->copy[copies->latest];
    struct keel_mpi_copy *next = &copies->copy[1 - copies->latest];
    int code = prepare(copies, taking, next);

    if (code != KEEL_MPI_OK) {
        drop(next);
        return code;
    }
    next->step = taking->step;
    copies->latest = 1 - copies->latest;
    start(copies, taking, false, KEEL_MPI_TAG_COPIES, next->held.data, next->held.bytes,
          &next->request[1]);
    start(copies, taking, true, KEEL_MPI_TAG_COPIES, next->own.data, next->own.bytes,
          &next->request[0]);
    code = await(taking, next->request);
    next->complete = code == KEEL_MPI_OK;
    code = code == KEEL_MPI_OK ? taking->agree(taking->of, code) : code;
    if (code == KEEL_MPI_OK) { /* tests/models/copies.pml: confirm */
        copies->confirmed = next->step;
        keel_mpi_copies_free(copies->before);
        copies->before = NULL;
        drop(last);
    }
    return code;
}

void keel_mpi_copies_free(struct keel_mpi_copies *copies)
{
    while (copies != NULL) {
        struct keel_mpi_copies *before = copies->before;
        drop(&copies->copy[0]);
        drop(&copies->copy[1]);
        free(copies->id);
        if (!copies->asking) {
            free(copies);
        }
        copies = before;
    }
}

/* --- going back: the copies of each --- */

/* Generations of this rank, in the order in which they are sent to the others. */
struct generations {
    struct keel_mpi_copies *set[KEEL_MPI_GENERATIONS];
    struct keel_mpi_copy *copy[KEEL_MPI_GENERATIONS];
    size_t count;
};

static struct generations list(struct keel_mpi_copies *copies)
{
    struct generations all = {.count = 0};

    for (; copies != NULL && all.count < KEEL_MPI_GENERATIONS; copies = copies->before) {
        for (int i = 0; i < 2; i++) {
            if (copies->copy[i].step > 0) {
                all.set[all.count] = copies;
                all.copy[all.count++] = &copies->copy[i];
            }
        }
    }
    return all;
}

static void describe(const struct keel_mpi_copies *copies, const struct generations *all,
                     uint32_t rank, struct keel_mpi_survivor *own)
{
    *own = (struct keel_mpi_survivor){.id = copies != NULL ? copies->id[copies->rank] : rank};
    for (; copies != NULL; copies = copies->before) {
        own->epoch = copies->epoch > own->epoch ? copies->epoch : own->epoch;
        own->confirmed = copies->confirmed > own->confirmed ? copies->confirmed : own->confirmed;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct keel_mpi_copy *copy = all->copy[i];
        own->generation[i] = (struct keel_mpi_generation){
            .epoch = all->set[i]->epoch,
            .step = copy->step,
            .held = copy->complete ? all->set[i]->id[all->set[i]->held_of] : KEEL_MPI_NO_ID,
        };
    }
}

/* --- going back: the choice --- */

bool keel_mpi_going_back_open(struct keel_mpi_going_back *back, uint32_t survivors)
{
    back->survivors = survivors;
    back->survivor = calloc(survivors, sizeof *back->survivor);
    back->id = calloc(survivors, sizeof *back->id);
    return back->survivor != NULL && back->id != NULL;
}

int keel_mpi_going_back_choose(struct keel_mpi_going_back *back, struct keel_mpi_peers *peers,
                               const char *where, struct keel_mpi_copies *copies, uint32_t rank)
{
    struct generations all = list(copies);
    struct keel_mpi_epoch epoch[KEEL_MPI_GENERATIONS] = {0};
    struct keel_mpi_gone gone;

    describe(copies, &all, rank, &back->own);
    if (!keel_mpi_peers_allgather(peers, where, &back->own, back->survivor, sizeof back->own)) {
        return keel_mpi_peers_code(peers);
    }
    for (uint32_t i = 0; i < back->survivors; i++) {
        uint64_t other = back->survivor[i].epoch;
        back->epoch = other > back->epoch ? other : back->epoch;
        back->id[i] = back->survivor[i].id;
    }
    back->epoch++;
    for (size_t i = 0; i < all.count; i++) {
        epoch[i] = (struct keel_mpi_epoch){all.set[i]->id, all.copy[i]->placement.owned,
                                           all.set[i]->ranks};
    }
    int chosen = keel_mpi_copies_choose(back->survivor, back->survivors, peers->rank, epoch, &gone);
    if (chosen >= 0) {
        back->source = all.set[chosen];
        back->copy = all.copy[chosen];
        return KEEL_MPI_OK;
    }
    back->gone = gone.generation >= 0 ? all.copy[gone.generation] : NULL;
    back->gone_rank = gone.rank;
    return keel_mpi_copies_were_whole(back->survivor, back->survivors) ? KEEL_MPI_RANKS_LOST
                                                                       : KEEL_MPI_OK;
}

int keel_mpi_going_back_begin(const struct keel_mpi_going_back *back,
                              struct keel_mpi_copies **copies, const struct keel_mpi_peers *peers)
{
    keel_mpi_copies_free(*copies); /* those of epoch 1, made with the new set */
    return keel_mpi_copies_open(copies, peers, back->epoch, back->id) ? KEEL_MPI_OK
                                                                      : KEEL_MPI_NO_ROOM;
}

void keel_mpi_going_back_end(const struct keel_mpi_going_back *back, struct keel_mpi_copies **old,
                             struct keel_mpi_copies *copies)
{
    struct keel_mpi_copies **link = old, *source = back->source;

    while (*link != NULL && *link != source) {
        link = &(*link)->before;
    }
    *link = NULL;
    keel_mpi_copies_free(*old);
    *old = NULL;
    if (source != NULL) {
        keel_mpi_copies_free(source->before);
        source->before = NULL;
    }
    if (copies != NULL) {
        copies->before = source;
    } else {
        keel_mpi_copies_free(source);
    }
}

void keel_mpi_going_back_free(struct keel_mpi_going_back *back, bool pending)
{
    if (!pending) {
        free(back->survivor);
    }
    free(back->id);
}
