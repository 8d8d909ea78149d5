/* What a person may write about loops, rows and objects of ranks, and what is made of mistakes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedules/loop/registry.h"
#include "schedules/ranks/policies.h"
#include "tests/support/unit.h"

/* --- loops: schedules of ranks: what a person may write, what is made of mistakes, and what
 * Keel writes back --- */

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
        assert_null(schedule.spec.schedule);
        assert_int_equal(schedule.spec.value[KEEL_MIN].count, 1);
        assert_memory_equal(policy->form, policy->name, strlen(policy->name));
        assert_true(policy->summary[0] != '\0' && policy->use[0] != '\0');
        assert_true(policy->source[0] != '\0');
    }
}

/* --- rows: how rows are balanced: what a person may write, what it means, and what is made of
 * mistakes --- */

static struct keel_rows_policy assert_reads_rows(const char *text, const char *problem)
{
    struct keel_rows_policy balancing;
    char got[KEEL_PROBLEM_MAX];

    if (!keel_rows_policy_read(text, &balancing, got)) {
        fail_msg("'%s' is unreadable: %s", text, got);
    }
    assert_string_equal(got, problem);
    return balancing;
}

static void assert_same(const struct keel_rows_policy *a, const struct keel_rows_policy *b)
{
    assert_int_equal(a->decider, b->decider);
    assert_true(a->central == b->central);
    assert_int_equal(a->rules.kind, b->rules.kind);
    assert_int_equal(a->rules.graph, b->rules.graph);
    assert_true(a->rules.threshold == b->rules.threshold);
    assert_true(a->rules.alpha == b->rules.alpha);
    assert_true(a->rules.gain == b->rules.gain);
    assert_true(a->rules.greatly == b->rules.greatly);
    assert_int_equal(a->rules.published, b->rules.published);
    assert_int_equal(a->rules.adjacent, b->rules.adjacent);
    assert_true(a->rules.seed == b->rules.seed);
    assert_true(a->period_s == b->period_s);
    assert_true(a->quantum_s == b->quantum_s);
    assert_int_equal(a->filter, b->filter);
    assert_int_equal(a->pipelined, b->pipelined);
    assert_int_equal(a->every_call, b->every_call);
}

/* --- policies --- */

