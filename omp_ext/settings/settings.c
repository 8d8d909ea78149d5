/* The snapshot of the environment. This is the only file that reads it. */
#include "omp_ext/settings/settings.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

extern char **environ;

/* KEEL_MPI_... belongs to the library of MPI jobs, KEEL_TEST_... to the tests. */
static bool is_ours(const char *entry)
{
    return strncmp(entry, "KEEL_", 5) == 0 && strncmp(entry, "KEEL_MPI_", 9) != 0 &&
           strncmp(entry, "KEEL_TEST_", 10) != 0;
}

static const char *variable_name(size_t number)
{
    return keel_variables[number].name;
}

static void report(const char *problem)
{
    keel_message("%s", problem);
}

static const struct keel_unknown_table table = {is_ours, variable_name, report};

_Atomic(const struct keel_settings *) keel_settings_taken;

static struct keel_settings snapshot;

/* From its beginning: in the child of a fork, what another thread had begun here is begun anew. */
static void take_snapshot(void)
{
    snapshot = (struct keel_settings){0};
    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        const char *value = getenv(variable->name);
        if (strcmp(variable->name, "OMP_SCHEDULE") == 0 && keel_hidden_omp_schedule() != NULL) {
            value = keel_hidden_omp_schedule();
        }
        if (value != NULL && !(keel_variable_names_file(variable, value) &&
                               keel_privilege_forbids(variable->name))) {
            keel_variable_read(&snapshot, variable, value);
        }
    }
    keel_unknown_report_all(environ, &table);
}

const struct keel_settings *keel_settings_take(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, take_snapshot);
    /* release: the snapshot is complete before it is seen */
    atomic_store_explicit(&keel_settings_taken, &snapshot, memory_order_release);
    return &snapshot;
}
