/* A phase: all ranks work on objects until nothing is left to do. */
#include "mpi_backend/objects/phase.h"

#include <sched.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/job/call_check.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/processes/give_way.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/objects/asking/asking.h"
#include "mpi_backend/objects/copies/object_copies.h"
#include "mpi_backend/objects/delivery.h"
#include "mpi_backend/objects/lists.h"
#include "mpi_backend/objects/model.h"
#include "mpi_backend/objects/progress.h"
#include "mpi_backend/objects/progress_thread.h"
#include "mpi_backend/objects/run.h"
#include "mpi_backend/objects/team.h"
#include "mpi_backend/report/waits.h"
#include "omp_ext/support/message.h"

int keel_mpi_phase_check(const struct keel_mpi_objects *objects, const char *where)
{
    if (objects == NULL) {
        keel_mpi_misuse("%s(): the bag of objects is NULL, expected one from "
                        "keel_mpi_objects_create(); nothing is done",
                        where);
        return KEEL_MPI_ARGUMENT;
    }
    if (objects->kind != KEEL_MPI_PHASE_NONE) {
        keel_mpi_misuse("%s() was called by a function that works on an object, expected between "
                        "phases; nothing is done",
                        where);
        return KEEL_MPI_BUSY;
    }
    int code = keel_mpi_call_check();
    return code != KEEL_MPI_OK ? code : keel_mpi_peers_code(&objects->peers);
}

static bool runs(const struct keel_mpi_objects *objects)
{
    return objects->kind == KEEL_MPI_PHASE_EACH || objects->kind == KEEL_MPI_PHASE_WAIT;
}

/* --- begin and end --- */

void keel_mpi_phase_begin(struct keel_mpi_objects *objects, enum keel_mpi_objects_phase kind)
{
    objects->phase++;
    objects->kind = kind;
    objects->caller = pthread_self();
    objects->threads = runs(objects) ? keel_mpi_team_size() : 1;
    keel_termination_begin(&objects->termination);
    keel_mpi_transport_set_phase(&objects->transport, objects->phase, objects->phase);
    if (runs(objects)) {
        keel_mpi_asking_begin(objects);
        keel_mpi_model_begin(objects);
    }
}

/* Ranks compare what they came with, and how it went. */
static int end(struct keel_mpi_objects *objects, const char *where)
{
    uint64_t word[] = {(uint64_t)objects->code, (uint64_t)objects->kind, ~(uint64_t)objects->kind,
                       keel_mpi_model_took_ns(objects), (uint64_t)(objects->longest_s * 1e9)};

    keel_mpi_delivery_tell_failure(objects);
    int code = keel_mpi_peers_maxima(&objects->peers, where, word, 5);

    bool computes = objects->kind == KEEL_MPI_PHASE_EACH;
    objects->kind = KEEL_MPI_PHASE_NONE;
    objects->code = KEEL_MPI_OK;
    objects->compute = NULL;
    objects->report.phases++;
    /* what is sent now is for the next phase */
    keel_mpi_transport_set_phase(&objects->transport, objects->phase + 1, objects->phase);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (word[1] != ~word[2]) {
        if (objects->rank > 0) {
            return KEEL_MPI_MISMATCH;
        }
        keel_message("some ranks came to keel_mpi_objects_each(), others to another function that "
                     "all ranks have to call; expected the same one on all");
        return KEEL_MPI_MISMATCH;
    }
    code = computes ? keel_mpi_model_end(objects, where, word[3], word[4]) : KEEL_MPI_OK;
    return code != KEEL_MPI_OK ? code : (int)word[0];
}

/* --- idle --- */

/* The end may be near: all that this rank can do for it. True: the phase has ended. */
static bool advance_wave(struct keel_mpi_objects *objects)
{
    int done = 0;

    if (objects->wave_request == MPI_REQUEST_NULL) {
        keel_termination_contribute(&objects->termination, runs(objects) ? objects->waiting : 0,
                                    objects->wave[0]);
        keel_mpi_check(&objects->peers,
                       MPI_Iallreduce(objects->wave[0], objects->wave[1], KEEL_TERMINATION_WORDS,
                                      MPI_UINT64_T, MPI_SUM, objects->peers.comm,
                                      &objects->wave_request),
                       "MPI_Iallreduce");
        return false;
    }
    if (!keel_mpi_check(&objects->peers, MPI_Test(&objects->wave_request, &done, MPI_STATUS_IGNORE),
                        "MPI_Test") ||
        !done) {
        return false;
    }
    objects->wave_request = MPI_REQUEST_NULL;
    switch (keel_termination_take(&objects->termination, objects->wave[1])) {
    case KEEL_TERMINATION_HELD:
        keel_mpi_delivery_give_up(objects);
        return false;
    case KEEL_TERMINATION_ENDED:
        return true;
    default:
        return false;
    }
}

