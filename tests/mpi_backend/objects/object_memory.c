/* Memory of objects that move: its size, missing memory, and objects of many bytes. `memory
 * CHECK...`, under mpirun; prints errors. */
#define _GNU_SOURCE
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include "tests/mpi_backend/objects/set.h"

/* --- memory in use, and allocations of the library that fail --- */

/* The C library's own names, as its functions are replaced. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static struct {
    uintptr_t start, end;
} room_library; /* where its code is */

static long room_left; /* allocations of the library until one fails; 0: none does */
static bool room_all;  /* later ones fail, too */

static bool room_refuses(const void *caller)
{
    uintptr_t place = (uintptr_t)caller;

    if (room_left == 0 || place < room_library.start || place >= room_library.end ||
        --room_left > 0) {
        return false;
    }
    room_left = room_all;
    return true;
}

void *malloc(size_t size)
{
    return room_refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return room_refuses(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return room_refuses(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

static int room_find(struct dl_phdr_info *info, size_t size, void *unused)
{
    for (int i = 0; strstr(info->dlpi_name, "libkeel_mpi.so") != NULL && i < info->dlpi_phnum;
         i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            room_library.start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            room_library.end = room_library.start + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 0;
}

/* Makes allocation number `number` of the library from now on fail, from 1; all: and later ones. 0:
 * none. By one thread. */
static void room_ends_after(long number, bool all)
{
    dl_iterate_phdr(room_find, NULL);
    room_left = number;
    room_all = all;
}

/* Memory of the process that was allocated and not freed, bytes. */
static uint64_t room_used(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Limits the process to so many more bytes. RLIM_INFINITY: as before. */
static void room_limit(rlim_t bytes)
{
    struct rlimit limit;
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    getrlimit(RLIMIT_AS, &limit);
    if (file != NULL && fscanf(file, "%ld", &pages) == 1) {
        limit.rlim_cur =
            bytes == RLIM_INFINITY ? limit.rlim_max : (rlim_t)pages * (rlim_t)getpagesize() + bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* --- objects --- */

static uint64_t handled;

static void count(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    handled++;
}

static keel_mpi_objects_handler *const counting[] = {count};

static uint64_t highest(uint64_t number)
{
    uint64_t most;

    MPI_Allreduce(&number, &most, 1, MPI_UINT64_T, MPI_MAX, set_comm);
    return most;
}

/* --- memory besides the data --- */

static void nothing(void *context, uint64_t index, void *data) {}

#define MOST_BYTES 128 /* for each object */

static void check_bytes_of(uint64_t objects, uint64_t before)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};
    uint64_t used = sum_of(room_used() - before);

    keel_mpi_objects_report(set, &report);
    uint64_t kept = sum_of(report.bytes_kept);
    CHECK(used <= MOST_BYTES * objects && used > 72 * objects, "%.1f bytes for each of %lu objects",
          (double)used / (double)objects, objects);
    CHECK(kept <= MOST_BYTES * objects && kept > 80 * objects, "%.1f bytes reported",
          (double)kept / (double)objects);
}

static void check_bytes_with(uint64_t objects)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions};
    uint64_t own = (objects + (uint64_t)(ranks - 1 - rank)) / (uint64_t)ranks;
    unsigned char(*data)[100] = calloc(own, sizeof *data);

    RETURNS(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &set), KEEL_MPI_OK);
    uint64_t before = room_used();
    for (uint64_t i = 0; i < own; i++) {
        uint64_t index = i * (uint64_t)ranks + (uint64_t)rank;
        RETURNS(keel_mpi_objects_insert(set, index, data[i]), KEEL_MPI_OK);
    }
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    check_bytes_of(objects, before);
    RETURNS(keel_mpi_objects_each(set, nothing), KEEL_MPI_OK);
    check_bytes_of(objects, before);
    RETURNS(keel_mpi_objects_destroy(&set), KEEL_MPI_OK);
    free(data);
}

/* A million objects of 100 bytes, by day fewer, and numbers at which tables are largest per
 * object. */
RANK_CHECK(bytes)
{
    check_bytes_with(check_nightly() ? 1000000 : 300000);
    for (uint64_t objects = 100000; objects < 200000; objects += check_nightly() ? 20000 : 40000) {
        check_bytes_with(objects);
    }
}

/* --- in pieces --- */

/* An object moves to another rank and back. */
RANK_CHECK(pieces)
{
    set = set_open(counting, 1, NULL);
    RETURNS(keel_mpi_objects_set_balance(set, "shake"), KEEL_MPI_OK);
    if (rank == 0) {
        insert(0, (uint64_t)10 << 20);
        insert(1, (uint64_t)1 << 20);
        insert(2, ((uint64_t)1 << 20) - 60);
        insert(3, 4000);
    }
    for (int i = 0; i < 24; i++) {
        keel_mpi_objects_send(set, (uint64_t)i % 4, 0, NULL, 0);
        RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    }
    CHECK(sum_of(things) == 4, "%lu objects", things);
    CHECK(ranks == 1 || sum_of(set_report(set).bytes_given) > (uint64_t)10 << 20, "few bytes");
    set_close(&set);
}

/* --- many bytes --- */

/* Objects of which a few bytes are written, so that untouched pages take no memory. */
struct sparse {
    uint64_t size; /* when it is packed */
    uint64_t computed;
};

#define STAMPS 5

/* Where bytes are written: at the beginning, where an int ends, and at the end. */
static uint64_t stamp_at(uint64_t size, int which)
{
    const uint64_t place[STAMPS] = {sizeof(struct sparse), size / 2, INT32_MAX,
                                    (uint64_t)INT32_MAX + 8, size - 8};

    return (place[which] < size - 8 ? place[which] : size - 8) & ~UINT64_C(7);
}

static uint64_t unpacked; /* on this rank */

static size_t sparse_size(void *context, uint64_t index, const void *data)
{
    return ((const struct sparse *)data)->size;
}

static int sparse_pack(void *context, uint64_t index, const void *data, void *buffer)
{
    const struct sparse *sparse = data;

    memcpy(buffer, sparse, sizeof *sparse);
    for (int i = 0; i < STAMPS; i++) {
        uint64_t at = stamp_at(sparse->size, i), stamp = mixed(index, at);
        memcpy((char *)buffer + at, &stamp, sizeof stamp);
    }
    return 0;
}

static int sparse_unpack(void *context, uint64_t index, const void *buffer, size_t size,
                         void **data)
{
    struct sparse *sparse = malloc(sizeof *sparse);

    memcpy(sparse, buffer, sizeof *sparse);
    CHECK(sparse->size == size, "object %lu: %zu bytes", index, size);
    for (int i = 0; i < STAMPS; i++) {
        uint64_t at = stamp_at(size, i), stamp;
        memcpy(&stamp, (const char *)buffer + at, sizeof stamp);
        CHECK(stamp == mixed(index, at), "object %lu: byte %lu is wrong", index, at);
    }
    unpacked++;
    *data = sparse;
    return 0;
}

static void sparse_drop(void *context, uint64_t index, void *data)
{
    free(data);
}

static void open_sparse(uint64_t objects, uint64_t size)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .size = sparse_size,
                                                   .pack = sparse_pack,
                                                   .unpack = sparse_unpack,
                                                   .drop = sparse_drop};

    RETURNS(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &set), KEEL_MPI_OK);
    for (uint64_t i = 0; rank == 0 && i < objects; i++) {
        struct sparse *sparse = calloc(1, sizeof *sparse);
        sparse->size = size;
        RETURNS(keel_mpi_objects_insert(set, i, sparse), KEEL_MPI_OK);
        RETURNS(keel_mpi_objects_weigh(set, i, 1e6), KEEL_MPI_OK);
    }
}

