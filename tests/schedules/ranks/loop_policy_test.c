/* Schedules of ranks: what a person may write, what is made of mistakes, and what Keel writes
 * back. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "schedules/loop/registry.h"
#include "schedules/ranks/policies.h"
#include "tests/support/unit.h"

static struct keel_ranks_schedule assert_reads(const char *text, const char *problem,
                                               const char *canonical)
{
    struct keel_ranks_schedule schedule;
    char got[KEEL_PROBLEM_MAX], written[KEEL_SPEC_TEXT_MAX];

    if (!keel_ranks_schedule_read(text, &schedule, got)) {
        fail_msg("'%s' is unreadable: %s", text, got);
    }
    assert_string_equal(got, problem);
    keel_ranks_schedule_write(&schedule, written, sizeof written);
    assert_string_equal(written, canonical);
    return schedule;
}

/* --- good schedules --- */

static const char *const good[][2] = {
    {"tree", "tree"},
    {"RATE", "rate"},
    {" steal ", "steal"},
    {"nonmonotonic:tree", "tree"},
    {"tree,16", "tree,16"},
    {"tree:16", "tree,16"},
    {"tree:min=16", "tree,16"},
    {"tree:gamma=0.5", "tree:gamma=0.5"},
    {"tree:gamma=1", "tree:gamma=1"},
    {"tree:Gamma=Ratio", "tree:gamma=ratio"},
    {"diffuse:gamma=ratio,min=2", "diffuse:min=2,gamma=ratio"},
    {"tree : gamma = .25 , min = 3", "tree,3:gamma=0.25"},
    {"tree,3:GAMMA=1e-3", "tree,3:gamma=0.001"},
    {"steal,9223372036854775807", "steal,9223372036854775807"},
    {"diffuse", "diffuse"},
    {"diffuse,8", "diffuse,8"},
    {"diffuse,4", "diffuse"},
    {"diffuse:neighbours=16", "diffuse,16"},
    {"diffuse,1:min=2", "diffuse,1:min=2"},
    {"diffuse:gamma=0.5,min=2", "diffuse:min=2,gamma=0.5"},
    {"tree:shares=equal", "tree:shares=equal"},
    {"tree:shares=Rates", "tree"},
    {"rate:shares=equal,gamma=0.5", "rate:gamma=0.5,shares=equal"},
    {"diffuse:shares=equal,min=2", "diffuse:min=2,shares=equal"},
    {"tree:links=Paths,order=lowest", "tree:links=paths,order=lowest"},
    {"rate:order=lowest,links=one-way,shares=equal",
     "rate:shares=equal,links=one-way,order=lowest"},
    {"tree,2:links=all,order=turns", "tree,2"},
    {"rate:min=1", "rate,1"},
    {"gss", "gss"},
    {"guided,4", "gss,4"},
    {"fac:mu=120,sigma=30", "fac:mu=120,sigma=30"},
    {"awf-b", "awf-b"},
    {"static_steal", "steal"}, /* the loop schedule */
};

TEST(reads_what_is_right)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_reads(good[i][0], "", good[i][1]);
        assert_reads(good[i][1], "", good[i][1]);
    }
}

TEST(tells_policies_and_loop_schedules_apart)
{
    struct keel_ranks_schedule schedule = assert_reads("steal,3", "", "steal,3");

    assert_int_equal(schedule.kind, KEEL_RANKS_STEAL);
    assert_null(schedule.spec.schedule);
    assert_int_equal(schedule.spec.value[KEEL_MIN].count, 3);
    schedule = assert_reads("rate:gamma=0.25", "", "rate:gamma=0.25");
    assert_int_equal(schedule.kind, KEEL_RANKS_RATE);
    assert_int_equal(schedule.spec.value[KEEL_MIN].count, 1);
    assert_true(schedule.gamma == 0.25);
    schedule = assert_reads("diffuse,7", "", "diffuse,7");
    assert_int_equal(schedule.kind, KEEL_RANKS_DIFFUSE);
    assert_int_equal(schedule.neighbours, 7);
    schedule = assert_reads("fac2,16", "", "fac2,16");
    assert_int_equal(schedule.kind, KEEL_RANKS_LOOP_SCHEDULE);
    assert_ptr_equal(schedule.spec.schedule, &keel_schedule_fac2);
    assert_int_equal(schedule.spec.value[KEEL_MIN].count, 16);
    schedule = keel_ranks_schedule_standard();
    assert_int_equal(schedule.kind, KEEL_RANKS_RATE);
    assert_int_equal(schedule.spec.value[KEEL_MIN].count, 1);
    assert_true(schedule.gamma == 0);
}

