/* Estimates of the rates that workers will have: several ways to look at the same measured rates.
 *
 *   measured and filtered rates of all, at each decision -> [estimates] -> candidates.h
 *
 * Which of them foretells rates best depends on what the load is like, so all of them are kept,
 * and rehearse.h finds out. Pure; O(P) for each. */
#ifndef SCHEDULES_REHEARSE_ESTIMATES_H
#define SCHEDULES_REHEARSE_ESTIMATES_H

#include <stddef.h>
#include <stdint.h>

enum keel_estimate {
    KEEL_ESTIMATE_LAST,      /* rates stay as they were measured last */
    KEEL_ESTIMATE_FILTERED,  /* by the rate filter (PAPERS.md S10) */
    KEEL_ESTIMATE_LONG_MEAN, /* the mean over about the last 32 decisions */
    KEEL_ESTIMATE_LOW_4,     /* falls with a rate at once, and rises by a 4th of the rest */
    KEEL_ESTIMATE_LOW_16,    /* by a 16th */
    KEEL_ESTIMATE_LOWEST,    /* never */
    KEEL_ESTIMATE_FORESEEN,  /* loads that repeat will come again (recurrence.h); else the last */
    KEEL_ESTIMATES
};

/* Doubles that the state for so many workers takes. */
static inline size_t keel_estimates_room(uint32_t workers)
{
    return KEEL_ESTIMATES * (size_t)workers;
}

/* Takes in the rates of decision number `decision`, from 1, all > 0: P values each. value: room of
 * keel_estimates_room(P); before the first decision it may hold anything. KEEL_ESTIMATE_FORESEEN is
 * the caller's to overwrite. */
void keel_estimates_note(double *value, uint32_t workers, uint64_t decision, const double *measured,
                         const double *filtered);

/* Rates count in new units: what counted 1 for worker w counts factor[w] from now on, > 0 and
 * finite; P values. After the first decision. */
void keel_estimates_scale(double *value, uint32_t workers, const double *factor);

/* P values, after the first decision. */
static inline const double *keel_estimates_of(const double *value, uint32_t workers,
                                              enum keel_estimate kind)
{
    return value + (size_t)kind * workers;
}

#endif
