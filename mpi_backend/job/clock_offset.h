/* How far another clock is ahead of one's own, from messages there and back (Cristian 1989).
 *
 * Each exchange says: the other clock was read after the question left and before the answer came.
 *
 *   remote - received <= offset <= remote - sent
 *
 * So the offset lies where the ranges of all exchanges overlap, and the middle of that is off by
 * half of its length at most, which is half of the shortest round trip at most. Clocks that drift
 * apart meanwhile add what they drift; where ranges do not overlap for that, the shortest one
 * counts. Pure. */
#ifndef MPI_BACKEND_JOB_CLOCK_OFFSET_H
#define MPI_BACKEND_JOB_CLOCK_OFFSET_H

#include <stdint.h>

/* Begins as {0}. Times are in ns, >= 0, below 2^62. */
struct keel_mpi_clock_offset {
    uint64_t exchanges;  /* noted so far */
    int64_t least, most; /* the offset lies between them */
};

/* An exchange: the question was sent, the other clock read, the answer received. One that was
 * received before it was sent is ignored. */
void keel_mpi_clock_offset_note(struct keel_mpi_clock_offset *offset, int64_t sent, int64_t remote,
                                int64_t received);

/* To be added to one's own clock to get the other's; 0: nothing was noted. */
int64_t keel_mpi_clock_offset_ns(const struct keel_mpi_clock_offset *offset);

/* How far that may be off, in ns. */
uint64_t keel_mpi_clock_offset_error_ns(const struct keel_mpi_clock_offset *offset);

#endif
