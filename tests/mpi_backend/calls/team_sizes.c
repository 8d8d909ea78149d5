/* Prints whether this program could tell how large its teams are, and whether it says how large
 * they are to be; what is compiled into it says which program it is. */
#include <omp.h>
#include <stdio.h>

#include "mpi_backend/calls/mpi_calls.h"

#ifdef THREADPRIVATE
static int kept;
#pragma omp threadprivate(kept)
#endif

int main(void)
{
    int sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
        sum += i;
#ifdef NUMBER
        sum += omp_get_thread_num() > 1000000;
#endif
#ifdef THREADPRIVATE
        kept += i;
        sum += kept > 1000000;
#endif
    }
#ifdef SHARES
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
        sum += i;
    }
#endif
#ifdef SETS
    omp_set_num_threads(2);
#endif
    struct keel_team_use use = keel_team_use_of_program();
    printf("%s%s\n", use.sees_numbers ? "sees" : "blind", use.sets_sizes ? ", sets" : "");
    return sum == 0 || omp_get_max_threads() == 0;
}
