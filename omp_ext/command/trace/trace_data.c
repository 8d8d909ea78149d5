/* What has been read: its order, what follows from that, and the names of what is in it. */
#define _GNU_SOURCE
#include "omp_ext/command/trace/trace.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

const char *keel_trace_data_text(const struct keel_trace_data *data, uint32_t name)
{
    return name < data->names.count ? data->names.name[name] : "";
}

/* --- order --- */

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* What qsort() compares by, as it has no context. */
static _Thread_local const struct keel_trace_data *ordered;

static int compare_lanes(const void *a, const void *b)
{
    const struct keel_trace_data_lane *left = a, *right = b;

    return left->process != right->process ? compare(left->process, right->process)
                                           : compare(left->tid, right->tid);
}

/* Outer spans before inner ones. */
static int compare_spans(const void *a, const void *b)
{
    const struct keel_span *left = a, *right = b;

    if (left->lane != right->lane) {
        return compare(left->lane, right->lane);
    }
    if (left->start_ns != right->start_ns) {
        return compare(left->start_ns, right->start_ns);
    }
    return left->length_ns != right->length_ns ? compare(right->length_ns, left->length_ns)
                                               : compare(left->kind, right->kind);
}

/* Of points, or of decisions, which begin with their times. */
static int compare_times(const void *a, const void *b)
{
    return compare(*(const int64_t *)a, *(const int64_t *)b);
}

/* The array of nothing may be NULL. */
static void sort(void *array, size_t count, size_t size,
                 int (*compare_by)(const void *, const void *))
{
    if (count > 0) {
        qsort(array, count, size, compare_by);
    }
}

/* By process and number, wherever they came first. */
static void order_lanes(struct keel_trace_data *data)
{
    uint32_t *place = keel_command_memory(data->lanes, sizeof *place); /* where lane i goes */

    for (size_t i = 0; i < data->lanes; i++) {
        data->lane[i].first_span = i; /* for a moment: where it was */
    }
    sort(data->lane, data->lanes, sizeof *data->lane, compare_lanes);
    for (size_t i = 0; i < data->lanes; i++) {
        place[data->lane[i].first_span] = (uint32_t)i;
        data->lane[i].first_span = 0; /* of a thread without spans, too */
    }
    for (size_t i = 0; i < data->spans; i++) {
        data->span[i].lane = place[data->span[i].lane];
    }
    for (size_t i = 0; i < data->decisions; i++) {
        data->decision[i].lane = place[data->decision[i].lane];
    }
    free(place);
}

static void order_spans(struct keel_trace_data *data)
{
    sort(data->span, data->spans, sizeof *data->span, compare_spans);
    for (size_t i = data->spans; i-- > 0;) {
        struct keel_trace_data_lane *lane = &data->lane[data->span[i].lane];
        lane->first_span = i;
        lane->spans++;
    }
    sort(data->point, data->points, sizeof *data->point, compare_times);
    sort(data->decision, data->decisions, sizeof *data->decision, compare_times);
}

/* --- time --- */

static void begin_at_zero(struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->spans; i++) {
        data->span[i].start_ns -= data->begin_ns;
    }
    for (size_t i = 0; i < data->points; i++) {
        data->point[i].time_ns -= data->begin_ns;
    }
    for (size_t i = 0; i < data->decisions; i++) {
        data->decision[i].time_ns -= data->begin_ns;
    }
    data->end_ns -= data->begin_ns;
}

/* --- regions within regions --- */

struct open_regions {
    unsigned count;
    int64_t end_ns[KEEL_TRACE_DATA_LEVELS_MAX];
};

/* A wait at a region's end is behind the region; other spans are within it. */
static unsigned level_of(const struct keel_trace_data *data, const struct open_regions *open,
                         const struct keel_span *span)
{
    bool outside = span->kind == KEEL_SPAN_REGION ||
                   (span->kind == KEEL_SPAN_WAIT &&
                    strcmp(keel_trace_data_text(data, span->text), "region end") == 0);
    unsigned level = outside ? open->count : open->count > 0 ? open->count - 1 : 0;

    return level < KEEL_TRACE_DATA_LEVELS_MAX ? level : KEEL_TRACE_DATA_LEVELS_MAX - 1;
}