static bool has_work(const struct keel_mpi_objects *objects)
{
    return runs(objects) && (objects->ready > 0 || objects->returned.count > 0);
}

#ifdef KEEL_SIMULATED /* where each look takes long to simulate */
#define LOOKS 2
#define YIELDS 2
#else
#define LOOKS 64   /* until the processor is given to others between two looks, */
#define YIELDS 256 /* and until it is left to them for a while: who computes there needs it */
#endif

/* Nothing has come for so many looks. */
static void give_way(struct keel_mpi_give_way *way, unsigned looks)
{
    double began_s = keel_mpi_clock_s();

    if (looks < YIELDS) {
        sched_yield();
    } else {
        keel_mpi_channel_pause(looks);
    }
    keel_mpi_give_way_note(way, began_s, keel_mpi_clock_s());
}

/* Answers others until there is work; false: the phase has ended, or nothing is collective any
 * more. */
static bool wait_for_work(struct keel_mpi_objects *objects, const char *where)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&objects->peers, where);
    struct keel_mpi_span began = keel_mpi_waits_begin();
    double began_s = keel_mpi_clock_s(), now_s = began_s;
    struct keel_mpi_give_way way = keel_mpi_give_way_begin(began_s);
    bool ended = false, fine = true;

    for (unsigned looks = 0; fine && !ended; looks++) {
        keel_mpi_objects_lock(objects);
        bool any = keel_mpi_objects_progress(objects, now_s);
        bool holds = runs(objects) && keel_mpi_asking_holds(objects);
        bool work = !holds && has_work(objects);
        if (!work && !holds) {
            ended = advance_wave(objects);
        }
        keel_mpi_objects_unlock(objects);
        if (work || ended) {
            break;
        }
        if (any) {
            looks = 0;
            way = keel_mpi_give_way_begin(now_s);
        } else if (looks >= LOOKS && now_s >= way.not_before_s) {
            keel_mpi_objects_lock(objects); /* the thread that answers looks for notices, too */
            fine = keel_mpi_wait_goes_on(&wait);
            keel_mpi_objects_unlock(objects);
            give_way(&way, looks);
        }
        fine = fine && keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK;
        double before_s = now_s;
        now_s = keel_mpi_clock_s();
        keel_presence_note(&objects->presence, now_s - before_s);
    }
    objects->report.idle_s += now_s - began_s;
    keel_mpi_waits_end(began, NULL, true);
    return fine && !ended;
}

int keel_mpi_phase_run(struct keel_mpi_objects *objects, const char *where)
{
    if (runs(objects)) { /* what is to compute is marked: an object that comes may be done */
        keel_mpi_objects_thread_start(objects);
    }
    do {
        if (runs(objects)) {
            keel_mpi_run_ready(objects);
        }
    } while (wait_for_work(objects, where));
    if (objects->thread != NULL) {
        keel_mpi_objects_thread_stop(objects);
    }
    objects->shared = false;
    if (keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK && runs(objects)) {
        keel_mpi_delivery_reset(objects);
    }
    return end(objects, where);
}

/* --- the program's functions --- */

static void mark(void *context, struct keel_mpi_object *object)
{
    struct keel_mpi_objects *objects = context;

    if (object->state == KEEL_MPI_OBJECT_READY) {
        keel_mpi_ready_remove(objects, object);
    }
    object->to_compute = true;
    keel_mpi_object_settle(objects, object);
}

static int run_step(struct keel_mpi_objects *objects, const char *where)
{
    int code = keel_mpi_phase_run(objects, where);

    code = code == KEEL_MPI_OK ? keel_mpi_objects_copies_note_phase(objects) : code;
    return keel_mpi_error_return(code);
}

KEEL_MPI_PUBLIC int keel_mpi_objects_each(struct keel_mpi_objects *objects,
                                          void (*compute)(void *context, uint64_t index,
                                                          void *data))
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_each");

    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (compute == NULL) {
        keel_mpi_misuse("keel_mpi_objects_each(): there is no function to compute objects by");
        objects->code = KEEL_MPI_ARGUMENT;
    }
    objects->compute = compute;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_EACH);
    if (compute != NULL) {
        keel_mpi_table_visit(&objects->table, mark, objects);
        keel_mpi_model_note_work(objects);
    }
    return run_step(objects, "in keel_mpi_objects_each()");
}

KEEL_MPI_PUBLIC int keel_mpi_objects_wait(struct keel_mpi_objects *objects)
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_wait");

    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_WAIT);
    return run_step(objects, "in keel_mpi_objects_wait()");
}
