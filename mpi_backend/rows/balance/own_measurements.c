/* The measurements of this rank. */
#include "mpi_backend/rows/balance/balance.h"

#include <math.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/costs/row_costs.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "schedules/rows/row_weights.h"

void keel_mpi_own_measurements_begin_span(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    balance->span_began_s = keel_mpi_clock_s();
    rows->report.busy_s += keel_mpi_work_busy(rows);
    keel_mpi_work_begin_span(rows);
    balance->phase_began_s = balance->call_busy_s = balance->phase_work = 0;
    balance->phases = (struct keel_mpi_phases){0};
}

static double counted(double work)
{
    return work >= KEEL_MPI_WORK_LEAST ? work : 0;
}

/* Ends a phase (measurements.h) with the work up to the last balance call. */
static void end_phase(struct keel_mpi_balancer *balance)
{
    if (balance->phase_work > 0) {
        keel_mpi_phases_note(&balance->phases, balance->phase_work,
                             balance->call_busy_s - balance->phase_began_s);
        balance->phase_began_s = balance->call_busy_s;
        balance->phase_work = 0;
    }
}

/* Ranks wait for each other where they exchange halos; if they never do, at each balance call. */
void keel_mpi_own_measurements_note_call(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (rows->exchanges != balance->exchanges) {
        end_phase(balance);
        balance->exchanges = rows->exchanges;
    }
    balance->phase_work += counted(rows->work_before >= 0 ? rows->work_before : rows->work);
    balance->call_busy_s = keel_mpi_work_busy(rows);
    if (rows->exchanges == 0) {
        end_phase(balance);
    }
}

/* Converts recorded work to new units. */
static void scale_work(struct keel_mpi_balancer *balance, double factor)
{
    keel_mpi_phases_scale(&balance->phases, factor);
    balance->phase_work *= factor;
}

void keel_mpi_own_measurements_scale(struct keel_mpi_rows *rows, double factor)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double *filtered = &balance->filter.filtered;
    double measured = balance->own.measured_rate * factor;

    scale_work(balance, factor);
    *filtered *= keel_row_scale_recorded(*filtered, measured, factor);
    rows->report.rate *= factor;
    rows->report.filtered_rate = *filtered;
}

/* Sets own weights to the measured ones, and converts work to them. The filtered rate is in units
 * of the weights before: it is converted if the new weights were right all the time, and kept if
 * costs have changed, whichever is nearer to the measured speed. */
static void weigh(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double *filtered = &balance->filter.filtered;
    double factor = keel_mpi_row_costs_weigh(rows);

    if (factor != 1) {
        double speed = rows->costs->measurement.speed;
        scale_work(balance, factor);
        balance->unit = keel_row_scale_recorded(*filtered, speed, factor);
        *filtered *= balance->unit;
    }
}

/* Filters the rate since the span began, and returns it; 0 if the span is too short or without
 * work. */
static double take_rate(struct keel_mpi_rows *rows, double span_s)
{
    struct keel_mpi_balancer *balance = rows->balance;
    end_phase(balance);
    balance->unit = 1;
    if (rows->open_sweep == NULL) {
        weigh(rows);
    }
    /* pipelines advance beside competing processes whatever their grain (S17) */
    double rate =
        keel_mpi_phases_rate(&balance->phases, rows->pipelines ? 0 : balance->policy.quantum_s);

    if (!(rate > 0) || isinf(rate) || keel_mpi_row_costs_wait(rows) ||
        span_s < keel_mpi_balancer_shortest_span(balance)) {
        return 0;
    }
    rows->report.rate = rate;
    if (balance->policy.filter) {
        keel_rate_filter_update(&balance->filter, rate);
    } else {
        balance->filter.filtered = rate;
    }
    rows->report.filtered_rate = balance->filter.filtered;
    return rate;
}

void keel_mpi_own_measurements_take(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double time_s = keel_mpi_clock_s(), span_s = time_s - balance->span_began_s;
    double busy_s = keel_mpi_work_busy(rows), measured = take_rate(rows, span_s);

    balance->own = (struct keel_mpi_measurements){
        .call = (double)rows->calls,
        .work = counted(rows->work),
        .rate = balance->filter.filtered,
        .measured_rate = measured,
        .weighted = rows->weighted,
        .elapsed_s = time_s - balance->began_s,
        .span_s = span_s,
        .busy_s = busy_s,
        .phase_s = (time_s - balance->measurements_s - balance->moved_s) /
                   (double)(rows->calls - balance->measurements_call),
        .movement_s = balance->moved_s,
        .item_bytes = keel_mpi_items_row_bytes(rows, rows->calls),
        .skew_calls = rows->open_sweep != NULL ? (double)rows->open_sweep->skew_calls : 0,
        .last_call = rows->expected_calls < UINT64_MAX ? (double)rows->expected_calls : INFINITY,
    };
    balance->own.unit = balance->unit;
    balance->own.in_sweep = rows->open_sweep != NULL;
    keel_mpi_row_costs_measurements(rows, &balance->own);
    keel_mpi_row_costs_begin_span(rows);
    balance->measurements_s = time_s;
    balance->moved_s = 0;
    balance->measurements_call = rows->calls;
    keel_mpi_own_measurements_begin_span(rows);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_expect(struct keel_mpi_rows *rows, uint64_t calls)
{
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->expected_calls = calls < UINT64_MAX - rows->calls ? rows->calls + calls : UINT64_MAX;
    return KEEL_MPI_OK;
}
