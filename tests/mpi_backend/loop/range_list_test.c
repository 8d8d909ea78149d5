/* Lists of ranges: chunks recorded in any order become the executed iterations, and missing ones
 * are found and can be run; missing memory is never silent. */
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/results/range_list.h"
#include "schedules/claim/plan.h"
#include "tests/support/helpers.h"
#include "tests/support/wrapped.h"
#include "tests/support/unit.h"

/* --- recording --- */

static void assert_ranges(const struct keel_mpi_range_list *ranges, const uint64_t (*wanted)[2],
                          size_t count)
{
    assert_int_equal(ranges->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ranges->range[i].first, wanted[i][0]);
        assert_int_equal(ranges->range[i].last, wanted[i][1]);
    }
}

#define ASSERT_RANGES(ranges, ...)                            \
    assert_ranges(ranges, (const uint64_t[][2]){__VA_ARGS__}, \
                  sizeof((const uint64_t[][2]){__VA_ARGS__}) / sizeof(const uint64_t[2]))

TEST(adjacent_chunks_make_one_range)
{
    struct keel_mpi_range_list ranges = {0};

    keel_mpi_range_list_note(&ranges, 3, 5);
    keel_mpi_range_list_note(&ranges, 5, 9);
    keel_mpi_range_list_note(&ranges, 20, 21);
    keel_mpi_range_list_note(&ranges, 0, 3); /* behind the last one, not before the first */
    ASSERT_RANGES(&ranges, {3, 9}, {20, 21}, {0, 3});
    keel_mpi_range_list_merge(&ranges);
    ASSERT_RANGES(&ranges, {0, 9}, {20, 21});
    assert_int_equal(keel_mpi_range_list_iterations(&ranges), 10);
    keel_mpi_range_list_free(&ranges);
}

TEST(a_cleared_list_begins_anew)
{
    struct keel_mpi_range_list ranges = {0};

    keel_mpi_range_list_note(&ranges, 0, 4);
    ranges.incomplete = true;
    keel_mpi_range_list_clear(&ranges);
    assert_false(ranges.incomplete);
    keel_mpi_range_list_note(&ranges, 4, 6); /* does not continue the range before */
    ASSERT_RANGES(&ranges, {4, 6});
    keel_mpi_range_list_free(&ranges);
    assert_null(ranges.range);
    assert_int_equal(ranges.room, 0);
}

/* --- no memory --- */

TEST(a_range_without_memory_makes_a_list_incomplete)
{
    struct keel_mpi_range_list ranges = {0};

    memory_fails_after(0);
    keel_mpi_range_list_note(&ranges, 0, 4);
    assert_true(ranges.incomplete);
    assert_int_equal(ranges.count, 0);
    memory_fails_after(1);
    for (uint64_t i = 10; !(ranges.incomplete && i > 1000); i += 2) {
        keel_mpi_range_list_note(&ranges, i, i + 1);
    }
    assert_int_equal(ranges.count, ranges.room);
    assert_int_equal(ranges.range[ranges.count - 1].last, 2 * ranges.count + 9);
    assert_true(memory_works());
    keel_mpi_range_list_free(&ranges);
    assert_false(ranges.incomplete);
}

TEST(an_incomplete_list_makes_the_whole_incomplete)
{
    struct keel_mpi_range_list ranges = {0}, other = {.incomplete = true};

    assert_true(keel_mpi_range_list_append(&ranges, &other));
    assert_true(ranges.incomplete);
}

/* --- the rest of a loop: numbered from 0, and converted to units again --- */

static struct draws draws;

#define UNITS 200
#define RANKS 4

/* The rank that has executed each unit; RANKS: none. */
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

/* Chunks of numbers, as of a loop over the rest: whether their pieces are the units that no rank
 * has executed, each once, in order. */
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
