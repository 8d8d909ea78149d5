/* What of the machine programs under Keel may use. */
#include "omp_ext/command/doctor/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/support/environment.h"

/* 0: libgomp takes one for each core. */
static unsigned asked_threads(void)
{
    const char *text = keel_environment_value("OMP_NUM_THREADS");
    unsigned long threads = text != NULL ? strtoul(text, NULL, 10) : 0;

    return threads <= 1000000 ? (unsigned)threads : 0;
}

void keel_machine_cores(struct keel_finding *finding)
{
    struct keel_cores cores = keel_cores_of_process();
    unsigned threads = asked_threads();
    double usable = keel_cores_for(&cores, cores.allowed);
    unsigned best = usable >= 1 ? (unsigned)floor(usable) : 1;
    char quota[64] = "no quota", repair[64];

    if (cores.quota > 0) {
        snprintf(quota, sizeof quota, "a quota of %.3g cores", cores.quota);
    }
    snprintf(repair, sizeof repair, "export OMP_NUM_THREADS=%u", best);
    if (threads > best) {
        keel_finding_set(finding, KEEL_FINDING_BETTER, repair,
                         "%u of %u, %s; OMP_NUM_THREADS=%u, so that threads take turns",
                         cores.allowed, cores.online, quota, threads);
    } else if (threads == 0 && best < cores.allowed) {
        keel_finding_set(finding, KEEL_FINDING_BETTER, repair,
                         "%u of %u, %s; libgomp starts %u threads, which take turns", cores.allowed,
                         cores.online, quota, cores.allowed);
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "%u of %u, %s", cores.allowed,
                         cores.online, quota);
    }
}

void keel_machine_binding(struct keel_finding *finding)
{
    const char *bind = keel_environment_value("OMP_PROC_BIND");
    const char *places = keel_environment_value("OMP_PLACES");
    const char *affinity = keel_environment_value("GOMP_CPU_AFFINITY");

    if (bind != NULL && strcasecmp(bind, "false") == 0) {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "threads are not bound (OMP_PROC_BIND)");
    } else if (bind != NULL || places != NULL || affinity != NULL) {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                         "threads are bound: OMP_PROC_BIND=%s OMP_PLACES=%s GOMP_CPU_AFFINITY=%s",
                         bind != NULL ? bind : "", places != NULL ? places : "",
                         affinity != NULL ? affinity : "");
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                         "threads are not bound; `keel topology` tells what to set where nobody "
                         "else uses these cores");
    }
}

/* What one reading takes, ns: the least of some runs of many. */
static double reading_ns(void)
{
    enum { RUNS = 20, READINGS = 1000 };
    double least = INFINITY;

    for (int run = 0; run < RUNS; run++) {
        uint64_t begin = keel_clock_ns();
        for (int i = 0; i < READINGS; i++) {
            (void)keel_clock_ticks();
        }
        double taken = (double)(keel_clock_ns() - begin) / READINGS;
        least = taken < least ? taken : least;
    }
    return least;
}

void keel_machine_clock(struct keel_finding *finding)
{
    keel_clock_set_source(KEEL_CLOCK_UNDECIDED);
    (void)keel_clock_ticks();
    if (atomic_load(&keel_clock.source) == KEEL_CLOCK_MONOTONIC) {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                         "CLOCK_MONOTONIC, %.0f ns a reading: the processor has no counter that "
                         "runs alike on all cores, or the kernel does not trust it",
                         reading_ns());
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                         "the processor's counter, %.0f ns a reading", reading_ns());
    }
}
