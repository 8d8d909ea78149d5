/* What standard output can show. */
#include "omp_ext/command/parts/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "omp_ext/support/environment.h"

#define WIDTH_MIN 40
#define WIDTH_MAX 1000
#define WIDTH_STANDARD 80

bool keel_terminal_is(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

/* https://no-color.org: any value but an empty one counts */
bool keel_terminal_colours(void)
{
    const char *kind = keel_environment_value("TERM");

    return keel_terminal_is() && keel_environment_value("NO_COLOR") == NULL && kind != NULL &&
           strcmp(kind, "dumb") != 0;
}

bool keel_terminal_unicode(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static long stated_width(void)
{
    const char *columns = keel_environment_value("COLUMNS");

    return columns != NULL ? strtol(columns, NULL, 10) : 0;
}

unsigned keel_terminal_width(void)
{
    struct winsize size;
    long width = stated_width();

    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        width = size.ws_col;
    }
    if (width <= 0) {
        width = WIDTH_STANDARD;
    }
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : (unsigned)width;
}
