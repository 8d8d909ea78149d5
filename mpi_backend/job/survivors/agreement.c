/* Which ranks are left. */
#include "mpi_backend/job/survivors/survivors.h"

#include <stdlib.h>
#include <string.h>

bool keel_mpi_agreement_open(struct keel_mpi_agreement *agreement, uint32_t own, uint32_t ranks)
{
    *agreement = (struct keel_mpi_agreement){
        .own = own, .ranks = ranks, .known = calloc(ranks, 1), .set = calloc(ranks, 1)};
    return agreement->known != NULL && agreement->set != NULL;
}

void keel_mpi_agreement_close(struct keel_mpi_agreement *agreement)
{
    free(agreement->known);
    free(agreement->set);
}

/* tests/models/survivors.pml: attempt */
void keel_mpi_agreement_begin(struct keel_mpi_agreement *agreement)
{
    agreement->attempt++;
    agreement->coordinator = 0;
    memcpy(agreement->set, agreement->known, agreement->ranks);
}

void keel_mpi_agreement_learn(struct keel_mpi_agreement *agreement, const unsigned char *set)
{
    for (uint32_t i = 0; i < agreement->ranks; i++) {
        agreement->known[i] |= set[i] == 1;
    }
}

/* tests/models/survivors.pml: adopt */
void keel_mpi_agreement_adopt(struct keel_mpi_agreement *agreement, const unsigned char *set)
{
    memcpy(agreement->set, set, agreement->ranks);
    keel_mpi_agreement_learn(agreement, set);
}

void keel_mpi_agreement_pass(struct keel_mpi_agreement *agreement)
{
    agreement->coordinator++;
}

/* tests/models/survivors.pml: decide */
bool keel_mpi_agreement_is_decided(const struct keel_mpi_agreement *agreement)
{
    for (uint32_t i = 0; i < agreement->ranks; i++) {
        if (agreement->known[i] && !agreement->set[i]) {
            return false;
        }
    }
    return true;
}
