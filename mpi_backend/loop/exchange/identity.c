/* What each rank came with to a shared loop. */
#define _GNU_SOURCE
#include "mpi_backend/loop/exchange/exchange.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/loop/state/loop_state.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/text/text.h"

/* --- what this rank came with --- */

/* Where the loop starts, so that it means the same on all ranks. Once per place in the program. */
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

/* Of another rank's loop, which lies in the same module as this rank's; false: it does not. */
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

/* --- telling --- */

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

/* "rank 3", or "ranks 0-4, 6 and 12 more": all that came with the same. */
static void append_ranks(struct text *text, const struct keel_mpi_summary_kind *kind)
{
    uint32_t more = kind->ranks;

    append(text, "rank%s ", kind->ranks > 1 ? "s" : "");
    for (uint32_t i = 0; i < kind->spans; i++) {
        append_span(text, i > 0, kind->first[i], kind->last[i]);
        more -= kind->last[i] - kind->first[i] + 1;
    }
    if (more > 0) {
        append(text, " and %u more", more);
    }
}

static void append_kind(struct text *text, const struct keel_mpi_loop *loop,
                        const struct keel_mpi_summary_kind *kind)
{
    const struct keel_mpi_loop_identity *identity = &kind->identity;
    char name[KEEL_MPI_LOOP_NAME_MAX];

    append_ranks(text, kind);
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

/* What differs where neither iterations nor places nor schedules do. */
static bool differs_otherwise(const struct keel_mpi_summary *summary)
{
    const struct keel_mpi_loop_identity *one = &summary->kind[0].identity;

    for (uint32_t i = 1; i < summary->kinds; i++) {
        const struct keel_mpi_loop_identity *other = &summary->kind[i].identity;
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
    const struct keel_mpi_summary *summary = &loop->summary;
    struct text text = {0};

    if (loop->job->rank != keel_mpi_summary_reporter(&loop->summary)) {
        return;
    }
    if (loop->caller != NULL) {
        keel_mpi_identity_loop_name(loop, name);
    }
    for (uint32_t i = 0; i < summary->kinds; i++) {
        append(&text, "%s", i > 0 ? "; " : "");
        append_kind(&text, loop, &summary->kind[i]);
    }
    if (summary->other_kinds > 0) {
        append(&text, "; and other kinds");
    }
    keel_message(
        "%.120s can't be shared, ranks came with different loops: %s%s; %s", name, text.line,
        differs_otherwise(summary) ? " (weights, or whether ends are waited for, differ)" : "",
        loop->waits ? "each runs all of its own" : "what they did not wait for may be incomplete");
    keel_mpi_error_reported(KEEL_MPI_MISMATCH);
}
