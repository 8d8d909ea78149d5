/* Pieces of JSON. */
#include "omp_ext/trace/json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "schedules/text/text.h"

#define DIGITS_MAX 20 /* of 2^64 */

/* --- numbers --- */

/* Writes the digits of `number` before `end`; returns the first digit's address. */
static char *digits_before(char *end, uint64_t number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

void keel_json_text_whole(struct keel_json_text *text, uint64_t number)
{
    char digits[DIGITS_MAX], *end = digits + sizeof digits;
    char *start = digits_before(end, number);

    keel_json_text_add(text, start, (size_t)(end - start));
}

void keel_json_text_signed(struct keel_json_text *text, int64_t number)
{
    if (number < 0) {
        KEEL_JSON_TEXT_ADD(text, "-");
    }
    keel_json_text_whole(text, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void keel_json_text_us(struct keel_json_text *text, int64_t ns)
{
    char digits[DIGITS_MAX + 2], *end = digits + sizeof digits;
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

    for (int i = 1; i <= 3; i++) {
        end[-i] = (char)('0' + size % 10);
        size /= 10;
    }
    end[-4] = '.';
    char *start = digits_before(end - 4, size);
    if (ns < 0) {
        *--start = '-';
    }
    keel_json_text_add(text, start, (size_t)(end - start));
}

void keel_json_text_real(struct keel_json_text *text, double number)
{
    char digits[40];

    if (!isfinite(number)) {
        KEEL_JSON_TEXT_ADD(text, "null");
        return;
    }
    locale_t previous = keel_c_locale_enter();
    int length = snprintf(digits, sizeof digits, "%.9g", number);
    keel_c_locale_leave(previous);
    keel_json_text_add(text, digits, (size_t)length);
}

/* --- strings --- */

/* The length of the UTF-8 character at `c`, at most `left` bytes; 0 if it is none. Overlong forms,
 * surrogates (U+D800 to U+DFFF) and values beyond U+10FFFF are none. */
static size_t character_length(const unsigned char *c, size_t left)
{
    static const struct {
        unsigned char first, last, second_first, second_last, length;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (c[0] < forms[i].first || c[0] > forms[i].last || left < forms[i].length) {
            continue;
        }
        bool whole =
            forms[i].length == 1 || (c[1] >= forms[i].second_first && c[1] <= forms[i].second_last);
        for (size_t k = 2; k < forms[i].length; k++) {
            whole = whole && (c[k] & 0xc0) == 0x80;
        }
        return whole ? forms[i].length : 0;
    }
    return 0;
}

static void add_character(struct keel_json_text *text, const unsigned char *c, size_t length)
{
    char escaped[8];

    if (length == 0) {
        KEEL_JSON_TEXT_ADD(text, "\\ufffd");
    } else if (*c == '"' || *c == '\\') {
        keel_json_text_add(text, (char[2]){'\\', (char)*c}, 2);
    } else if (*c < 0x20) {
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*c);
        keel_json_text_add(text, escaped, 6);
    } else {
        keel_json_text_add(text, (const char *)c, length);
    }
}

void keel_json_text_string(struct keel_json_text *text, const char *string, size_t most)
{
    const unsigned char *c = (const unsigned char *)string;
    size_t left = strnlen(string, most);

    if (keel_json_text_room(text) < 2) {
        return;
    }
    text->end--; /* room for the last quote */
    KEEL_JSON_TEXT_ADD(text, "\"");
    while (left > 0) {
        size_t length = character_length(c, left);
        size_t step = length > 0 ? length : 1;
        if (keel_json_text_room(text) < 6) {
            break;
        }
        add_character(text, c, length);
        c += step;
        left -= step;
    }
    text->end++;
    KEEL_JSON_TEXT_ADD(text, "\"");
}
