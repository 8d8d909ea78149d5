/* Keel's own ways to bring tasks to processors.
 *
 * "keel:tree": tasks as iterations of a shared loop, by any KEEL_MPI_SCHEDULE. Blocks of iterations
 * are those that processors begin with anyhow. Objects of others are fetched, with their bytes:
 * those of a chunk are asked for together, before the first of it is executed.
 *
 * "mobile": its objects, as a program uses them: each task is an object of keel_mpi_objects, whose
 * data move as Keel moves them. "mobile" is Keel's default; "mobile:diffuse,4" any
 * KEEL_MPI_BALANCE. A polling thread is simulated: the program calls keel_mpi_poll() every quantum,
 * in mid-task, and pays two switches of threads and a poll for it (R6).
 *
 * "prema": the same under KEEL_MPI_BALANCE=prema (PAPERS.md R2), with the neighbourhood and the
 * threshold that are set: who has nothing asks a neighbourhood, then the next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/scene.h"
#include "bench/papers_dir/prema05/tasks.h"
#include "bench/support/end_job.h"
#include "mpi_backend/include/keel_mpi.h"

static double began_s; /* of the run */

/* --- waiting --- */

#define LOOK_S 5e-3
#define LOOK_PART 2e-4 /* of the run up to now, if that is longer; */
#define LOOKS 10       /* and longer after so many looks in vain */

/* Idle ranks look less often than Keel has them do, which is every 0.2 ms: simulating each look
 * takes long. backoff: looks since something came. */
void __wrap_keel_mpi_channel_pause(unsigned backoff);
void __wrap_keel_mpi_channel_pause(unsigned backoff)
{
    double shortest_s = fmax(LOOK_S, LOOK_PART * (MPI_Wtime() - began_s));

    scene_spend(backoff > LOOKS ? shortest_s * backoff / LOOKS : shortest_s);
}

static struct scene *looping; /* whose tasks are iterations of a loop that has not ended */

/* A rank that waits for iterations still hands out its objects: others may need them before there
 * is an iteration, or the end. */
struct keel_mpi_channel;
void __real_keel_mpi_channel_wait(struct keel_mpi_channel *channel, MPI_Request *request,
                                  unsigned backoff, bool alone);
void __wrap_keel_mpi_channel_wait(struct keel_mpi_channel *channel, MPI_Request *request,
                                  unsigned backoff, bool alone);
void __wrap_keel_mpi_channel_wait(struct keel_mpi_channel *channel, MPI_Request *request,
                                  unsigned backoff, bool alone)
{
    if (looping == NULL) {
        __real_keel_mpi_channel_wait(channel, request, backoff, alone);
        return;
    }
    scene_attend(looping);
    scene_spend(LOOK_S);
}

/* --- a loop --- */

static void loop_poll(struct scene *scene)
{
    keel_mpi_poll();
    scene_attend(scene);
}

/* Like the other policies; waiting by looking again and again takes long to simulate. */
static void wait_for_all(struct scene *scene)
{
    scene_tell_executed(scene);
    while (!scene->ended) {
        scene_wait(scene);
    }
}

static void work(struct scene *scene)
{
    struct keel_mpi_loop *loop;
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    uint64_t first, last;

    looping = scene;
    keel_mpi_loop_begin(scene->comm, scene->tasks, KEEL_MPI_NOWAIT, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            scene_fetch(scene, (uint32_t)i);
        }
        for (uint64_t i = first; i < last; i++) {
            scene_wait_for(scene, (uint32_t)i);
            scene_execute(scene, (uint32_t)i);
        }
    }
    keel_mpi_loop_end(&loop);
    looping = NULL;
    wait_for_all(scene);
    keel_mpi_wait(scene->comm);
    keel_mpi_loop_report(scene->comm, &report);
    scene->other_messages += report.messages;
}

static void loop_run(struct scene *scene)
{
    if (keel_mpi_set_schedule(scene->specification) == KEEL_MPI_OK) {
        work(scene);
    }
}

const struct policy policy_keel = {.name = "keel", .poll = loop_poll, .run = loop_run};

/* --- objects --- */

