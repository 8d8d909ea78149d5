/* What the entry points share. They carry libgomp's names, are exported under libgomp's versions
 * (libkeel.lds), and may be called before any constructor has run. */
#ifndef OMP_EXT_ENTRY_ENTRY_H
#define OMP_EXT_ENTRY_ENTRY_H

#include "omp_ext/settings/settings.h"

#define KEEL_ENTRY __attribute__((visibility("default")))
#define KEEL_ENTRY_ALIAS(name, target) \
    extern __typeof(target) name __attribute__((visibility("default"), alias(#target)))

/* The same for a function that exists when programs run, but not when they are linked, which is
 * what one `@` stands for: linkers that drop libraries without use (--as-needed) must still see the
 * use of libgomp, and for many programs it is only this function. `name`: the versioned one. */
#define KEEL_ENTRY_RUNTIME_ONLY(name) __attribute__((visibility("default"), symver(name)))

/* The return address of the entry point: where in the program the call stands. */
#define KEEL_CALLER __builtin_return_address(0)

#endif
