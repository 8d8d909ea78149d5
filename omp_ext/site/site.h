/* Loop sites: places in the program that start loops, and what Keel keeps for each.
 *
 * A site is known by the return address of the libgomp call, and for a combined parallel loop also
 * by its outlined function, and by the file that is loaded there. Sites are looked up only where
 * something depends on them: a rule for single loops, a schedule that has to be measured, or a
 * trace. */
#ifndef OMP_EXT_SITE_SITE_H
#define OMP_EXT_SITE_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/machine/module.h"
#include "omp_ext/memory/memory.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/settings/variables.h"
#include "omp_ext/site/mode.h"
#include "omp_ext/source/source_lines.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/forecast/selection.h"
#include "schedules/learn/blocks.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"

/* --- places --- */

struct keel_call_site {
    const void *caller;       /* return address of the call */
    void (*outlined)(void *); /* of a combined parallel loop; otherwise NULL */
};

/* It as the key of a table (support/address_table.h). */
#define KEEL_SITE_KEY(place) (uintptr_t)(place)->caller, (uintptr_t)(place)->outlined

/* What the policy of a loop depends on. */
struct keel_construct {
    struct keel_call_site place;
    bool in_order;  /* declared monotonic: each thread's iterations have to increase */
    uint64_t grain; /* its clause has chunks of so many iterations, so none may be separated that
                       stand in one of them, see keel_space_grain(); 0 or 1: any may */
};

/* --- the source position of a place, for rules and messages --- */

#define KEEL_SITE_NAME_MAX 400
#define KEEL_SITE_ADDRESS_MAX 192

/* Makes the functions below ready; false: another thread is doing that right now, and this one does
 * not wait (sibling_library.h). Call without locks. */
bool keel_site_source_ready(void);

/* The code of the place: behind the call, unless that lies in another file than the
 * outlined function. Then the call was the last one of a function, and such calls are jumps. */
const void *keel_site_code(const struct keel_call_site *place);

/* Finds the source of a loop. False: it is not known; once after a message, if libkeel_source.so is
 * missing. Call when ready, with keel_slow_lock held. */
bool keel_site_source(const struct keel_call_site *place, struct keel_source *source);

/* The innermost function around the loop, as people write it; "": none is known. */
const char *keel_site_function(const struct keel_source *source);

/* Writes the place of the call in its module into text[KEEL_SITE_ADDRESS_MAX]: "mandel+0x1234". Any
 * thread. */
void keel_site_address(const struct keel_call_site *place, char *text);

/* Writes its name for messages into text[KEEL_SITE_NAME_MAX]: "mandel.c:42 (render)", or its place
 * in its module. */
void keel_site_name(const struct keel_call_site *place, char *text);

/* --- candidates of `auto` --- */

/* The policies that `auto` chooses from at a loop site, and what it knows of them for teams of one
 * size. */

#define KEEL_CANDIDATES_MAX KEEL_SELECTION_MAX

/* The last one, `rate`, serves while Keel measures. */
struct keel_candidates {
    unsigned count;
    struct keel_policy policy[KEEL_CANDIDATES_MAX];
    struct keel_policy in_order[KEEL_CANDIDATES_MAX];
};

/* What `auto` knows of a site and team size. */
struct keel_auto_state {
    struct keel_selection choice;
    struct keel_forecast forecast[KEEL_CANDIDATES_MAX]; /* the last ones */
    struct keel_workload workload;                      /* that they rest on */
    uint64_t measured;   /* instances, since the last forecasts, that ran in the order of the loop
                            or as `rate` does, to be measured */
    uint64_t iterations; /* of the last instance that was counted */
    double total_ns;     /* of all instances so far */
    double forecast_ns;  /* what the last forecasts took; 0: none yet */
};

/* Makes the candidates of the site of `automatic`. They keep what they learn in its records. */
void keel_candidates_begin(struct keel_candidates *candidates, const struct keel_policy *automatic);

/* The time of the loop's instances, all together, from which on forecasts take a small part of it.
 */
double keel_candidates_forecasts_due_ns(const struct keel_auto_state *auto_state);

/* --- records --- */

/* What has been learned at a loop site for teams of one size, kept for later instances; of
 * schedules that choose, for loops of about one length, as another schedule may be best where the
 * number of iterations is another one (a multigrid's levels).
 *
 * Instances of one site that run at once in teams of one size share the record. That is harmless:
 * it only sets how much a thread takes, never which iterations. */

