/* Where the threads of the program's teams run. */
#define _GNU_SOURCE
#include "omp_ext/places/team_places.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "omp_ext/places/processors.h"

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
