/* Lines of KEEL_EXPLAIN: text that grows, and is printed in lines of at most 100 columns. */
#ifndef OMP_EXT_EXPLAIN_LINE_H
#define OMP_EXT_EXPLAIN_LINE_H

#include <stddef.h>

#define KEEL_EXPLAIN_COLUMNS 100

/* {0} at first. What has no room is cut. */
struct keel_explain_line {
    char text[1600];
    size_t length;
};

/* Appends as snprintf does, in the C locale. */
__attribute__((format(printf, 2, 3))) void keel_explain_append(struct keel_explain_line *line,
                                                               const char *format, ...);

/* Appends a time in the unit that suits it. */
void keel_explain_append_time(struct keel_explain_line *line, double ns);

/* Hands the text to keel_message(), broken at blanks; what follows the first line is indented by
 * four columns. */
void keel_explain_print(const struct keel_explain_line *line);

#endif
