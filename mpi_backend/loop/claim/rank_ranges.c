/* What a rank holds of a shared loop. */
#include "mpi_backend/loop/claim/rank_ranges.h"

struct keel_pace keel_mpi_rank_ranges_pace(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_window_range *range =
        keel_mpi_window_ranges(loop->window, loop->job->local);
    double speed = 0, variance = 0, threads = 0;

    for (unsigned i = KEEL_MPI_RANGE_THREADS; i < KEEL_MPI_RANK_RANGES; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&range[i].pace);
        if (pace.mean_ns > 0) {
            speed += 1 / pace.mean_ns;
            variance += pace.variance_ns2;
            threads++;
        }
    }
    if (threads == 0) {
        return (struct keel_pace){0};
    }
    /* k iterations take threads k / threads each: their time varies as one's does, over threads
     * squared */
    return (struct keel_pace){1 / speed, variance / (threads * threads * threads)};
}

/* Any range will do, so that a rank may begin a later grant before an earlier one, also with one
 * thread. Nothing that is promised rests on their order: threads of a shared loop get iterations in
 * any order, as stolen ones come from anywhere. But the loop's last iteration is the last one of
 * its thread: who has executed it takes nothing more, and a rank of one thread sends on what it
 * still holds (transfers.h: forwarding). */
void keel_mpi_rank_ranges_add(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_mpi_window_range *range = keel_mpi_window_ranges(loop->window, loop->job->local);

    if (loop->window->loop.keeps_last && last == loop->units) {
        atomic_store(&loop->window->last, 1);
        atomic_store(&loop->window->others_empty, 1);
        return;
    }
    unsigned ranges = keel_mpi_rank_ranges_in_use(loop);
    for (unsigned i = 1; i <= ranges; i++) {
        if (keel_mpi_window_range_fill(loop->window, &range[i % ranges], first, last)) {
            return;
        }
    }
    keel_mpi_range_list_note(&loop->overflow, first, last);
    atomic_store_explicit(&loop->overflows, true, memory_order_relaxed);
}
