/* What the environment asks of Keel: one snapshot, taken once. */
#ifndef OMP_EXT_SETTINGS_H
#define OMP_EXT_SETTINGS_H

#include "omp_ext/variables.h"

/* The snapshot: taken by the first caller, the same for ever after. Any thread, also before
 * constructors have run. */
const struct keel_settings *keel_settings(void);

#endif
