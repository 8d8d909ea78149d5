/* Cores that ranks of a node share: the table of the node, and what is decided by it. */
#define _GNU_SOURCE

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_backend/calls/mpi_calls.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- the table: ranks of a node that meet in a table, as processes --- */

#define RANKS 6
#define PATIENCE_S 200 /* longer than a busy machine takes */

static char job[64];

static struct keel_node_rank entry_of(unsigned rank)
{
    struct keel_node_rank entry = {.process = getpid()};

    CPU_SET(rank + 3, &entry.cores);
    return entry;
}

/* Exit code of a rank: 0: it has met the others and has their entries, 1: not met, 2: wrong. */
static int rank_of(unsigned rank, unsigned count, double patience_s)
{
    struct keel_node_rank own = entry_of(rank), all[RANKS];

    if (!keel_node_table_meet(job, rank, count, &own, patience_s, all)) {
        return 1;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!CPU_ISSET(i + 3, &all[i].cores) || CPU_COUNT(&all[i].cores) != 1 ||
            all[i].process <= 0) {
            return 2;
        }
    }
    keel_node_table_wait(true);
    keel_node_table_wait(true); /* counts once */
    for (unsigned i = 0; i < count; i++) {
        while (keel_node_table_waits(i) != 1) {
            usleep(1000);
        }
    }
    sleep(1); /* until the others have looked */
    keel_node_table_wait(false);
    if (keel_node_table_waits(rank) != 2) {
        return 2;
    }
    return all[rank].process == getpid() ? 0 : 2;
}

/* A rank that sleeps in waits of MPI, with real-time priority if it may, and so without slack; exit
 * code: 0: it waits as long as those. */
static int wait_of_mpi(void)
{
    struct keel_node_rank own = entry_of(0), all[RANKS];

    if (!keel_node_table_meet(job, 0, 1, &own, PATIENCE_S, all)) {
        return 1;
    }
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    keel_mpi_waits_sleep();
    for (unsigned wait = 0; wait < 3; wait++) {
        keel_mpi_sleeping_begin(true);
        while (keel_node_table_waits(0) == 2 * wait) {
            sched_yield();
        }
        keel_mpi_sleeping_end();
        if (keel_node_table_waits(0) != 2 * wait + 2) {
            return 2;
        }
    }
    return 0;
}

/* A rank that runs program after program, as a script does; exit code: 0: all have met. */
static int script_of(unsigned rank, unsigned count)
{
    for (unsigned run = 0; run < 100; run++) {
        struct keel_node_rank own = entry_of(rank), all[RANKS];
        if (!keel_node_table_meet(job, rank, count, &own, PATIENCE_S, all)) {
            return 1;
        }
    }
    return 0;
}

/* How many of the ranks [first, last) ended with `code`. */
static unsigned run(unsigned first, unsigned last, unsigned count, double patience_s, int code)
{
    unsigned found = 0;
    pid_t ranks[RANKS];

    for (unsigned i = first; i < last; i++) {
        ranks[i] = fork();
        if (ranks[i] == 0) {
            _exit(rank_of(i, count, patience_s));
        }
    }
    for (unsigned i = first; i < last; i++) {
        int status;
        waitpid(ranks[i], &status, 0);
        found += WIFEXITED(status) && WEXITSTATUS(status) == code;
    }
    return found;
}

static bool left_something(void)
{
    char path[128];

    snprintf(path, sizeof path, "/dev/shm/keel-cores-%u-%s", (unsigned)geteuid(), job);
    return access(path, F_OK) == 0;
}

static void begin(const char *name)
{
    snprintf(job, sizeof job, "test-%ld-%s", (long)getpid(), name);
}

TEST(ranks_that_have_not_met_sleep_as_long_as_they_say)
{
    uint32_t called = 0;

    assert_false(keel_node_table_sleep(&(struct timespec){.tv_nsec = 1000}, &called));
    assert_false(keel_node_table_call());
}

TEST(all_see_the_same_entries)
{
    for (unsigned count = 1; count <= RANKS; count++) {
        begin("all");
        assert_int_equal(run(0, count, count, PATIENCE_S, 0), count);
        assert_false(left_something());
    }
}

