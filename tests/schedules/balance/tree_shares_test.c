/* Shares by the cluster tree: the paper's example, terminals that run dry, what always holds. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/tree_shares.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 40

static void share(uint32_t workers, const double *throughput, const double *work, double *wanted)
{
    void *scratch = malloc(keel_tree_shares_scratch(workers));

    keel_tree_shares(workers, throughput, work, wanted, scratch);
    free(scratch);
}

static void assert_shares(uint32_t workers, const double *throughput, const double *work,
                          const double *expected)
{
    double wanted[WORKERS_MAX];

    share(workers, throughput, work, wanted);
    for (uint32_t w = 0; w < workers; w++) {
        assert_true(is_near_unit(wanted[w], expected[w]));
    }
}

/* The worked example, PAPERS.md K7: 3N/5 go from P1 to P4 and 3N/15 from P2 to P3. */
TEST(papers_example_takes_two_movements)
{
    double throughput[] = {1, 2, 3, 4}, work[] = {15, 15, 15, 15};

    assert_shares(4, throughput, work, (double[]){15 - 9, 15 - 3, 15 + 3, 15 + 9});
}

TEST(level_clusters_are_left_alone)
{
    double throughput[] = {1, 1, 1, 1}, work[] = {12, 12.01, 12, 12};

    assert_shares(4, throughput, work, work);
}

TEST(one_worker_keeps_all)
{
    assert_shares(1, (double[]){2}, (double[]){7}, (double[]){7});
    assert_shares(2, (double[]){2, 1}, (double[]){0, 0}, (double[]){0, 0});
}

/* Sums stay, nobody owes, nothing ends later, and steps lead to shares by throughput. */
TEST(steps_level_everything)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 200; times++) {
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, 12);
        double throughput[WORKERS_MAX], work[WORKERS_MAX], wanted[WORKERS_MAX];
        double all = 0, sum = 0, before = 0;
        for (uint32_t w = 0; w < workers; w++) {
            throughput[w] = 1 + (double)draws_below(&draws, 20);
            work[w] = draws_below(&draws, 3) > 0 ? (double)draws_below(&draws, 1000) : 0;
            all += work[w];
            sum += throughput[w];
            before = fmax(before, work[w] / throughput[w]);
        }
        for (int step = 0; step < 400; step++) {
            double left = 0, after = 0;
            share(workers, throughput, work, wanted);
            for (uint32_t w = 0; w < workers; w++) {
                assert_true(wanted[w] >= 0);
                left += wanted[w];
                after = fmax(after, wanted[w] / throughput[w]);
            }
            assert_true(is_near_unit(left, all));
            assert_true(after <= before * (1 + 1e-12));
            before = after;
            memcpy(work, wanted, sizeof work);
        }
        /* each of at most four levels leaves half a percent */
        assert_true(before <= 1.03 * all / sum + 1e-9);
    }
}
