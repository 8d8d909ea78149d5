/* Working on ready objects. */
#include "mpi_backend/objects/objects.h"

#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/job/processes.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- objects that move by chance, for tests of programs: KEEL_MPI_BALANCE=shake --- */

#define SHAKE_PART 4 /* one object moves for this many worked on */

/* Under that policy, an object may move after another one was worked on. */
static void shake(struct keel_mpi_objects *objects)
{
    if (objects->policy.kind != KEEL_OBJECTS_SHAKE || !keel_mpi_movement_is_possible(objects)) {
        return;
    }
    uint64_t draw = keel_chance_mix(++objects->draws * objects->ranks + objects->rank);
    struct keel_mpi_object *object = keel_mpi_table_draw(&objects->table, draw);
    uint32_t rank = (uint32_t)((draw >> 40) % (objects->ranks - 1));
    if (draw % SHAKE_PART == 0 && object != NULL && !object->stays &&
        (object->state == KEEL_MPI_OBJECT_RESTS || object->state == KEEL_MPI_OBJECT_READY)) {
        keel_mpi_movement_give(objects, object, rank + (rank >= objects->rank));
    }
}

/* --- time --- */

/* own_s: of took_s, without the time that other programs had the processor; threads: number that do
 * such work at the same time. */
static void note(struct keel_work *work, double amount, double took_s, double own_s,
                 uint32_t threads)
{
    work->amount += amount;
    work->busy_s += took_s;
    work->own_s += own_s;
    work->rank_s += took_s / threads;
}

/* Visits to objects by one thread, whose time has not been recorded yet. */
struct lap {
    double began_s;
    double computing_s; /* of these, recorded separately */
    uint32_t handled;   /* messages */
};

/* Records the time without computing as handling, if messages were handled. */
static void end_lap(struct keel_mpi_objects *objects, const struct lap *lap, double now_s)
{
    double took_s = now_s - lap->began_s - lap->computing_s;

    if (lap->handled > 0) {
        keel_mpi_objects_lock(objects);
        note(&objects->handling, lap->handled, took_s, took_s, objects->at_work);
        objects->report.busy_s += took_s;
        keel_mpi_objects_unlock(objects);
    }
}

/* --- one object --- */

/* Records the speed of this rank, if the object's time was expected, by the rank that sent it, or
 * by this rank's other objects. */
static void note_speed(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                       double own_s)
{
    double expected_s = keel_common_s(&objects->computing, 1, object->weight);

    if (object->known_s > 0 && own_s > 0) {
        keel_speed_note_moved(&objects->speed, object->known_s, own_s);
        if (!object->stated) { /* as expected now, so that averages stay */
            object->weight = (float)keel_common_weight(
                &objects->computing, keel_speed_of(&objects->speed), object->known_s);
        }
    } else if (expected_s > 0 && own_s > 0) {
        keel_speed_note_own(&objects->speed, expected_s, own_s);
    }
    object->known_s = 0;
}

/* Sets the object's weight from its time, relative to this rank's other objects, without the time
 * that other programs had the processor: that counts for the rank's pace. */
static void weigh(struct keel_mpi_objects *objects, struct keel_mpi_object *object, double took_s,
                  double interrupted_s)
{
    struct keel_work *computing = &objects->computing;
    double own_s = took_s - interrupted_s;
    double weight = keel_work_weight(computing, own_s, object->weight);

    note_speed(objects, object, own_s);
    if (!object->stated) {
        keel_work_smooth(computing, object->weight);
    }
    note(computing, object->weight, took_s, own_s, objects->threads);
    computing->stated += object->stated ? (double)object->weight : 0;
    if (!object->stated) {
        object->weight = (float)weight;
    }
}

