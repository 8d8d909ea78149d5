/* Explicit shared loops, executed by real ranks: every iteration once in the job, and reports that
 * are right. `shared_explicit CHECK`, under mpirun; prints errors. */
#include "schedules/loop/registry.h"
#include "tests/mpi_backend/loop/part.h"

static uint64_t grain = 1;   /* of the schedule, or of KEEL_GRAIN */
static bool begins_odd;      /* a chunk of this rank has begun with an odd iteration */
static unsigned slow_chunks; /* one of this many chunks takes longer on some rank; 0: none does */

static void dawdle(void)
{
    if (slow_chunks > 0 && draws_below(own_draws(), slow_chunks) == 0) {
        nap(draws_below(own_draws(), 300));
    }
}

static void name_context(const char *schedule, uint64_t iterations)
{
    snprintf(check_context, sizeof check_context, " (%s, %lu iterations, rank %d of %d, %s=%lu)",
             schedule, iterations, rank, ranks, "KEEL_TEST_SEED", seed);
}

/* --- schedules --- */

static const char *const policies[] =
    LIST("tree", "tree,5", "tree:gamma=0.5", "tree:gamma=1", "steal", "steal,3", "steal:gamma=0.25",
         "diffuse", "diffuse,1", "diffuse,2:min=4", "rate", "rate,2", "rate:gamma=0.5", "css,7",
         "ss:min=5", "gss:min=11", "tss,100,3", "fac2:min=3", "fsc:min=2", "wf2,4", "af:min=6",
         "bold:min=2", "rate:grain=6", "steal,20:gamma=0.5,grain=4", "gss:grain=10",
         "diffuse,2:grain=9");
#define POLICIES (sizeof policies / sizeof policies[0])
#define SCHEDULES_MAX 80

/* Policies among ranks, and all loop schedules except those whose names are policies here. */
static unsigned list_schedules(const char *schedule[SCHEDULES_MAX])
{
    unsigned count = 0;

    for (size_t i = 0; i < POLICIES; i++) {
        schedule[count++] = policies[i];
    }
    for (size_t i = 0; keel_registry[i] != NULL && count < SCHEDULES_MAX; i++) {
        const char *name = keel_registry[i]->name;
        if (strcmp(name, "steal") != 0 && strcmp(name, "rate") != 0) {
            schedule[count++] = name;
        }
    }
    return count;
}

static void use(const char *schedule)
{
    const char *standard = getenv("KEEL_GRAIN");

    RETURNS(keel_mpi_set_schedule(schedule), KEEL_MPI_OK);
    grain = grain_of(schedule);
    if (grain == 1 && standard != NULL && standard[0] != '0') {
        grain = strtoull(standard, NULL, 10);
    }
}

/* --- one loop --- */

static struct part run(MPI_Comm comm, uint64_t iterations, unsigned flags, unsigned char *times)
{
    struct part part = {.comm = comm, .iterations = iterations, .times = times};
    struct keel_mpi_loop *loop = NULL;
    uint64_t first, last;

    int code = keel_mpi_loop_begin(comm, iterations, flags, &loop);
    CHECK(code == KEEL_MPI_OK && loop != NULL, "begin returns %d", code);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        CHECK(first < last && last <= iterations && first % grain == 0 &&
                  (last % grain == 0 || last == iterations),
              "chunk [%lu, %lu)", first, last);
        for (uint64_t i = first; i < last && i < iterations; i++) {
            times[i]++;
            part.executed++;
        }
        part.chunks++;
        begins_odd = begins_odd || first % 2 == 1;
        dawdle();
    }
    CHECK(!keel_mpi_loop_next(loop, &first, &last), "a chunk after the last one");
    code = keel_mpi_loop_end(&loop);
    CHECK(code == KEEL_MPI_OK && loop == NULL, "end returns %d", code);
    return part;
}

/* --- checks --- */

#define SIZES 11
#define MOST 1000

static void draw_sizes(uint64_t size[SIZES])
{
    const uint64_t fixed[SIZES] = {
        0, 1, 2, 7, (uint64_t)ranks - 1, (uint64_t)ranks, (uint64_t)ranks + 1, MOST, MOST};

    memcpy(size, fixed, sizeof fixed);
    size[SIZES - 2] = draws_below(&same, MOST);
    size[SIZES - 1] = 1 + draws_below(&same, 50);
}

/* All sizes one after another, each waited for. */
static void sweep(const char *schedule, unsigned flags)
{
    static unsigned char times[SIZES * MOST];
    uint64_t size[SIZES], total = 0;

    draw_sizes(size);
    memset(times, 0, sizeof times);
    for (unsigned i = 0; i < SIZES; i++) {
        name_context(schedule, size[i]);
        slow_chunks = (unsigned)draws_below(&same, 2) * 20;
        struct part part = run(MPI_COMM_WORLD, size[i], flags, times + total);
        if (flags & KEEL_MPI_NOWAIT) {
            RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
        }
        check_results(&part);
        total += size[i];
        if (i == SIZES - 1) {
            check_gather(&part, (int)draws_below(&same, (uint64_t)ranks + 1) - 1);
        }
    }
    check_once(MPI_COMM_WORLD, times, total);
}

