/* Which ranks are left: a consensus among ranks of which any may end at any time. Its data and its
 * rules, without MPI; tests/models/survivors.pml is searched for a case in which they do not hold.
 *
 *   what a rank knows -> [attempt: each rank is coordinator once, in order; others adopt its set]
 *       -> does a rank know of more by now? another attempt; else it is decided
 *
 * In an attempt the set of the first coordinator that lasts to its end is everybody's from then on,
 * so all ranks that reach the end have the same set (Chandra and Toueg 1996, with a failure
 * detector that is never wrong). What is learned in its course counts in the next attempt only:
 * else a coordinator that ends while it sends could leave two sets behind. */
#ifndef MPI_BACKEND_JOB_SURVIVORS_AGREEMENT_H
#define MPI_BACKEND_JOB_SURVIVORS_AGREEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Sets have one byte for each rank: 1, it has ended. */
struct keel_mpi_agreement {
    uint32_t own, ranks;
    uint32_t attempt;     /* from 1, in all calls; sets of earlier ones count for nothing */
    uint32_t coordinator; /* a rank; `ranks`: the attempt is over */
    unsigned char *known; /* to have ended; grows at any time */
    unsigned char *set;   /* of this attempt */
};

/* False: no memory. */
bool keel_mpi_agreement_open(struct keel_mpi_agreement *agreement, uint32_t own, uint32_t ranks);

void keel_mpi_agreement_close(struct keel_mpi_agreement *agreement);

/* The next attempt: what is known. */
void keel_mpi_agreement_begin(struct keel_mpi_agreement *agreement);

/* Adds to what is known. */
void keel_mpi_agreement_learn(struct keel_mpi_agreement *agreement, const unsigned char *set);

/* The coordinator's set has come. */
void keel_mpi_agreement_adopt(struct keel_mpi_agreement *agreement, const unsigned char *set);

/* The coordinator has sent its set, or has ended: the next one. */
void keel_mpi_agreement_pass(struct keel_mpi_agreement *agreement);

/* At the end of an attempt: nobody outside of the set is known to have ended. One that does know
 * begins another attempt; those that have decided see that it has ended, too (survivors.c). */
bool keel_mpi_agreement_is_decided(const struct keel_mpi_agreement *agreement);

#endif
