/* Numbers in the C locale. */
#define _GNU_SOURCE /* uselocale() */
#include "schedules/text/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIST_WORD_MAX 64 /* bytes of a number in a list, terminator included */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool keel_number_whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *number)
{
    int kept_errno = errno;
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    bool whole = is_digit(text[0]) && *end == '\0' && errno == 0;
    errno = kept_errno;
    return whole && *number >= lowest && *number <= highest;
}

size_t keel_number_begin(const char *text, double *number)
{
    int kept_errno = errno;
    char *end;

    if (!is_digit(text[0]) && text[0] != '.') {
        return 0;
    }
    locale_t previous = keel_c_locale_enter();
    *number = strtod(text, &end);
    keel_c_locale_leave(previous);
    errno = kept_errno;
    return isfinite(*number) ? (size_t)(end - text) : 0;
}

bool keel_number_real(const char *text, double *number)
{
    size_t length = keel_number_begin(text, number);

    return length > 0 && text[length] == '\0';
}

/* The word without the blanks around it. */
static bool read_word(const char *text, size_t length, double *number)
{
    static const char blanks[] = " \t";
    char word[LIST_WORD_MAX];
    size_t before = strspn(text, blanks);

    before = before < length ? before : length;
    if (length - before >= sizeof word) {
        return false;
    }
    memcpy(word, text + before, length - before);
    word[length - before] = '\0';
    for (char *end = strchr(word, '\0'); end > word && strchr(blanks, end[-1]) != NULL;) {
        *--end = '\0';
    }
    return keel_number_real(word, number);
}

size_t keel_number_list(const char *text, double lowest, double highest, size_t most,
                        double *number)
{
    for (size_t count = 0;; text++) {
        size_t length = strcspn(text, ",");
        double read;
        if (!read_word(text, length, &read) || !(read >= lowest && read <= highest)) {
            return 0;
        }
        if (count < most) {
            number[count] = read;
        }
        count++;
        text += length;
        if (*text == '\0') {
            return count;
        }
    }
}

/* The C locale in the calling thread. */

/* "C" cannot fail, and takes no memory: it is part of the C library. */
locale_t keel_c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void keel_c_locale_leave(locale_t previous)
{
    freelocale(uselocale(previous));
}
