/* The program that bench/demo runs under each schedule: draws the picture several times in one
 * process, and writes a line
 *
 *   label  picture  threads  seconds  imbalance  chunks          separated by tabs
 *
 * for each but the first. In the first, threads are created, memory is touched, and Keel measures
 * the loop for schedules that want to know how its iterations vary.
 *
 *   program LABEL SIZE PICTURES [FILE]        FILE gets the last picture, for picture.c */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"

static void *array(size_t count, size_t size)
{
    void *memory = aligned_alloc(128, (count * size + 127) / 128 * 128);

    if (memory == NULL) {
        fputs("keel: mandelbrot/program: no memory for the picture\n", stderr);
        exit(1);
    }
    return memset(memory, 0, (count * size + 127) / 128 * 128);
}

/* Percent imbalance: by how much the busiest thread lies over the mean. */
static double imbalance(const struct mandelbrot *picture, int threads)
{
    double most_s = 0, sum_s = 0;

    for (int i = 0; i < threads; i++) {
        double busy_s = picture->thread[i].busy_s;
        most_s = busy_s > most_s ? busy_s : most_s;
        sum_s += busy_s;
    }
    return sum_s > 0 ? (most_s / (sum_s / threads) - 1) * 100 : 0;
}

static void draw(struct mandelbrot *picture, const char *label, int number)
{
    int threads = omp_get_max_threads();

    memset(picture->thread, 0, (size_t)threads * sizeof *picture->thread);
    chunk_count_take();
    double start_s = omp_get_wtime();
    mandelbrot_draw(picture);
    double time_s = omp_get_wtime() - start_s;
    if (number > 0) {
        printf("%s\t%d\t%d\t%.9f\t%.4f\t%llu\n", label, number, threads, time_s,
               imbalance(picture, threads), (unsigned long long)chunk_count_take());
    }
}

static int save(const struct mandelbrot *picture, const char *path)
{
    size_t size = (size_t)picture->size;
    FILE *file = fopen(path, "wb");

    if (file == NULL) {
        perror(path);
        return 1;
    }
    fwrite(&picture->size, sizeof picture->size, 1, file);
    fwrite(picture->owner, sizeof *picture->owner, size, file);
    fwrite(picture->steps, sizeof *picture->steps, size * size, file);
    if (ferror(file) | fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int arguments, char **argument)
{
    struct mandelbrot picture = {.size = arguments > 2 ? atoi(argument[2]) : 0};
    int pictures = arguments > 3 ? atoi(argument[3]) : 0;

    if (picture.size < 1 || picture.size > 20000 || pictures < 1) {
        fputs("usage: program LABEL SIZE PICTURES [FILE]\n", stderr);
        return 2;
    }
    size_t size = (size_t)picture.size;
    picture.steps = array(size * size, sizeof *picture.steps);
    picture.owner = array(size, sizeof *picture.owner);
    picture.thread = array((size_t)omp_get_max_threads(), sizeof *picture.thread);
    for (int i = 0; i <= pictures; i++) {
        draw(&picture, argument[1], i);
    }
    return arguments > 4 ? save(&picture, argument[4]) : 0;
}
