/* The search for the best rule. */
#include "schedules/forecast/rows_search.h"

#include <math.h>

const struct keel_rows_candidate keel_rows_candidates[KEEL_ROWS_CANDIDATES] = {
    [KEEL_ROWS_BY_RATE] = {KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL, "rate"},
    [KEEL_ROWS_BY_TREE] = {KEEL_DECIDE_BY_TREE, KEEL_GRAPH_ALL, "tree"},
    [KEEL_ROWS_BY_DIFFUSION] = {KEEL_DECIDE_BY_DIFFUSION, KEEL_GRAPH_RING, "diffusion"},
    [KEEL_ROWS_BY_REDISTRIBUTION] = {KEEL_DECIDE_BY_REDISTRIBUTION, KEEL_GRAPH_ALL,
                                     "redistribution"},
    [KEEL_ROWS_BY_RANDOM] = {KEEL_DECIDE_BY_RANDOM, KEEL_GRAPH_RING, "random"},
    [KEEL_ROWS_STAY] = {KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL, "none"},
};

static struct keel_iterative_rule model_of(const struct keel_rows_rule *rule)
{
    const struct keel_rows_candidate *candidate = &keel_rows_candidates[rule->candidate];

    return (struct keel_iterative_rule){
        .policy = keel_iterative_policies_find(candidate->model),
        .graph = candidate->graph,
        .threshold = rule->threshold,
        .alpha = rule->alpha,
        .gain = rule->gain,
        .every = rule->every,
    };
}

size_t keel_rows_search_scratch(uint32_t workers)
{
    size_t most = 0;

    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        struct keel_iterative_rule rule = model_of(&(struct keel_rows_rule){.candidate = i});
        size_t size = keel_iterative_scratch(workers, &rule);
        most = size > most ? size : most;
    }
    return most;
}

static const enum keel_neighbours_kind by_neighbours[KEEL_ROWS_CANDIDATES] = {
    [KEEL_ROWS_BY_DIFFUSION] = KEEL_NEIGHBOURS_DIFFUSION,
    [KEEL_ROWS_BY_REDISTRIBUTION] = KEEL_NEIGHBOURS_REDISTRIBUTION,
    [KEEL_ROWS_BY_RANDOM] = KEEL_NEIGHBOURS_RANDOM,
};

static bool has(const struct keel_rows_rule *rule, enum keel_iterative_parameter parameter)
{
    return (model_of(rule).policy->parameters & (unsigned)parameter) != 0;
}

void keel_rows_search_begin(uint32_t workers, struct keel_rows_rule *best)
{
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        struct keel_neighbours paper = {.kind = by_neighbours[i], .workers = workers};
        struct keel_rows_rule *rule = &best[i];
        *rule = (struct keel_rows_rule){.candidate = i, .every = 1};
        keel_neighbours_set_best(&paper);
        rule->threshold = has(rule, KEEL_ITERATIVE_THRESHOLD) ? paper.threshold : 0;
        rule->alpha = has(rule, KEEL_ITERATIVE_ALPHA) ? paper.alpha : 0;
        rule->gain = has(rule, KEEL_ITERATIVE_GAIN) ? KEEL_DECIDE_GAIN : 0;
    }
}

struct keel_iterative_result keel_rows_search_expect(const struct keel_iterative *situation,
                                                     const struct keel_rows_rule *rule,
                                                     void *scratch)
{
    struct keel_iterative_rule model = model_of(rule);

    return keel_iterative_run(situation, &model, NULL, scratch);
}

/* --- the search --- */

static void try(struct keel_rows_search *search, struct keel_rows_rule rule, void *scratch)
{
    double factor = search->factor != NULL ? search->factor[rule.candidate] : 1;
    double time_s = keel_rows_search_expect(search->situation, &rule, scratch).time_s * factor;

    search->runs++;
    if (time_s < search->time_s[rule.candidate]) {
        search->time_s[rule.candidate] = time_s;
        search->best[rule.candidate] = rule;
    }
}

static void try_periods(struct keel_rows_search *search, struct keel_rows_rule rule, void *scratch)
{
    uint64_t every = 1;

    for (unsigned i = 0; i < KEEL_ROWS_SEARCH_PERIODS; i++, every *= 2) {
        bool wanted = every <= search->every_most && rule.candidate != KEEL_ROWS_STAY &&
                      (!search->brief || every == 4);
        if (every == 1 || wanted) {
            rule.every = every;
            try(search, rule, scratch);
        }
    }
}

static double threshold_at(unsigned i)
{
    return 1 + 0.1 * i;
}

static double alpha_at(unsigned i)
{
    return 0.1 + 0.2 * i;
}

static double gain_at(unsigned i)
{
    static const double gains[KEEL_ROWS_SEARCH_GAINS] = {0, 0.02, 0.05, 0.1};

    return gains[i];
}

/* One parameter after the other, from the best rule so far. */
static void try_parameters(struct keel_rows_search *search, unsigned candidate, void *scratch)
{
    struct keel_rows_rule rule = search->best[candidate];

    for (unsigned i = 0; i < KEEL_ROWS_SEARCH_THRESHOLDS && has(&rule, KEEL_ITERATIVE_THRESHOLD);
         i++) {
        rule.threshold = threshold_at(i);
        try(search, rule, scratch);
    }
    rule = search->best[candidate];
    for (unsigned i = 0; i < KEEL_ROWS_SEARCH_ALPHAS && has(&rule, KEEL_ITERATIVE_ALPHA); i++) {
        rule.alpha = alpha_at(i);
        try(search, rule, scratch);
    }
    rule = search->best[candidate];
    for (unsigned i = 0; i < KEEL_ROWS_SEARCH_GAINS && has(&rule, KEEL_ITERATIVE_GAIN); i++) {
        rule.gain = gain_at(i);
        try(search, rule, scratch);
    }
}

/* The one that takes least time, but for `without`. */
static unsigned quickest(const struct keel_rows_search *search, unsigned without)
{
    unsigned best = without == 0;

    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        if (i != without && search->time_s[i] < search->time_s[best]) {
            best = i;
        }
    }
    return best;
}

static void try_grid(struct keel_rows_search *search, unsigned candidate, void *scratch)
{
    struct keel_rows_rule rule = {.candidate = candidate};
    unsigned thresholds = has(&rule, KEEL_ITERATIVE_THRESHOLD) ? KEEL_ROWS_SEARCH_THRESHOLDS : 1;
    unsigned alphas = has(&rule, KEEL_ITERATIVE_ALPHA) ? KEEL_ROWS_SEARCH_ALPHAS : 1;
    unsigned gains = has(&rule, KEEL_ITERATIVE_GAIN) ? KEEL_ROWS_SEARCH_GAINS : 1;

    for (unsigned i = 0; i < thresholds * alphas * gains; i++) {
        rule.threshold = thresholds > 1 ? threshold_at(i / alphas / gains) : 0;
        rule.alpha = alphas > 1 ? alpha_at(i / gains % alphas) : 0;
        rule.gain = gains > 1 ? gain_at(i % gains) : 0;
        try_periods(search, rule, scratch);
    }
}

void keel_rows_search_run(struct keel_rows_search *search, void *scratch)
{
    search->runs = 0;
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        search->time_s[i] = INFINITY;
        (search->all ? try_grid(search, i, scratch)
                     : try_periods(search, search->best[i], scratch));
    }
    if (!search->all) {
        unsigned first = quickest(search, KEEL_ROWS_CANDIDATES);
        unsigned second = quickest(search, first);
        try_parameters(search, first, scratch);
        if (!search->brief) {
            try_parameters(search, second, scratch);
        }
    }
}
