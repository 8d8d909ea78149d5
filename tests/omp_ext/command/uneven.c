/* A loop of which the first half takes all the time: static shares take twice as long as they
 * could. Iterations sleep, so that other work on the machine changes little.
 *
 *   uneven [MILLISECONDS]    of each iteration in the first half */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned each_us = 1000 * (unsigned)(argc > 1 ? atoi(argv[1]) : 20);
    int count = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = 0; i < 32; i++) {
        usleep(i < 16 ? each_us : 0);
        count++;
    }
    printf("%d iterations\n", count);
    return 0;
}
