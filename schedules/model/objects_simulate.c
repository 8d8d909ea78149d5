/* The analytic model of over-decomposed objects, refined. */
#include "schedules/model/objects_terms.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

enum search { BEST_CASE, WORST_CASE, RANDOM };

enum happens {
    FREE,    /* has executed its last task */
    ANSWERED /* the processors that it has asked have replied */
};

/* One processor. */
struct walker {
    uint64_t next, end;  /* own tasks that have not begun */
    double own_s;        /* work of all that it began with */
    double at_s;         /* its next event; INFINITY: none */
    double busy_until_s; /* end of the present task */
    enum happens happens;
    bool carries; /* a task that has arrived, not begun */
    double carried_s;
    /* the present search */
    double since_s;
    uint32_t asked;         /* so far */
    uint32_t first, stride; /* order in which others are asked */
    struct keel_objects_terms terms;
};

struct walk {
    const struct keel_objects *objects;
    struct walker *walker;
    enum search search;
    uint64_t chance;
    uint64_t not_begun;                         /* own tasks of all */
    double transport_s, polling, application_s; /* of a task that migrates; R6; of a task */
};

static double weight_of(const struct walk *walk, uint64_t task)
{
    return walk->objects->weight[task];
}

static uint32_t chance_below(struct walk *walk, uint32_t count)
{
    walk->chance = keel_chance_mix(walk->chance + 1);
    return (uint32_t)((walk->chance >> 32) * count >> 32);
}

static double chance(struct walk *walk)
{
    walk->chance = keel_chance_mix(walk->chance + 1);
    return (double)(walk->chance >> 11) * 0x1p-53;
}

static uint64_t left_of(const struct walker *walker)
{
    return walker->end - walker->next;
}

/* --- searching --- */

static uint32_t divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

/* The others in random order: a stride that shares no divisor with their number reaches each of
 * them. */
static void begin_search(struct walk *walk, struct walker *walker)
{
    uint32_t others = walk->objects->processors - 1;

    walker->asked = 0;
    walker->first = chance_below(walk, others);
    walker->stride = 1 + chance_below(walk, others);
    while (divisor(others, walker->stride) != 1) {
        walker->stride++;
    }
}

/* Number 0 .. P - 2 among those that a processor asks. */
static struct walker *other(const struct walk *walk, const struct walker *walker, uint64_t number)
{
    uint32_t others = walk->objects->processors - 1;
    uint64_t index = (walker->first + number * walker->stride) % others;
    uint64_t self = (uint64_t)(walker - walk->walker);

    return &walk->walker[index + (index >= self)];
}

/* How many are asked at once: the last group may be smaller. */
static uint32_t group_of(const struct walk *walk, const struct walker *walker)
{
    uint32_t others = walk->objects->processors - 1;

    return (uint32_t)min_u64(walk->objects->neighbourhood, others - walker->asked);
}

/* Processors that execute no task answer at once. */
static double wait_by_chance(struct walk *walk, const struct walker *walker, double now_s)
{
    double wait_s = 0;

    for (uint32_t i = 0; i < group_of(walk, walker); i++) {
        double poll_s = walk->objects->quantum_s * chance(walk);
        if (other(walk, walker, walker->asked + i)->busy_until_s > now_s) {
            wait_s = fmax(wait_s, poll_s);
        }
    }
    return wait_s;
}

/* Number of processors that have tasks to give. */
static uint32_t sources(const struct walk *walk)
{
    uint32_t count = 0;

    for (uint32_t p = 0; p < walk->objects->processors; p++) {
        count += left_of(&walk->walker[p]) > 0;
    }
    return count;
}

/* From asking to the replies; in the best and the worst case, until a source is found. */
static double asking_time(struct walk *walk, const struct walker *walker, double now_s)
{
    const struct keel_objects *objects = walk->objects;
    double expected_s = keel_objects_turnaround_s(objects, objects->quantum_s / 2);

    switch (walk->search) {
    case BEST_CASE:
        return expected_s;
    case WORST_CASE:
        return (double)div_ceil(objects->processors - sources(walk), objects->neighbourhood) *
               expected_s;
    default:
        return keel_objects_turnaround_s(objects, wait_by_chance(walk, walker, now_s));
    }
}

static void ask(struct walk *walk, struct walker *walker, double now_s)
{
    walker->happens = ANSWERED;
    walker->at_s = now_s + asking_time(walk, walker, now_s);
}

/* Searches if any task has not begun; otherwise the processor ends after its present task. */
static void search(struct walk *walk, struct walker *walker, double now_s)
{
    if (walk->not_begun > 0) {
        begin_search(walk, walker);
        ask(walk, walker, now_s);
    } else if (walker->busy_until_s > now_s) {
        walker->happens = FREE;
        walker->at_s = walker->busy_until_s;
    } else {
        walker->at_s = INFINITY;
    }
}

