/* More stack than a thread of the program may have: libdw takes 150 KiB, a proof 100. */
#ifndef OMP_EXT_SUPPORT_OWN_STACK_H
#define OMP_EXT_SUPPORT_OWN_STACK_H

#include <stdbool.h>

/* Calls run(context) on a stack of 1 MiB that is there meanwhile, on the calling thread. Signals
 * wait until it has returned: their handlers, and collectors of garbage, know the thread by its own
 * stack. False, without a call: there is no memory. Any thread. */
bool keel_own_stack_run(void (*run)(void *context), void *context);

#endif
