/* States of loop sites for tests. */
#ifndef TESTS_OMP_EXT_STORE_STATES_H
#define TESTS_OMP_EXT_STORE_STATES_H

#include "omp_ext/memory/memory.h"

#define STATES_THREADS_MAX 64

/* A state with numbers that need all their digits, different for each `seed`; good as long as the
 * same slot (0 or 1) is not filled again. threads <= STATES_THREADS_MAX. */
struct keel_memory_state state_of(unsigned slot, uint64_t caller, uint64_t threads, uint64_t seed);

/* Whether they are equal to the last bit. */
bool states_equal(const struct keel_memory_state *a, const struct keel_memory_state *b);

#endif
