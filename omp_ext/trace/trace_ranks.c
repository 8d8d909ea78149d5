/* What others add to the trace in JSON. */
#include "omp_ext/trace/trace_ranks.h"

#include "omp_ext/machine/clock.h"
#include "omp_ext/trace/trace_notes.h"

static bool wanted(void)
{
    return keel_trace_writer_begin() && !keel_trace_chunks_only;
}

static void wait(const char *loop, uint64_t began, uint64_t ended)
{
    if (wanted()) {
        keel_note_wait(loop, began, ended);
    }
}

static void move(const struct keel_trace_move *what)
{
    if (wanted()) {
        keel_note_move(what);
    }
}

static void decision(const struct keel_trace_decision *what)
{
    if (wanted()) {
        keel_note_decision(what);
    }
}

static void counter(const char *name, double value)
{
    if (wanted()) {
        keel_note_counter(name, value);
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
    keel_note_call(name, caller, began, keel_clock_slow_ticks());
}

static const struct keel_trace_ranks this_version = {
    .wanted = wanted,
    .now = keel_clock_slow_ticks,
    .place = keel_trace_writer_place,
    .wait = wait,
    .move = move,
    .decision = decision,
    .counter = counter,
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
