/* Draws a random job for bench/follow: a program on rows, machines, a network and competing loads.
 *
 *   case SEED NUMBER FOLDER
 *
 * Prints four lines: workers, latency and bandwidth as sim_platform takes them; the machines'
 * speeds; the arguments of bench/sim/simulated_rows; and a description of the case. FOLDER/load.H
 * gets the load of host H; loads of other cases are removed.
 *
 * Case K of a seed is the same everywhere, whichever others are drawn. Sizes, times and rates are
 * drawn evenly by their logarithms. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/support/support.h"

#define DRAWN_WORKERS_MAX 64
#define DRAWN_LOADS_MAX 4
#define DRAWN_FLOPS_PER_S 1e6 /* of a machine, if all are equal */

enum drawn_shape { DRAWN_SOR, DRAWN_MM, DRAWN_PARTICLES, DRAWN_SHAPES };

enum drawn_kind {
    DRAWN_ALWAYS,   /* present from the start to the end */
    DRAWN_STEP,     /* comes once, and stays; or is present at first, and goes */
    DRAWN_PERIODIC, /* comes and goes; each time the same */
    DRAWN_RANDOM,   /* comes and goes; exponential times */
    DRAWN_RAMP,     /* grows, stays, and may fade */
    DRAWN_KINDS
};

struct drawn_load {
    enum drawn_kind kind;
    uint32_t host;
    double left;    /* least part of the machine that is left beside it */
    double start_s; /* step, ramp: when it begins to come; periodic: from the start to its coming */
    double on_s;    /* periodic: for how long it is present; random: the mean; ramp: for how long
                        it grows */
    double period_s; /* periodic: from one coming to the next; random: the mean */
    double stays_s;  /* ramp: until it fades; INFINITY: it does not */
    int begins_on;   /* step: present, goes at start_s; random: present at first */
    uint64_t drawn;  /* random: state of its own generator */
};

struct drawn_job {
    enum drawn_shape shape;
    uint64_t size, mean;         /* rows; particles of a region */
    uint64_t iterations, strips; /* of SOR; of others: phases, 1 */
    double flops, noise;         /* the program's FLOPS~NOISE, see bench/sim/simulated_rows.c */
    uint32_t workers;
    double speed[DRAWN_WORKERS_MAX]; /* operations a second */
    double latency_s;                /* of a machine's link: half of that from machine to machine */
    double bytes_per_s;
    double dedicated_s; /* least computing time on these machines without loads */
    uint32_t loads;
    struct drawn_load load[DRAWN_LOADS_MAX];
};

/* Balance calls of all workers together, so that a job is simulated within a second or so;
 * particles are sent to all workers. */
#define CALLS_OF_ALL 8000
#define CALLS_OF_ALL_PARTICLES 3000
#define CALLS_MOST 600

static const char *const shape_name[DRAWN_SHAPES] = {"sor", "mm", "particles"};
static const char *const kind_name[DRAWN_KINDS] = {"always", "step", "periodic", "random", "ramp"};

/* --- numbers --- */

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * random_fraction(random_next(state));
}

static double by_logarithm(uint64_t *state, double low, double high)
{
    return low * pow(high / low, random_fraction(random_next(state)));
}

/* 0 .. count - 1 */
static unsigned one_of(uint64_t *state, unsigned count)
{
    return (unsigned)between(state, 0, count);
}

/* --- machines --- */

/* Half of the jobs have equal machines, in the others speeds differ by up to the factor 4. */
static void draw_machines(struct drawn_job *job, uint64_t *state)
{
    double slowest = one_of(state, 2) == 0 ? 1 : by_logarithm(state, 0.25, 0.9);

    job->workers = (uint32_t)by_logarithm(state, 2, DRAWN_WORKERS_MAX + 0.99);
    for (uint32_t i = 0; i < job->workers; i++) {
        job->speed[i] = round(DRAWN_FLOPS_PER_S * between(state, slowest, 1));
    }
    job->bytes_per_s = by_logarithm(state, 1e6, 1e9);
    job->latency_s = by_logarithm(state, 2e-6, 500e-6);
}

/* --- programs --- */

static double all_speeds(const struct drawn_job *job)
{
    double sum = 0;

    for (uint32_t i = 0; i < job->workers; i++) {
        sum += job->speed[i];
    }
    return sum;
}

