/* Numbers and lines of a report, and notes below its tables: cost of recording, threads and
 * cores. */
#include "omp_ext/report/report_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/text/text.h"

/* --- numbers --- */

/* Decimals for four digits from 1 s on; below, for at least two, down to 10 us. */
static int decimals_of(double seconds)
{
    static const struct {
        double from;
        int decimals;
    } steps[] = {{1000, 0}, {100, 1}, {10, 2}, {0.01, 3}, {0.0001, 4}, {0.00001, 5}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (seconds >= steps[i].from) {
            return steps[i].decimals;
        }
    }
    return 0;
}

struct keel_report_number keel_report_seconds(double seconds)
{
    struct keel_report_number number;

    snprintf(number.text, sizeof number.text, seconds < 1e15 ? "%.*f" : "%.*e",
             decimals_of(seconds), seconds);
    return number;
}

struct keel_report_number keel_report_count(uint64_t count)
{
    static const char units[] = "kMGTPE";
    struct keel_report_number number;
    double scaled = (double)count / 1000;
    size_t unit = 0;

    if (count < 100000) {
        snprintf(number.text, sizeof number.text, "%" PRIu64, count);
        return number;
    }
    while (scaled >= 999.95) {
        scaled /= 1000;
        unit++;
    }
    snprintf(number.text, sizeof number.text, "%.1f%c", scaled, units[unit]);
    return number;
}

/* --- lines --- */

void keel_report_print_wrapped(FILE *stream, const char *text, int first, int others)
{
    int indent = first;

    while (*text != '\0') {
        size_t length = keel_text_line(text, (size_t)(KEEL_REPORT_COLUMNS - indent));
        fprintf(stream, "%*s%.*s\n", indent, "", (int)length, text);
        text += length + (text[length] == ' ');
        indent = others;
    }
}

/* --- cost of recording --- */

#define RECORDING_S 2e-7 /* a loop or part: 0.03 to 0.2 us, RESULTS.md, "Loops of microseconds" */
#define SAMPLED_BELOW_S 8e-4 /* regions that take less per instance are sampled */
#define NOTED_FROM 0.01      /* of the process's time */
#define PLACE_SHOWN 42       /* bytes: up to column 100 */

/* Loops in nested regions are left out: their times may add up to more than the run. */
static bool is_all_recorded(const struct keel_report_process *process,
                            const struct keel_report_loop *loop)
{
    if (loop->kind == KEEL_REPORT_REGION || loop->region < 0 || loop->nested) {
        return false;
    }
    const struct keel_report_loop *region = &process->loop[loop->region];
    return region->instances > 0 &&
           region->elapsed_s >= SAMPLED_BELOW_S * (double)region->instances;
}

struct recorded {
    double part;    /* of the process's time */
    uint64_t count; /* loops and parts that are all recorded, of all instances */
    double elapsed_s;
    const struct keel_report_loop *most;
};

static struct recorded recorded_of(const struct keel_report_process *process)
{
    struct recorded recorded = {0};

    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (is_all_recorded(process, loop)) {
            recorded.count += loop->instances;
            recorded.elapsed_s += loop->elapsed_s;
            recorded.part += RECORDING_S * (double)loop->instances / process->elapsed_s;
            recorded.most = recorded.most == NULL || loop->instances > recorded.most->instances
                                ? loop
                                : recorded.most;
        }
    }
    return recorded;
}

void keel_report_print_recording(FILE *stream, const struct keel_report_job *job)
{
    struct recorded worst = {0};

    for (size_t i = 0; i < job->count; i++) {
        struct recorded recorded = recorded_of(job->process[i]);
        worst = recorded.part > worst.part && isfinite(recorded.part) ? recorded : worst;
    }
    if (worst.part < NOTED_FROM) {
        return;
    }
    fprintf(
        stream,
        "  recording took about %.0f%% of it: %s loops and parts, %s us each, are all recorded,\n"
        "    as only regions below 0.8 ms are sampled; most are at %.*s\n",
        worst.part * 100, keel_report_count(worst.count).text,
        keel_report_seconds(worst.elapsed_s / (double)worst.count * 1e6).text, PLACE_SHOWN,
        worst.most->place != NULL ? worst.most->place : "?");
}

/* --- threads and cores --- */

/* Whole cores that a process may use; 0: not known. */
static unsigned usable_cores(const struct keel_report_cores *cores)
{
    unsigned allowed = cores->allowed > 0 ? cores->allowed : cores->online;

    if (cores->quota > 0 && cores->quota < allowed) {
        return cores->quota < 1 ? 1 : (unsigned)cores->quota;
    }
    return allowed;
}

static bool is_short(const struct keel_report_process *process)
{
    unsigned usable = usable_cores(&process->cores);

    return usable > 0 && process->threads > usable;
}

static void print_limit(FILE *stream, const struct keel_report_cores *cores, bool bound)
{
    unsigned usable = usable_cores(cores);

    fprintf(stream, "may use %u of %u cores", usable, cores->online);
    if (bound) {
        fputs(" (affinity)", stream);
    } else if (usable < cores->online) {
        fprintf(stream, " (cpu.max: %.4g)", cores->quota);
    }
}

/* Whether the process's machine has a core for each thread of its ranks. */
static bool could_have_all(const struct keel_report_job *job,
                           const struct keel_report_process *process)
{
    uint64_t threads = 0;

    for (size_t i = 0; i < job->count; i++) {
        threads += strcmp(job->process[i]->host, process->host) == 0 ? job->process[i]->threads : 0;
    }
    return threads <= process->cores.online;
}

/* Prints advice for a process with too few cores; `keel topology` prints more about the cores.
 * others: number of further ranks with too few. */
static void print_short(FILE *stream, const struct keel_report_job *job,
                        const struct keel_report_process *process, size_t others)
{
    unsigned usable = usable_cores(&process->cores), threads = process->threads;
    bool bound = process->cores.allowed == usable && usable < process->cores.online;

    if (process->ranks > 1) {
        fprintf(stream, "  rank %d and %zu more: ", process->rank, others);
    }
    fprintf(stream, "%steams of %u threads, but ", process->ranks > 1 ? "" : "  ", threads);
    print_limit(stream, &process->cores, bound);
    if (process->ranks > 1 && bound && could_have_all(job, process)) {
        fprintf(stream,
                ":\n    write mpirun --map-by slot:PE=%u --bind-to core -x OMP_NUM_THREADS=%u\n",
                threads, threads);
    } else {
        fprintf(stream, ":\n    write %sOMP_NUM_THREADS=%u\n",
                process->ranks > 1 ? "mpirun -x " : "", usable);
    }
}

/* Prints a note if ranks of one node each have enough cores, but too few in sum: not for bound
 * ranks, which have their own, nor for ranks that share cores, which may have more threads. */
static bool print_shared_node(FILE *stream, const struct keel_report_process *const *process,
                              size_t count)
{
    const unsigned online = process[0]->cores.online;
    uint64_t threads = 0;

    for (size_t i = 0; i < count; i++) {
        if (process[i]->cores.allowed < process[i]->cores.online ||
            process[i]->shared_threads > 0) {
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
    const struct keel_report_process *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < job->count; i++) {
        if (is_short(job->process[i])) {
            first = first != NULL ? first : job->process[i];
            count++;
        }
    }
    if (first != NULL) {
        print_short(stream, job, first, count - 1);
    } else {
        print_nodes(stream, job);
    }
}
