/* Keel's model of the N-body program (schedules/model/iterative/iterative.h) beside its simulated
 * runs.
 *
 *   what a run on one host has told of particles in regions -> lambda and mu of any bounds
 *   messages of the program and of balancing, by what a message costs -> T_lb
 *   -> keel_iterative_run() for each line of the input -> speed-up
 *
 *   model CENSUS FLOPS SORT BYTES STARTUP BANDWIDTH POWER... -- RULES... >SPEEDUPS
 *
 * CENSUS, FLOPS, SORT, BYTES: as of nbody. STARTUP: s, of a message. BANDWIDTH: bytes per s that
 * all hosts share. POWER: operations per s of each host, the first of which also runs the whole job
 * alone. RULES: words POLICY GRAPH W ALPHA, and "ideal": tasks always in proportion to powers,
 * nothing but the application's own messages. Of random, the mean over some seeds.
 *
 * Nothing is fitted: what is sent is counted in the sources of the program and of Keel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/memory.h"
#include "mpi_backend/rows/balance/measurements.h"
#include "mpi_backend/rows/message_sizes.h"
#include "schedules/model/iterative/iterative.h"

#define PARTICLE_BYTES 56 /* struct particle, of those that move */
#define ROW_BYTES 16      /* beside its particles: its weight, and the size of its item */
#define SEEDS 16

/* --- the census --- */

struct census {
    int regions, steps;
    int *before; /* particles in regions before r at step k: [k * (regions + 1) + r] */
};

static const int *at_step(const struct census *census, uint64_t step)
{
    return census->before + step * ((size_t)census->regions + 1);
}

/* A line is a step. */
static struct census read_census(const char *name)
{
    struct census census = {0};
    FILE *file = fopen(name, "r");
    int room = 0, numbers = 0, sum = 0, count;
    char behind;

    while (file != NULL && fscanf(file, "%d%c", &count, &behind) == 2) {
        census.before = memory_grow(census.before, &room, numbers + 2, sizeof *census.before);
        if (sum == 0 && (numbers == 0 || census.before[numbers - 1] > 0)) {
            census.before[numbers++] = 0;
        }
        sum += count;
        census.before[numbers++] = sum;
        if (behind == '\n') {
            census.regions = census.steps == 0 ? numbers - 1 : census.regions;
            census.steps++;
            sum = 0;
        }
    }
    if (census.steps == 0 || numbers != census.steps * (census.regions + 1)) {
        fprintf(stderr, "model: '%s' is no census of regions\n", name);
        exit(2);
    }
    fclose(file);
    return census;
}

/* --- where workers' pieces of the curve end --- */

/* bound[w]: the first region behind worker w's. As the simulated program keeps them from step to
 * step: changed by change() alone, as balancing changes tasks. */
struct pieces {
    const struct census *census;
    int *bound;
};

/* The region nearest to `bound` with so many particles before it, or nearly so many. */
static int bound_at(const struct census *census, uint64_t step, int tasks, int bound)
{
    const int *before = at_step(census, step);

    while (bound < census->regions && before[bound] < tasks) {
        bound++;
    }
    while (bound > 0 && before[bound] > tasks) {
        bound--;
    }
    bool next = bound < census->regions && before[bound + 1] - tasks < tasks - before[bound];
    return next ? bound + 1 : bound;
}

/* lambda and mu: what the regions of each worker have in the next step. */
static void change(const void *context, uint32_t workers, uint64_t step, const uint64_t *tasks,
                   uint64_t *arriving, uint64_t *leaving)
{
    const struct pieces *pieces = context;
    const struct census *census = pieces->census;
    int until = 0, from = 0;

    if (step + 1 >= (uint64_t)census->steps) {
        return;
    }
    const int *now = at_step(census, step), *then = at_step(census, step + 1);
    for (uint32_t w = 0; w < workers; w++) {
        until += (int)tasks[w];
        int to = pieces->bound[w] = bound_at(census, step, until, pieces->bound[w]);
        int more = (then[to] - then[from]) - (now[to] - now[from]);
        *(more > 0 ? &arriving[w] : &leaving[w]) = (uint64_t)abs(more);
        from = to;
    }
}

/* --- costs --- */

struct machine {
    double startup_s, byte_s, flops, sort;
    double told_bytes; /* that others are told of a particle in each step */
    uint32_t hosts;
    double *power;
    const struct census *census;
};

/* A message each, in rounds: `rounds` startups one after the other, all bytes through one wire. */
static double messages_s(const struct machine *machine, double rounds, double bytes)
{
    return rounds * machine->startup_s + bytes * machine->byte_s;
}

static double tasks_of(const struct machine *machine)
{
    return at_step(machine->census, 0)[machine->census->regions];
}

/* All to all: counts, particles; leaving: counts, particles. */
static double exchange_s(const struct machine *machine)
{
    double hosts = machine->hosts;

    return messages_s(machine, 3 + ceil(log2(hosts)),
                      (hosts - 1) *
                          (tasks_of(machine) * machine->told_bytes + 2 * hosts * sizeof(int)));
}

/* By the algorithm of Bruck: all hear of all, and agree on a value. */
static double hear_s(const struct machine *machine, double bytes)
{
    double hosts = machine->hosts;

    return messages_s(machine, ceil(log2(hosts)), hosts * (hosts - 1) * bytes);
}

static double agree_s(const struct machine *machine, double bytes)
{
    double hosts = machine->hosts, rounds = ceil(log2(hosts));

    return messages_s(machine, rounds, hosts * rounds * bytes);
}

/* Agreed five times, bounds once. */
static double activation_s(const struct machine *machine)
{
    return 5 * agree_s(machine, KEEL_MPI_AGREED_WORDS * sizeof(uint64_t)) +
           agree_s(machine, 8.0 * machine->hosts);
}

