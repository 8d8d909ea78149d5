/* The loop of each rank, for messages if they differ, and events of shared loops in the trace. */
#define _GNU_SOURCE
#include "mpi_backend/loop/exchange/exchange.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mpi_backend/loop/state/loop_state.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/plan.h"
#include "schedules/learn/learn.h"
#include "schedules/text/text.h"

/* --- this rank's loop --- */

/* Finds where the loop starts, as addresses that are the same on all ranks. Once per place. */
static void find_place(struct keel_mpi_loop_identity *place, const void *caller,
                       void (*outlined)(void *))
{
    Dl_info module;

    if (caller == NULL || dladdr(caller, &module) == 0) {
        return;
    }
    place->module = keel_digest_folded(
        keel_digest_text(KEEL_DIGEST_START, keel_text_base_name(module.dli_fname)));
    place->caller = (uint64_t)((uintptr_t)caller - (uintptr_t)module.dli_fbase);
    if (outlined != NULL) {
        place->outlined = (uint64_t)((uintptr_t)outlined - (uintptr_t)module.dli_fbase);
    }
}

void keel_mpi_identity_note(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start)
{
    struct keel_mpi_loop_identity unkept = {0};
    struct keel_mpi_loop_identity *place = loop->record != NULL ? &loop->record->place : &unkept;

    if (place->caller == 0) {
        find_place(place, start->caller, start->outlined);
    }
    loop->caller = start->caller;
    loop->outlined = start->outlined;
    int code = loop->identity.code;
    loop->identity = *place;
    loop->identity.check = loop->check;
    loop->identity.iterations = loop->iterations;
    loop->identity.code = code;
    snprintf(loop->identity.schedule, sizeof loop->identity.schedule, "%s",
             keel_mpi_requested_schedule_text());
}

/* --- names --- */

void keel_mpi_identity_loop_name(const struct keel_mpi_loop *loop,
                                 char name[KEEL_MPI_LOOP_NAME_MAX])
{
    keel_mpi_libkeel_loop_name(loop->caller, loop->outlined, name, KEEL_MPI_LOOP_NAME_MAX);
}

/* Writes the name of another rank's loop. False: it is not in the module of this rank's loop. */
static bool name_other(const struct keel_mpi_loop *loop,
                       const struct keel_mpi_loop_identity *identity, char *name)
{
    uintptr_t base = (uintptr_t)loop->caller - (uintptr_t)loop->identity.caller;

    if (identity->module != loop->identity.module || identity->caller == 0) {
        return false;
    }
    keel_mpi_libkeel_loop_name(
        (const void *)(base + (uintptr_t)identity->caller),
        identity->outlined != 0 ? (void (*)(void *))(base + (uintptr_t)identity->outlined) : NULL,
        name, KEEL_MPI_LOOP_NAME_MAX);
    return true;
}

/* --- the message if loops differ --- */

struct text {
    char line[400];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    size_t room = sizeof text->line - text->length;
    va_list arguments;

    va_start(arguments, format);
    int added = vsnprintf(text->line + text->length, room, format, arguments);
    va_end(arguments);
    text->length += (size_t)added < room ? (size_t)added : room - 1;
}

static bool is_same_place(const struct keel_mpi_loop_identity *one,
                          const struct keel_mpi_loop_identity *other)
{
    return one->module == other->module && one->caller == other->caller;
}

static void append_span(struct text *text, bool follows, uint32_t first, uint32_t last)
{
    append(text, "%s%u", follows ? ", " : "", first);
    if (last > first) {
        append(text, "-%u", last);
    }
}

/* Whether ranks with these two can share a loop; names of schedules may differ. */
static bool are_equal(const struct keel_mpi_loop_identity *one,
                      const struct keel_mpi_loop_identity *other)
{
    return one->check == other->check && one->iterations == other->iterations &&
           one->caller == other->caller && one->code == other->code;
}

