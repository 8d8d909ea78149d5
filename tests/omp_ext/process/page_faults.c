/* Page faults of a program that allocates and frees arrays of 200 KiB in each function: all that it
 * prints. What is freed at the end of glibc's heap goes back to the system, unless something that
 * is kept lies behind it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { count = 25600, arrays = 6, steps = 7 };

#define ALLOCATES(name)                                                               \
    static __attribute__((noinline)) void name(int step)                              \
    {                                                                                 \
        double *array[arrays];                                                        \
                                                                                      \
        for (int k = 0; k < arrays; k++) {                                            \
            array[k] = malloc(count * sizeof(double));                                \
        }                                                                             \
        _Pragma("omp parallel for schedule(runtime)") for (int i = 0; i < count; i++) \
        {                                                                             \
            for (int k = 0; k < arrays; k++) {                                        \
                array[k][i] = i + k + step;                                           \
            }                                                                         \
        }                                                                             \
        for (int k = 0; k < arrays; k++) {                                            \
            free(array[k]);                                                           \
        }                                                                             \
    }

ALLOCATES(first)
ALLOCATES(second)
ALLOCATES(third)

int main(void)
{
    struct rusage usage;

    for (int step = 0; step < steps; step++) {
        first(step);
        second(step);
        third(step);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_minflt);
    return 0;
}
