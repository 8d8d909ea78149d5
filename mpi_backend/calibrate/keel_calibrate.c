/* keel_calibrate: what messages cost between the ranks of a job, for the models.
 *
 *   mpirun, srun --> [keel_calibrate] --> table, file of machine.h
 *        `keel model calibrate` --> mpirun --> [keel_calibrate --messages] --> standard output
 *
 * The first and the last rank send each other messages, as ranks far apart do. Ranks that have
 * nothing to do sleep: they may share processors with those that measure. */
#include <argp.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/rows/balance/figures.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/local_costs.h"
#include "omp_ext/support/message.h"

#define ROUNDS KEEL_MEASURING_ROUNDS
#define ROUNDS_LEAST 3
#define SECONDS_MOST 1.0 /* of one kind of measurement; no further round begins after it */
#define ALARM_S 60       /* ends a job whose ranks do not find each other */
#define NAP_US 500
#define TAG 1

#define SIZES 6
static const double message_bytes[SIZES] = {0, 64, 1024, 8192, 65536, 524288};
static const int messages[SIZES] = {20, 20, 20, 10, 4, 2}; /* to and fro, in a round */

#define POLLS 1000

struct job {
    int rank, ranks;
    char *buffer;
    struct keel_measurements measurements; /* of rank 0 */
};

static double now_s(void)
{
    return (double)keel_clock_ns() / 1e9;
}

/* A barrier that leaves the processor alone. */
static void meet(void)
{
    MPI_Request request;
    int met = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &met, MPI_STATUS_IGNORE), !met) {
        usleep(NAP_US);
    }
}

/* Whether there is a round to come; rank 0 knows the time. */
static int goes_on(unsigned round, double began_s)
{
    return round <= ROUNDS && (round <= ROUNDS_LEAST || now_s() - began_s < SECONDS_MOST);
}

/* --- messages between two --- */

static void to_and_fro(const struct job *job, int peer, int bytes, int count)
{
    for (int i = 0; i < count; i++) {
        if (job->rank == 0) {
            MPI_Send(job->buffer, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        }
        MPI_Recv(job->buffer, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (job->rank != 0) {
            MPI_Send(job->buffer, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        }
    }
}

static struct keel_measuring_line time_messages(const struct job *job, int peer)
{
    double time_s[SIZES];

    for (unsigned i = 0; i < SIZES; i++) {
        double began_s = now_s();
        to_and_fro(job, peer, (int)message_bytes[i], messages[i]);
        time_s[i] = fmax((now_s() - began_s) / (2 * messages[i]), 1e-9);
    }
    return keel_measuring_fit(message_bytes, time_s, SIZES);
}

/* The first round warms up. */
static void measure_messages(struct job *job)
{
    int peer = job->rank == 0 ? job->ranks - 1 : 0, go;
    double began_s = now_s();

    if (job->rank != 0 && job->rank != job->ranks - 1) {
        return;
    }
    for (unsigned round = 0;; round++) {
        if (job->rank == 0) {
            go = goes_on(round, began_s);
            MPI_Send(&go, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&go, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (!go) {
            return;
        }
        struct keel_measuring_line line = time_messages(job, peer);
        if (round > 0) {
            keel_measuring_note(&job->measurements, KEEL_MACHINE_MESSAGE_STARTUP, line.startup);
            keel_measuring_note(&job->measurements, KEEL_MACHINE_MESSAGE_BYTE, line.slope);
        }
    }
}

/* --- one rank, and all --- */

static void measure_polls(struct job *job)
{
    int found;

    for (unsigned round = 0; job->rank == 0 && round <= ROUNDS; round++) {
        double began_s = now_s();
        for (unsigned i = 0; i < POLLS; i++) {
            MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        }
        if (round > 0) {
            keel_measuring_note(&job->measurements, KEEL_MACHINE_POLL, (now_s() - began_s) / POLLS);
        }
    }
}

/* The slowest rank's time counts. */
static void measure_interactions(struct job *job)
{
    double own[KEEL_MPI_FIGURES] = {0},
           *all = calloc((size_t)job->ranks * KEEL_MPI_FIGURES, sizeof *all);
    double first_s = now_s(), time_s;
    int room = all != NULL, go = 1;

    MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (unsigned round = 0; room && go; round++) {
        double began_s = now_s();
        MPI_Allgather(own, KEEL_MPI_FIGURES, MPI_DOUBLE, all, KEEL_MPI_FIGURES, MPI_DOUBLE,
                      MPI_COMM_WORLD);
        double own_s = now_s() - began_s;
        MPI_Allreduce(&own_s, &time_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (round > 0) {
            keel_measuring_note(&job->measurements, KEEL_MACHINE_INTERACTION, time_s);
        }
        go = goes_on(round + 1, first_s);
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    free(all);
}

/* --- the command line --- */

struct request {
    const char *file; /* NULL: the standard place */
    bool messages;
};

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 'o':
        request->file = word;
        return 0;
    case 'm':
        request->messages = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "Keep costs there; without it, where `keel model` looks for them (in ~/.cache)", 0},
    {"messages", 'm', NULL, 0, "Print what messages cost, for `keel model calibrate`", 0},
    {0},
};

static const struct argp grammar = {
    .options = options,
    .parser = take,
    .doc = "Measures what messages between ranks cost, and the machine of the first one, for `keel "
           "model`. For batch jobs: srun keel_calibrate -o FILE. Takes about two seconds.",
};

/* --- what comes of it --- */

static int finish(struct job *job, const struct request *request)
{
    if (job->rank != 0) {
        return EXIT_SUCCESS;
    }
    if (request->messages) {
        keel_measuring_send(&job->measurements, stdout);
        return EXIT_SUCCESS;
    }
    if (job->ranks == 1) {
        keel_message("only one rank has been started, expected two or more to measure messages; "
                     "what they cost stays what it was");
    }
    keel_local_costs_measure(&job->measurements);
    keel_measuring_print(&job->measurements, stdout);
    return keel_measuring_keep(&job->measurements, request->file) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct request request = {0};
    struct job job = {0};

    argp_parse(&grammar, argc, argv, 0, NULL, &request);
    alarm(ALARM_S);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    job.buffer = calloc(1, (size_t)message_bytes[SIZES - 1]);
    if (job.buffer == NULL) {
        keel_message("no memory for messages; nothing is measured");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    if (job.ranks > 1) {
        measure_messages(&job);
        meet();
        measure_interactions(&job);
    }
    meet();
    measure_polls(&job);
    int code = finish(&job, &request);
    meet();
    free(job.buffer);
    MPI_Finalize();
    return code;
}
