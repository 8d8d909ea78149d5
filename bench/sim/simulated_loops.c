/* Shared loops among many ranks of different speed, and those of Kim & Purtilo's experiments
 * (PAPERS.md K1 to K9), under simulation.
 *
 *   loops COSTS ITERATIONS FLOPS ORDER PIECES SCHEDULE[*INSTANCES]...
 *   loops COSTS ITERATIONS FLOPS ORDER PIECES master TASK_BYTES RESULT_BYTES
 *
 * master: self-scheduling as Kim & Purtilo ran it (K6, K8): rank 0 only gives each of the others an
 * iteration at a time, which brings its result back; prints the seconds.
 *
 * ITERATIONS: 200*: 200 for each rank. FLOPS: all of them together; 1e7*: of one in the mean. COSTS
 * of the tasks: even; rising, falling: from a tenth of the mean to 1.9 of it, or back; irregular:
 * drawn for each from an exponential distribution, at least a tenth of the mean; set: as rows of
 * the Mandelbrot set. ORDER of iterations: rows: in the order of the costs; turns: iterations of
 * rank w's equal block are w, w + P, w + 2 P ... (K8); largest: as turns, of tasks by falling cost;
 * shares: as largest, of blocks in proportion to the ranks' speeds, so that all of them take about
 * as long (K9). PIECES: how often a mean iteration looks for messages (keel_mpi_poll); 1: not at
 * all.
 *
 * For each instance, from the first rank's beginning:
 *
 *   loop SCHEDULE INSTANCE time-s work-s ideal-s migrations migrated messages messages-of-one once
 *   sizes SIZE:TIMES...       of migrations
 *   ends S...                 of each rank's last iteration
 *
 * work: to the end of the last iteration; ideal: all work over all speed; messages-of-one: the most
 * that one rank sent; once, or WRONG: whether every iteration was executed once. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"
#include "bench/support/support.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/channel.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/victim.h"

#define SIZES 4096 /* migrations of more iterations count as the last of these */

static double
    *iteration_cost; /* NULL: mean_flops, or drawn: arrays of thousands of ranks are large */
static double mean_flops, piece_flops; /* piece_flops: from one look to the next; 0: no looks */
static enum { EVEN, RISING, FALLING, IRREGULAR } pattern; /* of costs without an array */
static uint64_t tasks;
static int rank, ranks;

static double cost(uint64_t iteration)
{
    if (iteration_cost != NULL) {
        return iteration_cost[iteration];
    }
    if (pattern == IRREGULAR) {
        double drawn = random_fraction(random_bits((iteration + 1) * RANDOM_STEP)) + 0x1p-54;
        return mean_flops * (0.1 - 0.9 * log(drawn));
    }
    double part = ((double)iteration + 0.5) / (double)tasks, rising = 0.1 + 1.8 * part;
    return mean_flops * (pattern == RISING ? rising : pattern == FALLING ? 2 - rising : 1);
}

/* --- costs of rows of the Mandelbrot set --- */

/* Measured once: simulated ranks share one processor. */
static double *row_costs(double flops)
{
    double *task = malloc(tasks * sizeof *task);

    if (rank == 0) {
        set_rows((unsigned)tasks, flops, task);
    }
    MPI_Bcast(task, (int)tasks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return task;
}

/* An iteration's position among all, 0 to 1, from its position in its block. */
struct place {
    double at;
    uint64_t iteration;
};

static int by_place(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->at != right->at) {
        return left->at < right->at ? -1 : 1;
    }
    return (left->iteration > right->iteration) - (left->iteration < right->iteration);
}

/* Deals tasks so that each block gets its part of any range of them. first: where blocks begin,
 * ranks + 1 values. */
static void deal(const double *task, const uint64_t *first, double *dealt)
{
    struct place *place = malloc(tasks * sizeof *place);

    for (int w = 0; w < ranks; w++) {
        for (uint64_t i = first[w]; i < first[w + 1]; i++) {
            double part = ((double)(i - first[w]) + 0.5) / (double)(first[w + 1] - first[w]);
            place[i] = (struct place){part, i};
        }
    }
    qsort(place, tasks, sizeof *place, by_place);
    for (uint64_t i = 0; i < tasks; i++) {
        dealt[place[i].iteration] = task[i];
    }
    free(place);
}

/* Deals tasks to the ranks' blocks. weight: of these; NULL: they are equal. */
static double *dealt_to_blocks(double *task, const double *weight)
{
    uint64_t *first = malloc(((size_t)ranks + 1) * sizeof *first);
    double *dealt = malloc(tasks * sizeof *dealt);

    keel_amounts_first_blocks(tasks, (uint32_t)ranks, weight, first);
    deal(task, first, dealt);
    free(first);
    free(task);
    return dealt;
}

/* Operations per second of the host. */
static double host_speed(void)
{
    const double work = 1e6;
    double began = MPI_Wtime();

    smpi_execute_flops(work);
    return work / (MPI_Wtime() - began);
}

