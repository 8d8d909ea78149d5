/* Why no loop of a program came to Keel, as far as its file, its libraries and its end tell. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_UNSEEN_H
#define OMP_EXT_COMMAND_PROGRAMS_UNSEEN_H

#include <stdbool.h>

/* Whether the file of the program, or the signal that has ended it (status, as waitpid gives it),
 * tells why no loop can come; a message says so then. `where`: what stands behind "came to Keel"
 * there. */
bool keel_unseen_explain(const char *program, int status, const char *where);

/* What keeps the program's OpenMP from Keel, as a clause of a message: another runtime, or a
 * libgomp that is old; "": nothing. Static memory. */
const char *keel_unseen_runtime(const char *program);

/* The same, or what of its file keeps anything from being preloaded into it. Static memory. */
const char *keel_unseen_obstacle(const char *program);

/* What would bring the program's loops: clause, override or plugin, as a clause of a message. */
const char *keel_unseen_remedy(const char *program);

#endif
