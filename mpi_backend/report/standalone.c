/* The report of a process without libkeel.so. */
#define _GNU_SOURCE
#include "mpi_backend/report/standalone.h"

#ifdef KEEL_SIMULATED /* where all ranks are one process */
void keel_mpi_standalone_begin(keel_report_ranks_provider *provider)
{
    (void)provider;
}
#else
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/report/file_name.h"
#include "omp_ext/report/write.h"
#include "omp_ext/support/sibling_library.h"

static double loaded_s;

__attribute__((constructor)) static void note_time(void)
{
    loaded_s = keel_mpi_clock_s();
}

typedef int writer(const struct keel_report_process *process, const char *file);

static struct keel_sibling_library library = {
    .library = "libkeel_report.so",
    .name = "keel_report_write",
    .purpose = "KEEL_REPORT",
    .instead = "there is no report",
};

static keel_report_ranks_provider *source;
static const char *file; /* absolute; NULL: standard error */
static char path[PATH_MAX];

/* A process without loops: of what it does outside of Keel nothing is known. */
static struct keel_report_process process_of(const struct keel_report_ranks *ranks, char *host,
                                             size_t size)
{
    struct keel_cores cores = keel_cores_of_process();
    double elapsed_s = keel_mpi_clock_s() - loaded_s;

    memset(host, '\0', size);
    gethostname(host, size - 1);
    return (struct keel_report_process){
        .program = program_invocation_short_name,
        .host = host,
        .job = "",
        .pid = getpid(),
        .rank = ranks->rank,
        .ranks = ranks->ranks,
        .complete = true,
        .elapsed_s = elapsed_s,
        .serial_s = elapsed_s,
        .mpi_s = ranks->mpi_s,
        .mpi_in_regions_s = ranks->mpi_in_regions_s,
        .threads = 1,
        .cores = {cores.online, cores.allowed, cores.quota},
        .shared_count = ranks->shared_count,
        .shared = ranks->shared,
        .rows_count = ranks->rows_count,
        .rows = ranks->rows,
        .objects_count = ranks->objects_count,
        .objects = ranks->objects,
    };
}

static void write_report(void)
{
    struct keel_report_ranks ranks;
    char host[256];

    if (!source(loaded_s, &ranks) || !keel_sibling_library_ready(&library) ||
        library.symbol == NULL) {
        return;
    }
    struct keel_report_process process = process_of(&ranks, host, sizeof host);
    fflush(stdout);
    ((writer *)library.symbol)(&process, file);
}

static const char *file_of(const char *name)
{
    return strcmp(name, "1") != 0 && keel_report_file_path(name, path) ? path : NULL;
}

void keel_mpi_standalone_begin(keel_report_ranks_provider *provider)
{
    source = provider;
    file = file_of(keel_mpi_settings()->report);
    atexit(write_report);
}
#endif