TEST(knows_what_is_behind_each_policy)
{
    static const struct {
        const char *name;
        enum keel_rows_decider decider;
        enum keel_decide_kind kind;
        enum keel_graph graph; /* where it takes one */
    } known[] = {
        {"auto", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
        {"rate-local", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
        {"rate", KEEL_ROWS_DECIDER_RANK_0, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
        {"random", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_RANDOM, KEEL_GRAPH_RING},
        {"diffusion", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_DIFFUSION, KEEL_GRAPH_RING},
        {"redistribute", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_REDISTRIBUTION, KEEL_GRAPH_ALL},
        {"gradient", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_GRADIENT, KEEL_GRAPH_RING},
        {"tree", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_TREE, KEEL_GRAPH_ALL},
        {"shake", KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_SHAKE, KEEL_GRAPH_ALL},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bool shake = known[i].kind == KEEL_DECIDE_BY_SHAKE;
        bool always = shake || strncmp(known[i].name, "rate", 4) == 0;
        struct keel_rows_policy wanted = {
            .decider = known[i].decider,
            .central = always ? UINT64_MAX : 257,
            .rules = {.kind = known[i].kind,
                      .graph = known[i].graph,
                      .gain = 0.05,
                      .greatly = shake ? INFINITY : 1,
                      .seed = 1},
            .quantum_s = 0.004,
            .filter = !shake,
            .pipelined = !shake,
            .every_call = shake,
        };
        struct keel_rows_policy got = assert_reads_rows(known[i].name, "");
        assert_same(&got, &wanted);
    }
    assert_int_equal(assert_reads_rows("off", "").decider, KEEL_ROWS_DECIDER_NONE);
}

TEST(stands_for_auto_without_a_word)
{
    struct keel_rows_policy standard = keel_rows_policy_standard();
    struct keel_rows_policy stated = assert_reads_rows("auto", "");

    assert_same(&standard, &stated);
}

TEST(leaves_it_to_rank_0_among_many)
{
    static const struct {
        const char *policy;
        uint32_t last; /* ranks that all decide; 0: there are none */
    } known[] =
        LIST({"auto", 256}, {"tree", 256}, {"random", 256}, {"auto:central=2", 1},
             {"diffusion:central=4294967295", 4294967294}, {"auto:central=inf", UINT32_MAX},
             {"rate-local", UINT32_MAX}, {"shake", UINT32_MAX}, {"rate", 0}, {"auto:central=1", 0});

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct keel_rows_policy policy = assert_reads_rows(known[i].policy, "");
        uint32_t last = known[i].last;
        if (last > 0) {
            assert_int_equal(keel_rows_policy_decider(&policy, last), KEEL_ROWS_DECIDER_ALL);
        }
        if (last < UINT32_MAX) {
            assert_int_equal(keel_rows_policy_decider(&policy, last + 1), KEEL_ROWS_DECIDER_RANK_0);
        }
    }
    struct keel_rows_policy off = assert_reads_rows("off", "");
    assert_int_equal(keel_rows_policy_decider(&off, UINT32_MAX), KEEL_ROWS_DECIDER_NONE);
}

TEST(describes_each_policy_of_rows)
{
    const struct keel_policy_entry *policy = keel_rows_policies;

    for (; policy->name != NULL; policy++) {
        assert_reads_rows(policy->name, "");
        assert_memory_equal(policy->form, policy->name, strlen(policy->name));
        assert_true(policy->summary[0] != '\0' && policy->use[0] != '\0');
        assert_true(policy->source[0] != '\0');
    }
    assert_int_equal(policy - keel_rows_policies, 10);
}

/* --- parameters --- */

TEST(sets_each_parameter)
{
    struct keel_rows_policy got, wanted;

    wanted = assert_reads_rows("rate-local", "");
    wanted.rules.gain = 0.05;
    wanted.rules.greatly = 1.5;
    wanted.period_s = 2.5;
    wanted.quantum_s = 0.1;
    wanted.filter = false;
    wanted.pipelined = false;
    wanted.rules.published = true;
    got = assert_reads_rows("rate-local:gain=0.05,greatly=1.5,period=2.5,quantum=100,filter=no,"
                            "pipelined=no,profit=published",
                            "");
    assert_same(&got, &wanted);

    wanted = assert_reads_rows("random", "");
    wanted.rules.threshold = 1.1;
    wanted.rules.alpha = 0.5;
    wanted.rules.graph = KEEL_GRAPH_MESH;
    wanted.rules.seed = 18446744073709551615u;
    got = assert_reads_rows("random:w=1.1,alpha=.5,graph=mesh,seed=18446744073709551615", "");
    assert_same(&got, &wanted);
    assert_true(assert_reads_rows("rate:greatly=inf", "").rules.greatly == INFINITY);
    assert_true(assert_reads_rows("tree:gain=0", "").rules.gain == 0);
}

/* Of each parameter, in the order of the list below, and which policies take it. */
static const char *const values[][2] = {
    {"gain", "0.5"},     {"w", "2"},       {"alpha", "0.5"},        {"graph", "mesh"},
    {"seed", "7"},       {"period", "10"}, {"quantum", "8"},        {"filter", "no"},
    {"pipelined", "no"}, {"greatly", "3"}, {"profit", "published"}, {"central", "40"}};

static const struct {
    const char *policy, *takes; /* a letter of each */
} taken[] = {{"auto", "     pqfPGSc"},      {"rate-local", "g    pqfPGS "},
             {"rate", "g    pqfPGS "},      {"random", " wahspqfPGSc"},
             {"diffusion", " w h pqfPGSc"}, {"redistribute", " w h pqfPGSc"},
             {"gradient", " w h pqfPGSc"},  {"tree", "g    pqfPGSc"},
             {"shake", "    s       "},     {"off", "            "}};

TEST(takes_parameters_where_they_mean_something)
{
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            struct keel_rows_policy standard = assert_reads_rows(taken[i].policy, ""), got;
            char text[80], problem[KEEL_PROBLEM_MAX];
            snprintf(text, sizeof text, "%s:%s=%s", taken[i].policy, values[j][0], values[j][1]);
            assert_true(keel_rows_policy_read(text, &got, problem));
            bool takes = taken[i].takes[j] != ' ';
            bool changed = memcmp(&got.rules, &standard.rules, sizeof got.rules) != 0 ||
                           got.period_s != standard.period_s || got.central != standard.central ||
                           got.quantum_s != standard.quantum_s || got.filter != standard.filter ||
                           got.pipelined != standard.pipelined;
            if (takes != changed || takes != (problem[0] == '\0')) {
                fail_msg("'%s': %s", text, problem);
            }
        }
    }
}

