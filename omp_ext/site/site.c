/* Loop sites. */
#include "omp_ext/site/site.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/module.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/auto.h"
#include "omp_ext/site/record.h"
#include "omp_ext/site/remember.h"
#include "omp_ext/site/settled.h"
#include "omp_ext/site/site_source.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/unload.h"
#include "schedules/learn/least_chunk.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define SLOTS (2 * KEEL_SITES_MAX) /* power of two, so that the table is never full */
#define MEASUREMENTS_PER_SITE_MAX 64
#define MEASURED_INSTANCES 3 /* at first; the first of them finds caches cold */
#define COMPLETIONS_MAX 8    /* of one measurement: they are kept for good */
#define CHANGE_MIN 2         /* factor by which costs have changed where it matters */

/* A completed policy with what it refers to. */
struct completed_policy {
    struct keel_policy policy;
    struct keel_policy in_order;
};

/* What a site has measured or learned for one incomplete policy. */
struct keel_measurement {
    const struct keel_policy *wanted;
    struct keel_policy probe; /* what instances run under while they are measured */
    _Atomic(const struct keel_policy *) completed; /* NULL until a whole loop has been seen */
    _Atomic(const struct keel_policy *) timed;     /* the same, timed: for the next measurement */
    struct keel_cost cost;                         /* guarded by keel_slow_lock; so are these: */
    double instances;                              /* that have been measured */
    double iteration_ns; /* the least of any thread in any instance; 0: none yet */
    double start_ns;     /* likewise */
    unsigned completions;
    atomic_bool enough; /* has been measured for now; written under keel_slow_lock */
    struct keel_settling settling;
    struct keel_policy learner;  /* completed from the start: of a schedule that learns by itself */
    struct keel_policy in_order; /* what stands for `learner` where iterations have to increase */
    struct keel_site_records memory; /* of both */
    struct keel_shared_state_pool shared_states;
    struct keel_candidates *candidates; /* of a schedule that chooses */
    struct keel_measurement *next;
};

/* Never freed; fields without a note never change once the site is in the table. Libraries that are
 * loaded at the same addresses, one after the other, may have sites of the same place. */
struct keel_site {
    struct keel_call_site place;
    uint64_t module;           /* which file it is in, as module_of() says */
    _Atomic unsigned verified; /* keel_unload_count at which that file was seen there */
    _Atomic bool wants_name;   /* somebody will ask for it later */
    char *name;                /* guarded by keel_slow_lock; NULL: nobody has asked yet */
    const struct keel_policy *rule_policy; /* by a rule; NULL: none means this site */
    unsigned measurement_count;            /* guarded by keel_slow_lock */
    _Atomic(struct keel_measurement *) measurements;
};

static _Atomic(struct keel_site *) table[SLOTS];
static _Atomic unsigned site_count; /* written under keel_slow_lock */

/* --- the table --- */

static size_t slot_of(const struct keel_call_site *place)
{
    uint64_t key = (uintptr_t)place->caller * 3 + (uintptr_t)place->outlined;

    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) % SLOTS;
}

static bool is_at(const struct keel_site *site, const struct keel_call_site *place)
{
    return site->place.caller == place->caller && site->place.outlined == place->outlined;
}

/* The site of `place`, while no library has been unloaded since it was seen there; else NULL. */
static struct keel_site *look_up(const struct keel_call_site *place)
{
    unsigned unloadings = keel_unload_count_now();

    for (size_t slot = slot_of(place);; slot = (slot + 1) % SLOTS) {
        /* acquire: pairs with the release in add_site() */
        struct keel_site *site = atomic_load_explicit(&table[slot], memory_order_acquire);
        /* relaxed: what the site holds does not change with it */
        if (site == NULL ||
            (is_at(site, place) &&
             atomic_load_explicit(&site->verified, memory_order_relaxed) == unloadings)) {
            return site;
        }
    }
}