TEST(a_rank_waits_as_long_as_its_call)
{
    int status = 0;

    begin("waits");
    pid_t rank = fork();
    if (rank == 0) {
        _exit(wait_of_mpi());
    }
    waitpid(rank, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(ranks_that_meet_again_and_again_find_each_other)
{
    pid_t other;

    begin("again");
    other = fork();
    if (other == 0) {
        _exit(script_of(1, 2));
    }
    assert_int_equal(script_of(0, 2), 0);
    waitpid(other, &(int){0}, 0);
    assert_false(left_something());
}

TEST(one_that_does_not_come_is_not_waited_for_forever)
{
    begin("missing");
    assert_int_equal(run(0, RANKS - 1, RANKS, 0.05, 1), RANKS - 1);
    assert_false(left_something());
}

/* A file of that name with a rank of an earlier job that has ended. */
TEST(what_an_earlier_job_has_left_counts_as_nothing)
{
    begin("stale");
    pid_t ended = fork();
    if (ended == 0) {
        rank_of(1, 2, 1e9); /* waits until it is killed */
        _exit(0);
    }
    while (!left_something()) {
        usleep(1000);
    }
    usleep(100000);
    kill(ended, SIGKILL);
    waitpid(ended, &(int){0}, 0);
    assert_int_equal(run(0, 1, 2, PATIENCE_S, 1), 1);
    assert_false(left_something());
}

TEST(too_many_ranks_and_files_of_others_are_refused)
{
    begin("odd");
    assert_int_equal(rank_of(0, KEEL_NODE_RANKS_MAX + 1, 0.01), 1);
    char path[128];
    snprintf(path, sizeof path, "/dev/shm/keel-cores-%u-%s", (unsigned)geteuid(), job);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(rank_of(0, 1, 0.01), 1);
    unlink(path);
}

/* --- threads that wait for a core, and ranks that sleep --- */

static atomic_bool flag;

static bool is_set(const void *flag)
{
    return atomic_load((const atomic_bool *)flag);
}

static bool other_waits(const void *rank)
{
    return keel_node_table_waits(*(const unsigned *)rank) % 2 == 1;
}

static bool never(const void *context)
{
    return false;
}

static void *park_until_set(void *flag)
{
    keel_node_table_park(is_set, flag, 0);
    return NULL;
}

/* Two ranks, which take turns. Exit code: 0: all was as it has to be. */
static int turns_of(unsigned rank)
{
    const struct timespec long_time = {.tv_sec = PATIENCE_S};
    struct keel_node_rank own = entry_of(rank), all[RANKS];
    const unsigned other = 1 - rank;
    uint32_t called = 0;
    pthread_t thread;

    if (!keel_node_table_meet(job, rank, 2, &own, PATIENCE_S, all)) {
        return 1;
    }
    if (rank == 0) {
        while (!other_waits(&other)) { /* a thread of its own goes on as rank 1 waits */
            keel_node_table_park(other_waits, &other, 0);
        }
        pthread_create(&thread, NULL, park_until_set, &flag);
        usleep(100000); /* so that it sleeps, most likely */
        atomic_store(&flag, true);
        keel_node_table_ring();
        keel_node_table_park(never, NULL, 1000); /* none waits for ever */
        pthread_join(thread, NULL);              /* and another one that looks again */
        while (!keel_node_table_call()) {
            usleep(1000); /* until rank 1 waits */
        }
        return 0;
    }
    if (keel_node_table_sleep(&(struct timespec){.tv_nsec = 300000000}, &called)) {
        return 2; /* no one calls while this rank computes */
    }
    keel_node_table_wait(true);
    return keel_node_table_sleep(&long_time, &called) ? 0 : 3;
}

TEST(threads_that_wait_go_on_and_ranks_that_sleep_are_called)
{
    int status;

    begin("turns");
    for (unsigned rank = 0; rank < 2; rank++) {
        if (fork() == 0) {
            _exit(turns_of(rank));
        }
    }
    for (unsigned rank = 0; rank < 2; rank++) {
        wait(&status);
        assert_int_equal(status, 0);
    }
}

/* --- decisions: own cores, or those of all ranks of the node --- */

#define SECOND 1.0

/* The others never wait. */
static unsigned decided(unsigned own, unsigned all, unsigned threads, double idle, double own_idle,
                        double region_s)
{
    return keel_cores_decide(&(struct keel_cores_seen){.own = own,
                                                       .all = all,
                                                       .threads = threads,
                                                       .idle = idle,
                                                       .own_idle = own_idle,
                                                       .region_s = region_s,
                                                       .regions = INFINITY,
                                                       .asks = true})
        .threads;
}

/* Two ranks of one core: this one has three times the work, in so many regions of a step of 32 ms;
 * the other waits for `wait_s` in each step. */
static struct keel_cores_decision step(unsigned regions, double wait_s, bool asks)
{
    return keel_cores_decide(&(struct keel_cores_seen){.own = 1,
                                                       .all = 2,
                                                       .threads = 1,
                                                       .idle = wait_s / 32e-3,
                                                       .region_s = 32e-3 / regions,
                                                       .regions = regions,
                                                       .asks = asks});
}

TEST(idle_is_what_a_rank_has_not_used)
{
    assert_true(keel_cores_idle(2, 1.5, SECOND) == 0.5);
    assert_true(keel_cores_idle(2, 0, SECOND) == 2);
    assert_true(keel_cores_idle(1, 1.4, SECOND) == 0); /* on others' cores, too */
}

TEST(cores_that_are_idle_are_taken)
{
    assert_int_equal(decided(1, 2, 1, 0.5, 0, 1e-3), 2);
    assert_int_equal(decided(2, 8, 2, 1, 0, 1e-3), 8);
}

TEST(cores_that_are_busy_are_not)
{
    assert_int_equal(decided(1, 2, 1, 0.03, 0, 1e-3), 1);
    assert_int_equal(decided(1, 2, 2, 0.01, 0, 1e-3), 1);
}

TEST(what_lies_between_stays_as_it_is)
{
    assert_int_equal(decided(1, 2, 1, 0.04, 0, 1), 1);
    assert_int_equal(decided(1, 2, 2, 0.04, 0, 1), 2);
}

TEST(short_regions_cost_more_than_they_gain)
{
    assert_int_equal(decided(1, 2, 1, 0.5, 0, 10e-6), 1);
    assert_int_equal(decided(1, 2, 1, 0.5, 0, 100e-6), 2);
    assert_int_equal(decided(1, 64, 1, 0.5, 0, 100e-6), 1); /* 63 threads switch */
}

TEST(where_all_wait_nothing_is_gained)
{
    assert_int_equal(decided(1, 2, 1, 0.3, 0.3, 1e-3), 1);
    assert_int_equal(decided(2, 4, 2, 0.6, 0.6, 1e-3), 2);
    assert_int_equal(decided(1, 2, 1, 0.3, 0.1, 1e-3), 2);
}

TEST(long_regions_have_all_cores_and_short_ones_those_of_ranks_that_wait)
{
    for (int asks = 0; asks < 2; asks++) {
        assert_int_equal(step(1, 16e-3, asks).threads, 2);
        assert_int_equal(step(2, 16e-3, asks).threads, 2);
        assert_int_equal(step(8, 16e-3, asks).threads, asks ? 2 : 1);
        assert_int_equal(step(100, 16e-3, asks).threads, 1);
        assert_true(step(8, 16e-3, asks).joins);
        assert_true(step(100, 16e-3, asks).joins);
    }
}

TEST(short_waits_are_left_alone)
{
    assert_false(step(32, 0.3e-3, true).joins);
    assert_int_equal(step(1, 0.3e-3, true).threads, 1);
    assert_false(step(10000, 16e-3, true).joins); /* regions of 3 us: switches cost more */
}

/* Of two ranks of a core each: the other one's is idle, and in part as it waits. */
TEST(where_cores_are_idle_without_waits_threads_do_not_ask)
{
    struct keel_cores_seen seen = {.own = 1, .all = 2, .threads = 1, .idle = 0.5, .waiting = 0.45};

    seen.region_s = 1e-3;
    seen.regions = 10;
    assert_false(keel_cores_decide(&seen).unasked);
    seen.waiting = 0;
    assert_true(keel_cores_decide(&seen).unasked);
    seen.idle = 0.1;
    assert_false(keel_cores_decide(&seen).unasked);
}

TEST(cores_of_ranks_that_wait_are_divided_among_those_that_compute)
{
    const struct keel_cores_seen seen = {.own = 2, .all = 16};

    assert_int_equal(keel_cores_joined(&seen, 8, 0, 0), 2);
    assert_int_equal(keel_cores_joined(&seen, 8, 4, 8), 4);
    assert_int_equal(keel_cores_joined(&seen, 8, 1, 2), 2);
    assert_int_equal(keel_cores_joined(&seen, 8, 7, 14), 16);
    assert_int_equal(keel_cores_joined(&seen, 8, 8, 14), 16); /* this one seems to wait, too */
    assert_int_equal(keel_cores_joined(&seen, 2, 1, 100), 16);
}

/* Of drawn ranks: the threads are own or all, more idle cores never mean fewer of them, and a
 * decision that has been taken is taken again. */
TEST(decisions_are_steady)
{
    struct draws draws = draws_begin();

    for (unsigned i = 0; i < 100000; i++) {
        unsigned own = 1 + (unsigned)draws_below(&draws, 16);
        unsigned all = own + (unsigned)draws_below(&draws, 64);
        double idle = draws_real(&draws) * all, own_idle = draws_real(&draws) * own;
        double region_s = 1e-6 + draws_real(&draws) * 1e-3;
        unsigned threads = decided(own, all, own, idle, own_idle, region_s);
        assert_true(threads == own || threads == all);
        assert_true(decided(own, all, own, idle + 1, own_idle, region_s) >= threads);
        assert_true(decided(own, all, all, idle, own_idle, region_s) >= threads);
    }
}
