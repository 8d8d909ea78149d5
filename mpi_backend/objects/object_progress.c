/* Records from other ranks. */
#include "mpi_backend/objects/objects.h"

#include <math.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/loop/shared_loop.h"
#include "mpi_backend/job/job.h"
#include "omp_ext/support/message.h"

static struct keel_mpi_objects *all;

void keel_mpi_objects_enlist(struct keel_mpi_objects *objects)
{
    objects->next = all;
    all = objects;
}

void keel_mpi_objects_unlist(struct keel_mpi_objects *objects)
{
    for (struct keel_mpi_objects **link = &all; *link != NULL; link = &(*link)->next) {
        if (*link == objects) {
            *link = objects->next;
            return;
        }
    }
}

/* --- handlers of records --- */

/* At home: whether there is another object with that index; found only if it has not moved. */
static bool is_twice(const struct keel_mpi_objects *objects, uint64_t index)
{
    const struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, index);
    const struct keel_location *known = keel_mpi_locations_find(&objects->homes, index);

    return (object != NULL && object->epoch == 1) || (known != NULL && known->epoch == 1);
}

static void take_made(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record)
{
    if (is_twice(objects, record->index)) {
        keel_message("there are two objects with index %llu, one of them on rank %u, or it was "
                     "deleted in this phase; expected one",
                     (unsigned long long)record->index, record->sender);
        objects->code = KEEL_MPI_ARGUMENT;
        return;
    }
    if (keel_mpi_table_find(&objects->table, record->index) == NULL) {
        keel_mpi_delivery_note(objects, record->index,
                               (struct keel_location){record->sender, record->epoch}, true);
    }
}

/* At home: the object has arrived on a rank, or was deleted there. */
static void take_news(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record)
{
    const struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, record->index);

    if (object == NULL || object->epoch < record->epoch) {
        keel_mpi_delivery_note(objects, record->index,
                               (struct keel_location){record->rank, record->epoch}, true);
    }
}

static void take_hint(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record)
{
    if (keel_mpi_table_find(&objects->table, record->index) == NULL) {
        keel_mpi_delivery_note(objects, record->index,
                               (struct keel_location){record->rank, record->epoch}, false);
    }
}

static void take_question(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record)
{
    const struct keel_location *known = keel_mpi_locations_find(&objects->homes, record->index);
    struct keel_mpi_object_record answer = {.index = record->index,
                                            .kind = KEEL_MPI_RECORD_FOUND,
                                            .sender = record->sender,
                                            .number = record->number,
                                            .rank = KEEL_LOCATION_DELETED};

    if (keel_mpi_table_find(&objects->table, record->index) != NULL) {
        answer.rank = objects->rank;
    } else if (known != NULL) {
        answer.rank = known->rank;
    }
    keel_mpi_delivery_notify(objects, record->sender, &answer);
}

void keel_mpi_progress_take_record(void *context, const struct keel_mpi_object_record *record,
                                   const void *payload)
{
    struct keel_mpi_objects *objects = context;

    objects->termination.received += record->kind < KEEL_MPI_RECORD_ASK;
    switch ((enum keel_mpi_record_kind)record->kind) {
    case KEEL_MPI_RECORD_MESSAGE:
    case KEEL_MPI_RECORD_RETURNED:
        keel_mpi_delivery_take(objects, record, payload);
        break;
    case KEEL_MPI_RECORD_MADE:
        take_made(objects, record);
        break;
    case KEEL_MPI_RECORD_CAME:
    case KEEL_MPI_RECORD_DELETED:
        take_news(objects, record);
        break;
    case KEEL_MPI_RECORD_HINT:
        take_hint(objects, record);
        break;
    case KEEL_MPI_RECORD_OBJECT:
        keel_mpi_asking_place(objects, keel_mpi_movement_take(objects, record, payload));
        break;
    case KEEL_MPI_RECORD_TAKEN:
        keel_mpi_movement_taken(objects, record);
        break;
    case KEEL_MPI_RECORD_STAYS:
        keel_mpi_movement_stays(objects, record);
        break;
    case KEEL_MPI_RECORD_WHERE:
        take_question(objects, record);
        break;
    case KEEL_MPI_RECORD_FOUND:
        objects->owner[record->number] =
            record->rank == KEEL_LOCATION_DELETED ? -1 : (int)record->rank;
        break;
    case KEEL_MPI_RECORD_GATHERED:
        if (payload == NULL) {
            objects->code = KEEL_MPI_NO_ROOM;
        } else if (objects->kind == KEEL_MPI_PHASE_GATHER && objects->gather != NULL) {
            objects->gather(objects->call.context, record->index, payload, record->bytes);
        }
        break;
    case KEEL_MPI_RECORD_ASK:
    case KEEL_MPI_RECORD_LOOK:
        keel_mpi_asking_answer(objects, record, payload);
        break;
    case KEEL_MPI_RECORD_GAVE:
        keel_mpi_asking_take(objects, record, payload);
        break;
    }
}

/* --- when --- */

bool keel_mpi_objects_progress(struct keel_mpi_objects *objects, double now_s)
{
    keel_mpi_delivery_report_failure(objects);
    keel_mpi_peers_poll_every(&objects->peers, false, now_s, KEEL_MPI_POLLS_APART_S);
    if (keel_mpi_peers_code(&objects->peers) != KEEL_MPI_OK) {
        return false;
    }
    if (objects->kind == KEEL_MPI_PHASE_EACH || objects->kind == KEEL_MPI_PHASE_WAIT) {
        keel_mpi_asking_if_due(objects);
    }
    bool any = objects->ranks > 1 && keel_mpi_transport_progress(&objects->transport);
    atomic_store_explicit(&objects->progress_s, now_s, memory_order_relaxed);
    return any;
}

void keel_mpi_objects_progress_if_due(struct keel_mpi_objects *objects, double now_s)
{
    /* relaxed: only a hint; the lock guards the work */
    double last_s = atomic_load_explicit(&objects->progress_s, memory_order_relaxed);

    if (now_s - last_s >= objects->poll_s / KEEL_MPI_PROGRESS_PART &&
        keel_mpi_objects_try_lock(objects)) {
        keel_looks_note(&objects->looks_apart, now_s - fmax(last_s, objects->works_since_s));
        objects->transport.seldom = true;
        keel_mpi_objects_progress(objects, now_s);
        objects->transport.seldom = false;
        keel_mpi_objects_unlock(objects);
    }
}

KEEL_MPI_PUBLIC void keel_mpi_poll(void)
{
    keel_mpi_running_poll();
    if (all == NULL) {
        return;
    }
    double now_s = keel_mpi_clock_s();
    for (struct keel_mpi_objects *objects = all; objects != NULL; objects = objects->next) {
        if (objects->kind != KEEL_MPI_PHASE_NONE && keel_mpi_job_may_call_mpi()) {
            keel_mpi_objects_progress_if_due(objects, now_s);
        }
    }
}
