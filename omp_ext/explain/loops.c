/* The loops that KEEL_EXPLAIN tells of. */
#include "omp_ext/explain/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/advice.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- names --- */

static const char *known(const char *text)
{
    return text != NULL ? text : "";
}

static void write_name(const struct keel_report_loop *loop, char *name)
{
    const char *file = known(loop->file), *function = known(loop->function);
    const char *slash = strrchr(file, '/');

    if (loop->line == 0 || file[0] == '\0') {
        const char *text = function[0] != '\0' ? function : known(loop->place);
        snprintf(name, KEEL_EXPLAIN_NAME_MAX, "%s", text[0] != '\0' ? text : "a loop");
    } else {
        bool named = function[0] != '\0';
        snprintf(name, KEEL_EXPLAIN_NAME_MAX, "%.120s:%u%s%s%s", slash != NULL ? slash + 1 : file,
                 loop->line, named ? " (" : "", function, named ? ")" : "");
    }
}

/* --- each place once --- */

static bool is_same_place(const struct keel_explained_loop *explained, const char *name,
                          const struct keel_report_loop *loop)
{
    return strcmp(explained->name, name) == 0 && explained->figures.kind == loop->kind &&
           (loop->line > 0 || strcmp(known(explained->figures.place), known(loop->place)) == 0);
}

static void add_threads(struct keel_explained_loop *explained, const struct keel_report_loop *loop)
{
    for (uint32_t i = 0; i < loop->threads && loop->thread != NULL; i++) {
        explained->thread[i].busy_s += loop->thread[i].busy_s;
        explained->thread[i].waited_s += loop->thread[i].waited_s;
        explained->thread[i].claiming_s += loop->thread[i].claiming_s;
        explained->thread[i].iterations += loop->thread[i].iterations;
        explained->thread[i].chunks += loop->thread[i].chunks;
    }
}

/* Room for the threads of the largest team. False: no memory. */
static bool make_room(struct keel_explained_loop *explained, uint32_t threads)
{
    uint32_t before = explained->thread != NULL ? explained->figures.threads : 0;

    if (threads <= before) {
        return true;
    }
    struct keel_report_thread *grown = realloc(explained->thread, threads * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memset(grown + before, 0, (threads - before) * sizeof *grown);
    explained->thread = grown;
    explained->figures.thread = grown;
    explained->figures.threads = threads;
    return true;
}

/* Names, schedule and what was measured are those of what takes longest. */
static void take_names(struct keel_explained_loop *explained, const struct keel_report_loop *loop)
{
    struct keel_report_loop sum = explained->figures;

    explained->figures = *loop;
    explained->figures.mixed =
        sum.mixed || loop->mixed ||
        (sum.instances > 0 && strcmp(known(sum.schedule), known(loop->schedule)) != 0);
    explained->figures.instances = sum.instances;
    explained->figures.iterations = sum.iterations;
    explained->figures.elapsed_s = sum.elapsed_s;
    explained->figures.elapsed_squares_s2 = sum.elapsed_squares_s2;
    explained->figures.waits_seen = sum.waits_seen;
    explained->figures.median_wait_s = sum.median_wait_s;
    explained->figures.threads = sum.threads;
    explained->figures.thread = sum.thread;
    explained->longest_s = loop->elapsed_s;
}

/* Of several medians, the mean over the instances. */
static void add_waits(struct keel_report_loop *sum, const struct keel_report_loop *loop)
{
    uint64_t seen = sum->waits_seen + loop->waits_seen;

    if (loop->waits_seen > 0) {
        sum->median_wait_s +=
            (loop->median_wait_s - sum->median_wait_s) * (double)loop->waits_seen / (double)seen;
    }
    sum->waits_seen = seen;
}

static void add(struct keel_explained_loop *explained, const struct keel_report_loop *loop)
{
    if (!make_room(explained, loop->threads)) {
        return;
    }
    if (explained->figures.instances == 0 || loop->elapsed_s > explained->longest_s) {
        take_names(explained, loop);
    } else if (strcmp(known(explained->figures.schedule), known(loop->schedule)) != 0) {
        explained->figures.mixed = true;
    }
    add_threads(explained, loop);
    explained->figures.instances += loop->instances;
    explained->figures.iterations += loop->iterations;
    explained->figures.elapsed_s += loop->elapsed_s;
    explained->figures.elapsed_squares_s2 += loop->elapsed_squares_s2;
    add_waits(&explained->figures, loop);
}

void keel_explained_loop_begin(struct keel_explained_loop *explained,
                               const struct keel_report_loop *loop)
{
    *explained = (struct keel_explained_loop){
        .figures = {.kind = loop->kind, .line = loop->line, .place = loop->place}};
    write_name(loop, explained->name);
    add(explained, loop);
}

static void add_or_begin(struct keel_explained_loops *loops, const struct keel_report_loop *loop)
{
    char name[KEEL_EXPLAIN_NAME_MAX];

    write_name(loop, name);
    for (size_t i = 0; i < loops->count; i++) {
        if (is_same_place(&loops->loop[i], name, loop)) {
            add(&loops->loop[i], loop);
            return;
        }
    }
    keel_explained_loop_begin(&loops->loop[loops->count++], loop);
}

/* --- those that matter --- */

static int by_time(const void *one, const void *other)
{
    const struct keel_explained_loop *a = one, *b = other;

    if (a->figures.elapsed_s != b->figures.elapsed_s) {
        return a->figures.elapsed_s < b->figures.elapsed_s ? 1 : -1;
    }
    return strcmp(a->name, b->name);
}

static void choose(struct keel_explained_loops *loops)
{
    double sum_s = 0;

    qsort(loops->loop, loops->count, sizeof *loops->loop, by_time);
    for (size_t i = 0; i < loops->count; i++) {
        loops->elapsed_s += loops->loop[i].figures.elapsed_s;
    }
    while (loops->shown < loops->count && loops->shown < KEEL_EXPLAIN_LOOPS_MAX &&
           (loops->shown == 0 || sum_s < KEEL_EXPLAIN_PART_EXPLAINED * loops->elapsed_s)) {
        sum_s += loops->loop[loops->shown++].figures.elapsed_s;
    }
}

struct keel_explained_loops keel_explained_loops_of(const struct keel_report_process *process)
{
    struct keel_explained_loops loops = {.loop =
                                             calloc(process->loop_count + 1, sizeof *loops.loop)};

    for (size_t i = 0; i < process->loop_count && loops.loop != NULL; i++) {
        if (process->loop[i].instances > 0 && !keel_report_holds_loops(process, i)) {
            add_or_begin(&loops, &process->loop[i]);
        }
    }
    choose(&loops);
    return loops;
}

void keel_explained_loops_free(struct keel_explained_loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        free(loops->loop[i].thread);
    }
    free(loops->loop);
}
