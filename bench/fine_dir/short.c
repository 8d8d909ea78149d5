/* Two orphaned loops of a dozen iterations, half a microsecond each, as in an implicit solver on a
 * small grid: 200 of them in one parallel region after the other. Prints the time of a region, and
 * a sum for comparison.
 *
 *   OMP_NUM_THREADS=2 short [REGIONS [lasting]]
 *
 * lasting: all in one region. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 12, PLANES = 100 };

static double speed[LINES][PLANES], convection[LINES], viscosity[LINES], result[LINES][PLANES];

static void solve(void)
{
    for (int k = 0; k < PLANES; k++) {
#pragma omp for
        for (int i = 0; i < LINES; i++) {
            double flow = 0.1 * speed[i][k];
            convection[i] = speed[i][k] + 1;
            viscosity[i] = flow > 0.5 ? flow : 0.5;
        }
#pragma omp for
        for (int i = 1; i < LINES - 1; i++) {
            result[i][k] += -0.1 * convection[i - 1] - 0.2 * viscosity[i - 1] + viscosity[i] +
                            convection[i + 1];
        }
    }
}

static void run(long regions, int lasting)
{
#pragma omp parallel if (lasting)
    for (long n = 0; n < (lasting ? regions : 0); n++) {
        solve();
    }
    for (long n = 0; n < (lasting ? 0 : regions); n++) {
#pragma omp parallel
        solve();
    }
}

int main(int count, char **argument)
{
    long regions = count > 1 ? strtol(argument[1], NULL, 10) : 4000;
    int lasting = count > 2;
    double sum = 0;

    for (int i = 0; i < LINES * PLANES; i++) {
        speed[i / PLANES][i % PLANES] = 0.01 * i;
    }
    run(20, 0);
    double start_s = omp_get_wtime();
    run(regions, lasting);
    double time_s = omp_get_wtime() - start_s;
    for (int i = 0; i < LINES * PLANES; i++) {
        sum += result[i / PLANES][i % PLANES];
    }
    printf("%.3f us a region\n%.17g\n", time_s / (double)regions * 1e6, sum);
    return 0;
}
