/* The loops that a rule of KEEL_SCHEDULE matches: `mandel.c:42`, `src/mandel.c:42`, `render`,
 * `ns::render`. Pure text, without debug information; part of libkeel.so.
 *
 *     KEEL_SCHEDULE -> keel_rule_parse() -> struct keel_rule -+
 *                                                             +-> keel_rule_matches()
 *     loop site -> source_lines.h -> struct keel_source ------+
 */
#ifndef OMP_EXT_SOURCE_RULE_H
#define OMP_EXT_SOURCE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/source/source_lines.h"

enum { KEEL_RULE_NAME_SIZE = 256 };

/* Either a file and a line, or (line == 0) a function. */
struct keel_rule {
    unsigned line;
    char name[KEEL_RULE_NAME_SIZE];
};

/* Reads the part of a rule before its '=': `length` bytes, which need no final NUL.
 *
 *     FILE:LINE   FILE is a file name, with enough of its path to be unique;
 *                 LINE is 1 to 4294967295 in decimal digits, without a leading zero
 *     FUNCTION    a name or `scope::name`; letters, digits, '_', '$' and bytes from 0x80;
 *                 the last part may be `operator()`
 *
 * Returns false, with `*rule` undefined, for any other text, for white space inside, and for names
 * of KEEL_RULE_NAME_SIZE bytes and more. */
bool keel_rule_parse(const char *text, size_t length, struct keel_rule *rule);

/* Whether the rule matches the loop.
 *
 * FILE:LINE matches the loop whose header contains LINE: the directive's lines, the line of the
 * `for` or `do` below, empty lines and comments around them, and also the first statement of the
 * body if the loop's variable is declared elsewhere. FILE is the loop's path or its end after a
 * '/'.
 *
 * A line matches several loops only if they are on one line or if it is compiled more than once:
 * loops of one macro, instances of a template, copies of an inlined function. With GCC 12, these
 * lines of a loop's header may fail to match, while the function's name does not: the `for` of an
 * optimised C++ loop whose directive has a `reduction` on a continuation line (use the directive's
 * line), the first lines of a continued directive of a parallel region inside another one in
 * Fortran (use its last line), and any line after link-time optimisation.
 *
 * FUNCTION matches every loop in that function, in functions written inside it (lambdas, contained
 * procedures), and in functions that were inlined into it. It is the qualified name or its end
 * after a `::`, and matches every overload and instance. */
bool keel_rule_matches(const struct keel_rule *rule, const struct keel_source *source);

#endif
