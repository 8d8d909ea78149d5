/* keel doctor: what works here, and the line that repairs what does not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/include/keel.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/shares/shares.h"

#define REPAIR_MAX 512 /* bytes */
#define TIMEOUT_S 60.0 /* of the compiler, and of the program */

enum finding_state {
    WORKS,
    BETTER, /* works, and something could be better */
    ABSENT, /* is not there, and only some need it */
    FAILS,
};

struct finding {
    enum finding_state state;
    char text[1024];         /* what there is */
    char repair[REPAIR_MAX]; /* the line that repairs it or makes it better; "": there is none */
    char *lines;             /* that follow; NULL: none */
};

/* Texts are cut to what has room. */
__attribute__((format(printf, 4, 5))) static void
set(struct finding *finding, enum finding_state state, const char *repair, const char *text, ...)
{
    va_list arguments;

    finding->state = state;
    snprintf(finding->repair, sizeof finding->repair, "%s", repair);
    va_start(arguments, text);
    vsnprintf(finding->text, sizeof finding->text, text, arguments);
    va_end(arguments);
}

/* --- lines that repair --- */

/* The line that brings a part of Keel that is missing or lacks something, by the way that Keel
 * came: Bazel's folder, //:install, a tarball or Debian packages. Returns `line`. */
static const char *repair_package(const char *package, char line[REPAIR_MAX])
{
    if (!keel_installation_is_debians()) {
        return keel_installation_again(line, REPAIR_MAX);
    }
    /* //.packaging:deb made them; no archive has them. */
    snprintf(line, REPAIR_MAX, "apt-get install --reinstall FOLDER/%s_*.deb", package);
    return line;
}

/* The same for a plugin that fits GCC of that major version. */
static const char *repair_plugin(unsigned major, char line[REPAIR_MAX])
{
    char again[REPAIR_MAX];

    repair_package("libkeel-dev", again);
    bool built_here = !keel_installation_is_debians() && strncmp(again, "bazel ", 6) == 0;
    if (built_here) {
        snprintf(line, REPAIR_MAX, "apt-get install gcc-%u-plugin-dev && %.400s", major, again);
    } else {
        snprintf(line, REPAIR_MAX, "%s", again);
    }
    return line;
}

static void find_installation(struct finding *finding)
{
    struct keel_installed library, early;
    char repair[REPAIR_MAX];

    repair_package("libkeel1", repair);
    if (!keel_installation_has(KEEL_PART_LIBRARY, "", &library)) {
        set(finding, FAILS, repair, "Keel %s; libkeel.so.1 is not where this command looks for it",
            KEEL_VERSION);
    } else if (!keel_installation_has(KEEL_PART_EARLY, "", &early)) {
        set(finding, FAILS, repair,
            "Keel %s in %s; libkeel_early.so, which libkeel.so.1 needs, is not there", KEEL_VERSION,
            library.folder);
    } else if (keel_installation_is_bazels(&library)) {
        set(finding, BETTER, repair, "Keel %s in Bazel's cache, which `bazel clean` empties",
            KEEL_VERSION);
    } else {
        set(finding, WORKS, "", "Keel %s in %s", KEEL_VERSION, library.folder);
    }
}

/* --- compilers --- */

static void find_compiler(struct finding *finding, struct keel_compiler *compiler)
{
    struct keel_installed plugin;
    char folder[32], repair[REPAIR_MAX];

    *compiler = keel_compiler_in_use();
    snprintf(folder, sizeof folder, "gcc-%u", compiler->major);
    const char *equals = compiler->source[0] != '\0' ? "=" : "";
    if (compiler->answer == KEEL_COMPILER_SILENT) {
        set(finding, equals[0] != '\0' ? FAILS : ABSENT, "apt-get install gcc gfortran",
            "%s%s%s is not there or does not run", compiler->source, equals, compiler->command);
    } else if (compiler->answer == KEEL_COMPILER_OTHER) {
        set(finding, FAILS, "export CC=gcc CXX=g++ FC=gfortran",
            "%s%s%s is not GCC; loops that it compiles do not come to Keel", compiler->source,
            equals, compiler->command);
    } else if (!keel_installation_has(KEEL_PART_PLUGIN, folder, &plugin)) {
        set(finding, FAILS, repair_plugin(compiler->major, repair),
            "%s%s%s is GCC %s, and Keel has no plugin for it", compiler->source, equals,
            compiler->command, compiler->version);
    } else {
        set(finding, WORKS, "", "%s%s%s is GCC %s; plugin in %s", compiler->source, equals,
            compiler->command, compiler->version, plugin.folder);
    }
}

