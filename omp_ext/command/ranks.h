/* What `keel list --mpi` shows: how the ranks of a job get their iterations, and their rows. */
#ifndef OMP_EXT_COMMAND_RANKS_H
#define OMP_EXT_COMMAND_RANKS_H

#include <stdbool.h>

/* Prints the policies of those names, ended by NULL; NULL: all. Those of loops and those of rows
 * may have the same names. only_names: one name per line and no more, but for an empty line between
 * the two. Returns the exit code. */
int keel_ranks_list(bool only_names, char **wanted);

#endif
