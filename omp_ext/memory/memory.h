/* What Keel keeps between runs: the learned state of loop sites, in a file that KEEL_MEMORY names.
 *
 *   file -> keel_memory_open -> keel_memory_find: a site's state at its first visit
 *                            -> keel_memory_save: the states at exit, merged into the file
 *
 * Calls for the same memory must not overlap; other processes may use the same file at any time.
 *
 * Errors: the call says in `problem`, KEEL_MEMORY_PROBLEM_MAX bytes, which file, what was wrong and
 * what happens now, and nothing in the file has changed. `problem` is "" otherwise. */
#ifndef OMP_EXT_MEMORY_MEMORY_H
#define OMP_EXT_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/learn/learn.h"
#include "schedules/loop/cost_profile.h"

#define KEEL_MEMORY_PROBLEM_MAX 448
#define KEEL_MEMORY_SITES_MAX 4096               /* in a file; the longest unused are dropped */
#define KEEL_MEMORY_BYTES_MAX (64 * 1024 * 1024) /* of a file, too */
#define KEEL_MEMORY_THREADS_MAX 65536

/* What a state belongs to. Equal in every run of the same program. */
struct keel_memory_key {
    const char *module;   /* keel_module.name of omp_ext/machine/module.h */
    uint64_t caller;      /* offsets within the module, of keel_call_site's addresses */
    uint64_t outlined;    /* 0: none */
    const char *schedule; /* as keel_policy_write() writes it */
    uint64_t threads;     /* of the team, 1 .. KEEL_MEMORY_THREADS_MAX */
};

/* What one thread of the team has shown. All zero: nothing. */
struct keel_memory_thread {
    struct keel_rate_filter rate; /* filtered >= 0 */
    double bound;                 /* 0 .. 1, not decreasing from thread to thread */
    double mean_ns, variance_ns2; /* of an iteration's time, >= 0 */
    struct keel_sample sample;    /* for weights */
};

/* A site's state for one schedule and team size. One with a number that is none is not kept. */
struct keel_memory_state {
    struct keel_memory_key key;
    uint64_t instances;          /* learned from, in all runs */
    uint64_t calm;               /* since blocks moved or were adjusted */
    struct keel_profile profile; /* costs > 0; all 0 like `seen`: none */
    struct keel_cost cost;
    const char *choice;                /* of auto: the schedule that was kept; "": none */
    double choice_ns;                  /* of auto: time of an instance under it; 0: none */
    struct keel_memory_thread *thread; /* key.threads of them */
};

struct keel_memory_file;

/* Reads the file. A missing or empty one is a memory without states; one that is damaged, of
 * another version, or something else is left alone, unless `replace`: then its contents are not
 * looked at, and the first save starts anew, unless another process has done so since. Only regular
 * files are opened. NULL: a problem. */
struct keel_memory_file *keel_memory_open(const char *path, bool replace, char *problem);

/* NULL: nothing is remembered. What is returned lasts until keel_memory_close(). */
const struct keel_memory_state *keel_memory_find(const struct keel_memory_file *memory,
                                                 const struct keel_memory_key *key);

/* Brings states into the file, each in the place of the one of the same key, while the file is
 * locked; waits up to ten seconds for that. States that others have saved meanwhile stay. The new
 * contents appear at once and as a whole. False: a problem. */
bool keel_memory_save(struct keel_memory_file *memory, const struct keel_memory_state *state,
                      size_t count, char *problem);

void keel_memory_close(struct keel_memory_file *memory);

#endif
