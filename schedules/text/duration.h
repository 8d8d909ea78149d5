/* Times in the unit that suits them: "12 ns", "3.06 us", "41.2 ms", "0.41 s". */
#ifndef SCHEDULES_TEXT_DURATION_H
#define SCHEDULES_TEXT_DURATION_H

#include <stddef.h>

#define KEEL_DURATION_MAX 32 /* bytes that hold any, terminator included */

/* Writes `seconds` with as many significant digits, 1 .. 3, into text[KEEL_DURATION_MAX], and
 * returns it. What is not finite or negative counts as 0. Pure; any thread. */
const char *keel_duration_write(double seconds, int digits, char *text);

#endif
