/* A job that is drawn: `soak plan SEED JOB FAULT` prints how it is to be run, as words for env;
 * `soak run SEED JOB FAULT` is one rank of it, under mpirun, on one machine.
 *
 * Every iteration, row and object has a counter of its own in memory that all ranks see: what has
 * returned KEEL_MPI_OK without executing each of them once is wrong. FAULT: none; pause, 1 s; stop,
 * for good; kill. It comes before the last loop at the latest. Each rank but the victim says
 *
 *     rank R: CODE after LOOPS loops, fault: 0 or 1, whether it has happened */
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/include/keel_mpi_objects.h"
#include "tests/support/draws.h"
#include "tests/support/nap.h"
#include "tests/support/schedules.h"
#include "tests/support/shared_memory.h"

enum { LOOPS = 40, MOST = 400, RANKS_MAX = 6, PAUSE_US = 1000000 };

static const char *const rank_schedules[] = {"rate", "tree",   "steal", "diffuse", "gss",
                                             "ss",   "static", "fac2",  "af"};
static const char *const balances[] = {"auto", "shake", "off"};

static struct shared {
    atomic_int hit;   /* the fault has happened */
    atomic_int ended; /* ranks that are through, or got an error */
    atomic_uchar times[LOOPS][MOST];
} * shared;

static struct draws draws; /* the same on all ranks */
static int rank, ranks, victim, fault_loop, waker = -1;
static uint64_t fault_iteration; /* of the victim's, in that loop */
static const char *fault;
static int loop; /* number */
static uint64_t iterations[LOOPS];
static atomic_uint executed; /* iterations of the loop, on this rank */

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
            nap(PAUSE_US);
            kill(self, SIGCONT);
        }
        _exit(0);
    }
    close(ends[0]);
    waker = ends[1];
}

/* Once, on the victim: at the iteration that was drawn, or a later one. */
static void strike(void)
{
    if (rank != victim || loop < fault_loop || atomic_exchange(&shared->hit, 1) != 0) {
        return;
    }
    if (strcmp(fault, "pause") == 0 && write(waker, "", 1) != 1) {
        exit(3);
    }
    kill(getpid(), strcmp(fault, "kill") == 0 ? SIGKILL : SIGSTOP);
}

/* --- loops --- */

static void execute(uint64_t iteration)
{
    CHECK(iteration < iterations[loop], "loop %d: iteration %llu", loop,
          (unsigned long long)iteration);
    if (iteration < iterations[loop]) {
        atomic_fetch_add(&shared->times[loop][iteration], 1);
    }
    if (iteration % 16 == 0) {
        nap(50);
    }
    if (atomic_fetch_add(&executed, 1) >= fault_iteration) {
        strike();
    }
}

static int run_openmp(bool waits)
{
    int code = waits ? keel_mpi_share(MPI_COMM_WORLD) : keel_mpi_share_nowait(MPI_COMM_WORLD);

    if (code != KEEL_MPI_OK) {
        return code;
    }
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < (long)iterations[loop]; i++) {
        execute((uint64_t)i);
    }
    return keel_mpi_wait(MPI_COMM_WORLD);
}

static int run_explicit(bool waits)
{
    struct keel_mpi_loop *handle;
    uint64_t first, last;
    int code =
        keel_mpi_loop_begin(MPI_COMM_WORLD, iterations[loop], waits ? 0 : KEEL_MPI_NOWAIT, &handle);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    while (keel_mpi_loop_next(handle, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            execute(i);
        }
    }
    code = keel_mpi_loop_end(&handle);
    return code == KEEL_MPI_OK ? keel_mpi_wait(MPI_COMM_WORLD) : code;
}

/* All ranks see the whole loop when it has returned KEEL_MPI_OK on one of them. */
static void check_loop(void)
{
    for (uint64_t i = 0; i < iterations[loop]; i++) {
        CHECK(shared->times[loop][i] == 1, "loop %d of %llu: iteration %llu was executed %d times",
              loop, (unsigned long long)iterations[loop], (unsigned long long)i,
              shared->times[loop][i]);
    }
}

