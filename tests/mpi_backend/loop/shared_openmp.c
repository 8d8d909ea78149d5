/* Loops of OpenMP teams, shared by real ranks: every form of loop, each iteration once in the job.
 * `shared_openmp LEVEL CHECK...`, under mpirun and libkeel.so; prints errors. */
#include <omp.h>
#include <stdatomic.h>

#include "tests/mpi_backend/loop/part.h"
#include "tests/support/schedules.h"

static unsigned slow; /* one of this many iterations takes longer on some thread; 0: none does */

#define MOST 3000

/* What this rank has executed of the loop. */
static unsigned char times[MOST];
static uint64_t iterations;
static bool waits;

static void mark(uint64_t iteration)
{
    CHECK(iteration < iterations, "iteration %lu", iteration);
    if (iteration < iterations) {
        times[iteration]++;
    }
    if (slow > 0 && (iteration * 2654435761u + seed) % slow == (uint64_t)rank % slow) {
        nap(100);
    }
}

/* --- forms of loops --- */

static void share(void)
{
    int code = waits ? keel_mpi_share(MPI_COMM_WORLD) : keel_mpi_share_nowait(MPI_COMM_WORLD);

    CHECK(code == KEEL_MPI_OK, "sharing returns %d", code);
}

static void combined(void)
{
    share();
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < (long)iterations; i++) {
        mark((uint64_t)i);
    }
}

static void monotonic(void)
{
    share();
#pragma omp parallel for schedule(monotonic : runtime)
    for (int i = 5; i < (int)iterations + 5; i++) {
        mark((uint64_t)i - 5);
    }
}

static void unsigned_to_the_top(void)
{
    unsigned long long start = ~0ull - iterations;

    share();
#pragma omp parallel for schedule(runtime)
    for (unsigned long long i = start; i < ~0ull; i++) {
        mark(i - start);
    }
}

static void downwards(void)
{
    long start = 3 * (long)iterations - 7;

    share();
#pragma omp parallel for schedule(runtime)
    for (long i = start; i > -7; i -= 3) {
        mark((uint64_t)(start - i) / 3);
    }
}

/* Two thirds of the iterations belong to loops before the last one. */
static void several(void)
{
    long part = (long)iterations / 3, end = (long)iterations;

#pragma omp parallel
    for (int k = 0; k < 3; k++) {
#pragma omp master
        share();
#pragma omp barrier
        if (k < 2) {
#pragma omp for schedule(runtime) nowait
            for (long i = k * part; i < (k + 1) * part; i++) {
                mark((uint64_t)i);
            }
        } else {
#pragma omp for schedule(runtime)
            for (long i = 2 * part; i < end; i++) {
                mark((uint64_t)i);
            }
        }
#pragma omp barrier
    }
}

/* There are loops that are not shared before and after the shared one. */
static void among_others(void)
{
    long unshared = 0;

    share();
#pragma omp parallel reduction(+ : unshared)
    {
#pragma omp for schedule(runtime)
        for (long i = 0; i < (long)iterations; i++) {
            mark((uint64_t)i);
        }
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < 100; i++) {
            unshared++;
        }
#pragma omp for schedule(static)
        for (long i = 0; i < 100; i++) {
            unshared++;
        }
    }
    CHECK(unshared == 200, "%ld of 200 iterations of loops that are this rank's own", unshared);
}

static void last_private(void)
{
    long last = -5;
    int owner = -2;

    share();
#pragma omp parallel for schedule(runtime) lastprivate(last)
    for (long i = 0; i < (long)iterations; i++) {
        mark((uint64_t)i);
        last = 10 * i;
    }
    RETURNS(keel_mpi_loop_last_rank(MPI_COMM_WORLD, &owner), KEEL_MPI_OK);
    if (iterations > 0 && owner == rank) {
        CHECK(last == 10 * ((long)iterations - 1), "the last value is %ld", last);
    }
}

/* If the region is a construct of its own, other ranks' values are as before; compilers may change
 * them if there are no iterations. */
static void last_private_in_region(void)
{
    static long last;
    int owner = -2;

    last = -5;
    share();
#pragma omp parallel
    {
#pragma omp barrier
#pragma omp for schedule(runtime) lastprivate(last)
        for (long i = 0; i < (long)iterations; i++) {
            mark((uint64_t)i);
            last = 10 * i;
        }
    }
    RETURNS(keel_mpi_loop_last_rank(MPI_COMM_WORLD, &owner), KEEL_MPI_OK);
    CHECK(iterations == 0 || last == (owner == rank ? 10 * ((long)iterations - 1) : -5),
          "rank %d has the last value, and this one %ld", owner, last);
}

