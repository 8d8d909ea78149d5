/* What bench/imbalance measures of each instance of a loop, on its way from program.c to report.pl:
 * one line each, fields separated by tabs.
 *
 *   kernel  condition  variant  threads  round  instance  wall_ns  ideal_ns  imbalance */
#ifndef BENCH_IMBALANCE_DIR_INSTANCE_H
#define BENCH_IMBALANCE_DIR_INSTANCE_H

#include <stdio.h>

#define INSTANCE_TEXT_MAX 64

struct instance {
    char kernel[INSTANCE_TEXT_MAX];
    char condition[INSTANCE_TEXT_MAX];
    char variant[INSTANCE_TEXT_MAX];
    int threads;
    int round;        /* from 1; a process of this kernel, condition and variant */
    int number;       /* from 1; of the instances that the process runs in a row */
    double wall_ns;   /* from before the loop to after its barrier */
    double ideal_ns;  /* total work over total rate */
    double imbalance; /* (max / mean - 1) * 100 of the times that threads spent in iterations */
};

static inline void instance_write(const struct instance *instance, FILE *file)
{
    fprintf(file, "%s\t%s\t%s\t%d\t%d\t%d\t%.0f\t%.0f\t%.4f\n", instance->kernel,
            instance->condition, instance->variant, instance->threads, instance->round,
            instance->number, instance->wall_ns, instance->ideal_ns, instance->imbalance);
}

#endif
