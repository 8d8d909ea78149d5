/* Whom a worker talks to: the cluster tree, victims, and times of messages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/decide.h"
#include "schedules/balance/victim.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- the cluster tree: links by hand and of any tree; what each worker is to have by it --- */

#define LINK(with, at, by_path) LIST(.partner = with, .level = at, .path = by_path)

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
        LIST(4, throughput,
             {{2, {LINK(3, 0, true), LINK(2, 1, false)}},
              {2, {LINK(2, 0, true), LINK(3, 1, true)}},
              {2, {LINK(1, 0, true), LINK(0, 1, false)}},
              {2, {LINK(0, 0, true), LINK(1, 1, true)}}}),
        LIST(4, numbered_otherwise,
             {{2, {LINK(3, 0, true), LINK(2, 1, true)}},
              {2, {LINK(2, 0, true), LINK(3, 1, false)}},
              {2, {LINK(1, 0, true), LINK(0, 1, true)}},
              {2, {LINK(0, 0, true), LINK(1, 1, false)}}}),
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

TEST(level_clusters_are_left_alone)
{
    double throughput[] = {1, 1, 1, 1}, work[] = {12, 12.01, 12, 12};

    assert_shares(4, throughput, work, work);
}

/* Sums stay, no cluster owes, nothing ends later, and steps lead to shares by throughput. */
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

/* --- victims: whom an idle worker asks: by hand, and what each asks in turn --- */

#define assert_step(search, wanted_act, wanted_worker)           \
    do {                                                         \
        struct keel_victim_step step = keel_victim_next(search); \
        assert_int_equal(step.action, wanted_act);               \
        assert_int_equal(step.worker, wanted_worker);            \
    } while (0)

#define assert_act(search, wanted) assert_int_equal(keel_victim_next(search).action, wanted)

static const struct keel_tree_links three_links = {
    3, {LINK(4, 0, true), LINK(2, 1, true), LINK(9, 2, false)}};

TEST(alone_there_is_nobody_to_ask)
{
    static const struct keel_tree_links none = {0};

    for (enum keel_victim_kind kind = KEEL_VICTIM_TREE; kind <= KEEL_VICTIM_DIFFUSE; kind++) {
        struct keel_victim_search search;
        keel_victim_begin(&search, kind, 1, 0, &none, 4, 1);
        assert_act(&search, KEEL_VICTIM_WAIT);
        keel_victim_answered(&search, 0, 5, 5, false);
        keel_victim_new_round(&search);
        assert_act(&search, KEEL_VICTIM_WAIT);
    }
}

/* --- tree --- */

TEST(by_order_higher_links_are_asked_only_where_lower_ones_fail)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_TREE, 10, 1, &three_links, 0, 1);
    keel_victim_lowest_first(&search);
    assert_step(&search, KEEL_VICTIM_ASK, 4);
    keel_victim_answered(&search, 4, 10, 10, false);
    assert_step(&search, KEEL_VICTIM_ASK, 4); /* as long as it gives */
    keel_victim_answered(&search, 4, 0, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, 2);
    keel_victim_answered(&search, 2, 1, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, 4); /* iterations begin another round */
}

/* --- steal --- */

TEST(who_gave_is_asked_first)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_STEAL, 1000, 17, NULL, 0, 3);
    keel_victim_use_lifelines(&search);
    uint32_t giver = keel_victim_next(&search).worker;
    keel_victim_answered(&search, giver, 1, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, giver);
    keel_victim_answered(&search, giver, 1, 0, false);
    assert_step(&search, KEEL_VICTIM_ASK, giver);
    keel_victim_answered(&search, giver, 0, 0, false);
    keel_victim_new_round(&search);
    assert_true(keel_victim_next(&search).worker != giver); /* of a thousand, with this seed */
}

/* --- lifelines --- */

