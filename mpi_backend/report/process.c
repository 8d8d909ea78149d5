/* Sums of the shared loops of each place, and the measurements of this process. */
#define _GNU_SOURCE
#include "mpi_backend/report/mpi_report.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/report/report_data.h"

#define PLACES_MAX 1024

static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static struct keel_mpi_place *places; /* the latest first */
static size_t count;

static struct keel_mpi_place *find(const void *caller, void (*outlined)(void *))
{
    struct keel_mpi_place *place = places;

    while (place != NULL && (place->caller != caller || place->outlined != outlined)) {
        place = place->next;
    }
    return place;
}

static struct keel_mpi_place *make(const void *caller, void (*outlined)(void *))
{
    struct keel_mpi_place *place = count < PLACES_MAX ? calloc(1, sizeof *place) : NULL;

    if (place != NULL) {
        place->caller = caller;
        place->outlined = outlined;
        place->next = places;
        places = place;
        count++;
    }
    return place;
}

struct keel_mpi_place *keel_mpi_place_of(const void *caller, void (*outlined)(void *))
{
    pthread_mutex_lock(&places_lock);
    struct keel_mpi_place *place = find(caller, outlined);
    place = place != NULL ? place : make(caller, outlined);
    pthread_mutex_unlock(&places_lock);
    return place;
}

static void add(struct keel_mpi_loop_report *sum, const struct keel_mpi_loop_report *instance)
{
    sum->iterations += instance->iterations;
    sum->executed += instance->executed;
    sum->chunks += instance->chunks;
    sum->migrations += instance->migrations;
    sum->migrated += instance->migrated;
    sum->messages += instance->messages;
    sum->busy_s += instance->busy_s;
}

void keel_mpi_place_note(struct keel_mpi_place *place, const char *schedule,
                         const struct keel_mpi_loop_report *instance, double waited_s,
                         double elapsed_s)
{
    pthread_mutex_lock(&places_lock);
    snprintf(place->schedule, sizeof place->schedule, "%s", schedule);
    place->instances++;
    add(&place->sum, instance);
    place->waited_s += waited_s;
    place->elapsed_s += elapsed_s;
    pthread_mutex_unlock(&places_lock);
}

/* Its name, "mandel.c:42 (render)", or its place in its module. Reads debug information the first
 * time. */
static const char *name_of(struct keel_mpi_place *place)
{
    char name[KEEL_MPI_PLACE_NAME_MAX];

    pthread_mutex_lock(&places_lock);
    bool named = place->name[0] != '\0';
    pthread_mutex_unlock(&places_lock);
    if (!named) {
        keel_mpi_libkeel_loop_name(place->caller, place->outlined, name, sizeof name);
        pthread_mutex_lock(&places_lock);
        snprintf(place->name, sizeof place->name, "%s", name);
        snprintf(place->short_name, sizeof place->short_name, "%.*s", (int)strcspn(name, " "),
                 name);
        pthread_mutex_unlock(&places_lock);
    }
    return place->name;
}

const char *keel_mpi_place_short_name(struct keel_mpi_place *place)
{
    name_of(place);
    return place->short_name;
}

/* Copies up to `room` places, the first that came first, with their names. Returns how many there
 * are; 0 where another thread keeps them busy: this is for the end of the process, which must not
 * wait for threads that may be gone. */
static size_t copy_places(struct keel_mpi_place *copy, size_t room)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&places_lock, &until) != 0) {
        return 0;
    }
    struct keel_mpi_place *latest = places;
    size_t there = count, after = there;
    pthread_mutex_unlock(&places_lock);
    for (struct keel_mpi_place *place = latest; room > 0 && place != NULL; place = place->next) {
        name_of(place);
    }
    pthread_mutex_lock(&places_lock);
    for (struct keel_mpi_place *place = latest; place != NULL; place = place->next) {
        if (--after < room) {
            copy[after] = *place;
        }
    }
    pthread_mutex_unlock(&places_lock);
    return there;
}

/* --- the process ---
 *
 * The measurements of this process for its report. */

/* --- a process without libkeel.so: at exit, of what ranks have done alone ---
 *
 *   [provider] -> keel_report_write() of libkeel_report.so. */

/* begin_standalone() has the report written when the program ends, where KEEL_REPORT says. Once. */
#ifdef KEEL_SIMULATED /* where all ranks are one process */
static void begin_standalone(keel_report_ranks_provider *provider)
{
    (void)provider;
}
#else
#include "omp_ext/machine/cores.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/report/own_report.h"
#include "omp_ext/support/environment.h"

static double loaded_s;

__attribute__((constructor)) static void note_time(void)
{
    loaded_s = keel_mpi_clock_s();
}

static keel_report_ranks_provider *source;
static const char *file; /* absolute; NULL: standard error */
static char path[PATH_MAX];

