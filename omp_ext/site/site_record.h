/* What has been learned at a loop site for teams of one size, kept for later instances; of
 * schedules that choose, for loops of about one length, as another schedule may be best where the
 * number of iterations is another one (a multigrid's levels).
 *
 * Instances of one site that run at once in teams of one size share the record. That is harmless:
 * it only sets how much a thread takes, never which iterations. */
#ifndef OMP_EXT_SITE_SITE_RECORD_H
#define OMP_EXT_SITE_SITE_RECORD_H

#include "omp_ext/support/brief_lock.h"
#include "schedules/learn/blocks.h"
#include "schedules/learn/learner.h"
#include "schedules/loop/schedule.h"

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
    uint64_t units; /* of the first loop that it was made for, of schedules that choose; else 0 */
    struct keel_record *next;
    struct keel_brief_lock lock; /* guards what follows, and each worker's `known` */
    uint64_t instances;          /* whole ones that were timed */
    double total_ns;             /* their time */
    double claim_ns;             /* mean time to get a chunk, in the last one; 0: not known */
    double instance_ns;          /* how long the last instance took; 0: there was none */
    double unlearned_ns;         /* time of the instances since `blocks` has learned */
    double learning_ns;          /* what that took the last time */
    struct keel_blocks *blocks;  /* of schedules that learn blocks; else NULL */
    struct keel_auto_state *auto_state; /* of schedules that choose; else NULL */
    struct keel_record_worker worker[];
};

struct keel_candidates;
struct keel_module;
struct keel_call_site;
struct keel_policy;

/* The records of all team sizes that have been at a site. */
struct keel_site_records {
    const struct keel_call_site *place; /* the site's */
    /* Found out at the first visit, as its module may be unloaded later. */
    char *address; /* in its module, to be explained and reported; NULL: not asked for */
    struct keel_module *module;       /* for KEEL_MEMORY; NULL: not asked for, or not known */
    const struct keel_policy *wanted; /* what loops there have asked for */
    const struct keel_candidates *candidates; /* of a schedule that chooses; else NULL */
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

#endif
