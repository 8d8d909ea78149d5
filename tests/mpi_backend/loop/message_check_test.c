/* Letters between nodes are looked at before anybody uses them: right ones pass, wrong ones
 * don't. */
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include "mpi_backend/job/node_window.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "tests/support/unit.h"

#define N 1000

/* Node 1 of 5, whose first rank this is; from node 3, below it. */
static struct keel_mpi_message_view view_of(uint32_t node, uint32_t sender)
{
    return (struct keel_mpi_message_view){.ranks = 10,
                                          .nodes = 5,
                                          .node = node,
                                          .leads = true,
                                          .sender_node = sender,
                                          .sender_leads = true,
                                          .newest = 7,
                                          .ahead = 4,
                                          .iterations = N};
}

#define LETTER(kind_, ...)                                       \
    {                                                            \
        .kind = KEEL_MPI_MESSAGE_##kind_, .loop = 7, __VA_ARGS__ \
    }

static const struct letter {
    bool right;
    uint32_t to, from; /* nodes */
    struct keel_mpi_message message;
} letters[] = {
    {true, 1, 3, LETTER(TRANSFER, .transfer = {.first = 3, .last = N})},
    {true, 1, 3, {.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 11, .transfer.unasked = 1}},
    {true, 1, 3, {.kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 1, .request = {N, 2}}},
    {true, 1, 3, LETTER(QUERY, .request = {0})},
    {true, 0, 3, LETTER(CLAIM, .claim = {.amount = 5})},
    {true, 0, 3, LETTER(CLAIM, .claim = {.known = 10, .amount = 5, .sized = 1})},
    {true, 3, 0, LETTER(GRANT, .grant = {.first = UINT64_MAX})},
    {true, 1, 3, LETTER(COUNT, .count = {.begun = N, .is_first = 1})},
    {true, 3, 1, LETTER(END, .end.how = KEEL_MPI_WINDOW_OVER)},
    {true, 3, 1, LETTER(END, .end.how = KEEL_MPI_WINDOW_CANCELLED)},
    {false, 1, 3, LETTER(NONE, .end = {0})},
    {false, 1, 3, LETTER(CLOSE, .end = {0})},
    {false, 1, 3, {.kind = 77, .loop = 7}},
    {false, 1, 3, {.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 0}},
    {false, 1, 3, {.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 12}},
    {false, 1, 1, LETTER(QUERY, .request = {0})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.first = 3, .last = N + 1})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.first = 0, .last = N + 1})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.first = 5, .last = 0})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.first = 5, .last = 5})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.first = 6, .last = 5})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.sent_ns = NAN})},
    {false, 1, 3, LETTER(REQUEST, .request = {.speed = -1})},
    {false, 1, 3, LETTER(REQUEST, .request = {.left = N + 1})},
    {false, 1, 3, LETTER(CLAIM, .claim = {.amount = 5})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = 0})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = UINT64_MAX})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = N + 1, .sized = 1})},
    {false, 3, 2, LETTER(GRANT, .grant = {.amount = 1})},
    {false, 3, 0, LETTER(GRANT, .grant = {.first = UINT64_MAX, .amount = 1})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = 5, .sized = 2})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = 5, .wants_paces = 2})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = 5, .pace.mean_ns = NAN})},
    {false, 0, 3, LETTER(CLAIM, .claim = {.amount = 5, .pace.variance_ns2 = -1})},
    {false, 3, 0, LETTER(GRANT, .grant = {.amount = 1, .looks_ns = -1})},
    {false, 3, 0, LETTER(GRANT, .grant = {.amount = 1, .paces.measured = 11})},
    {false, 3, 0, LETTER(GRANT, .grant = {.amount = 1, .paces.speed_per_ns = INFINITY})},
    {false, 3, 0, LETTER(GRANT, .grant = {.amount = 1, .paces.spread_ns = NAN})},
    {false, 1, 3, LETTER(REQUEST, .request = {.retried = 1})},
    {false, 1, 3, LETTER(REQUEST, .request = {.sent_ns = INFINITY})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.unasked = 2})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.kept = 2})},
    {false, 1, 3, LETTER(TRANSFER, .transfer = {.left = N + 1})},
    {false, 1, 3, LETTER(COUNT, .count = {.begun = N + 1})},
    {false, 1, 3, LETTER(COUNT, .count = {.is_first = 2})},
    {false, 1, 3, LETTER(COUNT, .count = {.cancelled = 2})},
    {false, 1, 2, LETTER(COUNT, .count = {.begun = 1})},
    {false, 3, 1, LETTER(END, .end.how = KEEL_MPI_WINDOW_RUNNING)},
    {false, 3, 1, LETTER(END, .end.how = KEEL_MPI_WINDOW_MISMATCH)},
    {false, 3, 0, LETTER(END, .end.how = KEEL_MPI_WINDOW_OVER)},
};

TEST(right_ones_pass_alone)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        const struct letter *letter = &letters[i];
        const struct keel_mpi_message_view view = view_of(letter->to, letter->from);
        if ((keel_mpi_message_problem(&letter->message, &view) == NULL) != letter->right) {
            fail_msg("letter %zu", i);
        }
    }
}

/* From and to the first rank of a node. */
TEST(first_ranks_count_and_end)
{
    const struct keel_mpi_message count = LETTER(COUNT, .count = {.begun = 1});
    const struct keel_mpi_message end = LETTER(END, .end.how = KEEL_MPI_WINDOW_OVER);

    for (int leads = 0; leads < 2; leads++) {
        struct keel_mpi_message_view below = view_of(1, 3), above = view_of(3, 1);
        below.leads = above.leads = leads == 1;
        below.sender_leads = above.sender_leads = leads == 0;
        assert_non_null(keel_mpi_message_problem(&count, &below));
        assert_non_null(keel_mpi_message_problem(&end, &above));
    }
}
