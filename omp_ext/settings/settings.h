/* What the environment asks of Keel: one snapshot, taken once. */
#ifndef OMP_EXT_SETTINGS_SETTINGS_H
#define OMP_EXT_SETTINGS_SETTINGS_H

#include <stdatomic.h>
#include <stdbool.h>
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

/* --- Keel's schedules in OMP_SCHEDULE --- */

/* Whether this value of OMP_SCHEDULE names a schedule that Keel knows and libgomp does not. */
bool keel_omp_schedule_is_ours(const char *value);

/* What has to happen before libgomp's constructor reads OMP_SCHEDULE.
 *
 * libgomp warns about schedules that it does not know. libkeel_early.so is linked with -z
 * initfirst, so that its constructor runs before all others; it shows libgomp a schedule that
 * libgomp knows, and libkeel.so's own constructor, which runs after libgomp's, puts the environment
 * back, so that child processes inherit what the person wrote. */

/* The value of OMP_SCHEDULE that is hidden from libgomp at the moment; NULL: none. */
const char *keel_hidden_omp_schedule(void);

/* Puts the environment back. */
void keel_hidden_omp_schedule_restore(void);

#endif
