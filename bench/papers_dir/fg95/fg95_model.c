/* Keel's model of the N-body program (schedules/model/iterative.h) beside the simulated
 * runs of domains.c.
 *
 *   a run of the stars alone -> where each is in each step -> lambda and mu of any domains
 *   domains of the plane, who touches whom -> what the policies of domains.c move, H and M
 *   messages of the program and of balancing, by what a message costs -> T_lb
 *   -> keel_iterative_run() for each rule -> speed-up
 *
 *   model STARS STEPS TIME WIND FLOPS SORT BYTES STARTUP BANDWIDTH POWER... -- RULES... >SPEEDUPS
 *
 * STARS to BYTES: as of domains. STARTUP: s, of a message. BANDWIDTH: bytes per s that all hosts
 * share. POWER: operations per s of each host, the first of which also runs the whole job alone.
 * RULES: words POLICY W ALPHA, and "ideal": tasks always in proportion to powers, nothing but the
 * application's own messages. Of random, the mean over some seeds, which no simulated run has.
 *
 * Nothing is fitted: what is sent is counted in the source of the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/fg95/cluster.h"
#include "bench/papers_dir/fg95/plane.h"
#include "bench/support/support.h"
#include "schedules/model/iterative.h"

#define PARTICLES 1024
#define SEEDS 8

/* --- the stars --- */

struct stars {
    int steps;
    double (*at)[PARTICLES][2]; /* at the beginning of each step, and after the last one */
};

static struct stars follow_stars(uint64_t seed, int steps, double time, double wind)
{
    struct stars stars = {steps, memory_new(steps + 1, sizeof *stars.at)};
    struct particle particle[PARTICLES];
    struct tree tree;

    cluster_make(particle, PARTICLES, seed);
    tree_open(&tree, PARTICLES);
    for (int step = 0; step <= steps; step++) {
        for (int p = 0; p < PARTICLES; p++) {
            particle[p].speed[0] += step == 0 ? wind : 0;
            memcpy(tree.at[p], particle[p].at, sizeof tree.at[p]);
        }
        memcpy(stars.at[step], tree.at, sizeof stars.at[step]);
        tree_build(&tree);
        for (int p = 0; p < PARTICLES; p++) {
            tree_pull(&tree, 0.5, &particle[p]);
            particle_kick(&particle[p], time);
            particle_drift(&particle[p], time);
        }
    }
    tree_close(&tree);
    return stars;
}

/* --- domains --- */

struct machine {
    double startup_s, byte_s, flops, sort;
    double told_bytes; /* that others get of a particle in each step */
    int hosts;
    double power[PLANE_OWNERS_MAX];
    struct stars stars;
};

/* Of the run that is being modelled: what its policies move is where particles are. */
static struct {
    const struct machine *machine;
    struct plane plane;
} run;

static int owner_at(const double at[2])
{
    return run.plane.owner[plane_cell(at)];
}

static void cut_anew(uint64_t step)
{
    int count[PLANE_CELLS] = {0}, cut[PLANE_OWNERS_MAX];

    for (int p = 0; p < PARTICLES; p++) {
        count[plane_cell(run.machine->stars.at[step][p])]++;
    }
    plane_cut(&run.plane, count, run.machine->power, cut);
    plane_paint(&run.plane, cut);
}

/* lambda and mu: who crosses from one domain to another in this step. */
static void change(const void *context, uint32_t workers, uint64_t step, const uint64_t *tasks,
                   uint64_t *arriving, uint64_t *leaving)
{
    const struct stars *stars = context;

    (void)workers, (void)tasks;
    for (int p = 0; p < PARTICLES; p++) {
        int from = owner_at(stars->at[step][p]), to = owner_at(stars->at[step + 1][p]);
        if (from != to) {
            leaving[from]++;
            arriving[to]++;
        }
    }
}

/* --- policies: M --- */

/* Those of an owner, at the beginning of a step. */
static int own_particles(uint64_t step, int owner, struct particle *own)
{
    int count = 0;

    for (int p = 0; p < PARTICLES; p++) {
        const double *at = run.machine->stars.at[step][p];
        if (owner_at(at) == owner) {
            own[count++] = (struct particle){.number = p, .at = {at[0], at[1]}};
        }
    }
    return count;
}

/* What an owner gives, after this step: into transfers, and gifts. */
static size_t give(const struct keel_iterative_view *view, int owner, const bool *next,
                   struct keel_transfer *transfer, struct plane_gift *gift)
{
    const struct plane_rule rule = {
        .random = strcmp(view->rule->policy->name, "random") == 0,
        .threshold = view->rule->threshold,
        .alpha = view->rule->alpha,
        .seed = view->seed * 1000003 + (uint64_t)owner,
    };
    int tasks[PLANE_OWNERS_MAX];
    struct particle own[PARTICLES];
    struct keel_transfer asked[PLANE_OWNERS_MAX];
    size_t given = 0;

