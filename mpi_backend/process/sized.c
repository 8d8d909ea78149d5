/* Structures that programs allocate. */
#include "mpi_backend/process/mpi_process.h"

#include <string.h>

#include "schedules/arithmetic/arithmetic.h"

static size_t size_of(const void *structure)
{
    size_t size;

    memcpy(&size, structure, sizeof size);
    return size;
}

bool keel_mpi_sized_check(const void *structure, size_t least, const char *function)
{
    size_t size = size_of(structure);

    if (size < least || size > KEEL_MPI_SIZED_MAX) {
        keel_mpi_misuse(
            "%s(): struct_size is %zu, expected sizeof of the structure; nothing is done", function,
            size);
        return false;
    }
    return true;
}

void keel_mpi_sized_give(void *program, const void *own, size_t size)
{
    size_t given = size_of(program), known = min_u64(given, size);

    memcpy((char *)program + sizeof(size_t), (const char *)own + sizeof(size_t),
           known - sizeof(size_t));
    memset((char *)program + known, 0, given - known);
}

void keel_mpi_sized_take(void *own, size_t size, const void *program)
{
    size_t known = min_u64(size_of(program), size);

    memset(own, 0, size);
    memcpy(own, program, known);
}