static struct keel_mpi_objects_report report_of(void)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    keel_mpi_objects_report(set, &report);
    return report;
}

/* The first object that rank 0 computes waits for this. */
static bool (*arrived)(const struct keel_mpi_objects_report *report);
static uint64_t computed; /* on this rank */

#define PATIENCE 2000000 /* looks, 20 us each */

static void compute_sparse(void *context, uint64_t index, void *data)
{
    ((struct sparse *)data)->computed++;
    if (rank == 0 && computed++ == 0 && ranks > 1) {
        struct keel_mpi_objects_report report = report_of();
        for (int i = 0; i < PATIENCE && !arrived(&report); i++) {
            keel_mpi_poll();
            nap(20);
            report = report_of();
        }
    }
}

static uint64_t computed_packed;

static void take_sparse(void *context, uint64_t index, const void *packed, size_t size)
{
    struct sparse sparse;

    memcpy(&sparse, packed, sizeof sparse);
    CHECK(sparse.size == size && sparse.computed == 1, "object %lu: %zu bytes, %lu times", index,
          size, sparse.computed);
    computed_packed++;
}

static bool has_given(const struct keel_mpi_objects_report *report)
{
    return report->given > 0 && report->objects < 2;
}

/* Two objects of more than INT_MAX bytes. One moves to another rank. */
RANK_CHECK(huge)
{
    computed = computed_packed = 0;
    arrived = has_given;
    open_sparse(2, ((uint64_t)1 << 31) + 12345);
    RETURNS(keel_mpi_objects_each(set, compute_sparse), KEEL_MPI_OK);
    struct keel_mpi_objects_report report = report_of();
    CHECK(sum_of(report.taken) == 1 && sum_of(unpacked) == 1, "%lu objects were taken",
          report.taken);
    CHECK(sum_of(report.bytes_given) > (uint64_t)1 << 31, "%lu bytes", report.bytes_given);
    RETURNS(keel_mpi_objects_gather(set, 0, rank == 0 ? take_sparse : NULL), KEEL_MPI_OK);
    CHECK(computed_packed == (rank == 0 ? 2 : 0), "%lu gathered", computed_packed);
    RETURNS(keel_mpi_objects_destroy(&set), KEEL_MPI_OK);
    unpacked = 0;
}

