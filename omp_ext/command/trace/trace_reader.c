/* Files of KEEL_TRACE: which members of which events become which fields of
 * the data, and what is said of files that are damaged. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/trace/trace.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- arrays that grow --- */

#define ADD(data, array, count, ...)                                                         \
    ((data)->array = keel_command_room((data)->array, (data)->count, sizeof *(data)->array), \
     (data)->array[(data)->count++] = (__VA_ARGS__))

/* The number of `name` in data->names, whatever its bytes are. */
static uint32_t number_of_name(struct keel_trace_data *data, const char *name)
{
    data->known_names = data->known_names != NULL ? data->known_names : json_object();
    const json_t *number = json_object_get(data->known_names, name);
    if (number != NULL) {
        return (uint32_t)json_integer_value(number);
    }
    json_object_set_new_nocheck(data->known_names, name, json_integer(data->names.count));
    ADD(data, names.name, names.count, keel_command_text("%s", name));
    return data->names.count - 1;
}

/* Index of a process, which is added if it is not there; the latest one is the likeliest. */
static uint32_t process_of(struct keel_trace_data *data, unsigned file, int64_t pid)
{
    for (size_t i = data->processes; i-- > 0;) {
        if (data->process[i].file == file && data->process[i].pid == pid) {
            return (uint32_t)i;
        }
    }
    ADD(data, process, processes,
        (struct keel_trace_data_process){.pid = pid, .name = KEEL_NAME_LIST_NONE, .file = file});
    return (uint32_t)data->processes - 1;
}

/* The same of a thread. A process has at most 1024 of them. */
static uint32_t lane_of(struct keel_trace_data *data, unsigned file, int64_t pid, int64_t tid)
{
    uint32_t process = process_of(data, file, pid);

    for (size_t i = data->lanes; i-- > 0;) {
        if (data->lane[i].process == process && data->lane[i].tid == tid) {
            return (uint32_t)i;
        }
    }
    ADD(data, lane, lanes,
        (struct keel_trace_data_lane){.process = process, .tid = tid, .name = KEEL_NAME_LIST_NONE});
    return (uint32_t)data->lanes - 1;
}

/* --- events in JSON --- */

#define EPOCH_MAX_US 4000000000000000 /* more than 100 years */
#define TIME_MAX_US 1e15              /* 31 years */
#define ARGUMENTS_MAX 4096            /* bytes of a decision's numbers and reasons */

struct event {
    struct keel_trace_data *data;
    unsigned file;
    json_t *object, *arguments;
    int64_t pid, tid;
    double time_us, length_us;
};

/* --- members --- */

static double real_of(const json_t *object, const char *member, double otherwise)
{
    const json_t *value = json_object_get(object, member);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* 0: there is none, or it is negative. */
static uint64_t count_of(const json_t *object, const char *member)
{
    json_int_t value = json_integer_value(json_object_get(object, member));

    return value > 0 ? (uint64_t)value : 0;
}

static int64_t number_of(const json_t *object, const char *member)
{
    return json_integer_value(json_object_get(object, member));
}

static const char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));

    return text != NULL ? text : "";
}

/* KEEL_NAME_LIST_NONE where the member is not there. */
static uint32_t name_of(const struct event *event, const json_t *object, const char *member)
{
    const char *text = text_of(object, member);

    return text[0] != '\0' ? number_of_name(event->data, text) : KEEL_NAME_LIST_NONE;
}

static int64_t ns_of(double us)
{
    return (int64_t)llround(us * 1e3);
}

/* On the clock of the first file. What is added to the data is from then on, for that long. */
static int64_t time_of(const struct event *event, int64_t length_ns)
{
    struct keel_trace_data *data = event->data;
    int64_t time_ns = ns_of(event->time_us) + data->offset_ns, end_ns = time_ns + length_ns;
    bool first = data->spans + data->points + data->decisions == 0;

    data->begin_ns = first || time_ns < data->begin_ns ? time_ns : data->begin_ns;
    data->end_ns = first || end_ns > data->end_ns ? end_ns : data->end_ns;
    return time_ns;
}

static bool is_time(double us)
{
    return us >= -TIME_MAX_US && us <= TIME_MAX_US;
}

/* --- kinds of events --- */

/* The times that are read from now on are of CLOCK_MONOTONIC since that boot of the machine, or of
 * rank 0 of that job, which is so far off the time of day, us. The clock of the first file counts;
 * others are as far from it as the times of day say. */