    for (uint32_t w = 0; w < view->workers; w++) {
        tasks[w] = (int)view->tasks[w];
    }
    size_t count = plane_transfers(&rule, (int)view->workers, next, view->power, owner, tasks,
                                   PARTICLES, view->step, asked);
    int staying = count > 0 ? own_particles(view->step + 1, owner, own) : 0;
    for (size_t i = 0; i < count; i++) {
        gift[given] = (struct plane_gift){.from = owner, .to = (int)asked[i].to};
        int first = plane_choose(&run.plane, &gift[given],
                                 (const double(*)[2])run.machine->stars.at[view->step], PARTICLES,
                                 own, staying, (int)asked[i].tasks);
        if (first < staying) {
            transfer[given] = asked[i];
            transfer[given++].tasks = (uint64_t)(staying - first);
        }
        staying = first;
    }
    return given;
}

static size_t list_neighbours(const struct keel_iterative_view *view,
                              struct keel_transfer *transfer, size_t capacity)
{
    int owners = (int)view->workers;
    bool next[PLANE_OWNERS_MAX * PLANE_OWNERS_MAX];
    struct plane_gift *gift = memory_new(capacity, sizeof *gift);
    uint8_t before[PLANE_CELLS];
    size_t count = 0;

    plane_neighbours(&run.plane, next);
    for (int owner = 0; owner < owners; owner++) {
        count += give(view, owner, next, transfer + count, gift + count);
    }
    memcpy(before, run.plane.owner, sizeof before);
    for (size_t i = 0; i < count; i++) {
        plane_give(&run.plane, before, &gift[i]);
    }
    free(gift);
    return count;
}

static size_t list_redistribution(const struct keel_iterative_view *view,
                                  struct keel_transfer *transfer, size_t capacity)
{
    uint32_t owners = view->workers;
    uint64_t moved[PLANE_OWNERS_MAX][PLANE_OWNERS_MAX] = {{0}};
    int before[PARTICLES];
    bool exceeds = false;
    size_t count = 0;

    for (uint32_t w = 0; w < owners; w++) {
        exceeds |= (double)view->tasks[w] >
                   view->rule->threshold * plane_ideal((int)owners, view->power, (int)w, PARTICLES);
    }
    for (int p = 0; exceeds && p < PARTICLES; p++) {
        before[p] = owner_at(run.machine->stars.at[view->step + 1][p]);
    }
    if (exceeds) {
        cut_anew(view->step + 1);
    }
    for (int p = 0; exceeds && p < PARTICLES; p++) {
        moved[before[p]][owner_at(run.machine->stars.at[view->step + 1][p])]++;
    }
    for (uint32_t from = 0; from < owners; from++) {
        for (uint32_t to = 0; to < owners && count < capacity; to++) {
            if (from != to && moved[from][to] > 0) {
                transfer[count++] = (struct keel_transfer){from, to, moved[from][to]};
            }
        }
    }
    return count;
}

static size_t one_for_each_pair(enum keel_graph graph, uint32_t workers)
{
    (void)graph;
    return (size_t)workers * workers;
}

static const struct keel_iterative_policy policies[] = {
    {.name = "none"},
    {.name = "random", .list = list_neighbours, .transfers = one_for_each_pair},
    {.name = "diffusion", .list = list_neighbours, .transfers = one_for_each_pair},
    {.name = "redistribution", .list = list_redistribution, .transfers = one_for_each_pair},
};

static const struct keel_iterative_policy *find_policy(const char *name)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcmp(policies[i].name, name) == 0) {
            return &policies[i];
        }
    }
    return NULL;
}

/* --- costs --- */

/* A message each, in rounds: `rounds` startups one after the other, all bytes through one wire. */
static double messages_s(const struct machine *machine, double rounds, double bytes)
{
    return rounds * machine->startup_s + bytes * machine->byte_s;
}

/* All to all: counts, particles; leaving: counts, particles. */
static double exchange_s(const struct machine *machine)
{
    double hosts = machine->hosts;

    return messages_s(machine, 3 + ceil(log2(hosts)),
                      (hosts - 1) * (PARTICLES * machine->told_bytes + 2 * hosts * sizeof(int)));
}

/* Redistribution: the first host receives counts, and sends to all whether one exceeds. Then
 * sizes and particles come to it, and it computes and tells all where to cut. */
static double ask_all_s(const struct machine *machine)
{
    return messages_s(machine, 2 * ceil(log2(machine->hosts)), 0);
}

