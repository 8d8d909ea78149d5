/* What messages between neighbouring ranks take. */
#include "mpi_backend/rows/balance/link_probe.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/messages.h"

#define TRAINS 4 /* of each kind; the quickest counts */
#define LENGTH 40
#define SKIPPED 8 /* messages of a train, until all ranks are at it */
#define AHEAD 8
#define RETURNS 6
#define BYTES 4096 /* of the messages that are not empty: usually sent at once, as empty ones are */

static double seconds(void)
{
    return keel_mpi_clock_ns() * 1e-9;
}

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

static void check(const struct place *place, int returned, const char *call, MPI_Request *request)
{
    if (!keel_mpi_check(place->peers, returned, call)) {
        *request = MPI_REQUEST_NULL;
    }
}

/* --- trains --- */

struct train {
    const struct place *place;
    int bytes;
    MPI_Request in[AHEAD], out[AHEAD];
    char buffer[2][BYTES]; /* nobody looks at what is in messages */
};

static void expect(struct train *train, int i)
{
    MPI_Request *request = &train->in[i % AHEAD];

    if (i < LENGTH) {
        check(train->place,
              MPI_Irecv(train->buffer[0], train->bytes, MPI_BYTE, train->place->before,
                        KEEL_MPI_TAG_PROBE, train->place->comm, request),
              "MPI_Irecv", request);
    }
}

/* A step of a pipeline in which nothing is computed. */
static void pass(struct train *train, int i)
{
    MPI_Request *request = &train->out[i % AHEAD];

    await(train->place, 1, &train->in[i % AHEAD]);
    expect(train, i + AHEAD);
    await(train->place, 1, request);
    check(train->place,
          MPI_Isend(train->buffer[1], train->bytes, MPI_BYTE, train->place->behind,
                    KEEL_MPI_TAG_PROBE, train->place->comm, request),
          "MPI_Isend", request);
}

/* How long this rank takes for a message. */
static double run_train(const struct place *place, int bytes)
{
    static struct train train; /* stays while operations use it, after a failure */
    double begun_s = 0;

    train = (struct train){.place = place, .bytes = bytes};
    for (int i = 0; i < AHEAD; i++) {
        train.out[i] = MPI_REQUEST_NULL;
        expect(&train, i);
    }
    for (int i = 0; i < LENGTH && keel_mpi_peers_code(place->peers) == KEEL_MPI_OK; i++) {
        if (i == SKIPPED) {
            begun_s = seconds();
        }
        pass(&train, i);
    }
    double time_s = (seconds() - begun_s) / (LENGTH - SKIPPED);
    await(place, AHEAD, train.out);
    return time_s;
}

/* --- messages that come back --- */

static double send_and_return(const struct place *place, int other, bool first)
{
    double begun_s = seconds();

    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        if ((i == 0) == first) {
            check(place,
                  MPI_Isend(NULL, 0, MPI_BYTE, other, KEEL_MPI_TAG_PROBE, place->comm, &request),
                  "MPI_Isend", &request);
        } else {
            check(place,
                  MPI_Irecv(NULL, 0, MPI_BYTE, other, KEEL_MPI_TAG_PROBE, place->comm, &request),
                  "MPI_Irecv", &request);
        }
        await(place, 1, &request);
    }
    return first ? (seconds() - begun_s) / 2 : 0;
}

/* Every rank with the one behind it, even ones first. */
static double run_returns(const struct place *place)
{
    double shortest_s = 0;

    for (int turn = 0; turn < 2; turn++) {
        bool first = place->rank % 2 == turn;
        int other = first ? place->behind : place->before;
        for (int i = 0; i < RETURNS && other != MPI_PROC_NULL; i++) {
            double time_s = send_and_return(place, other, first);
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
    double mine[3] = {INFINITY, INFINITY, run_returns(&place)}, all[3];
    uint64_t word[3];

    for (int i = 0; i < TRAINS; i++) {
        mine[0] = fmin(mine[0], run_train(&place, 0));
        mine[1] = fmin(mine[1], run_train(&place, bytes));
    }
    /* numbers >= 0 are in the order of their representations */
    memcpy(word, mine, sizeof word);
    keel_mpi_peers_maxima(peers, WHERE, word, 3);
    memcpy(all, word, sizeof all);
    return (struct keel_block_size_messages){
        .fixed_s = all[0],
        .incr_s = fmax(0, all[1] - all[0]) / bytes * element,
        .hop_s = all[2],
    };
}
