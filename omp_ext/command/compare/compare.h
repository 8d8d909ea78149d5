/* What `keel compare` is made of.
 *
 *   command line -> candidates -> [session] of rounds, each a run per candidate -> samples
 *   samples -> statistics -> findings, tables, JSON */
#ifndef OMP_EXT_COMMAND_COMPARE_COMPARE_H
#define OMP_EXT_COMMAND_COMPARE_COMPARE_H

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/command/compare/statistics.h"
#include "omp_ext/command/programs/programs.h"

/* --- candidates --- */

/* The candidates: values of one variable each, the rest as in the environment. */

enum keel_candidate_kind {
    KEEL_CANDIDATE_LIBGOMP,  /* OMP_SCHEDULE, Keel passing all loops through */
    KEEL_CANDIDATE_SCHEDULE, /* KEEL_SCHEDULE */
    KEEL_CANDIDATE_SHARING,  /* KEEL_MPI_SCHEDULE */
    KEEL_CANDIDATE_BALANCE,  /* KEEL_MPI_BALANCE */
    KEEL_CANDIDATE_KINDS
};

#define KEEL_FAILURE_MAX 400
#define KEEL_SETTINGS_MAX 8

struct keel_candidate {
    enum keel_candidate_kind kind;
    char *name; /* "libgomp static", "fac2" */
    const char *variable, *value;
    /* how it is run, set by keel_session_begin() */
    char **argument; /* of execvp() */
    struct keel_setting setting[KEEL_SETTINGS_MAX];
    /* what is known of it beside its times */
    char failure[KEEL_FAILURE_MAX]; /* "ends with exit code 3: 'no such input'": it is not run any
                                       more; "": it never failed */
    double expected_s;              /* what its longest run took */
    bool warm;                      /* it has run well in the round for warming up */
    bool reached;                   /* a loop came to its schedule of Keel's then */
    size_t differing;               /* runs whose output was not the reference's */
    struct keel_results_difference difference; /* of the first of them */
};

/* --- loops --- */

/* Times in runs, as their reports have them. A loop is known again by its source position, which
 * rules of KEEL_SCHEDULE understand. Where several ranks have run it, the longest counts. */
struct keel_loop_time {
    char *place;
    char *function; /* "" if it is not known */
    double instances;
    struct keel_samples samples;
};

struct keel_loop_times {
    size_t candidates; /* set before */
    size_t count;
    struct keel_loop_time *of;
};

/* Notes what the report says of work-sharing loops outside of others; nothing where there is none
 * that can be read. */
void keel_loop_times_read(struct keel_loop_times *loops, const char *report, size_t round,
                          size_t candidate);

/* --- session --- */

#define KEEL_SESSION_LEVEL 0.05 /* how often any statement about a program may be wrong */

enum {
    KEEL_COMPARE_UNKNOWN = 3,  /* exit codes: nothing can be compared; */
    KEEL_COMPARE_NO_ROUND = 4, /* the budget is used up before a round was over */
    KEEL_COMPARE_SIGNAL = 128  /* and the signal's number */
};

enum keel_session_end {
    KEEL_SESSION_SETTLED,
    KEEL_SESSION_BUDGET,
    KEEL_SESSION_ROUNDS,    /* as many as were asked for */
    KEEL_SESSION_SIGNAL,    /* one has come */
    KEEL_SESSION_ALONE,     /* nothing is left beside the reference: all others have failed */
    KEEL_SESSION_UNSEEN,    /* no loop came to any of Keel's schedules */
    KEEL_SESSION_REFERENCE, /* it failed: `failure` of candidate 0 */
    KEEL_SESSION_NOT_BEGUN  /* the program can't be run: `error` */
};

