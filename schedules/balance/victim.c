/* Victim selection, and how much a victim gives. */
#include "schedules/balance/victim.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/balance_constants.h"

static const struct keel_victim_step PENDING = {.action = KEEL_VICTIM_PENDING};
static const struct keel_victim_step WAIT = {.action = KEEL_VICTIM_WAIT};

static struct keel_victim_step ask(struct keel_victim_search *search, uint32_t worker)
{
    search->pending = true;
    search->partner = worker;
    search->line = search->lifelines;
    return (struct keel_victim_step){.action = KEEL_VICTIM_ASK, .worker = worker};
}

/* --- tree --- */

/* Goes on where the last round ended, not at the lowest link: two workers that have shared their
 * iterations are idle at the same time, and others have some left. */
static struct keel_victim_step next_link(struct keel_victim_search *search)
{
    if (search->asked >= search->links->count) {
        return WAIT;
    }
    uint32_t link = search->offset;
    search->offset = (link + 1) % search->links->count;
    search->asked++;
    struct keel_victim_step step = ask(search, search->links->link[link].partner);
    step.keep = KEEL_VICTIM_KEEP;
    return step;
}

/* --- lifelines (PAPERS.md L1) --- */

/* The workers 1, 2, 4 ... places on, which lead from any worker to any other in ceil(log2 P) steps
 * at most, for any P. */
static uint32_t partner_on(const struct keel_victim_search *search, uint32_t line)
{
    return (uint32_t)((search->worker + ((uint64_t)1 << line)) % search->workers);
}

/* ceil(log2 P) */
static uint32_t levels_of(uint32_t workers)
{
    uint32_t levels = 0;

    while (levels < 32 && (uint64_t)1 << levels < workers) {
        levels++;
    }
    return levels;
}

static uint64_t bit(uint32_t line)
{
    return (uint64_t)1 << line;
}

/* Goes on where the last round ended: two workers that have shared their iterations are idle at the
 * same time, and others have some left. */
static struct keel_victim_step next_lifeline(struct keel_victim_search *search)
{
    while (search->tried < search->lifelines) {
        uint32_t line = search->lifeline;
        search->lifeline = (line + 1) % search->lifelines;
        search->tried++;
        if ((search->kept & bit(line)) == 0) {
            struct keel_victim_step step = ask(search, partner_on(search, line));
            search->line = line;
            step.keep = KEEL_VICTIM_KEEP_IF_EMPTY;
            return step;
        }
    }
    return WAIT;
}

bool keel_victim_is_kept_by_all(const struct keel_victim_search *search)
{
    return search->kind == KEEL_VICTIM_TREE ||
           (search->lifelines > 0 && search->kept == bit(search->lifelines) - 1);
}

void keel_victim_shared(struct keel_victim_search *search, uint32_t worker)
{
    for (uint32_t line = 0; line < search->lifelines; line++) {
        if (partner_on(search, line) == worker) {
            search->kept &= ~bit(line);
        }
    }
}

/* --- steal --- */

static uint64_t draw(struct keel_victim_search *search)
{
    return keel_chance_drawn(search->random += KEEL_CHANCE_STEP);
}

/* Victims of a round lie a stride apart, which has no divisor in common with the number of others:
 * no victim comes twice. */
static void draw_victims(struct keel_victim_search *search)
{
    uint32_t others = search->workers - 1;

    search->victim = (uint32_t)(draw(search) % others);
    do {
        search->stride = (uint32_t)(draw(search) % others) + 1;
    } while (common_divisor(search->stride, others) != 1);
}

static uint32_t draw_next(struct keel_victim_search *search)
{
    uint32_t others = search->workers - 1, victim = search->victim;

    search->victim = (uint32_t)(((uint64_t)victim + search->stride) % others);
    return victim < search->worker ? victim : victim + 1;
}

static uint32_t victims_per_round(const struct keel_victim_search *search)
{
    uint32_t wanted =
        search->lifelines > 0 ? KEEL_VICTIM_RANDOM : 2 * levels_of(search->workers) + 2;

    return (uint32_t)min_u64(search->workers - 1, wanted);
}

static struct keel_victim_step next_victim(struct keel_victim_search *search)
{
    if (search->asked >= victims_per_round(search)) {
        return next_lifeline(search);
    }
    if (search->asked++ == 0) {
        draw_victims(search);
        search->first_victim = search->last_victim;
        if (search->first_victim != search->worker) {
            return ask(search, search->first_victim);
        }
    }
    uint32_t victim = draw_next(search);
    return ask(search, victim != search->first_victim ? victim : draw_next(search));
}

/* --- diffuse --- */

/* The others in a drawn order, or by their distance on the ring, in turns above and below:
 * 0 .. workers - 2. */
static uint32_t other_at(const struct keel_victim_search *search, uint32_t place)
{
    if (search->scattered) {
        uint32_t victim =
            (uint32_t)((search->victim + (uint64_t)place * search->stride) % (search->workers - 1));
        return victim < search->worker ? victim : victim + 1;
    }
    uint64_t distance = place / 2 + 1;

    return (uint32_t)((search->worker + (place % 2 == 0 ? distance : search->workers - distance)) %
                      search->workers);
}

