/* Reading policies of rows. */
#include "schedules/ranks/policies.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedules/text/text.h"

/* Indices of the tables. */
enum policy {
    AUTO,
    RATE_LOCAL,
    RATE,
    RANDOM,
    DIFFUSION,
    REDISTRIBUTE,
    GRADIENT,
    TREE,
    SHAKE,
    OFF,
    POLICIES
};

#define BY_ANY_FORM "central=..., " COMMON_FORM
#define COMMON_FORM "period=..., quantum=..., filter=..., pipelined=..., greatly=..., profit=...]"

const struct keel_policy_entry keel_rows_policies[] = {
    [AUTO] = {"auto", "auto[:" BY_ANY_FORM,
              "by replay of several policies over the measured rates; with "
              "greatly= or profit=, as rate-local with them",
              "the default, if nothing is known", "Keel"},
    [RATE_LOCAL] = {"rate-local", "rate-local[:gain=..., " COMMON_FORM,
                    "by replay of several policies over the measured rates; with "
                    "gain= or greatly=, in proportion to filtered rates, if the gain is over a "
                    "threshold and pays; every rank decides the same, from one allgather",
                    "iterative programs", "Keel; Siegell & Steenkiste 1997, without a master"},
    [RATE] = {"rate", "rate[:gain=..., " COMMON_FORM,
              "the same, decided by rank 0 from a gather and broadcast", "comparing with the paper",
              "Siegell & Steenkiste 1997"},
    [RANDOM] = {"random", "random[:w=..., alpha=..., graph=..., seed=..., " BY_ANY_FORM,
                "a rank with more than w of its ideal share sends the part alpha of the excess "
                "to a random neighbour",
                "comparing with the paper; KEEL_MPI_ANY", "Franklin & Govindan 1995"},
    [DIFFUSION] =
        {"diffusion", "diffusion[:w=..., graph=..., " BY_ANY_FORM,
         "a rank with more than w of its ideal share among its neighbours fills up those with "
         "less",
         "imbalance between neighbours; cheap movements", "Franklin & Govindan 1995"},
    [REDISTRIBUTE] = {"redistribute", "redistribute[:w=..., graph=..., " BY_ANY_FORM,
                      "if any rank has more than w of its ideal share, all get theirs",
                      "imbalance between distant ranks", "Franklin & Govindan 1995"},
    [GRADIENT] = {"gradient", "gradient[:w=..., graph=..., " BY_ANY_FORM,
                  "a rank with more than w of its ideal share passes the excess on towards the "
                  "nearest rank with less, a neighbour at a time",
                  "comparing; ranks far apart", "Lin & Keller 1987"},
    [TREE] = {"tree", "tree[:gain=..., " BY_ANY_FORM,
              "rows between the partners of a tree that pairs slow ranks with fast ones",
              "ranks of different speed, also many", "Kim & Purtilo 1996"},
    [SHAKE] = {"shake", "shake[:seed=...]",
               "random rows at each balance call, at any cost; the result must not change",
               "testing programs", "Keel"},
    [OFF] = {"off", "off", "rows stay where they are", "measuring what balancing gains", "Keel"},
    [POLICIES] = {0},
};

/* The parts of each policy. */
static const struct {
    enum keel_rows_decider decider;
    enum keel_decide_kind kind;
    enum keel_graph graph;
} behind[POLICIES] = {
    [AUTO] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
    [RATE_LOCAL] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
    [RATE] = {KEEL_ROWS_DECIDER_RANK_0, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
    [RANDOM] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_RANDOM, KEEL_GRAPH_RING},
    [DIFFUSION] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_DIFFUSION, KEEL_GRAPH_RING},
    [REDISTRIBUTE] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_REDISTRIBUTION, KEEL_GRAPH_ALL},
    [GRADIENT] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_GRADIENT, KEEL_GRAPH_RING},
    [TREE] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_TREE, KEEL_GRAPH_ALL},
    [SHAKE] = {KEEL_ROWS_DECIDER_ALL, KEEL_DECIDE_BY_SHAKE, KEEL_GRAPH_ALL},
    [OFF] = {KEEL_ROWS_DECIDER_NONE, KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL},
};

/* --- parameters --- */

static void decide_by_rules(void *balancing)
{
    ((struct keel_rows_policy *)balancing)->replays = false;
}

static void make_seconds(void *balancing)
{
    ((struct keel_rows_policy *)balancing)->quantum_s *= 1e-3;
}

#define BY_RATE (KEEL_BIT(RATE_LOCAL) | KEEL_BIT(RATE) | KEEL_BIT(TREE))
#define BY_SURPLUS \
    (KEEL_BIT(RANDOM) | KEEL_BIT(DIFFUSION) | KEEL_BIT(REDISTRIBUTE) | KEEL_BIT(GRADIENT))
#define COMMON (KEEL_BIT(AUTO) | BY_RATE | BY_SURPLUS)
#define BY_ANY (KEEL_BIT(AUTO) | KEEL_BIT(TREE) | BY_SURPLUS)
#define SPELT(number) SPELT_OUT(number)
#define SPELT_OUT(number) #number
#define AT(member) KEEL_FIELD_AT(struct keel_rows_policy, member)
#define BEST "using the paper's best value"

