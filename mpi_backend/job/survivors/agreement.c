/* Which ranks are left. */
#include "mpi_backend/job/survivors/agreement.h"

#include <stdlib.h>
#include <string.h>

bool keel_mpi_agreement_open(struct keel_mpi_agreement *agreement, uint32_t own, uint32_t ranks)
{
    *agreement = (struct keel_mpi_agreement){.own = own,
                                             .ranks = ranks,
                                             .known = calloc(ranks, 1),
                                             .set = calloc(ranks, 1),
                                             .last = calloc(ranks, 1)};
    return agreement->known != NULL && agreement->set != NULL && agreement->last != NULL;
}

void keel_mpi_agreement_close(struct keel_mpi_agreement *agreement)
{
    free(agreement->known);
    free(agreement->set);
    free(agreement->last);
}

static void add(unsigned char *to, const unsigned char *set, uint32_t ranks)
{
    for (uint32_t i = 0; i < ranks; i++) {
        to[i] |= set[i] == 1;
    }
}

void keel_mpi_agreement_begin(struct keel_mpi_agreement *agreement)
{
    agreement->attempt++;
    agreement->coordinator = 0;
    memcpy(agreement->last, agreement->set, agreement->ranks);
    add(agreement->set, agreement->known, agreement->ranks);
}

void keel_mpi_agreement_learn(struct keel_mpi_agreement *agreement, const unsigned char *set)
{
    add(agreement->known, set, agreement->ranks);
}

void keel_mpi_agreement_adopt(struct keel_mpi_agreement *agreement, const unsigned char *set)
{
    memcpy(agreement->set, set, agreement->ranks);
    keel_mpi_agreement_learn(agreement, set);
}

void keel_mpi_agreement_pass(struct keel_mpi_agreement *agreement)
{
    agreement->coordinator++;
}

bool keel_mpi_agreement_is_decided(const struct keel_mpi_agreement *agreement)
{
    return agreement->attempt > 1 && memcmp(agreement->set, agreement->last, agreement->ranks) == 0;
}

bool keel_mpi_agreement_is_fresh(const struct keel_mpi_agreement *agreement)
{
    for (uint32_t i = 0; i < agreement->ranks; i++) {
        if (agreement->known[i] && !agreement->set[i]) {
            return false;
        }
    }
    return true;
}
