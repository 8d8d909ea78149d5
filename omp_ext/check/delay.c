/* Delays of threads. */
#include "omp_ext/check/delay.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "omp_ext/check/check_site.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/claim/adversary.h"

#define OFTEN 16            /* instances that are delayed for certain */
#define SLEEP_NS_MAX 300000 /* longest brief sleep */

void keel_delay_sleep(uint64_t ns)
{
    struct timespec span = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    nanosleep(&span, NULL); /* a signal may end it: delays need not be exact */
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

void keel_delay_sleep_briefly(uint64_t draw)
{
    keel_delay_sleep(draw % SLEEP_NS_MAX);
}

bool keel_delay_is_due(uint64_t draw, uint64_t number)
{
    return number <= OFTEN || draw % number < OFTEN;
}

void keel_delay_region(const struct keel_check_site *region)
{
    static _Atomic uint64_t threads;
    static _Thread_local uint64_t regions, thread_number; /* 0 until the thread has come to one */

    if (thread_number == 0) {
        /* relaxed: makes threads differ */
        thread_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    }
    uint64_t seed = keel_settings()->check.seed ^ region->hash;
    uint64_t draw = keel_adversary_draw(keel_adversary_draw(seed, thread_number), ++regions);
    if (draw % 2 == 0 && keel_delay_is_due(draw / 2, regions)) {
        keel_delay_sleep_briefly(draw / 2 / regions);
    }
}
