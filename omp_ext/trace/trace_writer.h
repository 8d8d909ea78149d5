/* Writing of the trace, in JSON or, for chunks alone, in CSV: timelines become pieces of the file
 * while the program runs.
 *
 *   timelines -> [text, names, budget of events] -> pieces -> KEEL_TRACE's file
 *
 * A failure never ends the program: Keel prints one message and stops tracing; the file up to then
 * can be read. In a child of fork() nothing is written. */
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

/* --- the timeline of a thread ---
 *
 * A buffer of fixed size for its events until they are written.
 *
 *   trace_notes.c -> [timeline of the thread] -> trace_writer.c
 *
 * Its thread appends without locks. Others may write it to the file at any time; they and the
 * thread take turns by `busy`. A later thread reuses the timeline of an ended one, so there are at
 * most as many as threads at a time. */

#define KEEL_TIMELINES_MAX 1024   /* threads at a time; others are not traced */
#define KEEL_TIMELINE_EVENTS 1024 /* places: 64 KiB */
/* For chunks alone: 4 MiB, touched as they fill, so that the search for names, which allocates in
 * the program's heap, begins after 1 s unless chunks are very short. */
#define KEEL_TIMELINE_CHUNKS 65536
#define KEEL_TIMELINE_TEXT 57344 /* bytes of text at a time */

/* A thread's wait at the end of a region: the thread knows its beginning, the encountering thread
 * its end. Written by its thread, and emptied by the thread that takes it. */
struct keel_region_wait {
    _Atomic uint64_t region; /* number; 0 if the thread does not wait. Written last */
    _Atomic uint64_t began;  /* ticks */
    _Atomic(struct keel_site *) site;
};

struct keel_timeline {
    /* Written by its thread. */
    struct keel_event *event;
    _Atomic uint32_t used;        /* places; read by others */
    _Atomic uint64_t dropped;     /* events without room; read by others */
    uint32_t number;              /* of the thread in the trace; 0: the initial one */
    uint64_t joined_at;           /* ticks: another thread may have used the timeline before */
    uint64_t written_at;          /* ticks */
    uint64_t constructs;          /* of the last region that the thread has ended */
    uint64_t serial_instance;     /* of its last loop outside of all regions */
    struct keel_region_wait wait; /* at the end of its last region */
    /* Guarded by `busy`. */
    _Alignas(64) atomic_flag busy;
    uint32_t written; /* places */
    bool is_named;    /* the file contains the thread's name */
    char *text;       /* KEEL_TIMELINE_TEXT and more bytes */
    /* Written by owners, as they begin and end. */
    atomic_bool in_use;
};

/* Call first. places: of each timeline. leave: is called with a thread's timeline when the thread
 * ends. */
void keel_timeline_begin(uint32_t places, void (*leave)(struct keel_timeline *timeline));

/* The calling thread's timeline. member: its number in its team, which becomes its number in the
 * trace if that is free. NULL if there are too many or there is no memory. */
struct keel_timeline *keel_timeline_own(uint32_t member);

/* The timeline of that number, of any thread; NULL if there has been none. */
struct keel_timeline *keel_timeline_of(uint32_t number);

/* Appends an event with its text, or counts it in `dropped` if there is no room. Returns whether to
 * write the timeline now: it is nearly full, or was last written long ago. */
bool keel_timeline_add(struct keel_timeline *timeline, const struct keel_event *event,
                       const char *text);

/* Counts an event that was left out. Called by its thread. */
void keel_timeline_drop(struct keel_timeline *timeline);

/* --- waits at the ends of regions --- */

/* The thread begins to wait at `began`, ticks. */
void keel_region_wait_begin(struct keel_region_wait *wait, uint64_t region, struct keel_site *site,
                            uint64_t began);

/* All threads of the region have arrived at `now`, ticks. */
void keel_region_wait_over(uint64_t region, uint64_t now);

/* Makes an event of a wait that has ended, once. by: ticks at which it has ended at the latest, as
 * its thread is doing something else; 0 if not known. False if there is none. Any thread. */
bool keel_region_wait_take(struct keel_region_wait *wait, uint64_t by, struct keel_event *event);

/* --- the writer --- */

/* The events that are still recorded; others are counted. Chunks may fill three quarters of the
 * file: the rest is for the loops and waits of long programs. */
enum keel_trace_state {
    KEEL_TRACE_OFF,       /* nothing: not requested, failed, or ended */
    KEEL_TRACE_FULL,      /* nothing */
    KEEL_TRACE_NO_CHUNKS, /* all but chunks */
    KEEL_TRACE_ON
};

extern _Atomic(enum keel_trace_state) keel_trace_state;

/* relaxed: publishes no other data; events recorded without need are dropped later */
static inline enum keel_trace_state keel_trace_writer_state(void)
{
    return atomic_load_explicit(&keel_trace_state, memory_order_relaxed);
}

/* For CSV: all events but chunks are left out on writing. Set before the state. */
extern bool keel_trace_chunks_only;

/* Whether events other than chunks are recorded. */
static inline bool keel_trace_writer_is_on(void)
{
    return keel_trace_writer_state() >= KEEL_TRACE_NO_CHUNKS;
}

/* Whether events are recorded or counted. */
static inline bool keel_trace_writer_begun(void)
{
    return keel_trace_writer_state() != KEEL_TRACE_OFF;
}

/* Records regions, loops, chunks and waits in their threads' timelines. */
extern const struct keel_observer keel_trace_observer;

/* Stores the process that loads the library. */
void keel_trace_writer_loaded(void);

/* Opens the file at the first call, if the settings name one. Returns whether anything is traced.
 * Any thread. Never opens it in a child of fork(). */
bool keel_trace_writer_begin(void);

/* Sets rank, ranks and clock offset, as keel_trace_ranks.place(). */
void keel_trace_writer_place(int rank, int ranks, int64_t offset_ns);

/* Writes the calling thread's timeline, and empties it. */
void keel_trace_writer_write_own(struct keel_timeline *timeline);

/* Writes all timelines. */
void keel_trace_writer_write_all(void);

/* Writes all timelines if that was last done more than 1 s before `now`, ticks. */
void keel_trace_writer_tick(uint64_t now);

/* Writes all timelines and ends the trace. quickly: stdio's buffers are not flushed. */
void keel_trace_writer_end(bool quickly);

/* --- recording of events in the calling thread, for the trace in JSON ---
 *
 *   observers, decisions of schedules, callers of trace_ranks.h -> [events] -> timeline -> file
 *
 * Call these functions only if keel_notes_wanted(): they search for names at once, which allocates
 * in the program's heap. */

static inline bool keel_notes_wanted(void)
{
    return __builtin_expect(keel_trace_writer_is_on(), 0) && !keel_trace_chunks_only;
}

/* The text of one event: "name":...,"cat":...,"ph":...,"args":{...}. Members without room are left
 * out; strings are cut. */
struct keel_members {
    struct keel_json_text json;
    bool any; /* args has a member already */
    char memory[KEEL_EVENT_TEXT_MAX];
};

/* Records a decision about a loop; between begin and end, the caller adds numbers to args. */
void keel_decision_begin(struct keel_members *decision, const char *name, struct keel_site *site,
                         const char *reason);
void keel_members_real(struct keel_members *decision, const char *name, double value);
void keel_decision_end(struct keel_members *decision);

/* Records values of `count` threads in loops at `site` from now on. name: of the counter, "rate" or
 * "share". */
void keel_note_counters(const char *name, struct keel_site *site, const double *value,
                        size_t count);

#endif
