/* The loops of a job, each place once: what all ranks together lose there.
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_REPORT_PLACES_H
#define OMP_EXT_REPORT_REPORT_PLACES_H

#include "omp_ext/report/report_job.h"

/* A place. Times of threads are summed over threads and ranks; those of a region are without what
 * its loops and parts have, so that lost_s of all places that are not nested add up. */
struct keel_report_place {
    const struct keel_report_loop *loop; /* of the rank that loses most there */
    bool is_rest; /* a region that has loops or parts of its own in the table */
    bool mixed;   /* ranks or instances ran under several schedules */
    double lost_s, waited_s, claiming_s;
    double elapsed_s;   /* of the rank where it took longest */
    double gain_s;      /* likewise */
    double busy_s;      /* summed over threads */
    double longest_s;   /* the busiest thread of each rank, summed with equal teams' weight */
    uint64_t instances; /* the largest of ranks */
    uint64_t iterations;
};

/* Percent imbalance within the ranks' teams. */
double keel_report_place_imbalance(const struct keel_report_place *place);

/* The places of the job by lost_s, the largest first; *count of them, to be freed. NULL: there are
 * none, or memory is short. */
struct keel_report_place *keel_report_places(const struct keel_report_job *job, size_t *count);

#endif
