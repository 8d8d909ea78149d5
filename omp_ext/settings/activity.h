/* What Keel has to do in this process, for what is called often.
 *
 *   settings, observers, keel_set_schedule() -> [activity] -> entry points: pass on at once, or not
 */
#ifndef OMP_EXT_SETTINGS_ACTIVITY_H
#define OMP_EXT_SETTINGS_ACTIVITY_H

#include <stdatomic.h>
#include <stdbool.h>

/* What has been asked of Keel in this process: nothing, only to observe what libgomp does
 * (observe/observe.h), or to schedule loops, and perhaps to observe as well. */
enum keel_activity { KEEL_UNKNOWN, KEEL_OFF, KEEL_OBSERVES, KEEL_ON };
extern _Atomic int keel_activity;

/* Use keel_loop_active(). */
enum keel_activity keel_loop_find_activity(void);

static inline enum keel_activity keel_loop_activity(void)
{
    /* relaxed: keel_settings() orders what it hands out by itself */
    int activity = atomic_load_explicit(&keel_activity, memory_order_relaxed);

    return __builtin_expect(activity == KEEL_UNKNOWN, 0) ? keel_loop_find_activity()
                                                         : (enum keel_activity)activity;
}

/* Whether Keel has to schedule anything. */
static inline bool keel_loop_active(void)
{
    return __builtin_expect(keel_loop_activity() == KEEL_ON, 0);
}

/* Whether it has to do anything at all. While it has not, entry points pass on at once. */
static inline bool keel_loop_attends(void)
{
    return __builtin_expect(keel_loop_activity() != KEEL_OFF, 0);
}

/* Whether that is known to be so: a test that calls nothing. */
static inline bool keel_loop_is_known_off(void)
{
    return __builtin_expect(atomic_load_explicit(&keel_activity, memory_order_relaxed) == KEEL_OFF,
                            1);
}

/* Whether it is known to observe, and to do nothing more: the same. */
static inline bool keel_loop_only_observes(void)
{
    return atomic_load_explicit(&keel_activity, memory_order_relaxed) == KEEL_OBSERVES;
}

#endif
