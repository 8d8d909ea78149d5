/* Part of a test that runs in a child of a fork. */
#ifndef TESTS_SUPPORT_FORK_AND_H
#define TESTS_SUPPORT_FORK_AND_H

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

/* Runs `child` there, 300 seconds at most; the test fails if a check does. */
static void fork_and(void (*child)(void))
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();

    if (pid == 0) {
        alarm(300);
        child();
        _exit(check_failures > 0);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with status %x", status);
}

#endif
