/* The C locale in the calling thread. */
#define _GNU_SOURCE /* uselocale() */
#include "schedules/text/c_locale.h"

/* "C" cannot fail, and takes no memory: it is part of the C library. */
locale_t keel_c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void keel_c_locale_leave(locale_t previous)
{
    freelocale(uselocale(previous));
}
