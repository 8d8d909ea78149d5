/* Memory for a recording: at one address for good, grown on demand, and perhaps a file's.
 *
 * A file is never sparse: what the recorder may write to has its blocks, so that a full disk is
 * seen when the memory grows and not when it is written to. Calls must not overlap. */
#ifndef OMP_EXT_RECORDER_RECORDING_STORE_H
#define OMP_EXT_RECORDER_RECORDING_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct keel_recording_store {
    char *base;   /* NULL: there is none */
    size_t bytes; /* of it that may be used */
    size_t reserved;
    char path[PATH_MAX]; /* absolute; "": in memory */
    dev_t device;
    ino_t inode;
};

/* A store with room for at least `bytes`: in the new file `path`, an absolute name, or in memory
 * (path NULL). A regular file of that name is replaced. Returns 0 or an errno. */
int keel_recording_store_open(struct keel_recording_store *store, const char *path, size_t bytes);

/* Makes room for at least `bytes` in all; 0 or an errno, and what was there stays. */
int keel_recording_store_grow(struct keel_recording_store *store, size_t bytes);

/* Removes the file, if it is still there under its name. The memory stays. */
void keel_recording_store_remove(struct keel_recording_store *store);

#endif
