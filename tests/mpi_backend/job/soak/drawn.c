/* A job in which all is drawn: `drawn plan SEED JOB drawn` prints how it is to be run, as words for
 * env, and what is to come of it as KEEL_TEST_WANTED; `drawn run SEED JOB drawn` is one rank of it.
 *
 * Steps of shared loops, rows, sweeps or objects; a rank is killed, stopped, or stopped for less or
 * more than KEEL_MPI_DEADLINE, under each KEEL_MPI_ON_LATE. What is promised is kept: with `wait`,
 * and after a short stop, the whole job ends well; after a death, and with `end`, the others go on
 * from what they have, or from copies; else all of them get KEEL_MPI_LATE. Each rank compares what
 * the steps have come to with what one process makes of them, and says
 *
 *     rank R: goes on T s after         the fault, by then
 *     rank R: CODE after STEPS loops, fault: whether it has been met */
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/check.h"
#include "tests/support/draws.h"
#include "tests/support/nap.h"
#include "tests/support/shared_memory.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { STEPS = 10, RANKS_MAX = 4, DEADLINE_S = 5, ITEMS = 80, WIDTH = 16 };

static const char *const shapes[] = {"loops", "explicit", "rows", "any", "pipeline", "objects"};
static const char *const lates[] = {"auto", "wait", "fail", "end"};
enum fault { KILL, STOP, LONG, SHORT, FAULTS };
static const char *const faults[] = {"kill", "stop", "long", "short"};

static struct {
    int ranks, threads, victim, step, item; /* in which step, after so many items */
    const char *shape, *late;
    enum fault fault;
} job;

static struct shared {
    atomic_int hit;
    atomic_int ended; /* ranks that have said how it went */
    double hit_s;     /* by the machine's clock; written before `hit` */
} * shared;

static int rank; /* of MPI_COMM_WORLD */
static uint64_t step;
static atomic_int items; /* of this step, by this rank */
static MPI_Comm comm = MPI_COMM_WORLD;

static bool is(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

static void draw_job(struct draws *draws)
{
    job.ranks = 2 + (int)draws_below(draws, RANKS_MAX - 1);
    job.threads = 1 + (int)draws_below(draws, 2);
    job.shape = shapes[draws_below(draws, COUNT(shapes))];
    job.late = lates[draws_below(draws, COUNT(lates))];
    job.fault = (enum fault)draws_below(draws, FAULTS);
    if (job.fault == STOP && is(job.late, "wait")) {
        job.fault = LONG; /* the job would never end */
    }
    job.victim = (int)draws_below(draws, (uint64_t)job.ranks);
    job.step = (int)draws_below(draws, STEPS - 1);
    job.item = (int)draws_below(draws, ITEMS / 2);
}

/* --- the fault --- */

static double clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A process that wakes this one. */
static void wake_after(uint64_t us)
{
    pid_t self = getpid();

    if (fork() == 0) {
        nap(us);
        kill(self, SIGCONT);
        _exit(0);
    }
}

static void strike(void)
{
    int none = 0;

    if (rank != job.victim || shared->hit != 0) {
        return;
    }
    shared->hit_s = clock_s();
    if (!atomic_compare_exchange_strong(&shared->hit, &none, 1)) {
        return;
    }
    if (job.fault == LONG || job.fault == SHORT) {
        wake_after(job.fault == LONG ? (2 * DEADLINE_S + 1) * UINT64_C(1000000) : 1000000);
    }
    kill(getpid(), job.fault == KILL ? SIGKILL : SIGSTOP);
}

/* So that a rank that has nothing to do meets it, too. */
static void end_step(void)
{
    if ((int)step >= job.step) {
        strike();
    }
}

static void work(uint64_t item)
{
    if (item % 4 == 0) {
        nap(rank == 1 ? 200 : 100);
    }
    if (atomic_fetch_add(&items, 1) >= job.item && (int)step >= job.step) {
        strike();
    }
}

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 31);
}

/* Without the ranks that are lost. */
static int go_on(void)
{
    int code;

    do {
        code = keel_mpi_survivors(comm, &comm);
    } while (code == KEEL_MPI_RANKS_LOST);
    if (code == KEEL_MPI_OK) {
        printf("rank %d: goes on %.3f s after\n", rank, clock_s() - shared->hit_s);
    }
    return code;
}

/* --- shared loops --- */

static uint64_t result[STEPS][ITEMS], sum, sums[STEPS];
static int64_t sum_step = -1; /* that `sum` is of: what this rank has executed of it */

