/* Claims of other nodes, as the rank that has the counter answers them: how much is granted, and
 * what the answer tells. Messages go to the test. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/loop/claim/claim_methods.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

enum { NODE_RANKS = 2, RANKS = 4, NUMBER = 3, ITERATIONS = 1000 };

static struct keel_mpi_job job;
static struct keel_mpi_window *window;
static struct keel_mpi_message answer;
static uint32_t answers, answered;

void __wrap_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t to,
                                  const struct keel_mpi_message *message);
void __wrap_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t to,
                                  const struct keel_mpi_message *message)
{
    assert_ptr_equal(channel, &job.channel);
    answer = *message;
    answered = to;
    answers++;
}

/* Ranks 1 and 3 are on this node; this rank is 3. */
static int open_window(void **state)
{
    static uint32_t node_first[] = {0, 2, 4}, by_node[] = {0, 2, 1, 3};
    const struct keel_mpi_window_loop loop = {.check = 1, .iterations = ITERATIONS};
    size_t size = keel_mpi_window_size(NODE_RANKS, RANKS);

    (void)state;
    free(job.windows);
    job = (struct keel_mpi_job){.ranks = RANKS,
                                .nodes = 2,
                                .node = 1,
                                .local = 1,
                                .locals = NODE_RANKS,
                                .node_first = node_first,
                                .ranks_by_node = by_node,
                                .windows = aligned_alloc(64, KEEL_MPI_WINDOWS * size),
                                .window_size = size};
    assert_non_null(job.windows);
    memset(job.windows, 0, KEEL_MPI_WINDOWS * size);
    window = keel_mpi_job_window(&job, NUMBER);
    assert_true(keel_mpi_window_enter(window, NUMBER, KEEL_MPI_WINDOWS, &loop, NODE_RANKS, RANKS,
                                      NULL, false));
    answers = 0;
    return 0;
}

/* What rank 2 is granted. */
static uint64_t claim(struct keel_mpi_message_claim claim)
{
    const struct keel_mpi_message message = {
        .kind = KEEL_MPI_MESSAGE_CLAIM, .from = 2, .loop = NUMBER, .claim = claim};
    uint32_t before = answers;

    assert_true(keel_mpi_grants_serve(&job, &message));
    assert_int_equal(answers, before + 1);
    assert_int_equal(answered, 2);
    assert_int_equal(answer.kind, KEEL_MPI_MESSAGE_GRANT);
    assert_int_equal(answer.loop, NUMBER);
    return answer.grant.amount;
}

/* The counter stands there. */
static void claimed(uint64_t next)
{
    atomic_store(&window->next, next);
}

static uint64_t next(void)
{
    return atomic_load(&window->next);
}

/* --- amounts --- */

TEST_WITH(a_size_shrinks_with_what_remains, open_window, NULL)
{
    struct keel_mpi_message_claim sized = {.known = 200, .amount = 81, .sized = 1};

    claimed(200); /* as the sender knows */
    assert_int_equal(claim(sized), 81);
    assert_int_equal(answer.grant.first, 200);
    assert_int_equal(next(), 281);
    claimed(600); /* half of what it knows is left */
    assert_int_equal(claim(sized), 41);
    assert_int_equal(answer.grant.first, 600);
    assert_int_equal(next(), 641);
    claimed(999);
    assert_int_equal(claim(sized), 1);
    assert_int_equal(next(), 1000);
    assert_int_equal(claim(sized), 0); /* nothing is left */
    assert_int_equal(answer.grant.first, 1000);
    assert_int_equal(next(), 1000);
    claimed(100); /* less than it knows */
    assert_int_equal(claim(sized), 81);
    claimed(990);
    sized.known = 990;
    assert_int_equal(claim(sized), 10); /* no more than is left */
}

TEST_WITH(other_amounts_stay_what_they_are, open_window, NULL)
{
    const struct keel_mpi_message_claim claims = {.known = 200, .amount = 81};

    claimed(600);
    assert_int_equal(claim(claims), 81);
    assert_int_equal(answer.grant.first, 600);
    assert_int_equal(next(), 681);
    claimed(5000); /* what it counts is the sender's affair */
    assert_int_equal(claim(claims), 81);
    assert_int_equal(answer.grant.first, 5000);
    claimed(UINT64_MAX - 7); /* it never begins again */
    assert_int_equal(claim(claims), 7);
    assert_int_equal(claim(claims), 0);
    assert_int_equal(next(), UINT64_MAX);
}

TEST_WITH(a_window_that_is_not_open_answers_nothing, open_window, NULL)
{
    const struct keel_mpi_message message = {.kind = KEEL_MPI_MESSAGE_CLAIM,
                                             .from = 2,
                                             .loop = NUMBER + KEEL_MPI_WINDOWS,
                                             .claim = {.amount = 1}};

    assert_false(keel_mpi_grants_serve(&job, &message));
    assert_int_equal(answers, 0);
    assert_int_equal(next(), 0);
}

/* --- what else is told --- */

TEST_WITH(first_claims_are_counted, open_window, NULL)
{
    claim((struct keel_mpi_message_claim){.known = 0, .amount = 1});
    claim((struct keel_mpi_message_claim){.known = 1, .amount = 1});
    claim((struct keel_mpi_message_claim){.known = 0, .amount = 1});
    assert_int_equal(atomic_load(&window->claimants), 2);
}

/* Its own ranks send no claims; where steps are counted, their paces are wanted, too. */
TEST_WITH(paces_of_the_node_go_with_steps, open_window, NULL)
{
    struct keel_plan plan = {.steps = 100};
    const struct keel_schedule steps = {.claim = KEEL_CLAIM_STEPS};
    struct keel_mpi_loop loop = {
        .job = &job, .number = NUMBER, .plan = &plan, .spec = {.schedule = &steps}};
    const struct keel_mpi_message_claim claims = {.known = 1, .amount = 1, .wants_paces = 1};

    atomic_store(&loop.stage, KEEL_MPI_LOOP_OPEN);
    keel_mpi_window_set_pace(&keel_mpi_window_ranges(window, 1)[0].pace,
                             (struct keel_pace){.mean_ns = 8});
    claim(claims);
    assert_int_equal(answer.grant.paces.measured, 0);
    assert_near(answer.grant.looks_ns, 8); /* of this rank, which is the second one of the node */
    job.running[NUMBER % KEEL_MPI_WINDOWS] = &loop;
    claim(claims);
    assert_int_equal(answer.grant.paces.measured, 1);
    assert_near(answer.grant.paces.speed_per_ns, 0.125);
    assert_near(keel_mpi_window_pace(&keel_mpi_window_paces(window)[3]).mean_ns, 8);
    assert_near(keel_mpi_window_pace(&keel_mpi_window_paces(window)[1]).mean_ns, 0);
}
