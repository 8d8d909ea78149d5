/* Running programs under Keel.
 *
 *   LD_PRELOAD, options -> environment of a child or a group run
 *   its end, its mark file -> unseen */
#ifndef OMP_EXT_COMMAND_PROGRAMS_PROGRAMS_H
#define OMP_EXT_COMMAND_PROGRAMS_PROGRAMS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/run_results.h"

/* --- preload --- */

/* `list` (NULL: none) with `library` added, in memory of malloc. It comes last, because sanitizers
 * insist on being first, but before every libgomp, whose calls it takes over. A list that holds it
 * already stays as it is. */
char *keel_preload_list(const char *list, const char *library);

/* LD_PRELOAD with libkeel.so in it, which is beside the command, and, where it is there and a
 * report is made or the environment asks for a report, a trace, shared cores or waits that sleep,
 * with what wraps calls of MPI. NULL: libkeel.so is not there, or can't be preloaded from its
 * folder; a message has said so. */
const char *keel_library_find(bool for_report);

/* --- child --- */

/* What a program's environment gets. */
struct keel_setting {
    const char *name;  /* NULL: the end of a list */
    const char *value; /* NULL: it stays as it is; keel_unset: it goes */
};

extern const char keel_unset[];

/* Runs a child and forwards signals and exit status: signals that this process gets reach the
 * program, and this process can end as the program ended. */

struct keel_child {
    int error;  /* errno of fork or exec; 0: the program ran */
    int status; /* as waitpid gives it; only if it ran */
    int ending; /* SIGHUP, SIGINT, SIGQUIT or SIGTERM: this process got it meanwhile; 0: none */
};

/* The signal that ended the program, or that its exit code names as shells and mpirun do; 0:
 * none that is known. */
int keel_child_signal(const struct keel_child *child);

/* Runs arguments[0], looked for in PATH, and waits for its end. From then on this process has the
 * signals that it hands on blocked; it should do little more than end. Single-threaded callers
 * only. */
struct keel_child keel_child_run(char **arguments, const struct keel_setting *setting);

/* Says that the program can't be run, for errno `error`, or that there was no room for what it
 * writes; returns keel's exit code for that. */
int keel_child_refused(const char *program, int error);

/* Ends this process as the program ended: with its exit code or by the same signal. */
_Noreturn void keel_child_follow(int status);

/* --- group run --- */

/* One run of a program in a process group of its own, its input and output in files. */

struct keel_group_run {
    char **program;    /* and its arguments; looked for in PATH */
    const char *input; /* file for its standard input */
    const char *out;   /* file that its standard output goes to */
    const char *err;   /* the same for standard error; NULL: that of this process */
    double timeout_s;
    const struct keel_setting *setting; /* NULL: none */
};

struct keel_group_run_end {
    int error;      /* errno of what kept the program from starting; 0: it ran */
    int status;     /* as waitpid gives it */
    bool timed_out; /* it was killed */
    double seconds; /* from before its start to its end */
};

/* Runs it and waits for its end, or the timeout: then the process group gets SIGTERM, and after a
 * second SIGKILL. A signal that would end this process is left pending, see below, and ends the run
 * likewise. Single-threaded callers only. */
struct keel_group_run_end keel_group_run_do(const struct keel_group_run *run);

/* Blocks the signals that would end this process from now on, so that runs and files can be cleaned
 * up first. */
void keel_group_run_hold_signals(void);

/* The one of them that has come; 0: none. */
int keel_group_run_signal(void);

/* How a run ended: "exit code 3". Static memory. */
const char *keel_group_run_status_text(int status);

/* --- mark file --- */

/* The file in which libkeel.so notes that a loop came to it, see omp_ext/gomp/loop_mark.h. */

struct keel_mark_file {
    char path[PATH_MAX]; /* absolute; "": there is no file */
};

/* Makes the file, in a temporary folder of its own; says so when it cannot. */
void keel_mark_file_make(struct keel_mark_file *mark);

/* Takes marks out of it; makes it, where its folder is there. */
void keel_mark_file_empty(const struct keel_mark_file *mark);

/* Whether a loop came to Keel; true also where there is no file. */
bool keel_mark_file_set(const struct keel_mark_file *mark);

/* Whether libkeel.so has found another runtime in libgomp's place. */
bool keel_mark_file_foreign(const struct keel_mark_file *mark);

