/* keel doctor: what works here, and the line that repairs what does not. */
#define _GNU_SOURCE
#include <argp.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/doctor/doctor.h"
#include "omp_ext/command/parts/parts.h"
#include "omp_ext/command/programs/elf.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/include/keel.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

void keel_finding_set(struct keel_finding *finding, enum keel_finding_state state,
                      const char *repair, const char *text, ...)
{
    va_list arguments;

    finding->state = state;
    snprintf(finding->repair, sizeof finding->repair, "%s", repair);
    va_start(arguments, text);
    vsnprintf(finding->text, sizeof finding->text, text, arguments);
    va_end(arguments);
}

/* --- lines that repair --- */

const char *keel_repair(const char *package, bool again, char line[KEEL_REPAIR_MAX])
{
    if (!keel_installation_is_debians()) {
        return keel_installation_again(line, KEEL_REPAIR_MAX);
    }
    /* //.packaging:deb made them; no archive has them. */
    snprintf(line, KEEL_REPAIR_MAX, "apt-get install %sFOLDER/%s_*.deb",
             again ? "--reinstall " : "", package);
    return line;
}

/* The same for a plugin that fits GCC of that major version. */
static const char *repair_plugin(unsigned major, char line[KEEL_REPAIR_MAX])
{
    char again[KEEL_REPAIR_MAX];
    struct keel_installed header;

    keel_repair("libkeel-dev", keel_installation_has(KEEL_PART_HEADER, "", &header), again);
    bool built_here = !keel_installation_is_debians() && strncmp(again, "bazel ", 6) == 0;
    if (built_here) {
        snprintf(line, KEEL_REPAIR_MAX, "apt-get install gcc-%u-plugin-dev && %.400s", major,
                 again);
    } else {
        snprintf(line, KEEL_REPAIR_MAX, "%s", again);
    }
    return line;
}

static void find_installation(struct keel_finding *finding)
{
    struct keel_installed library, early;
    char repair[KEEL_REPAIR_MAX];

    keel_repair("libkeel1", true, repair);
    if (!keel_installation_has(KEEL_PART_LIBRARY, "", &library)) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, repair,
                         "Keel %s; libkeel.so.1 is not where this command looks for it",
                         KEEL_VERSION);
    } else if (!keel_installation_has(KEEL_PART_EARLY, "", &early)) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, repair,
                         "Keel %s in %s; libkeel_early.so, which libkeel.so.1 needs, is not there",
                         KEEL_VERSION, library.folder);
    } else if (keel_installation_is_bazels(&library)) {
        keel_finding_set(finding, KEEL_FINDING_BETTER, repair,
                         "Keel %s in Bazel's cache, which `bazel clean` empties", KEEL_VERSION);
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "Keel %s in %s", KEEL_VERSION,
                         library.folder);
    }
}

/* --- libraries that are loaded on demand --- */

struct on_demand {
    enum keel_installed_part part;
    const char *use;
    const char *package; /* of Debian's, with what it needs */
};

static const struct on_demand on_demand[] = {
    {KEEL_PART_SOURCE, "rules for single loops", "libdw1"},
    {KEEL_PART_MEMORY, "KEEL_MEMORY", "libc6"},
    {KEEL_PART_REPORT, "KEEL_REPORT", "libc6"},
};

/* Whether it can be loaded; else what is missing follows in `problem`. */
static bool loads(const struct on_demand *library, char problem[512])
{
    struct keel_installed found;
    char path[2 * PATH_MAX];

    if (!keel_installation_has(library->part, "", &found)) {
        snprintf(problem, 512, "%s is not there", found.file);
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", found.folder, found.file);
    if (dlopen(path, RTLD_LAZY | RTLD_LOCAL) == NULL) {
        snprintf(problem, 512, "%s can't be loaded: %.400s", found.file, dlerror());
        return false;
    }
    return true;
}

static void find_libraries(struct keel_finding *finding)
{
    char problem[512], repair[KEEL_REPAIR_MAX];

    for (size_t i = 0; i < COUNT(on_demand); i++) {
        if (!loads(&on_demand[i], problem)) {
            if (strstr(problem, "loaded") != NULL) {
                snprintf(repair, sizeof repair, "apt-get install %s", on_demand[i].package);
            } else {
                keel_repair("libkeel1", true, repair);
            }
            keel_finding_set(finding, KEEL_FINDING_FAILS, repair, "no %s: %s", on_demand[i].use,
                             problem);
            return;
        }
    }
    keel_finding_set(finding, KEEL_FINDING_WORKS, "",
                     "loaded on demand: source lines, memory, reports");
}

/* --- compilers --- */

static void find_compiler(struct keel_finding *finding, struct keel_compiler *compiler)
{
    struct keel_compiler all[3];
    struct keel_installed plugin;
    char folder[32], repair[KEEL_REPAIR_MAX];

    keel_compiler_in_use(all);
    *compiler = all[0];
    snprintf(folder, sizeof folder, "gcc-%u", compiler->major);
    const char *equals = compiler->source[0] != '\0' ? "=" : "";
    if (compiler->answer == KEEL_COMPILER_SILENT) {
        keel_finding_set(finding, equals[0] != '\0' ? KEEL_FINDING_FAILS : KEEL_FINDING_ABSENT,
                         "apt-get install gcc gfortran", "%s%s%s is not there or does not run",
                         compiler->source, equals, compiler->command);
    } else if (compiler->answer == KEEL_COMPILER_OTHER) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "export CC=gcc CXX=g++ FC=gfortran",
                         "%s%s%s is not GCC; loops that it compiles do not come to Keel",
                         compiler->source, equals, compiler->command);
    } else if (!keel_installation_has(KEEL_PART_PLUGIN, folder, &plugin)) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, repair_plugin(compiler->major, repair),
                         "%s%s%s is GCC %s, and Keel has no plugin for it", compiler->source,
                         equals, compiler->command, compiler->version);
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "%s%s%s is GCC %s; plugin in %s",
                         compiler->source, equals, compiler->command, compiler->version,
                         plugin.folder);
    }
}