/* --- a program of one loop, compiled and run --- */

struct trial {
    const struct keel_compiler *compiler;
    const char *preload;
    struct keel_mark_file mark; /* of the program that runs */
    char *folder;               /* of files that go again */
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

/* Whether the program ends with exit code 0. */
static bool succeeds(char **arguments, const struct trial *trial, bool under_keel)
{
    const struct keel_setting settings[] = {
        {"LD_PRELOAD", trial->preload},
        {"KEEL_SCHEDULE", "gss"},
        {"KEEL_SEEN", trial->mark.path},
        {"OMP_NUM_THREADS", "2"},
        {"KEEL_CHECK", keel_unset},
        {"KEEL_TRACE", keel_unset},
        {"KEEL_REPORT", keel_unset},
        {"KEEL_MEMORY", keel_unset},
        {0},
    };
    const struct keel_group_run run = {
        .program = arguments,
        .input = "/dev/null",
        .out = "/dev/null",
        .err = "/dev/null",
        .timeout_s = TIMEOUT_S,
        .setting = under_keel ? settings : NULL,
    };
    struct keel_group_run_end end = keel_group_run_do(&run);

    return end.error == 0 && !end.timed_out && end.status == 0;
}

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

    keel_mark_file_empty(&trial->mark);
    return succeeds(arguments, trial, true) && keel_mark_file_set(&trial->mark);
}

static void try_loop(struct trial *trial, struct finding *finding)
{
    if (!compile(trial, "schedule(runtime)", NULL)) {
        set(finding, FAILS, "apt-get install gcc libc6-dev",
            "%s does not compile a program with -fopenmp", trial->compiler->command);
    } else if (!comes_to_keel(trial)) {
        set(finding, FAILS, "",
            "a loop with schedule(runtime), compiled "
            "by %s, did not come to Keel",
            trial->compiler->command);
    } else {
        set(finding, WORKS, "", "one with schedule(runtime) was compiled, and came to Keel");
    }
}

static void read_libgomp(const struct trial *trial, struct finding *finding)
{
    static struct keel_program program;
    static struct keel_openmp openmp;

    keel_program_read(trial->program, &program);
    keel_openmp_read(&program, &openmp);
    if (openmp.runtime != KEEL_OPENMP_GCC) {
        set(finding, FAILS, "take it out of LD_PRELOAD and LD_LIBRARY_PATH",
            "programs do not get GCC's OpenMP runtime, but %s",
            openmp.library[0] != '\0' ? openmp.library : "none");
    } else if (openmp.old) {
        set(finding, FAILS, "export LD_LIBRARY_PATH=FOLDER, of the libgomp of GCC 9 or later",
            "%s is older than that of GCC 9", openmp.library);
    } else {
        set(finding, WORKS, "", "%s", openmp.library);
    }
}

