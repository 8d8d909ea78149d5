/* keel doctor: what works here, and the line that repairs what does not. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/doctor/finding.h"
#include "omp_ext/command/doctor/machine.h"
#include "omp_ext/command/doctor/program_loops.h"
#include "omp_ext/command/doctor/software.h"
#include "omp_ext/command/doctor/trial.h"
#include "omp_ext/command/parts/subcommand.h"
#include "omp_ext/command/parts/table.h"
#include "omp_ext/command/parts/terminal.h"

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
    keel_machine_cores(&finding[CORES]);
    keel_machine_binding(&finding[BINDING]);
    keel_machine_clock(&finding[CLOCK]);
    if (program != NULL) {
        keel_program_loops(program, &finding[PROGRAM]);
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
