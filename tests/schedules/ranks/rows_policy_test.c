/* How rows are balanced: what a person may write, what it means, and what is made of mistakes. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "schedules/ranks/policies.h"
#include "tests/support/turkish_locale.h"
#include "tests/support/unit.h"

static struct keel_rows_policy assert_reads(const char *text, const char *problem)
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
    assert_int_equal(a->every_hook, b->every_hook);
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
            .every_hook = shake,
        };
        struct keel_rows_policy got = assert_reads(known[i].name, "");
        assert_same(&got, &wanted);
    }
    assert_int_equal(assert_reads("off", "").decider, KEEL_ROWS_DECIDER_NONE);
}

TEST(stands_for_auto_without_a_word)
{
    struct keel_rows_policy standard = keel_rows_policy_standard();
    struct keel_rows_policy stated = assert_reads("auto", "");

    assert_same(&standard, &stated);
}

TEST(leaves_it_to_rank_0_among_many)
{
    static const struct {
        const char *policy;
        uint32_t last; /* ranks that all decide; 0: there are none */
    } known[] = {{"auto", 256},
                 {"tree", 256},
                 {"random", 256},
                 {"auto:central=2", 1},
                 {"diffusion:central=4294967295", 4294967294},
                 {"auto:central=inf", UINT32_MAX},
                 {"rate-local", UINT32_MAX},
                 {"shake", UINT32_MAX},
                 {"rate", 0},
                 {"auto:central=1", 0}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct keel_rows_policy policy = assert_reads(known[i].policy, "");
        uint32_t last = known[i].last;
        if (last > 0) {
            assert_int_equal(keel_rows_policy_decider(&policy, last), KEEL_ROWS_DECIDER_ALL);
        }
        if (last < UINT32_MAX) {
            assert_int_equal(keel_rows_policy_decider(&policy, last + 1), KEEL_ROWS_DECIDER_RANK_0);
        }
    }
    struct keel_rows_policy off = assert_reads("off", "");
    assert_int_equal(keel_rows_policy_decider(&off, UINT32_MAX), KEEL_ROWS_DECIDER_NONE);
}

TEST(describes_each_policy)
{
    const struct keel_policy_entry *policy = keel_rows_policies;

    for (; policy->name != NULL; policy++) {
        assert_reads(policy->name, "");
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

    wanted = assert_reads("rate-local", "");
    wanted.rules.gain = 0.05;
    wanted.rules.greatly = 1.5;
    wanted.period_s = 2.5;
    wanted.quantum_s = 0.1;
    wanted.filter = false;
    wanted.pipelined = false;
    got = assert_reads("rate-local:gain=0.05,greatly=1.5,period=2.5,quantum=100,filter=no,"
                       "pipelined=no",
                       "");
    assert_same(&got, &wanted);

    wanted = assert_reads("random", "");
    wanted.rules.threshold = 1.1;
    wanted.rules.alpha = 0.5;
    wanted.rules.graph = KEEL_GRAPH_MESH;
    wanted.rules.seed = 18446744073709551615u;
    got = assert_reads("random:w=1.1,alpha=.5,graph=mesh,seed=18446744073709551615", "");
    assert_same(&got, &wanted);
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
            struct keel_rows_policy standard = assert_reads(taken[i].policy, ""), got;
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

static const char *const alike[][2] = {
    {"rate-local", "RATE-LOCAL"},
    {"rate-local", " rate-local "},
    {"rate-local:gain=0.25,period=1", "rate-local,GAIN = 0.25 : period = 1e0"},
    {"tree:gain=0", "tree:gain=0.0"},
    {"tree:gain=1", "tree:gain=1."},
    {"rate:filter=no", "rate:filter=No"},
    {"rate:pipelined=yes", "rate"},
    {"rate:period=0,quantum=4,greatly=1,gain=0.05", "rate"},
    {"rate:greatly=INF", "rate:greatly=inf"},
    {"rate:profit=keel", "rate"},
    {"tree:profit=Published,greatly=2", "tree:greatly=2,profit=published"},
    {"diffusion:graph=all,w=1", "diffusion:w=1.0,graph=ALL"},
    {"diffusion:graph=ring", "diffusion"},
    {"redistribute:graph=all", "redistribute"},
    {"random:alpha=1,seed=0", "random:seed=00,alpha=1.0"},
};

TEST(reads_in_any_order_and_case)
{
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
        struct keel_rows_policy one = assert_reads(alike[i][0], "");
        struct keel_rows_policy other = assert_reads(alike[i][1], "");
        assert_same(&one, &other);
    }
    assert_true(assert_reads("rate:greatly=inf", "").rules.greatly == INFINITY);
    assert_true(assert_reads("tree:gain=0", "").rules.gain == 0);
}

/* --- mistakes --- */

/* The last is what it reads as. */
static const char *const mended[][3] = {
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
    {"random:w=0.99", "w '0.99' is not a number from 1 up; using what was best in the paper",
     "random"},
    {"random:w=inf", "w 'inf' is not a number from 1 up; using what was best in the paper",
     "random"},
    {"random:alpha=0",
     "alpha '0' is not a number above 0 and up to 1; using what was best in the paper", "random"},
    {"random:alpha=1.5",
     "alpha '1.5' is not a number above 0 and up to 1; using what was best in the paper", "random"},
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

TEST(mends_parameters)
{
    for (size_t i = 0; i < sizeof mended / sizeof mended[0]; i++) {
        struct keel_rows_policy got = assert_reads(mended[i][0], mended[i][1]);
        struct keel_rows_policy wanted = assert_reads(mended[i][2], "");
        assert_same(&got, &wanted);
    }
}

static const char *const unknown[][2] = {
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
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_false(keel_rows_policy_read(unknown[i][0], &balancing, problem));
        assert_string_equal(problem, unknown[i][1]);
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
    struct keel_rows_policy got = assert_reads("DIFFUSION:FILTER=no,W=1.25,GRAPH=RING", "");
    assert_true(got.rules.threshold == 1.25 && !got.filter);
    assert_turkish_locale();
}