/* The programs with OpenMP that have run, each once and at most `most` of them, unless `own` is
 * one; returns how many. */
size_t keel_mark_file_programs(const struct keel_mark_file *mark, const char *own,
                               char (*program)[PATH_MAX], size_t most);

/* With all that is in its folder. */
void keel_mark_file_remove(struct keel_mark_file *mark);

/* --- unseen --- */

/* Why no loop of a program came to Keel, as far as its file, its libraries and its end say. */

/* Whether the file of the program, or the signal that has ended it (status, as waitpid gives it),
 * says why no loop can come, which a message repeats. `where`: what follows "came to Keel"
 * there. */
bool keel_unseen_explain(const char *program, int status, const char *where);

/* What keeps the program's loops from Keel, as a clause of a message: its file, another runtime, or
 * a libgomp that is old; "": nothing. Static memory. */
const char *keel_unseen_obstacle(const char *program);

/* What would bring the program's loops: clause, override or plugin, as a clause of a message. */
const char *keel_unseen_remedy(const char *program);

/* --- program --- */

/* What the file of a program says about preloading libraries into it. */

enum keel_program_kind {
    KEEL_PROGRAM_USUAL,  /* dynamically linked, or not known */
    KEEL_PROGRAM_STATIC, /* no dynamic linker runs for it */
    KEEL_PROGRAM_SCRIPT, /* another program reads it */
};

struct keel_program {
    enum keel_program_kind kind;
    char file[PATH_MAX];        /* that execvp() runs; "": there is none */
    char interpreter[PATH_MAX]; /* of a script, with its options; the dynamic linker of a usual
                                   program; else "" */
};

/* The file that execvp() would run for that name, in file[PATH_MAX]. False: no folder of PATH has
 * such a program. */
bool keel_program_find(const char *name, char *file);

/* The program that execvp() would run for that name. */
void keel_program_read(const char *name, struct keel_program *program);

/* --- imports --- */

/* What the file of a program takes from shared libraries, and what a library has. */

/* Whether the file is an ELF file that wants a symbol from elsewhere whose name begins so. False
 * also where that can't be read. */
bool keel_imports_any(const char *file, const char *prefix);

/* --- loaded --- */

/* What the dynamic linker loads for a program. */

/* Calls `visit` for each shared library that `linker`, the program's own, would load for the file:
 * the name that was asked for, and its file, or "" where none is found. Nothing of the program
 * runs. Libraries that come later, by dlopen(), are not seen. */
void keel_loaded_visit(const char *linker, const char *file,
                       void (*visit)(const char *name, const char *library, void *context),
                       void *context);

/* --- openmp --- */

/* Which OpenMP a program and the libraries that it is linked with use, and for what. */

enum keel_openmp_runtime {
    KEEL_OPENMP_NONE,
    KEEL_OPENMP_GCC,
    KEEL_OPENMP_LLVM,
    KEEL_OPENMP_INTEL,
    KEEL_OPENMP_NVIDIA,
};

struct keel_openmp {
    enum keel_openmp_runtime runtime; /* one that is not GCC's counts more */
    char library[PATH_MAX];           /* its file, or its name where no file is found */
    bool old;                         /* GCC's, before GCC 9 */
    bool linked;                      /* with libkeel.so, */
    bool behind;                      /* which comes behind libgomp: calls don't come to it */
    bool regions;                     /* code built by GCC has parallel regions */
    bool runtime_loops;  /* and loops with schedule(runtime), or that the plugin took */
    bool explicit_loops; /* with schedule(dynamic) or schedule(guided) */
};

/* Of a program of the usual kind. */
void keel_openmp_read(const struct keel_program *program, struct keel_openmp *openmp);

/* --- options --- */

/* What several subcommands take from the command line: `run` and `report` by keel_options_start,
 * `check` and `compare` by keel_options_runs. Zero and NULL: not set by the user. */
struct keel_options {
    const char *schedule; /* -s, start only */
    const char *threads;  /* -t: OMP_NUM_THREADS */
    char **program;       /* the first word and all behind it */
    /* runs only */
    struct keel_results results; /* -o, --tolerance and --ignore */
    const char *input;
    double timeout_s, budget_s;
    uint64_t seed;
};

extern const struct keel_option keel_options_start[], keel_options_runs[];

/* Whether -s can be read; a message says so where it can't, and that the program is not run. */
bool keel_options_check_schedule(const struct keel_options *options);

#endif
