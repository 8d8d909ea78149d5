/* A phase: all ranks work on objects until no work is left. */
#include "mpi_backend/objects/objects.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/job/processes.h"
#include "mpi_backend/report/mpi_report.h"
#include "omp_ext/support/message.h"
#include "schedules/objects/gift.h"

/* --- a thread that answers other ranks while objects run ---
 *
 * Only if KEEL_MPI_PROGRESS asks for it and MPI was initialised with MPI_THREAD_MULTIPLE: it calls
 * MPI beside the program. It sleeps, and answers only when no other thread has done so for a while:
 * half of KEEL_MPI_POLL if the user sets that, otherwise a quantum that follows from the time of
 * its looks, the length of the phase and the number of requests (schedules/objects/gift.h). */

struct keel_mpi_objects_thread {
    struct keel_mpi_periodic periodic;
    struct keel_mpi_objects *objects;
    double began_s;
    double own_s; /* processor time of the thread when it went to sleep */
    /* time and number of looks that found nothing */
    double looked_s;
    uint64_t looks;
    bool carries; /* at the last look, messages to or from other ranks were pending */
};

/* Returns the processor time of the calling thread, with the switches to and from it that the
 * system counts. */
static double own_time_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Returns the time until the rank is to answer again. */
static double quantum_s(const struct keel_mpi_objects_thread *thread, double now_s)
{
    const struct keel_mpi_objects *objects = thread->objects;
    struct keel_quantum_case measured = {
        .look_s = thread->looks > 0 ? thread->looked_s / (double)thread->looks : 0,
        .work_s = now_s - thread->began_s,
        /* relaxed: only a count */
        .requests = atomic_load_explicit(&objects->requests, memory_order_relaxed),
    };

    double poll_s = objects->poll_s / 2;
    double every_s = keel_mpi_settings()->poll_stated ? poll_s : keel_quantum_s(&measured, poll_s);
    return thread->carries ? fmin(every_s, poll_s) : every_s; /* the next piece waits for a look */
}

/* since_s: since the last look. True if anything was received. */
static bool look(struct keel_mpi_objects_thread *thread, double now_s, double since_s,
                 double every_s)
{
    struct keel_mpi_objects *objects = thread->objects;
    bool any = true; /* not known: another thread looks */

    if (keel_mpi_objects_try_lock(objects)) {
        keel_looks_note(&objects->looks_apart, fmin(since_s, now_s - objects->works_since_s));
        any = objects->kind == KEEL_MPI_PHASE_NONE || keel_mpi_objects_progress(objects, now_s);
        objects->report.quantum_s = every_s;
        thread->carries = keel_mpi_transport_carries(&objects->transport);
        keel_mpi_objects_unlock(objects);
    }
    return any;
}

#define SHORTEST_PART 4 /* of a quantum, between two looks at the clock */

static double look_if_due(struct keel_mpi_objects_thread *thread)
{
    struct keel_mpi_objects *objects = thread->objects;
    double now_s = keel_mpi_clock_s(), every_s = quantum_s(thread, now_s);
    double since_s = now_s - atomic_load_explicit(&objects->progress_s, memory_order_relaxed);

    if (since_s < every_s) { /* another thread has answered */
        return fmax(every_s - since_s, every_s / SHORTEST_PART);
    }
    if (!look(thread, now_s, since_s, every_s)) {
        thread->looked_s += own_time_s() - thread->own_s;
        thread->looks++;
    }
    return every_s;
}

static double wake_up(void *context)
{
    struct keel_mpi_objects_thread *thread = context;
    double wait_s = look_if_due(thread);

    thread->own_s = own_time_s();
    return wait_s;
}

/* Starts the thread, if it is wanted, possible and not running. The set is shared then. */
static void start_thread(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_thread *thread = NULL;

    if (objects->thread != NULL || objects->ranks == 1 || !keel_mpi_job_may_answer_aside() ||
        (thread = calloc(1, sizeof *thread)) == NULL) {
        return;
    }
    thread->objects = objects;
    thread->began_s = keel_mpi_clock_s();
    objects->shared = true;
    keel_mpi_periodic_start(&thread->periodic, objects->poll_s / 2, wake_up, thread);
    if (!thread->periodic.runs) {
        free(thread);
        return;
    }
    objects->thread = thread;
}

/* Ends the thread, if there is one. */
static void stop_thread(struct keel_mpi_objects *objects)
{
    if (objects->thread != NULL) {
        keel_mpi_periodic_stop(&objects->thread->periodic);
        free(objects->thread);
        objects->thread = NULL;
    }
}

/* --- phases --- */

bool keel_mpi_objects_are_missing(const struct keel_mpi_objects *objects, const char *where)
{
    if (objects == NULL) {
        keel_mpi_misuse("%s(): the object set is NULL, expected one from "
                        "keel_mpi_objects_create(); nothing is done",
                        where);
    }
    return objects == NULL;
}

