/* Pieces of JSON, written into memory: no locale, no allocation. Any thread. */
#ifndef OMP_EXT_TRACE_JSON_TEXT_H
#define OMP_EXT_TRACE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The text written so far is [start, at); text without room is cut, never within a character. */
struct keel_json_text {
    char *start, *at, *end;
};

static inline struct keel_json_text keel_json_text_in(char *memory, size_t size)
{
    return (struct keel_json_text){memory, memory, memory + size};
}

static inline size_t keel_json_text_length(const struct keel_json_text *text)
{
    return (size_t)(text->at - text->start);
}

static inline size_t keel_json_text_room(const struct keel_json_text *text)
{
    return (size_t)(text->end - text->at);
}

/* Adds the bytes unchanged, or nothing if there is no room for all. */
static inline void keel_json_text_add(struct keel_json_text *text, const char *bytes, size_t length)
{
    if (length <= keel_json_text_room(text)) {
        memcpy(text->at, bytes, length);
        text->at += length;
    }
}

#define KEEL_JSON_TEXT_ADD(text, literal) \
    keel_json_text_add(text, "" literal "", sizeof(literal) - 1)

/* Adds a number in decimal digits. */
void keel_json_text_whole(struct keel_json_text *text, uint64_t number);
void keel_json_text_signed(struct keel_json_text *text, int64_t number);

/* Adds ns as us with three decimals. */
void keel_json_text_us(struct keel_json_text *text, int64_t ns);

/* Adds a real number with 9 digits; null if it is not finite. */
void keel_json_text_real(struct keel_json_text *text, double number);

/* Adds a string with its quotes, at most `most` bytes of `string`; bytes that are not UTF-8 become
 * U+FFFD. */
void keel_json_text_string(struct keel_json_text *text, const char *string, size_t most);

#endif
