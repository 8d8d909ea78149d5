/* Loops as in usual programs, built without Keel: dense and sparse matrices, stencils, bodies,
 * graphs, and some unusual ones.
 *
 *   OMP_NUM_THREADS=2 kernels NAME SIZE REPEAT
 *
 * Prints the time of one instance of the loop after the first ones, ms, and a digest of all its
 * results, in which rounding does not show. Every loop is bare, or schedule(static). */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"

enum { most = 1024, neighbours = 48, degree = 8, untimed = 20 };

static double a[most][most], b[most][most], c[most][most];
static float f[most][most], g[most][most];
static double x[most], y[most], px[most], py[most], pz[most], fx[most], fy[most], fz[most];
static int row_begin[most + 1], column[most * degree], level[most], next_level[most], centre[most];
static int near_count[most], near_list[most][neighbours];
static double value[most * degree], rank_of[most], next_rank[most];
static unsigned char picture[most][most];
static double result;

static void product(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
}

static void product_by_rows(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double times = a[i][k];
            for (int j = 0; j < n; j++) {
                c[i][j] += times * b[k][j];
            }
        }
    }
}

static void lower_triangle(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= i; k++) {
            double times = a[i][k];
            for (int j = 0; j <= k; j++) {
                c[i][j] += times * b[k][j];
            }
        }
    }
}

static void elimination(int n)
{
    for (int k = 0; k < 8; k++) {
#pragma omp parallel for
        for (int i = k + 1; i < n; i++) {
            double times = c[i][k] / (a[k][k] + 1);
            for (int j = k + 1; j < n; j++) {
                c[i][j] -= times * b[k][j];
            }
        }
    }
}

static void shortest_paths(int n)
{
    for (int k = 0; k < 8; k++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double way = a[i][k] + b[k][j];
                if (way < c[i][j]) {
                    c[i][j] = way;
                }
            }
        }
    }
}

static void sparse(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = row_begin[i]; k < row_begin[i + 1]; k++) {
            sum += value[k] * x[column[k]];
        }
        y[i] = sum;
    }
}

static void heat(int n)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            c[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
    }
}

static void difference(int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            double by = a[i][j] - b[i][j];
            sum += by * by;
        }
    }
    result = sum;
}

static void largest(int n)
{
    double found = 0;
#pragma omp parallel for reduction(max : found)
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            double by = fabs(a[i][j] - b[i][j]);
            if (by > found) {
                found = by;
            }
        }
    }
    result = found;
}

static void blur(int n)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            float sum = 0;
            for (int u = -1; u <= 1; u++) {
                for (int v = -1; v <= 1; v++) {
                    sum += f[i + u][j + v];
                }
            }
            g[i][j] = sum / 9;
        }
    }
}

static void gravity(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
            double square = dx * dx + dy * dy + dz * dz + 1e-3;
            double inverse = 1 / (square * sqrt(square));
            ax += dx * inverse;
            ay += dy * inverse;
            az += dz * inverse;
        }
        fx[i] = ax;
        fy[i] = ay;
        fz[i] = az;
    }
}

static void molecules(int n)
{
    double potential = 0;
#pragma omp parallel for reduction(+ : potential)
    for (int i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int k = 0; k < near_count[i]; k++) {
            int j = near_list[i][k];
            double dx = px[i] - px[j], dy = py[i] - py[j], dz = pz[i] - pz[j];
            double square = dx * dx + dy * dy + dz * dz + 0.5;
            if (square < 2.25) {
                double sixth = 1 / (square * square * square);
                double force = 48 * sixth * (sixth - 0.5) / square;
                ax += force * dx;
                ay += force * dy;
                az += force * dz;
                potential += 4 * sixth * (sixth - 1);
            }
        }
        fx[i] = ax;
        fy[i] = ay;
        fz[i] = az;
    }
    result = potential;
}

/* Steps of a point of the plane until it leaves it, 250 at most. */
static inline unsigned char escape(int i, int j, int n)
{
    return (unsigned char)mandelbrot_steps(j * 2.0 / n - 1.5, i * 2.0 / n - 1, 250);
}

static void mandelbrot(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            picture[i][j] = escape(i, j, n);
        }
    }
}

static void mandelbrot_points(int n)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            picture[i][j] = escape(i, j, n);
        }
    }
}

static void page_rank(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = row_begin[i]; k < row_begin[i + 1]; k++) {
            int j = column[k];
            sum += rank_of[j] / (row_begin[j + 1] - row_begin[j] + 1);
        }
        next_rank[i] = 0.15 / n + 0.85 * sum;
    }
}

static void triangles(int n)
{
    long count = 0;
#pragma omp parallel for reduction(+ : count)
    for (int u = 0; u < n; u++) {
        for (int k = row_begin[u]; k < row_begin[u + 1]; k++) {
            int v = column[k], p = row_begin[u], q = row_begin[v];
            while (p < row_begin[u + 1] && q < row_begin[v + 1]) {
                count += column[p] == column[q];
                int step = column[p] <= column[q];
                q += column[q] <= column[p];
                p += step;
            }
        }
    }
    result = (double)count;
}

static void breadth_first(int n)
{
    int any = 0;
#pragma omp parallel for reduction(| : any)
    for (int u = 0; u < n; u++) {
        next_level[u] = level[u];
        if (level[u] < 0) {
            for (int k = row_begin[u]; k < row_begin[u + 1]; k++) {
                if (level[column[k]] == 2) {
                    next_level[u] = 3;
                    any = 1;
                    break;
                }
            }
        }
    }
    result = any;
}

