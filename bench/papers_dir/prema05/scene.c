/* One run of a set of tasks on simulated processors, seen from one of them. */
#include "bench/papers_dir/prema05/scene.h"

#include <math.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/tasks.h"

#define SPEED 1e9 /* operations a second of all hosts */
#define TAG 1
#define LOOK_S 5e-3    /* between two looks for an object that is to come */
#define INSTANT_S 1e-9 /* times that are closer are the same */

_Static_assert(sizeof(struct scene_message) == 16, "REQUEST_BYTES of forecast.c");

/* --- time --- */

void scene_spend(double time_s)
{
    if (time_s > 0) {
        smpi_execute_flops(time_s * SPEED);
    }
}

static void wake(struct scene *scene)
{
    scene_spend(2 * scene->costs.context_s + scene->costs.poll_s);
    scene->poll(scene);
    scene->wake_s = MPI_Wtime() + scene->quantum_s;
}

void scene_work(struct scene *scene, uint32_t task)
{
    double work_s = scene->weight_s[task], left_s = work_s;

    while (left_s > INSTANT_S) {
        double piece_s = scene->poll != NULL ? fmax(scene->wake_s - MPI_Wtime(), 0) : left_s;
        piece_s = fmin(piece_s, left_s);
        scene_spend(piece_s);
        left_s -= piece_s;
        if (scene->poll != NULL && MPI_Wtime() > scene->wake_s - INSTANT_S) {
            wake(scene);
        }
    }
    scene->busy_s += work_s;
}

/* --- messages --- */

/* The message is on its way at once, whether or not anybody is there to take it: as long as it is
 * no longer than SCENE_OBJECT_MAX and itself. */
static void send_bytes(struct scene *scene, int rank, struct scene_message message,
                       const void *data, size_t size)
{
    static unsigned char bytes[sizeof message + SCENE_OBJECT_MAX];

    message.from = (uint32_t)scene->rank;
    memcpy(bytes, &message, sizeof message);
    if (size > 0) {
        memcpy(bytes + sizeof message, data, size);
    }
    MPI_Send(bytes, (int)(sizeof message + size), MPI_BYTE, rank, TAG, scene->comm);
    scene->sent++;
}

void scene_send(struct scene *scene, int rank, struct scene_message message)
{
    send_bytes(scene, rank, message, NULL, 0);
}

/* --- objects --- */

int scene_first_owner(const struct scene *scene, uint32_t task)
{
    return (int)(task / (scene->tasks / (uint32_t)scene->ranks));
}

/* What an object's data are, so that its way through packing, messages and unpacking shows. */
static unsigned char content(uint32_t task, size_t byte)
{
    return (unsigned char)(task * 31 + byte);
}

size_t scene_content_bytes(const struct scene *scene)
{
    return scene->object_bytes < SCENE_OBJECT_MAX ? scene->object_bytes : SCENE_OBJECT_MAX;
}

static void make_object(struct scene *scene, uint32_t task)
{
    scene->data[task] = malloc(scene_content_bytes(scene) + 1);
    for (size_t i = 0; i < scene_content_bytes(scene); i++) {
        scene->data[task][i] = content(task, i);
    }
}

void scene_check(const struct scene *scene, uint32_t task, const unsigned char *data)
{
    size_t i = 0;

    while (data != NULL && i < scene_content_bytes(scene) && data[i] == content(task, i)) {
        i++;
    }
    if (data == NULL || i < scene_content_bytes(scene)) {
        fprintf(stderr, "objects: rank %d: the object of task %u is damaged; nothing more is run\n",
                scene->rank, task);
        MPI_Abort(scene->comm, 3);
    }
}

void scene_spend_moving(const struct scene *scene)
{
    scene_spend(scene->costs.install_s + scene->costs.pack_s * (double)scene->object_bytes);
}

static const unsigned char nothing[SCENE_OBJECT_MAX];

