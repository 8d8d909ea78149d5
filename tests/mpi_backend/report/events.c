/* Events of ranks for traces: what the loops' and rows' own reports come to, and one clock for all
 * ranks. `events CHECK...`, under mpirun; stands in for the trace of libkeel.so; says what is
 * wrong. With KEEL_TEST_STAYS, rows may stay where they are. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/trace/ranks.h"
#include "tests/support/check.h"
#include "tests/support/nap.h"

static int rank, ranks;

/* --- what is told --- */

static struct told {
    uint64_t moves, moved, moved_bytes; /* of iterations */
    uint64_t row_moves, rows, row_bytes;
    uint64_t waits, waits_in_loops, waited;
    uint64_t decisions, rows_decisions, rows_moves, rates, shares;
    double share;
    unsigned places;
    int64_t offset_ns;
} told;

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool wanted(void)
{
    return true;
}

static void place(int own, int all, int64_t offset_ns)
{
    CHECK(own == rank && all == ranks, "rank %d of %d", own, all);
    told.places++;
    told.offset_ns = offset_ns;
}

static void check_interval(uint64_t began, uint64_t ended)
{
    CHECK(began > 0 && began <= ended && ended <= now(), "an interval from %llu to %llu",
          (unsigned long long)began, (unsigned long long)ended);
}

static void wait(const char *loop, uint64_t began, uint64_t ended)
{
    check_interval(began, ended);
    CHECK(loop == NULL || strncmp(loop, "events", 6) == 0, "a wait in %s", loop);
    told.waits++;
    told.waits_in_loops += loop != NULL;
    told.waited += ended - began;
}

static void move(const struct keel_trace_move *move)
{
    bool rows = strcmp(move->what, "rows") == 0;

    check_interval(move->began, move->ended);
    CHECK(move->to == rank && move->from != rank && move->from < ranks, "from %d to %d", move->from,
          move->to);
    CHECK(move->first < move->last, "nothing moves");
    CHECK(strncmp(move->name, rows ? "distribution 1" : "events", rows ? 12 : 6) == 0, "%s",
          move->name);
    told.moves += !rows;
    told.moved += rows ? 0 : move->last - move->first;
    told.moved_bytes += rows ? 0 : move->bytes;
    told.row_moves += rows;
    told.rows += rows ? move->last - move->first : 0;
    told.row_bytes += rows ? move->bytes : 0;
}

static void decision(const struct keel_trace_decision *decision)
{
    bool rows = strcmp(decision->about, "rows") == 0;

    CHECK(decision->name[0] != '\0' && decision->reason[0] != '\0', "no reason");
    CHECK(strncmp(decision->object, rows ? "distribution 1" : "events", rows ? 12 : 6) == 0, "%s",
          decision->object);
    told.decisions += !rows;
    told.rows_decisions += rows;
    for (size_t i = 0; i < decision->count; i++) {
        bool moved = rows && strcmp(decision->number[i].name, "moved") == 0;
        told.rows_moves += moved ? (uint64_t)decision->number[i].value : 0;
    }
}

static void counter(const char *name, double value)
{
    CHECK(value >= 0, "%s: %g", name, value);
    told.rates += strcmp(name, "rate") == 0;
    told.shares += strcmp(name, "share") == 0;
    told.share = strcmp(name, "share") == 0 ? value : told.share;
}

static void flush(void) {}

static const struct keel_trace_ranks trace = {wanted, now,      place,   wait,
                                              move,   decision, counter, flush};

const struct keel_trace_ranks *keel_trace_meet(uint32_t version, uint32_t *newest)
{
    *newest = KEEL_TRACE_VERSION;
    CHECK(version == KEEL_TRACE_VERSION, "version %u", version);
    return &trace;
}

/* --- shared loops --- */

#define ITERATIONS 600
#define INSTANCES 8

/* Later ranks are slower, so that the first one gets iterations from them. */
static struct keel_mpi_loop_report run_loop(void)
{
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    keel_mpi_loop_begin(MPI_COMM_WORLD, ITERATIONS, 0, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        nap((last - first) * (uint64_t)(20 + 60 * rank));
    }
    CHECK(keel_mpi_loop_end(&loop) == KEEL_MPI_OK, "end");
    CHECK(keel_mpi_loop_report(MPI_COMM_WORLD, &report) == KEEL_MPI_OK, "report");
    return report;
}

