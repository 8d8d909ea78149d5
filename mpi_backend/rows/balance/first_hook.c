/* The first hook. */
#include "mpi_backend/rows/balance/first_hook.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/balance/balancer.h"
#include "mpi_backend/rows/balance/costs.h"
#include "mpi_backend/rows/balance/own_figures.h"
#include "mpi_backend/rows/balance/trace.h"
#include "mpi_backend/rows/costs/row_costs.h"
#include "omp_ext/support/message.h"

KEEL_MPI_PUBLIC int keel_mpi_rows_set_balance(struct keel_mpi_rows *rows, const char *policy)
{
    char problem[KEEL_PROBLEM_MAX] = "";

    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->has_policy = policy != NULL && keel_rows_policy_read(policy, &rows->policy, problem);
    if (problem[0] != '\0') {
        keel_mpi_misuse("keel_mpi_rows_set_balance(): %s%s", problem,
                        rows->has_policy ? "" : "; it counts as not called");
    }
    return rows->has_policy || policy == NULL ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
}

/* KEEL_MPI_BALANCE counts before keel_mpi_rows_set_balance(). */
static struct keel_rows_policy policy_of(const struct keel_mpi_rows *rows)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    struct keel_rows_policy policy =
        rows->has_policy && !settings->balance_stated ? rows->policy : settings->balance;

    policy.decider = keel_rows_policy_decider(&policy, rows->ranks);
    return policy;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* For ranks to compare. */
static uint64_t digest(const struct keel_rows_policy *policy)
{
    const struct keel_decide_rules *rules = &policy->rules;
    const uint64_t word[] = {policy->decider,
                             bits_of(policy->period_s),
                             bits_of(policy->quantum_s),
                             policy->filter,
                             policy->pipelined,
                             policy->every_hook,
                             rules->kind,
                             rules->graph,
                             bits_of(rules->threshold),
                             bits_of(rules->alpha),
                             bits_of(rules->gain),
                             bits_of(rules->greatly),
                             rules->published,
                             rules->seed,
                             policy->rehearses};

    return keel_mpi_rows_digest(word, sizeof word / sizeof word[0]);
}

int keel_mpi_first_hook(struct keel_mpi_rows *rows)
{
    const struct keel_rows_policy policy = policy_of(rows);
    bool off =
        policy.decider == KEEL_ROWS_DECIDER_NONE || rows->ranks == 1 || rows->placement.rows == 0;
    char *buffer = off ? NULL : calloc(2, KEEL_MPI_COSTS_BYTES);
    int code = KEEL_MPI_OK;

    if (!off &&
        ((rows->balance = keel_mpi_balancer_make(rows, &policy)) == NULL || buffer == NULL)) {
        keel_message("no memory to balance rows; they stay where they are");
        code = KEEL_MPI_NO_ROOM;
    }
    code = rows->ranks > 1 ? keel_mpi_rows_agree(rows, code, digest(&policy)) : code;
    if (off || code != KEEL_MPI_OK) {
        free(buffer);
        return keel_mpi_balancer_stop(rows, code);
    }
    if ((code = keel_mpi_costs_measure(rows, buffer)) != KEEL_MPI_OK) {
        return keel_mpi_balancer_stop(rows, code); /* pending operations use the buffer */
    }
    free(buffer);
    keel_mpi_rows_trace_open(rows);
    rows->balance->began_s = rows->balance->figures_s = keel_mpi_clock_s();
    rows->balance->figures_hook = rows->hooks;
    rows->balance->period_hooks = 1;
    rows->balance->lag_hooks = 0; /* once, the figures are waited for: rows may lie badly so far */
    rows->due = rows->hooks + 1;
    keel_mpi_row_costs_begin(rows);
    keel_mpi_own_figures_begin_span(rows);
    return KEEL_MPI_OK;
}
