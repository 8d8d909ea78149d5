/* keel topology: what this process may use of its machine, the team that libgomp would start there,
 * and what to set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/topology/topology.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/machine/team_places.h"
#include "omp_ext/support/environment.h"
#include "schedules/text/text.h"

/* --- what may be used --- */

#define PROCESSORS_MAX 8192 /* CONFIG_NR_CPUS of large kernels */
#define SAME_SPEED 0.9      /* of the fastest: one kind, as in schedules/claim/claim_placement.c */

static unsigned find_allowed(unsigned number[PROCESSORS_MAX])
{
    cpu_set_t *set = CPU_ALLOC(PROCESSORS_MAX);
    size_t size = CPU_ALLOC_SIZE(PROCESSORS_MAX);
    unsigned count = 0;

    if (set != NULL && sched_getaffinity(0, size, set) == 0) {
        for (unsigned i = 0; i < PROCESSORS_MAX; i++) {
            if (CPU_ISSET_S(i, size, set)) {
                number[count++] = i;
            }
        }
    }
    CPU_FREE(set);
    return count;
}

static void write_list(const unsigned *number, unsigned count, char *list, unsigned size)
{
    size_t length = 0;

    list[0] = '\0';
    for (unsigned i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && number[end] == number[end - 1] + 1; end++) {
        }
        if (length + 24 > size) {
            keel_text_append(list, size, length, ",...");
            return;
        }
        length = keel_text_append(list, size, length, "%s%u", i > 0 ? "," : "", number[i]);
        if (end - i > 1) {
            length = keel_text_append(list, size, length, "-%u", number[end - 1]);
        }
    }
}

/* Whether an earlier processor has the same core, or with `node` the same NUMA node. */
static bool is_known(const struct keel_processor *processor, unsigned i, bool node)
{
    for (unsigned j = 0; j < i; j++) {
        if (node ? processor[j].node == processor[i].node
                 : processor[j].core == processor[i].core) {
            return true;
        }
    }
    return false;
}

static void count(const struct keel_processor *processor, struct keel_topology_facts *facts)
{
    double most = 0;

    for (unsigned i = 0; i < facts->processors; i++) {
        facts->cores += !is_known(processor, i, false);
        facts->nodes += !is_known(processor, i, true);
        most = processor[i].capacity > most ? processor[i].capacity : most;
    }
    for (unsigned i = 0; i < facts->processors; i++) {
        if (processor[i].capacity > 0 && processor[i].capacity < SAME_SPEED * most) {
            facts->kinds = 2;
        }
    }
}

/* What the process may use: cores, processors, nodes, online, kinds and quota. `list` gets the
 * numbers of the processors as text. */
static struct keel_topology_facts topology_usable(char *list, unsigned size)
{
    static unsigned number[PROCESSORS_MAX];
    struct keel_cores cores = keel_cores_of_process();
    struct keel_topology_facts facts = {
        .processors = find_allowed(number),
        .online = cores.online,
        .quota = cores.quota,
        .kinds = 1,
    };
    struct keel_processor *processor = calloc(facts.processors + 1, sizeof *processor);

    write_list(number, facts.processors, list, size);
    if (processor != NULL) {
        keel_processors_read("", number, facts.processors, processor);
        count(processor, &facts);
    }
    free(processor);
    facts.processors = facts.processors > 0 ? facts.processors : cores.allowed;
    facts.cores = facts.cores > 0 ? facts.cores : facts.processors;
    return facts;
}

/* --- libgomp's view --- */

/* omp_proc_bind_t. */
enum keel_libgomp_bind {
    KEEL_LIBGOMP_UNBOUND,
    KEEL_LIBGOMP_TRUE,
    KEEL_LIBGOMP_PRIMARY,
    KEEL_LIBGOMP_CLOSE,
    KEEL_LIBGOMP_SPREAD
};

#define KEEL_LIBGOMP_PLACES 16 /* threads whose places are printed */

/* The team that a program's first parallel region would get in this environment, and where its
 * threads would be bound. */
struct keel_libgomp_view {
    uint32_t threads;                    /* of the team */
    uint32_t bind;                       /* enum keel_libgomp_bind */
    uint32_t places;                     /* of the process; 0: threads are not bound */
    uint32_t processors;                 /* of the threads' places, all together */
    char place[KEEL_LIBGOMP_PLACES][48]; /* of the first threads: processors, "0,16" or "0-3" */
};

#define THREADS_MAX 65536

static int place_of[THREADS_MAX]; /* of each thread; the child's */

