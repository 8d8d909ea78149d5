/* What KEEL_EXPLAIN tells of `auto` at a loop: what it chose, what it compared that with, and
 * whether it came true. */
#ifndef OMP_EXT_EXPLAIN_CHOICE_H
#define OMP_EXT_EXPLAIN_CHOICE_H

#include "omp_ext/site/candidates.h"
#include "omp_ext/site/record.h"

/* Prints that. Call with the record's lock held. */
void keel_explain_choice(const struct keel_candidates *candidates,
                         const struct keel_record *record);

#endif