static struct keel_mpi_objects *objects;
#define TAG 1 /* of messages about objects */

extern MPI_Request sim_coming; /* bench/sim/collectives.c */

/* A message about objects has begun to come before it is received. */
int __real_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    int code = __real_MPI_Irecv(buffer, count, type, rank, tag, comm, request);

    if (tag == TAG && rank != MPI_ANY_SOURCE) {
        sim_coming = *request;
    }
    return code;
}

/* --- an object --- */

static size_t size(void *context, uint64_t index, const void *data)
{
    const struct scene *scene = context;

    (void)index;
    (void)data;
    return scene->object_bytes;
}

/* The content, and as many bytes behind it as the object would have. */
static int pack(void *context, uint64_t index, const void *data, void *buffer)
{
    const struct scene *scene = context;
    size_t kept = scene_content_bytes(scene);

    (void)index;
    scene_spend_moving(scene);
    memcpy(buffer, data, kept);
    memset((char *)buffer + kept, 0, scene->object_bytes - kept);
    return 0;
}

static int unpack(void *context, uint64_t index, const void *buffer, size_t bytes, void **data)
{
    struct scene *scene = context;
    size_t kept = scene_content_bytes(scene);

    (void)index;
    (void)bytes;
    *data = malloc(kept + 1);
    if (*data == NULL) {
        return 1;
    }
    memcpy(*data, buffer, kept);
    scene_spend_moving(scene);
    scene->migrated++;
    return 0;
}

static void drop(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    free(data);
}

static void take_message(void *context, uint64_t index, void *data, const void *message,
                         size_t bytes)
{
    (void)context;
    (void)index;
    (void)data;
    (void)message;
    (void)bytes;
}

static void send_messages(const struct scene *scene, uint32_t task)
{
    static const unsigned char nothing[SCENE_OBJECT_MAX];

    for (uint32_t i = 0; i < scene->messages; i++) {
        for (unsigned which = 0; which < TASK_GRAPH_NEIGHBOURS; which++) {
            job_check(keel_mpi_objects_send(objects,
                                            task_graph_neighbour(scene->tasks, task, which), 0,
                                            nothing, scene->message_bytes));
        }
    }
}

static void compute(void *context, uint64_t index, void *data)
{
    struct scene *scene = context;

    scene_check(scene, (uint32_t)index, data);
    scene_work(scene, (uint32_t)index);
    send_messages(scene, (uint32_t)index);
    scene_count(scene, (uint32_t)index);
}

/* --- a run --- */

static void make_objects(struct scene *scene, const char *policy)
{
    keel_mpi_objects_handler *const handlers[] = {take_message};
    const struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                         .context = scene,
                                                         .size = size,
                                                         .pack = pack,
                                                         .unpack = unpack,
                                                         .drop = drop,
                                                         .handler = handlers,
                                                         .handlers = 1};
    uint32_t task;

    job_check(keel_mpi_objects_create(scene->comm, &functions, &objects));
    if (policy[0] != '\0') {
        job_check(keel_mpi_objects_set_balance(objects, policy));
    }
    while (scene_next(scene, &task)) {
        job_check(keel_mpi_objects_insert(objects, task, scene->data[task]));
        scene->data[task] = NULL;
    }
}

static void run_objects(struct scene *scene, const char *policy)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    began_s = scene->began_s;
    make_objects(scene, policy);
    job_check(keel_mpi_objects_each(objects, compute));
    keel_mpi_objects_report(objects, &report);
    scene->other_messages += report.messages;
    job_check(keel_mpi_objects_destroy(&objects));
}

static void run(struct scene *scene)
{
    run_objects(scene, scene->specification);
}

static void run_prema(struct scene *scene)
{
    char policy[80];

    snprintf(policy, sizeof policy, "prema:neighbours=%u,threshold=%u", scene->neighbours,
             scene->threshold);
    run_objects(scene, policy);
}

static void poll(struct scene *scene)
{
    (void)scene;
    keel_mpi_poll();
}

const struct policy policy_mobile = {.name = "mobile", .poll = poll, .run = run};
const struct policy policy_prema = {.name = "prema", .poll = poll, .run = run_prema};