/* Tells files apart, also those that come to the same addresses; 0: in none. FNV-1a. */
static uint64_t module_of(const struct keel_call_site *place)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    struct keel_module module;

    if (!keel_module_of(place->caller, &module)) {
        return 0;
    }
    for (const char *c = module.name; *c != '\0'; c++) {
        sum = (sum ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return (sum ^ module.base) | 1;
}

/* The site of `place` in that file, or NULL with *free at the slot where it would go. */
static struct keel_site *look_up_in(const struct keel_call_site *place, uint64_t module,
                                    size_t *free)
{
    for (size_t slot = slot_of(place);; slot = (slot + 1) % SLOTS) {
        /* acquire: pairs with the release in add_site() */
        struct keel_site *site = atomic_load_explicit(&table[slot], memory_order_acquire);
        if (site == NULL) {
            *free = slot;
            return NULL;
        }
        if (is_at(site, place) && site->module == module) {
            return site;
        }
    }
}

static const struct keel_policy *policy_by_rule(const struct keel_call_site *place)
{
    const struct keel_rules *schedules = &keel_settings()->schedules;
    struct keel_source source;

    return schedules->rules > 0 && keel_site_source(place, &source)
               ? keel_rules_match(schedules, &source)
               : NULL;
}

static struct keel_site *add_site(const struct keel_call_site *place, uint64_t module, size_t slot)
{
    struct keel_site *site = site_count < KEEL_SITES_MAX ? calloc(1, sizeof *site) : NULL;

    if (site == NULL) {
        return NULL;
    }
    site->place = *place;
    site->module = module;
    site->rule_policy = policy_by_rule(place);
    site_count++;
    /* release: pairs with the acquire in look_up() */
    atomic_store_explicit(&table[slot], site, memory_order_release);
    return site;
}

/* The first visit, or the first one after a library was unloaded. */
static struct keel_site *verify(const struct keel_call_site *place)
{
    unsigned unloadings = keel_unload_count_now();
    uint64_t module = module_of(place);
    size_t slot;

    keel_slow_lock();
    struct keel_site *site = look_up_in(place, module, &slot);
    if (site == NULL) {
        site = add_site(place, module, slot);
    }
    if (site != NULL) {
        atomic_store_explicit(&site->verified, unloadings, memory_order_relaxed);
    }
    keel_slow_unlock();
    return site;
}

static struct keel_site *site_of(const struct keel_call_site *place)
{
    struct keel_site *site = look_up(place);

    /* relaxed: a full table is only noticed to spare the lock */
    if (site == NULL && (atomic_load_explicit(&site_count, memory_order_relaxed) < KEEL_SITES_MAX ||
                         keel_unload_count_now() > 0)) {
        site = verify(place);
    }
    return site;
}

struct keel_site *keel_site_to_name(const struct keel_call_site *place)
{
    struct keel_site *site = keel_site_ready() ? site_of(place) : NULL;

    if (site != NULL) {
        atomic_store_explicit(&site->wants_name, true, memory_order_relaxed);
    }
    return site;
}

const char *keel_site_name_of(struct keel_site *site)
{
    char name[KEEL_SITE_NAME_MAX];

    if (site->name == NULL) {
        keel_site_name(&site->place, name);
        site->name = strdup(name);
    }
    return site->name != NULL ? site->name : "a loop";
}

void keel_site_find_names(void)
{
    for (size_t slot = 0; slot < SLOTS; slot++) {
        struct keel_site *site = atomic_load_explicit(&table[slot], memory_order_acquire);
        if (site != NULL && atomic_load_explicit(&site->wants_name, memory_order_relaxed)) {
            keel_site_name_of(site);
        }
    }
}

/* --- measuring --- */

/* Factoring by halves: few chunks, of many sizes, and a safe schedule to run once. */
static struct keel_spec probe_spec(const struct keel_spec *wanted)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_fac2);

    keel_policy_copy_common(&spec, wanted);
    return spec;
}

static struct keel_measurement *find_measurement(struct keel_site *site,
                                                 const struct keel_policy *wanted)
{
    /* acquire: pairs with the release in add_measurement() */
    struct keel_measurement *measurement =
        atomic_load_explicit(&site->measurements, memory_order_acquire);

    while (measurement != NULL && measurement->wanted != wanted) {
        measurement = measurement->next;
    }
    return measurement;
}

/* Loops whose smallest chunk is stated, by a parameter or the schedule's name, are scheduled as
 * they are, however short; and so are those with a grain. */
static struct keel_settling *settling_of(struct keel_measurement *measurement)
{
    const struct keel_spec *spec = &measurement->wanted->spec;
    bool learns = spec->schedule->learns != KEEL_LEARNS_NOT && spec->schedule->states_min;
    const unsigned says = KEEL_BIT(KEEL_MIN);

    if (measurement->wanted->grain > 1) {
        return NULL;
    }
    return (learns && (spec->given & says) == 0) || !keel_least_chunk_is_stated(spec)
               ? &measurement->settling
               : NULL;
}

