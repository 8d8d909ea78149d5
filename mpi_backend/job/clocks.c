/* One clock for the traces of all ranks. */
#include "mpi_backend/job/job.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "schedules/arithmetic/arithmetic.h"

#define WHERE "where clocks are compared"
#define EXCHANGES 16 /* the best of so many */
#define TAG 2        /* not the channel's */

/* This process's, once it is known. */
static bool known;
static int64_t offset_ns;

/* --- which clock --- */

/* The message of each rank about its clock. */
struct clock {
    uint64_t identity; /* equal for those of one host */
    int64_t known;     /* 1: its offset is */
    int64_t offset_ns;
};

static uint64_t mix_file(uint64_t sum, const char *path)
{
    unsigned char bytes[256];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file >= 0 ? read(file, bytes, sizeof bytes) : 0;

    if (file >= 0) {
        close(file);
    }
    return keel_digest_bytes(sum, bytes, count > 0 ? (size_t)count : 0);
}

/* The host's clock counts from its start, and in a time namespace from another moment. */
static uint64_t identity(void)
{
    uint64_t sum = mix_file(KEEL_DIGEST_START, "/proc/sys/kernel/random/boot_id");

    return mix_file(sum, "/proc/self/timens_offsets");
}

/* The first rank with that one's clock. */
static uint32_t first_alike(const struct clock *clock, uint32_t rank)
{
    uint32_t first = 0;

    while (clock[first].identity != clock[rank].identity) {
        first++;
    }
    return first;
}

/* --- measuring --- */

static int64_t now_ns(void)
{
    return (int64_t)keel_mpi_clock_ns();
}

/* What messages are read from and written to stays for ever if an operation is given up. */
static bool send(struct keel_mpi_peers *peers, uint32_t to, const int64_t *time_ns)
{
    MPI_Request request;

    return KEEL_MPI_CALL(peers, MPI_Isend, time_ns, 1, MPI_INT64_T, (int)to, TAG, peers->comm,
                         &request) &&
           keel_mpi_peers_await(peers, WHERE, 1, &request) == KEEL_MPI_OK;
}

static bool receive(struct keel_mpi_peers *peers, uint32_t from, int64_t *time_ns)
{
    MPI_Request request;

    return KEEL_MPI_CALL(peers, MPI_Irecv, time_ns, 1, MPI_INT64_T, (int)from, TAG, peers->comm,
                         &request) &&
           keel_mpi_peers_await(peers, WHERE, 1, &request) == KEEL_MPI_OK;
}

static bool answer(struct keel_mpi_peers *peers, uint32_t rank)
{
    static int64_t time_ns;
    bool fine = true;

    for (int i = 0; i < EXCHANGES && fine; i++) {
        fine = receive(peers, rank, &time_ns);
        time_ns = now_ns();
        fine = fine && send(peers, rank, &time_ns);
    }
    return fine;
}

/* The other clock was read after the question left and before the answer came (Cristian 1989): it
 * is ahead by remote - received at least, by remote - sent at most. The middle of that is off by
 * half of the round trip at most, and the shortest one counts. */
static bool ask(struct keel_mpi_peers *peers, int64_t *measured_ns)
{
    static int64_t time_ns;
    int64_t shortest_ns = INT64_MAX;
    bool fine = true;

    for (int i = 0; i < EXCHANGES && fine; i++) {
        int64_t sent = time_ns = now_ns();
        fine = send(peers, 0, &time_ns) && receive(peers, 0, &time_ns);
        int64_t round_trip_ns = now_ns() - sent;
        if (fine && round_trip_ns < shortest_ns) {
            shortest_ns = round_trip_ns;
            *measured_ns = time_ns - sent - round_trip_ns / 2;
        }
    }
    return fine;
}

/* One rank for each clock, one after the other, with rank 0. */
static bool measure(struct keel_mpi_peers *peers, const struct clock *clock, int64_t *measured_ns)
{
    bool fine = true;

    *measured_ns = 0;
    for (uint32_t i = 1; i < peers->ranks && fine; i++) {
        if (first_alike(clock, i) == i && peers->rank == 0) {
            fine = answer(peers, i);
        } else if (first_alike(clock, i) == i && peers->rank == i) {
            fine = ask(peers, measured_ns);
        }
    }
    return fine;
}

/* --- all ranks --- */

static bool gather(struct keel_mpi_peers *peers, struct clock *clock)
{
    static struct clock own;

    own = (struct clock){identity(), known, offset_ns};
    return keel_mpi_peers_allgather(peers, WHERE, &own, clock, sizeof own);
}

static bool all_known(const struct clock *clock, uint32_t ranks)
{
    uint32_t rank = 0;

    while (rank < ranks && clock[rank].known) {
        rank++;
    }
    return rank == ranks;
}

/* The first rank's own offset counts, too: that clock may not be the one of the job's first. */
static bool align(struct keel_mpi_peers *peers, struct clock *clock)
{
    int64_t measured_ns;

    if (!gather(peers, clock)) {
        return false;
    }
    if (all_known(clock, peers->ranks)) {
        return true;
    }
    if (!measure(peers, clock, &measured_ns)) {
        return false;
    }
    if (!known) {
        offset_ns = clock[0].offset_ns + measured_ns;
    }
    if (!gather(peers, clock)) {
        return false;
    }
    offset_ns = clock[first_alike(clock, peers->rank)].offset_ns;
    known = true;
    return true;
}

static void trace(void)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    int rank = 0, ranks = 1;

    if (events != NULL && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
        MPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS) {
        events->place(rank, ranks, offset_ns);
    }
}

void keel_mpi_clocks_align(struct keel_mpi_peers *peers)
{
    uint64_t missing = 0;

    if (!peers->traced || keel_mpi_peers_code(peers) != KEEL_MPI_OK) {
        return;
    }
    struct clock *clock = malloc(peers->ranks * sizeof *clock);
    missing = clock == NULL;
    if (keel_mpi_peers_maxima(peers, WHERE, &missing, 1) == KEEL_MPI_OK && !missing &&
        align(peers, clock)) {
        trace();
    }
    if (keel_mpi_peers_code(peers) == KEEL_MPI_OK) { /* otherwise pending operations use it */
        free(clock);
    }
}
