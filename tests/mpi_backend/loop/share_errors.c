/* Errors of shared loops: the code that each rank gets, and that loops which can't be shared run
 * whole on every rank. `share_errors CHECK`, under mpirun; prints errors. If KEEL_TEST_SAID names a
 * folder, `share_errors CHECK...`: the output of a check goes to a file of its name there, and ends
 * with a line of each rank that it has run. */
#include <omp.h>
#include <stdatomic.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/helpers.h"
#include "tests/support/rank_checks.h"
#include "tests/support/schedules.h"

/* --- loops, and checking how often each iteration was executed --- */

#define MOST 4000
static unsigned char times[MOST];

static void forget(void)
{
    memset(times, 0, sizeof times);
}

static void run_team(uint64_t iterations)
{
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < iterations; i++) {
        times[i]++;
    }
}

/* Executes a loop that has begun, and returns the code of its end. */
static int run_begun(struct keel_mpi_loop *loop)
{
    uint64_t first, last;

    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last && i < MOST; i++) {
            times[i]++;
        }
    }
    return keel_mpi_loop_end(&loop);
}

static int run_explicit(uint64_t iterations, unsigned flags)
{
    struct keel_mpi_loop *loop;

    keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, flags, &loop);
    return run_begun(loop);
}

/* Checks that this rank has executed all iterations of its loop once. */
static void check_whole(uint64_t iterations)
{
    for (uint64_t i = 0; i < MOST; i++) {
        CHECK(times[i] == (i < iterations), "iteration %lu executed %d times on rank %d", i,
              times[i], rank);
    }
    forget();
}

/* Checks that the ranks together have executed each iteration once; at_most: or not at all. */
static void check_shared(uint64_t iterations, bool at_most)
{
    unsigned char sum[MOST];

    MPI_Allreduce(times, sum, MOST, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (uint64_t i = 0; i < MOST; i++) {
        CHECK(sum[i] == (i < iterations) || (at_most && sum[i] == 0),
              "iteration %lu executed %d times", i, sum[i]);
    }
    forget();
}

/* Checks that sharing still works. */
static void check_recovery(void)
{
    static const char *const schedule[] = {"tree", "gss", "rate"};

    for (unsigned i = 0; i < 3; i++) {
        keel_mpi_set_schedule(schedule[i]);
        RETURNS(run_explicit(700, i % 2 ? KEEL_MPI_NOWAIT : 0), KEEL_MPI_OK);
        RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
        check_shared(700, false);
    }
    keel_mpi_set_schedule(NULL);
}

RANK_CHECK(recover)
{
    for (unsigned i = 0; i < 3; i++) {
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
        run_team(900);
        RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
        check_shared(900, false);
    }
    check_recovery();
}

static int gather(void)
{
    static int data[MOST];

    return keel_mpi_gather(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* --- ranks with different loops --- */

RANK_CHECK(different_bounds)
{
    uint64_t iterations = 300 + 7 * (uint64_t)rank;

    RETURNS(run_explicit(iterations, 0), KEEL_MPI_MISMATCH);
    check_whole(iterations);
    RETURNS(gather(), KEEL_MPI_MISMATCH);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_MISMATCH);
    check_recovery();
}

RANK_CHECK(different_schedules)
{
    keel_mpi_set_schedule(rank == 0 ? "gss" : "tree");
    RETURNS(run_explicit(500, 0), KEEL_MPI_MISMATCH);
    check_whole(500);
    check_recovery();
}

/* Iterations move between ranks before the last rank joins, when all learn that they run different
 * loops: no rank gets iterations that it has executed itself. */
RANK_CHECK(late_rank)
{
    uint64_t first, last, iterations = rank % 2 == 0 ? 100 : 60;
    struct keel_mpi_loop *loop;

    keel_mpi_set_schedule("tree");
    for (unsigned k = 0; k < 8; k++) {
        nap(rank == 4 ? 30000 : 0);
        keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, 0, &loop);
        while (keel_mpi_loop_next(loop, &first, &last)) {
            for (uint64_t i = first; i < last && i < MOST; i++) {
                times[i]++;
                nap(rank % 2 == 0 ? 300 : 0);
            }
        }
        RETURNS(keel_mpi_loop_end(&loop), KEEL_MPI_MISMATCH);
        check_whole(iterations);
    }
    keel_mpi_set_schedule(NULL);
}

/* --- sharing without a loop --- */

RANK_CHECK(no_loop)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    RETURNS(gather(), KEEL_MPI_NO_LOOP);
    run_team(100);
    check_whole(100);
    check_recover();
}

