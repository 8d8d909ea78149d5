/* Loops that ranks share keep to the chunk size of their clause, and to the grain that schedules
 * state: no chunk of any thread of any rank begins or ends between multiples. `grain CHECK...`,
 * under mpirun, libkeel.so and KEEL_OVERRIDE=dynamic,guided; says what is wrong. */
#include <omp.h>

#include "tests/mpi_backend/loop/part.h"
#include "tests/support/nap.h"
#include "tests/support/schedules.h"

#define MOST 3000

/* What this rank has executed of the loop. */
static unsigned char times[MOST];
static uint64_t iterations, grain, chunks;

static void check_borders(const char *what, uint64_t first, uint64_t last)
{
    CHECK(first < last && last <= iterations, "%s [%llu, %llu)", what, (unsigned long long)first,
          (unsigned long long)last);
    CHECK(first % grain == 0 && (last % grain == 0 || last == iterations),
          "%s [%llu, %llu) is not one of multiples of %llu", what, (unsigned long long)first,
          (unsigned long long)last, (unsigned long long)grain);
}

static void ran(uint64_t first, uint64_t last)
{
    check_borders("chunk", first, last);
    for (uint64_t i = first; i < last && i < MOST; i++) {
        __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
    }
    __atomic_add_fetch(&chunks, 1, __ATOMIC_RELAXED);
    if ((first / grain + seed) % 3 == (uint64_t)rank % 3) {
        nap(60); /* others take something over */
    }
}

/* --- teams: the loop's entry points, as compilers call them --- */

void GOMP_parallel_loop_nonmonotonic_dynamic(void (*)(void *), void *, unsigned, long, long, long,
                                             long, unsigned);
void GOMP_parallel_loop_guided(void (*)(void *), void *, unsigned, long, long, long, long,
                               unsigned);
