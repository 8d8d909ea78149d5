/* Noting what happens. */
#include "omp_ext/trace/trace_notes.h"

#include <stdio.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/trace/text/event_name.h"

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

    event.length = keel_members_end(members);
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

    keel_members_begin(&members, name, NULL, "C", keel_event_name_of(site)->place);
    for (size_t i = 0; i < count; i++) {
        snprintf(thread, sizeof thread, "thread %zu", i);
        keel_members_real(&members, thread, value[i]);
    }
    note_now(&members);
}

void keel_decision_begin(struct keel_members *decision, const char *name, struct keel_site *site,
                         const char *reason)
{
    keel_members_begin(decision, name, "decision", "i", NULL);
    keel_members_json(decision, "loop", keel_event_name_of(site)->place);
    keel_members_string(decision, "reason", reason);
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
    keel_members_begin(&members, "wait", "wait", "X", NULL);
    keel_members_string(&members, "at", "rank");
    keel_members_string(&members, "loop", loop);
    note_text(&members, KEEL_EVENT_SPAN, began, ended);
}

static void note_move(const struct keel_trace_move *move)
{
    struct keel_members members;

    if (!wanted()) {
        return;
    }
    keel_members_begin(&members, "move", "move", "X", NULL);
    keel_members_string(&members, "what", move->what);
    keel_members_string(&members, "name", move->name);
    keel_members_whole(&members, "from", (uint64_t)move->from);
    keel_members_whole(&members, "to", (uint64_t)move->to);
    keel_members_whole(&members, "first", move->first);
    keel_members_whole(&members, "last", move->last);
    keel_members_whole(&members, "bytes", move->bytes);
    note_text(&members, KEEL_EVENT_SPAN, move->began, move->ended);
}

static void note_decision(const struct keel_trace_decision *decision)
{
    struct keel_members members;

    if (!wanted()) {
        return;
    }
    keel_members_begin(&members, decision->name, "decision", "i", NULL);
    keel_members_string(&members, decision->about, decision->object);
    keel_members_string(&members, "reason", decision->reason);
    for (size_t i = 0; i < decision->count && i < KEEL_TRACE_NUMBERS_MAX; i++) {
        keel_members_real(&members, decision->number[i].name, decision->number[i].value);
    }
    note_now(&members);
}

static void note_counter(const char *name, double value)
{
    struct keel_members members;

    if (wanted()) {
        keel_members_begin(&members, name, NULL, "C", NULL);
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
        .site = keel_timeline_site(timeline, &place),
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
