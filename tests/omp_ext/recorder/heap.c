/* What is allocated in a program's first region: prints how far behind something that was allocated
 * before.
 *
 *   heap */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *before = malloc(100), *within = NULL;

#pragma omp parallel num_threads(2) shared(within)
    {
        if (omp_get_thread_num() == 0) {
            within = malloc(100);
        }
    }
    printf("%td\n", (intptr_t)within - (intptr_t)before);
    free(within);
    free(before);
    return 0;
}
