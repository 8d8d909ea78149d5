/* Keel's own objects, as a program uses them: each task is an object of keel_mpi_objects, whose
 * data move as Keel moves them. "mobile" is Keel's default; "mobile:diffuse,4" any
 * KEEL_MPI_BALANCE.
 *
 * A polling thread is simulated: the program calls keel_mpi_poll() every quantum, in mid-task, and
 * pays two switches of threads and a poll for it (R6).
 *
 * "prema": KEEL_MPI_BALANCE=prema (PAPERS.md R2), with the neighbourhood and the threshold that are
 * set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/policies/policy.h"
#include "bench/papers_dir/prema05/task_graph.h"
#include "mpi_backend/include/keel_mpi.h"

static struct keel_mpi_objects *set;
static double began_s; /* of the run */

static void stop_on(int code)
{
    if (code != KEEL_MPI_OK) {
        fprintf(stderr, "objects: a function of keel_mpi_objects failed: %d\n", code);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

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
            stop_on(keel_mpi_objects_send(set, task_graph_neighbour(scene->tasks, task, which), 0,
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

    stop_on(keel_mpi_objects_create(scene->comm, &functions, &set));
    if (policy[0] != '\0') {
        stop_on(keel_mpi_objects_set_balance(set, policy));
    }
    while (scene_next(scene, &task)) {
        stop_on(keel_mpi_objects_insert(set, task, scene->data[task]));
        scene->data[task] = NULL;
    }
}

static void run_objects(struct scene *scene, const char *policy)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    began_s = scene->began_s;
    make_objects(scene, policy);
    stop_on(keel_mpi_objects_each(set, compute));
    keel_mpi_objects_report(set, &report);
    scene->other_messages += report.messages;
    stop_on(keel_mpi_objects_destroy(&set));
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

const struct policy policy_mobile = {
    .name = "mobile",
    .summary = "Keel's objects, which move on demand",
    .poll = poll,
    .run = run,
};

const struct policy policy_prema = {
    .name = "prema",
    .summary = "the same, by PREMA's policy: who has nothing asks a neighbourhood, then the next",
    .poll = poll,
    .run = run_prema,
};
