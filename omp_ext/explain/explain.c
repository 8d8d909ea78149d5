/* KEEL_EXPLAIN: a paragraph for each place that took the time. */
#include "omp_ext/explain/explain.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/explain/explain_inside.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/explain/live_report.h"
#include "omp_ext/recorder/recording_reader.h"
#include "omp_ext/report/report_advice.h"
#include "omp_ext/report/report_places.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"

#define PLACES_MAX 12       /* that get a paragraph */
#define PART_EXPLAINED 0.95 /* of the loops' time, that they make up */

/* --- a paragraph --- */

static const char *known(const char *text)
{
    return text != NULL ? text : "";
}

/* "mandel.c:42 (render)", or "render", or an address. */
static void append_name(struct keel_explain_line *line, const struct keel_report_loop *loop)
{
    const char *function = known(loop->function), *place = known(loop->place);

    if (loop->line > 0 && function[0] != '\0') {
        keel_explain_append(line, "%.120s (%.250s)", place, function);
    } else {
        const char *name = loop->line > 0 || function[0] == '\0' ? place : function;
        keel_explain_append(line, "%.250s", name[0] != '\0' ? name : "a loop");
    }
}

static void append_schedule(struct keel_explain_line *line, const struct keel_report_place *place)
{
    const char *schedule = known(place->loop->schedule);

    switch (place->loop->kind) {
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
        keel_explain_append(line, ", %s%s", schedule, place->mixed ? " and others" : "");
    }
}

static void print_head(const struct keel_report_place *place)
{
    unsigned long long instances = place->instances;
    struct keel_explain_line line = {0};

    append_name(&line, place->loop);
    append_schedule(&line, place);
    keel_explain_append(&line, ", %u thread%s: ", place->threads, place->threads == 1 ? "" : "s");
    keel_explain_append_time(&line, 1e9 * place->elapsed_s);
    keel_explain_append(&line, " in %llu instance%s", instances, instances == 1 ? "" : "s");
    if (instances > 1) {
        keel_explain_append(&line, " of ");
        keel_explain_append_time(&line, 1e9 * place->elapsed_s / (double)instances);
    }
    keel_explain_print(&line);
}

static void print_times(const struct keel_report_place *place, double all_s)
{
    double threads_s = place->threads * place->elapsed_s;
    struct keel_explain_line line = {0};

    keel_explain_append(&line, "  %.0f %% of the loops' time",
                        all_s > 0 ? 100 * place->elapsed_s / all_s : 100);
    if (threads_s > 0 && place->threads > 1) {
        keel_explain_append(&line, "; threads waited %.1f %% of it",
                            100 * place->waited_s / threads_s);
    }
    if (threads_s > 0 && place->chunks > 0) {
        keel_explain_append(&line, "; getting %llu chunk%s took about %.1f %%",
                            (unsigned long long)place->chunks, place->chunks == 1 ? "" : "s",
                            100 * place->claiming_s / threads_s);
    }
    keel_explain_print(&line);
}

static bool is_shared(const struct keel_report_loop *loop)
{
    return strcmp(known(loop->schedule), KEEL_REPORT_BY_RANKS) == 0;
}

static void print_shared(const struct keel_report_loop *loop, int rank)
{
    uint64_t run = 0;
    struct keel_explain_line line = {0};

    for (uint32_t i = 0; i < loop->threads && loop->thread != NULL; i++) {
        run += loop->thread[i].iterations;
    }
    keel_explain_append(
        &line, "  its iterations are shared by the ranks of the job: rank %d ran %llu of %llu",
        rank, (unsigned long long)run, (unsigned long long)loop->iterations);
    keel_explain_print(&line);
}

/* Where `auto` has compared schedules by trying them, forecasts have no more to say. */
static void print_advice(const struct keel_report_loop *loop, bool compared)
{
    struct keel_advice advice = keel_report_advice_of(loop, false);
    char text[KEEL_ADVICE_TEXT_MAX];
    struct keel_explain_line line = {0};

    keel_advice_write(&advice, text);
    if (text[0] != '\0' && !(compared && advice.hint == KEEL_ADVICE_NO_HINT)) {
        keel_explain_append(&line, "  advice: %s", text);
        keel_explain_print(&line);
    }
}

static void print_paragraph(const struct keel_report_place *place, double all_s, int rank)
{
    print_head(place);
    print_times(place, all_s);
    if (is_shared(place->loop)) {
        print_shared(place->loop, rank);
        return;
    }
    print_advice(place->loop, keel_learned_print(place->loop));
}

/* --- all of them --- */

static int by_time(const void *first, const void *second)
{
    const struct keel_report_place *a = first, *b = second;

    return (a->elapsed_s < b->elapsed_s) - (a->elapsed_s > b->elapsed_s);
}

/* Regions that hold loops are told of by these. Returns how many are left. */
static size_t leave_out_regions(struct keel_report_place *place, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (place[i].instances > 0 && !place[i].is_rest) {
            place[kept++] = place[i];
        }
    }
    return kept;
}

static void print_rest(size_t count, double elapsed_s, double all_s)
{
    struct keel_explain_line line = {0};

    if (count > 0) {
        keel_explain_append(&line, "%zu more loop%s took ", count, count == 1 ? "" : "s");
        keel_explain_append_time(&line, 1e9 * elapsed_s);
        keel_explain_append(&line, ", %.0f %% of the loops' time", 100 * elapsed_s / all_s);
        keel_explain_print(&line);
    }
}

static void explain(const struct keel_report_process *process)
{
    const struct keel_report_job job = {&process, 1};
    size_t count, shown = 0;
    struct keel_report_place *place = keel_report_places(&job, &count);
    double all_s = 0, shown_s = 0;

    count = leave_out_regions(place, count);
    qsort(place, count, sizeof *place, by_time);
    for (size_t i = 0; i < count; i++) {
        all_s += place[i].elapsed_s;
    }
    while (shown < count && shown < PLACES_MAX &&
           (shown == 0 || shown_s < PART_EXPLAINED * all_s)) {
        shown_s += place[shown].elapsed_s;
        print_paragraph(&place[shown++], all_s, process->rank);
    }
    print_rest(count - shown, all_s - shown_s, all_s);
    free(place);
}

/* Of the ranks on a node, the first one tells what took its time. A process that came to no loop is
 * not told that its environment is wrong, either. */
void keel_explain(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (settings == NULL || !settings->explain ||
        keel_launch_role(keel_environment_value) == KEEL_LAUNCH_OTHER) {
        return;
    }
    struct keel_report_process *process = keel_live_figures();
    if (process != NULL) {
        struct keel_learned *learned = keel_learned_fill_in(process);
        explain(process);
        keel_learned_free(learned);
        keel_recording_figures_free(process);
    }
}
