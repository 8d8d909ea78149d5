/* The rest of a loop: what nobody has executed is numbered from 0, numbers become units again, and
 * without memory there is none. */
#include <stddef.h>
#include <string.h>

#include "mpi_backend/results/range_list.h"
#include "schedules/claim/grain.h"
#include "tests/support/draws.h"
#include "tests/support/failing_memory.h"
#include "tests/support/unit.h"

#define UNITS 200
#define RANKS 4

static struct draws draws;

/* Who has executed each unit: a rank, RANKS: nobody. */
static void draw_owners(int *owner, uint64_t units)
{
    uint64_t i = 0;

    while (i < units) {
        int rank = (int)draws_below(&draws, RANKS + 1);
        for (uint64_t left = 1 + draws_below(&draws, 20); left > 0 && i < units; left--) {
            owner[i++] = rank;
        }
    }
}

static void note_units(struct keel_mpi_range_list *ranges, const int *owner, uint64_t units,
                       int least, int most, uint64_t iterations, uint64_t grain)
{
    for (uint64_t i = 0; i < units; i++) {
        if (owner[i] >= least && owner[i] <= most) {
            keel_mpi_range_list_note(ranges, keel_grain_iteration(i, iterations, grain),
                                     keel_grain_iteration(i + 1, iterations, grain));
        }
    }
}

/* Chunks of numbers, as a loop over the rest would have them: whether their pieces are what nobody
 * has executed, each once, in their order. */
static void assert_pieces(const struct keel_mpi_rest *rest, const int *owner, uint64_t units)
{
    uint64_t next = 0, from, to;

    for (uint64_t first = 0, last; first < rest->count; first = last) {
        last = first + 1 + draws_below(&draws, rest->count - first);
        for (uint64_t i = first; i < last; i += to - from) {
            keel_mpi_rest_piece(rest, i, last, &from, &to);
            assert_true(from < to && to - from <= last - i);
            while (next < from) {
                assert_int_not_equal(owner[next++], RANKS);
            }
            while (next < to) {
                assert_int_equal(owner[next++], RANKS);
            }
        }
    }
    while (next < units) {
        assert_int_not_equal(owner[next++], RANKS);
    }
}

static void assert_complete(const struct keel_mpi_rest *rest, const int *owner, uint64_t units,
                            int own)
{
    bool has[UNITS] = {false};
    struct keel_mpi_range_list executed = {0};
    uint64_t numbers = 0;

    for (uint64_t i = 0; i < units; i++) {
        has[i] = owner[i] == own;
        if (owner[i] == RANKS) {
            if (draws_below(&draws, 2) == 0) {
                keel_mpi_range_list_note(&executed, numbers, numbers + 1);
                has[i] = true;
            }
            numbers++;
        }
    }
    assert_int_equal(numbers, rest->count);
    keel_mpi_range_list_merge(&executed);
    keel_mpi_rest_complete(rest, &executed);
    assert_false(executed.incomplete);
    for (size_t k = 0; k < executed.count; k++) {
        assert_true(k == 0 || executed.range[k - 1].last < executed.range[k].first);
        for (uint64_t i = executed.range[k].first; i < executed.range[k].last; i++) {
            assert_true(has[i]);
            has[i] = false;
        }
    }
    for (uint64_t i = 0; i < units; i++) {
        assert_false(has[i]);
    }
    keel_mpi_range_list_free(&executed);
}

TEST(drawn_loops_are_finished)
{
    for (int round = 0; round < 3000; round++) {
        uint64_t grain = 1 + draws_below(&draws, 5), units = draws_below(&draws, UNITS + 1);
        uint64_t iterations = units * grain - (units > 0 ? draws_below(&draws, grain) : 0);
        int owner[UNITS], own = (int)draws_below(&draws, RANKS);
        struct keel_mpi_range_list mine = {0}, all = {0};
        struct keel_mpi_rest rest;

        draw_owners(owner, units);
        note_units(&mine, owner, units, own, own, iterations, grain);
        note_units(&all, owner, units, 0, RANKS - 1, iterations, grain);
        assert_true(keel_mpi_rest_open(&rest, iterations, grain, &mine, &all));
        assert_int_equal(rest.units, units);
        assert_pieces(&rest, owner, units);
        assert_complete(&rest, owner, units, own);
        keel_mpi_rest_free(&rest);
        keel_mpi_range_list_free(&mine);
        keel_mpi_range_list_free(&all);
    }
}

TEST(without_memory_there_is_none)
{
    struct keel_mpi_rest rest;
    unsigned calls = 0;
    bool opened;

    do {
        struct keel_mpi_range_list mine = {0}, all = {0};
        keel_mpi_range_list_note(&mine, 0, 1);
        keel_mpi_range_list_note(&all, 0, 1);
        memory_fails_after(calls++);
        opened = keel_mpi_rest_open(&rest, 3, 1, &mine, &all);
        assert_true(memory_works() != opened);
        keel_mpi_range_list_free(&mine);
        keel_mpi_range_list_free(&all);
    } while (!opened);
    assert_true(calls > 2);

    struct keel_mpi_range_list executed = {0};
    keel_mpi_range_list_note(&executed, 0, 1);
    memory_fails_after(0);
    keel_mpi_rest_complete(&rest, &executed);
    assert_true(memory_works());
    assert_true(executed.incomplete);
    keel_mpi_range_list_free(&executed);
    keel_mpi_rest_free(&rest);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