static void send_object(struct scene *scene, uint32_t task, int rank)
{
    size_t left = scene->object_bytes - scene_content_bytes(scene);

    scene_spend_moving(scene);
    while (left > 0) {
        size_t size = left < SCENE_OBJECT_MAX ? left : SCENE_OBJECT_MAX;
        send_bytes(scene, rank, (struct scene_message){.kind = SCENE_PIECE, .task = task}, nothing,
                   size);
        left -= size;
    }
    send_bytes(scene, rank, (struct scene_message){.kind = SCENE_OBJECT, .task = task},
               scene->data[task], scene_content_bytes(scene));
    free(scene->data[task]);
    scene->data[task] = NULL;
    scene->whereabouts[task] = rank;
}

static void install(struct scene *scene, uint32_t task)
{
    scene->data[task] = malloc(scene_content_bytes(scene) + 1);
    memcpy(scene->data[task], scene->buffer + sizeof(struct scene_message),
           scene_content_bytes(scene));
    scene_spend_moving(scene);
    scene->pending[scene->pending_count++] = task;
    scene->migrated++;
}

bool scene_next(struct scene *scene, uint32_t *task)
{
    if (scene->pending_count == 0) {
        return false;
    }
    *task = scene->pending[0];
    scene->pending_count--;
    memmove(scene->pending, scene->pending + 1, scene->pending_count * sizeof *scene->pending);
    return true;
}

void scene_put_back(struct scene *scene, uint32_t task)
{
    scene->pending[scene->pending_count++] = task;
}

void scene_give_last(struct scene *scene, int rank)
{
    send_object(scene, scene->pending[--scene->pending_count], rank);
}

/* Any pending task. */
static void give(struct scene *scene, uint32_t task, int rank)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < scene->pending_count; i++) {
        if (scene->pending[i] != task) {
            scene->pending[kept++] = scene->pending[i];
        }
    }
    scene->pending_count = kept;
    send_object(scene, task, rank);
}

void scene_rearrange(struct scene *scene, const int *owner, const int *next)
{
    uint64_t expected = scene->migrated;

    for (uint32_t task = 0; task < scene->tasks; task++) {
        if (owner[task] < 0 || owner[task] == next[task]) {
            continue;
        }
        expected += next[task] == scene->rank;
        if (owner[task] == scene->rank) {
            give(scene, task, next[task]);
        }
    }
    while (scene->migrated < expected) {
        scene_wait(scene);
    }
}

void scene_fetch(struct scene *scene, uint32_t task)
{
    if (scene->data[task] == NULL) {
        scene_send(scene, scene_first_owner(scene, task),
                   (struct scene_message){.kind = SCENE_FETCH, .task = task});
    }
}

void scene_wait_for(struct scene *scene, uint32_t task)
{
    while (scene->data[task] == NULL) {
        scene_spend(LOOK_S);
        scene->poll(scene);
    }
}

/* --- messages of tasks --- */

/* To where the object is believed to be. */
static void send_task_message(struct scene *scene, uint32_t task)
{
    if (scene->data[task] == NULL) {
        send_bytes(scene, scene->whereabouts[task],
                   (struct scene_message){.kind = SCENE_TASK_MESSAGE, .task = task}, nothing,
                   scene->message_bytes);
    }
}

static void send_task_messages(struct scene *scene, uint32_t task)
{
    for (uint32_t i = 0; i < scene->messages; i++) {
        for (unsigned which = 0; which < TASK_GRAPH_NEIGHBOURS; which++) {
            send_task_message(scene, task_graph_neighbour(scene->tasks, task, which));
        }
    }
}

void scene_execute(struct scene *scene, uint32_t task)
{
    scene_check(scene, task, scene->data[task]);
    scene_work(scene, task);
    send_task_messages(scene, task);
    scene_count(scene, task);
}

void scene_count(struct scene *scene, uint32_t task)
{
    scene->times[task]++;
    scene->executed++;
    scene->last_s = MPI_Wtime() - scene->began_s;
}

/* --- handling messages --- */

