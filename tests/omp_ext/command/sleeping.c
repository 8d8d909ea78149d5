/* A program whose report is known: thread 0 sleeps in an unbalanced loop. It ends as asked for:
 * reported [exit|kill|quick|abort|exec PROGRAM ...] */
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/helpers.h"

#define NAP_US 100000

static volatile int ended; /* no region is the last thing that a function calls */

/* 4 iterations for a team of 2: those of the first thread take a while. */
__attribute__((noinline)) static void unbalanced(void)
{
#pragma omp parallel
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++) {
        if (i < 2) {
            nap(NAP_US);
        }
    }
    ended++;
}

__attribute__((noinline)) static void taken_over(void)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; i++) {
        if (i % 250 == 0) {
            nap(1000);
        }
    }
    ended++;
}

static void end(char **arguments)
{
    if (strcmp(arguments[0], "exit") == 0) {
        exit(7);
    } else if (strcmp(arguments[0], "kill") == 0) {
        raise(SIGKILL);
    } else if (strcmp(arguments[0], "quick") == 0) {
        _exit(3);
    } else if (strcmp(arguments[0], "abort") == 0) {
        abort();
    } else if (strcmp(arguments[0], "exec") == 0) {
        execv(arguments[1], arguments + 1);
    }
}

int main(int count, char **arguments)
{
    unbalanced();
    taken_over();
    printf("results\n");
    fflush(stdout);
    if (count > 1) {
        end(arguments + 1);
    }
    return 0;
}
