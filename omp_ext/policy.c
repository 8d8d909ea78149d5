/* Policies: interned schedule specs. */
#include "omp_ext/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "omp_ext/slow_lock.h"
#include "schedules/loop/spec.h"
#include "schedules/loop/text.h"

#define LIBGOMP "libgomp"

const struct keel_policy keel_policy_libgomp;

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

static struct keel_policy *add(const struct keel_spec *spec)
{
    struct keel_policy *policy = policy_count < KEEL_POLICIES_MAX ? malloc(sizeof *policy) : NULL;

    if (policy != NULL) {
        *policy = (struct keel_policy){.spec = *spec,
                                       .incomplete = keel_spec_unmeasured(spec) != 0 ||
                                                     spec->schedule->learns != KEEL_LEARNS_NOT};
        policies[policy_count++] = policy;
    }
    return policy;
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
