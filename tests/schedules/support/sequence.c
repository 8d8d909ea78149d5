/* Sequences of chunks for tests. */
#include "tests/schedules/support/sequence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct sequence empty_sequence(void)
{
    struct sequence sequence = {.room = 64, .bound = malloc(64 * sizeof(uint64_t))};

    sequence.bound[0] = 0;
    return sequence;
}

static void append(struct sequence *sequence, uint64_t last)
{
    if (sequence->steps + 1 == sequence->room) {
        sequence->room *= 2;
        sequence->bound = realloc(sequence->bound, sequence->room * sizeof sequence->bound[0]);
    }
    sequence->bound[++sequence->steps] = last;
}

struct sequence sequence_of_plan(const struct keel_plan *plan, size_t most)
{
    struct sequence sequence = empty_sequence();
    struct keel_walk walk = plan->walk;
    uint64_t first, last, end = 0;

    while (sequence.steps < most &&
           keel_plan_any_chunk(plan, &walk, sequence.steps, &first, &last)) {
        if (first != end || last <= first || last > plan->iterations) {
            fail_msg("step %zu is [%llu, %llu) after %llu of %llu", sequence.steps,
                     (unsigned long long)first, (unsigned long long)last, (unsigned long long)end,
                     (unsigned long long)plan->iterations);
        }
        append(&sequence, last);
        end = last;
    }
    if (sequence.steps < most && end != plan->iterations) {
        fail_msg("steps end at %llu of %llu", (unsigned long long)end,
                 (unsigned long long)plan->iterations);
    }
    return sequence;
}

/* Whether schedule.h has this step sized anew. */
static bool begins_chunk_size(const struct keel_schedule *schedule, const struct keel_view *view)
{
    if (schedule->shape == KEEL_UNIFORM) {
        return view->step == 0;
    }
    return !schedule->batched || view->step % view->threads == 0;
}

struct sequence sequence_of_hooks(const struct keel_problem *problem, size_t most)
{
    const struct keel_schedule *schedule = problem->spec->schedule;
    struct sequence sequence = empty_sequence();
    struct keel_view view = {
        .spec = problem->spec,
        .iterations = problem->iterations,
        .threads = problem->threads,
        .remaining = problem->iterations,
        .min_chunk = problem->spec->value[KEEL_MIN].count,
    };

    if (schedule->begin != NULL && view.remaining > 0) {
        schedule->begin(&view);
    }
    while (view.remaining > 0 && sequence.steps < most) {
        if (begins_chunk_size(schedule, &view)) {
            uint64_t size = schedule->size != NULL ? schedule->size(&view) : 0;
            view.chunk = size > view.min_chunk ? size : view.min_chunk;
        }
        view.remaining -= view.chunk < view.remaining ? view.chunk : view.remaining;
        view.step++;
        append(&sequence, view.iterations - view.remaining);
    }
    return sequence;
}

void sequence_assert_equal(const struct sequence *got, const struct sequence *wanted)
{
    for (size_t step = 0; step < got->steps && step < wanted->steps; step++) {
        if (got->bound[step + 1] != wanted->bound[step + 1]) {
            fail_msg("step %zu ends at %llu, not at %llu", step,
                     (unsigned long long)got->bound[step + 1],
                     (unsigned long long)wanted->bound[step + 1]);
        }
    }
    assert_int_equal(got->steps, wanted->steps);
}

static uint64_t size_of_step(const struct sequence *sequence, size_t step)
{
    return sequence->bound[step + 1] - sequence->bound[step];
}

static size_t end_of_run(const struct sequence *sequence, size_t step)
{
    size_t end = step + 1;

    while (end < sequence->steps && size_of_step(sequence, end) == size_of_step(sequence, step)) {
        end++;
    }
    return end;
}

void sequence_write(const struct sequence *sequence, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t step = 0; step < sequence->steps && length < size;) {
        size_t end = end_of_run(sequence, step);
        char times[24] = "";
        if (end - step > 1) {
            snprintf(times, sizeof times, "x%zu", end - step);
        }
        length += (size_t)snprintf(text + length, size - length, "%s%llu%s", step > 0 ? " " : "",
                                   (unsigned long long)size_of_step(sequence, step), times);
        step = end;
    }
}

void sequence_free(struct sequence *sequence)
{
    free(sequence->bound);
}
