/* Linux's data about processors, and the places of threads of the program's teams. */
#define _GNU_SOURCE
#include "omp_ext/machine/team_places.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/support/safe_file.h"

/* --- processors --- */

/* Of all processors about which nothing is known, which have it in common; UINT32_MAX is
 * KEEL_NO_GROUP. */
#define UNKNOWN (UINT32_MAX - 1)
#define CACHES_MAX 16 /* index0, index1, ... of a processor */

/* Files with lists of processors are longer on large machines. */
#define LIST_MAX 4096

struct reading {
    const char *root;
    const unsigned *number;
    size_t count;
    struct keel_processor *processor;
};

/* Reads a file below /sys/devices/system. */
__attribute__((format(printf, 4, 5))) static bool
read_below(const struct reading *reading, char *text, size_t size, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/", reading->root);

    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - (size_t)length, format, arguments);
    va_end(arguments);
    return keel_small_file_read(path, text, size);
}

/* Takes the next range off a list as Linux writes them: "0-3,8,10-11". False: it is at its end, or
 * there is no range. */
static bool next_range(const char **list, unsigned *first, unsigned *last)
{
    const char *text = *list + (**list == ',');
    int length = 0;

    if (sscanf(text, "%7u%n", first, &length) != 1) {
        return false;
    }
    text += length;
    *last = *first;
    if (*text == '-' && (sscanf(text + 1, "%7u%n", last, &length) != 1 || *last < *first)) {
        return false;
    }
    *list = text + (*text == '-' ? 1 + length : 0);
    return true;
}

static bool is_listed(const char *list, unsigned number)
{
    unsigned first, last;

    while (next_range(&list, &first, &last)) {
        if (number >= first && number <= last) {
            return true;
        }
    }
    return false;
}

/* Those of the list belong to one group, which has the number of the list's first. field: offset of
 * the group in struct keel_processor. */
static void join_group(const struct reading *reading, const char *list, size_t field)
{
    const char *rest = list;
    unsigned first, last;

    if (!next_range(&rest, &first, &last)) {
        return;
    }
    for (size_t i = 0; i < reading->count; i++) {
        if (is_listed(list, reading->number[i])) {
            *(uint32_t *)((char *)&reading->processor[i] + field) = first;
        }
    }
}

static void read_core(const struct reading *reading, size_t i)
{
    char list[LIST_MAX];
    unsigned number = reading->number[i];

    if (read_below(reading, list, sizeof list, "cpu/cpu%u/topology/core_cpus_list", number) ||
        read_below(reading, list, sizeof list, "cpu/cpu%u/topology/thread_siblings_list", number)) {
        join_group(reading, list, offsetof(struct keel_processor, core));
    }
    if (reading->processor[i].core == UNKNOWN) {
        reading->processor[i].core = number;
    }
}

/* The cache of the highest level. */
static void read_cache(const struct reading *reading, size_t i)
{
    char text[LIST_MAX];
    unsigned number = reading->number[i];
    unsigned last = 0;
    long highest = 0;

    for (unsigned index = 0; index < CACHES_MAX; index++) {
        if (!read_below(reading, text, sizeof text, "cpu/cpu%u/cache/index%u/level", number,
                        index)) {
            break;
        }
        long level = strtol(text, NULL, 10);
        last = level > highest ? index : last;
        highest = level > highest ? level : highest;
    }
    if (highest > 0 && read_below(reading, text, sizeof text,
                                  "cpu/cpu%u/cache/index%u/shared_cpu_list", number, last)) {
        join_group(reading, text, offsetof(struct keel_processor, cache));
    }
}

/* What Linux says in one unit for all kinds of cores; where it does not, how fast they run without
 * boosts, which single cores of one kind have, too; otherwise the highest frequency. */
static void read_capacity(const struct reading *reading, size_t i)
{
    static const char *const files[] = {"cpu_capacity", "cpufreq/base_frequency",
                                        "cpufreq/cpuinfo_max_freq"};
    char text[64];

    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        if (read_below(reading, text, sizeof text, "cpu/cpu%u/%s", reading->number[i], files[f])) {
            reading->processor[i].capacity = (double)strtoull(text, NULL, 10);
            return;
        }
    }
}

static void read_nodes(const struct reading *reading)
{
    char nodes[LIST_MAX], list[LIST_MAX];
    const char *rest = nodes;
    unsigned first, last;

    if (!read_below(reading, nodes, sizeof nodes, "node/has_cpu") &&
        !read_below(reading, nodes, sizeof nodes, "node/online")) {
        return;
    }
    while (next_range(&rest, &first, &last)) {
        for (unsigned node = first; node <= last; node++) {
            if (read_below(reading, list, sizeof list, "node/node%u/cpulist", node)) {
                join_group(reading, list, offsetof(struct keel_processor, node));
            }
        }
    }
}

