/* A simulated job: workers of unequal speeds that run one loop, each from a block of its own, and
 * ask each other for iterations when they run dry. */
#ifndef KEEL_TESTS_SCHEDULES_BALANCE_JOB_H
#define KEEL_TESTS_SCHEDULES_BALANCE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/balance/victim.h"

/* What helps a worker on that has asked in vain. */
enum job_wait {
    JOB_REMEMBER, /* who was asked shares with it what it gets later */
    JOB_RETRY,    /* it asks again after a while, which doubles each time */
    JOB_GIVE_UP,  /* nothing */
    JOB_WAITS
};

/* Times in any unit. Messages are answered between two iterations only. */
struct job {
    uint32_t workers;
    uint64_t iterations;
    const double *speed; /* of each worker; work per time */
    const double *work;  /* of each iteration; NULL: 1 */
    const double *known; /* what is known of speeds before: blocks and tree; NULL: nothing */
    enum keel_victim_kind kind;
    enum job_wait wait;
    uint32_t neighbours; /* diffuse */
    double latency;      /* of a message */
    double ahead;        /* asks when what it has left takes no longer than this; 0: when dry */
    uint64_t seed;
};

struct job_outcome {
    bool exact;              /* every iteration was run exactly once */
    double time;             /* when the last one was done */
    uint64_t messages, most; /* of all workers, and of the one with most */
    uint64_t migrations;     /* messages with iterations */
};

/* Runs the job until nothing is under way any more. */
struct job_outcome job_run(const struct job *job);

#endif
