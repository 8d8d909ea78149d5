/* The cluster tree: links by hand and of any tree; what each worker is to have by it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/cluster_tree.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define LINK(with, at, by_path)                       \
    {                                                 \
        .partner = with, .level = at, .path = by_path \
    }

static struct keel_tree_links links_of(uint32_t workers, const double *throughput, uint32_t worker)
{
    struct keel_tree_links links;

    assert_true(keel_cluster_tree_links(workers, throughput, worker, realloc, &links));
    return links;
}

/* --- by hand --- */

struct by_hand {
    uint32_t workers;
    const double *throughput;
    struct keel_tree_links links[8];
};

static void check_by_hand(const struct by_hand *tree)
{
    for (uint32_t w = 0; w < tree->workers; w++) {
        struct keel_tree_links got = links_of(tree->workers, tree->throughput, w);
        const struct keel_tree_links *wanted = &tree->links[w];
        assert_int_equal(got.count, wanted->count);
        for (uint32_t i = 0; i < got.count; i++) {
            assert_int_equal(got.link[i].partner, wanted->link[i].partner);
            assert_int_equal(got.link[i].level, wanted->link[i].level);
            assert_int_equal(got.link[i].path, wanted->link[i].path);
        }
    }
}

/* The worked example, PAPERS.md K7: both pairs have throughput 5, and (P2 P3) is the more balanced
 * one, whatever their numbers are. */
TEST(the_worked_example)
{
    static const double throughput[] = {1, 2, 3, 4}, numbered_otherwise[] = {2, 1, 4, 3};
    static const struct by_hand trees[] = {
        {4,
         throughput,
         {
             {2, {LINK(3, 0, true), LINK(2, 1, false)}},
             {2, {LINK(2, 0, true), LINK(3, 1, true)}},
             {2, {LINK(1, 0, true), LINK(0, 1, false)}},
             {2, {LINK(0, 0, true), LINK(1, 1, true)}},
         }},
        {4,
         numbered_otherwise,
         {
             {2, {LINK(3, 0, true), LINK(2, 1, true)}},
             {2, {LINK(2, 0, true), LINK(3, 1, false)}},
             {2, {LINK(1, 0, true), LINK(0, 1, true)}},
             {2, {LINK(0, 0, true), LINK(1, 1, false)}},
         }},
    };

    check_by_hand(&trees[0]);
    check_by_hand(&trees[1]);
}

/* --- what holds for all trees --- */

#define WORKERS_MAX 300

static struct keel_tree_links all[WORKERS_MAX];

static void find_all(uint32_t workers, const double *throughput)
{
    for (uint32_t w = 0; w < workers; w++) {
        all[w] = links_of(workers, throughput, w);
    }
}

static uint32_t log2_ceil(uint32_t workers)
{
    uint32_t levels = 0;

    while (1u << levels < workers) {
        levels++;
    }
    return levels;
}

static bool has_link(uint32_t from, struct keel_tree_link wanted)
{
    for (uint32_t i = 0; i < all[from].count; i++) {
        const struct keel_tree_link *link = &all[from].link[i];
        if (link->partner == wanted.partner && link->level == wanted.level &&
            link->path == wanted.path) {
            return true;
        }
    }
    return false;
}

static void check_links(uint32_t workers)
{
    const bool full = (workers & (workers - 1)) == 0;

    for (uint32_t w = 0; w < workers; w++) {
        uint32_t paths = 0;
        uint64_t levels = 0;
        for (uint32_t i = 0; i < all[w].count; i++) {
            struct keel_tree_link link = all[w].link[i];
            assert_true(link.partner < workers && link.partner != w);
            assert_true(link.level < log2_ceil(workers));
            assert_false(levels >> link.level & 1);
            assert_true(i == paths || !link.path);
            assert_true(i == 0 || i == paths || all[w].link[i - 1].level < link.level);
            levels |= (uint64_t)1 << link.level;
            paths += link.path;
            if (link.path || full) {
                assert_true(
                    has_link(link.partner, (struct keel_tree_link)LINK(w, link.level, link.path)));
            }
        }
        assert_true(paths <= 2);
        assert_true(!full || all[w].count == log2_ceil(workers));
    }
}

/* Both ways the paths are what is left of all links, by level; one way each worker but the first of
 * the chain asks one, who does not ask it. */
static void check_paths_alone(uint32_t workers)
{
    uint32_t asking = 0;

    for (uint32_t w = 0; w < workers; w++) {
        struct keel_tree_links paths = all[w], way = all[w], same = all[w];
        keel_tree_links_keep(&same, KEEL_TREE_ALL);
        assert_int_equal(same.count, all[w].count);
        keel_tree_links_keep(&paths, KEEL_TREE_PATHS);
        for (uint32_t i = 0; i < paths.count; i++) {
            assert_true(paths.link[i].path && paths.link[i].level == all[w].link[i].level);
        }
        assert_true(paths.count == all[w].count || !all[w].link[paths.count].path);
        keel_tree_links_keep(&way, KEEL_TREE_ONE_WAY);
        assert_true(way.count <= 1);
        asking += way.count;
        if (way.count > 0) {
            struct keel_tree_links back = all[way.link[0].partner];
            keel_tree_links_keep(&back, KEEL_TREE_ONE_WAY);
            assert_true(back.count == 0 || back.link[0].partner != w);
        }
    }
    assert_int_equal(asking, workers - 1);
}

static void draw_throughputs(struct draws *draws, uint32_t workers, uint64_t different,
                             double *throughput)
{
    for (uint32_t w = 0; w < workers; w++) {
        throughput[w] = 0.5 + (double)draws_below(draws, different);
    }
}

TEST(links_of_any_tree)
{
    static const uint64_t different[] = {1, 2, 7, (uint64_t)1 << 40};
    struct draws draws = draws_begin();
    double throughput[WORKERS_MAX];

    for (uint32_t i = 0; i < 100; i++) {
        uint32_t workers = i < 66 ? i + 1 : 1 + (uint32_t)draws_below(&draws, WORKERS_MAX);
        draw_throughputs(&draws, workers, different[i % 4], throughput);
        find_all(workers, throughput);
        check_links(workers);
        check_paths_alone(workers);
    }
}

static void *no_memory(void *old, size_t size)
{
    (void)old;
    (void)size;
    return NULL;
}

TEST(without_memory_there_are_no_links)
{
    struct keel_tree_links links = {.count = 3};

    assert_false(keel_cluster_tree_links(8, NULL, 3, no_memory, &links));
    assert_int_equal(links.count, 0);
}

#define SHARED_MAX 40

static void share(uint32_t workers, const double *throughput, const double *work, double *wanted)
{
    void *scratch = malloc(keel_tree_shares_scratch(workers));

    keel_tree_shares(workers, throughput, work, wanted, scratch);
    free(scratch);
}

static void assert_shares(uint32_t workers, const double *throughput, const double *work,
                          const double *expected)
{
    double wanted[SHARED_MAX];

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
        double throughput[SHARED_MAX], work[SHARED_MAX], wanted[SHARED_MAX];
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
