/* What the shared loops of each place have come to. */
#include "mpi_backend/report/mpi_report.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_backend/process/mpi_process.h"

#define PLACES_MAX 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&lock);
    struct keel_mpi_place *place = find(caller, outlined);
    place = place != NULL ? place : make(caller, outlined);
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    snprintf(place->schedule, sizeof place->schedule, "%s", schedule);
    place->instances++;
    add(&place->sum, instance);
    place->waited_s += waited_s;
    place->elapsed_s += elapsed_s;
    pthread_mutex_unlock(&lock);
}

/* Its name, "mandel.c:42 (render)", or its place in its module. Reads debug information the first
 * time. */
static const char *name_of(struct keel_mpi_place *place)
{
    char name[KEEL_MPI_PLACE_NAME_MAX];

    pthread_mutex_lock(&lock);
    bool named = place->name[0] != '\0';
    pthread_mutex_unlock(&lock);
    if (!named) {
        keel_mpi_libkeel_loop_name(place->caller, place->outlined, name, sizeof name);
        pthread_mutex_lock(&lock);
        snprintf(place->name, sizeof place->name, "%s", name);
        snprintf(place->short_name, sizeof place->short_name, "%.*s", (int)strcspn(name, " "),
                 name);
        pthread_mutex_unlock(&lock);
    }
    return place->name;
}

const char *keel_mpi_place_short_name(struct keel_mpi_place *place)
{
    name_of(place);
    return place->short_name;
}

size_t keel_mpi_places_copy(struct keel_mpi_place *copy, size_t room)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &until) != 0) {
        return 0;
    }
    struct keel_mpi_place *latest = places;
    size_t there = count, after = there;
    pthread_mutex_unlock(&lock);
    for (struct keel_mpi_place *place = latest; room > 0 && place != NULL; place = place->next) {
        name_of(place);
    }
    pthread_mutex_lock(&lock);
    for (struct keel_mpi_place *place = latest; place != NULL; place = place->next) {
        if (--after < room) {
            copy[after] = *place;
        }
    }
    pthread_mutex_unlock(&lock);
    return there;
}
