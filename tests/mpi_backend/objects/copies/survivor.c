/* A object set that loses ranks, and ends with the right answer. Ranks kill themselves as
 * KEEL_TEST_DEATHS says (deaths.h). Points: `step:N`, after N phases; `compute:N`, in mid-phase
 * behind N of them; `copy:N`, where objects are packed after N phases or more; `unpack:N`, where
 * they are unpacked in a recovery; `again:N`, where they are packed after one. Prints what is
 * checked. KEEL_TEST_BALANCE: a policy that moves objects, which the program states. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/deaths.h"

enum { FIRST = 40, STEPS = 12, ALL = FIRST + STEPS };

/* What an object holds: `size` words in all, so that objects differ. */
struct thing {
    uint64_t value; /* of what was computed, in order */
    uint64_t sum;   /* of what messages brought, in any order */
    uint64_t size, rest[];
};

struct job {
    MPI_Comm comm;
    struct keel_mpi_objects *set;
    uint64_t steps;
    int world; /* this rank in MPI_COMM_WORLD */
    int recoveries;
    uint64_t here; /* objects that were unpacked or made, and not dropped */
    struct thing *model[ALL];
    uint64_t seen[ALL], wrong;
    uint64_t refused; /* calls for which there was no memory: the answer lacks what they were for */
};

static double began_s; /* MPI_Wtime() then */

static uint64_t words_of(uint64_t index)
{
    return index % 5;
}

static size_t bytes_of(uint64_t index)
{
    return sizeof(struct thing) + words_of(index) * sizeof(uint64_t);
}

static struct thing *new_thing(uint64_t index)
{
    struct thing *thing = calloc(1, bytes_of(index));

    thing->value = index;
    thing->size = words_of(index);
    return thing;
}

/* --- what objects do --- */

static uint64_t target_of(uint64_t index, uint64_t step)
{
    return (index * 7 + step) % (FIRST / 2);
}

static void work(struct thing *thing, uint64_t index, uint64_t step)
{
    thing->value = thing->value * 31 + step + index;
    for (uint64_t i = 0; i < thing->size; i++) {
        thing->rest[i] += thing->value >> i;
    }
}

/* In each phase one object makes another one, and one of those that get no messages goes. */
static bool makes_one(uint64_t index, uint64_t step)
{
    return index == step;
}

static bool goes(uint64_t index, uint64_t step)
{
    return index == FIRST / 2 + step;
}

static struct job job = {.comm = MPI_COMM_NULL};

static void note(int code)
{
    job.refused += code == KEEL_MPI_NO_ROOM;
}

static void compute(void *context, uint64_t index, void *data)
{
    struct thing *thing = data;
    (void)context;

    die_at(job.world, "compute", job.steps, true);
    work(thing, index, job.steps);
    note(keel_mpi_objects_send(job.set, target_of(index, job.steps), 0, &thing->value,
                               sizeof thing->value));
    if (makes_one(index, job.steps)) {
        note(keel_mpi_objects_insert(job.set, FIRST + job.steps, new_thing(FIRST + job.steps)));
        job.here++;
    }
    if (goes(index, job.steps)) {
        note(keel_mpi_objects_delete(job.set, index));
    }
}

static void add(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    (void)context;
    (void)index;
    (void)bytes;
    ((struct thing *)data)->sum += *(const uint64_t *)message;
}

/* The same, by one rank. */
static void solve(void)
{
    for (uint64_t i = 0; i < FIRST; i++) {
        job.model[i] = new_thing(i);
    }
    for (uint64_t step = 0; step < STEPS; step++) {
        for (uint64_t i = 0; i < FIRST + step; i++) {
            if (job.model[i] == NULL) {
                continue;
            }
            work(job.model[i], i, step);
            job.model[target_of(i, step)]->sum += job.model[i]->value;
            if (goes(i, step)) {
                free(job.model[i]);
                job.model[i] = NULL;
            }
        }
        job.model[FIRST + step] = new_thing(FIRST + step);
    }
}

/* --- objects that move --- */

static size_t size(void *context, uint64_t index, const void *data)
{
    (void)context;
    (void)data;
    return bytes_of(index);
}

static int pack(void *context, uint64_t index, const void *data, void *buffer)
{
    (void)context;
    die_at(job.world, "copy", job.steps, false);
    if (job.recoveries > 0) {
        die_at(job.world, "again", job.steps, false);
    }
    memcpy(buffer, data, bytes_of(index));
    return 0;
}

