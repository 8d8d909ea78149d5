/* Diffusion with a polling thread, as in PREMA (PAPERS.md R2): a processor with too few
 * tasks asks its neighbourhood how many tasks each has to give away, and then the one with most of
 * them for one; where nobody has any, it goes on to the next neighbourhood. The polling thread
 * answers in mid-task.
 *
 *   at rest -> looking, until all of the neighbourhood have answered -> asking -> at rest
 *                 ^  nothing there: the next one                          |
 *                 +------- somebody else was quicker --------------------+
 *   in vain: all have been looked at, and nobody has any. As only pending tasks are given, and who
 *   gets one begins it at once, nobody will have any later.
 *
 * Neighbourhoods follow each other in an order that is drawn for each processor. */
#include <stdlib.h>

#include "bench/paper/prema05/policies/policy.h"

enum {
    LOOK = SCENE_POLICY, /* how many tasks do you have to give? */
    COUNT,               /* number: so many */
    ASK,                 /* give me one */
    NOTHING              /* there is none any more */
};

enum state { AT_REST, LOOKING, ASKING, IN_VAIN };

static struct {
    enum state state;
    int *order; /* all other ranks */
    uint32_t others;
    uint32_t next;    /* in `order`, where the neighbourhood begins */
    uint32_t size;    /* of the neighbourhood that is looked at */
    uint32_t looked;  /* at so many in vain */
    uint32_t pending; /* answers */
    int fullest;
    uint32_t most; /* it has so many */
} seeker;

static void draw_order(const struct scene *scene)
{
    uint64_t state = (uint64_t)scene->rank + scene->chance * 4096;

    seeker.others = 0;
    for (int rank = 0; rank < scene->ranks; rank++) {
        if (rank != scene->rank) {
            seeker.order[seeker.others++] = rank;
        }
    }
    for (uint32_t i = seeker.others; i > 1; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)((state >> 33) % i);
        int swapped = seeker.order[i - 1];
        seeker.order[i - 1] = seeker.order[other];
        seeker.order[other] = swapped;
    }
}

/* --- seeking --- */

static void look(struct scene *scene)
{
    uint32_t left = seeker.others - seeker.looked;

    if (left == 0) {
        seeker.state = IN_VAIN;
        return;
    }
    seeker.state = LOOKING;
    seeker.size = seeker.pending = scene->neighbours < left ? scene->neighbours : left;
    seeker.most = 0;
    for (uint32_t i = 0; i < seeker.size; i++) {
        scene_send(scene, seeker.order[(seeker.next + i) % seeker.others],
                   (struct scene_message){.kind = LOOK});
    }
}

static void decide(struct scene *scene)
{
    scene_spend(scene->costs.decision_s);
    if (seeker.most > 0) {
        seeker.state = ASKING;
        scene_send(scene, seeker.fullest, (struct scene_message){.kind = ASK});
        return;
    }
    seeker.looked += seeker.size;
    seeker.next = (seeker.next + seeker.size) % seeker.others;
    look(scene);
}

static void take_count(struct scene *scene, const struct scene_message *message)
{
    if (message->number > seeker.most) {
        seeker.most = message->number;
        seeker.fullest = (int)message->from;
    }
    if (--seeker.pending == 0) {
        decide(scene);
    }
}

static void answer(struct scene *scene, int rank)
{
    if (scene->pending_count > 0) {
        scene_give_last(scene, rank);
    } else {
        scene_send(scene, rank, (struct scene_message){.kind = NOTHING});
    }
}

static void handle(struct scene *scene, const struct scene_message *message)
{
    int from = (int)message->from;

    if (scene->ended) {
        return; /* others will hear of it, too */
    }
    switch (message->kind) {
    case LOOK:
        scene_send(scene, from,
                   (struct scene_message){.kind = COUNT, .number = scene->pending_count});
        break;
    case COUNT:
        take_count(scene, message);
        break;
    case ASK:
        answer(scene, from);
        break;
    case NOTHING:
        seeker.looked = 0;
        look(scene);
        break;
    case SCENE_OBJECT:
        seeker.looked = 0;
        seeker.state = AT_REST;
        break;
    default:
        break;
    }
}

/* --- working --- */

/* load: tasks of the processor, the one in work included. */
static void seek_below_threshold(struct scene *scene, uint32_t load)
{
    if (load < scene->threshold && seeker.state == AT_REST) {
        look(scene);
    }
}

static void run(struct scene *scene)
{
    uint32_t task;

    seeker.order = malloc((size_t)scene->ranks * sizeof *seeker.order);
    seeker.next = seeker.looked = 0;
    seeker.state = AT_REST;
    draw_order(scene);
    while (!scene->ended) {
        if (scene_next(scene, &task)) {
            seek_below_threshold(scene, scene->pending_count + 1);
            scene_execute(scene, task);
        } else {
            scene_tell_executed(scene);
            seek_below_threshold(scene, 0);
            if (!scene->ended) {
                scene_wait(scene);
            }
        }
    }
    free(seeker.order);
}

const struct policy policy_prema = {
    .name = "prema",
    .summary = "an idle processor asks a neighbourhood, then the next; polling threads answer",
    .poll = scene_attend,
    .handle = handle,
    .run = run,
};
