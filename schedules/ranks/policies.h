/* Policies among ranks and their parameters, as tables that are read and listed.
 *
 *   shared loops, rows, objects -> [tables] -> text/text.h, `keel list --mpi`
 *
 * Pure; any thread. */
#ifndef SCHEDULES_RANKS_POLICIES_H
#define SCHEDULES_RANKS_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "schedules/balance/victim.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

/* A policy for `keel list --mpi`. */
struct keel_policy_entry {
    const char *name;
    const char *form;    /* its syntax, with the parameters it takes */
    const char *summary; /* its effect */
    const char *use;
    const char *source;
};

/* The field that a parameter sets, and its valid values. */
struct keel_parameters_field {
    enum {
        KEEL_FIELD_WHOLE, /* a number from `lowest` to `highest` */
        KEEL_FIELD_REAL,  /* as above */
        KEEL_FIELD_WORD,  /* number of the word in the list `holds`, as "ring, mesh or all" */
        KEEL_FIELD_FIRST  /* whether it is the first word of that list */
    } kind;
    size_t offset, size; /* KEEL_FIELD_AT */
    union keel_value lowest, highest;
    const char *word; /* valid in place of a number, means `value`; NULL: none */
    union keel_value value;
    void (*then)(void *into); /* called after setting it; may be NULL */
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

/* Sets the field in `into`. holds: its valid values. False if `word` is not one. */
bool keel_parameters_field_set(const struct keel_parameters_field *field, const char *holds,
                               const char *word, void *into);

/* A parameter of some policies. */
struct keel_parameters_entry {
    const char *name;
    unsigned policies; /* KEEL_BIT of each policy that takes it */
    unsigned first;    /* of each that takes it by position */
    struct keel_parameters_field field;
    const char *holds;   /* valid values: "a number from 0 to 1" */
    const char *instead; /* used without a valid value: "using 1" */
    const char *meaning;
};

/* The tables of one variable. Both are ended by an entry whose name is NULL. */
struct keel_policy_tables {
    const struct keel_policy_entry *policies;
    const struct keel_parameters_entry *parameters; /* up to 32; bits are indices of `policies` */
    /* Initialises `into` for a policy without parameters. */
    void (*begin)(void *into, unsigned policy);
};

/* Reads a policy with its parameters, as keel_parameters_read() does, into `into`, in the C locale.
 * Returns its index; -1, and writes nothing, if the text names none. problem: KEEL_PROBLEM_MAX
 * bytes. */
int keel_policy_entry_read(const char *text, const struct keel_policy_tables *tables, void *into,
                           char *problem);

/* Considers all names in the search for the nearest word. */
void keel_policies_consider_all(const struct keel_policy_entry *policies,
                                struct keel_nearest *nearest);

/* --- shared loops ---
 *
 * How the ranks of a job get their iterations, as text.
 *
 *   KEEL_MPI_SCHEDULE, keel_mpi_set_schedule() -> [policy] -> first blocks and victim selection, or
 *                                                 a loop schedule with ranks for threads
 *
 *   schedule  = policy { ("," | ":") parameter } | spec       a spec as of schedules/loop/spec.h
 *   policy    = "tree" | "steal" | "diffuse" | "rate"
 *   parameter = value | key "=" value                         values by position come first
 *
 * Examples: "rate", "tree:gamma=0.5", "steal,16", "diffuse,8:min=4", "gss", "fac2,16". The names
 * steal and rate mean the policies here, not the loop schedules. Parameters by position are in
 * keel_ranks_parameters. Pure; any thread. */

enum keel_ranks_kind {
    KEEL_RANKS_TREE,
    KEEL_RANKS_STEAL,
    KEEL_RANKS_DIFFUSE,
    KEEL_RANKS_RATE,
    KEEL_RANKS_LOOP_SCHEDULE,
};

#define KEEL_RANKS_NEIGHBOURS 4 /* default */

struct keel_ranks_schedule {
    enum keel_ranks_kind kind;
    struct keel_spec spec; /* KEEL_RANKS_LOOP_SCHEDULE: the schedule; otherwise only `min`, the
                              fewest iterations to take at a time, and `grain`, and no
                              schedule */
    double gamma;      /* part that a rank that is asked gives away of its iterations that have not
                              begun, 0 < gamma <= 1; 0: so that both end together; or
                              KEEL_AMOUNTS_BY_RATIO (schedules/balance/victim.h) */
    bool equal_shares; /* first blocks are equal, even if rates are known */
    enum keel_tree_use links; /* tree, rate: along which links an idle rank asks */
    bool lowest_first;        /* higher ones only after lower ones have failed */
    unsigned neighbours; /* diffuse: size of a neighbourhood, 1 .. KEEL_VICTIM_NEIGHBOURS_MAX */
};

/* By their kind; ended by an entry whose name is NULL. */
extern const struct keel_policy_entry keel_ranks_policies[];

/* Their parameters; bits are those of `kind`. The same end. */
extern const struct keel_parameters_entry keel_ranks_parameters[];

/* The default: "rate". */
struct keel_ranks_schedule keel_ranks_schedule_standard(void);

/* Reads `text`. Returns false, and leaves *schedule as it is, if there is no such schedule.
 * `problem` gets the first error and, if it returns true, the value that is used instead; or "". */
bool keel_ranks_schedule_read(const char *text, struct keel_ranks_schedule *schedule,
                              char problem[KEEL_PROBLEM_MAX]);

/* Writes it in the shortest form that reads back to it; KEEL_SPEC_TEXT_MAX bytes hold any. */
void keel_ranks_schedule_write(const struct keel_ranks_schedule *schedule, char *text, size_t size);

/* --- rows ---
 *
 * How rows are balanced among ranks, as text.
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

/* The ranks that decide. */
enum keel_rows_decider {
    KEEL_ROWS_DECIDER_NONE,
    KEEL_ROWS_DECIDER_ALL,   /* every rank, from one allgather */
    KEEL_ROWS_DECIDER_RANK_0 /* rank 0, from a gather; it broadcasts the decision */
};

/* From this number of ranks on, an allgather of measurements takes more than one more message. */
#define KEEL_ROWS_CENTRAL 257

struct keel_rows_policy {
    enum keel_rows_decider decider; /* among fewer than `central` ranks */
    uint64_t central;               /* from this number of ranks on rank 0; UINT64_MAX: never */
    struct keel_decide_rules rules;
    bool replays;     /* decides by replay (replay.h), otherwise by `rules` alone (decide.h) */
    double period_s;  /* from one interaction to the next; 0: by their cost (S8) */
    double quantum_s; /* t_quantum (S8) */
    bool filter;      /* rates are filtered (S10) */
    bool pipelined;   /* decisions are applied at a later balance call than measurements (S13) */
    bool every_call;  /* interact at each balance call: for tests of programs */
};

/* Ended by an entry whose name is NULL. */
extern const struct keel_policy_entry keel_rows_policies[];

/* Their parameters; bits are indices of keel_rows_policies. The same end. */
extern const struct keel_parameters_entry keel_rows_policy_parameters[];

/* The default: "auto". */
struct keel_rows_policy keel_rows_policy_standard(void);

/* The ranks that decide among `ranks` ranks. */
enum keel_rows_decider keel_rows_policy_decider(const struct keel_rows_policy *policy,
                                                uint32_t ranks);

/* Reads `text`. Returns false, and leaves *balancing as it is, if there is no such policy.
 * `problem` gets the first error and, if it returns true, the value that is used instead; or "". */
bool keel_rows_policy_read(const char *text, struct keel_rows_policy *balancing,
                           char problem[KEEL_PROBLEM_MAX]);

/* --- objects ---
 *
 * Which rank an idle rank asks for objects that move, as text.
 *
 *   KEEL_MPI_BALANCE, keel_mpi_objects_set_balance() -> [policy] -> schedules/balance/victim.h
 *
 *   policy = "steal" | "tree" | "diffuse" [ ("," | ":") [ "neighbours=" ] number ] |
 *            "prema" [ ("," | ":") [ "neighbours=" ] number ] [ (":" | ",") "threshold=" number ] |
 *            "shake" [ (":" | ",") "seed=" number ] | "off"
 *
 * KEEL_MPI_BALANCE also says how rows are balanced (above): names that only rows have mean the
 * default here. Pure; any thread. */

enum keel_objects_kind {
    KEEL_OBJECTS_STEAL,
    KEEL_OBJECTS_DIFFUSE,
    KEEL_OBJECTS_TREE,
    KEEL_OBJECTS_PREMA,
    KEEL_OBJECTS_SHAKE,
    KEEL_OBJECTS_OFF
};

struct keel_objects_policy {
    enum keel_objects_kind kind;
    uint32_t neighbours; /* diffuse, prema: in a neighbourhood, */
    bool stated;         /* set with the policy; false: the initial number */
    uint64_t threshold;  /* prema: a rank with fewer objects, present ones included, asks; >= 1 */
    uint64_t seed;       /* shake */
};

/* Ended by an entry whose name is NULL. */
extern const struct keel_policy_entry keel_objects_policies[];

/* Their parameters; bits are indices of keel_objects_policies. The same end. */
extern const struct keel_parameters_entry keel_objects_policy_parameters[];

/* The default. */
struct keel_objects_policy keel_objects_policy_standard(void);

/* Whether an idle rank looks at a neighbourhood before it asks. */
bool keel_objects_policy_looks(const struct keel_objects_policy *policy);

/* Reads one. Returns false, without a problem, if it is not a policy of objects, as it may be one
 * of rows. A parameter that cannot be used is left out: true, and `problem` says so. */
bool keel_objects_policy_read(const char *text, struct keel_objects_policy *policy,
                              char problem[KEEL_PROBLEM_MAX]);

#endif
