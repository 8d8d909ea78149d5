/* The name of a job, and the file in memory in which its ranks on this node meet. */
#define _GNU_SOURCE
#include "mpi_backend/calls/mpi_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/support/environment.h"

/* A thread may hold what others need to come to its loop, or they never come, as the region was
 * cancelled: it goes on after so long, core or not. */
#define PARKED_NS 50000000

/* Each call wakes all ranks of the node: not more often than they wake up anyway. */
#define CALL_NS 500000

enum { GATHERING, MET, GIVEN_UP };

/* All zeroes before anybody has entered. */
struct table {
    _Atomic uint32_t state, come;
    struct {
        struct keel_node_rank rank;
        _Atomic bool entered;
    } entry[KEEL_NODE_RANKS_MAX];
    _Atomic uint32_t waits[KEEL_NODE_RANKS_MAX]; /* of each, twice; odd: it waits */
    _Atomic uint64_t began_ns[KEEL_NODE_RANKS_MAX], waited_ns[KEEL_NODE_RANKS_MAX];
    /* Threads of each rank that wait for a core, and the futex that they sleep on: it is counted up
     * when they are to look again. */
    _Atomic uint32_t parked[KEEL_NODE_RANKS_MAX], bell[KEEL_NODE_RANKS_MAX];
    _Atomic uint32_t asleep, calls; /* threads that sleep in MPI, and their futex, too */
    _Atomic pid_t guest[KEEL_NODE_RANKS_MAX][KEEL_NODE_GUESTS_MAX];
};

static struct table *met_in;         /* NULL: the ranks have not met */
static unsigned met_rank, met_count; /* this rank, of so many */
static _Atomic uint64_t called_ns;   /* when this rank called last */

/* --- the name of the job --- */

/* Whether a process was started as a rank by MPICH's launcher, or by such a one: its environment
 * names the rank. */
static bool is_of_rank(long process)
{
    static const char name[] = "MPI_LOCALRANKID=";
    char path[64], *variable = NULL;
    size_t size = 0;
    bool found = false;

    snprintf(path, sizeof path, "/proc/%ld/environ", process);
    FILE *environment = fopen(path, "re");
    while (environment != NULL && !found && getdelim(&variable, &size, '\0', environment) > 0) {
        found = strncmp(variable, name, sizeof name - 1) == 0;
    }
    if (environment != NULL) {
        fclose(environment);
    }
    free(variable);
    return found;
}

/* 0: it is not known */
static long parent_of(long process)
{
    char line[128];
    long parent = 0;

    snprintf(line, sizeof line, "/proc/%ld/status", process);
    FILE *status = fopen(line, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL &&
           sscanf(line, "PPid: %ld", &parent) != 1) {
    }
    if (status != NULL) {
        fclose(status);
    }
    return parent;
}

void keel_node_job(char *job)
{
    long starter = getppid();

    keel_launch_job(keel_environment_value, job);
    if (job[0] == '\0') {
        while (is_of_rank(starter)) {
            starter = parent_of(starter);
        }
        snprintf(job, KEEL_LAUNCH_JOB_MAX, "of-%ld", starter);
    }
}

/* --- meeting --- */

static struct table *open_table(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat found;
    void *table = MAP_FAILED;

    if (file < 0) {
        return NULL;
    }
    if (fstat(file, &found) == 0 && found.st_uid == geteuid() &&
        ftruncate(file, sizeof(struct table)) == 0) {
        table = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
    return table != MAP_FAILED ? table : NULL;
}

/* acquire: pairs with the entering */
static bool all_entered(struct table *table, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!atomic_load_explicit(&table->entry[i].entered, memory_order_acquire)) {
            return false;
        }
    }
    return true;
}

static void sleep_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Whoever sees first that all have entered, or has waited too long, decides for all.
 * tests/models/gathering.pml: decide */
static bool wait_for_all(struct table *table, unsigned count, double patience_s)
{
    double began_s = keel_clock_s();
    uint32_t state = GATHERING;

    for (;;) {
        uint32_t decision = all_entered(table, count) ? MET : GIVEN_UP;
        if ((decision == MET || keel_clock_s() - began_s > patience_s) &&
            atomic_compare_exchange_strong(&table->state, &state, decision)) {
            return decision == MET;
        }
        state = atomic_load(&table->state);
        if (state != GATHERING) {
            return state == MET;
        }
        sleep_a_little();
    }
}

/* What a job of this name has left that did not end well. */
static bool is_stale(const struct table *table, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (kill(table->entry[i].rank.process, 0) != 0 && errno == ESRCH) {
            return true;
        }
    }
    return false;
}

bool keel_node_table_meet(const char *job, unsigned rank, unsigned count,
                          const struct keel_node_rank *own, double patience_s,
                          struct keel_node_rank *all)
{
    char path[192];

