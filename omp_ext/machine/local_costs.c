/* Costs of this machine alone. */
#define _GNU_SOURCE
#include "omp_ext/machine/local_costs.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "schedules/claim/team.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define ROUNDS KEEL_MEASURING_ROUNDS

/* --- rows: copied into messages, and out of them into memory of their own --- */

#define COPIED (1 << 20) /* bytes of a size in a round */
#define ROW_LEAST 64
#define SIZES 4

static const double row_bytes[SIZES] = {ROW_LEAST, 512, 4096, 32768};

/* A program's functions for its rows, as keel_mpi_rows_items() has them. */
struct packer {
    void (*volatile pack)(char *message, const char *row, size_t bytes);
    char *(*volatile unpack)(const char *message, size_t bytes);
};

static void pack(char *message, const char *row, size_t bytes)
{
    memcpy(message, row, bytes);
}

static char *unpack(const char *message, size_t bytes)
{
    char *row = malloc(bytes);

    if (row != NULL) {
        memcpy(row, message, bytes);
    }
    return row;
}

static const struct packer packer = {pack, unpack};

/* Time for a row, s. Rows lie in an order that is not theirs in memory. */
static double time_packing(char *message, const char *memory, size_t bytes)
{
    size_t rows = COPIED / bytes;
    double began_s = keel_clock_s();

    for (size_t i = 0; i < rows; i++) {
        packer.pack(message + i * bytes, memory + i * 7 % rows * bytes, bytes);
    }
    return (keel_clock_s() - began_s) / (double)rows;
}

static double time_unpacking(char **row, const char *message, size_t bytes)
{
    size_t rows = COPIED / bytes;
    double began_s = keel_clock_s();

    for (size_t i = 0; i < rows; i++) {
        row[i] = packer.unpack(message + i * bytes, bytes);
    }
    double time_s = (keel_clock_s() - began_s) / (double)rows;
    for (size_t i = 0; i < rows; i++) {
        free(row[i]);
    }
    return time_s;
}

static void measure_rows_in(struct keel_measurements *measurements, char *memory, char **row)
{
    double packing_s[SIZES], unpacking_s[SIZES];
    char *message = memory + COPIED;

    memset(memory, 1, 2 * COPIED);
    for (unsigned round = 0; round <= ROUNDS; round++) {
        for (unsigned i = 0; i < SIZES; i++) {
            packing_s[i] = fmax(time_packing(message, memory, (size_t)row_bytes[i]), 1e-10);
            unpacking_s[i] = fmax(time_unpacking(row, message, (size_t)row_bytes[i]), 1e-10);
        }
        struct keel_measuring_line in = keel_measuring_fit(row_bytes, packing_s, SIZES);
        struct keel_measuring_line out = keel_measuring_fit(row_bytes, unpacking_s, SIZES);
        if (round > 0) { /* the first one warms up */
            keel_measuring_note(measurements, KEEL_MACHINE_PACK_ROW, in.startup);
            keel_measuring_note(measurements, KEEL_MACHINE_PACK_BYTE, in.slope);
            keel_measuring_note(measurements, KEEL_MACHINE_UNPACK_ROW, out.startup);
            keel_measuring_note(measurements, KEEL_MACHINE_UNPACK_BYTE, out.slope);
        }
    }
}

static void measure_rows(struct keel_measurements *measurements)
{
    char *memory = malloc(2 * COPIED);
    char **row = malloc(COPIED / ROW_LEAST * sizeof *row);

    if (memory != NULL && row != NULL) {
        measure_rows_in(measurements, memory, row);
    }
    free(row);
    free(memory);
}

/* --- two threads on one core, a byte to and fro --- */

#define PASSES 200 /* of the byte, in a round */

/* Pipes from each of the two threads to the other. */
struct ping_pong {
    int there[2], back[2];
};

static bool pass(int from, int to)
{
    char byte = 0;

    return read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1;
}

static void *pass_back(void *context)
{
    const struct ping_pong *ping_pong = context;

    while (pass(ping_pong->there[0], ping_pong->back[1])) {
    }
    return NULL;
}

