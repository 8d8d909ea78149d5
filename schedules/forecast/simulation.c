/* A loop instance without threads or a clock. */
#include "schedules/forecast/simulation.h"

#include <math.h>
#include <stdlib.h>

/* A simulated thread. */
struct simulated_thread {
    double free_ns; /* when it is done with what it has; INFINITY: there is no more for it */
    double time_ns; /* of its last chunk; < 0: it has had none */
    struct keel_team_worker worker;
};

struct keel_simulation {
    const struct keel_simulation_setup *setup;
    struct keel_team *team;
    struct simulated_thread *threads;
};

/* --- the setup --- */

static void begin_workers(struct keel_simulation *simulation)
{
    const struct keel_simulation_setup *setup = simulation->setup;
    const struct keel_pace unknown = {0};

    keel_team_begin(simulation->team, setup->spec, setup->iterations, setup->threads, NULL, NULL);
    for (uint64_t i = 0; i < setup->threads; i++) {
        struct simulated_thread *simulated = &simulation->threads[i];
        *simulated = (struct simulated_thread){.time_ns = -1};
        keel_team_worker_begin(&simulated->worker, simulation->team, i, unknown);
    }
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
    };
    if (simulation->team == NULL || simulation->threads == NULL) {
        keel_simulation_end(simulation);
        return NULL;
    }
    begin_workers(simulation);
    return simulation;
}

/* The first of those that are free first. */
static uint64_t next_free(const struct keel_simulation *simulation)
{
    uint64_t next = 0;

    for (uint64_t i = 1; i < simulation->setup->threads; i++) {
        next = simulation->threads[i].free_ns < simulation->threads[next].free_ns ? i : next;
    }
    return next;
}

bool keel_simulation_next(struct keel_simulation *simulation, struct keel_simulated_chunk *chunk)
{
    const struct keel_simulation_setup *setup = simulation->setup;

    for (;;) {
        uint64_t thread = next_free(simulation);
        struct simulated_thread *simulated = &simulation->threads[thread];
        if (isinf(simulated->free_ns)) {
            return false;
        }
        if (simulated->time_ns >= 0) {
            keel_team_worker_done(&simulated->worker, simulated->time_ns, setup->claim_ns);
        }
        if (keel_team_worker_next(&simulated->worker, &chunk->first, &chunk->last)) {
            chunk->thread = thread;
            chunk->start_ns = simulated->free_ns + setup->claim_ns;
            chunk->time_ns = simulated->time_ns = setup->time_ns(chunk, setup->context);
            simulated->free_ns = chunk->start_ns + chunk->time_ns;
            return true;
        }
        simulated->free_ns = INFINITY;
    }
}

void keel_simulation_end(struct keel_simulation *simulation)
{
    free(simulation->team);
    free(simulation->threads);
    free(simulation);
}