static uint64_t value(uint64_t of_step, uint64_t item)
{
    return mix(of_step * 1000 + item);
}

static int run_team(void)
{
    uint64_t part = sum;
    int code = keel_mpi_share(comm);

    if (code == KEEL_MPI_OK) {
#pragma omp parallel for schedule(runtime) reduction(+ : part)
        for (uint64_t i = 0; i < ITEMS; i++) {
            part += result[step][i] = value(step, i);
            work(i);
        }
    }
    sum = part;
    return code;
}

static int run_explicit(void)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    int code = keel_mpi_loop_begin(comm, ITEMS, 0, &loop);

    while (code == KEEL_MPI_OK && keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            sum += result[step][i] = value(step, i);
            work(i);
        }
    }
    int ended = keel_mpi_loop_end(&loop);
    return code == KEEL_MPI_OK ? ended : code;
}

static int run_loop(void)
{
    int code = keel_mpi_repeatable(comm, step);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (sum_step != (int64_t)step) {
        sum = 0;
        sum_step = (int64_t)step;
    }
    code = is(job.shape, "loops") ? run_team() : run_explicit();
    end_step();
    code = code == KEEL_MPI_OK ? keel_mpi_allgather(result[step], 1, MPI_UINT64_T, comm) : code;
    sums[step] = sum;
    return code == KEEL_MPI_OK ? keel_mpi_allreduce(&sums[step], 1, MPI_UINT64_T, MPI_SUM, comm)
                               : code;
}

static void check_loops(void)
{
    for (uint64_t s = 0; s < STEPS; s++) {
        uint64_t all = 0;
        for (uint64_t i = 0; i < ITEMS; i++) {
            CHECK(result[s][i] == value(s, i), "step %d: iteration %d is not what it comes to",
                  (int)s, (int)i);
            all += value(s, i);
        }
        CHECK(sums[s] == all, "step %d: its sum", (int)s);
    }
}

static int run_loops(void)
{
    int code = KEEL_MPI_OK;

    while (step < STEPS && (code == KEEL_MPI_OK || code == KEEL_MPI_RANKS_LOST)) {
        items = 0;
        code = run_loop();
        step += code == KEEL_MPI_OK;
        if (code == KEEL_MPI_RANKS_LOST && (code = go_on()) == KEEL_MPI_OK) {
            MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_UINT64_T, MPI_MIN, comm);
        }
    }
    if (code == KEEL_MPI_OK) {
        check_loops();
    }
    return code;
}

/* --- rows --- */

typedef uint64_t grid[ITEMS * WIDTH];

static struct keel_mpi_rows *rows;
static struct keel_mpi_pipeline *pipeline;
static uint64_t *old, *new;

static void relax(const uint64_t *from, uint64_t *to, uint64_t i)
{
    for (uint64_t j = 0; j < WIDTH; j++) {
        to[i * WIDTH + j] = mix(from[i * WIDTH + j] + (i > 0 ? 3 * from[(i - 1) * WIDTH + j] : 1) +
                                (i < ITEMS - 1 ? 5 * from[(i + 1) * WIDTH + j] : 2));
    }
}

/* A sweep from the first row and element: each needs those above and to the left anew. */
static void sweep(uint64_t *u, uint64_t i, uint64_t from, uint64_t to)
{
    for (uint64_t j = from; j < to; j++) {
        u[i * WIDTH + j] = mix(u[i * WIDTH + j] + (i > 0 ? 3 * u[(i - 1) * WIDTH + j] : 1) +
                               (j > 0 ? 5 * u[i * WIDTH + j - 1] : 2));
    }
}

static void fill(uint64_t *u, uint64_t i)
{
    for (uint64_t j = 0; j < WIDTH; j++) {
        u[i * WIDTH + j] = mix(i * 977 + j);
    }
}

static int step_rows(void)
{
    uint64_t *from = step % 2 ? new : old, *to = step % 2 ? old : new;
    const uint64_t *row;
    uint64_t count;
    int code = keel_mpi_rows_exchange(rows, from);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_list(rows, &row, &count);
#pragma omp parallel for schedule(runtime)
    for (uint64_t k = 0; k < count; k++) {
        relax(from, to, row[k]);
        work(row[k]);
    }
    return KEEL_MPI_OK;
}

