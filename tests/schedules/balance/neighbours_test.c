/* How much moves, and how: amounts, transfers between neighbours, and moves of rows. */
#include <float.h>
#include <math.h>

#include "schedules/balance/victim.h"
#include "schedules/balance/moves.h"
#include "schedules/balance/neighbours.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- transfers: balancers: ideals and transfers by hand, and where the gradient model leads
 * --- */

#define WORKERS_MAX 40
#define TRANSFERS_MAX (WORKERS_MAX * WORKERS_MAX)

static void check_transfer(const struct keel_transfer *transfer, uint32_t from, uint32_t to,
                           uint64_t tasks)
{
    assert_int_equal(transfer->from, from);
    assert_int_equal(transfer->to, to);
    assert_int_equal(transfer->tasks, tasks);
}

/* What one worker sends at a step, the first `capacity` of it; returns how much that is. */
static size_t own(const struct keel_neighbours *balancers, const uint64_t *tasks, uint64_t step,
                  uint32_t worker, struct keel_transfer *transfer, size_t capacity)
{
    static struct keel_transfer all[TRANSFERS_MAX];
    uint64_t room[WORKERS_MAX];
    size_t some = 0;
    size_t count = keel_neighbours_list(balancers, tasks, step, room, all, TRANSFERS_MAX);

    for (size_t i = 0; i < count; i++) {
        if (all[i].from == worker) {
            if (some < capacity) {
                transfer[some] = all[i];
            }
            some++;
        }
    }
    return some;
}

/* --- ideals --- */

TEST(ideals_by_hand)
{
    allow_exceptions();
    static const uint64_t tasks[] = {10, 0, 2, 8};
    static const double power[] = {1, 2, 3, 4}, broken[] = {NAN, -1, 0, INFINITY};
    struct keel_neighbours balancers = {.graph = KEEL_GRAPH_RING, .workers = 4, .power = power};
    uint64_t wanted[4];

    keel_neighbours_wanted(&balancers, tasks, wanted);
    assert_memory_equal(wanted, ((uint64_t[]){2, 4, 6, 8}), sizeof(wanted));
    balancers.power = NULL;
    keel_neighbours_wanted(&balancers, (uint64_t[]){0, 0, 2, 0}, wanted); /* 0.5 1 1.5 2 */
    assert_memory_equal(wanted, ((uint64_t[]){1, 0, 1, 0}), sizeof(wanted));
    balancers.power = broken;
    keel_neighbours_wanted(&balancers, tasks, wanted);
    assert_memory_equal(wanted, ((uint64_t[]){5, 5, 5, 5}), sizeof(wanted));
    balancers.power = (double[]){NAN, 1, -3, 1};
    keel_neighbours_wanted(&balancers, tasks, wanted);
    assert_memory_equal(wanted, ((uint64_t[]){0, 10, 0, 10}), sizeof(wanted));
}

TEST(best_parameters_are_the_papers)
{
    static const struct {
        enum keel_neighbours_kind kind;
        uint32_t workers;
        double alpha, threshold;
    } rows[] = {
        {KEEL_NEIGHBOURS_RANDOM, 1, 0.9, 1},
        {KEEL_NEIGHBOURS_RANDOM, 2, 0.9, 1},
        {KEEL_NEIGHBOURS_RANDOM, 3, 0.7, 1},
        {KEEL_NEIGHBOURS_RANDOM, 8, 0.5, 1.1},
        {KEEL_NEIGHBOURS_RANDOM, 999, 0.5, 1.2},
        {KEEL_NEIGHBOURS_DIFFUSION, 4, 0.7, 1.1},
        {KEEL_NEIGHBOURS_DIFFUSION, 16, 0.5, 1.2},
        {KEEL_NEIGHBOURS_REDISTRIBUTION, 2, 0.9, 1.1},
        {KEEL_NEIGHBOURS_REDISTRIBUTION, 5, 0.5, 1.3},
        {KEEL_NEIGHBOURS_REDISTRIBUTION, 16, 0.5, 1.4},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct keel_neighbours balancers = {.kind = rows[i].kind, .workers = rows[i].workers};
        keel_neighbours_set_best(&balancers);
        assert_true(balancers.alpha == rows[i].alpha);
        assert_true(balancers.threshold == rows[i].threshold);
    }
}

