/* What measuring the machine has shown, round by round.
 *
 *   local_costs.c, mpi_backend/calibrate/ --> values of rounds --> medians --> machine.h
 *                                                      +--> table
 *
 * Reads no clock. */
#ifndef OMP_EXT_MACHINE_MEASURING_H
#define OMP_EXT_MACHINE_MEASURING_H

#include "omp_ext/machine/machine.h"

#define KEEL_MEASURING_ROUNDS 15

/* Of one cost; rounds 0: not measured. */
struct keel_measured {
    unsigned rounds;
    double value[KEEL_MEASURING_ROUNDS];
};

/* All zero at first. */
struct keel_measurements {
    struct keel_measured of[KEEL_MACHINE_COSTS];
};

/* Takes in what a round has shown; what is not > 0 and finite, or comes after the last round, is
 * left out: no cost is nothing, only too little to be seen. */
void keel_measuring_note(struct keel_measurements *measurements, enum keel_machine_cost cost,
                         double value);

/* The value that `part` of all rounds are below, 0 .. 1; 0 without any. */
double keel_measuring_quantile(const struct keel_measured *measured, double part);

/* Medians become the machine's costs. */
void keel_measuring_take(const struct keel_measurements *measurements,
                         struct keel_machine *machine);

/* Replaces in the file what was measured; what was not stays there. Without `path`: in the standard
 * place. Prints where it is kept; false: nowhere, and a message has told why. */
bool keel_measuring_keep(const struct keel_measurements *measurements, const char *path);

/* A row for each cost that was measured: median and quartiles. */
void keel_measuring_print(const struct keel_measurements *measurements, FILE *stream);

/* From one program to another: a line `NAME VALUE` for each round. Lines that are not such are left
 * out: launchers print some. */
void keel_measuring_send(const struct keel_measurements *measurements, FILE *stream);
void keel_measuring_receive(struct keel_measurements *measurements, FILE *stream);

/* What takes startup + slope x size. */
struct keel_measuring_line {
    double startup, slope; /* >= 0 */
};

/* The line whose relative squared distances from `count` >= 1 times > 0 are least. */
struct keel_measuring_line keel_measuring_fit(const double *size, const double *time,
                                              unsigned count);

#endif
