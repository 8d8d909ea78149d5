/* The format of a recording: the recorder writes it while the program runs, in memory or in a
 * mapped file; recording_reader.c reads it, in the process or after that was killed.
 *
 *   header | object | object | ...     each begins on a multiple of KEEL_RECORDING_ALIGNMENT
 *
 * Objects refer to each other by offset; 0 is no object. Times are in ticks. Counters may be read
 * while an event changes them: they are then off by that event. Numbers are in the byte order of
 * the machine. */
#ifndef OMP_EXT_RECORDER_RECORDING_FORMAT_H
#define OMP_EXT_RECORDER_RECORDING_FORMAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_data.h"
#include "schedules/arithmetic/arithmetic.h"

#define KEEL_RECORDING_MAGIC "KEELREC"
#define KEEL_RECORDING_VERSION 5
#define KEEL_RECORDING_ALIGNMENT 64
#define KEEL_RECORDING_BYTES_MAX (UINT64_C(64) << 20)
#define KEEL_RECORDING_TEXT_MAX 640 /* bytes of a text that readers put together */
#define KEEL_RECORDING_THREADS_MAX (UINT32_C(1) << 16) /* of a team */

/* The first bytes. */
struct keel_recording_header {
    char magic[8];
    uint32_t version;
    uint32_t complete; /* 1: the program has ended normally */
    int64_t pid;
    uint64_t start; /* when recording began */
    double seconds_per_tick;
    double before_s;          /* run time of the process before `start` */
    uint32_t threads;         /* of the largest team */
    uint32_t places_left_out; /* events of places that were dropped for lack of room */
    int32_t rank, ranks;
    char program[256], host[64];
    char job[128]; /* the launcher's name of it; "" if there is none */
    /* Written by the thread that runs outside of regions, and by thread 0 of each team. */
    _Alignas(64) _Atomic uint64_t last; /* the latest event */
    uint64_t parallel;                  /* time in regions of the initial thread */
    uint64_t forked;                    /* start of its running region; 0 if there is none */
    _Alignas(64) _Atomic uint64_t used; /* bytes of complete objects, header included */
};

enum keel_recording_type { KEEL_RECORDING_PLACE = 1, KEEL_RECORDING_ENTRY };

/* The first member of each object. */
struct keel_recording_object {
    uint32_t type;
    uint32_t bytes; /* whole object; a multiple of the alignment */
};

/* A source position of a region, loop or barrier. */
struct keel_recording_place {
    struct keel_recording_object object;
    uint32_t line;          /* 0: not known */
    _Atomic uint32_t named; /* 1: the members below are set, if they can be known */
    char address[192];      /* offset in its module: "mandel+0x1234" */
    char function[384];
    char file[512];
};

/* The schedule of a loop. */
struct keel_recording_schedule {
    uint32_t under_keel;
    uint32_t asked; /* length of the requested schedule in the text: "auto" in "auto: steal" */
    char text[200];
};

/* Whether both requested the same schedule; the schedule that was chosen for it may differ. */
static inline bool keel_recording_asks_the_same(const struct keel_recording_schedule *one,
                                                const struct keel_recording_schedule *other)
{
    return one->asked == other->asked && one->asked <= sizeof one->text &&
           memcmp(one->text, other->text, one->asked) == 0;
}

/* One thread's part in an entry. Written by that thread, and by thread 0 after the join of an
 * instance. Frequent short regions are sampled: a recorded instance is weighted with the number of
 * unrecorded ones before it. */
struct keel_recording_thread {
    uint64_t busy, waited;
    uint64_t instances;
    uint64_t chunks;
    union {
        struct {                 /* loops and parts */
            uint64_t span;       /* from start to end, including the wait there */
            double span_squares; /* ticks^2 */
            uint64_t iterations;
            uint64_t unused;
        };
        struct { /* regions; `waited` is at barriers */
            uint64_t waited_at_end;
            uint64_t busy_at_end; /* after the last loop or barrier, if there was one */
            uint64_t ended;       /* end of its part of the running instance; 0 before */
            uint64_t unused_of_region;
        };
    };
};

enum keel_recording_kind {
    KEEL_RECORDING_REGION = KEEL_REPORT_REGION,
    KEEL_RECORDING_LOOP = KEEL_REPORT_LOOP,
    KEEL_RECORDING_PART = KEEL_REPORT_PART,
    KEEL_RECORDING_OUTSIDE, /* around serial loops; carries no data of its own */
};

/* The measurements of one construct of one region. Teams that run the same code at the same time
 * have separate entries, and so have teams larger than `room`. */
struct keel_recording_entry {
    struct keel_recording_object object;
    uint32_t kind;
    uint32_t room; /* threads */
    uint64_t place;
    uint64_t region; /* entry of the enclosing region; 0: it is a region itself */
    uint32_t nested; /* region: it has run inside another one */
    uint32_t mixed;  /* it has run under several schedules */
    uint32_t has_schedule;
    uint32_t unused;
    uint64_t loop_iterations; /* of whole loops; 0: not known */
    uint64_t last_nowait;     /* region: last loop before its end, if without a barrier; or 0 */
    /* Regions only, written by the encountering thread. */
    uint64_t instances; /* that have joined */
    uint64_t weighed;   /* of these: recorded ones times their weights */
    uint64_t recorded;
    uint64_t elapsed;
    double elapsed_squares; /* ticks^2 */
    uint64_t forked;        /* start of the running instance; 0 if there is none */
    /* Median wait per instance, ticks, mean of its threads. At a region's end, or at the barrier of
     * a loop or part: there thread 0 samples instances. */
    struct keel_median waits;
    struct keel_recording_schedule schedule; /* the last one, if any; written by thread 0 */
    struct keel_recording_thread thread[];
};

_Static_assert(sizeof(struct keel_recording_thread) == 64, "one cache line");
_Static_assert(sizeof(struct keel_recording_entry) % 64 == 0, "threads begin on a cache line");

/* --- report data of a recording, whether its process still runs or was killed ---
 *
 *   bytes of a recording (recording_format.h) -> keel_recording_report() -> report_data.h
 *
 * The bytes may be truncated or arbitrary: they are not trusted. */

/* Adds the process of the recording in `bytes`, which has to be aligned to 64 and is not used after
 * the call. Busy times include the time to get chunks; members that are not recorded, such as
 * suggestions, are 0 or "". Returns NULL if it is no recording or memory is short. */
struct keel_report_process *keel_recording_report(const void *bytes, size_t length,
                                                  struct keel_report_document *document);

#endif
