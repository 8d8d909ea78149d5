/* Between the program and its MPI: datatypes that are made and freed, and calls that fail. */
#ifndef TESTS_MPI_BACKEND_RESULTS_DATATYPES_H
#define TESTS_MPI_BACKEND_RESULTS_DATATYPES_H

/* Those that were made and are not freed, since this was asked last. */
int datatypes_left(void);

/* All calls of that name fail from the one on that comes after `good` of them, without reaching
 * MPI: "MPI_Type_commit", "MPI_Iallgatherv", "MPI_Igatherv", "MPI_Isend", and "MPI_Irecv", which
 * has "MPI_Isend" fail, too. They return MPI_ERR_OTHER. */
void datatypes_fail(const char *call, int good);

#endif
