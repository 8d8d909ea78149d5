/* Proposed shares of rows. */
#include "schedules/balance/proposal.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/balance_constants.h"
#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/moves.h"

const char *keel_decide_kind_name(enum keel_decide_kind kind)
{
    static const char *const name[] = {
        [KEEL_DECIDE_BY_RATE] = "rate",           [KEEL_DECIDE_BY_RANDOM] = "random",
        [KEEL_DECIDE_BY_DIFFUSION] = "diffusion", [KEEL_DECIDE_BY_REDISTRIBUTION] = "redistribute",
        [KEEL_DECIDE_BY_GRADIENT] = "gradient",   [KEEL_DECIDE_BY_TREE] = "tree",
        [KEEL_DECIDE_BY_SHAKE] = "shake",
    };

    return name[kind];
}

static bool is_amount(double value)
{
    return isgreaterequal(value, 0) && value <= KEEL_PROPOSAL_LARGEST;
}

static bool is_rate(double value)
{
    return isgreaterequal(value, 1 / KEEL_PROPOSAL_LARGEST) && value <= KEEL_PROPOSAL_LARGEST;
}

static double amount(double value, double otherwise)
{
    return is_amount(value) ? value : otherwise;
}

/* --- memory --- */

static size_t list_bytes(uint32_t workers)
{
    size_t moves = workers * sizeof(struct keel_move), tree = keel_tree_shares_scratch(workers);

    return moves > tree ? moves : tree;
}

size_t keel_proposal_scratch(uint32_t workers)
{
    return 5 * sizeof(double) * workers + 2 * sizeof(uint64_t) * workers +
           2 * sizeof(uint64_t) * ((size_t)workers + 1) + list_bytes(workers);
}

static void place(struct keel_proposal *proposal, char *scratch)
{
    size_t workers = proposal->workers;

    proposal->known = scratch_take(&scratch, workers, sizeof(double));
    proposal->rate = scratch_take(&scratch, workers, sizeof(double));
    proposal->measured = scratch_take(&scratch, workers, sizeof(double));
    proposal->work = scratch_take(&scratch, workers, sizeof(double));
    proposal->after = scratch_take(&scratch, workers, sizeof(double));
    proposal->present = scratch_take(&scratch, workers, sizeof(uint64_t));
    proposal->tasks = scratch_take(&scratch, workers, sizeof(uint64_t));
    proposal->first = scratch_take(&scratch, workers + 1, sizeof(uint64_t));
    proposal->cut = scratch_take(&scratch, workers + 1, sizeof(uint64_t));
    proposal->list = scratch;
}

/* --- reports --- */

/* A worker without a rate counts as the mean of the others. Returns whether there are any. */
static bool guess_rates(struct keel_proposal *proposal, const struct keel_decide_report *report)
{
    double sum = 0, known = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        sum += proposal->known[w];
        known += proposal->known[w] > 0;
    }
    double mean = known > 0 ? sum / known : 0;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->rate[w] = proposal->known[w] > 0 ? proposal->known[w] : mean;
        proposal->measured[w] =
            is_rate(report[w].measured) ? report[w].measured : proposal->rate[w];
    }
    return known > 0;
}

/* Work that is not a number counts as rows of the others' mean weight, 1 if there are none; a
 * worker without rows has no work. */
static void take_work(struct keel_proposal *proposal, const struct keel_decide_report *report)
{
    double work = 0, rows = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        if (report[w].rows > 0 && is_amount(report[w].work)) {
            work += report[w].work;
            rows += (double)report[w].rows;
        }
    }
    double weight = rows > 0 ? work / rows : 1;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->present[w] = report[w].rows;
        proposal->work[w] =
            report[w].rows > 0 ? amount(report[w].work, weight * (double)report[w].rows) : 0;
        proposal->all_work += proposal->work[w];
    }
}

