/* Messages to the person who runs the program. */
#include "omp_ext/support/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/message_handler.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/text/number.h"

#define PREFIX "keel: "

/* Takes a line whose last byte is free. write(2), because the host program may not have standard
 * I/O ready yet, or may have redirected stderr's buffer. */
static void write_line(char *line)
{
    strcat(line, "\n");
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* there is nowhere left to report it */
}

void keel_message(const char *format, ...)
{
    char line[512] = PREFIX;
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();
    va_list arguments;

    locale_t previous = keel_c_locale_enter();
    va_start(arguments, format);
    vsnprintf(line + strlen(PREFIX), sizeof line - strlen(PREFIX) - 1, format, arguments);
    va_end(arguments);
    keel_c_locale_leave(previous);
    if (!keel_message_handled(line + strlen(PREFIX))) {
        write_line(line);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}