static void move_on(struct keel_victim_search *search)
{
    uint32_t others = search->workers - 1,
             rounds = search->lifelines > 0 ? 1 : KEEL_VICTIM_NEIGHBOURHOODS;
    uint32_t wanted = search->all         ? others
                      : search->scattered ? victims_per_round(search)
                                          : rounds * search->neighbours;
    uint32_t bound = (uint32_t)min_u64(others, wanted);
    uint32_t left = search->asked < bound ? bound - search->asked : 0;

    search->looking = (uint32_t)min_u64(search->neighbours, left);
    if (search->lifelines > 0 && search->looking == bound && search->looked) {
        search->offset = (uint32_t)(draw(search) % others);
    }
    search->looked = true;
    for (uint32_t i = 0; i < search->looking; i++) {
        search->neighbour[i] =
            (struct keel_victim_neighbour){.worker = other_at(search, search->offset)};
        search->offset = (search->offset + 1) % others;
    }
    search->asked += search->looking;
}

static struct keel_victim_neighbour *fullest(struct keel_victim_search *search)
{
    struct keel_victim_neighbour *best = &search->neighbour[0];

    for (uint32_t i = 1; i < search->looking; i++) {
        if (search->neighbour[i].left > best->left) {
            best = &search->neighbour[i];
        }
    }
    return best;
}

/* LOOKs that have not been sent or answered yet. */
static bool looks_left(struct keel_victim_search *search, struct keel_victim_step *step)
{
    bool unanswered = false;

    for (uint32_t i = 0; i < search->looking; i++) {
        struct keel_victim_neighbour *neighbour = &search->neighbour[i];
        if (!neighbour->asked) {
            neighbour->asked = true;
            *step =
                (struct keel_victim_step){.action = KEEL_VICTIM_LOOK, .worker = neighbour->worker};
            return true;
        }
        unanswered |= !neighbour->answered;
    }
    *step = PENDING;
    return unanswered;
}

static struct keel_victim_step next_neighbour(struct keel_victim_search *search)
{
    struct keel_victim_step step;

    if (looks_left(search, &step)) {
        return step;
    }
    if (search->looking > 0 && fullest(search)->left > 0) {
        return ask(search, fullest(search)->worker);
    }
    move_on(search);
    return looks_left(search, &step) ? step : next_lifeline(search);
}

static struct keel_victim_neighbour *neighbour_of(struct keel_victim_search *search,
                                                  uint32_t worker)
{
    for (uint32_t i = 0; i < search->looking; i++) {
        if (search->neighbour[i].worker == worker && search->neighbour[i].asked) {
            return &search->neighbour[i];
        }
    }
    return NULL;
}

/* --- all kinds --- */

void keel_victim_begin(struct keel_victim_search *search, enum keel_victim_kind kind,
                       uint32_t workers, uint32_t worker, const struct keel_tree_links *links,
                       uint32_t neighbours, uint64_t seed)
{
    memset(search, 0, sizeof *search);
    search->kind = kind;
    search->workers = workers;
    search->worker = worker;
    search->links = links;
    search->random = seed ^ (worker + 1) * 0xd1342543de82ef95u;
    search->last_victim = worker;
    search->neighbours = neighbours;
}

void keel_victim_set_neighbours(struct keel_victim_search *search, uint32_t neighbours)
{
    search->neighbours = neighbours;
}

void keel_victim_use_lifelines(struct keel_victim_search *search)
{
    search->lifelines = search->kind == KEEL_VICTIM_TREE ? 0 : levels_of(search->workers);
}

void keel_victim_lowest_first(struct keel_victim_search *search)
{
    search->lowest_first = search->kind == KEEL_VICTIM_TREE;
}

void keel_victim_scatter(struct keel_victim_search *search, bool all)
{
    if (search->kind == KEEL_VICTIM_DIFFUSE && search->workers > 2) {
        search->scattered = true;
        search->all = all;
        draw_victims(search);
    }
}

struct keel_victim_step keel_victim_next(struct keel_victim_search *search)
{
    if (search->pending) {
        return PENDING;
    }
    switch (search->kind) {
    case KEEL_VICTIM_TREE:
        return next_link(search);
    case KEEL_VICTIM_STEAL:
        return next_victim(search);
    default:
        return next_neighbour(search);
    }
}

bool keel_victim_ask(struct keel_victim_search *search, uint32_t worker)
{
    const struct keel_victim_neighbour *neighbour = neighbour_of(search, worker);

    if (search->pending || (neighbour != NULL && !neighbour->answered)) {
        return false;
    }
    ask(search, worker);
    return true;
}

static void note_giver(struct keel_victim_search *search, uint32_t worker, uint64_t got)
{
    struct keel_victim_neighbour *neighbour = neighbour_of(search, worker);

    if (got > 0) {
        search->last_victim = worker;
        keel_victim_new_round(search);
        return;
    }
    if (search->last_victim == worker) {
        search->last_victim = search->worker;
    }
    if (neighbour != NULL) {
        neighbour->left = 0; /* whatever it has, it keeps */
    }
}