static struct {
    int (*get_proc_bind)(void);
    int (*get_num_places)(void);
    int (*get_place_num)(void);
    int (*get_thread_num)(void);
    int (*get_num_threads)(void);
    int (*get_place_num_procs)(int);
    void (*get_place_proc_ids)(int, int *);
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
} libgomp;

static bool find_libgomp(void)
{
    static const struct {
        void **function;
        const char *name;
    } names[] = {
        {(void **)&libgomp.get_proc_bind, "omp_get_proc_bind"},
        {(void **)&libgomp.get_num_places, "omp_get_num_places"},
        {(void **)&libgomp.get_place_num, "omp_get_place_num"},
        {(void **)&libgomp.get_thread_num, "omp_get_thread_num"},
        {(void **)&libgomp.get_num_threads, "omp_get_num_threads"},
        {(void **)&libgomp.get_place_num_procs, "omp_get_place_num_procs"},
        {(void **)&libgomp.get_place_proc_ids, "omp_get_place_proc_ids"},
        {(void **)&libgomp.parallel, "GOMP_parallel"},
    };
    void *library = dlopen("libgomp.so.1", RTLD_NOW);

    for (size_t i = 0; library != NULL && i < sizeof names / sizeof names[0]; i++) {
        *names[i].function = dlsym(library, names[i].name);
        if (*names[i].function == NULL) {
            return false;
        }
    }
    return library != NULL;
}

static void note_place(void *argument)
{
    struct keel_libgomp_view *view = argument;
    int thread = libgomp.get_thread_num();

    if (thread == 0) {
        view->threads = (uint32_t)libgomp.get_num_threads();
    }
    if (thread < THREADS_MAX) {
        place_of[thread] = libgomp.get_place_num();
    }
}

static void describe_place(struct keel_libgomp_view *view, uint32_t thread)
{
    static bool used[PROCESSORS_MAX]; /* by a thread's place */
    int place = place_of[thread];
    int count = place >= 0 ? libgomp.get_place_num_procs(place) : 0;
    unsigned *number = calloc((size_t)count + 1, sizeof *number);

    if (number != NULL && count > 0) {
        libgomp.get_place_proc_ids(place, (int *)number);
        if (thread < KEEL_LIBGOMP_PLACES) {
            write_list(number, (unsigned)count, view->place[thread], sizeof view->place[thread]);
        }
        for (int i = 0; i < count; i++) {
            if (number[i] < PROCESSORS_MAX && !used[number[i]]) {
                used[number[i]] = true;
                view->processors++;
            }
        }
    }
    free(number);
}

/* Ends the child: 0 after an answer. OMP_SCHEDULE may name a schedule of Keel's, which libgomp does
 * not know, and OMP_DISPLAY_ENV prints what the command was not asked for. */
static _Noreturn void answer_as_child(struct keel_libgomp_view *view)
{
    unsetenv("OMP_SCHEDULE");
    unsetenv("OMP_DISPLAY_ENV");
    if (!find_libgomp()) {
        _exit(1);
    }
    view->bind = (uint32_t)libgomp.get_proc_bind();
    view->places = (uint32_t)libgomp.get_num_places();
    libgomp.parallel(note_place, view, 0, 0);
    view->threads = view->threads > THREADS_MAX ? THREADS_MAX : view->threads;
    for (uint32_t i = 0; i < view->threads && view->places > 0; i++) {
        describe_place(view, i);
    }
    _exit(0);
}

/* Asks libgomp itself, in a child process that starts such a team: binding the command's own
 * threads would hide what it may use. False: there is no libgomp.so.1, or no answer of it. What
 * libgomp says about the environment goes to standard error. Once in a process. */
static bool libgomp_view_take(struct keel_libgomp_view *view)
{
    struct keel_libgomp_view *answer =
        mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 1;

    if (answer == MAP_FAILED) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        answer_as_child(answer);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *view = *answer;
    return child > 0 && status == 0 && view->threads > 0;
}

/* --- what to set --- */

#define NAME "  %-10s"

unsigned keel_topology_threads(const struct keel_topology_facts *facts, unsigned ranks)
{
    double cores = facts->quota > 0 ? fmin(facts->cores, facts->quota) : facts->cores;
    double each = floor(cores / (ranks > 0 ? ranks : 1));

    return each >= 1 ? (unsigned)each : 1;
}

/* A quota limits the time of all threads together, wherever they run. */
static bool quota_limits(const struct keel_topology_facts *facts)
{
    return facts->quota > 0 && facts->quota < facts->cores;
}

