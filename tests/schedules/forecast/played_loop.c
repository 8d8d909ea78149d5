/* Loops whose iterations have drawn costs. */
#include "tests/schedules/forecast/played_loop.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/claim.h"
#include "schedules/claim/team.h"

#define BINS KEEL_PROFILE_BINS

static double draw_normal(struct draws *draws)
{
    return sqrt(-2 * log(1 - draws_real(draws))) * cos(2 * M_PI * draws_real(draws));
}

/* Evenly on a logarithmic scale. */
static double draw_between(struct draws *draws, double low, double high)
{
    return low * pow(high / low, draws_real(draws));
}

/* --- drawing --- */

/* Cost at a position 0 .. 1. */
static double cost_at(int shape, double position, double steep, const double *level)
{
    switch (shape) {
    case 0:
        return 1;
    case 1:
        return 1 + steep * position;
    case 2:
        return 1 + steep * (1 - position);
    case 3:
        return 1 + steep * exp(-50 * (position - 0.7) * (position - 0.7));
    case 4:
        return position < 0.25 ? 1 + steep : 1;
    default:
        return level[(int)(12 * position)];
    }
}

void played_loop_draw(struct draws *draws, struct played_loop *loop)
{
    int shape = (int)draws_below(draws, 6);
    double steep = draw_between(draws, 0.2, 20), mean_ns = draw_between(draws, 20, 20000);
    double level[12], sum = 0;
    bool equal = draws_below(draws, 3) > 0;

    for (int i = 0; i < 12; i++) {
        level[i] = exp(1.5 * draw_normal(draws));
    }
    loop->threads = 2 + draws_below(draws, PLAYED_THREADS_MAX - 1);
    loop->iterations = (uint64_t)draw_between(draws, 30, PLAYED_ITERATIONS_MAX);
    for (uint64_t i = 0; i < loop->iterations; i++) {
        double position = ((double)i + 0.5) / (double)loop->iterations;
        loop->cost_ns[i] = cost_at(shape, position, steep, level) * mean_ns;
    }
    loop->variation = draws_below(draws, 2) * draws_real(draws);
    for (uint64_t i = 0; i < loop->threads; i++) {
        loop->speed[i] = equal ? 1 : 0.5 + draws_real(draws);
        sum += loop->speed[i];
    }
    for (uint64_t i = 0; i < loop->threads; i++) {
        loop->speed[i] *= (double)loop->threads / sum;
    }
    loop->wobble = 0.03 * draws_real(draws);
    loop->claim_ns = draw_between(draws, 20, 300);
}

/* --- one instance --- */

struct play {
    const struct played_loop *loop;
    const struct keel_spec *spec;
    double claim_ns;
    double *before_ns; /* iterations + 1: work before each */
    double speed[PLAYED_THREADS_MAX], clock_ns[PLAYED_THREADS_MAX], chunk_ns[PLAYED_THREADS_MAX];
    bool done[PLAYED_THREADS_MAX];
    struct keel_plan *plan[PLAYED_THREADS_MAX];
    struct keel_plan fallback[PLAYED_THREADS_MAX];
    struct keel_cursor cursor[PLAYED_THREADS_MAX];
    struct keel_claims claims;
    struct keel_team *team;
    struct keel_team_worker worker[PLAYED_THREADS_MAX];
    uint64_t first[PLAYED_THREADS_MAX + 1];
};

/* Like gamma-distributed times: log-normal ones of the same mean and deviation. */
static void draw_costs(struct play *play, struct draws *draws)
{
    double variance = log(1 + play->loop->variation * play->loop->variation);

    play->before_ns[0] = 0;
    for (uint64_t i = 0; i < play->loop->iterations; i++) {
        double factor = exp(sqrt(variance) * draw_normal(draws) - variance / 2);
        play->before_ns[i + 1] = play->before_ns[i] + play->loop->cost_ns[i] * factor;
    }
}

/* Of threads that step through a shared counter, that have chunks of their own, and others. */
static double claim_ns_of(const struct keel_schedule *schedule, double claim_ns)
{
    if (schedule->timed || schedule->learns != KEEL_LEARNS_NOT) {
        return claim_ns;
    }
    return schedule->claim == KEEL_CLAIM_OWN     ? 4
           : schedule->claim == KEEL_CLAIM_STEPS ? 0.3 * claim_ns
                                                 : 0.45 * claim_ns;
}

static void begin_plans(struct play *play)
{
    for (uint64_t i = 0; i < play->loop->threads; i++) {
        struct keel_problem problem = {.spec = play->spec,
                                       .iterations = play->loop->iterations,
                                       .threads = play->loop->threads,
                                       .thread = i};
        play->plan[i] = keel_plan_build(&problem, realloc, &play->fallback[i]);
        keel_cursor_begin(&play->cursor[i], play->plan[i]);
    }
}

