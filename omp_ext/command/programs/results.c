/* What a run of a program leaves behind, beside what a reference has left. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

/* --- files --- */

const char *keel_results_path(const struct keel_results *results, const char *name)
{
    static char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/%s", results->folder, name);
    return path;
}

const char *keel_results_stdout(const struct keel_results *results)
{
    return keel_results_path(results, "stdout");
}

/* Of the reference. Static memory. */
static const char *wanted_path(const struct keel_results *results, size_t file)
{
    static char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/wanted.%zu.%zu", results->folder, results->reference, file);
    return path;
}

/* What the last run has written there. */
static const char *got_path(const struct keel_results *results, size_t file)
{
    return file == 0 ? keel_results_stdout(results) : results->output[file - 1];
}

const char *keel_results_name(const struct keel_results *results, size_t file)
{
    return file == 0 ? "stdout" : results->output[file - 1];
}

static bool copy_bytes(FILE *from, FILE *to)
{
    char piece[65536];
    size_t got;

    while ((got = fread(piece, 1, sizeof piece, from)) > 0) {
        if (fwrite(piece, 1, got, to) != got) {
            return false;
        }
    }
    return !ferror(from);
}

/* A file that is not there has no copy. */
static bool copy_file(const char *from, const char *to)
{
    FILE *source = fopen(from, "re");

    if (source == NULL) {
        return unlink(to) == 0 || errno == ENOENT;
    }
    FILE *copy = fopen(to, "we");
    bool done = copy != NULL && copy_bytes(source, copy);
    if (copy != NULL) {
        done = fclose(copy) == 0 && done;
    }
    fclose(source);
    return done;
}

/* --- the folder --- */

bool keel_results_begin(struct keel_results *results, const char *name)
{
    const char *stated = keel_environment_value("TMPDIR");
    const char *parent = stated != NULL ? stated : "/tmp";
    char absolute[PATH_MAX];

    if (realpath(parent, absolute) == NULL ||
        (size_t)snprintf(results->folder, sizeof results->folder, "%s/%s-XXXXXX", absolute, name) >=
            sizeof results->folder ||
        mkdtemp(results->folder) == NULL) {
        keel_message("no folder can be made in '%s' (TMPDIR): %s", parent, strerror(errno));
        results->folder[0] = '\0';
        return false;
    }
    results->left_out = calloc(results->outputs + 1, sizeof *results->left_out);
    return results->left_out != NULL;
}

void keel_results_end(struct keel_results *results)
{
    DIR *folder = results->folder[0] != '\0' ? opendir(results->folder) : NULL;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            unlink(keel_results_path(results, entry->d_name));
        }
    }
    if (folder != NULL) {
        closedir(folder);
        rmdir(results->folder);
    }
    free(results->left_out);
    results->left_out = NULL;
}

/* --- comparing --- */

bool keel_results_keep(struct keel_results *results)
{
    bool kept = true;

    for (size_t i = 0; kept && i <= results->outputs; i++) {
        if (results->reference == 0) {
            results->left_out[i].count = 0;
        }
        kept = copy_file(got_path(results, i), wanted_path(results, i));
    }
    return kept;
}

bool keel_results_equal(const struct keel_results *results,
                        struct keel_results_difference *difference)
{
    for (size_t i = 0; i <= results->outputs; i++) {
        struct keel_comparison how = results->how;
        how.left_out = &results->left_out[i];
        if (!keel_files_equal(wanted_path(results, i), got_path(results, i), &how,
                              &difference->difference)) {
            difference->file = i;
            return false;
        }
    }
    return true;
}

bool keel_results_leave_out(struct keel_results *results)
{
    for (size_t i = 0; i <= results->outputs; i++) {
        struct keel_comparison how = results->how;
        if (!keel_files_leave_out(wanted_path(results, i), got_path(results, i), &how,
                                  &results->left_out[i])) {
            return false;
        }
    }
    return true;
}
