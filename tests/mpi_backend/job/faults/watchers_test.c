/* Who watches ranks on other machines: that one has ended is seen by one that is left. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mpi_backend/job/processes/processes.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

enum { RANKS_MAX = 300 };

struct job {
    uint32_t ranks;
    uint64_t machine[RANKS_MAX];
    bool watched[RANKS_MAX][RANKS_MAX]; /* by the first */
};

static struct job job;

static void plan(void)
{
    memset(job.watched, 0, sizeof job.watched);
    for (uint32_t own = 0; own < job.ranks; own++) {
        assert_true(keel_mpi_watchers_plan(job.machine, job.ranks, own, job.watched[own]));
    }
}

static bool is_near(uint32_t one, uint32_t other)
{
    return job.machine[one] != 0 && job.machine[one] == job.machine[other];
}

/* Machines whose ranks watch one; and whom one rank watches. */
static uint32_t watching_machines(uint32_t rank)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < job.ranks; i++) {
        bool counted = false;
        for (uint32_t j = 0; job.watched[i][rank] && j < i && !counted; j++) {
            counted = job.watched[j][rank] && is_near(i, j);
        }
        count += job.watched[i][rank] && !counted;
    }
    return count;
}

static uint32_t watches(uint32_t rank)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < job.ranks; i++) {
        count += job.watched[rank][i];
    }
    return count;
}

static uint32_t ceiling_of_log(uint32_t number)
{
    uint32_t log = 0;

    while ((UINT32_C(1) << log) < number) {
        log++;
    }
    return log;
}

static void alike(uint32_t machines, uint32_t each)
{
    job.ranks = machines * each;
    for (uint32_t i = 0; i < job.ranks; i++) {
        job.machine[i] = UINT64_C(0x9e3779b97f4a7c15) * (i % machines + 1);
    }
    plan();
}

/* As many watch one as one watches, and these are few. */
TEST(machines_that_are_alike_watch_alike)
{
    for (uint32_t machines = 1; machines <= 33; machines++) {
        for (uint32_t each = 1; each <= 4; each++) {
            alike(machines, each);
            for (uint32_t rank = 0; rank < job.ranks; rank++) {
                assert_int_equal(watches(rank), ceiling_of_log(machines));
                assert_int_equal(watching_machines(rank), ceiling_of_log(machines));
            }
        }
    }
}

/* Of any ranks, on machines of any size, of which some are not known. */
TEST(no_rank_is_left_out)
{
    struct draws draws = draws_begin();

    for (int round = 0; round < 200; round++) {
        uint32_t machines = 2 + (uint32_t)draws_below(&draws, 40);
        job.ranks = 2 + (uint32_t)draws_below(&draws, RANKS_MAX - 2);
        for (uint32_t i = 0; i < job.ranks; i++) {
            job.machine[i] = draws_below(&draws, machines);
        }
        plan();
        for (uint32_t i = 0; i < job.ranks; i++) {
            bool other = false;
            for (uint32_t j = 0; j < job.ranks; j++) {
                assert_false(job.watched[i][j] && (i == j || is_near(i, j)));
                other = other || (j != i && !is_near(i, j));
            }
            assert_true(!other || watching_machines(i) > 0);
        }
    }
}
