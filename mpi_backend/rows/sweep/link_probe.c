/* What messages between neighbouring ranks cost. */
#include "mpi_backend/rows/sweep/link_probe.h"

#include <math.h>
#include <stdbool.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/messages.h"

#define TRAINS 4  /* of each length of messages; the quickest counts */
#define LENGTH 40 /* messages of a train */
#define SKIPPED 8 /* of these, before time counts: until all ranks take part */
#define AHEAD 8   /* receives that are started ahead */
#define ROUND_TRIPS 6
#define BYTES 4096 /* of the longer messages: usually sent at once, as short ones are */

/* The ranks beside this one; MPI_PROC_NULL: there is none. */
struct place {
    struct keel_mpi_peers *peers;
    MPI_Comm comm;
    int rank, before, behind;
};

static struct place place_in(struct keel_mpi_peers *peers, MPI_Comm comm)
{
    struct place place = {.peers = peers, .comm = comm, .rank = (int)peers->rank};
    int ranks = (int)peers->ranks;

    place.before = place.rank > 0 ? place.rank - 1 : MPI_PROC_NULL;
    place.behind = place.rank < ranks - 1 ? place.rank + 1 : MPI_PROC_NULL;
    return place;
}

#define WHERE "while messages are measured"

static void await(const struct place *place, int count, MPI_Request *request)
{
    keel_mpi_peers_await(place->peers, WHERE, count, request);
}

static void start(const struct place *place, bool sends, void *at, int bytes, int rank,
                  MPI_Request *request)
{
    keel_mpi_rows_message_start(place->peers,
                                &(struct keel_mpi_rows_message){.sends = sends,
                                                                .at = at,
                                                                .count = (uint64_t)bytes,
                                                                .type = MPI_BYTE,
                                                                .rank = rank,
                                                                .tag = KEEL_MPI_TAG_PROBE,
                                                                .comm = place->comm},
                                request);
}

/* --- packet trains --- */

struct train {
    const struct place *place;
    int bytes;
    MPI_Request in[AHEAD], out[AHEAD];
    char buffer[2][BYTES]; /* nobody looks at what is in messages */
};

static void open_receive(struct train *train, int i)
{
    MPI_Request *request = &train->in[i % AHEAD];

    if (i < LENGTH) {
        start(train->place, false, train->buffer[0], train->bytes, train->place->before, request);
    }
}

/* A step of a pipeline in which nothing is computed. */
static void pass(struct train *train, int i)
{
    MPI_Request *request = &train->out[i % AHEAD];

    await(train->place, 1, &train->in[i % AHEAD]);
    open_receive(train, i + AHEAD);
    await(train->place, 1, request);
    start(train->place, true, train->buffer[1], train->bytes, train->place->behind, request);
}

/* Time of this rank for a message, s. */
static double run_train(const struct place *place, int bytes)
{
    static struct train train; /* stays while operations use it, after a failure */
    double begun_s = 0;

    train = (struct train){.place = place, .bytes = bytes};
    for (int i = 0; i < AHEAD; i++) {
        train.out[i] = MPI_REQUEST_NULL;
        open_receive(&train, i);
    }
    for (int i = 0; i < LENGTH && keel_mpi_peers_code(place->peers) == KEEL_MPI_OK; i++) {
        if (i == SKIPPED) {
            begun_s = keel_mpi_clock_s();
        }
        pass(&train, i);
    }
    double time_s = (keel_mpi_clock_s() - begun_s) / (LENGTH - SKIPPED);
    await(place, AHEAD, train.out);
    return time_s;
}

/* --- ping-pong --- */

static double ping_pong(const struct place *place, int other, bool first)
{
    static char buffer[2]; /* stays while operations use it, after a failure */
    double begun_s = keel_mpi_clock_s();

    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        bool sends = (i == 0) == first;
        start(place, sends, &buffer[sends], 1, other, &request);
        await(place, 1, &request);
    }
    return first ? (keel_mpi_clock_s() - begun_s) / 2 : 0;
}

/* Half of the shortest round trip to the rank behind, s; even ranks first. */
static double measure_latency(const struct place *place)
{
    double shortest_s = 0;

    for (int turn = 0; turn < 2; turn++) {
        bool first = place->rank % 2 == turn;
        int other = first ? place->behind : place->before;
        for (int i = 0; i < ROUND_TRIPS && other != MPI_PROC_NULL; i++) {
            double time_s = ping_pong(place, other, first);
            if (first) {
                shortest_s = i == 0 ? time_s : fmin(shortest_s, time_s);
            }
        }
    }
    return shortest_s;
}

struct keel_block_size_messages keel_mpi_link_probe_measure(struct keel_mpi_peers *peers,
                                                            MPI_Comm comm, double longest,
                                                            double element)
{
    struct place place = place_in(peers, comm);
    int bytes = (int)fmin(BYTES, longest);
    double most[] = {INFINITY, INFINITY, measure_latency(&place)};

    for (int i = 0; i < TRAINS; i++) {
        most[0] = fmin(most[0], run_train(&place, 1));
        most[1] = fmin(most[1], run_train(&place, bytes));
    }
    keel_mpi_rows_largest(peers, WHERE, most, 3);
    return keel_block_size_messages_of(most[0], most[1], bytes, element, most[2]);
}
