/* A loop instance without threads or a clock. */
#include "schedules/forecast/simulation.h"

#include <stdlib.h>

struct actor {
    double free_ns; /* when it is done with what it has */
    double time_ns; /* of its last chunk; < 0: it has had none */
    struct keel_team_worker worker;
};

struct keel_simulation {
    const struct keel_simulation_setup *setup;
    struct keel_team *team;
    struct actor *actors;
    uint64_t *heap;   /* threads: each is free no later than those at 2i + 1 and 2i + 2 */
    uint64_t working; /* threads in the heap */
};

/* --- who is free next --- */

static bool is_earlier(const struct keel_simulation *rehearsal, uint64_t a, uint64_t b)
{
    double a_ns = rehearsal->actors[a].free_ns, b_ns = rehearsal->actors[b].free_ns;

    return a_ns < b_ns || (a_ns == b_ns && a < b);
}

/* Moves the first of the heap to its place. */
static void sift(struct keel_simulation *rehearsal)
{
    uint64_t *heap = rehearsal->heap, place = 0, least;

    while ((least = 2 * place + 1) < rehearsal->working) {
        if (least + 1 < rehearsal->working && is_earlier(rehearsal, heap[least + 1], heap[least])) {
            least++;
        }
        if (is_earlier(rehearsal, heap[place], heap[least])) {
            return;
        }
        uint64_t moved = heap[place];
        heap[place] = heap[least];
        heap[least] = moved;
        place = least;
    }
}

static void leave(struct keel_simulation *rehearsal)
{
    rehearsal->heap[0] = rehearsal->heap[--rehearsal->working];
    sift(rehearsal);
}

/* --- the setup --- */

static void begin_workers(struct keel_simulation *rehearsal)
{
    const struct keel_simulation_setup *setup = rehearsal->setup;
    const struct keel_pace unknown = {0};

    keel_team_begin(rehearsal->team, setup->spec, setup->iterations, setup->threads, setup->first,
                    NULL);
    for (uint64_t i = 0; i < setup->threads && setup->known != NULL; i++) {
        keel_team_recall(rehearsal->team, i, setup->known[i]);
    }
    for (uint64_t i = 0; i < setup->threads; i++) {
        struct actor *actor = &rehearsal->actors[i];
        *actor = (struct actor){.time_ns = -1};
        rehearsal->heap[i] = i;
        keel_team_worker_begin(&actor->worker, rehearsal->team, i,
                               setup->known != NULL ? setup->known[i] : unknown);
    }
    rehearsal->working = setup->threads;
}

struct keel_simulation *keel_simulation_begin(const struct keel_simulation_setup *setup)
{
    if (setup->threads > KEEL_SIMULATION_THREADS_MAX) {
        return NULL;
    }
    struct keel_simulation *rehearsal = malloc(sizeof *rehearsal);
    if (rehearsal == NULL) {
        return NULL;
    }
    *rehearsal = (struct keel_simulation){
        .setup = setup,
        .team = aligned_alloc(64, keel_team_size(setup->threads)),
        .actors = malloc(setup->threads * sizeof(struct actor)),
        .heap = malloc(setup->threads * sizeof(uint64_t)),
    };
    if (rehearsal->team == NULL || rehearsal->actors == NULL || rehearsal->heap == NULL) {
        keel_simulation_end(rehearsal);
        return NULL;
    }
    begin_workers(rehearsal);
    return rehearsal;
}

bool keel_simulation_next(struct keel_simulation *rehearsal, struct keel_simulated_chunk *chunk)
{
    const struct keel_simulation_setup *setup = rehearsal->setup;

    for (; rehearsal->working > 0; leave(rehearsal)) {
        uint64_t thread = rehearsal->heap[0];
        struct actor *actor = &rehearsal->actors[thread];
        if (actor->time_ns >= 0) {
            keel_team_worker_done(&actor->worker, actor->time_ns, setup->claim_ns);
        }
        if (keel_team_worker_next(&actor->worker, &chunk->first, &chunk->last)) {
            chunk->thread = thread;
            chunk->start_ns = actor->free_ns + setup->claim_ns;
            chunk->time_ns = actor->time_ns = setup->time_ns(chunk, setup->context);
            actor->free_ns = chunk->start_ns + chunk->time_ns;
            sift(rehearsal);
            return true;
        }
    }
    return false;
}

void keel_simulation_end(struct keel_simulation *rehearsal)
{
    free(rehearsal->team);
    free(rehearsal->actors);
    free(rehearsal->heap);
    free(rehearsal);
}
