/* Recording events for the trace: of observers, and of decisions and ranks. */
#include "omp_ext/trace/trace_writer.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"
#include "omp_ext/trace/event_text.h"

/* --- notes --- */

#define CLOSING 4       /* bytes reserved for the end of the text */
#define NUMBER_SHOWN 32 /* most bytes of a number with its separators */
#define STRING_SHOWN 1000
#define NAME_SHOWN 100

/* --- events whose text is written when they are recorded --- */

static void add_name(struct keel_members *members, const char *name)
{
    struct keel_json_text *json = &members->json;

    if (members->any) {
        KEEL_JSON_TEXT_ADD(json, ",");
    }
    members->any = true;
    keel_json_text_string(json, name, NAME_SHOWN);
    KEEL_JSON_TEXT_ADD(json, ":");
}

/* Whether there is room for a member whose value needs `length` bytes. */
static bool has_room(const struct keel_members *members, const char *name, size_t length)
{
    return keel_json_text_room(&members->json) >= 6 * strnlen(name, NAME_SHOWN) + 4 + length;
}

/* kind: "X", "i" or "C", as in the Trace Event Format. category: NULL if there is none. id: a JSON
 * string that distinguishes counters of one name; NULL if there is none. */
static void begin_members(struct keel_members *members, const char *name, const char *category,
                          const char *kind, const char *id)
{
    struct keel_json_text *json = &members->json;

    *json = keel_json_text_in(members->memory, sizeof members->memory - CLOSING);
    members->any = false;
    KEEL_JSON_TEXT_ADD(json, "\"name\":");
    keel_json_text_string(json, name, NAME_SHOWN);
    if (category != NULL) {
        KEEL_JSON_TEXT_ADD(json, ",\"cat\":");
        keel_json_text_string(json, category, NAME_SHOWN);
    }
    KEEL_JSON_TEXT_ADD(json, ",\"ph\":");
    keel_json_text_string(json, kind, NAME_SHOWN);
    if (*kind == 'i') {
        KEEL_JSON_TEXT_ADD(json, ",\"s\":\"t\"");
    }
    if (id != NULL) {
        KEEL_JSON_TEXT_ADD(json, ",\"id\":");
        keel_json_text_add(json, id, strlen(id));
    }
    KEEL_JSON_TEXT_ADD(json, ",\"args\":{");
}

/* value: a JSON value. */
static void add_json(struct keel_members *members, const char *name, const char *value)
{
    if (has_room(members, name, strlen(value))) {
        add_name(members, name);
        keel_json_text_add(&members->json, value, strlen(value));
    }
}

static void add_string(struct keel_members *members, const char *name, const char *value)
{
    if (value != NULL && has_room(members, name, 8)) {
        add_name(members, name);
        keel_json_text_string(&members->json, value, STRING_SHOWN);
    }
}

static void add_whole(struct keel_members *members, const char *name, uint64_t value)
{
    if (has_room(members, name, NUMBER_SHOWN)) {
        add_name(members, name);
        keel_json_text_whole(&members->json, value);
    }
}

void keel_members_real(struct keel_members *members, const char *name, double value)
{
    if (has_room(members, name, NUMBER_SHOWN)) {
        add_name(members, name);
        keel_json_text_real(&members->json, value);
    }
}

/* Ends the text. Returns the number of bytes in members->memory. */
static uint64_t end_members(struct keel_members *members)
{
    members->json.end += CLOSING;
    KEEL_JSON_TEXT_ADD(&members->json, "}");
    return keel_json_text_length(&members->json);
}

/* --- notes --- */

/* Records an event in the calling thread's timeline. text: its event->length bytes, if it has any.
 * May write a piece of the file. */
static void note(struct keel_timeline *timeline, const struct keel_event *event, const char *text)
{
    if (keel_timeline_add(timeline, event, text)) {
        keel_trace_writer_write_own(timeline);
    }
}

/* Records an event of the calling thread with its text. */
static void note_text(struct keel_members *members, enum keel_event_kind kind, uint64_t began,
                      uint64_t ended)
{
    struct keel_timeline *timeline = keel_timeline_own(0);
    struct keel_event event = {.began = began, .ended = ended, .kind = (uint8_t)kind};

    event.length = end_members(members);
    if (timeline != NULL) {
        note(timeline, &event, members->memory);
    }
}

