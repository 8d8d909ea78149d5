/* Moves of rows. */
#include "schedules/balance/moves.h"

#include "schedules/arithmetic/arithmetic.h"

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
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

/* Over bound b, between workers b - 1 and b, rows that it passes change sides. */
size_t keel_moves_adjacent_round(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                                 uint32_t round, struct keel_move *move)
{
    struct shares shares = {workers, present, wanted};
    size_t moves = 0;

    for (uint32_t b = 1; b < workers; b++) {
        uint64_t before = bound_after(&shares, b, round),
                 after = bound_after(&shares, b, round + 1);
        bool left = after > before;
        if (after != before) {
            move[moves++] = (struct keel_move){.from = left ? b : b - 1,
                                               .to = left ? b - 1 : b,
                                               .first = min_u64(before, after),
                                               .rows = distance(before, after)};
        }
    }
    return moves;
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

static uint64_t surplus(uint64_t present, uint64_t wanted)
{
    return present - min_u64(present, wanted);
}

bool keel_moves_any_next(struct keel_moves_walk *walk, struct keel_move *move)
{
    const uint64_t *present = walk->present, *wanted = walk->wanted;
    uint32_t from = walk->from, to = walk->to;

    for (; from < walk->workers && surplus(present[from], wanted[from]) == walk->given; from++) {
        walk->given = 0;
    }
    for (; to < walk->workers && surplus(wanted[to], present[to]) == walk->taken; to++) {
        walk->taken = 0;
    }
    walk->from = from, walk->to = to;
    if (from == walk->workers || to == walk->workers) {
        return false;
    }
    uint64_t rows = min_u64(surplus(present[from], wanted[from]) - walk->given,
                            surplus(wanted[to], present[to]) - walk->taken);
    *move = (struct keel_move){from, to, wanted[from] + walk->given, rows};
    walk->given += rows;
    walk->taken += rows;
    return true;
}

size_t keel_moves_any(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                      struct keel_move *move)
{
    struct keel_moves_walk walk = {workers, present, wanted, 0, 0, 0, 0};
    size_t moves = 0;

    for (struct keel_move next; keel_moves_any_next(&walk, &next);) {
        move[moves++] = next;
    }
    return moves;
}

struct keel_moves_sum keel_moves_any_sum(uint32_t workers, const uint64_t *present,
                                         const uint64_t *wanted)
{
    struct keel_moves_sum sum = {0};

    for (uint32_t w = 0; w < workers; w++) {
        sum.rows += surplus(present[w], wanted[w]);
        sum.most_rows = max_u64(sum.most_rows, distance(present[w], wanted[w]));
    }
    sum.rounds = sum.rows > 0;
    return sum;
}
