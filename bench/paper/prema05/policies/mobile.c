/* Keel's own objects, as a program uses them: each task is an object of keel_mpi_objects, whose
 * data move as Keel moves them. "mobile" is Keel's default; "mobile:diffuse,4" any
 * KEEL_MPI_BALANCE.
 *
 * A polling thread is simulated: the program calls keel_mpi_poll() every quantum, in mid-task, and
 * pays two switches of threads and a poll for it (R6).
 *
 * "mobile-told:...": the author knows the weights, and states them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/paper/prema05/policies/policy.h"
#include "bench/paper/prema05/task_graph.h"
#include "mpi_backend/include/keel_mpi.h"

static struct keel_mpi_objects *bag;

static void stop_on(int code)
{
    if (code != KEEL_MPI_OK) {
        fprintf(stderr, "objects: a function of keel_mpi_objects failed: %d\n", code);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

/* --- waiting --- */

#define LOOK_S 5e-3

/* Idle ranks look less often than Keel has them do, which is every 0.2 ms: simulating each look
 * takes long. */
void __wrap_keel_mpi_channel_pause(unsigned backoff);
void __wrap_keel_mpi_channel_pause(unsigned backoff)
{
    (void)backoff;
    scene_spend(LOOK_S);
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
            stop_on(keel_mpi_objects_send(bag, task_graph_neighbour(scene->tasks, task, which), 0,
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

static void make_objects(struct scene *scene, bool told)
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

    stop_on(keel_mpi_objects_create(scene->comm, &functions, &bag));
    if (scene->specification[0] != '\0') {
        stop_on(keel_mpi_objects_set_balance(bag, scene->specification));
    }
    while (scene_next(scene, &task)) {
        stop_on(keel_mpi_objects_insert(bag, task, scene->data[task]));
        scene->data[task] = NULL;
        if (told) {
            stop_on(keel_mpi_objects_weigh(bag, task, scene->weight_s[task]));
        }
    }
}

static void run_objects(struct scene *scene, bool told)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    make_objects(scene, told);
    stop_on(keel_mpi_objects_each(bag, compute));
    keel_mpi_objects_report(bag, &report);
    scene->other_messages += report.messages;
    stop_on(keel_mpi_objects_destroy(&bag));
}

static void run(struct scene *scene)
{
    run_objects(scene, false);
}

static void run_told(struct scene *scene)
{
    run_objects(scene, true);
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

const struct policy policy_mobile_told = {
    .name = "mobile-told",
    .summary = "the same; their weights are stated",
    .poll = poll,
    .run = run_told,
};