struct keel_session {
    /* what the command line asks for */
    struct keel_options options;
    uint64_t ranks;            /* to be started by mpirun; 0: the program as it is */
    uint64_t rounds_wanted[2]; /* at least, and at most */
    double matters;            /* part of the time that a difference has to be to matter */
    size_t count;              /* of candidates, the first one being the reference */
    struct keel_candidate of[KEEL_CANDIDATES_MAX];
    /* runs */
    const char *preload;        /* LD_PRELOAD */
    char report[PATH_MAX + 16]; /* KEEL_REPORT and KEEL_SEEN: files in the folder of results */
    struct keel_mark_file seen;
    double timeout_s;
    double begin_s; /* by keel_clock_s() */
    uint64_t chance;
    int error; /* of KEEL_SESSION_NOT_BEGUN */
    /* what they show */
    struct keel_sign_sequence sequence; /* for each pair */
    struct keel_samples samples;        /* of the whole program */
    struct keel_loop_times loops;
    size_t rounds; /* finished ones */
    bool unsteady; /* the reference's own output differs from run to run */
    struct keel_results_difference variation; /* the first time */
    bool incomparable;                        /* in too much to leave it out */
};

/* Whether the command line starts ranks by Open MPI's mpirun. */
bool keel_session_is_mpirun(const struct keel_session *session);

/* Before the first run, with the folder of results there. */
void keel_session_begin(struct keel_session *session);

/* The first run of the reference, and another one, by which its output is known. False: there is
 * nothing to go on with; *end says why. */
bool keel_session_do_reference(struct keel_session *session, enum keel_session_end *end);

/* The others' first run, and rounds. */
enum keel_session_end keel_session_do_rounds(struct keel_session *session);

/* Seconds that warming up takes and as many rounds as can distinguish the candidates. */
double keel_session_expected_s(const struct keel_session *session);

/* --- what follows for loops --- */

struct keel_loop_standings {
    const struct keel_loop_time *loop;
    double share; /* of the program's time under the first candidate that has run the loop */
    struct keel_standings standings;
};

/* Makes those of loops with at least `least` of the time, the largest share first; how many are in
 * *list. */
size_t keel_loop_standings_make(struct keel_loop_standings **list,
                                const struct keel_session *session,
                                const struct keel_standings *program, double least);

/* --- conclusions --- */

/* Which candidate a job script should have. Pure, from what a session has shown. */

enum keel_recommendation_kind {
    KEEL_RECOMMENDATION_NONE,    /* nothing is known */
    KEEL_RECOMMENDATION_NOTHING, /* nothing that matters is to be gained over the reference,
                                    which is `candidate` */
    KEEL_RECOMMENDATION_SURE,    /* `candidate` differs from `other` significantly */
    KEEL_RECOMMENDATION_UNSURE   /* it is faster so far */
};

struct keel_recommendation {
    enum keel_recommendation_kind kind;
    size_t candidate;
    size_t other;            /* the best that does without Keel's schedules: libgomp's, or the
                                reference; the reference if `candidate` is one of these */
    struct keel_ratio ratio; /* of `candidate` to `other` */
};

/* How long it will take: a message, after the reference's first runs. */
void keel_findings_plan(const struct keel_session *session);

/* Prints what the session has shown, and writes it to the file `json`, unless that is NULL. Returns
 * the exit code. */
int keel_comparison_print(const struct keel_session *session, enum keel_session_end end,
                          const char *json);

/* All of it as JSON. False: a message has said why not.
 *
 * One object: "keel_compare": 1, "program": [words], "rounds", "seed", "level" (how often any
 * statement may be wrong), "matters", "budget_s", "settled", "schedules": [...], "loops": [...],
 * "advice". A schedule has "name", "environment", "output" ("same", "differs" or "not compared"),
 * "failure" (null: none), "times_s" by round (null: not run), and the table's columns:
 * "median_s", "quartiles_s", "ratio" and "ratio_to_best" with "median", "low" and "high" (null:
 * not known), "regret", "verdict". A loop has "place", "function", "share" and "schedules"
 * alike. */
bool keel_compare_json_write(const char *path, const struct keel_session *session,
                             const struct keel_standings *standings,
                             const struct keel_recommendation *recommendation);

#endif