    snprintf(path, sizeof path, "/dev/shm/keel-cores-%u-%.128s", (unsigned)geteuid(), job);
    struct table *table = rank < count && count <= KEEL_NODE_RANKS_MAX ? open_table(path) : NULL;
    if (table == NULL) {
        return false;
    }
    if (atomic_fetch_add(&table->come, 1) + 1 == count) {
        unlink(path); /* all have opened it; none of them has gone on, perhaps to meet once more */
    }
    table->entry[rank].rank = *own; /* tests/models/gathering.pml: enter */
    atomic_store_explicit(&table->entry[rank].entered, true, memory_order_release);
    bool met = wait_for_all(table, count, patience_s) && !is_stale(table, count);
    if (!met) {
        unlink(path); /* those that come later are to find another */
    }
    for (unsigned i = 0; met && i < count; i++) {
        all[i] = table->entry[i].rank;
    }
    if (met) {
        met_rank = rank;
        met_count = count;
        met_in = table;
    } else {
        munmap(table, sizeof *table);
    }
    return met;
}

/* --- threads that wait for a core --- */

/* Futexes that processes share. */
static long sleep_or_wake(_Atomic uint32_t *bell, int operation, uint32_t number,
                          const struct timespec *time)
{
    return syscall(SYS_futex, bell, operation, number, time, NULL, 0);
}

static void ring(unsigned rank)
{
    if (atomic_load(&met_in->parked[rank]) > 0) {
        atomic_fetch_add(&met_in->bell[rank], 1);
        sleep_or_wake(&met_in->bell[rank], FUTEX_WAKE, INT_MAX, NULL);
    }
}

void keel_node_table_ring(void)
{
    ring(met_rank);
}

void keel_node_table_park(bool (*may_go)(const void *), const void *context, uint64_t first_ns)
{
    uint64_t now_ns = keel_clock_ns(), first_end_ns = now_ns + first_ns;
    const uint64_t end_ns = now_ns + PARKED_NS;

    atomic_fetch_add(&met_in->parked[met_rank], 1);
    for (; now_ns < end_ns; now_ns = keel_clock_ns()) {
        uint32_t number = atomic_load(&met_in->bell[met_rank]); /* tests/models/cores.pml: park */
        if (may_go(context)) {
            break;
        }
        uint64_t until_ns = now_ns < first_end_ns ? first_end_ns : end_ns;
        sleep_or_wake(&met_in->bell[met_rank], FUTEX_WAIT, number,
                      &(struct timespec){.tv_nsec = (long)(until_ns - now_ns)});
    }
    atomic_fetch_sub(&met_in->parked[met_rank], 1);
}

void keel_node_table_wait(bool waits)
{
    if (met_in == NULL || (atomic_load(&met_in->waits[met_rank]) & 1) == waits) {
        return;
    }
    uint64_t now_ns = keel_clock_ns();
    if (waits) {
        atomic_store(&met_in->began_ns[met_rank], now_ns);
    } else {
        atomic_fetch_add(&met_in->waited_ns[met_rank],
                         now_ns - atomic_load(&met_in->began_ns[met_rank]));
    }
    atomic_fetch_add(&met_in->waits[met_rank], 1);
    for (unsigned i = 0; waits && i < met_count; i++) {
        ring(i);
    }
}

uint64_t keel_node_table_waited_ns(unsigned rank)
{
    uint64_t waited_ns = atomic_load(&met_in->waited_ns[rank]);

    return keel_node_table_waits(rank) % 2 == 0
               ? waited_ns
               : waited_ns + keel_clock_ns() - atomic_load(&met_in->began_ns[rank]);
}

/* --- ranks that sleep --- */

bool keel_node_table_sleep(const struct timespec *time, uint32_t *called)
{
    uint32_t before = *called;

    if (met_in == NULL) {
        nanosleep(time, NULL);
        return false;
    }
    atomic_fetch_add(&met_in->asleep, 1);
    sleep_or_wake(&met_in->calls, FUTEX_WAIT, before, time);
    atomic_fetch_sub(&met_in->asleep, 1);
    *called = atomic_load(&met_in->calls);
    return *called != before;
}

bool keel_node_table_call(void)
{
    if (met_in == NULL || atomic_load(&met_in->asleep) == 0) {
        return false;
    }
    for (unsigned i = 0; i < met_count; i++) {
        if (i != met_rank && keel_node_table_waits(i) % 2 == 0) {
            return false;
        }
    }
    /* relaxed: of two threads, both may call */
    uint64_t now_ns = keel_clock_ns();
    if (now_ns - atomic_load_explicit(&called_ns, memory_order_relaxed) < CALL_NS) {
        return false;
    }
    atomic_store_explicit(&called_ns, now_ns, memory_order_relaxed);
    atomic_fetch_add(&met_in->calls, 1);
    sleep_or_wake(&met_in->calls, FUTEX_WAKE, INT_MAX, NULL);
    return true;
}

_Atomic pid_t *keel_node_table_guest(unsigned rank, unsigned guest)
{
    return &met_in->guest[rank][guest % KEEL_NODE_GUESTS_MAX];
}

uint32_t keel_node_table_waits(unsigned rank)
{
    return atomic_load(&met_in->waits[rank]);
}
