/* Who chooses the schedule of a site, what its short loops cost, and its name. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/site/mode.h"
#include "omp_ext/site/site.h"
#include "omp_ext/machine/module.h"
#include "tests/support/unit.h"

/* --- when modes of loops change --- */

static void one_region(void *data) {}

static void another_region(void *data) {}

/* A team starts and joins. */
static void team(void)
{
    keel_mode_end_team(keel_mode_begin_team(one_region, true, false));
}

static void looks(void (*region)(void *))
{
    keel_mode_end_team(keel_mode_begin_team(region, true, true));
}

static struct keel_mode *fresh(void)
{
    static struct keel_mode modes[20];
    static unsigned used;

    keel_mode_add(&modes[used]);
    return &modes[used++];
}

static unsigned long up_to(const struct keel_mode *mode)
{
    return atomic_load(&mode->up_to);
}

TEST(a_change_comes_with_the_next_team)
{
    struct keel_mode *mode = fresh();

    keel_mode_set(mode, 100, false);
    assert_false(keel_mode_divides(mode, 1));
    team();
    assert_true(keel_mode_divides(mode, 100));
    assert_false(keel_mode_divides(mode, 101));
    keel_mode_set(mode, 0, false);
    assert_true(keel_mode_divides(mode, 100));
    team();
    assert_false(keel_mode_divides(mode, 0));
}

TEST(it_waits_while_another_team_is_there)
{
    struct keel_mode *mode = fresh();
    unsigned other = keel_mode_begin_team(another_region, true, false);

    keel_mode_set(mode, 100, false);
    team();
    assert_int_equal(up_to(mode), 0);
    keel_mode_end_team(other);
    assert_int_equal(up_to(mode), 0);
    team();
    assert_int_equal(up_to(mode), 100);
}

TEST(the_only_team_changes_at_its_barrier)
{
    struct keel_mode *mode = fresh();
    unsigned own = keel_mode_begin_team(one_region, true, false);

    keel_mode_set(mode, 7, false);
    keel_mode_change_within(true);
    assert_int_equal(up_to(mode), 7);
    unsigned other = keel_mode_begin_team(another_region, true, false);
    keel_mode_set(mode, 9, false);
    keel_mode_change_within(true);
    assert_int_equal(up_to(mode), 7);
    keel_mode_end_team(other);
    keel_mode_change_within(true);
    assert_int_equal(up_to(mode), 9);
    keel_mode_end_team(own);
    team();
    assert_int_equal(up_to(mode), 9);
}

TEST(while_it_is_not_allowed_all_loops_ask)
{
    struct keel_mode *mode = fresh();

    keel_mode_set(mode, 100, false);
    team();
    keel_mode_end_team(keel_mode_begin_team(one_region, false, false));
    assert_int_equal(up_to(mode), 0);
    keel_mode_set(mode, 200, false);
    keel_mode_end_team(keel_mode_begin_team(one_region, false, false));
    assert_int_equal(up_to(mode), 0);
    team();
    assert_int_equal(up_to(mode), 200);
}

TEST(a_look_has_the_loops_of_its_region_ask)
{
    struct keel_mode *mine = fresh(), *others = fresh(), *fixed = fresh();

    atomic_store(&mine->region, one_region);
    atomic_store(&others->region, another_region);
    atomic_store(&fixed->region, one_region);
    keel_mode_set(mine, 10, false);
    keel_mode_set(others, 20, false);
    keel_mode_set(fixed, KEEL_MODE_ALWAYS, true);
    team();
    looks(one_region);
    assert_int_equal(up_to(mine), 0);
    assert_int_equal(up_to(others), 20);
    assert_true(keel_mode_divides(fixed, UINT64_MAX));
    team(); /* until it is judged again */
    assert_int_equal(up_to(mine), 0);
    keel_mode_set(mine, 10, false);
    team();
    assert_int_equal(up_to(mine), 10);
}

