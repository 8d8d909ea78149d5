/* Times of the program's loops in runs, as their reports tell (KEEL_REPORT, JSON).
 *
 *   report of a run -> [loop times] -> statistics/ per loop, rules for single loops
 *
 * A loop is known again by its place, which rules of KEEL_SCHEDULE understand. Where several ranks
 * have run it, the longest counts. */
#ifndef OMP_EXT_COMMAND_COMPARE_LOOP_TIMES_H
#define OMP_EXT_COMMAND_COMPARE_LOOP_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/command/compare/statistics/samples.h"

#define KEEL_LOOP_TIMES_MAX 256

struct keel_loop_time {
    char *place;
    char *function; /* "" if it is not known */
    double instances;
    struct keel_samples samples;
};

struct keel_loop_times {
    size_t candidates; /* set before */
    size_t count;
    struct keel_loop_time *of;
    bool left_out; /* there are more loops than room */
    size_t reports;
};

/* Notes what the report says of work-sharing loops outside of others. False: there is no report, or
 * it is none that can be read; nothing is noted then. */
bool keel_loop_times_read(struct keel_loop_times *loops, const char *report, size_t round,
                          size_t candidate);

/* A sum over what the report says of schedules, the same whenever the same loops have run under the
 * same ones; 0 without loops. False: there is no report that can be read. */
bool keel_loop_times_schedules(const char *report, uint64_t *sum);

void keel_loop_times_free(struct keel_loop_times *loops);

#endif