int keel_mpi_phase_check(const struct keel_mpi_objects *objects, const char *where)
{
    if (keel_mpi_objects_are_missing(objects, where)) {
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
    if (runs(objects)) {
        keel_mpi_asking_begin(objects);
        keel_mpi_model_begin(objects);
    }
}

/* Ends the phase: ranks compare their functions and arguments, and their codes. */
static int end(struct keel_mpi_objects *objects, const char *where)
{
    uint64_t what = (uint64_t)objects->root << 32 | objects->kind;
    uint64_t word[] = {(uint64_t)objects->code, what, ~what, keel_mpi_model_took_ns(objects),
                       (uint64_t)(objects->longest_s * 1e9)};

    keel_mpi_delivery_report_failure(objects);
    int code = keel_mpi_peers_maxima(&objects->peers, where, word, 5);

    bool computes = objects->kind == KEEL_MPI_PHASE_EACH;
    objects->kind = KEEL_MPI_PHASE_NONE;
    objects->code = KEEL_MPI_OK;
    objects->compute = NULL;
    objects->root = 0;
    objects->report.phases++;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    uint64_t most = word[1], least = ~word[2];
    if ((uint32_t)most != (uint32_t)least) {
        if (objects->rank > 0) {
            return KEEL_MPI_MISMATCH;
        }
        keel_message("some ranks came to keel_mpi_objects_each(), others to another function that "
                     "all ranks have to call; expected the same one on all");
        return KEEL_MPI_MISMATCH;
    }
    if (word[0] == KEEL_MPI_OK && most != least) {
        if (objects->rank == 0) {
            keel_message("ranks came to keel_mpi_objects_gather() with different roots; expected "
                         "the same one on all");
        }
        return KEEL_MPI_MISMATCH;
    }
    code = computes ? keel_mpi_model_end(objects, where, word[3], word[4]) : KEEL_MPI_OK;
    return code != KEEL_MPI_OK ? code : (int)word[0];
}

/* --- idle --- */

/* Advances the detection of the end, without waiting. True: the phase has ended. */
static bool advance_wave(struct keel_mpi_objects *objects)
{
    if (objects->wave_request == MPI_REQUEST_NULL) {
        keel_termination_contribute(&objects->termination, runs(objects) ? objects->waiting : 0,
                                    objects->wave[0]);
        KEEL_MPI_CALL(&objects->peers, MPI_Iallreduce, objects->wave[0], objects->wave[1],
                      KEEL_TERMINATION_WORDS, MPI_UINT64_T, MPI_SUM, objects->peers.comm,
                      &objects->wave_request);
        return false;
    }
    if (!keel_mpi_peers_test(&objects->peers, &objects->wave_request)) {
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

#ifdef KEEL_SIMULATED /* as each look takes long to simulate */
#define LOOKS 2
#define YIELDS 2
#else
#define LOOKS KEEL_MPI_LOOKS
#define YIELDS 256 /* before it sleeps between two looks: others may compute there */
#endif

/* Yields or sleeps, after `looks` looks without a record. */
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

/* Answers others until there is work. False: the phase has ended, or nothing is collective any
 * more. */
static bool wait_for_work(struct keel_mpi_objects *objects, const char *where)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&objects->peers, where);
    struct keel_mpi_span began = keel_mpi_waits_begin();
    double began_s = keel_mpi_clock_s(), now_s = began_s, gap_s = -1; /* since the look before */
    struct keel_mpi_give_way way = keel_mpi_give_way_begin(began_s);
    bool ended = false, fine = true;

    for (unsigned looks = 0; fine && !ended; looks++) {
        keel_mpi_objects_lock(objects);
        keel_presence_note(&objects->presence, gap_s);
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
            keel_mpi_objects_lock(objects); /* the answering thread polls peers, too */
            fine = keel_mpi_wait_goes_on(&wait);
            keel_mpi_objects_unlock(objects);
            give_way(&way, looks);
        }
        fine = fine && keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK;
        double before_s = now_s;
        now_s = keel_mpi_clock_s();
        gap_s = now_s - before_s;
    }
    objects->report.idle_s += now_s - began_s;
    keel_mpi_waits_end(began, NULL, true);
    return fine && !ended;
}

int keel_mpi_phase_run(struct keel_mpi_objects *objects, const char *where)
{
    if (runs(objects)) { /* objects to compute are marked: one that arrives may be done already */
        start_thread(objects);
    }
    do {
        if (runs(objects)) {
            keel_mpi_run_ready(objects);
        }
    } while (wait_for_work(objects, where));
    if (objects->thread != NULL) {
        stop_thread(objects);
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
