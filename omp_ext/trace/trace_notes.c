/* Noting what happens. */
#include "omp_ext/site/site.h"
#include "omp_ext/trace/trace_notes.h"

#include <stdio.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/trace/text/event_text.h"

#define CLOSING 4       /* bytes that stay for what ends the text */
#define NUMBER_SHOWN 32 /* at most, of a number with what is around it */
#define STRING_SHOWN 1000
#define NAME_SHOWN 100

/* --- events whose text is written when they are noted --- */

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

/* Whether a member has room whose value needs `length` bytes. */
static bool has_room(const struct keel_members *members, const char *name, size_t length)
{
    return keel_json_text_room(&members->json) >= 6 * strnlen(name, NAME_SHOWN) + 4 + length;
}

/* kind: "X", "i" or "C", as the Trace Event Format has it; category NULL: none. id: a string of
 * JSON, which tells a counter from others of the name; NULL: none. */
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

/* What is a value of JSON already. */
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

/* Nothing follows. Returns the number of bytes in members->memory. */
static uint64_t end_members(struct keel_members *members)
{
    members->json.end += CLOSING;
    KEEL_JSON_TEXT_ADD(&members->json, "}");
    return keel_json_text_length(&members->json);
}

/* --- notes --- */

void keel_note(struct keel_timeline *timeline, const struct keel_event *event, const char *text)
{
    if (keel_timeline_add(timeline, event, text)) {
        keel_trace_writer_write_own(timeline);
    }
}

/* An event of the calling thread with its text. */
static void note_text(struct keel_members *members, enum keel_event_kind kind, uint64_t began,
                      uint64_t ended)
{
    struct keel_timeline *timeline = keel_timeline_own(0);
    struct keel_event event = {.began = began, .ended = ended, .kind = (uint8_t)kind};

    event.length = end_members(members);
    if (timeline != NULL) {
        keel_note(timeline, &event, members->memory);
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

/* --- what others add --- */

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

/* The thread has its line from then on: what another one has left there is before. */
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
    keel_note(timeline, &event, NULL);
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
