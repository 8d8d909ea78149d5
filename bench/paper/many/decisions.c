/* How long it takes a rank to decide, on this machine: the pure functions that shared loops and
 * rows call, for jobs of many ranks.
 *
 *   decisions RANKS      what decides, median processor time in us
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/support/clock.h"
#include "bench/support/quantile.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/decide.h"
#include "schedules/forecast/rows_selection.h"

#define TIMES 21
#define ROWS 64 /* of each rank */

struct job {
    uint32_t ranks;
    double *rate, *work, *wanted;
    uint64_t *rows;
    struct keel_decide_report *report;
    struct keel_decide_state *steering;
    struct keel_rows_selection *selection;
    void *scratch, *choice;
    struct keel_decide_rules rules;
    double now_s;
};

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);

    if (memory == NULL) {
        fprintf(stderr, "decisions: no memory\n");
        exit(1);
    }
    return memory;
}

/* Times of an iteration from 1 to 8 units. */
static struct job make_job(uint32_t ranks)
{
    struct job job = {
        .ranks = ranks,
        .rate = room(ranks * sizeof(double)),
        .work = room(ranks * sizeof(double)),
        .wanted = room(ranks * sizeof(double)),
        .rows = room(ranks * sizeof(uint64_t)),
        .report = room(ranks * sizeof(struct keel_decide_report)),
        .steering = room(keel_decide_size(ranks)),
        .scratch = room(keel_decide_scratch(ranks)),
        .selection = room(keel_rows_selection_size(ranks)),
        .choice = room(keel_rows_selection_scratch(ranks)),
        .rules = {.gain = KEEL_DECIDE_GAIN, .greatly = KEEL_DECIDE_GREATLY, .adjacent = true},
    };

    for (uint32_t i = 0; i < ranks; i++) {
        double part = (double)(keel_chance_mix(i + 1) >> 11) * 0x1p-53;
        job.rate[i] = 1e3 / (1 + 7 * part);
        job.work[i] = ROWS;
        job.report[i] = (struct keel_decide_report){ROWS, ROWS, job.rate[i], job.rate[i]};
    }
    keel_decide_begin(job.steering, ranks, 0);
    keel_rows_selection_begin(job.selection, ranks);
    keel_decide_note_cost(job.steering, 1, 0, 50e-6);
    keel_decide_note_cost(job.steering, 1, 8192, 120e-6);
    return job;
}

static void find_links(struct job *job)
{
    struct keel_tree_links links;

    keel_cluster_tree_links(job->ranks, job->rate, job->ranks / 2, realloc, &links);
}

static void decide(struct job *job)
{
    struct keel_decide_situation situation = {job->now_s += 0.04, 100, 256};

    keel_decide(job->steering, &job->rules, &situation, job->report, job->rows, job->wanted,
                job->scratch);
}

/* Work comes and goes: every other rank has a little more from time to time. */
static void choose(struct job *job)
{
    job->now_s += 1;
    for (uint32_t i = 0; i < job->ranks; i++) {
        job->work[i] = ROWS + (i % 2 == (uint64_t)job->now_s % 2 ? 8 : 0);
    }
    keel_rows_selection_choose(job->selection,
                               &(struct keel_rows_outlook){
                                   .workers = job->ranks,
                                   .work = job->work,
                                   .rate = job->rate,
                                   .rows = (uint64_t)job->ranks * ROWS,
                                   .adjacent = true,
                                   .step_s = 1,
                                   .horizon_s = 100,
                                   .message_s = 50e-6,
                                   .row_s = 3e-6,
                                   .gain = KEEL_DECIDE_GAIN,
                                   .time_s = 1,
                                   .phase_s = 1,
                                   .phases = 1,
                               },
                               job->choice);
    keel_rows_selection_decided(job->selection, false, job->work);
}

static double now_us(void)
{
    return (double)clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1e3;
}

static void measure(struct job *job, const char *what, void (*function)(struct job *))
{
    double time_us[TIMES];

    for (int i = 0; i < TIMES; i++) {
        double began_us = now_us();
        function(job);
        time_us[i] = now_us() - began_us;
    }
    printf("%s %.0f\n", what, quantile(time_us, TIMES, 0.5));
}

int main(int argc, char **argv)
{
    long ranks = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

    if (ranks < 1 || ranks > 1000000) {
        fprintf(stderr, "usage: decisions RANKS\n");
        return 2;
    }
    struct job job = make_job((uint32_t)ranks);
    measure(&job, "links", find_links);
    job.rules.kind = KEEL_DECIDE_BY_RATE;
    measure(&job, "rate", decide);
    job.rules.kind = KEEL_DECIDE_BY_TREE;
    measure(&job, "tree", decide);
    measure(&job, "auto", choose);
    return 0;
}
