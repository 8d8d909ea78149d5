/* Datatypes of every shape, and which bytes belong to an element of each. */
#include "tests/mpi_backend/results/elements.h"

#include <string.h>

/* Finds the bytes by having MPI write all of them. */
static void find_bytes(struct element *element)
{
    unsigned char ones[2 * REACH], memory[2 * REACH] = {0};
    int size, position = 0;
    MPI_Aint bound, extent;

    memset(ones, 0xff, sizeof ones);
    MPI_Type_size(element->type, &size);
    MPI_Type_get_extent(element->type, &bound, &extent);
    MPI_Unpack(ones, size, &position, memory + REACH, 1, element->type, MPI_COMM_WORLD);
    element->extent = (long)extent;
    for (long offset = -REACH; offset < REACH; offset++) {
        if (memory[REACH + offset] != 0) {
            element->offset[element->bytes++] = offset;
        }
    }
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint low, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, low, extent, &result);
    return result;
}

static MPI_Datatype three_ints_apart(void)
{
    MPI_Datatype type;

    MPI_Type_vector(3, 1, 3, MPI_INT, &type);
    return type;
}

static MPI_Datatype with_a_gap_behind(MPI_Datatype type, MPI_Aint extent)
{
    MPI_Datatype result = resized(type, 0, extent);

    MPI_Type_free(&type);
    return result;
}

static MPI_Datatype shorts(int count)
{
    MPI_Datatype type;

    MPI_Type_contiguous(count, MPI_SHORT, &type);
    return type;
}

/* A structure whose first member lies before its address. */
static MPI_Datatype scattered(void)
{
    const int lengths[] = {1, 2, 3};
    const MPI_Aint displacements[] = {-13, 8, -4};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_CHAR};
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, displacements, types, &type);
    return type;
}

struct element elements[ELEMENTS];

#define PREDEFINED 4 /* the first ones */

void elements_make(void)
{
    const struct {
        const char *name;
        MPI_Datatype type;
    } made[ELEMENTS] = {
        {"bytes", MPI_BYTE},
        {"int", MPI_INT},
        {"double", MPI_DOUBLE},
        {"double and int", MPI_DOUBLE_INT},
        {"three shorts", shorts(3)},
        {"vector", three_ints_apart()},
        {"vector with a gap behind it", with_a_gap_behind(three_ints_apart(), 40)},
        {"wide double", resized(MPI_DOUBLE, 0, 24)},
        {"int with a low bound below", resized(MPI_INT, -8, 16)},
        {"scattered", scattered()},
        {"ints in falling order", resized(MPI_INT, 0, -4)},
        {"nothing", shorts(0)},
    };

    for (int i = 0; i < ELEMENTS; i++) {
        elements[i] = (struct element){.name = made[i].name, .type = made[i].type};
        MPI_Type_commit(&elements[i].type);
        find_bytes(&elements[i]);
    }
}

void elements_free(void)
{
    for (int i = PREDEFINED; i < ELEMENTS; i++) {
        MPI_Type_free(&elements[i].type);
    }
}
