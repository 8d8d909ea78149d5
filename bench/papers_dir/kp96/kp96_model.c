/* What Keel's models say about Kim & Purtilo's experiments (PAPERS.md K1 to K9).
 *
 *   model example TASKS               K7: throughputs 1 to 4, TASKS each
 *   model rows ROWS FLOPS SPEED...    K8: rows of the set, by machines of these speeds: formula,
 *                                     greedy schedule, a master (ss) and the tree (both ways)
 *   model saturation ROWS FLOPS SPEED ALPHA BETA LATENCY TASK_BYTES RESULT_BYTES WORKERS
 *                                     self-scheduling by a master, 1 to WORKERS workers
 *   model anomaly TASKS WORKERS SPEED...
 *                                     K9: equal shares, WORKERS of speed 1 and one of each SPEED
 *
 * Lines of plays are those of simulated_loops.c. FLOPS are of all rows together, SPEED in
 * these a second. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"
#include "schedules/model/migration.h"

#define MOVES_MAX 10000

/* Letters of a simulated job: 1 ms from host to host, 80 bytes at 1.25 MB/s. */
#define LETTER_S (1e-3 + 80 / 1.25e6)

/* --- plays --- */

static void print_sizes(const struct keel_migration_move *move, uint64_t moves)
{
    uint64_t *times = calloc(MOVES_MAX, sizeof *times);

    for (uint64_t i = 0; i < moves && i < MOVES_MAX; i++) {
        times[move[i].tasks < MOVES_MAX - 1 ? (size_t)(move[i].tasks + 0.5) : MOVES_MAX - 1]++;
    }
    printf("sizes");
    for (size_t size = 0; size < MOVES_MAX; size++) {
        if (times[size] > 0) {
            printf(" %zu:%lu", size, (unsigned long)times[size]);
        }
    }
    free(times);
}

static void print_ends(const double *end, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++) {
        printf(" %.4f", end[i]);
    }
    printf("\n");
}

static void print_play(const char *name, const struct keel_migration_simulation *play)
{
    struct keel_migration_move *move = malloc(MOVES_MAX * sizeof *move);
    double *end = malloc(play->workers * sizeof *end);
    void *scratch = malloc(keel_migration_simulate_scratch(play));
    const struct keel_migration_result result =
        keel_migration_simulate(play, move, MOVES_MAX, end, scratch);

    printf("loop %s 1 %.4f %.4f %.4f %lu %.0f %lu\n", name, result.finish_s, result.finish_s,
           result.ideal_s, (unsigned long)result.moves, result.tasks,
           (unsigned long)result.requests);
    print_sizes(move, result.moves);
    printf("\nends");
    print_ends(end, play->workers);
    free(scratch);
    free(end);
    free(move);
}

/* Links along the paths of the cluster tree, asked by throughput. */
static struct keel_migration_link *make_links(uint32_t workers, const double *throughput,
                                              bool both_ways, uint32_t *links)
{
    struct keel_migration_link *link = malloc(2 * (size_t)workers * sizeof *link);
    void *scratch = malloc(keel_migration_tree_scratch(workers));

    *links = keel_migration_tree_links(workers, throughput, both_ways, link, scratch);
    free(scratch);
    return link;
}

/* --- K7 --- */

static int example(char **argument)
{
    const double throughput[4] = {1, 2, 3, 4}, each = atof(argument[0]);
    const double tasks[4] = {each, each, each, each};
    struct keel_migration_simulation play = {
        .workers = 4, .throughput = throughput, .tasks = tasks};

    struct keel_migration_link *link = make_links(4, throughput, false, &play.links);
    play.link = link;
    print_play("tree", &play);
    free(link);
    return 0;
}

/* --- K8 --- */

static int by_falling(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left < right) - (left > right);
}

/* Rows in decreasing cost, each to the machine that finishes it first. */
static double greedy_s(uint32_t rows, const double *cost, uint32_t workers, const double *speed)
{
    double *sorted = malloc(rows * sizeof *sorted), *end = calloc(workers, sizeof *end), last = 0;

    memcpy(sorted, cost, rows * sizeof *sorted);
    qsort(sorted, rows, sizeof *sorted, by_falling);
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < workers; i++) {
            if (end[i] + sorted[row] / speed[i] < end[best] + sorted[row] / speed[best]) {
                best = i;
            }
        }
        end[best] += sorted[row] / speed[best];
        last = end[best] > last ? end[best] : last;
    }
    free(end);
    free(sorted);
    return last;
}