static int step_pipeline(void)
{
    uint64_t first, last, from, to;
    int code = keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD);

    while (code == KEEL_MPI_OK &&
           keel_mpi_pipeline_next_rows(pipeline, &first, &last, &from, &to)) {
        for (uint64_t i = first; i < last; i++) {
            sweep(old, i, from, to);
            work(i);
        }
    }
    return code == KEEL_MPI_OK ? keel_mpi_pipeline_end(pipeline) : code;
}

static void check_rows(const uint64_t *all)
{
    static grid right[2];

    for (uint64_t i = 0; i < ITEMS; i++) {
        fill(right[0], i);
    }
    for (int s = 0; s < STEPS; s++) {
        for (uint64_t i = 0; i < ITEMS; i++) {
            if (is(job.shape, "pipeline")) {
                sweep(right[0], i, 0, WIDTH);
            } else {
                relax(right[s % 2], right[(s + 1) % 2], i);
            }
        }
    }
    CHECK(memcmp(all, right[is(job.shape, "pipeline") ? 0 : STEPS % 2], sizeof(grid)) == 0,
          "rows are not what %d steps come to", STEPS);
}

/* From the step that rows are of. */
static int go_through_rows(void)
{
    static grid all;
    const uint64_t *row;
    uint64_t count;
    bool sweeps = is(job.shape, "pipeline");
    int code = sweeps ? keel_mpi_pipeline_create(rows, old, 8, &pipeline) : KEEL_MPI_OK;

    keel_mpi_rows_list(rows, &row, &count);
    for (uint64_t k = 0; step == 0 && k < count; k++) {
        fill(old, row[k]);
    }
    while (code == KEEL_MPI_OK && step < STEPS) {
        items = 0;
        code = sweeps ? step_pipeline() : step_rows();
        end_step();
        code = code == KEEL_MPI_OK ? keel_mpi_rows_balance(rows, NULL) : code;
        step += code == KEEL_MPI_OK;
    }
    code = code == KEEL_MPI_OK
               ? keel_mpi_rows_allgather(rows, !sweeps && STEPS % 2 ? new : old, all)
               : code;
    if (code == KEEL_MPI_OK) {
        check_rows(all);
    }
    return code;
}

static int create_rows(void)
{
    unsigned how = is(job.shape, "any") ? KEEL_MPI_ANY : KEEL_MPI_ADJACENT;
    int code = keel_mpi_rows_create(comm, ITEMS, how, &rows);

    code = code == KEEL_MPI_OK ? keel_mpi_rows_array(rows, 8, WIDTH, 1, (void **)&old) : code;
    return code == KEEL_MPI_OK ? keel_mpi_rows_array(rows, 8, WIDTH, 1, (void **)&new) : code;
}

static int recover_rows(void)
{
    int code;

    do {
        code = go_on();
        code = code == KEEL_MPI_OK ? keel_mpi_rows_recover(&rows, comm, &step) : code;
    } while (code == KEEL_MPI_RANKS_LOST);
    if (code == KEEL_MPI_OK) {
        keel_mpi_rows_address(rows, 0, (void **)&old);
        keel_mpi_rows_address(rows, 1, (void **)&new);
    }
    return code;
}

static int run_rows(void)
{
    int code = create_rows();

    while (code == KEEL_MPI_OK && (code = go_through_rows()) == KEEL_MPI_RANKS_LOST) {
        code = recover_rows();
        if (code != KEEL_MPI_OK) {
            break;
        }
    }
    return code;
}

/* --- objects --- */

struct object {
    uint64_t value, got;
};

static struct keel_mpi_objects *objects;
static int taken;

static size_t size_object(void *context, uint64_t index, const void *data)
{
    (void)context;
    (void)index;
    (void)data;
    return sizeof(struct object);
}

static int pack_object(void *context, uint64_t index, const void *data, void *buffer)
{
    (void)context;
    (void)index;
    memcpy(buffer, data, sizeof(struct object));
    return 0;
}

static int unpack_object(void *context, uint64_t index, const void *buffer, size_t size,
                         void **data)
{
    (void)context;
    (void)index;
    *data = malloc(size);
    memcpy(*data, buffer, size);
    return 0;
}

static void drop_object(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    free(data);
}

static void add(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    uint64_t number;

    (void)context;
    (void)index;
    (void)bytes;
    memcpy(&number, message, sizeof number);
    ((struct object *)data)->got += number;
}

static uint64_t partner(uint64_t index)
{
    return (index * 7 + 1) % ITEMS;
}

