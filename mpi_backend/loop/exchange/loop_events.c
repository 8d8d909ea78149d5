/* Events of shared loops in the trace. */
#include "mpi_backend/loop/exchange/exchange.h"

#include "mpi_backend/report/mpi_report.h"
#include "schedules/claim/plan.h"
#include "schedules/learn/learn.h"

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
        double threads = loop->figures.threads > 0 ? loop->figures.threads : 1;
        double executed = loop->figures.executed * (double)loop->grain; /* not those of before */
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
