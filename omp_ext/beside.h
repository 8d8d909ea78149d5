/* Libraries that stand beside libkeel.so and are loaded only when something asks for them. */
#ifndef OMP_EXT_BESIDE_H
#define OMP_EXT_BESIDE_H

/* The symbol `name` of the library of that file name. NULL, after a message that begins with
 * `purpose` ("KEEL_SCHEDULE: rules for single loops"): it can't be loaded; `instead` tells what
 * happens now. The library stays loaded. */
void *keel_beside_find(const char *library, const char *name, const char *purpose,
                       const char *instead);

#endif