RANK_CHECK(no_loop_until_the_end)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
}

RANK_CHECK(share_twice)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_BUSY);
    run_team(400);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    check_shared(400, false);
    check_recover();
}

RANK_CHECK(two_communicators)
{
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    RETURNS(keel_mpi_share(other), KEEL_MPI_BUSY);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_NO_LOOP);
    run_team(300);
    check_whole(300);
    MPI_Comm_free(&other);
    check_recover();
}

RANK_CHECK(loop_twice)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    run_team(600);
    check_shared(600, false);
    run_team(600);
    check_whole(600);
}

RANK_CHECK(before_any_loop)
{
    const struct keel_mpi_range *range;
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    size_t count = 7;
    int last;

    RETURNS(gather(), KEEL_MPI_NO_LOOP);
    RETURNS(keel_mpi_loop_last_rank(MPI_COMM_WORLD, &last), KEEL_MPI_NO_LOOP);
    RETURNS(keel_mpi_loop_ranges(MPI_COMM_WORLD, &range, &count), KEEL_MPI_NO_LOOP);
    CHECK(count == 0, "%zu ranges", count);
    RETURNS(keel_mpi_loop_report(MPI_COMM_WORLD, &report), KEEL_MPI_NO_LOOP);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_NO_LOOP);
}

/* --- other loops that can't be shared, and results --- */

/* Checks that all functions agree on a loop: codes, and this rank's ranges. */
static void check_results(int code, uint64_t executed)
{
    const struct keel_mpi_range *range;
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    size_t count;
    int last;

    RETURNS(gather(), code);
    RETURNS(keel_mpi_loop_last_rank(MPI_COMM_WORLD, &last), code);
    CHECK(last == (executed > 0 ? 0 : -1), "last rank %d", last);
    RETURNS(keel_mpi_loop_ranges(MPI_COMM_WORLD, &range, &count), code);
    CHECK(count == (executed > 0) && (count == 0 || range->last - range->first == executed),
          "%zu ranges", count);
    RETURNS(keel_mpi_loop_report(MPI_COMM_WORLD, &report), code);
    CHECK(report.executed == executed && report.iterations == executed, "%d of %d executed",
          (int)report.executed, (int)report.iterations);
}

RANK_CHECK(ordered_loop)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 100; i++) {
#pragma omp ordered
        times[i]++;
    }
    check_whole(100);
    check_results(KEEL_MPI_NO_LOOP, 0);
    check_recover();
}

/* One rank has run all of it. */
RANK_CHECK(alone)
{
    for (uint64_t n = 0; n <= 100; n += 50) {
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
        run_team(n);
        check_whole(n);
        check_results(KEEL_MPI_OK, n);
    }
}

RANK_CHECK(gather_of_null)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    run_team(300);
    RETURNS(keel_mpi_gather(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_gather(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD), KEEL_MPI_OK);
    RETURNS(gather(), KEEL_MPI_OK);
    check_shared(300, false);
}

RANK_CHECK(gather_in_place)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    run_team(300);
    RETURNS(keel_mpi_allgather(MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_WORLD), KEEL_MPI_ARGUMENT);
    RETURNS(gather(), KEEL_MPI_OK);
    check_shared(300, false);
}

/* The others call MPI_Finalize() instead, and wait there. */
RANK_CHECK(gather_on_one_rank)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    run_team(300);
    if (rank == 0) {
        RETURNS(gather(), KEEL_MPI_LATE);
        MPI_Abort(MPI_COMM_WORLD, check_failures == 0 ? 7 : 1);
    }
}

/* --- MPI --- */

static void check_not_ready(void)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_NOT_READY);
    run_team(50);
    check_whole(50);
    RETURNS(run_explicit(60, 0), KEEL_MPI_NOT_READY);
    check_whole(60);
    RETURNS(gather(), KEEL_MPI_NOT_READY);
}

RANK_CHECK(single)
{
    omp_set_num_threads(2);
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_THREADS);
    run_team(100);
    check_whole(100);
    omp_set_num_threads(1);
    check_recover();
}

