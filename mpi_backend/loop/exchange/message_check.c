/* Whether a message can be right. */
#include "mpi_backend/loop/exchange/exchange.h"

#include <math.h>
#include <stddef.h>

#include "mpi_backend/job/node_window.h"
#include "schedules/balance/victim.h"

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

static const char *check_claim(const struct keel_mpi_message_claim *claim,
                               const struct keel_mpi_message_view *view)
{
    if (view->node != 0 || view->sender_node == 0) {
        return "a claim that goes to the first node from another one";
    }
    /* of a loop without iterations, a size is 1 */
    if (claim->amount == 0 || claim->amount > CLAIM_MAX ||
        (claim->sized == 1 && claim->amount > 1 && !fits(claim->amount, view))) {
        return "a claim within the loop";
    }
    return claim->sized <= 1 && claim->wants_paces <= 1 && is_amount(claim->pace.mean_ns) &&
                   is_amount(claim->pace.variance_ns2)
               ? NULL
               : "a claim with a pace";
}

static const char *check_grant(const struct keel_mpi_message_grant *grant,
                               const struct keel_mpi_message_view *view)
{
    if (view->sender_node != 0 || view->node == 0) {
        return "a grant from the first node to another one";
    }
    if (grant->amount > CLAIM_MAX || grant->first > UINT64_MAX - grant->amount) {
        return "a grant within the loop";
    }
    if (!is_amount(grant->looks_ns)) {
        return "a grant with a time";
    }
    return grant->paces.measured <= view->ranks && is_amount(grant->paces.speed_per_ns) &&
                   is_amount(grant->paces.spread_ns)
               ? NULL
               : "a grant with a pace";
}

static const char *check_request(const struct keel_mpi_message_request *request,
                                 const struct keel_mpi_message_view *view)
{
    return view->sender_node != view->node && request->retried == 0 &&
                   request->keep <= KEEL_VICTIM_KEEP_IF_EMPTY && fits(request->left, view) &&
                   is_amount(request->speed) && is_amount(request->sent_ns)
               ? NULL
               : "a question from another node";
}

static const char *check_transfer(const struct keel_mpi_message_transfer *transfer,
                                  const struct keel_mpi_message_view *view)
{
    bool nothing = transfer->first == 0 && transfer->last == 0;

    if (!nothing && (transfer->first >= transfer->last || !fits(transfer->last, view))) {
        return "iterations within the loop";
    }
    return view->sender_node != view->node && transfer->unasked <= 1 && transfer->kept <= 1 &&
                   fits(transfer->left, view) && is_amount(transfer->sent_ns)
               ? NULL
               : "an answer from another node";
}

static const char *check_count(const struct keel_mpi_message_count *count,
                               const struct keel_mpi_message_view *view)
{
    return view->leads && view->sender_leads && view->sender_node > 0 &&
                   (view->sender_node - 1) / 2 == view->node && fits(count->begun, view) &&
                   count->is_first <= 1 && count->cancelled <= 1
               ? NULL
               : "a count from a node below";
}

static const char *check_end(const struct keel_mpi_message_end *end,
                             const struct keel_mpi_message_view *view)
{
    return view->leads && view->sender_leads && view->node > 0 &&
                   (view->node - 1) / 2 == view->sender_node &&
                   (end->how == KEEL_MPI_WINDOW_OVER || end->how == KEEL_MPI_WINDOW_CANCELLED)
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
        return check_claim(&message->claim, view);
    case KEEL_MPI_MESSAGE_GRANT:
        return check_grant(&message->grant, view);
    case KEEL_MPI_MESSAGE_REQUEST:
    case KEEL_MPI_MESSAGE_QUERY:
        return check_request(&message->request, view);
    case KEEL_MPI_MESSAGE_TRANSFER:
        return check_transfer(&message->transfer, view);
    case KEEL_MPI_MESSAGE_COUNT:
        return check_count(&message->count, view);
    case KEEL_MPI_MESSAGE_END:
        return check_end(&message->end, view);
    default:
        return "one of a kind that there is";
    }
}
