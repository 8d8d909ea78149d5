/* Weights of a rank's own rows, and what is sent of them. The rank is the middle one of three;
 * weights that are powers of 2 make sums exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/costs/row_costs.h"
#include "mpi_backend/rows/rows_room.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

enum { RANKS = 3, FIRST = 10 };

static struct keel_mpi_rows rows;
static struct keel_mpi_row_costs costs;
static struct keel_mpi_row_window window;

/* Own rows are FIRST .. FIRST + count - 1. */
static void own(uint64_t count)
{
    const uint64_t shares[RANKS] = {FIRST, count, FIRST};

    rows = (struct keel_mpi_rows){.rank = 1, .ranks = RANKS, .adjacent = true, .costs = &costs};
    costs = (struct keel_mpi_row_costs){0};
    memset(&window, 0, sizeof window);
    assert_true(keel_mpi_placement_make(&rows.placement, RANKS, shares));
    assert_true(keel_mpi_weights_open(&rows));
}

static void give_up(void)
{
    free(rows.list);
    free(costs.before);
    keel_mpi_placement_free(&rows.placement);
    keel_mpi_store_close(&rows.weights);
}

/* Not as set by the program. */
static void weigh(uint64_t first, uint64_t count, const double *weight)
{
    assert_int_equal(keel_mpi_rows_weigh(&rows, first, first + count, weight), KEEL_MPI_OK);
    rows.weights_set = false;
}

static void expect(uint64_t first, uint64_t count, const double *weight)
{
    for (uint64_t i = 0; i < count; i++) {
        assert_near(keel_mpi_weights_of(&rows, first + i), weight[i]);
    }
}

/* --- measurements that are sent --- */

TEST(ends_and_steps_of_weights_are_sent)
{
    struct keel_mpi_measurements measurements = {0};

    own(4);
    weigh(FIRST, 4, (double[]){1, 2, 8, 4});
    costs.speed = 5;
    costs.measurement.shift[KEEL_ROW_FROM_BELOW] = 0.25;
    costs.measurement.shift[KEEL_ROW_FROM_ABOVE] = 0.5;
    costs.measurement.trust[KEEL_ROW_FROM_BELOW] = 3;
    costs.measurement.trust[KEEL_ROW_FROM_ABOVE] = 7;
    keel_mpi_row_costs_measurements(&rows, &measurements);
    assert_near(measurements.weights_set, 0);
    assert_near(measurements.measured, 1);
    assert_near(measurements.speed, 5);
    assert_near(measurements.low, 1);
    assert_near(measurements.high, 4);
    assert_near(measurements.rough, (1 + 4 + 1) * log(2) * log(2) / 4);
    assert_near(measurements.shift[0], 0.25);
    assert_near(measurements.shift[1], 0.5);
    assert_near(measurements.trust[0], 3);
    assert_near(measurements.trust[1], 7);
    give_up();
}

TEST(weights_set_by_a_program_are_not_sent_as_measured)
{
    struct keel_mpi_measurements measurements = {0};

    own(4);
    weigh(FIRST, 4, (double[]){1, 2, 8, 4});
    rows.weights_set = true;
    keel_mpi_row_costs_measurements(&rows, &measurements);
    assert_near(measurements.weights_set, 1);
    assert_near(measurements.measured, 0);
    assert_near(measurements.high, 0);
    rows.costs = NULL;
    rows.weights_set = false;
    keel_mpi_row_costs_measurements(&rows, &measurements);
    assert_near(measurements.weights_set, 0);
    assert_near(measurements.high, 0);
    give_up();
}

TEST(phases_and_whether_loops_are_timed_are_sent)
{
    struct keel_mpi_measurements measurements = {.phase_busy_s = 9};

    own(4);
    keel_mpi_row_costs_measurements(&rows, &measurements);
    assert_near(measurements.phase_busy_s, 0);
    assert_near(measurements.timed, 0);
    costs.span_busy_s = 3;
    costs.span_phases = 6;
    costs.rows_before = 4;
    keel_mpi_row_costs_measurements(&rows, &measurements);
    assert_near(measurements.phase_busy_s, 0.5);
    assert_near(measurements.timed, 1);
    keel_mpi_row_costs_begin_span(&rows);
    keel_mpi_row_costs_measurements(&rows, &measurements);
    assert_near(measurements.phase_busy_s, 0);
    assert_int_equal(costs.span_phases, 0);
    give_up();
}

/* --- other weights --- */