static void team_of_one(void)
{
    share();
#pragma omp for schedule(runtime)
    for (long i = 0; i < (long)iterations; i++) {
        mark((uint64_t)i);
    }
}

/* The body has a region with a loop of its own. */
static void nested(void)
{
    long inside = 0, outside = 0;

    share();
#pragma omp parallel for schedule(runtime) reduction(+ : inside, outside)
    for (long i = 0; i < (long)iterations; i++) {
        mark((uint64_t)i);
        outside++;
        long count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
        for (int k = 0; k < 3; k++) {
            count++;
        }
        inside += count;
    }
    CHECK(inside == 3 * outside, "%ld nested iterations in %ld", inside, outside);
}

static const struct {
    const char *name;
    void (*run)(void);
    bool is_one_loop;
} forms[] = {
    {"combined", combined, true},
    {"monotonic", monotonic, true},
    {"unsigned to the top", unsigned_to_the_top, true},
    {"downwards", downwards, true},
    {"several in a region", several, false},
    {"among others", among_others, true},
    {"lastprivate", last_private, true},
    {"lastprivate in a region", last_private_in_region, true},
    {"team of one", team_of_one, true},
    {"nested", nested, true},
};
#define FORMS (sizeof forms / sizeof forms[0])

/* --- checking results --- */

static void check_part(void)
{
    struct part part = part_of(times, iterations, PART_UNCOUNTED);

    if (ranks > 1) {
        check_results(&part);
    }
    check_gather(&part, 0);
}

static void run(unsigned form, uint64_t size, const char *policy, const char *local, int threads)
{
    memset(times, 0, sizeof times);
    iterations = size;
    waits = draws_below(&same, 3) > 0;
    slow = (unsigned)draws_below(&same, 2) * 40;
    snprintf(check_context, sizeof check_context,
             " (%s, %s/%s, %lu iterations, rank %d of %d, %d threads, KEEL_TEST_SEED=%lu)",
             forms[form].name, policy, local != NULL ? local : "nothing", size, rank, ranks,
             threads, seed);
    RETURNS(keel_mpi_set_schedule(policy), KEEL_MPI_OK);
    set_schedule_function *set_schedule = find_set_schedule();
    CHECK(set_schedule(local) != 1, "no schedule");
    omp_set_num_threads(threads);
    forms[form].run();
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    if (forms[form].is_one_loop) {
        check_part();
    }
    check_once(MPI_COMM_WORLD, times, iterations);
}

/* --- checks --- */

static uint64_t draw_size(void)
{
    const uint64_t small[] = {0, 1, 2, 7, (uint64_t)ranks, (uint64_t)ranks + 1};
    uint64_t number = draws_below(&same, 9);

    return number < 6 ? small[number] : 1 + draws_below(&same, 700);
}

static const char *const policies[] = {"tree", "steal", "diffuse", "rate",
                                       "ss",   "fac2",  "af",      "static"};
static const char *const locals[] = {NULL, "static", "ss",    "gss",  "fac2",
                                     "af", "rate",   "steal", "awf-c"};

/* Each form of loop under each schedule within the rank, by day a third of these pairs, with each
 * form and each schedule; the others are random. */
RANK_CHECK(forms)
{
    for (unsigned form = 0; form < FORMS; form++) {
        for (unsigned local = 0; local < COUNT(locals); local++) {
            if (!check_nightly() && local % 3 != form % 3) {
                continue;
            }
            const char *policy = policies[draws_below(&same, COUNT(policies))];
            int team = (int)draws_below(&same, 4);
            int threads = team < 3 ? 1 << team : 1 + (int)draws_below(own_draws(), 5);
            run(form, draw_size(), policy, locals[local], threads);
        }
    }
}

/* With each number of threads, by day with every other one. */
RANK_CHECK(policies)
{
    for (unsigned policy = 0; policy < COUNT(policies); policy++) {
        for (int threads = 1; threads <= 4; threads++) {
            if (!check_nightly() && (unsigned)threads % 2 != policy % 2) {
                continue;
            }
            run(0, draw_size(), policies[policy], NULL, threads);
            run(0, 500, policies[policy], "ss", rank % 2 == 0 ? threads : 5 - threads);
            run(6, draw_size(), policies[policy], "gss", threads);
        }
    }
}

/* --- clauses with a chunk, under KEEL_OVERRIDE=dynamic,guided --- */

