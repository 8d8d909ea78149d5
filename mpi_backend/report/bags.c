/* What is kept of each bag of objects for a report. */
#include "mpi_backend/report/bags.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schedules/text/number.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keel_mpi_bag *bags[KEEL_MPI_BAGS_MAX];
static size_t count;

/* --- words --- */

static void append_advice(const struct keel_objects_advice *advice, char *text, size_t room)
{
    if (advice->pieces > 1) {
        snprintf(text, room,
                 "; %.0f objects in place of each (%.0f on each rank) would take %.0f %% less time",
                 advice->pieces, ceil(advice->per_rank), advice->gain * 100);
    } else if (advice->pieces < 1) {
        snprintf(text, room,
                 "; one object in place of %.0f (%.0f on each rank) would take %.0f %% less time",
                 1 / advice->pieces, ceil(advice->per_rank), advice->gain * 100);
    } else {
        snprintf(text, room, "; another number of objects would gain less than %.0f %%",
                 KEEL_OBJECTS_ADVICE_GAIN * 100);
    }
}

void keel_mpi_phase_text(const struct keel_mpi_phase *phase, char text[KEEL_MPI_PHASE_TEXT])
{
    locale_t previous = keel_c_locale_enter();

    if (phase->bounds.upper_s > 0) {
        int length = snprintf(text, KEEL_MPI_PHASE_TEXT, "objects take %.3g ms and %.3g ms at most",
                              phase->mean_s * 1e3, phase->longest_s * 1e3);
        if (phase->moves) {
            append_advice(&phase->advice, text + length, KEEL_MPI_PHASE_TEXT - (size_t)length);
        } else {
            snprintf(text + length, KEEL_MPI_PHASE_TEXT - (size_t)length,
                     "; they stay where they are");
        }
    } else {
        snprintf(text, KEEL_MPI_PHASE_TEXT, "no bounds are known");
    }
    keel_c_locale_leave(previous);
}

/* --- bags --- */

static struct keel_mpi_bag *new_or_last(void)
{
    if (count == KEEL_MPI_BAGS_MAX) {
        return bags[count - 1];
    }
    struct keel_mpi_bag *made = calloc(1, sizeof *made);
    if (made != NULL) {
        bags[count++] = made;
    }
    return made;
}

struct keel_mpi_bag *keel_mpi_bag_new(const void *objects, keel_mpi_bag_reader *read)
{
    pthread_mutex_lock(&lock);
    struct keel_mpi_bag *bag = new_or_last();
    if (bag != NULL) {
        bag->objects = objects;
        bag->read = read;
        snprintf(bag->name, sizeof bag->name, "bag %zu%s", count,
                 ++bag->members > 1 ? " and others" : "");
    }
    pthread_mutex_unlock(&lock);
    return bag;
}

void keel_mpi_bag_note(struct keel_mpi_bag *bag, const struct keel_mpi_phase *phase)
{
    pthread_mutex_lock(&lock);
    if (bag->phases == KEEL_MPI_PHASES_MAX) {
        struct keel_mpi_phase *oldest = &bag->phase[KEEL_MPI_PHASES_FIRST];
        memmove(oldest, oldest + 1,
                (KEEL_MPI_PHASES_MAX - KEEL_MPI_PHASES_FIRST - 1) * sizeof *oldest);
        bag->phases--;
        bag->left_out++;
    }
    bag->phase[bag->phases++] = *phase;
    pthread_mutex_unlock(&lock);
}

static void add(struct keel_mpi_objects_report *sum, const struct keel_mpi_objects_report *report)
{
    sum->objects += report->objects;
    sum->phases += report->phases;
    sum->computed += report->computed;
    sum->handled += report->handled;
    sum->sent_away += report->sent_away;
    sum->forwarded += report->forwarded;
    sum->undelivered += report->undelivered;
    sum->given += report->given;
    sum->taken += report->taken;
    sum->refused += report->refused;
    sum->bytes_given += report->bytes_given;
    sum->bytes_taken += report->bytes_taken;
    sum->asked += report->asked;
    sum->asked_in_vain += report->asked_in_vain;
    sum->messages += report->messages;
    sum->busy_s += report->busy_s;
    sum->idle_s += report->idle_s;
    sum->packing_s += report->packing_s;
    sum->answering_s += report->answering_s;
    sum->answer_s = report->answer_s; /* the latest */
    sum->quantum_s = report->quantum_s;
    sum->neighbours = report->neighbours;
    sum->copies += report->copies;
    sum->copies_sent_bytes += report->copies_sent_bytes;
    if (report->copies_bytes > sum->copies_bytes) {
        sum->copies_bytes = report->copies_bytes;
    }
    sum->copies_s += report->copies_s;
}

void keel_mpi_bag_end(struct keel_mpi_bag *bag, const void *objects,
                      const struct keel_mpi_objects_report *report)
{
    pthread_mutex_lock(&lock);
    add(&bag->sum, report);
    if (bag->objects == objects) {
        bag->objects = NULL;
    }
    pthread_mutex_unlock(&lock);
}

size_t keel_mpi_bags(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &until) != 0) {
        return 0;
    }
    size_t there = count;
    pthread_mutex_unlock(&lock);
    return there;
}

void keel_mpi_bag_copy(size_t place, struct keel_mpi_bag *copy)
{
    pthread_mutex_lock(&lock);
    *copy = *bags[place];
    pthread_mutex_unlock(&lock);
    if (copy->objects != NULL) {
        struct keel_mpi_objects_report report = {.struct_size = sizeof report};
        copy->read(copy->objects, &report);
        add(&copy->sum, &report);
        copy->objects = NULL;
    }
}
