/* Shared libraries in the folder of libkeel.so, or in keel/ there, loaded on demand. */
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

/* Loads the library the first time; it stays loaded. False: another thread is loading it, and the
 * caller goes on without. Waiting could be a deadlock: that thread may be waiting for the dynamic
 * linker's lock, which the caller holds if it runs loops in a constructor. Any thread, without
 * locks of Keel. */
bool keel_sibling_library_ready(struct keel_sibling_library *library);

#endif