/* Where nothing but costs has to be measured, the schedule itself serves meanwhile. */
static void make_probe(struct keel_measurement *measurement)
{
    const struct keel_policy *wanted = measurement->wanted;
    bool complete = keel_spec_unmeasured(&wanted->spec) == 0;
    const struct keel_spec probe = complete ? wanted->stated : probe_spec(&wanted->stated);

    measurement->probe = keel_policy_of(&probe);
    measurement->probe.measurement = measurement;
    measurement->probe.settling = settling_of(measurement);
    if (complete && wanted->spec.schedule->claim != KEEL_CLAIM_WEIGHTED &&
        keel_plan_exists(wanted->spec.schedule)) {
        measurement->probe.plain = wanted;
    }
}

static bool make_candidates(struct keel_measurement *measurement)
{
    measurement->candidates = malloc(sizeof *measurement->candidates);
    if (measurement->candidates != NULL) {
        keel_auto_begin(measurement->candidates, &measurement->learner);
        measurement->learner.candidates = measurement->candidates;
        measurement->memory.candidates = measurement->candidates;
    }
    return measurement->candidates != NULL;
}

/* A schedule that learns by itself is complete from the start. */
static void make_learner(struct keel_measurement *measurement)
{
    struct keel_policy *learner = &measurement->learner, *in_order = &measurement->in_order;
    struct keel_site_records *memory =
        measurement->wanted->spec.schedule->learns != KEEL_LEARNS_NOT ? &measurement->memory : NULL;

    *learner = keel_policy_of(&measurement->wanted->stated);
    learner->memory = memory;
    learner->measured = true;
    learner->measurement = measurement;
    learner->settling = settling_of(measurement);
    if (keel_policy_has_shared_state(learner)) {
        learner->shared_states = &measurement->shared_states;
    }
    if (learner->spec.schedule->in_order != NULL) {
        *in_order = keel_policy_in_order(&learner->stated);
        in_order->memory = learner->memory;
        in_order->shared_states = learner->shared_states;
        in_order->measured = true;
        in_order->measurement = measurement;
        in_order->settling = learner->settling;
        learner->in_order = in_order;
    }
    if (learner->spec.schedule->chooses && !make_candidates(measurement)) {
        learner->spec.schedule = learner->spec.schedule->in_order;
    }
    atomic_init(&measurement->completed, learner);
}

/* The smallest chunk by what has been measured. */
static uint64_t least_chunk(const struct keel_measurement *measurement)
{
    return keel_least_chunk(keel_cost_overhead_ns(&measurement->cost),
                            keel_cost_mean_ns(&measurement->cost));
}

static void complete_min(const struct keel_measurement *measurement, struct keel_spec *spec)
{
    if (!keel_least_chunk_is_stated(spec)) {
        spec->value[KEEL_MIN].count = least_chunk(measurement);
        spec->min_measured = true;
    }
}

/* A policy with all that has been measured. timed: its instances are. NULL: no memory, or too many
 * have been made. */
static struct keel_policy *make_completed(struct keel_measurement *measurement, bool timed)
{
    struct completed_policy *made =
        measurement->completions < COMPLETIONS_MAX ? malloc(sizeof *made) : NULL;

    if (made == NULL) {
        return NULL;
    }
    measurement->completions++;
    bool learns = measurement->learner.spec.schedule != NULL;
    made->policy = learns ? measurement->learner : keel_policy_of(&measurement->wanted->stated);
    made->policy.measured = true;
    made->policy.plain = measurement->probe.plain;
    made->policy.settling = measurement->probe.settling;
    made->in_order = measurement->in_order;
    keel_cost_complete(&measurement->cost, &made->policy.spec);
    complete_min(measurement, &made->policy.spec);
    made->policy.measurement = made->in_order.measurement = timed ? measurement : NULL;
    if (made->policy.in_order != NULL) {
        complete_min(measurement, &made->in_order.spec);
        made->policy.in_order = &made->in_order;
    }
    return &made->policy;
}

/* Makes the completed policy if something has been measured; under keel_slow_lock. */
static void complete(struct keel_measurement *measurement, bool timed)
{
    const struct keel_policy *completed =
        measurement->cost.iterations > 0 ? make_completed(measurement, timed) : NULL;

    if (completed != NULL) {
        /* release: pairs with the acquire in completed_policy() */
        atomic_store_explicit(&measurement->completed, completed, memory_order_release);
        if (timed) {
            atomic_store_explicit(&measurement->timed, completed, memory_order_release);
        }
    }
}

/* What has to be known of the place later. */
static void identify(struct keel_site_records *memory)
{
    const struct keel_settings *settings = keel_settings();

    if (settings->explain && (memory->name = malloc(KEEL_SITE_NAME_MAX)) != NULL) {
        keel_site_name(memory->place, memory->name);
    }
    if (settings->memory_file != NULL &&
        (memory->module = malloc(sizeof *memory->module)) != NULL &&
        !keel_module_of(memory->place->caller, memory->module)) {
        free(memory->module);
        memory->module = NULL;
    }
}

