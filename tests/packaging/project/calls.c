/* Calls keel.h, and has a loop that says schedule(runtime). */
#include <keel.h>
#include <stdio.h>

int main(void)
{
    char schedule[64];
    long sum = 0;
    int code = keel_set_schedule("fac2,16");

    keel_get_schedule(schedule, sizeof schedule);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
    printf("%d %s %ld\n", code, schedule, sum);
    return 0;
}
