/* Heartbeats of a process on another machine. */
#include "mpi_backend/job/processes/beats.h"

#include <math.h>
#include <stddef.h>

/* Of a beat; the epoch is above. */
enum { OUT = 1, QUIET = 2, SHIFT = 2 };

#define SILENCES 3 /* so many times the longest one tells of a stop */

unsigned char keel_mpi_beat(uint64_t epoch, bool out, bool quiet)
{
    return (unsigned char)(epoch % KEEL_MPI_EPOCHS << SHIFT | (quiet ? QUIET : 0) |
                           (out ? OUT : 0));
}

static unsigned epoch_of(unsigned char beat)
{
    return beat >> SHIFT;
}

/* Whether `epoch` comes behind `other`, near which it is. */
static bool is_later(unsigned epoch, unsigned other)
{
    unsigned ahead = (epoch - other) % KEEL_MPI_EPOCHS;

    return ahead > 0 && ahead < KEEL_MPI_EPOCHS / 2;
}

/* In a later epoch it has been left out meanwhile, and not been let in here. */
static bool is_out(const struct keel_mpi_beats *beats)
{
    unsigned epoch = epoch_of(beats->last);

    return beats->left || (beats->known && (is_later(epoch, beats->epoch) ||
                                            (epoch == beats->epoch && (beats->last & OUT) != 0)));
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
    beats->epoch = beats->known ? beats->epoch : (unsigned char)epoch_of(beat);
    beats->known = true;
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
    if (is_out(beats)) {
        return KEEL_MPI_PROCESS_LEFT_OUT;
    }
    bool silent = time_s - beats->heard_s > limit_s(beats) && (beats->last & QUIET) == 0;
    return silent && answer == KEEL_MPI_ANSWER_YES ? KEEL_MPI_PROCESS_STOPPED
                                                   : KEEL_MPI_PROCESS_RUNS;
}

unsigned char keel_mpi_beats_leave(struct keel_mpi_beats *beats)
{
    beats->left = true;
    return keel_mpi_beat(beats->epoch, true, false);
}

bool keel_mpi_beats_says_out(unsigned char told, uint64_t epoch)
{
    return told == keel_mpi_beat(epoch, true, false);
}

void keel_mpi_beats_let_in(struct keel_mpi_beats *beats, uint64_t epoch)
{
    unsigned now = (unsigned)(epoch % KEEL_MPI_EPOCHS);

    if (beats->known && is_later(beats->epoch, now)) {
        return;
    }
    beats->left = beats->left && beats->epoch == now;
    beats->epoch = (unsigned char)now;
    if (!beats->known || is_later(now, epoch_of(beats->last))) {
        beats->last = keel_mpi_beat(epoch, false, false);
    }
    beats->known = true;
}
