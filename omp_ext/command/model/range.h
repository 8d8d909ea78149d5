/* The values that a sweep gives a parameter. */
#ifndef OMP_EXT_COMMAND_MODEL_RANGE_H
#define OMP_EXT_COMMAND_MODEL_RANGE_H

#include "omp_ext/command/model/values.h"

#define KEEL_RANGE_VALUES_MAX 1000000

struct keel_range {
    unsigned parameter;
    size_t count;                   /* >= 1 */
    struct keel_model_value *value; /* from malloc */
    bool by_factor;
};

/* Whether the text states several values of this parameter:
 *
 *     FROM:TO[:STEPS]    a number, STEPS equal steps; of whole numbers that are close, each
 *     FROM:TO:xFACTOR    each FACTOR times the one before it
 *     A/B/...            these
 *     every              all words, or what `optimise` would try */
bool keel_range_is(const struct keel_model *model, unsigned parameter, const char *text);

/* Reads it; changes the text, which has to live as long as the range. False, and a message: it is
 * no range. */
bool keel_range_read(const struct keel_values *values, unsigned parameter, char *text,
                     struct keel_range *range);

/* What `optimise` tries: the model's candidates, all words, or numbers over the range. False, and a
 * message: there is no memory, or nothing to try. */
bool keel_range_candidates(const struct keel_values *values, unsigned parameter,
                           struct keel_range *range);

void keel_range_end(struct keel_range *range);

#endif
