/* Texts in a report that are longer than a line. */
#include "omp_ext/report/text/wrapped.h"

#include <string.h>

/* How many bytes of `text` stand on a line of `width` columns: whole words, if there are any. */
static size_t line_length(const char *text, size_t width)
{
    size_t length = strlen(text);

    if (length <= width) {
        return length;
    }
    for (size_t end = width; end > 0; end--) {
        if (text[end] == ' ') {
            return end;
        }
    }
    return width;
}

void keel_report_print_wrapped(FILE *stream, const char *text, int first, int others)
{
    int indent = first;

    while (*text != '\0') {
        size_t length = line_length(text, (size_t)(KEEL_REPORT_COLUMNS - indent));
        fprintf(stream, "%*s%.*s\n", indent, "", (int)length, text);
        text += length + (text[length] == ' ');
        indent = others;
    }
}
