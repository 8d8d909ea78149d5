/* Interruptions of objects. */
#define _GNU_SOURCE
#include "mpi_backend/job/processes/processes.h"

#include <stdint.h>
#include <sys/resource.h>

#include "schedules/objects/pace.h"

/* Counts of the calling thread. */
struct mark {
    double at_s; /* by the clock; 0: there is none */
    double processor_s;
    uint64_t taken, given_up;
};

#ifdef KEEL_SIMULATED /* its clock is not the system's */
void keel_mpi_interruptions_mark(double now_s)
{
    (void)now_s;
}

double keel_mpi_interruptions_of(double took_s, double now_s)
{
    (void)took_s;
    (void)now_s;
    return 0;
}
#else
static _Thread_local struct mark mark;

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static struct mark look(double now_s)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) != 0) {
        return (struct mark){0};
    }
    return (struct mark){now_s, seconds(usage.ru_utime) + seconds(usage.ru_stime),
                         (uint64_t)usage.ru_nivcsw, (uint64_t)usage.ru_nvcsw};
}

#define MARKS_APART_S 100e-6 /* what was before a mark can't be told from what the object took */
#define SHORTEST_S 500e-6    /* of an object that has been interrupted for long enough to matter */

void keel_mpi_interruptions_mark(double now_s)
{
    if (now_s - mark.at_s >= MARKS_APART_S) {
        mark = look(now_s);
    }
}

double keel_mpi_interruptions_of(double took_s, double now_s)
{
    struct mark before = mark;

    if (took_s < SHORTEST_S || before.at_s <= 0) {
        return 0;
    }
    mark = look(now_s);
    const struct keel_interruption_case counts = {
        .took_s = took_s,
        .passed_s = now_s - before.at_s,
        .processor_s = mark.processor_s - before.processor_s,
        .taken = mark.taken - before.taken,
        .given_up = mark.given_up - before.given_up,
    };
    return mark.at_s > 0 ? keel_interruption_s(&counts) : 0;
}
#endif
