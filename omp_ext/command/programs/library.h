/* What a program's environment gets so that libkeel.so is loaded into it. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_LIBRARY_H
#define OMP_EXT_COMMAND_PROGRAMS_LIBRARY_H

#include <stdbool.h>

struct keel_preloading {
    const char *preload;      /* LD_PRELOAD */
    const char *library_path; /* LD_LIBRARY_PATH; NULL: stays as it is */
};

/* Finds libkeel.so beside the command. False: it is not there, can't be preloaded from its folder,
 * or there is no memory; a message has said so but for the last. Memory lasts as long as the
 * process. */
bool keel_library_find(struct keel_preloading *preloading);

#endif
