/* Meeting in a folder. */
#define _GNU_SOURCE
#include "omp_ext/command/report/meeting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/report/files/file.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

#define ENDED ".ended" /* RANK.ended: that rank's program has */

/* Absolute, as the program may change its folder. */
static char *make_own(const char *within)
{
    char *folder = NULL, *absolute = realpath(within, NULL);

    if (absolute != NULL && asprintf(&folder, "%s/keel-report-XXXXXX", absolute) >= 0 &&
        mkdtemp(folder) == NULL) {
        free(folder);
        folder = NULL;
    }
    free(absolute);
    return folder;
}

/* The ranks of a node, or, beside a file, of the whole job; NULL: errno. */
static char *make_common(struct keel_meeting *meeting, const struct keel_report_request *request,
                         const char *job)
{
    const char *beside = request->output;
    char host[256] = "";
    unsigned all = keel_launch_ranks(keel_environment_value);

    gethostname(host, sizeof host - 1);
    meeting->of_node = beside == NULL || !keel_report_file_is_plain(beside) || all == 0;
    if (!meeting->of_node) {
        meeting->expected = all;
    }
    char *folder = keel_report_folder_of_job(meeting->of_node ? NULL : beside, "run", job, host);
    errno = folder != NULL ? keel_report_folder_make(folder) : ENOMEM;
    if (errno != 0) {
        free(folder);
        return NULL;
    }
    char *absolute = realpath(folder, NULL);
    free(folder);
    return absolute;
}

bool keel_meeting_begin(struct keel_meeting *meeting, const struct keel_report_request *request)
{
    const char *stated = keel_environment_value("TMPDIR");
    const char *within = request->folder != NULL ? request->folder
                         : stated != NULL        ? stated
                                                 : "/tmp";
    unsigned local = keel_launch_local_ranks(keel_environment_value);
    char job[KEEL_LAUNCH_JOB_MAX];

    keel_launch_job(keel_environment_value, job);
    *meeting = (struct keel_meeting){.expected = 1};
    if (local > 0 && job[0] != '\0') {
        meeting->expected = local;
        meeting->folder = make_common(meeting, request, job);
    } else {
        meeting->folder = make_own(within);
    }
    if (meeting->folder == NULL || asprintf(&meeting->file, "%s/%%p.json", meeting->folder) < 0) {
        keel_message("no folder for reports can be made in '%s': %s", within, strerror(errno));
        free(meeting->folder);
        return false;
    }
    return true;
}

static bool mark_end(const struct keel_meeting *meeting)
{
    char *path;
    int rank = keel_launch_rank(keel_environment_value);

    if (asprintf(&path, "%s/%d" ENDED, meeting->folder, rank) < 0) {
        return false;
    }
    int error = keel_report_file_write(path, "", 0);
    free(path);
    return error == 0;
}

char *keel_meeting_last(const struct keel_meeting *meeting)
{
    if (meeting->expected == 1) {
        return strdup(meeting->folder);
    }
    return mark_end(meeting) &&
                   keel_report_folder_count(meeting->folder, ENDED) >= meeting->expected
               ? keel_report_folder_claim(meeting->folder)
               : NULL;
}

void keel_meeting_end(struct keel_meeting *meeting, char *last)
{
    if (last != NULL) {
        keel_report_folder_remove(last);
    }
    free(last);
    free(meeting->file);
    free(meeting->folder);
    *meeting = (struct keel_meeting){NULL};
}
