/* Where the processes of a run leave their reports, and which `keel report` prints them: of
 * `mpirun -n 4 keel report ./program`, the last of four. */
#ifndef OMP_EXT_COMMAND_REPORT_MEETING_H
#define OMP_EXT_COMMAND_REPORT_MEETING_H

#include "omp_ext/command/report/request.h"

struct keel_meeting {
    char *folder;
    char *file;        /* for KEEL_REPORT: each process has its own in that folder */
    unsigned expected; /* how many of this command meet there; 1: this one alone */
    bool of_node;      /* they are those of one node */
};

/* Finds or makes the folder. False, after a message: there can't be one. */
bool keel_meeting_begin(struct keel_meeting *meeting, const struct keel_report_request *request);

/* Says that this command's program has ended. The folder, to be freed and removed by
 * keel_meeting_end(), where all others' have, too; NULL: another one will print. */
char *keel_meeting_last(const struct keel_meeting *meeting);

/* Removes the folder that the last one got, and frees what there is. */
void keel_meeting_end(struct keel_meeting *meeting, char *last);

#endif
