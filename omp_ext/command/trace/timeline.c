/* Arrays that grow, and their order at the end. */
#include "omp_ext/command/trace/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 64

/* --- names --- */

uint32_t keel_timeline_name(struct keel_timeline *timeline, const char *name)
{
    return keel_name_list_number(&timeline->names, name);
}

const char *keel_timeline_text(const struct keel_timeline *timeline, uint32_t name)
{
    return name < timeline->names.count ? timeline->names.name[name] : "";
}

/* --- arrays --- */

/* Room for one more behind `count`: the capacity is the least power of two that holds them all.
 * False: there is none, or there are `most`. */
static bool make_room(void **array, size_t count, size_t size, size_t most)
{
    if (count >= most) {
        return false;
    }
    if ((count & (count - 1)) != 0) {
        return true;
    }
    void *larger = realloc(*array, (count > 0 ? 2 * count : 1) * size);
    if (larger == NULL) {
        return false;
    }
    *array = larger;
    return true;
}

#define ADD(timeline, array, count, most, ...)                                                  \
    (make_room((void **)&(timeline)->array, (timeline)->count, sizeof *(timeline)->array, most) \
         ? ((timeline)->array[(timeline)->count++] = (__VA_ARGS__), true)                       \
         : ((timeline)->left_out++, false))

uint32_t keel_timeline_process(struct keel_timeline *timeline, unsigned file, int64_t pid)
{
    char key[KEY_MAX];

    snprintf(key, sizeof key, "%u/%" PRId64, file, pid);
    uint32_t number = keel_name_list_number(&timeline->process_keys, key);
    if (number == timeline->processes &&
        !ADD(timeline, process, processes, KEEL_TIMELINE_LANES_MAX,
             (struct keel_timeline_process){
                 .pid = pid, .name = KEEL_NAME_LIST_NONE, .file = file})) {
        return KEEL_NAME_LIST_NONE;
    }
    return number < timeline->processes ? number : KEEL_NAME_LIST_NONE;
}

uint32_t keel_timeline_lane(struct keel_timeline *timeline, unsigned file, int64_t pid, int64_t tid)
{
    char key[KEY_MAX];
    uint32_t process = keel_timeline_process(timeline, file, pid);

    if (process == KEEL_NAME_LIST_NONE) {
        return KEEL_NAME_LIST_NONE;
    }
    snprintf(key, sizeof key, "%" PRIu32 "/%" PRId64, process, tid);
    uint32_t number = keel_name_list_number(&timeline->lane_keys, key);
    if (number == timeline->lanes &&
        !ADD(timeline, lane, lanes, KEEL_TIMELINE_LANES_MAX,
             (struct keel_timeline_lane){
                 .process = process, .tid = tid, .name = KEEL_NAME_LIST_NONE})) {
        return KEEL_NAME_LIST_NONE;
    }
    return number < timeline->lanes ? number : KEEL_NAME_LIST_NONE;
}

void keel_timeline_add_span(struct keel_timeline *timeline, const struct keel_span *span)
{
    ADD(timeline, span, spans, KEEL_TIMELINE_SPANS_MAX, *span);
}

void keel_timeline_add_point(struct keel_timeline *timeline,
                             const struct keel_timeline_point *point)
{
    ADD(timeline, point, points, KEEL_TIMELINE_POINTS_MAX, *point);
}

void keel_timeline_add_decision(struct keel_timeline *timeline,
                                const struct keel_timeline_decision *decision)
{
    ADD(timeline, decision, decisions, KEEL_TIMELINE_POINTS_MAX, *decision);
}

/* --- order --- */

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* What qsort() compares by, as it has no context. */
static _Thread_local const struct keel_timeline *ordered;

static int compare_processes(const void *a, const void *b)
{
    const struct keel_timeline_process *left = &ordered->process[*(const uint32_t *)a];
    const struct keel_timeline_process *right = &ordered->process[*(const uint32_t *)b];

    return left->file != right->file ? compare(left->file, right->file)
                                     : compare(left->pid, right->pid);
}

static int compare_lanes(const void *a, const void *b)
{
    const struct keel_timeline_lane *left = &ordered->lane[*(const uint32_t *)a];
    const struct keel_timeline_lane *right = &ordered->lane[*(const uint32_t *)b];

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

static int compare_points(const void *a, const void *b)
{
    const struct keel_timeline_point *left = a, *right = b;

    return compare(left->time_ns, right->time_ns);
}

static int compare_decisions(const void *a, const void *b)
{
    const struct keel_timeline_decision *left = a, *right = b;

    return compare(left->time_ns, right->time_ns);
}

/* place[i] is where element i of an array goes, which is moved there. NULL: there is no memory. */
static uint32_t *put_in_order(void *array, size_t count, size_t size,
                              int (*compare_by)(const void *, const void *))
{
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *place = malloc((count + 1) * sizeof *place);
    char *copy = malloc((count + 1) * size), *to = array;

    if (order == NULL || place == NULL || copy == NULL) {
        free(place);
        place = NULL;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            order[i] = i;
        }
        qsort(order, count, sizeof *order, compare_by);
        for (uint32_t i = 0; i < count; i++) {
            place[order[i]] = i;
            memcpy(copy + i * size, to + order[i] * size, size);
        }
        memcpy(to, copy, count * size);
    }
    free(order);
    free(copy);
    return place;
}

static bool order_processes(struct keel_timeline *timeline)
{
    uint32_t *place = put_in_order(timeline->process, timeline->processes,
                                   sizeof *timeline->process, compare_processes);

    for (size_t i = 0; place != NULL && i < timeline->lanes; i++) {
        timeline->lane[i].process = place[timeline->lane[i].process];
    }
    for (size_t i = 0; place != NULL && i < timeline->points; i++) {
        timeline->point[i].process = place[timeline->point[i].process];
    }
    free(place);
    return place != NULL;
}

