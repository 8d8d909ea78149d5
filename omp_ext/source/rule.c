/* Rules for single loops: parsing them, and matching them with a loop's source. See rule.h. */
#define _GNU_SOURCE
#include "omp_ext/source/rule.h"

#include <limits.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static bool is_file_char(char c)
{
    return (unsigned char)c > ' ' && c != 0x7f && c != ':' && c != '=' && c != ';';
}

static bool parse_line(const char *digits, size_t length, unsigned *line)
{
    unsigned long long value = 0;

    if (length == 0 || length > 10 || digits[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(digits[i])) {
            return false;
        }
        value = value * 10 + (unsigned)(digits[i] - '0');
    }
    *line = (unsigned)value;
    return value <= UINT_MAX;
}

static bool is_file(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!is_file_char(text[i])) {
            return false;
        }
    }
    return length > 0 && text[length - 1] != '/';
}

static bool is_part(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!is_name_char(text[i])) {
            return false;
        }
    }
    return length > 0 && !is_digit(text[0]);
}

/* Whether the text is part::part::part, the last of which may be `operator()`. */
static bool is_function(const char *text, size_t length)
{
    static const char call[] = "operator()";
    const char *separator;

    while ((separator = memmem(text, length, "::", 2)) != NULL) {
        size_t part = (size_t)(separator - text);

        if (!is_part(text, part)) {
            return false;
        }
        text += part + 2;
        length -= part + 2;
    }
    return is_part(text, length) || (length == sizeof call - 1 && memcmp(text, call, length) == 0);
}

static bool set_name(struct keel_rule *rule, const char *text, size_t length)
{
    if (length >= sizeof rule->name) {
        return false;
    }
    memcpy(rule->name, text, length);
    rule->name[length] = '\0';
    return true;
}

/* A leading "./" does not help to identify the file. */
static void skip_current_directory(const char **text, size_t *length)
{
    while (*length > 2 && memcmp(*text, "./", 2) == 0) {
        *text += 2;
        *length -= 2;
    }
}

bool keel_rule_parse(const char *text, size_t length, struct keel_rule *rule)
{
    const char *colon = memrchr(text, ':', length);
    size_t file_length;

    rule->line = 0;
    if (colon == NULL || (colon > text && colon[-1] == ':')) {
        return is_function(text, length) && set_name(rule, text, length);
    }
    if (!parse_line(colon + 1, (size_t)(text + length - colon - 1), &rule->line)) {
        return false;
    }
    file_length = (size_t)(colon - text);
    skip_current_directory(&text, &file_length);
    return is_file(text, file_length) && set_name(rule, text, file_length);
}

/* Whether `text` is all of `whole`, or its end right after a `separator`. */
static bool ends_with(const char *whole, const char *text, const char *separator)
{
    size_t whole_length = strlen(whole);
    size_t length = strlen(text);
    size_t separator_length = strlen(separator);
    const char *end;

    if (length > whole_length) {
        return false;
    }
    end = whole + whole_length - length;
    if (memcmp(end, text, length) != 0) {
        return false;
    }
    return end == whole || ((size_t)(end - whole) >= separator_length &&
                            memcmp(end - separator_length, separator, separator_length) == 0);
}

static bool line_matches(const struct keel_rule *rule, const struct keel_source *source)
{
    return source->line != 0 && rule->line >= source->first_line &&
           rule->line <= source->last_line && ends_with(source->file, rule->name, "/");
}

bool keel_rule_matches(const struct keel_rule *rule, const struct keel_source *source)
{
    if (rule->line != 0) {
        return line_matches(rule, source);
    }
    for (unsigned i = 0; i < source->name_count; i++) {
        if (ends_with(source->names[i], rule->name, "::")) {
            return true;
        }
    }
    return false;
}
