/* The analytic model of over-decomposed objects, as published. */
#include "schedules/model/objects_terms.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

/* --- two kinds of processors --- */

/* The first tasks of a processor: light ones first. */
struct share {
    uint64_t light, heavy;
};

struct kinds {
    const struct keel_objects *objects;
    uint64_t own; /* tasks of a processor with most */
    uint32_t overloaded, underloaded;
    struct share overloaded_share, underloaded_share;
};

static double work_of(const struct kinds *kinds, const struct share *share)
{
    const struct keel_bimodal *classes = &kinds->objects->classes;

    return (double)share->light * classes->light_mean + (double)share->heavy * classes->heavy_mean;
}

/* Of sorted tasks at most one processor has both kinds, and counts as the kind of most of its
 * tasks; if it is the only one of its kind, it has fewer of these. */
static void set_kinds(struct kinds *kinds)
{
    const struct keel_bimodal *classes = &kinds->objects->classes;
    uint64_t light = classes->light, heavy = classes->heavy,
             processors = kinds->objects->processors;

    kinds->own = div_ceil(light + heavy, processors);
    uint64_t blocks = count_of((double)heavy / (double)kinds->own + 0.5);
    uint64_t most = light > 0 ? processors - 1 : processors;
    blocks = max_u64(min_u64(blocks, most), heavy > 0);
    kinds->overloaded = (uint32_t)blocks;
    kinds->underloaded = (uint32_t)(processors - blocks);
    uint64_t h = min_u64(heavy, kinds->own), l = min_u64(light, kinds->own);
    kinds->overloaded_share = (struct share){kinds->own - h, h};
    kinds->underloaded_share = (struct share){l, kinds->own - l};
}

/* --- rounds (section 4.1) --- */

/* Tasks of a processor of this share that have not begun after it has worked for time_s. */
static uint64_t not_begun(const struct kinds *kinds, const struct share *share, double time_s)
{
    const struct keel_bimodal *classes = &kinds->objects->classes;
    double light_s = (double)share->light * classes->light_mean;
    double begun = time_s < light_s
                       ? floor(time_s / classes->light_mean)
                       : (double)share->light + floor((time_s - light_s) / classes->heavy_mean);
    uint64_t own = share->light + share->heavy;

    return own - min_u64(own, count_of(begun + 1));
}

/* --- terms --- */

/* Terms of a processor that has `tasks` and works for work_s. */
static struct keel_objects_terms executed(const struct kinds *kinds, double tasks, double work_s)
{
    const struct keel_objects *objects = kinds->objects;
    double message_s = objects->message_s + objects->byte_s * objects->task_message_bytes;
    double application_s = tasks * objects->task_messages * message_s;

    return (struct keel_objects_terms){
        .tasks = tasks,
        .work_s = work_s,
        .thread_s = work_s * keel_objects_polling(objects),
        .application_s = application_s,
        .overlap_s = objects->overlap * application_s,
    };
}

static struct keel_objects_terms source(const struct kinds *kinds, uint64_t given)
{
    const struct keel_objects *objects = kinds->objects;
    double some = (double)given, transport_s = some * keel_objects_transport_s(objects);
    double work_s = work_of(kinds, &kinds->overloaded_share) - some * objects->classes.heavy_mean;
    struct keel_objects_terms terms = executed(kinds, (double)(kinds->own - given), work_s);

    terms.migrated = some;
    terms.migration_s = some * (objects->uninstall_s + objects->pack_s) + transport_s;
    terms.overlap_s += objects->overlap * transport_s;
    keel_objects_total(&terms);
    return terms;
}

/* The first search takes locate_s, and others a request. */
static struct keel_objects_terms sink(const struct kinds *kinds, uint64_t got, double locate_s)
{
    const struct keel_objects *objects = kinds->objects;
    double some = (double)got,
           request_s = keel_objects_turnaround_s(objects, objects->quantum_s / 2);
    double work_s = work_of(kinds, &kinds->underloaded_share) + some * objects->classes.heavy_mean;
    struct keel_objects_terms terms = executed(kinds, (double)(kinds->own + got), work_s);

