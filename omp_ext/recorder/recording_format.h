/* What a recording holds: bytes that the recorder writes while the program runs, in memory or in a
 * mapped file, and that recording_reader.c makes figures of, in the process or after it has been
 * killed.
 *
 *   header | object | object | ...     each begins on a multiple of KEEL_RECORDING_ALIGNMENT
 *
 * Objects refer to each other by where they begin; 0: to none. Times are in ticks. Counters of one
 * event may be read while they change: they are then off by that event. Numbers are in the byte
 * order of the machine. */
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
    uint32_t complete; /* 1: the program has come to its end */
    int64_t pid;
    uint64_t start; /* when recording began */
    double seconds_per_tick;
    double before_s;          /* time of the process before that */
    uint32_t threads;         /* of the largest team */
    uint32_t places_left_out; /* events of places that there was no room for */
    int32_t rank, ranks;
    char program[256], host[64];
    char job[128]; /* as its launcher calls it; "": none tells */
    /* Written by the thread that runs outside of regions, and by thread 0 of each team. */
    _Alignas(64) _Atomic uint64_t last; /* the latest event */
    uint64_t parallel;                  /* time in regions that the initial thread has met */
    uint64_t forked;                    /* when it met the one that runs; 0: none does */
    _Alignas(64) _Atomic uint64_t used; /* bytes; complete ones, header included */
};

enum keel_recording_type { KEEL_RECORDING_PLACE = 1, KEEL_RECORDING_ENTRY };

/* How each object begins. */
struct keel_recording_object {
    uint32_t type;
    uint32_t bytes; /* in all; a multiple of the alignment */
};

/* Where something stands in the program. */
struct keel_recording_place {
    struct keel_recording_object object;
    uint32_t line;          /* 0: not known */
    _Atomic uint32_t named; /* 1: what follows is known, as far as it can be */
    char address[192];      /* in its module: "mandel+0x1234" */
    char function[384];
    char file[512];
};

/* What a loop runs under. */
struct keel_recording_schedule {
    uint32_t under_keel;
    uint32_t asked; /* bytes of the text that say what was asked for: "auto" in "auto: steal" */
    char text[200];
};

/* Whether both have asked for the same, whatever that came to. */
static inline bool keel_recording_asks_the_same(const struct keel_recording_schedule *one,
                                                const struct keel_recording_schedule *other)
{
    return one->asked == other->asked && one->asked <= sizeof one->text &&
           memcmp(one->text, other->text, one->asked) == 0;
}

/* One thread's part in an entry. Written by it; by thread 0 when an instance has joined. Of short
 * regions that come often, some instances stand for the ones before them that are not recorded:
 * everything in them counts as many times. */
struct keel_recording_thread {
    uint64_t busy, waited;
    uint64_t instances;
    uint64_t chunks;
    union {
        struct {                 /* loops and parts */
            uint64_t span;       /* from its start to its end, the wait there included */
            double span_squares; /* ticks^2 */
            uint64_t iterations;
            uint64_t unused;
        };
        struct { /* regions; `waited` is at barriers */
            uint64_t waited_at_end;
            uint64_t busy_at_end; /* behind the last loop or barrier, where there was one */
            uint64_t ended;       /* when it ended its part of the instance that runs; 0: it
                                     has not */
            uint64_t unused_of_region;
        };
    };
};

enum keel_recording_kind {
    KEEL_RECORDING_REGION = KEEL_REPORT_REGION,
    KEEL_RECORDING_LOOP = KEEL_REPORT_LOOP,
    KEEL_RECORDING_PART = KEEL_REPORT_PART,
    KEEL_RECORDING_OUTSIDE, /* what stands around serial loops; says nothing by itself */
};

/* What happens at one place of one region. Teams that run the same code at the same time have
 * entries of their own, and so have teams that are larger than `room`. */
struct keel_recording_entry {
    struct keel_recording_object object;
    uint32_t kind;
    uint32_t room; /* threads */
    uint64_t place;
    uint64_t region; /* entry of the region that it stands in; 0: it is one */
    uint32_t nested; /* region: it has been within another one */
    uint32_t mixed;  /* it has run under several schedules */
    uint32_t has_schedule;
    uint32_t unused;
    uint64_t loop_iterations; /* of whole loops; 0: not known */
    uint64_t last_nowait; /* region: loop without a barrier that was last before its end; 0: none */
    /* Of regions, by the thread that meets the construct. */
    uint64_t instances; /* that have joined */
    uint64_t weighed;   /* of these, what the recorded ones stand for */
    uint64_t recorded;
    uint64_t elapsed;
    double elapsed_squares; /* ticks^2 */
    uint64_t forked;        /* when the one began that runs now; 0: none does */
    /* What an instance waits, ticks, as the mean of its threads: by thread 0, of those instances
     * that it looks at, at the barrier of a loop or part; of regions, at their end. */
    struct keel_median waits;
    struct keel_recording_schedule schedule; /* if it has one: the last, by thread 0 */
    struct keel_recording_thread thread[];
};

_Static_assert(sizeof(struct keel_recording_thread) == 64, "one cache line");
_Static_assert(sizeof(struct keel_recording_entry) % 64 == 0, "threads begin on a cache line");

/* --- figures of a recording, whether the process that makes it still runs or was killed ---
 *
 *   bytes of a recording (recording_format.h) -> keel_recording_report() -> report_data.h
 *
 * The bytes may have been cut off, or be anything else: they are not trusted. */

/* Adds the process of the recording in `bytes`, which has to be aligned to 64, and is not used any
 * longer. The time for chunks is part of what threads are busy, and what nobody has recorded, such
 * as suggestions, is 0 or "". NULL: it is no recording, or memory is short. */
struct keel_report_process *keel_recording_report(const void *bytes, size_t length,
                                                  struct keel_report_document *document);

#endif
