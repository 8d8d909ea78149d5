/* A program that includes this stands in for libkeel.so, where libkeel_mpi.so meets its report and
 * its trace, and keeps what it receives; link it so that its functions can be found by name. */
#ifndef TESTS_MPI_BACKEND_REPORT_RECEIVED_H
#define TESTS_MPI_BACKEND_REPORT_RECEIVED_H

#include "omp_ext/report/report_data.h"
#include "omp_ext/trace/trace_ranks.h"
#include "tests/support/rank_checks.h"

#define EQUAL(value, wanted) \
    CHECK((value) == (wanted), #value " is %.17g, not %.17g", (double)(value), (double)(wanted))

#define AT_MOST(value, most) \
    CHECK((value) <= (most), #value " is %.17g, over %.17g", (double)(value), (double)(most))

#define SAME(received, own, member) EQUAL((received)->member, (own)->member)

static double began_s;

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static double now_s(void)
{
    return (double)now() * 1e-9;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* --- where the two libraries meet: reports --- */

static keel_report_ranks_provider *provider; /* NULL: nobody has come yet */
static unsigned met;                         /* that somebody came */

bool keel_report_meet(uint32_t version, keel_report_ranks_provider *comes, uint32_t *newest)
{
    *newest = KEEL_REPORT_RANKS_VERSION;
    CHECK(version == KEEL_REPORT_RANKS_VERSION, "version %u", version);
    provider = comes;
    met++;
    return true;
}

static struct keel_report_process report_now(void)
{
    struct keel_report_process received = {0};

    CHECK(provider != NULL && provider(began_s, &received), "nothing is received");
    return received;
}

/* --- traces --- */

enum { LOOPS, ROWS, KINDS };

static struct {
    _Atomic uint64_t moves, moved, bytes; /* from any thread of a loop */
    uint64_t decisions, decided;          /* decided: rows that decisions have moved */
} events[KINDS];
static _Atomic uint64_t waits_in_loops, waited_ns;
static uint64_t rates, shares;
static double share;
static unsigned places;
static int64_t offset_ns;

static bool wanted(void)
{
    return true;
}

static void place(int own, int all, int64_t offset)
{
    CHECK(own == rank && all == ranks, "rank %d of %d", own, all);
    places++;
    offset_ns = offset;
}

static void check_interval(uint64_t began, uint64_t ended)
{
    CHECK(began > 0 && began <= ended && ended <= now(), "an interval from %lu to %lu", began,
          ended);
}

static int kind_of(const char *about, const char *name)
{
    int kind = strcmp(about, "rows") == 0 ? ROWS : LOOPS;

    CHECK(begins(name, kind == ROWS ? "distribution " : "received"), "the name %s", name);
    return kind;
}

static void wait_received(const char *loop, uint64_t began, uint64_t ended)
{
    check_interval(began, ended);
    CHECK(loop == NULL || begins(loop, "received"), "a wait in %s", loop);
    waits_in_loops += loop != NULL;
    waited_ns += ended - began;
}

static void move_received(const struct keel_trace_move *move)
{
    int kind = kind_of(move->what, move->name);

    check_interval(move->began, move->ended);
    CHECK(move->to == rank && move->from != rank && move->from < ranks, "from %d to %d", move->from,
          move->to);
    CHECK(move->first < move->last, "nothing moves");
    events[kind].moves++;
    events[kind].moved += move->last - move->first;
    events[kind].bytes += move->bytes;
}

static void decision_received(const struct keel_trace_decision *decision)
{
    int kind = kind_of(decision->about, decision->object);

    CHECK(decision->name[0] != '\0' && decision->reason[0] != '\0', "no reason");
    events[kind].decisions++;
    for (size_t i = 0; i < decision->count; i++) {
        bool moved = strcmp(decision->number[i].name, "moved") == 0;
        events[kind].decided += moved ? (uint64_t)decision->number[i].value : 0;
    }
}

static void counter_received(const char *name, double value)
{
    CHECK(value >= 0, "%s: %g", name, value);
    rates += strcmp(name, "rate") == 0;
    shares += strcmp(name, "share") == 0;
    share = strcmp(name, "share") == 0 ? value : share;
}

static void flush(void) {}

static const struct keel_trace_ranks trace = {
    .wanted = wanted,
    .now = now,
    .place = place,
    .wait = wait_received,
    .move = move_received,
    .decision = decision_received,
    .counter = counter_received,
    .flush = flush,
};

const struct keel_trace_ranks *keel_trace_meet(uint32_t version, uint32_t *newest)
{
    *newest = KEEL_TRACE_VERSION;
    CHECK(version == KEEL_TRACE_VERSION, "version %u", version);
    return &trace;
}

/* --- the clock of the trace --- */

/* What rank 0 reads lies between two of this rank's readings, as the trace would have them. */
static inline void check_clock(void)
{
    const int64_t slack_ns = 50000000; /* half of the shortest round trip, on a busy machine */
    int64_t before = 0, there = 0;

    CHECK(places >= 1, "no place is named");
    for (int other = 1; other < ranks; other++) {
        if (rank == 0) {
            MPI_Recv(&before, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            there = (int64_t)now();
            MPI_Send(&there, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD);
        } else if (rank == other) {
            before = (int64_t)now() + offset_ns;
            MPI_Send(&before, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&there, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            int64_t after = (int64_t)now() + offset_ns;
            CHECK(before - slack_ns <= there && there <= after + slack_ns,
                  "%ld ns before, %ld there, %ld after", before, there, after);
        }
    }
    CHECK(rank > 0 || offset_ns == 0, "rank 0 is %ld ns off", offset_ns);
    if (getenv("KEEL_TEST_CLOCK") != NULL) {
        printf("%ld s\n", lround((double)offset_ns * 1e-9));
    }
}

#endif