    terms.migrated = some;
    terms.request_s = got > 0 ? locate_s + (some - 1) * request_s : 0;
    terms.migration_s = some * (objects->unpack_s + objects->install_s);
    terms.decision_s = some * objects->decision_s;
    keel_objects_total(&terms);
    return terms;
}

/* A first task is found after `requests` requests. */
static struct keel_objects_bound bound(const struct kinds *kinds, double requests)
{
    const struct keel_objects *objects = kinds->objects;
    struct keel_objects_bound bound = {
        .locate_s = requests * keel_objects_turnaround_s(objects, objects->quantum_s / 2),
    };
    uint64_t given = 0, got = 0;

    if (kinds->overloaded > 0 && kinds->underloaded > 0) {
        double begins_s = work_of(kinds, &kinds->underloaded_share) + bound.locate_s;
        double delta_s = work_of(kinds, &kinds->overloaded_share) - begins_s;
        uint64_t tasks = delta_s > 0 ? not_begun(kinds, &kinds->overloaded_share, begins_s) : 0;
        /* An overloaded one gives `each` in a round and begins one: it gives none if there are more
         * of its kind than underloaded ones. */
        uint64_t each = kinds->underloaded / kinds->overloaded;
        given = tasks - tasks / (each + 1);
        got = each > 0 ? div_ceil(given, each) : 0;
        bound.rounds = (double)div_ceil(tasks, each + 1);
    }
    if (kinds->overloaded > 0) {
        bound.overloaded = source(kinds, given);
    }
    if (kinds->underloaded > 0) {
        bound.underloaded = sink(kinds, got, bound.locate_s);
    }
    bound.total_s = fmax(bound.overloaded.total_s, bound.underloaded.total_s);
    return bound;
}

/* --- forecast --- */

/* All underloaded processors but this one are asked: the last neighbourhood has a source, too. */
static double requests_at_most(const struct kinds *kinds)
{
    return (double)max_u64(1, div_ceil(kinds->underloaded, kinds->objects->neighbourhood));
}

/* If migrations cost more than they gain, late ones are better. */
static void set_bounds(struct keel_objects_forecast *forecast, struct keel_objects_bound early,
                       struct keel_objects_bound late)
{
    bool pays = early.total_s <= late.total_s;

    forecast->lower = pays ? early : late;
    forecast->upper = pays ? late : early;
    forecast->average_s = (early.total_s + late.total_s) / 2;
}

static void predict(const struct keel_objects *objects, struct keel_objects_forecast *forecast)
{
    const struct keel_bimodal *classes = &objects->classes;
    struct kinds kinds = {.objects = objects};

    set_kinds(&kinds);
    const struct share *latest =
        kinds.overloaded > 0 ? &kinds.overloaded_share : &kinds.underloaded_share;
    struct keel_objects_terms own = executed(&kinds, (double)kinds.own, work_of(&kinds, latest));
    struct share all = {classes->light, classes->heavy};
    own.thread_s = 0;
    keel_objects_total(&own);
    forecast->overloaded = kinds.overloaded;
    forecast->underloaded = kinds.underloaded;
    forecast->unbalanced_s = own.total_s;
    forecast->ideal_s = work_of(&kinds, &all) / objects->processors;
    set_bounds(forecast, bound(&kinds, 1), bound(&kinds, requests_at_most(&kinds)));
}

size_t keel_objects_scratch(const struct keel_objects *objects)
{
    return objects->weight != NULL ? keel_objects_simulate_scratch(objects->processors) : 0;
}

bool keel_objects_predict(const struct keel_objects *objects,
                          struct keel_objects_forecast *forecast, void *scratch)
{
    struct keel_objects all_sound = keel_objects_valid(objects);

    *forecast = (struct keel_objects_forecast){0};
    if (objects->processors == 0 || objects->classes.light + objects->classes.heavy == 0) {
        return false;
    }
    if (objects->weight != NULL && scratch != NULL) {
        keel_objects_simulate(&all_sound, forecast, scratch);
    } else {
        predict(&all_sound, forecast);
    }
    return true;
}