static void take_clock(const struct event *event)
{
    struct keel_trace_data *data = event->data;
    const json_t *epoch = json_object_get(event->arguments, "epoch_us");
    int64_t epoch_us = json_integer_value(epoch);
    uint32_t boot = name_of(event, event->arguments, "boot");
    bool of_rank_0 = strcmp(text_of(event->arguments, "clock"), "rank 0") == 0;
    uint32_t job = of_rank_0 ? name_of(event, event->arguments, "job") : KEEL_NAME_LIST_NONE;

    if (boot == KEEL_NAME_LIST_NONE || !json_is_integer(epoch) || epoch_us > EPOCH_MAX_US ||
        epoch_us < -EPOCH_MAX_US) {
        return;
    }
    if (!data->has_clock) {
        data->has_clock = true;
        data->boot = boot;
        data->job = job;
        data->epoch_us = epoch_us;
    }
    bool same = data->boot == boot || (job != KEEL_NAME_LIST_NONE && data->job == job);
    data->offset_ns = same ? 0 : (epoch_us - data->epoch_us) * 1000;
}

/* Threads and ranks get their names. */
static bool take_name(const struct event *event)
{
    const char *what = text_of(event->object, "name");
    struct keel_trace_data *data = event->data;

    if (strcmp(what, "keel_trace") == 0) {
        take_clock(event);
    } else if (strcmp(what, "process_name") == 0) {
        uint32_t process = process_of(data, event->file, event->pid);
        data->process[process].name = name_of(event, event->arguments, "name");
    } else if (strcmp(what, "thread_name") == 0) {
        uint32_t lane = lane_of(data, event->file, event->pid, event->tid);
        data->lane[lane].name = name_of(event, event->arguments, "name");
    }
    return true;
}

static const char *const kinds[KEEL_SPAN_KINDS] = {
    [KEEL_SPAN_REGION] = "region", [KEEL_SPAN_LOOP] = "loop", [KEEL_SPAN_CHUNK] = "chunk",
    [KEEL_SPAN_WAIT] = "wait",     [KEEL_SPAN_CALL] = "mpi",  [KEEL_SPAN_MOVE] = "move",
};

/* A thread that writes the trace waits, too. */
static unsigned kind_of(const json_t *object)
{
    const char *category = text_of(object, "cat");
    unsigned kind = 0;

    if (strcmp(category, "trace") == 0) {
        return KEEL_SPAN_WAIT;
    }
    while (kind < KEEL_SPAN_KINDS && strcmp(kinds[kind], category) != 0) {
        kind++;
    }
    return kind;
}

/* "auto: fac2", if a schedule runs another one. */
static uint32_t schedule_of(const struct event *event, const json_t *arguments)
{
    const char *runs = text_of(arguments, "runs");
    char text[512];

    if (runs[0] == '\0') {
        return name_of(event, arguments, "schedule");
    }
    snprintf(text, sizeof text, "%.200s: %.200s", text_of(arguments, "schedule"), runs);
    return number_of_name(event->data, text);
}

/* Members that a kind has not are 0. */
static void take_arguments(const struct event *event, struct keel_span *span)
{
    const json_t *arguments = event->arguments;
    bool loop = span->kind == KEEL_SPAN_LOOP, move = span->kind == KEEL_SPAN_MOVE;
    bool call = span->kind == KEEL_SPAN_CALL;

    span->instance = count_of(arguments, "instance");
    span->amount = count_of(arguments, move ? "bytes" : "threads");
    span->first = count_of(arguments, "first");
    span->last = count_of(arguments, loop ? "iterations" : "last");
    span->last = span->last > span->first ? span->last : span->first;
    span->from = (uint32_t)count_of(arguments, "from");
    span->to = (uint32_t)count_of(arguments, "to");
    span->text = loop   ? schedule_of(event, arguments)
                 : move ? name_of(event, arguments, "what")
                        : name_of(event, arguments, call ? "place" : "at");
    if (span->kind == KEEL_SPAN_WAIT) {
        span->name = name_of(event, arguments, "loop");
        span->text =
            span->text != KEEL_NAME_LIST_NONE ? span->text : name_of(event, event->object, "name");
    }
}

static bool take_span(const struct event *event)
{
    unsigned kind = kind_of(event->object);

    if (kind == KEEL_SPAN_KINDS) {
        return true;
    }
    if (!is_time(event->time_us) || !(event->length_us >= 0 && event->length_us <= TIME_MAX_US)) {
        return false;
    }
    int64_t length_ns = ns_of(event->time_us + event->length_us) - ns_of(event->time_us);
    struct keel_span span = {
        .start_ns = time_of(event, length_ns),
        .length_ns = length_ns,
        .lane = lane_of(event->data, event->file, event->pid, event->tid),
        .name = name_of(event, event->object, "name"),
        .kind = (uint8_t)kind,
    };
    take_arguments(event, &span);
    ADD(event->data, span, spans, span);
    return true;
}