RANK_CHECK(schedules)
{
    const char *schedule[SCHEDULES_MAX];
    unsigned count = list_schedules(schedule);

    for (unsigned i = 0; i < count; i++) {
        use(schedule[i]);
        sweep(schedule[i], i % 4 == 3 ? KEEL_MPI_NOWAIT : 0);
    }
    int odd = begins_odd, any;
    MPI_Allreduce(&odd, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(any || ranks == 1 || getenv("KEEL_GRAIN") != NULL,
          "all chunks begin with even iterations, as if pairs stayed together");
}

#define FLIGHT 24

/* Many loops in a row, only the last waited for; of one schedule, or a different one each. */
static void fly(const char *const *schedule, unsigned count)
{
    static unsigned char times[FLIGHT * MOST];
    uint64_t total = 0, size;
    struct part part;

    memset(times, 0, sizeof times);
    for (unsigned i = 0; i < FLIGHT; i++) {
        const char *name = schedule[draws_below(&same, count)];
        size = draws_below(&same, 3) == 0 ? draws_below(&same, 10) : draws_below(&same, MOST);
        use(name);
        name_context(name, size);
        slow_chunks = (unsigned)draws_below(own_draws(), 3) * 10;
        if (draws_below(own_draws(), 8) == 0) {
            nap(draws_below(own_draws(), 4000));
        }
        unsigned flags = draws_below(&same, 6) == 0 ? 0 : KEEL_MPI_NOWAIT;
        part = run(MPI_COMM_WORLD, size, flags, times + total);
        total += size;
    }
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    check_results(&part);
    check_gather(&part, 0);
    check_once(MPI_COMM_WORLD, times, total);
}

RANK_CHECK(flight)
{
    static const char *const simple[] = {"tree", "steal", "diffuse", "ss", "gss", "fac2", "static"};
    const char *schedule[SCHEDULES_MAX];
    unsigned count = list_schedules(schedule);

    for (unsigned i = 0; i < 7; i++) {
        fly(&simple[i], 1);
    }
    for (unsigned i = 0; i < 5; i++) {
        fly(simple, 7);
        fly(schedule, count);
    }
}

/* A communicator of the program, with its own `times`. */
static void run_over(MPI_Comm comm, const char *schedule, uint64_t iterations, unsigned flags)
{
    unsigned char *times = calloc(iterations + 1, 1);

    use(schedule);
    name_context(schedule, iterations);
    struct part part = run(comm, iterations, flags, times);
    RETURNS(keel_mpi_wait(comm), KEEL_MPI_OK);
    check_results(&part);
    check_gather(&part, 0);
    check_once(comm, times, iterations);
    free(times);
}

/* Halves of the job run different loops, of different schedules, at the same time. */
static void run_halves(void)
{
    static const char *const schedule[] = {"tree", "gss"};
    int half = rank % 2;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, half, -rank, &comm);
    for (unsigned i = 0; i < 6 + 5 * (unsigned)half; i++) {
        run_over(comm, schedule[(i + (unsigned)half) % 2], 100 + 37 * i + 400 * (unsigned)half,
                 i % 3 == 2 ? KEEL_MPI_NOWAIT : 0);
    }
    MPI_Comm_free(&comm);
}

/* A loop of the whole job runs while the halves run theirs. Each communicator keeps the results of
 * its own last loop, in whatever order they are requested. */
static void run_between(void)
{
    unsigned char times[500] = {0}, others[300] = {0};
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &comm);
    use("steal");
    name_context("steal, of all", sizeof times);
    struct part whole = run(MPI_COMM_WORLD, sizeof times, KEEL_MPI_NOWAIT, times);
    name_context("steal, of a half", sizeof others);
    struct part part = run(comm, sizeof others, 0, others);
    check_results(&part);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    check_results(&whole);
    check_gather(&whole, 0);
    check_results(&part);
    check_gather(&part, -1);
    check_results(&whole);
    check_once(MPI_COMM_WORLD, times, sizeof times);
    check_once(comm, others, sizeof others);
    MPI_Comm_free(&comm);
}

