/* The simulated loop. */
#include "tests/schedules/balance/loop.h"

#include <math.h>

const char *loop_shape_name(enum shape shape)
{
    static const char *const names[SHAPES] = {"flat", "increasing", "decreasing",
                                              "step", "mandel",     "random"};
    return names[shape];
}

/* All of a row's points, its height y from -1.5 to 1.5. */
static double mandel_row(double y)
{
    double steps = 0;

    for (double x = -2; x < 1; x += 1. / 32) {
        double re = 0, im = 0;
        for (int i = 0; i < 256 && re * re + im * im < 4; i++, steps++) {
            double next = re * re - im * im + x;
            im = 2 * re * im + y;
            re = next;
        }
    }
    return steps / 1000;
}

static double cost_of(struct draws *draws, enum shape shape, double x)
{
    switch (shape) {
    case INCREASING:
        return 0.05 + 2 * x;
    case DECREASING:
        return 0.05 + 2 * (1 - x) * (1 - x);
    case STEP:
        return x > 0.4 && x < 0.7333 ? 5 : 1;
    case MANDEL:
        return mandel_row(3 * x - 1.5);
    case RANDOM:
        return 2 * draws_real(draws);
    default:
        return 1;
    }
}

void loop_begin(struct loop *loop, struct draws *draws, enum shape shape, uint64_t iterations,
                uint64_t workers)
{
    *loop = (struct loop){.iterations = iterations, .workers = workers, .draws = draws};
    for (uint64_t i = 0; i < iterations; i++) {
        double cost = cost_of(draws, shape, ((double)i + 0.5) / (double)iterations);
        loop->before[i + 1] = loop->before[i] + 100 * cost;
    }
    for (uint64_t w = 0; w < workers; w++) {
        loop->speed[w] = 1;
    }
}

double loop_over_ideal(const struct loop *loop, const struct keel_blocks *balance)
{
    double most = 0, speeds = 0;

    for (uint64_t w = 0; w < loop->workers; w++) {
        uint64_t first = keel_blocks_first(balance, w, loop->iterations);
        uint64_t behind = keel_blocks_first(balance, w + 1, loop->iterations);
        most = fmax(most, (loop->before[behind] - loop->before[first]) / loop->speed[w]);
        speeds += loop->speed[w];
    }
    return most / (loop->before[loop->iterations] / speeds);
}

/* 1 +- noise, evenly distributed with that standard deviation. */
static double wobble(const struct loop *loop)
{
    return 1 + loop->noise * sqrt(12) * (draws_real(loop->draws) - 0.5);
}

static void start(struct loop *loop, double *slowness)
{
    for (uint64_t w = 0; w < loop->workers; w++) {
        loop->part[w] = (struct keel_blocks_part){.chunk = loop->chunk[w]};
        slowness[w] = wobble(loop) / loop->speed[w];
    }
}

/* Beyond the log's end, chunks only count in the sums. */
static void run_chunk(struct loop *loop, uint64_t worker, uint64_t first, uint64_t last,
                      double slowness)
{
    struct keel_blocks_part *part = &loop->part[worker];
    double time = (loop->before[last] - loop->before[first]) * slowness * wobble(loop);

    if (first == last) {
        return;
    }
    part->done += last - first;
    part->busy_ns += time;
    if (part->chunks < LOOP_CHUNKS_MAX) {
        loop->chunk[worker][part->chunks++] = (struct keel_timed_chunk){first, last, time};
    }
}

static uint64_t first_free(const struct loop *loop)
{
    uint64_t best = 0;

    for (uint64_t w = 1; w < loop->workers; w++) {
        if (loop->part[w].busy_ns < loop->part[best].busy_ns) {
            best = w;
        }
    }
    return best;
}

void loop_run_among(struct loop *loop)
{
    uint64_t size = loop->iterations / (loop->workers * 32) + 1;
    double slowness[LOOP_WORKERS_MAX];

    start(loop, slowness);
    for (uint64_t first = 0, last; first < loop->iterations; first = last) {
        uint64_t worker = first_free(loop);
        last = first + size < loop->iterations ? first + size : loop->iterations;
        run_chunk(loop, worker, first, last, slowness[worker]);
    }
}

static uint64_t cut(uint64_t first, uint64_t behind, uint64_t chunk, uint64_t chunks)
{
    return first + (behind - first) * chunk / chunks;
}

void loop_run_blocks(struct loop *loop, const struct keel_blocks *balance, uint64_t chunks)
{
    double slowness[LOOP_WORKERS_MAX];

    start(loop, slowness);
    for (uint64_t w = 0; w < loop->workers; w++) {
        uint64_t first = keel_blocks_first(balance, w, loop->iterations);
        uint64_t behind = keel_blocks_first(balance, w + 1, loop->iterations);
        for (uint64_t c = 0; c < chunks; c++) {
            run_chunk(loop, w, cut(first, behind, c, chunks), cut(first, behind, c + 1, chunks),
                      slowness[w]);
        }
    }
}

void loop_run_stealing(struct loop *loop, const struct keel_blocks *balance, uint64_t chunks)
{
    uint64_t begun[LOOP_WORKERS_MAX] = {0}, end[LOOP_WORKERS_MAX];
    double slowness[LOOP_WORKERS_MAX];

    start(loop, slowness);
    for (uint64_t w = 0; w < loop->workers; w++) {
        end[w] = chunks;
    }
    for (;;) {
        uint64_t worker = first_free(loop), from = worker;
        for (uint64_t w = 0; begun[worker] == end[worker] && w < loop->workers; w++) {
            from = end[w] - begun[w] > end[from] - begun[from] ? w : from;
        }
        if (begun[from] == end[from]) {
            return;
        }
        uint64_t chunk = from == worker ? begun[from]++ : --end[from];
        uint64_t first = keel_blocks_first(balance, from, loop->iterations);
        uint64_t behind = keel_blocks_first(balance, from + 1, loop->iterations);
        run_chunk(loop, worker, cut(first, behind, chunk, chunks),
                  cut(first, behind, chunk + 1, chunks), slowness[worker]);
    }
}