static void take_reports(struct keel_proposal *proposal, const struct keel_decide_report *report)
{
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->known[w] = is_rate(report[w].rate) ? report[w].rate : 0;
    }
    take_work(proposal, report);
    proposal->rows = (struct keel_whole_rows){
        .workers = proposal->workers,
        .adjacent = proposal->rules->adjacent,
        .present = proposal->present,
        .work = proposal->work,
    };
}

double keel_proposal_time_s(const struct keel_proposal *proposal, const double *work,
                            const double *rate)
{
    double longest = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        longest = fmax(longest, work[w] / rate[w]);
    }
    return longest;
}

/* --- wanted shares --- */

static void want_by_rate(struct keel_proposal *proposal, const double *rate)
{
    double all = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        all += rate[w];
    }
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] = proposal->all_work * (rate[w] / all);
    }
}

/* Whole tasks: rows if these are the work, otherwise parts of the work. Returns the work of a
 * task. */
static double set_tasks(struct keel_proposal *proposal)
{
    bool alike = true;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        alike &= proposal->work[w] == (double)proposal->present[w];
    }
    double task = alike ? 1 : proposal->all_work / KEEL_PROPOSAL_TASKS;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->tasks[w] =
            alike ? proposal->present[w] : count_of(proposal->work[w] / task + 0.5);
    }
    return task;
}

static void set_balancers(const struct keel_proposal *proposal, struct keel_neighbours *balancers)
{
    static const enum keel_neighbours_kind kind[] = {
        [KEEL_DECIDE_BY_RANDOM] = KEEL_NEIGHBOURS_RANDOM,
        [KEEL_DECIDE_BY_DIFFUSION] = KEEL_NEIGHBOURS_DIFFUSION,
        [KEEL_DECIDE_BY_REDISTRIBUTION] = KEEL_NEIGHBOURS_REDISTRIBUTION,
        [KEEL_DECIDE_BY_GRADIENT] = KEEL_NEIGHBOURS_GRADIENT,
    };

    *balancers = (struct keel_neighbours){
        .kind = kind[proposal->rules->kind],
        .graph = proposal->rules->graph,
        .workers = proposal->workers,
        .power = proposal->rate,
        .seed = proposal->rules->seed,
    };
    keel_neighbours_set_best(balancers);
    if (proposal->rules->threshold > 0) {
        balancers->threshold = proposal->rules->threshold;
    }
    if (proposal->rules->alpha > 0) {
        balancers->alpha = proposal->rules->alpha;
    }
}

/* Work that goes from one worker to another. */
struct flow {
    double *wanted;
    double task; /* work of one */
};

static void apply(void *context, const struct keel_transfer *transfer)
{
    const struct flow *flow = context;
    double work = (double)transfer->tasks * flow->task;

    flow->wanted[transfer->from] = fmax(0, flow->wanted[transfer->from] - work);
    flow->wanted[transfer->to] += work;
}

/* F3-F5 */
static void want_by_transfers(struct keel_proposal *proposal)
{
    struct keel_neighbours balancers;
    struct flow flow = {proposal->wanted, set_tasks(proposal)};

    set_balancers(proposal, &balancers);
    memcpy(proposal->wanted, proposal->work, proposal->workers * sizeof *proposal->wanted);
    keel_neighbours_step(&balancers, proposal->tasks, proposal->decision - 1, proposal->wanted_rows,
                         apply, &flow);
}

static void want(struct keel_proposal *proposal, const double *rate)
{
    switch (proposal->rules->kind) {
    case KEEL_DECIDE_BY_RANDOM:
    case KEEL_DECIDE_BY_DIFFUSION:
    case KEEL_DECIDE_BY_REDISTRIBUTION:
    case KEEL_DECIDE_BY_GRADIENT:
        want_by_transfers(proposal);
        break;
    case KEEL_DECIDE_BY_TREE:
        keel_tree_shares(proposal->workers, rate, proposal->work, proposal->wanted, proposal->list);
        break;
    default:
        want_by_rate(proposal, rate);
    }
}

/* --- random shares --- */