RANK_CHECK(communicators)
{
    MPI_Comm comm;

    run_over(MPI_COMM_SELF, "tree", 100, 0);
    for (unsigned i = 0; i < 3; i++) {
        run_halves();
        run_between();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        run_over(comm, "rate", 400, 0);
        run_over(MPI_COMM_WORLD, "diffuse", 300, 0);
        run_over(comm, "rate", 401, KEEL_MPI_NOWAIT);
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, 0, (int)((rank * 5 + i) % 7), &comm);
        run_over(comm, "fac2", 350, 0);
        run_over(comm, "tree", 350, KEEL_MPI_NOWAIT);
        MPI_Comm_free(&comm);
        run_over(MPI_COMM_SELF, "gss", 10, 0);
    }
}

/* The last rank joins only when the others have left: under a schedule with a counter, no unclaimed
 * iterations are kept for it. */
RANK_CHECK(not_awaited)
{
    static const char *const schedule[] = {"ss",   "css,7", "fsc",  "gss",
                                           "fac2", "af",    "bold", "awf-c"};
    unsigned char times[300] = {0};

    use("ss");
    run(MPI_COMM_WORLD, 1, 0, times); /* the first call over a communicator waits for all ranks */
    for (unsigned i = 0; ranks > 1 && i < sizeof schedule / sizeof schedule[0]; i++) {
        memset(times, 0, sizeof times);
        use(schedule[i]);
        name_context(schedule[i], sizeof times);
        slow_chunks = 20;
        if (rank == ranks - 1) {
            for (int others = 1; others < ranks; others++) {
                MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
        struct part part = run(MPI_COMM_WORLD, sizeof times, KEEL_MPI_NOWAIT, times);
        if (rank < ranks - 1) {
            MPI_Send(NULL, 0, MPI_BYTE, ranks - 1, 0, MPI_COMM_WORLD);
        }
        CHECK(rank < ranks - 1 || part.executed == 0, "%lu iterations were kept for it",
              part.executed);
        RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
        check_results(&part);
        check_once(MPI_COMM_WORLD, times, sizeof times);
    }
}

/* --- loops whose iterations are not executed one by one --- */

#define PIECES_MAX 100000

struct pieces {
    uint64_t range[PIECES_MAX][2];
    unsigned count;
};

static int by_first(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* Checks that ranges of all ranks together are adjacent from 0 to `iterations`. */
static void check_whole(const struct pieces *pieces, uint64_t iterations)
{
    static uint64_t all[8 * PIECES_MAX][2];
    int count[8], offset[8], own_count = 2 * (int)pieces->count, total = 0;
    uint64_t end = 0;

    MPI_Gather(&own_count, 1, MPI_INT, count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++) {
        offset[i] = total;
        total += count[i];
    }
    MPI_Gatherv(pieces->range, own_count, MPI_UINT64_T, all, count, offset, MPI_UINT64_T, 0,
                MPI_COMM_WORLD);
    qsort(all, (size_t)total / 2, sizeof all[0], by_first);
    for (int i = 0; i < total / 2; i++) {
        CHECK(all[i][0] == end, "after %lu comes %lu", end, all[i][0]);
        end = all[i][1];
    }
    CHECK(rank != 0 || end == iterations, "the end is %lu", end);
}

/* Works up to 20 ms, in proportion to the chunk. If small chunks took as long as large ones, as
 * sleeps do on a busy machine, rates would fall, and chunks get smaller and smaller. */
static void take_time(uint64_t part, uint64_t of)
{
    double until =
        MPI_Wtime() + (double)part / (double)of * 1e-6 * (double)draws_below(own_draws(), 20000);

    while (MPI_Wtime() < until) {
    }
}

static void run_huge(uint64_t iterations)
{
    static struct pieces pieces;
    struct keel_mpi_loop *loop;
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    uint64_t first, last, executed = 0;

    pieces.count = 0;
    RETURNS(keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, 0, &loop), KEEL_MPI_OK);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        CHECK(pieces.count < PIECES_MAX, "too many chunks");
        if (pieces.count < PIECES_MAX) {
            pieces.range[pieces.count][0] = first;
            pieces.range[pieces.count++][1] = last;
        }
        executed += last - first;
        take_time(last - first, iterations);
    }
    RETURNS(keel_mpi_loop_end(&loop), KEEL_MPI_OK);
    keel_mpi_loop_report(MPI_COMM_WORLD, &report);
    CHECK(report.executed == executed && report.iterations == iterations, "report");
    check_whole(&pieces, iterations);
}

RANK_CHECK(huge)
{
    static const char *const schedule[] =
        LIST("tree", "steal", "diffuse", "rate", "static", "gss", "fac2", "wf2", "tss", "awf-c",
             "css,1152921504606846976");
    static const uint64_t size[] = {(UINT64_C(1) << 33) + 5, INT64_MAX, UINT64_MAX};

    for (unsigned i = 0; i < sizeof schedule / sizeof schedule[0]; i++) {
        for (unsigned k = 0; k < 3; k++) {
            use(schedule[i]);
            name_context(schedule[i], size[k]);
            run_huge(size[k]);
        }
    }
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
