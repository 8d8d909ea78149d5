/* What `keel topology` prints. */
#include "omp_ext/topology/topology.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/cores.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/topology/advice.h"
#include "omp_ext/topology/libgomp_view.h"
#include "omp_ext/topology/picture.h"
#include "omp_ext/topology/team.h"
#include "schedules/text/number.h"

#define NAME "  %-10s"

/* --- the process --- */

static void print_processors(const struct keel_topology_machine *machine,
                             const struct keel_cores *cores, FILE *stream)
{
    char list[256];

    keel_topology_picture_list(machine->usable, 60, list);
    fprintf(stream, NAME "%s of %u", "affinity", list, cores->online);
    fprintf(stream, cores->quota > 0 ? "; by quota %g core%s\n" : "; no quota\n", cores->quota,
            cores->quota == 1 ? "" : "s");
}

/* NAME=VALUE of the variables that are set. */
static void print_variables(FILE *stream)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
                                        "GOMP_CPU_AFFINITY", "OMP_THREAD_LIMIT"};
    unsigned set = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = keel_environment_value(names[i]);
        if (value != NULL) {
            fprintf(stream, "%s%s=%.24s%s", set++ > 0 ? " " : " (", names[i], value,
                    strlen(value) > 24 ? "..." : "");
        }
    }
    fprintf(stream, set > 0 ? ")\n" : "\n");
}

static void print_team(const struct keel_libgomp_view *view, FILE *stream)
{
    static const char *const binds[] = {"not bound", "bound", "bound, primary", "bound, close",
                                        "bound, spread"};
    const char *bind =
        view->places == 0 || view->bind > KEEL_LIBGOMP_SPREAD ? binds[0] : binds[view->bind];

    fprintf(stream, NAME "%u thread%s, %s", "team", view->threads, view->threads == 1 ? "" : "s",
            bind);
    print_variables(stream);
}

/* --- the job --- */

/* The first of the variables that holds a number; 0: none does. */
static unsigned number_of(const char *const *names)
{
    uint64_t number;

    for (; *names != NULL; names++) {
        const char *value = keel_environment_value(*names);
        if (value != NULL && keel_number_whole(value, 0, 1u << 30, &number)) {
            return (unsigned)number;
        }
    }
    return 0;
}

/* Ranks of the job on this machine: by mpirun of Open MPI, of MVAPICH2, of MPICH. */
static unsigned ranks_here(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE",
                                        "MPI_LOCALNRANKS", NULL};

    return number_of(names);
}

static void print_job(unsigned ranks, FILE *stream)
{
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK",
                                       NULL};
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
                                       NULL};

    if (ranks > 0) {
        fprintf(stream, NAME "rank %u of %u, %u of them on this machine\n", "job", number_of(rank),
                number_of(size), ranks);
    }
}

/* --- all of it --- */

static unsigned usable_kinds(const struct keel_topology_machine *machine)
{
    unsigned kinds = 0;

    for (unsigned i = 0; i < machine->kinds; i++) {
        kinds += hwloc_bitmap_intersects(machine->kind[i].processors, machine->usable);
    }
    return kinds > 0 ? kinds : 1;
}

static struct keel_topology_facts facts_of(const struct keel_topology_machine *machine)
{
    unsigned processors = (unsigned)hwloc_bitmap_weight(machine->usable);
    unsigned cores = keel_topology_machine_count(machine, HWLOC_OBJ_CORE, false);

    return (struct keel_topology_facts){
        .cores = cores > 0 ? cores : processors,
        .processors = processors,
        .nodes = keel_topology_machine_count(machine, HWLOC_OBJ_NUMANODE, false),
        .online = keel_topology_machine_count(machine, HWLOC_OBJ_PU, true),
        .kinds = usable_kinds(machine),
        .here = machine->here,
    };
}

static void print_process(const struct keel_topology_machine *machine,
                          struct keel_topology_facts *facts, FILE *stream)
{
    struct keel_cores cores = keel_cores_of_process();
    struct keel_libgomp_view view;

    fprintf(stream, "\nTHIS PROCESS\n");
    print_processors(machine, &cores, stream);
    facts->quota = cores.quota;
    facts->ranks = ranks_here();
    print_job(facts->ranks, stream);
    if (!keel_libgomp_view_take(&view)) {
        fprintf(stream, NAME "not known: there is no libgomp.so.1 to ask\n", "team");
        return;
    }
    facts->threads = view.threads;
    facts->bound = view.places > 0;
    print_team(&view, stream);
    if (facts->bound) {
        facts->bound_processors = keel_topology_team_print(machine, &view, stream);
    }
    keel_libgomp_view_free(&view);
}

/* A machine of which nothing runs here: a team with one thread on each core. */
static void print_other(const struct keel_topology_machine *machine, FILE *stream)
{
    struct keel_libgomp_view view;

    if (keel_topology_team_of_cores(machine, &view)) {
        fprintf(stream, "\nA TEAM WITH A THREAD ON EACH CORE\n");
        keel_topology_team_print(machine, &view, stream);
        keel_libgomp_view_free(&view);
    }
}

static bool print(const struct keel_topology_request *request, FILE *stream, char problem[256])
{
    struct keel_topology_machine machine;

    if (!keel_topology_machine_load(&machine, request->input, problem)) {
        return false;
    }
    struct keel_topology_facts facts = facts_of(&machine);
    keel_topology_picture_print(&machine, stream);
    if (machine.here) {
        print_process(&machine, &facts, stream);
    } else {
        print_other(&machine, stream);
    }
    fprintf(stream, "\nTO SET\n");
    keel_topology_advice_print(&facts, stream);
    keel_topology_advice_warn(&facts, stream);
    keel_topology_machine_free(&machine);
    return true;
}

const struct keel_topology_calls keel_topology_calls = {print};
