/* Policies among ranks and their parameters, as tables that are read and listed.
 *
 *   shared_loop_policy.c, rows_policy.c, objects_policy.c -> [tables] -> text/parameters.h,
 *                                                                        `keel list --mpi`
 *
 * Pure; any thread. */
#ifndef SCHEDULES_RANKS_POLICY_PARAMETERS_H
#define SCHEDULES_RANKS_POLICY_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/nearest.h"
#include "schedules/text/parameters.h"

/* A policy for `keel list --mpi`. */
struct keel_policy_entry {
    const char *name;
    const char *form;    /* how it is written, with the parameters it takes */
    const char *summary; /* what it does */
    const char *use;
    const char *source;
};

/* Where a parameter goes in what is being read, and what may go there. */
struct keel_parameters_field {
    enum {
        KEEL_FIELD_WHOLE, /* a number from `lowest` to `highest` */
        KEEL_FIELD_REAL,  /* likewise */
        KEEL_FIELD_WORD,  /* number of the word in the list that `holds` is, "ring, mesh or all" */
        KEEL_FIELD_FIRST  /* whether it is the first word of that list */
    } kind;
    size_t offset, size; /* KEEL_FIELD_AT */
    union keel_value lowest, highest;
    const char *word; /* that may stand for `value` in place of a number; NULL: none */
    union keel_value value;
    void (*then)(void *into); /* what else setting it means; NULL: nothing */
};

#define KEEL_FIELD_AT(type, member) \
    .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
#define KEEL_WHOLE_FIELD(at, low, high, ...)                                              \
    {                                                                                     \
        KEEL_FIELD_WHOLE, at, .lowest.count = (low), .highest.count = (high), __VA_ARGS__ \
    }
#define KEEL_REAL_FIELD(at, low, high, ...)                                            \
    {                                                                                  \
        KEEL_FIELD_REAL, at, .lowest.real = (low), .highest.real = (high), __VA_ARGS__ \
    }
#define KEEL_WORD_FIELD(at) \
    {                       \
        KEEL_FIELD_WORD, at \
    }
#define KEEL_FIRST_FIELD(at, ...)         \
    {                                     \
        KEEL_FIELD_FIRST, at, __VA_ARGS__ \
    }

/* Sets it in `into`. holds: what it may be. False: `word` is not that. */
bool keel_parameters_field_set(const struct keel_parameters_field *field, const char *holds,
                               const char *word, void *into);

/* A parameter of some policies. */
struct keel_parameters_entry {
    const char *name;
    unsigned policies; /* KEEL_BIT of each policy that takes it */
    unsigned first;    /* of each that takes it by position */
    struct keel_parameters_field field;
    const char *holds;   /* what it may be: "a number from 0 to 1" */
    const char *instead; /* what happens where it is not that, or not given: "using 1" */
    const char *meaning;
};

/* What one variable may say. Both tables are ended by an entry whose name is NULL. */
struct keel_policy_tables {
    const struct keel_policy_entry *policies;
    const struct keel_parameters_entry *parameters; /* up to 32; bits are places in `policies` */
    /* Makes of `into` what it is without parameters. */
    void (*begin)(void *into, unsigned policy);
};

/* Reads a policy with its parameters, as keel_parameters_read() does, into `into`, in the C locale;
 * returns its place. -1: it is none of these, and nothing is written. problem: KEEL_PROBLEM_MAX
 * bytes. */
int keel_policy_entry_read(const char *text, const struct keel_policy_tables *tables, void *into,
                           char *problem);

/* Offers the names of all to the search for the nearest word. */
void keel_policies_consider_all(const struct keel_policy_entry *policies,
                                struct keel_nearest *nearest);

#endif
