/* Who holds whose copies: everybody one, nobody the own, and on another machine where that goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_backend/rows/copies/ring.h"
#include "tests/support/draws.h"

#define RANKS_MAX 40

static struct draws draws;

/* Ranks that have their copies on their own machine. */
static uint32_t count_near(uint32_t ranks, const uint32_t *machine)
{
    uint32_t holder[RANKS_MAX], near = 0;
    bool holds[RANKS_MAX] = {false};

    assert_true(keel_mpi_ring_make(ranks, machine, holder));
    for (uint32_t i = 0; i < ranks; i++) {
        assert_true(holder[i] < ranks);
        assert_int_not_equal(holder[i], i);
        assert_false(holds[holder[i]]);
        holds[holder[i]] = true;
        near += machine[holder[i]] == machine[i];
    }
    return near;
}

static void a_machine_alone_is_a_ring_of_neighbours(void **state)
{
    const uint32_t machine[4] = {0};
    uint32_t holder[4];

    (void)state;
    assert_true(keel_mpi_ring_make(4, machine, holder));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(holder[i], (i + 1) % 4);
    }
}

static void copies_are_on_other_machines(void **state)
{
    static const uint32_t blocks[] = {0, 0, 0, 3, 3, 3}, turns[] = {0, 1, 0, 1, 0, 1},
                          uneven[] = {0, 1, 1, 3, 3, 3};

    (void)state;
    assert_int_equal(count_near(6, blocks), 0);
    assert_int_equal(count_near(6, turns), 0);
    assert_int_equal(count_near(6, uneven), 0);
    assert_int_equal(count_near(2, (const uint32_t[]){0, 1}), 0);
}

/* A machine with more than half of the ranks: as many of them as there are others elsewhere. */
static void any_machines(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_alone_is_a_ring_of_neighbours),
        cmocka_unit_test(copies_are_on_other_machines),
        cmocka_unit_test(any_machines),
    };

    draws = draws_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
