/* Which loop a rule of KEEL_SCHEDULE means: `mandel.c:42`, `src/mandel.c:42`, `render`,
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

/* Read the part of a rule before its '=': `length` bytes, which need no final NUL.
 *
 *     FILE:LINE   FILE is a file name, with as much of its path as tells it from others;
 *                 LINE is 1 to 4294967295 in decimal digits, without a leading zero
 *     FUNCTION    a name or `scope::name`; letters, digits, '_', '$' and bytes from 0x80;
 *                 the last part may be `operator()`
 *
 * False, with `*rule` in no particular state, for everything else, for white space inside, and for
 * names of KEEL_RULE_NAME_SIZE bytes and more. */
bool keel_rule_parse(const char *text, size_t length, struct keel_rule *rule);

/* Whether the rule means the loop.
 *
 * FILE:LINE means the loop whose header holds LINE: the directive's lines and the line of the `for`
 * or `do` under it, empty lines and comments around them, and where the loop's variable is declared
 * elsewhere the first statement of the body, too. FILE is the end of the loop's path from a '/' on,
 * or all of it.
 *
 * A line means several loops only where the source puts them on one line or compiles it more than
 * once: loops made by one macro, instances of a template, copies of an inlined function. A line
 * that should mean a loop may miss it in these cases seen with GCC 12; a function name does not:
 * the `for` of an optimised C++ loop whose directive has a `reduction` on a continuation line
 * (name the directive), the first lines of a continued directive of a parallel region inside
 * another one in Fortran (name its last line), and any line after link-time optimisation.
 *
 * FUNCTION means every loop in that function, in functions written inside it (lambdas, contained
 * procedures), and in functions that were inlined into it. It is the end of the qualified name
 * from a `::` on, or all of it, and stands for every overload and instance. */
bool keel_rule_matches(const struct keel_rule *rule, const struct keel_source *source);

#endif
