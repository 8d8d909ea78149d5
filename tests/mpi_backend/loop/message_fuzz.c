/* Fuzz target: no letter that passes leads out of the loop. The text is what the receiver knows,
 * and the letter as it lies in memory. Aborts where that does not hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/node_window.h"
#include "mpi_backend/loop/exchange/message_check.h"
#include "tests/fuzz/driver.h"

#define NODES 5
#define NEWEST 7
#define AHEAD 4

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void expect_number(double number)
{
    expect(number >= 0 && isfinite(number), "a number that is none has passed");
}

static bool within(uint64_t number, const struct keel_mpi_message_view *view)
{
    return view->iterations == KEEL_MPI_MESSAGE_UNKNOWN || number <= view->iterations;
}

static void check_claim(const struct keel_mpi_message_claim *claim,
                        const struct keel_mpi_message_view *view)
{
    expect(claim->amount > 0 && claim->amount <= UINT64_C(1) << 62, "a claim of so many");
    expect(claim->sized <= 1 && claim->wants_paces <= 1, "flags");
    expect(view->node == 0 && view->sender_node != 0, "a claim elsewhere");
    expect_number(claim->pace.mean_ns);
    expect_number(claim->pace.variance_ns2);
}

static void check_grant(const struct keel_mpi_message_grant *grant,
                        const struct keel_mpi_message_view *view)
{
    expect(grant->first + grant->amount >= grant->first, "a grant overflows");
    expect(grant->paces.measured <= view->ranks, "paces of more ranks than there are");
    expect_number(grant->looks_ns);
    expect_number(grant->paces.speed_per_ns);
    expect_number(grant->paces.spread_ns);
}

static void check_transfer(const struct keel_mpi_message_transfer *transfer,
                           const struct keel_mpi_message_view *view)
{
    expect(transfer->first < transfer->last || (transfer->first == 0 && transfer->last == 0),
           "a range that ends before it begins");
    expect(within(transfer->last, view) && within(transfer->left, view), "iterations elsewhere");
    expect(transfer->unasked <= 1 && transfer->kept <= 1 && view->node != view->sender_node,
           "flags");
    expect_number(transfer->sent_ns);
}

static void check_usable(const struct keel_mpi_message *message,
                         const struct keel_mpi_message_view *view)
{
    expect(message->loop >= 1 && message->loop <= NEWEST + AHEAD, "a loop far away");
    switch (message->kind) {
    case KEEL_MPI_MESSAGE_CLAIM:
        check_claim(&message->claim, view);
        break;
    case KEEL_MPI_MESSAGE_GRANT:
        check_grant(&message->grant, view);
        break;
    case KEEL_MPI_MESSAGE_REQUEST:
    case KEEL_MPI_MESSAGE_QUERY:
        expect(within(message->request.left, view) && message->request.retried == 0, "a request");
        expect_number(message->request.speed);
        expect_number(message->request.sent_ns);
        break;
    case KEEL_MPI_MESSAGE_TRANSFER:
        check_transfer(&message->transfer, view);
        break;
    case KEEL_MPI_MESSAGE_COUNT:
        expect(within(message->count.begun, view) && message->count.is_first <= 1 &&
                   message->count.cancelled <= 1,
               "a count");
        break;
    case KEEL_MPI_MESSAGE_END:
        expect(message->end.how == KEEL_MPI_WINDOW_OVER ||
                   message->end.how == KEEL_MPI_WINDOW_CANCELLED,
               "an end that is none");
        break;
    default:
        expect(false, "a kind that there is not");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keel_mpi_message message;

    if (size != 2 + sizeof message) {
        return 0;
    }
    memcpy(&message, data + 2, sizeof message);
    const struct keel_mpi_message_view view = {
        .ranks = 2 * NODES,
        .nodes = NODES,
        .node = data[0] % NODES,
        .leads = data[0] & 128,
        .sender_node = data[1] % NODES,
        .sender_leads = data[1] & 128,
        .newest = NEWEST,
        .ahead = AHEAD,
        .iterations = data[0] & 64 ? KEEL_MPI_MESSAGE_UNKNOWN : 1000,
    };
    const char *problem = keel_mpi_message_problem(&message, &view);
    if (problem == NULL) {
        check_usable(&message, &view);
    } else {
        expect(strlen(problem) > 0, "a refusal says nothing");
    }
    return 0;
}
