/* Lines of KEEL_EXPLAIN. */
#include "omp_ext/explain/explain_inside.h"

#include <string.h>

#include "omp_ext/support/message.h"
#include "schedules/text/number.h"
#include "schedules/text/text.h"

#define CONTINUED 4 /* columns that what follows a broken line is indented by */
#define COLUMNS (100 - (sizeof "keel: " - 1))

void keel_explain_append(struct keel_explain_line *line, const char *format, ...)
{
    va_list arguments;

    locale_t previous = keel_c_locale_enter();
    va_start(arguments, format);
    line->length =
        keel_text_append_list(line->text, sizeof line->text, line->length, format, arguments);
    va_end(arguments);
    keel_c_locale_leave(previous);
}

void keel_explain_append_time(struct keel_explain_line *line, double ns)
{
    char text[KEEL_DURATION_MAX];

    keel_explain_append(line, "%s", keel_duration_write(ns / 1e9, 3, text));
}

/* How many bytes of the text go into a line of `room`: up to the last blank that fits; a word that
 * is longer by itself goes as a whole. */
static size_t piece_of(const char *text, size_t room)
{
    size_t length = strlen(text), end = room;

    if (length <= room) {
        return length;
    }
    while (end > 0 && text[end] != ' ') {
        end--;
    }
    return end > 0 ? end : strcspn(text, " ");
}

void keel_explain_print(const struct keel_explain_line *line)
{
    size_t indent = strspn(line->text, " ");

    for (const char *rest = line->text + indent; *rest != '\0'; indent = CONTINUED) {
        size_t piece = piece_of(rest, COLUMNS - indent);
        keel_message("%*s%.*s", (int)indent, "", (int)piece, rest);
        rest += piece;
        rest += strspn(rest, " ");
    }
}
