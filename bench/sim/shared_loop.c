/* One shared loop in a simulated job, and what it took. */
#include "bench/sim/shared_loop.h"

#include <smpi/smpi.h>
#include <stdio.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/channel.h"
#include "schedules/arithmetic/chance.h"

/* --- sizes of migrations: seen as they are posted, which the linker redirects to here --- */

static uint64_t given[SHARED_LOOP_SIZES];

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
        given[size < SHARED_LOOP_SIZES ? size : SHARED_LOOP_SIZES - 1]++;
    }
    __real_keel_mpi_channel_send(channel, rank, message);
}

/* --- one loop --- */

/* Operations per second of the host. */
static double host_speed(void)
{
    const double work = 1e6;
    double began = MPI_Wtime();

    smpi_execute_flops(work);
    return work / (MPI_Wtime() - began);
}

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

/* What was executed: how many, and sums (modulo 2^64) of two draws for each. If none of the three
 * is off, every iteration was executed once: lists with the same sums by chance are one in 2^128.
 * (An array of all iterations on each of thousands of ranks would take gigabytes.) */
struct tally {
    uint64_t executed, sum, other_sum;
};

static void note(struct tally *tally, uint64_t iteration)
{
    tally->executed++;
    tally->sum += keel_chance_mix(iteration + 1);
    tally->other_sum += keel_chance_mix(~iteration);
}

static bool all_once(const struct tally *tally, uint64_t iterations)
{
    struct tally all = {0}, wanted = {0};
    int rank, once;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(tally, &all, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (uint64_t i = 0; rank == 0 && i < iterations; i++) {
        note(&wanted, i);
    }
    once = memcmp(&all, &wanted, sizeof all) == 0;
    MPI_Bcast(&once, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return once;
}

double shared_loop_piece;

static void execute(double flops)
{
    while (shared_loop_piece > 0 && flops > shared_loop_piece) {
        smpi_execute_flops(shared_loop_piece);
        keel_mpi_poll();
        flops -= shared_loop_piece;
    }
    smpi_execute_flops(flops);
}

/* Executes the rank's part, and notes iterations and when the last one ended. */
static int run(MPI_Comm comm, uint64_t iterations, shared_loop_cost *cost, struct tally *tally,
               double *ended)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    keel_mpi_loop_begin(comm, iterations, 0, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            note(tally, i);
            execute(cost(i));
        }
        *ended = MPI_Wtime();
    }
    return keel_mpi_loop_end(&loop);
}

/* Added up once: simulated ranks share one processor. */
static double total(uint64_t iterations, shared_loop_cost *cost)
{
    double sum = 0;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (uint64_t i = 0; rank == 0 && i < iterations; i++) {
        sum += cost(i);
    }
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return sum;
}

void shared_loop_run(MPI_Comm comm, const char *schedule, uint64_t iterations,
                     shared_loop_cost *cost, struct shared_loop_result *result)
{
    struct tally tally = {0};
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};

    memset(given, 0, sizeof given);
    memset(result, 0, sizeof *result);
    result->ideal_s = total(iterations, cost) / all_doubles(host_speed(), MPI_SUM);
    keel_mpi_set_schedule(schedule);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    double worked = began;
    int code = run(comm, iterations, cost, &tally, &worked);
    double ended = MPI_Wtime();
    keel_mpi_loop_report(comm, &report);
    result->code = (int)all_counts((uint64_t)code, MPI_MAX);
    began = all_doubles(began, MPI_MIN);
    result->own_s = worked - began;
    result->work_s = all_doubles(worked, MPI_MAX) - began;
    result->time_s = all_doubles(ended, MPI_MAX) - began;
    result->exact =
        all_once(&tally, iterations) && all_counts(report.executed, MPI_SUM) == iterations;
    result->migrations = all_counts(report.migrations, MPI_SUM);
    result->migrated = all_counts(report.migrated, MPI_SUM);
    result->messages = all_counts(report.messages, MPI_SUM);
    result->messages_max = all_counts(report.messages, MPI_MAX);
    MPI_Allreduce(given, result->size, SHARED_LOOP_SIZES, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* --- several --- */

bool shared_loop_series(const char *text, uint64_t iterations, shared_loop_cost *cost,
                        void (*print)(const char *, unsigned, const struct shared_loop_result *))
{
    static struct shared_loop_result result;
    char schedule[100];
    unsigned instances = 1;
    bool exact = true;
    MPI_Comm comm;
    int rank;

    sscanf(text, "%99[^*]*%u", schedule, &instances);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (unsigned instance = 1; instance <= instances; instance++) {
        shared_loop_run(comm, schedule, iterations, cost, &result);
        exact = exact && result.exact && result.code == KEEL_MPI_OK;
        if (rank == 0) {
            print(schedule, instance, &result);
            fflush(stdout);
        }
    }
    MPI_Comm_free(&comm);
    return exact;
}
