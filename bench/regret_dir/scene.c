#include "bench/regret_dir/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/random.h"

const char *const scene_motions[SCENE_MOTIONS] = {
    [SCENE_REST] = "rest", [SCENE_WIND] = "wind",         [SCENE_SWING] = "swing",
    [SCENE_WALK] = "walk", [SCENE_TURNOVER] = "turnover",
};

#define PI 3.14159265358979323846
#define SPEED 1e9 /* of the slowest machine */

/* --- drawing --- */

static double uniform(uint64_t *state)
{
    return random_fraction(random_next(state));
}

static int below(uint64_t *state, int number)
{
    return (int)(uniform(state) * number);
}

/* From low to high, each factor with the same chance. */
static double between(uint64_t *state, double low, double high)
{
    return low * pow(high / low, uniform(state));
}

static double draw_speeds(struct scene *scene, uint64_t *state)
{
    bool equal = below(state, 2) == 0;
    double sum = 0;

    for (int rank = 0; rank < SCENE_RANKS_MAX; rank++) {
        scene->speed[rank] = equal ? SPEED : SPEED * between(state, 1, 6);
        sum += rank < scene->ranks ? scene->speed[rank] : 0;
    }
    return sum;
}

static void draw_motion(struct scene *scene, uint64_t *state)
{
    static const double least[SCENE_MOTIONS] = {
        [SCENE_WIND] = 3e-4, [SCENE_SWING] = .05, [SCENE_WALK] = 2e-3, [SCENE_TURNOVER] = 1e-3};
    static const double most[SCENE_MOTIONS] = {
        [SCENE_WIND] = 3e-2, [SCENE_SWING] = .4, [SCENE_WALK] = 5e-2, [SCENE_TURNOVER] = 5e-2};

    scene->motion = (enum scene_motion)below(state, SCENE_MOTIONS);
    double pace = uniform(state);
    if (scene->motion != SCENE_REST) {
        scene->pace = least[scene->motion] * pow(most[scene->motion] / least[scene->motion], pace);
    }
    scene->period = between(state, 20, 300);
    scene->clump = uniform(state);
    scene->width = between(state, .02, .3);
}

/* A quarter of all scenes has a load. */
static void draw_load(struct scene *scene, uint64_t *state)
{
    scene->loaded = below(state, scene->ranks);
    scene->load_s = scene->step_s * between(state, 10, 200);
    scene->load_begins_s = uniform(state) * scene->load_s;
    if (below(state, 4) > 0) {
        scene->loaded = -1;
    }
}

struct scene scene_draw(uint64_t seed)
{
    static const int ranks[] = {2, 2, 3, 3, 4, 4, 6, 6, 8, 8, 12, 12, 16, 24, 32};
    struct scene scene = {.seed = seed};
    uint64_t state = random_bits(seed + 1);

    scene.ranks = ranks[below(&state, sizeof ranks / sizeof ranks[0])];
    double speeds = draw_speeds(&scene, &state);
    scene.regions = scene.ranks * (int)between(&state, 16, 128);
    scene.particles = scene.ranks * (int)between(&state, 100, 1000);
    scene.steps = (int)between(&state, 60, scene.ranks > 8 ? 120 : 240);
    scene.adjacent = below(&state, 4) > 0;
    scene.latency_s = between(&state, 1e-5, 1e-3);
    scene.bytes_per_s = between(&state, 1e6, 1e9);
    scene.bytes = (int)between(&state, 24, 8192);
    scene.step_s = between(&state, 5e-3, 1);
    scene.flops = scene.step_s * speeds / scene.particles;
    draw_motion(&scene, &state);
    draw_load(&scene, &state);
    return scene;
}

/* --- particles --- */

struct particles {
    uint64_t state;
    double *at; /* from 0 up; the whole line is 1, and goes on from its beginning */
};

/* Mean 0, deviation 1; the sum of three even ones. */
static double bell(uint64_t *state)
{
    return 2 * (uniform(state) + uniform(state) + uniform(state) - 1.5);
}

static void place(const struct scene *scene, struct particles *particles, int p)
{
    bool clumped = uniform(&particles->state) < scene->clump;
    double anywhere = uniform(&particles->state), near = bell(&particles->state);

    particles->at[p] = clumped ? .5 + scene->width * near : anywhere;
}

static void turn_over(const struct scene *scene, struct particles *particles, int step)
{
    double source = .25 + scene->pace * .1 * step;

    for (int p = 0; p < scene->particles; p++) {
        if (uniform(&particles->state) < scene->pace) {
            particles->at[p] = source + scene->width * bell(&particles->state);
        }
    }
}

static void move(const struct scene *scene, struct particles *particles, int step)
{
    double turn = 2 * PI / scene->period;
    double swing = scene->pace * (sin(turn * (step + 1)) - sin(turn * step));

    if (scene->motion == SCENE_TURNOVER) {
        turn_over(scene, particles, step);
    }
    for (int p = 0; p < scene->particles; p++) {
        particles->at[p] += scene->motion == SCENE_WIND    ? scene->pace
                            : scene->motion == SCENE_SWING ? swing
                            : scene->motion == SCENE_WALK  ? scene->pace * bell(&particles->state)
                                                           : 0;
    }
}

void scene_count(const struct scene *scene, uint32_t *count)
{
    struct particles particles = {.state = random_bits(scene->seed + 2),
                                  .at = calloc((size_t)scene->particles, sizeof(double))};
    size_t regions = (size_t)scene->regions;

    if (particles.at == NULL) {
        abort();
    }
    memset(count, 0, regions * (size_t)scene->steps * sizeof *count);
    for (int p = 0; p < scene->particles; p++) {
        place(scene, &particles, p);
    }
    for (int step = 0; step < scene->steps; step++) {
        for (int p = 0; p < scene->particles; p++) {
            double at = particles.at[p] - floor(particles.at[p]);
            size_t region = (size_t)(at * (double)regions);
            count[(size_t)step * regions + (region < regions ? region : regions - 1)]++;
        }
        move(scene, &particles, step);
    }
    free(particles.at);
}

/* --- machines --- */

/* Beside the load a machine is half as fast, for the first half of each period. */
double scene_time(const struct scene *scene, int rank, double now_s, double flops)
{
    double left_s = flops / scene->speed[rank], half_s = scene->load_s / 2, time_s = 0;

    if (rank != scene->loaded) {
        return left_s;
    }
    while (left_s > 0) {
        double at_s = fmod(now_s + time_s + scene->load_begins_s, scene->load_s);
        bool beside = at_s < half_s;
        double until_s = fmax((beside ? half_s : scene->load_s) - at_s, 1e-9);
        double done_s = fmin(left_s, beside ? until_s / 2 : until_s);
        time_s += beside ? 2 * done_s : done_s;
        left_s -= done_s;
    }
    return time_s;
}
