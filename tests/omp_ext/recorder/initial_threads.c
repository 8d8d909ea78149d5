/* Two threads that OpenMP has not made open 30 regions each, the first ones at the same time. */
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t both_are_there;
static long sums[2];

static void *open_regions(void *own)
{
    long *sum = own;

    pthread_barrier_wait(&both_are_there);
    for (int times = 0; times < 30; times++) {
        long part = 0;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : part)
        for (int i = 0; i < 100; i++) {
            part += i;
        }
        *sum += part;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    pthread_barrier_init(&both_are_there, NULL, 2);
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&thread[i], NULL, open_regions, &sums[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    printf("%ld %ld\n", sums[0], sums[1]);
    return 0;
}
