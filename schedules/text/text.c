/* Comparing and writing texts; numbers in the C locale; nearest words; lists of parameters. */
#define _GNU_SOURCE /* uselocale() */
#include "schedules/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool keel_text_is(struct keel_text word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(text, word.start, word.length) == 0;
}

void keel_text_note_problem(char *problem, size_t size, const char *format, ...)
{
    va_list arguments;

    if (problem[0] != '\0') {
        return;
    }
    va_start(arguments, format);
    vsnprintf(problem, size, format, arguments);
    va_end(arguments);
}

size_t keel_text_append_list(char *text, size_t size, size_t length, const char *format,
                             va_list arguments)
{
    size_t room = size - length;
    int added = vsnprintf(text + length, room, format, arguments);

    return added < 0 ? length : (size_t)added < room ? length + (size_t)added : size - 1;
}

size_t keel_text_append(char *text, size_t size, size_t length, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    length = keel_text_append_list(text, size, length, format, arguments);
    va_end(arguments);
    return length;
}

size_t keel_text_line(const char *text, size_t width)
{
    size_t line = strcspn(text, "\n");

    for (size_t end = width; line > width && end > 0; end--) {
        if (text[end] == ' ') {
            return end;
        }
    }
    return line < width ? line : width;
}

/* --- times in a readable unit --- */

#define SHORTEST_S 0.1 /* that is printed in seconds */

/* Decimals so that `value` has this many digits in all. */
static int decimals_of(double value, int digits)
{
    int before = value >= 1 ? (int)floor(log10(value)) + 1 : 0;

    return before < digits ? digits - before : 0;
}

static double rounded(double value, int digits)
{
    double step = value > 0 ? pow(10, floor(log10(value)) + 1 - digits) : 1;

    return value >= pow(10, digits) ? round(value) : round(value / step) * step;
}

const char *keel_duration_write(double seconds, int digits, char *text)
{
    static const char *const units[] = {"ns", "us", "ms"};
    double value = seconds > 0 && seconds <= DBL_MAX ? seconds : 0;
    const char *unit = "s";

    if (rounded(value, digits) < SHORTEST_S) {
        unsigned which = 0;
        for (value *= 1e9; which < 2 && rounded(value, digits) >= 1000; which++) {
            value /= 1000;
        }
        unit = units[which];
    }
    value = rounded(value, digits);
    locale_t previous = keel_c_locale_enter();
    size_t length = keel_text_append(text, KEEL_DURATION_MAX, 0, "%.*f",
                                     value > 0 ? decimals_of(value, digits) : 0, value);
    keel_text_append(text, KEEL_DURATION_MAX, length, " %s", unit);
    keel_c_locale_leave(previous);
    return text;
}

/* --- numbers --- */

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

/* --- the C locale in the calling thread --- */

/* "C" cannot fail, and takes no memory: it is part of the C library. */
locale_t keel_c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void keel_c_locale_leave(locale_t previous)
{
    freelocale(uselocale(previous));
}

/* --- nearest words ---
 *
 * Edit distance (Wagner & Fischer 1974, with neighbours exchanged) over short words; case is
 * ignored. */

#define BEGINNING_LEAST 2 /* letters in a common beginning that counts */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t copy_lower(char *to, const char *from, size_t length)
{
    size_t kept = smaller(length, KEEL_NEAREST_MAX - 1);

    for (size_t i = 0; i < kept; i++) {
        to[i] = (char)tolower((unsigned char)from[i]);
    }
    to[kept] = '\0';
    return kept;
}

/* row[i][j] = edits that turn the first i characters of a into the first j of b */
static size_t edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[KEEL_NEAREST_MAX][KEEL_NEAREST_MAX];

    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = i + j;
                continue;
            }
            size_t replaced = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            row[i][j] = smaller(replaced, smaller(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[i][j] = smaller(row[i][j], row[i - 2][j - 2] + 1);
            }
        }
    }
    return row[a_length][b_length];
}

static bool begins_alike(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t shorter = smaller(a_length, b_length);

    return shorter >= BEGINNING_LEAST && memcmp(a, b, shorter) == 0;
}

void keel_nearest_begin(struct keel_nearest *nearest, const char *wanted, size_t length)
{
    nearest->wanted_length = copy_lower(nearest->wanted, wanted, length);
    nearest->best[0] = '\0';
    nearest->best_distance = SIZE_MAX;
    nearest->best_edits = SIZE_MAX;
}

void keel_nearest_consider(struct keel_nearest *nearest, const char *word, size_t length)
{
    char lower[KEEL_NEAREST_MAX];
    size_t kept = copy_lower(lower, word, length);
    size_t count = edits(nearest->wanted, nearest->wanted_length, lower, kept);
    size_t distance = begins_alike(nearest->wanted, nearest->wanted_length, lower, kept)
                          ? smaller(count, 1)
                          : count;

    if (distance < nearest->best_distance ||
        (distance == nearest->best_distance && count < nearest->best_edits)) {
        nearest->best_distance = distance;
        nearest->best_edits = count;
        memcpy(nearest->best, word, kept);
        nearest->best[kept] = '\0';
    }
}

const char *keel_nearest_hint(struct keel_nearest *nearest)
{
    size_t best = strlen(nearest->best);
    size_t longer = best > nearest->wanted_length ? best : nearest->wanted_length;
    size_t limit = longer / 3 > 1 ? longer / 3 : 1;

    nearest->hint[0] = '\0';
    if (best > 0 && nearest->wanted_length > 0 && nearest->best_distance <= limit) {
        snprintf(nearest->hint, sizeof nearest->hint, ", nearest is '%s'", nearest->best);
    }
    return nearest->hint;
}