static void note_now(struct keel_members *members)
{
    uint64_t now = keel_clock_ticks();

    note_text(members, KEEL_EVENT_MOMENT, now, now);
}

void keel_note_counters(const char *name, struct keel_site *site, const double *value, size_t count)
{
    struct keel_members members;
    char thread[40];

    begin_members(&members, name, NULL, "C", keel_event_name_of(site)->place);
    for (size_t i = 0; i < count; i++) {
        snprintf(thread, sizeof thread, "thread %zu", i);
        keel_members_real(&members, thread, value[i]);
    }
    note_now(&members);
}

void keel_decision_begin(struct keel_members *decision, const char *name, struct keel_site *site,
                         const char *reason)
{
    begin_members(decision, name, "decision", "i", NULL);
    add_json(decision, "loop", keel_event_name_of(site)->place);
    add_string(decision, "reason", reason);
}

void keel_decision_end(struct keel_members *decision)
{
    note_now(decision);
}

/* --- events of ranks --- */

static bool wanted(void)
{
    return keel_trace_writer_begin() && !keel_trace_chunks_only;
}

static void note_wait(const char *loop, uint64_t began, uint64_t ended)
{
    struct keel_members members;

    if (!wanted()) {
        return;
    }
    begin_members(&members, "wait", "wait", "X", NULL);
    add_string(&members, "at", "rank");
    add_string(&members, "loop", loop);
    note_text(&members, KEEL_EVENT_SPAN, began, ended);
}

static void note_move(const struct keel_trace_move *move)
{
    struct keel_members members;

    if (!wanted()) {
        return;
    }
    begin_members(&members, "move", "move", "X", NULL);
    add_string(&members, "what", move->what);
    add_string(&members, "name", move->name);
    add_whole(&members, "from", (uint64_t)move->from);
    add_whole(&members, "to", (uint64_t)move->to);
    add_whole(&members, "first", move->first);
    add_whole(&members, "last", move->last);
    add_whole(&members, "bytes", move->bytes);
    note_text(&members, KEEL_EVENT_SPAN, move->began, move->ended);
}

static void note_decision(const struct keel_trace_decision *decision)
{
    struct keel_members members;

    if (!wanted()) {
        return;
    }
    begin_members(&members, decision->name, "decision", "i", NULL);
    add_string(&members, decision->about, decision->object);
    add_string(&members, "reason", decision->reason);
    for (size_t i = 0; i < decision->count && i < KEEL_TRACE_NUMBERS_MAX; i++) {
        keel_members_real(&members, decision->number[i].name, decision->number[i].value);
    }
    note_now(&members);
}

static void note_counter(const char *name, double value)
{
    struct keel_members members;

    if (wanted()) {
        begin_members(&members, name, NULL, "C", NULL);
        keel_members_real(&members, name, value);
        note_now(&members);
    }
}

/* The thread gets its timeline first, so that events of an earlier owner are before `began`. */
static uint64_t call_begins(void)
{
    keel_timeline_own(0);
    return keel_clock_slow_ticks();
}

static void call_ends(const char *name, const void *caller, uint64_t began)
{
    uint64_t ended = keel_clock_slow_ticks();
    struct keel_timeline *timeline = keel_trace_writer_begun() ? keel_timeline_own(0) : NULL;

    if (timeline == NULL) {
        return;
    }
    if (!keel_trace_writer_is_on()) {
        keel_timeline_drop(timeline);
        return;
    }
    const struct keel_call_site place = {.caller = caller};
    const struct keel_event event = {
        .kind = KEEL_EVENT_CALL,
        .began = began,
        .ended = ended,
        .site = keel_site_to_name(&place),
        .detail = name,
    };
    note(timeline, &event, NULL);
}

static const struct keel_trace_ranks this_version = {
    .wanted = wanted,
    .now = keel_clock_slow_ticks,
    .place = keel_trace_writer_place,
    .wait = note_wait,
    .move = note_move,
    .decision = note_decision,
    .counter = note_counter,
    .flush = keel_trace_writer_write_all,
    .call_begins = call_begins,
    .call_ends = call_ends,
};

