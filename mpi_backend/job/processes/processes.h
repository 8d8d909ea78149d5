/* The processes of other ranks: whether one runs, is stopped, or has ended. As the kernel tells, by
 * /proc, of those on this machine; of others, that they have ended, as lines tell
 * (machine_lines.c), where there are any. Without MPI.
 *
 *   each rank's own -> all ranks (finding.c) -> looks, one behind another, while a rank waits */
#ifndef MPI_BACKEND_JOB_PROCESSES_PROCESSES_H
#define MPI_BACKEND_JOB_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/hosts.h"
#include "mpi_backend/process/mpi_process.h"

/* What a process does, as far as others can see. STOPPED: by SIGSTOP or a terminal; one that a
 * debugger holds counts as running, as somebody looks at it. ENDED: also one whose parent has not
 * asked for its exit status yet. Of one on another machine, only that is ever known. */
enum keel_mpi_process_state {
    KEEL_MPI_PROCESS_UNKNOWN,
    KEEL_MPI_PROCESS_RUNS,
    KEEL_MPI_PROCESS_STOPPED,
    KEEL_MPI_PROCESS_ENDED
};

/* A process, as ranks tell each other. */
struct keel_mpi_process {
    uint64_t numbering; /* of processes: a digest of the machine's boot and of the name spaces; 0:
                           not known */
    uint64_t started;   /* clock ticks since boot: a number may be given to another process later */
    int64_t pid;
    uint64_t line; /* the number of its end (machine_lines.c); 0: it has none */
};

/* This process; its numbering is 0 where /proc does not tell. */
struct keel_mpi_process keel_mpi_process_own(void);

/* The state of `other`, looked at by `own`. Takes some 20 us. Any thread. */
enum keel_mpi_process_state keel_mpi_process_look(const struct keel_mpi_process *own,
                                                  const struct keel_mpi_process *other);

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
 * are on this machine, or that are watched. Without memory, none. */
void keel_mpi_processes_open(struct keel_mpi_processes *processes, uint32_t own,
                             const struct keel_mpi_process *all, uint32_t count,
                             const bool *watched);

/* Whether `own` can look at that process by /proc. */
static inline bool keel_mpi_process_is_near(const struct keel_mpi_process *own,
                                            const struct keel_mpi_process *other)
{
    return own->numbering != 0 && other->numbering == own->numbering;
}

void keel_mpi_processes_close(struct keel_mpi_processes *processes);

/* Looks at all of them. first: what was seen before does not count. */
void keel_mpi_processes_look(struct keel_mpi_processes *processes, bool first);

/* The process of a rank; NULL: it can't be looked at. */
const struct keel_mpi_rank_process *
keel_mpi_processes_of(const struct keel_mpi_processes *processes, uint32_t rank);

#define KEEL_MPI_NO_RANK UINT32_MAX

/* The first rank whose process had ended at each of the last two looks; KEEL_MPI_NO_RANK: none. */
uint32_t keel_mpi_processes_lost(const struct keel_mpi_processes *processes);

/* At how many looks, up to the last one, one was stopped. */
uint32_t keel_mpi_process_stopped(const struct keel_mpi_rank_process *other);

/* The first rank that was stopped at so many looks, up to the last one; KEEL_MPI_NO_RANK: none. */
uint32_t keel_mpi_processes_long_stopped(const struct keel_mpi_processes *processes, double looks);

/* --- those that have ended, or have been stopped for long --- */

/* Says which rank has ended, as keel_mpi_processes_lost() has it, and that `own`, this rank, waits
 * there ("in keel_mpi_gather()"). hosts: of all ranks. */
void keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts);

/* own: this rank. With KEEL_MPI_ON_LATE=end it ends the processes on its machine that were stopped
 * at so many looks, each of them `apart_s` after the one before; the next looks find that. So they
 * do not go on later, with what others have done by then in their place. */
void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s);

/* --- give_way.c ---
 *
 * When a wait that has looked in vain leaves its processor to others.
 *
 *   look in vain, again and again -> give way -> how long was that? -> look for a part of that
 * first
 *
 * Where nobody else computes there, giving way costs nothing. Beside another program it costs a
 * time slice of the system: whoever had to wait so long looks for a part of that time before it
 * gives way again, in this wait and in others (schedules/objects/looking.h). Any thread. */

struct keel_mpi_give_way {
    double not_before_s; /* by keel_mpi_clock_s() */
};