/* --- no memory --- */

static uint64_t said, pack_messages, receive_messages; /* messages, and which */

static void count_refusal(const char *text, void *context)
{
    CHECK(strstr(text, "no memory") != NULL, "message: %s", text);
    said++;
    pack_messages += strstr(text, "no memory to pack object") != NULL;
    receive_messages += strstr(text, "which was to come from rank") != NULL;
}

static bool has_been_refused(const struct keel_mpi_objects_report *report)
{
    return report->refused > 0 && report->objects > 0;
}

static bool has_given_any(const struct keel_mpi_objects_report *report)
{
    return report->given > 0;
}

#define REFUSED 8

/* The system gives other ranks no memory: objects stay on rank 0. With memory, they move. */
RANK_CHECK(no_room)
{
    computed = 0;
    arrived = has_been_refused;
    open_sparse(REFUSED, (uint64_t)32 << 20);
    keel_mpi_set_message_handler(count_refusal, NULL);
    room_limit(rank > 0 ? (rlim_t)16 << 20 : RLIM_INFINITY);
    RETURNS(keel_mpi_objects_each(set, compute_sparse), KEEL_MPI_OK);
    room_limit(RLIM_INFINITY);
    keel_mpi_set_message_handler(NULL, NULL);
    struct keel_mpi_objects_report report = report_of();
    CHECK(report.objects == (rank == 0 ? REFUSED : 0) && report.computed == report.objects,
          "%lu objects, %lu computed", report.objects, report.computed);
    CHECK(sum_of(rank > 0 ? report.refused : 0) == sum_of(rank == 0 ? report.refused : 0),
          "ranks differ in refusals");
    CHECK(ranks == 1 || (sum_of(said) > 0 && sum_of(report.refused) > 0), "nothing was refused");
    CHECK(sum_of(report.given) == 0 && sum_of(report.taken) == 0, "%lu given", report.given);
    for (uint64_t i = 0; rank == 0 && i < REFUSED; i++) { /* it took no time to compute them */
        RETURNS(keel_mpi_objects_weigh(set, i, 1e15), KEEL_MPI_OK);
    }
    computed = 0;
    arrived = has_given_any;
    RETURNS(keel_mpi_objects_each(set, compute_sparse), KEEL_MPI_OK);
    CHECK(ranks == 1 || sum_of(report_of().taken) > 0, "nothing was taken");
    CHECK(sum_of(report_of().computed) == 2 * REFUSED, "computed");
    RETURNS(keel_mpi_objects_destroy(&set), KEEL_MPI_OK);
    said = unpacked = 0;
}

#define FEW 6

static void compute_a_while(void *context, uint64_t index, void *data)
{
    ((struct thing *)data)->computed++;
    computed++;
    for (int i = 0; i < 10; i++) {
        nap(200);
        keel_mpi_poll();
    }
}

static uint64_t stayed, went, gave_up[2]; /* gave_up: after one failure, after all failed */