TEST(who_keeps_a_request_is_not_asked_again)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_STEAL, 8, 1, NULL, 0, 1);
    keel_victim_use_lifelines(&search);
    search.asked = 8; /* past the random ones */
    assert_step(&search, KEEL_VICTIM_ASK, 2);
    keel_victim_answered(&search, 2, 0, 0, true);
    assert_step(&search, KEEL_VICTIM_ASK, 3);
    keel_victim_answered(&search, 3, 0, 3, false); /* keeps what it has, not the request */
    assert_step(&search, KEEL_VICTIM_ASK, 5);
    keel_victim_answered(&search, 5, 0, 0, true);
    assert_act(&search, KEEL_VICTIM_WAIT);
    assert_false(keel_victim_is_kept_by_all(&search));
    keel_victim_ask_again(&search);
    assert_step(&search, KEEL_VICTIM_ASK, 3);
    keel_victim_answered(&search, 3, 0, 0, true);
    assert_act(&search, KEEL_VICTIM_WAIT);
    assert_true(keel_victim_is_kept_by_all(&search));
    keel_victim_shared(&search, 4); /* is no partner */
    keel_victim_shared(&search, 5);
    assert_false(keel_victim_is_kept_by_all(&search));
    keel_victim_new_round(&search);
    search.asked = 8;
    assert_step(&search, KEEL_VICTIM_ASK, 5);
    keel_victim_answered(&search, 5, 0, 0, true);
    assert_act(&search, KEEL_VICTIM_WAIT);
}

TEST(links_keep_requests_and_are_asked_again)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_TREE, 10, 1, &three_links, 0, 1);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            struct keel_victim_step step = keel_victim_next(&search);
            assert_int_equal(step.keep, KEEL_VICTIM_KEEP);
            keel_victim_answered(&search, step.worker, 0, 3, true);
        }
        assert_act(&search, KEEL_VICTIM_WAIT);
        assert_true(keel_victim_is_kept_by_all(&search));
        keel_victim_ask_again(&search);
    }
}

/* --- diffuse --- */

TEST(workers_draw_different_victims)
{
    enum { WORKERS = 1000, ROUND = 22 };
    uint32_t asked[WORKERS] = {0}, most = 0;

    for (uint32_t w = 0; w < WORKERS; w++) {
        struct keel_victim_search search;
        keel_victim_begin(&search, KEEL_VICTIM_STEAL, WORKERS, w, NULL, 0, 42);
        keel_victim_use_lifelines(&search);
        for (int i = 0; i < ROUND; i++) {
            uint32_t victim = keel_victim_next(&search).worker;
            asked[victim]++;
            keel_victim_answered(&search, victim, 0, 0, false);
            if (i % KEEL_VICTIM_RANDOM == KEEL_VICTIM_RANDOM - 1) {
                keel_victim_new_round(&search);
            }
        }
    }
    for (uint32_t w = 0; w < WORKERS; w++) {
        most = asked[w] > most ? asked[w] : most;
        assert_true(asked[w] > 0);
    }
    assert_true(most < 3 * ROUND);
}

TEST(after_iterations_another_neighbourhood_is_looked_at)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, 100, 99, NULL, 1, 1);
    keel_victim_use_lifelines(&search);
    assert_step(&search, KEEL_VICTIM_LOOK, 0);
    keel_victim_answered(&search, 0, 0, 4, false);
    assert_step(&search, KEEL_VICTIM_ASK, 0);
    keel_victim_answered(&search, 0, 4, 0, false);
    bool moved = false;
    for (uint32_t round = 0; round < 6; round++) {
        struct keel_victim_step step = keel_victim_next(&search);
        assert_int_equal(step.action, KEEL_VICTIM_LOOK);
        moved |= step.worker != 98 && step.worker != 0 && step.worker != 1;
        keel_victim_answered(&search, step.worker, 0, 0, false);
        for (uint32_t line = 0; round == 0 && line < 7; line++) {
            step = keel_victim_next(&search);
            assert_int_equal(step.worker, (99 + (1u << line)) % 100);
            keel_victim_answered(&search, step.worker, 0, 0, true);
        }
        assert_act(&search, KEEL_VICTIM_WAIT);
        keel_victim_new_round(&search);
    }
    assert_true(moved);
}

