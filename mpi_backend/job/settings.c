/* The snapshot of the environment. This is the only file of the library that reads it. */
#include "mpi_backend/job/settings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/support/message.h"
#include "schedules/loop/parameter.h"
#include "schedules/text/nearest.h"
#include "schedules/text/number.h"

extern char **environ;

static const char *value_of(const char *name)
{
    return getenv(name);
}

static bool is_variable(const char *name, size_t length)
{
    const struct keel_ranks_variable *variable = keel_ranks_variables;

    while (variable->name != NULL &&
           (strlen(variable->name) != length || memcmp(variable->name, name, length) != 0)) {
        variable++;
    }
    return variable->name != NULL;
}

static void report_unknown(const char *name, size_t length)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, length);
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        keel_nearest_consider(&nearest, variable->name, strlen(variable->name));
    }
    keel_message("%.*s: no such variable%s; ignored", (int)length, name,
                 keel_nearest_hint(&nearest));
}

static void report_unknown_variables(void)
{
    static const char prefix[] = "KEEL_MPI_";

    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, prefix, strlen(prefix)) == 0 && !is_variable(*entry, length)) {
            report_unknown(*entry, length);
        }
    }
}

/* KEEL_GRAIN is a variable of libkeel.so, too, which complains where it is in the process; loops
 * without OpenMP do without. */
static void read_grain(struct keel_ranks_settings *settings)
{
    const char *value = value_of("KEEL_GRAIN");
    const uint64_t highest = keel_parameters[KEEL_GRAIN].highest.count;
    uint64_t grain;

    if (value == NULL) {
        return;
    }
    if (keel_number_whole(value, 1, highest, &grain)) {
        settings->grain = grain;
    } else if (settings->prints_common && dlsym(RTLD_DEFAULT, "keel_lending_lend_next") == NULL) {
        keel_message("KEEL_GRAIN: '%s' is not a whole number from 1 to %llu; using 1", value,
                     (unsigned long long)highest);
    }
}

static struct keel_ranks_settings snapshot;

static void take_snapshot(void)
{
    bool prints_common = keel_launch_role(value_of) != KEEL_LAUNCH_OTHER;

    keel_ranks_variables_begin(&snapshot);
    snapshot.prints_common = prints_common;
    read_grain(&snapshot);
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        const char *value = value_of(variable->name);
        char problem[KEEL_RANKS_PROBLEM_MAX] = "";
        if (value != NULL) {
            keel_ranks_variable_read(&snapshot, variable, value, problem);
        }
        if (problem[0] != '\0' && prints_common) {
            keel_message("%s: %s", variable->name, problem);
        }
    }
    if (prints_common) {
        report_unknown_variables();
    }
}

const struct keel_ranks_settings *keel_mpi_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, take_snapshot);
    return &snapshot;
}
