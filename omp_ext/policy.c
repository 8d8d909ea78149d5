/* Policies: interned schedule specs. */
#include "omp_ext/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "omp_ext/arena_pool.h"
#include "omp_ext/slow_lock.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "schedules/loop/text.h"

#define LIBGOMP "libgomp"

const struct keel_policy keel_policy_libgomp;
const struct keel_policy keel_policy_factoring = {
    .spec = {.schedule = &keel_schedule_fac2, .value = {[KEEL_MIN] = {.count = 1}}},
};

/* Guarded by keel_slow_lock. */
static struct keel_policy *policies[KEEL_POLICIES_MAX];
static unsigned policy_count;

static struct keel_policy *find(const struct keel_spec *spec)
{
    for (unsigned i = 0; i < policy_count; i++) {
        if (keel_spec_equal(&policies[i]->spec, spec)) {
            return policies[i];
        }
    }
    return NULL;
}

/* A policy together with what it refers to. */
struct kept_policy {
    struct keel_policy policy;
    struct keel_policy in_order;
    struct keel_arena_pool arenas;
};

struct keel_policy keel_policy_in_order(const struct keel_spec *spec)
{
    struct keel_policy policy = {.spec = keel_spec_of(spec->schedule->in_order)};

    policy.spec.in_order = true;
    policy.spec.value[KEEL_MIN] = spec->value[KEEL_MIN];
    policy.spec.given = spec->given & KEEL_BIT(KEEL_MIN);
    return policy;
}

static struct keel_policy *add(const struct keel_spec *spec)
{
    struct kept_policy *kept = policy_count < KEEL_POLICIES_MAX ? calloc(1, sizeof *kept) : NULL;

    if (kept == NULL) {
        return NULL;
    }
    kept->policy = (struct keel_policy){.spec = *spec,
                                        .incomplete = keel_spec_unmeasured(spec) != 0 ||
                                                      spec->schedule->learns != KEEL_LEARNS_NOT};
    if (keel_policy_shares_arena(&kept->policy)) {
        kept->policy.arenas = &kept->arenas;
    }
    if (spec->schedule->in_order != NULL) {
        kept->in_order = keel_policy_in_order(spec);
        kept->policy.in_order = &kept->in_order;
    }
    policies[policy_count++] = &kept->policy;
    return &kept->policy;
}

const struct keel_policy *keel_policy_intern(const struct keel_spec *spec)
{
    keel_slow_lock();
    struct keel_policy *policy = find(spec);
    if (policy == NULL) {
        policy = add(spec);
    }
    keel_slow_unlock();
    return policy;
}

static bool is_libgomp(const char *text, size_t length)
{
    struct keel_text word = keel_text_trimmed((struct keel_text){text, length});

    return word.length == strlen(LIBGOMP) && strncasecmp(word.start, LIBGOMP, word.length) == 0;
}

const struct keel_policy *keel_policy_read(const char *text, size_t length, uint64_t minimum,
                                           bool *mended, char *problem)
{
    struct keel_spec spec;

    *mended = false;
    problem[0] = '\0';
    if (is_libgomp(text, length)) {
        return &keel_policy_libgomp;
    }
    enum keel_spec_result result = keel_spec_read(text, length, &spec, problem);
    if (result == KEEL_SPEC_UNKNOWN) {
        return NULL;
    }
    *mended = result == KEEL_SPEC_MENDED;
    if (!(spec.given & KEEL_BIT(KEEL_MIN)) && minimum > 1) {
        spec.value[KEEL_MIN].count = minimum;
        spec.given |= KEEL_BIT(KEEL_MIN);
    }
    const struct keel_policy *policy = keel_policy_intern(&spec);
    if (policy == NULL) {
        *mended = true;
        snprintf(problem, KEEL_PROBLEM_MAX, "no room for another schedule");
    }
    return policy;
}

int keel_policy_write(const struct keel_policy *policy, char *text, size_t size)
{
    if (policy == &keel_policy_libgomp) {
        return snprintf(text, size, LIBGOMP);
    }
    return keel_spec_write(&policy->spec, text, size);
}