static void try_plugin(struct trial *trial, struct finding *finding)
{
    struct keel_installed plugin;
    char folder[32], option[2 * PATH_MAX], repair[REPAIR_MAX];

    snprintf(folder, sizeof folder, "gcc-%u", trial->compiler->major);
    if (!keel_installation_has(KEEL_PART_PLUGIN, folder, &plugin)) {
        set(finding, ABSENT, "", "there is none for GCC %u", trial->compiler->major);
        return;
    }
    snprintf(option, sizeof option, "-fplugin=%s/%s", plugin.folder, plugin.file);
    if (compile(trial, "", option) && comes_to_keel(trial)) {
        set(finding, WORKS, "", "a loop without a schedule clause was compiled, and came to Keel");
    } else {
        set(finding, FAILS, repair_package("libkeel-dev", repair),
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

static void try_all(const struct keel_compiler *compiler, struct finding *loops,
                    struct finding *plugin, struct finding *libgomp)
{
    static struct trial trial;

    trial.compiler = compiler;
    trial.preload = keel_library_find(false);
    if (trial.preload == NULL) {
        set(loops, FAILS, "", "libkeel.so.1 cannot be preloaded from its folder");
        *plugin = *libgomp = *loops;
        return;
    }
    trial.folder = keel_temporary_make("keel-doctor");
    if (trial.folder == NULL) {
        set(loops, FAILS, "export TMPDIR=FOLDER, of one that you own",
            "no folder can be made in %s: %s", keel_temporary_within(), strerror(errno));
        *plugin = *libgomp = *loops;
        return;
    }
    snprintf(trial.program, sizeof trial.program, "%s/trial", trial.folder);
    snprintf(trial.mark.path, sizeof trial.mark.path, "%s/seen", trial.folder);
    keel_group_run_hold_signals();
    write_source(&trial);
    try_loop(&trial, loops);
    read_libgomp(&trial, libgomp);
    try_plugin(&trial, plugin);
    keel_report_folder_remove(trial.folder);
}

/* --- MPI --- */

enum mpi_kind { MPI_UNKNOWN, MPI_OPEN, MPI_MPICH };

static const char *const mpi_names[] = {"an MPI that is neither Open MPI nor MPICH", "Open MPI",
                                        "MPICH"};

struct mpi_library {
    char name[64];       /* as libkeel_mpi.so asks for it */
    char file[PATH_MAX]; /* "": not found */
    enum mpi_kind kind;
    bool ucx; /* it communicates through UCX */
};

/* Open MPI's libmpi has versions from 40 on, MPICH's 12; Intel's and Cray's are made after it. */
static void note_mpi(const char *name, const char *file, void *context)
{
    struct mpi_library *library = context;
    bool mpich = strncmp(name, "libmpich.so", 11) == 0 || strcmp(name, "libmpi.so.12") == 0;

    library->ucx |= strncmp(name, "libucp.so", 9) == 0;
    if (mpich || strncmp(name, "libmpi.so", 9) == 0) {
        snprintf(library->name, sizeof library->name, "%s", name);
        snprintf(library->file, sizeof library->file, "%s", file);
        library->kind = mpich ? MPI_MPICH : MPI_OPEN;
    }
}

static enum mpi_kind kind_of_mpicc(char *version, int size)
{
    if (keel_command_answer("mpicc --showme:version 2>/dev/null </dev/null", version, size) == 0) {
        return MPI_OPEN;
    }
    if (keel_command_answer("mpichversion 2>/dev/null </dev/null", version, size) == 0) {
        return MPI_MPICH;
    }
    return MPI_UNKNOWN;
}

/* What ranks need that share cores, and where waits of MPI are to sleep. */
static void find_sharing(const struct mpi_library *library, struct finding *finding)
{
    struct keel_installed found;
    char repair[REPAIR_MAX];

    if (!keel_installation_has(KEEL_PART_MPI_CALLS, "", &found)) {
        set(finding, ABSENT, repair_package("libkeel1", repair),
            "libkeel_mpi_calls.so is not there: calls of MPI are not seen");
    } else if (library->kind == MPI_MPICH && !library->ucx) {
        set(finding, ABSENT, "", "waits of an MPICH without UCX do not sleep");
    } else if (access("/dev/shm", W_OK | X_OK) != 0) {
        set(finding, FAILS, "mount -t tmpfs tmpfs /dev/shm",
            "ranks of a node can't share its cores: no file can be made in /dev/shm");
    } else {
        set(finding, WORKS, "", "ranks of a node can share its cores; waits of MPI can sleep");
    }
}

static void find_mpi(struct finding *finding, struct finding *sharing)
{
    struct mpi_library library = {.kind = MPI_UNKNOWN};
    static struct keel_program self;
    struct keel_installed found;
    char path[2 * PATH_MAX], version[128], repair[REPAIR_MAX];

    if (!keel_installation_has(KEEL_PART_MPI_LIBRARY, "", &found)) {
        set(finding, ABSENT, repair_package("libkeel-mpi1", repair),
            "libkeel_mpi.so.1 is not there");
        find_sharing(&library, sharing);
        return;
    }
    keel_program_read("/proc/self/exe", &self);
    snprintf(path, sizeof path, "%s/%s", found.folder, found.file);
    keel_loaded_visit(self.interpreter, path, note_mpi, &library);
    find_sharing(&library, sharing);
    enum mpi_kind kind = kind_of_mpicc(version, sizeof version);
    if (library.file[0] == '\0') {
        set(finding, kind == MPI_UNKNOWN ? ABSENT : FAILS,
            library.kind == MPI_MPICH ? "apt-get install mpich" : "apt-get install openmpi-bin",
            "libkeel_mpi.so.1 is for %s, whose %s is not found", mpi_names[library.kind],
            library.name);
    } else if (kind != MPI_UNKNOWN && kind != library.kind) {
        set(finding, FAILS,
            "build programs with the compiler wrapper of that MPI, or Keel for this "
            "one",
            "mpicc is %s's, and libkeel_mpi.so.1 is for %s", mpi_names[kind],
            mpi_names[library.kind]);
    } else {
        set(finding, WORKS, "", "%s (%s)%s%s", mpi_names[library.kind], library.file,
            kind != MPI_UNKNOWN ? "; " : "; no mpicc in PATH", version);
    }
}

/* --- a program --- */

static void find_loops(const char *name, struct finding *finding)
{
    static struct keel_program program;
    static struct keel_openmp openmp;
    struct stat status;

    keel_program_read(name, &program);
    if (access(program.file, X_OK) != 0 || stat(program.file, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
        set(finding, FAILS, "", "'%s' is no program", name);
        return;
    }
    const char *obstacle = keel_unseen_obstacle(name);
    if (obstacle[0] != '\0') {
        set(finding, FAILS, "", "no loop of '%s' can come to Keel: %s", name, obstacle);
        return;
    }
    keel_openmp_read(&program, &openmp);
    if (openmp.behind) {
        set(finding, FAILS, "link -lkeel before -lgomp (`keel libs`)",
            "'%s' is linked with libgomp (%s) before libkeel.so, so that no loop "
            "comes to Keel but under `keel run`",
            name, openmp.library);
    } else if (openmp.runtime_loops) {
        set(finding, WORKS, "", "'%s' has loops that come to Keel, %s", name,
            openmp.linked ? "which it is linked with" : "under `keel run`");
    } else {
        set(finding, ABSENT, "", "no loop of '%s' comes to Keel: %s", name,
            keel_unseen_remedy(name));
    }
}

/* --- its static loops --- */

enum { NAME_WIDTH = 9, STATE_WIDTH = 6 };

/* Lines of the refused ones come behind the finding. */
struct static_regions {
    int taken, refused;
    FILE *lines;
};

static void take_region(const char *name, const struct keel_shares_verdict *verdict, void *context)
{
    struct static_regions *regions = context;

    regions->taken += verdict->why == NULL;
    if (verdict->why != NULL && verdict->divides) {
        regions->refused++;
        fprintf(regions->lines, "%*s %s: %s (%s)\n", NAME_WIDTH + STATE_WIDTH + 1, "", name,
                verdict->why, verdict->where);
    }
}

typedef int region_lister(const char *,
                          void (*)(const char *, const struct keel_shares_verdict *, void *),
                          void *);

/* The function that lists regions, of Keel's library for that; NULL: `problem` says why there is
 * none. */
static region_lister *find_lister(const char **problem)
{
    struct keel_installed found;
    char file[PATH_MAX + 32];

    if (!keel_installation_has(KEEL_PART_SHARES, "", &found)) {
        *problem = "libkeel_shares.so is not there";
        return NULL;
    }
    snprintf(file, sizeof file, "%s/libkeel_shares.so", found.folder);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    *problem = library == NULL ? dlerror() : "libkeel_shares.so is another version";
    return library != NULL ? (region_lister *)dlsym(library, "keel_shares_list") : NULL;
}

static void find_static(const char *name, struct finding *finding)
{
    static struct keel_program program;
    size_t size;
    struct static_regions regions = {.lines = open_memstream(&finding->lines, &size)};
    const char *problem;
    region_lister *list = find_lister(&problem);

    keel_program_read(name, &program);
    int count = list != NULL ? list(program.file, take_region, &regions) : -1;
    fclose(regions.lines);
    if (list == NULL) {
        set(finding, ABSENT, "", "machine code cannot be read: %s", problem);
    } else if (count < 0) {
        set(finding, ABSENT, "", "the machine code of '%s' cannot be read", name);
    } else if (regions.taken + regions.refused == 0) {
        set(finding, ABSENT, "", "'%s' has no symbols of regions that the compiler has divided",
            name);
    } else {
        set(finding, regions.taken > 0 ? WORKS : ABSENT, "",
            "KEEL_OVERRIDE=static takes %d of the %d regions of '%s' that the compiler has "
            "divided%s",
            regions.taken, regions.taken + regions.refused, name,
            regions.refused > 0 ? "; left as they are:" : "");
    }
}

/* --- the subcommand --- */

enum respect {
    KEEL,
    COMPILER,
    LOOPS,
    PLUGIN,
    LIBGOMP,
    MPI,
    CORES,
    PROGRAM, /* where one is named, as the next one */
    STATIC,
    RESPECTS
};

static const char *const names[RESPECTS] = {
    [KEEL] = "Keel",     [COMPILER] = "compiler", [LOOPS] = "loops",
    [PLUGIN] = "plugin", [LIBGOMP] = "libgomp",   [MPI] = "MPI",
    [CORES] = "cores",   [PROGRAM] = "program",   [STATIC] = "static",
};

static const char *const states[] = {
    [WORKS] = "works",
    [BETTER] = "works",
    [ABSENT] = "absent",
    [FAILS] = "FAILS",
};

/* program: NULL: none is named. */
static void find(const char *program, struct finding finding[RESPECTS])
{
    struct keel_compiler compiler;

    find_installation(&finding[KEEL]);
    find_compiler(&finding[COMPILER], &compiler);
    if (compiler.answer == KEEL_COMPILER_GCC && finding[KEEL].state != FAILS) {
        try_all(&compiler, &finding[LOOPS], &finding[PLUGIN], &finding[LIBGOMP]);
    } else {
        set(&finding[LOOPS], ABSENT, "", "not tried, without Keel's library or GCC");
        finding[PLUGIN] = finding[LIBGOMP] = finding[LOOPS];
    }
    find_mpi(&finding[MPI], &finding[CORES]);
    if (program != NULL) {
        find_loops(program, &finding[PROGRAM]);
        if (finding[PROGRAM].state != FAILS) {
            find_static(program, &finding[STATIC]);
        }
    }
}

static void print(const char *name, const struct finding *finding)
{
    unsigned rest = keel_terminal_width() - NAME_WIDTH - STATE_WIDTH - 2;
    const unsigned width[] = {NAME_WIDTH, STATE_WIDTH, rest};

    keel_table_row(3, width, (const char *[]){name, states[finding->state], finding->text});
    if (finding->repair[0] != '\0') {
        /* In one line, to be copied. */
        printf("%*s %s: %s\n", NAME_WIDTH + STATE_WIDTH + 1, "",
               finding->state == BETTER ? "better" : "repair", finding->repair);
    }
    fputs(finding->lines != NULL ? finding->lines : "", stdout);
}

static int run(int argc, char **argv)
{
    static const struct keel_command_line line = {
        .most = 1,
        .form = "[PROGRAM]",
        .text = "Checks what works here: Keel, the compiler and its plugin, "
                "libgomp and MPI, and cores that ranks share; and the line that repairs what does "
                "not. Compiles and runs a "
                "program of one loop. Of PROGRAM, which is not run, it "
                "says whether its loops come to Keel, and if not, why; and which of its static "
                "loops come with KEEL_OVERRIDE=static.\v"
                "The compiler is that of CC, CXX or FC, otherwise gcc. Absent parts are needed by "
                "some programs only. For cores and binding see `keel topology'.\n\n"
                "Exit codes: 0: all that is there works; 1: something fails; 2: the command line "
                "cannot be used.",
    };
    static struct finding finding[RESPECTS];
    char **words = NULL;
    int code = 0;

    keel_command_line_read(&line, argc, argv, &words);
    const char *program = words != NULL ? words[0] : NULL;
    find(program, finding);
    bool looks_inside = program != NULL && finding[PROGRAM].state != FAILS;
    for (int i = 0; i < (looks_inside ? RESPECTS : program != NULL ? STATIC : PROGRAM); i++) {
        print(names[i], &finding[i]);
        code |= finding[i].state == FAILS;
    }
    return code;
}

const struct keel_subcommand keel_subcommand_doctor = {
    .name = "doctor",
    .summary = "check what works here, and show how to repair the rest",
    .run = run,
};
