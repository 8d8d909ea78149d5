/* What a site has measured for a policy that lacks something. */
#include "omp_ext/site/site.h"

#include <stdlib.h>

#include "omp_ext/machine/module.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

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
    double start_ns;     /* the same */
    unsigned completions;
    atomic_bool enough; /* has been measured for now; written under keel_slow_lock */
    struct keel_settled_site settled_site;
    struct keel_policy learner;  /* completed from the start: of a schedule that learns by itself */
    struct keel_policy in_order; /* what replaces `learner` where iterations have to increase */
    struct keel_site_records records; /* of both */
    struct keel_shared_state_pool shared_states;
    struct keel_candidates *candidates; /* of a schedule that chooses */
    struct keel_measurement *next;
};

/* Factoring by halves: few chunks, of many sizes, and a safe schedule to run once. */
static struct keel_spec probe_spec(const struct keel_spec *wanted)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_fac2);

    keel_policy_copy_common(&spec, wanted);
    return spec;
}

static struct keel_measurement *find(const struct keel_measurements *measurements,
                                     const struct keel_policy *wanted)
{
    /* acquire: pairs with the release in add() */
    struct keel_measurement *measurement =
        atomic_load_explicit(&measurements->first, memory_order_acquire);

    while (measurement != NULL && measurement->wanted != wanted) {
        measurement = measurement->next;
    }
    return measurement;
}

/* NULL: these loops are scheduled, however short: their smallest chunk is stated, by a parameter or
 * the schedule's name, or they have a grain. */
static struct keel_settled_site *settled_site_of(struct keel_measurement *measurement)
{
    const struct keel_spec *spec = &measurement->wanted->spec;
    bool learns = spec->schedule->learns != KEEL_LEARNS_NOT && spec->schedule->states_min;
    const unsigned says = KEEL_BIT(KEEL_MIN);

    if (measurement->wanted->grain > 1) {
        return NULL;
    }
    return (learns && (spec->given & says) == 0) || !keel_least_chunk_is_stated(spec)
               ? &measurement->settled_site
               : NULL;
}

/* What instances run under until a whole loop has been measured: factoring by halves, or the
 * schedule itself if nothing but costs has to be measured. */
static void make_probe(struct keel_measurement *measurement)
{
    const struct keel_policy *wanted = measurement->wanted;
    bool complete = keel_spec_unmeasured(&wanted->spec) == 0;
    const struct keel_spec probe = complete ? wanted->stated : probe_spec(&wanted->stated);

    measurement->probe = keel_policy_of(&probe);
    measurement->probe.wanted = wanted;
    measurement->probe.measurement = measurement;
    measurement->probe.settled_site = settled_site_of(measurement);
    if (complete && wanted->spec.schedule->claim != KEEL_CLAIM_WEIGHTED &&
        keel_plan_exists(wanted->spec.schedule)) {
        measurement->probe.ordered_policy = wanted;
    }
}

static bool make_candidates(struct keel_measurement *measurement)
{
    measurement->candidates = malloc(sizeof *measurement->candidates);
    if (measurement->candidates != NULL) {
        keel_candidates_begin(measurement->candidates, &measurement->learner);
        measurement->learner.candidates = measurement->candidates;
        measurement->records.candidates = measurement->candidates;
    }
    return measurement->candidates != NULL;
}

/* A schedule that learns by itself is complete from the start. */
static void make_learner(struct keel_measurement *measurement)
{
    struct keel_policy *learner = &measurement->learner, *in_order = &measurement->in_order;
    struct keel_site_records *records =
        measurement->wanted->spec.schedule->learns != KEEL_LEARNS_NOT ? &measurement->records
                                                                      : NULL;

    *learner = keel_policy_of(&measurement->wanted->stated);
    learner->wanted = measurement->wanted;
    learner->records = records;
    learner->is_completed = true;
    learner->measurement = measurement;
    learner->settled_site = settled_site_of(measurement);
    if (keel_policy_has_shared_state(learner)) {
        learner->shared_states = &measurement->shared_states;
    }
    if (learner->spec.schedule->in_order != NULL) {
        *in_order = keel_policy_in_order(&learner->stated);
        in_order->wanted = learner->wanted;
        in_order->records = learner->records;
        in_order->shared_states = learner->shared_states;
        in_order->is_completed = true;
        in_order->measurement = measurement;
        in_order->settled_site = learner->settled_site;
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
    made->policy.wanted = measurement->wanted;
    made->policy.is_completed = true;
    made->policy.ordered_policy = measurement->probe.ordered_policy;
    made->policy.settled_site = measurement->probe.settled_site;
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
        /* release: pairs with the acquire in keel_measurement_policy() */
        atomic_store_explicit(&measurement->completed, completed, memory_order_release);
        if (timed) {
            atomic_store_explicit(&measurement->timed, completed, memory_order_release);
        }
    }
}

/* Keeps what is needed of the place later, when its library may have been unloaded. */
static void keep_names(struct keel_site_records *records)
{
    const struct keel_settings *settings = keel_settings();

    if ((settings->explain || settings->report) &&
        (records->address = malloc(KEEL_SITE_ADDRESS_MAX)) != NULL) {
        keel_site_address(records->place, records->address);
    }
    if (settings->memory_file != NULL &&
        (records->module = malloc(sizeof *records->module)) != NULL &&
        !keel_module_of(records->place->caller, records->module)) {
        free(records->module);
        records->module = NULL;
    }
}

