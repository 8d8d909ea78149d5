/* Whether a message can be right. */
#include "mpi_backend/loop/exchange/message_check.h"

#include <math.h>
#include <stddef.h>

#include "mpi_backend/job/node_window.h"

#define CLAIM_MAX (UINT64_C(1) << 62) /* what one claim adds to a counter stays below */

static bool is_amount(double number)
{
    return number >= 0 && isfinite(number);
}

/* Up to N, where that is known. */
static bool fits(uint64_t number, const struct keel_mpi_message_view *view)
{
    return view->iterations == KEEL_MPI_MESSAGE_UNKNOWN || number <= view->iterations;
}

static const char *check_claim(const struct keel_mpi_message *message,
                               const struct keel_mpi_message_view *view)
{
    bool sized = message->left == 1;

    if (view->node != 0 || view->sender_node == 0) {
        return "a claim that goes to the first node from another one";
    }
    /* of a loop without iterations, a size is 1 */
    if (message->last == 0 || message->last > CLAIM_MAX ||
        (sized && message->last > 1 && !fits(message->last, view))) {
        return "a claim within the loop";
    }
    return message->left <= 1 && message->measured <= 1 && is_amount(message->mean_ns) &&
                   is_amount(message->spread)
               ? NULL
               : "a claim with a pace";
}

static const char *check_grant(const struct keel_mpi_message *message,
                               const struct keel_mpi_message_view *view)
{
    if (view->sender_node != 0 || view->node == 0) {
        return "a grant from the first node to another one";
    }
    if (message->last > CLAIM_MAX || (message->first > UINT64_MAX - message->last)) {
        return "a grant within the loop";
    }
    return message->measured <= view->ranks && is_amount(message->speed) &&
                   is_amount(message->spread)
               ? NULL
               : "a grant with a pace";
}

static const char *check_request(const struct keel_mpi_message *message,
                                 const struct keel_mpi_message_view *view)
{
    return view->sender_node != view->node && message->measured == 0 && fits(message->left, view) &&
                   is_amount(message->speed)
               ? NULL
               : "a question from another node";
}

static const char *check_transfer(const struct keel_mpi_message *message,
                                  const struct keel_mpi_message_view *view)
{
    bool nothing = message->first == 0 && message->last == 0;

    if (!nothing && (message->first >= message->last || !fits(message->last, view))) {
        return "iterations within the loop";
    }
    return view->sender_node != view->node && message->measured <= 1 && fits(message->left, view) &&
                   is_amount(message->speed)
               ? NULL
               : "an answer from another node";
}

static const char *check_count(const struct keel_mpi_message *message,
                               const struct keel_mpi_message_view *view)
{
    return view->leads && view->sender_leads && view->sender_node > 0 &&
                   (view->sender_node - 1) / 2 == view->node && fits(message->first, view) &&
                   message->last <= 1 && message->left <= 1
               ? NULL
               : "a count from a node below";
}

static const char *check_end(const struct keel_mpi_message *message,
                             const struct keel_mpi_message_view *view)
{
    return view->leads && view->sender_leads && view->node > 0 &&
                   (view->node - 1) / 2 == view->sender_node &&
                   (message->left == KEEL_MPI_WINDOW_OVER ||
                    message->left == KEEL_MPI_WINDOW_CANCELLED)
               ? NULL
               : "an end from the node above";
}

const char *keel_mpi_message_problem(const struct keel_mpi_message *message,
                                     const struct keel_mpi_message_view *view)
{
    if (message->loop == 0 || message->loop > view->newest + view->ahead) {
        return "one about a loop that there is or may be soon";
    }
    switch (message->kind) {
    case KEEL_MPI_MESSAGE_CLAIM:
        return check_claim(message, view);
    case KEEL_MPI_MESSAGE_GRANT:
        return check_grant(message, view);
    case KEEL_MPI_MESSAGE_REQUEST:
    case KEEL_MPI_MESSAGE_QUERY:
        return check_request(message, view);
    case KEEL_MPI_MESSAGE_TRANSFER:
        return check_transfer(message, view);
    case KEEL_MPI_MESSAGE_COUNT:
        return check_count(message, view);
    case KEEL_MPI_MESSAGE_END:
        return check_end(message, view);
    default:
        return "one of a kind that there is";
    }
}
