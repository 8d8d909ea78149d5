/* Reading figures by the table of their members. */
#include "omp_ext/report/json/report_reader.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/json/report_members.h"
#include "omp_ext/report/json/report_writer.h"
#include "schedules/text/number.h"

struct block {
    struct block *next;
    _Alignas(16) char content[];
};

/* Where the reader stands: of objects within objects, the innermost one's name and number. */
struct reading {
    struct keel_report_document *document;
    char *reason;
    const char *object; /* "loop" */
    size_t index;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *reading,
                                                         const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reading->reason, KEEL_REPORT_REASON_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* Zeroed; NULL: there is no memory. */
static void *allocate(struct keel_report_document *document, size_t count, size_t size)
{
    struct block *block = size > 0 && count > (SIZE_MAX - sizeof *block) / size
                              ? NULL
                              : calloc(1, sizeof *block + count * size);

    if (block == NULL) {
        return NULL;
    }
    block->next = document->blocks;
    document->blocks = block;
    return block->content;
}

static bool refuse_value(const struct reading *reading, const char *name, const char *expected)
{
    return refuse(reading, "can't be used: '%s' of %s %zu is not %s", name, reading->object,
                  reading->index, expected);
}

/* --- single values --- */

static bool read_real(json_t *value, double least, double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number) && *number >= least;
}

static bool read_whole(json_t *value, json_int_t least, json_int_t most, json_int_t *number)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= least && *number <= most;
}

static bool read_name(json_t *value, const char *const *names, unsigned *number)
{
    const char *name = json_string_value(value);

    for (*number = 0; name != NULL && names[*number] != NULL; ++*number) {
        if (strcmp(names[*number], name) == 0) {
            return true;
        }
    }
    *number = 0;
    return false;
}

static bool read_scalar(const struct reading *reading, const struct keel_report_member *member,
                        json_t *value, void *at)
{
    json_int_t whole = 0;

    switch (member->type) {
    case KEEL_REPORT_TEXT:
        *(const char **)at = json_is_string(value) ? json_string_value(value) : "";
        return json_is_string(value) || refuse_value(reading, member->name, "a text");
    case KEEL_REPORT_TIME:
        return read_real(value, 0, at) || refuse_value(reading, member->name, "a number from 0");
    case KEEL_REPORT_REAL:
        return read_real(value, -HUGE_VAL, at) || refuse_value(reading, member->name, "a number");
    case KEEL_REPORT_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) || refuse_value(reading, member->name, "true or false");
    case KEEL_REPORT_NAME:
        return read_name(value, member->names, at) ||
               refuse_value(reading, member->name, "one of the words for it");
    case KEEL_REPORT_COUNT:
        if (read_whole(value, 0, INT64_MAX, &whole)) {
            *(uint64_t *)at = (uint64_t)whole;
            return true;
        }
        return refuse_value(reading, member->name, "a whole number from 0");
    case KEEL_REPORT_NUMBER:
        if (read_whole(value, 0, UINT32_MAX, &whole)) {
            *(uint32_t *)at = (uint32_t)whole;
            return true;
        }
        return refuse_value(reading, member->name, "a whole number from 0 to 4294967295");
    case KEEL_REPORT_WHOLE:
        if (read_whole(value, -1, INT_MAX, &whole)) {
            *(int *)at = (int)whole;
            return true;
        }
        return refuse_value(reading, member->name, "a whole number from -1 to 2147483647");
    default:
        if (read_whole(value, 0, LONG_MAX, &whole)) {
            *(long *)at = (long)whole;
            return true;
        }
        return refuse_value(reading, member->name, "a whole number from 0");
    }
}

/* --- arrays and objects --- */

static bool read_object(struct reading *reading, const struct keel_report_object *object,
                        json_t *value, void *into);

static bool read_times(struct reading *reading, const struct keel_report_member *member,
                       json_t *value, void *at, size_t *count)
{
    size_t length = json_array_size(value);
    double *numbers = length > 0 ? allocate(reading->document, length, sizeof *numbers) : NULL;

    if (!json_is_array(value)) {
        return refuse_value(reading, member->name, "an array of numbers");
    }
    if (length > 0 && numbers == NULL) {
        return refuse(reading, "can't be read: memory is short");
    }
    for (size_t i = 0; i < length; i++) {
        if (!read_real(json_array_get(value, i), 0, &numbers[i])) {
            return refuse_value(reading, member->name, "an array of numbers from 0");
        }
    }
    *(const double **)at = numbers;
    *count = length;
    return true;
}

static bool read_objects(struct reading *reading, const struct keel_report_member *member,
                         json_t *value, void *at, size_t *count)
{
    size_t length = json_array_size(value);
    size_t size = member->object->size;
    char *into = length > 0 ? allocate(reading->document, length, size) : NULL;

    if (!json_is_array(value)) {
        return refuse_value(reading, member->name, "an array");
    }
    if (length > 0 && into == NULL) {
        return refuse(reading, "can't be read: memory is short");
    }
    for (size_t i = 0; i < length; i++) {
        struct reading inner = *reading;
        inner.object = member->name;
        inner.index = i + 1;
        if (!read_object(&inner, member->object, json_array_get(value, i), into + i * size)) {
            return false;
        }
    }
    *(void **)at = into;
    *count = length;
    return true;
}

