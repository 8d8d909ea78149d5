/* The offset of another clock, from messages with drawn delays: it is off by half of the shortest
 * round trip at most, whatever the delays are. */
#include <stdbool.h>
#include <stddef.h>

#include "mpi_backend/job/clock_offset.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

/* A message takes the wire's time and, now and then, much longer. */
static int64_t delay(struct draws *draws, int64_t wire_ns)
{
    bool late = draws_below(draws, 4) == 0;

    return wire_ns + (int64_t)draws_below(draws, late ? 5000000 : 2000);
}

static int64_t distance(int64_t one, int64_t other)
{
    return one > other ? one - other : other - one;
}

/* A clock that is `ahead` and drifts: 16 exchanges over a wire whose ways may differ. */
static void check_clock(struct draws *draws, int64_t ahead, double drift)
{
    struct keel_mpi_clock_offset offset = {0};
    int64_t time = (int64_t)draws_below(draws, UINT64_C(1) << 50);
    int64_t out = (int64_t)draws_below(draws, 30000), back = (int64_t)draws_below(draws, 30000);
    int64_t begin = time, shortest = INT64_MAX;

    for (int i = 0; i < 16; i++) {
        int64_t sent = time, read = sent + delay(draws, out), got = read + delay(draws, back);
        int64_t remote = read + ahead + (int64_t)(drift * (double)(read - begin));
        keel_mpi_clock_offset_note(&offset, sent, remote, got);
        shortest = got - sent < shortest ? got - sent : shortest;
        time = got + (int64_t)draws_below(draws, 1000);
    }
    int64_t drifted = 1 + (int64_t)(drift * (double)(time - begin));
    int64_t error = distance(keel_mpi_clock_offset_ns(&offset), ahead);
    assert_true(error <= (int64_t)keel_mpi_clock_offset_error_ns(&offset) + drifted);
    assert_true(error <= shortest / 2 + 1 + drifted);
    assert_true(keel_mpi_clock_offset_error_ns(&offset) <= (uint64_t)(shortest / 2 + 1 + drifted));
}

TEST(drawn_delays_keep_the_bound)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 2000; i++) {
        int64_t ahead = (int64_t)draws_below(&draws, UINT64_C(1) << 52) - (INT64_C(1) << 51);
        check_clock(&draws, ahead, 0);
        check_clock(&draws, ahead, 50e-6 * draws_real(&draws));
    }
}

/* Delays alike on both ways leave no error, however long they are. */
TEST(equal_ways_are_exact)
{
    struct keel_mpi_clock_offset offset = {0};

    keel_mpi_clock_offset_note(&offset, 1000, 500 + 1300, 1600);
    assert_int_equal(keel_mpi_clock_offset_ns(&offset), 500);
    assert_int_equal(keel_mpi_clock_offset_error_ns(&offset), 300);
}

/* Two exchanges whose delays lie on different ways tell more than the better one alone. */
TEST(exchanges_together_tell_more)
{
    struct keel_mpi_clock_offset offset = {0};

    keel_mpi_clock_offset_note(&offset, 0, 5000 + 10, 110);      /* 10 there, 100 back */
    keel_mpi_clock_offset_note(&offset, 1000, 6000 + 100, 1110); /* 100 there, 10 back */
    assert_int_equal(offset.least, 4990);
    assert_int_equal(offset.most, 5010);
    assert_int_equal(keel_mpi_clock_offset_ns(&offset), 5000);
    assert_int_equal(keel_mpi_clock_offset_error_ns(&offset), 10);
}

/* Nothing known, an answer before its question, and one that contradicts those before: the shorter
 * round trip counts. */
TEST(odd_exchanges_do_no_harm)
{
    struct keel_mpi_clock_offset offset = {0};

    assert_int_equal(keel_mpi_clock_offset_ns(&offset), 0);
    keel_mpi_clock_offset_note(&offset, 100, 7, 99);
    assert_int_equal(offset.exchanges, 0);
    keel_mpi_clock_offset_note(&offset, 100, 1100, 120);
    keel_mpi_clock_offset_note(&offset, 200, 901200, 230);
    assert_int_equal(keel_mpi_clock_offset_ns(&offset), 990);
    keel_mpi_clock_offset_note(&offset, 300, 901300, 310);
    assert_int_equal(keel_mpi_clock_offset_ns(&offset), 900995);
}