/* A wait begins to look in vain, at now_s. */
struct keel_mpi_give_way keel_mpi_give_way_begin(double now_s);

/* It has given way from began_s until now_s. */
void keel_mpi_give_way_note(struct keel_mpi_give_way *way, double began_s, double now_s);

/* --- interruptions.c ---
 *
 * Interruptions of objects: times in which the system gave the processor to other programs.
 *
 *   before an object: mark -> the object is computed -> it took long: why? (pace.h)
 *
 * Of the calling thread; any thread. */

/* Before an object, at `now_s`: notes the system's counts, if that was not done lately. */
void keel_mpi_interruptions_mark(double now_s);

/* What of the object's took_s, which end now, the processor was somebody else's; s. Costs a look at
 * the system's counts where the object may have been interrupted, else nothing. */
double keel_mpi_interruptions_of(double took_s, double now_s);

/* --- machine_lines.c ---
 *
 * Lines to processes on other machines: connections by TCP. When a process ends, however it does,
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

/* --- watch.c ---
 *
 * While this process is in a call of MPI that can't be given up: a thread looks at the processes of
 * the other ranks. Where one of them has ended, or is stopped for KEEL_MPI_DEADLINE, the call never
 * returns: the process ends, with a message, instead of waiting for ever.
 *
 *   keel_mpi_watch_begin() -> MPI_Comm_split(), ... -> keel_mpi_watch_end()
 *
 * Nobody else looks at these processes meanwhile. Without a thread, nothing is watched. */

/* Of one call. */
struct keel_mpi_watch {
    struct keel_mpi_processes *processes;
    const struct keel_mpi_hosts *hosts;
    const unsigned char
        *without;     /* one byte for each rank, 1: it is not waited for; NULL: all are */
    const char *what; /* that is done, for messages: "a job was opened" */
    uint32_t rank;    /* this one */
    struct keel_mpi_periodic looks;
    bool looked; /* once or more */
};

void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what);

void keel_mpi_watch_end(struct keel_mpi_watch *watch);

/* --- watch.c: a watchdog ---
 *
 * With KEEL_MPI_ON_LATE=end, a timer that ends this process when it is stopped for long, also where
 * no other rank may do so, as those are on other machines, or have ended.
 *
 *   thread, twice a second or more often -> sets the timer anew
 *        -> not done for 1.5 deadlines: SIGKILL, by the kernel
 *
 * The kernel delivers SIGKILL to a process that is stopped, too. There is no timer while a debugger
 * is there; one that comes later, and holds the process at once, has the deadline to let it go. */

/* From now on, with KEEL_MPI_ON_LATE=end, unless the thread runs already. Any thread. */
void keel_mpi_watchdog_start(void);

/* It does nothing any more. Any thread. */
void keel_mpi_watchdog_end(void);

/* --- finding.c ---
 *
 * How ranks learn of each other's hosts and processes when they are connected. */

struct keel_mpi_peers;

/* Memory for that; NULL: there is none. Freed by free(), or: */
struct keel_mpi_finding;
struct keel_mpi_finding *keel_mpi_finding_begin(uint32_t ranks);

/* Brings together what each rank has of its own, of so many bytes. False: it failed, as the code of
 * `peers` says. Collective. */
typedef bool keel_mpi_tell_each_other(struct keel_mpi_peers *peers, const void *own, void *all,
                                      size_t bytes);

/* Fills in peers->hosts and peers->processes. Where `tell` fails, operations on their way use the
 * memory, and it stays. Collective. */
void keel_mpi_finding_end(struct keel_mpi_finding *finding, struct keel_mpi_peers *peers,
                          keel_mpi_tell_each_other *tell);

/* --- who watches ranks on other machines, whose processes can't be looked at ---
 *
 *   machine of each rank -> machines in a circle -> each watches those 1, 2, 4, ... ahead
 *
 * So each machine of M is watched by about log2 M others: that one has ended is seen unless all of
 * those have ended, too, and none has more to watch where there are more machines. No MPI. */

/* Sets watched[i] for the ranks that `own` watches, of ranks 0 to count - 1, and leaves the others.
 * machine: a number for each rank's, from 1, the same for those on one machine; 0: not known, a
 * machine of its own. The ranks of a machine share those of another one. The same circle on all
 * ranks. False: no memory. */
bool keel_mpi_watchers_plan(const uint64_t *machine, uint32_t count, uint32_t own, bool *watched);

#endif