/* The members of a team: none of them, or all. */
static bool read_fixed(struct reading *reading, const struct keel_report_member *member,
                       json_t *value, void *at, const uint32_t *expected)
{
    size_t count = 0;

    if (!read_objects(reading, member, value, at, &count)) {
        return false;
    }
    if (count > 0 && count != *expected) {
        return refuse(reading,
                      "can't be used: '%s' of %s %zu has %zu entries, expected one for each of %u "
                      "threads",
                      member->name, reading->object, reading->index, count, (unsigned)*expected);
    }
    return true;
}

static bool read_inner(struct reading *reading, const struct keel_report_member *member,
                       json_t *value, void *at)
{
    struct reading inner = *reading;

    inner.object = member->name;
    inner.index = 1;
    return read_object(&inner, member->object, value, at);
}

static bool read_member(struct reading *reading, const struct keel_report_member *member,
                        json_t *value, char *structure)
{
    void *at = structure + member->at, *count = structure + member->count_at;

    switch (member->type) {
    case KEEL_REPORT_TIMES:
        return read_times(reading, member, value, at, count);
    case KEEL_REPORT_OBJECT:
        return read_inner(reading, member, value, at);
    case KEEL_REPORT_OBJECTS:
        return read_objects(reading, member, value, at, count);
    case KEEL_REPORT_FIXED:
        return read_fixed(reading, member, value, at, count);
    default:
        return read_scalar(reading, member, value, at);
    }
}

/* Texts are never NULL in what is read. */
static void set_missing(const struct keel_report_member *member, char *structure)
{
    if (member->type == KEEL_REPORT_TEXT) {
        *(const char **)(void *)(structure + member->at) = "";
    }
}

static bool read_object(struct reading *reading, const struct keel_report_object *object,
                        json_t *value, void *into)
{
    if (!json_is_object(value)) {
        return refuse(reading, "can't be used: %s %zu is not an object", reading->object,
                      reading->index);
    }
    for (size_t i = 0; i < object->count; i++) {
        const struct keel_report_member *member = &object->member[i];
        json_t *found = json_object_get(value, member->name);
        if (found == NULL) {
            set_missing(member, into);
        } else if (!read_member(reading, member, found, into)) {
            return false;
        }
    }
    return true;
}

/* --- processes --- */

static bool check_process(struct reading *reading, struct keel_report_process *process)
{
    process->ranks = process->ranks < 1 ? 1 : process->ranks;
    if (process->rank < 0 || process->rank >= process->ranks) {
        return refuse(reading, "can't be used: process %zu is rank %d of %d", reading->index,
                      process->rank, process->ranks);
    }
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (loop->region >= 0 && (size_t)loop->region >= process->loop_count) {
            return refuse(reading,
                          "can't be used: loop %zu of process %zu stands in region %d, "
                          "which is not there",
                          i + 1, reading->index, loop->region);
        }
    }
    return true;
}

static bool read_processes(struct keel_report_document *document, json_t *array, char *reason)
{
    struct reading reading = {document, reason, "process", 0};
    size_t count = json_array_size(array);
    struct keel_report_process *process = allocate(document, count, sizeof *process);

    if (process == NULL) {
        return refuse(&reading, "can't be read: memory is short");
    }
    for (size_t i = 0; i < count; i++) {
        reading.index = i + 1;
        if (!read_object(&reading, &keel_report_object_process, json_array_get(array, i),
                         &process[i]) ||
            !check_process(&reading, &process[i])) {
            return false;
        }
    }
    document->report = (struct keel_report){count, process};
    return true;
}

/* The version comes first: what else there is depends on it. */
static bool read_root(struct keel_report_document *document, json_t *root, char *reason)
{
    struct reading reading = {document, reason, "", 0};
    json_t *version = json_object_get(root, "keel_report");
    json_t *processes = json_object_get(root, "processes");

    if (!json_is_integer(version)) {
        return refuse(&reading, "is JSON, but no report of Keel");
    }
    if (json_integer_value(version) != KEEL_REPORT_VERSION) {
        return refuse(&reading, "is a report of version %" JSON_INTEGER_FORMAT ", expected %d",
                      json_integer_value(version), KEEL_REPORT_VERSION);
    }
    if (!json_is_array(processes)) {
        return refuse(&reading, "can't be used: 'processes' is not an array");
    }
    return read_processes(document, processes, reason);
}

static bool read_text(const char *text, size_t length, struct keel_report_document *document,
                      char *reason)
{
    json_error_t error;

    document->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (document->root == NULL) {
        /* the parser's own message quotes the text, which may be anything */
        snprintf(reason, KEEL_REPORT_REASON_MAX,
                 "is damaged or no report of Keel: no JSON at line %d, column %d", error.line,
                 error.column);
        return false;
    }
    return read_root(document, document->root, reason);
}

/* The library's own way with a decimal comma knows no points of several bytes. */
bool keel_report_document_read(const char *text, size_t length,
                               struct keel_report_document *document, char *reason)
{
    locale_t previous = keel_c_locale_enter();

    *document = (struct keel_report_document){{0, NULL}, NULL, NULL};
    reason[0] = '\0';
    bool good = read_text(text, length, document, reason);
    keel_c_locale_leave(previous);
    if (!good) {
        keel_report_document_free(document);
    }
    return good;
}

void keel_report_document_free(struct keel_report_document *document)
{
    for (struct block *block = document->blocks; block != NULL;) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    json_decref(document->root);
    *document = (struct keel_report_document){{0, NULL}, NULL, NULL};
}
