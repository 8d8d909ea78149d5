/* Sequences of chunks for tests. */
#include "tests/schedules/support/sequence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/list.h"

/* --- specs of the property tests --- */

const char *const specs_texts[] = LIST(
    "static", "static:min=3", "static,1", "static,7", "static,9223372036854775807", "ss", "ss,5",
    "css", "css,7", "css,9223372036854775807", "css:chunk=3,min=8", "gss", "gss,6",
    "gss,9223372036854775807", "tss", "tss,100,10", "tss,11", "tss,40,40", "tss:last=9",
    "tss:min=20", "tss,9223372036854775807,9223372036854775807", "tfss", "tfss,100,10", "tfss,11",
    "tfss:min=6", "fac2", "fac2,16", "fac", "fac:mu=100,sigma=0", "fac:mu=100,sigma=1000",
    "fac:mu=1e18,sigma=1", "fac:mu=0.001,sigma=1e18", "fac:min=9", "wf2", "wf2,10", "awf",
    "awf-b,3", "awf-c", "awf-c,7", "awf-d", "awf-e", "af", "af,20", "af,9223372036854775807", "maf",
    "maf:min=3", "aid", "aid,5", "aid:ratio=0", "aid:ratio=1", "aid:chunk=2,ratio=0.5,min=7",
    "rate", "rate,30", "rate,9223372036854775807", "afs", "lds", "lds,4", "afs,4", "steal",
    "steal,7", "steal,9223372036854775807", "steal:chunk=3,min=8", "auto", "auto,12", "binlpt",
    "binlpt,5", "binlpt:min=4", "lpt", "lpt:min=3", "ich", "ich,10", "fsc",
    "fsc:sigma=0,overhead=5", "fsc:sigma=5,overhead=0", "fsc:sigma=1e18,overhead=1e-3",
    "fsc:sigma=1e-9,overhead=1e18", "mfsc", "mfsc,30", "tap", "tap:mu=100,sigma=0",
    "tap:mu=1,sigma=1e18,alpha=1e6", "tap:alpha=0", "tap:min=5,mu=10,sigma=30,alpha=3", "bold",
    "bold:mu=100,sigma=0,overhead=0", "bold:mu=100,sigma=0,overhead=100",
    "bold:mu=100,sigma=30,overhead=0", "bold:mu=0.001,sigma=1e18,overhead=1e18",
    "bold:mu=1e18,sigma=1,overhead=1e-3", "bold:min=10,mu=100,sigma=100,overhead=1000", "fiss",
    "fiss:stages=2", "fiss:stages=1000000", "fiss:stages=5,min=12", "viss", "viss:stages=2",
    "viss:stages=1000000", "viss:stages=4,min=12", "pls", "pls:ratio=0", "pls:ratio=1",
    "pls:ratio=0.9,min=4", "rnd", "rnd:seed=0", "rnd:seed=18446744073709551615",
    "rnd:seed=7,min=20", NULL);

struct keel_spec specs_read(const char *text)
{
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    if (keel_spec_read(text, strlen(text), &spec, problem) != KEEL_SPEC_GOOD) {
        fail_msg("%s: %s", text, problem);
    }
    unsigned missing = keel_spec_unmeasured(&spec);
    spec.given |= missing;
    spec.value[KEEL_MU].real = missing & KEEL_BIT(KEEL_MU) ? 100 : spec.value[KEEL_MU].real;
    spec.value[KEEL_SIGMA].real = missing & KEEL_BIT(KEEL_SIGMA) ? 50 : spec.value[KEEL_SIGMA].real;
    spec.value[KEEL_OVERHEAD].real =
        missing & KEEL_BIT(KEEL_OVERHEAD) ? 200 : spec.value[KEEL_OVERHEAD].real;
    return spec;
}

/* --- sequences --- */

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
            fail_msg("step %zu is [%lu, %lu) after %lu of %lu", sequence.steps, first, last, end,
                     plan->iterations);
        }
        append(&sequence, last);
        end = last;
    }
    if (sequence.steps < most && end != plan->iterations) {
        fail_msg("steps end at %lu of %lu", end, plan->iterations);
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
            fail_msg("step %zu ends at %lu, not at %lu", step, got->bound[step + 1],
                     wanted->bound[step + 1]);
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
        length += (size_t)snprintf(text + length, size - length, "%s%lu%s", step > 0 ? " " : "",
                                   size_of_step(sequence, step), times);
        step = end;
    }
}

void sequence_free(struct sequence *sequence)
{
    free(sequence->bound);
}
