/* The parameters of policies among ranks, as tables that are read and listed.
 *
 *   shared_loop_policy.c, rows_policy.c -> [table] -> text/parameters.h, `keel list --mpi`
 *
 * Pure; any thread. */
#ifndef SCHEDULES_RANKS_POLICY_PARAMETERS_H
#define SCHEDULES_RANKS_POLICY_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/parameters.h"

/* A parameter of some policies. */
struct keel_parameters_entry {
    const char *name;
    unsigned policies; /* KEEL_BIT of each policy that takes it */
    unsigned first;    /* of each that takes it by position */
    /* Sets it in what is being read. False: `word` is not `holds`. */
    bool (*set)(void *into, const char *word);
    const char *holds;   /* what it may be: "a number from 0 to 1" */
    const char *instead; /* what happens where it is not that, or not given: "using 1" */
    const char *meaning;
};

/* Reads the parameters of `policy`, whose bit is `bit`, into `into`, as keel_parameters_read()
 * does. parameters: ended by one whose name is NULL; up to 32. problem: KEEL_PROBLEM_MAX bytes. */
void keel_policy_parameters_read(struct keel_text list, const char *policy, unsigned bit,
                                 const struct keel_parameters_entry *parameters, void *into,
                                 char *problem);

#endif
