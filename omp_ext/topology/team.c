/* A team on a machine. */
#include "omp_ext/topology/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/topology/picture.h"
#include "schedules/claim/placement.h"

#define NAME "  %-10s"
#define LINES_MAX 8      /* of places, and of weights */
#define CACHES_SHOWN 4   /* groups of threads */
#define SAME_WEIGHT 5e-3 /* weights are shown with two decimals */

/* --- what is known of the team --- */

static struct keel_placement *placement_of(const struct keel_topology_machine *machine,
                                           const struct keel_libgomp_view *view)
{
    uint64_t count = view->first[view->threads];
    struct keel_processor *processor = malloc((count + 1) * sizeof *processor);
    uint32_t *number = malloc((count + 1) * sizeof *number);
    struct keel_placement *placement = NULL;
    bool known = processor != NULL && number != NULL;

    for (uint64_t i = 0; i < count && known; i++) {
        number[i] = (uint32_t)i;
        known = keel_topology_machine_processor(machine, (unsigned)view->number[i], &processor[i]);
    }
    if (known && count > 0) {
        placement = keel_placement_make(&(struct keel_places){
            .threads = view->threads,
            .first = view->first,
            .number = number,
            .processors = count,
            .processor = processor,
        });
    }
    free(processor);
    free(number);
    return placement;
}

static void add_place(const struct keel_libgomp_view *view, uint32_t thread, hwloc_bitmap_t place)
{
    for (uint64_t i = view->first[thread]; i < view->first[thread + 1]; i++) {
        hwloc_bitmap_set(place, (unsigned)view->number[i]);
    }
}

/* --- lines about runs of threads --- */

/* The threads [first, last) as text: "thread 3", "threads 0-7". */
static void print_threads(FILE *stream, uint32_t first, uint32_t last)
{
    if (last - first == 1) {
        fprintf(stream, "thread %u", first);
    } else {
        fprintf(stream, "threads %u-%u", first, last - 1);
    }
}

/* Prints a line each for runs of threads that are alike, up to LINES_MAX. */
static void print_runs(uint32_t threads, FILE *stream, const char *name,
                       bool (*alike)(const void *context, uint32_t thread),
                       void (*print)(const void *context, uint32_t first, uint32_t last,
                                     FILE *stream),
                       const void *context)
{
    unsigned lines = 0;

    for (uint32_t first = 0, last; first < threads; first = last) {
        for (last = first + 1; last < threads && alike(context, last); last++) {
        }
        if (lines == LINES_MAX) {
            fprintf(stream, NAME "... up to thread %u\n", "", threads - 1);
            return;
        }
        fprintf(stream, NAME, lines++ == 0 ? name : "");
        print_threads(stream, first, last);
        print(context, first, last, stream);
    }
}

/* Places: those of one run have as many processors each, one behind the other. */
static uint64_t size_of(const struct keel_libgomp_view *view, uint32_t thread)
{
    return view->first[thread + 1] - view->first[thread];
}

static bool place_follows(const void *context, uint32_t thread)
{
    const struct keel_libgomp_view *view = context;
    const int32_t *before = view->number + view->first[thread - 1];

    return size_of(view, thread) == size_of(view, thread - 1) && size_of(view, thread) > 0 &&
           view->number[view->first[thread]] > before[0];
}

static void print_places(const void *context, uint32_t first, uint32_t last, FILE *stream)
{
    const struct keel_libgomp_view *view = context;
    hwloc_bitmap_t processors = hwloc_bitmap_alloc();
    char list[256];

    for (uint32_t thread = first; thread < last; thread++) {
        add_place(view, thread, processors);
    }
    keel_topology_picture_list(processors, 48, list);
    fprintf(stream, " on %s%s\n", list, last - first > 1 ? ", each in a place of its own" : "");
    hwloc_bitmap_free(processors);
}

static bool weighs_the_same(const void *context, uint32_t thread)
{
    const struct keel_placement *placement = context;

    return fabs(placement->weight[thread] - placement->weight[thread - 1]) < SAME_WEIGHT;
}

