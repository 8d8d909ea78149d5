/* An object set for tests: the contents of each object, and checking them. */
#ifndef TESTS_MPI_BACKEND_OBJECTS_OBJECT_SET_H
#define TESTS_MPI_BACKEND_OBJECTS_OBJECT_SET_H

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"

#define RANKS_MAX 16

/* --- objects --- */

struct thing {
    uint64_t index;
    uint64_t sum;             /* of the contents of messages, in any order */
    uint64_t computed;        /* how often */
    uint32_t seen[RANKS_MAX]; /* messages of each rank */
    uint64_t size;
    unsigned char bytes[];
};

#define LEAVING_MAX 100

static struct keel_mpi_objects *set;       /* one at a time */
static MPI_Comm set_comm = MPI_COMM_WORLD; /* its rank and size are `rank` and `ranks` */
static uint64_t things;                    /* on this rank; any thread */
static bool leaving[LEAVING_MAX];          /* objects that were packed, and not dropped since */
static uint64_t fail_pack, fail_unpack;    /* every n-th call fails; 0: none */
static uint64_t packs, unpacks;
static bool size_is_wrong; /* size() returns more bytes than there can be */

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    struct draws draws = {a * 0x9e3779b97f4a7c15u ^ b};

    return draws_next(&draws);
}

static inline struct thing *thing_new(uint64_t index, uint64_t size)
{
    struct thing *thing = calloc(1, sizeof *thing + size);

    thing->index = index;
    thing->size = size;
    for (uint64_t i = 0; i < size; i++) {
        thing->bytes[i] = (unsigned char)mixed(index, i / 8);
    }
    __atomic_add_fetch(&things, 1, __ATOMIC_RELAXED);
    return thing;
}

/* Checks its bytes, some of them if there are many. */
static inline void thing_check(const struct thing *thing, uint64_t index)
{
    CHECK(thing->index == index, "object %lu has the data of %lu", index, thing->index);
    for (uint64_t i = 0; i < thing->size; i += 1 + thing->size / 1000) {
        CHECK(thing->bytes[i] == (unsigned char)mixed(index, i / 8), "object %lu, byte %lu", index,
              i);
    }
}

static inline size_t thing_size(void *context, uint64_t index, const void *data)
{
    return size_is_wrong ? SIZE_MAX : sizeof(struct thing) + ((const struct thing *)data)->size;
}

static inline int thing_pack(void *context, uint64_t index, const void *data, void *buffer)
{
    thing_check(data, index);
    memcpy(buffer, data, thing_size(context, index, data));
    if (fail_pack > 0 && ++packs % fail_pack == 0) {
        return 1;
    }
    if (index < LEAVING_MAX) {
        leaving[index] = true;
    }
    return 0;
}

static inline int thing_unpack(void *context, uint64_t index, const void *buffer, size_t size,
                               void **data)
{
    if (fail_unpack > 0 && ++unpacks % fail_unpack == 0) {
        return 7;
    }
    *data = malloc(size);
    memcpy(*data, buffer, size);
    thing_check(*data, index);
    CHECK(sizeof(struct thing) + ((struct thing *)*data)->size == size, "object %lu: %zu bytes",
          index, size);
    __atomic_add_fetch(&things, 1, __ATOMIC_RELAXED);
    return 0;
}

static inline void thing_drop(void *context, uint64_t index, void *data)
{
    thing_check(data, index);
    __atomic_sub_fetch(&things, 1, __ATOMIC_RELAXED);
    if (index < LEAVING_MAX) {
        leaving[index] = false;
    }
    free(data);
}

static inline struct keel_mpi_objects *
set_open(keel_mpi_objects_handler *const *handler, unsigned handlers,
         void (*undelivered)(void *context, uint64_t index, unsigned handler, const void *message,
                             size_t bytes))
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .size = thing_size,
                                                   .pack = thing_pack,
                                                   .unpack = thing_unpack,
                                                   .drop = thing_drop,
                                                   .handler = handler,
                                                   .handlers = handlers,
                                                   .undelivered = undelivered};
    struct keel_mpi_objects *set = NULL;
    int code = keel_mpi_objects_create(set_comm, &functions, &set);

    CHECK(code == KEEL_MPI_OK && set != NULL, "create: code %d", code);
    return set;
}

static inline void insert(uint64_t index, uint64_t size)
{
    RETURNS(keel_mpi_objects_insert(set, index, thing_new(index, size)), KEEL_MPI_OK);
}

static inline void set_close(struct keel_mpi_objects **set)
{
    int code = keel_mpi_objects_destroy(set);

    CHECK(code == KEEL_MPI_OK && *set == NULL, "destroy: code %d", code);
    CHECK(things == 0, "%lu objects were not dropped", things);
}

static inline struct keel_mpi_objects_report set_report(const struct keel_mpi_objects *set)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    RETURNS(keel_mpi_objects_report(set, &report), KEEL_MPI_OK);
    CHECK(report.objects == things, "%lu objects, not %lu", report.objects, things);
    return report;
}

static inline uint64_t sum_of(uint64_t number)
{
    uint64_t sum;

    MPI_Allreduce(&number, &sum, 1, MPI_UINT64_T, MPI_SUM, set_comm);
    return sum;
}

#endif