static double *all_speeds(void)
{
    double *speed = malloc((size_t)ranks * sizeof *speed), own = host_speed();

    MPI_Allgather(&own, 1, MPI_DOUBLE, speed, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    return speed;
}

static int by_falling_cost(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left < right) - (left > right);
}

static double *falling_costs(void)
{
    double *task = malloc(tasks * sizeof *task);

    for (uint64_t i = 0; i < tasks; i++) {
        task[i] = cost(i);
    }
    qsort(task, tasks, sizeof *task, by_falling_cost);
    return task;
}

static void put_in_order(const char *order)
{
    if (strcmp(order, "turns") == 0 && iteration_cost != NULL) {
        iteration_cost = dealt_to_blocks(iteration_cost, NULL);
    } else if (strcmp(order, "largest") == 0) {
        iteration_cost = dealt_to_blocks(falling_costs(), NULL);
    } else if (strcmp(order, "shares") == 0) {
        double *speed = all_speeds();
        iteration_cost = dealt_to_blocks(falling_costs(), speed);
        free(speed);
    }
}

/* --- sizes of migrations: counted when they are sent, which the linker redirects to here --- */

static uint64_t given[SIZES];

void __real_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t rank,
                                  const struct keel_mpi_message *message);
void __wrap_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t rank,
                                  const struct keel_mpi_message *message);

void __wrap_keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t rank,
                                  const struct keel_mpi_message *message)
{
    if (message->kind == KEEL_MPI_MESSAGE_TRANSFER &&
        message->transfer.first < message->transfer.last) {
        uint64_t size = message->transfer.last - message->transfer.first;
        given[size < SIZES ? size : SIZES - 1]++;
    }
    __real_keel_mpi_channel_send(channel, rank, message);
}

/* --- one loop --- */

/* Of all ranks together; the same on all, unless a comment says otherwise. */
struct result {
    int code;       /* KEEL_MPI_... */
    bool exact;     /* every iteration was executed once */
    double time_s;  /* from the first rank's beginning to the last rank's end */
    double work_s;  /* to the end of the last iteration */
    double own_s;   /* to the end of this rank's last iteration; differs */
    double ideal_s; /* all work over all speed */
    uint64_t migrations, migrated, messages;
    uint64_t messages_max; /* of one rank */
    uint64_t size[SIZES];  /* number of migrations of each size in iterations */
};

static double all_doubles(double mine, MPI_Op operation)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return all;
}

static uint64_t all_counts(uint64_t mine, MPI_Op operation)
{
    uint64_t all;

    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, operation, MPI_COMM_WORLD);
    return all;
}

/* The executed iterations: their number, and sums (modulo 2^64) of two draws for each. If all three
 * are right, every iteration was executed once: other lists have the same sums with probability
 * 2^-128. (An array of all iterations on each of thousands of ranks would take gigabytes.) */
struct tally {
    uint64_t executed, sum, other_sum;
};

static void count_iteration(struct tally *tally, uint64_t iteration)
{
    tally->executed++;
    tally->sum += keel_chance_mix(iteration + 1);
    tally->other_sum += keel_chance_mix(~iteration);
}

static bool all_once(const struct tally *tally)
{
    struct tally all = {0}, wanted = {0};
    int once;

    MPI_Reduce(tally, &all, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (uint64_t i = 0; rank == 0 && i < tasks; i++) {
        count_iteration(&wanted, i);
    }
    once = memcmp(&all, &wanted, sizeof all) == 0;
    MPI_Bcast(&once, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return once;
}

static void execute(double flops)
{
    while (piece_flops > 0 && flops > piece_flops) {
        smpi_execute_flops(piece_flops);
        keel_mpi_poll();
        flops -= piece_flops;
    }
    smpi_execute_flops(flops);
}

/* Executes the rank's part; counts iterations and records the end of the last one. */
static int execute_own(MPI_Comm comm, struct tally *tally, double *ended)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    keel_mpi_loop_begin(comm, tasks, 0, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            count_iteration(tally, i);
            execute(cost(i));
        }
        *ended = MPI_Wtime();
    }
    return keel_mpi_loop_end(&loop);
}

/* Added up once: simulated ranks share one processor. */
static double total(void)
{
    double sum = 0;

    for (uint64_t i = 0; rank == 0 && i < tasks; i++) {
        sum += cost(i);
    }
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return sum;
}

