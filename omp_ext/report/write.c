/* Writes the report of a process. Ranks that write a common report leave their parts in a folder of
 * the job: beside the report's file, or in TMPDIR for the ranks of a node.
 *
 *   data of a rank -> part (JSON) --- all parts there? ---> one rank renames the folder, and
 *     writes the merged report
 *
 * Parts of ranks whose job never completes stay. */
#define _GNU_SOURCE
#include "omp_ext/report/own_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

#define EXPORT __attribute__((visibility("default")))

/* libjansson.a is not made for shared libraries: it refers to `stdin` as programs may. Keel calls
 * no function that uses it, so the linker replaces it by this. */
extern const void *const keel_report_no_stream;
const void *const keel_report_no_stream = 0;

/* --- parts --- */

/* The folder of the ranks of one report, to be freed. file: NULL for the ranks of one node. */
static char *folder_of(const char *file, const struct keel_report_process *process)
{
    const char *stated = keel_environment_value("TMPDIR");
    char *folder;
    int length = file != NULL ? asprintf(&folder, "%s.parts-%s", file, process->job)
                              : asprintf(&folder, "%s/keel-report-%ld-%s-%s",
                                         stated != NULL ? stated : "/tmp", (long)geteuid(),
                                         process->job, process->host);

    return length >= 0 ? folder : NULL;
}

/* Returns EPERM if the folder is another user's or a link: others could redirect files. */
static int make_folder(const char *folder)
{
    struct stat status;

    if ((mkdir(folder, 0700) != 0 && errno != EEXIST) || lstat(folder, &status) != 0) {
        return errno;
    }
    return S_ISDIR(status.st_mode) && status.st_uid == geteuid() ? 0 : EPERM;
}

static int write_part(const struct keel_report_process *process, const char *folder)
{
    char *path;
    int error = ENOMEM;

    if (asprintf(&path, "%s/%d.json", folder, process->rank) >= 0) {
        error = keel_report_output(&process, 1, path, true,
                                   (struct keel_report_text_options){.top = 0});
        free(path);
    }
    return error;
}

/* Counts no part that is being written. */
static void count_part(const char *path, const char *name, void *count)
{
    (void)path;
    *(unsigned *)count += strstr(name, ".new-") == NULL;
}

static void read_part(const char *path, const char *name, void *document)
{
    char reason[KEEL_REPORT_REASON_MAX];

    (void)name;
    keel_report_file_read(path, document, reason);
}

/* Merges the parts into the report. If that cannot be written, the parts stay. */
static int merge(const char *folder, const char *file, bool of_node)
{
    struct keel_report_document parts = {0};
    char *claimed;
    int error = 0;

    if (asprintf(&claimed, "%s-%ld", folder, (long)getpid()) < 0) {
        return ENOMEM;
    }
    if (rename(folder, claimed) == 0) { /* only one process succeeds */
        keel_report_folder_each(claimed, read_part, &parts);
        keel_report_job_sort(parts.process, parts.count);
        error = keel_report_output(parts.process, parts.count, file, false,
                                   (struct keel_report_text_options){.node = of_node});
        if (error == 0 || rename(claimed, folder) != 0) {
            keel_report_folder_remove(claimed);
        }
        keel_report_document_free(&parts);
    }
    free(claimed);
    return error;
}

static int meet(const struct keel_report_process *process, const char *file, bool of_node,
                unsigned expected)
{
    char *folder = folder_of(of_node ? NULL : file, process);
    int error = folder != NULL ? make_folder(folder) : ENOMEM;
    unsigned parts = 0;

    error = error == 0 ? write_part(process, folder) : error;
    if (error == 0) {
        keel_report_folder_each(folder, count_part, &parts);
        error = parts >= expected ? merge(folder, file, of_node) : 0;
    }
    free(folder);
    return error;
}

/* --- a process --- */

static int write_one(const struct keel_report_process *process, const char *file)
{
    bool of_node = file == NULL || !keel_trace_file_is_plain(file);
    unsigned local = keel_launch_local_ranks(keel_environment_value);

    if (process->ranks <= 1 || (of_node && (local <= 1 || process->job[0] == '\0'))) {
        return keel_report_output(&process, 1, file, false,
                                  (struct keel_report_text_options){.top = 0});
    }
    return meet(process, file, of_node, of_node ? local : (unsigned)process->ranks);
}

EXPORT int keel_report_write(const struct keel_report_process *process, const char *file,
                             bool (*handled)(const char *text))
{
    keel_message_set_forward(handled);
    int error = write_one(process, file);
    if (error != 0) {
        keel_message("KEEL_REPORT: '%.300s' cannot be written: %s; there is no report%s",
                     file != NULL ? file : "standard error", keel_trace_file_reason(error),
                     process->ranks > 1 ? " of this rank" : "");
    }
    return error;
}
