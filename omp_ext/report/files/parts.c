/* Parts, and who merges them. */
#define _GNU_SOURCE
#include "omp_ext/report/files/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/report/files/collection.h"
#include "omp_ext/report/files/file.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/report/files/output.h"
#include "omp_ext/report/json/writer.h"

static int write_part(const struct keel_report_process *process, const char *path)
{
    size_t length;
    char *text = keel_report_json(&process, 1, &length);
    int error = text != NULL ? keel_report_file_write(path, text, length) : ENOMEM;

    free(text);
    return error;
}

static int output(const struct keel_report_collection *parts, const char *file, bool of_node)
{
    size_t count;
    const struct keel_report_process **process = keel_report_collection_processes(parts, &count);
    struct keel_report_text_options options = {.node = of_node};
    int error = process != NULL ? keel_report_output(process, count, file, false, options) : ENOMEM;

    free(process);
    return error;
}

/* --- beside the file --- */

/* To be freed; NULL: memory is short. */
static char *name_of_part(const char *file, int rank)
{
    char *name;

    return asprintf(&name, "%s.%d", file, rank) >= 0 ? name : NULL;
}

/* Those that are furthest behind are looked at last: all of a job come in some order, and one that
 * is missing is found soon where each begins with its neighbour. */
static bool are_all_there(const struct keel_report_process *process, const char *file)
{
    bool there = true;

    for (int i = 1; there && i < process->ranks; i++) {
        char *name = name_of_part(file, (process->rank + i) % process->ranks);
        there = name != NULL && access(name, F_OK) == 0;
        free(name);
    }
    return there;
}

/* Whether the document is the part of that rank, and no file of an earlier job. */
static bool is_part(const struct keel_report_document *document,
                    const struct keel_report_process *own, int rank)
{
    const struct keel_report_process *process = document->report.process;

    return document->report.process_count == 1 && process->rank == rank &&
           process->ranks == own->ranks && strcmp(process->job, own->job) == 0;
}

static bool take_part(struct keel_report_collection *parts, const struct keel_report_process *own,
                      const char *file, int rank)
{
    char reason[KEEL_REPORT_REASON_MAX];
    char *name = name_of_part(file, rank);
    struct keel_report_document document = {{0, NULL}, NULL, NULL};
    bool missing;
    bool taken = name != NULL && keel_report_file_read(name, &document, &missing, reason) &&
                 is_part(&document, own, rank) && keel_report_collection_add(parts, &document);

    if (!taken) {
        keel_report_document_free(&document);
    }
    free(name);
    return taken;
}

/* Only one rank gets the first part's file away: that one merges. What it has read is whole, since
 * nobody writes a part of this job again. */
static bool claim(const char *file, char **first, char **claimed)
{
    *first = name_of_part(file, 0);
    *claimed = NULL;
    if (*first == NULL || asprintf(claimed, "%s.merging", *first) < 0) {
        *claimed = NULL;
        return false;
    }
    return rename(*first, *claimed) == 0;
}

static void remove_parts(const char *file, int ranks, const char *claimed)
{
    for (int rank = 1; rank < ranks; rank++) {
        char *name = name_of_part(file, rank);
        if (name != NULL) {
            unlink(name);
        }
        free(name);
    }
    unlink(claimed);
}

static int merge_claimed(const struct keel_report_collection *parts, const char *file)
{
    char *first, *claimed;
    int error = 0;

    if (claim(file, &first, &claimed)) {
        error = output(parts, file, false);
        if (error == 0) {
            remove_parts(file, (int)parts->count, claimed);
        } else if (rename(claimed, first) != 0) {
            error = errno;
        }
    }
    free(first);
    free(claimed);
    return error;
}

int keel_report_parts_beside(const struct keel_report_process *process, const char *file)
{
    char *name = name_of_part(file, process->rank);
    int error = name != NULL ? write_part(process, name) : ENOMEM;
    struct keel_report_collection parts = {0, NULL};

    free(name);
    if (error == 0 && are_all_there(process, file)) {
        int rank = 0;
        while (rank < process->ranks && take_part(&parts, process, file, rank)) {
            rank++;
        }
        error = rank == process->ranks ? merge_claimed(&parts, file) : 0;
        keel_report_collection_free(&parts);
    }
    return error;
}

/* --- in a folder --- */

static void take_from_folder(const char *path, const char *name, void *context)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];
    bool missing;

    (void)name;
    if (keel_report_file_read(path, &document, &missing, reason) &&
        !keel_report_collection_add(context, &document)) {
        keel_report_document_free(&document);
    }
}

static int merge_folder(const char *folder, const char *file)
{
    struct keel_report_collection parts = {0, NULL};
    char *claimed = keel_report_folder_claim(folder);
    int error = 0;

    if (claimed != NULL) {
        keel_report_folder_each(claimed, take_from_folder, &parts);
        error = output(&parts, file, true);
        keel_report_folder_remove(claimed);
    }
    keel_report_collection_free(&parts);
    free(claimed);
    return error;
}

int keel_report_parts_in_folder(const struct keel_report_process *process, const char *folder,
                                unsigned expected, const char *file)
{
    int error = keel_report_folder_make(folder);
    char *name = NULL;

    if (error == 0 && asprintf(&name, "%s/%d.json", folder, process->rank) < 0) {
        name = NULL;
        error = ENOMEM;
    }
    error = error == 0 ? write_part(process, name) : error;
    free(name);
    if (error == 0 && keel_report_folder_count(folder, ".json") >= expected) {
        error = merge_folder(folder, file);
    }
    return error;
}
