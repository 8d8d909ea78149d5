/* The owner of a loop's counter answers claims of other nodes. */
#include "mpi_backend/loop/claim/claim_methods.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

/* --- paces of all ranks --- */

void keel_mpi_grants_publish_pace(struct keel_mpi_window *window, uint32_t rank,
                                  struct keel_pace pace)
{
    keel_mpi_window_set_pace(&keel_mpi_window_paces(window)[rank], pace);
}

struct keel_paces keel_mpi_grants_paces(struct keel_mpi_window *window)
{
    struct keel_paces paces = {0};

    for (uint32_t i = 0; i < window->job_ranks; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&keel_mpi_window_paces(window)[i]);
        keel_timing_join(&paces, &pace);
    }
    return paces;
}

/* --- serving --- */

/* A size that was worked out when less had been claimed shrinks with what remains. */
static uint64_t scaled(uint64_t size, uint64_t known, uint64_t seen, uint64_t iterations)
{
    if (seen <= known || seen >= iterations) {
        return size;
    }
    double part = (double)(iterations - seen) / (double)(iterations - known);
    return max_u64(1, (uint64_t)ceil((double)size * part));
}

static void grant_sized(struct keel_mpi_window *window, const struct keel_mpi_message_claim *claim,
                        struct keel_mpi_message_grant *grant)
{
    uint64_t iterations = window->loop.iterations;
    uint64_t seen = atomic_load_explicit(&window->next, memory_order_relaxed), end;

    do {
        uint64_t size = scaled(claim->amount, claim->known, seen, iterations);
        end = seen >= iterations ? seen : seen + min_u64(size, iterations - seen);
    } while (!atomic_compare_exchange_weak_explicit(&window->next, &seen, end, memory_order_relaxed,
                                                    memory_order_relaxed));
    grant->first = seen;
    grant->amount = end - seen;
}

/* The counter stops at the largest number, which no loop's last iteration has: however large the
 * claims are, it never begins again. What is counted, and up to where, is the claiming rank's
 * affair: the loop may not have begun here. */
static void grant_amount(struct keel_mpi_window *window, uint64_t amount,
                         struct keel_mpi_message_grant *grant)
{
    uint64_t seen = atomic_load_explicit(&window->next, memory_order_relaxed);

    do {
        grant->amount = min_u64(amount, UINT64_MAX - seen);
    } while (!atomic_compare_exchange_weak_explicit(&window->next, &seen, seen + grant->amount,
                                                    memory_order_relaxed, memory_order_relaxed));
    grant->first = seen;
}

/* Paces of the ranks of this node, which send no messages. */
static void publish_own(struct keel_mpi_job *job, struct keel_mpi_window *window)
{
    for (uint32_t i = 0; i < job->locals; i++) {
        uint32_t rank = job->ranks_by_node[job->node_first[job->node] + i];
        double speed = keel_mpi_window_speed(window, i);
        if (speed > 0) {
            keel_mpi_grants_publish_pace(window, rank, (struct keel_pace){.mean_ns = 1 / speed});
        }
    }
}

/* Whether claims of that loop are for steps of a plan, as far as this rank knows it. */
static bool claims_steps(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    const struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);

    return loop != NULL && loop->plan != NULL && loop->spec.schedule->claim == KEEL_CLAIM_STEPS;
}

/* Steps of what a claim asks for, which was worked out when less had been claimed. */
static uint64_t steps_of(struct keel_mpi_job *job, const struct keel_mpi_message *message,
                         uint64_t seen)
{
    const struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);
    const struct keel_mpi_message_claim *claim = &message->claim;

    return claims_steps(job, message) ? scaled(claim->amount, claim->known, seen, loop->plan->steps)
                                      : claim->amount;
}

bool keel_mpi_grants_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_window *window = keel_mpi_job_window(job, message->loop);
    const struct keel_mpi_message_claim *claim = &message->claim;
    struct keel_mpi_message answer = {.kind = KEEL_MPI_MESSAGE_GRANT, .loop = message->loop};
    struct keel_mpi_message_grant *grant = &answer.grant;

    if (!keel_mpi_window_is_open(window, message->loop)) {
        return false;
    }
    *grant = (struct keel_mpi_message_grant){.looks_ns =
                                                 keel_mpi_window_iteration_ns(window, job->local)};
    keel_mpi_grants_publish_pace(window, message->from, claim->pace);
    if (claim->known == 0) { /* its first one */
        atomic_fetch_add_explicit(&window->claimants, 1, memory_order_relaxed);
    }
    if (claim->sized) {
        grant_sized(window, claim, grant);
    } else {
        grant_amount(
            window,
            steps_of(job, message, atomic_load_explicit(&window->next, memory_order_relaxed)),
            grant);
    }
    if (claim->wants_paces) {
        if (claims_steps(job, message)) {
            publish_own(job, window);
        }
        grant->paces = keel_mpi_grants_paces(window);
    }
    keel_mpi_channel_send(&job->channel, message->from, &answer);
    return true;
}
