/* Libraries that stand beside libkeel.so and are loaded only when something asks for them. */
#ifndef OMP_EXT_SUPPORT_SIBLING_LIBRARY_H
#define OMP_EXT_SUPPORT_SIBLING_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

/* One of them, and the symbol that is wanted of it. */
struct keel_sibling_library {
    const char *library; /* its file name */
    const char *name;    /* of the symbol */
    const char *purpose; /* how a message begins: "KEEL_MEMORY" */
    const char *instead; /* what happens where it can't be loaded, for that message */
    _Atomic int state;
    void *symbol; /* once it is settled; NULL: it can't be loaded, and a message has said so */
};

/* Loads the library the first time; it stays. Whether that is done. False: another thread is at it.
 * Nobody waits for that, as the dynamic linker may be waiting for the caller meanwhile: it runs
 * constructors, which may run loops, while it holds its lock. Call without locks of Keel. */
bool keel_sibling_library_ready(struct keel_sibling_library *beside);

#endif