/* One set, in which the number-th allocation of Keel fails on that rank; all: and later ones. */
static void fail_once(int victim, long number, bool all)
{
    computed = handled = 0;
    set = set_open(counting, 1, NULL);
    for (uint64_t i = 0; rank == 0 && i < FEW; i++) {
        insert(i, i % 2 == 0 ? 100 : 9000);
        keel_mpi_objects_send(set, i, 0, "one", 4);
    }
    room_ends_after(rank == victim ? number : 0, all);
    int code = keel_mpi_objects_each(set, compute_a_while);
    room_ends_after(0, false);
    CHECK(code == KEEL_MPI_OK || code == KEEL_MPI_NO_ROOM, "code %d", code);
    uint64_t worst = highest((uint64_t)code);
    if (worst == KEEL_MPI_OK) {
        CHECK(sum_of(computed) == FEW && sum_of(handled) == FEW && sum_of(things) == FEW,
              "allocation %ld: %lu computed, %lu handled, %lu there", number, computed, handled,
              things);
        stayed += report_of().refused;
        went += report_of().given;
        set_close(&set);
    } else {
        keel_mpi_objects_destroy(&set); /* nothing is collective any more, and nothing waits */
        things = 0;
        gave_up[all]++;
    }
}

#define ALLOCATIONS 30
#define GIVING 12

/* Whichever allocation fails, by day every other one: the object is computed once, or all ranks get
 * the error that ends sharing. */
RANK_CHECK(any_allocation)
{
    const long step = check_nightly() ? 1 : 2;

    keel_mpi_set_message_handler(count_refusal, NULL);
    for (long number = 1; number <= GIVING; number++) { /* of the giver */
        fail_once(0, number, false);
    }
    gave_up[0] = 0;
    for (int all = 0; all < 2; all++) {
        for (long number = 1 + all * (step - 1); number <= ALLOCATIONS; number += step) {
            fail_once(1, number, all != 0);
        }
    }
    keel_mpi_set_message_handler(NULL, NULL);
    CHECK(sum_of(pack_messages) > 0, "no message about an object that could not be packed");
    CHECK(sum_of(stayed) > 0, "no object had to stay");
    CHECK(sum_of(went) > 0, "no object moved");
    CHECK(sum_of(receive_messages) > 0, "no message about an object that could not be received");
    /* only the home rank has the locations of objects */
    CHECK(gave_up[0] <= 1, "given up as one allocation failed, %lu times", gave_up[0]);
    CHECK(gave_up[1] < (uint64_t)(ALLOCATIONS / step / 2),
          "given up as all allocations failed, %lu times", gave_up[1]);
}

/* --- no memory for another thread --- */

static pthread_t main_thread;

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    CHECK(main_thread == 0 || pthread_equal(main_thread, pthread_self()),
          "MPI is called by a thread that may not call it");
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

static long allocation; /* that fails, and those after it */

/* As a thread of a team, to an object of another rank. */
static void *send_without_memory(void *message)
{
    room_ends_after(allocation, true);
    int code = keel_mpi_objects_send(set, 1, 0, message, 9000);
    room_ends_after(0, false);
    CHECK(code == KEEL_MPI_OK || code == KEEL_MPI_NO_ROOM, "code %d", code);
    return NULL;
}

static void compute_by_a_thread(void *context, uint64_t index, void *data)
{
    static char message[9000];
    pthread_t thread;

    if (index == 0) {
        pthread_create(&thread, NULL, send_without_memory, message);
        pthread_join(thread, NULL);
    }
}

/* Other ranks learn from the thread that may call MPI that there was no memory. */
RANK_CHECK(other_thread)
{
    unsigned failed = 0;

    main_thread = pthread_self();
    keel_mpi_set_message_handler(count_refusal, NULL);
    for (allocation = 1; allocation <= 6; allocation++) {
        set = set_open(counting, 1, NULL);
        RETURNS(keel_mpi_objects_set_balance(set, "off"), KEEL_MPI_OK);
        if (rank < 2) {
            insert((uint64_t)rank, 10);
        }
        MPI_Barrier(set_comm); /* ranks that still create it would get the error there */
        int code = keel_mpi_objects_each(set, compute_by_a_thread);
        CHECK(code == KEEL_MPI_OK || code == KEEL_MPI_NO_ROOM, "code %d", code);
        CHECK(sum_of(code != KEEL_MPI_OK) % (uint64_t)ranks == 0, "ranks differ: code %d", code);
        failed += code != KEEL_MPI_OK;
        keel_mpi_objects_destroy(&set);
        things = 0;
    }
    keel_mpi_set_message_handler(NULL, NULL);
    CHECK(failed > 0 && failed < 6, "%u of 6 sets have failed", failed);
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
