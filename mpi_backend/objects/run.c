/* Works on ready objects. */
#include "mpi_backend/objects/run.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/objects/asking.h"
#include "mpi_backend/objects/delivery.h"
#include "mpi_backend/objects/lists.h"
#include "mpi_backend/objects/progress.h"
#include "mpi_backend/objects/team.h"

/* --- one object --- */

static void note(struct keel_mpi_objects_work *work, double amount, double took_s)
{
    work->amount += amount;
    work->busy_s += took_s;
}

/* What it weighs follows from what it took, relative to this rank's other objects. Weights of
 * ranks compare as far as objects have moved between them. */
static void weigh(struct keel_mpi_objects *objects, struct keel_mpi_object *object, double took_s)
{
    double per_s =
        objects->computing.busy_s > 0 ? objects->computing.amount / objects->computing.busy_s : 0;

    note(&objects->computing, object->weight, took_s);
    if (!object->stated && per_s > 0) {
        object->weight = (float)(took_s * per_s);
    }
}

/* Without the lock, but for its end. Returns when it ended. */
static double compute(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                      double now_s)
{
    if (objects->compute != NULL) { /* else ranks came to different functions */
        objects->compute(objects->call.context, object->index, object->data);
    }
    double end_s = keel_mpi_clock_s();
    keel_mpi_objects_lock(objects);
    objects->running_since_s = 0;
    object->to_compute = false;
    objects->report.computed++;
    objects->report.busy_s += end_s - now_s;
    weigh(objects, object, end_s - now_s);
    keel_mpi_objects_unlock(objects);
    return end_s;
}

static void delete (struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    if (objects->call.drop != NULL) {
        objects->call.drop(objects->call.context, object->index, object->data);
    }
    keel_mpi_delivery_forget(objects, object);
}

/* Handles the messages that the object has by now; false: one of them has deleted it. Takes the
 * lock, and gives it back. */
static bool handle(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    keel_mpi_objects_lock(objects);
    for (uint32_t left = object->parcels; left > 0; left--) {
        struct keel_mpi_parcel *parcel = object->first;
        object->first = parcel->next;
        object->parcels--;
        objects->report.handled++;
        if (parcel->handler == KEEL_MPI_OBJECTS_DELETION) {
            free(parcel);
            delete (objects, object);
            keel_mpi_objects_unlock(objects);
            return false;
        }
        keel_mpi_objects_unlock(objects);
        objects->handler[parcel->handler](objects->call.context, object->index, object->data,
                                          parcel->message, parcel->bytes);
        free(parcel);
        keel_mpi_objects_lock(objects);
    }
    keel_mpi_objects_unlock(objects);
    return true;
}

static void work_on(struct keel_mpi_objects *objects, struct keel_mpi_object *object, double now_s)
{
    if (object->to_compute) {
        compute(objects, object, now_s);
    }
    bool there = handle(objects, object);
    keel_mpi_objects_lock(objects);
    if (there) {
        keel_mpi_object_settle(objects, object);
    }
    keel_mpi_asking_shake(objects);
    keel_mpi_objects_unlock(objects);
}

/* --- messages that have come back --- */

static void give_back(struct keel_mpi_objects *objects)
{
    struct keel_mpi_parcel *parcel;

    while ((parcel = keel_mpi_parcels_take(&objects->returned)) != NULL) {
        objects->report.undelivered++;
        if (objects->call.undelivered != NULL) {
            objects->call.undelivered(objects->call.context, parcel->index, parcel->handler,
                                      parcel->message, parcel->bytes);
        } else {
            objects->code = KEEL_MPI_NO_OBJECT;
        }
        free(parcel);
    }
}

/* --- one thread --- */

#define VISITS 16 /* to objects with messages alone, from one look at the clock to the next */

/* Others are answered before, as it may take long; it counts as work that is left here. */
static void compute_next(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    double now_s = keel_mpi_clock_s();

    keel_mpi_objects_lock(objects);
    objects->running_weight = object->weight;
    objects->running_since_s = now_s;
    keel_mpi_objects_unlock(objects);
    keel_mpi_objects_progress_if_due(objects, now_s);
    work_on(objects, object, keel_mpi_clock_s());
}

static void run_alone(struct keel_mpi_objects *objects)
{
    double last_s = keel_mpi_clock_s();
    uint64_t handled = objects->report.handled;
    double busy_s = objects->computing.busy_s;
    unsigned visits = 0;
    struct keel_mpi_object *object;

    for (;;) {
        keel_mpi_objects_lock(objects);
        object = keel_mpi_ready_take(objects);
        keel_mpi_objects_unlock(objects);
        if (object == NULL) {
            break;
        }
        if (object->to_compute) {
            compute_next(objects, object);
            continue;
        }
        if (++visits % VISITS == 0) {
            keel_mpi_objects_progress_if_due(objects, keel_mpi_clock_s());
        }
        work_on(objects, object, 0);
    }
    double took_s = keel_mpi_clock_s() - last_s - (objects->computing.busy_s - busy_s);
    if (objects->report.handled > handled) {
        note(&objects->handling, (double)(objects->report.handled - handled), took_s);
        objects->report.busy_s += took_s;
    }
}

/* --- a team --- */

/* Of the threads of a team, the one that called may call MPI. */
static bool is_caller(const struct keel_mpi_objects *objects)
{
    return pthread_equal(objects->caller, pthread_self());
}

static void work_on_next(void *context)
{
    struct keel_mpi_objects *objects = context;

    keel_mpi_objects_lock(objects);
    struct keel_mpi_object *object = keel_mpi_ready_take(objects);
    keel_mpi_objects_unlock(objects);
    if (is_caller(objects)) {
        keel_mpi_objects_progress_if_due(objects, keel_mpi_clock_s());
    }
    if (object != NULL) {
        work_on(objects, object, keel_mpi_clock_s());
    }
}

static void begin_work(void *context)
{
    struct keel_mpi_objects *objects = context;

    /* relaxed: only says how long answers are worth while */
    atomic_fetch_add_explicit(&objects->running, 1, memory_order_relaxed);
}

/* The thread that called answers others until the team is done. */
static void answer_until_done(void *context)
{
    struct keel_mpi_objects *objects = context;

    /* relaxed: as above; the region's end publishes what threads did */
    atomic_fetch_sub_explicit(&objects->running, 1, memory_order_relaxed);
    if (!is_caller(objects)) {
        return;
    }
    for (unsigned backoff = 0; atomic_load_explicit(&objects->running, memory_order_relaxed) > 0;
         backoff++) {
        keel_mpi_objects_progress_if_due(objects, keel_mpi_clock_s());
        keel_mpi_channel_pause(backoff);
    }
}

static void run_team(struct keel_mpi_objects *objects)
{
    const struct keel_mpi_team_work work = {begin_work, work_on_next, answer_until_done, objects};

    while (objects->ready > 0 && keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
        keel_mpi_team_run(&work, objects->ready);
    }
}

void keel_mpi_run_ready(struct keel_mpi_objects *objects)
{
    if (objects->threads > 1) {
        run_team(objects);
    } else {
        run_alone(objects);
    }
    give_back(objects);
}
