/* Policies: interned schedule specs. */
#include "omp_ext/settings/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "omp_ext/support/address_table.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

#define LIBGOMP "libgomp"

const struct keel_policy keel_policy_libgomp;
const struct keel_policy keel_policy_factoring = {
    .spec = {.schedule = &keel_schedule_fac2, .value = {[KEEL_MIN] = {.count = 1}}},
    .stated = {.schedule = &keel_schedule_fac2, .value = {[KEEL_MIN] = {.count = 1}}},
    .grain = 1,
};

/* Guarded by keel_slow_lock. */
static struct keel_policy *policies[KEEL_POLICIES_MAX + KEEL_POLICIES_GRAINED_MAX];
static unsigned policy_count; /* of these, how many there are */
static unsigned stated_count; /* that somebody asked for as they are */
static unsigned grained_count;

static struct keel_policy *find(const struct keel_spec *stated)
{
    for (unsigned i = 0; i < policy_count; i++) {
        if (keel_spec_equal(&policies[i]->stated, stated)) {
            return policies[i];
        }
    }
    return NULL;
}

/* A policy together with what it refers to. */
struct kept_policy {
    struct keel_policy policy;
    struct keel_policy in_order;
    struct keel_shared_state_pool shared_states;
};

struct keel_policy keel_policy_of(const struct keel_spec *stated)
{
    return (struct keel_policy){
        .spec = keel_grain_spec(stated), .stated = *stated, .grain = keel_grain_of(stated)};
}

void keel_policy_copy_common(struct keel_spec *spec, const struct keel_spec *from)
{
    spec->value[KEEL_MIN] = from->value[KEEL_MIN];
    spec->value[KEEL_GRAIN] = from->value[KEEL_GRAIN];
    spec->given |= from->given & (KEEL_BIT(KEEL_MIN) | KEEL_BIT(KEEL_GRAIN));
}

struct keel_policy keel_policy_in_order(const struct keel_spec *stated)
{
    struct keel_spec spec = keel_spec_of(stated->schedule->in_order);

    spec.in_order = true;
    keel_policy_copy_common(&spec, stated);
    return keel_policy_of(&spec);
}

static struct keel_policy *find_or_add(const struct keel_spec *stated, unsigned *count,
                                       unsigned most);

/* The replacement of a schedule that needs costs. NULL if there is no memory. */
static const struct keel_policy *add_stand_in(const struct keel_spec *stated)
{
    struct keel_spec spec = keel_spec_of(stated->schedule->in_order);

    keel_policy_copy_common(&spec, stated);
    return find_or_add(&spec, &stated_count, KEEL_POLICIES_MAX - 1); /* leaves room for `stated` */
}

static struct keel_policy *add(const struct keel_spec *stated)
{
    struct kept_policy *kept = calloc(1, sizeof *kept);

    if (kept == NULL) {
        return NULL;
    }
    kept->policy = keel_policy_of(stated);
    kept->policy.incomplete = keel_spec_unmeasured(stated) != 0 ||
                              stated->schedule->learns != KEEL_LEARNS_NOT ||
                              !keel_least_chunk_is_stated(stated);
    if (keel_policy_has_shared_state(&kept->policy)) {
        kept->policy.shared_states = &kept->shared_states;
    }
    if (stated->schedule->in_order != NULL) {
        kept->in_order = keel_policy_in_order(stated);
        kept->policy.in_order = &kept->in_order;
    }
    if (stated->schedule->wants_costs) {
        kept->policy.without_costs = add_stand_in(stated);
    }
    policies[policy_count++] = &kept->policy;
    return &kept->policy;
}

/* Under keel_slow_lock. *count: how many have been added so, `most` at most. */
static struct keel_policy *find_or_add(const struct keel_spec *stated, unsigned *count,
                                       unsigned most)
{
    struct keel_policy *policy = find(stated);

    if (policy == NULL && *count < most && (policy = add(stated)) != NULL) {
        ++*count;
    }
    return policy;
}

const struct keel_policy *keel_policy_intern(const struct keel_spec *stated)
{
    keel_slow_lock();
    const struct keel_policy *policy = find_or_add(stated, &stated_count, KEEL_POLICIES_MAX);
    keel_slow_unlock();
    return policy;
}

/* --- grains of clauses --- */

/* Which policy serves with a clause's grain. Never freed, and complete before it is seen. */
struct grained {
    struct keel_address_key key; /* the policy and the grain */
    const struct keel_policy *policy;
};

static struct keel_address_table grained_table; /* guarded by keel_slow_lock */

static void say_room_is_missing(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&said)) {
        keel_message("schedule clauses with more than %u chunk sizes have been taken over; loops "
                     "with others are libgomp's",
                     KEEL_POLICIES_GRAINED_MAX);
    }
}

/* Under keel_slow_lock. NULL: no room. */
static const struct grained *add_grained(const struct keel_policy *base, uint64_t grain)
{
    struct keel_spec stated = base->stated;
    struct grained *made = keel_address_new(&grained_table, sizeof *made, (uintptr_t)base, grain);

    if (made == NULL) {
        return NULL;
    }
    keel_grain_add(&stated, grain);
    made->policy = find_or_add(&stated, &grained_count, KEEL_POLICIES_GRAINED_MAX);
    if (made->policy == NULL) {
        free(made);
        return NULL;
    }
    keel_address_put(&grained_table, made);
    return made;
}

const struct keel_policy *keel_policy_find_grained(const struct keel_policy *policy, uint64_t grain)
{
    const struct grained *known = keel_address_find(&grained_table, (uintptr_t)policy, grain);

    if (known == NULL) {
        keel_slow_lock();
        known = keel_address_find(&grained_table, (uintptr_t)policy, grain);
        if (known == NULL) {
            known = add_grained(policy, grain);
        }
        keel_slow_unlock();
    }
    if (known == NULL) {
        say_room_is_missing();
        return &keel_policy_libgomp;
    }
    return known->policy;
}

/* --- text --- */

static bool is_libgomp(const char *text, size_t length)
{
    struct keel_text word = keel_text_trimmed((struct keel_text){text, length});

    return word.length == strlen(LIBGOMP) && strncasecmp(word.start, LIBGOMP, word.length) == 0;
}

static void complete(struct keel_spec *spec, const struct keel_spec_defaults *defaults)
{
    if (!(spec->given & KEEL_BIT(KEEL_MIN)) && defaults->min > 0) {
        spec->value[KEEL_MIN].count = defaults->min;
        spec->given |= KEEL_BIT(KEEL_MIN);
    }
    if (!(spec->given & KEEL_BIT(KEEL_GRAIN)) && defaults->grain > 1) {
        spec->value[KEEL_GRAIN].count = defaults->grain;
        spec->given |= KEEL_BIT(KEEL_GRAIN);
    }
}

const struct keel_policy *keel_policy_read(const char *text, size_t length,
                                           const struct keel_spec_defaults *defaults, bool *mended,
                                           char *problem)
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
    *mended = result == KEEL_SPEC_CORRECTED;
    complete(&spec, defaults);
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
    return keel_spec_write(&policy->stated, text, size);
}
