/* The data of a trace: the activities of each thread over time.
 *
 *   files of KEEL_TRACE -> lines -> events -> [trace data] -> plots, page
 *
 * Names are numbers in `names`, KEEL_NAME_LIST_NONE without one. One thread. */
#ifndef OMP_EXT_COMMAND_TRACE_TRACE_H
#define OMP_EXT_COMMAND_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_NAME_LIST_NONE UINT32_MAX

/* --- data --- */

#define KEEL_TRACE_DATA_LEVELS_MAX 8 /* regions within regions; deeper ones count as the last */

enum keel_span_kind {
    KEEL_SPAN_REGION, /* a thread's part in a parallel region */
    KEEL_SPAN_LOOP,   /* a thread's part in an instance of a loop */
    KEEL_SPAN_CHUNK,
    KEEL_SPAN_WAIT,
    KEEL_SPAN_CALL, /* of MPI */
    KEEL_SPAN_MOVE, /* iterations or rows come to a rank */
    KEEL_SPAN_KINDS
};

struct keel_span {
    int64_t start_ns; /* since the trace began, once keel_trace_data_finish() has been called */
    int64_t length_ns;
    /* Of a region, a loop and a chunk: a number of the process's; once keel_trace_data_finish() has
     * been called, 0, 1, 2 ... for the instances of one loop in one process. */
    uint64_t instance;
    uint64_t first, last; /* iterations or rows, without the last; of a loop all of it */
    uint64_t amount;      /* threads of a region or loop; bytes of a move */
    uint32_t lane;        /* index of the thread */
    uint32_t name;        /* of the region, loop or call; of a wait, its loop's */
    uint32_t text;        /* schedule of a loop; where a wait or call is; what a move moves */
    uint32_t from, to;    /* ranks of a move */
    uint8_t kind;         /* enum keel_span_kind */
    uint8_t level;        /* regions around its innermost one, 0 or more */
    bool work; /* the thread computed all the time: chunks, and what nothing is known in */
};

/* A process of the trace: a rank. Processes of several files are never the same; they are in the
 * order in which they came. */
struct keel_trace_data_process {
    int64_t pid; /* as in the trace: the rank */
    uint32_t name;
    unsigned file; /* index of the file */
};

/* A thread. Its spans are in the order of their starts, outer ones first. */
struct keel_trace_data_lane {
    uint32_t process; /* index */
    int64_t tid;
    uint32_t name;
    size_t first_span, spans; /* set by keel_trace_data_finish() */
};

/* A value that holds from that time on. */
struct keel_trace_data_point {
    int64_t time_ns;
    double value;
    uint32_t process;
    uint32_t counter; /* "rate", "share" */
    uint32_t series;  /* "thread 0", or the counter's name */
    uint32_t loop;    /* that it is about, if one */
};

struct keel_trace_data_decision {
    int64_t time_ns;
    uint32_t lane;
    uint32_t name;
    uint32_t text; /* its numbers and reasons: a JSON object as text */
};

/* Names, kept once each, with numbers in the order in which they came. */
struct keel_name_list {
    uint32_t count;
    char **name;
};

/* All zero: an empty one. */
struct keel_trace_data {
    struct keel_name_list names;
    struct json_t *known_names; /* their numbers */
    struct keel_trace_data_process *process;
    struct keel_trace_data_lane *lane;
    struct keel_span *span;
    struct keel_trace_data_point *point;
    struct keel_trace_data_decision *decision;
    size_t processes, lanes, spans, points, decisions;
    uint64_t missing;  /* events that the trace lacks, as it says */
    bool has_clock;    /* it is known which clock times are of: */
    uint32_t boot;     /* that since this boot of a machine, */
    uint32_t job;      /* and of rank 0 of this job; */
    int64_t epoch_us;  /* what that clock is off the time of day */
    int64_t offset_ns; /* from the clock of the file that is read to it */
    int64_t begin_ns;  /* the first time of all, while the trace is read */
    int64_t end_ns;    /* the last one; since the trace began, once it is finished */
};

/* The name; "" if there is none. */
const char *keel_trace_data_text(const struct keel_trace_data *data, uint32_t name);

/* After the last event: orders lanes and spans, lets time begin at 0, numbers the
 * instances of each loop, and finds levels and work. */
void keel_trace_data_finish(struct keel_trace_data *data);

void keel_trace_data_end(struct keel_trace_data *data);

/* --- reading --- */

/* Reads the files, a list that NULL ends, into one data, which is to be ended. In place of FILE,
 * the files FILE.0, FILE.1, ... of a job's ranks are read if they are newer. A file that is cut off
 * is used up to there; lines without events are left out; both are reported. Returns false, after a
 * message, if a file can't be read, or has no spans. */
bool keel_trace_reader_read(struct keel_trace_data *data, char *const *path);

/* Adds the event of a line to the data, as one of file `file`: one event in Chrome's Trace
 * Event Format, or the brackets around them. Events of kinds that Keel does not write are passed
 * over. `line` has `length` bytes, without a line feed, and is changed. False: the line holds no
 * event.
 *
 *   {"name":"hydro.c:42","cat":"chunk","ph":"X","pid":0,"tid":1,"ts":10.250,"dur":3.125,
 *    "args":{"instance":4,"first":128,"last":160}} */
bool keel_json_event_take(struct keel_trace_data *data, unsigned file, char *line, size_t length);

/* --- loops --- */

/* The name of the loop that `place` means: the whole name, or its end behind a '/', "hydro.c:42",
 * or a part of it; NULL: any. Of several, that with most work. Returns KEEL_NAME_LIST_NONE if there
 * is none, after a message about the place. */
uint32_t keel_trace_loop(const struct keel_trace_data *data, const char *place);

/* --- labels --- */

/* What people call the processes and threads of a trace, and files made of it. */

#define KEEL_TRACE_LABEL_MAX 1100 /* bytes, with the 0 at the end */

/* "rank 0 on node: program", or "rank 0"; with the number of its file where two files have the same
 * rank. */
void keel_trace_label_process(const struct keel_trace_data *data, uint32_t process, char *label);

/* "thread 1" */
void keel_trace_label_thread(const struct keel_trace_data *data, uint32_t lane, char *label);

/* "run" for "results/run.json": what files that are made of the trace are called, without their
 * endings. */
void keel_trace_label_file(const char *path, char *label);

#endif
