/* Writing the trace, in JSON or, of chunks alone, in CSV: lines of time become pieces of the file,
 * while the program runs.
 *
 *   timelines -> [text, names, budget of events] -> pieces -> KEEL_TRACE's file
 *
 * Whatever fails costs the trace, never the program: one message, and nothing is traced from there
 * on. What has been written until then can be read. In a child of a fork nothing is written. */
#ifndef OMP_EXT_TRACE_TRACE_WRITER_H
#define OMP_EXT_TRACE_TRACE_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/observe/observe.h"
#include "omp_ext/site/site.h"
#include "omp_ext/trace/event_text.h"
#include "omp_ext/trace/json_text.h"
#include "omp_ext/trace/trace_ranks.h"

/* --- one thread's line of time ---
 *
 * Its events, in a buffer of fixed size, until they are written.
 *
 *   trace_notes.c -> [timeline of the thread] -> trace_writer.c
 *
 * Its thread appends without locks. Others may write out what is there at any time; they and the
 * thread take turns by `busy`. A thread that ends leaves its line to a later one, so there are at
 * most as many as threads at a time. */

#define KEEL_TIMELINES_MAX 1024   /* threads at a time; others are not traced */
#define KEEL_TIMELINE_EVENTS 1024 /* places: 64 KiB */
/* Of chunks alone: 4 MiB, touched as they fill, so that names, whose search allocates in the
 * program's heap, are found after a second, as long as chunks are not very short. */
#define KEEL_TIMELINE_CHUNKS 65536
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
    _Atomic uint32_t used;        /* places; read by others */
    _Atomic uint64_t dropped;     /* events that there was no room for; read by others */
    uint32_t number;              /* of the thread in the trace; 0: the initial one */
    uint64_t joined_at;           /* ticks: another thread may have had the line before */
    uint64_t written_at;          /* ticks */
    uint64_t constructs;          /* of the region that the thread has ended last */
    uint64_t serial_instance;     /* of its loop outside of all regions */
    struct keel_region_wait wait; /* at the end of its last region */
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

/* Makes an event of the wait, if there is one that is known to be over; once. by: ticks, by which
 * it is over, for its thread does something else; 0: that is not known. Any thread. */
bool keel_region_wait_take(struct keel_region_wait *wait, uint64_t by, struct keel_event *event);

/* --- the writer --- */

/* What is still noted; the rest is counted. Chunks may fill three quarters of the file: who wants
 * to know how a long program goes on needs its loops and waits. */
enum keel_trace_state {
    KEEL_TRACE_OFF,       /* nothing: not asked for, failed, or over */
    KEEL_TRACE_FULL,      /* nothing */
    KEEL_TRACE_NO_CHUNKS, /* all but chunks */
    KEEL_TRACE_ON
};

extern _Atomic(enum keel_trace_state) keel_trace_state;

/* relaxed: stands for itself; what is noted without need is dropped later */
static inline enum keel_trace_state keel_trace_writer_state(void)
{
    return atomic_load_explicit(&keel_trace_state, memory_order_relaxed);
}

/* In CSV: all but chunks is left out when it is written. Written before the state is set. */
extern bool keel_trace_chunks_only;

/* Whether events other than chunks are noted. */
static inline bool keel_trace_writer_is_on(void)
{
    return keel_trace_writer_state() >= KEEL_TRACE_NO_CHUNKS;
}

/* Whether events are noted, or counted at least. */
static inline bool keel_trace_writer_begun(void)
{
    return keel_trace_writer_state() != KEEL_TRACE_OFF;
}

/* Regions, loops, chunks and waits, as they are observed, come to their threads' timelines. */
extern const struct keel_observer keel_trace_observer;

/* Notes which process loaded the library. */
void keel_trace_writer_loaded(void);

/* Opens the file the first time, if the settings name one; whether anything is traced. Any thread.
 * Never in a child of a fork. */
bool keel_trace_writer_begin(void);

/* Where the process stands from now on, as keel_trace_ranks.place() says. */
void keel_trace_writer_place(int rank, int ranks, int64_t offset_ns);

/* Writes what the calling thread's line holds, and empties it. */
void keel_trace_writer_write_own(struct keel_timeline *timeline);

/* Writes what all lines hold. */
void keel_trace_writer_write_all(void);

/* The same if that has last been a second ago, at `now` in ticks. */
void keel_trace_writer_tick(uint64_t now);

/* Writes what all lines hold, and that is the end. quickly: what stands in stdio's buffers stays
 * there. */
void keel_trace_writer_end(bool quickly);

/* --- noting what happens in the calling thread, for the trace in JSON ---
 *
 *   observers, decisions of schedules, who calls by trace_ranks.h -> [notes] -> timeline -> file
 *
 * While nothing is traced so, keel_notes_wanted() is false, and nothing else of this is called:
 * notes look for names at once, which allocates in the program's heap. */

static inline bool keel_notes_wanted(void)
{
    return __builtin_expect(keel_trace_writer_is_on(), 0) && !keel_trace_chunks_only;
}

/* The text of one event: "name":...,"cat":...,"ph":...,"args":{...}. What has no room is left out
 * as a whole; strings are cut. */
struct keel_members {
    struct keel_json_text json;
    bool any; /* a member of args is there */
    char memory[KEEL_EVENT_TEXT_MAX];
};

/* A decision about a loop, to which the caller adds numbers, members of args. */
void keel_decision_begin(struct keel_members *decision, const char *name, struct keel_site *site,
                         const char *reason);
void keel_members_real(struct keel_members *decision, const char *name, double value);
void keel_decision_end(struct keel_members *decision);

/* Notes values of `count` threads in loops at `site` from now on, under the counter's name: "rate"
 * or "share". */
void keel_note_counters(const char *name, struct keel_site *site, const double *value,
                        size_t count);

#endif