/* What cold caches, late arrival and the clock may make of a thread's time in an instance. */
#define KEEL_NOISE_NS 1000.0

#define KEEL_RECORDS_MAX 32 /* per site and schedule; teams of further sizes learn nothing */

/* What is known of one thread of the team, by its number. */
struct keel_record_worker {
    _Alignas(64) _Atomic double pace_ns; /* of weighted schedules, read by all; 0: not measured */
    _Atomic double busy_ns;              /* time of an instance that it rests on; 0: not known */
    atomic_flag busy;         /* held while `loops` is written: two teams may end at once */
    struct keel_sample loops; /* whole instances */
    struct keel_pace known;   /* of sized claims and blocks; under the record's lock */
};

struct keel_record {
    uint64_t threads;
    uint64_t units; /* of the first loop that it was made for, of schedules that choose; otherwise 0
                       */
    struct keel_record *next;
    struct keel_brief_lock lock; /* guards what follows, and each worker's `known` */
    uint64_t instances;          /* whole ones that were timed */
    double total_ns;             /* their time */
    double claim_ns;             /* mean time to get a chunk, in the last one; 0: not known */
    double instance_ns;          /* how long the last instance took; 0: there was none */
    double unlearned_ns;         /* time of the instances since `blocks` has learned */
    double learning_ns;          /* what that took the last time */
    struct keel_blocks *blocks;  /* of schedules that learn blocks; otherwise NULL */
    struct keel_auto_state *auto_state; /* of schedules that choose; otherwise NULL */
    struct keel_record_worker worker[];
};

/* The records of all team sizes that have been at a site. */
struct keel_site_records {
    const struct keel_call_site *place; /* the site's */
    /* Found out at the first visit, as its module may be unloaded later. */
    char *address; /* in its module, to be explained and reported; NULL: not asked for */
    struct keel_module *module;       /* for KEEL_MEMORY; NULL: not asked for, or not known */
    const struct keel_policy *wanted; /* what loops there have asked for */
    const struct keel_candidates *candidates; /* of a schedule that chooses; otherwise NULL */
    _Atomic(struct keel_record *) first;
    _Atomic unsigned count; /* of them; grows under keel_slow_lock */
};

/* The record for teams of `threads` threads under `schedule` and a loop of `units`; where the
 * schedule chooses, one whose `units` differ by less than twice, or, where there is no room for
 * more, the nearest. NULL: no room. Any thread; takes keel_slow_lock when it makes a record. */
struct keel_record *keel_record_of_team(struct keel_site_records *records, uint64_t threads,
                                        uint64_t units, const struct keel_schedule *schedule);

/* The weight of thread `thread` by the present paces, under a schedule that learns like this; see
 * keel_learner_weight(). */
double keel_record_weight(const struct keel_record *record, uint64_t thread,
                          enum keel_learning learns);

/* --- memory --- */

/* KEEL_MEMORY: what sites have learned, brought from one run of a program to the next.
 *
 *   file -> [remember] -> records of sites -> instances -> records -> [at exit] -> file
 *
 * Call everything with keel_slow_lock held; without KEEL_MEMORY nothing happens. */

/* Call when the library is loaded: children that this process forks save nothing. */
void keel_remember_begin(void);

/* The same for parameters that are measured once; leaves `cost` as it is where nothing is known. */
void keel_remember_cost(const struct keel_site_records *records, struct keel_cost *cost);

/* A key with what it points to. */
struct keel_remember_key {
    struct keel_memory_key key;
    struct keel_module module;
    char schedule[KEEL_SPEC_TEXT_MAX];
};

/* Makes the key of a site's record for teams of `threads` and, if units > 0, loops of that length,
 * which follows the schedule; false: the place can't be recognised in another run. */
bool keel_remember_key(const struct keel_site_records *records, uint64_t threads, uint64_t units,
                       struct keel_remember_key *own);

/* What the file holds of that; NULL: nothing. It lasts. */
const struct keel_memory_state *keel_remember_find(const struct keel_memory_key *key);

/* A state that belongs to no site, of one thread that has shown nothing. */
struct keel_remember_other {
    struct keel_remember_key key;
    struct keel_memory_state state; /* without its key */
    struct keel_remember_other *next;
};

/* Saves it whenever those of sites are. It and its texts last. */
void keel_remember_add(struct keel_remember_other *other);

