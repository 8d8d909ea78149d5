/* Steals between the ranks of a node. */
#include "mpi_backend/loop/claim/node_steal.h"

#include "mpi_backend/loop/exchange/loop_events.h"
#include "schedules/balance/amounts.h"

bool keel_mpi_node_steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    struct keel_mpi_window *window = loop->window;
    uint32_t own = loop->job->local, victim = keel_mpi_window_most_loaded(window, own);

    if (victim == UINT32_MAX) {
        return false;
    }
    const struct keel_amounts_side giver = {keel_mpi_window_left(window, victim),
                                            keel_mpi_window_speed(window, victim)};
    const struct keel_amounts_side to = {0, keel_mpi_window_speed(window, own)};
    uint64_t amount = keel_amounts_to_transfer(&giver, &to, 0, window->loop.gamma);
    if (!keel_mpi_window_cut(window, victim, amount, first, last)) {
        return false;
    }
    worker->migrations++;
    worker->migrated += *last - *first;
    if (loop->observed != NULL) {
        const struct keel_mpi_job *job = loop->job;
        uint32_t from = job->ranks_by_node[job->node_first[job->node] + victim];
        keel_mpi_loop_event_move(loop, from, *first, *last, 0);
    }
    return true;
}