static void run_instance(MPI_Comm comm, const char *schedule, struct result *result)
{
    struct tally tally = {0};
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};

    memset(given, 0, sizeof given);
    memset(result, 0, sizeof *result);
    result->ideal_s = total() / all_doubles(host_speed(), MPI_SUM);
    keel_mpi_set_schedule(schedule);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    double worked = began;
    int code = execute_own(comm, &tally, &worked);
    double ended = MPI_Wtime();
    keel_mpi_loop_report(comm, &report);
    result->code = (int)all_counts((uint64_t)code, MPI_MAX);
    began = all_doubles(began, MPI_MIN);
    result->own_s = worked - began;
    result->work_s = all_doubles(worked, MPI_MAX) - began;
    result->time_s = all_doubles(ended, MPI_MAX) - began;
    result->exact = all_once(&tally) && all_counts(report.executed, MPI_SUM) == tasks;
    result->migrations = all_counts(report.migrations, MPI_SUM);
    result->migrated = all_counts(report.migrated, MPI_SUM);
    result->messages = all_counts(report.messages, MPI_SUM);
    result->messages_max = all_counts(report.messages, MPI_MAX);
    MPI_Allreduce(given, result->size, SIZES, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* --- loops --- */

static void print(const char *schedule, unsigned instance, const struct result *result,
                  const double *end)
{
    printf("loop %s %u %.4f %.4f %.4f %lu %lu %lu %lu %s\nsizes", schedule, instance,
           result->time_s, result->work_s, result->ideal_s, (unsigned long)result->migrations,
           (unsigned long)result->migrated, (unsigned long)result->messages,
           (unsigned long)result->messages_max, result->exact ? "once" : "WRONG");
    for (unsigned size = 1; size < SIZES; size++) {
        if (result->size[size] > 0) {
            printf(" %u:%lu", size, (unsigned long)result->size[size]);
        }
    }
    printf("\nends");
    for (int i = 0; i < ranks; i++) {
        printf(" %.4f", end[i]);
    }
    printf("\n");
    fflush(stdout);
}

/* Whether every iteration was executed once. */
static bool run(const char *text)
{
    static struct result result;
    char schedule[100];
    unsigned instances = 1;
    bool exact = true;
    double *end = malloc((size_t)ranks * sizeof *end);
    MPI_Comm comm;

    sscanf(text, "%99[^*]*%u", schedule, &instances);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (unsigned instance = 1; instance <= instances; instance++) {
        run_instance(comm, schedule, &result);
        MPI_Gather(&result.own_s, 1, MPI_DOUBLE, end, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        exact = exact && result.exact && result.code == 0;
        if (rank == 0) {
            print(schedule, instance, &result, end);
        }
    }
    MPI_Comm_free(&comm);
    free(end);
    return exact;
}

/* --- self-scheduling by a master --- */

#define NOTHING UINT64_MAX /* in place of an iteration: there are no more */

static void send_task(uint64_t *message, int bytes, uint64_t iteration, int worker)
{
    message[0] = iteration;
    MPI_Send(message, bytes, MPI_BYTE, worker, 0, MPI_COMM_WORLD);
}

static void serve(uint64_t *message, int task_bytes, void *result, int result_bytes)
{
    uint64_t given = 0;

    for (int worker = 1; worker < ranks; worker++) {
        send_task(message, task_bytes, given < tasks ? given++ : NOTHING, worker);
    }
    for (uint64_t got = 0; got < tasks; got++) {
        MPI_Status status;
        MPI_Recv(result, result_bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        send_task(message, task_bytes, given < tasks ? given++ : NOTHING, status.MPI_SOURCE);
    }
}

static void work(uint64_t *message, int task_bytes, const void *result, int result_bytes)
{
    for (;;) {
        MPI_Recv(message, task_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (message[0] == NOTHING) {
            return;
        }
        smpi_execute_flops(cost(message[0]));
        MPI_Send(result, result_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void run_master(int task_bytes, int result_bytes)
{
    uint64_t *message = calloc(1, (size_t)task_bytes + sizeof *message);
    char *result = calloc(1, (size_t)result_bytes + 1);

    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    if (rank == 0) {
        serve(message, task_bytes, result, result_bytes);
        printf("%.4f\n", MPI_Wtime() - began);
    } else {
        work(message, task_bytes, result, result_bytes);
    }
    free(result);
    free(message);
}

static int pattern_of(const char *costs)
{
    static const char *const name[] = {"even", "rising", "falling", "irregular"};
    int found = EVEN;

    for (int i = EVEN; i <= IRREGULAR; i++) {
        found = strcmp(costs, name[i]) == 0 ? i : found;
    }
    return found;
}

int main(int argc, char **argv)
{
    bool exact = true;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 7) {
        fprintf(stderr, "usage: loops COSTS ITERATIONS FLOPS ORDER PIECES SCHEDULE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    tasks = strtoull(argv[2], NULL, 10) * (strchr(argv[2], '*') != NULL ? (uint64_t)ranks : 1);
    double flops = atof(argv[3]) * (strchr(argv[3], '*') != NULL ? (double)tasks : 1);
    double pieces = atof(argv[5]);
    mean_flops = flops / (double)tasks;
    piece_flops = pieces > 1 ? mean_flops / pieces : 0;
    pattern = pattern_of(argv[1]);
    if (strcmp(argv[1], "set") == 0) {
        iteration_cost = row_costs(flops);
    }
    put_in_order(argv[4]);
    bool has_master = strcmp(argv[6], "master") == 0;
    if (has_master && argc == 9) {
        run_master(atoi(argv[7]), atoi(argv[8]));
    }
    for (int i = 6; i < argc && !has_master; i++) {
        exact = run(argv[i]) && exact;
    }
    if (!exact && rank == 0) {
        printf("WRONG: some iteration was not executed once\n");
    }
    MPI_Finalize();
    return exact ? 0 : 1;
}
