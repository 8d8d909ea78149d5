/* What the environment asks of Keel: one snapshot, taken once. */
#ifndef OMP_EXT_SETTINGS_SETTINGS_H
#define OMP_EXT_SETTINGS_SETTINGS_H

#include <stdatomic.h>
#include <stddef.h>

#include "omp_ext/settings/variables.h"

/* The snapshot once it has been taken; use keel_settings(). */
extern _Atomic(const struct keel_settings *) keel_settings_taken;

const struct keel_settings *keel_settings_take(void);

/* The snapshot: taken by the first caller, the same for ever after. Any thread, also before
 * constructors have run. */
static inline const struct keel_settings *keel_settings(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *taken =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    return __builtin_expect(taken != NULL, 1) ? taken : keel_settings_take();
}

/* Whether a loop whose explicit clause has no modifier gives each thread increasing iterations: it
 * was never run otherwise, as libgomp's dynamic and guided do that. */
static inline bool keel_settings_keep_order(void)
{
    return (keel_settings()->override & KEEL_OVERRIDE_NONMONOTONIC) == 0;
}

#endif
