/* Counts of iterations begun, up a tree of nodes with a rank each, and the end, down it. Messages
 * go to the test. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/loop/progress/engine.h"
#include "tests/support/unit.h"

enum { RANKS = 5, NUMBER = 1, ITERATIONS = 100, SENT_MAX = 8 };

static struct keel_mpi_job job;
static struct keel_mpi_loop loop;
static struct sent {
    uint32_t to;
    struct keel_mpi_message message;
} sent[SENT_MAX];
static unsigned count;

void __wrap_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t to,
                                  const struct keel_mpi_message *message);
void __wrap_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t to,
                                  const struct keel_mpi_message *message)
{
    assert_ptr_equal(channel, &job.channel);
    assert_true(count < SENT_MAX);
    assert_int_equal(message->loop, NUMBER);
    sent[count++] = (struct sent){to, *message};
}

/* This rank's node. Nodes 3 and 4 are below node 1, and 1 and 2 below 0. */
static void begin(uint32_t node)
{
    static uint32_t node_first[] = {0, 1, 2, 3, 4, 5}, by_node[] = {0, 1, 2, 3, 4};
    const struct keel_mpi_window_loop of = {.check = 1, .iterations = ITERATIONS};
    size_t size = keel_mpi_window_size(1, RANKS);

    free(job.windows);
    job = (struct keel_mpi_job){.rank = node,
                                .ranks = RANKS,
                                .nodes = RANKS,
                                .node = node,
                                .locals = 1,
                                .node_first = node_first,
                                .ranks_by_node = by_node,
                                .windows = aligned_alloc(64, KEEL_MPI_WINDOWS * size),
                                .window_size = size};
    assert_non_null(job.windows);
    memset(job.windows, 0, KEEL_MPI_WINDOWS * size);
    loop = (struct keel_mpi_loop){.job = &job,
                                  .number = NUMBER,
                                  .units = ITERATIONS,
                                  .agreement = KEEL_MPI_AGREEMENT_SAME,
                                  .poll_ns = 1e18,
                                  .window = keel_mpi_job_window(&job, NUMBER)};
    assert_true(
        keel_mpi_window_enter(loop.window, NUMBER, KEEL_MPI_WINDOWS, &of, 1, RANKS, NULL, false));
    count = 0;
}

/* Messages that are sent after a count from below. */
static unsigned after_count(uint64_t begun, bool is_first, bool cancelled)
{
    const struct keel_mpi_message message = {
        .kind = KEEL_MPI_MESSAGE_COUNT,
        .count = {.begun = begun, .is_first = is_first, .cancelled = cancelled}};

    count = 0;
    keel_mpi_termination_take_count(&loop, &message);
    keel_mpi_termination_count(&loop);
    return count;
}

static void assert_count(uint64_t begun, bool is_first, bool cancelled)
{
    assert_int_equal(sent[0].to, 0);
    assert_int_equal(sent[0].message.kind, KEEL_MPI_MESSAGE_COUNT);
    assert_int_equal(sent[0].message.count.begun, begun);
    assert_int_equal(sent[0].message.count.is_first, is_first);
    assert_int_equal(sent[0].message.count.cancelled, cancelled);
}

static void assert_end(const struct sent *end, uint32_t to, enum keel_mpi_window_end how)
{
    assert_int_equal(end->to, to);
    assert_int_equal(end->message.kind, KEEL_MPI_MESSAGE_END);
    assert_int_equal(end->message.end.how, how);
}

TEST(a_first_count_waits_for_those_below)
{
    begin(1);
    assert_int_equal(after_count(30, true, false), 0);
    assert_int_equal(after_count(10, false, false), 0); /* of the same node */
    assert_int_equal(after_count(20, true, false), 1);
    assert_count(60, true, false);
    assert_int_equal(after_count(0, false, false), 0); /* nothing new */
    assert_int_equal(after_count(5, false, false), 1);
    assert_count(5, false, false);
}

TEST(a_first_count_does_not_wait_for_ever)
{
    begin(1);
    loop.poll_ns = 0;
    for (int i = 0; i < 1000000 && count == 0; i++) {
        keel_mpi_termination_count(&loop);
    }
    assert_int_equal(count, 1);
    assert_count(0, true, false);
}

TEST(more_than_there_are_is_not_counted)
{
    begin(2); /* which has no nodes below, so that it counts at once */
    assert_int_equal(after_count(65, true, false), 1);
    assert_int_equal(after_count(36, false, false), 0);
    assert_int_equal(after_count(35, false, false), 1);
    assert_count(35, false, false);
}

TEST(the_first_node_ends_the_loop)
{
    begin(0);
    assert_int_equal(after_count(60, true, false), 0);
    assert_int_equal(after_count(39, true, false), 0);
    assert_int_equal(after_count(1, false, false), 2);
    assert_end(&sent[0], 1, KEEL_MPI_WINDOW_OVER);
    assert_end(&sent[1], 2, KEEL_MPI_WINDOW_OVER);
    assert_int_equal(keel_mpi_window_end(loop.window), KEEL_MPI_WINDOW_OVER);
    assert_int_equal(after_count(0, false, false), 0); /* once */
}

TEST(a_cancelled_loop_ends_above_and_below)
{
    begin(1);
    assert_int_equal(after_count(3, true, true), 3);
    assert_count(3, true, true);
    assert_end(&sent[1], 3, KEEL_MPI_WINDOW_CANCELLED);
    assert_end(&sent[2], 4, KEEL_MPI_WINDOW_CANCELLED);
    assert_int_equal(keel_mpi_window_end(loop.window), KEEL_MPI_WINDOW_CANCELLED);
    assert_int_equal(after_count(1, false, false), 0);
}

TEST(a_node_that_claims_from_a_counter_counts_once_it_is_exhausted)
{
    begin(2);
    loop.claim_method = &keel_mpi_claim_by_counter;
    assert_int_equal(after_count(7, true, false), 0);
    atomic_store(&loop.exhausted, true);
    assert_int_equal(after_count(0, false, false), 1);
    assert_count(7, true, false);
}

/* Ranks but the first of a node leave it to that one. */
TEST(one_rank_counts_for_a_node)
{
    begin(1);
    job.local = 1;
    assert_int_equal(after_count(100, true, true), 0);
}