__attribute__((visibility("default"))) const struct keel_trace_ranks *
keel_trace_meet(uint32_t version, uint32_t *newest)
{
    *newest = KEEL_TRACE_VERSION;
    return version == KEEL_TRACE_VERSION ? &this_version : NULL;
}

/* --- numbers of loop instances, equal in all threads of a team without synchronisation ---
 *
 * A region's loops have the numbers after those of the region before, in the order in which its
 * threads reach them. How many they are is known at its end, so one region at a time can count on:
 * one that runs at the same time, or nested, gets a block of numbers of its own. */

#define BLOCK (UINT64_C(1) << 24) /* numbers for such a region */
#define COUNTING UINT64_C(1)      /* flag in `next` and in numbers of regions, see below */

/* Twice the next number, plus COUNTING while a region counts on from there. */
static _Atomic uint64_t next = 2 * 1;
static _Atomic uint64_t blocks = 1;

/* Returns the numbers of a region that starts now; never 0. */
static uint64_t begin_instances(void)
{
    uint64_t free = atomic_load_explicit(&next, memory_order_relaxed);

    while ((free & COUNTING) == 0) {
        /* relaxed: publishes no other data */
        if (atomic_compare_exchange_weak_explicit(&next, &free, free | COUNTING,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return free | COUNTING;
        }
    }
    return 2 * BLOCK * atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
}

/* The region has ended, with `constructs` loops and barriers. */
static void end_instances(uint64_t region, uint64_t constructs)
{
    if ((region & COUNTING) != 0) {
        atomic_store_explicit(&next, 2 * (region / 2 + constructs), memory_order_relaxed);
    }
}

/* --- events --- */

static struct keel_timeline *timeline_of(const struct keel_observed_thread *thread)
{
    return thread->own[KEEL_OBSERVER_TRACE];
}

/* Whether events that need at least `state` are recorded. If not, counts the dropped event. */
static bool timeline_takes(struct keel_timeline *timeline, enum keel_trace_state state)
{
    if (timeline == NULL || keel_trace_writer_state() >= state) {
        return timeline != NULL;
    }
    keel_timeline_drop(timeline);
    return false;
}

static bool takes_events(struct keel_timeline *timeline)
{
    return timeline_takes(timeline, KEEL_TRACE_NO_CHUNKS);
}

/* --- regions --- */

static uint64_t numbers_of(const struct keel_observed_region *region)
{
    return (uint64_t)(uintptr_t)region->own[KEEL_OBSERVER_TRACE];
}

static void region_forks(struct keel_observed_region *region, uint64_t now)
{
    (void)now;
    if (keel_trace_writer_begun()) {
        region->own[KEEL_OBSERVER_TRACE] = (void *)(uintptr_t)begin_instances();
    }
}

static void note_wait_at_end(struct keel_timeline *timeline, uint64_t now)
{
    struct keel_event event;

    if (keel_region_wait_take(&timeline->wait, now, &event) && takes_events(timeline)) {
        note(timeline, &event, NULL);
    }
}

/* Called by thread 0 of the team. */
static void region_joins(struct keel_observed_region *region, uint64_t now)
{
    if (numbers_of(region) == 0) {
        return;
    }
    struct keel_timeline *timeline = keel_timeline_own(0);
    keel_region_wait_over(region->number, now);
    if (timeline != NULL) {
        end_instances(numbers_of(region), timeline->constructs);
        note_wait_at_end(timeline, now);
    }
    keel_trace_writer_tick(now);
}

/* At least the time at which the thread got its timeline: if it waited for a core before that,
 * events of an ended thread may be in it. */
static uint64_t not_before(const struct keel_timeline *timeline, uint64_t ticks)
{
    return (int64_t)(timeline->joined_at - ticks) > 0 ? timeline->joined_at : ticks;
}

static void thread_begins(struct keel_observed_thread *thread, uint64_t now)
{
    bool recorded =
        thread->region != NULL ? numbers_of(thread->region) != 0 : keel_trace_writer_begun();
    struct keel_timeline *timeline = recorded ? keel_timeline_own(thread->thread) : NULL;

    thread->own[KEEL_OBSERVER_TRACE] = timeline;
    if (timeline != NULL) {
        note_wait_at_end(timeline, now);
    }
}

/* Records the thread's part. Its wait follows, whose length is known when all have arrived. */
static void note_part(struct keel_timeline *timeline, const struct keel_observed_thread *thread,
                      uint64_t now)
{
    const struct keel_observed_region *region = thread->region;
    struct keel_event event = {
        .kind = KEEL_EVENT_REGION,
        .began = not_before(timeline, thread->began),
        .ended = now,
        .site = keel_site_to_name(&region->place),
        .instance = region->number,
        .threads = thread->threads,
    };

    if (takes_events(timeline)) {
        keel_region_wait_begin(&timeline->wait, region->number, event.site, now);
        note(timeline, &event, NULL);
    }
}

static void thread_ends(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    if (timeline == NULL || thread->region == NULL) {
        return;
    }
    if (thread->thread == 0) {
        timeline->constructs = thread->constructs;
    }
    note_part(timeline, thread, now);
}

/* --- loops --- */

static void loop_begins(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    (void)now;
    if (timeline != NULL && thread->region == NULL) {
        uint64_t alone = begin_instances();
        end_instances(alone, 1);
        timeline->serial_instance = alone / 2;
    }
}

static uint64_t instance_of(const struct keel_observed_thread *thread)
{
    return thread->region != NULL ? numbers_of(thread->region) / 2 + thread->constructs - 1
                                  : timeline_of(thread)->serial_instance;
}

static void chunk_ends(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    if (timeline_takes(timeline, KEEL_TRACE_ON)) {
        note(timeline,
             &(struct keel_event){
                 .kind = KEEL_EVENT_CHUNK,
                 .began = thread->loop.chunk_began,
                 .ended = now,
                 .site = keel_site_to_name(&thread->loop.place),
                 .instance = instance_of(thread),
                 .first = thread->loop.first,
                 .last = thread->loop.last,
                 .threads = thread->thread,
             },
             NULL);
    }
}

static void note_loop(struct keel_timeline *timeline, const struct keel_observed_thread *thread,
                      uint64_t now)
{
    const struct keel_observed_loop *loop = &thread->loop;
    struct keel_event event = {
        .kind = KEEL_EVENT_LOOP,
        .began = not_before(timeline, loop->began),
        .ended = now,
        .site = keel_site_to_name(&loop->place),
        .instance = instance_of(thread),
        .iterations = loop->iterations,
        .policy = loop->agreed,
        .threads = thread->threads,
        .clause = (uint8_t)loop->clause,
        .has_static_shares = loop->rule == KEEL_OBSERVED_STATIC,
    };

    if (loop->agreed != NULL) {
        event.run = loop->policy;
    } else {
        event.chunk = loop->chunk;
    }
    note(timeline, &event, NULL);
}

static void thread_arrives(struct keel_observed_thread *thread, enum keel_observed_end end,
                           const void *caller, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);

    (void)caller;
    if (end != KEEL_OBSERVED_BARRIER && thread->loop.place.caller != NULL &&
        takes_events(timeline)) {
        note_loop(timeline, thread, now);
    }
}

/* A barrier is named by its place. */
static void thread_leaves(struct keel_observed_thread *thread, enum keel_observed_end end,
                          const void *caller, uint64_t now)
{
    struct keel_timeline *timeline = timeline_of(thread);
    bool of_loop = end != KEEL_OBSERVED_BARRIER && thread->loop.place.caller != NULL;
    struct keel_call_site barrier = {.caller = caller};

    if (takes_events(timeline)) {
        note(timeline,
             &(struct keel_event){
                 .kind = KEEL_EVENT_WAIT,
                 .began = thread->since,
                 .ended = now,
                 .site = keel_site_to_name(of_loop ? &thread->loop.place : &barrier),
                 .instance = of_loop ? instance_of(thread) : 0,
                 .detail = of_loop ? "loop end" : "barrier",
             },
             NULL);
    }
}

const struct keel_observer keel_trace_observer = {
    .wanted = keel_trace_writer_begin,
    .times_chunks = true,
    .fork = region_forks,
    .join = region_joins,
    .begin = thread_begins,
    .end = thread_ends,
    .loop = loop_begins,
    .chunk = chunk_ends,
    .arrive = thread_arrives,
    .leave = thread_leaves,
    .unload = keel_trace_writer_write_all,
};