/* --- MPI --- */

enum mpi_kind { MPI_UNKNOWN, MPI_OPEN, MPI_MPICH };

static const char *const mpi_names[] = {"an MPI that is neither Open MPI nor MPICH", "Open MPI",
                                        "MPICH"};

struct mpi_library {
    char name[64];       /* as libkeel_mpi.so asks for it */
    char file[PATH_MAX]; /* "": not found */
    enum mpi_kind kind;
};

/* Open MPI's libmpi has versions from 40 on, MPICH's 12; Intel's and Cray's are made after it. */
static void note_mpi(const char *name, const char *file, void *context)
{
    struct mpi_library *library = context;
    bool mpich = strncmp(name, "libmpich.so", 11) == 0 || strcmp(name, "libmpi.so.12") == 0;

    if (mpich || strncmp(name, "libmpi.so", 9) == 0) {
        snprintf(library->name, sizeof library->name, "%s", name);
        snprintf(library->file, sizeof library->file, "%s", file);
        library->kind = mpich ? MPI_MPICH : MPI_OPEN;
    }
}

/* What the wrapper of a compiler says of itself, in its first line; false: it fails. */
static bool ask_wrapper(const char *command, char *line, int size)
{
    FILE *answer = popen(command, "r");

    line[0] = '\0';
    if (answer == NULL) {
        return false;
    }
    if (fgets(line, size, answer) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    return pclose(answer) == 0 && line[0] != '\0';
}

static enum mpi_kind kind_of_mpicc(char *version, int size)
{
    if (ask_wrapper("mpicc --showme:version 2>/dev/null </dev/null", version, size)) {
        return MPI_OPEN;
    }
    if (ask_wrapper("mpichversion 2>/dev/null </dev/null", version, size)) {
        return MPI_MPICH;
    }
    return MPI_UNKNOWN;
}

static void find_mpi(struct keel_finding *finding)
{
    struct mpi_library library = {.kind = MPI_UNKNOWN};
    static struct keel_program self;
    struct keel_installed found;
    char path[2 * PATH_MAX], version[128], repair[KEEL_REPAIR_MAX];

    if (!keel_installation_has(KEEL_PART_MPI_LIBRARY, "", &found)) {
        keel_finding_set(finding, KEEL_FINDING_ABSENT, keel_repair("libkeel-mpi1", false, repair),
                         "libkeel_mpi.so.1 is not there");
        return;
    }
    keel_program_read("/proc/self/exe", &self);
    snprintf(path, sizeof path, "%s/%s", found.folder, found.file);
    keel_loaded_visit(self.interpreter, path, note_mpi, &library);
    enum mpi_kind kind = kind_of_mpicc(version, sizeof version);
    if (library.file[0] == '\0') {
        keel_finding_set(finding, kind == MPI_UNKNOWN ? KEEL_FINDING_ABSENT : KEEL_FINDING_FAILS,
                         library.kind == MPI_MPICH ? "apt-get install mpich"
                                                   : "apt-get install openmpi-bin",
                         "libkeel_mpi.so.1 is for %s, whose %s is not found",
                         mpi_names[library.kind], library.name);
    } else if (kind != MPI_UNKNOWN && kind != library.kind) {
        keel_finding_set(finding, KEEL_FINDING_FAILS,
                         "build programs with the compiler wrapper of that MPI, or Keel for this "
                         "one",
                         "mpicc is %s's, and libkeel_mpi.so.1 is for %s", mpi_names[kind],
                         mpi_names[library.kind]);
    } else {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "%s (%s)%s%s", mpi_names[library.kind],
                         library.file, kind != MPI_UNKNOWN ? "; " : "; no mpicc in PATH", version);
    }
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
    PROGRAM, /* where one is named */
    RESPECTS
};

static const char *const names[RESPECTS] = {
    [KEEL] = "Keel",     [LIBRARIES] = "libraries", [COMPILER] = "compiler", [LOOPS] = "loops",
    [PLUGIN] = "plugin", [LIBGOMP] = "libgomp",     [MPI] = "MPI",           [PROGRAM] = "program",
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

    find_installation(&finding[KEEL]);
    find_libraries(&finding[LIBRARIES]);
    find_compiler(&finding[COMPILER], &compiler);
    if (compiler.answer == KEEL_COMPILER_GCC && finding[KEEL].state != KEEL_FINDING_FAILS) {
        keel_trial_run(&compiler, &finding[LOOPS], &finding[PLUGIN], &finding[LIBGOMP]);
    } else {
        keel_finding_set(&finding[LOOPS], KEEL_FINDING_ABSENT, "",
                         "not tried, without Keel's library or GCC");
        finding[PLUGIN] = finding[LIBGOMP] = finding[LOOPS];
    }
    find_mpi(&finding[MPI]);
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
               "libgomp and MPI; and the line that repairs what does not. Compiles and runs a "
               "program of one loop. Of PROGRAM, which is not run, it "
               "tells whether its loops come to Keel, and if not, why.\v"
               "The compiler is that of CC, CXX or FC, or else gcc. What is absent is needed by "
               "some programs only. Of cores and binding `keel topology' tells.\n\n"
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