void keel_processors_read(const char *root, const unsigned *number, size_t count,
                          struct keel_processor *processor)
{
    const struct reading reading = {root, number, count, processor};

    for (size_t i = 0; i < count; i++) {
        processor[i] = (struct keel_processor){UNKNOWN, UNKNOWN, UNKNOWN, 0};
    }
    for (size_t i = 0; i < count; i++) {
        if (processor[i].core == UNKNOWN) {
            read_core(&reading, i);
        }
        if (processor[i].cache == UNKNOWN) {
            read_cache(&reading, i);
        }
        read_capacity(&reading, i);
    }
    read_nodes(&reading);
}

/* --- teams --- */

/* omp_proc_bind_t; "true" means close to libgomp. */
enum { BIND_FALSE, BIND_TRUE, BIND_PRIMARY, BIND_CLOSE, BIND_SPREAD };

/* What is asked of libgomp: X(result, name, parameters). */
#define QUESTIONS(X)                       \
    X(int, omp_get_proc_bind, (void))      \
    X(int, omp_get_level, (void))          \
    X(int, omp_get_thread_num, (void))     \
    X(int, omp_get_num_places, (void))     \
    X(int, omp_get_place_num, (void))      \
    X(int, omp_get_place_num_procs, (int)) \
    X(void, omp_get_place_proc_ids, (int, int *))

struct questions {
#define FIELD(result, name, parameters) result(*name) parameters;
    QUESTIONS(FIELD)
#undef FIELD
};

/* The placement of one team size. */
struct known_team {
    struct known_team *next;
    uint64_t threads;
    const struct keel_placement *placement; /* NULL: threads are alike, and equally near */
    uint64_t place[];                       /* of each thread */
};

static struct {
    atomic_bool bound; /* threads are, and the fields below are known; written at the beginning */
    struct questions libgomp;
    int bind;
    uint64_t places, own; /* `own`: the initial thread's place */
    _Atomic(struct known_team *) first;
} teams;

/* --- libgomp --- */

