/* LD_PRELOAD with Keel in it. Pure. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_PRELOAD_H
#define OMP_EXT_COMMAND_PROGRAMS_PRELOAD_H

/* `list` (NULL: none) with `library` added, in memory of malloc; NULL without memory. It comes
 * last, because sanitizers insist on being first, but before every libgomp, whose calls it takes
 * over. A list that holds it already stays as it is. */
char *keel_preload_list(const char *list, const char *library);

#endif