/* What each iteration has come to is the number of the rank that executed it, from 1. */
static int bring_together(uint64_t kind)
{
    static int result[MOST];
    const struct keel_mpi_range *range;
    size_t count;
    long mine = 0;
    int code = keel_mpi_loop_ranges(MPI_COMM_WORLD, &range, &count);
    if (ranks == 1 && code == KEEL_MPI_NO_LOOP) {
        return KEEL_MPI_OK; /* a loop of a rank that is alone is its own */
    }
    int root = kind == 1 ? (int)(iterations[loop] % (uint64_t)ranks) : -1;

    memset(result, 0, sizeof result);
    for (size_t k = 0; code == KEEL_MPI_OK && k < count; k++) {
        for (uint64_t i = range[k].first; i < range[k].last; i++) {
            result[i] = (int)i + 1;
            mine++;
        }
    }
    if (code != KEEL_MPI_OK || kind == 0) {
        return code;
    }
    if (kind == 3) {
        code = keel_mpi_allreduce(&mine, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(code != KEEL_MPI_OK || mine == (long)iterations[loop], "loop %d: a sum of %ld", loop,
              mine);
        return code;
    }
    code = kind == 1 ? keel_mpi_gather(result, 1, MPI_INT, root, MPI_COMM_WORLD)
                     : keel_mpi_allgather(result, 1, MPI_INT, MPI_COMM_WORLD);
    for (uint64_t i = 0; code == KEEL_MPI_OK && i < iterations[loop]; i++) {
        CHECK((kind == 1 && rank != root) || result[i] == (int)i + 1,
              "loop %d: %d is gathered for iteration %llu", loop, result[i], (unsigned long long)i);
    }
    return code;
}

/* Rows that move, and halos of them; every owner executes its rows. */
static int run_rows(bool balances_rows)
{
    struct keel_mpi_rows *rows;
    uint64_t *array, first = 0, last = 0, count = iterations[loop], shares[RANKS_MAX] = {0};
    int code = keel_mpi_rows_create(MPI_COMM_WORLD, count, KEEL_MPI_ADJACENT, &rows);

    if (code != KEEL_MPI_OK ||
        (code = keel_mpi_rows_array(rows, sizeof *array, 1, 1, (void **)&array)) != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t i = first; i < last; i++) {
        array[i] = i + 1;
    }
    for (int r = 0; r < ranks; r++) {
        shares[r] = r + 1 == ranks ? count : draws_below(&draws, count + 1);
        count -= shares[r];
    }
    code = balances_rows ? keel_mpi_rows_balance(rows, NULL) : keel_mpi_rows_move(rows, shares);
    code = code == KEEL_MPI_OK ? keel_mpi_rows_exchange(rows, array) : code;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    keel_mpi_rows_work_begin(rows);
    for (uint64_t i = first; i < last; i++) {
        execute(i);
    }
    keel_mpi_rows_work_end(rows);
    uint64_t to = last + (last < iterations[loop]);
    for (uint64_t i = first > 0 ? first - 1 : 0; first < last && i < to; i++) {
        CHECK(array[i] == i + 1, "loop %d: row %llu has %llu", loop, (unsigned long long)i,
              (unsigned long long)array[i]);
    }
    static uint64_t all[MOST];
    code = keel_mpi_rows_allgather(rows, array, all);
    for (uint64_t i = 0; code == KEEL_MPI_OK && i < iterations[loop]; i++) {
        CHECK(all[i] == i + 1, "loop %d: gathered row %llu has %llu", loop, (unsigned long long)i,
              (unsigned long long)all[i]);
    }
    return code == KEEL_MPI_OK ? keel_mpi_rows_free(&rows) : code;
}

/* Where all ranks have come, all that they did before is done. */
static int meet(void)
{
    struct keel_mpi_rows *none;
    int code = keel_mpi_rows_create(MPI_COMM_WORLD, 0, KEEL_MPI_ADJACENT, &none);

    return code == KEEL_MPI_OK ? keel_mpi_rows_free(&none) : code;
}

/* Sums along columns, swept from row to row by one rank after another. */
static int run_sweep(bool moves)
{
    enum { LENGTH = 4 };
    struct keel_mpi_rows *rows;
    struct keel_mpi_pipeline *sweep;
    uint64_t *array, first, last, from, to, first_row, last_row;
    int code = keel_mpi_rows_create(MPI_COMM_WORLD, iterations[loop], KEEL_MPI_ADJACENT, &rows);

    if (code != KEEL_MPI_OK ||
        (code = keel_mpi_rows_array(rows, sizeof *array, LENGTH, 1, (void **)&array)) !=
            KEEL_MPI_OK ||
        (code = keel_mpi_pipeline_create(rows, array, 1, &sweep)) != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t i = first * LENGTH; i < last * LENGTH; i++) {
        array[i] = i / LENGTH + 1;
    }
    keel_mpi_pipeline_hooks(sweep, moves ? 2 : 0);
    if ((code = keel_mpi_pipeline_begin(sweep, KEEL_MPI_FORWARD)) != KEEL_MPI_OK) {
        return code;
    }
    while (keel_mpi_pipeline_next_rows(sweep, &first_row, &last_row, &from, &to)) {
        for (uint64_t i = first_row; i < last_row; i++) {
            for (uint64_t j = from; j < to; j++) {
                array[i * LENGTH + j] += i > 0 ? array[(i - 1) * LENGTH + j] : 0;
            }
            if (from == 0) {
                execute(i);
            }
        }
    }
    if ((code = keel_mpi_pipeline_end(sweep)) != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t i = first * LENGTH; i < last * LENGTH; i++) {
        uint64_t row = i / LENGTH;
        CHECK(array[i] == (row + 1) * (row + 2) / 2, "loop %d: row %llu is swept to %llu", loop,
              (unsigned long long)row, (unsigned long long)array[i]);
    }
    code = keel_mpi_pipeline_free(&sweep);
    code = code == KEEL_MPI_OK ? keel_mpi_rows_free(&rows) : code;
    return code == KEEL_MPI_OK ? meet() : code;
}

/* --- objects --- */

static size_t object_size(void *context, uint64_t index, const void *data)
{
    (void)context;
    (void)data;
    return sizeof index;
}

static int object_pack(void *context, uint64_t index, const void *data, void *buffer)
{
    (void)context;
    (void)index;
    memcpy(buffer, data, sizeof index);
    return 0;
}

static int object_unpack(void *context, uint64_t index, const void *buffer, size_t size,
                         void **data)
{
    (void)context;
    (void)index;
    *data = malloc(size);
    memcpy(*data, buffer, size);
    return 0;
}

static void object_drop(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    free(data);
}

static void object_compute(void *context, uint64_t index, void *data)
{
    (void)context;
    CHECK(*(uint64_t *)data == index, "loop %d: object %llu has the data of %llu", loop,
          (unsigned long long)index, (unsigned long long)*(uint64_t *)data);
    execute(index);
}

/* Objects that are all on the first rank. */
static int run_objects(void)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .size = object_size,
                                                   .pack = object_pack,
                                                   .unpack = object_unpack,
                                                   .drop = object_drop};
    struct keel_mpi_objects *objects;
    int code = keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &objects);

    for (uint64_t i = 0; code == KEEL_MPI_OK && rank == 0 && i < iterations[loop]; i++) {
        uint64_t *data = malloc(sizeof *data);
        *data = i;
        code = keel_mpi_objects_insert(objects, i, data);
    }
    code = code == KEEL_MPI_OK ? keel_mpi_objects_each(objects, object_compute) : code;
    return code == KEEL_MPI_OK ? keel_mpi_objects_destroy(&objects) : code;
}