/* What is left of a pass without the calls of the kernel, which one thread alone makes as well. */
static double time_switch(const struct ping_pong *ping_pong)
{
    char byte = 0;
    double began_s = keel_clock_s();

    for (unsigned i = 0; i < PASSES; i++) {
        if (write(ping_pong->there[1], &byte, 1) != 1 || read(ping_pong->back[0], &byte, 1) != 1) {
            return 0;
        }
    }
    double both_s = keel_clock_s();
    int own[2];
    if (pipe2(own, O_CLOEXEC) != 0) {
        return 0;
    }
    double alone_s = keel_clock_s();
    for (unsigned i = 0; i < 2 * PASSES; i++) {
        if (write(own[1], &byte, 1) != 1 || read(own[0], &byte, 1) != 1) {
            break;
        }
    }
    double calls_s = keel_clock_s() - alone_s;
    close(own[0]);
    close(own[1]);
    return (both_s - began_s - calls_s) / (2 * PASSES);
}

static void measure_switches(struct keel_measurements *measurements, struct ping_pong *ping_pong)
{
    pthread_t other;

    if (pthread_create(&other, NULL, pass_back, ping_pong) != 0) {
        close(ping_pong->there[1]);
        return;
    }
    time_switch(ping_pong);
    for (unsigned round = 0; round < ROUNDS; round++) {
        keel_measuring_note(measurements, KEEL_MACHINE_CONTEXT_SWITCH, time_switch(ping_pong));
    }
    close(ping_pong->there[1]); /* ends the other one */
    pthread_join(other, NULL);
}

/* The core that this thread is on, alone; false: it has to share no core with itself. */
static bool stay_here(cpu_set_t *before)
{
    int cpu = sched_getcpu();
    cpu_set_t one;

    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof *before, before) != 0) {
        return false;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

static void measure_context_switch(struct keel_measurements *measurements)
{
    struct ping_pong ping_pong;
    cpu_set_t before;

    if (pipe2(ping_pong.there, O_CLOEXEC) != 0) {
        return;
    }
    if (pipe2(ping_pong.back, O_CLOEXEC) == 0) {
        if (stay_here(&before)) {
            measure_switches(measurements, &ping_pong);
            sched_setaffinity(0, sizeof before, &before);
        } else {
            close(ping_pong.there[1]);
        }
        close(ping_pong.back[0]);
        close(ping_pong.back[1]);
    } else {
        close(ping_pong.there[1]);
    }
    close(ping_pong.there[0]);
}

/* --- chunks of loops, by a team on all processors --- */

#define THREADS_MAX 16
#define INSTANCES 64
#define ITERATIONS 4096
#define ITERATION_NS 1e3 /* that are said to have been measured */

/* Written by the thread that measures only, but for `overhead_ns`. */
struct thread_team {
    unsigned threads;
    char *teams; /* INSTANCES of team_bytes */
    size_t team_bytes;
    pthread_barrier_t barrier;
    atomic_bool complete, over;
    double overhead_ns[THREADS_MAX]; /* of each thread, mean of a round */
};

struct worker {
    struct thread_team *thread_team;
    unsigned number;
};

/* Threads that do nothing else than to take chunks would mostly wait for each other. */
static void compute(uint64_t start)
{
    while (keel_clock_span_ns(start, keel_clock_ticks()) < ITERATION_NS) {
    }
}

/* As omp_ext/loop/adaptive.c takes chunks. */
static double run_instance(struct keel_team *team, unsigned thread, double *chunks)
{
    struct keel_team_worker worker;
    double sum_ns = 0, overhead_ns = 0;
    uint64_t first, last, chunk = 0;
    bool taken;

    keel_team_worker_begin(&worker, team, thread, (struct keel_pace){0});
    do {
        uint64_t claim_start = keel_clock_ticks();
        if (chunk > 0) {
            keel_team_worker_done(&worker, (double)chunk * ITERATION_NS, overhead_ns);
        }
        taken = keel_team_worker_next(&worker, &first, &last);
        chunk = taken ? last - first : 0;
        uint64_t begun = keel_clock_ticks();
        overhead_ns = keel_clock_span_ns(claim_start, begun);
        sum_ns += overhead_ns;
        compute(begun);
        *chunks += 1;
    } while (taken);
    return sum_ns;
}

static void run_round(const struct worker *worker)
{
    struct thread_team *thread_team = worker->thread_team;
    double sum_ns = 0, chunks = 0;

    for (unsigned i = 0; i < INSTANCES; i++) {
        struct keel_team *team = (void *)(thread_team->teams + i * thread_team->team_bytes);
        sum_ns += run_instance(team, worker->number, &chunks);
    }
    thread_team->overhead_ns[worker->number] = sum_ns / chunks;
}

static void *work(void *context)
{
    const struct worker *worker = context;
    struct thread_team *thread_team = worker->thread_team;

    while (!atomic_load(&thread_team->complete)) {
        sched_yield();
    }
    for (;;) {
        pthread_barrier_wait(&thread_team->barrier);
        if (atomic_load(&thread_team->over)) {
            return NULL;
        }
        run_round(worker);
        pthread_barrier_wait(&thread_team->barrier);
    }
}

static void note_claims(struct keel_measurements *measurements, double timed_ns)
{
    struct keel_claim_costs costs = keel_predict_claim_costs(timed_ns);

    keel_measuring_note(measurements, KEEL_MACHINE_CLAIM_STEP, costs.step_ns / 1e9);
    keel_measuring_note(measurements, KEEL_MACHINE_CLAIM_OWN, costs.own_ns / 1e9);
    keel_measuring_note(measurements, KEEL_MACHINE_CLAIM_WEIGHTED, costs.weighted_ns / 1e9);
    keel_measuring_note(measurements, KEEL_MACHINE_CLAIM_TIMED, costs.timed_ns / 1e9);
    keel_measuring_note(measurements, KEEL_MACHINE_CLAIM_START, costs.start_ns / 1e9);
}

/* The last thread of the team is this thread. */
static void measure_rounds(struct keel_measurements *measurements, struct thread_team *thread_team)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_af);
    struct worker own = {thread_team, thread_team->threads - 1};

    for (unsigned round = 0; round <= ROUNDS; round++) {
        for (unsigned i = 0; i < INSTANCES; i++) {
            keel_team_begin((void *)(thread_team->teams + i * thread_team->team_bytes), &spec,
                            ITERATIONS, thread_team->threads, NULL, NULL);
        }
        pthread_barrier_wait(&thread_team->barrier);
        run_round(&own);
        pthread_barrier_wait(&thread_team->barrier);
        double sum_ns = 0;
        for (unsigned i = 0; i < thread_team->threads; i++) {
            sum_ns += thread_team->overhead_ns[i];
        }
        if (round > 0) {
            note_claims(measurements, sum_ns / thread_team->threads);
        }
    }
}

