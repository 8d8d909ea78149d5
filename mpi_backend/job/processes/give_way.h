/* When a wait that has looked in vain leaves its processor to others.
 *
 *   look in vain, again and again -> give way -> how long was that? -> look for a part of that
 * first
 *
 * Where nobody else computes there, giving way costs nothing. Beside another program it costs a
 * time slice of the system: whoever had to wait so long looks for a part of that time before it
 * gives way again, in this wait and in others (schedules/objects/looking.h). Any thread. */
#ifndef MPI_BACKEND_JOB_PROCESSES_GIVE_WAY_H
#define MPI_BACKEND_JOB_PROCESSES_GIVE_WAY_H

struct keel_mpi_give_way {
    double not_before_s; /* by keel_mpi_clock_s() */
};

/* A wait begins to look in vain, at now_s. */
struct keel_mpi_give_way keel_mpi_give_way_begin(double now_s);

/* It has given way from began_s until now_s. */
void keel_mpi_give_way_note(struct keel_mpi_give_way *way, double began_s, double now_s);

#endif