TEST(knows_every_loop_schedule)
{
    struct keel_ranks_schedule schedule;
    char problem[KEEL_PROBLEM_MAX];

    for (const struct keel_schedule *const *known = keel_registry; *known != NULL; known++) {
        assert_true(keel_ranks_schedule_read((*known)->name, &schedule, problem));
        bool ours = strcmp((*known)->name, "steal") == 0 || strcmp((*known)->name, "rate") == 0;
        assert_int_equal(schedule.kind == KEEL_RANKS_LOOP_SCHEDULE, !ours);
        assert_true(ours || schedule.spec.schedule == *known);
    }
}

/* --- mistakes --- */

static const struct {
    const char *text, *problem, *canonical;
} mended[] = {
    {"tree:gama=0.5", "tree has no parameter 'gama', nearest is 'gamma'; ignored", "tree"},
    {"diffuse:neighbors=3",
     "diffuse has no parameter 'neighbors', nearest is 'neighbours'; ignored", "diffuse"},
    {"tree:shares=some", "shares 'some' is not equal or rates; using rates", "tree"},
    {"tree:links=some", "links 'some' is not all, paths or one-way; using all", "tree"},
    {"tree:order=up", "order 'up' is not turns or lowest; using turns", "tree"},
    {"steal:links=paths", "steal has no parameter 'links'; ignored", "steal"},
    {"tree:gamma=0", "gamma '0' is not a number above 0 and up to 1, or ratio; going by throughput",
     "tree"},
    {"tree:gamma=1.01",
     "gamma '1.01' is not a number above 0 and up to 1, or ratio; going by throughput", "tree"},
    {"tree:gamma=nan",
     "gamma 'nan' is not a number above 0 and up to 1, or ratio; going by throughput", "tree"},
    {"tree:gamma=-1",
     "gamma '-1' is not a number above 0 and up to 1, or ratio; going by throughput", "tree"},
    {"tree:gamma=", "gamma '' is not a number above 0 and up to 1, or ratio; going by throughput",
     "tree"},
    {"tree:gamma=0,5",
     "gamma '0' is not a number above 0 and up to 1, or ratio; going by throughput", "tree,5"},
    {"steal,0", "min '0' is not a whole number from 1 to 9223372036854775807; using 1", "steal"},
    {"steal,9223372036854775808",
     "min '9223372036854775808' is not a whole number from 1 to 9223372036854775807; using 1",
     "steal"},
    {"steal,", "min '' is not a whole number from 1 to 9223372036854775807; using 1", "steal"},
    {"steal,2,3", "steal takes at most 1 value by position; '3' is ignored", "steal,2"},
    {"steal,2:min=3", "min is given twice; the first is used", "steal,2"},
    {"diffuse,17", "neighbours '17' is not a whole number from 1 to 16; using 4", "diffuse"},
    {"diffuse,2x", "neighbours '2x' is not a whole number from 1 to 16; using 4", "diffuse"},
    {"monotonic:tree,2", "tree knows no order among ranks; monotonic is ignored", "tree,2"},
    {"gss,0", "min '0' is not a whole number from 1 to 9223372036854775807; using 1", "gss"},
};

TEST(mends_parameters)
{
    for (size_t i = 0; i < sizeof mended / sizeof mended[0]; i++) {
        assert_reads(mended[i].text, mended[i].problem, mended[i].canonical);
    }
}

static const char *const unknown[][2] = {
    {"tre", "unknown schedule 'tre', nearest is 'tree'"},
    {"difuse,4", "unknown schedule 'difuse', nearest is 'diffuse'"},
    {"guidde", "unknown schedule 'guidde', nearest is 'guided'"},
    {"stael", "unknown schedule 'stael', nearest is 'steal'"},
    {"monotonic:raet:min=3", "unknown schedule 'raet', nearest is 'rate'"},
};

TEST(leaves_the_schedule_alone_when_unknown)
{
    struct keel_ranks_schedule schedule = keel_ranks_schedule_standard(), before = schedule;
    char problem[KEEL_PROBLEM_MAX];

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_false(keel_ranks_schedule_read(unknown[i][0], &schedule, problem));
        assert_string_equal(problem, unknown[i][1]);
        assert_memory_equal(&schedule, &before, sizeof schedule);
    }
    assert_false(keel_ranks_schedule_read("", &schedule, problem));
    assert_false(keel_ranks_schedule_read(",", &schedule, problem));
}

TEST(describes_each_policy)
{
    for (const struct keel_policy_entry *policy = keel_ranks_policies; policy->name != NULL;
         policy++) {
        struct keel_ranks_schedule schedule = assert_reads(policy->name, "", policy->name);
        assert_int_equal(schedule.kind, policy - keel_ranks_policies);
        assert_memory_equal(policy->form, policy->name, strlen(policy->name));
        assert_true(policy->summary[0] != '\0' && policy->use[0] != '\0');
        assert_true(policy->source[0] != '\0');
    }
}
