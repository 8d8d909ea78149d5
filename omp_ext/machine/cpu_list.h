/* Lists of processors as Linux writes them: "0-3,8,10-11". Pure; any thread. */
#ifndef OMP_EXT_MACHINE_CPU_LIST_H
#define OMP_EXT_MACHINE_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the next range [*first, *last] off the list. A range has at least one number. False: the
 * list is at its end, or what stands there is no range; then *list points to it. */
bool keel_cpu_list_next(const char **list, unsigned *first, unsigned *last);

/* How many numbers the list has; 0: it is empty, or no list. */
size_t keel_cpu_list_count(const char *list);

#endif
