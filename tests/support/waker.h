/* A process that wakes this one, once others have gone on without it. */
#ifndef TESTS_SUPPORT_WAKER_H
#define TESTS_SUPPORT_WAKER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/nap.h"

/* It sends SIGCONT so many us after others have raised *gone_on, in memory that is shared, or ends
 * with this process. Called before this process stops itself. */
static inline void waker_start(const atomic_int *gone_on, uint64_t us)
{
    pid_t self = getpid(), child;
    int before = *gone_on;

    if ((child = fork()) != 0) {
        if (child < 0) {
            exit(3);
        }
        return;
    }
    while (*gone_on == before && kill(self, 0) == 0) {
        nap(10000);
    }
    nap(us);
    kill(self, SIGCONT);
    _exit(0);
}

#endif