static void find_levels(struct keel_trace_data *data, const struct keel_trace_data_lane *lane)
{
    struct open_regions open = {0};

    for (size_t i = 0; i < lane->spans; i++) {
        struct keel_span *span = &data->span[lane->first_span + i];
        while (open.count > 0 && open.end_ns[open.count - 1] <= span->start_ns) {
            open.count--;
        }
        span->level = (uint8_t)level_of(data, &open, span);
        if (span->kind == KEEL_SPAN_REGION && open.count < KEEL_TRACE_DATA_LEVELS_MAX) {
            open.end_ns[open.count++] = span->start_ns + span->length_ns;
        }
    }
}

/* Starts of the next loop and the next chunk of each level, seen from the end on. */
struct inner {
    int64_t loop_ns, chunk_ns;
};

static bool is_work(const struct keel_span *span, const struct inner *inner)
{
    int64_t end_ns = span->start_ns + span->length_ns;

    switch ((enum keel_span_kind)span->kind) {
    case KEEL_SPAN_CHUNK:
        return true;
    case KEEL_SPAN_LOOP:
        return inner->chunk_ns >= end_ns && span->length_ns > 0;
    case KEEL_SPAN_REGION:
        return inner->chunk_ns >= end_ns && inner->loop_ns >= end_ns && span->length_ns > 0;
    default:
        return false;
    }
}

/* Loops that no chunks are known of count as work, and regions in which nothing is known. */
static void find_work(struct keel_trace_data *data, const struct keel_trace_data_lane *lane)
{
    struct inner inner[KEEL_TRACE_DATA_LEVELS_MAX];

    for (size_t level = 0; level < KEEL_TRACE_DATA_LEVELS_MAX; level++) {
        inner[level] = (struct inner){.loop_ns = INT64_MAX, .chunk_ns = INT64_MAX};
    }
    for (size_t i = lane->spans; i-- > 0;) {
        struct keel_span *span = &data->span[lane->first_span + i];
        struct inner *own = &inner[span->level];
        span->work = is_work(span, own);
        if (span->kind == KEEL_SPAN_LOOP) {
            own->loop_ns = span->start_ns;
        } else if (span->kind == KEEL_SPAN_CHUNK) {
            own->chunk_ns = span->start_ns;
        }
    }
}

/* --- instances --- */

static bool has_instances(const struct keel_span *span)
{
    return span->kind == KEEL_SPAN_REGION || span->kind == KEEL_SPAN_LOOP ||
           span->kind == KEEL_SPAN_CHUNK;
}

/* Regions are called by their functions, as loops may be: they are different things. */
static int compare_owners(const struct keel_span *left, const struct keel_span *right)
{
    uint32_t one = ordered->lane[left->lane].process, other = ordered->lane[right->lane].process;

    if (one != other) {
        return compare(one, other);
    }
    if ((left->kind == KEEL_SPAN_REGION) != (right->kind == KEEL_SPAN_REGION)) {
        return left->kind == KEEL_SPAN_REGION ? -1 : 1;
    }
    return compare(left->name, right->name);
}

static int compare_instances(const void *a, const void *b)
{
    const struct keel_span *left = &ordered->span[*(const uint32_t *)a];
    const struct keel_span *right = &ordered->span[*(const uint32_t *)b];
    int order = compare_owners(left, right);

    return order != 0                         ? order
           : left->instance < right->instance ? -1
                                              : left->instance > right->instance;
}

static void number_instances(struct keel_trace_data *data)
{
    uint32_t *order = keel_command_memory(data->spans, sizeof *order);
    uint64_t number = 0, before = 0;
    size_t count = 0;

    for (uint32_t i = 0; i < data->spans; i++) {
        if (has_instances(&data->span[i])) {
            order[count++] = i;
        }
    }
    sort(order, count, sizeof *order, compare_instances);
    for (size_t i = 0; i < count; i++) {
        struct keel_span *span = &data->span[order[i]];
        bool same = i > 0 && compare_owners(&data->span[order[i - 1]], span) == 0;
        number = !same ? 0 : number + (span->instance != before);
        before = span->instance;
        span->instance = number;
    }
    free(order);
}

void keel_trace_data_finish(struct keel_trace_data *data)
{
    ordered = data;
    order_lanes(data);
    order_spans(data);
    number_instances(data);
    begin_at_zero(data);
    for (size_t i = 0; i < data->lanes; i++) {
        find_levels(data, &data->lane[i]);
        find_work(data, &data->lane[i]);
    }
}