/* --- mistakes --- */

/* The last is what it reads as. */
static const char *const mended_rows[][3] = {
    {"rate:gian=0.5", "rate has no parameter 'gian', nearest is 'gain'; ignored", "rate"},
    {"rate:pipeline=no", "rate has no parameter 'pipeline', nearest is 'pipelined'; ignored",
     "rate"},
    {"auto:gain=0.5,period=1", "auto has no parameter 'gain'; ignored", "auto:period=1"},
    {"shake:w=1", "shake has no parameter 'w'; ignored", "shake"},
    {"off:period=1", "off has no parameters; 'period' is ignored", "off"},
    {"off,3", "off takes no values by position; '3' is ignored", "off"},
    {"rate,0.5,gain=0.2", "rate takes no values by position; '0.5' is ignored", "rate:gain=0.2"},
    {"rate,", "rate takes no values by position; '' is ignored", "rate"},
    {"rate:gain=0.2,gain=0.3", "gain is given twice; the first is used", "rate:gain=0.2"},
    {"rate:gain=0.100000000000000000000000000000000000001",
     "gain '0.10000000000000000000000000000000000000' is not a number from 0 to 1; using 0.05",
     "rate"},
    {"rate:gain=1.01", "gain '1.01' is not a number from 0 to 1; using 0.05", "rate"},
    {"rate:gain=-0.1", "gain '-0.1' is not a number from 0 to 1; using 0.05", "rate"},
    {"rate:greatly=0", "greatly '0' is not a number above 0, or inf; using 1.0", "rate"},
    {"rate:greatly=infinity", "greatly 'infinity' is not a number above 0, or inf; using 1.0",
     "rate"},
    {"rate:period=-1", "period '-1' is not a number from 0 up; using 0", "rate"},
    {"rate:quantum=0", "quantum '0' is not a number above 0; using 4", "rate"},
    {"rate:quantum=1e-323", "quantum '1e-323' is not a number above 0; using 4", "rate"},
    {"rate:filter=1", "filter '1' is not yes or no; using yes", "rate"},
    {"rate:pipelined=off", "pipelined 'off' is not yes or no; using yes", "rate"},
    {"random:w=0.99", "w '0.99' is not a number from 1 up; using the paper's best value", "random"},
    {"random:w=inf", "w 'inf' is not a number from 1 up; using the paper's best value", "random"},
    {"random:alpha=0",
     "alpha '0' is not a number above 0 and up to 1; using the paper's best value", "random"},
    {"random:alpha=1.5",
     "alpha '1.5' is not a number above 0 and up to 1; using the paper's best value", "random"},
    {"diffusion:graph=star", "graph 'star' is not ring, mesh or all; using ring", "diffusion"},
    {"redistribute:graph=rings", "graph 'rings' is not ring, mesh or all; using all",
     "redistribute"},
    {"auto:central=0", "central '0' is not a whole number from 1 to 4294967295, or inf; using 257",
     "auto"},
    {"rate:central=9", "rate has no parameter 'central'; ignored", "rate"},
    {"shake:seed=-1", "seed '-1' is not a whole number from 0 to 18446744073709551615; using 1",
     "shake"},
    {"shake:seed=18446744073709551616",
     "seed '18446744073709551616' is not a whole number from 0 to 18446744073709551615; using 1",
     "shake"},
};

TEST(mends_parameters_of_rows)
{
    allow_exceptions();
    for (size_t i = 0; i < sizeof mended_rows / sizeof mended_rows[0]; i++) {
        struct keel_rows_policy got = assert_reads_rows(mended_rows[i][0], mended_rows[i][1]);
        struct keel_rows_policy wanted = assert_reads_rows(mended_rows[i][2], "");
        assert_same(&got, &wanted);
    }
}

static const char *const unknown_rows[][2] = {
    {"rat", "unknown policy 'rat', nearest is 'rate'"},
    {"rate-locl:gain=0.5", "unknown policy 'rate-locl', nearest is 'rate-local'"},
    {"ratelocal", "unknown policy 'ratelocal', nearest is 'rate-local'"},
    {"difuse", "unknown policy 'difuse'"},
    {"redistribution,w=2", "unknown policy 'redistribution', nearest is 'redistribute'"},
    {"of", "unknown policy 'of', nearest is 'off'"},
    {"rate=0.5", "unknown policy 'rate=0.5', nearest is 'rate'"},
};

