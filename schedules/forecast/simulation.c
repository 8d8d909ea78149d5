/* A loop instance without threads or a clock. */
#include "schedules/forecast/simulation.h"

#include <stdlib.h>

/* A simulated thread. */
struct simulated_thread {
    double free_ns; /* when it is done with what it has */
    double time_ns; /* of its last chunk; < 0: it has had none */
    struct keel_team_worker worker;
};

struct keel_simulation {
    const struct keel_simulation_setup *setup;
    struct keel_team *team;
    struct simulated_thread *threads;
    uint64_t *heap;   /* threads: each is free no later than those at 2i + 1 and 2i + 2 */
    uint64_t working; /* threads in the heap */
};

/* --- who is free next --- */

static bool is_earlier(const struct keel_simulation *simulation, uint64_t a, uint64_t b)
{
    double a_ns = simulation->threads[a].free_ns, b_ns = simulation->threads[b].free_ns;

    return a_ns < b_ns || (a_ns == b_ns && a < b);
}

/* Moves the first of the heap to its place. */
static void sift(struct keel_simulation *simulation)
{
    uint64_t *heap = simulation->heap, place = 0, least;

    while ((least = 2 * place + 1) < simulation->working) {
        if (least + 1 < simulation->working &&
            is_earlier(simulation, heap[least + 1], heap[least])) {
            least++;
        }
        if (is_earlier(simulation, heap[place], heap[least])) {
            return;
        }
        uint64_t moved = heap[place];
        heap[place] = heap[least];
        heap[least] = moved;
        place = least;
    }
}

static void leave(struct keel_simulation *simulation)
{
    simulation->heap[0] = simulation->heap[--simulation->working];
    sift(simulation);
}

/* --- the setup --- */

static void begin_workers(struct keel_simulation *simulation)
{
    const struct keel_simulation_setup *setup = simulation->setup;
    const struct keel_pace unknown = {0};

    keel_team_begin(simulation->team, setup->spec, setup->iterations, setup->threads, NULL, NULL);
    for (uint64_t i = 0; i < setup->threads; i++) {
        struct simulated_thread *simulated = &simulation->threads[i];
        *simulated = (struct simulated_thread){.time_ns = -1};
        simulation->heap[i] = i;
        keel_team_worker_begin(&simulated->worker, simulation->team, i, unknown);
    }
    simulation->working = setup->threads;
}

struct keel_simulation *keel_simulation_begin(const struct keel_simulation_setup *setup)
{
    if (setup->threads > KEEL_SIMULATION_THREADS_MAX) {
        return NULL;
    }
    struct keel_simulation *simulation = malloc(sizeof *simulation);
    if (simulation == NULL) {
        return NULL;
    }
    *simulation = (struct keel_simulation){
        .setup = setup,
        .team = aligned_alloc(64, keel_team_size(setup->threads)),
        .threads = malloc(setup->threads * sizeof(struct simulated_thread)),
        .heap = malloc(setup->threads * sizeof(uint64_t)),
    };
    if (simulation->team == NULL || simulation->threads == NULL || simulation->heap == NULL) {
        keel_simulation_end(simulation);
        return NULL;
    }
    begin_workers(simulation);
    return simulation;
}

bool keel_simulation_next(struct keel_simulation *simulation, struct keel_simulated_chunk *chunk)
{
    const struct keel_simulation_setup *setup = simulation->setup;

    for (; simulation->working > 0; leave(simulation)) {
        uint64_t thread = simulation->heap[0];
        struct simulated_thread *simulated = &simulation->threads[thread];
        if (simulated->time_ns >= 0) {
            keel_team_worker_done(&simulated->worker, simulated->time_ns, setup->claim_ns);
        }
        if (keel_team_worker_next(&simulated->worker, &chunk->first, &chunk->last)) {
            chunk->thread = thread;
            chunk->start_ns = simulated->free_ns + setup->claim_ns;
            chunk->time_ns = simulated->time_ns = setup->time_ns(chunk, setup->context);
            simulated->free_ns = chunk->start_ns + chunk->time_ns;
            sift(simulation);
            return true;
        }
    }
    return false;
}

void keel_simulation_end(struct keel_simulation *simulation)
{
    free(simulation->team);
    free(simulation->threads);
    free(simulation->heap);
    free(simulation);
}
