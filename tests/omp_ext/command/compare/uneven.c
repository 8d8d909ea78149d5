/* A loop of which the first iteration takes as long as all others: static shares take half as long
 * again as they could. Iterations sleep, so that other work on the machine changes little.
 *
 *   uneven [MILLISECONDS]    of the first iteration */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned first_us = 1000 * (unsigned)(argc > 1 ? atoi(argv[1]) : 300);
    int count = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = 0; i < 31; i++) {
        usleep(i == 0 ? first_us : first_us / 30);
        count++;
    }
    printf("%d iterations\n", count);
    return 0;
}
