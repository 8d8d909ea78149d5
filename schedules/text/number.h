/* Numbers as people and files write them: digits and a decimal point, whatever locale the program
 * around has set.
 *
 *   variables, specs, command lines, files -> [keel_number_...()] -> numbers
 *
 * All return false or 0 where the text is not that; *number is not to be used then. Pure; any
 * thread. */
#ifndef SCHEDULES_TEXT_NUMBER_H
#define SCHEDULES_TEXT_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of `text` is a whole number in decimal digits, without a sign, from `lowest` to `highest`. */
bool keel_number_whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *number);

/* All of `text` is a finite number, as strtod() knows it; it begins with a digit or a point. */
bool keel_number_real(const char *text, double *number);

/* The same of how `text` begins: how many bytes the number has, which may have a unit behind it. */
size_t keel_number_begin(const char *text, double *number);

/* All of `text` is a list of such numbers from `lowest` to `highest` with commas between them, and
 * blanks around them. Writes the first `most` to `number`, and returns how many there are. */
size_t keel_number_list(const char *text, double lowest, double highest, size_t most,
                        double *number);

/* The C locale for a while, whatever locale the program has set.
 *
 * Numbers, names and files of Keel are read and written between the two calls. The program's locale
 * is not changed, nor that of other threads. Any thread. */

/* Until keel_c_locale_leave() gets what this has returned, the calling thread reads and prints
 * numbers with a point, and upper and lower case are those of the C locale. */
locale_t keel_c_locale_enter(void);
void keel_c_locale_leave(locale_t previous);

#endif
