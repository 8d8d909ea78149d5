/* Datatypes of every shape, and which bytes belong to an element of each. */
#ifndef TESTS_MPI_BACKEND_RESULTS_ELEMENTS_H
#define TESTS_MPI_BACKEND_RESULTS_ELEMENTS_H

#include <mpi.h>
#include <stddef.h>

#define ELEMENTS 12
#define REACH 256 /* bytes from an element's address, either way */

struct element {
    const char *name;
    MPI_Datatype type;
    long extent;
    size_t bytes;           /* that belong to an element */
    long offset[2 * REACH]; /* of each, from the element's address */
};

extern struct element elements[ELEMENTS];

/* Makes all of them, once, after MPI_Init(). */
void elements_make(void);

/* Before MPI_Finalize(). */
void elements_free(void);

#endif
