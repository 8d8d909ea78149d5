/* Lines to processes on other machines: connections by TCP. When a process ends, however it does,
 * its kernel closes them, which is seen at the other end. No MPI.
 *
 *   listen() -> each tells the others its end, over MPI -> open() to those that are watched
 *        -> all have opened -> accept() -> look(), while a rank waits
 *
 * The number that a process writes first to those that have connected tells that it is the one that
 * was meant; it is drawn, and told over MPI. Between lines being opened and accepted the port of a
 * process is open; then it is closed. Lines stay until the process ends, and serve all
 * communicators. A child that goes on behind fork() without exec() holds the lines of its parent.
 *
 * Any thread; where two threads connect ranks at the same time, one of them gets no lines. */
#ifndef MPI_BACKEND_JOB_PROCESSES_LINES_H
#define MPI_BACKEND_JOB_PROCESSES_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_MPI_LINE_ADDRESSES 4 /* of a machine, at most */

/* Where a process can be reached. All zero: nowhere. Numbers as they are sent by TCP. */
struct keel_mpi_line_end {
    uint64_t number;                           /* not 0 */
    uint32_t address[KEEL_MPI_LINE_ADDRESSES]; /* IPv4; 0: none */
    uint16_t port;
};

/* Opens this process's end, by all addresses of this machine but the loopback. */
struct keel_mpi_line_end keel_mpi_lines_listen(void);

/* Begins to connect, unless there is a line to that process already. Where the process ends before
 * it has accepted, nothing is known of it. */
void keel_mpi_lines_open(const struct keel_mpi_line_end *end);

/* Until all that were begun are there, or can't be, or for limit_s seconds. */
void keel_mpi_lines_await(double limit_s);

/* Accepts those that others have opened, and closes the port. */
void keel_mpi_lines_accept(void);

/* Looks for the end of the process that has that number. Whether it has ended; false, too, where
 * there is no line. */
bool keel_mpi_lines_look(uint64_t number);

#endif