/* A process without loops: of what it does outside of Keel nothing is known. */
static void write_report(void)
{
    struct keel_cores cores = keel_cores_of_process();
    double elapsed_s = keel_mpi_clock_s() - loaded_s;
    char host[256] = "", job[KEEL_LAUNCH_JOB_MAX];
    struct keel_report_process process = {
        .program = program_invocation_short_name,
        .host = host,
        .job = job,
        .pid = (uint64_t)getpid(),
        .complete = true,
        .elapsed_s = elapsed_s,
        .serial_s = elapsed_s,
        .threads = 1,
        .cores = {cores.online, cores.allowed, cores.quota},
    };

    gethostname(host, sizeof host - 1);
    keel_launch_job(keel_environment_value, job);
    if (source(loaded_s, &process)) {
        fflush(stdout);
        keel_report_hand_over(&process, file);
    }
}

static const char *file_of(const char *name)
{
    return strcmp(name, "1") != 0 && keel_report_file_path(name, path) ? path : NULL;
}

static void begin_standalone(keel_report_ranks_provider *provider)
{
    source = provider;
    file = file_of(keel_mpi_settings()->report);
    atexit(write_report);
}
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t process; /* whose measurements these are; 0: nothing has begun. A fork begins anew. */
static int own_rank, all_ranks = 1;

/* --- shared loops --- */

static struct keel_report_shared shared_of(const struct keel_mpi_place *place)
{
    const struct keel_mpi_loop_report *sum = &place->sum;

    return (struct keel_report_shared){
        .place = place->name,
        .schedule = place->schedule,
        .instances = place->instances,
        .iterations = sum->iterations,
        .executed = sum->executed,
        .chunks = sum->chunks,
        .migrations = sum->migrations,
        .migrated = sum->migrated,
        .messages = sum->messages,
        .busy_s = sum->busy_s,
        .waited_s = place->waited_s,
        .elapsed_s = place->elapsed_s,
    };
}

/* Those where a loop has ended. */
static size_t copy_shared(struct keel_report_shared **shared)
{
    static struct keel_mpi_place *place; /* texts are read from there */
    static size_t room;
    size_t count = copy_places(NULL, 0), copied = 0;

    if (count > room) {
        free(place);
        free(*shared);
        place = malloc(count * sizeof *place);
        *shared = malloc(count * sizeof **shared);
        room = place != NULL && *shared != NULL ? count : 0;
    }
    count = copy_places(place, room);
    for (size_t i = 0; i < count && i < room; i++) {
        if (place[i].instances > 0) {
            (*shared)[copied++] = shared_of(&place[i]);
        }
    }
    return copied;
}

#define COPY(number) .number = sum->number,

/* --- rows --- */

/* One distribution, with what its measurements point to. */
struct kept {
    struct keel_mpi_distribution of;
    struct keel_report_decision decision[KEEL_MPI_DECISIONS_MAX];
    char reason[KEEL_MPI_DECISIONS_MAX][KEEL_MPI_DECISION_TEXT];
};

static void copy_decisions(struct kept *kept, double began_s)
{
    for (size_t i = 0; i < kept->of.decisions.count; i++) {
        const struct keel_mpi_decision *decision = &kept->of.decisions.kept[i];
        keel_mpi_decision_text(decision, kept->reason[i]);
        kept->decision[i] = (struct keel_report_decision){
            .hook = decision->call,
            .time_s = decision->time_s - began_s,
            .gain = decision->gain,
            .moved = decision->moved,
            .policy = decision->policy,
            .reason = kept->reason[i],
        };
    }
}

static struct keel_report_rows rows_of(const struct kept *kept)
{
    const struct keel_mpi_rows_report *sum = &kept->of.sum;

    return (struct keel_report_rows){.name = kept->of.of.name,
                                     .copies_bytes = sum->copies_bytes,
                                     .decision_count = kept->of.decisions.count,
                                     .decision = kept->decision,
                                     .decisions_left_out = kept->of.decisions.left_out,
                                     KEEL_MPI_ROWS_SUMS(COPY)};
}

static size_t copy_rows(struct keel_report_rows rows[KEEL_MPI_REPORTED_MAX], double began_s)
{
    static struct kept *kept[KEEL_MPI_REPORTED_MAX];
    size_t count = keel_mpi_reported_count(KEEL_MPI_REPORTED_ROWS), copied = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept[i] == NULL) {
            kept[i] = malloc(sizeof *kept[i]);
        }
        if (kept[i] != NULL) {
            keel_mpi_reported_copy(KEEL_MPI_REPORTED_ROWS, i, &kept[i]->of.of);
            copy_decisions(kept[i], began_s);
            rows[copied++] = rows_of(kept[i]);
        }
    }
    return copied;
}

