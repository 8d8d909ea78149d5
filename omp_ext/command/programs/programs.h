/* Running programs under Keel.
 *
 *   LD_PRELOAD, options -> environment of a child or a group run
 *   its end, its mark file -> unseen */
#ifndef OMP_EXT_COMMAND_PROGRAMS_PROGRAMS_H
#define OMP_EXT_COMMAND_PROGRAMS_PROGRAMS_H

#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "omp_ext/command/parts/command_parts.h"

/* --- comparison --- */

/* Whether two outputs of a program are the same, and where they differ first. */

#define KEEL_LEFT_OUT_MAX 4096 /* lines */
#define KEEL_EXCERPT_MAX 64

/* Lines that are not compared, by number from 1, increasing. */
struct keel_left_out {
    size_t count;
    uint64_t line[KEEL_LEFT_OUT_MAX];
};

/* NULL: none. */
bool keel_left_out_has(const struct keel_left_out *left_out, uint64_t line);

struct keel_comparison {
    double tolerance;                     /* relative, of numbers in the text; 0: exact */
    const regex_t *ignored;               /* lines that match are not compared; NULL: none */
    const struct keel_left_out *left_out; /* NULL: none */
};

struct keel_difference {
    uint64_t line;                 /* number, from 1 */
    char wanted[KEEL_EXCERPT_MAX]; /* of the two lines, from shortly before where they differ */
    char got[KEEL_EXCERPT_MAX];
};

/* Whether two lines are the same: with a tolerance, text around numbers has to be equal, and
 * |x - y| <= tolerance * max(|x|, |y|). Pure. */
bool keel_lines_equal(const char *wanted, const char *got, double tolerance);

/* Compares files. A file that is not there differs from one that is, in line 1. Lines are compared
 * in pieces of 1 MiB. Returns whether they are the same; if not, *difference (may be NULL) has the
 * first one. */
bool keel_files_equal(const char *wanted, const char *got, const struct keel_comparison *how,
                      struct keel_difference *difference);

/* Adds the lines in which the files differ to `left_out`, which keeps its order. False: the files
 * don't have as many lines, or too many differ. */
bool keel_files_leave_out(const char *wanted, const char *got, const struct keel_comparison *how,
                          struct keel_left_out *left_out);

/* --- results --- */

/* What a run of a program leaves behind, its standard output and files that it writes, beside those
 * of a reference. */

#define KEEL_OUTPUTS_MAX 64

/* Fields without a note are set by who begins, and don't change. */
struct keel_results {
    char *folder;   /* absolute; of the files below */
    size_t outputs; /* files beside stdout */
    char *output[KEEL_OUTPUTS_MAX];
    struct keel_comparison how;     /* left_out aside */
    struct keel_left_out *left_out; /* of stdout and of each file; changes */
};

/* Where two results differ first. */
struct keel_results_difference {
    size_t file; /* 0 is stdout, others are output[file - 1] */
    struct keel_difference difference;
};

/* Makes the folder, TMPDIR/NAME-XXXXXX or in /tmp, and room for what is left out. False: a message
 * has said why. */
bool keel_results_begin(struct keel_results *results, const char *name);

/* Removes the folder. */
void keel_results_end(struct keel_results *results);

/* "FOLDER/NAME". Static memory, until the next call. */
const char *keel_results_path(const struct keel_results *results, const char *name);

/* Where standard output of runs goes: keel_results_path(). */
const char *keel_results_stdout(const struct keel_results *results);

/* Makes what the last run has left the reference, the first one with nothing left out. False:
 * errno. */
bool keel_results_keep(struct keel_results *results);

/* Whether the last run has left the same as the reference; if not, *difference has the place. */
bool keel_results_equal(const struct keel_results *results,
                        struct keel_results_difference *difference);

/* Leaves out of comparisons what the last run has otherwise than the reference. False: too much
 * differs. */
bool keel_results_leave_out(struct keel_results *results);

/* Prints which lines are left out, if any. */
void keel_results_print_left_out(const struct keel_results *results);

/* "stdout" or the file's name. */
const char *keel_results_name(const struct keel_results *results, size_t file);

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
 * second SIGKILL. A signal that would end this process is left pending, see below, and ends the
 * run, too. Single-threaded callers only. */
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
                                   program; otherwise "" */
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
