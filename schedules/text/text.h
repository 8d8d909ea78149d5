/* A part of a text, not owned, not terminated. */
#ifndef SCHEDULES_TEXT_TEXT_H
#define SCHEDULES_TEXT_TEXT_H

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

/* What is said of a variable that is set to nothing. */
#define KEEL_TEXT_EMPTY "it is empty, and counts as not set"

/* Whether there is nothing but blanks. */
static inline bool keel_text_is_blank(const char *text)
{
    return keel_text_trimmed((struct keel_text){text, strlen(text)}).length == 0;
}

/* The last part of a path, which may be all of it. */
static inline const char *keel_text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Cuts the word before the next of `separators` off `rest`, without the blanks around it; a
 * separator that stands there stays in front of the rest. */
static inline struct keel_text keel_text_take(struct keel_text *rest, const char *separators)
{
    size_t length = 0;
    size_t count = strlen(separators); /* leaves out its NUL: one in the text separates nothing */

    while (length < rest->length && memchr(separators, rest->start[length], count) == NULL) {
        length++;
    }
    struct keel_text word = keel_text_trimmed((struct keel_text){rest->start, length});
    *rest = (struct keel_text){rest->start + length, rest->length - length};
    return word;
}

/* Whether `word` is `text`, upper and lower case alike: those of the C locale between
 * keel_c_locale_enter() and keel_c_locale_leave(). */
bool keel_text_is(struct keel_text word, const char *text);

/* Leaves out the first byte. */
static inline void keel_text_skip(struct keel_text *rest)
{
    *rest = (struct keel_text){rest->start + 1, rest->length - 1};
}

/* The arguments of %.*s for a word, of which 40 bytes are shown at most. */
#define KEEL_TEXT_SHOWN(word) ((word).length > 40 ? 40 : (int)(word).length), (word).start

/* Appends to the text of `size` bytes, of which `length` are used, as snprintf does; cuts what has
 * no room. length < size. Returns the new length, < size. */
__attribute__((format(printf, 4, 5))) size_t
keel_text_append(char *text, size_t size, size_t length, const char *format, ...);

/* The same, as vsnprintf does. */
__attribute__((format(printf, 4, 0))) size_t keel_text_append_list(char *text, size_t size,
                                                                   size_t length,
                                                                   const char *format,
                                                                   va_list arguments);

/* Writes to `problem`, of `size` bytes, as snprintf does. Only the first problem is kept: the later
 * ones often follow from it. */
__attribute__((format(printf, 3, 4))) void keel_text_note_problem(char *problem, size_t size,
                                                                  const char *format, ...);

/* How many bytes of `text` stand on its first line, of at most `width`: whole words, if there are
 * any, up to a line feed. */
size_t keel_text_line(const char *text, size_t width);

/* Times in the unit that suits them: "12 ns", "3.06 us", "41.2 ms", "0.41 s". */

#define KEEL_DURATION_MAX 32 /* bytes that hold any, terminator included */

/* Writes `seconds` with as many significant digits, 1 .. 3, into text[KEEL_DURATION_MAX], and
 * returns it. What is not finite or negative counts as 0. Pure; any thread. */
const char *keel_duration_write(double seconds, int digits, char *text);

#endif