/* Scattered; a round looks at all, or at 2 ceil(log2 P) + 2. */
static uint32_t scattered_rounds(bool all)
{
    uint32_t orders = 0;

    for (uint32_t workers = 2; workers < 40; workers++) {
        struct keel_victim_search search;
        uint32_t worker = workers / 3;
        keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, workers, worker, NULL, 4, workers);
        keel_victim_scatter(&search, all);
        uint32_t few = 2;
        for (uint32_t power = 1; power < workers; power *= 2) {
            few += 2;
        }
        uint32_t looks = all || few > workers - 1 ? workers - 1 : few;
        for (int round = 0; round < 3; round++) {
            uint64_t looked = 0;
            for (uint32_t i = 0; i < looks; i++) {
                struct keel_victim_step step = keel_victim_next(&search);
                assert_int_equal(step.action, KEEL_VICTIM_LOOK);
                assert_true(step.worker < workers && step.worker != worker);
                assert_false(looked >> step.worker & 1);
                looked |= (uint64_t)1 << step.worker;
                orders += i == 0 && step.worker != (worker + 1) % workers;
                keel_victim_answered(&search, step.worker, 0, 0, false);
            }
            assert_act(&search, KEEL_VICTIM_WAIT);
            keel_victim_new_round(&search);
        }
    }
    return orders;
}

TEST(scattered_a_round_looks_at_others_once_in_an_order_of_its_own)
{
    assert_true(scattered_rounds(true) > 80); /* of 114 rounds; else by distance */
    assert_true(scattered_rounds(false) > 80);
}

TEST(another_worker_can_be_asked_out_of_turn_but_in_a_look)
{
    struct keel_victim_search search;

    keel_victim_begin(&search, KEEL_VICTIM_DIFFUSE, 9, 0, NULL, 2, 1);
    uint32_t one = keel_victim_next(&search).worker, other = keel_victim_next(&search).worker;
    assert_false(keel_victim_ask(&search, one));
    keel_victim_answered(&search, one, 0, 0, false);
    assert_true(keel_victim_ask(&search, 5));
    assert_false(keel_victim_ask(&search, 6));
    assert_act(&search, KEEL_VICTIM_PENDING);
    keel_victim_answered(&search, 5, 0, 0, false);
    keel_victim_answered(&search, other, 0, 3, false);
    assert_step(&search, KEEL_VICTIM_ASK, other);
}

/* --- times of messages on a machine that is busy: which ones count, and when they are taken
 * again --- */

TEST(times_are_asked_for_while_they_may_hold_rows_back)
{
    static const struct {
        struct keel_decision decision;
        uint64_t movements;
        bool doubtful;
    } row[] = {
        {{.reason = {KEEL_CAUSE_COST, {1, 0.5}}}, 0, true},
        {{.reason = {KEEL_CAUSE_COST, {1, 0.5}}}, 1, true},
        {{.reason = {KEEL_CAUSE_COST, {1, 0}}}, 1, false}, /* it would save nothing */
        {{.reason = {KEEL_CAUSE_LEVEL, {1, 0.5}}}, 0, true},
        {{.reason = {KEEL_CAUSE_LEVEL, {1, 0.5}}}, 1, false},
        {{.verdict = KEEL_DECISION_MOVE}, 0, false},
    };
    const struct keel_probes probes = {.spent_s = 1};

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(
            keel_probes_are_doubtful(&probes, &row[i].decision, row[i].movements, 1001),
            row[i].doubtful);
        assert_false(keel_probes_are_doubtful(&probes, &row[i].decision, row[i].movements, 999));
    }
}

TEST(the_shortest_time_of_each_kind_counts)
{
    struct keel_probes probes = {0};

    keel_probes_note(&probes, KEEL_PROBE_EMPTY, INFINITY);
    keel_probes_note(&probes, KEEL_PROBE_EMPTY, 3);
    keel_probes_note(&probes, KEEL_PROBE_EMPTY, 5);
    keel_probes_note(&probes, KEEL_PROBE_MEASUREMENTS, 7);
    assert_near(probes.least_s[KEEL_PROBE_EMPTY], 3);
    assert_near(probes.least_s[KEEL_PROBE_MEASUREMENTS], 7);
}