/* --- finding --- */

static struct walker *fuller(struct walker *a, struct walker *b)
{
    return a == NULL || left_of(b) > left_of(a) ? b : a;
}

static struct walker *emptier(struct walker *a, struct walker *b)
{
    return a == NULL || left_of(b) < left_of(a) ? b : a;
}

/* The source among all, or among those that were asked; NULL if none has a task to give. */
static struct walker *source_of(const struct walk *walk, const struct walker *walker)
{
    bool all = walk->search != RANDOM;
    uint64_t from = all ? 0 : walker->asked;
    uint64_t count = all ? walk->objects->processors - 1 : group_of(walk, walker);
    struct walker *found = NULL;

    for (uint64_t i = 0; i < count; i++) {
        struct walker *one = other(walk, walker, from + i);
        if (left_of(one) > 0) {
            found = (walk->search == WORST_CASE ? emptier : fuller)(found, one);
        }
    }
    return found;
}

/* The source interrupts the task that it executes. */
static void give(struct walk *walk, struct walker *source)
{
    const struct keel_objects *objects = walk->objects;
    double overlap_s = objects->overlap * walk->transport_s;
    double time_s = objects->uninstall_s + objects->pack_s + walk->transport_s;

    source->end--;
    walk->not_begun--;
    source->terms.migrated++;
    source->terms.migration_s += time_s;
    source->terms.overlap_s += overlap_s;
    source->busy_until_s += time_s - overlap_s;
    if (source->happens == FREE) {
        source->at_s += time_s - overlap_s;
    }
}

/* A task arrives when it has been packed, sent and unpacked. */
static void get(struct walk *walk, struct walker *walker, double weight, double now_s)
{
    const struct keel_objects *objects = walk->objects;
    double packed_s = objects->uninstall_s + objects->pack_s + walk->transport_s;
    double unpacked_s = objects->unpack_s + objects->install_s;
    double found_s = now_s + objects->decision_s + packed_s;
    double idle_s = fmax(0, found_s - fmax(walker->since_s, walker->busy_until_s));
    double decision_s = fmin(objects->decision_s, idle_s);

    walker->carries = true;
    walker->carried_s = weight;
    walker->terms.migrated++;
    walker->terms.decision_s += decision_s;
    walker->terms.request_s += idle_s - decision_s;
    walker->terms.migration_s += unpacked_s;
    walker->happens = FREE;
    walker->at_s = fmax(found_s, walker->busy_until_s) + unpacked_s;
}

static void find(struct walk *walk, struct walker *walker)
{
    double now_s = walker->at_s;
    struct walker *source = source_of(walk, walker);

    if (source != NULL) {
        give(walk, source);
        get(walk, walker, weight_of(walk, source->end), now_s);
        return;
    }
    walker->asked += group_of(walk, walker);
    if (walk->not_begun > 0 && walker->asked < walk->objects->processors - 1) {
        ask(walk, walker, now_s);
    } else {
        search(walk, walker, now_s);
    }
}

/* --- executing --- */

static void execute(struct walk *walk, struct walker *walker, double work_s)
{
    double thread_s = work_s * walk->polling;
    double overlap_s = walk->objects->overlap * walk->application_s;

    walker->terms.tasks++;
    walker->terms.work_s += work_s;
    walker->terms.thread_s += thread_s;
    walker->terms.application_s += walk->application_s;
    walker->terms.overlap_s += overlap_s;
    walker->busy_until_s = walker->at_s + work_s + thread_s + walk->application_s - overlap_s;
    if (walk->objects->early && left_of(walker) == 0) {
        walker->since_s = walker->at_s;
        search(walk, walker, walker->at_s);
    } else {
        walker->happens = FREE;
        walker->at_s = walker->busy_until_s;
    }
}

static void go_on(struct walk *walk, struct walker *walker)
{
    if (walker->carries) {
        walker->carries = false;
        execute(walk, walker, walker->carried_s);
    } else if (left_of(walker) > 0) {
        walk->not_begun--;
        execute(walk, walker, weight_of(walk, walker->next++));
    } else {
        walker->since_s = walker->at_s;
        search(walk, walker, walker->at_s);
    }
}

/* --- a walk --- */

static uint64_t tasks_of(const struct keel_objects *objects)
{
    return objects->classes.light + objects->classes.heavy;
}

