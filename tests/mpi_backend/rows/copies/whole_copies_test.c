/* Who holds whose copies: each rank one, none its own, and on another machine where that goes.
 * Which copies ranks go back to: the latest that is whole. */
#include <stddef.h>

#include "mpi_backend/rows/copies/generations.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define RANKS_MAX 40

static struct draws draws;

/* Ranks that have their copies on their own machine. */
static uint32_t count_near(uint32_t ranks, const uint32_t *machine)
{
    uint32_t holder[RANKS_MAX], near = 0;
    bool holds[RANKS_MAX] = {false};

    assert_true(keel_mpi_copies_ring(ranks, machine, holder));
    for (uint32_t i = 0; i < ranks; i++) {
        assert_true(holder[i] < ranks);
        assert_int_not_equal(holder[i], i);
        assert_false(holds[holder[i]]);
        holds[holder[i]] = true;
        near += machine[holder[i]] == machine[i];
    }
    return near;
}

TEST(a_machine_alone_is_a_ring_of_neighbours)
{
    const uint32_t machine[4] = {0};
    uint32_t holder[4];

    assert_true(keel_mpi_copies_ring(4, machine, holder));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(holder[i], (i + 1) % 4);
    }
}

TEST(copies_are_on_other_machines)
{
    static const uint32_t blocks[] = {0, 0, 0, 3, 3, 3}, turns[] = {0, 1, 0, 1, 0, 1},
                          uneven[] = {0, 1, 1, 3, 3, 3};

    assert_int_equal(count_near(6, blocks), 0);
    assert_int_equal(count_near(6, turns), 0);
    assert_int_equal(count_near(6, uneven), 0);
    assert_int_equal(count_near(2, (const uint32_t[]){0, 1}), 0);
}

/* A machine with more than half of the ranks: as many of them as there are others elsewhere. */
TEST(any_machines)
{
    for (int round = 0; round < 5000; round++) {
        uint32_t ranks = 2 + (uint32_t)(draws_next(&draws) % (RANKS_MAX - 1)), machine[RANKS_MAX],
                 largest = 0;
        uint32_t count[RANKS_MAX] = {0}, machines = 1 + (uint32_t)(draws_next(&draws) % ranks);
        for (uint32_t i = 0; i < ranks; i++) {
            machine[i] = (uint32_t)(draws_next(&draws) % machines);
            count[machine[i]]++;
            largest = count[machine[i]] > largest ? count[machine[i]] : largest;
        }
        uint32_t near = count_near(ranks, machine);
        assert_int_equal(near, 2 * largest > ranks ? 2 * largest - ranks : 0);
    }
}

/* --- which generation --- */

static const uint64_t ids[] = {0, 1, 2, 3}, rows_of_all[] = {5, 5, 5, 5};

/* Ranks 0 .. 3, rank i's copy at rank i + 1: what rank `id` has when all copies of the step are
 * complete. */
static struct keel_mpi_generation complete(uint64_t id, uint64_t step)
{
    return (struct keel_mpi_generation){1, step, (id + 3) % 4};
}

static int choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                  const uint64_t *owned, struct keel_mpi_gone *gone)
{
    struct keel_mpi_epoch epoch[KEEL_MPI_GENERATIONS];
    int chosen[RANKS_MAX] = {0};

    for (uint32_t i = 0; i < survivors; i++) {
        for (int g = 0; g < KEEL_MPI_GENERATIONS; g++) {
            epoch[g] = (struct keel_mpi_epoch){ids, owned, 4};
        }
        chosen[i] = keel_mpi_copies_choose(survivor, survivors, i, epoch, gone);
        assert_int_equal(chosen[i] < 0, chosen[0] < 0);
        if (chosen[0] >= 0) { /* each in its own numbers, all the same step */
            assert_int_equal(survivor[i].generation[chosen[i]].step,
                             survivor[0].generation[chosen[0]].step);
        }
    }
    keel_mpi_copies_choose(survivor, survivors, 0, epoch, gone);
    return chosen[0];
}

TEST(a_rank_and_its_holder_are_gone)
{
    struct keel_mpi_survivor survivor[] = {
        {.id = 0, .generation = {complete(0, 10), complete(0, 12)}},
        {.id = 3, .generation = {complete(3, 10), complete(3, 12)}},
    };
    static const uint64_t none_there[] = {5, 0, 5, 5};
    struct keel_mpi_gone gone;

    assert_int_equal(choose(survivor, 2, rows_of_all, &gone), -1);
    assert_int_equal(gone.generation, 0);
    assert_int_equal(gone.rank, 1);
    assert_int_equal(choose(survivor, 2, none_there, &gone), 1); /* it had no rows */
    assert_int_equal(choose(survivor, 2, NULL, &gone), -1);      /* each had something */
}

/* Rank 3 is gone, and rank 0, whose copy the first of all holds. */
TEST(who_provides_what_is_gone)
{
    const struct keel_mpi_survivor survivor[] = {
        {.id = 1, .generation = {complete(1, 10)}},
        {.id = 2, .generation = {complete(2, 10)}},
    };

    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 0), 0);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 1), 0);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 2), 1);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 3), KEEL_MPI_NO_SURVIVOR);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 11, 0), KEEL_MPI_NO_SURVIVOR);
}

TEST(whether_there_were_copies)
{
    struct keel_mpi_survivor survivor[3] = {{.id = 0}, {.id = 1}, {.id = 2}};

    assert_false(keel_mpi_copies_were_whole(survivor, 3));
    for (uint32_t i = 0; i < 3; i++) {
        survivor[i].confirmed = 1;
        assert_true(keel_mpi_copies_were_whole(survivor, 3));
        survivor[i].confirmed = 0;
    }
}

BEFORE_TESTS
{
    draws = draws_begin();
}
