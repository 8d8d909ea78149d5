/* The program and libraries of this process as libdwfl sees them, opened for one question.
 *
 *     /proc/self/maps -> keel_self_modules_open() -> module and unit of an address -> close
 */
#ifndef OMP_EXT_SOURCE_SELF_MODULES_H
#define OMP_EXT_SOURCE_SELF_MODULES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "omp_ext/source/die_path.h"

/* Where one code address lies. `pc` and everything from `module` are run-time addresses; an
 * address in DWARF or in a line table is a run-time address minus `bias`. */
struct keel_code_location {
    Dwarf_Addr pc;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    bool has_unit;
    Dwarf_Die unit;
    struct keel_die_path path; /* to the innermost scope; depth 0 without debug information */
    const char *file;          /* set by keel_header_calls_leave(); NULL: as the line table says */
    unsigned line;             /* likewise */
};

/* All modules that are mapped now, so one that came by dlopen() a moment ago is among them. NULL if
 * they cannot be read. The files themselves are opened when something asks for them. */
Dwfl *keel_self_modules_open(void);

void keel_self_modules_close(Dwfl *modules);

/* Find the module of `pc`, and the unit and scope, if there is debug information. False if no
 * file of this process holds the address. */
bool keel_self_modules_place(Dwfl *modules, Dwarf_Addr pc, struct keel_code_location *place);

#endif