#define KINDS 5 /* of different loops in the message, at most, */
#define SPANS 4 /* and spans of ranks for each of them */

/* "rank 3", or "ranks 0-4, 6 and 12 more": all with the same loop as rank `first`. */
static void append_ranks(struct text *text, const struct keel_mpi_loop *loop, uint32_t first)
{
    struct text spans_text = {0};
    uint32_t count = 0, more = 0, spans = 0;

    for (uint32_t i = first, end; i < loop->job->ranks; i = end + 1) {
        end = i;
        while (end < loop->job->ranks && are_equal(&loop->came[end], &loop->came[first])) {
            end++;
        }
        count += end - i;
        if (end > i && spans++ < SPANS) {
            append_span(&spans_text, spans > 1, i, end - 1);
        } else {
            more += end - i;
        }
    }
    append(text, "rank%s %s", count > 1 ? "s" : "", spans_text.line);
    if (more > 0) {
        append(text, " and %u more", more);
    }
}

static void append_kind(struct text *text, const struct keel_mpi_loop *loop, uint32_t first)
{
    const struct keel_mpi_loop_identity *identity = &loop->came[first];
    char name[KEEL_MPI_LOOP_NAME_MAX];

    append_ranks(text, loop, first);
    if (identity->code == KEEL_MPI_THREADS && identity->iterations > 0) {
        append(text, " in a team that may not call MPI");
    } else if (identity->code != KEEL_MPI_OK) {
        append(text, " with none (%s)", keel_mpi_error_name(identity->code));
    } else if (identity->check == 0) {
        append(text, " with none");
    } else {
        append(text, " with %llu iterations", (unsigned long long)identity->iterations);
        if (!is_same_place(identity, &loop->identity) && name_other(loop, identity, name)) {
            append(text, " of %.100s", name);
        }
        append(text, " under %s", identity->schedule);
    }
}

/* Fills in the first rank of each kind, and returns their number. *more: there are more kinds. */
static uint32_t list_kinds(const struct keel_mpi_loop *loop, uint32_t first[KINDS], bool *more)
{
    uint32_t kinds = 0, k;

    *more = false;
    for (uint32_t i = 0; loop->came != NULL && i < loop->job->ranks; i++) {
        for (k = 0; k < kinds && !are_equal(&loop->came[i], &loop->came[first[k]]); k++) {
        }
        if (k == kinds && kinds < KINDS) {
            first[kinds++] = i;
        } else {
            *more = *more || k == kinds;
        }
    }
    return kinds;
}

/* Whether loops differ, but neither in iterations nor in places nor in schedules. */
static bool differs_otherwise(const struct keel_mpi_loop *loop, const uint32_t *first,
                              uint32_t kinds)
{
    for (uint32_t i = 1; i < kinds; i++) {
        const struct keel_mpi_loop_identity *one = &loop->came[first[0]];
        const struct keel_mpi_loop_identity *other = &loop->came[first[i]];
        if (one->iterations != other->iterations || !is_same_place(one, other) ||
            one->code != other->code || (one->check == 0) != (other->check == 0) ||
            strcmp(one->schedule, other->schedule) != 0) {
            return false;
        }
    }
    return true;
}

void keel_mpi_identity_report_mismatch(const struct keel_mpi_loop *loop)
{
    char name[KEEL_MPI_LOOP_NAME_MAX] = "a loop";
    struct text text = {0};
    uint32_t first[KINDS];
    bool more;
    uint32_t kinds = list_kinds(loop, first, &more);
    const char *reason = loop->learned_apart
                             ? " (what they had learned of it differs; they begin anew)"
                         : differs_otherwise(loop, first, kinds)
                             ? " (weights, or whether ends are waited for, differ)"
                             : "";

    if (loop->caller != NULL) {
        keel_mpi_identity_loop_name(loop, name);
    }
    for (uint32_t i = 0; i < kinds; i++) {
        append(&text, "%s", i > 0 ? "; " : "");
        append_kind(&text, loop, first[i]);
    }
    append(&text, "%s", more ? "; and other kinds" : kinds == 0 ? "no memory to list them" : "");
    keel_message("%.120s can't be shared, ranks came with different loops: %s%s; %s", name,
                 text.line, reason,
                 loop->waits ? "each runs all of its own"
                             : "what they did not wait for may be incomplete");
    keel_mpi_error_reported(KEEL_MPI_MISMATCH);
}