static void print_threads(const struct keel_topology_facts *facts, FILE *stream)
{
    unsigned threads = keel_topology_threads(facts, 1);

    fprintf(stream, NAME "export OMP_NUM_THREADS=%u", "threads", threads);
    if (quota_limits(facts)) {
        fprintf(stream, "  (as the quota; not bound, so that they find free cores)\n");
        return;
    }
    fprintf(stream, threads > 1 ? " OMP_PROC_BIND=close OMP_PLACES=cores\n" : "\n");
    if (facts->processors > facts->cores) {
        fprintf(stream, NAME "export OMP_NUM_THREADS=%u OMP_PROC_BIND=close OMP_PLACES=threads\n",
                "or", facts->processors);
        fprintf(stream, NAME "where loops wait for memory: %s\n", "",
                "a core's hardware threads share its arithmetic units");
    }
}

/* This one has its processors by mpirun, which can give it more. */
static void print_bound_rank(const struct keel_topology_facts *facts, FILE *stream)
{
    unsigned most = facts->online / facts->ranks;

    if (most > facts->cores) {
        fprintf(stream,
                NAME
                "mpirun --map-by slot:PE=%u --bind-to core -x OMP_NUM_THREADS=%u PROGRAM\n" NAME
                "gives each of the %u ranks %u cores instead of %u\n",
                "ranks", most, most, "", facts->ranks, most, facts->cores);
    }
}

/* As many ranks as NUMA nodes keep each rank's data in its node; otherwise one rank per core. */
static void print_ranks(const struct keel_topology_facts *facts, FILE *stream)
{
    if (quota_limits(facts)) {
        return;
    }
    if (facts->ranks > 1 && facts->processors < facts->online) {
        print_bound_rank(facts, stream);
        return;
    }
    unsigned threads = facts->cores / (facts->nodes > 0 ? facts->nodes : 1);
    if (facts->nodes > 1 && threads > 1) {
        fprintf(stream,
                NAME "mpirun --map-by ppr:1:numa:PE=%u --bind-to core -x OMP_NUM_THREADS=%u "
                     "PROGRAM\n",
                "ranks", threads, threads);
        fprintf(stream, NAME "one rank per NUMA node: its data stay there\n", "");
    } else {
        fprintf(stream, NAME "mpirun -n %u --bind-to core -x OMP_NUM_THREADS=1 PROGRAM\n", "ranks",
                facts->cores);
    }
}

static void print_schedule(const struct keel_topology_facts *facts, FILE *stream)
{
    if (facts->kinds > 1) {
        fprintf(stream, NAME "keel run -s steal PROGRAM   (or rate, wf2)\n", "schedule");
        fprintf(stream,
                NAME "cores differ: equal shares end with the slowest. Bound threads begin with "
                     "shares\n" NAME "as their cores are expected to be fast\n",
                "", "");
    }
}

void keel_topology_print_settings(const struct keel_topology_facts *facts, FILE *stream)
{
    print_threads(facts, stream);
    print_ranks(facts, stream);
    print_schedule(facts, stream);
}

/* --- what does not fit --- */

static unsigned warn_threads(const struct keel_topology_facts *facts, FILE *stream)
{
    unsigned better = keel_topology_threads(facts, 1);

    if (facts->threads > facts->processors) {
        fprintf(stream, NAME "%u threads on %u processor%s take turns; OMP_NUM_THREADS=%u\n",
                "warning", facts->threads, facts->processors, keel_text_plural(facts->processors),
                better);
        return 1;
    }
    if (facts->bound && facts->threads > facts->bound_processors) {
        fprintf(stream,
                NAME "%u threads are bound to %u processor%s and take turns; OMP_PLACES=cores\n",
                "warning", facts->threads, facts->bound_processors,
                keel_text_plural(facts->bound_processors));
        return 1;
    }
    if (facts->threads > facts->cores) {
        fprintf(stream,
                NAME "%u threads on %u cores share them; OMP_NUM_THREADS=%u may be as fast\n",
                "note", facts->threads, facts->cores, facts->cores);
        return 1;
    }
    return 0;
}

static unsigned warn_quota(const struct keel_topology_facts *facts, FILE *stream)
{
    if (facts->quota == 0 || facts->threads <= facts->quota) {
        return 0;
    }
    fprintf(stream,
            NAME "%u thread%s under a quota of %g core%s: in each period all wait once it\n" NAME
                 "is used up; OMP_NUM_THREADS=%u\n",
            "warning", facts->threads, keel_text_plural(facts->threads), facts->quota,
            facts->quota == 1 ? "" : "s", "", keel_topology_threads(facts, 1));
    return 1;
}