static int owner[MOST]; /* of each iteration, the thread of this rank that executed it */
static int chunk;

static void own(long iteration)
{
    mark((uint64_t)iteration);
    owner[iteration] = omp_get_thread_num();
}

static void dynamic_down(void)
{
#pragma omp parallel for schedule(nonmonotonic : dynamic, chunk)
    for (long i = 7 * ((long)iterations - 1) - 30; i >= -30; i -= 7) {
        own((long)iterations - 1 - (i + 30) / 7);
    }
}

static void guided_up(void)
{
#pragma omp parallel for schedule(guided, chunk)
    for (long i = -30; i < (long)iterations - 30; i++) {
        own(i + 30);
    }
}

static void dynamic_in_region(void)
{
#pragma omp parallel
#pragma omp for schedule(dynamic, chunk)
    for (long i = 0; i < (long)iterations; i++) {
        own(i);
    }
}

static uint64_t common(uint64_t a, uint64_t b)
{
    uint64_t multiple = a;

    while (multiple % b != 0) {
        multiple += a;
    }
    return multiple;
}

/* Checks that units of the chunk, and of the grain of schedules, were executed by one thread
 * each. */
static void run_clause(void (*form)(void), const char *policy, const char *local)
{
    const int some[] = {1, 3, 64, 101, (int)iterations + 1};

    memset(times, 0, sizeof times);
    chunk = some[draws_below(&same, COUNT(some))];
    uint64_t kept = common(common((uint64_t)chunk, grain_of(policy)), grain_of(local));
    snprintf(check_context, sizeof check_context,
             " (%s/%s, %lu iterations, chunk %d, rank %d of %d, KEEL_TEST_SEED=%lu)", policy,
             local != NULL ? local : "nothing", iterations, chunk, rank, ranks, seed);
    keel_mpi_set_schedule(policy);
    find_set_schedule()(local);
    share();
    form();
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    for (uint64_t i = 1; i < iterations; i++) {
        CHECK(i % kept == 0 ||
                  (times[i] == times[i - 1] && (times[i] == 0 || owner[i] == owner[i - 1])),
              "iteration %lu is not where the one before it is", i);
    }
    check_part();
    check_once(MPI_COMM_WORLD, times, iterations);
}

RANK_CHECK(clauses)
{
    static void (*const form[])(void) = {dynamic_down, guided_up, dynamic_in_region};
    static const char *const policy[] =
        LIST("tree", "steal,20:gamma=0.5,grain=4", "diffuse,2:grain=9", "rate:grain=6", "ss",
             "fac2", "af", "static", "wf2", "gss:grain=10", "css,40", "fac");
    static const char *const local[] = {NULL, "static", "ss", "gss", "rate", "steal:grain=4"};

    omp_set_num_threads(3);
    waits = true;
    for (unsigned i = 0; i < 2 * COUNT(policy); i++) {
        iterations = draw_size();
        slow = 40;
        run_clause(form[draws_below(&same, 3)], policy[i / 2],
                   local[draws_below(&same, COUNT(local))]);
    }
}

/* Ranks with different chunk sizes do not run the same loop: each runs all of its own. */
RANK_CHECK(apart)
{
    memset(times, 0, sizeof times);
    iterations = 500;
    chunk = rank == 0 ? 64 : 32;
    waits = true;
    share();
    guided_up();
    int code = keel_mpi_wait(MPI_COMM_WORLD);
    CHECK(code == KEEL_MPI_MISMATCH, "waiting returns %d", code);
    for (uint64_t i = 0; i < iterations; i++) {
        CHECK(times[i] == 1, "iteration %lu executed %d times", i, times[i]);
    }
}

/* Teams with more threads than a rank has ranges. */
RANK_CHECK(large_teams)
{
    for (unsigned policy = 0; policy < COUNT(policies); policy++) {
        run(0, MOST, policies[policy], "ss", 18 + (int)(policy % 2) * 15);
        run(6, 20, policies[policy], NULL, 18);
    }
}

/* Iterations that take longer than others should wait for an answer. */
RANK_CHECK(long_iterations)
{
    for (unsigned policy = 0; policy < 5; policy++) {
        memset(times, 0, sizeof times);
        iterations = 24;
        snprintf(check_context, sizeof check_context, " (%s, long iterations, rank %d of %d)",
                 policies[policy], rank, ranks);
        keel_mpi_set_schedule(policies[policy]);
        omp_set_num_threads(2);
        waits = true;
        slow = 0;
        share();
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 24; i++) {
            mark((uint64_t)i);
            nap(rank == 0 ? 12000 : 1500);
        }
        check_part();
        check_once(MPI_COMM_WORLD, times, iterations);
    }
}

