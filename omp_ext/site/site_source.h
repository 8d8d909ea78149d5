/* Where in the program's source a loop site stands: for rules, and for people. */
#ifndef OMP_EXT_SITE_SITE_SOURCE_H
#define OMP_EXT_SITE_SITE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/site/call_site.h"
#include "omp_ext/source/source_lines.h"

#define KEEL_SITE_NAME_MAX 400
#define KEEL_SITE_ADDRESS_MAX 192

/* Makes the functions below ready; false: another thread is at it right now, and nobody waits
 * (sibling_library.h). Call without locks. */
bool keel_site_source_ready(void);

/* The code that stands for the place: behind the call, unless that lies in another file than the
 * outlined function. Then the call was the last one of a function, and such calls are jumps. */
const void *keel_site_code(const struct keel_call_site *place);

/* Finds the source of a loop. False: it is not known; once after a message, if libkeel_source.so is
 * missing. Call when ready, with keel_slow_lock held. */
bool keel_site_source(const struct keel_call_site *place, struct keel_source *source);

/* The innermost function around the loop, as people write it; "": none is known. */
const char *keel_site_function(const struct keel_source *source);

/* Writes the place of the call in its module into text[KEEL_SITE_ADDRESS_MAX]: "mandel+0x1234". Any
 * thread. */
void keel_site_address(const struct keel_call_site *place, char *text);

/* Writes the name that people know it by into text[KEEL_SITE_NAME_MAX]: "mandel.c:42 (render)", or
 * its place in its module. Likewise. */
void keel_site_name(const struct keel_call_site *place, char *text);

#endif