/* --- unknown variables --- */

static bool is_known(const struct keel_unknown_table *table, const char *name, size_t length)
{
    const char *known;

    for (size_t i = 0; (known = table->name(i)) != NULL; i++) {
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static void report(const struct keel_unknown_table *table, const char *name, size_t length)
{
    char problem[KEEL_UNKNOWN_PROBLEM_MAX];
    struct keel_nearest nearest;
    const char *known;

    keel_nearest_begin(&nearest, name, length);
    for (size_t i = 0; (known = table->name(i)) != NULL; i++) {
        keel_nearest_consider(&nearest, known, strlen(known));
    }
    snprintf(problem, sizeof problem, "%.*s: no such variable%s; ignored", (int)length, name,
             keel_nearest_hint(&nearest));
    table->report(problem);
}

void keel_unknown_report_all(char *const *environment, const struct keel_unknown_table *table)
{
    for (; environment != NULL && *environment != NULL; environment++) {
        size_t length = strcspn(*environment, "=");
        if (table->is_ours(*environment) && !is_known(table, *environment, length)) {
            report(table, *environment, length);
        }
    }
}

/* --- parameters --- */

#define EXPECTED_MAX 160

struct reader {
    const struct keel_parameters_known *known;
    unsigned positions; /* values by position read so far */
    unsigned *given;
    char *problem;
    size_t size;
};

static unsigned bit(unsigned parameter)
{
    return 1u << parameter;
}

/* Terminates the word; "" if it is too long or has a NUL inside. */
static void copy_word(struct keel_text text, char word[KEEL_PARAMETERS_WORD_MAX])
{
    bool fits =
        text.length < KEEL_PARAMETERS_WORD_MAX && memchr(text.start, '\0', text.length) == NULL;
    size_t length = fits ? text.length : 0;

    memcpy(word, text.start, length);
    word[length] = '\0';
}

static void set(struct reader *reader, unsigned parameter, struct keel_text text)
{
    const struct keel_parameters_known *known = reader->known;
    const char *name = known->name(known->into, parameter);
    char word[KEEL_PARAMETERS_WORD_MAX], expected[EXPECTED_MAX];

    copy_word(text, word);
    if (*reader->given & bit(parameter)) {
        keel_text_note_problem(reader->problem, reader->size,
                               "%s is given twice; the first is used", name);
    } else if (!known->set(known->into, parameter, word)) {
        known->expect(known->into, parameter, expected, sizeof expected);
        keel_text_note_problem(reader->problem, reader->size, "%s '%.*s' is not %s", name,
                               KEEL_TEXT_SHOWN(text), expected);
    } else {
        *reader->given |= bit(parameter);
    }
}

static void report_unknown(struct reader *reader, struct keel_text key)
{
    const struct keel_parameters_known *known = reader->known;
    struct keel_nearest nearest;

    if (known->accepted == 0) {
        keel_text_note_problem(reader->problem, reader->size,
                               "%s has no parameters; '%.*s' is ignored", known->owner,
                               KEEL_TEXT_SHOWN(key));
        return;
    }
    keel_nearest_begin(&nearest, key.start, key.length);
    for (unsigned i = 0; i < known->count; i++) {
        if (known->accepted & bit(i)) {
            const char *name = known->name(known->into, i);
            keel_nearest_consider(&nearest, name, strlen(name));
        }
    }
    keel_text_note_problem(reader->problem, reader->size, "%s has no parameter '%.*s'%s; ignored",
                           known->owner, KEEL_TEXT_SHOWN(key), keel_nearest_hint(&nearest));
}

static void read_keyed(struct reader *reader, struct keel_text key, struct keel_text text)
{
    const struct keel_parameters_known *known = reader->known;

    for (unsigned i = 0; i < known->count; i++) {
        if ((known->accepted & bit(i)) && keel_text_is(key, known->name(known->into, i))) {
            set(reader, i, text);
            return;
        }
    }
    report_unknown(reader, key);
}

static void read_positional(struct reader *reader, struct keel_text text)
{
    const struct keel_parameters_known *known = reader->known;

    if (known->positionals == 0) {
        keel_text_note_problem(reader->problem, reader->size,
                               "%s takes no values by position; '%.*s' is ignored", known->owner,
                               KEEL_TEXT_SHOWN(text));
    } else if (reader->positions >= known->positionals) {
        keel_text_note_problem(reader->problem, reader->size,
                               "%s takes at most %u value%s by position; '%.*s' is ignored",
                               known->owner, known->positionals,
                               keel_text_plural(known->positionals), KEEL_TEXT_SHOWN(text));
    } else {
        set(reader, known->positional[reader->positions++], text);
    }
}

void keel_parameters_read(struct keel_text list, const struct keel_parameters_known *known,
                          unsigned *given, char *problem, size_t size)
{
    struct reader reader = {.known = known, .given = given, .problem = problem, .size = size};

    while (list.length > 0) {
        keel_text_skip(&list);
        struct keel_text word = keel_text_take(&list, ",:=");
        if (list.length > 0 && list.start[0] == '=') {
            keel_text_skip(&list);
            read_keyed(&reader, word, keel_text_take(&list, ",:"));
        } else {
            read_positional(&reader, word);
        }
    }
}