/* Whether this process saves anything: the file is open, and the process was not forked. */
bool keel_remember_saves(void);

/* Writes that into the file, if count > 0; says so when it cannot, unless it is tried again
 * `later`. Only if this process saves. */
void keel_remember_write(const struct keel_memory_state *states, size_t count, bool later);

/* Brings what all sites have learned into the file, at the end of a process and before, as a signal
 * may end it; unless nothing was opened, or in a child that the process has forked. */
void keel_save_sites(void);

/* The same while the program runs, about once a second, so seldom that it takes at most 1 % of the
 * time. Only the initial thread does it, as others' stacks may be small. Call it without locks. */
void keel_save_sites_when_due(void);

/* --- short loops --- */

/* Short loops: finding those that static shares serve best.
 *
 *   short     scheduling the loop costs more than it can gain (schedules/learn/learn.h)
 *   settled   the site's loops of up to so many iterations have static shares, see mode.h
 *
 *   a site's first instances, timed -> short? -> trials: static shares, timed -> learn.h
 *                                                   ^                               |
 *                        every 251st region --------+        scheduled, or settled <+
 *
 * In every 251st region of a thread (keel_worthwhile_recheck()), the region's short loops are tried
 * again, whether they are settled or not.
 *
 * What is found for one length holds for shorter loops of the site where it is "settled", and for
 * longer ones where it is "scheduled". Lengths in between are tried when they come, one (within a
 * factor of two) at a time. */

/* What has been judged last. */
struct keel_settled_judgement {
    uint64_t least, most; /* iterations of the loops that were tried; 0: nothing has been judged */
    bool is_static;
    double span_ns, gain_ns; /* of static shares, see schedules/learn/learn.h */
    double cost_ns;          /* of scheduling */
};

/* The part of a site and schedule. {0} at first, but for what keel_settled_begin() sets. */
struct keel_settled_site {
    struct keel_policy trial;         /* static shares, timed for this */
    struct keel_policy untimed;       /* static shares */
    struct keel_mode own;             /* of loops without a mode of the program's */
    _Atomic(struct keel_mode *) mode; /* that its last loop had */

    atomic_bool measured; /* the fields below are known; written by keel_settled_measured() */
    _Atomic double iteration_ns; /* mean of the quickest instance of any thread */
    _Atomic double claim_ns;     /* of one claim */
    _Atomic double chunks;       /* per iteration */
    _Atomic double start_ns;     /* of an instance, beyond what agreeing takes */
    _Atomic uint64_t threads;    /* of the last team */

    _Atomic uint64_t settled_to;     /* most iterations of settled loops */
    _Atomic uint64_t scheduled_from; /* of longer ones, least of those that are scheduled; 0: none
                                        are */
    _Atomic uint64_t tried;      /* length and team size of the trials, as keel_settled_propose()
                                        has it; 0: none are made */
    atomic_bool idle;            /* none has been made since a recheck */
    struct keel_brief_lock lock; /* guards what follows */
    uint64_t trials_of;          /* what `tried` was for them; 0: they have been judged */
    struct keel_trials trials;
    struct keel_settled_judgement judged;
};

/* Once, before any other thread knows the site. wanted: what its loops have asked for. */
void keel_settled_begin(struct keel_settled_site *site, const struct keel_policy *wanted);

/* What a thread of a team of `threads` proposes instead of `policy`, or `policy` itself. mode: of
 * the loop. recheck: the region tries loops again. */
const struct keel_policy *keel_settled_propose(const struct keel_policy *policy,
                                               struct keel_mode *mode, uint64_t threads,
                                               uint64_t iterations, bool recheck);

/* The same for a combined loop, whose team runs it as is proposed. policy->settled_site is not
 * NULL. */
const struct keel_policy *keel_settled_propose_combined(const struct keel_policy *policy,
                                                        uint64_t iterations, bool recheck);

/* Notes what the first instances have shown; uses the figures of `facts` alone. Call with
 * keel_slow_lock held. */
void keel_settled_measured(struct keel_settled_site *site, const struct keel_settled_site *facts);

/* Counts a trial: when the last of `threads` threads ended, and the mean of their ends, in ns after
 * the first of them began; start_ns: what agreeing on the instance took. */
void keel_settled_learn(struct keel_settled_site *site, uint64_t threads, uint64_t iterations,
                        double last_ns, double mean_ns, double start_ns);

