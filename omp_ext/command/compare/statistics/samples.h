/* Times of candidates in rounds: of the whole program, or of one of its loops. Plain data. */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_SAMPLES_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

struct keel_samples {
    size_t candidates, rounds;
    size_t room;    /* rounds that there is memory for */
    double *time_s; /* rounds x candidates; not-a-number: missing */
};

/* Notes the time of a candidate in a round; rounds up to it that are new have none. False: no
 * memory. `candidates` is set before. */
bool keel_samples_note(struct keel_samples *samples, size_t round, size_t candidate, double time_s);

/* Not-a-number: missing. */
double keel_samples_at(const struct keel_samples *samples, size_t round, size_t candidate);

/* Copies the times of a candidate that are there, sorted, to `time_s`, which has room for all
 * rounds; how many. */
size_t keel_samples_sorted(const struct keel_samples *samples, size_t candidate, double *time_s);

void keel_samples_free(struct keel_samples *samples);

#endif