static bool find_libgomp(struct questions *libgomp)
{
    bool found = true;

#define FIND(result, name, parameters)                     \
    *(void **)&libgomp->name = dlsym(RTLD_DEFAULT, #name); \
    found = found && libgomp->name != NULL;
    QUESTIONS(FIND)
#undef FIND
    return found;
}

void keel_team_places_begin(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;

    if (atomic_flag_test_and_set(&begun) || !find_libgomp(&teams.libgomp) ||
        teams.libgomp.omp_get_level() != 0) {
        return;
    }
    int places = teams.libgomp.omp_get_num_places(), own = teams.libgomp.omp_get_place_num();
    teams.bind = teams.libgomp.omp_get_proc_bind();
    if (teams.bind == BIND_FALSE || places <= 0 || own < 0 || own >= places) {
        return;
    }
    teams.places = (uint64_t)places;
    teams.own = (uint64_t)own;
    /* release: pairs with the acquire in keel_team_placement() */
    atomic_store_explicit(&teams.bound, true, memory_order_release);
}

/* --- which thread is where: gomp_team_start() in libgomp's team.c --- */

/* More threads than places: each place gets as many, the first ones one more; fewer: one place
 * each, from the team's own one on. Both go round. */
static void place_close(uint64_t places, uint64_t own, uint64_t threads, uint64_t *place)
{
    uint64_t each = threads > places ? threads / places : 1;
    uint64_t rest = threads > places ? threads % places : 0;

    for (uint64_t i = 0; i < threads; i++) {
        place[i] = i < threads - rest ? (own + i / each) % places
                                      : (own + places + i - (threads - rest)) % places;
    }
}

/* As many parts of the places as there are threads, the first ones one place longer; each thread
 * gets the first place of its part, but the team's first thread stays where it is. */
static void place_spread(uint64_t places, uint64_t own, uint64_t threads, uint64_t *place)
{
    uint64_t each = places / threads, longer = places % threads;
    uint64_t part =
        own < longer * (each + 1) ? own / (each + 1) : longer + (own - longer * (each + 1)) / each;

    for (uint64_t i = 0; i < threads; i++) {
        uint64_t next = (part + i) % threads;
        place[i] = next * each + (next < longer ? next : longer);
    }
    place[0] = own;
}

void keel_team_places_of(int bind, uint64_t places, uint64_t own, uint64_t threads, uint64_t *place)
{
    if (bind == BIND_PRIMARY) {
        for (uint64_t i = 0; i < threads; i++) {
            place[i] = own;
        }
    } else if (bind == BIND_SPREAD && threads <= places) {
        place_spread(places, own, threads, place);
    } else {
        place_close(places, own, threads, place);
    }
}

/* --- the placement of a team --- */

/* The processors of all threads' places, one list per thread. */
struct lists {
    uint64_t *first; /* threads + 1 */
    int *id;         /* of the operating system */
    size_t count;
};

static bool list_processors(const struct known_team *team, struct lists *lists)
{
    lists->first = malloc((team->threads + 1) * sizeof *lists->first);
    if (lists->first == NULL) {
        return false;
    }
    lists->count = 0;
    for (uint64_t t = 0; t <= team->threads; t++) {
        lists->first[t] = lists->count;
        if (t < team->threads) {
            lists->count += (size_t)teams.libgomp.omp_get_place_num_procs((int)team->place[t]);
        }
    }
    lists->id = malloc((lists->count + 1) * sizeof *lists->id);
    if (lists->id == NULL) {
        return false;
    }
    for (uint64_t t = 0; t < team->threads; t++) {
        teams.libgomp.omp_get_place_proc_ids((int)team->place[t], lists->id + lists->first[t]);
    }
    return true;
}

/* Reads about the processors, each of them once, and works the placement out. */
static struct keel_placement *place(const struct known_team *team, const struct lists *lists)
{
    int most = 0;

    for (size_t i = 0; i < lists->count; i++) {
        most = lists->id[i] > most ? lists->id[i] : most;
    }
    uint32_t *place_of = calloc((size_t)most + 1, sizeof *place_of); /* by id: in `number`, + 1 */
    unsigned *number = malloc(lists->count * sizeof *number);
    uint32_t *index = malloc(lists->count * sizeof *index);
    struct keel_processor *processor = malloc(lists->count * sizeof *processor);
    struct keel_placement *placement = NULL;
    if (place_of != NULL && number != NULL && index != NULL && processor != NULL) {
        uint32_t count = 0;
        for (size_t i = 0; i < lists->count; i++) {
            uint32_t *known = &place_of[lists->id[i]];
            if (*known == 0) {
                number[count] = (unsigned)lists->id[i];
                *known = ++count;
            }
            index[i] = *known - 1;
        }
        keel_processors_read("", number, count, processor);
        placement = keel_placement_make(&(struct keel_places){
            .threads = team->threads,
            .first = lists->first,
            .number = index,
            .processors = count,
            .processor = processor,
        });
    }
    free(place_of);
    free(number);
    free(index);
    free(processor);
    return placement;
}

/* Whether each thread has a processor. */
static bool complete(const struct known_team *team, const struct lists *lists)
{
    for (uint64_t t = 0; t < team->threads; t++) {
        if (lists->first[t] == lists->first[t + 1]) {
            return false;
        }
    }
    return true;
}

static struct known_team *make(uint64_t threads)
{
    struct known_team *team = malloc(sizeof *team + threads * sizeof team->place[0]);
    struct lists lists = {0};

    if (team == NULL) {
        return NULL;
    }
    team->threads = threads;
    team->placement = NULL;
    keel_team_places_of(teams.bind, teams.places, teams.own, threads, team->place);
    if (list_processors(team, &lists) && complete(team, &lists)) {
        team->placement = place(team, &lists);
    }
    free(lists.first);
    free(lists.id);
    return team;
}

static struct known_team *find(struct known_team *team, uint64_t threads)
{
    while (team != NULL && team->threads != threads) {
        team = team->next;
    }
    return team;
}

/* Threads may make the same at the same time; the list then has it twice, the later one unused. */
static struct known_team *add(uint64_t threads)
{
    struct known_team *added = make(threads);

    if (added != NULL) {
        added->next = atomic_load_explicit(&teams.first, memory_order_relaxed);
        /* release: pairs with the acquire in keel_team_placement() */
        while (!atomic_compare_exchange_weak_explicit(&teams.first, &added->next, added,
                                                      memory_order_release, memory_order_relaxed)) {
        }
    }
    return added;
}

/* A team that is bound otherwise, by a proc_bind clause or by another thread that started it, shows
 * in the place of the thread that asks. */
static bool is_as_expected(const struct known_team *team)
{
    int thread = teams.libgomp.omp_get_thread_num();

    return teams.libgomp.omp_get_level() == 1 && thread >= 0 && (uint64_t)thread < team->threads &&
           teams.libgomp.omp_get_place_num() == (int)team->place[thread];
}

const struct keel_placement *keel_team_placement(uint64_t threads)
{
    /* acquire: pairs with the release in keel_team_places_begin() */
    if (threads < 2 || !atomic_load_explicit(&teams.bound, memory_order_acquire)) {
        return NULL;
    }
    /* acquire: pairs with the release in add() */
    struct known_team *team =
        find(atomic_load_explicit(&teams.first, memory_order_acquire), threads);
    if (team == NULL) {
        team = add(threads);
    }
    return team != NULL && team->placement != NULL && is_as_expected(team) ? team->placement : NULL;
}
