/* How a rank gets iterations that it does not hold yet: from a shared counter, or from blocks that
 * idle ranks steal from. One const descriptor each, in counter.c and blocks.c. */
#ifndef MPI_BACKEND_LOOP_STATE_CLAIM_METHOD_H
#define MPI_BACKEND_LOOP_STATE_CLAIM_METHOD_H

#include <stdbool.h>
#include <stdint.h>

struct keel_mpi_loop;
struct keel_mpi_message;
struct keel_mpi_worker;

struct keel_mpi_claim_method {
    /* When the loop is opened: works out what only this process needs, and adds to loop->check what
     * ranks have to agree on. False: no memory. */
    bool (*open)(struct keel_mpi_loop *loop);
    /* More iterations for the rank, without messages: [*first, *last) belong to the worker. False:
     * none now. */
    bool (*refill)(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last);
    /* Jobs of several nodes: sends requests before the rank, or its node, is idle. Under the
     * channel lock, for a worker that wants iterations. */
    void (*request_ahead)(struct keel_mpi_worker *worker);
    /* Takes in the answer to such a request. Under the channel lock. */
    void (*answer)(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);
    /* Jobs of several nodes: whether this rank should answer others before its first chunk, for as
     * long as an iteration may take, as nobody answers within one. NULL: no. Any thread. */
    bool (*awaits_others)(const struct keel_mpi_loop *loop);
    /* Jobs of one node: whether there will be nothing more to claim. Any worker. */
    bool (*is_over)(struct keel_mpi_loop *loop);
};

extern const struct keel_mpi_claim_method keel_mpi_claim_by_counter, keel_mpi_claim_by_blocks;

#endif
