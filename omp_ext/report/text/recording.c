/* What recording has taken. */
#include "omp_ext/report/text/recording.h"

#include "omp_ext/report/text/number.h"

#define RECORDING_S 2e-7 /* a loop or part: 0.03 to 0.2 us, bench/RESULTS.md, "What reports cost" */
#define SAMPLED_BELOW_S 8e-4 /* regions that take less per instance are not all recorded */
#define WORTH_TELLING 0.01   /* of the process's time */
#define PLACE_SHOWN 42       /* bytes: up to column 100 */

struct recorded {
    uint64_t count; /* loops and parts that are all recorded, of all instances */
    double elapsed_s;
    const struct keel_report_loop *most;
};

/* In regions at the same time, times add up to more than the run: they are left out. */
static bool is_all_recorded(const struct keel_report_process *process,
                            const struct keel_report_loop *loop)
{
    if (loop->kind == KEEL_REPORT_REGION || loop->region < 0 || loop->nested) {
        return false;
    }
    const struct keel_report_loop *region = &process->loop[loop->region];
    return region->instances > 0 &&
           region->elapsed_s >= SAMPLED_BELOW_S * (double)region->instances;
}

static struct recorded recorded_of(const struct keel_report_process *process)
{
    struct recorded recorded = {0};

    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (is_all_recorded(process, loop)) {
            recorded.count += loop->instances;
            recorded.elapsed_s += loop->elapsed_s;
            if (recorded.most == NULL || loop->instances > recorded.most->instances) {
                recorded.most = loop;
            }
        }
    }
    return recorded;
}

static double part_of(const struct keel_report_process *process, const struct recorded *recorded)
{
    return process->elapsed_s > 0 ? (double)recorded->count * RECORDING_S / process->elapsed_s : 0;
}

void keel_report_print_recording(FILE *stream, const struct keel_report_job *job)
{
    struct recorded worst = {0};
    double part = 0;

    for (size_t i = 0; i < job->count; i++) {
        struct recorded recorded = recorded_of(job->process[i]);
        double own = part_of(job->process[i], &recorded);
        if (own > part) {
            worst = recorded;
            part = own;
        }
    }
    if (part < WORTH_TELLING) {
        return;
    }
    fprintf(
        stream,
        "  recording took about %.0f%% of it: %s loops and parts, %s us each, are all recorded,\n"
        "    as only regions below 0.8 ms are sampled; most are at %.*s\n",
        part * 100, keel_report_count(worst.count).text,
        keel_report_seconds(worst.elapsed_s / (double)worst.count * 1e6).text, PLACE_SHOWN,
        worst.most->place != NULL ? worst.most->place : "?");
}
