/* keel topology: the machine, what this process may use of it, and what to set. */
#include <argp.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "omp_ext/command/parts/installation.h"
#include "omp_ext/command/parts/subcommand.h"
#include "omp_ext/support/message.h"
#include "omp_ext/topology/topology.h"

static error_t take(int key, char *word, struct argp_state *state)
{
    struct keel_topology_request *request = state->input;

    switch (key) {
    case 'i':
        request->input = word;
        return 0;
    default:
        return keel_subcommand_no_words(key, state);
    }
}

/* NULL: it cannot be loaded; a message has said so. */
static const struct keel_topology_calls *load(void)
{
    struct keel_installed library;
    char path[2 * PATH_MAX];

    if (!keel_installation_find(KEEL_PART_TOPOLOGY, &library)) {
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s", library.folder, library.file);
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct keel_topology_calls *calls =
        opened != NULL ? dlsym(opened, "keel_topology_calls") : NULL;
    if (calls == NULL) {
        keel_message("%s cannot be loaded (%s); it needs hwloc", library.file, dlerror());
    }
    return calls;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"input", 'i', "FILE", 0, "Show the machine of this XML file of hwloc's instead", 0},
        {0},
    };
    static const struct argp grammar = {
        .options = options,
        .parser = take,
        .doc =
            "Shows cores, caches and NUMA nodes of this machine, what this process may use of "
            "them, where libgomp would bind the threads of its teams, and what to set.\v"
            "Under mpirun, one rank prints the view of all: `mpirun -n 2 keel topology'. XML files "
            "come from `lstopo FILE.xml'.",
    };
    struct keel_topology_request request = {0};
    char problem[256];

    argp_parse(&grammar, argc, argv, 0, NULL, &request);
    const struct keel_topology_calls *calls = load();
    if (calls == NULL) {
        return KEEL_EXIT_MISSING;
    }
    if (!calls->print(&request, stdout, problem)) {
        keel_message("topology: %s%s%s", request.input != NULL ? request.input : "",
                     request.input != NULL ? ": " : "", problem);
        return KEEL_EXIT_USAGE;
    }
    return 0;
}

const struct keel_subcommand keel_subcommand_topology = {
    .name = "topology",
    .summary = "show cores, caches and NUMA nodes, and what to set",
    .run = run,
};
