/* Memory of the command. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"

static void *there(void *memory)
{
    if (memory == NULL) {
        keel_message("there is not enough memory");
        exit(KEEL_EXIT_OWN);
    }
    return memory;
}

void *keel_command_memory(size_t count, size_t size)
{
    return there(calloc(count + 1, size));
}

void *keel_command_room(void *memory, size_t count, size_t size)
{
    return (count & (count - 1)) != 0
               ? memory
               : there(reallocarray(memory, count > 0 ? 2 * count : 1, size));
}

char *keel_command_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    return there(text);
}

json_t *keel_command_json(const char *text)
{
    char *ascii = keel_command_text("%s", text);
    json_t *string = json_string(text);

    for (char *byte = ascii; *byte != '\0'; byte++) {
        *byte = (unsigned char)*byte < 0x80 ? *byte : '?';
    }
    string = string != NULL ? string : json_string(ascii);
    free(ascii);
    return there(string);
}
