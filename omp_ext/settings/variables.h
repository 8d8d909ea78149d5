/* The environment variables of Keel: one table, which yields the fields, their parsing, `keel env`,
 * `keel --help` and the README's section. Reads no environment itself, see settings.h. */
#ifndef OMP_EXT_SETTINGS_VARIABLES_H
#define OMP_EXT_SETTINGS_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

#include "omp_ext/settings/policy.h"
#include "omp_ext/source/rule.h"

/* --- which loop runs under which schedule, as KEEL_SCHEDULE says it ---
 *
 *   schedules = part { ";" part }
 *   part      = schedule               for every loop that no rule means
 *             | place "=" schedule ["!"]    a rule: place is FILE:LINE or FUNCTION, see
 *                                           source/rule.h; "!": the author's word that a static
 *                                           loop may be run by shares
 *
 * Example: "gss; mandel.c:42=fac2,8; render=libgomp". The first rule that means a loop decides. */

#define KEEL_RULES_MAX 64

struct keel_rules_entry {
    struct keel_rule place;
    const struct keel_policy *policy;
    bool by_word; /* the loop may be run by shares though its code does not show it */
};

struct keel_rules {
    const struct keel_policy *standard; /* NULL: none stated */
    bool wants_costs; /* some schedule runs where the program gives costs, and another one where it
                         does not */
    unsigned rules;
    struct keel_rules_entry rule[KEEL_RULES_MAX];
};

/* Called for each part of the text that is wrong: what, and what happens instead; NULL: the part is
 * used all the same, as `problem` says. */
typedef void keel_rules_reporter(void *context, const char *problem, const char *instead);

/* Reads `text` into `schedules`, which are {0} before. `defaults` as in keel_policy_read. */
void keel_rules_read(struct keel_rules *schedules, const char *text,
                     const struct keel_spec_defaults *defaults, keel_rules_reporter *report,
                     void *context);

/* The rule that means the loop at `source`; NULL: none does. */
const struct keel_rules_entry *keel_rules_match(const struct keel_rules *schedules,
                                                const struct keel_source *source);

#define KEEL_WEIGHTS_MAX 1024

/* What KEEL_OVERRIDE says: the explicit clauses that it takes over, and whether iterations of such
 * loops may come to a thread in any order. */
enum {
    KEEL_OVERRIDE_DYNAMIC = 1,
    KEEL_OVERRIDE_GUIDED = 2,
    KEEL_OVERRIDE_NONMONOTONIC = 4,
    KEEL_OVERRIDE_STATIC = 8
};

/* What `keel check` asks for. */
struct keel_check_settings {
    bool on;
    bool others_serial; /* loops that are left alone run on one thread each; false: static */
    uint64_t seed;
    const char *folder; /* of lists and of the report, see check.h; NULL: none */
};

/* KEEL_TRACE. */
struct keel_trace_settings {
    const char *file; /* NULL: nothing is traced */
    uint64_t events;  /* at most, of all ranks of a job */
    bool chunks_only; /* in CSV: the name does not end in .json */
};

struct keel_settings {
    struct keel_spec_defaults defaults; /* what schedules have that do not state it */
    struct keel_rules schedules;        /* of KEEL_SCHEDULE */
    const struct keel_policy *fallback; /* of OMP_SCHEDULE, if it names a schedule that libgomp does
                                           not know; else NULL */
    unsigned override;                  /* KEEL_OVERRIDE_... bits */
    unsigned weights;                   /* number of weights; 0: none stated */
    double weight[KEEL_WEIGHTS_MAX];    /* scaled to sum `weights` */
    bool share_cores;                   /* ranks of a node share its cores */
    bool explain;                       /* print at exit what was learned and decided */
    bool report;                        /* print at exit where the time went: */
    const char *report_file;            /* in this file; NULL: on standard error */
    const char *memory_file; /* keeps what was learned between runs; NULL: nothing is kept */
    bool memory_replaced;    /* what is in it does not count */
    struct keel_trace_settings trace;
    const char *mark_file; /* where the first loop leaves a mark; NULL: nowhere */
    struct keel_check_settings check;
};

struct keel_variable {
    const char *name;
    const char *form;     /* what it may hold */
    const char *standard; /* what happens without it */
    const char *summary;
    void (*read)(struct keel_settings *settings, const struct keel_variable *variable,
                 const char *value);
    bool (*names_file)(const char *value); /* NULL: no value does */
};

/* Ended by an entry whose name is NULL; read in this order. */
extern const struct keel_variable keel_variables[];

/* Whether what a variable of the table holds names a file. */
bool keel_variable_names_file(const struct keel_variable *variable, const char *value);

/* Reads what a variable of the table holds. What cannot be used, and a value without anything in
 * it, is reported. */
void keel_variable_read(struct keel_settings *settings, const struct keel_variable *variable,
                        const char *value);

#endif