/* --- one step --- */

/* Each of 3 neighbours 1/3 of 3000 times, within 5 standard deviations; and again with the same
 * seed. */
TEST(random_neighbours_are_equally_likely)
{
    static const uint64_t tasks[] = {90, 0, 0, 0};
    struct draws draws = draws_begin();
    struct keel_neighbours balancers = {.graph = KEEL_GRAPH_ALL,
                                        .workers = 4,
                                        .alpha = 1,
                                        .threshold = 1,
                                        .seed = draws_next(&draws)};
    uint32_t times[4] = {0}, alike = 0, other = 0;
    struct keel_transfer transfer, again;

    for (uint64_t step = 0; step < 3000; step++) {
        assert_int_equal(own(&balancers, tasks, step, 0, &transfer, 1), 1);
        times[transfer.to]++;
        own(&balancers, tasks, step, 0, &again, 1);
        alike += transfer.to == again.to;
        balancers.seed++;
        own(&balancers, tasks, step, 0, &again, 1);
        balancers.seed--;
        other += transfer.to == again.to;
    }
    assert_int_equal(times[0], 0);
    for (int w = 1; w < 4; w++) {
        assert_in_range(times[w], 871, 1129);
    }
    assert_int_equal(alike, 3000);
    assert_in_range(other, 871, 1129);
}

TEST(diffusion_fills_what_neighbours_lack)
{
    static const uint64_t tasks[] = {2, 20, 8, 0};
    struct keel_neighbours balancers = {
        .kind = KEEL_NEIGHBOURS_DIFFUSION, .graph = KEEL_GRAPH_RING, .workers = 4, .threshold = 1};
    struct keel_transfer transfer[3];

    /* wtilde of 1: 10; 0 lacks 8, 2 lacks 2 */
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 2);
    check_transfer(&transfer[0], 1, 0, 8);
    check_transfer(&transfer[1], 1, 2, 2);
    assert_int_equal(own(&balancers, tasks, 0, 0, transfer, 3), 0);
    /* wtilde of 2: 28/3 > 8 */
    assert_int_equal(own(&balancers, tasks, 0, 2, transfer, 3), 0);
    balancers.threshold = 1.99;
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 2);
    balancers.threshold = 2; /* not beyond w* */
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 0);
    /* powers 1:1:2: wtilde of 1 is 7.5; 0 lacks 5.5, 2 lacks 7; of 12 they get 5.28 and 6.72 */
    balancers.threshold = 1.2;
    balancers.power = (double[]){1, 1, 2, 1};
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 1), 2);
    check_transfer(&transfer[0], 1, 0, 5);
    /* without power everything goes; both others' share is 15 */
    balancers.power = (double[]){1, 0, 1, 1};
    assert_int_equal(own(&balancers, tasks, 0, 1, transfer, 3), 2);
    check_transfer(&transfer[0], 1, 0, 13);
    check_transfer(&transfer[1], 1, 2, 7);
}

static size_t redistribute(enum keel_graph graph, uint32_t workers, const uint64_t *tasks,
                           double threshold, struct keel_transfer *transfer)
{
    struct keel_neighbours balancers = {.kind = KEEL_NEIGHBOURS_REDISTRIBUTION,
                                        .graph = graph,
                                        .workers = workers,
                                        .threshold = threshold};
    uint64_t wanted[WORKERS_MAX];

    return keel_neighbours_list(&balancers, tasks, 0, wanted, transfer, WORKERS_MAX);
}

