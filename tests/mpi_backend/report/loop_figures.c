/* Figures of shared loops for reports: they are what the loops' own reports come to, and what the
 * program has counted, also when MPI has ended. `loop_figures CHECK...`, under mpirun with
 * KEEL_REPORT; says what is wrong. */
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/mpi_backend/report/told.h"
#include "tests/support/draws.h"
#include "tests/support/nap.h"
#include "tests/support/near.h"

static int rank, ranks;
static struct draws same;
static double began_s;

/* --- what the program counts itself --- */

enum { FEW, MANY, OPENMP, PLACES };

struct counted {
    uint64_t instances, executed, calls;
    struct keel_mpi_loop_report sum;
    double inside_s; /* in functions of Keel that begin, share out and end the loop */
};
static struct counted counted[PLACES];

static void add_report(struct counted *place)
{
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};

    CHECK(keel_mpi_loop_report(MPI_COMM_WORLD, &report) == KEEL_MPI_OK, "report");
    place->instances++;
    place->sum.iterations += report.iterations;
    place->sum.executed += report.executed;
    place->sum.chunks += report.chunks;
    place->sum.migrations += report.migrations;
    place->sum.migrated += report.migrated;
    place->sum.messages += report.messages;
    place->sum.busy_s += report.busy_s;
}

static bool next(struct counted *place, struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    double before_s = told_now_s();
    bool got = keel_mpi_loop_next(loop, first, last);

    place->inside_s += told_now_s() - before_s;
    place->executed += got ? *last - *first : 0;
    place->calls += got;
    return got;
}

static void run_chunks(struct counted *place, struct keel_mpi_loop *loop, uint64_t us)
{
    uint64_t first, last;

    while (next(place, loop, &first, &last)) {
        nap(us * (last - first));
    }
    double before_s = told_now_s();
    CHECK(keel_mpi_loop_end(&loop) == KEEL_MPI_OK, "end");
    place->inside_s += told_now_s() - before_s;
}

/* --- loops, each at a place of its own --- */

static void run_few(uint64_t iterations, uint64_t us)
{
    struct keel_mpi_loop *loop;

    keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, 0, &loop);
    run_chunks(&counted[FEW], loop, us);
    add_report(&counted[FEW]);
}

/* Its end is waited for later. */
static void run_many(uint64_t iterations)
{
    struct keel_mpi_loop *loop;

    keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, KEEL_MPI_NOWAIT, &loop);
    run_chunks(&counted[MANY], loop, 0);
    nap(1000);
    double before_s = told_now_s();
    CHECK(keel_mpi_wait(MPI_COMM_WORLD) == KEEL_MPI_OK, "wait");
    counted[MANY].inside_s += told_now_s() - before_s;
    add_report(&counted[MANY]);
}

static void run_openmp(long iterations)
{
    uint64_t executed = 0;

    CHECK(keel_mpi_share(MPI_COMM_WORLD) == KEEL_MPI_OK, "share");
#pragma omp parallel for schedule(runtime) reduction(+ : executed) num_threads(2)
    for (long i = 0; i < iterations; i++) {
        executed++;
    }
    counted[OPENMP].executed += executed;
    add_report(&counted[OPENMP]);
}

static void check_explicit(void)
{
    for (int i = 0; i < 12; i++) {
        run_few(1 + draws_below(&same, 40), 100);
        run_many(draws_below(&same, 5000));
    }
}

static void check_openmp(void)
{
    for (int i = 0; i < 12; i++) {
        run_openmp((long)draws_below(&same, 3000));
    }
}

/* Others have to wait for rank 0, whose two iterations are long: for the second one to begin, and
 * for both to end; and that shows as waiting. Where the machine is busy with other things, now and
 * then a rank comes late itself. */
