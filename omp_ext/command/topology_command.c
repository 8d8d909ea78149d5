/* keel topology: what this process may use of the machine, the team that libgomp would start, and
 * what to set. */
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/topology/topology.h"

#define NAME "  %-10s"

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

    printf(NAME "%u thread%s, %s", "team", view->threads, view->threads == 1 ? "" : "s", bind);
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
    struct keel_topology_facts facts = keel_topology_usable(list, sizeof list);
    printf("THIS PROCESS\n");
    print_usable(&facts, list);
    facts.ranks = print_job();
    fflush(stdout); /* before a child has a copy of it */
    if (keel_libgomp_view_take(&view)) {
        facts.threads = view.threads;
        facts.bound = view.places > 0;
        facts.bound_processors = view.processors;
        print_team(&view);
    } else {
        printf(NAME "not known: there is no libgomp.so.1 to ask\n", "team");
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