/* Sizes and particles of all others come to the first host, which computes and answers. */
static double sort_s(const struct machine *machine)
{
    double hosts = machine->hosts, others = (hosts - 1) / hosts;

    return machine->sort / machine->power[0] +
           messages_s(machine, 1 + 2 * ceil(log2(hosts)),
                      others * tasks_of(machine) * machine->told_bytes +
                          hosts * hosts * sizeof(double));
}

static struct keel_iterative_costs costs_of(const struct machine *machine, bool sorts)
{
    double rows = (double)machine->census->regions / tasks_of(machine);

    return (struct keel_iterative_costs){
        .decision_s = hear_s(machine, sizeof(struct keel_mpi_figures)),
        .activation_s = activation_s(machine) + (sorts ? sort_s(machine) : 0),
        .message_s = machine->startup_s,
        .task_s = (PARTICLE_BYTES + ROW_BYTES * rows) * machine->byte_s,
        .exchange_s = exchange_s(machine),
    };
}

/* --- runs --- */

static double power_of_all(const struct machine *machine)
{
    double sum = 0;

    for (uint32_t w = 0; w < machine->hosts; w++) {
        sum += machine->power[w];
    }
    return sum;
}

static double ideal(const struct machine *machine)
{
    double operations = tasks_of(machine) * machine->flops;
    double step_s = operations / power_of_all(machine) + exchange_s(machine);

    return operations / machine->power[0] / step_s;
}

/* Of one seed. */
static double speedup(const struct machine *machine, const struct keel_iterative_rule *rule,
                      const struct pieces *pieces, const uint64_t *tasks, uint64_t seed)
{
    bool sorts = strcmp(rule->policy->name, "redistribution") == 0;
    struct keel_iterative iterative = {
        .workers = machine->hosts,
        .power = machine->power,
        .tasks = tasks,
        .task = machine->flops,
        .steps = (uint64_t)machine->census->steps,
        .seed = seed,
        .adjacent = true,
        .balance_last = true,
        .dynamics = {change, pieces},
        .costs = costs_of(machine, sorts),
    };
    void *scratch = memory_new((int)keel_iterative_scratch(machine->hosts, rule), 1);
    double result = keel_iterative_run(&iterative, rule, NULL, scratch).speedup;

    free(scratch);
    return result;
}

/* Regions in proportion to powers, as KEEL_MPI_WEIGHTS has them; and the tasks in them. */
static void begin(const struct machine *machine, int *bound, uint64_t *tasks)
{
    const struct census *census = machine->census;
    double power = 0;

    for (uint32_t w = 0; w < machine->hosts; w++) {
        power += machine->power[w];
        bound[w] = (int)(census->regions * (power / power_of_all(machine)) + 0.5);
        tasks[w] = (uint64_t)(at_step(census, 0)[bound[w]] -
                              (w > 0 ? at_step(census, 0)[bound[w - 1]] : 0));
    }
}

static double mean_speedup(const struct machine *machine, const struct keel_iterative_rule *rule)
{
    uint64_t *tasks = memory_new((int)machine->hosts, sizeof *tasks);
    struct pieces pieces = {machine->census, memory_new((int)machine->hosts, sizeof *pieces.bound)};
    int seeds = strcmp(rule->policy->name, "random") == 0 ? SEEDS : 1;
    double sum = 0;

    for (int seed = 1; seed <= seeds; seed++) {
        begin(machine, pieces.bound, tasks);
        sum += speedup(machine, rule, &pieces, tasks, (uint64_t)seed);
    }
    free(pieces.bound);
    free(tasks);
    return sum / seeds;
}

static enum keel_graph graph_of(const char *name)
{
    return strcmp(name, "ring") == 0   ? KEEL_GRAPH_RING
           : strcmp(name, "mesh") == 0 ? KEEL_GRAPH_MESH
                                       : KEEL_GRAPH_ALL;
}

static int answer(const struct machine *machine, int words, char **word)
{
    for (; words >= 4; words -= 4, word += 4) {
        const struct keel_iterative_rule rule = {
            .policy = keel_iterative_policies_find(word[0]),
            .graph = graph_of(word[1]),
            .threshold = strtod(word[2], NULL),
            .alpha = strtod(word[3], NULL),
        };
        if (rule.policy == NULL && strcmp(word[0], "ideal") != 0) {
            fprintf(stderr, "model: no policy is named '%s'\n", word[0]);
            return 2;
        }
        printf("%.4f\n", rule.policy != NULL ? mean_speedup(machine, &rule) : ideal(machine));
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rules = 7;

    while (rules < argc && strcmp(argv[rules], "--") != 0) {
        rules++;
    }
    if (rules == 7 || rules >= argc) {
        fprintf(stderr,
                "usage: model CENSUS FLOPS SORT BYTES STARTUP BANDWIDTH POWER... -- RULES...\n");
        return 2;
    }
    struct census census = read_census(argv[1]);
    struct machine machine = {
        .flops = strtod(argv[2], NULL),
        .sort = strtod(argv[3], NULL),
        .told_bytes = strtod(argv[4], NULL),
        .startup_s = strtod(argv[5], NULL),
        .byte_s = 1 / strtod(argv[6], NULL),
        .hosts = (uint32_t)(rules - 7),
        .power = memory_new(rules - 7, sizeof *machine.power),
        .census = &census,
    };
    for (uint32_t w = 0; w < machine.hosts; w++) {
        machine.power[w] = strtod(argv[7 + w], NULL);
    }
    int status = answer(&machine, argc - rules - 1, argv + rules + 1);
    free(machine.power);
    free(census.before);
    return status;
}
