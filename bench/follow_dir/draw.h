/* Jobs drawn at random: a program on rows, machines, a network and competing loads, that nobody
 * chose. Case K of a seed is the same wherever and with whatever others it is drawn. */
#ifndef BENCH_FOLLOW_DIR_DRAW_H
#define BENCH_FOLLOW_DIR_DRAW_H

#include <stdint.h>
#include <stdio.h>

#define DRAWN_WORKERS_MAX 64
#define DRAWN_LOADS_MAX 4
#define DRAWN_FLOPS_PER_S 1e6 /* of a machine, where all are equal */

enum drawn_shape { DRAWN_SOR, DRAWN_MM, DRAWN_PARTICLES, DRAWN_SHAPES };

enum drawn_kind {
    DRAWN_ALWAYS,   /* there from the start to the end */
    DRAWN_STEP,     /* comes once, and stays; or is there, and goes */
    DRAWN_PERIODIC, /* comes and goes; each time the same */
    DRAWN_RANDOM,   /* comes and goes; exponential times */
    DRAWN_RAMP,     /* grows, stays, and, if it does, fades */
    DRAWN_KINDS
};

struct drawn_load {
    enum drawn_kind kind;
    uint32_t host;
    double left;    /* part of the machine that is left beside it, at least */
    double start_s; /* step, ramp: when it begins to come; periodic: from the start to its coming */
    double on_s;    /* periodic: for how long it is there; random: the mean; ramp: for how long
                        it grows */
    double period_s; /* periodic: from one coming to the next; random: the mean */
    double stays_s;  /* ramp: until it fades; INFINITY: it does not */
    int begins_on;   /* step: it is there, and goes at start_s; random: it is there at first */
    uint64_t drawn;  /* random: its own generator */
};

struct drawn_job {
    enum drawn_shape shape;
    uint64_t size, mean;         /* rows; particles of a region */
    uint64_t iterations, strips; /* of SOR; of others: phases, 1 */
    double flops, noise;         /* as the program's FLOPS~NOISE, see bench/sim/rows.c */
    uint32_t workers;
    double speed[DRAWN_WORKERS_MAX]; /* operations a second */
    double latency_s;                /* of a machine's link: half of that from machine to machine */
    double bytes_per_s;
    double dedicated_s; /* what computing takes at least on these machines without loads */
    uint32_t loads;
    struct drawn_load load[DRAWN_LOADS_MAX];
};

/* Draws case `number` >= 1 of a seed. */
void drawn_job(uint64_t seed, uint64_t number, struct drawn_job *job);

/* Writes a competing load as SimGrid wants it, what part of a machine is available over time: lines
 * TIME PART, after PERIODICITY where it repeats; until horizon_s where it is drawn. */
void drawn_load_write(FILE *file, const struct drawn_load *load, double horizon_s);

const char *drawn_shape_name(enum drawn_shape shape);
const char *drawn_kind_name(enum drawn_kind kind);

#endif
