/* compared RECORDING LINES: whether a recording agrees with what the program has measured itself,
 * see measured.c. Prints what does not.
 *
 * compared RECORDING: prints the recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/report/report_file.h"
#include "tests/support/check.h"

#define SLACK 0.01 /* of a rate of ticks that was measured while the program ran */

static const char *const kinds[] = {"region", "loop", "part"};

/* The last one: what stands behind a region's last barrier comes right behind the region. */
static const struct keel_report_loop *find(const struct keel_report_process *process,
                                           const char *kind, const char *function)
{
    const struct keel_report_loop *found = NULL;

    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (strcmp(kinds[loop->kind], kind) == 0 && strcmp(loop->function, function) == 0) {
            found = loop;
        }
    }
    return found;
}

/* A thread that is interrupted behind its region's last loop is not in the loop then. Neither is
 * its wait, where what it does there lasts long enough to be a part of the region. */
static double behind(const struct keel_report_process *process, const struct keel_report_loop *loop,
                     uint32_t number)
{
    const struct keel_report_loop *region = &process->loop[loop->region];
    const struct keel_report_loop *part = find(process, "part", loop->function);
    double busy = region->thread[number].busy_s - loop->thread[number].busy_s;

    return busy + (part != NULL ? part->thread[number].waited_s : 0);
}

static double all_of(const struct keel_report_loop *loop, uint32_t number)
{
    const struct keel_report_thread *thread = &loop->thread[number];

    return thread->busy_s + thread->waited_s + thread->claiming_s;
}

/* more: of its time, that does not count as the loop's. */
static void compare_thread(const struct keel_report_loop *loop, uint32_t number, double busy,
                           double span, double more)
{
    const struct keel_report_thread *thread = &loop->thread[number];
    double all = all_of(loop, number);

    CHECK(thread->busy_s + thread->claiming_s >= busy * (1 - SLACK),
          "%s: thread %u computes for %.6f s, at least %.6f", loop->function, number,
          thread->busy_s, busy);
    CHECK(all + more >= span * (1 - SLACK),
          "%s: thread %u: %.6f s in all and %.6f behind it, at least %.6f", loop->function, number,
          all, more, span);
    CHECK(all <= loop->elapsed_s * (1 + 1e-9), "%s: thread %u: %.6f s in all, of %.6f",
          loop->function, number, all, loop->elapsed_s);
}

static void compare(const struct keel_report_process *process, const struct keel_report_loop *loop,
                    bool is_last, char *rest)
{
    unsigned long long instances, iterations, counted = 0;
    unsigned threads;
    double least, most, busy, span;
    int used;

    if (sscanf(rest, "%llu %llu %u %lf %lf%n", &instances, &iterations, &threads, &least, &most,
               &used) != 5) {
        CHECK(false, "cannot read '%s'", rest);
        return;
    }
    CHECK(loop->instances == instances, "%s: %llu instances, not %llu", loop->function,
          (unsigned long long)loop->instances, instances);
    CHECK(loop->iterations == iterations, "%s: %llu iterations, not %llu", loop->function,
          (unsigned long long)loop->iterations, iterations);
    CHECK(loop->threads == threads, "%s: %u threads, not %u", loop->function, loop->threads,
          threads);
    CHECK(loop->elapsed_s >= least * (1 - SLACK), "%s: lasts %.6f s, at least %.6f", loop->function,
          loop->elapsed_s, least);
    CHECK(most < 0 || loop->elapsed_s <= most * (1 + SLACK), "%s: lasts %.6f s, at most %.6f",
          loop->function, loop->elapsed_s, most);
    for (uint32_t i = 0; i < threads && i < loop->threads; i++) {
        int more = 0;
        rest += used;
        if (sscanf(rest, "%lf %lf%n", &busy, &span, &more) == 2) {
            compare_thread(loop, i, busy, span, is_last ? behind(process, loop, i) : 0);
        }
        used = more;
        counted += loop->thread[i].iterations;
    }
    CHECK(counted == iterations, "%s: threads have %llu iterations, not %llu", loop->function,
          counted, iterations);
}

static void compare_all(const struct keel_report_process *process, FILE *lines)
{
    char line[1000], kind[20], function[100];
    unsigned count = 0;
    int used;

    while (fgets(line, sizeof line, lines) != NULL &&
           sscanf(line, "%19s %99s%n", kind, function, &used) == 2) {
        bool is_last = strcmp(kind, "last") == 0;
        const struct keel_report_loop *loop = find(process, is_last ? "loop" : kind, function);
        CHECK(loop != NULL, "%s %s is not there", kind, function);
        if (loop != NULL) {
            compare(process, loop, is_last, line + used);
        }
        count++;
    }
    CHECK(count > 0, "nothing to compare with");
}

static void print(const struct keel_report_process *process)
{
    printf("process complete=%d rank=%d ranks=%d threads=%u loops=%zu left_out=%llu serial=%d\n",
           process->complete, process->rank, process->ranks, process->threads, process->loop_count,
           (unsigned long long)process->loops_left_out, process->serial_s <= process->elapsed_s);
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        printf("%s function=%s place=%s instances=%llu iterations=%llu threads=%u nested=%d "
               "region=%d mixed=%d keel=%d schedule=%s\n",
               kinds[loop->kind], loop->function, loop->place, (unsigned long long)loop->instances,
               (unsigned long long)loop->iterations, loop->threads, loop->nested, loop->region,
               loop->mixed, loop->under_keel, loop->schedule);
    }
}

int main(int arguments, char **argument)
{
    struct keel_report_document document = {0};
    char reason[KEEL_REPORT_REASON_MAX] = "is no recording";
    size_t length;
    char *bytes = arguments > 1 ? keel_report_file_contents(argument[1], &length, reason) : NULL;
    const struct keel_report_process *process =
        bytes != NULL ? keel_recording_figures(bytes, length, &document) : NULL;
    FILE *lines = arguments > 2 ? fopen(argument[2], "r") : NULL;

    if (process == NULL || (arguments > 2 && lines == NULL)) {
        fprintf(stderr, "compared: %s\n", reason);
        return 2;
    }
    if (lines != NULL) {
        compare_all(process, lines);
        fclose(lines);
    } else {
        print(process);
    }
    keel_report_document_free(&document);
    free(bytes);
    return check_status();
}
