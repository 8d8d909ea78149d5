/* How the ranks of a job get their iterations, as a person writes it.
 *
 *   KEEL_MPI_SCHEDULE, keel_mpi_set_schedule() -> [policy] -> first blocks and who asks whom, or
 *                                                 a loop schedule with ranks for threads
 *
 *   schedule  = policy { ("," | ":") parameter } | spec       a spec as of schedules/loop/spec.h
 *   policy    = "tree" | "steal" | "diffuse" | "rate"
 *   parameter = value | key "=" value                         values by position come first
 *
 * Examples: "rate", "tree:gamma=0.5", "steal,16", "diffuse,8:min=4", "gss", "fac2,16". The names
 * steal and rate mean the policies here, not the loop schedules. By position stands what
 * keel_ranks_policies says. Pure; any thread. */
#ifndef SCHEDULES_RANKS_SHARED_LOOP_POLICY_H
#define SCHEDULES_RANKS_SHARED_LOOP_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/balance/victim.h"
#include "schedules/loop/spec.h"
#include "schedules/ranks/policy_parameters.h"

enum keel_ranks_kind {
    KEEL_RANKS_TREE,
    KEEL_RANKS_STEAL,
    KEEL_RANKS_DIFFUSE,
    KEEL_RANKS_RATE,
    KEEL_RANKS_LOOP_SCHEDULE,
};

#define KEEL_RANKS_NEIGHBOURS 4 /* where none are stated */

struct keel_ranks_schedule {
    enum keel_ranks_kind kind;
    struct keel_spec
        spec;          /* KEEL_RANKS_LOOP_SCHEDULE: the schedule; else it holds `min`, which is the
                              fewest iterations to take at a time, and `grain` alone, and no
                              schedule */
    double gamma;      /* what a rank that is asked gives away, of what it has not begun, 0 <
                              gamma <= 1; 0: as much as lets both end together; or
                              KEEL_AMOUNTS_BY_RATIO (schedules/balance/amounts.h) */
    bool equal_shares; /* first blocks are equal, also where rates are known */
    enum keel_tree_use links; /* tree, rate: along which links an idle rank asks */
    bool lowest_first;        /* and not along higher ones before lower ones have failed */
    unsigned neighbours; /* diffuse: size of a neighbourhood, 1 .. KEEL_VICTIM_NEIGHBOURS_MAX */
};

/* By their kind; ended by an entry whose name is NULL. */
extern const struct keel_policy_entry keel_ranks_policies[];

/* Their parameters; bits are those of `kind`. The same end. */
extern const struct keel_parameters_entry keel_ranks_parameters[];

/* The default: "rate". */
struct keel_ranks_schedule keel_ranks_schedule_standard(void);

/* Reads `text`. False: no such schedule, and *schedule is as before. `problem` gets the first thing
 * that was wrong and, if it is true, what is used instead; or "". */
bool keel_ranks_schedule_read(const char *text, struct keel_ranks_schedule *schedule,
                              char problem[KEEL_PROBLEM_MAX]);

/* Writes it in the shortest form that reads back to it; KEEL_SPEC_TEXT_MAX bytes hold any. */
void keel_ranks_schedule_write(const struct keel_ranks_schedule *schedule, char *text, size_t size);

#endif