TEST(rows_that_moved_get_the_factors_of_their_ranks)
{
    own(6);
    weigh(FIRST, 6, (double[]){1, 2, 1, 3, 4, 2});
    /* 10 and 11 came from below, 14 and 15 from above; 12 and 13 make up the rest of 17 */
    keel_mpi_row_costs_move(&rows, FIRST + 2, FIRST + 4, 2, 0.5, 17);
    expect(FIRST, 6, (double[]){2, 4, 2, 6, 2, 1});
    assert_near(rows.work, 17);
    /* no weight is left for rows that were here */
    keel_mpi_row_costs_move(&rows, FIRST + 2, FIRST + 4, 1, 1, 9);
    expect(FIRST, 6, (double[]){2, 4, 2, 6, 2, 1});
    /* all came from below */
    keel_mpi_row_costs_move(&rows, FIRST + 100, FIRST + 200, 3, 7, 1);
    expect(FIRST, 6, (double[]){6, 12, 6, 18, 6, 3});
    assert_near(rows.work, 51);
    give_up();
}

TEST(a_scale_changes_weights_and_speed)
{
    own(3);
    weigh(FIRST, 3, (double[]){0, 2, 4});
    costs.speed = 3;
    keel_mpi_row_costs_scale(&rows, 1);
    expect(FIRST, 3, (double[]){0, 2, 4});
    keel_mpi_row_costs_scale(&rows, 0.5);
    expect(FIRST, 3, (double[]){0, 1, 2});
    assert_near(rows.work, 3);
    assert_near(costs.speed, 1.5);
    give_up();
}

/* --- measuring --- */

/* A phase in which loops over the two own rows took these times, and other computing `rest_s`. */
static void phase(double first_s, double second_s, double rest_s)
{
    keel_mpi_row_costs_begin_phase(&rows);
    assert_true(rows.timed && window.open);
    assert_int_equal(window.own.first, FIRST);
    assert_int_equal(window.own.count, 2);
    assert_true(window.own.block);
    window.time_ns[0] += (uint64_t)llround(first_s * 1e9);
    window.time_ns[1] += (uint64_t)llround(second_s * 1e9);
    window.pieces += 2;
    rows.busy_s += first_s + second_s + rest_s;
    keel_mpi_row_costs_end_phase(&rows);
    assert_false(rows.timed || window.open);
}

static void two_rows(void)
{
    own(2);
    rows.window = &window;
    rows.marks = true; /* rows.busy_s is the marked time so far */
    costs.credit_s = 1e-4;
}

TEST(times_of_loops_become_weights)
{
    two_rows();
    assert_false(keel_mpi_row_costs_wait(&rows));
    window.time_ns[0] = 777000000; /* of loops before the phase */
    window.pieces = 10000;
    phase(0.003, 0.001, 0);
    assert_near(costs.span_busy_s, 0.004);
    assert_int_equal(costs.span_phases, 1);
    assert_near(costs.credit_s, 1e-4 + 0.005 * 0.004 - 2e-7);
    assert_near(costs.times.time_s[0][0], 0.003);
    assert_near(costs.times.time_s[0][1], 0.001);
    assert_true(keel_mpi_row_costs_wait(&rows));
    phase(0.003, 0.001, 0.0004); /* other computing counts for both alike */
    assert_near(costs.times.time_s[1][0], 0.0032);
    assert_near(costs.times.time_s[1][1], 0.0012);
    phase(0.0001, 0.0001, 0.1); /* loops over rows are too small a part of the time */
    assert_int_equal(costs.times.phases, 2);
    phase(0.003, 0.001, 0);
    assert_near(keel_mpi_row_costs_weigh(&rows), 1);
    assert_true(rows.weighted);
    double first = keel_mpi_weights_of(&rows, FIRST),
           second = keel_mpi_weights_of(&rows, FIRST + 1);
    assert_true(is_within(first / second, 3, 0.1));
    assert_near(rows.work, first + second);
    assert_int_equal(costs.rows_before, 2);
    assert_false(keel_mpi_row_costs_wait(&rows));
    give_up();
}

TEST(measuring_waits_until_it_costs_little)
{
    two_rows();
    costs.last_pieces = 1001; /* 0.1001 ms of measuring */
    keel_mpi_row_costs_begin_phase(&rows);
    assert_false(rows.timed);
    rows.busy_s += 0.02;
    keel_mpi_row_costs_end_phase(&rows);
    assert_near(costs.credit_s, 2e-4);
    assert_int_equal(costs.times.phases, 0);
    phase(0.003, 0.001, 0);
    assert_near(costs.last_pieces, 2);
    rows.busy_s += 1000;
    keel_mpi_row_costs_end_phase(&rows);
    assert_near(costs.credit_s, 0.05); /* and the credit has a maximum */
    give_up();
}

TEST(rows_that_move_are_measured_anew)
{
    two_rows();
    phase(0.003, 0.001, 0);
    rows.placements++;
    keel_mpi_row_costs_begin_phase(&rows);
    assert_int_equal(costs.times.phases, 0);
    assert_int_equal(costs.span_phases, 0);
    assert_int_equal(costs.placements, rows.placements);
    rows.busy_s += 1;
    rows.placements++; /* within the phase */
    keel_mpi_row_costs_end_phase(&rows);
    assert_int_equal(costs.times.phases, 0);
    assert_false(window.open);
    give_up();
}