/* Tells what the choice between scheduling and static shares rests on. */
static void publish_costs(struct keel_measurement *measurement, uint64_t threads)
{
    const struct keel_cost *cost = &measurement->cost;
    const struct keel_settling facts = {
        .iteration_ns = measurement->iteration_ns,
        .claim_ns = keel_cost_overhead_ns(cost),
        .chunks = (double)cost->chunks / (double)cost->iterations,
        .start_ns = measurement->start_ns,
        .threads = threads,
    };

    keel_settled_measured(&measurement->settling, &facts);
}

/* What an earlier run has measured is not measured again at once. */
static void recall(struct keel_measurement *measurement)
{
    keel_remember_cost(&measurement->memory, &measurement->cost);
    if (measurement->cost.iterations > 0) {
        measurement->iteration_ns = keel_cost_mean_ns(&measurement->cost);
        measurement->instances = MEASURED_INSTANCES;
        complete(measurement, true);
        complete(measurement, false);
        publish_costs(measurement, 0);
        atomic_store_explicit(&measurement->enough, true, memory_order_relaxed);
    }
}

static struct keel_measurement *add_measurement(struct keel_site *site,
                                                const struct keel_policy *wanted)
{
    struct keel_measurement *measurement =
        site->measurement_count < MEASUREMENTS_PER_SITE_MAX ? calloc(1, sizeof *measurement) : NULL;

    if (measurement == NULL) {
        return NULL;
    }
    measurement->wanted = wanted;
    measurement->memory = (struct keel_site_records){.place = &site->place, .wanted = wanted};
    identify(&measurement->memory);
    make_probe(measurement);
    if (wanted->spec.schedule->learns != KEEL_LEARNS_NOT ||
        keel_policy_has_shared_state(&measurement->probe)) {
        make_learner(measurement);
    } else {
        recall(measurement);
    }
    measurement->next = atomic_load_explicit(&site->measurements, memory_order_relaxed);
    site->measurement_count++;
    /* release: pairs with the acquire in find_measurement() */
    atomic_store_explicit(&site->measurements, measurement, memory_order_release);
    return measurement;
}

static struct keel_measurement *measurement_of(struct keel_site *site,
                                               const struct keel_policy *wanted)
{
    struct keel_measurement *measurement = find_measurement(site, wanted);

    if (measurement == NULL) {
        keel_slow_lock();
        measurement = find_measurement(site, wanted);
        if (measurement == NULL) {
            measurement = add_measurement(site, wanted);
        }
        keel_slow_unlock();
    }
    return measurement;
}

/* Where nothing can be kept, the probe's schedule serves for ever, or the one that is wanted if it
 * lacks nothing but its smallest chunk. Its grain comes as a clause's does, as there may be many.
 */
static const struct keel_policy *unmeasured_policy(const struct keel_policy *wanted)
{
    if (keel_spec_unmeasured(&wanted->spec) == 0 &&
        wanted->spec.schedule->learns == KEEL_LEARNS_NOT) {
        return wanted;
    }
    struct keel_spec spec = probe_spec(&wanted->stated);

    spec.value[KEEL_GRAIN].count = 1;
    spec.given &= ~KEEL_BIT(KEEL_GRAIN);
    const struct keel_policy *policy = keel_policy_intern(&spec);

    return policy != NULL ? keel_policy_grained(policy, wanted->grain) : &keel_policy_libgomp;
}

static const struct keel_policy *completed_policy(struct keel_site *site,
                                                  const struct keel_policy *wanted, bool recheck)
{
    struct keel_measurement *measurement = site != NULL ? measurement_of(site, wanted) : NULL;

    if (measurement == NULL) {
        return unmeasured_policy(wanted);
    }
    /* acquire: pairs with the release in keel_site_measured() */
    const struct keel_policy *completed = atomic_load_explicit(
        recheck ? &measurement->timed : &measurement->completed, memory_order_acquire);
    if (completed == NULL) {
        completed = atomic_load_explicit(&measurement->completed, memory_order_acquire);
    }
    return completed != NULL ? completed : &measurement->probe;
}

/* While another thread is at it, loops run as if their sites were unknown. */
bool keel_site_ready(void)
{
    const struct keel_settings *settings = keel_settings();
    bool sources = settings->schedules.rules > 0 || settings->explain ||
                   settings->trace_file != NULL || settings->check.on;

    return (!sources || keel_site_source_ready()) && keel_remember_ready();
}

