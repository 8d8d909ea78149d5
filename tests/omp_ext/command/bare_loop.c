/* A program with one bare loop. Prints its sum; exits with the code given as its argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 1000; i++) {
        sum += i;
    }
    printf("%ld\n", sum);
    return argc > 1 ? atoi(argv[1]) : 0;
}