/* Ranks that are bound have processors of their own. */
static unsigned warn_ranks(const struct keel_topology_facts *facts, FILE *stream)
{
    bool share = facts->ranks > 1 && facts->processors == facts->online;
    unsigned threads = keel_topology_threads(facts, facts->ranks);

    if (share && facts->ranks * facts->threads > facts->processors) {
        fprintf(stream,
                NAME "%u ranks of %u thread%s share %u processors; with %u each:\n" NAME
                     "mpirun --map-by slot:PE=%u --bind-to core -x OMP_NUM_THREADS=%u PROGRAM\n",
                "warning", facts->ranks, facts->threads, keel_text_plural(facts->threads),
                facts->processors, threads, "", threads, threads);
        return 1;
    }
    return 0;
}

unsigned keel_topology_print_warnings(const struct keel_topology_facts *facts, FILE *stream)
{
    return facts->threads == 0 ? 0
                               : warn_threads(facts, stream) + warn_quota(facts, stream) +
                                     warn_ranks(facts, stream);
}

/* --- keel topology ---
 *
 * keel topology: what this process may use of the machine, the team that libgomp would start, and
 * what to set. */

/* --- the process --- */

static void print_usable(const struct keel_topology_facts *facts, const char *list)
{
    printf(NAME "%s of %u", "affinity", list, facts->online);
    printf(facts->quota > 0 ? "; by quota %g core%s\n" : "; no quota\n", facts->quota,
           facts->quota == 1 ? "" : "s");
    printf(NAME "%u%s on %u NUMA node%s\n", "cores", facts->cores,
           facts->kinds > 1 ? ", of kinds that differ in speed," : "",
           facts->nodes > 0 ? facts->nodes : 1, facts->nodes > 1 ? "s" : "");
}

/* NAME=VALUE of the variables that are set. */
static void print_variables(void)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
                                        "GOMP_CPU_AFFINITY", "OMP_THREAD_LIMIT"};
    unsigned set = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = keel_environment_value(names[i]);
        if (value != NULL) {
            printf("%s%s=%.24s%s", set++ > 0 ? " " : " (", names[i], value,
                   strlen(value) > 24 ? "..." : "");
        }
    }
    printf(set > 0 ? ")\n" : "\n");
}

static void print_team(const struct keel_libgomp_view *view)
{
    static const char *const binds[] = {"not bound", "bound", "bound, primary", "bound, close",
                                        "bound, spread"};
    const char *bind =
        view->places == 0 || view->bind > KEEL_LIBGOMP_SPREAD ? binds[0] : binds[view->bind];

    printf(NAME "%u thread%s, %s", "team", view->threads, keel_text_plural(view->threads), bind);
    print_variables();
    for (uint32_t i = 0; i < view->threads && view->places > 0; i++) {
        if (i == KEEL_LIBGOMP_PLACES) {
            printf(NAME "... up to thread %u\n", "", view->threads - 1);
            return;
        }
        printf(NAME "thread %u on %s\n", i == 0 ? "places" : "", i, view->place[i]);
    }
}

/* --- the job --- */

/* Returns the ranks of the job on this machine; 0: it is none. */
static unsigned print_job(void)
{
    unsigned ranks = keel_launch_local_ranks(keel_environment_value);

    if (ranks > 0) {
        printf(NAME "rank %d of %u, %u of them on this machine\n", "job",
               keel_launch_rank(keel_environment_value), keel_launch_ranks(keel_environment_value),
               ranks);
    }
    return ranks;
}

/* --- all of it --- */

static int run(int argc, char **argv)
{
    static const struct keel_command_line line = {
        .text = "Shows what this process may use of the machine, the team that libgomp would start "
                "and where it would bind its threads, and what to set.\v"
                "Under mpirun, each rank prints its own: `mpirun -n 2 keel topology'. hwloc's "
                "lstopo draws caches and NUMA nodes.",
    };
    struct keel_libgomp_view view;
    char list[60];

    keel_command_line_read(&line, argc, argv, NULL);
    struct keel_topology_facts facts = topology_usable(list, sizeof list);
    printf("THIS PROCESS\n");
    print_usable(&facts, list);
    facts.ranks = print_job();
    fflush(stdout); /* before a child has a copy of it */
    if (libgomp_view_take(&view)) {
        facts.threads = view.threads;
        facts.bound = view.places > 0;
        facts.bound_processors = view.processors;
        print_team(&view);
    } else {
        printf(NAME "not known: libgomp.so.1 is not there, or cannot start it\n", "team");
    }
    printf("\nTO SET\n");
    keel_topology_print_settings(&facts, stdout);
    keel_topology_print_warnings(&facts, stdout);
    return 0;
}

const struct keel_subcommand keel_subcommand_topology = {
    .name = "topology",
    .summary = "show what this process may use of the machine, and what to set",
    .run = run,
};
