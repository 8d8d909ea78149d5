/* The list of observers. */
#include "omp_ext/observe/observers.h"

#include <pthread.h>
#include <stddef.h>

#include "omp_ext/recorder/recorder.h"

#include "omp_ext/trace/observer.h"

static const struct keel_observer *const observers[] = {
    &keel_recorder,
    &keel_trace_observer,
    NULL,
};

static void begin(void)
{
    keel_observe_begin(observers);
}

bool keel_observers_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, begin);
    return keel_observing();
}