/* --- measurements --- */

/* What a loop site has measured for a policy that lacks something: parameters, weights, blocks.
 *
 *   policy asked for -> probe, timed -> keel_measurement_add() -> completed policy, timed -> ...
 *                                                              -> completed policy, untimed
 *
 * A schedule that learns by itself has a completed policy from the start: the learner. */

struct keel_measurement;

/* All of one site. {0} at first. */
struct keel_measurements {
    _Atomic(struct keel_measurement *) first;
    unsigned count; /* guarded by keel_slow_lock */
};

/* What loops at `place` run under where `wanted`, which lacks something, was asked for. recheck: it
 * is time to measure again. Any thread; takes keel_slow_lock on the first visits only. */
const struct keel_policy *keel_measurement_policy(struct keel_measurements *measurements,
                                                  const struct keel_call_site *place,
                                                  const struct keel_policy *wanted, bool recheck);

/* The same where nothing can be kept for the site. */
const struct keel_policy *keel_measurement_unknown_policy(const struct keel_policy *wanted);

/* Adds what one thread of `threads` measured in one instance of `iterations` iterations. Once a
 * whole loop has been measured, the policy is completed, and after a few instances they are no
 * longer timed. start_ns: what starting the instance has taken beyond agreeing on it; 0: not known.
 * Called by each thread of the team at the end of the instance; takes keel_slow_lock. */
void keel_measurement_add(struct keel_measurement *measurement, const struct keel_cost *cost,
                          uint64_t iterations, uint64_t threads, double start_ns);

/* Whether instances under a policy of this measurement are still to be timed. Any thread. */
bool keel_measurement_is_wanted(const struct keel_measurement *measurement);

/* What is known for one policy. */
struct keel_measurement_view {
    const struct keel_call_site *place;
    const struct keel_policy *wanted;
    const struct keel_policy *completed; /* NULL: still being measured */
    struct keel_site_records *records;
    const struct keel_cost *cost; /* of measured parameters */
    struct keel_settled_site *settled_site;
    const struct keel_candidates *candidates; /* of a schedule that chooses; otherwise NULL */
};

typedef void keel_measurement_visitor(const struct keel_measurement_view *view, void *context);

/* Visits all of a site. Call with keel_slow_lock held. */
void keel_measurement_each(struct keel_measurements *measurements,
                           const struct keel_call_site *place, keel_measurement_visitor *visit,
                           void *context);

/* --- sites --- */

/* Loads the libraries that sites need by what the environment asks for; false: another thread is at
 * it right now. Called before a program's first team starts, so that its threads do not meet that.
 * Without locks. */
bool keel_site_ready(void);

/* The policy that this loop runs under: a rule's if one applies, otherwise the default, `standard`
 * (NULL: none), with the grain of the loop's clause, made complete by the site's own measurement
 * where it has parameters to measure. recheck: it is time to measure again. costless: costs are
 * missing, see known_costs.h. Any thread; takes keel_slow_lock on the first visits only. */
const struct keel_policy *keel_site_policy(const struct keel_call_site *place,
                                           const struct keel_policy *standard, uint64_t grain,
                                           bool recheck, bool costless);

/* The rule that means the loop at that place; NULL: none does, or its source is not known. Call
 * with keel_slow_lock held, when ready. */
const struct keel_rules_entry *keel_site_rule(const struct keel_call_site *place);

struct keel_site;

/* The loop's site, for its name. NULL: there is no room for another one, or another thread is
 * making sites ready. Any thread; takes keel_slow_lock on the first visits only. */
struct keel_site *keel_site_to_name(const struct keel_call_site *place);

/* The name of such a site, as keel_site_name() writes it. Call with keel_slow_lock held. */
const char *keel_site_name_of(struct keel_site *site);

/* Where the trace keeps what it calls such a site; NULL at first. */
_Atomic(const void *) *keel_site_shown_name(struct keel_site *site);

/* Keeps which mode the loop has, which is one without the plugin. Does nothing where the site is
 * not known. Any thread. */
void keel_site_set_mode(const struct keel_call_site *place, struct keel_mode *mode);

/* The mode of such a loop; NULL if it has none. */
struct keel_mode *keel_site_mode(const struct keel_call_site *place);

/* Visits all that sites know, in no particular order. Call with keel_slow_lock held. */
void keel_site_each(keel_measurement_visitor *visit, void *context);

#endif