static int unpack(void *context, uint64_t index, const void *buffer, size_t bytes, void **data)
{
    (void)context;
    (void)index;
    if (job.recoveries > 0) {
        die_at(job.world, "unpack", job.steps, false);
    }
    *data = malloc(bytes);
    memcpy(*data, buffer, bytes);
    job.here++;
    return 0;
}

static void drop(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    free(data);
    job.here--;
}

static void fill(void)
{
    int rank, ranks;

    MPI_Comm_rank(job.comm, &rank);
    MPI_Comm_size(job.comm, &ranks);
    for (uint64_t i = (uint64_t)rank; i < FIRST; i += (uint64_t)ranks) {
        note(keel_mpi_objects_insert(job.set, i, new_thing(i)));
        job.here++;
    }
}

/* --- coming back --- */

static int come_back(void)
{
    uint64_t before = job.steps;
    int code, rank;

    do {
        job.recoveries++;
        code = keel_mpi_survivors(job.comm, &job.comm);
        if (code == KEEL_MPI_OK) {
            code = keel_mpi_objects_recover(&job.set, job.comm, &job.steps);
        }
    } while (code == KEEL_MPI_RANKS_LOST && job.recoveries < 4 && getenv("KEEL_TEST_AGAIN"));
    MPI_Comm_rank(job.comm, &rank);
    if (code == KEEL_MPI_OK && rank == 0) {
        printf("back at phase %llu of %llu\n", (unsigned long long)job.steps,
               (unsigned long long)before);
        fflush(stdout);
    }
    if (code == KEEL_MPI_OK && job.steps == 0) {
        fill();
    }
    return code;
}

/* --- checking --- */

static void look(void *context, uint64_t index, const void *packed, size_t bytes)
{
    (void)context;
    bool known = index < ALL && job.model[index] != NULL;
    job.wrong += !known || bytes != bytes_of(index) ||
                 memcmp(job.model[index], packed, bytes) != 0 || job.seen[index]++ > 0;
}

static void check(void)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};
    int rank, ranks;

    solve();
    MPI_Comm_rank(job.comm, &rank);
    MPI_Comm_size(job.comm, &ranks);
    int code = keel_mpi_objects_gather(job.set, 0, look);
    for (uint64_t i = 0; rank == 0 && i < ALL; i++) {
        job.wrong += (job.model[i] != NULL) != (job.seen[i] == 1);
    }
    keel_mpi_objects_report(job.set, &report);
    job.wrong += code != KEEL_MPI_OK || report.objects != job.here;
    /* the program's policy holds for the objects that came back, too */
    job.wrong += getenv("KEEL_TEST_BALANCE") != NULL && report.given + report.taken == 0;
    if (job.wrong > 0) {
        printf("rank %d: %llu wrong, code %d, %llu objects of %llu\n", rank,
               (unsigned long long)job.wrong, code, (unsigned long long)report.objects,
               (unsigned long long)job.here);
    }
    if (job.refused > 0) {
        printf("refused: %llu\n", (unsigned long long)job.refused);
    }
    if (rank == 0) {
        printf("%d ranks: done, %s\n", ranks,
               report.copies == 0 ? "no copies"
               : report.copies_bytes > 0 && report.copies_sent_bytes > 0 && report.copies_s > 0 &&
                       report.copies_s < MPI_Wtime() - began_s
                   ? "with copies"
                   : "copies that cost nothing, or more than all");
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static keel_mpi_objects_handler *const handlers[] = {add};
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .size = size,
                                                   .pack = pack,
                                                   .unpack = unpack,
                                                   .drop = drop,
                                                   .handler = handlers,
                                                   .handlers = 1};
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    began_s = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &job.world);
    job.comm = MPI_COMM_WORLD;
    int code = keel_mpi_objects_create(job.comm, &functions, &job.set);
    if (getenv("KEEL_TEST_BALANCE") != NULL) {
        keel_mpi_objects_set_balance(job.set, getenv("KEEL_TEST_BALANCE"));
    }
    fill();
    while (code == KEEL_MPI_OK && job.steps < STEPS) {
        die_at(job.world, "step", job.steps, true);
        code = keel_mpi_objects_each(job.set, compute);
        job.steps += code == KEEL_MPI_OK;
        if (code == KEEL_MPI_RANKS_LOST) {
            code = come_back();
        }
    }
    if (code == KEEL_MPI_OK) {
        check();
        keel_mpi_objects_destroy(&job.set);
        if (job.here > 0) {
            printf("rank %d: %llu objects are left\n", job.world, (unsigned long long)job.here);
        }
    } else {
        printf("code %d\n", code);
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
