/* Lines of a file of any size, in bounded memory. */
#ifndef OMP_EXT_COMMAND_TRACE_LINES_H
#define OMP_EXT_COMMAND_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#define KEEL_LINES_LENGTH_MAX ((size_t)1 << 20) /* bytes of a line */

struct keel_lines {
    int descriptor;
    char *buffer; /* `end` bytes, the next line at `begin` */
    size_t begin, end;
    size_t number;   /* of the line that was given last, from 1 */
    bool cut;        /* that line has no line feed: the file ends within it */
    bool too_long;   /* there is a line longer than the maximum; no lines follow */
    int error;       /* errno of what kept the file from being read; 0: nothing */
    bool at_the_end; /* of the file */
};

/* False, with lines->error: the file can't be read. */
bool keel_lines_begin(struct keel_lines *lines, const char *path);

/* The next line, ended by 0 in place of its line feed, until the next call. NULL: there are no
 * more. */
char *keel_lines_next(struct keel_lines *lines, size_t *length);

void keel_lines_end(struct keel_lines *lines);

#endif