static void check_waits(void)
{
    double share = 0;

    for (int i = 0; i < 5 && share < 0.8; i++) {
        struct counted before = counted[FEW];
        double waited_s = before.instances > 0 ? told_figures(began_s).shared[0].waited_s : 0;
        run_few(2 * (uint64_t)ranks, rank == 0 ? 200000 : 0);
        double inside_s = counted[FEW].inside_s - before.inside_s;
        waited_s = told_figures(began_s).shared[0].waited_s - waited_s;
        share = rank == 0 ? 1 : waited_s / inside_s;
        MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    CHECK(share >= 0.8, "of the time in Keel, %g was waiting", share);
}

/* --- comparison --- */

static void compare(const struct keel_report_shared *told, const struct counted *place)
{
    const struct keel_mpi_loop_report *sum = &place->sum;

    CHECK(told->instances == place->instances, "%llu instances, not %llu",
          (unsigned long long)told->instances, (unsigned long long)place->instances);
    CHECK(told->iterations == sum->iterations, "iterations");
    CHECK(told->executed == sum->executed && told->executed == place->executed,
          "executed %llu, counted %llu", (unsigned long long)told->executed,
          (unsigned long long)place->executed);
    CHECK(told->chunks == sum->chunks, "chunks");
    CHECK(place->calls == 0 || told->chunks == place->calls, "%llu chunks, got %llu",
          (unsigned long long)told->chunks, (unsigned long long)place->calls);
    CHECK(told->migrations == sum->migrations && told->migrated == sum->migrated, "migrations");
    CHECK(told->messages == sum->messages, "messages");
    CHECK(is_near(told->busy_s, sum->busy_s), "busy %g s, not %g", told->busy_s, sum->busy_s);
    CHECK(told->elapsed_s > 0 && told->elapsed_s <= told_now_s() - began_s, "elapsed");
    CHECK(told->busy_s + told->waited_s <= 2 * told->elapsed_s, "busy %g, waited %g, elapsed %g",
          told->busy_s, told->waited_s, told->elapsed_s);
    CHECK(place->inside_s == 0 || told->waited_s <= place->inside_s, "waited %g s, inside %g",
          told->waited_s, place->inside_s);
}

/* Those that ran, in the order of their first instances. */
static void compare_all(const struct keel_report_ranks *told)
{
    size_t number = 0;

    CHECK(told->rank == rank && told->ranks == ranks, "rank %d of %d", told->rank, told->ranks);
    CHECK(told->mpi_s > 0 && told->mpi_s <= told_now_s() - began_s, "waited %g s", told->mpi_s);
    CHECK(told->rows_count == 0, "rows");
    for (int i = 0; i < PLACES; i++) {
        if (counted[i].instances > 0 && number < told->shared_count) {
            compare(&told->shared[number++], &counted[i]);
        }
    }
    CHECK(number == told->shared_count, "%zu places", told->shared_count);
}

/* All iterations of all instances are on some rank. */
static void compare_sums(const struct keel_report_ranks *told)
{
    for (size_t i = 0; i < told->shared_count; i++) {
        uint64_t executed = 0, iterations = told->shared[i].iterations;
        MPI_Allreduce(&told->shared[i].executed, &executed, 1, MPI_UINT64_T, MPI_SUM,
                      MPI_COMM_WORLD);
        CHECK(executed == iterations, "%llu of %llu executed", (unsigned long long)executed,
              (unsigned long long)iterations);
    }
}

/* A child of the process is no rank. */
static void check_child(void)
{
    struct keel_report_ranks ranks_told;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        _exit(told_by(began_s, &ranks_told) ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0, "a child tells something");
}

static void print_places(const struct keel_report_ranks *told)
{
    for (size_t i = 0; rank == 0 && i < told->shared_count; i++) {
        printf("%s under %s\n", told->shared[i].place, told->shared[i].schedule);
    }
}

static void run_checks(int arguments, char **argument)
{
    for (int i = 1; i < arguments; i++) {
        if (strcmp(argument[i], "explicit") == 0) {
            check_explicit();
        } else if (strcmp(argument[i], "openmp") == 0) {
            check_openmp();
        } else if (strcmp(argument[i], "waits") == 0) {
            check_waits();
        }
    }
}

int main(int arguments, char **argument)
{
    int level;

    began_s = told_now_s();
    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    same = (struct draws){draws_seed()};
    run_checks(arguments, argument);
    struct keel_report_ranks told = told_figures(began_s);
    compare_all(&told);
    compare_sums(&told);
    MPI_Finalize();
    told = told_figures(began_s);
    compare_all(&told);
    CHECK(told_times == 1, "met %u times", told_times);
    check_child();
    print_places(&told);
    return check_status();
}
