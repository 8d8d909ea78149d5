/* KEEL_MEMORY: what sites have learned, brought from one run of a program to the next.
 *
 *   file -> [remember] -> records of sites -> instances -> records -> [save.h, at exit] -> file
 *
 * Call everything with keel_slow_lock held; without KEEL_MEMORY nothing happens. */
#ifndef OMP_EXT_SITE_REMEMBER_H
#define OMP_EXT_SITE_REMEMBER_H

#include "omp_ext/machine/module.h"
#include "omp_ext/memory/memory.h"
#include "omp_ext/site/call_site.h"
#include "omp_ext/site/site_record.h"
#include "schedules/learn/cost.h"
#include "schedules/loop/spec.h"

/* Call when the library is loaded: children that this process forks save nothing. */
void keel_remember_begin(void);

/* Fills in what an earlier run has left for a new record. */
void keel_remember_record(const struct keel_site_records *records, struct keel_record *record);

/* The same for parameters that are measured once; leaves `cost` as it is where nothing is known. */
void keel_remember_cost(const struct keel_site_records *records, struct keel_cost *cost);

/* --- for saving --- */

/* A key with what it points to. */
struct keel_remember_key {
    struct keel_memory_key key;
    struct keel_module module;
    char schedule[KEEL_SPEC_TEXT_MAX];
};

/* Makes the key of a site's record for teams of `threads` and, if units > 0, loops of that length,
 * which stands behind the schedule; false: the place can't be recognised in another run. */
bool keel_remember_key(const struct keel_site_records *records, uint64_t threads, uint64_t units,
                       struct keel_remember_key *own);

/* Whether this process saves anything: the file is open, and the process was not forked. */
bool keel_remember_saves(void);

/* Writes that into the file, if count > 0; says so when it cannot, unless it is tried again
 * `later`. Only if this process saves. */
void keel_remember_write(const struct keel_memory_state *states, size_t count, bool later);

#endif