TEST(a_program_reads_its_loops_mode)
{
    static struct keel_worksharing_loop loop = {&loop.none, 0}, other = {&other.none, 0};
    struct keel_mode *mode = keel_mode_of(&loop);

    assert_non_null(mode);
    assert_ptr_equal(keel_mode_of(&loop), mode);
    assert_ptr_not_equal(keel_mode_of(&other), mode);
    assert_int_equal(*loop.up_to, 0);
    keel_mode_set(mode, 5, false);
    team();
    assert_int_equal(*loop.up_to, 5);
    assert_int_equal(*other.up_to, 0);
    assert_int_equal(loop.none, 0);
}

TEST(a_loop_without_the_plugin_is_known_by_its_site)
{
    static const char code[2];
    const struct keel_call_site place = {&code[0], NULL}, other = {&code[1], NULL};
    struct keel_mode *mode = fresh();

    assert_non_null(keel_site_to_name(&place));
    assert_null(keel_site_mode(&place));
    keel_site_set_mode(&place, mode);
    assert_ptr_equal(keel_site_mode(&place), mode);
    assert_null(keel_site_mode(&other));
    keel_unload_note(); /* another library may be there now */
    assert_null(keel_site_mode(&place));
    assert_non_null(keel_site_to_name(&place)); /* it is the same one */
    assert_ptr_equal(keel_site_mode(&place), mode);
}

