/* The C locale for a while, whatever locale the program has set.
 *
 * Numbers, names and files of Keel are read and written between the two calls. The program's locale
 * is not changed, nor that of other threads. Any thread. */
#ifndef SCHEDULES_TEXT_C_LOCALE_H
#define SCHEDULES_TEXT_C_LOCALE_H

#include <locale.h>

/* Until keel_c_locale_leave() gets what this has returned, the calling thread reads and prints
 * numbers with a point, and upper and lower case are those of the C locale. */
locale_t keel_c_locale_enter(void);
void keel_c_locale_leave(locale_t previous);

#endif
