/* Two static loops: one that may be run by shares, and one with an effect before it; and one that
 * calls Keel anyway; of 1000 iterations, or the number in the argument. Prints how often the second
 * region's function was run in its last instance, and errors; its child process does not. The file
 * of the program has to be mapped once, as the linker did: who looks up an address by the mappings
 * may take another one, right below, for the same. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 10000, STEPS = 5 };
static double row[N];
static int n = 1000, runs;

static void simple(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        row[i] += 1.0 / (i + 1);
    }
}

static void counted(void)
{
    runs = 0;
#pragma omp parallel
    {
#pragma omp atomic
        runs++;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++) {
                row[i] += 1.0 / (k + 1);
            }
        }
    }
}

static void comes(void)
{
    int count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = 0; i < n; i++) {
        count++;
    }
    if (count != n) {
        printf("%d iterations, ", count);
    }
}

static int mapped(const char *program)
{
    char line[4500];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        count += strstr(line, program) != NULL && strstr(line, " 00000000 ") != NULL;
    }
    return count;
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : n;
    for (int step = 0; step < STEPS; step++) {
        errno = step;
        simple();
        counted();
        comes();
        if (errno != step) {
            printf("errno %d, ", errno);
        }
    }
    if (mapped(argv[0]) != 1) {
        printf("the program is mapped %d times, ", mapped(argv[0]));
    }
    if (fork() == 0) {
        exit(0);
    }
    wait(NULL);
    printf("%d\n", runs);
    return 0;
}
