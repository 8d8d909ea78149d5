/* How rows are balanced among ranks, as a person writes it.
 *
 *   KEEL_MPI_BALANCE, keel_mpi_rows_set_balance() -> [policy] -> decide.h
 *
 *   balance   = policy { ("," | ":") parameter }
 *   policy    = "auto" | "rate-local" | "rate" | "random" | "diffusion" | "redistribute" |
 *               "gradient" | "tree" |
 *               "shake" | "off"
 *   parameter = key "=" value
 *
 * Examples: "rate-local", "rate-local:gain=0.05,period=1", "random:graph=ring,alpha=0.5,w=1.1".
 * Pure; any thread. */
#ifndef SCHEDULES_RANKS_ROWS_POLICY_H
#define SCHEDULES_RANKS_ROWS_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/balance/decide.h"
#include "schedules/loop/spec.h"
#include "schedules/ranks/policy_parameters.h"

/* Who decides. */
enum keel_rows_decider {
    KEEL_ROWS_DECIDER_NONE,
    KEEL_ROWS_DECIDER_ALL,   /* every rank, from one allgather */
    KEEL_ROWS_DECIDER_RANK_0 /* rank 0, from a gather; it broadcasts what is to be done */
};

/* Ranks from which on figures of all ranks on every rank take more than one more message. */
#define KEEL_ROWS_CENTRAL 257

struct keel_rows_policy {
    enum keel_rows_decider decider; /* among less than `central` ranks */
    uint64_t central;               /* rank 0 decides among so many and more; UINT64_MAX: never */
    struct keel_decide_rules rules;
    bool replays;     /* decides by replay (replay.h), else by `rules` alone (decide.h) */
    double period_s;  /* from one interaction to the next; 0: by what they cost (S8) */
    double quantum_s; /* t_quantum (S8) */
    bool filter;      /* rates are filtered (S10) */
    bool pipelined;   /* decisions are applied at a later hook than figures are sent (S13) */
    bool every_hook;  /* interact at each hook: for tests of programs */
};

/* Ended by an entry whose name is NULL. */
extern const struct keel_policy_entry keel_rows_policies[];

/* Their parameters; bits are places in keel_rows_policies. The same end. */
extern const struct keel_parameters_entry keel_rows_policy_parameters[];

/* The default: "auto". */
struct keel_rows_policy keel_rows_policy_standard(void);

/* Who decides among so many ranks. */
enum keel_rows_decider keel_rows_policy_decider(const struct keel_rows_policy *policy,
                                                uint32_t ranks);

/* Reads `text`. False: no such policy, and *balancing is as before. `problem` gets the first thing
 * that was wrong and, if it is true, what is used instead; or "". */
bool keel_rows_policy_read(const char *text, struct keel_rows_policy *balancing,
                           char problem[KEEL_PROBLEM_MAX]);

#endif