TEST(redistribution_by_hand)
{
    static const uint64_t tasks[] = {14, 4, 6, 4, 2, 0}; /* 5 each */
    struct keel_transfer transfer[WORKERS_MAX];

    assert_int_equal(redistribute(KEEL_GRAPH_ALL, 6, tasks, 2.8, transfer), 0);
    assert_int_equal(redistribute(KEEL_GRAPH_ALL, 6, tasks, 2.7, transfer), 5);
    check_transfer(&transfer[0], 0, 1, 1);
    check_transfer(&transfer[1], 0, 3, 1);
    check_transfer(&transfer[2], 0, 4, 3);
    check_transfer(&transfer[3], 0, 5, 4);
    check_transfer(&transfer[4], 2, 5, 1);
    /* partial sums 9 8 9 8 5 0; less a median, 8: 1 0 1 0 -3 -8 */
    assert_int_equal(redistribute(KEEL_GRAPH_RING, 6, tasks, 1, transfer), 3);
    check_transfer(&transfer[0], 0, 5, 8);
    check_transfer(&transfer[1], 0, 1, 1);
    check_transfer(&transfer[2], 2, 3, 1);
    /* 2 rows of 3: 9 go down, 3 in each column; 1 and 2 have enough to pass on */
    assert_int_equal(redistribute(KEEL_GRAPH_MESH, 6, tasks, 1, transfer), 7);
    check_transfer(&transfer[0], 0, 1, 6);
    check_transfer(&transfer[1], 0, 3, 3);
    check_transfer(&transfer[2], 1, 2, 2);
    check_transfer(&transfer[3], 1, 4, 2); /* of 3: all that it has */
    check_transfer(&transfer[4], 2, 5, 3);
    check_transfer(&transfer[5], 3, 4, 2);
    check_transfer(&transfer[6], 4, 5, 2);
    /* 2 rows of 2: up in each column */
    assert_int_equal(redistribute(KEEL_GRAPH_MESH, 4, (uint64_t[]){0, 0, 4, 4}, 1, transfer), 2);
    check_transfer(&transfer[0], 2, 0, 2);
    check_transfer(&transfer[1], 3, 1, 2);
}

/* --- the gradient model --- */

static struct keel_neighbours gradient(enum keel_graph graph, uint32_t workers)
{
    return (struct keel_neighbours){
        .kind = KEEL_NEIGHBOURS_GRADIENT, .graph = graph, .workers = workers, .threshold = 1};
}

static void draw_tasks(struct draws *draws, uint32_t workers, uint64_t *tasks)
{
    for (uint32_t w = 0; w < workers; w++) {
        tasks[w] = draws_below(draws, 4) == 0 ? 0 : draws_below(draws, 100);
    }
}

/* Until no rank is light, or none has a whole task beyond its share. */
TEST(tasks_stay_the_same_sum_and_become_level)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 300; i++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, WORKERS_MAX);
        struct keel_neighbours balancers = gradient((enum keel_graph)(i % 3), workers);
        uint64_t tasks[WORKERS_MAX], room[WORKERS_MAX], sum = 0, after = 0, steps = 0;
        struct keel_transfer transfer[WORKERS_MAX];
        size_t transfers;
        draw_tasks(&draws, workers, tasks);
        for (uint32_t w = 0; w < workers; w++) {
            sum += tasks[w];
        }
        while ((transfers = keel_neighbours_list(&balancers, tasks, steps, room, transfer,
                                                 WORKERS_MAX)) > 0) {
            assert_true(transfers <= workers && steps++ < 1000);
            keel_neighbours_apply(tasks, transfer, transfers);
        }
        double ideal = (double)sum / workers;
        bool light = false, heavy = false;
        for (uint32_t w = 0; w < workers; w++) {
            after += tasks[w];
            light |= (double)tasks[w] <= ideal - 1;
            heavy |= (double)tasks[w] >= ideal + 1;
        }
        assert_true(after == sum && !(light && heavy));
    }
}

/* --- amounts of migrations, and first blocks: by hand, brute force, and extremes --- */

static uint64_t amount(uint64_t left, double speed, uint64_t taker_left, double taker_speed,
                       double delay_ns, double gamma)
{
    struct keel_amounts_side victim = {left, speed}, thief = {taker_left, taker_speed};

    return keel_amounts_to_transfer(&victim, &thief, delay_ns, gamma);
}

/* --- amounts --- */

TEST(halves_where_a_speed_is_not_known)
{
    allow_exceptions();
    static const double unknown[] = {0, -1, NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        assert_int_equal(amount(9, unknown[i], 0, 100, 5, 0), 5);
        assert_int_equal(amount(9, 100, 0, unknown[i], 5, 0), 5);
        assert_int_equal(amount(1, unknown[i], 0, unknown[i], 5, 0), 1);
        assert_int_equal(amount(9, 1, 4, unknown[i], 0, 0), 3);
        assert_int_equal(amount(9, 1, 10, unknown[i], 0, 0), 0);
        assert_int_equal(amount(UINT64_MAX, 1, 0, unknown[i], 0, 0), (uint64_t)1 << 63);
    }
    assert_int_equal(amount(100, 1, 0, 3, 0, NAN), 76);
    assert_int_equal(amount(100, 1, 0, 3, 0, -1), 76);
}

