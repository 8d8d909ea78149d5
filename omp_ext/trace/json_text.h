/* Pieces of JSON, written into memory: no locale, no allocation. Any thread. */
#ifndef OMP_EXT_TRACE_JSON_TEXT_H
#define OMP_EXT_TRACE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is written stands in [start, at); what has no room is cut, never in the middle of a
 * character. */
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

/* As it is. Nothing where it has no room. */
static inline void keel_json_text_add(struct keel_json_text *text, const char *bytes, size_t length)
{
    if (length <= keel_json_text_room(text)) {
        memcpy(text->at, bytes, length);
        text->at += length;
    }
}

#define KEEL_JSON_TEXT_ADD(text, literal) \
    keel_json_text_add(text, "" literal "", sizeof(literal) - 1)

/* A number in decimal digits. */
void keel_json_text_whole(struct keel_json_text *text, uint64_t number);
void keel_json_text_signed(struct keel_json_text *text, int64_t number);

/* ns as us with three decimals. */
void keel_json_text_us(struct keel_json_text *text, int64_t ns);

/* A real number to 9 digits; null where it is not finite. */
void keel_json_text_real(struct keel_json_text *text, double number);

/* A string with its quotes, of at most `most` bytes of `string`; what is not UTF-8 becomes
 * U+FFFD. */
void keel_json_text_string(struct keel_json_text *text, const char *string, size_t most);

#endif