/* A counter has a value per thread, or one of its own name. */
static bool take_counter(const struct event *event)
{
    uint32_t process = process_of(event->data, event->file, event->pid);
    uint32_t counter = name_of(event, event->object, "name");
    uint32_t loop = name_of(event, event->object, "id");
    const char *series;
    json_t *value;

    if (!is_time(event->time_us)) {
        return false;
    }
    json_object_foreach(event->arguments, series, value)
    {
        if (json_is_number(value)) {
            ADD(event->data, point, points,
                (struct keel_trace_data_point){
                    .time_ns = time_of(event, 0),
                    .value = json_number_value(value),
                    .process = process,
                    .counter = counter,
                    .series = number_of_name(event->data, series),
                    .loop = loop,
                });
        }
    }
    return true;
}

static bool take_decision(const struct event *event)
{
    if (strcmp(text_of(event->object, "cat"), "trace") == 0) {
        event->data->missing += count_of(event->arguments, "events");
        return true;
    }
    if (strcmp(text_of(event->object, "cat"), "decision") != 0) {
        return true;
    }
    if (!is_time(event->time_us)) {
        return false;
    }
    char *text = event->arguments != NULL
                     ? json_dumps(event->arguments, JSON_COMPACT | JSON_REAL_PRECISION(12))
                     : NULL;
    struct keel_trace_data_decision decision = {
        .time_ns = time_of(event, 0),
        .lane = lane_of(event->data, event->file, event->pid, event->tid),
        .name = name_of(event, event->object, "name"),
        .text = number_of_name(event->data,
                               text != NULL && strlen(text) <= ARGUMENTS_MAX ? text : "{}"),
    };
    free(text);
    ADD(event->data, decision, decisions, decision);
    return true;
}

static bool take_event(const struct event *event)
{
    const char *phase = text_of(event->object, "ph");

    switch (phase[0] != '\0' && phase[1] == '\0' ? phase[0] : '\0') {
    case 'M':
        return take_name(event);
    case 'X':
        return take_span(event);
    case 'C':
        return take_counter(event);
    case 'i':
    case 'I':
        return take_decision(event);
    case '\0':
        return false;
    default:
        return true;
    }
}

/* --- lines --- */

/* The line without blanks around it and the comma behind it. */
static char *trimmed(char *line, size_t *length)
{
    size_t begin = 0, end = *length;

    while (begin < end && (line[begin] == ' ' || line[begin] == '\t')) {
        begin++;
    }
    while (begin < end && strchr(" \t\r", line[end - 1]) != NULL) {
        end--;
    }
    end -= begin < end && line[end - 1] == ',';
    *length = end - begin;
    return line + begin;
}

bool keel_json_event_take(struct keel_trace_data *data, unsigned file, char *line, size_t length)
{
    char *text = trimmed(line, &length);
    bool taken = false;

    if (length == 0 || (length == 1 && (text[0] == '[' || text[0] == ']'))) {
        return true;
    }
    json_t *object = json_loadb(text, length, 0, NULL);
    if (json_is_object(object)) {
        struct event event = {
            .data = data,
            .file = file,
            .object = object,
            .arguments = json_object_get(object, "args"),
            .pid = number_of(object, "pid"),
            .tid = number_of(object, "tid"),
            .time_us = real_of(object, "ts", NAN),
            .length_us = real_of(object, "dur", 0),
        };
        taken = take_event(&event);
    }
    json_decref(object);
    return taken;
}

/* --- files --- */

struct file {
    struct keel_trace_data *data;
    const char *path;
    unsigned number;
    size_t line;           /* number of the last one, from 1 */
    size_t bad, first_bad; /* lines without events, and the first one's number */
    bool ends_within;      /* the last line is cut off, and no event */
};

/* Without a line feed at its end, it is the file's last one. */
static void take_line(struct file *file, char *line, size_t length)
{
    bool cut = line[length - 1] != '\n';

    file->line++;
    if (keel_json_event_take(file->data, file->number, line, length - !cut)) {
        return;
    }
    if (cut) {
        file->ends_within = true;
        return;
    }
    file->first_bad = file->bad == 0 ? file->line : file->first_bad;
    file->bad++;
}

