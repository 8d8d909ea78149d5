/* Whether loops come to Keel here: one is compiled and run. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/doctor/doctor.h"
#include "omp_ext/command/parts/parts.h"
#include "omp_ext/command/programs/elf.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/environment.h"

#define TIMEOUT_S 60.0 /* of the compiler, and of the program */

struct trial {
    const struct keel_compiler *compiler;
    struct keel_preloading preloading;
    struct keel_mark_file mark; /* of the program that runs */
    char folder[PATH_MAX];      /* of files that go again */
    char program[PATH_MAX + 16];
};

static const char source[] = "int main(void)\n"
                             "{\n"
                             "    int sum = 0;\n"
                             "#pragma omp parallel for CLAUSE reduction(+ : sum)\n"
                             "    for (int i = 0; i < 10; i++)\n"
                             "        sum += i;\n"
                             "    return sum != 45;\n"
                             "}\n";

/* --- programs --- */

static void prepare(const void *context)
{
    const struct trial *trial = context;

    keel_child_set("LD_PRELOAD", trial->preloading.preload);
    keel_child_set("LD_LIBRARY_PATH", trial->preloading.library_path);
    keel_child_set("KEEL_SCHEDULE", "gss");
    keel_child_set("KEEL_SEEN", trial->mark.path);
    keel_child_set("OMP_NUM_THREADS", "2");
    unsetenv("KEEL_CHECK");
    unsetenv("KEEL_TRACE");
    unsetenv("KEEL_REPORT");
    unsetenv("KEEL_MEMORY");
}

static void leave_as_it_is(const void *context)
{
    (void)context;
}

/* Whether the program ends with exit code 0. */
static bool succeeds(char **arguments, const struct trial *trial, bool under_keel)
{
    const struct keel_group_run run = {
        .program = arguments,
        .input = "/dev/null",
        .out = "/dev/null",
        .err = "/dev/null",
        .timeout_s = TIMEOUT_S,
        .prepare = under_keel ? prepare : leave_as_it_is,
        .context = trial,
    };
    struct keel_group_run_end end = keel_group_run_do(&run);

    return end.error == 0 && !end.timed_out && end.status == 0;
}

/* --- compiling --- */

/* A shell reads the compiler's command, which may hold options. */
static bool compile(const struct trial *trial, const char *clause, const char *plugin)
{
    char command[512], file[PATH_MAX + 16], definition[64], output[PATH_MAX + 32];

    snprintf(command, sizeof command, "%.400s -fopenmp \"$@\"", trial->compiler->command);
    snprintf(file, sizeof file, "%s/trial.c", trial->folder);
    snprintf(definition, sizeof definition, "-DCLAUSE=%s", clause);
    snprintf(output, sizeof output, "-o%s", trial->program);
    char *arguments[] = {"sh", "-c",       command, "sh",           "-xc",
                         file, definition, output,  (char *)plugin, NULL};
    return succeeds(arguments, trial, false);
}

static bool comes_to_keel(struct trial *trial)
{
    char *arguments[] = {(char *)trial->program, NULL};

    keel_mark_file_make(&trial->mark);
    bool good = succeeds(arguments, trial, true) && keel_mark_file_set(&trial->mark);
    keel_mark_file_remove(&trial->mark);
    return good;
}

/* --- findings --- */

static void try_loop(struct trial *trial, struct keel_finding *finding)
{
    if (!compile(trial, "schedule(runtime)", NULL)) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "apt-get install gcc libc6-dev",
                         "%s does not compile a program with -fopenmp", trial->compiler->command);
    } else if (!comes_to_keel(trial)) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "",
                         "a loop with schedule(runtime), compiled "
                         "by %s, did not come to Keel",
                         trial->compiler->command);
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                         "one with schedule(runtime) was compiled, and came to Keel");
    }
}

static void read_libgomp(const struct trial *trial, struct keel_finding *finding)
{
    static struct keel_program program;
    static struct keel_openmp openmp;

    keel_program_read(trial->program, &program);
    keel_openmp_read(&program, &openmp);
    if (openmp.runtime != KEEL_OPENMP_GCC) {
        keel_finding_set(finding, KEEL_FINDING_FAILS,
                         openmp.in_place ? "take it out of LD_PRELOAD and LD_LIBRARY_PATH"
                                         : "export CC=gcc CXX=g++ FC=gfortran",
                         "programs do not get GCC's OpenMP runtime, but %s",
                         openmp.library[0] != '\0' ? openmp.library : "none");
    } else if (openmp.old) {
        keel_finding_set(finding, KEEL_FINDING_FAILS,
                         "export LD_LIBRARY_PATH=FOLDER, of the libgomp of GCC 9 or later",
                         "%s is older than that of GCC 9", openmp.library);
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "%s", openmp.library);
    }
}

static void try_plugin(struct trial *trial, struct keel_finding *finding)
{
    struct keel_installed plugin;
    char folder[32], option[2 * PATH_MAX], repair[KEEL_REPAIR_MAX];

    snprintf(folder, sizeof folder, "gcc-%u", trial->compiler->major);
    if (!keel_installation_has(KEEL_PART_PLUGIN, folder, &plugin)) {
        keel_finding_set(finding, KEEL_FINDING_ABSENT, "", "there is none for GCC %u",
                         trial->compiler->major);
        return;
    }
    snprintf(option, sizeof option, "-fplugin=%s/%s", plugin.folder, plugin.file);
    if (compile(trial, "", option) && comes_to_keel(trial)) {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                         "a loop without a schedule clause was compiled, and came to Keel");
    } else {
        keel_finding_set(finding, KEEL_FINDING_FAILS, keel_repair("libkeel-dev", true, repair),
                         "%s is there, but a loop that it compiles does not come to Keel", option);
    }
}

static bool write_source(const struct trial *trial)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/trial.c", trial->folder);
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(source, file) >= 0;
    return file != NULL && fclose(file) == 0 && written;
}

static void remove_files(const struct trial *trial)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/trial.c", trial->folder);
    unlink(path);
    unlink(trial->program);
    rmdir(trial->folder);
}

void keel_trial_run(const struct keel_compiler *compiler, struct keel_finding *loops,
                    struct keel_finding *plugin, struct keel_finding *libgomp)
{
    static struct trial trial;
    const char *folder = keel_environment_value("TMPDIR");

    trial.compiler = compiler;
    snprintf(trial.folder, sizeof trial.folder, "%s/keel-doctor-XXXXXX",
             folder != NULL ? folder : "/tmp");
    if (mkdtemp(trial.folder) == NULL || !keel_library_find(&trial.preloading)) {
        keel_finding_set(loops, KEEL_FINDING_FAILS, "export TMPDIR=FOLDER, of one that you own",
                         "no folder can be made in %s: %s", folder != NULL ? folder : "/tmp",
                         strerror(errno));
        *plugin = *libgomp = *loops;
        return;
    }
    snprintf(trial.program, sizeof trial.program, "%s/trial", trial.folder);
    keel_group_run_hold_signals();
    write_source(&trial);
    try_loop(&trial, loops);
    read_libgomp(&trial, libgomp);
    try_plugin(&trial, plugin);
    remove_files(&trial);
}