static double sort_s(const struct machine *machine)
{
    double hosts = machine->hosts, others = (hosts - 1) / hosts;

    return machine->sort / machine->power[0] +
           messages_s(machine, 1 + 2 * ceil(log2(hosts)),
                      others * PARTICLES * machine->told_bytes + hosts * hosts * sizeof(int));
}

/* A transfer is a message, and all are sent the part of the domain that goes with it. */
static struct keel_iterative_costs costs_of(const struct machine *machine, const char *policy)
{
    bool sorts = strcmp(policy, "redistribution") == 0;
    bool asks = strcmp(policy, "diffusion") == 0;

    return (struct keel_iterative_costs){
        .decision_s = sorts  ? ask_all_s(machine)
                      : asks ? messages_s(machine, 1, 0)
                             : 0,
        .activation_s = sorts ? sort_s(machine) : 0,
        .message_s =
            messages_s(machine, 1, (machine->hosts - 1) * (double)sizeof(struct plane_gift)),
        .task_s = sizeof(struct particle) * machine->byte_s,
        .exchange_s = exchange_s(machine),
    };
}

/* --- runs --- */

static double ideal(const struct machine *machine)
{
    double operations = PARTICLES * machine->flops;
    double share = plane_ideal(machine->hosts, machine->power, 0, 1);
    double step_s = share * operations / machine->power[0] + exchange_s(machine);

    return operations / machine->power[0] / step_s;
}

/* Of one seed. */
static double speedup(const struct machine *machine, const struct keel_iterative_rule *rule,
                      uint64_t seed)
{
    uint64_t tasks[PLANE_OWNERS_MAX] = {0};

    run.machine = machine;
    run.plane = (struct plane){.shape = PLANE_BOXES, .owners = machine->hosts};
    cut_anew(0);
    for (int p = 0; p < PARTICLES; p++) {
        tasks[owner_at(machine->stars.at[0][p])]++;
    }
    struct keel_iterative iterative = {
        .workers = (uint32_t)machine->hosts,
        .power = machine->power,
        .tasks = tasks,
        .task = machine->flops,
        .steps = (uint64_t)machine->stars.steps,
        .seed = seed,
        .balance_last = true,
        .dynamics = {change, &machine->stars},
        .costs = costs_of(machine, rule->policy->name),
    };
    void *scratch = memory_new(keel_iterative_scratch(iterative.workers, rule), 1);
    double result = keel_iterative_run(&iterative, rule, NULL, scratch).speedup;

    free(scratch);
    return result;
}

static double mean_speedup(const struct machine *machine, const struct keel_iterative_rule *rule)
{
    int seeds = strcmp(rule->policy->name, "random") == 0 ? SEEDS : 1;
    double sum = 0;

    for (int seed = 1; seed <= seeds; seed++) {
        sum += speedup(machine, rule, (uint64_t)seed);
    }
    return sum / seeds;
}

static int answer(const struct machine *machine, int words, char **word)
{
    for (; words >= 3; words -= 3, word += 3) {
        const struct keel_iterative_rule rule = {
            .policy = find_policy(word[0]),
            .graph = KEEL_GRAPH_ALL,
            .threshold = strtod(word[1], NULL),
            .alpha = strtod(word[2], NULL),
        };
        if (rule.policy == NULL && strcmp(word[0], "ideal") != 0) {
            fprintf(stderr, "model: no policy is named '%s'\n", word[0]);
            return 2;
        }
        printf("%.4f\n", rule.policy != NULL ? mean_speedup(machine, &rule) : ideal(machine));
    }
    return 0;
}

#define FIRST_POWER 10

int main(int argc, char **argv)
{
    int rules = FIRST_POWER;

    while (rules < argc && strcmp(argv[rules], "--") != 0) {
        rules++;
    }
    if (rules == FIRST_POWER || rules >= argc || rules - FIRST_POWER > PLANE_OWNERS_MAX ||
        atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: model STARS STEPS TIME WIND FLOPS SORT BYTES STARTUP BANDWIDTH "
                        "POWER... -- RULES...\n");
        return 2;
    }
    struct machine machine = {
        .flops = strtod(argv[5], NULL),
        .sort = strtod(argv[6], NULL),
        .told_bytes = strtod(argv[7], NULL),
        .startup_s = strtod(argv[8], NULL),
        .byte_s = 1 / strtod(argv[9], NULL),
        .hosts = rules - FIRST_POWER,
        .stars = follow_stars(strtoull(argv[1], NULL, 10), atoi(argv[2]), strtod(argv[3], NULL),
                              strtod(argv[4], NULL)),
    };
    for (int w = 0; w < machine.hosts; w++) {
        machine.power[w] = strtod(argv[FIRST_POWER + w], NULL);
    }
    int status = answer(&machine, argc - rules - 1, argv + rules + 1);
    free(machine.stars.at);
    return status;
}