/* Computes an object, without the lock except at its end. Returns the time when it ended. */
static double compute(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                      double now_s)
{
    keel_mpi_interruptions_mark(now_s);
    if (objects->compute != NULL) { /* NULL: ranks have called different functions */
        objects->compute(objects->call.context, object->index, object->data);
    }
    double end_s = keel_mpi_clock_s();
    double interrupted_s = keel_mpi_interruptions_of(end_s - now_s, end_s);
    keel_mpi_objects_lock(objects);
    objects->running_since_s = 0;
    object->to_compute = false;
    objects->report.computed++;
    objects->report.busy_s += end_s - now_s;
    weigh(objects, object, end_s - now_s, interrupted_s);
    objects->computing_s += end_s - now_s;
    objects->longest_s = fmax(objects->longest_s, end_s - now_s);
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

/* Handles the messages that the object has now. False: one of them has deleted it. Takes and
 * releases the lock. */
static bool handle(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                   struct lap *lap)
{
    keel_mpi_objects_lock(objects);
    for (uint32_t left = object->messages.count; left > 0; left--) {
        struct keel_mpi_object_message *message = keel_mpi_object_messages_take(&object->messages);
        objects->report.handled++;
        lap->handled++;
        if (message->handler == KEEL_MPI_OBJECTS_DELETION) {
            free(message);
            delete (objects, object);
            keel_mpi_objects_unlock(objects);
            return false;
        }
        keel_mpi_objects_unlock(objects);
        objects->handler[message->handler](objects->call.context, object->index, object->data,
                                           message->payload, message->bytes);
        free(message);
        keel_mpi_objects_lock(objects);
    }
    keel_mpi_objects_unlock(objects);
    return true;
}

/* now_s: only used if it is to be computed. */
static void work_on(struct keel_mpi_objects *objects, struct keel_mpi_object *object, double now_s,
                    struct lap *lap)
{
    if (object->to_compute) {
        lap->computing_s += compute(objects, object, now_s) - now_s;
    }
    bool there = handle(objects, object, lap);
    keel_mpi_objects_lock(objects);
    if (there) {
        keel_mpi_object_settle(objects, object);
    }
    shake(objects);
    keel_mpi_objects_unlock(objects);
}

static struct keel_mpi_object *take_ready(struct keel_mpi_objects *objects)
{
    struct keel_mpi_object *object = NULL;

    keel_mpi_objects_lock(objects);
    if (!keel_mpi_asking_holds(objects)) {
        keel_mpi_asking_sample(objects);
        object = keel_mpi_ready_take(objects);
        objects->begins_again_s = 0;
    }
    keel_mpi_objects_unlock(objects);
    return object;
}

/* --- undeliverable messages --- */

static struct keel_mpi_object_message *take_returned(struct keel_mpi_objects *objects)
{
    keel_mpi_objects_lock(objects);
    struct keel_mpi_object_message *message = keel_mpi_object_messages_take(&objects->returned);
    if (message != NULL) {
        objects->report.undelivered++;
        if (objects->call.undelivered == NULL) {
            objects->code = KEEL_MPI_NO_OBJECT;
        }
    }
    keel_mpi_objects_unlock(objects);
    return message;
}

static void give_back(struct keel_mpi_objects *objects)
{
    struct keel_mpi_object_message *message;

    while ((message = take_returned(objects)) != NULL) {
        if (objects->call.undelivered != NULL) {
            objects->call.undelivered(objects->call.context, message->index, message->handler,
                                      message->payload, message->bytes);
        }
        free(message);
    }
}

/* --- one thread --- */

/* Computes an object; while it runs, it counts as remaining work. */
static void compute_next(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                         struct lap *lap)
{
    double now_s = keel_mpi_clock_s();

    keel_mpi_objects_lock(objects);
    objects->running_weight = object->weight;
    objects->running_known_s = keel_mpi_object_known_s(object);
    objects->running_since_s = now_s;
    keel_mpi_objects_unlock(objects);
    work_on(objects, object, keel_mpi_clock_s(), lap);
}

#define TEAM_S 50e-6 /* to begin and end a team */

/* Returns how many objects are ready, if they are enough work for a team; otherwise 0. Messages
 * count once some were handled. */
static uint64_t ready_for_team(struct keel_mpi_objects *objects)
{
    const struct keel_work *handling = &objects->handling;

    if (objects->threads == 1) {
        return 0;
    }
    keel_mpi_objects_lock(objects);
    bool messages = objects->ready > 1 && handling->amount > 0 &&
                    (double)objects->ready_messages * handling->busy_s > TEAM_S * handling->amount;
    uint64_t ready = objects->ready_to_compute > 0 || messages ? objects->ready : 0;
    keel_mpi_objects_unlock(objects);
    return ready;
}

#define VISITS 16 /* to objects with messages only, between two looks at the clock */

/* Whether to look at the clock. Earlier at first, as messages may be work for a team. */
static bool is_time(const struct keel_mpi_objects *objects, uint32_t visits)
{
    return visits % VISITS == 0 ||
           (objects->threads > 1 && visits < VISITS && (visits & (visits - 1)) == 0);
}

/* Works until no object is ready, or a team is worth while. */
static void run_alone(struct keel_mpi_objects *objects)
{
    struct lap lap = {.began_s = keel_mpi_clock_s()};
    struct keel_mpi_object *object;
    bool team = ready_for_team(objects) > 0;
    uint32_t visits = 0;

    /* Answers others before it takes an object, which may run long: they can still get it. */
    keel_mpi_objects_progress_if_due(objects, lap.began_s);
    while (!team && (object = take_ready(objects)) != NULL) {
        if (object->to_compute) {
            compute_next(objects, object, &lap);
            keel_mpi_objects_progress_if_due(objects, keel_mpi_clock_s());
            continue;
        }
        work_on(objects, object, 0, &lap);
        if (is_time(objects, ++visits)) {
            double now_s = keel_mpi_clock_s();
            end_lap(objects, &lap, now_s);
            keel_mpi_objects_progress_if_due(objects, now_s);
            lap = (struct lap){.began_s = now_s};
            team = ready_for_team(objects) > 0;
        }
    }
    end_lap(objects, &lap, keel_mpi_clock_s());
}

/* --- a team of libgomp's OpenMP, if it is in the process --- */

/* Functions to which GCC compiles `#pragma omp parallel for schedule(runtime)`. */
struct gomp {
    void (*start)(void (*body)(void *), void *data, unsigned threads, long first, long last,
                  long step, unsigned flags);
    bool (*next)(long *first, long *last);
    void (*end)(void);
    int (*threads)(void);
    int (*in_parallel)(void);
};

/* Looked up in each phase: libraries may be loaded late. */
static bool find(struct gomp *gomp)
{
    *(void **)&gomp->start = dlsym(RTLD_DEFAULT, "GOMP_parallel_loop_maybe_nonmonotonic_runtime");
    *(void **)&gomp->next = dlsym(RTLD_DEFAULT, "GOMP_loop_maybe_nonmonotonic_runtime_next");
    *(void **)&gomp->end = dlsym(RTLD_DEFAULT, "GOMP_loop_end_nowait");
    *(void **)&gomp->threads = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    *(void **)&gomp->in_parallel = dlsym(RTLD_DEFAULT, "omp_in_parallel");
    return gomp->start != NULL && gomp->next != NULL && gomp->end != NULL &&
           gomp->threads != NULL && gomp->in_parallel != NULL;
}

uint32_t keel_mpi_team_size(void)
{
    struct gomp gomp;
    int level, threads;

    if (!KEEL_MPI_CALL(NULL, MPI_Query_thread, &level) || level < MPI_THREAD_FUNNELED ||
        !find(&gomp) || gomp.in_parallel()) {
        return 1;
    }
    threads = gomp.threads();
    return threads > 1 ? (uint32_t)threads : 1;
}

struct team {
    struct keel_mpi_objects *objects;
    struct gomp gomp;
};

/* Of a team, only the thread that called the phase's function may call MPI. */
static bool is_caller(const struct keel_mpi_objects *objects)
{
    return pthread_equal(objects->caller, pthread_self());
}

static void work_on_next(struct keel_mpi_objects *objects)
{
    struct keel_mpi_object *object = take_ready(objects);

    if (is_caller(objects)) {
        keel_mpi_objects_progress_if_due(objects, keel_mpi_clock_s());
    }
    if (object != NULL) {
        struct lap lap = {.began_s = keel_mpi_clock_s()};
        work_on(objects, object, lap.began_s, &lap);
        end_lap(objects, &lap, keel_mpi_clock_s());
    }
}

/* The work of each thread of a team. The calling one answers others until all are done. */
static void body(void *data)
{
    const struct team *team = data;
    struct keel_mpi_objects *objects = team->objects;
    long first, last;

    /* relaxed: only shows how long to answer; the region's end publishes what threads did */
    atomic_fetch_add_explicit(&objects->running, 1, memory_order_relaxed);
    while (team->gomp.next(&first, &last)) {
        for (long i = first; i < last; i++) {
            work_on_next(objects);
        }
    }
    atomic_fetch_sub_explicit(&objects->running, 1, memory_order_relaxed);
    for (unsigned backoff = 0;
         is_caller(objects) && atomic_load_explicit(&objects->running, memory_order_relaxed) > 0;
         backoff++) {
        keel_mpi_objects_progress_if_due(objects, keel_mpi_clock_s());
        keel_mpi_channel_pause(backoff);
    }
    team->gomp.end();
}

/* The lock is needed only while there are threads besides the calling one. */
static void set_shared(struct keel_mpi_objects *objects, bool shared)
{
    if (objects->thread == NULL) { /* the answering thread always needs the lock */
        objects->shared = shared;
    }
}

static void run_team(struct keel_mpi_objects *objects, uint64_t ready)
{
    struct team team = {.objects = objects};

    if (find(&team.gomp)) {
        set_shared(objects, true);
        objects->at_work = objects->threads;
        team.gomp.start(body, &team, 0, 0, (long)ready, 1, 0);
        objects->at_work = 1;
        set_shared(objects, false);
    }
}

void keel_mpi_run_ready(struct keel_mpi_objects *objects)
{
    keel_mpi_objects_lock(objects);
    objects->works_since_s = keel_mpi_clock_s();
    keel_mpi_objects_unlock(objects);
    run_alone(objects);
    uint64_t ready;
    while ((ready = ready_for_team(objects)) > 0 &&
           keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
        run_team(objects, ready);
        run_alone(objects);
    }
    give_back(objects);
}
