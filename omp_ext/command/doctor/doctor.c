/* keel doctor: what works here, and the line that repairs what does not. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "omp_ext/command/doctor/doctor.h"
#include "omp_ext/command/parts/parts.h"
#include "omp_ext/command/programs/elf.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/support/environment.h"

/* --- the machine --- */

/* 0: libgomp takes one for each core. */
static unsigned asked_threads(void)
{
    const char *text = keel_environment_value("OMP_NUM_THREADS");
    unsigned long threads = text != NULL ? strtoul(text, NULL, 10) : 0;

    return threads <= 1000000 ? (unsigned)threads : 0;
}

static void find_cores(struct keel_finding *finding)
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

static void find_binding(struct keel_finding *finding)
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
                         "threads are not bound; `keel topology` tells what to set where no other "
                         "program uses these cores");
    }
}

static void find_clock(struct keel_finding *finding)
{
    keel_clock_set_source(KEEL_CLOCK_UNDECIDED);
    (void)keel_clock_ticks();
    bool monotonic = atomic_load(&keel_clock.source) == KEEL_CLOCK_MONOTONIC;
    keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                     monotonic ? "CLOCK_MONOTONIC: the processor has no counter that runs alike on "
                                 "all cores, or the kernel does not trust it"
                               : "the processor's counter");
}

/* --- a program --- */

static void find_loops(const char *name, struct keel_finding *finding)
{
    static struct keel_program program;
    static struct keel_openmp openmp;

    keel_program_read(name, &program);
    if (access(program.file, X_OK) != 0) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "", "'%s' is no program", name);
        return;
    }
    const char *obstacle = keel_unseen_obstacle(name);
    if (obstacle[0] != '\0') {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "", "no loop of '%s' can come to Keel: %s",
                         name, obstacle);
        return;
    }
    keel_openmp_read(&program, &openmp);
    if (openmp.behind) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "link -lkeel before -lgomp (`keel libs`)",
                         "'%s' is linked with libgomp (%s) before libkeel.so, so that no loop "
                         "comes to Keel but under `keel run`",
                         name, openmp.library);
    } else if (openmp.runtime_loops) {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "'%s' has loops that come to Keel, %s",
                         name, openmp.linked ? "which it is linked with" : "under `keel run`");
    } else {
        keel_finding_set(finding, KEEL_FINDING_ABSENT, "", "no loop of '%s' comes to Keel: %s",
                         name, keel_unseen_remedy(name));
    }
}

/* --- the subcommand --- */

enum { NAME_WIDTH = 9, STATE_WIDTH = 6 };

enum respect {
    KEEL,
    LIBRARIES,
    COMPILER,
    LOOPS,
    PLUGIN,
    LIBGOMP,
    MPI,
    CORES,
    BINDING,
    CLOCK,
    PROGRAM, /* where one is named */
    RESPECTS
};

static const char *const names[RESPECTS] = {
    [KEEL] = "Keel",       [LIBRARIES] = "libraries", [COMPILER] = "compiler", [LOOPS] = "loops",
    [PLUGIN] = "plugin",   [LIBGOMP] = "libgomp",     [MPI] = "MPI",           [CORES] = "cores",
    [BINDING] = "binding", [CLOCK] = "clock",         [PROGRAM] = "program",
};

static const char *const states[] = {
    [KEEL_FINDING_WORKS] = "works",
    [KEEL_FINDING_BETTER] = "works",
    [KEEL_FINDING_ABSENT] = "absent",
    [KEEL_FINDING_FAILS] = "FAILS",
};

/* program: NULL: none is named. */
static void find(const char *program, struct keel_finding finding[RESPECTS])
{
    struct keel_compiler compiler;

    keel_software_installation(&finding[KEEL]);
    keel_software_libraries(&finding[LIBRARIES]);
    keel_software_compiler(&finding[COMPILER], &compiler);
    if (compiler.answer == KEEL_COMPILER_GCC && finding[KEEL].state != KEEL_FINDING_FAILS) {
        keel_trial_run(&compiler, &finding[LOOPS], &finding[PLUGIN], &finding[LIBGOMP]);
    } else {
        keel_finding_set(&finding[LOOPS], KEEL_FINDING_ABSENT, "",
                         "not tried, without Keel's library or GCC");
        finding[PLUGIN] = finding[LIBGOMP] = finding[LOOPS];
    }
    keel_software_mpi(&finding[MPI]);
    find_cores(&finding[CORES]);
    find_binding(&finding[BINDING]);
    find_clock(&finding[CLOCK]);
    if (program != NULL) {
        find_loops(program, &finding[PROGRAM]);
    }
}

static void print(const char *name, const struct keel_finding *finding)
{
    unsigned rest = keel_terminal_width() - NAME_WIDTH - STATE_WIDTH - 2;
    const unsigned width[] = {NAME_WIDTH, STATE_WIDTH, rest};

    keel_table_row(3, width, (const char *[]){name, states[finding->state], finding->text});
    if (finding->repair[0] != '\0') {
        /* In one line, to be copied. */
        printf("%*s %s: %s\n", NAME_WIDTH + STATE_WIDTH + 1, "",
               finding->state == KEEL_FINDING_BETTER ? "better" : "repair", finding->repair);
    }
}

static error_t take(int key, char *word, struct argp_state *state)
{
    const char **program = state->input;

    if (key == ARGP_KEY_ARG && *program == NULL) {
        *program = word;
        return 0;
    }
    return keel_subcommand_no_words(key, state);
}

static int run(int argc, char **argv)
{
    static const struct argp grammar = {
        .parser = take,
        .args_doc = "[PROGRAM]",
        .doc = "Tells what works here: Keel and its libraries, the compiler and its plugin, "
               "libgomp, MPI, cores and quota, binding, clock; and the line that repairs what does "
               "not. Compiles and runs a program of one loop. Of PROGRAM, which is not run, it "
               "tells whether its loops come to Keel, and if not, why.\v"
               "The compiler is that of CC, CXX or FC, or else gcc. What is absent is needed by "
               "some programs only.\n\n"
               "Exit codes: 0: all that is there works; 1: something fails; 2: the command line "
               "cannot be used.",
    };
    static struct keel_finding finding[RESPECTS];
    const char *program = NULL;
    int code = 0;

    argp_parse(&grammar, argc, argv, 0, NULL, &program);
    find(program, finding);
    for (int i = 0; i < (program != NULL ? RESPECTS : PROGRAM); i++) {
        print(names[i], &finding[i]);
        code |= finding[i].state == KEEL_FINDING_FAILS;
    }
    return code;
}

const struct keel_subcommand keel_subcommand_doctor = {
    .name = "doctor",
    .summary = "tell what works here, and how to repair what does not",
    .run = run,
};
