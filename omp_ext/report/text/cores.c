/* Threads and cores. */
#include "omp_ext/report/text/cores.h"

#include <math.h>
#include <stdlib.h>

/* Whole cores that a process may use; 0: not known. */
static unsigned usable_cores(const struct keel_report_cores *cores)
{
    unsigned allowed = cores->allowed > 0 ? cores->allowed : cores->online;

    if (cores->quota > 0 && cores->quota < allowed) {
        return cores->quota < 1 ? 1 : (unsigned)cores->quota;
    }
    return allowed;
}

static bool is_limited_by_quota(const struct keel_report_cores *cores)
{
    unsigned allowed = cores->allowed > 0 ? cores->allowed : cores->online;

    return cores->quota > 0 && cores->quota < allowed;
}

static void print_reason(FILE *stream, const struct keel_report_cores *cores)
{
    if (is_limited_by_quota(cores)) {
        fprintf(stream, "the quota of its control group (cpu.max) is %.4g core%s", cores->quota,
                cores->quota == 1 ? "" : "s");
    } else if (cores->allowed > 0 && cores->allowed < cores->online) {
        fprintf(stream, "it is bound to %u of the machine's %u cores", cores->allowed,
                cores->online);
    } else {
        fprintf(stream, "the machine has %u core%s", cores->online, cores->online == 1 ? "" : "s");
    }
}

/* What a program by itself can do about it. */
static void print_alone(FILE *stream, const struct keel_report_process *process)
{
    const struct keel_report_cores *cores = &process->cores;
    bool bound = !is_limited_by_quota(cores) && cores->allowed < cores->online;

    fprintf(stream, "  teams of %u threads, but ", process->threads);
    print_reason(stream, cores);
    fprintf(stream, ":\n    write OMP_NUM_THREADS=%u%s\n", usable_cores(cores),
            bound ? ", or allow it more cores (taskset, numactl)" : "");
}

static void print_rank(FILE *stream, const struct keel_report_process *process)
{
    const struct keel_report_cores *cores = &process->cores;
    bool quota = is_limited_by_quota(cores);

    fprintf(stream, "  rank %d has teams of %u threads, but ", process->rank, process->threads);
    print_reason(stream, cores);
    if (!quota && cores->allowed < cores->online) {
        fprintf(stream,
                ":\n    write mpirun --map-by slot:PE=%u --bind-to core -x OMP_NUM_THREADS=%u,\n"
                "    or mpirun --bind-to none\n",
                process->threads, process->threads);
    } else {
        fprintf(stream, ":\n    write mpirun -x OMP_NUM_THREADS=%u\n", usable_cores(cores));
    }
}

/* The first process whose teams have too few cores, which may stand for others; NULL: none. */
static const struct keel_report_process *first_short(const struct keel_report_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        unsigned usable = usable_cores(&job->process[i]->cores);
        if (usable > 0 && job->process[i]->threads > usable) {
            return job->process[i];
        }
    }
    return NULL;
}

/* Ranks of one node, each with enough cores, that have too few together. Bound ones have cores of
 * their own. */
static bool print_shared_node(FILE *stream, const struct keel_report_process *const *process,
                              size_t count)
{
    const unsigned online = process[0]->cores.online;
    uint64_t threads = 0;

    for (size_t i = 0; i < count; i++) {
        if (process[i]->cores.allowed < process[i]->cores.online) {
            return false;
        }
        threads += process[i]->threads;
    }
    if (count < 2 || online == 0 || threads <= online) {
        return false;
    }
    fprintf(stream,
            "  the %zu ranks on %s have %llu threads together, but the machine has %u cores:\n"
            "    write mpirun -x OMP_NUM_THREADS=%zu%s\n",
            count, process[0]->host, (unsigned long long)threads, online,
            online > count ? online / count : 1,
            count > online ? ", and fewer ranks for each node" : "");
    return true;
}

static void print_nodes(FILE *stream, const struct keel_report_job *job)
{
    const struct keel_report_process **of_host = calloc(job->count + 1, sizeof(void *));

    for (size_t first = 0; of_host != NULL && first < job->count; first++) {
        size_t count = keel_report_job_host(job, first, of_host);
        if (count > 0 && print_shared_node(stream, of_host, count)) {
            break;
        }
    }
    free(of_host);
}

void keel_report_print_cores(FILE *stream, const struct keel_report_job *job)
{
    const struct keel_report_process *process = first_short(job);

    if (process != NULL && process->ranks > 1) {
        print_rank(stream, process);
    } else if (process != NULL) {
        print_alone(stream, process);
    } else {
        print_nodes(stream, job);
    }
}