static void check_loops(void)
{
    uint64_t migrations = 0, migrated = 0, any = 0;

    for (int i = 0; i < INSTANCES; i++) {
        struct keel_mpi_loop_report report = run_loop();
        migrations += report.migrations;
        migrated += report.migrated;
        CHECK(told.share == (double)report.executed, "a share of %g, executed %llu", told.share,
              (unsigned long long)report.executed);
    }
    CHECK(told.moves == migrations && told.moved == migrated,
          "%llu moves of %llu iterations, not %llu of %llu", (unsigned long long)told.moves,
          (unsigned long long)told.moved, (unsigned long long)migrations,
          (unsigned long long)migrated);
    CHECK(told.shares == INSTANCES && told.rates <= INSTANCES, "%llu shares",
          (unsigned long long)told.shares);
    CHECK(told.decisions == INSTANCES, "%llu decisions", (unsigned long long)told.decisions);
    CHECK(told.waits_in_loops > 0, "no wait in a loop");
    MPI_Allreduce(&migrations, &any, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(ranks == 1 || any > 0, "nothing has moved at all");
}

/* --- rows --- */

#define ROWS 300
#define HOOKS 40

static void check_rows(void)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct keel_mpi_rows *rows;
    uint64_t first, last;
    double *array;

    keel_mpi_rows_create(MPI_COMM_WORLD, ROWS, KEEL_MPI_ADJACENT, &rows);
    keel_mpi_rows_array(rows, sizeof *array, 10, 1, (void **)&array);
    for (int hook = 0; hook < HOOKS; hook++) {
        keel_mpi_rows_exchange(rows, array);
        keel_mpi_rows_bounds(rows, &first, &last);
        keel_mpi_rows_work_begin(rows);
        nap((last - first) * (uint64_t)(rank + 1));
        keel_mpi_rows_work_end(rows);
        CHECK(keel_mpi_rows_balance(rows, NULL) == KEEL_MPI_OK, "hook");
    }
    keel_mpi_rows_report(rows, &report);
    keel_mpi_rows_bounds(rows, &first, &last);
    CHECK(told.rows == report.rows_received && told.row_bytes == report.rows_received * 80,
          "%llu rows of %llu bytes have come, not %llu", (unsigned long long)told.rows,
          (unsigned long long)told.row_bytes, (unsigned long long)report.rows_received);
    CHECK(told.rows_moves == report.rows_moved, "%llu rows decided on",
          (unsigned long long)told.rows_moves);
    CHECK(report.rows_moved > 0 || getenv("KEEL_TEST_STAYS") != NULL, "nothing has moved");
    CHECK(told.rows_decisions == report.interactions ||
              told.rows_decisions + 1 == report.interactions,
          "%llu decisions", (unsigned long long)told.rows_decisions);
    CHECK(told.share == (double)(last - first), "a share of %g", told.share);
    CHECK((double)told.waited * 1e-9 >= 0.9 * report.waiting_s - 1e-3, "waited %g s, in hooks %g s",
          (double)told.waited * 1e-9, report.waiting_s);
    keel_mpi_rows_free(&rows);
}

/* --- the clock --- */

/* What rank 0 reads lies between two of this rank's readings, as the trace would have them. */
static void check_clock(void)
{
    const int64_t slack_ns = 50000000; /* half of the shortest round trip, on a busy machine */
    int64_t before = 0, there = 0;

    CHECK(told.places >= 1, "no place is told");
    for (int other = 1; other < ranks; other++) {
        if (rank == 0) {
            MPI_Recv(&before, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            there = (int64_t)now();
            MPI_Send(&there, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD);
        } else if (rank == other) {
            before = (int64_t)now() + told.offset_ns;
            MPI_Send(&before, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&there, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            int64_t after = (int64_t)now() + told.offset_ns;
            CHECK(before - slack_ns <= there && there <= after + slack_ns,
                  "%lld ns before, %lld there, %lld after", (long long)before, (long long)there,
                  (long long)after);
        }
    }
    CHECK(rank > 0 || told.offset_ns == 0, "rank 0 is %lld ns off", (long long)told.offset_ns);
}

int main(int arguments, char **argument)
{
    int level;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < arguments; i++) {
        if (strcmp(argument[i], "loops") == 0) {
            check_loops();
        } else if (strcmp(argument[i], "rows") == 0) {
            check_rows();
        }
    }
    check_clock();
    if (arguments > 2) {
        printf("%lld s\n", (long long)llround((double)told.offset_ns * 1e-9));
    }
    MPI_Finalize();
    return check_status();
}
