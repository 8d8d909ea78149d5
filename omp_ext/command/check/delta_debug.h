/* Narrows a set of loops down to those that make a difference: delta debugging (Zeller &
 * Hildebrandt 2002). Pure but for what it is given to ask. */
#ifndef OMP_EXT_COMMAND_CHECK_DELTA_DEBUG_H
#define OMP_EXT_COMMAND_CHECK_DELTA_DEBUG_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there is a difference with these `count` members and no others. May err, but only towards
 * false. */
typedef bool keel_delta_debug_question(const size_t *member, size_t count, void *context);

/* Reduces member[0 .. *count), for which `differs` is true, to a set for which it still is, and is
 * not (as far as it has answered) without any one of its members. Order is kept. False: `differs`
 * was not answered for lack of `stop`, and the set is not as small as it may be. stop: asked before
 * each question; NULL: never. Needs memory for *count numbers; without it, false. */
bool keel_delta_debug(size_t *member, size_t *count, keel_delta_debug_question *differs,
                      bool (*stop)(void *context), void *context);

#endif