const struct keel_parameters_entry keel_rows_policy_parameters[] = {
    {"gain", BY_RATE, 0, KEEL_REAL_FIELD(AT(rules.gain), 0, 1, .then = decide_by_rules),
     "a number from 0 to 1", "using " SPELT(KEEL_DECIDE_GAIN),
     "the part of the time that moving has to save"},
    {"w", BY_SURPLUS, 0, KEEL_REAL_FIELD(AT(rules.threshold), 1, DBL_MAX), "a number from 1 up",
     BEST, "a rank sends rows only if it has this many times its ideal share"},
    {"alpha", KEEL_BIT(RANDOM), 0, KEEL_REAL_FIELD(AT(rules.alpha), DBL_TRUE_MIN, 1),
     "a number above 0 and up to 1", BEST, "the part of the excess that is sent"},
    {"graph", KEEL_BIT(RANDOM) | KEEL_BIT(DIFFUSION) | KEEL_BIT(GRADIENT), 0,
     KEEL_WORD_FIELD(AT(rules.graph)), "ring, mesh or all", "using ring",
     "which ranks are neighbours"},
    {"graph", KEEL_BIT(REDISTRIBUTE), 0, KEEL_WORD_FIELD(AT(rules.graph)), "ring, mesh or all",
     "using all", "which ranks are neighbours, under redistribute"},
    {"seed", KEEL_BIT(RANDOM) | KEEL_BIT(SHAKE), 0, KEEL_WHOLE_FIELD(AT(rules.seed), 0, UINT64_MAX),
     "a whole number from 0 to 18446744073709551615", "using " SPELT(KEEL_DECIDE_SEED),
     "seed of the random numbers; the same on all ranks"},
    {"central", BY_ANY, 0,
     KEEL_WHOLE_FIELD(AT(central), 1, UINT32_MAX, .word = "inf", .value.count = UINT64_MAX),
     "a whole number from 1 to 4294967295, or inf", "using " SPELT(KEEL_ROWS_CENTRAL),
     "from this number of ranks on, rank 0 decides, which takes the others no memory and one "
     "message more; inf: every rank decides the same, for any number of ranks"},
    {"period", COMMON, 0, KEEL_REAL_FIELD(AT(period_s), 0, DBL_MAX), "a number from 0 up",
     "using 0",
     "time from one exchange of rates to the next, s; 0: by the cost of exchanges and movements, "
     "at least ten quanta"},
    {"quantum", COMMON, 0,
     KEEL_REAL_FIELD(AT(quantum_s), 1e3 * DBL_TRUE_MIN, DBL_MAX, .then = make_seconds),
     "a number above 0", "using " SPELT(KEEL_DECIDE_QUANTUM_MS),
     "how long the system lets a process run while others wait, ms; ten of them are the shortest "
     "period"},
    {"filter", COMMON, 0, KEEL_FIRST_FIELD(AT(filter)), "yes or no", "using yes",
     "rates are filtered, so that short bursts of load move nothing"},
    {"pipelined", COMMON, 0, KEEL_FIRST_FIELD(AT(pipelined)), "yes or no", "using yes",
     "decisions are carried out at a later balance call, so that no rank waits for measurements"},
    {"greatly", COMMON, 0,
     KEEL_REAL_FIELD(AT(rules.greatly), DBL_TRUE_MIN, DBL_MAX, .word = "inf",
                     .value.real = INFINITY, .then = decide_by_rules),
     "a number above 0, or inf", "using " SPELT(KEEL_DECIDE_GREATLY),
     "nothing is moved whose cost is more than this many times its saving; inf: at any "
     "cost"},
    {"profit", COMMON, 0, KEEL_FIRST_FIELD(AT(rules.published), .then = decide_by_rules),
     "published or keel", "using keel",
     "how costs and savings are weighed; published: as in the paper of 1997, by past costs and by "
     "how long rates have stayed; keel: also by the rest of the run"},
    {0},
};

/* --- reading --- */

static struct keel_rows_policy standard_of(enum policy policy)
{
    bool shake = policy == SHAKE;

    return (struct keel_rows_policy){
        .decider = behind[policy].decider,
        .central = KEEL_BIT(policy) & BY_ANY ? KEEL_ROWS_CENTRAL : UINT64_MAX,
        .rules = {.kind = behind[policy].kind,
                  .graph = behind[policy].graph,
                  .gain = KEEL_DECIDE_GAIN,
                  .greatly = shake ? INFINITY : KEEL_DECIDE_GREATLY,
                  .seed = KEEL_DECIDE_SEED},
        .replays = policy == AUTO || policy == RATE || policy == RATE_LOCAL,
        .quantum_s = KEEL_DECIDE_QUANTUM_MS * 1e-3,
        .filter = !shake,
        .pipelined = !shake,
        .every_call = shake,
    };
}

static void begin(void *balancing, unsigned policy)
{
    *(struct keel_rows_policy *)balancing = standard_of((enum policy)policy);
}

static const struct keel_policy_tables tables = {keel_rows_policies, keel_rows_policy_parameters,
                                                 begin};

bool keel_rows_policy_read(const char *text, struct keel_rows_policy *balancing,
                           char problem[KEEL_PROBLEM_MAX])
{
    struct keel_text rest = {text, strlen(text)}, name = keel_text_take(&rest, ",:");
    struct keel_nearest nearest;

    if (keel_policy_entry_read(text, &tables, balancing, problem) >= 0) {
        return true;
    }
    keel_nearest_begin(&nearest, name.start, name.length);
    keel_policies_consider_all(keel_rows_policies, &nearest);
    snprintf(problem, KEEL_PROBLEM_MAX, "unknown policy '%.*s'%s", KEEL_TEXT_SHOWN(name),
             keel_nearest_hint(&nearest));
    return false;
}

enum keel_rows_decider keel_rows_policy_decider(const struct keel_rows_policy *policy,
                                                uint32_t ranks)
{
    bool alone = policy->decider == KEEL_ROWS_DECIDER_ALL && ranks >= policy->central;

    return alone ? KEEL_ROWS_DECIDER_RANK_0 : policy->decider;
}

struct keel_rows_policy keel_rows_policy_standard(void)
{
    return standard_of(AUTO);
}