/* The parent's teams, in which it does nothing more, are none of the child's. */
TEST(a_child_counts_its_own_teams)
{
    struct keel_mode *mode = fresh();
    unsigned parents = keel_mode_begin_team(one_region, true, false);
    int status;

    keel_mode_set(mode, 3, false);
    pid_t child = fork();
    if (child == 0) {
        team();
        int changed = up_to(mode) == 3;
        keel_mode_end_team(parents);
        keel_mode_set(mode, 4, false);
        unsigned own = keel_mode_begin_team(one_region, true, false);
        changed += up_to(mode) == 4;
        keel_mode_set(mode, 5, false);
        team();
        changed += up_to(mode) == 4;
        keel_mode_end_team(own);
        _exit(changed == 3 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(up_to(mode), 0);
    keel_mode_end_team(parents);
}

/* --- teams that start at once --- */

enum { HOSTS = 4, TEAMS = 3000 };

static struct keel_mode *shared;
static unsigned long plain; /* as the mode, read and written without any lock */

static void *starts_teams(void *seed)
{
    unsigned draw = *(unsigned *)seed;

    for (int i = 0; i < TEAMS; i++) {
        draw = draw * 1664525 + 1013904223;
        keel_mode_set(shared, draw >> 8 & 3, false);
        unsigned begun = keel_mode_begin_team(one_region, true, false);
        unsigned long first = up_to(shared);
        if (draw >> 24 < 16) {
            sched_yield();
        }
        for (unsigned k = 0; k < draw >> 28; k++) {
            if (up_to(shared) != first) {
                plain++;
            }
        }
        if (draw >> 20 & 1) {
            keel_mode_change_within(true);
        }
        keel_mode_end_team(begun);
    }
    return NULL;
}

TEST(no_team_sees_a_change)
{
    pthread_t host[HOSTS];
    unsigned seed[HOSTS];

    shared = fresh();
    for (unsigned h = 0; h < HOSTS; h++) {
        seed[h] = 1 + 77 * h;
        assert_int_equal(pthread_create(&host[h], NULL, starts_teams, &seed[h]), 0);
    }
    for (unsigned h = 0; h < HOSTS; h++) {
        pthread_join(host[h], NULL);
    }
    assert_int_equal(plain, 0);
    keel_mode_set(shared, 1000, false); /* and none is left in the count */
    team();
    assert_int_equal(up_to(shared), 1000);
}

/* --- which lengths of short loops are settled by trials, and which are scheduled --- */

enum { THREADS = 2, ENOUGH = 5 };

static struct keel_policy wanted;
static struct keel_settled_site sites[20];
static struct keel_policy policies[20];

/* The policy of a site that the next test begins with: iterations of 10 ns, claims of 100 ns. */
static const struct keel_policy *fresh_settled(void)
{
    static unsigned used;
    struct keel_settled_site *site = &sites[used];
    const struct keel_settled_site facts = {
        .iteration_ns = 10, .claim_ns = 100, .chunks = 0.01, .start_ns = 100, .threads = THREADS};

    keel_settled_begin(site, &wanted);
    keel_settled_measured(site, &facts);
    policies[used].settled_site = site;
    return &policies[used++];
}

static const struct keel_policy *propose(const struct keel_policy *policy, uint64_t iterations,
                                         bool recheck)
{
    return keel_settled_propose(policy, &policy->settled_site->own, THREADS, iterations, recheck);
}

/* As many trials as it takes: even ones, or ones in which the last thread ends far behind. */
static void learn(const struct keel_policy *policy, uint64_t iterations, bool even, unsigned times)
{
    double last_ns = 1000;

    for (unsigned i = 0; i < times; i++) {
        assert_ptr_equal(propose(policy, iterations, i == 0), &policy->settled_site->trial);
        keel_settled_learn(policy->settled_site, THREADS, iterations, last_ns,
                           even ? last_ns : last_ns / 10, 50);
    }
}

static unsigned long due(const struct keel_policy *policy)
{
    return atomic_load(&policy->settled_site->own.due);
}

TEST(what_has_not_been_measured_is_scheduled)
{
    static struct keel_settled_site site;
    static struct keel_policy policy = {.settled_site = &site};

    keel_settled_begin(&site, &wanted);
    assert_ptr_equal(propose(&policy, 50, false), &policy);
    assert_ptr_equal(propose(fresh_settled(), 50, false)->trial, &sites[0]);
}

TEST(a_team_of_one_and_long_loops_are_not_tried)
{
    const struct keel_policy *policy = fresh_settled();

    assert_ptr_equal(keel_settled_propose(policy, &policy->settled_site->own, 1, 50, true), policy);
    assert_ptr_equal(propose(policy, 12001, true), policy); /* 60 us a thread */
    assert_ptr_equal(propose(policy, 11999, false), &policy->settled_site->trial);
}

TEST(even_loops_are_settled_with_all_that_are_shorter)
{
    const struct keel_policy *policy = fresh_settled();

    learn(policy, 50, true, ENOUGH - 1);
    assert_int_equal(due(policy), 0);
    learn(policy, 40, true, 1); /* of the same length */
    assert_int_equal(due(policy), 63);
    assert_ptr_equal(propose(policy, 63, false), &policy->settled_site->untimed);
    assert_ptr_equal(propose(policy, 3, false), &policy->settled_site->untimed);
    assert_ptr_equal(propose(policy, 64, false), &policy->settled_site->trial);
}

TEST(uneven_loops_are_scheduled_with_all_that_are_longer)
{
    const struct keel_policy *policy = fresh_settled();

    learn(policy, 200, false, ENOUGH);
    assert_int_equal(due(policy), 0);
    assert_ptr_equal(propose(policy, 128, false), policy);
    assert_ptr_equal(propose(policy, 5000, false), policy);
    assert_ptr_equal(propose(policy, 127, false), &policy->settled_site->trial);
}

TEST(what_is_in_between_is_tried_one_length_at_a_time)
{
    const struct keel_policy *policy = fresh_settled();

    learn(policy, 10, true, ENOUGH);
    learn(policy, 1000, false, ENOUGH);
    assert_int_equal(due(policy), 15);
    assert_ptr_equal(propose(policy, 100, false), &policy->settled_site->trial);
    assert_ptr_equal(propose(policy, 200, false), policy);
    learn(policy, 100, true, ENOUGH);
    assert_int_equal(due(policy), 127);
    assert_ptr_equal(propose(policy, 200, false), &policy->settled_site->trial);
    assert_ptr_equal(propose(policy, 512, false), policy);
}

TEST(a_recheck_may_undo_either)
{
    const struct keel_policy *policy = fresh_settled();

    learn(policy, 50, true, ENOUGH);
    assert_ptr_equal(propose(policy, 50, true), &policy->settled_site->trial);
    learn(policy, 50, false, ENOUGH);
    assert_int_equal(due(policy), 31);
    assert_ptr_equal(propose(policy, 50, false), policy);
    learn(policy, 50, true, ENOUGH);
    assert_int_equal(due(policy), 63);
    assert_ptr_equal(propose(policy, 50, false), &policy->settled_site->untimed);
}

TEST(trials_that_do_not_go_on_make_room)
{
    const struct keel_policy *policy = fresh_settled();

    learn(policy, 50, true, ENOUGH - 1);
    assert_ptr_equal(propose(policy, 400, true), policy);
    assert_ptr_equal(propose(policy, 50, false), &policy->settled_site->trial);
    learn(policy, 50, true, 0);
    assert_ptr_equal(propose(policy, 400, true), &policy->settled_site->trial);
    learn(policy, 400, true, ENOUGH - 1); /* those of the other length do not count */
    assert_int_equal(due(policy), 0);
    learn(policy, 400, true, 1);
    assert_int_equal(due(policy), 511);
}

TEST(a_look_that_comes_to_nothing_is_undone)
{
    const struct keel_policy *policy = fresh_settled();
    struct keel_mode *mode = &policy->settled_site->own;

    learn(policy, 50, true, ENOUGH);
    atomic_store(&mode->due, 0); /* as a look does */
    assert_ptr_equal(propose(policy, 50, false), &policy->settled_site->untimed);
    assert_int_equal(due(policy), 63);
}

TEST(teams_of_another_size_do_not_count)
{
    const struct keel_policy *policy = fresh_settled();

    learn(policy, 50, true, 1);
    for (int i = 0; i < 2 * ENOUGH; i++) {
        keel_settled_learn(policy->settled_site, 3, 50, 1000, 1000, 50);
    }
    assert_int_equal(due(policy), 0);
    learn(policy, 50, true, ENOUGH - 1);
    assert_int_equal(due(policy), 63);
}

/* --- names of loop sites: of the functions around a loop, the one that people write --- */

static const char *name_of(unsigned count, const char *const *name)
{
    static struct keel_source source;

    source = (struct keel_source){.name_count = count};
    for (unsigned i = 0; i < count; i++) {
        snprintf(source.names[i], sizeof source.names[i], "%s", name[i]);
    }
    return keel_site_function(&source);
}

TEST(symbols_give_way_to_names)
{
    assert_string_equal(name_of(2, (const char *[]){"_ZN2ns6renderEv", "ns::render"}),
                        "ns::render");
    assert_string_equal(name_of(2, (const char *[]){"__grid_MOD_sweep", "sweep"}), "sweep");
    assert_string_equal(name_of(3, (const char *[]){"_Z4workv", "__x", "main"}), "main");
}

TEST(the_innermost_name_is_taken)
{
    assert_string_equal(name_of(2, (const char *[]){"render", "main"}), "render");
    assert_string_equal(name_of(2, (const char *[]){"_render", "main"}), "_render");
    assert_string_equal(name_of(2, (const char *[]){"render", "_Z4workv"}), "render");
}

TEST(a_symbol_is_better_than_nothing)
{
    assert_string_equal(name_of(2, (const char *[]){"_Z4workv", "__y"}), "_Z4workv");
    assert_string_equal(name_of(1, (const char *[]){"__grid_MOD_sweep"}), "__grid_MOD_sweep");
    assert_string_equal(name_of(0, NULL), "");
}
