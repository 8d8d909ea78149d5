/* Ranks of a node that meet in a table, as processes. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_backend/calls/mpi_calls.h"
#include "tests/support/unit.h"

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

/* A file of that name in which a rank of an earlier job stands that has ended. */
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
