/* What a recording adds up to at each place, for recording_reader.h.
 *
 *   objects of the recording -> [checked] -> sums by place -> recording_reader.c -> figures
 *
 * Nothing in the recording is trusted. */
#ifndef OMP_EXT_RECORDER_SUMS_H
#define OMP_EXT_RECORDER_SUMS_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/report/report_document.h"

/* A loop of the report while it is put together: what is not told by names. */
struct keel_sum {
    struct keel_report_loop loop;
    struct keel_report_thread *thread; /* loop.thread */
    uint64_t place, schedule;
    uint64_t region;          /* place of the one that most of its time is in; 0: none */
    double region_s;          /* that time */
    struct keel_median waits; /* of an instance, ticks */
};

struct keel_sums {
    struct keel_report_document *document; /* of the figures */
    const char *bytes;
    uint64_t used;
    const struct keel_recording_header *header;
    struct keel_sum *sum;
    size_t sums;
    size_t *number;                      /* of sums from 1, by kind and place; 0: there is none */
    struct keel_recording_entry *uneven; /* parts that are not put together yet; NULL: none */
};

/* The object that begins there; NULL: none of that type and size can. */
const void *keel_sums_object_at(const struct keel_sums *reading, uint64_t offset, uint32_t type,
                                size_t size);

double keel_sums_seconds(const struct keel_sums *reading, uint64_t ticks);

/* The number of the sum for a kind and place, from 1; 0: there is none. */
size_t keel_sums_number_of(const struct keel_sums *reading, enum keel_report_kind kind,
                           uint64_t place);

/* Adds all entries up. False: memory is short. */
bool keel_sums_add(struct keel_sums *reading);

#endif
