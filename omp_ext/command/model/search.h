/* The search for the values of a model's free parameters that make one of its results small. */
#ifndef OMP_EXT_COMMAND_MODEL_SEARCH_H
#define OMP_EXT_COMMAND_MODEL_SEARCH_H

#include "omp_ext/command/model/range.h"

#define KEEL_SEARCH_FREE_MAX 8
#define KEEL_SEARCH_ROWS_MAX 200
#define KEEL_SEARCH_TRIES_MAX 1000000

struct keel_search_row {
    double cost; /* the minimised result */
    struct keel_model_value value[KEEL_MODEL_PARAMETERS_MAX];
};

/* Rows: of each combination of words that are free the best numbers, or, where only numbers are
 * free, each combination; by cost, the first found first among equals. */
struct keel_search {
    struct keel_values values; /* a copy; what is not free, and where the search starts */
    unsigned frees, words;     /* how many are free; of these, words and texts, which come first */
    struct keel_range range[KEEL_SEARCH_FREE_MAX];
    unsigned rows;
    struct keel_search_row row[KEEL_SEARCH_ROWS_MAX];
};

/* free: places of 1 .. KEEL_SEARCH_FREE_MAX parameters. False, and a message: no values to try for
 * one of them, too many in all, or the model can't take one. End it in either case. */
bool keel_search_begin(struct keel_search *search, const struct keel_values *values,
                       const unsigned *free, unsigned frees);

void keel_search_end(struct keel_search *search);

#endif
