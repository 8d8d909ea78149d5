/* What KEEL_REPORT names: where the report of this process goes, and its recording until then. */
#ifndef OMP_EXT_RECORDER_REPORT_NAME_H
#define OMP_EXT_RECORDER_REPORT_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the name of the report's file into path[PATH_MAX], as keel_report_write() wants it, with
 * the number of the process for each %p. Relative names are made absolute, as the program may
 * change its folder: by the first call, when recording begins. False: standard error; a message has
 * told of a name that is too long. */
bool keel_report_file_name(char *path);

/* The same for the recording: the file's name and ".recording"; for a rank of a job,
 * ".RANK.recording". One that an earlier program of this process has left gets another name: what
 * exec() ended stays. False: in memory. */
bool keel_report_recording_name(char *path);

/* Which of how many ranks this is, as the launcher tells; 0 of 1: none does. */
void keel_report_rank(int32_t *rank, int32_t *ranks);

#endif
