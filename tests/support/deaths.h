/* Ranks that kill themselves, as KEEL_TEST_DEATHS says: "1@step:5,2@step:5 0@unpack:0" is ranks 1
 * and 2 of MPI_COMM_WORLD at the point `step` when its number is 5, and rank 0 at the point
 * `unpack`. */
#ifndef TESTS_SUPPORT_DEATHS_H
#define TESTS_SUPPORT_DEATHS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a rank has come to that point. exact: with that number; else with that one or a higher one.
 */
static inline void die_at(int world_rank, const char *point, uint64_t number, bool exact)
{
    const char *deaths = getenv("KEEL_TEST_DEATHS");
    unsigned long long wanted;
    char where[16];
    int rank, used;

    while (deaths != NULL &&
           sscanf(deaths, " %d@%15[a-z]:%llu%n", &rank, where, &wanted, &used) == 3) {
        if (rank == world_rank && (exact ? number == wanted : number >= wanted) &&
            strcmp(where, point) == 0) {
            raise(SIGKILL);
        }
        deaths += used + (deaths[used] == ',');
    }
}

#endif