/* Single iterations, or chunks of a stated size, are measured only for KEEL_EXPLAIN to tell what
 * they cost. */
static bool is_explained(const struct keel_policy *policy)
{
    return keel_settings()->explain && policy->spec.schedule != NULL &&
           policy->spec.schedule->claim == KEEL_CLAIM_STEPS;
}

const struct keel_policy *keel_site_policy(const struct keel_call_site *place,
                                           const struct keel_policy *standard, uint64_t grain,
                                           bool recheck)
{
    const struct keel_policy *policy = standard;
    struct keel_site *site = NULL;

    if (!keel_site_ready()) {
        policy = keel_policy_grained(standard, grain);
        return policy != NULL && policy->incomplete ? unmeasured_policy(policy) : policy;
    }
    if (keel_settings()->schedules.rules > 0) {
        site = site_of(place);
        if (site != NULL && site->rule_policy != NULL) {
            policy = site->rule_policy;
        }
    }
    policy = keel_policy_grained(policy, grain);
    if (policy != NULL && (policy->incomplete || is_explained(policy))) {
        policy = completed_policy(site != NULL ? site : site_of(place), policy, recheck);
    }
    return policy;
}

static double least_of(double known_ns, double seen_ns)
{
    return seen_ns > 0 && (known_ns == 0 || seen_ns < known_ns) ? seen_ns : known_ns;
}

/* What has been measured of whole loops goes into policies: at first as soon as there is one, and
 * at last where costs have changed by much. */
static void use(struct keel_measurement *measurement, uint64_t threads)
{
    const struct keel_policy *completed =
        atomic_load_explicit(&measurement->timed, memory_order_relaxed);
    bool enough = measurement->instances >= MEASURED_INSTANCES;

    if (completed == NULL) {
        complete(measurement, true);
    }
    if (enough && !atomic_load_explicit(&measurement->enough, memory_order_relaxed)) {
        complete(measurement, false);
        publish_costs(measurement, threads);
        atomic_store_explicit(&measurement->enough, true, memory_order_relaxed);
    } else if (enough && completed != NULL && completed->spec.min_measured) {
        uint64_t before = atomic_load_explicit(&measurement->completed, memory_order_relaxed)
                              ->spec.value[KEEL_MIN]
                              .count;
        uint64_t now = least_chunk(measurement);
        if (now > before * CHANGE_MIN || before > now * CHANGE_MIN) {
            complete(measurement, false);
        }
        publish_costs(measurement, threads);
    }
}

/* Later measurements count more than earlier ones. */
static void add_cost(struct keel_measurement *measurement, const struct keel_cost *cost)
{
    bool again = atomic_load_explicit(&measurement->enough, memory_order_relaxed);
    double iteration_ns = keel_cost_mean_ns(cost);

    if (again && measurement->cost.iterations > 4 * cost->iterations) {
        keel_cost_halve(&measurement->cost);
    }
    keel_cost_merge(&measurement->cost, cost);
    measurement->iteration_ns = again && iteration_ns > measurement->iteration_ns
                                    ? (measurement->iteration_ns + iteration_ns) / 2
                                    : least_of(measurement->iteration_ns, iteration_ns);
}

bool keel_site_wants_measurement(const struct keel_measurement *measurement)
{
    return !atomic_load_explicit(&measurement->enough, memory_order_relaxed);
}

void keel_site_measured(struct keel_measurement *measurement, const struct keel_cost *cost,
                        uint64_t iterations, uint64_t threads, double start_ns)
{
    keel_slow_lock();
    add_cost(measurement, cost);
    measurement->instances += 1 / (double)threads;
    measurement->start_ns = least_of(measurement->start_ns, start_ns);
    if (measurement->cost.iterations > 0 && measurement->cost.iterations >= iterations) {
        use(measurement, threads);
    }
    keel_slow_unlock();
}

void keel_site_each(keel_site_visitor *visit, void *context)
{
    for (size_t slot = 0; slot < SLOTS; slot++) {
        struct keel_site *site = atomic_load_explicit(&table[slot], memory_order_acquire);
        struct keel_measurement *measurement =
            site != NULL ? atomic_load_explicit(&site->measurements, memory_order_acquire) : NULL;
        for (; measurement != NULL; measurement = measurement->next) {
            visit(&(struct keel_site_view){.place = &site->place,
                                           .wanted = measurement->wanted,
                                           .completed = atomic_load_explicit(
                                               &measurement->completed, memory_order_acquire),
                                           .memory = &measurement->memory,
                                           .cost = &measurement->cost,
                                           .settling = &measurement->settling,
                                           .candidates = measurement->candidates},
                  context);
        }
    }
}
