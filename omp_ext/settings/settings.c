/* The snapshot of the environment. This is the only file that reads it. */
#include "omp_ext/settings/settings.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/settings/hidden_omp_schedule.h"
#include "omp_ext/support/message.h"
#include "schedules/text/nearest.h"

extern char **environ;

static bool is_variable(const char *name, size_t length)
{
    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        if (strlen(variable->name) == length && memcmp(variable->name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static void report_unknown(const char *name, size_t length)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, length);
    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        keel_nearest_consider(&nearest, variable->name, strlen(variable->name));
    }
    keel_message("%.*s: no such variable%s; ignored", (int)length, name,
                 keel_nearest_hint(&nearest));
}

/* KEEL_MPI_... belongs to the library across nodes, KEEL_TEST_... to the tests. */
static void report_unknown_variables(void)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "KEEL_", 5) == 0 && strncmp(*entry, "KEEL_MPI_", 9) != 0 &&
            strncmp(*entry, "KEEL_TEST_", 10) != 0 && !is_variable(*entry, length)) {
            report_unknown(*entry, length);
        }
    }
}

_Atomic(const struct keel_settings *) keel_settings_taken;

static struct keel_settings snapshot;

static void take_snapshot(void)
{
    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        const char *value = getenv(variable->name);
        if (strcmp(variable->name, "OMP_SCHEDULE") == 0 && keel_hidden_omp_schedule() != NULL) {
            value = keel_hidden_omp_schedule();
        }
        if (value != NULL) {
            keel_variable_read(&snapshot, variable, value);
        }
    }
    report_unknown_variables();
}

const struct keel_settings *keel_settings_take(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, take_snapshot);
    /* release: the snapshot is complete before it is seen */
    atomic_store_explicit(&keel_settings_taken, &snapshot, memory_order_release);
    return &snapshot;
}
