/* What a program is told on its command line, NAME=VALUE. */
#ifndef BENCH_SUPPORT_SETTINGS_H
#define BENCH_SUPPORT_SETTINGS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A number, from 0 to 1e9, or a text; of the list that ends before a NULL, where there is one. */
struct setting {
    const char *name;
    double *number;
    const char **text;
    const char *const *of;
};

static inline bool setting_is_known(const struct setting *setting, const char *value)
{
    const char *const *known = setting->of;

    while (known != NULL && *known != NULL && strcmp(*known, value) != 0) {
        known++;
    }
    return known == NULL || *known != NULL;
}

/* Sets one of the settings, which end with one without a name, as the argument says; texts stay
 * where the argument has them. False: there is no such name, or no such value; nothing changes. */
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
        bool known = setting_is_known(setting, value);
        *setting->text = known ? value : *setting->text;
        return known;
    }
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= 0 && number <= 1e9)) {
        return false;
    }
    *setting->number = number;
    return true;
}

#endif