TEST(leaves_the_balancing_alone_when_unknown)
{
    struct keel_rows_policy balancing, before;
    char problem[KEEL_PROBLEM_MAX];

    memset(&balancing, 7, sizeof balancing);
    before = balancing;
    for (size_t i = 0; i < sizeof unknown_rows / sizeof unknown_rows[0]; i++) {
        assert_false(keel_rows_policy_read(unknown_rows[i][0], &balancing, problem));
        assert_string_equal(problem, unknown_rows[i][1]);
        assert_memory_equal(&balancing, &before, sizeof balancing);
    }
    assert_false(keel_rows_policy_read("", &balancing, problem));
    assert_false(keel_rows_policy_read(":", &balancing, problem));
}

/* --- any locale --- */

/* A locale of Turkey has a decimal comma and another i. */
TEST_WITH(takes_no_notice_of_the_locale, NULL, back_to_c_locale)
{
    enter_turkish_locale();
    struct keel_rows_policy got = assert_reads_rows("DIFFUSION:FILTER=no,W=1.25,GRAPH=RING", "");
    assert_true(got.rules.threshold == 1.25 && !got.filter);
    assert_turkish_locale();
}

/* --- objects: whom idle ranks ask for objects: what a person may write, what it means, and
 * what is made of mistakes --- */

static struct keel_objects_policy assert_reads_objects(const char *text, const char *problem)
{
    struct keel_objects_policy policy;
    char got[KEEL_PROBLEM_MAX];

    if (!keel_objects_policy_read(text, &policy, got)) {
        fail_msg("'%s' is unreadable: %s", text, got);
    }
    assert_string_equal(got, problem);
    return policy;
}

TEST(knows_all_by_name)
{
    static const struct {
        const char *name;
        enum keel_objects_kind kind;
        bool looks;
    } known[] = {{"steal", KEEL_OBJECTS_STEAL, false}, {"diffuse", KEEL_OBJECTS_DIFFUSE, true},
                 {"tree", KEEL_OBJECTS_TREE, false},   {"prema", KEEL_OBJECTS_PREMA, true},
                 {"shake", KEEL_OBJECTS_SHAKE, false}, {"off", KEEL_OBJECTS_OFF, false}};
    size_t listed = 0;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct keel_objects_policy policy = assert_reads_objects(known[i].name, "");
        assert_int_equal(policy.kind, known[i].kind);
        assert_string_equal(keel_objects_policies[policy.kind].name, known[i].name);
        assert_true(keel_objects_policy_looks(&policy) == known[i].looks);
        assert_int_equal(policy.neighbours, 4);
        assert_int_equal(policy.threshold, 1);
        assert_false(policy.stated);
    }
    while (keel_objects_policies[listed].name != NULL) {
        listed++;
    }
    assert_int_equal(listed, sizeof known / sizeof known[0]);
}

TEST(reads_parameters)
{
    assert_int_equal(assert_reads_objects("diffuse,7", "").neighbours, 7);
    assert_true(assert_reads_objects("diffuse:neighbours=7", "").stated);
    struct keel_objects_policy policy = assert_reads_objects("prema,16:threshold=3", "");
    assert_int_equal(policy.neighbours, 16);
    assert_int_equal(policy.threshold, 3);
    policy = assert_reads_objects("prema:threshold=2,neighbours=1", "");
    assert_int_equal(policy.neighbours, 1);
    assert_int_equal(policy.threshold, 2);
    assert_int_equal(assert_reads_objects("shake:seed=9", "").seed, 9);
}

TEST(mends_parameters_of_objects)
{
    assert_int_equal(
        assert_reads_objects("diffuse,17",
                             "neighbours '17' is not a whole number from 1 to 16; using 4")
            .neighbours,
        4);
    assert_int_equal(
        assert_reads_objects(
            "prema:threshold=0",
            "threshold '0' is not a whole number from 1 to 18446744073709551615; using 1")
            .threshold,
        1);
    assert_int_equal(assert_reads_objects(
                         "shake:seed=-1",
                         "seed '-1' is not a whole number from 0 to 18446744073709551615; using 1")
                         .seed,
                     1);
    assert_reads_objects("steal:threshold=2", "steal has no parameters; 'threshold' is ignored");
}
