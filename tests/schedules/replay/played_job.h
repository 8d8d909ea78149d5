/* A job that is played: phases of computing in lock-step on workers of any speeds beside any loads,
 * a hook after each phase, and rows that move as a replay decides, one of its candidates
 * alone, or a published policy. No clock. */
#ifndef KEEL_TESTS_SCHEDULES_REPLAY_PLAYED_JOB_H
#define KEEL_TESTS_SCHEDULES_REPLAY_PLAYED_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/replay/replay.h"
#include "tests/support/draws.h"

#define PLAYED_WORKERS_MAX 64
#define PLAYED_CHANGES_MAX 4096

/* The speed of a worker over time: speed[i] from time_s[i] on; time_s[0] is 0. */
struct played_speed {
    unsigned count;
    double time_s[PLAYED_CHANGES_MAX], speed[PLAYED_CHANGES_MAX];
};

struct played_job {
    char text[160]; /* what was drawn */
    uint32_t workers;
    uint64_t rows, phases;
    bool adjacent;
    double row_s; /* of a row in a phase, at speed 1 */
    double row_bytes;
    double exchange_s;        /* between two phases: halos, barriers */
    double figures_s;         /* an exchange of figures */
    double message_s, byte_s; /* of movements */
    bool told;                /* it is known how many phases there are */
    double noise;             /* of rates */
    struct played_speed speed[PLAYED_WORKERS_MAX];
};

/* Draws everything about a job. */
void played_job_draw(struct played_job *job, struct draws *draws);

struct played_result {
    double time_s, moving_s;
    unsigned movements;
    uint64_t rows_moved;
    unsigned followed[KEEL_CANDIDATES]; /* decisions that followed each */
};

/* Ways to play it beside one candidate alone: by replay of all candidates, and published policies
 * that are none of them. */
enum { PLAYED_REPLAY = KEEL_CANDIDATES, PLAYED_TREE, PLAYED_DIFFUSION, PLAYED_WAYS };

/* way: a candidate, or PLAYED_ one. */
struct played_result played_job_run(const struct played_job *job, unsigned way, bool trace);

#endif
