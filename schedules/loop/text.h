/* A stretch of a text that somebody else owns; not terminated. */
#ifndef KEEL_SCHEDULES_LOOP_TEXT_H
#define KEEL_SCHEDULES_LOOP_TEXT_H

#include <ctype.h>
#include <stddef.h>

struct keel_text {
    const char *start;
    size_t length;
};

/* The text without the blanks at its ends. */
static inline struct keel_text keel_text_trimmed(struct keel_text text)
{
    while (text.length > 0 && isspace((unsigned char)text.start[0])) {
        text.start++;
        text.length--;
    }
    while (text.length > 0 && isspace((unsigned char)text.start[text.length - 1])) {
        text.length--;
    }
    return text;
}

#endif
