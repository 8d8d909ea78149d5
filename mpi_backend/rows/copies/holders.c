/* Which rank holds the copies of which other one. */
#include "mpi_backend/rows/copies/holders.h"

#include <stdlib.h>

#include "mpi_backend/rows/copies/ring.h"

/* Which ranks share a machine: each gets the number of the first one there. */
static void find_machines(const struct keel_mpi_peers *peers, uint32_t *machine)
{
    for (uint32_t i = 0; i < peers->ranks; i++) {
        machine[i] = 0;
        while (keel_mpi_hosts_number(peers->hosts, machine[i]) !=
               keel_mpi_hosts_number(peers->hosts, i)) {
            machine[i]++;
        }
    }
}

bool keel_mpi_holders_find(const struct keel_mpi_peers *peers, uint32_t *holder)
{
    uint32_t *machine = calloc(peers->ranks, sizeof *machine);
    bool room = machine != NULL;

    if (room) {
        find_machines(peers, machine);
        room = keel_mpi_ring_make(peers->ranks, machine, holder);
    }
    free(machine);
    return room;
}

uint32_t keel_mpi_holders_held_of(const uint32_t *holder, uint32_t ranks, uint32_t rank)
{
    uint32_t held_of = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        held_of = holder[i] == rank ? i : held_of;
    }
    return held_of;
}
