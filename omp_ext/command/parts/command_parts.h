/* What subcommands are made of. */
#ifndef OMP_EXT_COMMAND_PARTS_COMMAND_PARTS_H
#define OMP_EXT_COMMAND_PARTS_COMMAND_PARTS_H

#include <argp.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schedules/loop/spec.h"

/* --- subcommand --- */

/* What a subcommand of `keel` is: one const descriptor at the end of its own file, listed in
 * main.c. */

/* Exit codes of the command itself; those of `keel run` otherwise follow the program's. */
enum {
    KEEL_EXIT_MISSING = 1,  /* a file of Keel's is not there */
    KEEL_EXIT_USAGE = 2,    /* the command line cannot be used */
    KEEL_EXIT_OWN = 125,    /* `keel run` itself failed, as in env(1) */
    KEEL_EXIT_REFUSED = 126 /* the program is there and cannot be run; 127: it is not there */
};

struct keel_option;

/* What becomes of an option's word, which `at` is to hold. A word that cannot be used is a usage
 * error, which ends the command. */
typedef void keel_option_taker(struct argp_state *state, const struct keel_option *option,
                               char *word, void *at);

keel_option_taker keel_take_flag;  /* bool: true */
keel_option_taker keel_take_text;  /* const char *: the word */
keel_option_taker keel_take_list;  /* const char *: all such words, with blanks between */
keel_option_taker keel_take_real;  /* double, low <= number <= high */
keel_option_taker keel_take_count; /* uint64_t, within the same limits */
keel_option_taker keel_take_range; /* uint64_t[2], too: "A-B", or one number for both */

struct keel_option {
    const char *name;
    int letter;           /* 0: there is none */
    const char *argument; /* what its word is called; NULL: it has none */
    const char *text;     /* of --help, */
    int group;            /* in which the groups follow each other */
    keel_option_taker *take;
    size_t at; /* of the member */
    double low, high;
};

/* All that a subcommand takes. Lists of options end with one without a name. */
struct keel_command_line {
    const struct keel_option *options; /* with members of the request */
    const struct keel_option *shared;  /* with members of a structure in it; NULL: none */
    size_t shared_at;                  /* where that is */
    size_t words_at; /* the other words: a char **, ended by NULL; left as it is without any */
    int least, most; /* how many these are; most 0: any number */
    bool is_program; /* they are a program and all that is its own */
    const char *form, *text; /* of --help: the words, NULL: there are none; what it does */
};

/* Reads the command line into the request. */
void keel_command_line_read(const struct keel_command_line *line, int argc, char **argv,
                            void *request);

struct keel_subcommand {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is "keel NAME"; returns the exit code */
};

extern const struct keel_subcommand keel_subcommand_run, keel_subcommand_list;
extern const struct keel_subcommand keel_subcommand_chunks, keel_subcommand_env;
extern const struct keel_subcommand keel_subcommand_cflags, keel_subcommand_libs;
extern const struct keel_subcommand keel_subcommand_check, keel_subcommand_model;
extern const struct keel_subcommand keel_subcommand_report, keel_subcommand_compare;
extern const struct keel_subcommand keel_subcommand_topology, keel_subcommand_doctor;
extern const struct keel_subcommand keel_subcommand_plot, keel_subcommand_view;

/* Shows what the recordings in a folder hold, on standard error: of processes that the signal has
 * ended; 0: it is not known. */
void keel_report_show_recordings(const char *folder, int signal);

/* --- menu --- */

/* A word of the command line that names one of several subcommands: `keel SUBCOMMAND`, `keel model
 * ACTION`. */

struct keel_menu {
    const char *called; /* "keel" */
    const char *entry;  /* what an entry is, with its article: "a subcommand" */
    const char *title;  /* above the list of them in --help: "Subcommands" */
    const char *form;   /* "SUBCOMMAND [ARGUMENT...]" */
    const char *text;   /* of --help, before the options */
    const char *notes;  /* after the list */
    size_t count;
    const struct keel_subcommand *const *subcommand;
};

/* Runs what argv[1] names with the rest of the command line; its exit code, or KEEL_EXIT_USAGE. Not
 * for several threads. */
int keel_menu_run(const struct keel_menu *menu, int argc, char **argv);

/* --- memory --- */

/* Without memory the command ends with a message, so callers need not check. It may be kept until
 * then. */

/* For `count` elements, zeroed. */
void *keel_command_memory(size_t count, size_t size);

/* An array with room for one more behind its `count` elements, one after the other; NULL: it has
 * none yet. */
void *keel_command_room(void *memory, size_t count, size_t size);

__attribute__((format(printf, 1, 2))) char *keel_command_text(const char *format, ...);

/* The text as JSON; '?' for bytes beyond ASCII in one that is not UTF-8, as names of files may
 * be. */
struct json_t *keel_command_json(const char *text);

/* --- installation --- */

