/* Letters between nodes are looked at before anybody uses them: right ones pass, wrong ones don't,
 * and none that passes leads out of the loop. Letters are drawn from a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "mpi_backend/loop/exchange/message_check.h"
#include "mpi_backend/job/node_window.h"
#include "tests/support/draws.h"

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

static void takes_right_letters(void **state)
{
    (void)state;
    assert_true(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .first = 3, .last = N},
        1, 3));
    assert_true(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 11, .measured = 1}, 1,
        3));
    assert_true(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 1, .left = N, .speed = 2},
        1, 3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 7}, 1, 3));
    assert_true(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .last = 5}, 0, 3));
    assert_true(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .first = 10, .last = 5, .left = 1},
        0, 3));
    assert_true(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_GRANT, .loop = 7, .first = UINT64_MAX},
        3, 0));
    assert_true(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .first = N, .last = 1},
        1, 3));
    assert_true(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                 .loop = 7,
                                                 .left = KEEL_MPI_WINDOW_OVER},
                       3, 1));
}

static void refuses_wrong_ones(void **state)
{
    (void)state;
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
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .first = 3, .last = N + 1},
        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .first = 5, .last = 5},
        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .first = 6, .last = 5},
        1, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .speed = NAN}, 1,
        3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 7, .speed = -1}, 1, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 7, .left = N + 1}, 1,
        3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .last = 5}, 1, 3));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7}, 0, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .last = UINT64_MAX}, 0,
        3));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .last = N + 1, .left = 1},
        0, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_GRANT, .loop = 7, .last = 1}, 3, 2));
    assert_false(passes(
        (struct keel_mpi_message){
            .kind = KEEL_MPI_MESSAGE_GRANT, .loop = 7, .first = UINT64_MAX, .last = 1},
        3, 0));
    assert_false(
        passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .first = N + 1},
               1, 3));
    assert_false(passes(
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .first = 1}, 1, 2));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                  .loop = 7,
                                                  .left = KEEL_MPI_WINDOW_RUNNING},
                        3, 1));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                  .loop = 7,
                                                  .left = KEEL_MPI_WINDOW_MISMATCH},
                        3, 1));
    assert_false(passes((struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_END,
                                                  .loop = 7,
                                                  .left = KEEL_MPI_WINDOW_OVER},
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

static struct keel_mpi_message draw_letter(void)
{
    struct keel_mpi_message message = {.kind = (uint32_t)(draw() % 10), .loop = draw_word()};
    double number[3];

    for (int i = 0; i < 3; i++) {
        uint64_t bits = draw() % 2 ? draw() : 0;
        memcpy(&number[i], &bits, sizeof bits);
    }
    message.loop = draw() % 2 ? 7 : message.loop;
    message.first = draw_word();
    message.last = draw_word();
    message.left = draw_word();
    message.measured = draw_word();
    message.speed = number[0];
    message.mean_ns = number[1];
    message.spread = number[2];
    return message;
}

/* What those who use it rely on. */
static void assert_usable(const struct keel_mpi_message *message)
{
    assert_in_range(message->loop, 1, 11);
    switch (message->kind) {
    case KEEL_MPI_MESSAGE_TRANSFER:
        assert_true(message->last <= N && message->first <= message->last);
        break;
    case KEEL_MPI_MESSAGE_COUNT:
        assert_true(message->first <= N && message->last <= 1);
        break;
    case KEEL_MPI_MESSAGE_CLAIM:
        assert_true(message->last > 0 && message->last <= UINT64_MAX / 4);
        break;
    case KEEL_MPI_MESSAGE_GRANT:
        assert_true(message->first + message->last >= message->first);
        break;
    default:
        assert_in_range(message->kind, KEEL_MPI_MESSAGE_CLAIM, KEEL_MPI_MESSAGE_END);
    }
    assert_false(isnan(message->speed) && message->kind != KEEL_MPI_MESSAGE_CLAIM &&
                 message->kind != KEEL_MPI_MESSAGE_COUNT && message->kind != KEEL_MPI_MESSAGE_END);
}

static void lets_nothing_drawn_out_of_the_loop(void **state)
{
    unsigned passed = 0;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_right_letters),
        cmocka_unit_test(refuses_wrong_ones),
        cmocka_unit_test(lets_nothing_drawn_out_of_the_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
