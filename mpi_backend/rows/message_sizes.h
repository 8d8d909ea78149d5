/* Sizes of messages that models of programs count, too. No MPI. */
#ifndef MPI_BACKEND_ROWS_MESSAGE_SIZES_H
#define MPI_BACKEND_ROWS_MESSAGE_SIZES_H

/* Words of 64 bits that keel_mpi_rows_agree() reduces over all ranks. */
#define KEEL_MPI_AGREED_WORDS 4

#endif
