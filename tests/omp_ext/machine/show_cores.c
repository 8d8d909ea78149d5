/* Prints the cores that this process may use: online allowed quota. */
#include <stdio.h>

#include "omp_ext/machine/cores.h"

int main(void)
{
    struct keel_cores cores = keel_cores_of_process();

    printf("%u %u %g\n", cores.online, cores.allowed, cores.quota);
#ifdef _OPENMP
    /* so that it is linked with libgomp, and has places */
#pragma omp parallel
    {
#pragma omp master
        cores = keel_cores_of_process();
    }
    printf("%u %u %g\n", cores.online, cores.allowed, cores.quota);
#endif
    return 0;
}
