/* The snapshot of the environment. This is the only file of the library that reads it. */
#include "mpi_backend/process/mpi_process.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/environment.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

extern char **environ;

static const char *value_of(const char *name)
{
    return getenv(name);
}

static bool is_ours(const char *entry)
{
    return strncmp(entry, "KEEL_MPI_", 9) == 0;
}

static const char *variable_name(size_t number)
{
    return keel_ranks_variables[number].name;
}

static void report(const char *problem)
{
    keel_message("%s", problem);
}

static const struct keel_unknown_table table = {is_ours, variable_name, report};

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
    } else if (settings->prints_common && !keel_mpi_libkeel_is_there()) {
        keel_message("KEEL_GRAIN: '%s' is not a whole number from 1 to %llu; using 1", value,
                     (unsigned long long)highest);
    }
}

/* KEEL_REPORT, KEEL_EXPLAIN and KEEL_TRACE are variables of libkeel.so, which complains. */
static bool is_given(const char *value)
{
    return value != NULL && !keel_text_is_blank(value);
}

static bool is_wanted(const char *value)
{
    return is_given(value) && strcmp(value, "0") != 0;
}

static const char *read_report(void)
{
    const char *value = value_of("KEEL_REPORT");
    bool usable = is_wanted(value) && (strcmp(value, "1") == 0 || !keel_privilege_is_raised());

    return usable ? value : NULL;
}

static struct keel_ranks_settings snapshot;
static char launched_job[KEEL_LAUNCH_JOB_MAX];

static void take_snapshot(void)
{
    bool prints_common = keel_launch_role(value_of) != KEEL_LAUNCH_OTHER;

    keel_launch_job(value_of, launched_job);
    if (launched_job[0] == '\0' && keel_launch_rank(value_of) >= 0) {
        /* MPICH's launcher names no job; what started this rank has started those of its machine */
        snprintf(launched_job, sizeof launched_job, "of-process-%ld", (long)getppid());
    }
    keel_ranks_variables_begin(&snapshot);
    snapshot.prints_common = prints_common;
    snapshot.report = read_report();
    snapshot.figures = snapshot.report != NULL || is_wanted(value_of("KEEL_EXPLAIN"));
    snapshot.traces = is_given(value_of("KEEL_TRACE"));
    read_grain(&snapshot);
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        const char *value = value_of(variable->name);
        char problem[KEEL_RANKS_PROBLEM_MAX] = "";
        if (value != NULL && !(variable->names_file && keel_privilege_forbids(variable->name))) {
            keel_ranks_variable_read(&snapshot, variable, value, problem);
        }
        if (problem[0] != '\0' && prints_common) {
            keel_message("%s: %s", variable->name, problem);
        }
    }
    if (prints_common) {
        keel_unknown_report_all(environ, &table);
    }
}

const struct keel_ranks_settings *keel_mpi_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, take_snapshot);
    return &snapshot;
}

const char *keel_mpi_settings_job(void)
{
    keel_mpi_settings();
    return launched_job;
}
