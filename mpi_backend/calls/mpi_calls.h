/* Times and places of a program's own calls of MPI.
 *
 *   wrappers.c (the program's call) -> begin -> MPI -> end -> [calls] -> keel_report_meet_calls()
 *                                                              \-> keel_trace_meet()
 *
 * libkeel_mpi_calls.so is preloaded: its wrappers come before those of MPI, or of another tool
 * that wraps MPI, and pass their arguments on. It is built without an MPI and works with
 * any whose handles fit into a word: arguments are words. */
#ifndef MPI_BACKEND_CALLS_MPI_CALLS_H
#define MPI_BACKEND_CALLS_MPI_CALLS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef void keel_mpi_function(void);

/* What is wrapped under one name. Constant but for `next`. */
struct keel_mpi_wrapped {
    const char *symbol;              /* as the linker knows it */
    const char *name;                /* as the report calls it */
    bool waits;                      /* it may wait; false: it tests, and goes on */
    keel_mpi_function *_Atomic next; /* who comes after the wrapper; NULL: not found yet */
};

/* A call in progress. */
struct keel_mpi_call {
    keel_mpi_function *next;
    struct keel_mpi_call_place *place; /* NULL: it is not measured */
    const char *name;
    const void *caller;
    double began_ns;
    uint64_t began; /* of the trace's clock; 0: nothing is traced */
};

/* A call begins; caller: where it will return to. Any thread, also before MPI_Init(). Calls within
 * calls are handed on and not measured. Costs two looks at the clock, and nothing but the call of
 * `next` where neither a report nor a trace is asked for. */
struct keel_mpi_call keel_mpi_call_begin(struct keel_mpi_wrapped *wrapped, const void *caller);

/* It is over. */
void keel_mpi_call_end(const struct keel_mpi_call *call);

/* MPI is there: from now on calls are measured, if libkeel.so writes a report or a trace. By the
 * thread that has initialised MPI; caller: where it had MPI do so. */
void keel_mpi_calls_start(const void *caller);

/* --- functions that are found by name ---
 *
 * Functions of MPI, and of the libraries below it, wherever the program has them. */

/* `among`: all symbols, RTLD_DEFAULT, or those behind this library, RTLD_NEXT; otherwise among
 * those of the object that `caller` lies in, which has MPI if that came with dlopen(). Returns NULL
 * if there is none. Any thread. */
void *keel_mpi_symbol(void *among, const char *symbol, const void *caller);

/* --- sleeping_waits.c ---
 *
 * Waits of MPI that sleep: KEEL_MPI_WAIT=sleep.
 *
 *   a call that waits -> MPI looks whether something came -> nothing -> [idle] -> looks again
 *
 * An MPI waits by looking again and again, and calls a function of another library each time that
 * it has found nothing: Open MPI sched_yield(), where it is asked to yield, MPICH over UCX
 * ucp_worker_progress(). Wrappers of those two sleep. So all that waits in MPI sleeps, by MPI's own
 * algorithms and in their own order, whatever the level of threads. */

/* From now on waits sleep. Before MPI is initialised. */
void keel_mpi_waits_sleep(void);

/* What KEEL_MPI_WAIT says: `sleep` is keel_mpi_waits_sleep(). Once, as the process begins. */
void keel_mpi_waits_read(void);

/* What a call has done; nothing counts as a wait where waits do not sleep. */
enum keel_mpi_wait { KEEL_MPI_NO_WAIT, KEEL_MPI_POLLED, KEEL_MPI_SLEPT };

/* A call of the program begins: waits, or asks whether something has come and goes on. And ends.
 * Any thread. */
void keel_mpi_sleeping_begin(bool waits);
enum keel_mpi_wait keel_mpi_sleeping_end(void);

