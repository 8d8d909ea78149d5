/* What a place in code is found to be, step by step.
 *
 *   address -> [own stack] -> self_modules.h -> [names, header lines] -> struct keel_source */
#ifndef OMP_EXT_SOURCE_SOURCE_INSIDE_H
#define OMP_EXT_SOURCE_SOURCE_INSIDE_H

#include <stdbool.h>

#include "omp_ext/source/self_modules.h"
#include "omp_ext/source/source_lines.h"

/* --- function_names.c: the functions around a place, by the names that a rule may use --- */

/* Adds the names around `place` to source->names, innermost first, each once, as many as fit. */
void keel_function_names_add(const struct keel_code_location *place, struct keel_source *source);

/* --- header_lines.c: a loop's header, from its directive to its first statement --- */

/* Fills file, line, first_line and last_line for the loop that starts at `place`: at the call that
 * starts it or, for a combined loop, at the entry of its outlined function. False if the line table
 * does not know the address. */
bool keel_header_lines_find(const struct keel_code_location *place, struct keel_source *source);

/* In `i < v.size()`, GCC may count the call of libgomp to size(), which was inlined there. Steps
 * out of such functions: cuts place->path to the function that has the loop, and sets place->file
 * and place->line to where that one calls them. Otherwise it changes nothing. */
void keel_header_calls_leave(struct keel_code_location *place);

/* --- own_stack.c: more than a thread with OMP_STACKSIZE=64k has: libdw takes 150 KiB --- */

/* Calls run(context) on a stack of 1 MiB that is there meanwhile, on the calling thread. Signals
 * wait until it has returned: their handlers, and collectors of garbage, know the thread by its own
 * stack. False, without a call: there is no memory. Any thread. */
bool keel_own_stack_run(void (*run)(void *context), void *context);

#endif
