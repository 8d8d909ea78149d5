/* The file in which libkeel.so notes that a loop came to it, see omp_ext/loop/loop_mark.h. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_MARK_FILE_H
#define OMP_EXT_COMMAND_PROGRAMS_MARK_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct keel_mark_file {
    char path[PATH_MAX]; /* absolute; "": there is no file */
};

/* Makes the file in TMPDIR or /tmp; says so when it cannot. */
void keel_mark_file_make(struct keel_mark_file *mark);

/* Whether a loop came to Keel; true also where there is no file to tell. */
bool keel_mark_file_set(const struct keel_mark_file *mark);

/* Whether libkeel.so has said that another runtime stands in libgomp's place. */
bool keel_mark_file_foreign(const struct keel_mark_file *mark);

/* The programs with OpenMP that have run, each once and at most `most` of them, unless `own` is
 * one; returns how many. */
size_t keel_mark_file_programs(const struct keel_mark_file *mark, const char *own,
                               char (*program)[PATH_MAX], size_t most);

void keel_mark_file_remove(struct keel_mark_file *mark);

#endif
