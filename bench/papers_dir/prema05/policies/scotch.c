/* Repartitioning by Scotch. */
#include "bench/papers_dir/prema05/policies/policy.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/task_graph.h"

/* As scotch.h of versions 6 and 7 declares it, where SCOTCH_Num is an int. */
#define STRATEGY_BALANCE_REMAP (0x00004 | 0x00200)
#define IMBALANCE 0.01 /* of loads, that a partition may have */
#define MOVE_COST 1.0  /* of a task, in edges that are cut */
#define UNITS 1000     /* of weight in the mean one */

static struct {
    void *(*graphAlloc)(void);
    int (*graphInit)(void *graph);
    void (*graphExit)(void *graph);
    int (*graphBuild)(void *graph, int base, int vertices, const int *first, const int *end,
                      const int *weight, const int *label, int edges, const int *edge,
                      const int *edge_weight);
    int (*graphRemap)(void *graph, const void *architecture, int *before, double cost,
                      const int *costs, void *strategy, int *part);
    void *(*archAlloc)(void);
    int (*archInit)(void *architecture);
    void (*archExit)(void *architecture);
    int (*archCmplt)(void *architecture, int parts);
    void *(*stratAlloc)(void);
    int (*stratInit)(void *strategy);
    void (*stratExit)(void *strategy);
    int (*stratGraphMapBuild)(void *strategy, int flags, int parts, double imbalance);
    void (*randomReset)(void);
    void (*memFree)(void *memory);
    int (*numSizeof)(void);
} scotch;

static bool load(void)
{
    static const struct {
        const char *name;
        size_t at;
    } function[] = {
        {"SCOTCH_graphAlloc", offsetof(typeof(scotch), graphAlloc)},
        {"SCOTCH_graphInit", offsetof(typeof(scotch), graphInit)},
        {"SCOTCH_graphExit", offsetof(typeof(scotch), graphExit)},
        {"SCOTCH_graphBuild", offsetof(typeof(scotch), graphBuild)},
        {"SCOTCH_graphRemap", offsetof(typeof(scotch), graphRemap)},
        {"SCOTCH_archAlloc", offsetof(typeof(scotch), archAlloc)},
        {"SCOTCH_archInit", offsetof(typeof(scotch), archInit)},
        {"SCOTCH_archExit", offsetof(typeof(scotch), archExit)},
        {"SCOTCH_archCmplt", offsetof(typeof(scotch), archCmplt)},
        {"SCOTCH_stratAlloc", offsetof(typeof(scotch), stratAlloc)},
        {"SCOTCH_stratInit", offsetof(typeof(scotch), stratInit)},
        {"SCOTCH_stratExit", offsetof(typeof(scotch), stratExit)},
        {"SCOTCH_stratGraphMapBuild", offsetof(typeof(scotch), stratGraphMapBuild)},
        {"SCOTCH_randomReset", offsetof(typeof(scotch), randomReset)},
        {"SCOTCH_memFree", offsetof(typeof(scotch), memFree)},
        {"SCOTCH_numSizeof", offsetof(typeof(scotch), numSizeof)},
    };
    void *library = dlopen("libscotch-7.0.so", RTLD_NOW);

    library = library != NULL ? library : dlopen("libscotch.so", RTLD_NOW);
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        void *address = library != NULL ? dlsym(library, function[i].name) : NULL;
        if (address == NULL) {
            return false;
        }
        memcpy((char *)&scotch + function[i].at, &address, sizeof address);
    }
    return scotch.numSizeof() == (int)sizeof(int);
}

/* Whether the library is there and can be used. */
static bool scotch_is_there(void)
{
    static enum { UNKNOWN, THERE, NOT_THERE } state;

    if (state == UNKNOWN) {
        setenv("SCOTCH_PTHREAD_NUMBER", "1", 1); /* ranks are no threads here */
        state = load() ? THERE : NOT_THERE;
    }
    return state == THERE;
}

/* The graph of tasks that are left, in their order. */
struct graph {
    int vertices, edges;
    int *place; /* of each task: its vertex; -1: it has none */
    int *first; /* of each vertex: its first edge; one more behind the last */
    int *weight, *edge, *before, *part;
};

static void add_edges(struct graph *graph, uint32_t tasks, uint32_t task)
{
    int begun = graph->edges;

    for (unsigned which = 0; which < TASK_GRAPH_NEIGHBOURS; which++) {
        int other = graph->place[task_graph_neighbour(tasks, task, which)];
        bool twice = other < 0 || other == graph->place[task];
        for (int i = begun; i < graph->edges; i++) {
            twice = twice || graph->edge[i] == other;
        }
        if (!twice) {
            graph->edge[graph->edges++] = other;
        }
    }
}

static void make_graph(struct graph *graph, uint32_t tasks, const double *weight_s,
                       const int *owner)
{
    double sum_s = 0;

    graph->vertices = graph->edges = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        graph->place[i] = owner[i] >= 0 ? graph->vertices++ : -1;
        sum_s += owner[i] >= 0 ? weight_s[i] : 0;
    }
    for (uint32_t i = 0; i < tasks; i++) {
        int vertex = graph->place[i];
        if (vertex >= 0) {
            double units = weight_s[i] / sum_s * graph->vertices * UNITS;
            graph->weight[vertex] = (int)fmax(1, round(units));
            graph->before[vertex] = owner[i];
            graph->first[vertex] = graph->edges;
            add_edges(graph, tasks, i);
        }
    }
    graph->first[graph->vertices] = graph->edges;
}

static bool partition(struct graph *graph, int ranks)
{
    void *built = scotch.graphAlloc(), *architecture = scotch.archAlloc(),
         *strategy = scotch.stratAlloc();
    bool fine = scotch.graphInit(built) == 0 && scotch.archInit(architecture) == 0 &&
                scotch.stratInit(strategy) == 0;

    scotch.randomReset();
    fine = fine &&
           scotch.graphBuild(built, 0, graph->vertices, graph->first, graph->first + 1,
                             graph->weight, NULL, graph->edges, graph->edge, NULL) == 0 &&
           scotch.archCmplt(architecture, ranks) == 0 &&
           scotch.stratGraphMapBuild(strategy, STRATEGY_BALANCE_REMAP, ranks, IMBALANCE) == 0 &&
           scotch.graphRemap(built, architecture, graph->before, MOVE_COST, NULL, strategy,
                             graph->part) == 0;
    scotch.stratExit(strategy);
    scotch.archExit(architecture);
    scotch.graphExit(built);
    scotch.memFree(strategy);
    scotch.memFree(architecture);
    scotch.memFree(built);
    return fine;
}

bool scotch_repartition(uint32_t tasks, const double *weight_s, const int *owner, int ranks,
                        int *next)
{
    size_t most = (size_t)tasks + 1;
    int *memory = malloc(most * (5 + TASK_GRAPH_NEIGHBOURS) * sizeof *memory);
    struct graph graph = {.place = memory,
                          .first = memory + most,
                          .weight = memory + 2 * most,
                          .before = memory + 3 * most,
                          .part = memory + 4 * most,
                          .edge = memory + 5 * most};
    bool fine = memory != NULL && scotch_is_there();

    if (fine) {
        make_graph(&graph, tasks, weight_s, owner);
        fine = graph.vertices == 0 || partition(&graph, ranks);
    }
    for (uint32_t i = 0; fine && i < tasks; i++) {
        next[i] = graph.place[i] >= 0 ? graph.part[graph.place[i]] : next[i];
    }
    free(memory);
    return fine;
}
