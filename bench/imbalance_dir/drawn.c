/* Loops that are drawn at random, so that schedules can be compared on loops that nobody had in
 * mind when they were written: "drawn:SEED". Size, total work, how costs go along the loop, how
 * single iterations stray from that, how they stray from one instance to the next, and how much
 * memory they read are drawn. */
#include "bench/imbalance_dir/kernel.h"

#include <math.h>
#include <stdlib.h>

#include "bench/support/memory.h"

#define STEPS_ALL 2.9e6 /* of all iterations at scale 1 */
#define LINE 64         /* bytes */
#define MEMORY_MAX (UINT64_C(64) << 20)

enum shape { FLAT, RISING, FALLING, WAVES, STEP, PEAKS, SHAPES };

static uint64_t seed;
static size_t iterations;
static float *steps;      /* of each iteration, without what strays between instances */
static double strays;     /* part of its steps that an iteration may have more */
static unsigned instance; /* 0: nothing strays */
static uint64_t *memory;  /* `lines` lines for each iteration; NULL: none is read */
static size_t lines;

/* Draw number `which` of the loop, in [0, 1). */
static double draw(uint64_t which)
{
    return kernel_random_at(1000 + seed % 100000, which);
}

static double log_between(double low, double high, double fraction)
{
    return low * pow(high / low, fraction);
}

/* Mean cost at place 0 .. 1 of the loop, any unit. */
static double cost_at(enum shape shape, double place, double strength)
{
    switch (shape) {
    case RISING:
        return 1 + strength * place;
    case FALLING:
        return 1 + strength * (1 - place);
    case WAVES:
        return 1 + strength * (1 + sin(6.2831853 * place * (1 + floor(8 * draw(5)))));
    case STEP:
        return place < draw(5) ? 1 : 1 + strength;
    case PEAKS:
        return 1 + 20 * strength * (fmod(place * 7 + draw(5), 1) < 0.05);
    case FLAT:
    case SHAPES:
        break;
    }
    return 1;
}

/* Factor with mean about 1: none, exponentially distributed, or with a heavy tail. */
static double stray_of(size_t i, int kind)
{
    double fraction = kernel_random_at(2000 + seed % 100000, i);

    return kind == 0   ? 1
           : kind == 1 ? -log(1 - fraction)
           : kind == 2 ? 0.5 + fraction
                       : fmin(0.3 / pow(1 - fraction, 0.7), 30);
}

static void draw_memory(void)
{
    free(memory);
    memory = NULL;
    lines = draw(6) < 0.4 ? (size_t)log_between(1, 400, draw(7)) : 0;
    if (lines > 0 && iterations * lines * LINE <= MEMORY_MAX) {
        uint64_t *made = memory_new(iterations * lines, LINE);
        for (size_t k = 0; k < iterations * lines; k++) {
            made[k * LINE / sizeof *made] = k;
        }
        memory = made;
    }
}

static size_t prepare(double scale)
{
    enum shape shape = (enum shape)(draw(0) * SHAPES);
    double strength = log_between(0.3, 10, draw(1)), sum = 0;
    double all = STEPS_ALL * scale * log_between(0.3, 3, draw(2));
    int kind = (int)(draw(3) * 4);

    iterations = (size_t)log_between(60, 20000, draw(4));
    strays = draw(8) < 0.5 ? draw(9) : 0;
    free(steps);
    steps = memory_new(iterations, sizeof *steps);
    for (size_t i = 0; i < iterations; i++) {
        steps[i] = (float)(cost_at(shape, ((double)i + 0.5) / (double)iterations, strength) *
                           stray_of(i, kind));
        sum += steps[i];
    }
    for (size_t i = 0; i < iterations; i++) {
        steps[i] *= (float)(all / sum);
    }
    draw_memory();
    return iterations;
}

static void begin(unsigned number)
{
    instance = number;
}

/* The logistic map, as in kernels.c. */
static double spin(double x, double count)
{
    for (uint64_t left = (uint64_t)count; left > 0; left--) {
        x = 3.9 * x * (1 - x);
    }
    return x;
}

static double run(size_t i)
{
    double result = spin(0.25 + 0.5 * (double)i / (double)iterations, steps[i]);
    uint64_t sum = 0;

    if (instance > 0 && strays > 0) {
        double more = 2 * strays * kernel_random_at(5000 + instance, i);
        volatile double ignored = spin(0.3, more * steps[i]);
        (void)ignored;
    }
    for (size_t k = 0; memory != NULL && k < lines; k++) {
        sum += memory[(i * lines + k) * LINE / sizeof *memory];
    }
    return result + (double)(sum & 1023);
}

const struct kernel *kernel_draw(uint64_t drawn_seed)
{
    static const struct kernel drawn = {"drawn:SEED", prepare, run, begin};

    seed = drawn_seed;
    return &drawn;
}
