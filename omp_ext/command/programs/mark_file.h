/* The file in which libkeel.so notes that a loop came to it, see omp_ext/loop/loop_mark.h. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_MARK_FILE_H
#define OMP_EXT_COMMAND_PROGRAMS_MARK_FILE_H

#include <limits.h>
#include <stdbool.h>

struct keel_mark_file {
    char path[PATH_MAX]; /* absolute; "": there is no file */
};

/* Makes the file in TMPDIR or /tmp; says so when it cannot. */
void keel_mark_file_make(struct keel_mark_file *mark);

/* Whether a loop came to Keel; true also where there is no file to tell. */
bool keel_mark_file_set(const struct keel_mark_file *mark);

void keel_mark_file_remove(struct keel_mark_file *mark);

#endif
