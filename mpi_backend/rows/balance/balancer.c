/* What balancing keeps between two hooks. */
#include "mpi_backend/rows/balance/balancer.h"

#include <stdlib.h>

#include "mpi_backend/rows/balance/scales.h"
#include "omp_ext/support/message.h"

bool keel_mpi_balancer_decides(const struct keel_mpi_rows *rows,
                               const struct keel_rows_policy *policy)
{
    return policy->decider == KEEL_ROWS_DECIDER_ALL || rows->rank == 0;
}

void keel_mpi_balancer_free(struct keel_mpi_balancer *balance)
{
    if (balance != NULL) {
        free(balance->figures);
        free(balance->ruling);
        free(balance->decisions);
        free(balance->rehearse);
        free(balance->report);
        free(balance->expected);
        free(balance->scratch);
        keel_mpi_scales_free(balance->scales);
        free(balance);
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct keel_mpi_balancer *keel_mpi_balancer_make(const struct keel_mpi_rows *rows,
                                                 const struct keel_rows_policy *policy)
{
    struct keel_mpi_balancer *balance = calloc(1, sizeof *balance);
    size_t ranks = keel_mpi_balancer_decides(rows, policy) ? rows->ranks : 1;

    if (balance == NULL) {
        return NULL;
    }
    balance->policy = *policy;
    balance->policy.rules.adjacent = rows->adjacent;
    balance->figures = calloc(ranks, sizeof *balance->figures);
    balance->ruling = calloc(keel_mpi_ruling_words(rows->ranks), sizeof(uint64_t));
    balance->decisions = malloc(keel_decide_size((uint32_t)ranks));
    balance->rehearse = policy->rehearses ? malloc(keel_rehearse_size((uint32_t)ranks)) : NULL;
    balance->report = malloc(ranks * sizeof *balance->report);
    balance->expected = malloc(ranks * sizeof *balance->expected);
    balance->scratch = malloc(
        larger(keel_rehearse_scratch((uint32_t)ranks), keel_decide_scratch((uint32_t)ranks)));
    balance->scales = keel_mpi_scales_make((uint32_t)ranks);
    if (balance->figures == NULL || balance->ruling == NULL || balance->decisions == NULL ||
        (policy->rehearses && balance->rehearse == NULL) || balance->report == NULL ||
        balance->expected == NULL || balance->scratch == NULL || balance->scales == NULL) {
        keel_mpi_balancer_free(balance);
        return NULL;
    }
    keel_decide_begin(balance->decisions, (uint32_t)ranks, 0);
    if (policy->rehearses) {
        keel_rehearse_begin(balance->rehearse, (uint32_t)ranks, rows->adjacent, 0);
    }
    return balance;
}

double keel_mpi_balancer_shortest_span(const struct keel_mpi_balancer *balance)
{
    return balance->policy.every_hook ? 0 : balance->policy.quantum_s * KEEL_PERIOD_QUANTA / 2;
}

bool keel_mpi_balancer_start_figures(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_peers *peers = &rows->peers;

    return balance->policy.decider == KEEL_ROWS_DECIDER_ALL
               ? keel_mpi_check(peers,
                                MPI_Iallgather(&balance->own, KEEL_MPI_FIGURES, MPI_DOUBLE,
                                               balance->figures, KEEL_MPI_FIGURES, MPI_DOUBLE,
                                               peers->comm, &balance->request),
                                "MPI_Iallgather")
               : keel_mpi_check(peers,
                                MPI_Igather(&balance->own, KEEL_MPI_FIGURES, MPI_DOUBLE,
                                            balance->figures, KEEL_MPI_FIGURES, MPI_DOUBLE, 0,
                                            peers->comm, &balance->request),
                                "MPI_Igather");
}

bool keel_mpi_balancer_start_ruling(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    return keel_mpi_check(&rows->peers,
                          MPI_Ibcast(balance->ruling, (int)keel_mpi_ruling_words(rows->ranks),
                                     MPI_UINT64_T, 0, rows->peers.comm, &balance->request),
                          "MPI_Ibcast");
}

int keel_mpi_balancer_stop(struct keel_mpi_rows *rows, int code)
{
    rows->due = UINT64_MAX;
    if (code == KEEL_MPI_MISMATCH && rows->rank == 0) {
        keel_message("ranks have come to different hooks, or with different KEEL_MPI_BALANCE, "
                     "expected the same on all of them; rows stay where they are from now on");
    }
    return code;
}