/* The first task of processor p's block. */
static uint64_t first_task(const struct keel_objects *objects, uint64_t p)
{
    uint64_t each = tasks_of(objects) / objects->processors;
    uint64_t more = tasks_of(objects) % objects->processors;

    return p * each + min_u64(p, more);
}

static void deal(struct walk *walk, uint32_t p)
{
    struct walker *walker = &walk->walker[p];

    *walker = (struct walker){
        .next = first_task(walk->objects, p),
        .end = first_task(walk->objects, p + UINT64_C(1)),
    };
    for (uint64_t i = walker->next; i < walker->end; i++) {
        walker->own_s += weight_of(walk, i);
    }
}

static struct walker *earliest(const struct walk *walk)
{
    struct walker *found = walk->walker;

    for (uint32_t p = 1; p < walk->objects->processors; p++) {
        found = walk->walker[p].at_s < found->at_s ? &walk->walker[p] : found;
    }
    return found;
}

/* The latest one of each kind. */
static struct keel_objects_bound bound_of(const struct walk *walk, double mean_s)
{
    struct keel_objects_bound bound = {0};

    for (uint32_t p = 0; p < walk->objects->processors; p++) {
        struct walker *walker = &walk->walker[p];
        bool overloaded = walker->own_s > mean_s;
        struct keel_objects_terms *latest = overloaded ? &bound.overloaded : &bound.underloaded;
        walker->terms.total_s = walker->busy_until_s; /* equals keel_objects_total() */
        if (walker->terms.total_s >= latest->total_s) {
            *latest = walker->terms;
        }
        bound.rounds = overloaded ? bound.rounds : fmax(bound.rounds, walker->terms.migrated);
    }
    bound.total_s = fmax(bound.overloaded.total_s, bound.underloaded.total_s);
    return bound;
}

static struct keel_objects_bound take(struct walk *walk, enum search search, uint64_t run,
                                      double mean_s)
{
    walk->search = search;
    walk->chance = keel_chance_mix(run);
    walk->not_begun = tasks_of(walk->objects);
    for (uint32_t p = 0; p < walk->objects->processors; p++) {
        deal(walk, p);
    }
    for (;;) {
        struct walker *walker = earliest(walk);
        if (isinf(walker->at_s)) {
            return bound_of(walk, mean_s);
        }
        (walker->happens == FREE ? go_on : find)(walk, walker);
    }
}

/* Sets the values that need no walk. */
static void set_kinds(struct walk *walk, struct keel_objects_forecast *forecast)
{
    const struct keel_objects *objects = walk->objects;
    double all_s = 0;

    for (uint32_t p = 0; p < objects->processors; p++) {
        const struct walker *walker = &walk->walker[p];
        deal(walk, p);
        double application_s = (double)left_of(walker) * walk->application_s;
        double alone_s = walker->own_s + application_s * (1 - objects->overlap);
        forecast->unbalanced_s = fmax(forecast->unbalanced_s, alone_s);
        all_s += walker->own_s;
    }
    forecast->ideal_s = all_s / objects->processors;
    for (uint32_t p = 0; p < objects->processors; p++) {
        forecast->overloaded += walk->walker[p].own_s > forecast->ideal_s;
    }
    forecast->underloaded = objects->processors - forecast->overloaded;
}

static void take_bound(struct keel_objects_forecast *forecast,
                       const struct keel_objects_bound *bound)
{
    if (bound->total_s < forecast->lower.total_s) {
        forecast->lower = *bound;
    }
    if (bound->total_s > forecast->upper.total_s) {
        forecast->upper = *bound;
    }
}

size_t keel_objects_simulate_scratch(uint32_t processors)
{
    return processors * sizeof(struct walker);
}

void keel_objects_simulate(const struct keel_objects *valid, struct keel_objects_forecast *forecast,
                           void *scratch)
{
    struct walk walk = {
        .objects = valid,
        .walker = scratch,
        .transport_s = keel_objects_transport_s(valid),
        .polling = keel_objects_polling(valid),
        .application_s =
            valid->task_messages * (valid->message_s + valid->byte_s * valid->task_message_bytes),
    };

    set_kinds(&walk, forecast);
    forecast->lower = take(&walk, BEST_CASE, 0, forecast->ideal_s);
    forecast->upper = forecast->lower;
    struct keel_objects_bound bound = take(&walk, WORST_CASE, 0, forecast->ideal_s);
    take_bound(forecast, &bound);
    for (uint64_t run = 0; run < KEEL_OBJECTS_SIMULATE_RUNS; run++) {
        bound = take(&walk, RANDOM, run, forecast->ideal_s);
        take_bound(forecast, &bound);
        forecast->average_s += bound.total_s / KEEL_OBJECTS_SIMULATE_RUNS;
    }
}