static void compute(void *context, uint64_t index, void *data)
{
    struct object *object = data;

    (void)context;
    object->value = mix(object->value + step);
    uint64_t number = mix(object->value);
    keel_mpi_objects_send(objects, partner(index), 0, &number, sizeof number);
    work(index);
}

static struct object right_objects[ITEMS];

static void take(void *context, uint64_t index, const void *packed, size_t bytes)
{
    (void)context;
    (void)bytes;
    taken++;
    CHECK(index < ITEMS && memcmp(packed, &right_objects[index], sizeof right_objects[0]) == 0,
          "object %d is not what it comes to", (int)index);
}

static int go_through_phases(void)
{
    int ranks, own, code = KEEL_MPI_OK;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &ranks);
    for (uint64_t i = (uint64_t)own; step == 0 && i < ITEMS; i += (uint64_t)ranks) {
        struct object *object = calloc(1, sizeof *object);
        object->value = i;
        keel_mpi_objects_insert(objects, i, object);
    }
    while (code == KEEL_MPI_OK && step < STEPS) {
        items = 0;
        code = keel_mpi_objects_each(objects, compute);
        end_step();
        step += code == KEEL_MPI_OK;
    }
    taken = 0;
    code = code == KEEL_MPI_OK ? keel_mpi_objects_gather(objects, 0, take) : code;
    CHECK(code != KEEL_MPI_OK || own != 0 || taken == ITEMS, "%d objects", taken);
    return code;
}

static int run_objects(void)
{
    keel_mpi_objects_handler *const handlers[] = {add};
    const struct keel_mpi_objects_functions calls = {
        sizeof calls, NULL,     size_object, pack_object, unpack_object,
        drop_object,  handlers, 1,           NULL};
    int code = keel_mpi_objects_create(comm, &calls, &objects);

    for (uint64_t i = 0; i < ITEMS; i++) {
        right_objects[i].value = i;
    }
    for (uint64_t k = 0; k < STEPS * ITEMS; k++) {
        struct object *object = &right_objects[k % ITEMS];
        object->value = mix(object->value + k / ITEMS);
        right_objects[partner(k % ITEMS)].got += mix(object->value);
    }
    while (code == KEEL_MPI_OK && (code = go_through_phases()) == KEEL_MPI_RANKS_LOST) {
        do {
            code = go_on();
            code = code == KEEL_MPI_OK ? keel_mpi_objects_recover(&objects, comm, &step) : code;
        } while (code == KEEL_MPI_RANKS_LOST);
    }
    return code;
}

/* --- the job --- */

/* all: ranks, and all is right; left: so it is without the victim; late: KEEL_MPI_LATE. */
static const char *wanted(void)
{
    bool given_up = is(job.late, "auto") || is(job.late, "fail");

    if (job.fault == SHORT || (job.fault == LONG && is(job.late, "wait"))) {
        return "all";
    }
    return job.fault != KILL && given_up ? "late" : "left";
}

int main(int argc, char **argv)
{
    struct draws draws = {0};
    int level;

    if (argc != 5) {
        return 3;
    }
    draws.state = strtoull(argv[2], NULL, 10) * 1000003 + strtoull(argv[3], NULL, 10);
    draw_job(&draws);
    if (is(argv[1], "plan")) {
        printf("-n %d env OMP_NUM_THREADS=%d KEEL_MPI_DEADLINE=%d KEEL_MPI_ON_LATE=%s"
               " KEEL_MPI_COPIES=1 KEEL_TEST_WANTED=%s KEEL_TEST_DRAWN=%s,%s,rank%d\n",
               job.ranks, job.threads, DEADLINE_S, job.late, wanted(), job.shape, faults[job.fault],
               job.victim);
        return 0;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    shared = shared_memory_open(sizeof *shared);
    snprintf(check_context, sizeof check_context, ", rank %d, %s", rank, job.shape);
    int code = is(job.shape, "objects")                              ? run_objects()
               : is(job.shape, "loops") || is(job.shape, "explicit") ? run_loops()
                                                                     : run_rows();
    printf("rank %d: %d after %d loops, fault: %d\n", rank, code, (int)step, shared->hit);
    fflush(stdout);
    atomic_fetch_add(&shared->ended, 1);
    if (code ==
        KEEL_MPI_LATE) { /* all others but the stopped one get that; on a busy machine, later */
        for (int i = 0; i < 60 && atomic_load(&shared->ended) < job.ranks - 1; i++) {
            nap(500000);
        }
    }
    nap(1000000); /* what they have written is on its way */
    if (code == KEEL_MPI_LATE) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Finalize();
    return check_status();
}