static double draw_calls(const struct drawn_job *job, uint64_t *state)
{
    double all = job->shape == DRAWN_PARTICLES ? CALLS_OF_ALL_PARTICLES : CALLS_OF_ALL;

    return by_logarithm(state, 30, fmin(CALLS_MOST, all / job->workers));
}

/* An iteration is two half sweeps, of one strip of columns each or of several. */
static void draw_sor(struct drawn_job *job, uint64_t *state)
{
    static const unsigned strips[] = {1, 1, 5, 10};
    double calls = draw_calls(job, state);

    job->size = (uint64_t)by_logarithm(state, fmax(128, 4 * job->workers), 2000);
    job->strips = strips[one_of(state, 4)];
    job->iterations = (uint64_t)fmax(2, calls / 2 / (double)job->strips);
    job->flops = 1 / ((double)job->size * (double)job->size * (double)job->iterations);
}

static void draw_mm(struct drawn_job *job, uint64_t *state)
{
    job->size = (uint64_t)by_logarithm(state, fmax(128, 4 * job->workers), 1500);
    job->strips = 1;
    job->iterations = (uint64_t)draw_calls(job, state);
    job->flops = 1 / pow((double)job->size, 3);
}

/* Sending all particles takes at most a fifth of computing; otherwise so many workers would not be
 * used. */
static void draw_particles(struct drawn_job *job, uint64_t *state)
{
    job->size = (uint64_t)by_logarithm(state, fmax(64, 4 * job->workers), 512);
    job->strips = 1;
    job->iterations = (uint64_t)draw_calls(job, state);
    double step_s = job->dedicated_s / (double)job->iterations;
    double most = step_s / 5 * job->bytes_per_s / (24 * (double)job->size);
    job->mean = (uint64_t)fmax(1, fmin(most, by_logarithm(state, 4, 64)));
    job->flops = 1 / ((double)job->size * (double)job->mean * (double)job->iterations);
}

static void draw_program(struct drawn_job *job, uint64_t *state)
{
    static const double noise[] = {0, 0.01, 0.03};

    job->shape = (enum drawn_shape)one_of(state, DRAWN_SHAPES);
    job->dedicated_s = by_logarithm(state, 5, 300);
    job->mean = 1;
    if (job->shape == DRAWN_SOR) {
        draw_sor(job, state);
    } else if (job->shape == DRAWN_MM) {
        draw_mm(job, state);
    } else {
        draw_particles(job, state);
    }
    job->flops *= job->dedicated_s * all_speeds(job);
    job->noise = noise[one_of(state, 3)];
}

/* --- loads --- */

static void draw_load(const struct drawn_job *job, enum drawn_kind kind, struct drawn_load *load,
                      uint64_t *state)
{
    static const double left[] = {1. / 2, 1. / 2, 1. / 3, 1. / 4};
    double job_s = job->dedicated_s;

    *load = (struct drawn_load){.kind = kind, .host = one_of(state, job->workers)};
    load->left = left[one_of(state, 4)];
    load->period_s = by_logarithm(state, 2, fmax(8, job_s));
    load->on_s = load->period_s * between(state, 0.25, 0.75);
    load->start_s = kind == DRAWN_PERIODIC ? load->period_s * between(state, 0, 1)
                                           : job_s * between(state, 0.1, 0.9);
    load->begins_on = (int)one_of(state, 2);
    load->drawn = random_next(state);
    if (kind == DRAWN_RAMP) {
        load->on_s = job_s * between(state, 0.05, 0.5);
        load->stays_s = one_of(state, 2) == 0 ? INFINITY : job_s * between(state, 0, 0.3);
    }
}

/* No load, several ones, or one of each kind are equally likely; the periodic kind counts twice. */
static void draw_loads(struct drawn_job *job, uint64_t *state)
{
    unsigned drawn = one_of(state, DRAWN_KINDS + 3);
    unsigned kind = drawn == DRAWN_KINDS + 2 ? DRAWN_PERIODIC : drawn;

    job->loads = kind == DRAWN_KINDS ? 0 : kind < DRAWN_KINDS ? 1 : 2 + one_of(state, 3);
    for (uint32_t i = 0; i < job->loads; i++) {
        unsigned own = job->loads > 1 ? one_of(state, DRAWN_KINDS) : kind;
        draw_load(job, (enum drawn_kind)own, &job->load[i], state);
        for (uint32_t other = 0; other < i; other++) {
            if (job->load[other].host == job->load[i].host) {
                job->loads = i; /* a machine has one load; fewer are fine */
            }
        }
    }
}

