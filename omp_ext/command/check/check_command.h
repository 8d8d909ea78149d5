/* What `keel check` is made of.
 *
 *   runs without Keel -> reference; runs under random schedules -> outcomes -> search among loops
 *   -> verdict, findings */
#ifndef OMP_EXT_COMMAND_CHECK_CHECK_COMMAND_H
#define OMP_EXT_COMMAND_CHECK_CHECK_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/command/programs/programs.h"

/* --- loops --- */

/* The loops of the program, as libkeel.so has reported them (omp_ext/check/check.h). */

/* A loop begins with no barrier since another one has ended; numbers of loops. */
struct keel_open_end {
    size_t before, after;
};

struct keel_loops {
    size_t count;
    char **name;      /* sorted by file and line */
    unsigned threads; /* of the largest team; 0: no loop */
    size_t open_ends;
    struct keel_open_end *open_end;
    size_t regions;
    char **region;    /* names of parallel regions, "parallel region ..." */
    size_t unreached; /* the first of them in which no loop came to Keel */
};

/* Number `member` counts loops, then regions. */
const char *keel_loops_name(const struct keel_loops *loops, size_t member);

/* Reads the report; nothing where there is none. */
void keel_loops_read(const char *path, struct keel_loops *loops);

/* --- delta debug --- */

/* Narrows a set of loops down to those that make a difference: delta debugging (Zeller &
 * Hildebrandt 2002). Pure but for what it is given to ask. */

/* Whether there is a difference with these `count` members and no others. May err, but only towards
 * false. */
typedef bool keel_delta_debug_question(const size_t *member, size_t count, void *context);

/* Reduces member[0 .. *count), for which `differs` is true, to a set for which it still is, and is
 * not (as far as it has answered) without any one of its members. Order is kept. False: `differs`
 * was not answered for lack of `stop`, and the set is not as small as it may be. stop: asked before
 * each question; NULL: never. */
bool keel_delta_debug(size_t *member, size_t *count, keel_delta_debug_question *differs,
                      bool (*stop)(void *context), void *context);

/* --- a check --- */

#define KEEL_CHECK_SEEDS_MAX 16
#define KEEL_ROUNDING_MAX 1e-6

struct keel_check {
    /* what is asked for */
    struct keel_options options;
    uint64_t plain_runs;  /* without Keel, >= 1 */
    uint64_t random_runs; /* under adversarial schedules, >= 1 */
    bool as_written;      /* without KEEL_OVERRIDE=dynamic,guided */
    /* runs */
    const char *preload; /* LD_PRELOAD */
    const char *program; /* its name */
    int status;          /* of the reference */
    double timeout_s;
    double end_s;     /* when no other run is to begin, by keel_clock_s() */
    double longest_s; /* of the runs that ended by themselves */
    /* what is known */
    bool others_serial; /* the reference is that of loops run by one thread each */
    bool races;         /* it differs without Keel, but not with one thread */
    struct keel_loops loops;
    unsigned total, differing;           /* runs under adversarial schedules */
    uint64_t seed[KEEL_CHECK_SEEDS_MAX]; /* of the first that differ */
};

/* --- runs --- */

/* Runs of the program, each compared with the reference: what it printed, how it ended, the files
 * that it wrote. */

#define KEEL_RUNS_TEXT_MAX 512

/* What a run is like. */
struct keel_run_setting {
    bool shows_errors;   /* standard error of the program is this process's; false: it is not shown
                            */
    const char *threads; /* NULL: as the environment says */
    bool checked;        /* under Keel; false: the next fields do not count */
    uint64_t seed;
    bool others_serial;
    const struct keel_loops *loops; /* NULL: all are active */
    const size_t *active;           /* numbers of the active loops and regions */
    size_t active_count;
    const size_t *barrier; /* the number of a loop that gets a barrier at its end; NULL: none */
};

enum keel_outcome_kind {
    KEEL_OUTCOME_SAME,
    KEEL_OUTCOME_OUTPUT,    /* other output */
    KEEL_OUTCOME_STATUS,    /* another exit code, or a signal */
    KEEL_OUTCOME_TIMEOUT,   /* it did not end */
    KEEL_OUTCOME_NOT_BEGUN, /* could not be run, or a signal has come for this process */
};

struct keel_outcome {
    enum keel_outcome_kind kind;
    int error;                             /* NOT_BEGUN: errno; 0: a signal */
    int status;                            /* STATUS: as waitpid gives it */
    struct keel_results_difference output; /* OUTPUT */
    double rounding; /* OUTPUT: a tolerance under which nothing differs, as numbers do that are
                        added up in another order: a power of ten up to KEEL_ROUNDING_MAX; 0: none
                        */
};

/* One run, compared with the reference. */
struct keel_outcome keel_runs_do(struct keel_check *check, const struct keel_run_setting *setting);

/* One run whose results become the reference; .kind is SAME or says why there is none. */
struct keel_outcome keel_runs_set_reference(struct keel_check *check,
                                            const struct keel_run_setting *setting);

/* Whether no other run should begin. */
bool keel_runs_over(const struct keel_check *check);

/* What an outcome other than SAME is like, in text[KEEL_RUNS_TEXT_MAX]: "stdout line 3: ...". */
void keel_runs_describe(const struct keel_check *check, const struct keel_outcome *outcome,
                        char *text);

/* --- findings --- */

/* Which loops make results differ: narrowed down by runs in which only some are scheduled at
 * random, within check->end_s, and printed. */
void keel_findings_print(struct keel_check *check);

#endif