/* Blocks of equal time by what has been learned. */
static void begin_team(struct play *play, const struct keel_profile *profile, const double *speed)
{
    const struct played_loop *loop = play->loop;
    bool learns = play->spec->schedule->learns == KEEL_LEARNS_BLOCKS;
    double sum = 0, mean_ns = play->before_ns[loop->iterations] / (double)loop->iterations;

    for (uint64_t i = 0; i < loop->threads; i++) {
        double position = keel_profile_position(profile, sum / (double)loop->threads);
        play->first[i] = (uint64_t)(position * (double)loop->iterations);
        sum += speed[i];
    }
    play->first[loop->threads] = loop->iterations;
    play->team = aligned_alloc(64, (keel_team_size(loop->threads) + 63) / 64 * 64);
    keel_team_begin(play->team, play->spec, loop->iterations, loop->threads,
                    learns ? play->first : NULL, NULL);
    for (uint64_t i = 0; i < loop->threads; i++) {
        keel_team_worker_begin(&play->worker[i], play->team, i,
                               (struct keel_pace){.mean_ns = mean_ns / speed[i]});
    }
}

static bool claim(struct play *play, uint64_t thread, uint64_t *first, uint64_t *last)
{
    if (play->team == NULL) {
        return keel_claim(play->plan[thread], &play->claims, &play->cursor[thread], first, last);
    }
    if (play->chunk_ns[thread] >= 0) {
        keel_team_worker_done(&play->worker[thread], play->chunk_ns[thread], play->claim_ns);
    }
    return keel_team_worker_next(&play->worker[thread], first, last);
}

static int next_thread(const struct play *play)
{
    int next = -1;

    for (int i = 0; i < (int)play->loop->threads; i++) {
        if (!play->done[i] && (next < 0 || play->clock_ns[i] < play->clock_ns[next])) {
            next = i;
        }
    }
    return next;
}

static void run_threads(struct play *play, struct played_times *times)
{
    uint64_t first, last;

    for (int thread; (thread = next_thread(play)) >= 0;) {
        if (!claim(play, (uint64_t)thread, &first, &last)) {
            play->done[thread] = true;
            continue;
        }
        double time_ns = (play->before_ns[last] - play->before_ns[first]) / play->speed[thread];
        play->chunk_ns[thread] = time_ns;
        play->clock_ns[thread] += play->claim_ns + time_ns;
        times->busy_ns[thread] += time_ns;
        times->chunks++;
    }
}

static void begin_threads(struct play *play, struct draws *draws)
{
    for (uint64_t i = 0; i < play->loop->threads; i++) {
        double factor = 1 + play->loop->wobble * draw_normal(draws);
        play->speed[i] = play->loop->speed[i] * fmax(0.2, factor);
        play->clock_ns[i] = 0;
        play->chunk_ns[i] = -1;
        play->done[i] = false;
    }
    play->claims = (struct keel_claims){0};
    play->team = NULL;
}

static void end_instance(struct play *play, struct played_times *times)
{
    double last_ns = 0, sum_ns = 0;

    for (uint64_t i = 0; i < play->loop->threads; i++) {
        last_ns = fmax(last_ns, play->clock_ns[i]);
        sum_ns += play->clock_ns[i];
        if (play->team == NULL && play->plan[i] != &play->fallback[i]) {
            free(play->plan[i]);
        }
    }
    for (uint64_t i = 0; i < play->loop->iterations; i++) {
        times->bin_ns[i * BINS / play->loop->iterations] +=
            play->before_ns[i + 1] - play->before_ns[i];
    }
    free(play->team);
    times->elapsed_ns += last_ns;
    times->squares_ns2 += last_ns * last_ns;
    keel_median_add(&times->waits, (uint64_t)(last_ns - sum_ns / (double)play->loop->threads), 1);
}

void played_loop_run(const struct played_loop *loop, const struct keel_spec *spec,
                     const struct keel_profile *profile, const double *speed, int instances,
                     struct draws *draws, struct played_times *times)
{
    struct play play = {.loop = loop, .spec = spec};

    memset(times, 0, sizeof *times);
    play.claim_ns = claim_ns_of(spec->schedule, loop->claim_ns);
    play.before_ns = malloc((loop->iterations + 1) * sizeof *play.before_ns);
    for (int k = 0; k < instances; k++) {
        begin_threads(&play, draws);
        draw_costs(&play, draws);
        if (keel_plan_exists(spec->schedule)) {
            begin_plans(&play);
        } else {
            begin_team(&play, profile, speed);
        }
        run_threads(&play, times);
        end_instance(&play, times);
    }
    free(play.before_ns);
}
