/* One thread's line of time: its events, in a buffer of fixed size, until they are written.
 *
 *   trace_notes.c -> [timeline of the thread] -> trace_writer.c
 *
 * Its thread appends without locks. Others may write out what is there at any time; they and the
 * thread take turns by `busy`. A thread that ends leaves its line to a later one, so there are at
 * most as many as threads at a time. */
#ifndef OMP_EXT_TRACE_TIMELINE_H
#define OMP_EXT_TRACE_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/site/site.h"
#include "omp_ext/trace/text/event.h"

#define KEEL_TIMELINES_MAX 1024   /* threads at a time; others are not traced */
#define KEEL_TIMELINE_EVENTS 1024 /* places: 64 KiB */
/* Of chunks alone: 4 MiB, touched as they fill, so that names, whose search allocates in the
 * program's heap, are found after a second, as long as chunks are not very short. */
#define KEEL_TIMELINE_CHUNKS 65536
#define KEEL_TIMELINE_DEPTH 16   /* of nested regions that are traced */
#define KEEL_TIMELINE_TEXT 57344 /* bytes of text at a time */

/* A thread's wait at the end of a region: the thread knows when it begins, and who has met the
 * construct knows when it ends. Written by its thread, and emptied by whoever takes it. */
struct keel_region_wait {
    _Atomic uint64_t region; /* number; 0: the thread does not wait. Written last */
    _Atomic uint64_t began;  /* ticks */
    _Atomic(struct keel_site *) site;
};

struct keel_timeline {
    /* Its thread's. */
    struct keel_event *event;
    _Atomic uint32_t used;    /* places; read by others */
    _Atomic uint64_t dropped; /* events that there was no room for; read by others */
    uint32_t number;          /* of the thread in the trace; 0: the initial one */
    uint64_t joined_at;       /* ticks: another thread may have had the line before */
    uint64_t written_at;      /* ticks */
    uint64_t constructs;      /* of the region that the thread has ended last */
    uint64_t serial_instance; /* of its loop outside of all regions */
    uint32_t depth;           /* of the regions that it is in */
    uint64_t region_began[KEEL_TIMELINE_DEPTH]; /* ticks */
    struct keel_region_wait wait;               /* at the end of its last region */
    /* Of whoever has `busy`. */
    _Alignas(64) atomic_flag busy;
    uint32_t written; /* places */
    bool is_named;    /* the trace has its name */
    char *text;       /* KEEL_TIMELINE_TEXT, and some more */
    /* Of the registry. */
    atomic_bool in_use;
};

/* Before the others: lines have so many places, and `leave` is called with a thread's line when the
 * thread ends. */
void keel_timeline_begin(uint32_t places, void (*leave)(struct keel_timeline *timeline));

/* The calling thread's line; member: its number in its team, which it is called by if no other is.
 * NULL: there are too many, or there is no memory. */
struct keel_timeline *keel_timeline_own(uint32_t member);

/* The line of that number, of whatever thread; NULL: there has been none. */
struct keel_timeline *keel_timeline_of(uint32_t number);

/* Appends an event with its text; one that has no room is counted in `dropped`. Returns whether the
 * line should be written now: it is nearly full, or the last time was long ago. */
bool keel_timeline_add(struct keel_timeline *timeline, const struct keel_event *event,
                       const char *text);

/* An event has been left out. Its thread. */
void keel_timeline_drop(struct keel_timeline *timeline);

/* --- waits at the ends of regions --- */

/* The thread waits from `began` on, ticks. */
void keel_region_wait_begin(struct keel_region_wait *wait, uint64_t region, struct keel_site *site,
                            uint64_t began);

/* All threads of the region have come, `now`. */
void keel_region_wait_over(uint64_t region, uint64_t now);

/* Makes an event of the wait, if there is one and it is known to be over; once. Any thread. */
bool keel_region_wait_take(struct keel_region_wait *wait, struct keel_event *event);

/* The same of one that is over by `now`, ticks, for its thread does something else. */
bool keel_region_wait_take_by(struct keel_region_wait *wait, uint64_t now,
                              struct keel_event *event);

#endif
