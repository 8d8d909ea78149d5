/* What exchanges of figures and messages take. */
#include "mpi_backend/rows/balance/costs.h"

#include <math.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/messages.h"

#define PROBES 2 /* of each kind; the first one warms up */

/* The shortest time of an exchange of figures: t_interact (S8). */
static double time_figures(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double shortest_s = INFINITY;

    for (int i = 0; i < PROBES; i++) {
        double began_s = keel_mpi_clock_s();
        MPI_Request request;
        if (!keel_mpi_check(&rows->peers,
                            MPI_Iallgather(&balance->own, sizeof balance->own, MPI_BYTE,
                                           balance->figures, sizeof balance->own, MPI_BYTE,
                                           rows->peers.comm, &request),
                            "MPI_Iallgather") ||
            keel_mpi_peers_await(&rows->peers, KEEL_MPI_BALANCER_WHERE, 1, &request) !=
                KEEL_MPI_OK) {
            break;
        }
        shortest_s = i > 0 ? fmin(shortest_s, keel_mpi_clock_s() - began_s) : shortest_s;
    }
    return shortest_s;
}

/* The shortest time to hand `bytes` to the next rank and get as many from the one before. */
static double time_message(struct keel_mpi_rows *rows, char *buffer, int bytes)
{
    struct keel_mpi_peers *peers = &rows->peers;
    int next = (int)((rows->rank + 1) % rows->ranks);
    int before = (int)((rows->rank + rows->ranks - 1) % rows->ranks);
    double shortest_s = INFINITY;

    for (int i = 0; i < PROBES; i++) {
        double began_s = keel_mpi_clock_s();
        MPI_Request request[2];
        if (!keel_mpi_check(peers,
                            MPI_Irecv(buffer + KEEL_MPI_COSTS_BYTES, bytes, MPI_BYTE, before,
                                      KEEL_MPI_TAG_PROBE, peers->comm, &request[0]),
                            "MPI_Irecv") ||
            !keel_mpi_check(peers,
                            MPI_Isend(buffer, bytes, MPI_BYTE, next, KEEL_MPI_TAG_PROBE,
                                      peers->comm, &request[1]),
                            "MPI_Isend") ||
            keel_mpi_peers_await(peers, KEEL_MPI_BALANCER_WHERE, 2, request) != KEEL_MPI_OK) {
            break;
        }
        shortest_s = i > 0 ? fmin(shortest_s, keel_mpi_clock_s() - began_s) : shortest_s;
    }
    return shortest_s;
}

/* The most of all ranks. */
int keel_mpi_costs_measure(struct keel_mpi_rows *rows, char *buffer)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double most[] = {time_figures(rows), time_message(rows, buffer, 0),
                     time_message(rows, buffer, KEEL_MPI_COSTS_BYTES)};
    int code = keel_mpi_rows_largest(&rows->peers, KEEL_MPI_BALANCER_WHERE, most, 3);

    balance->exchange_s = most[0];
    keel_decide_note_cost(balance->decisions, 1, 0, most[1]);
    keel_decide_note_cost(balance->decisions, 1, KEEL_MPI_COSTS_BYTES, most[2]);
    return code;
}
