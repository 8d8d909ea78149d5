/* The source position of a loop: its file and line, and the functions around it.
 *
 *     loop site (return address) -> keel_source_find() -> struct keel_source -> rule.h -> schedule
 *
 * libkeel_source.so exports the function. It alone depends on elfutils' libdw, and is loaded only
 * if names of loops are needed: for rules of KEEL_SCHEDULE, reports and traces.
 *
 * What GCC 12 reports
 *
 * The line that debug information gives to the call of GOMP_loop_*_start or GOMP_parallel_loop_*
 * depends on the language, on -O, on the bounds, and on what the optimiser moved. Seen with C, C++
 * and Fortran at -O0 and -O2:
 *
 *     GOMP_loop_*_start, in the outlined function of `parallel for`
 *         C -O0, C++ -O2     first line of the pragma
 *         C -O2, C++ -O0     line of the `for`; of the pragma if the bounds are simple
 *         Fortran            the last line of the directive, or the first of the body
 *     GOMP_loop_*_start, of a `for` inside a region or in a function of its own
 *         C and C++ -O0      first line of the pragma; with constant bounds, the line of the code
 *                            before it
 *         C -O2              line of the `for`
 *         C++ -O2            first line of the pragma, or the line of the code before it
 *         Fortran            the directive
 *     GOMP_parallel_loop_*, in the user's function
 *         -O0                first line of the pragma
 *         -O2                the same, or the statement before it, whose code moved up to the call
 *     Entry of the outlined function: always the directive that opens the parallel region (its
 *     first line in C and C++, its last continuation line in Fortran).
 *
 * So a loop is identified by the lines of its header, from `first_line` to `last_line`: upwards to
 * the line after other code or another loop's `for`, downwards to the line that declares the loop's
 * variable or, if that is not known, to the first line with code in the loop. They contain the
 * directive with its continuation lines and the `for` or `do` below. source_lines.c has the
 * details, keel_rule_matches() the consequences for rules.
 */
#ifndef OMP_EXT_SOURCE_SOURCE_LINES_H
#define OMP_EXT_SOURCE_SOURCE_LINES_H

#include <stdbool.h>

enum {
    KEEL_SOURCE_FILE_SIZE = 1024, /* bytes of a path, with its final NUL */
    KEEL_SOURCE_NAME_SIZE = 256,  /* bytes of a function's name, with its final NUL */
    KEEL_SOURCE_NAMES = 16,       /* function names of one loop */
};

struct keel_source {
    /* Full path as the compiler saw it, without "." and ".." steps; "" if unknown. */
    char file[KEEL_SOURCE_FILE_SIZE];
    /* The line to print: the directive's if the loop opens its parallel region, otherwise as
     * reported by GCC. 0 if unknown. first_line <= line <= last_line. */
    unsigned line;
    unsigned first_line;
    unsigned last_line;
    /* names[0 .. name_count - 1], without parameters, template arguments and the compiler's
     * suffixes: the innermost function first ("ns::image::render"), then the functions that enclose
     * it or that it was inlined into. A symbol that differs from its function's name
     * (`__grid_MOD_sweep`, `_ZN2ns6renderEv`) is a further entry. */
    unsigned name_count;
    char names[KEEL_SOURCE_NAMES][KEEL_SOURCE_NAME_SIZE];
};

/* Finds the source of the loop whose call of GOMP_loop_*_start() returns to `address`. For a
 * combined loop, GOMP_parallel_loop_*(outlined, ...) returns there, and `outlined` gives the
 * header's lines, which the call does not in optimised code; otherwise `outlined` is NULL. Without
 * debug information the names are from the symbol table and `line` is 0. `*source` is set in any
 * case and needs no release.
 *
 * Returns false if neither line nor name is known. Any thread; calls are serialised. Prints
 * nothing, keeps errno, leaves no file open, and asks no debuginfod server. Runs on a stack of its
 * own (own_stack.c), as the thread's may be small. Each call reads the debug information of one
 * compilation unit: keep the result for each loop site. */
bool keel_source_find(const void *address, const void *outlined, struct keel_source *source);

#endif
