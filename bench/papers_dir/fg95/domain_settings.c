#include "bench/papers_dir/fg95/domain_settings.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct domain_settings domain_settings(void)
{
    return (struct domain_settings){.steps = 100,
                                    .time = .1,
                                    .flops = 1e4,
                                    .stars = 1,
                                    .bytes = 24,
                                    .w = 1,
                                    .alpha = .5,
                                    .draw = 1,
                                    .shape = "boxes",
                                    .graph = "plane",
                                    .policy = "none",
                                    .sync = "own"};
}

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    {"steps", offsetof(struct domain_settings, steps)},
    {"time", offsetof(struct domain_settings, time)},
    {"wind", offsetof(struct domain_settings, wind)},
    {"flops", offsetof(struct domain_settings, flops)},
    {"stars", offsetof(struct domain_settings, stars)},
    {"bytes", offsetof(struct domain_settings, bytes)},
    {"w", offsetof(struct domain_settings, w)},
    {"alpha", offsetof(struct domain_settings, alpha)},
    {"draw", offsetof(struct domain_settings, draw)},
    {"state", offsetof(struct domain_settings, state)},
    {"sort", offsetof(struct domain_settings, sort)},
};

static const struct {
    const char *name, *values;
    size_t offset, size;
} words[] = {
    {"shape", " boxes curve ", offsetof(struct domain_settings, shape), 16},
    {"graph", " plane line ", offsetof(struct domain_settings, graph), 16},
    {"policy", " none random diffusion redistribution ", offsetof(struct domain_settings, policy),
     24},
    {"sync", " own all ", offsetof(struct domain_settings, sync), 8},
};

static bool set_number(struct domain_settings *set, const char *name, const char *digits)
{
    char *end;
    double value = strtod(digits, &end);

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (is(numbers[i].name, name) && end != digits && *end == 0 && value >= 0) {
            memcpy((char *)set + numbers[i].offset, &value, sizeof value);
            return true;
        }
    }
    return false;
}

static bool set_word(struct domain_settings *set, const char *name, const char *word)
{
    char padded[32];

    snprintf(padded, sizeof padded, " %s ", word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(words[i].name, name) && strstr(words[i].values, padded) != NULL) {
            snprintf((char *)set + words[i].offset, words[i].size, "%s", word);
            return true;
        }
    }
    return false;
}

static bool set_powers(struct domain_settings *set, const char *text)
{
    char *end;

    for (set->powers = 0; set->powers < PLANE_OWNERS_MAX; text = end + 1) {
        double power = strtod(text, &end);
        if (end == text || !(power > 0)) {
            return false;
        }
        set->power[set->powers++] = power;
        if (*end != ',') {
            return *end == 0;
        }
    }
    return false;
}

bool domain_settings_set(struct domain_settings *settings, const char *argument)
{
    char name[16];
    size_t length = strcspn(argument, "=");

    if (argument[length] == 0 || length >= sizeof name) {
        return false;
    }
    memcpy(name, argument, length);
    name[length] = 0;
    const char *value = argument + length + 1;
    return is(name, "power") ? set_powers(settings, value)
                             : set_number(settings, name, value) || set_word(settings, name, value);
}
