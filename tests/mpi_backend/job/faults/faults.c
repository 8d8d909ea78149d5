/* A rank that is killed, or stopped, in mid-job: `faults PLACE FAULT VICTIM`, under mpirun, on one
 * machine. Each other rank says how it ended:
 *
 *     rank R: well                  all was done, and was right
 *     rank R: CODE, a sentence      it got an error; when all have, the job ends by MPI_Abort()
 *
 * FAULT: kill; stop, for good; pause, 5 s. */
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/include/keel_mpi_objects.h"
#include "tests/support/check.h"
#include "tests/support/nap.h"
#include "tests/support/shared_memory.h"

enum { N = 120, STEPS = 6, PAUSE_S = 5 };

static int rank, ranks, victim;
static const char *fault;
static int waker; /* a pipe: a byte there, and this process goes on some seconds later */

/* In memory that all ranks see. */
static struct shared {
    atomic_int ended; /* ranks that got an error */
    atomic_int hit;   /* the victim is, or has been, there */
} * shared;

/* --- the fault --- */

/* Before MPI: a process of this one's own that wakes it. */
static void make_waker(void)
{
    int ends[2], self = (int)getpid();
    char byte;

    if (pipe(ends) != 0) {
        exit(3);
    }
    if (fork() == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1) {
            nap(PAUSE_S * 1000000);
            kill(self, SIGCONT);
        }
        _exit(0);
    }
    close(ends[0]);
    waker = ends[1];
}

/* Once, on the victim. */
static void strike(void)
{
    if (rank != victim || shared->hit) {
        return;
    }
    shared->hit = 1;
    if (strcmp(fault, "pause") == 0 && write(waker, "", 1) != 1) {
        exit(3);
    }
    kill(getpid(), strcmp(fault, "kill") == 0 ? SIGKILL : SIGSTOP);
}

/* --- places --- */

static int counts[N];

static void count(uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++) {
        counts[i]++;
        nap(500);
    }
}

static int run_loop(bool strikes)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    memset(counts, 0, sizeof counts);
    keel_mpi_loop_begin(MPI_COMM_WORLD, N, 0, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        count(first, last);
        if (strikes) {
            strike();
        }
    }
    if (strikes) { /* others may have executed all of it */
        strike();
    }
    return keel_mpi_loop_end(&loop);
}

static int gather_counts(void)
{
    int code = keel_mpi_allgather(counts, 1, MPI_INT, MPI_COMM_WORLD);

    for (int i = 0; code == KEEL_MPI_OK && i < N; i++) {
        CHECK(counts[i] == 1, "iteration %d was executed %d times", i, counts[i]);
    }
    return code;
}

static int try_loop(void)
{
    int code = run_loop(false);

    code = code == KEEL_MPI_OK ? gather_counts() : code;
    code = code == KEEL_MPI_OK ? run_loop(true) : code;
    return code == KEEL_MPI_OK ? gather_counts() : code;
}

static int try_gather(void)
{
    int code = run_loop(false);

    strike();
    return code == KEEL_MPI_OK ? gather_counts() : code;
}

/* --- rows --- */

static struct keel_mpi_rows *rows;
static uint64_t *row_of; /* of each row, its number */
static bool packs;       /* strike where rows are packed */

static size_t size(void *context, uint64_t row)
{
    (void)context, (void)row;
    return 1;
}

static int pack(void *context, uint64_t row, void *buffer)
{
    (void)context, (void)row;
    memset(buffer, 7, 1);
    if (packs) {
        strike();
    }
    return 0;
}

static int unpack(void *context, uint64_t row, const void *buffer, size_t bytes)
{
    (void)context, (void)row, (void)buffer, (void)bytes;
    return 0;
}

static void drop(void *context, uint64_t row)
{
    (void)context, (void)row;
}

static int create_rows(void)
{
    struct keel_mpi_rows_items items = {
        .struct_size = sizeof items, .size = size, .pack = pack, .unpack = unpack, .drop = drop};
    uint64_t first = 0, last = 0;
    int code = keel_mpi_rows_create(MPI_COMM_WORLD, N, KEEL_MPI_ADJACENT, &rows);

    code = code == KEEL_MPI_OK ? keel_mpi_rows_array(rows, sizeof *row_of, 8, 1, (void **)&row_of)
                               : code;
    code = code == KEEL_MPI_OK ? keel_mpi_rows_items(rows, &items) : code;
    code = code == KEEL_MPI_OK ? keel_mpi_rows_bounds(rows, &first, &last) : code;
    for (uint64_t i = 8 * first; i < 8 * last; i++) {
        row_of[i] = i / 8;
    }
    return code;
}

