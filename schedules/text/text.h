/* Parts of texts, numbers, nearest words and lists of parameters, read from users and written for
 * them. Pure; any thread. */
#ifndef SCHEDULES_TEXT_TEXT_H
#define SCHEDULES_TEXT_TEXT_H

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A part of a text, not owned, not terminated. */
struct keel_text {
    const char *start;
    size_t length;
};

/* "s" behind a word for `count` things, or nothing. */
static inline const char *keel_text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

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

/* The message for a variable that is set to nothing. */
#define KEEL_TEXT_EMPTY "it is empty, and counts as not set"

/* Whether there are only blanks. */
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

/* Cuts the word before the next of `separators` off `rest`, without the blanks around it; the
 * separator itself stays at the beginning of the rest. */
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

/* Whether `word` is `text`; case is ignored: that of the C locale between keel_c_locale_enter() and
 * keel_c_locale_leave(). */
bool keel_text_is(struct keel_text word, const char *text);

/* Leaves out the first byte. */
static inline void keel_text_skip(struct keel_text *rest)
{
    *rest = (struct keel_text){rest->start + 1, rest->length - 1};
}

/* The arguments of %.*s for a word, of which 40 bytes are shown at most. */
#define KEEL_TEXT_SHOWN(word) ((word).length > 40 ? 40 : (int)(word).length), (word).start

/* Appends to the text of `size` bytes, of which `length` are used, as snprintf does; cuts off what
 * does not fit. length < size. Returns the new length, < size. */
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

/* Number of bytes of `text` on its first line, at most `width`: whole words, if there are any, up
 * to a line feed. */
size_t keel_text_line(const char *text, size_t width);

/* Times in a readable unit: "12 ns", "3.06 us", "41.2 ms", "0.41 s". */

#define KEEL_DURATION_MAX 32 /* bytes that hold any, terminator included */

/* Writes `seconds` with `digits` significant digits, 1 .. 3, into text[KEEL_DURATION_MAX]. Returns
 * text. Values that are not finite or negative count as 0. Pure; any thread. */
const char *keel_duration_write(double seconds, int digits, char *text);

/* --- numbers ---
 *
 * Numbers in texts and files: digits and a decimal point, whatever locale the program has set.
 *
 *   variables, specs, command lines, files -> [keel_number_...()] -> numbers
 *
 * All return false or 0 if the text is something else; then *number must not be used. Pure; any
 * thread. */

/* All of `text` is a whole number in decimal digits, without a sign, from `lowest` to `highest`. */
bool keel_number_whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *number);

/* All of `text` is a finite number, as read by strtod(); it begins with a digit or a point. */
bool keel_number_real(const char *text, double *number);

/* The same for the beginning of `text`. Returns the bytes of the number; a unit may follow. */
size_t keel_number_begin(const char *text, double *number);

/* All of `text` is a list of such numbers from `lowest` to `highest` with commas between them, and
 * blanks around them. Writes the first `most` to `number`. Returns how many there are. */
size_t keel_number_list(const char *text, double lowest, double highest, size_t most,
                        double *number);

/* The C locale for a while, whatever locale the program has set.
 *
 * Numbers, names and files of Keel are read and written between the two calls. The program's locale
 * is not changed, nor that of other threads. Any thread. */

/* Until keel_c_locale_leave() gets the returned value, the calling thread reads and prints numbers
 * with a point, and upper and lower case are those of the C locale. */
locale_t keel_c_locale_enter(void);
void keel_c_locale_leave(locale_t previous);

/* --- nearest words ---
 *
 * The word of a list whose spelling is nearest to a given one, for messages about bad input. */

#define KEEL_NEAREST_MAX 32 /* longer words are compared by their first characters */

struct keel_nearest {
    char wanted[KEEL_NEAREST_MAX];
    size_t wanted_length;
    char best[KEEL_NEAREST_MAX];
    /* Letters that are inserted, deleted, replaced, or exchanged with their neighbour between
     * wanted and best; SIZE_MAX before the first word. */
    size_t best_edits;
    size_t best_distance; /* the same, but at most 1 if one of both begins with the other */
    char hint[KEEL_NEAREST_MAX + 20];
};

void keel_nearest_begin(struct keel_nearest *nearest, const char *wanted, size_t length);

/* Takes the word as the new best if its distance is less than that of every word before it, or the
 * same and it needs fewer edits. */
void keel_nearest_consider(struct keel_nearest *nearest, const char *word, size_t length);

/* Part of a message: ", nearest is 'gss'", or "" if the best is too different: more than a third of
 * the letters differ, and more than one. Lasts as long as `nearest`. */
const char *keel_nearest_hint(struct keel_nearest *nearest);

/* Environment variables that begin like Keel's, but are unknown to it.
 *
 *   environment, names in a table -> [unknown] -> a message for each, with the nearest known name
 *
 * Pure: the environment is an argument. Any thread. */

/* The known names. */
struct keel_unknown_table {
    bool (*is_ours)(const char *entry);  /* of an entry "NAME=value": whether it is to be checked */
    const char *(*name)(size_t number);  /* 0, 1 ...; NULL: there are no more */
    void (*report)(const char *problem); /* gets "NAME: no such variable, nearest is ..." */
};

#define KEEL_UNKNOWN_PROBLEM_MAX 512 /* longer ones are cut off */

/* Reports each entry of `environment` (ended by NULL; NULL: empty) whose name is not in the table.
 * */
void keel_unknown_report_all(char *const *environment, const struct keel_unknown_table *table);

/* --- parameters ---
 *
 * Lists of parameters behind a name: "fac2,16:min=4".
 *
 *   list = { ("," | ":") ( value | key "=" value ) }       values by position
 *
 * The reader of all of them: of schedules (loop/spec.c) and of policies among ranks
 * (ranks/policy_parameters.c). Pure; any thread. */

#define KEEL_PARAMETERS_POSITIONAL_MAX 2
#define KEEL_PARAMETERS_WORD_MAX 40 /* bytes of a value, terminator included */

/* The parameters of the owner of a list. Parameters are numbers below `count`. */
struct keel_parameters_known {
    const char *owner; /* for messages: the schedule or policy */
    unsigned count;    /* 0 .. 32 */
    unsigned accepted; /* a bit for each parameter that it takes */
    unsigned positional[KEEL_PARAMETERS_POSITIONAL_MAX]; /* the ones that values by position set */
    unsigned positionals;
    const char *(*name)(const void *into, unsigned parameter);
    /* Sets it in `into`. False if `word` is not valid. A value that is too long is "". */
    bool (*set)(void *into, unsigned parameter, const char *word);
    /* Writes the valid values and the one that is used: "a whole number from 1 to 9; using 1". */
    void (*expect)(const void *into, unsigned parameter, char *text, size_t size);
    void *into;
};

/* Reads `list` to its end. *given gets the bit of each parameter that was set; one that has it
 * already is left as it is. Wrong parts are left out, and the first error is written to `problem`,
 * of `size` bytes, which is "" before. */
void keel_parameters_read(struct keel_text list, const struct keel_parameters_known *known,
                          unsigned *given, char *problem, size_t size);

#endif