/* As many threads as there can be; the barrier is for those that have come. */
static void measure_with_team(struct keel_measurements *measurements,
                              struct thread_team *thread_team, unsigned wanted)
{
    struct worker worker[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    unsigned others = 0;

    for (unsigned i = 0; i + 1 < wanted; i++) {
        worker[others] = (struct worker){thread_team, others};
        others += pthread_create(&thread[others], NULL, work, &worker[others]) == 0;
    }
    thread_team->threads = others + 1;
    pthread_barrier_init(&thread_team->barrier, NULL, thread_team->threads);
    atomic_store(&thread_team->complete, true);
    measure_rounds(measurements, thread_team);
    atomic_store(&thread_team->over, true);
    pthread_barrier_wait(&thread_team->barrier);
    for (unsigned i = 0; i < others; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_barrier_destroy(&thread_team->barrier);
}

static unsigned processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < THREADS_MAX ? (unsigned)count : THREADS_MAX;
}

static void measure_claims(struct keel_measurements *measurements)
{
    unsigned wanted = processors();
    struct thread_team thread_team = {.team_bytes = (keel_team_size(wanted) + 63) / 64 * 64};

    thread_team.teams = aligned_alloc(64, INSTANCES * thread_team.team_bytes);
    if (thread_team.teams != NULL) {
        measure_with_team(measurements, &thread_team, wanted);
        free(thread_team.teams);
    }
}

void keel_local_costs_measure(struct keel_measurements *measurements)
{
    measure_rows(measurements);
    measure_context_switch(measurements);
    measure_claims(measurements);
}