RANK_CHECK(no_loop_to_end)
{
    struct keel_mpi_loop *loop = NULL;
    uint64_t first, last;

    CHECK(!keel_mpi_loop_next(loop, &first, &last), "iterations of no loop");
    RETURNS(keel_mpi_loop_end(&loop), KEEL_MPI_ARGUMENT);
    check_recover();
}

RANK_CHECK(other_thread)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_THREADS);
    }
    run_team(100);
    check_whole(100);
    check_recover();
}

RANK_CHECK(freed_with_an_offer)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    RETURNS(keel_mpi_share(comm), KEEL_MPI_OK);
    MPI_Comm_free(&comm);
    run_team(100);
    check_whole(100);
    RETURNS(gather(), KEEL_MPI_NO_LOOP);
    check_recover();
}

/* The second thread comes to the loop during the first one of another communicator. */
RANK_CHECK(freed_before_a_thread_comes)
{
    atomic_bool comes = false;
    MPI_Comm comm;

    omp_set_max_active_levels(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    RETURNS(keel_mpi_share(comm), KEEL_MPI_OK);
#pragma omp parallel num_threads(2)
    {
        while (omp_get_thread_num() == 1 && !atomic_load(&comes)) {
            nap(1000);
        }
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 300; i++) {
            times[i]++;
        }
        if (omp_get_thread_num() == 0) {
            MPI_Comm_free(&comm);
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            RETURNS(keel_mpi_share(comm), KEEL_MPI_OK);
#pragma omp parallel for schedule(runtime) num_threads(2)
            for (int i = 300; i < 600; i++) {
                times[i]++;
                atomic_store(&comes, true);
                nap(1000);
            }
            atomic_store(&comes, true); /* other ranks may have executed all */
        }
    }
    MPI_Comm_free(&comm);
    check_shared(600, false);
}

RANK_CHECK(freed_after_a_loop)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    RETURNS(keel_mpi_share_nowait(comm), KEEL_MPI_OK);
    run_team(200);
    MPI_Comm_free(&comm);
    check_shared(200, false);
    RETURNS(gather(), KEEL_MPI_NO_LOOP);
    check_recover();
}

RANK_CHECK(wrong_communicators)
{
    MPI_Comm half, between;
    struct keel_mpi_loop *loop;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &between);
    RETURNS(keel_mpi_share(MPI_COMM_NULL), KEEL_MPI_COMM);
    RETURNS(keel_mpi_share(between), KEEL_MPI_COMM);
    run_team(100);
    check_whole(100);
    RETURNS(keel_mpi_loop_begin(between, 100, 0, &loop), KEEL_MPI_COMM);
    RETURNS(run_begun(loop), KEEL_MPI_COMM);
    check_whole(100);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    check_recover();
}

/* --- Keel --- */

RANK_CHECK(unknown_schedule)
{
    RETURNS(keel_mpi_set_schedule("tre"), KEEL_MPI_ARGUMENT);
}

/* --- loops that end early, or while others run --- */

RANK_CHECK(begun_while_running)
{
    struct keel_mpi_loop *loop, *other;
    uint64_t first, last, whole = 0;

    RETURNS(keel_mpi_loop_begin(MPI_COMM_WORLD, 300, 0, &loop), KEEL_MPI_OK);
    RETURNS(keel_mpi_loop_begin(MPI_COMM_WORLD, 100, 0, &other), KEEL_MPI_BUSY);
    while (keel_mpi_loop_next(other, &first, &last)) {
        whole += last - first;
    }
    CHECK(whole == 100, "%lu iterations of a loop that is not shared", whole);
    RETURNS(keel_mpi_loop_end(&other), KEEL_MPI_BUSY);
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_BUSY);
    RETURNS(gather(), KEEL_MPI_BUSY);
    RETURNS(run_begun(loop), KEEL_MPI_OK);
    check_shared(300, false);
    check_recovery();
}

static void nap_ms(unsigned time_ms)
{
    nanosleep(&(struct timespec){.tv_nsec = time_ms * 1000000L}, NULL);
}

/* Takes up to `chunks` chunks, slowly. */
static int run_some(struct keel_mpi_loop *loop, unsigned chunks, unsigned time_ms)
{
    uint64_t first, last;

    for (unsigned i = 0; i < chunks && keel_mpi_loop_next(loop, &first, &last); i++) {
        for (uint64_t k = first; k < last; k++) {
            times[k]++;
        }
        nap_ms(time_ms);
    }
    return keel_mpi_loop_end(&loop);
}

