/* What to set on a machine. */
#include <math.h>

#include "omp_ext/topology/topology.h"

#define NAME "  %-10s"

/* --- what to set --- */

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

/* As many ranks as NUMA nodes keep each rank's data in its node; else one rank per core. */
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
                "warning", facts->threads, facts->processors, facts->processors == 1 ? "" : "s",
                better);
        return 1;
    }
    if (facts->bound && facts->threads > facts->bound_processors) {
        fprintf(stream,
                NAME "%u threads are bound to %u processor%s and take turns; OMP_PLACES=cores\n",
                "warning", facts->threads, facts->bound_processors,
                facts->bound_processors == 1 ? "" : "s");
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
            "warning", facts->threads, facts->threads == 1 ? "" : "s", facts->quota,
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
                "warning", facts->ranks, facts->threads, facts->threads == 1 ? "" : "s",
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