/* --- objects --- */

/* One set, with what its measurements point to. */
struct kept_set {
    struct keel_mpi_object_set of;
    struct keel_report_phase phase[KEEL_MPI_PHASES_MAX];
    char text[KEEL_MPI_PHASES_MAX][KEEL_MPI_PHASE_TEXT];
};

static void copy_phases(struct kept_set *kept)
{
    for (size_t i = 0; i < kept->of.phases; i++) {
        const struct keel_mpi_phase *phase = &kept->of.phase[i];
        keel_mpi_phase_text(phase, kept->text[i]);
        kept->phase[i] = (struct keel_report_phase){
            .phase = phase->phase,
            .policy = phase->policy,
            .computed = phase->computed,
            .came_s = phase->came_s,
            .expected_lower_s = phase->before.lower_s,
            .expected_upper_s = phase->before.upper_s,
            .lower_s = phase->bounds.lower_s,
            .upper_s = phase->bounds.upper_s,
            .unbalanced_s = phase->bounds.unbalanced_s,
            .pieces = phase->advice.pieces,
            .gain = phase->advice.gain,
            .advice = kept->text[i],
        };
    }
}

static struct keel_report_objects objects_of(const struct kept_set *kept)
{
    const struct keel_mpi_objects_report *sum = &kept->of.sum;

    return (struct keel_report_objects){.name = kept->of.of.name,
                                        .copies_bytes = sum->copies_bytes,
                                        .quantum_s = sum->quantum_s,
                                        .neighbours = sum->neighbours,
                                        .phase_count = kept->of.phases,
                                        .phase = kept->phase,
                                        .phases_left_out = kept->of.left_out,
                                        KEEL_MPI_OBJECTS_SUMS(COPY)};
}

static size_t copy_objects(struct keel_report_objects objects[KEEL_MPI_REPORTED_MAX])
{
    static struct kept_set *kept[KEEL_MPI_REPORTED_MAX];
    size_t count = keel_mpi_reported_count(KEEL_MPI_REPORTED_OBJECTS), copied = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept[i] == NULL) {
            kept[i] = malloc(sizeof *kept[i]);
        }
        if (kept[i] != NULL) {
            keel_mpi_reported_copy(KEEL_MPI_REPORTED_OBJECTS, i, &kept[i]->of.of);
            copy_phases(kept[i]);
            objects[copied++] = objects_of(kept[i]);
        }
    }
    return copied;
}

/* --- all of it --- */

static void fill(double began_s, struct keel_report_process *to)
{
    static struct keel_report_shared *shared;
    static struct keel_report_rows rows[KEEL_MPI_REPORTED_MAX];
    static struct keel_report_objects objects[KEEL_MPI_REPORTED_MAX];

    struct keel_mpi_waited waited = keel_mpi_waits_sum();

    to->rank = own_rank;
    to->ranks = all_ranks;
    to->mpi_s = waited.s;
    to->mpi_in_regions_s = waited.in_regions_s;
    to->shared_count = copy_shared(&shared);
    to->shared = shared;
    to->rows_count = copy_rows(rows, began_s);
    to->rows = rows;
    to->objects_count = copy_objects(objects);
    to->objects = objects;
}

/* In a child of the process there is nothing: it is no rank of the job. */
static bool give(double began_s, struct keel_report_process *to)
{
    if (process != getpid()) {
        return false;
    }
    fill(began_s, to);
    return true;
}

/* --- libkeel.so --- */

typedef bool waited(double ns);
typedef bool meeting(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest);

/* Another release of libkeel.so reports without: lending says that they do not belong together. */
static void meet_libkeel(void)
{
    meeting *meet = (meeting *)dlsym(RTLD_DEFAULT, "keel_report_meet");
    uint32_t newest;

    if (meet != NULL && meet(KEEL_REPORT_RANKS_VERSION, give, &newest)) {
        keel_mpi_waits_report((waited *)dlsym(RTLD_DEFAULT, "keel_report_waited"));
    } else if (meet == NULL && !keel_mpi_libkeel_is_there() &&
               keel_mpi_settings()->report != NULL) {
        begin_standalone(give);
    }
}

/* If MPI does not know it, only the place in the job is missing. */
static void find_place(void)
{
    if (MPI_Comm_rank(MPI_COMM_WORLD, &own_rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &all_ranks) != MPI_SUCCESS) {
        own_rank = 0;
        all_ranks = 1;
    }
}

void keel_mpi_process_begin(void)
{
    if (!keel_mpi_settings()->measurements) {
        return;
    }
    pthread_mutex_lock(&lock);
    bool first = process == 0;
    if (first) {
        process = getpid();
        find_place();
    }
    pthread_mutex_unlock(&lock);
    if (first) {
        meet_libkeel();
    }
}