static void say_what_is_missing(const struct file *file, int error)
{
    if (error != 0) {
        keel_message("'%s' cannot be read to its end: %s; using what comes before", file->path,
                     strerror(error));
    } else if (file->ends_within) {
        keel_message("'%s' ends within line %zu; using what comes before", file->path, file->line);
    }
    if (file->bad > 0) {
        keel_message("'%s', line %zu: not an event of a trace; %zu such line%s left out",
                     file->path, file->first_bad, file->bad, file->bad == 1 ? " is" : "s are");
    }
}

static bool read_file(struct keel_trace_data *data, const char *path, unsigned number)
{
    struct file file = {.data = data, .path = path, .number = number};
    FILE *stream = fopen(path, "re");
    char *line = NULL;
    size_t spans = data->spans, room = 0;
    ssize_t length;
    int error = stream == NULL ? errno : 0;

    data->offset_ns = 0;
    while (error == 0 && (length = getline(&line, &room, stream)) > 0) {
        take_line(&file, line, (size_t)length);
    }
    free(line);
    if (stream != NULL) {
        error = ferror(stream) ? errno : error;
        fclose(stream);
    }
    if (data->spans > spans) {
        say_what_is_missing(&file, error);
        return true;
    }
    if (error != 0) {
        keel_message("'%s' cannot be read: %s", path, strerror(error));
    } else {
        keel_message("'%s' holds no trace of loops: expected what KEEL_TRACE=FILE.json writes, an "
                     "event a line",
                     path);
    }
    return false;
}

/* --- files of ranks --- */

/* Whether the first rank's file is there, and FILE itself is not, or is older. */
static bool is_of_ranks(const char *path)
{
    char first[PATH_MAX];
    struct stat whole, rank;
    int length = snprintf(first, sizeof first, "%s.0", path);

    return length < (int)sizeof first && stat(first, &rank) == 0 &&
           (stat(path, &whole) != 0 || whole.st_mtim.tv_sec < rank.st_mtim.tv_sec ||
            (whole.st_mtim.tv_sec == rank.st_mtim.tv_sec &&
             whole.st_mtim.tv_nsec < rank.st_mtim.tv_nsec));
}

/* What a trace in JSON begins with, up to the name of its program: its job. "": it is none. False,
 * and a message: it can't be read. */
static bool read_job(const char *path, char *job, size_t size)
{
    FILE *file = fopen(path, "re");

    job[file != NULL ? fread(job, 1, size - 1, file) : 0] = '\0';
    bool good = file != NULL && !ferror(file);
    if (!good) {
        keel_message("'%s' cannot be read: %s; it is left out", path, strerror(errno));
    }
    if (file != NULL) {
        fclose(file);
    }
    char *end = strstr(job, ",\"program\":");
    job[end != NULL ? end - job : 0] = '\0';
    return good;
}

/* What scandir() looks for, as its filter has no context: the file's name without its folder. */
static const char *wanted;

static int is_rank(const struct dirent *entry)
{
    size_t length = strlen(wanted);
    uint64_t unused;

    return strncmp(entry->d_name, wanted, length) == 0 && entry->d_name[length] == '.' &&
           keel_number_whole(entry->d_name + length + 1, 0, INT_MAX, &unused);
}

/* By rank. Files of other jobs, which have had more ranks, are left out. The first one that can be
 * read is of the job. */
static bool read_ranks(struct keel_trace_data *data, const char *path, unsigned *number)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".", file[PATH_MAX + 256], job[4096], other[4096];
    struct dirent **entry;
    bool known = false, good = false;

    wanted = slash != NULL ? slash + 1 : path;
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    }
    int count = scandir(folder, &entry, is_rank, versionsort);
    for (int i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, entry[i]->d_name);
        if (read_job(file, known ? other : job, sizeof job)) {
            good |= (!known || strcmp(job, other) == 0) && read_file(data, file, (*number)++);
            known = true;
        }
        free(entry[i]);
    }
    if (count >= 0) {
        free(entry);
    } else {
        keel_message("'%s' cannot be read: %s", folder, strerror(errno));
    }
    return good;
}

bool keel_trace_reader_read(struct keel_trace_data *data, char *const *path)
{
    unsigned number = 0;

    *data = (struct keel_trace_data){0};
    for (; *path != NULL; path++) {
        if (!(is_of_ranks(*path) ? read_ranks(data, *path, &number)
                                 : read_file(data, *path, number++))) {
            return false;
        }
    }
    if (data->missing > 0) {
        keel_message("%llu events were left out when the trace was written, as it says: it had no "
                     "more room",
                     (unsigned long long)data->missing);
    }
    keel_trace_data_finish(data);
    return true;
}
