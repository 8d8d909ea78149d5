/* Heartbeats of a process on another machine: what it says of itself twice a second, and what one
 * that watches it makes of that. Pure.
 *
 * Nothing comes while that process is stopped, or its machine is out of reach. In the latter case
 * nobody can tell who is cut off from whom, and two halves of a job must not go on without each
 * other: so a process counts as stopped only while its machine answers, that is, acknowledges what
 * is sent to it.
 * A beat is a byte, which can't come in parts. */
#ifndef MPI_BACKEND_JOB_PROCESSES_BEATS_H
#define MPI_BACKEND_JOB_PROCESSES_BEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/processes/state.h"

#define KEEL_MPI_BEAT_S 0.5    /* from beat to beat */
#define KEEL_MPI_SILENCE_S 2.0 /* the shortest that tells of a stop */

/* The beat of a process. quiet: it may say nothing for long and be well, as a debugger is there, or
 * MPI_Finalize() has begun. */
unsigned char keel_mpi_beat(bool quiet);

/* Whether its machine has acknowledged what was sent to it since its last beat. UNKNOWN: nothing
 * was sent, or just now. */
enum keel_mpi_answer { KEEL_MPI_ANSWER_UNKNOWN, KEEL_MPI_ANSWER_NO, KEEL_MPI_ANSWER_YES };

/* Of one process, so far. All zero at first. */
struct keel_mpi_beats {
    bool looked;              /* at all */
    double looked_s, heard_s; /* last, and when a beat was found */
    double longest_s;         /* silence that was no stop */
    unsigned char last;       /* beat */
};

/* What it does, at a time in seconds from anywhere. beat: the last one that has come since the last
 * look; NULL: none has. STOPPED: its machine answers, and nothing has come for KEEL_MPI_SILENCE_S,
 * or for three times the longest silence so far that was no stop, if that is longer. Never ENDED or
 * UNKNOWN. */
enum keel_mpi_process_state keel_mpi_beats_look(struct keel_mpi_beats *beats, double time_s,
                                                const unsigned char *beat,
                                                enum keel_mpi_answer answer);

#endif