/* Self-scheduling of rows as they lie by a master that computes nothing. */
static double master_s(const struct keel_migration_master *master, uint32_t rows,
                       const double *cost, uint32_t workers, const double *speed)
{
    double *end = malloc(workers * sizeof *end);
    double *scratch = malloc(workers * sizeof *scratch);
    double time_s =
        keel_migration_master_simulate(master, workers, speed, cost, rows, end, scratch);

    free(scratch);
    free(end);
    return time_s;
}

/* As published: dealt round-robin, partners ask along the paths. */
static void play_tree(uint32_t rows, const double *cost, uint32_t workers, const double *speed)
{
    struct keel_migration_simulation play = {.workers = workers,
                                             .throughput = speed,
                                             .cost = cost,
                                             .count = rows,
                                             .request_s = LETTER_S,
                                             .alpha_s = LETTER_S};
    struct keel_migration_link *link = make_links(workers, speed, true, &play.links);

    play.link = link;
    print_play("both", &play);
    free(link);
}

static int rows_of_set(int arguments, char **argument)
{
    uint32_t rows = (uint32_t)atoi(argument[0]), workers = (uint32_t)arguments - 2;
    double *cost = malloc(rows * sizeof *cost), *speed = malloc(workers * sizeof *speed);
    const struct keel_migration_master master = {.latency_s = LETTER_S};

    set_rows(rows, atof(argument[1]), cost);
    for (uint32_t i = 0; i < workers; i++) {
        speed[i] = atof(argument[2 + i]);
    }
    /* as the paper reckons: r_max of 692 and 693 s */
    printf("formula %.1f\n",
           keel_migration_tree_messages(workers, (double)rows / workers, 692.0 / 693));
    printf("greedy %.4f\n", greedy_s(rows, cost, workers, speed));
    printf("ss %.4f\n", master_s(&master, rows, cost, workers, speed));
    play_tree(rows, cost, workers, speed);
    free(speed);
    free(cost);
    return 0;
}

/* --- saturation --- */

/* Workers alike. */
static int saturation(char **argument)
{
    uint32_t rows = (uint32_t)atoi(argument[0]), workers = (uint32_t)atoi(argument[8]);
    double flops = atof(argument[1]), *speed = malloc(workers * sizeof *speed);
    double *cost = malloc(rows * sizeof *cost);
    const struct keel_migration_master master = {.alpha_s = atof(argument[3]),
                                                 .beta_s = atof(argument[4]),
                                                 .latency_s = atof(argument[5]),
                                                 .task_bytes = atof(argument[6]),
                                                 .result_bytes = atof(argument[7])};

    set_rows(rows, flops, cost);
    for (uint32_t n = 1; n <= workers; n++) {
        speed[n - 1] = atof(argument[2]);
    }
    printf("workers %.1f\n", keel_migration_master_workers(&master, speed[0] * rows / flops));
    for (uint32_t n = 1; n <= workers; n++) {
        printf("%u %.4f\n", n, master_s(&master, rows, cost, n, speed));
    }
    free(cost);
    free(speed);
    return 0;
}

/* --- K9 --- */

static int anomaly(int arguments, char **argument)
{
    double tasks = atof(argument[0]);
    uint32_t workers = (uint32_t)atoi(argument[1]);
    double *throughput = malloc(workers * sizeof *throughput);

    for (uint32_t i = 0; i < workers; i++) {
        throughput[i] = 1;
    }
    for (int i = 2; i < arguments; i++) {
        const struct keel_migration_anomaly result =
            keel_migration_anomaly(workers, throughput, tasks, atof(argument[i]));
        printf("%s %.4f %.4f %.4f\n", argument[i], result.without_s, result.with_s, result.limit);
    }
    free(throughput);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "example") == 0 && argc == 3) {
        return example(argv + 2);
    }
    if (strcmp(what, "rows") == 0 && argc >= 5) {
        return rows_of_set(argc - 2, argv + 2);
    }
    if (strcmp(what, "saturation") == 0 && argc == 11) {
        return saturation(argv + 2);
    }
    if (strcmp(what, "anomaly") == 0 && argc >= 5) {
        return anomaly(argc - 2, argv + 2);
    }
    fprintf(stderr, "usage: model example|rows|saturation|anomaly FIGURES..., see kp96_model.c\n");
    return 2;
}
