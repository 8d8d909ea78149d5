/* Whom to ask. */
#include "schedules/balance/victim.h"

#include <string.h>

#include "schedules/arithmetic/arithmetic.h"

/* Neighbourhoods looked at in a round. */
#define NEIGHBOURHOODS_MAX 4

static const struct keel_seek_step PENDING = {.act = KEEL_SEEK_PENDING};
static const struct keel_seek_step WAIT = {.act = KEEL_SEEK_WAIT};

static struct keel_seek_step ask(struct keel_seek *seek, uint32_t worker)
{
    seek->pending = true;
    seek->partner = worker;
    return (struct keel_seek_step){.act = KEEL_SEEK_ASK, .worker = worker};
}

/* --- tree --- */

/* Goes on where the last round ended, not at the lowest link: after two have evened out they
 * run dry together, and it is others who have something left. */
static struct keel_seek_step next_link(struct keel_seek *seek)
{
    if (seek->asked >= seek->links->count) {
        return WAIT;
    }
    uint32_t link = seek->offset;
    seek->offset = (link + 1) % seek->links->count;
    seek->asked++;
    return ask(seek, seek->links->link[link].partner);
}

/* --- steal --- */

/* splitmix64 */
static uint64_t draw(struct keel_seek *seek)
{
    uint64_t z = seek->random += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Victims of a round lie a stride apart, which has no divisor in common with the number of others:
 * none comes twice. */
static void draw_victims(struct keel_seek *seek)
{
    uint32_t others = seek->workers - 1;

    seek->victim = (uint32_t)(draw(seek) % others);
    do {
        seek->stride = (uint32_t)(draw(seek) % others) + 1;
    } while (common_divisor(seek->stride, others) != 1);
}

static uint32_t draw_next(struct keel_seek *seek)
{
    uint32_t others = seek->workers - 1, victim = seek->victim;

    seek->victim = (uint32_t)(((uint64_t)victim + seek->stride) % others);
    return victim < seek->worker ? victim : victim + 1;
}

static uint32_t victims_per_round(uint32_t workers)
{
    uint32_t levels = 0;

    while (levels < 32 && (uint64_t)1 << levels < workers) {
        levels++;
    }
    return (uint32_t)min_u64(workers - 1, 2 * levels + 2);
}

static struct keel_seek_step next_victim(struct keel_seek *seek)
{
    if (seek->asked >= victims_per_round(seek->workers)) {
        return WAIT;
    }
    if (seek->asked++ == 0) {
        draw_victims(seek);
        seek->first_victim = seek->last_giver;
        if (seek->first_victim != seek->worker) {
            return ask(seek, seek->first_victim);
        }
    }
    uint32_t victim = draw_next(seek);
    return ask(seek, victim != seek->first_victim ? victim : draw_next(seek));
}

/* --- diffuse --- */

/* The others by their distance on the ring, in turns above and below: 0 .. workers - 2. */
static uint32_t on_ring(const struct keel_seek *seek, uint32_t place)
{
    uint64_t distance = place / 2 + 1;

    return (uint32_t)((seek->worker + (place % 2 == 0 ? distance : seek->workers - distance)) %
                      seek->workers);
}

static void move_on(struct keel_seek *seek)
{
    uint32_t others = seek->workers - 1;
    uint32_t bound = (uint32_t)min_u64(others, NEIGHBOURHOODS_MAX * seek->neighbours);

    seek->looking = (uint32_t)min_u64(seek->neighbours, bound - seek->asked);
    for (uint32_t i = 0; i < seek->looking; i++) {
        seek->neighbour[i] = (struct keel_seek_neighbour){.worker = on_ring(seek, seek->offset)};
        seek->offset = (seek->offset + 1) % others;
    }
    seek->asked += seek->looking;
}

static struct keel_seek_neighbour *fullest(struct keel_seek *seek)
{
    struct keel_seek_neighbour *best = &seek->neighbour[0];

    for (uint32_t i = 1; i < seek->looking; i++) {
        if (seek->neighbour[i].left > best->left) {
            best = &seek->neighbour[i];
        }
    }
    return best;
}

/* LOOKs that have still to be given out, or answered. */
static bool looks_left(struct keel_seek *seek, struct keel_seek_step *step)
{
    bool unanswered = false;

    for (uint32_t i = 0; i < seek->looking; i++) {
        struct keel_seek_neighbour *neighbour = &seek->neighbour[i];
        if (!neighbour->asked) {
            neighbour->asked = true;
            *step = (struct keel_seek_step){.act = KEEL_SEEK_LOOK, .worker = neighbour->worker};
            return true;
        }
        unanswered |= !neighbour->answered;
    }
    *step = PENDING;
    return unanswered;
}

static struct keel_seek_step next_neighbour(struct keel_seek *seek)
{
    struct keel_seek_step step;

    if (looks_left(seek, &step)) {
        return step;
    }
    if (seek->looking > 0 && fullest(seek)->left > 0) {
        return ask(seek, fullest(seek)->worker);
    }
    move_on(seek);
    return looks_left(seek, &step) ? step : WAIT;
}

static struct keel_seek_neighbour *neighbour_of(struct keel_seek *seek, uint32_t worker)
{
    for (uint32_t i = 0; i < seek->looking; i++) {
        if (seek->neighbour[i].worker == worker && seek->neighbour[i].asked) {
            return &seek->neighbour[i];
        }
    }
    return NULL;
}

/* --- all of them --- */

void keel_seek_begin(struct keel_seek *seek, enum keel_seek_kind kind, uint32_t workers,
                     uint32_t worker, const struct keel_tree_links *links, uint32_t neighbours,
                     uint64_t seed)
{
    memset(seek, 0, sizeof *seek);
    seek->kind = kind;
    seek->workers = workers;
    seek->worker = worker;
    seek->links = links;
    seek->random = seed ^ (worker + 1) * 0xd1342543de82ef95u;
    seek->last_giver = worker;
    seek->neighbours = neighbours;
}

struct keel_seek_step keel_seek_next(struct keel_seek *seek)
{
    if (seek->pending) {
        return PENDING;
    }
    switch (seek->kind) {
    case KEEL_SEEK_TREE:
        return next_link(seek);
    case KEEL_SEEK_STEAL:
        return next_victim(seek);
    default:
        return next_neighbour(seek);
    }
}

static void told_of_request(struct keel_seek *seek, uint32_t worker, uint64_t got)
{
    struct keel_seek_neighbour *neighbour = neighbour_of(seek, worker);

    seek->pending = false;
    if (got > 0) {
        seek->last_giver = worker;
        keel_seek_again(seek);
        return;
    }
    if (seek->last_giver == worker) {
        seek->last_giver = seek->worker;
    }
    if (neighbour != NULL) {
        neighbour->left = 0; /* whatever it has, it keeps */
    }
}

void keel_seek_told(struct keel_seek *seek, uint32_t worker, uint64_t got, uint64_t left)
{
    struct keel_seek_neighbour *neighbour = neighbour_of(seek, worker);

    if (seek->pending && seek->partner == worker) {
        told_of_request(seek, worker, got);
    } else if (neighbour != NULL && !neighbour->answered) {
        neighbour->answered = true;
        neighbour->left = left;
    }
}

void keel_seek_again(struct keel_seek *seek)
{
    bool looking = false;

    for (uint32_t i = 0; i < seek->looking; i++) {
        looking |= !seek->neighbour[i].answered;
    }
    if (!looking) {
        seek->looking = 0; /* what was seen is old by now */
    }
    seek->asked = seek->looking;
}