void keel_trace_data_end(struct keel_trace_data *data)
{
    for (uint32_t i = 0; i < data->names.count; i++) {
        free(data->names.name[i]);
    }
    free(data->names.name);
    json_decref(data->known_names);
    free(data->process);
    free(data->lane);
    free(data->span);
    free(data->point);
    free(data->decision);
    *data = (struct keel_trace_data){0};
}

/* --- loops --- */

#define LOOPS_LISTED 8

/* How well a name fits: 3: it is the place; 2: the end of its path; 1: a part of it; 0: not at
 * all. */
static unsigned fit(const char *name, const char *place)
{
    size_t length = strlen(name), wanted = strlen(place);

    if (strcmp(name, place) == 0) {
        return 3;
    }
    if (length > wanted && strcmp(name + length - wanted, place) == 0 &&
        name[length - wanted - 1] == '/') {
        return 2;
    }
    return strstr(name, place) != NULL ? 1 : 0;
}

/* Of the names that have work, by number; KEEL_NAME_LIST_NONE: none fits. */
static uint32_t best_fit(const struct keel_trace_data *data, const char *place,
                         const double *work_ns)
{
    uint32_t found = KEEL_NAME_LIST_NONE;
    unsigned best = 1;

    for (uint32_t i = 0; i < data->names.count; i++) {
        unsigned own = place == NULL ? 1 : fit(data->names.name[i], place);
        if (work_ns[i] > 0 && own >= best &&
            (own > best || found == KEEL_NAME_LIST_NONE || work_ns[i] > work_ns[found])) {
            best = own;
            found = i;
        }
    }
    return found;
}

/* The loops that there are. */
static void say_not_found(const struct keel_trace_data *data, const char *place,
                          const double *work_ns)
{
    char text[1024] = "none";
    size_t length = 0, count = 0;

    for (uint32_t i = 0; i < data->names.count; i++) {
        if (work_ns[i] > 0 && count++ < LOOPS_LISTED) {
            length = keel_text_append(text, sizeof text, length, "%s%.100s", length > 0 ? ", " : "",
                                      data->names.name[i]);
        }
    }
    keel_message("no loop of the trace is called '%.200s'; there %s %s%s", place,
                 count == 1 ? "is" : "are", text, count > LOOPS_LISTED ? " and others" : "");
}

uint32_t keel_trace_loop(const struct keel_trace_data *data, const char *place)
{
    double *work_ns = keel_command_memory(data->names.count, sizeof *work_ns);

    for (size_t i = 0; i < data->spans; i++) {
        const struct keel_span *span = &data->span[i];
        if (span->work && span->name != KEEL_NAME_LIST_NONE) {
            work_ns[span->name] += (double)span->length_ns + 1e-3;
        }
    }
    uint32_t found = best_fit(data, place, work_ns);
    if (found == KEEL_NAME_LIST_NONE && place != NULL) {
        say_not_found(data, place, work_ns);
    }
    free(work_ns);
    return found;
}

/* --- labels --- */

static bool is_only_one(const struct keel_trace_data *data, uint32_t process)
{
    for (size_t i = 0; i < data->processes; i++) {
        if (i != process && data->process[i].pid == data->process[process].pid) {
            return false;
        }
    }
    return true;
}

void keel_trace_label_process(const struct keel_trace_data *data, uint32_t process, char *label)
{
    const struct keel_trace_data_process *it = &data->process[process];
    const char *name = keel_trace_data_text(data, it->name);
    char number[32] = "", file[32] = "";

    if (name[0] == '\0') {
        snprintf(number, sizeof number, "rank %" PRId64, it->pid);
    }
    if (!is_only_one(data, process)) {
        snprintf(file, sizeof file, ", file %u", it->file + 1);
    }
    snprintf(label, KEEL_TRACE_LABEL_MAX, "%s%s%s", name, number, file);
}

void keel_trace_label_thread(const struct keel_trace_data *data, uint32_t lane, char *label)
{
    const char *name = keel_trace_data_text(data, data->lane[lane].name);

    if (name[0] != '\0') {
        snprintf(label, KEEL_TRACE_LABEL_MAX, "%s", name);
    } else {
        snprintf(label, KEEL_TRACE_LABEL_MAX, "thread %" PRId64, data->lane[lane].tid);
    }
}

void keel_trace_label_file(const char *path, char *label)
{
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;

    snprintf(label, KEEL_TRACE_LABEL_MAX, "%s", base[0] != '\0' ? base : "trace");
    char *point = strrchr(label, '.');
    if (point != NULL && point != label) {
        *point = '\0';
    }
}