/* The two ends differ by no more than one iteration handed over more or less would make them. */
TEST(the_later_end_comes_soonest)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 20000; times++) {
        uint64_t left = draws_below(&draws, 40), taker_left = draws_below(&draws, 20);
        double speed = 0.1 + (double)draws_below(&draws, 100) / 10;
        double taker_speed = 0.1 + (double)draws_below(&draws, 100) / 10;
        double delay_ns = (double)draws_below(&draws, 300) / 100;
        double soonest = INFINITY;
        for (uint64_t n = 0; n <= left; n++) {
            soonest = fmin(soonest, fmax((double)(taker_left + n) / taker_speed + delay_ns,
                                         ((double)(left - n) + 0.5) / speed));
        }
        uint64_t n = amount(left, speed, taker_left, taker_speed, delay_ns, 0);
        assert_true(n <= left);
        assert_true(fmax((double)(taker_left + n) / taker_speed + delay_ns,
                         ((double)(left - n) + 0.5) / speed) <= soonest + 1e-9);
    }
}

/* The worked example, PAPERS.md K7: speeds 1, 2, 3, 4 and N iterations each. The faster of each
 * pair runs dry and gets what makes both end at 2N/5: two movements, of 3N/5 and 3N/15. */
TEST(the_worked_example)
{
    const uint64_t n = 1200000;

    assert_int_equal(amount(n - n / 4, 1, 0, 4, 0, 0),
                     3 * n / 5 + 1); /* half of one is under way */
    assert_int_equal(amount(n - n / 4, 1, 0, 4, 0, 4. / 5), 3 * n / 5);
    assert_int_equal(amount(n - 2 * n / 3, 2, 0, 3, 0, 0), 3 * n / 15);
    assert_int_equal(amount(n - 2 * n / 3, 2, 0, 3, 0, 3. / 5), 3 * n / 15);
}

/* --- blocks --- */

#define BLOCKS_MAX 64

TEST(equal_blocks_are_exact)
{
    struct draws draws = draws_begin();
    uint64_t first[BLOCKS_MAX + 1];

    for (int times = 0; times < 2000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, BLOCKS_MAX);
        uint64_t n = times % 2 == 0 ? UINT64_MAX - (uint64_t)times : draws_below(&draws, 200);
        keel_amounts_first_blocks(n, workers, NULL, first);
        assert_int_equal(first[0], 0);
        assert_int_equal(first[workers], n);
        for (uint32_t w = 0; w <= workers; w++) {
            assert_int_equal(keel_amounts_equal_block(n, workers, w), first[w]);
        }
        for (uint32_t w = 0; w < workers; w++) {
            uint64_t size = first[w + 1] - first[w];
            assert_true(first[w] <= first[w + 1]);
            assert_true(size == n / workers || size == n / workers + 1);
        }
    }
}

TEST(blocks_by_hand)
{
    allow_exceptions();
    static const double weight[] = {1, 2, 3, 4}, huge[] = {DBL_MAX, DBL_MAX / 2, DBL_MAX / 2},
                        tiny[] = {DBL_TRUE_MIN, 3 * DBL_TRUE_MIN}, far[] = {1e-300, 1e300, 1e-300};
    uint64_t first[5];

    keel_amounts_first_blocks(100, 4, weight, first);
    assert_int_equal(first[1], 10);
    assert_int_equal(first[2], 30);
    assert_int_equal(first[3], 60);
    assert_int_equal(first[4], 100);
    keel_amounts_first_blocks(100, 3, huge, first);
    assert_int_equal(first[1], 50);
    assert_int_equal(first[2], 75);
    keel_amounts_first_blocks(100, 2, tiny, first);
    assert_int_equal(first[1], 25);
    keel_amounts_first_blocks(100, 3, far, first);
    assert_int_equal(first[1], 0);
    assert_int_equal(first[2], 100);
    keel_amounts_first_blocks(1, 3, NULL, first);
    assert_int_equal(first[1], 0);
    assert_int_equal(first[2], 1);
    keel_amounts_first_blocks(0, 4, weight, first);
    assert_int_equal(first[4], 0);
    keel_amounts_first_blocks(UINT64_MAX, 1, weight, first);
    assert_int_equal(first[1], UINT64_MAX);
}

