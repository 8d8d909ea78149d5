/* keel libs: what to add to a linker's command line for programs that call keel.h or keel_mpi.h. */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"

static error_t take(int key, char *word, struct argp_state *state)
{
    (void)word;
    switch (key) {
    case 'm':
        *(bool *)state->input = true;
        return 0;
    default:
        return keel_subcommand_no_words(key, state);
    }
}

static void print_folder(const char *flag, const struct keel_installed *part)
{
    printf("%s", flag);
    keel_shell_word_print(part->folder);
}

/* Where the linker and the program find the library. */
static void print_library(const struct keel_installed *library)
{
    print_folder("-L", library);
    print_folder(" -Wl,-rpath,", library);
    putchar(' ');
}

static int print_flags(void)
{
    struct keel_installed library;

    if (!keel_installation_find(KEEL_PART_LINKED_LIBRARY, &library)) {
        return KEEL_EXIT_MISSING;
    }
    keel_installation_say_if_bazels(&library);
    print_library(&library);
    printf("-lkeel\n");
    return 0;
}

/* A compiler that links finds the header by the same line. libkeel.so has to come before
 * libgomp. */
static int print_mpi_flags(void)
{
    struct keel_installed library, mpi_library, mpi_header;

    if (!keel_installation_find(KEEL_PART_LINKED_LIBRARY, &library) ||
        !keel_installation_find(KEEL_PART_LINKED_MPI_LIBRARY, &mpi_library) ||
        !keel_installation_find(KEEL_PART_MPI_HEADER, &mpi_header)) {
        return KEEL_EXIT_MISSING;
    }
    keel_installation_say_if_bazels(&library);
    print_folder("-I", &mpi_header);
    putchar(' ');
    print_library(&library);
    if (strcmp(library.folder, mpi_library.folder) != 0) {
        print_library(&mpi_library);
    }
    printf("-lkeel_mpi -lkeel\n");
    return 0;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"mpi", 'm', NULL, 0, "For a program that calls keel_mpi.h or the Fortran module keel_mpi",
         0},
        {0},
    };
    static const struct argp grammar = {
        .options = options,
        .parser = take,
        .doc = "Prints what to add behind the sources when a program calls keel.h or the Fortran "
               "module keel, or, with --mpi, keel_mpi.h.\v"
               "Examples: gcc $(keel cflags) program.c $(keel libs) -o program; "
               "mpicc -fopenmp program.c $(keel libs --mpi) -o program",
    };
    bool mpi = false;

    argp_parse(&grammar, argc, argv, 0, NULL, &mpi);
    return mpi ? print_mpi_flags() : print_flags();
}

const struct keel_subcommand keel_subcommand_libs = {
    .name = "libs",
    .summary = "print linker flags for programs that call keel.h or keel_mpi.h",
    .run = run,
};
