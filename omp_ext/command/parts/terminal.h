/* What standard output can show. */
#ifndef OMP_EXT_COMMAND_PARTS_TERMINAL_H
#define OMP_EXT_COMMAND_PARTS_TERMINAL_H

#include <stdbool.h>

/* Standard output is a terminal. */
bool keel_terminal_is(void);

/* It is one that understands colours, and NO_COLOR is not set. */
bool keel_terminal_colours(void);

/* The locale's characters are UTF-8. */
bool keel_terminal_unicode(void);

/* Characters in a line, 40 or more: COLUMNS, else the terminal's, else 80. */
unsigned keel_terminal_width(void);

#endif
