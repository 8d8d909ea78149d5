/* The list of observers. */
#include "omp_ext/observe/observers.h"

#include <pthread.h>
#include <stddef.h>

#include "omp_ext/recorder/recording.h"
#include "omp_ext/support/uncancelled.h"
#include "omp_ext/trace/trace_writer.h"

static const struct keel_observer *const observers[] = {
    &keel_recorder,
    &keel_trace_observer,
    NULL,
};

static void begin(void)
{
    int cancel_state = keel_uncancelled_begin();

    keel_observe_begin(observers);
    keel_uncancelled_end(cancel_state);
}

bool keel_observers_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, begin);
    return keel_observing();
}
