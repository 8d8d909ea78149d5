/* The line of a loop's `for`, from the variables that C and C++ declare there. */
#ifndef OMP_EXT_SOURCE_FOR_LINE_H
#define OMP_EXT_SOURCE_FOR_LINE_H

#include <elfutils/libdw.h>

/* Among the variables that `function` declares inside blocks in `file`: the least line from `least`
 * on; 0 if there is none. With `held` not 0, only of blocks that hold the code address `held`. */
unsigned keel_for_line_next(const Dwarf_Die *function, const char *file, unsigned least,
                            Dwarf_Addr held);

/* Among all such variables in the functions of `unit`: the greatest line below `below`, or 0. */
unsigned keel_for_line_previous(const Dwarf_Die *unit, const char *file, unsigned below);

#endif