static int run_loop(void)
{
    uint64_t kind = draws_below(&draws, 9), after = draws_below(&draws, 4);
    uint64_t schedule = draws_below(&draws, COUNT(every_schedule));
    int code;

    /* The last loop lets nobody end who has not learnt of the fault. */
    kind = loop + 1 == LOOPS ? 2 : kind;
    if (loop + 1 == LOOPS) {
        strike();
    }
    iterations[loop] =
        draws_below(&draws, 8) == 0 ? draws_below(&draws, 4) : draws_below(&draws, MOST + 1);
    snprintf(check_context, sizeof check_context, ", loop %d, kind %d, %s", loop, (int)kind,
             every_schedule[schedule]);
    executed = 0;
    set_schedule(every_schedule[schedule]);
    code = kind < 2   ? run_openmp(kind == 0)
           : kind < 4 ? run_explicit(kind == 2)
           : kind < 6 ? run_rows(kind == 4)
           : kind < 8 ? run_sweep(kind == 6)
                      : run_objects();
    if (code != KEEL_MPI_OK) {
        return code;
    }
    check_loop();
    return kind < 4 ? bring_together(after) : KEEL_MPI_OK;
}

/* --- the job --- */

/* A loop that ranks give up is executed whole by each of them: all before it must be as they were.
 * */
