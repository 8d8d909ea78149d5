/* ending exit|return|quick_exit|_exit|abort|elsewhere: a loop, another one in what is called at the
 * end, and then that end; elsewhere: in another folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double sink;

static void first_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 100; i++) {
        sink = i;
    }
}

static void last_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 50; i++) {
        sink = i;
    }
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";

    atexit(last_loop);
    at_quick_exit(last_loop);
    first_loop();
    printf("in the buffer\n");
    if (strcmp(end, "exit") == 0 || (strcmp(end, "elsewhere") == 0 && chdir("/") == 0)) {
        exit(3);
    } else if (strcmp(end, "quick_exit") == 0) {
        quick_exit(3);
    } else if (strcmp(end, "_exit") == 0) {
        _exit(3);
    } else if (strcmp(end, "abort") == 0) {
        abort();
    }
    return 3;
}
