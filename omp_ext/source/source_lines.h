/* Where in the program's source a loop stands: its file and line, and the functions around it.
 *
 *     loop site (return address) -> keel_source_find() -> struct keel_source -> rule.h -> schedule
 *
 * The functions are exported by libkeel_source.so, which alone depends on elfutils' libdw and is
 * loaded only when KEEL_SCHEDULE holds a rule for a line or a function.
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
 * So a loop is known by the lines of its header, from `first_line` to `last_line`: upwards as
 * far as no other code and no other loop's `for` stands, downwards to the line where the loop
 * declares its variable or, if that is not known, to the first line with code in the loop. That
 * holds the directive with its continuation lines and the `for` or `do` under it. source_lines.c
 * has the details, keel_rule_matches() what follows for a rule.
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
    /* The line to show: the directive's where the loop opens its parallel region, else as
     * reported. 0 if unknown. first_line <= line <= last_line. */
    unsigned line;
    unsigned first_line;
    unsigned last_line;
    /* names[0 .. name_count - 1], without parameters, template arguments and the compiler's
     * suffixes: the innermost function first ("ns::image::render"), then the functions that
     * enclose it or that it was inlined into. A function whose symbol is spelled otherwise
     * (`__grid_MOD_sweep`, `_ZN2ns6renderEv`) has an entry for that, too. */
    unsigned name_count;
    char names[KEEL_SOURCE_NAMES][KEEL_SOURCE_NAME_SIZE];
};

/* Find the source of the loop whose runtime call returns to `address`, that is, whose
 * GOMP_loop_*_start() call stands right before it; of a combined loop, of which
 * GOMP_parallel_loop_*(outlined, ...) returns there, `outlined` tells the header's lines, which the
 * call does not when the code is optimised (NULL: it is none). Without debug information the names
 * come from the symbol table and `line` is 0. `*source` is filled in any case and needs no release.
 *
 * False: neither line nor name is known. Any thread may call; calls wait for each other. Nothing is
 * printed, errno is kept, no file stays open, and no debuginfod server is asked. It all happens on
 * a stack of its own (own_stack.c), so that the thread's may be small. One call reads the debug
 * information of one compilation unit anew: keep the result per loop site. */
bool keel_source_find(const void *address, const void *outlined, struct keel_source *source);

#endif