/* Where the files of Keel are, seen from the `keel` executable: beside it, as Bazel puts them,
 * or in PREFIX/lib, PREFIX/lib/keel and PREFIX/include with the executable in PREFIX/bin; for lib
 * also lib64 or Debian's folder of the architecture. */

enum keel_installed_part {
    KEEL_PART_LIBRARY,        /* what programs load */
    KEEL_PART_LINKED_LIBRARY, /* what the linker looks for */
    KEEL_PART_SHARES,         /* reads machine code */
    KEEL_PART_PLUGIN,         /* in a folder gcc-N for each major version N of GCC */
    KEEL_PART_HEADER,
    KEEL_PART_MPI_LIBRARY,
    KEEL_PART_LINKED_MPI_LIBRARY,
    KEEL_PART_MPI_HEADER,
    KEEL_PART_EARLY,
    KEEL_PART_MPI_CALLS /* what measures calls of MPI for a report */
};

struct keel_installed {
    char folder[PATH_MAX]; /* absolute, without links */
    const char *file;      /* name in it */
};

/* Finds a file; says what is missing, and where it was looked for, when it returns false. */
bool keel_installation_find(enum keel_installed_part part, struct keel_installed *found);

/* The same in a folder `inner` of the places, and without a message. */
bool keel_installation_has(enum keel_installed_part part, const char *inner,
                           struct keel_installed *found);

/* Whether it is in Bazel's cache, which `bazel clean` empties. */
bool keel_installation_is_bazels(const struct keel_installed *found);

/* A message where that is so: for who prints its path. */
void keel_installation_say_if_bazels(const struct keel_installed *found);

/* The command line that installs this Keel again, as its installation wrote it down; without one,
 * in Bazel's folder, what installs it at all. Cut to `size` bytes. Returns `line`. */
const char *keel_installation_again(char *line, size_t size);

/* Whether the executable comes from a Debian package. */
bool keel_installation_is_debians(void);

/* --- temporary folders --- */

/* Where: TMPDIR or /tmp. */
const char *keel_temporary_within(void);

/* 0, or the errno of writing a little to a folder: what others have written there may not be all
 * then. */
int keel_temporary_try(const char *folder);

/* Makes a folder NAME-XXXXXX there; its absolute path, as programs may change their folders. NULL:
 * errno; also where nothing can be written to it. */
char *keel_temporary_make(const char *name);

/* Writes what is in the file `content` to `path`: a file is replaced as a whole, and a full disk
 * leaves what was there; a device or a pipe is written to. 0, or an error for
 * keel_trace_file_reason(). */
int keel_output_write(FILE *content, const char *path);

/* The first line that a command for the shell prints, "" without one; returns its status, as
 * waitpid() gives it, or -1. */
int keel_command_answer(const char *command, char *line, int size);

/* --- compiler --- */

/* Which GCC a person compiles with: plugins are for one major version of it. */

enum keel_compiler_answer {
    KEEL_COMPILER_GCC,
    KEEL_COMPILER_SILENT, /* there is no such command, or it fails */
    KEEL_COMPILER_OTHER,  /* not GCC, or before GCC 7 */
};

struct keel_compiler {
    const char *source;  /* "CC", "CXX", "FC"; "": looked for in PATH */
    const char *command; /* as a shell reads it */
    enum keel_compiler_answer answer;
    unsigned major;   /* of its version, of GCC alone */
    char version[64]; /* "12.2.0" */
};

/* Asks the command for its version. `source` and `command` stay the caller's. */
struct keel_compiler keel_compiler_ask(const char *source, const char *command);

/* What the first of CC, CXX and FC that is set names; without any, the first of gcc, cc, gfortran
 * and g++ that is GCC, otherwise gcc. */
struct keel_compiler keel_compiler_in_use(void);

/* --- schedule check --- */

/* What a text for KEEL_SCHEDULE asks for, read before a program runs with it. The grammar is
 * that of omp_ext/settings/variables.h. */

struct keel_schedule_check {
    bool everywhere;                /* names a schedule of Keel for all loops */
    bool rules;                     /* holds a rule for single loops */
    char problem[KEEL_PROBLEM_MAX]; /* what cannot be used as it is; "": nothing */
};

struct keel_schedule_check keel_schedule_check(const char *text);

/* Cuts what a program would use instead off a problem. */
void keel_schedule_check_problem(char *problem);

/* --- table --- */

/* Rows of cells whose words are wrapped within their columns. ASCII text. */

#define KEEL_TABLE_COLUMNS_MAX 6

/* Prints one row to standard output. Column i is width[i] characters wide and one blank away
 * from the next; a line feed in a cell begins a new line, a word longer than its column is
 * broken. */
void keel_table_row(unsigned columns, const unsigned *width, const char *const *cell);

/* --- terminal --- */

/* What standard output can show. */

/* Characters in a line, 40 or more: COLUMNS, or the terminal's, or 80. */
unsigned keel_terminal_width(void);

#endif
