/* keel cflags, keel libs: what to add to the command lines of a compiler and a linker. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"

struct request {
    const char *compiler;       /* of --compiler; NULL: as CC, CXX and FC say */
    const char *explicit_kinds; /* NULL: none */
    bool nowait;
    bool mpi;
};

static bool find_plugin(const struct keel_compiler *compiler, struct keel_installed *plugin)
{
    char folder[32], gcc[32];

    snprintf(folder, sizeof folder, "gcc-%u", compiler->major);
    snprintf(gcc, sizeof gcc, "is GCC %u", compiler->major);
    if (compiler->answer == KEEL_COMPILER_GCC &&
        keel_installation_has(KEEL_PART_PLUGIN, folder, plugin)) {
        return true;
    }
    keel_message("%s%s'%.80s' %s, and Keel has no plugin for it; no flags are printed: `keel "
                 "doctor' says what would help",
                 compiler->source, compiler->source[0] != '\0' ? "=" : "", compiler->command,
                 compiler->answer == KEEL_COMPILER_SILENT  ? "is not there or does not run"
                 : compiler->answer == KEEL_COMPILER_OTHER ? "is not GCC"
                                                           : gcc);
    return false;
}

/* So that a shell or make reads it as one word, as pkg-config does. Bytes from 0x80 belong to
 * names. */
static void print_word(const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x80 && !isalnum(byte) && strchr("+,-./:=@_", byte) == NULL) {
            putchar('\\');
        }
        putchar(byte);
    }
}

static void print_folder(const char *flag, const struct keel_installed *part)
{
    printf("%s", flag);
    print_word(part->folder);
}

/* mpi_header: NULL: not wanted. */
static void print_flags(const struct keel_installed *plugin, const struct keel_installed *header,
                        const struct keel_installed *mpi_header, const struct request *request)
{
    print_folder("-fopenmp -fplugin=", plugin);
    printf("/%s", plugin->file);
    if (request->explicit_kinds != NULL) {
        printf(" -fplugin-arg-keel_plugin-explicit=");
        print_word(request->explicit_kinds);
    }
    if (request->nowait) {
        printf(" -fplugin-arg-keel_plugin-nowait");
    }
    print_folder(" -I", header);
    if (mpi_header != NULL && strcmp(mpi_header->folder, header->folder) != 0) {
        print_folder(" -I", mpi_header);
    }
    putchar('\n');
}

static int run_cflags(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"compiler", 'c', "COMMAND",
         "For this GCC; without it, for what the first of CC, CXX and FC names, otherwise gcc", 0,
         keel_take_text, .at = offsetof(struct request, compiler)},
        {"explicit", 'e', "KINDS",
         "Also bring loops under Keel that were written with these schedule clauses: any of "
         "static,dynamic,guided,auto",
         0, keel_take_text, .at = offsetof(struct request, explicit_kinds)},
        {"nowait", 'n', NULL,
         "Also take loops whose threads do not wait at their end, and those behind them: you say "
         "that none reads what the same thread has written in the one before",
         0, keel_take_flag, .at = offsetof(struct request, nowait)},
        {"mpi", 'm', NULL, "For a program that calls keel_mpi.h", 0, keel_take_flag,
         .at = offsetof(struct request, mpi)},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .text =
            "Prints what to add to gcc, g++ or gfortran so that loops without a schedule clause "
            "run under Keel, and programs find keel.h. Without Keel, such a program runs as if it "
            "had been built without them.\v"
            "Example: gcc -O2 $(keel cflags) program.c -o program. Paths are quoted for a shell or "
            "make; where they hold blanks, write: eval gcc $(keel cflags) ... For MPI: mpicc -O2 "
            "$(keel cflags --mpi) program.c $(keel libs --mpi) -o program",
    };
    struct keel_installed plugin, header, mpi_header;
    struct request request = {0};

    keel_command_line_read(&line, argc, argv, &request);
    struct keel_compiler compiler = request.compiler != NULL
                                        ? keel_compiler_ask("--compiler", request.compiler)
                                        : keel_compiler_in_use();
    if (!find_plugin(&compiler, &plugin) || !keel_installation_find(KEEL_PART_HEADER, &header) ||
        (request.mpi && !keel_installation_find(KEEL_PART_MPI_HEADER, &mpi_header))) {
        return KEEL_EXIT_MISSING;
    }
    keel_installation_say_if_bazels(&plugin);
    print_flags(&plugin, &header, request.mpi ? &mpi_header : NULL, &request);
    return 0;
}

const struct keel_subcommand keel_subcommand_cflags = {
    .name = "cflags",
    .summary = "print compiler flags that bring a program's loops under Keel",
    .run = run_cflags,
};

/* --- keel libs --- */

/* Where the linker and the program find the library. */
static void print_library(const struct keel_installed *library)
{
    print_folder("-L", library);
    print_folder(" -Wl,-rpath,", library);
    putchar(' ');
}

/* A compiler that links finds the header of MPI by the same line. libkeel.so has to come before
 * libgomp. */
static int print_libs(bool mpi)
{
    struct keel_installed library, mpi_library, mpi_header;

    if (!keel_installation_find(KEEL_PART_LINKED_LIBRARY, &library) ||
        (mpi && (!keel_installation_find(KEEL_PART_LINKED_MPI_LIBRARY, &mpi_library) ||
                 !keel_installation_find(KEEL_PART_MPI_HEADER, &mpi_header)))) {
        return KEEL_EXIT_MISSING;
    }
    keel_installation_say_if_bazels(&library);
    if (mpi) {
        print_folder("-I", &mpi_header);
        putchar(' ');
    }
    print_library(&library);
    if (mpi && strcmp(library.folder, mpi_library.folder) != 0) {
        print_library(&mpi_library);
    }
    printf("%s-lkeel\n", mpi ? "-lkeel_mpi " : "");
    return 0;
}

static int run_libs(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"mpi", 'm', NULL, "For a program that calls keel_mpi.h or the Fortran module keel_mpi", 0,
         keel_take_flag, .at = 0},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .text = "Prints what to add behind the sources when a program calls keel.h or the Fortran "
                "module keel, or, with --mpi, keel_mpi.h.\v"
                "Examples: gcc $(keel cflags) program.c $(keel libs) -o program; "
                "mpicc -fopenmp program.c $(keel libs --mpi) -o program",
    };
    bool mpi = false;

    keel_command_line_read(&line, argc, argv, &mpi);
    return print_libs(mpi);
}

const struct keel_subcommand keel_subcommand_libs = {
    .name = "libs",
    .summary = "print linker flags for programs that call keel.h or keel_mpi.h",
    .run = run_libs,
};
