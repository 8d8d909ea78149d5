/* Moves of rows. */
#include "schedules/balance/moves.h"

#include "schedules/arithmetic/arithmetic.h"

/* A list that is being written. */
struct list {
    struct keel_move *move;
    size_t capacity, count;
};

static void append(struct list *list, const struct keel_move *move)
{
    if (list->count < list->capacity) {
        list->move[list->count] = *move;
    }
    list->count++;
}

/* --- between neighbours --- */

/* Two shares of P workers. */
struct shares {
    uint32_t workers;
    const uint64_t *present, *wanted;
};

static uint64_t bound_after(const struct shares *shares, uint32_t b, uint32_t rounds)
{
    uint64_t lowest = shares->present[b - (uint32_t)min_u64(b, rounds)];
    uint64_t highest = shares->present[min_u64(shares->workers, (uint64_t)b + rounds)];

    return max_u64(lowest, min_u64(shares->wanted[b], highest));
}

/* Raises `rounds` to what bound b needs. */
static uint32_t rounds_of(const struct shares *shares, uint32_t b, uint32_t rounds)
{
    uint32_t enough = shares->workers;

    while (rounds < enough) {
        uint32_t middle = rounds + (enough - rounds) / 2;
        if (bound_after(shares, b, middle) == shares->wanted[b]) {
            enough = middle;
        } else {
            rounds = middle + 1;
        }
    }
    return rounds;
}

uint32_t keel_moves_adjacent_rounds(uint32_t workers, const uint64_t *present,
                                    const uint64_t *wanted)
{
    struct shares shares = {workers, present, wanted};
    uint32_t rounds = 0;

    for (uint32_t b = 1; b < workers; b++) {
        rounds = rounds_of(&shares, b, rounds);
    }
    return rounds;
}

/* The move over bound b, between workers b - 1 and b: rows that it passes change sides. */
static void append_over(struct list *list, const struct shares *shares, uint32_t b, uint32_t round)
{
    uint64_t before = bound_after(shares, b, round), after = bound_after(shares, b, round + 1);
    uint64_t first = min_u64(before, after);
    bool left = after > before;

    if (after != before) {
        append(list, &(struct keel_move){
                         .from = left ? b : b - 1,
                         .to = left ? b - 1 : b,
                         .round = round,
                         .first = first,
                         .place = first,
                         .rows = max_u64(before, after) - first,
                     });
    }
}

size_t keel_moves_adjacent_round(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                                 uint32_t round, struct keel_move *move, size_t capacity)
{
    struct shares shares = {workers, present, wanted};
    struct list list = {move, capacity, 0};

    for (uint64_t b = 2; b < workers; b += 2) {
        append_over(&list, &shares, (uint32_t)b, round);
    }
    for (uint64_t b = 1; b < workers; b += 2) {
        append_over(&list, &shares, (uint32_t)b, round);
    }
    return list.count;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

struct keel_moves_sum keel_moves_adjacent_sum(uint32_t workers, const uint64_t *present,
                                              const uint64_t *wanted)
{
    struct keel_moves_sum sum = {.rounds = keel_moves_adjacent_rounds(workers, present, wanted)};

    for (uint32_t w = 0; w < workers; w++) {
        uint64_t left = distance(present[w], wanted[w]);
        uint64_t right = distance(present[w + 1], wanted[w + 1]);
        sum.rows += left;
        sum.most_rows = max_u64(sum.most_rows, left + right);
    }
    return sum;
}

/* --- from surplus to shortage --- */

/* Moves chain up: each shares the sender or the receiver with the next one. A link is a move that
 * shares one with the move before and the other with the one after. Links that are next to each
 * other share a worker, and no others do; so even links can go at once, then odd ones. The other
 * moves of a sender, or receiver, have partners who have nothing else to do. */
enum phase { EVEN_LINKS, ODD_LINKS, LEAVES, PHASES };

/* Goes through the moves from surplus to shortage. */
struct match {
    struct shares shares;
    uint32_t sender, receiver;
    uint64_t given, taken;       /* by sender, and by receiver, before the present move */
    bool same_giver, same_taker; /* as in the move before */
    bool odd;                    /* number of links so far */
};

static uint64_t surplus(const struct shares *shares, uint32_t w)
{
    return shares->present[w] - min_u64(shares->present[w], shares->wanted[w]);
}

static uint64_t shortage(const struct shares *shares, uint32_t w)
{
    return shares->wanted[w] - min_u64(shares->present[w], shares->wanted[w]);
}

/* Sets `move` to the next one; false: there is none. */
static bool match_next(struct match *match, struct keel_move *move, enum phase *phase)
{
    const struct shares *shares = &match->shares;

    while (match->sender < shares->workers && surplus(shares, match->sender) == 0) {
        match->sender++;
    }
    while (match->receiver < shares->workers && shortage(shares, match->receiver) == 0) {
        match->receiver++;
    }
    if (match->sender == shares->workers || match->receiver == shares->workers) {
        return false;
    }
    uint64_t giving = surplus(shares, match->sender) - match->given;
    uint64_t taking = shortage(shares, match->receiver) - match->taken;
    *move = (struct keel_move){
        .from = match->sender,
        .to = match->receiver,
        .first = shares->wanted[match->sender] + match->given,
        .place = shares->present[match->receiver] + match->taken,
        .rows = min_u64(giving, taking),
    };
    bool goes_on_giving = giving > taking, goes_on_taking = taking > giving;
    bool link = (match->same_giver && goes_on_taking) || (match->same_taker && goes_on_giving);
    *phase = !link ? LEAVES : match->odd ? ODD_LINKS : EVEN_LINKS;
    match->odd ^= link;
    match->same_giver = goes_on_giving;
    match->same_taker = goes_on_taking;
    match->given = goes_on_giving ? match->given + taking : 0;
    match->taken = goes_on_taking ? match->taken + giving : 0;
    match->sender += !goes_on_giving;
    match->receiver += !goes_on_taking;
    return true;
}

size_t keel_moves_any(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                      struct keel_move *move, size_t capacity)
{
    struct list list = {move, capacity, 0};

    for (enum phase due = 0; due < PHASES; due++) {
        struct match match = {.shares = {workers, present, wanted}};
        struct keel_move next;
        enum phase phase;
        while (match_next(&match, &next, &phase)) {
            if (phase == due) {
                append(&list, &next);
            }
        }
    }
    return list.count;
}

struct keel_moves_sum keel_moves_any_sum(uint32_t workers, const uint64_t *present,
                                         const uint64_t *wanted)
{
    struct shares shares = {workers, present, wanted};
    struct keel_moves_sum sum = {0};

    for (uint32_t w = 0; w < workers; w++) {
        sum.rows += surplus(&shares, w);
        sum.most_rows = max_u64(sum.most_rows, distance(present[w], wanted[w]));
    }
    sum.rounds = sum.rows > 0;
    return sum;
}
