/* Letters between nodes are looked at before anybody uses them: right ones pass, wrong ones don't,
 * and none that passes leads out of the loop. Letters are drawn from a fixed seed. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <math.h>

#include "mpi_backend/job/node_window.h"
#include "mpi_backend/loop/exchange/message_check.h"
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

static bool passes(struct keel_mpi_message message, uint32_t node, uint32_t sender)
{
    const struct keel_mpi_message_view view = view_of(node, sender);

    return keel_mpi_message_problem(&message, &view) == NULL;
}

TEST(takes_right_letters)
{
    assert_true(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .transfer.first = 3, .transfer.last = N},
        1, 3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_TRANSFER,
                                                 .loop = 11,
                                                 .transfer.unasked = 1},
                       1, 3));
    assert_true(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 1, .request.left = N, .request.speed = 2},
        1, 3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 7}, 1, 3));
    assert_true(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .claim.amount = 5}, 0,
        3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM,
                                                 .loop = 7,
                                                 .claim.known = 10,
                                                 .claim.amount = 5,
                                                 .claim.sized = 1},
                       0, 3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_GRANT,
                                                 .loop = 7,
                                                 .grant.first = UINT64_MAX},
                       3, 0));
    assert_true(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .count.begun = N, .count.is_first = 1},
        1, 3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                 .loop = 7,
                                                 .end.how = KEEL_MPI_WINDOW_OVER},
                       3, 1));
}

TEST(refuses_wrong_ones)
{
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_NONE, .loop = 7}, 1, 3));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLOSE, .loop = 7}, 1, 3));
    assert_false(passes((struct keel_mpi_message){.kind = 77, .loop = 7}, 1, 3));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 0}, 1, 3));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 12}, 1, 3));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 7}, 1, 1));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_TRANSFER,
                                                  .loop = 7,
                                                  .transfer.first = 3,
                                                  .transfer.last = N + 1},
                        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .transfer.first = 5, .transfer.last = 5},
        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .transfer.first = 6, .transfer.last = 5},
        1, 3));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_TRANSFER,
                                                  .loop = 7,
                                                  .transfer.sent_ns = NAN},
                        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 7, .request.speed = -1},
        1, 3));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_REQUEST,
                                                  .loop = 7,
                                                  .request.left = N + 1},
                        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .claim.amount = 5}, 1,
        3));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7}, 0, 3));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM,
                                                  .loop = 7,
                                                  .claim.amount = UINT64_MAX},
                        0, 3));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .claim.amount = N + 1, .claim.sized = 1},
        0, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_GRANT, .loop = 7, .grant.amount = 1}, 3,
        2));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_GRANT,
                                                  .loop = 7,
                                                  .grant.first = UINT64_MAX,
                                                  .grant.amount = 1},
                        3, 0));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .count.begun = N + 1},
        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .count.begun = 1}, 1,
        2));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                  .loop = 7,
                                                  .end.how = KEEL_MPI_WINDOW_RUNNING},
                        3, 1));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                  .loop = 7,
                                                  .end.how = KEEL_MPI_WINDOW_MISMATCH},
                        3, 1));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                  .loop = 7,
                                                  .end.how = KEEL_MPI_WINDOW_OVER},
                        3, 0));
}

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

/* 0, or any number at all. */
static double draw_number(void)
{
    uint64_t bits = draw() % 2 ? draw() : 0;
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static struct keel_mpi_message draw_letter(void)
{
    struct keel_mpi_message message = {.kind = (uint32_t)(draw() % 10), .loop = draw_word()};

    message.loop = draw() % 2 ? 7 : message.loop;
    switch (message.kind) {
    case KEEL_MPI_MESSAGE_CLAIM:
        message.claim = (struct keel_mpi_message_claim){.known = draw_word(),
                                                        .amount = draw_word(),
                                                        .sized = (uint32_t)draw_word(),
                                                        .wants_paces = (uint32_t)draw_word(),
                                                        .pace = {draw_number(), draw_number()}};
        break;
    case KEEL_MPI_MESSAGE_GRANT:
        message.grant =
            (struct keel_mpi_message_grant){.first = draw_word(),
                                            .amount = draw_word(),
                                            .paces = {draw_word(), draw_number(), draw_number()}};
        break;
    case KEEL_MPI_MESSAGE_REQUEST:
    case KEEL_MPI_MESSAGE_QUERY:
        message.request = (struct keel_mpi_message_request){.left = draw_word(),
                                                            .speed = draw_number(),
                                                            .sent_ns = draw_number(),
                                                            .keep = (uint32_t)draw_word(),
                                                            .retried = (uint32_t)draw_word()};
        break;
    case KEEL_MPI_MESSAGE_TRANSFER:
        message.transfer = (struct keel_mpi_message_transfer){.first = draw_word(),
                                                              .last = draw_word(),
                                                              .left = draw_word(),
                                                              .sent_ns = draw_number(),
                                                              .unasked = (uint32_t)draw_word(),
                                                              .kept = (uint32_t)draw_word()};
        break;
    case KEEL_MPI_MESSAGE_COUNT:
        message.count = (struct keel_mpi_message_count){.begun = draw_word(),
                                                        .is_first = (uint32_t)draw_word(),
                                                        .cancelled = (uint32_t)draw_word()};
        break;
    default:
        message.end.how = draw_word();
    }
    return message;
}

static void assert_number(double number)
{
    assert_true(number >= 0 && isfinite(number));
}

/* What those who use it rely on. */
static void assert_usable(const struct keel_mpi_message *message)
{
    assert_in_range(message->loop, 1, 11);
    switch (message->kind) {
    case KEEL_MPI_MESSAGE_CLAIM:
        assert_in_range(message->claim.amount, 1, UINT64_MAX / 4);
        assert_true(message->claim.sized <= 1 && message->claim.wants_paces <= 1);
        assert_number(message->claim.pace.mean_ns);
        assert_number(message->claim.pace.variance_ns2);
        break;
    case KEEL_MPI_MESSAGE_GRANT:
        assert_true(message->grant.first + message->grant.amount >= message->grant.first);
        assert_in_range(message->grant.paces.measured, 0, 10);
        assert_number(message->grant.paces.speed_per_ns);
        assert_number(message->grant.paces.spread_ns);
        break;
    case KEEL_MPI_MESSAGE_REQUEST:
    case KEEL_MPI_MESSAGE_QUERY:
        assert_true(message->request.left <= N && message->request.retried == 0);
        assert_number(message->request.speed);
        break;
    case KEEL_MPI_MESSAGE_TRANSFER:
        assert_true(message->transfer.last <= N &&
                    message->transfer.first <= message->transfer.last);
        assert_true(message->transfer.left <= N && message->transfer.unasked <= 1);
        assert_number(message->transfer.sent_ns);
        break;
    case KEEL_MPI_MESSAGE_COUNT:
        assert_true(message->count.begun <= N && message->count.is_first <= 1 &&
                    message->count.cancelled <= 1);
        break;
    case KEEL_MPI_MESSAGE_END:
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
        const struct keel_mpi_message_view view =
            view_of((uint32_t)(draw() % 5), (uint32_t)(draw() % 5));
        if (keel_mpi_message_problem(&message, &view) == NULL) {
            passed++;
            assert_usable(&message);
        }
    }
    assert_in_range(passed, 1000, 1000000);
}
