/* What is known of the process: the environment, libkeel.so, and threads of the library. */
#define _GNU_SOURCE
#include "mpi_backend/process/mpi_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/lending/lending.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/environment.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

/* --- settings ---
 *
 * The snapshot of the environment. This is the only file of the library that reads it. */

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
    snapshot.measurements = snapshot.report != NULL || is_wanted(value_of("KEEL_EXPLAIN"));
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

uint64_t keel_mpi_weights_digest(uint64_t digest)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    return keel_digest_bytes(digest, settings->weight,
                             settings->weights * sizeof settings->weight[0]);
}

const char *keel_mpi_settings_job(void)
{
    keel_mpi_settings();
    return launched_job;
}

/* --- libkeel.so ---
 *
 * libkeel.so, where it is in the process. Looked for anew each time: a program may load it late. */

typedef const struct keel_lending *meeting(uint32_t version, uint32_t *newest);

static meeting *find(void)
{
    return (meeting *)dlsym(RTLD_DEFAULT, "keel_lending_meet");
}

const struct keel_lending *keel_mpi_libkeel(void)
{
    meeting *meet = find();
    uint32_t newest;

    return meet != NULL ? meet(KEEL_LENDING_VERSION, &newest) : NULL;
}

bool keel_mpi_libkeel_is_there(void)
{
    return find() != NULL;
}

uint32_t keel_mpi_libkeel_version(void)
{
    meeting *meet = find();
    uint32_t newest = 0;

    if (meet != NULL) {
        meet(KEEL_LENDING_VERSION, &newest);
    }
    return newest;
}

/* --- names --- */

void keel_mpi_libkeel_loop_name(const void *caller, void (*outlined)(void *), char *text,
                                size_t size)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();
    Dl_info module;

    if (libkeel != NULL) {
        libkeel->loop_name(caller, outlined, text, size);
    } else if (caller != NULL && dladdr(caller, &module) != 0) {
        snprintf(text, size, "%s+0x%zx", keel_text_base_name(module.dli_fname),
                 (size_t)((uintptr_t)caller - (uintptr_t)module.dli_fbase));
    } else {
        snprintf(text, size, "%p", caller);
    }
}

/* --- messages --- */

static bool hand_message(const char *text)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    return libkeel != NULL && libkeel->hand_message(text);
}

/* Before the program's first region: a loop of it may be shared in its course. */
__attribute__((constructor)) static void begin_at_load(void)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    keel_message_set_forward(hand_message);
    if (libkeel != NULL) {
        libkeel->expect_loans();
    }
}

/* --- threads of the library --- */

/* Sleeps for that long, or until the thread is to stop: then true. */
static bool nap(struct keel_mpi_periodic *periodic, double time_s)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    double end_s = (double)until.tv_nsec * 1e-9 + time_s;
    until.tv_sec += (time_t)end_s;
    until.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
    pthread_mutex_lock(&periodic->mutex);
    while (!periodic->stops &&
           pthread_cond_timedwait(&periodic->stopped, &periodic->mutex, &until) != ETIMEDOUT) {
    }
    bool stops = periodic->stops;
    pthread_mutex_unlock(&periodic->mutex);
    return stops;
}

static void *run(void *argument)
{
    struct keel_mpi_periodic *periodic = argument;
    double wait_s = periodic->first_s;

    while (!nap(periodic, wait_s)) {
        wait_s = periodic->look(periodic->context);
    }
    return NULL;
}

void keel_mpi_periodic_start(struct keel_mpi_periodic *periodic, double first_s,
                             double (*look)(void *context), void *context)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;

    *periodic = (struct keel_mpi_periodic){.first_s = first_s, .look = look, .context = context};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&periodic->mutex, NULL);
    pthread_cond_init(&periodic->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    periodic->runs = pthread_create(&periodic->thread, NULL, run, periodic) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void keel_mpi_periodic_stop(struct keel_mpi_periodic *periodic)
{
    if (!periodic->runs) {
        return;
    }
    pthread_mutex_lock(&periodic->mutex);
    periodic->stops = true;
    pthread_cond_signal(&periodic->stopped);
    pthread_mutex_unlock(&periodic->mutex);
    pthread_join(periodic->thread, NULL);
    pthread_cond_destroy(&periodic->stopped);
    pthread_mutex_destroy(&periodic->mutex);
    periodic->runs = false;
}
