/* KEEL_MEMORY: what sites have learned, brought from one run of a program to the next.
 *
 *   file -> [recall] -> records of sites -> instances -> records -> [save, at exit] -> file
 *
 * libkeel_memory.so reads and writes the file (memory/memory.h). Call everything with
 * keel_slow_lock held unless it says otherwise; without KEEL_MEMORY nothing happens. */
#ifndef OMP_EXT_SITE_REMEMBER_H
#define OMP_EXT_SITE_REMEMBER_H

#include "omp_ext/site/record.h"
#include "schedules/learn/cost.h"

/* When the library is loaded: children that this process forks save nothing. */
void keel_remember_begin(void);

/* Makes the functions below ready; false: another thread is at it right now, and nobody waits
 * (sibling_library.h). Call this one without locks. */
bool keel_remember_ready(void);

/* Fills in what an earlier run has left for a record of `memory` that is new. */
void keel_remember_record(const struct keel_site_records *memory, struct keel_record *record);

/* The same for parameters that are measured once; leaves `cost` as it is where nothing is known. */
void keel_remember_cost(const struct keel_site_records *memory, struct keel_cost *cost);

/* Brings everything into the file. Not in children that the process has forked. */
void keel_remember_save(void);

#endif