/* --- events of the trace --- */

const char *keel_mpi_loop_event_name(const struct keel_mpi_loop *loop)
{
    return loop->observed != NULL && keel_mpi_events() != NULL
               ? keel_mpi_place_short_name(loop->observed)
               : NULL;
}

void keel_mpi_loop_event_move(const struct keel_mpi_loop *loop, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes)
{
    const struct keel_trace_ranks *events = keel_mpi_events();

    if (events == NULL) {
        return;
    }
    uint64_t now = events->now();
    events->move(&(struct keel_trace_move){
        .what = "iterations",
        .name = keel_mpi_loop_event_name(loop),
        .from = (int)from,
        .to = (int)loop->job->rank,
        .first = keel_grain_iteration(first, loop->iterations, loop->grain),
        .last = keel_grain_iteration(last, loop->iterations, loop->grain),
        .bytes = bytes,
        .began = now,
        .ended = now,
    });
}

void keel_mpi_loop_event_end(const struct keel_mpi_loop *loop)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    const struct keel_mpi_loop_report *report = &loop->report;

    if (events == NULL) {
        return;
    }
    events->counter("share", (double)report->executed);
    if (report->busy_s > 0) {
        double threads = loop->measurements.threads > 0 ? loop->measurements.threads : 1;
        double executed =
            loop->measurements.executed * (double)loop->grain; /* not those before losses */
        events->counter("rate", executed / (report->busy_s / threads));
    }
}

/* --- blocks --- */

static const char *const decision_names[] = {
    [KEEL_BLOCKS_KEPT] = "blocks stay",
    [KEEL_BLOCKS_ADJUSTED] = "blocks are adjusted",
    [KEEL_BLOCKS_MOVED] = "blocks move",
};

static const char *reason_of(enum keel_blocks_decision decision, double gain,
                             char text[KEEL_REASON_TEXT])
{
    const struct keel_reason small = {KEEL_CAUSE_SMALL_GAIN, {gain, KEEL_GAIN_THRESHOLD}};

    if (decision == KEEL_BLOCKS_MOVED) {
        return gain >= KEEL_GAIN_THRESHOLD ? "the gain is over the threshold"
                                           : "the first rates are known";
    }
    keel_reason_text(&small, 0, text);
    return text;
}

void keel_mpi_loop_event_blocks(const struct keel_mpi_loop *loop,
                                enum keel_blocks_decision decision)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    const struct keel_rate_share *share = &loop->record->own.share;
    char text[KEEL_REASON_TEXT];

    if (events == NULL || loop->schedule.kind != KEEL_RANKS_RATE) {
        return;
    }
    uint64_t first = keel_rate_share_iteration(share->first, loop->units);
    uint64_t last = keel_rate_share_iteration(share->last, loop->units);
    const struct keel_trace_number number[] = {
        {"gain", share->gain},
        {"threshold", KEEL_GAIN_THRESHOLD},
        {"speed", keel_rate_share_speed(share)},
        {"first", (double)keel_grain_iteration(first, loop->iterations, loop->grain)},
        {"last", (double)keel_grain_iteration(last, loop->iterations, loop->grain)},
    };
    events->decision(&(struct keel_trace_decision){
        .name = decision_names[decision],
        .about = "loop",
        .object = keel_mpi_loop_event_name(loop),
        .reason = reason_of(decision, share->gain, text),
        .count = sizeof number / sizeof number[0],
        .number = number,
    });
}
