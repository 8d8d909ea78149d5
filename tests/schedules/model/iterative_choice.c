/* Lists of rules, the best of them, and recorded changes. */
#include "tests/schedules/model/iterative_choice.h"

#include <string.h>

#include "schedules/balance/decide.h"

size_t keel_iterative_choice(const struct keel_iterative *iterative,
                             const struct keel_iterative_rule *rule, size_t rules,
                             struct keel_iterative_result *result, void *scratch)
{
    size_t best = 0;

    for (size_t i = 0; i < rules; i++) {
        result[i] = keel_iterative_run(iterative, &rule[i], NULL, scratch);
        if (result[i].time_s < result[best].time_s) {
            best = i;
        }
    }
    return best;
}

/* A list that is being written. */
struct rules {
    struct keel_iterative_rule *rule;
    size_t capacity, count;
};

static void append(struct rules *rules, struct keel_iterative_rule rule)
{
    if (rules->count < rules->capacity) {
        rules->rule[rules->count] = rule;
    }
    rules->count++;
}

size_t keel_iterative_choice_auto(enum keel_graph graph, struct keel_iterative_rule *rule,
                                  size_t capacity)
{
    struct rules rules = {rule, capacity, 0};

    for (size_t i = 0; i < keel_iterative_policies_count; i++) {
        append(&rules, (struct keel_iterative_rule){
                           .policy = &keel_iterative_policies[i],
                           .graph = graph,
                           .gain = KEEL_DECIDE_GAIN,
                       });
    }
    return rules.count;
}

/* How many values of a parameter the grid has. */
static unsigned values_of(const struct keel_iterative_policy *policy,
                          enum keel_iterative_parameter parameter, unsigned values)
{
    return (policy->parameters & parameter) != 0 ? values : 1;
}

static void append_grid(struct rules *rules, const struct keel_iterative_policy *policy,
                        enum keel_graph graph)
{
    unsigned thresholds = values_of(policy, KEEL_ITERATIVE_THRESHOLD, 6);
    unsigned alphas = values_of(policy, KEEL_ITERATIVE_ALPHA, 10);
    unsigned gains = values_of(policy, KEEL_ITERATIVE_GAIN, 3);

    for (unsigned i = 0; i < thresholds * alphas * gains; i++) {
        append(rules, (struct keel_iterative_rule){
                          .policy = policy,
                          .graph = graph,
                          .threshold = 1 + 0.1 * (i / alphas / gains),
                          .alpha = 0.1 * (1 + i / gains % alphas),
                          .gain = 0.05 * (i % gains),
                      });
    }
}

size_t keel_iterative_choice_grid(enum keel_graph graph, struct keel_iterative_rule *rule,
                                  size_t capacity)
{
    struct rules rules = {rule, capacity, 0};

    for (size_t i = 0; i < keel_iterative_policies_count; i++) {
        append_grid(&rules, &keel_iterative_policies[i], graph);
    }
    return rules.count;
}

void keel_iterative_dynamics_replay(const void *recorded, uint32_t workers, uint64_t step,
                                    const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_recorded *record = recorded;
    size_t bytes = workers * sizeof(uint64_t);

    (void)tasks;
    if (step >= record->steps) {
        return;
    }
    if (record->arriving != NULL) {
        memcpy(arriving, record->arriving + step * workers, bytes);
    }
    if (record->leaving != NULL) {
        memcpy(leaving, record->leaving + step * workers, bytes);
    }
}
