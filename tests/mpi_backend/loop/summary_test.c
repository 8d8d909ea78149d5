/* Summaries of what ranks tell at the end of a loop: added up in any order they say the same, and
 * their size is bounded whatever ranks came with. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "mpi_backend/loop/state/loop_record.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

enum { RANKS_MAX = 200 };

static struct keel_mpi_rank_figures came_with(uint64_t iterations)
{
    return (struct keel_mpi_rank_figures){
        .executed = 10,
        .busy_ns = 100,
        .threads = 2,
        .variance_ns2 = 3,
        .overhead_ns = 5,
        .identity = {.check = iterations, .iterations = iterations, .caller = 1},
    };
}

/* Of ranks first .. last - 1, halved at random places, whose halves are added in either order: as a
 * tree of ranks does, whatever its form. */
static struct keel_mpi_summary sum_of(const struct keel_mpi_rank_figures *rank, uint32_t first,
                                      uint32_t last, struct draws *draws)
{
    if (last - first == 1) {
        return keel_mpi_summary_of(&rank[first], first);
    }
    uint32_t middle = first + 1 + (uint32_t)draws_below(draws, last - first - 1);
    struct keel_mpi_summary lower = sum_of(rank, first, middle, draws);
    struct keel_mpi_summary upper = sum_of(rank, middle, last, draws);
    if (draws_below(draws, 2) == 0) {
        keel_mpi_summary_add(&lower, &upper);
        return lower;
    }
    keel_mpi_summary_add(&upper, &lower);
    return upper;
}

TEST(sums_are_over_all_ranks)
{
    struct keel_mpi_rank_figures rank[4] = {came_with(7), came_with(7), came_with(7), came_with(7)};
    struct draws draws = draws_begin();

    rank[1].threads = 0; /* not measured */
    rank[2].ran_last = true;
    rank[3].cancelled = true;
    struct keel_mpi_summary all = sum_of(rank, 0, 4, &draws);
    assert_true(all.measured == 3 && all.iterations == 30 && all.busy_ns == 300);
    assert_true(all.squares_ns2 == 90 && all.overhead_ns == 15);
    assert_int_equal(all.ran_last, 3);
    assert_int_equal(all.cancelled, 1);
    assert_int_equal(all.kinds, 1);
    assert_int_equal(all.kind[0].ranks, 4);
    assert_int_equal(all.kind[0].spans, 1);
    assert_int_equal(all.kind[0].last[0], 3);
}

/* Ranks 0 and 1 came with none, 2 and 4 with one, 3 with another. */
TEST(the_first_rank_with_a_loop_reports)
{
    struct keel_mpi_rank_figures rank[5] = {
        {.executed = 0}, {.executed = 0}, came_with(7), came_with(9), came_with(7)};
    struct draws draws = draws_begin();

    struct keel_mpi_summary some = sum_of(rank, 0, 5, &draws), none = sum_of(rank, 0, 2, &draws);
    assert_int_equal(keel_mpi_summary_reporter(&some), 2);
    assert_int_equal(keel_mpi_summary_reporter(&none), 0);
}

/* Each rank with a loop of its own. */
TEST(the_first_kinds_are_kept)
{
    enum { RANKS = KEEL_MPI_SUMMARY_KINDS + 3 };
    struct keel_mpi_rank_figures rank[RANKS];
    struct draws draws = draws_begin();

    for (uint32_t i = 0; i < RANKS; i++) {
        rank[i] = came_with(100 + i);
    }
    for (int i = 0; i < 100; i++) {
        struct keel_mpi_summary all = sum_of(rank, 0, RANKS, &draws);
        assert_int_equal(all.kinds, KEEL_MPI_SUMMARY_KINDS);
        assert_int_equal(all.other_kinds, 3);
        for (uint32_t k = 0; k < KEEL_MPI_SUMMARY_KINDS; k++) {
            assert_int_equal(all.kind[k].first[0], k);
            assert_int_equal(all.kind[k].identity.iterations, 100 + k);
        }
    }
}

static void check_kinds(const struct keel_mpi_summary *all, uint32_t ranks, uint64_t loops)
{
    uint32_t told = 0;

    assert_in_range(all->kinds, 1, KEEL_MPI_SUMMARY_KINDS);
    for (uint32_t i = 0; i < all->kinds; i++) {
        const struct keel_mpi_summary_kind *kind = &all->kind[i];
        uint32_t listed = 0;
        assert_true(i == 0 || kind->first[0] > all->kind[i - 1].first[0]);
        assert_in_range(kind->spans, 1, KEEL_MPI_SUMMARY_SPANS);
        for (uint32_t k = 0; k < kind->spans; k++) {
            assert_true(kind->first[k] <= kind->last[k] && kind->last[k] < ranks);
            assert_true(k == 0 || kind->first[k] > kind->last[k - 1] + 1);
            listed += kind->last[k] - kind->first[k] + 1;
        }
        assert_true(listed <= kind->ranks);
        told += kind->ranks;
    }
    assert_int_equal(all->kind[0].first[0], 0);
    assert_true(told <= ranks);
    assert_true(all->other_kinds > 0 || told == ranks);
    assert_true(loops > KEEL_MPI_SUMMARY_KINDS || all->other_kinds == 0);
}

TEST(any_ranks_are_told_in_bounded_room)
{
    static struct keel_mpi_rank_figures rank[RANKS_MAX];
    struct draws draws = draws_begin();

    for (int i = 0; i < 2000; i++) {
        uint32_t ranks = 1 + (uint32_t)draws_below(&draws, RANKS_MAX);
        uint64_t loops = 1 + draws_below(&draws, 8);
        for (uint32_t k = 0; k < ranks; k++) {
            bool as_before = k > 0 && draws_below(&draws, 3) > 0;
            rank[k] = as_before ? rank[k - 1] : came_with(draws_below(&draws, loops));
        }
        struct keel_mpi_summary all = sum_of(rank, 0, ranks, &draws);
        assert_true(all.measured == ranks);
        check_kinds(&all, ranks, loops);
    }
}