void keel_victim_answered(struct keel_victim_search *search, uint32_t worker, uint64_t got,
                          uint64_t left, bool kept)
{
    struct keel_victim_neighbour *neighbour = neighbour_of(search, worker);

    if (search->pending && search->partner == worker) {
        search->pending = false;
        if (kept && got == 0 && search->line < search->lifelines) {
            search->kept |= bit(search->line);
        }
        note_giver(search, worker, got);
    } else if (neighbour != NULL && !neighbour->answered) {
        neighbour->answered = true;
        neighbour->left = left;
    }
}

void keel_victim_new_round(struct keel_victim_search *search)
{
    bool looking = false;

    for (uint32_t i = 0; i < search->looking; i++) {
        looking |= !search->neighbour[i].answered;
    }
    if (!looking) {
        search->looking = 0; /* what was seen is old by now */
    }
    search->asked = search->looking;
    search->tried = 0;
    if (search->lowest_first) {
        search->offset = 0;
    }
}

void keel_victim_ask_again(struct keel_victim_search *search)
{
    search->tried = 0;
    if (search->kind == KEEL_VICTIM_TREE) {
        keel_victim_new_round(search);
    }
}

/* --- amounts --- */

static bool is_speed(double speed)
{
    return speed > 0 && !isinf(speed);
}

static uint64_t half_of_surplus(uint64_t victim_left, uint64_t thief_left)
{
    return victim_left > thief_left ? div_ceil(victim_left - thief_left, 2) : 0;
}

/* Tasks moved between two (PAPERS.md K5), with those under way taken in: n of
 *
 *   (thief->left + n) / thief->speed + delay = (victim->left - n + 1/2) / victim->speed */
static double equal_finish(const struct keel_amounts_side *victim,
                           const struct keel_amounts_side *thief, double delay_ns)
{
    double ratio = victim->speed / thief->speed;

    return ((double)victim->left + 0.5 - (double)thief->left * ratio - delay_ns * victim->speed) /
           (1 + ratio);
}

/* Added before rounding down, so that the later of both ends is soonest: one more iteration
 * takes 1 / thief->speed longer there, one less 1 / victim->speed here. */
static double share_of(const struct keel_amounts_side *thief,
                       const struct keel_amounts_side *victim)
{
    return 1 / (1 + victim->speed / thief->speed);
}

/* The fraction that gamma means; 0: by throughput. Speeds as in struct keel_amounts_side. */
static double fraction_of(double victim_speed, double thief_speed, double gamma)
{
    if (gamma != KEEL_AMOUNTS_BY_RATIO) {
        return gamma;
    }
    bool known = is_speed(victim_speed) && is_speed(thief_speed);
    return known ? fmin(victim_speed / thief_speed, 1) : 0.5;
}

uint64_t keel_amounts_to_transfer(const struct keel_amounts_side *victim,
                                  const struct keel_amounts_side *thief, double delay_ns,
                                  double gamma)
{
    double fraction = fraction_of(victim->speed, thief->speed, gamma);
    uint64_t amount;

    if (fraction > 0) {
        amount = count_of(ceil(fraction * (double)victim->left));
    } else if (is_speed(victim->speed) && is_speed(thief->speed)) {
        amount = count_of(equal_finish(victim, thief, delay_ns) + share_of(thief, victim));
    } else {
        amount = half_of_surplus(victim->left, thief->left);
    }
    return min_u64(amount, victim->left);
}

/* Whole weights: the finite ones times 2^scale, so that they sum up to at most 2^62. */
static int scale_of(uint32_t workers, const double *weight)
{
    double most = 0, sum = 0;
    int most_exponent, sum_exponent;

    for (uint32_t w = 0; w < workers; w++) {
        most = fmax(most, weight[w]);
    }
    frexp(most, &most_exponent);
    for (uint32_t w = 0; w < workers; w++) {
        sum += ldexp(weight[w], -most_exponent);
    }
    frexp(sum, &sum_exponent);
    return 61 - sum_exponent - most_exponent;
}

static uint64_t whole(const double *weight, uint32_t worker, int scale)
{
    return weight != NULL ? count_of(ldexp(weight[worker], scale)) : 1;
}

uint64_t keel_amounts_equal_block(uint64_t iterations, uint32_t workers, uint32_t worker)
{
    unsigned __int128 twice = 2 * (unsigned __int128)worker * iterations;

    return (uint64_t)((twice + workers) / (2 * (unsigned __int128)workers));
}

void keel_amounts_first_blocks(uint64_t iterations, uint32_t workers, const double *weight,
                               uint64_t *first)
{
    int scale = weight != NULL ? scale_of(workers, weight) : 0;
    unsigned __int128 total = 0, before = 0;

    for (uint32_t w = 0; w < workers; w++) {
        total += whole(weight, w, scale);
    }
    for (uint32_t w = 0; w < workers; w++) {
        first[w] = (uint64_t)((2 * before * iterations + total) / (2 * total));
        before += whole(weight, w, scale);
    }
    first[workers] = iterations;
}