/* Halos, and own rows, are right. A rank without rows has no halos. */
static int step(void)
{
    uint64_t first, last;
    int code = keel_mpi_rows_exchange(rows, row_of);

    if (code != KEEL_MPI_OK || (code = keel_mpi_rows_bounds(rows, &first, &last)) != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_work_begin(rows);
    nap(100 * (last - first));
    keel_mpi_rows_work_end(rows);
    for (uint64_t i = first > 0 ? first - 1 : 0; first < last && i < last + (last < N); i++) {
        CHECK(row_of[8 * i] == i, "row %d has %d", (int)i, (int)row_of[8 * i]);
    }
    return KEEL_MPI_OK;
}

/* Where rows move, KEEL_MPI_LATE is no end: they stay, and the program goes on. */
static int try_rows(int (*move)(int step))
{
    int code = create_rows();

    for (int i = 0; i < STEPS && code == KEEL_MPI_OK; i++) {
        code = step();
        if (code == KEEL_MPI_OK) {
            code = move(i);
            code = code == KEEL_MPI_LATE ? KEEL_MPI_OK : code;
        }
    }
    return code == KEEL_MPI_OK ? step() : code;
}

static int balance(int i)
{
    if (i == 2) {
        strike();
    }
    return keel_mpi_rows_balance(rows, NULL);
}

static int move(int i)
{
    uint64_t shares[16];

    for (int k = 0; k < ranks; k++) {
        shares[k] = N / (uint64_t)ranks;
    }
    shares[i % 2] += 7;
    shares[1 - i % 2] -= 7;
    packs = i >= 2; /* the first two give in turns */
    return keel_mpi_rows_move(rows, shares);
}

static int try_balance(void)
{
    return try_rows(balance);
}

static int try_movement(void)
{
    return try_rows(move);
}

/* Elements of own rows: each is one more than that of the row before, and the first row's is the
 * sweep's number, from 1. */
static void sweep_block(int sweep, uint64_t from, uint64_t to)
{
    uint64_t first = 0, last = 0;

    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t i = first; i < last; i++) {
        for (uint64_t k = from; k < to; k++) {
            row_of[8 * i + k] = i == 0 ? (uint64_t)sweep + 1 : row_of[8 * (i - 1) + k] + 1;
        }
    }
}

static void check_sweep(int sweep)
{
    uint64_t first = 0, last = 0;

    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t k = 8 * first; k < 8 * last; k++) {
        CHECK(row_of[k] == k / 8 + (uint64_t)sweep + 1, "sweep %d: row %d has %d", sweep,
              (int)(k / 8), (int)row_of[k]);
    }
}

static int try_pipeline(void)
{
    struct keel_mpi_pipeline *pipeline;
    uint64_t from, to;
    int code = create_rows();

    code = code == KEEL_MPI_OK ? keel_mpi_pipeline_create(rows, row_of, 2, &pipeline) : code;
    for (int i = 0; i < STEPS && code == KEEL_MPI_OK; i++) {
        code = keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD);
        while (code == KEEL_MPI_OK && keel_mpi_pipeline_next(pipeline, &from, &to)) {
            if (i == 2 && from > 0) {
                strike();
            }
            sweep_block(i, from, to);
        }
        code = code == KEEL_MPI_OK ? keel_mpi_pipeline_end(pipeline) : code;
        if (code == KEEL_MPI_OK) {
            check_sweep(i);
        }
    }
    return code;
}

/* --- objects --- */

static size_t object_size(void *context, uint64_t index, const void *data)
{
    (void)context, (void)index, (void)data;
    return sizeof(int);
}

static int pack_object(void *context, uint64_t index, const void *data, void *buffer)
{
    (void)context, (void)index;
    memcpy(buffer, data, sizeof(int));
    return 0;
}

static int unpack_object(void *context, uint64_t index, const void *buffer, size_t bytes,
                         void **data)
{
    (void)context, (void)index;
    *data = malloc(bytes);
    return *data == NULL || memcpy(*data, buffer, bytes) == NULL;
}

static void drop_object(void *context, uint64_t index, void *data)
{
    (void)context, (void)index;
    free(data);
}

static void handle(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    (void)context, (void)index, (void)data, (void)message, (void)bytes;
}

static void compute(void *context, uint64_t index, void *data)
{
    (void)context, (void)index;
    nap(500);
    (*(int *)data)++;
    strike();
}

static void check_object(void *context, uint64_t index, const void *packed, size_t bytes)
{
    (void)context, (void)bytes;
    int times;
    memcpy(&times, packed, sizeof times);
    CHECK(times == 1, "object %d was computed %d times", (int)index, times);
}

static int try_objects(void)
{
    static keel_mpi_objects_handler *const handlers[] = {handle};
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .size = object_size,
                                                   .pack = pack_object,
                                                   .unpack = unpack_object,
                                                   .drop = drop_object,
                                                   .handler = handlers,
                                                   .handlers = 1};
    struct keel_mpi_objects *objects;
    int code = keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &objects);

    for (int i = rank; i < N && code == KEEL_MPI_OK; i += ranks) {
        code = keel_mpi_objects_insert(objects, (uint64_t)i, calloc(1, sizeof(int)));
    }
    code = code == KEEL_MPI_OK ? keel_mpi_objects_each(objects, compute) : code;
    return code == KEEL_MPI_OK ? keel_mpi_objects_gather(objects, 0, check_object) : code;
}

/* --- the job --- */

static const struct {
    const char *name;
    int (*run)(void);
} places[] = {
    {"loop", try_loop},         {"gather", try_gather},   {"balance", try_balance},
    {"movement", try_movement}, {"objects", try_objects}, {"pipeline", try_pipeline},
};

/* Not before all others have said how it was for them; the victim may be one of them. */
static void give_up(int code)
{
    printf("rank %d: %d, %s\n", rank, code, keel_mpi_error_text(code));
    fflush(stdout);
    shared->ended++;
    while (shared->ended < ranks - 1) {
        nap(1000);
    }
    nap(1000000); /* mpirun may not pass on what it has not read before MPI_Abort() */
    MPI_Abort(MPI_COMM_WORLD, code);
}

int main(int argc, char **argv)
{
    int level;

    if (argc != 4) {
        return 3;
    }
    fault = argv[2];
    victim = atoi(argv[3]);
    make_waker();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    shared = shared_memory_open(sizeof *shared);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int code = strcmp(places[i].name, argv[1]) == 0 ? places[i].run() : KEEL_MPI_OK;
        if (code != KEEL_MPI_OK) {
            give_up(code);
        }
    }
    CHECK(shared->hit, "nothing has happened");
    printf("rank %d: well\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return check_status();
}