/* All ranks get the same code: the loop was cancelled or, unless surely, done before that. */
static void check_agreed(int code, bool surely)
{
    int most, least;

    MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK(most == least && (most == KEEL_MPI_CANCELLED || (!surely && most == KEEL_MPI_OK)),
          "codes are %d to %d", least, most);
}

/* Rank `who` gives up after `chunks`. If the others have all other iterations by then, the loop is
 * not cancelled; all ranks agree on that. surely: they can't have. */
static void cancel(int who, unsigned chunks, unsigned flags, bool surely)
{
    struct keel_mpi_loop *loop;
    int code;

    RETURNS(keel_mpi_loop_begin(MPI_COMM_WORLD, 1000, flags, &loop), KEEL_MPI_OK);
    run_some(loop, rank == who ? chunks : 1001, surely && rank != who);
    code = keel_mpi_wait(MPI_COMM_WORLD);
    check_agreed(code, surely);
    RETURNS(gather(), code);
    check_shared(1000, code == KEEL_MPI_CANCELLED);
}

RANK_CHECK(cancelled)
{
    static const char *const schedule[] = {"tree", "steal", "ss", "gss", "af", "static"};

    for (unsigned i = 0; i < 6; i++) {
        keel_mpi_set_schedule(schedule[i]);
        cancel(0, 1, 0, false);
        cancel(ranks - 1, 0, 0, false);
        cancel((int)i % ranks, 1, KEEL_MPI_NOWAIT, false);
        keel_mpi_set_schedule("ss");
        cancel((int)i % ranks, i, i % 2 ? KEEL_MPI_NOWAIT : 0, true);
    }
    check_recovery();
}

static void run_cancelled_team(int who)
{
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 400; i++) {
            times[i]++;
            if (rank == who && omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel for
            }
            nap_ms(1);
        }
    }
}

/* All iterations have been begun by then: the others may be done. */
RANK_CHECK(cancelled_at_the_end)
{
    static const char *const schedule[] = {"tree", "ss", "rate", "static"};

    for (unsigned i = 0; i < 16; i++) {
        omp_set_num_threads(1 + (int)i / 4);
        keel_mpi_set_schedule(schedule[i % 4]);
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
#pragma omp parallel
#pragma omp for schedule(runtime)
        for (int k = 0; k < 50; k++) {
            times[k]++;
            if (k == 49) {
                nap_ms(2);
#pragma omp cancel for
            }
        }
        check_shared(50, true);
        check_agreed(keel_mpi_wait(MPI_COMM_WORLD), i < 4);
    }
    check_recover();
}

RANK_CHECK(cancelled_in_a_team)
{
    static const char *const schedule[] = {"tree", "ss", "rate", "steal", "gss", "diffuse"};

    for (unsigned i = 0; i < 6; i++) {
        keel_mpi_set_schedule(schedule[i]);
        omp_set_num_threads(1 + (int)i % 3);
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
        run_cancelled_team((int)i % ranks);
        if (i % 2 == 0) {
            RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_CANCELLED);
        }
        check_shared(400, true);
    }
    check_recover();
}

/* --- the program --- */

/* Runs checks one after the other, each with a file for its output; resets what another has set. */
static void run_checks(int count, char **names)
{
    int threads = omp_get_max_threads();
    char path[4096];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", getenv("KEEL_TEST_SAID"), names[i]);
        if (freopen(path, "a", stdout) == NULL) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        dup2(fileno(stdout), 2);
        rank_checks_run(names[i]);
        keel_mpi_set_schedule(NULL);
        omp_set_num_threads(threads);
        forget();
        MPI_Barrier(MPI_COMM_WORLD);
        printf("%s has run\n", names[i]);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    bool not_ready = strcmp(name, "not_ready") == 0;
    int level;

    if (not_ready) {
        check_not_ready();
    }
    MPI_Init_thread(&argc, &argv,
                    strcmp(name, "single") == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!not_ready) {
        if (getenv("KEEL_TEST_SAID") != NULL) {
            run_checks(argc - 1, argv + 1);
        } else {
            rank_checks_run(name);
        }
    }
    MPI_Finalize();
    if (not_ready) {
        check_not_ready();
    }
    return check_status();
}
