/* Messages between nodes, which the test receives: counts of begun iterations, up a tree of nodes
 * with a rank each, and the end, down it; and claims, as the owner of the counter answers them: the
 * granted amount, and the other fields. */
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/loop/shared_loop.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

enum { NUMBER = 3, SENT_MAX = 8 };

static struct keel_mpi_job job;
static struct keel_mpi_window *window;
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

/* As in `layout`. */
static void open_window(struct keel_mpi_job layout, uint64_t iterations)
{
    const struct keel_mpi_window_loop of = {.check = 1, .iterations = iterations};
    size_t size = keel_mpi_window_size(layout.locals, layout.ranks);

    free(job.windows);
    job = layout;
    job.windows = aligned_alloc(64, KEEL_MPI_WINDOWS * size);
    job.window_size = size;
    assert_non_null(job.windows);
    memset(job.windows, 0, KEEL_MPI_WINDOWS * size);
    window = keel_mpi_job_window(&job, NUMBER);
    assert_true(keel_mpi_window_enter(window, NUMBER, KEEL_MPI_WINDOWS, &of, job.locals, job.ranks,
                                      NULL, false));
    count = 0;
}

/* --- counts --- */

/* This rank's node. Nodes 3 and 4 are below node 1, and 1 and 2 below 0. */
static void begin(uint32_t node)
{
    static uint32_t node_first[] = {0, 1, 2, 3, 4, 5}, by_node[] = {0, 1, 2, 3, 4};

    open_window((struct keel_mpi_job){.rank = node,
                                      .ranks = 5,
                                      .nodes = 5,
                                      .node = node,
                                      .locals = 1,
                                      .node_first = node_first,
                                      .ranks_by_node = by_node},
                100);
    loop = (struct keel_mpi_loop){.job = &job,
                                  .number = NUMBER,
                                  .units = 100,
                                  .agreement = KEEL_MPI_AGREEMENT_SAME,
                                  .poll_ns = 1e18,
                                  .window = window};
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
    assert_int_equal(after_count(0, false, false), 0); /* no new iterations */
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

TEST(more_iterations_than_there_are_are_not_counted)
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

/* Only the first rank of a node counts. */
TEST(one_rank_counts_for_a_node)
{
    begin(1);
    job.local = 1;
    assert_int_equal(after_count(100, true, true), 0);
}

/* --- claims --- */

/* Ranks 1 and 3 are on this node; this rank is 3. */
static void begin_claims(void)
{
    static uint32_t node_first[] = {0, 2, 4}, by_node[] = {0, 2, 1, 3};

    open_window((struct keel_mpi_job){.ranks = 4,
                                      .nodes = 2,
                                      .node = 1,
                                      .local = 1,
                                      .locals = 2,
                                      .node_first = node_first,
                                      .ranks_by_node = by_node},
                1000);
}

/* Rank 2 claims, and the counter advances by the granted amount. */
static void assert_granted(struct keel_mpi_message_claim claim, uint64_t amount)
{
    const struct keel_mpi_message message = {
        .kind = KEEL_MPI_MESSAGE_CLAIM, .from = 2, .loop = NUMBER, .claim = claim};
    uint64_t before = atomic_load(&window->next);

    count = 0;
    assert_true(keel_mpi_grants_serve(&job, &message));
    assert_int_equal(count, 1);
    assert_int_equal(sent[0].to, 2);
    assert_int_equal(sent[0].message.kind, KEEL_MPI_MESSAGE_GRANT);
    assert_int_equal(sent[0].message.grant.amount, amount);
    assert_true(amount == 0 || sent[0].message.grant.first == before);
    assert_int_equal(atomic_load(&window->next), before + amount);
}

TEST(a_size_shrinks_with_what_remains)
{
    struct keel_mpi_message_claim sized = {.known = 200, .amount = 81, .sized = 1};

    begin_claims();
    atomic_store(&window->next, 200); /* as the sender knows */
    assert_granted(sized, 81);
    atomic_store(&window->next, 600); /* half of the iterations that it knows of are left */
    assert_granted(sized, 41);
    atomic_store(&window->next, 999);
    assert_granted(sized, 1);
    assert_granted(sized, 0); /* none are left */
    assert_int_equal(sent[0].message.grant.first, 1000);
    atomic_store(&window->next, 100); /* less than it knows */
    assert_granted(sized, 81);
    atomic_store(&window->next, 990);
    sized.known = 990;
    assert_granted(sized, 10); /* no more than is left */
}

TEST(other_amounts_do_not_shrink)
{
    const struct keel_mpi_message_claim claims = {.known = 200, .amount = 81};

    begin_claims();
    atomic_store(&window->next, 600);
    assert_granted(claims, 81);
    atomic_store(&window->next, 5000); /* only the sender knows what it counts */
    assert_granted(claims, 81);
    atomic_store(&window->next, UINT64_MAX - 7); /* it never wraps */
    assert_granted(claims, 7);
    assert_granted(claims, 0);
}

TEST(a_window_that_is_not_open_answers_nothing)
{
    const struct keel_mpi_message message = {.kind = KEEL_MPI_MESSAGE_CLAIM,
                                             .from = 2,
                                             .loop = NUMBER + KEEL_MPI_WINDOWS,
                                             .claim = {.amount = 1}};

    begin_claims();
    assert_false(keel_mpi_grants_serve(&job, &message));
    assert_int_equal(count, 0);
}

TEST(first_claims_are_counted)
{
    begin_claims();
    assert_granted((struct keel_mpi_message_claim){.known = 0, .amount = 1}, 1);
    assert_granted((struct keel_mpi_message_claim){.known = 1, .amount = 1}, 1);
    assert_granted((struct keel_mpi_message_claim){.known = 0, .amount = 1}, 1);
    assert_int_equal(atomic_load(&window->claimants), 2);
}

/* The counter's node sends no claims; if steps are claimed, the grant has its paces, too. */
TEST(paces_of_the_node_go_with_steps)
{
    struct keel_plan plan = {.steps = 100};
    const struct keel_schedule steps = {.claim = KEEL_CLAIM_STEPS};
    const struct keel_mpi_message_claim claims = {.known = 1, .amount = 1, .wants_paces = 1};

    begin_claims();
    loop = (struct keel_mpi_loop){.job = &job,
                                  .number = NUMBER,
                                  .plan = &plan,
                                  .spec = {.schedule = &steps},
                                  .stage = KEEL_MPI_LOOP_OPEN};
    keel_mpi_window_set_pace(&keel_mpi_window_ranges(window, 1)[0].pace,
                             (struct keel_pace){.mean_ns = 8});
    assert_granted(claims, 1);
    assert_int_equal(sent[0].message.grant.paces.measured, 0);
    /* of this rank, which is the second one of the node */
    assert_near(sent[0].message.grant.looks_ns, 8);
    job.running[NUMBER % KEEL_MPI_WINDOWS] = &loop;
    assert_granted(claims, 1);
    assert_int_equal(sent[0].message.grant.paces.measured, 1);
    assert_near(sent[0].message.grant.paces.speed_per_ns, 0.125);
    assert_near(keel_mpi_window_pace(&keel_mpi_window_paces(window)[3]).mean_ns, 8);
    assert_near(keel_mpi_window_pace(&keel_mpi_window_paces(window)[1]).mean_ns, 0);
}