static void print_weight(const void *context, uint32_t first, uint32_t last, FILE *stream)
{
    const struct keel_placement *placement = context;

    fprintf(stream, ": %.2f%s\n", placement->weight[first], last - first > 1 ? " each" : "");
}

/* The end of the run of threads that share a cache with thread `first`. */
static uint32_t cache_end(const struct keel_placement *placement, uint32_t first)
{
    uint32_t end = first + 1;

    while (end < placement->threads &&
           keel_placement_nearness(placement, end - 1, end) == KEEL_NEAR_CACHE) {
        end++;
    }
    return end;
}

/* "threads 0-7, 8-15, ... share a cache". */
static void print_caches(const struct keel_placement *placement, FILE *stream)
{
    uint32_t shown = 0, alone = 0, all = 0;

    fprintf(stream, NAME, "stealing");
    for (uint32_t first = 0, end; first < placement->threads; first = end, all++) {
        end = cache_end(placement, first);
        alone += end - first == 1;
        if (end - first > 1 && shown < CACHES_SHOWN) {
            fprintf(stream, shown++ == 0 ? "threads %u-%u" : ", %u-%u", first, end - 1);
        }
    }
    if (shown == 0) {
        fprintf(stream, "idle threads look in their NUMA node first\n");
        return;
    }
    fprintf(stream,
            "%s share a cache: idle threads look there first,\n" NAME "then in their NUMA node\n",
            all - alone > shown ? ", ..." : "", "");
}

/* --- the team --- */

static void print_placement(const struct keel_placement *placement, uint32_t threads, FILE *stream)
{
    if (placement == NULL || placement->weight == NULL) {
        fprintf(stream, NAME "all cores alike: loops begin with equal shares\n", "weights");
    } else {
        print_runs(threads, stream, "weights", weighs_the_same, print_weight, placement);
        fprintf(stream, NAME "of wf2, steal and rate until a loop has been measured\n", "");
    }
    if (placement != NULL && placement->groups != NULL) {
        print_caches(placement, stream);
    }
}

unsigned keel_topology_team_print(const struct keel_topology_machine *machine,
                                  const struct keel_libgomp_view *view, FILE *stream)
{
    struct keel_placement *placement = placement_of(machine, view);
    hwloc_bitmap_t processors = hwloc_bitmap_alloc();

    for (uint32_t thread = 0; thread < view->threads; thread++) {
        add_place(view, thread, processors);
    }
    print_runs(view->threads, stream, "places", place_follows, print_places, view);
    print_placement(placement, view->threads, stream);
    unsigned count = (unsigned)hwloc_bitmap_weight(processors);
    hwloc_bitmap_free(processors);
    free(placement);
    return count;
}

bool keel_topology_team_of_cores(const struct keel_topology_machine *machine,
                                 struct keel_libgomp_view *view)
{
    bool cores = hwloc_get_nbobjs_by_type(machine->hwloc, HWLOC_OBJ_CORE) > 0;
    hwloc_obj_type_t type = cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    uint32_t threads = keel_topology_machine_count(machine, type, true), thread = 0;

    *view = (struct keel_libgomp_view){
        .threads = threads,
        .bind = KEEL_LIBGOMP_CLOSE,
        .places = threads,
        .first = calloc(threads + 1, sizeof *view->first),
        .number = calloc((size_t)keel_topology_machine_count(machine, HWLOC_OBJ_PU, true) + 1,
                         sizeof *view->number),
    };
    if (view->first == NULL || view->number == NULL) {
        keel_libgomp_view_free(view);
        return false;
    }
    for (hwloc_obj_t object = NULL;
         (object = hwloc_get_next_obj_by_type(machine->hwloc, type, object)) != NULL; thread++) {
        uint64_t end = view->first[thread];
        int number;
        hwloc_bitmap_foreach_begin(number, object->cpuset) view->number[end++] = number;
        hwloc_bitmap_foreach_end();
        view->first[thread + 1] = end;
    }
    return true;
}
