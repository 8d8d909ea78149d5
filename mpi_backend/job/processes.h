/* The processes of other ranks on this machine: whether one runs, is stopped, or has ended, by the
 * kernel's /proc. Without MPI.
 *
 *   each rank's own -> all ranks (peers.c) -> looks, one behind another, while a rank waits */
#ifndef MPI_BACKEND_JOB_PROCESSES_H
#define MPI_BACKEND_JOB_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/process/mpi_process.h"

/* --- hosts ---
 *
 * Which rank runs on which host: the name of each host once, and 4 bytes for each rank.
 *
 *   room -> names of all ranks (peers.c) -> [hosts] -> messages, copies of rows
 *
 * Pure: no MPI. Many threads may read one at a time. */

#define KEEL_MPI_HOST_MAX 32 /* bytes of a host's name, shortened, and its end */

struct keel_mpi_hosts;

/* Room for the hosts of `ranks` >= 1, all of whose names are empty so far; NULL: no memory. */
struct keel_mpi_hosts *keel_mpi_hosts_room(uint32_t ranks);

/* Takes over what keel_mpi_hosts_room() gave and notes that rank i has name[i], for each of the
 * ranks. What names do not need of the room is given back. O(P log P). */
struct keel_mpi_hosts *keel_mpi_hosts_note(struct keel_mpi_hosts *hosts,
                                           const char (*name)[KEEL_MPI_HOST_MAX]);

void keel_mpi_hosts_free(struct keel_mpi_hosts *hosts);

/* The name of the rank's host, or "host not known". */
const char *keel_mpi_hosts_name(const struct keel_mpi_hosts *hosts, uint32_t rank);

/* Adds the rank and its host, as "rank 3 (node1)", to those that `text` has, a string in `size`
 * bytes; behind a comma if it is not the first. What has no room is left out. */
void keel_mpi_hosts_add_to(const struct keel_mpi_hosts *hosts, uint32_t rank, char *text,
                           size_t size);

/* A number that ranks have in common which share a host, and no others: the same on all ranks. NULL
 * has one host. */
uint32_t keel_mpi_hosts_number(const struct keel_mpi_hosts *hosts, uint32_t rank);

/* --- processes --- */

/* A process, as ranks send it to each other. */
struct keel_mpi_process {
    uint64_t numbering; /* of processes: a digest of the machine's boot and of the name spaces; 0:
                           not known */
    uint64_t started;   /* clock ticks since boot: a number may be given to another process later */
    int64_t pid;
};

/* This process; its numbering is 0 if /proc does not have it. */
struct keel_mpi_process keel_mpi_process_own(void);

/* The processes of the other ranks that are looked at. One thread at a time. All zero: none is
 * known. */
struct keel_mpi_processes {
    struct keel_mpi_process own;
    uint32_t count;
    struct keel_mpi_rank_process {
        struct keel_mpi_process process;
        uint32_t rank; /* increasing */
        int32_t looks; /* in the present wait: how many, up to the last one, have found that it is
                          stopped; less than 0: that it has ended */
    } * other;
};

/* Of those among `all`, the processes of ranks 0 to count - 1, of which `own` is this one's: that
 * are on this machine. Without memory, none. */
void keel_mpi_processes_open(struct keel_mpi_processes *processes, uint32_t own,
                             const struct keel_mpi_process *all, uint32_t count);

void keel_mpi_processes_close(struct keel_mpi_processes *processes);

/* Looks at all of them. first: what was seen before does not count. */
void keel_mpi_processes_look(struct keel_mpi_processes *processes, bool first);

#define KEEL_MPI_NO_RANK UINT32_MAX

/* At how many looks, up to the last one, one was stopped. */
uint32_t keel_mpi_process_stopped(const struct keel_mpi_rank_process *other);

/* The first rank that was stopped at so many looks, up to the last one; KEEL_MPI_NO_RANK: none. */
uint32_t keel_mpi_processes_long_stopped(const struct keel_mpi_processes *processes, double looks);

/* --- those that have ended, or have been stopped for long --- */

/* Whether the process of a rank had ended at each of the last two looks: says so of the first one,
 * and that `own`, this rank, waits there ("in keel_mpi_gather()"). hosts: of all ranks. */
bool keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts);

/* own: this rank. With KEEL_MPI_ON_LATE=end it ends the processes on its machine that were stopped
 * at so many looks, each of them `apart_s` after the one before; the next looks find that. So they
 * do not go on later, with what others have done by then in their place. */
void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s);

/* --- giving way ---
 *
 * When a wait that has looked in vain leaves its processor to others.
 *
 *   look in vain, again and again -> give way -> how long was that? -> look for a part of that
 * first
 *
 * If no other program computes there, giving way costs nothing. Beside another program it costs a
 * time slice of the system: a thread that had to wait so long looks for a part of that time before
 * it gives way again, in this wait and in others (schedules/objects/gift.h). Any thread. */

struct keel_mpi_give_way {
    double not_before_s; /* by keel_mpi_clock_s() */
};

/* A wait begins to look in vain, at now_s. */
struct keel_mpi_give_way keel_mpi_give_way_begin(double now_s);

/* It has given way from began_s until now_s. */
void keel_mpi_give_way_note(struct keel_mpi_give_way *way, double began_s, double now_s);

/* --- interruptions ---
 *
 * Interruptions of objects: times in which the system gave the processor to other programs.
 *
 *   before an object: mark -> the object is computed -> it took long: why? (pace.h)
 *
 * Of the calling thread; any thread. */

/* Before an object, at `now_s`: notes the system's counts, if that was not done lately. */
void keel_mpi_interruptions_mark(double now_s);

/* The part of the object's took_s, which end now, in which another program had the processor; s.
 * Reads the system's counts if the object may have been interrupted. */
double keel_mpi_interruptions_of(double took_s, double now_s);

/* --- watching ---
 *
 * While this process is in a call of MPI that can't be given up: a thread looks at the processes of
 * the other ranks. Where one of them has ended, or is stopped for KEEL_MPI_DEADLINE, the call never
 * returns: the process ends, with a message, instead of waiting for ever. Ranks of other
 * machines are not visible: after KEEL_MPI_DEADLINE it says that it waits, or ends the job by
 * KEEL_MPI_ON_LATE=fail.
 *
 *   keel_mpi_watch_begin() -> MPI_Comm_split(), ... -> keel_mpi_watch_end()
 *
 * No other thread looks at these processes meanwhile. If no thread can be made, there is no
 * watching. */

/* Of one call. */
struct keel_mpi_watch {
    struct keel_mpi_processes *processes;
    const struct keel_mpi_hosts *hosts;
    const unsigned char
        *without;     /* one byte for each rank, 1: it is not waited for; NULL: all are */
    const char *what; /* that is done, for messages: "a job was opened" */
    uint32_t rank;    /* this one */
    struct keel_mpi_periodic looks;
    uint32_t looked; /* how often */
};

void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what);

void keel_mpi_watch_end(struct keel_mpi_watch *watch);

#endif
