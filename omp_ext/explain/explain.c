/* KEEL_EXPLAIN. */
#include "omp_ext/explain/explain.h"

#include <stdatomic.h>
#include <string.h>

#include "omp_ext/explain/learned.h"
#include "omp_ext/explain/line.h"
#include "omp_ext/explain/loops.h"
#include "omp_ext/recorder/live.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/recorder/reader.h"
#include "omp_ext/report/advice.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"

/* --- a paragraph --- */

static void append_schedule(struct keel_explain_line *line, const struct keel_report_loop *figures)
{
    const char *schedule = figures->schedule != NULL ? figures->schedule : "";

    switch (figures->kind) {
    case KEEL_REPORT_REGION:
        keel_explain_append(line, ", a parallel region");
        return;
    case KEEL_REPORT_PART:
        keel_explain_append(line, ", part of a parallel region");
        return;
    case KEEL_REPORT_LOOP:
        break;
    }
    if (schedule[0] != '\0') {
        keel_explain_append(line, ", %s%s", schedule, figures->mixed ? " and others" : "");
    }
}

static void print_head(const struct keel_explained_loop *loop)
{
    const struct keel_report_loop *figures = &loop->figures;
    unsigned long long instances = figures->instances;
    struct keel_explain_line line = {0};

    keel_explain_append(&line, "%s", loop->name);
    append_schedule(&line, figures);
    keel_explain_append(&line, ", %u thread%s: ", figures->threads,
                        figures->threads == 1 ? "" : "s");
    keel_explain_append_time(&line, 1e9 * figures->elapsed_s);
    keel_explain_append(&line, " in %llu instance%s", instances, instances == 1 ? "" : "s");
    if (instances > 1) {
        keel_explain_append(&line, " of ");
        keel_explain_append_time(&line, 1e9 * figures->elapsed_s / (double)instances);
    }
    keel_explain_print(&line);
}

/* Sums over the threads. */
static struct keel_report_thread sum_of(const struct keel_report_loop *figures)
{
    struct keel_report_thread sum = {0};

    for (uint32_t i = 0; i < figures->threads && figures->thread != NULL; i++) {
        sum.busy_s += figures->thread[i].busy_s;
        sum.waited_s += figures->thread[i].waited_s;
        sum.claiming_s += figures->thread[i].claiming_s;
        sum.iterations += figures->thread[i].iterations;
        sum.chunks += figures->thread[i].chunks;
    }
    return sum;
}

static void print_times(const struct keel_report_loop *figures, double all_s)
{
    const struct keel_report_thread sum = sum_of(figures);
    double threads_s = figures->threads * figures->elapsed_s;
    struct keel_explain_line line = {0};

    keel_explain_append(&line, "  %.0f %% of the loops' time",
                        all_s > 0 ? 100 * figures->elapsed_s / all_s : 100);
    if (threads_s > 0 && figures->threads > 1) {
        keel_explain_append(&line, "; threads waited %.1f %% of it",
                            100 * sum.waited_s / threads_s);
    }
    if (threads_s > 0 && sum.chunks > 0) {
        keel_explain_append(&line, "; getting %llu chunk%s took about %.1f %%",
                            (unsigned long long)sum.chunks, sum.chunks == 1 ? "" : "s",
                            100 * sum.claiming_s / threads_s);
    }
    keel_explain_print(&line);
}

static bool is_shared(const struct keel_report_loop *figures)
{
    return figures->schedule != NULL && strcmp(figures->schedule, KEEL_REPORT_BY_RANKS) == 0;
}

static void print_shared(const struct keel_report_loop *figures, int rank)
{
    struct keel_explain_line line = {0};

    keel_explain_append(
        &line, "  its iterations are shared by the ranks of the job: rank %d ran %llu of %llu",
        rank, (unsigned long long)sum_of(figures).iterations,
        (unsigned long long)figures->iterations);
    keel_explain_print(&line);
}

/* Where `auto` has compared schedules by trying them, forecasts have no more to say. */
static void print_advice(const struct keel_explained_loop *loop, bool compared)
{
    struct keel_advice advice = keel_report_advice_of(&loop->figures, false);
    char text[KEEL_ADVICE_TEXT_MAX];
    struct keel_explain_line line = {0};

    keel_advice_write(&advice, text);
    if (text[0] != '\0' && !(compared && advice.hint == KEEL_ADVICE_NO_HINT)) {
        keel_explain_append(&line, "  advice: %s", text);
        keel_explain_print(&line);
    }
}

static void print_paragraph(struct keel_explained_loop *loop, double all_s, int rank)
{
    struct keel_learned_figures learned;

    keel_learned_fill_in(loop, &learned);
    print_head(loop);
    print_times(&loop->figures, all_s);
    if (is_shared(&loop->figures)) {
        print_shared(&loop->figures, rank);
        return;
    }
    print_advice(loop, keel_explain_learned(loop));
}

/* --- all of them --- */

static void print_rest(const struct keel_explained_loops *loops)
{
    size_t count = loops->count - loops->shown;
    double elapsed_s = 0;
    struct keel_explain_line line = {0};

    for (size_t i = loops->shown; i < loops->count; i++) {
        elapsed_s += loops->loop[i].figures.elapsed_s;
    }
    keel_explain_append(&line, "%zu more loop%s took ", count, count == 1 ? "" : "s");
    keel_explain_append_time(&line, 1e9 * elapsed_s);
    keel_explain_append(&line, ", %.0f %% of the loops' time", 100 * elapsed_s / loops->elapsed_s);
    keel_explain_print(&line);
}

static void explain(const struct keel_report_process *process)
{
    struct keel_explained_loops loops = keel_explained_loops_of(process);

    for (size_t i = 0; i < loops.shown; i++) {
        print_paragraph(&loops.loop[i], loops.elapsed_s, process->rank);
    }
    if (loops.shown < loops.count) {
        print_rest(&loops);
    }
    keel_explained_loops_free(&loops);
}

/* Of the ranks on a node, the first one tells what took its time. A process that came to no loop is
 * not told that its environment is wrong, either. */
void keel_explain(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (settings != NULL && settings->explain &&
        keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER) {
        struct keel_report_process *process = keel_live_figures();
        if (process != NULL) {
            explain(process);
            keel_recording_figures_free(process);
        }
    }
}