/* Rank 0 answers while it computes: it waits, in an iteration, until another rank has got one of
 * rank 0's first iterations. With KEEL_MPI_PROGRESS=1. */
RANK_CHECK(answered)
{
    enum { EACH = 8, PATIENCE = 200000 /* looks, 100 us each */ };
    atomic_int *given, *unused;
    MPI_Win window;
    MPI_Aint bytes = rank == 0 ? sizeof *given : 0;
    int unit;

    MPI_Win_allocate_shared(bytes, sizeof *given, MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &given);
    atomic_store(given, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    keel_mpi_set_schedule("steal");
    omp_set_num_threads(1);
    share();
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < EACH * ranks; i++) {
        if (rank > 0 && i < EACH) {
            atomic_store(given, 1);
        }
        for (int looks = 0; rank == 0 && atomic_load(given) == 0; looks++) {
            CHECK(looks < PATIENCE, "rank 0 gives no iterations while it computes");
            atomic_store(given, looks >= PATIENCE);
            nap(100);
        }
    }
    MPI_Win_free(&window);
}

/* The first shared loop of the process, during a region. */
RANK_CHECK(within_region)
{
    long before = 0, here = 0, all = 0;
    int shared = -1;

#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(runtime) reduction(+ : before)
        for (int i = 0; i < 50; i++) {
            before++;
        }
#pragma omp master
        shared = keel_mpi_share(MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for schedule(runtime) reduction(+ : here)
        for (int i = 0; i < 119; i++) {
            here++;
        }
    }
    int code = keel_mpi_wait(MPI_COMM_WORLD);
    MPI_Allreduce(&here, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(shared == KEEL_MPI_OK && code == KEEL_MPI_OK && before == 50 && all == 119,
          "codes %d and %d, %ld iterations before and %ld in all", shared, code, before, all);
}

/* --- loops at different places on different ranks --- */

/* Differs from combined(), with which the compiler would merge it. */
static void elsewhere(void)
{
    share();
#pragma omp parallel for schedule(runtime)
    for (long i = (long)iterations; i > 0; i--) {
        mark(iterations - (uint64_t)i);
    }
}

/* here: at this place of the program, otherwise at another one. Returns whether the loop was
 * shared; if not, each rank has executed all of it. */
static bool run_at(bool here, const char *policy)
{
    memset(times, 0, sizeof times);
    CHECK(keel_mpi_set_schedule(policy) == KEEL_MPI_OK, "no schedule %s", policy);
    (here ? combined : elsewhere)();
    int code = keel_mpi_wait(MPI_COMM_WORLD);
    CHECK(code == KEEL_MPI_OK || code == KEEL_MPI_MISMATCH, "the wait under %s: %d", policy, code);
    if (code == KEEL_MPI_OK) {
        check_once(MPI_COMM_WORLD, times, iterations);
    }
    for (uint64_t i = 0; code == KEEL_MPI_MISMATCH && i < iterations; i++) {
        CHECK(times[i] == 1, "iteration %llu executed %d times", (unsigned long long)i, times[i]);
    }
    return code == KEEL_MPI_OK;
}

/* Ranks at the first place have learned blocks, and keep them; those at the other one have no
 * record, and would move them. Or the weights, or the costs of iterations, in their records
 * differ. */
RANK_CHECK(other_places)
{
    static const char *const policy[] = {"af", "awf", "awf,20", "awf-b,9", "rate", "fac"};

    iterations = 300;
    waits = true;
    for (unsigned i = 0; i < COUNT(policy); i++) {
        slow = i == 0 || rank == 0 ? 1 : 7; /* initially all ranks have the same speed */
        for (unsigned k = 0; k < 12; k++) {
            bool shared = run_at(k < 6 || rank % 2 == 0, policy[i]);
            CHECK(shared || k == 0 || k == 6, "loop %u under %s is not shared", k, policy[i]);
        }
    }
    slow = 0;
    keel_mpi_set_schedule(NULL);
}

static int level_of(const char *name)
{
    return strcmp(name, "multiple") == 0     ? MPI_THREAD_MULTIPLE
           : strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                             : MPI_THREAD_FUNNELED;
}

int main(int arguments, char **argument)
{
    return rank_checks_main(arguments - 1, argument + 1, level_of(argument[1]));
}
