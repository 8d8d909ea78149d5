/* How ranks learn of each other's hosts and processes when they are connected. */
#include "mpi_backend/job/peers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/job/processes/processes.h"
#include "mpi_backend/process/mpi_process.h"

/* --- who watches whom --- */

struct place {
    uint64_t machine;
    uint32_t rank;
};

static int compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->machine != b->machine) {
        return a->machine < b->machine ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Where machines begin among places in order, and behind the last one. Returns how many machines
 * there are. */
static uint32_t find_machines(const struct place *place, uint32_t count, uint32_t *begin)
{
    uint32_t machines = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || place[i].machine == 0 || place[i].machine != place[i - 1].machine) {
            begin[machines++] = i;
        }
    }
    begin[machines] = count;
    return machines;
}

static void mark(const struct place *place, uint32_t count, uint32_t *begin, uint32_t own,
                 bool *watched)
{
    uint32_t machines = find_machines(place, count, begin), machine = 0, at = 0;

    while (place[at].rank != own) {
        at++;
    }
    while (begin[machine + 1] <= at) {
        machine++;
    }
    uint32_t companions = begin[machine + 1] - begin[machine], number = at - begin[machine];
    for (uint32_t ahead = 1; ahead < machines; ahead *= 2) {
        uint32_t other = (machine + ahead) % machines;
        for (uint32_t i = begin[other] + number; i < begin[other + 1]; i += companions) {
            watched[place[i].rank] = true;
        }
    }
}

bool keel_mpi_watchers_plan(const uint64_t *machine, uint32_t count, uint32_t own, bool *watched)
{
    struct place *place = malloc(count * sizeof *place);
    uint32_t *begin = malloc((count + 1) * sizeof *begin);
    bool room = place != NULL && begin != NULL;

    if (room) {
        for (uint32_t i = 0; i < count; i++) {
            place[i] = (struct place){machine[i], i};
        }
        qsort(place, count, sizeof *place, compare);
        mark(place, count, begin, own, watched);
    }
    free(place);
    free(begin);
    return room;
}

/* --- meeting --- */

#define CONNECTED_S 2 /* in which a line is there, or never is */

/* A process, as ranks tell each other. */
struct told {
    struct keel_mpi_process process;
    struct keel_mpi_line_end line;
};

struct keel_mpi_finding {
    char host[KEEL_MPI_HOST_MAX]; /* this rank's, as the next one */
    struct told own;
    struct told all[]; /* of each rank */
};

_Static_assert(sizeof(struct told) >= KEEL_MPI_HOST_MAX, "names have room where processes have");

struct keel_mpi_finding *keel_mpi_finding_begin(uint32_t ranks)
{
    struct keel_mpi_finding *finding =
        malloc(sizeof *finding + (size_t)ranks * sizeof *finding->all);

    if (finding != NULL) {
        memset(finding, 0, sizeof *finding);
    }
    return finding;
}

/* Whether there are lines, for which all ranks have to meet once more. The same on all ranks. */
static bool has_lines(const struct keel_mpi_finding *finding, uint32_t ranks)
{
    bool listens = false, near = true;

    for (uint32_t i = 0; i < ranks; i++) {
        listens = listens || finding->all[i].line.port != 0;
        near = near && keel_mpi_process_is_near(&finding->all[0].process, &finding->all[i].process);
    }
    return listens && !near;
}

static bool plan(const struct keel_mpi_finding *finding, const struct keel_mpi_peers *peers,
                 struct keel_mpi_process *process, bool *watched)
{
    uint64_t *machine = malloc(peers->ranks * sizeof *machine);

    for (uint32_t i = 0; machine != NULL && i < peers->ranks; i++) {
        process[i] = finding->all[i].process;
        process[i].line = finding->all[i].line.number;
        machine[i] = process[i].numbering;
    }
    bool room =
        machine != NULL && keel_mpi_watchers_plan(machine, peers->ranks, peers->rank, watched);
    free(machine);
    return room;
}

/* Without memory, no process is known. */
static void open_processes(const struct keel_mpi_finding *finding, struct keel_mpi_peers *peers)
{
    struct keel_mpi_process *process = malloc(peers->ranks * sizeof *process);
    bool *watched = calloc(peers->ranks, sizeof *watched);

    if (process != NULL && watched != NULL && plan(finding, peers, process, watched)) {
        for (uint32_t i = 0; i < peers->ranks; i++) {
            watched[i] = watched[i] && finding->all[i].line.port != 0;
            if (watched[i]) {
                keel_mpi_lines_open(&finding->all[i].line);
            }
        }
        keel_mpi_processes_open(&peers->processes, peers->rank, process, peers->ranks, watched);
    }
    free(process);
    free(watched);
}

void keel_mpi_finding_end(struct keel_mpi_finding *finding, struct keel_mpi_peers *peers,
                          keel_mpi_tell_each_other *tell)
{
    void *names = finding->all; /* processes come there afterwards */

    gethostname(finding->host, sizeof finding->host - 1);
    if (!tell(peers, finding->host, names, sizeof finding->host)) {
        return;
    }
    peers->hosts = keel_mpi_hosts_note(peers->hosts, names);
    if (peers->notices == MPI_COMM_NULL) { /* simulated */
        free(finding);
        return;
    }
    finding->own.process = keel_mpi_process_own();
    if (peers->ranks > 1) {
        keel_mpi_watchdog_start();
    }
    if (peers->ranks > 1 && keel_mpi_settings()->watch == KEEL_RANKS_WATCH_ON) {
        finding->own.line = keel_mpi_lines_listen();
    }
    if (!tell(peers, &finding->own, finding->all, sizeof finding->own)) {
        keel_mpi_lines_accept();
        return;
    }
    open_processes(finding, peers);
    bool met = true;
    if (has_lines(finding, peers->ranks)) {
        keel_mpi_lines_await(CONNECTED_S);
        /* the same once more, as that all have come is all that matters */
        met = tell(peers, finding->host, names, sizeof finding->host);
    }
    keel_mpi_lines_accept();
    if (met) {
        free(finding);
    }
}
