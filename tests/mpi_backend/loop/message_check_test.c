/* Letters between nodes are looked at before anybody uses them: right ones pass, wrong ones don't,
 * and none that passes leads out of the loop. Letters are drawn from a fixed seed. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <math.h>

#include "mpi_backend/job/node_window.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "tests/support/draws.h"
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
    {false, 1, 3, LETTER(COUNT, .count = {.begun = N + 1})},
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

/* --- drawn ones --- */

static uint64_t draw(void)
{
    static struct draws draws = {20261122};

    return draws_next(&draws);
}

/* Words of all sizes, near N, and near the ends of what a word holds. */
static uint64_t draw_word(void)
{
    switch (draw() % 5) {
    case 0:
        return draw() % 3;
    case 1:
        return N - 2 + draw() % 5;
    case 2:
        return UINT64_MAX - draw() % 3;
    case 3:
        return draw() % (2 * N);
    default:
        return draw() >> draw() % 64;
    }
}

/* Whatever a message may have there: a word, a number that is 0 or any at all, two small words. */
static uint64_t draw_part(void)
{
    switch (draw() % 4) {
    case 0:
        return draw_word();
    case 1:
        return draw();
    case 2: /* flags */
        return draw() % 3 | (draw() % 3) << 32;
    default:
        return 0;
    }
}

static struct keel_mpi_message draw_letter(void)
{
    uint64_t part[sizeof(struct keel_mpi_message) / sizeof(uint64_t)];
    struct keel_mpi_message message;

    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        part[i] = draw_part();
    }
    memcpy(&message, part, sizeof part);
    message.kind = (uint32_t)(draw() % 10);
    message.loop = draw() % 2 ? 7 : draw_word();
    return message;
}

static void assert_number(double number)
{
    assert_true(number >= 0 && isfinite(number));
}

/* What those who use it rely on. */
static void assert_usable(const struct keel_mpi_message *message,
                          const struct keel_mpi_message_view *view)
{
    uint64_t most = view->iterations; /* UINT64_MAX: not known */

    assert_in_range(message->loop, 1, 11);
    switch (message->kind) {
    case KEEL_MPI_MESSAGE_CLAIM:
        assert_in_range(message->claim.amount, 1, UINT64_MAX / 4);
        assert_true(message->claim.sized <= 1 && message->claim.wants_paces <= 1);
        assert_true(view->node == 0 && view->sender_node != 0);
        assert_number(message->claim.pace.mean_ns);
        assert_number(message->claim.pace.variance_ns2);
        break;
    case KEEL_MPI_MESSAGE_GRANT:
        assert_true(message->grant.first + message->grant.amount >= message->grant.first);
        assert_in_range(message->grant.paces.measured, 0, 10);
        assert_number(message->grant.paces.speed_per_ns);
        assert_number(message->grant.paces.spread_ns);
        assert_number(message->grant.looks_ns);
        break;
    case KEEL_MPI_MESSAGE_REQUEST:
    case KEEL_MPI_MESSAGE_QUERY:
        assert_true(message->request.left <= most && message->request.retried == 0);
        assert_number(message->request.speed);
        assert_number(message->request.sent_ns);
        break;
    case KEEL_MPI_MESSAGE_TRANSFER:
        assert_true(message->transfer.last <= most &&
                    message->transfer.first <= message->transfer.last);
        assert_true(message->transfer.left <= most && message->transfer.unasked <= 1 &&
                    message->transfer.kept <= 1 && view->node != view->sender_node);
        assert_number(message->transfer.sent_ns);
        break;
    case KEEL_MPI_MESSAGE_COUNT:
        assert_true(view->leads && view->sender_leads);
        assert_true(message->count.begun <= most && message->count.is_first <= 1 &&
                    message->count.cancelled <= 1);
        break;
    case KEEL_MPI_MESSAGE_END:
        assert_true(view->leads && view->sender_leads);
        assert_in_range(message->end.how, KEEL_MPI_WINDOW_OVER, KEEL_MPI_WINDOW_CANCELLED);
        break;
    default:
        fail_msg("a message of kind %u has passed", message->kind);
    }
}

TEST(lets_nothing_drawn_out_of_the_loop)
{
    unsigned passed = 0;

    for (unsigned i = 0; i < 2000000; i++) {
        const struct keel_mpi_message message = draw_letter();
        struct keel_mpi_message_view view = view_of((uint32_t)(draw() % 5), (uint32_t)(draw() % 5));
        view.leads = draw() % 4 > 0;
        view.sender_leads = draw() % 4 > 0;
        view.iterations = draw() % 4 > 0 ? N : KEEL_MPI_MESSAGE_UNKNOWN;
        if (keel_mpi_message_problem(&message, &view) == NULL) {
            passed++;
            assert_usable(&message, &view);
        }
    }
    assert_in_range(passed, 1000, 1000000);
}
