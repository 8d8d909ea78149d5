/* What a program is told on its command line, NAME=VALUE. */
#ifndef BENCH_SUPPORT_SETTINGS_H
#define BENCH_SUPPORT_SETTINGS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A number, from 0 to 1e9, or a text. */
struct setting {
    const char *name;
    double *number;
    const char **text;
};

/* Of a program whose settings are the members of `set`. */
#define NUMBER(field)                        \
    {                                        \
        .name = #field, .number = &set.field \
    }
#define TEXT(field)                        \
    {                                      \
        .name = #field, .text = &set.field \
    }

/* Sets one of the settings, which end with one without a name, as the argument says; texts stay
 * where the argument has them. False: no such name, or no number; nothing changes. */
static inline bool settings_take(const struct setting *setting, const char *argument)
{
    size_t length = strcspn(argument, "=");
    const char *value = argument + length + 1;
    char *end;

    while (setting->name != NULL &&
           (strlen(setting->name) != length || strncmp(setting->name, argument, length) != 0)) {
        setting++;
    }
    if (setting->name == NULL || argument[length] == '\0') {
        return false;
    }
    if (setting->text != NULL) {
        *setting->text = value;
        return true;
    }
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= 0 && number <= 1e9)) {
        return false;
    }
    *setting->number = number;
    return true;
}

#endif