static bool order_lanes(struct keel_timeline *timeline)
{
    uint32_t *place =
        put_in_order(timeline->lane, timeline->lanes, sizeof *timeline->lane, compare_lanes);

    for (size_t i = 0; place != NULL && i < timeline->spans; i++) {
        timeline->span[i].lane = place[timeline->span[i].lane];
    }
    for (size_t i = 0; place != NULL && i < timeline->decisions; i++) {
        timeline->decision[i].lane = place[timeline->decision[i].lane];
    }
    free(place);
    return place != NULL;
}

static void order_spans(struct keel_timeline *timeline)
{
    if (timeline->spans > 0) {
        qsort(timeline->span, timeline->spans, sizeof *timeline->span, compare_spans);
    }
    for (size_t i = timeline->spans; i-- > 0;) {
        struct keel_timeline_lane *lane = &timeline->lane[timeline->span[i].lane];
        lane->first_span = i;
        lane->spans++;
    }
    if (timeline->points > 0) {
        qsort(timeline->point, timeline->points, sizeof *timeline->point, compare_points);
    }
    if (timeline->decisions > 0) {
        qsort(timeline->decision, timeline->decisions, sizeof *timeline->decision,
              compare_decisions);
    }
}

/* --- time --- */

static void begin_at_zero(struct keel_timeline *timeline)
{
    int64_t zero = INT64_MAX, end = INT64_MIN;

    for (size_t i = 0; i < timeline->spans; i++) {
        const struct keel_span *span = &timeline->span[i];
        zero = span->start_ns < zero ? span->start_ns : zero;
        end = span->start_ns + span->length_ns > end ? span->start_ns + span->length_ns : end;
    }
    for (size_t i = 0; i < timeline->points; i++) {
        int64_t time = timeline->point[i].time_ns;
        zero = time < zero ? time : zero;
        end = time > end ? time : end;
    }
    for (size_t i = 0; i < timeline->decisions; i++) {
        int64_t time = timeline->decision[i].time_ns;
        zero = time < zero ? time : zero;
        end = time > end ? time : end;
    }
    for (size_t i = 0; i < timeline->spans; i++) {
        timeline->span[i].start_ns -= zero;
    }
    for (size_t i = 0; i < timeline->points; i++) {
        timeline->point[i].time_ns -= zero;
    }
    for (size_t i = 0; i < timeline->decisions; i++) {
        timeline->decision[i].time_ns -= zero;
    }
    timeline->end_ns = end > zero ? end - zero : 0;
}

/* --- regions within regions --- */

struct open_regions {
    unsigned count;
    int64_t end_ns[KEEL_TIMELINE_LEVELS_MAX];
};

/* A wait at a region's end stands behind the region; all else within it. */
static unsigned level_of(const struct keel_timeline *timeline, const struct open_regions *open,
                         const struct keel_span *span)
{
    bool outside = span->kind == KEEL_SPAN_REGION ||
                   (span->kind == KEEL_SPAN_WAIT &&
                    strcmp(keel_timeline_text(timeline, span->text), "region end") == 0);
    unsigned level = outside ? open->count : open->count > 0 ? open->count - 1 : 0;

    return level < KEEL_TIMELINE_LEVELS_MAX ? level : KEEL_TIMELINE_LEVELS_MAX - 1;
}

static void find_levels(struct keel_timeline *timeline, const struct keel_timeline_lane *lane)
{
    struct open_regions open = {0};

    for (size_t i = 0; i < lane->spans; i++) {
        struct keel_span *span = &timeline->span[lane->first_span + i];
        while (open.count > 0 && open.end_ns[open.count - 1] <= span->start_ns) {
            open.count--;
        }
        span->level = (uint8_t)level_of(timeline, &open, span);
        if (span->kind == KEEL_SPAN_REGION && open.count < KEEL_TIMELINE_LEVELS_MAX) {
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
static void find_work(struct keel_timeline *timeline, const struct keel_timeline_lane *lane)
{
    struct inner inner[KEEL_TIMELINE_LEVELS_MAX];

    for (size_t level = 0; level < KEEL_TIMELINE_LEVELS_MAX; level++) {
        inner[level] = (struct inner){.loop_ns = INT64_MAX, .chunk_ns = INT64_MAX};
    }
    for (size_t i = lane->spans; i-- > 0;) {
        struct keel_span *span = &timeline->span[lane->first_span + i];
        struct inner *own = &inner[span->level];
        span->work = is_work(span, own);
        if (span->kind == KEEL_SPAN_LOOP) {
            own->loop_ns = span->start_ns;
        } else if (span->kind == KEEL_SPAN_CHUNK) {
            own->chunk_ns = span->start_ns;
        }
    }
}

bool keel_timeline_finish(struct keel_timeline *timeline)
{
    ordered = timeline;
    if (!order_processes(timeline) || !order_lanes(timeline)) {
        return false;
    }
    order_spans(timeline);
    begin_at_zero(timeline);
    for (size_t i = 0; i < timeline->lanes; i++) {
        find_levels(timeline, &timeline->lane[i]);
        find_work(timeline, &timeline->lane[i]);
    }
    return true;
}

void keel_timeline_end(struct keel_timeline *timeline)
{
    keel_name_list_end(&timeline->names);
    keel_name_list_end(&timeline->process_keys);
    keel_name_list_end(&timeline->lane_keys);
    free(timeline->process);
    free(timeline->lane);
    free(timeline->span);
    free(timeline->point);
    free(timeline->decision);
    *timeline = (struct keel_timeline){0};
}
