/* Reading lists of parameters. */
#include "schedules/text/parameters.h"

#include <string.h>

#include "schedules/text/nearest.h"

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

/* Terminates the word; "" where it is too long or has a NUL inside. */
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
                               known->owner, known->positionals, known->positionals == 1 ? "" : "s",
                               KEEL_TEXT_SHOWN(text));
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
