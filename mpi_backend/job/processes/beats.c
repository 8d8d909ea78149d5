/* Heartbeats of a process on another machine. */
#include "mpi_backend/job/processes/beats.h"

#include <math.h>
#include <stddef.h>

#define SILENCES 3 /* so many times the longest one tells of a stop */

unsigned char keel_mpi_beat(bool quiet)
{
    return quiet;
}

static double limit_s(const struct keel_mpi_beats *beats)
{
    return fmax(KEEL_MPI_SILENCE_S, SILENCES * beats->longest_s);
}

/* A beat that was found late may have come early: what lies before it was a silence only where
 * there have been looks. */
static void hear(struct keel_mpi_beats *beats, double time_s, unsigned char beat)
{
    double silence_s = time_s - beats->heard_s;

    if (time_s - beats->looked_s <= KEEL_MPI_SILENCE_S && silence_s <= limit_s(beats)) {
        beats->longest_s = fmax(beats->longest_s, silence_s);
    }
    beats->last = beat;
    beats->heard_s = time_s;
}

enum keel_mpi_process_state keel_mpi_beats_look(struct keel_mpi_beats *beats, double time_s,
                                                const unsigned char *beat,
                                                enum keel_mpi_answer answer)
{
    if (!beats->looked) {
        beats->looked = true;
        beats->looked_s = beats->heard_s = time_s;
    }
    if (beat != NULL) {
        hear(beats, time_s, *beat);
    } else if (answer == KEEL_MPI_ANSWER_NO) { /* beats may be on their way for as long again */
        beats->longest_s = fmax(beats->longest_s, time_s - beats->heard_s);
    }
    beats->looked_s = time_s;
    bool silent = time_s - beats->heard_s > limit_s(beats) && beats->last == 0;
    return silent && answer == KEEL_MPI_ANSWER_YES ? KEEL_MPI_PROCESS_STOPPED
                                                   : KEEL_MPI_PROCESS_RUNS;
}
