/* A balanced program beside a load that comes and goes (PAPERS.md S16, section 8 of SS97): the gain
 * and the cost of following the load.
 *
 *   period, filter, pipelining -> response delay -+
 *   rows, messages -> movement time --------------+-> [model] -> time, efficiency
 *   the load: off, on, its part ------------------+
 *
 * P workers share work and wait for each other all the time, so the slowest for its share sets the
 * pace. `loaded` of them share their processor with a load that is off for t_a and on for t_b:
 *
 *     | off (t_a)                          | on (t_b)                           |
 *     | delay t_c | move t_d | level t_e   | delay t_f | move t_g | level t_h   |
 *     shares for   nothing is  shares for    shares for  nothing is  shares for
 *     `on`         computed    `off`         `off`       computed    `on`
 *
 * A change that is over before its delay is has no effect; a movement that has begun is ended, even
 * if the load has changed meanwhile, and the delay of that change counts from the change. Without
 * balancing (delays INFINITY) shares stay equal.
 *
 * The comparison of costs (S12) is no part of the model, as in the paper: it moves at each change,
 * even if that does not pay. Of the threshold (S11) it has one part, if requested: changes that
 * gain less are not followed. Pure; times come from the caller, and are >= 0. */
#ifndef SCHEDULES_MODEL_OSCILLATION_H
#define SCHEDULES_MODEL_OSCILLATION_H

#include <stdbool.h>
#include <stdint.h>

struct keel_oscillation_phase {
    double length_s;   /* t_a, t_b; 0: there is no such phase */
    double delay_s;    /* t_c, t_f: from the change to the movement; INFINITY: none follows */
    double movement_s; /* t_d, t_g */
};

struct keel_oscillation {
    uint32_t workers; /* P >= 1 */
    uint32_t loaded;  /* those whose processors are shared, 0 .. P: the first ones */
    double taken;     /* part of such a processor that the load gets while it is on, 0 .. 1 */
    double dedicated; /* efficiency without load, 0 .. 1 */
    struct keel_oscillation_phase off, on; /* not both of length 0 */
    double begin_delay_s; /* delay of a load that is present from the start, if it is followed at
                             all: there is no rate before it; 0: as of one that comes later */
};

struct keel_oscillation_parts {
    double elapsed_s;  /* INFINITY: not done after KEEL_OSCILLATION_CHANGES_MAX */
    double available;  /* processor seconds that the load did not get */
    double productive; /* in sequential seconds */
};

/* Changes of the load. If movements are longer than phases, a job may never be done. */
#define KEEL_OSCILLATION_CHANGES_MAX 100000

/* A job of sequential_s seconds of sequential work, which begins with equal shares and with the
 * load, if there is one. Exact, phase by phase. */
struct keel_oscillation_parts keel_oscillation_job(const struct keel_oscillation *oscillation,
                                                   double sequential_s);

/* S1, 0 .. 1: productive over available; 0 for a job that is never done. */
double keel_oscillation_efficiency(const struct keel_oscillation_parts *parts);

/* The same without balancing. */
struct keel_oscillation keel_oscillation_unbalanced(const struct keel_oscillation *oscillation);

/* --- the input --- */

/* How a balancer follows rates. */
struct keel_oscillation_response {
    double period_s;  /* from one interaction to the next (period.h) */
    double quantum_s; /* of the system's scheduling */
    double threshold; /* a filtered rate within this part of the new rate is near enough, >= 0 */
    bool filtered;    /* by learn.h (S10); false: rates are taken as measured */
    bool pipelined;   /* instructions are applied an interaction later (S13) */
    double gain;      /* tfract (S11): changes that would gain less are not followed; 0: all are */
};

/* No rate takes longer to follow than this number of interactions. */
#define KEEL_OSCILLATION_STEPS_MAX 1000

/* Sets the delays of both phases, for loaded workers whose rate goes from 1 to 1 - taken and back:
 *
 *     (n - 1/2 + (pipelined: 1)) period + quantum / 2
 *
 * n: measurements after which the filtered rate is near enough, of which the first one is half of
 * either rate, as the change is in the middle of a period on average; not filtered: 2. INFINITY for
 * a change whose gain by the new shares is under the threshold, and if the load takes all: a worker
 * that does not compute does not interact either. */
void keel_oscillation_respond(struct keel_oscillation *oscillation,
                              const struct keel_oscillation_response *response);

/* The data that move; a message of m bytes takes alpha + beta m. Rows lie in blocks in the order of
 * workers, the loaded ones first (S14). Sending and receiving overlap. */
struct keel_oscillation_data {
    double rows;      /* of all workers, > 0 */
    double row_bytes; /* bytes that move with a row */
    double alpha_s, beta_s;
};

/* Time of one movement in s, t_d = t_g: messages of the worker that sends and gets most, and bytes
 * of its larger direction. Bound b between workers b - 1 and b moves by b surpluses up to b = k,
 * and then by the need of those behind; a worker passes two bounds, and the number of rounds is the
 * longest way over the length of a block. */
double keel_oscillation_movement(const struct keel_oscillation *oscillation,
                                 const struct keel_oscillation_data *data);

#endif