bool GOMP_loop_nonmonotonic_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_dynamic_start(long, long, long, long, long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end(void);

#define START (-30)

/* The loop counts up or down by `step` from START, and its bound is the one behind the last. */
static long step, bound, chunk;

static void ran_values(long first, long last)
{
    ran((uint64_t)((first - START) / step),
        last == bound ? iterations : (uint64_t)((last - START) / step));
}

static void dynamic_body(void *unused)
{
    long first, last;

    (void)unused;
    while (GOMP_loop_nonmonotonic_dynamic_next(&first, &last)) {
        ran_values(first, last);
    }
}

static void guided_body(void *unused)
{
    long first, last;

    (void)unused;
    while (GOMP_loop_guided_next(&first, &last)) {
        ran_values(first, last);
    }
}

static void dynamic_in_region(void)
{
    long first, last;

    for (bool more = GOMP_loop_dynamic_start(START, bound, step, chunk, &first, &last); more;
         more = GOMP_loop_dynamic_next(&first, &last)) {
        ran_values(first, last);
    }
    GOMP_loop_end();
}

static void run_team(unsigned form, unsigned threads)
{
    switch (form) {
    case 0:
        GOMP_parallel_loop_nonmonotonic_dynamic(dynamic_body, NULL, threads, START, bound, step,
                                                chunk, 0);
        break;
    case 1:
        GOMP_parallel_loop_guided(guided_body, NULL, threads, START, bound, step, chunk, 0);
        break;
    default:
#pragma omp parallel num_threads((int)threads)
        dynamic_in_region();
    }
}

/* --- what came of it --- */

static void begin(uint64_t size, uint64_t kept)
{
    memset(times, 0, sizeof times);
    iterations = size;
    grain = kept;
    chunks = 0;
}

/* Told is what happened, in iterations. */
static void check_part(void)
{
    struct part part = part_of(times, iterations, chunks);
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    const struct keel_mpi_range *range;
    size_t count;

    check_results(&part);
    keel_mpi_loop_ranges(MPI_COMM_WORLD, &range, &count);
    for (size_t i = 0; i < count; i++) {
        check_borders("range", range[i].first, range[i].last);
    }
    keel_mpi_loop_report(MPI_COMM_WORLD, &report);
    CHECK(report.migrated % grain == 0, "%llu migrated", (unsigned long long)report.migrated);
    check_gather(&part, 0);
}

/* --- checks --- */

static const char *const policies[] = {
    "tree",         "steal",
    "diffuse",      "rate",
    "rate:grain=6", "steal,20:gamma=0.5,grain=4",
    "ss",           "fac2",
    "af",           "static",
    "wf2",          "gss:grain=10",
    "css,40",       "aid",
    "fac",          "diffuse,2:grain=9",
};
static const char *const locals[] = {NULL, "static", "ss", "gss", "rate", "steal:grain=4", "awf-c"};

static uint64_t grain_of(const char *schedule)
{
    const char *stated = schedule != NULL ? strstr(schedule, "grain=") : NULL;

    return stated != NULL ? strtoull(stated + strlen("grain="), NULL, 10) : 1;
}

static uint64_t common(uint64_t a, uint64_t b)
{
    uint64_t multiple = a;

    while (multiple % b != 0) {
        multiple += a;
    }
    return multiple;
}

static uint64_t draw_size(void)
{
    const uint64_t some[] = {0, 1, 63, 64, 65, 640};
    uint64_t number = draws_below(&same, 9);

    return number < COUNT(some) ? some[number] : 1 + draws_below(&same, MOST);
}

static uint64_t draw_grain(uint64_t size)
{
    const uint64_t some[] = {1, 3, 64, 101, size > 1 ? size - 1 : 1, size + 1};

    return some[draws_below(&same, COUNT(some))];
}

static void set_policy(const char *policy)
{
    CHECK(keel_mpi_set_schedule(policy) == KEEL_MPI_OK, "no policy");
}

/* Twice each, as blocks follow from what the first has shown. */
static void team(const char *policy, const char *local, unsigned form, unsigned threads)
{
    uint64_t size = draw_size();

    chunk = (long)draw_grain(size);
    step = draws_below(&same, 2) == 0 ? 1 : -7;
    bound = START + (long)size * step;
    set_policy(policy);
    find_set_schedule()(local);
    for (unsigned instance = 0; instance < 2; instance++) {
        snprintf(check_context, sizeof check_context,
                 " (%s/%s, form %u, %llu iterations, chunk %ld, step %ld, %u threads, rank %d of "
                 "%d, KEEL_TEST_SEED=%llu)",
                 policy, local != NULL ? local : "nothing", form, (unsigned long long)size, chunk,
                 step, threads, rank, ranks, (unsigned long long)seed);
        begin(size, common(common((uint64_t)chunk, grain_of(policy)), grain_of(local)));
        CHECK(keel_mpi_share(MPI_COMM_WORLD) == KEEL_MPI_OK, "not shared");
        run_team(form, threads);
        CHECK(keel_mpi_wait(MPI_COMM_WORLD) == KEEL_MPI_OK, "the loop does not end well");
        if (ranks > 1) {
            check_part();
        }
        check_once(MPI_COMM_WORLD, times, iterations);
    }
}

/* With one rank, loops are libkeel.so's own, and the policy among ranks has no say. */
static void teams(void)
{
    for (unsigned policy = 0; policy < COUNT(policies); policy++) {
        for (unsigned form = 0; form < 3; form++) {
            const char *local = locals[draws_below(&same, COUNT(locals))];
            if (ranks == 1 && grain_of(policies[policy]) > 1) {
                continue;
            }
            team(policies[policy], local, form, 1 + (unsigned)draws_below(&same, 4));
        }
    }
}

static void explicit_loop(uint64_t size, uint64_t kept)
{
    struct keel_mpi_loop *loop = NULL;
    uint64_t first, last;

    begin(size, kept);
    CHECK(keel_mpi_loop_begin(MPI_COMM_WORLD, size, 0, &loop) == KEEL_MPI_OK, "no loop");
    while (keel_mpi_loop_next(loop, &first, &last)) {
        ran(first, last);
    }
    CHECK(keel_mpi_loop_end(&loop) == KEEL_MPI_OK, "the loop does not end well");
    check_part();
    check_once(MPI_COMM_WORLD, times, iterations);
}

/* Schedules state their grain, or KEEL_GRAIN does. */
static void explicit_loops(void)
{
    const char *standard = getenv("KEEL_GRAIN");

    for (unsigned policy = 0; policy < COUNT(policies); policy++) {
        for (unsigned instance = 0; instance < 3; instance++) {
            uint64_t stated = grain_of(policies[policy]), size = draw_size();
            if (stated == 1 && standard != NULL && standard[0] != '0') {
                stated = strtoull(standard, NULL, 10);
            }
            set_policy(policies[policy]);
            snprintf(check_context, sizeof check_context,
                     " (%s, %llu iterations, grain %llu, rank %d of %d, KEEL_TEST_SEED=%llu)",
                     policies[policy], (unsigned long long)size, (unsigned long long)stated, rank,
                     ranks, (unsigned long long)seed);
            explicit_loop(size, stated);
        }
    }
}

/* Ranks that come with other chunk sizes do not run the same loop: each runs all of its own. */
static void apart(const char *policy)
{
    set_policy(policy);
    chunk = rank == 0 ? 64 : 32;
    step = 1;
    bound = START + 500;
    begin(500, (uint64_t)chunk);
    CHECK(keel_mpi_share(MPI_COMM_WORLD) == KEEL_MPI_OK, "not shared");
    run_team(0, 2);
    int code = keel_mpi_wait(MPI_COMM_WORLD);
    CHECK(code == KEEL_MPI_MISMATCH, "waiting returns %d", code);
    uint64_t executed = part_of(times, iterations, chunks).executed;
    CHECK(executed == 500, "%s: %llu iterations", policy, (unsigned long long)executed);
}

static void all_apart(void)
{
    apart("steal");
    apart("ss");
}

static const struct rank_check checks[] = {
    {"teams", teams},
    {"explicit", explicit_loops},
    {"apart", all_apart},
};

int main(int arguments, char **argument)
{
    return rank_checks_main(checks, COUNT(checks), arguments, argument, MPI_THREAD_FUNNELED);
}