static void clusters(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int best = 0;
        double least = 1e300;
        for (int k = 0; k < 32; k++) {
            double sum = 0;
            for (int q = 0; q < 8; q++) {
                double by = a[i][q] - b[k][q];
                sum += by * by;
            }
            if (sum < least) {
                least = sum;
                best = k;
            }
        }
        centre[i] = best;
    }
}

static void primes(int n)
{
#pragma omp parallel for
    for (int i = 2; i < n; i++) {
        int is = 1;
        for (int j = 2; j * j <= 64 * i; j++) {
            if ((64 * i + 1) % j == 0) {
                is = 0;
                break;
            }
        }
        centre[i] = is;
    }
}

static void scaled_sum(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        y[i] += 0.5 * x[i];
    }
}

static void scalar_product(int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    result = sum;
}

static void functions(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        y[i] = exp(-x[i]) + sin(y[i]);
    }
}

static void small_arrays(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double force[3] = {0, 0, 0};
        for (int k = 0; k < near_count[i]; k++) {
            int j = near_list[i][k];
            double by[3] = {px[i] - px[j], py[i] - py[j], pz[i] - pz[j]};
            double square = by[0] * by[0] + by[1] * by[1] + by[2] * by[2] + 1;
            for (int q = 0; q < 3; q++) {
                force[q] += by[q] / square;
            }
        }
        fx[i] = force[0];
        fy[i] = force[1];
        fz[i] = force[2];
    }
}

/* --- running one --- */

static const struct {
    const char *name;
    void (*run)(int n);
} kernels[] = {
#define KERNEL(name) \
    {                \
#name, name  \
    }
    KERNEL(product),     KERNEL(product_by_rows),   KERNEL(lower_triangle),
    KERNEL(elimination), KERNEL(shortest_paths),    KERNEL(sparse),
    KERNEL(heat),        KERNEL(difference),        KERNEL(largest),
    KERNEL(blur),        KERNEL(gravity),           KERNEL(molecules),
    KERNEL(mandelbrot),  KERNEL(mandelbrot_points), KERNEL(page_rank),
    KERNEL(triangles),   KERNEL(breadth_first),     KERNEL(clusters),
    KERNEL(primes),      KERNEL(scaled_sum),        KERNEL(scalar_product),
    KERNEL(functions),   KERNEL(small_arrays),
};

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void fill(void)
{
    for (int i = 0; i < most; i++) {
        for (int j = 0; j < most; j++) {
            a[i][j] = draw(64) / 8.0;
            b[i][j] = draw(64) / 8.0;
            c[i][j] = draw(64);
            f[i][j] = (float)draw(64);
        }
        x[i] = draw(64) / 8.0;
        y[i] = draw(64) / 8.0;
        px[i] = draw(1000) / 250.0;
        py[i] = draw(1000) / 250.0;
        pz[i] = draw(1000) / 250.0;
        rank_of[i] = 1.0 / most;
        level[i] = (int)draw(5) - 1;
        near_count[i] = (int)draw(neighbours);
        for (int k = 0; k < neighbours; k++) {
            near_list[i][k] = (int)draw(most);
        }
        /* as in real graphs: few of the first ones have many */
        int edges = i < most / 16 ? degree * 4 : degree / 2;
        row_begin[i + 1] = row_begin[i] + (int)draw((uint32_t)edges);
        for (int k = row_begin[i]; k < row_begin[i + 1]; k++) {
            column[k] = (int)draw(most);
            value[k] = draw(64) / 8.0;
        }
    }
}

/* Of nine digits each, so that sums may be added up in another order. */
static uint64_t digest(const double *numbers, size_t count)
{
    uint64_t sum = 0;
    char text[32];

    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.9g", numbers[i]);
        for (const char *c = text; *c != '\0'; c++) {
            sum = (sum ^ (unsigned char)*c) * 1099511628211u;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0, repeat = argc > 3 ? atoi(argv[3]) : 0;
    double counts[3] = {0, 0, 0};

    fill();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && n >= 16 && n <= most; i++) {
        if (strcmp(kernels[i].name, argv[1]) != 0) {
            continue;
        }
        for (int k = 0; k < untimed; k++) {
            kernels[i].run(n);
        }
        double begin = omp_get_wtime();
        for (int k = 0; k < repeat; k++) {
            kernels[i].run(n);
        }
        double end = omp_get_wtime();
        for (int k = 0; k < most; k++) {
            counts[0] += k * (double)centre[k];
            counts[1] += k * (double)next_level[k];
            counts[2] += k * (double)picture[k][k] + (double)g[k][k];
        }
        printf("%.6f %016lx\n", (end - begin) * 1e3 / repeat,
               digest(counts, 3) ^ digest(&result, 1) ^ digest(c[0], most * most) ^
                   digest(y, most) ^ digest(fx, most) ^ digest(fy, most) ^ digest(next_rank, most));
        return 0;
    }
    fprintf(stderr, "kernels NAME SIZE REPEAT: SIZE is 16 to %d; nothing is run\n", most);
    for (size_t i = 0; argc < 2 && i < sizeof kernels / sizeof *kernels; i++) {
        puts(kernels[i].name);
    }
    return 2;
}
