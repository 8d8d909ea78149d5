/* Rows that have moved come to count on all ranks or on none: ranks that are slow at random, whose
 * deadlines pass at random, and whose notices arrive late, follow the rules of commit.h. */
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/commit.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define RANKS_MAX 5
#define MOVEMENTS 3
#define MEETINGS (2 * MOVEMENTS + 1)

struct rank {
    enum keel_mpi_commit state;
    int movement, meetings;
    bool came; /* to the meeting of this state */
    bool late;
    uint64_t heard; /* fewest meetings of ranks that have withdrawn, as far as it knows */
    enum keel_mpi_commit end[MOVEMENTS];
};

struct job {
    int ranks, came[MEETINGS + 1];
    bool refused[MEETINGS + 1];
    uint64_t withdrawn[RANKS_MAX]; /* UINT64_MAX: it has not */
    struct rank rank[RANKS_MAX];
};

static struct draws draws;

static bool drawn(unsigned one_in)
{
    return draws_below(&draws, one_in) == 0;
}

static void begin(struct job *job, int ranks)
{
    *job = (struct job){.ranks = ranks};
    for (int i = 0; i < ranks; i++) {
        job->withdrawn[i] = job->rank[i].heard = UINT64_MAX;
    }
}

/* A movement ends on a rank; one that was late makes no more. */
static void end_movement(struct rank *rank)
{
    rank->end[rank->movement++] = rank->state;
    for (; rank->late && rank->movement < MOVEMENTS; rank->movement++) {
        rank->end[rank->movement] = KEEL_MPI_COMMIT_KEPT;
    }
    rank->state = KEEL_MPI_COMMIT_MOVING;
    rank->came = false;
}

static void leave(struct rank *rank)
{
    rank->late = true;
    rank->state = KEEL_MPI_COMMIT_KEPT;
    end_movement(rank);
}

static void follow(struct rank *rank, bool well)
{
    rank->state = keel_mpi_commit_next(rank->state, well);
    rank->came = false;
    if (rank->state >= KEEL_MPI_COMMIT_TAKEN) {
        end_movement(rank);
    }
}

static void come(struct job *job, struct rank *rank)
{
    rank->came = true;
    job->came[++rank->meetings]++;
    job->refused[rank->meetings] |= rank->state == KEEL_MPI_COMMIT_READY && drawn(20);
}

/* Some step of one rank that has not made all its movements. */
static void step(struct job *job, int number)
{
    struct rank *rank = &job->rank[number];
    int other = (int)draws_below(&draws, (uint64_t)job->ranks);

    if (drawn(3) && job->withdrawn[other] < rank->heard) {
        rank->heard = job->withdrawn[other];
    }
    if (keel_mpi_commit_may_withdraw(rank->state) && drawn(60)) {
        job->withdrawn[number] = (uint64_t)rank->meetings;
        leave(rank);
    } else if (rank->state == KEEL_MPI_COMMIT_MOVING) {
        follow(rank, true);
    } else if (!rank->came) {
        come(job, rank);
    } else if (job->came[rank->meetings] == job->ranks) {
        bool well = !job->refused[rank->meetings];
        follow(rank, well);
    } else if (keel_mpi_meeting_is_in_vain((uint64_t)rank->meetings, rank->heard)) {
        leave(rank);
    }
}

static bool is_over(const struct job *job)
{
    for (int i = 0; i < job->ranks; i++) {
        if (job->rank[i].movement < MOVEMENTS) {
            return false;
        }
    }
    return true;
}

TEST(all_take_or_all_keep)
{
    unsigned taken = 0, kept = 0;
    struct job job;

    for (int i = 0; i < 30000; i++) {
        begin(&job, 2 + i % (RANKS_MAX - 1));
        for (int steps = 0; !is_over(&job); steps++) {
            int number = (int)draws_below(&draws, (uint64_t)job.ranks);
            assert_true(steps < 100000); /* nobody waits for ever */
            if (job.rank[number].movement < MOVEMENTS) {
                step(&job, number);
            }
        }
        for (int movement = 0; movement < MOVEMENTS; movement++) {
            for (int number = 1; number < job.ranks; number++) {
                assert_int_equal(job.rank[number].end[movement], job.rank[0].end[movement]);
            }
            taken += job.rank[0].end[movement] == KEEL_MPI_COMMIT_TAKEN;
            kept += job.rank[0].end[movement] == KEEL_MPI_COMMIT_KEPT;
        }
    }
    assert_true(taken > 1000 && kept > 1000);
}

TEST(ends_stay)
{
    assert_int_equal(keel_mpi_commit_next(KEEL_MPI_COMMIT_TAKEN, false), KEEL_MPI_COMMIT_TAKEN);
    assert_int_equal(keel_mpi_commit_next(KEEL_MPI_COMMIT_KEPT, true), KEEL_MPI_COMMIT_KEPT);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
