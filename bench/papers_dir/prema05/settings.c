/* What a run, or a forecast of one, is told on the command line. */
#include "bench/papers_dir/prema05/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct number {
    const char *name;
    size_t offset;
} numbers[] = {
    {"tasks", offsetof(struct settings, tasks)},
    {"work", offsetof(struct settings, work)},
    {"quantum", offsetof(struct settings, quantum)},
    {"threshold", offsetof(struct settings, threshold)},
    {"neighbours", offsetof(struct settings, neighbours)},
    {"object_bytes", offsetof(struct settings, object_bytes)},
    {"messages", offsetof(struct settings, messages)},
    {"message_bytes", offsetof(struct settings, message_bytes)},
    {"startup", offsetof(struct settings, startup)},
    {"byte", offsetof(struct settings, byte)},
    {"context", offsetof(struct settings, context)},
    {"poll", offsetof(struct settings, poll)},
    {"decision", offsetof(struct settings, decision)},
    {"install", offsetof(struct settings, install)},
    {"pack", offsetof(struct settings, pack)},
    {"chance", offsetof(struct settings, chance)},
    {"classes", offsetof(struct settings, classes)},
    {"processors", offsetof(struct settings, processors)},
};

void settings_begin(struct settings *settings)
{
    *settings = (struct settings){
        .weights = "heavy:10:2",
        .tasks = 8,
        .work = 60,
        .quantum = 0.5,
        .threshold = 1,
        .neighbours = 4,
        .chance = 1,
    };
}

static bool set_number(struct settings *settings, size_t offset, const char *digits)
{
    char *end;
    double value = strtod(digits, &end);

    if (end == digits || *end != '\0' || !(value >= 0 && value <= 1e9)) {
        return false;
    }
    memcpy((char *)settings + offset, &value, sizeof value);
    return true;
}

bool settings_set(struct settings *settings, const char *text)
{
    size_t length = strcspn(text, "=");

    if (text[length] == '\0') {
        return false;
    }
    if (strncmp(text, "weights=", length + 1) == 0) {
        snprintf(settings->weights, sizeof settings->weights, "%s", text + length + 1);
        return true;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strlen(numbers[i].name) == length && strncmp(numbers[i].name, text, length) == 0) {
            return set_number(settings, numbers[i].offset, text + length + 1);
        }
    }
    return false;
}
