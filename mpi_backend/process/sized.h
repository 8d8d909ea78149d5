/* Structures that programs allocate. `size_t struct_size` stands first in each and says how much of
 * it the program knows, so that fields can be added behind: of what only one side knows, nothing is
 * read, and a later program gets 0. */
#ifndef MPI_BACKEND_PROCESS_SIZED_H
#define MPI_BACKEND_PROCESS_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#define KEEL_MPI_SIZED_MAX 4096 /* bytes; a larger struct_size was never set */

/* Whether struct_size of a structure that the program has given to `function` can be right: at
 * least `least` bytes. false: not, with a message. */
bool keel_mpi_sized_check(const void *structure, size_t least, const char *function);

/* Copies the library's structure of `size` bytes to the program's one; both begin with
 * struct_size, which stays. */
void keel_mpi_sized_give(void *program, const void *own, size_t size);

/* Copies the program's structure to the library's one of `size` bytes; what the program does not
 * know becomes 0. */
void keel_mpi_sized_take(void *own, size_t size, const void *program);

#endif