/* --- share_cores.c ---
 *
 * Ranks of a node share its cores: KEEL_SHARE_CORES=1.
 *
 *   a process begins -> [node_table] cores of all ranks of the node -> its threads may run on them,
 *   a team has one for each, and waits of MPI sleep: Linux gives a core to a thread that computes
 *
 * From the start teams are as large as they ever get, and thread numbers mean what they always do.
 * A program that cannot notice the size of its teams, or whose OMP_DYNAMIC leaves it to the
 * runtime, begins with its own cores instead:
 *
 *   a wait that sleeps -> [node_table] this rank's cores are free
 *   end of a call of MPI, every 10 ms -> processor time and waits of the other ranks -> [decision]
 *   a region begins -> own cores, those of ranks that wait just now, or all -> libkeel.so
 *   a thread beyond the own cores meets a loop under Keel -> [wait] ... another rank waits
 *     -> [guest] it computes on that one's core ... that rank computes again
 *     -> it goes on beside its own team, and waits before its next chunk */

struct keel_report_process;

/* As the process begins, before any other thread and any region. */
void keel_share_cores_begin(void);

/* MPI has been initialised: says so where that is too late. */
void keel_share_cores_meet_mpi(void);

/* Adds how large its teams are, for the report; nothing where it shares no cores. */
void keel_share_cores_report(struct keel_report_process *process);

/* After a call of MPI that waits: wakes the other ranks if all of them wait. slept: this rank has
 * slept in it, and computes on its own cores again: guests there are sent home. Any thread. */
void keel_share_cores_waited(bool slept);

/* After a call of MPI, by the thread that has initialised it. */
void keel_share_cores_look(void);

/* --- own cores, or all ---
 *
 * How many threads a rank's teams have, where ranks of a node share its cores. Pure.
 *
 * Threads beyond a rank's own cores gain what the other ranks leave idle, and cost switches: a
 * region of length t on `own` cores takes t x own / (own + idle) on all of them, and
 * KEEL_CORES_SWITCH_S for each thread more.
 *
 * With all cores in each region, those that begin while the others compute have threads without a
 * core, which wait in loops under Keel, and compete for one elsewhere. With the cores of ranks that
 * wait as a region begins, one during which another rank begins to wait goes on without that one's.
 * What a wait of the others costs either way says which of the two it is to be. */

/* Two to three switches of context, s: measured on two cores. */
#define KEEL_CORES_SWITCH_S 6e-6

/* What a region with all threads loses while the others compute, s. Threads that ask first wake up,
 * sleep, and wake up once more; others compete for cores: 0.4 to 1 ms, measured on two cores with
 * regions of 1.5 to 48 ms. */
#define KEEL_CORES_ASKED_S 2e-5
#define KEEL_CORES_SHARED_S 1e-3

/* Shorter waits are left alone: a team that changes takes about 50 us. */
#define KEEL_CORES_WAIT_S 0.5e-3

/* Gains from which it takes all cores, and under which it gives them back; between the two, teams
 * stay as they are. */
#define KEEL_CORES_TAKE 0.05
#define KEEL_CORES_LEAVE 0.02

/* Part of the other ranks' cores that is idle without waits in MPI, as these ranks wait for files
 * or have ended. From there on, waits in MPI do not show when a core is free. */
#define KEEL_CORES_UNASKED 0.25

/* What a rank has seen in a period. */
struct keel_cores_seen {
    unsigned own, all; /* threads of a team: 1 <= own <= all */
    unsigned threads;  /* own or all: what its teams have now, at least */
    double idle;       /* cores that the other ranks left idle in the mean, >= 0 */
    double waiting;    /* of these, by their waits in MPI */
    double own_idle;   /* the same of this rank: while all wait, nothing is gained */
    double region_s;   /* mean time of its regions, with what is between them; > 0 */
    double regions;    /* of this rank for each wait of the others, > 0; INFINITY: none waited */
    bool asks;         /* threads ask whether there is a core before they take iterations */
};

struct keel_cores_decision {
    unsigned threads; /* own or all: of each region */
    bool unasked;     /* threads without a core take iterations without asking */
    bool joins;       /* regions have the cores of ranks that wait as they begin, too */
};