/* Gives site.h the costs by which it compares scheduling with static shares. */
static void publish_costs(struct keel_measurement *measurement, uint64_t threads)
{
    const struct keel_cost *cost = &measurement->cost;
    const struct keel_settled_site facts = {
        .iteration_ns = measurement->iteration_ns,
        .claim_ns = keel_cost_overhead_ns(cost),
        .chunks = (double)cost->chunks / (double)cost->iterations,
        .start_ns = measurement->start_ns,
        .threads = threads,
    };

    keel_settled_measured(&measurement->settled_site, &facts);
}

/* What an earlier run has measured is not measured again at once. */
static void recall(struct keel_measurement *measurement)
{
    keel_remember_cost(&measurement->records, &measurement->cost);
    if (measurement->cost.iterations > 0) {
        measurement->iteration_ns = keel_cost_mean_ns(&measurement->cost);
        measurement->instances = MEASURED_INSTANCES;
        complete(measurement, true);
        complete(measurement, false);
        publish_costs(measurement, 0);
        atomic_store_explicit(&measurement->enough, true, memory_order_relaxed);
    }
}

static struct keel_measurement *make(const struct keel_call_site *place,
                                     const struct keel_policy *wanted)
{
    struct keel_measurement *made = calloc(1, sizeof *made);

    if (made == NULL) {
        return NULL;
    }
    made->wanted = wanted;
    keel_settled_begin(&made->settled_site, wanted);
    made->records = (struct keel_site_records){.place = place, .wanted = wanted};
    keep_names(&made->records);
    make_probe(made);
    if (wanted->spec.schedule->learns != KEEL_LEARNS_NOT ||
        keel_policy_has_shared_state(&made->probe)) {
        make_learner(made);
    } else {
        recall(made);
    }
    return made;
}

static struct keel_measurement *add(struct keel_measurements *measurements,
                                    const struct keel_call_site *place,
                                    const struct keel_policy *wanted)
{
    struct keel_measurement *added =
        measurements->count < MEASUREMENTS_PER_SITE_MAX ? make(place, wanted) : NULL;

    if (added == NULL) {
        return NULL;
    }
    added->next = atomic_load_explicit(&measurements->first, memory_order_relaxed);
    measurements->count++;
    /* release: pairs with the acquire in find() */
    atomic_store_explicit(&measurements->first, added, memory_order_release);
    return added;
}

static struct keel_measurement *find_or_add(struct keel_measurements *measurements,
                                            const struct keel_call_site *place,
                                            const struct keel_policy *wanted)
{
    struct keel_measurement *measurement = find(measurements, wanted);

    if (measurement == NULL) {
        keel_slow_lock();
        measurement = find(measurements, wanted);
        if (measurement == NULL) {
            measurement = add(measurements, place, wanted);
        }
        keel_slow_unlock();
    }
    return measurement;
}

/* The schedule of the probe, or the one asked for if that lacks nothing but its smallest chunk. Its
 * grain comes as a clause's does, as there may be many. */
const struct keel_policy *keel_measurement_unknown_policy(const struct keel_policy *wanted)
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

const struct keel_policy *keel_measurement_policy(struct keel_measurements *measurements,
                                                  const struct keel_call_site *place,
                                                  const struct keel_policy *wanted, bool recheck)
{
    struct keel_measurement *measurement = find_or_add(measurements, place, wanted);

    if (measurement == NULL) {
        return keel_measurement_unknown_policy(wanted);
    }
    /* acquire: pairs with the release in complete() */
    const struct keel_policy *completed = atomic_load_explicit(
        recheck ? &measurement->timed : &measurement->completed, memory_order_acquire);
    if (completed == NULL) {
        completed = atomic_load_explicit(&measurement->completed, memory_order_acquire);
    }
    return completed != NULL ? completed : &measurement->probe;
}

static double least_of(double known_ns, double seen_ns)
{
    return seen_ns > 0 && (known_ns == 0 || seen_ns < known_ns) ? seen_ns : known_ns;
}

/* Completes policies by what whole loops have shown: the first time as soon as one has been
 * measured, then after some instances, and later where costs have changed by much. */
static void use_measurement(struct keel_measurement *measurement, uint64_t threads)
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

bool keel_measurement_is_wanted(const struct keel_measurement *measurement)
{
    return !atomic_load_explicit(&measurement->enough, memory_order_relaxed);
}

void keel_measurement_add(struct keel_measurement *measurement, const struct keel_cost *cost,
                          uint64_t iterations, uint64_t threads, double start_ns)
{
    keel_slow_lock();
    add_cost(measurement, cost);
    measurement->instances += 1 / (double)threads;
    measurement->start_ns = least_of(measurement->start_ns, start_ns);
    if (measurement->cost.iterations > 0 && measurement->cost.iterations >= iterations) {
        use_measurement(measurement, threads);
    }
    keel_slow_unlock();
}

void keel_measurement_each(struct keel_measurements *measurements,
                           const struct keel_call_site *place, keel_measurement_visitor *visit,
                           void *context)
{
    struct keel_measurement *measurement =
        atomic_load_explicit(&measurements->first, memory_order_acquire);

    for (; measurement != NULL; measurement = measurement->next) {
        visit(&(struct keel_measurement_view){.place = place,
                                              .wanted = measurement->wanted,
                                              .completed = atomic_load_explicit(
                                                  &measurement->completed, memory_order_acquire),
                                              .records = &measurement->records,
                                              .cost = &measurement->cost,
                                              .settled_site = &measurement->settled_site,
                                              .candidates = measurement->candidates},
              context);
    }
}
