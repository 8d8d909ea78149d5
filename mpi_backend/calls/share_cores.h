/* Ranks of a node share its cores: KEEL_SHARE_CORES=1.
 *
 *   a process begins -> [node_table] cores of all ranks of the node -> its threads may run on them,
 *   a team has one for each, and waits of MPI sleep: Linux gives a core to whoever computes
 *
 * From the start teams are as large as they ever get, and thread numbers mean what they always do.
 * A program that cannot tell how large its teams are, or whose OMP_DYNAMIC leaves that to the
 * runtime, begins with its own cores instead:
 *
 *   end of a call of MPI, every 10 ms -> processor time of the other ranks -> [cores_decision] ->
 *   threads of the regions to come -> libkeel.so */
#ifndef MPI_BACKEND_CALLS_SHARE_CORES_H
#define MPI_BACKEND_CALLS_SHARE_CORES_H

struct keel_report_process;

/* As the process begins, before any other thread and any region. */
void keel_share_cores_begin(void);

/* MPI has been initialised: says so where that is too late. */
void keel_share_cores_meet_mpi(void);

/* Adds how large its teams are, for the report; nothing where it shares no cores. */
void keel_share_cores_report(struct keel_report_process *process);

/* After a call of MPI, by the thread that has initialised it. */
void keel_share_cores_look(void);

#endif
