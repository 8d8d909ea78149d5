/* How long it takes a rank to decide, on this machine: the pure functions that shared loops and
 * rows call, for jobs of many ranks.
 *
 *   decisions RANKS      what decides, median processor time in us
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/support/clock.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/decide.h"
#include "schedules/rehearse/rehearse.h"

#define TIMES 21
#define ROWS 64 /* of each rank */

struct job {
    uint32_t ranks;
    double *rate, *wanted;
    uint64_t *rows;
    struct keel_decide_report *report;
    struct keel_decide_state *steering;
    struct keel_rehearse *rehearse;
    struct keel_profit_cost cost;
    void *scratch;
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
        .wanted = room(ranks * sizeof(double)),
        .rows = room(ranks * sizeof(uint64_t)),
        .report = room(ranks * sizeof(struct keel_decide_report)),
        .steering = room(keel_decide_size(ranks)),
        .rehearse = room(keel_rehearse_size(ranks)),
        .scratch = room(keel_decide_scratch(ranks) + keel_rehearse_scratch(ranks)),
        .rules = {.gain = KEEL_DECIDE_GAIN, .greatly = KEEL_DECIDE_GREATLY, .adjacent = true},
    };

    for (uint32_t i = 0; i < ranks; i++) {
        double part = (double)(keel_chance_mix(i + 1) >> 11) * 0x1p-53;
        job.rate[i] = 1e3 / (1 + 7 * part);
        job.report[i] = (struct keel_decide_report){ROWS, ROWS, job.rate[i], job.rate[i]};
    }
    keel_decide_begin(job.steering, ranks, 0);
    keel_rehearse_begin(job.rehearse, ranks, true, 0);
    keel_profit_cost_note(&job.cost, 1, 0, 50e-6);
    keel_profit_cost_note(&job.cost, 1, 8192, 120e-6);
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

static void rehearse(struct job *job)
{
    struct keel_decide_situation situation = {job->now_s += 0.04, 100, 256};
    struct keel_rehearse_span span = {.time_s = 0.04, .phase_s = 0.01};

    keel_rehearse_decide(job->rehearse, &job->cost, &situation, &span, job->report, job->rows,
                         job->wanted, job->scratch);
}

static double now_us(void)
{
    return (double)clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1e3;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(struct job *job, const char *what, void (*function)(struct job *))
{
    double time_us[TIMES];

    for (int i = 0; i < TIMES; i++) {
        double began_us = now_us();
        function(job);
        time_us[i] = now_us() - began_us;
    }
    qsort(time_us, TIMES, sizeof *time_us, ascending);
    printf("%s %.0f\n", what, time_us[TIMES / 2]);
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
    measure(&job, "auto", rehearse);
    return 0;
}
