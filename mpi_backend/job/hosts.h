/* Which rank runs on which host: the name of each host once, and 4 bytes for each rank.
 *
 *   room -> names of all ranks (processes/finding.c) -> [hosts] -> messages, copies of rows
 *
 * Pure: no MPI. Many threads may read one at a time. */
#ifndef MPI_BACKEND_JOB_HOSTS_H
#define MPI_BACKEND_JOB_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#define KEEL_MPI_HOST_MAX 32 /* bytes of a host's name, shortened, and its end */

struct keel_mpi_hosts;

/* Room for the hosts of `ranks` >= 1, all of whose names are empty so far; NULL: no memory. */
struct keel_mpi_hosts *keel_mpi_hosts_room(uint32_t ranks);

/* Takes over what keel_mpi_hosts_room() gave and notes that rank i has name[i], for each of the
 * ranks. What names do not need of the room is given back. O(P log P). */
struct keel_mpi_hosts *keel_mpi_hosts_note(struct keel_mpi_hosts *hosts,
                                           const char (*name)[KEEL_MPI_HOST_MAX]);

void keel_mpi_hosts_free(struct keel_mpi_hosts *hosts);

/* The name of the rank's host; "": it is not known. */
const char *keel_mpi_hosts_name(const struct keel_mpi_hosts *hosts, uint32_t rank);

/* Adds the rank and its host, as "rank 3 (node1)", to those that `text` has, a string in `size`
 * bytes; behind a comma if it is not the first. What has no room is left out. */
void keel_mpi_hosts_add_to(const struct keel_mpi_hosts *hosts, uint32_t rank, char *text,
                           size_t size);

/* A number that ranks have in common which share a host, and no others: the same on all ranks. NULL
 * has one host. */
uint32_t keel_mpi_hosts_number(const struct keel_mpi_hosts *hosts, uint32_t rank);

#endif
