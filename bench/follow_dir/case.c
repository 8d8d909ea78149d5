/* Writes down a drawn job for bench/follow:
 *
 *   case SEED NUMBER FOLDER
 *
 * Prints four lines: workers, latency and bandwidth as sim_platform takes them; the machines'
 * speeds; the arguments of bench/sim/rows; and what the case is, in words. FOLDER/load.H gets the
 * load of host H; loads of other cases are removed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/follow_dir/draw.h"

/* No job takes so many times as long as without loads: machines slow down to a quarter, and rows
 * may move for a long time. */
#define HORIZON 50

static int write_load(const char *folder, const struct drawn_job *job,
                      const struct drawn_load *load)
{
    char name[4096];

    snprintf(name, sizeof name, "%s/load.%" PRIu32, folder, load->host);
    FILE *file = fopen(name, "w");
    if (file == NULL) {
        perror(name);
        return 1;
    }
    drawn_load_write(file, load, HORIZON * job->dedicated_s);
    return fclose(file) != 0;
}

static void remove_loads(const char *folder)
{
    char name[4096];

    for (int host = 0; host < DRAWN_WORKERS_MAX; host++) {
        snprintf(name, sizeof name, "%s/load.%d", folder, host);
        remove(name);
    }
}

static void print_program(const struct drawn_job *job)
{
    printf("%s %" PRIu64, drawn_shape_name(job->shape), job->size);
    if (job->shape == DRAWN_PARTICLES) {
        printf("x%" PRIu64, job->mean);
    }
    printf(" %" PRIu64, job->iterations);
    if (job->strips > 1) {
        printf("x%" PRIu64, job->strips);
    }
    printf(" %.6g~%.2g", job->flops, job->noise);
}

static void print_load(const struct drawn_load *load)
{
    printf("; host %" PRIu32 " left %.2f: %s", load->host, load->left, drawn_kind_name(load->kind));
    switch (load->kind) {
    case DRAWN_STEP:
        printf(" %s at %.1f s", load->begins_on ? "down" : "up", load->start_s);
        break;
    case DRAWN_PERIODIC:
        printf(" %.1f of %.1f s from %.1f s", load->on_s, load->period_s, load->start_s);
        break;
    case DRAWN_RANDOM:
        printf(" about %.1f of %.1f s", load->on_s, load->period_s);
        break;
    case DRAWN_RAMP:
        printf(" within %.1f s from %.1f s, stays %.1f s", load->on_s, load->start_s,
               load->stays_s);
        break;
    default:
        break;
    }
}

static double slowest(const struct drawn_job *job)
{
    double speed = job->speed[0];

    for (uint32_t i = 1; i < job->workers; i++) {
        speed = fmin(speed, job->speed[i]);
    }
    return speed / DRAWN_FLOPS_PER_S;
}

static void print_job(const struct drawn_job *job)
{
    printf("%" PRIu32 " %.3gus %.4gMBps\n", job->workers, job->latency_s * 1e6,
           job->bytes_per_s / 1e6);
    for (uint32_t i = 0; i < job->workers; i++) {
        printf("%.0f%s", job->speed[i], i + 1 < job->workers ? " " : "\n");
    }
    print_program(job);
    printf("\n%" PRIu32 " workers, slowest %.2f; %.3g MB/s, %.3g us; ", job->workers, slowest(job),
           job->bytes_per_s / 1e6, 2e6 * job->latency_s);
    print_program(job);
    printf("; %.1f s", job->dedicated_s);
    for (uint32_t i = 0; i < job->loads; i++) {
        print_load(&job->load[i]);
    }
    printf("%s\n", job->loads == 0 ? "; no load" : "");
}

int main(int argc, char **argv)
{
    struct drawn_job job;
    int failed = 0;

    if (argc != 4) {
        fputs("usage: case SEED NUMBER FOLDER\n", stderr);
        return 2;
    }
    drawn_job(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), &job);
    remove_loads(argv[3]);
    for (uint32_t i = 0; i < job.loads; i++) {
        failed |= write_load(argv[3], &job, &job.load[i]);
    }
    print_job(&job);
    return failed;
}
