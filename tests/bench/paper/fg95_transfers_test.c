/* The policies of Franklin and Govindan between any neighbours (PAPERS.md F2 to F5). */
#include <stddef.h>

#include "bench/papers_dir/fg95/transfers.h"
#include "bench/support/random.h"
#include "tests/support/unit.h"

#define MOST 12

/* 0 is next to 1 and 2; 3 is next to nobody. Powers 1, 1, 2, 1. */
static const bool star[16] = {0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
static const double powers[4] = {1, 1, 2, 1};

TEST(random_by_hand)
{
    const int tasks[4] = {50, 20, 20, 10}; /* the ideal is 20 of 100 */
    struct situation situation = {4, powers, tasks, 100, star, 1.5, 0.5};
    struct transfer transfer;

    assert_int_equal(transfers_random(&situation, 0, 0, &transfer), 1);
    assert_true(transfer.to == 1 && transfer.tasks == 10);
    assert_int_equal(transfers_random(&situation, 0, UINT64_MAX, &transfer), 1);
    assert_true(transfer.to == 2 && transfer.tasks == 10);
    assert_int_equal(transfers_random(&situation, 1, 0, &transfer), 0); /* has not more */
    situation.threshold = 0.1;
    assert_int_equal(transfers_random(&situation, 3, 0, &transfer), 0); /* has nobody */
}

TEST(diffusion_by_hand)
{
    const int tasks[4] = {50, 10, 20, 20}; /* 80 of 0, 1, 2: 20, 20, 40 */
    struct situation situation = {4, powers, tasks, 100, star, 1.1, 0};
    struct transfer transfer[4];

    assert_int_equal(transfers_diffusion(&situation, 0, transfer), 2);
    assert_true(transfer[0].to == 1 && transfer[0].tasks == 10);
    assert_true(transfer[1].to == 2 && transfer[1].tasks == 20);
    assert_int_equal(transfers_diffusion(&situation, 1, transfer), 0);
    assert_int_equal(transfers_diffusion(&situation, 3, transfer), 0);
    situation.threshold = 2.6;
    assert_int_equal(transfers_diffusion(&situation, 0, transfer), 0);
}

TEST(exceeds_by_hand)
{
    const int tasks[4] = {30, 20, 40, 10};
    struct situation situation = {4, powers, tasks, 100, star, 1.4, 0};

    assert_true(transfers_exceeds(&situation, 0));
    assert_false(transfers_exceeds(&situation, 2));
    situation.threshold = 1.5;
    assert_false(transfers_exceeds(&situation, 0));
}

static void check_transfers(const struct situation *situation, int from,
                            const struct transfer *transfer, int count)
{
    int sum = 0;

    assert_true(count <= situation->processors);
    for (int i = 0; i < count; i++) {
        assert_true(situation->next[from * situation->processors + transfer[i].to]);
        assert_true(transfer[i].tasks > 0);
        sum += transfer[i].tasks;
    }
    assert_true(sum <= situation->tasks[from]);
}

/* Whatever there is: to neighbours alone, and no more than there are. */
TEST(any_situation)
{
    for (uint64_t draw = 1; draw <= 2000; draw++) {
        uint64_t chance = draw;
        int processors = 1 + (int)(random_next(&chance) % MOST), tasks[MOST], all = 0;
        bool next[MOST * MOST] = {0};
        double power[MOST];
        struct transfer transfer[MOST];
        for (int i = 0; i < processors; i++) {
            power[i] = 0.1 + random_fraction(random_next(&chance));
            all += tasks[i] = (int)(random_next(&chance) % 100);
            for (int j = 0; j < i; j++) {
                next[i * processors + j] = next[j * processors + i] = random_next(&chance) % 3 == 0;
            }
        }
        struct situation situation = {processors,
                                      power,
                                      tasks,
                                      all,
                                      next,
                                      random_fraction(random_next(&chance)) * 2,
                                      random_fraction(random_next(&chance))};
        for (int i = 0; i < processors; i++) {
            check_transfers(&situation, i, transfer,
                            transfers_random(&situation, i, random_next(&chance), transfer));
            check_transfers(&situation, i, transfer, transfers_diffusion(&situation, i, transfer));
        }
    }
}