static void count_executed(struct scene *scene, uint32_t number)
{
    scene->all_executed += number;
    if (scene->all_executed < scene->tasks) {
        return;
    }
    for (int rank = 1; rank < scene->ranks; rank++) {
        scene_send(scene, rank, (struct scene_message){.kind = SCENE_END});
    }
    scene->ended = true;
}

void scene_tell_executed(struct scene *scene)
{
    uint32_t number = scene->executed - scene->executed_told;

    scene->executed_told = scene->executed;
    if (number == 0) {
        return;
    }
    if (scene->rank == 0) {
        count_executed(scene, number);
    } else {
        scene_send(scene, 0, (struct scene_message){.kind = SCENE_DONE, .number = number});
    }
}

static void handle(struct scene *scene)
{
    struct scene_message message;

    memcpy(&message, scene->buffer, sizeof message);
    scene->received++;
    if (message.kind == SCENE_OBJECT) {
        install(scene, message.task);
    } else if (message.kind == SCENE_FETCH) {
        give(scene, message.task, (int)message.from);
    } else if (message.kind == SCENE_TASK_MESSAGE) {
        send_task_message(scene, message.task);
    } else if (message.kind == SCENE_DONE) {
        count_executed(scene, message.number);
    } else if (message.kind == SCENE_END) {
        scene->ended = true;
    }
    if (scene->handle != NULL) {
        scene->handle(scene, &message);
    }
}

static size_t longest_message(const struct scene *scene)
{
    size_t longest = scene_content_bytes(scene);

    longest = scene->message_bytes > longest ? scene->message_bytes : longest;
    return sizeof(struct scene_message) + longest;
}

void scene_wait(struct scene *scene)
{
    MPI_Recv(scene->buffer, (int)longest_message(scene), MPI_BYTE, MPI_ANY_SOURCE, TAG, scene->comm,
             MPI_STATUS_IGNORE);
    handle(scene);
}

void scene_attend(struct scene *scene)
{
    int there;

    MPI_Iprobe(MPI_ANY_SOURCE, TAG, scene->comm, &there, MPI_STATUS_IGNORE);
    while (there) {
        scene_wait(scene);
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, scene->comm, &there, MPI_STATUS_IGNORE);
    }
}

/* --- beginning and end --- */

/* The polling threads of processors wake at times that have nothing to do with each other. */
static double first_wake_s(const struct scene *scene)
{
    double part = (scene->rank + (double)(scene->chance - 1) / 7) * 0.6180339887498949;

    return scene->began_s + scene->quantum_s * (1 - (part - floor(part)));
}

void scene_begin(struct scene *scene)
{
    scene->data = calloc(scene->tasks, sizeof *scene->data);
    scene->whereabouts = calloc(scene->tasks, sizeof *scene->whereabouts);
    scene->pending = calloc(scene->tasks, sizeof *scene->pending);
    scene->times = calloc(scene->tasks, 1);
    scene->buffer = malloc(longest_message(scene));
    for (uint32_t task = 0; task < scene->tasks; task++) {
        scene->whereabouts[task] = scene_first_owner(scene, task);
        if (scene->whereabouts[task] == scene->rank) {
            make_object(scene, task);
        }
        if (scene->whereabouts[task] == scene->rank) {
            scene->pending[scene->pending_count++] = task;
        }
    }
    MPI_Barrier(scene->comm);
    scene->began_s = MPI_Wtime();
    scene->wake_s = first_wake_s(scene);
}

/* Messages may be on their way to who is through, and be sent on from there. */
static void receive_all(struct scene *scene)
{
    uint64_t mine, all;

    do {
        scene_attend(scene);
        mine = scene->sent - scene->received;
        MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, scene->comm);
    } while (all != 0);
}

void scene_end(struct scene *scene)
{
    receive_all(scene);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        free(scene->data[task]);
    }
    free(scene->data);
    free(scene->whereabouts);
    free(scene->pending);
    free(scene->times);
    free(scene->buffer);
}
