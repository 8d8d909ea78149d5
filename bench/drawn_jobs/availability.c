/* Competing loads for SimGrid. */
#include "bench/drawn_jobs/availability.h"

#include <math.h>

#include "bench/support/random.h"

#define RAMP_STEPS 20

static void line(FILE *file, double time_s, double part)
{
    fprintf(file, "%.4f %.4f\n", time_s, part);
}

static void write_step(FILE *file, const struct drawn_load *load)
{
    line(file, 0, load->begins_on ? load->left : 1);
    line(file, load->start_s, load->begins_on ? 1 : load->left);
}

/* A load that is there when the period ends goes on in the next one. */
static void write_periodic(FILE *file, const struct drawn_load *load)
{
    double goes_s = load->start_s + load->on_s;

    fprintf(file, "PERIODICITY %.4f\n", load->period_s);
    if (goes_s <= load->period_s) {
        line(file, 0, 1);
        line(file, load->start_s, load->left);
        line(file, goes_s, 1);
    } else {
        line(file, 0, load->left);
        line(file, goes_s - load->period_s, 1);
        line(file, load->start_s, load->left);
    }
}

static double exponential(uint64_t *state, double mean)
{
    return -mean * log(1 - random_fraction(random_next(state)));
}

static void write_random(FILE *file, const struct drawn_load *load, double horizon_s)
{
    double off_s = load->period_s - load->on_s, time_s = 0;
    uint64_t state = load->drawn;
    int on = load->begins_on;

    while (time_s < horizon_s) {
        line(file, time_s, on ? load->left : 1);
        time_s += 0.01 + exponential(&state, on ? load->on_s : off_s);
        on = !on;
    }
}

static void write_slope(FILE *file, double start_s, double takes_s, double from, double to)
{
    for (int i = 1; i <= RAMP_STEPS; i++) {
        line(file, start_s + takes_s * (i - 0.5) / RAMP_STEPS, from + (to - from) * i / RAMP_STEPS);
    }
}

static void write_ramp(FILE *file, const struct drawn_load *load)
{
    line(file, 0, 1);
    write_slope(file, load->start_s, load->on_s, 1, load->left);
    if (!isinf(load->stays_s)) {
        write_slope(file, load->start_s + load->on_s + load->stays_s, load->on_s, load->left, 1);
    }
}

void availability_write(FILE *file, const struct drawn_load *load, double horizon_s)
{
    switch (load->kind) {
    case DRAWN_STEP:
        write_step(file, load);
        break;
    case DRAWN_PERIODIC:
        write_periodic(file, load);
        break;
    case DRAWN_RANDOM:
        write_random(file, load, horizon_s);
        break;
    case DRAWN_RAMP:
        write_ramp(file, load);
        break;
    default:
        line(file, 0, load->left);
    }
}
