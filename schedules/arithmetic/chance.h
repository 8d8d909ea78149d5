/* Random numbers for forecasts: normal deviates without a generator and without state, the same
 * ones in each forecast (common random numbers). */
#ifndef SCHEDULES_ARITHMETIC_CHANCE_H
#define SCHEDULES_ARITHMETIC_CHANCE_H

#include <stdint.h>

#define KEEL_CHANCE_RUNS 16

/* First variables of two families. Among the starts tried, 1 .. 2500, these give the largest of P
 * deviates its mean to within 4 % for P = 2 .. 16. */
#define KEEL_CHANCE_CHUNKS 892
#define KEEL_CHANCE_THREADS 2384

/* splitmix64 (Steele, Lea & Flood 2014) */
static inline uint64_t keel_chance_mix(uint64_t z)
{
    z *= 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* What `variable` is in run 0 .. KEEL_CHANCE_RUNS - 1: mean 0, variance 1. Latin hypercube: over
 * all runs each variable takes each of 16 equally likely values once, in an order of its own. */
static inline double keel_chance_normal(uint64_t variable, unsigned run)
{
    static const double score[KEEL_CHANCE_RUNS] = {
        -1.93816, -1.37138, -1.05089, -0.80786, -0.60258, -0.41854, -0.24681, -0.08159,
        0.08159,  0.24681,  0.41854,  0.60258,  0.80786,  1.05089,  1.37138,  1.93816};
    uint64_t mix = keel_chance_mix(variable);
    uint64_t place = run ^ (mix & 15);

    /* each step permutes 0 .. 15 */
    place = (place * ((mix >> 4) | 1)) & 15;
    place ^= place >> 2;
    place = (place * ((mix >> 8) | 1) + (mix >> 12)) & 15;
    place ^= place >> 2;
    place = (place * ((mix >> 16) | 1) + (mix >> 20)) & 15;
    return score[place];
}

#endif