static void check_nothing_twice(void)
{
    for (int k = 0; k < loop; k++) {
        for (int i = 0; i < MOST; i++) {
            CHECK(shared->times[k][i] <= 1, "loop %d: iteration %d was executed %d times", k, i,
                  shared->times[k][i]);
        }
    }
}

static void draw_fault(void)
{
    victim = (int)draws_below(&draws, (uint64_t)ranks);
    fault_loop = (int)draws_below(&draws, LOOPS / 2);
    fault_iteration = draws_below(&draws, MOST / 8);
    if (strcmp(fault, "none") == 0) {
        victim = -1;
    }
}

static void plan(void)
{
    uint64_t count = 1 + draws_below(&draws, RANKS_MAX), threads = 1 + draws_below(&draws, 4);

    if (strcmp(fault, "none") != 0 && count == 1) {
        count = 2;
    }
    printf("-n %d env OMP_NUM_THREADS=%d KEEL_MPI_DEADLINE=%d KEEL_MPI_SCHEDULE=%s"
           " KEEL_MPI_BALANCE=%s KEEL_MPI_NODE_RANKS=%d\n",
           (int)count, (int)threads, strcmp(fault, "stop") == 0 ? 3 : 120,
           rank_schedules[draws_below(&draws, COUNT(rank_schedules))],
           balances[draws_below(&draws, COUNT(balances))], 1 + (int)draws_below(&draws, 3));
}

int main(int argc, char **argv)
{
    int level, code = KEEL_MPI_OK;

    if (argc != 5) {
        return 3;
    }
    draws.state = strtoull(argv[2], NULL, 10) * 1000003 + strtoull(argv[3], NULL, 10);
    fault = argv[4];
    if (strcmp(argv[1], "plan") == 0) {
        plan();
        return 0;
    }
    make_waker();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    shared = shared_memory_open(sizeof *shared);
    draw_fault();
    for (loop = 0; loop < LOOPS && (code = run_loop()) == KEEL_MPI_OK; loop++) {
    }
    check_nothing_twice();
    printf("rank %d: %d after %d loops, fault: %d\n", rank, code, loop, shared->hit);
    fflush(stdout);
    if (code == KEEL_MPI_OK) {
        MPI_Finalize();
        return check_status();
    }
    shared->ended++;
    while (shared->ended < ranks - 1) {
        nap(1000);
    }
    nap(1000000); /* what they have written is on its way */
    MPI_Abort(MPI_COMM_WORLD, code);
}
