/* A scene: particles that wander between regions, on machines and for a time that are drawn.
 *
 *   seed -> [scene] -> platform (describe.c), and how many particles each region has in each step
 *                   -> wander.c
 *
 * The same seed draws the same scene. Nobody computes with the particles but for how many there
 * are: what moves them is drawn, too. */
#ifndef BENCH_REGRET_DIR_SCENE_H
#define BENCH_REGRET_DIR_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#define SCENE_RANKS_MAX 32

/* What particles do between two steps. */
enum scene_motion {
    SCENE_REST,     /* nothing */
    SCENE_WIND,     /* all go the same way, and come back on the other side */
    SCENE_SWING,    /* all go to and fro */
    SCENE_WALK,     /* each by chance, away from where the cluster is */
    SCENE_TURNOVER, /* some end anywhere, and as many begin at one place, which goes about */
    SCENE_MOTIONS
};

extern const char *const scene_motions[SCENE_MOTIONS];

struct scene {
    uint64_t seed;
    int ranks; /* 2 .. SCENE_RANKS_MAX */
    int regions, particles, steps;
    bool adjacent;                 /* regions of a rank lie side by side */
    double speed[SCENE_RANKS_MAX]; /* operations per s */
    double latency_s, bytes_per_s; /* of a link from a machine to the switch */
    double flops;                  /* of a particle in a step */
    int bytes;                     /* of a particle that moves */
    double step_s;                 /* a step, where nothing is in vain */
    enum scene_motion motion;
    double clump;  /* the part of the particles that begins in a cluster, of this width */
    double width;  /* the whole line of regions is 1 */
    double pace;   /* per step: of wind, and of the place of turnover; of a walk; of a swing how
                      far; of turnover also the part of particles */
    double period; /* steps of a swing */
    int loaded;    /* a rank beside a competing load that takes half of its machine; -1: none */
    double load_s, load_begins_s; /* its period, half of which it computes */
};

struct scene scene_draw(uint64_t seed);

/* count[step * regions + region]; in memory of so many numbers. */
void scene_count(const struct scene *scene, uint32_t *count);

/* When a rank is through with `flops` operations that it begins at `now_s` since the beginning: in
 * how many s. */
double scene_time(const struct scene *scene, int rank, double now_s, double flops);

#endif