/* Draws case `number` >= 1 of a seed. */
static void drawn_job(uint64_t seed, uint64_t number, struct drawn_job *job)
{
    uint64_t state = random_bits(random_bits(seed * RANDOM_STEP) + number * RANDOM_STEP);

    *job = (struct drawn_job){0};
    draw_machines(job, &state);
    draw_program(job, &state);
    draw_loads(job, &state);
}

/* --- competing loads for SimGrid --- */

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

/* A load that is present when the period ends goes on in the next one. */
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

/* The available part of a machine over time: lines TIME PART, after PERIODICITY if it repeats;
 * until horizon_s if it is drawn. */
static void drawn_load_write(FILE *file, const struct drawn_load *load, double horizon_s)
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

/* --- the case --- */

/* No job takes this many times as long as without loads: machines slow down to a quarter, and rows
 * may move for a long time. */
#define HORIZON 50

static int write_load(const char *folder, const struct drawn_job *job,
                      const struct drawn_load *load)
{
    char name[4096];

    snprintf(name, sizeof name, "%s/load.%" PRIu32, folder, load->host);
    FILE *file = fopen(name, "w");
    if (file == NULL) {
        perror(name);
        return 1;
    }
    drawn_load_write(file, load, HORIZON * job->dedicated_s);
    return fclose(file) != 0;
}

static void remove_loads(const char *folder)
{
    char name[4096];

    for (int host = 0; host < DRAWN_WORKERS_MAX; host++) {
        snprintf(name, sizeof name, "%s/load.%d", folder, host);
        remove(name);
    }
}

static void print_program(const struct drawn_job *job)
{
    printf("%s %" PRIu64, shape_name[job->shape], job->size);
    if (job->shape == DRAWN_PARTICLES) {
        printf("x%" PRIu64, job->mean);
    }
    printf(" %" PRIu64, job->iterations);
    if (job->strips > 1) {
        printf("x%" PRIu64, job->strips);
    }
    printf(" %.6g~%.2g", job->flops, job->noise);
}

static void print_load(const struct drawn_load *load)
{
    printf("; host %" PRIu32 " left %.2f: %s", load->host, load->left, kind_name[load->kind]);
    switch (load->kind) {
    case DRAWN_STEP:
        printf(" %s at %.1f s", load->begins_on ? "down" : "up", load->start_s);
        break;
    case DRAWN_PERIODIC:
        printf(" %.1f of %.1f s from %.1f s", load->on_s, load->period_s, load->start_s);
        break;
    case DRAWN_RANDOM:
        printf(" about %.1f of %.1f s", load->on_s, load->period_s);
        break;
    case DRAWN_RAMP:
        printf(" within %.1f s from %.1f s, stays %.1f s", load->on_s, load->start_s,
               load->stays_s);
        break;
    default:
        break;
    }
}

static double slowest(const struct drawn_job *job)
{
    double speed = job->speed[0];

    for (uint32_t i = 1; i < job->workers; i++) {
        speed = fmin(speed, job->speed[i]);
    }
    return speed / DRAWN_FLOPS_PER_S;
}

static void print_job(const struct drawn_job *job)
{
    printf("%" PRIu32 " %.3gus %.4gMBps\n", job->workers, job->latency_s * 1e6,
           job->bytes_per_s / 1e6);
    for (uint32_t i = 0; i < job->workers; i++) {
        printf("%.0f%s", job->speed[i], i + 1 < job->workers ? " " : "\n");
    }
    print_program(job);
    printf("\n%" PRIu32 " workers, slowest %.2f; %.3g MB/s, %.3g us; ", job->workers, slowest(job),
           job->bytes_per_s / 1e6, 2e6 * job->latency_s);
    print_program(job);
    printf("; %.1f s", job->dedicated_s);
    for (uint32_t i = 0; i < job->loads; i++) {
        print_load(&job->load[i]);
    }
    printf("%s\n", job->loads == 0 ? "; no load" : "");
}

int main(int argc, char **argv)
{
    struct drawn_job job;
    int failed = 0;

    if (argc != 4) {
        fputs("usage: case SEED NUMBER FOLDER\n", stderr);
        return 2;
    }
    drawn_job(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), &job);
    remove_loads(argv[3]);
    for (uint32_t i = 0; i < job.loads; i++) {
        failed |= write_load(argv[3], &job, &job.load[i]);
    }
    print_job(&job);
    return failed;
}