/* Whole weights below 2^46, so that the exact ends can be worked out in integers. */
TEST(weighted_blocks_are_within_one_of_their_shares)
{
    struct draws draws = draws_begin();
    uint64_t first[BLOCKS_MAX + 1], whole[BLOCKS_MAX];
    double weight[BLOCKS_MAX];

    for (int times = 0; times < 2000; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, BLOCKS_MAX);
        uint64_t n = draws_next(&draws) >> (times % 3 == 0 ? 10 : 10 + draws_below(&draws, 54));
        unsigned __int128 total = 0, before = 0;
        for (uint32_t w = 0; w < workers; w++) {
            whole[w] = 1 + draws_next(&draws) % ((uint64_t)1 << (w % 3 == 0 ? 45 : 5));
            weight[w] = (double)whole[w] * 0x1p-7;
            total += whole[w];
        }
        keel_amounts_first_blocks(n, workers, weight, first);
        for (uint32_t w = 0; w <= workers; w++) {
            unsigned __int128 exact = n * before, got = first[w] * total;
            assert_true(got <= exact + total && exact <= got + total);
            assert_true(w == 0 || first[w - 1] <= first[w]);
            before += w < workers ? whole[w] : 0;
        }
        assert_int_equal(first[workers], n);
    }
}

/* --- moves of rows, by hand: policies and their simulations carry them out for any shares
 * --- */

static void check_move(const struct keel_move *move, uint32_t from, uint32_t to, uint64_t first,
                       uint64_t rows)
{
    assert_int_equal(move->from, from);
    assert_int_equal(move->to, to);
    assert_int_equal(move->first, first);
    assert_int_equal(move->rows, rows);
}

/* --- between neighbours --- */

/* All is with the first of four: rows for the last one pass through the others. */
TEST(rows_pass_through)
{
    static const uint64_t present[] = {0, 8, 8, 8, 8}, wanted[] = {0, 2, 4, 6, 8};
    struct keel_move move[4];
    struct keel_moves_sum sum = keel_moves_adjacent_sum(4, present, wanted);

    assert_int_equal(sum.rounds, 3);
    assert_int_equal(sum.rows, 12);
    assert_int_equal(sum.most_rows, 10); /* the second gets 6 and gives 4 */
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 0, move), 1);
    check_move(&move[0], 0, 1, 2, 6);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 1, move), 1);
    check_move(&move[0], 1, 2, 4, 4);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 2, move), 1);
    check_move(&move[0], 2, 3, 6, 2);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 3, move), 0);
}

/* The middle of three gives to both sides at once. */
TEST(both_sides_at_once)
{
    static const uint64_t present[] = {0, 1, 9, 10}, wanted[] = {0, 4, 7, 10};
    struct keel_move move[2];

    assert_int_equal(keel_moves_adjacent_rounds(3, present, wanted), 1);
    assert_int_equal(keel_moves_adjacent_round(3, present, wanted, 0, move), 2);
    check_move(&move[0], 1, 0, 1, 3);
    check_move(&move[1], 1, 2, 7, 2);
}

/* --- from surplus to shortage --- */

TEST(huge_shares_do_not_overflow)
{
    static const uint64_t present[] = {UINT64_MAX, 0, 0}, wanted[] = {1, UINT64_MAX - 2, 1};
    static const uint64_t blocks[] = {0, 0, UINT64_MAX}, others[] = {0, UINT64_MAX, UINT64_MAX};
    struct keel_move move[2];

    assert_int_equal(keel_moves_any(3, present, wanted, move), 2);
    check_move(&move[0], 0, 1, 1, UINT64_MAX - 2);
    check_move(&move[1], 0, 2, UINT64_MAX - 1, 1);
    assert_true(keel_moves_any_sum(3, present, wanted).rows == UINT64_MAX - 1);
    assert_int_equal(keel_moves_adjacent_round(2, blocks, others, 0, move), 1);
    check_move(&move[0], 1, 0, 0, UINT64_MAX);
}