struct keel_cores_decision keel_cores_decide(const struct keel_cores_seen *seen);

/* Threads of a region that begins now: own ones, and a part of the cores that `waiting` of all
 * `ranks` leave free, which those that compute divide; at most all. free: cores. */
unsigned keel_cores_joined(const struct keel_cores_seen *seen, unsigned ranks, unsigned waiting,
                           double free);

/* Part of `own` cores that a rank leaves idle which took `busy_s` of processor time in a period:
 * cores, 0 to `own`. */
double keel_cores_idle(double own, double busy_s, double period_s);

/* --- node_table.c ---
 *
 * A table of the ranks of one job on one node before MPI is there: a file in memory, in which each
 * enters itself once, and whose name is removed as soon as all have; later, which of them wait.
 *
 *   enter -> all are in -> no rank is missing: all ranks see the same entries
 *         -> too long   -> one rank gives up for all: none of them has any
 */

#define KEEL_NODE_RANKS_MAX 1024

/* A rank, as it enters itself. */
struct keel_node_rank {
    pid_t process;
    cpu_set_t cores; /* on which its threads may run */
};

/* A name that all ranks of this job have on this node, and no other job; of KEEL_LAUNCH_JOB_MAX
 * bytes. MPICH's launcher gives none, but has started them all, or the script that has started this
 * rank. */
void keel_node_job(char *job);

/* Enters this rank, number `rank` of `count` on its node, and waits for the others, at most
 * `patience_s`. job: a name that other jobs do not have. all: of `count`, in the order of ranks.
 * False: not all have come, or there is no such memory; the same for all ranks that have entered,
 * but for those that find no memory. Once in a process. */
bool keel_node_table_meet(const char *job, unsigned rank, unsigned count,
                          const struct keel_node_rank *own, double patience_s,
                          struct keel_node_rank *all);

/* This rank begins to wait, or computes again. Nothing if they have not met. Any thread. */
void keel_node_table_wait(bool waits);

/* How long a rank has waited so far, ns. They have met. Any thread. */
uint64_t keel_node_table_waited_ns(unsigned rank);

/* How often a rank has begun and ended to wait: odd while it does. They have met. Any thread. */
uint32_t keel_node_table_waits(unsigned rank);

/* Sleeps until may_go(context), which is asked at first, when a rank begins to wait, and after
 * keel_node_table_ring(), and after first_ns; or for 50 ms. They have met. Any thread. */
void keel_node_table_park(bool (*may_go)(const void *), const void *context, uint64_t first_ns);

/* Sleeps so long, or where they have met until another rank calls; true: one has, since `called`
 * was set, which is set once more. Any thread. */
bool keel_node_table_sleep(const struct timespec *time, uint32_t *called);

/* Wakes all that sleep if all other ranks wait, every 0.5 ms at most; whether it has. Any
 * thread. */
bool keel_node_table_call(void);

/* A thread of `rank` that computes on cores of others, by its number among those without a core of
 * their own; 0: it does not. Numbers from this one on count as smaller ones. They have met. */
#define KEEL_NODE_GUESTS_MAX 64
_Atomic pid_t *keel_node_table_guest(unsigned rank, unsigned guest);

/* What may_go() answers of this rank may have changed. They have met. Any thread. */
void keel_node_table_ring(void);

/* --- thread_numbers.c ---
 *
 * Whether a program can notice how many threads its teams have.
 *
 * A program that neither asks for thread numbers nor has data of its own for each thread computes
 * the same with teams of any size, one region after another. The functions that it
 * calls, and thread-local data, are in the tables of the dynamic linker. */

struct keel_team_use {
    bool sees_numbers; /* some object can notice */
    bool sets_sizes;   /* some object calls omp_set_num_threads() or its like */
};

/* Looks at the program and at all its libraries, but for those of the system, of compilers and of
 * MPI. What they load later is not seen. Waits for a thread that loads or unloads a library. */
struct keel_team_use keel_team_use_of_program(void);

#endif
