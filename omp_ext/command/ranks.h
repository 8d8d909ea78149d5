/* What `keel list --mpi` shows: how the ranks of a job get their iterations. */
#ifndef OMP_EXT_COMMAND_RANKS_H
#define OMP_EXT_COMMAND_RANKS_H

#include <stdbool.h>

/* Prints the policies of those names, ended by NULL; NULL: all. only_names: one name per line and
 * no more. Returns the exit code. */
int keel_ranks_list(bool only_names, char **wanted);

#endif