/* 0 .. 1, and often either of these */
static double chance_of(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    double chance = (double)(*state >> 11) * 0x1p-53;

    return *state % 4 == 0 ? 0 : *state % 4 == 1 ? 1 : chance;
}

static void want_at_random(struct keel_proposal *proposal)
{
    uint64_t state = keel_chance_mix(keel_chance_mix(proposal->rules->seed) ^ proposal->decision);
    double all = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] = chance_of(&state);
        all += proposal->wanted[w];
    }
    proposal->wanted[0] += all == 0;
    all += all == 0;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] *= proposal->all_work / all;
    }
}

/* --- rows --- */

/* Rounds wanted work to rows, and sets the work of these. */
static void cut(struct keel_proposal *proposal)
{
    keel_whole_rows_cut(&proposal->rows, proposal->wanted,
                        proposal->rules->kind == KEEL_DECIDE_BY_SHAKE, proposal->wanted_rows);
    keel_whole_rows_work(&proposal->rows, proposal->wanted_rows, proposal->after);
}

bool keel_proposal_is_present(const struct keel_proposal *proposal)
{
    return memcmp(proposal->present, proposal->wanted_rows,
                  proposal->workers * sizeof *proposal->present) == 0;
}

/* --- the cost of a movement --- */

static void set_bounds(uint32_t workers, const uint64_t *rows, uint64_t *first)
{
    first[0] = 0;
    for (uint32_t w = 0; w < workers; w++) {
        first[w + 1] = first[w] + rows[w];
    }
}

/* The messages of the worker that has most of them. */
static uint32_t most_messages(struct keel_proposal *proposal)
{
    struct keel_move *move = proposal->list;
    uint64_t *messages = proposal->tasks, most = 0;
    size_t moves =
        keel_moves_any(proposal->workers, proposal->present, proposal->wanted_rows, move);

    memset(messages, 0, proposal->workers * sizeof *messages);
    for (size_t i = 0; i < moves; i++) {
        most = max_u64(most, ++messages[move[i].from]);
        most = max_u64(most, ++messages[move[i].to]);
    }
    return (uint32_t)most;
}

struct keel_proposal_movement keel_proposal_movement(struct keel_proposal *proposal)
{
    struct keel_proposal_movement movement;
    struct keel_moves_sum sum;

    if (proposal->rules->adjacent) {
        set_bounds(proposal->workers, proposal->present, proposal->first);
        set_bounds(proposal->workers, proposal->wanted_rows, proposal->cut);
        sum = keel_moves_adjacent_sum(proposal->workers, proposal->first, proposal->cut);
        movement.messages = (double)sum.rounds * (proposal->workers > 2 ? 2 : 1);
    } else {
        sum = keel_moves_any_sum(proposal->workers, proposal->present, proposal->wanted_rows);
        movement.messages = most_messages(proposal);
    }
    movement.bytes = (double)sum.most_rows * amount(proposal->situation->row_bytes, 0);
    return movement;
}

/* --- proposals --- */

bool keel_proposal_begin(struct keel_proposal *proposal, const struct keel_decide_report *report,
                         void *scratch)
{
    place(proposal, scratch);
    take_reports(proposal, report);
    return guess_rates(proposal, report);
}

void keel_proposal_by_rates(struct keel_proposal *proposal, const double *rate)
{
    want(proposal, rate);
    cut(proposal);
}

void keel_proposal_at_random(struct keel_proposal *proposal)
{
    if (!(proposal->all_work > 0)) {
        for (uint32_t w = 0; w < proposal->workers; w++) {
            proposal->work[w] = (double)proposal->present[w];
            proposal->all_work += proposal->work[w];
        }
    }
    want_at_random(proposal);
    cut(proposal);
}

void keel_proposal_withdraw(struct keel_proposal *proposal)
{
    memcpy(proposal->wanted_rows, proposal->present, proposal->workers * sizeof *proposal->present);
    memcpy(proposal->wanted, proposal->work, proposal->workers * sizeof *proposal->work);
}
