/* Report data as JSON: writing, reading and checking follow the table of report_fields.def. */
#include "omp_ext/report/report_file.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "schedules/text/text.h"

#define DIGITS 15 /* all that a double holds, and 0.1 stays 0.1 */

/* --- members of the objects --- */

/* As in report_fields.def. */
enum type {
    TEXT,
    TIME,
    REAL,
    FACTOR,
    COUNT,
    NUMBER,
    WHOLE,
    BOOL,
    KIND,
    OBJECT,
    OBJECTS,
    TEAM,
    TIMES
};

/* The value that a reader expects. */
static const char *const expected[] = {
    [TEXT] = "a text",
    [TIME] = "a number from 0",
    [REAL] = "a number",
    [COUNT] = "a whole number from 0",
    [NUMBER] = "a whole number from 0 to 4294967295",
    [WHOLE] = "a whole number from -1 to 2147483647",
    [BOOL] = "true or false",
    [KIND] = "one of region, loop and part",
    [OBJECT] = "an object",
    [OBJECTS] = "an array of objects",
    [TEAM] = "an array of objects, one for each of the `threads`",
    [TIMES] = "an array of numbers from 0",
};

/* As in enum keel_report_kind. */
static const char *const kinds[] = {"region", "loop", "part"};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct member {
    const char *name;
    enum type type;
    size_t at, count_at;         /* in the structure: of the field, and of the length of an array */
    const struct object *object; /* of OBJECT, OBJECTS and TEAM */
};

struct object {
    size_t size; /* of the structure */
    size_t count;
    const struct member *member;
};

/* clang-format off */
#define AT(structure, field) offsetof(struct keel_report_##structure, field)
#define STRUCTURE(structure) static const struct member of_##structure[] = {
#define END(structure)                                                            \
    };                                                                            \
    static const struct object structure##_object = {                             \
        sizeof(struct keel_report_##structure),                                   \
        sizeof of_##structure / sizeof of_##structure[0], of_##structure};
#define VALUE(structure, type, field) {#field, type, AT(structure, field), 0, NULL},
#define TEXT(structure, field) VALUE(structure, TEXT, field)
#define TIME(structure, field) VALUE(structure, TIME, field)
#define REAL(structure, field) VALUE(structure, REAL, field)
#define FACTOR(structure, field) VALUE(structure, FACTOR, field)
#define COUNT(structure, field) VALUE(structure, COUNT, field)
#define NUMBER(structure, field) VALUE(structure, NUMBER, field)
#define WHOLE(structure, field) VALUE(structure, WHOLE, field)
#define BOOL(structure, field) VALUE(structure, BOOL, field)
#define KIND(structure, field) VALUE(structure, KIND, field)
#define OBJECT(structure, field) {#field, OBJECT, AT(structure, field), 0, &field##_object},
#define OBJECTS(structure, field) \
    {#field, OBJECTS, AT(structure, field), AT(structure, field##_count), &field##_object},
#define TEAM(structure, field) \
    {#field, TEAM, AT(structure, field), AT(structure, threads), &field##_object},
#define TIMES(structure, field) \
    {#field, TIMES, AT(structure, field), AT(structure, field##_count), NULL},
#define LOCAL(type, field)
#include "omp_ext/report/report_fields.def"
/* clang-format on */

/* The length of an array. */
static size_t length_of(const struct member *member, const char *structure)
{
    const void *count = structure + member->count_at;

    return member->type == TEAM ? *(const uint32_t *)count : *(const size_t *)count;
}

/* --- writing --- */

static json_t *real(double value)
{
    return json_real(isfinite(value) ? value : 0);
}

/* In a text that is not UTF-8, as names of files may be, bytes above 0x7f become question marks. */
static json_t *text(const char *value)
{
    const char *stated = value != NULL ? value : "";
    json_t *whole = json_string(stated);

    if (whole != NULL) {
        return whole;
    }
    char *plain = strdup(stated);
    for (char *at = plain; at != NULL && *at != '\0'; at++) {
        *at = (unsigned char)*at < 0x80 ? *at : '?';
    }
    whole = plain != NULL ? json_string(plain) : NULL;
    free(plain);
    return whole;
}

static json_t *object_of(const struct object *object, const char *structure);

static json_t *array_of(const struct member *member, const char *structure)
{
    const char *from = *(const char *const *)(const void *)(structure + member->at);
    size_t length = from != NULL ? length_of(member, structure) : 0;
    json_t *array = json_array();

    for (size_t i = 0; i < length; i++) {
        json_array_append_new(array,
                              member->type == TIMES
                                  ? real(((const double *)(const void *)from)[i])
                                  : object_of(member->object, from + i * member->object->size));
    }
    return array;
}

static json_t *value_of(const struct member *member, const char *structure)
{
    const void *at = structure + member->at;
    uint64_t count;

    switch (member->type) {
    case TEXT:
        return text(*(const char *const *)at);
    case TIME:
    case REAL:
        return real(*(const double *)at);
    case FACTOR:
        return isnan(*(const double *)at) ? json_null() : real(*(const double *)at);
    case COUNT:
        count = *(const uint64_t *)at;
        return json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count);
    case NUMBER:
        return json_integer(*(const uint32_t *)at);
    case WHOLE:
        return json_integer(*(const int *)at);
    case BOOL:
        return json_boolean(*(const bool *)at);
    case KIND:
        return json_string(kinds[*(const enum keel_report_kind *)at]);
    case OBJECT:
        return object_of(member->object, at);
    case OBJECTS:
    case TEAM:
    case TIMES:
        return array_of(member, structure);
    }
    return NULL;
}

static json_t *object_of(const struct object *object, const char *structure)
{
    json_t *result = json_object();

    for (size_t i = 0; i < object->count; i++) {
        json_object_set_new(result, object->member[i].name,
                            value_of(&object->member[i], structure));
    }
    return result;
}

/* --- with computed members --- */

static json_t *summary_of(const struct keel_report_process *const *process, size_t length)
{
    struct keel_report_summary summary = keel_report_summarise(process, length);

    return object_of(&summary_object, (const char *)&summary);
}

static json_t *process_of(const struct keel_report_process *process)
{
    json_t *object = object_of(&process_object, (const char *)process);
    json_t *loops = json_object_get(object, "loop");

    for (size_t i = 0; i < json_array_size(loops); i++) {
        struct keel_report_loss loss = keel_report_loss_of(&process->loop[i]);
        json_t *lost = object_of(&loss_object, (const char *)&loss);
        json_object_update(json_array_get(loops, i), lost);
        json_decref(lost);
    }
    json_object_set_new(object, "summary", summary_of(&process, 1));
    return object;
}

static json_t *job_of(const struct keel_report_job *job)
{
    char missing[256];
    json_t *hosts = json_array();
    json_t *object = summary_of(job->process, job->count);
    const struct keel_report_process **of_host = calloc(job->count, sizeof(void *));

    for (size_t first = 0; of_host != NULL && first < job->count; first++) {
        size_t length = keel_report_job_host(job, first, of_host);
        if (length > 0) {
            json_t *host = summary_of(of_host, length);
            json_object_set_new(host, "host", text(job->process[first]->host));
            json_array_append_new(hosts, host);
        }
    }
    free(of_host);
    keel_report_job_missing(job, missing, sizeof missing);
    json_object_set_new(object, "missing_ranks", json_string(missing));
    json_object_set_new(object, "hosts", hosts);
    return object;
}

static json_t *document_of(const struct keel_report_process *const *process, size_t length)
{
    json_t *processes = json_array();
    struct keel_report_job job = keel_report_job_first(process, length);
    bool is_one_job = length > 0 && job.count == length;

    for (size_t i = 0; i < length; i++) {
        json_array_append_new(processes, process_of(process[i]));
    }
    return json_pack("{s:i, s:o, s:o}", "keel_report", KEEL_REPORT_VERSION, "processes", processes,
                     "summary", is_one_job ? job_of(&job) : json_null());
}

char *keel_report_json(const struct keel_report_process *const *process, size_t length,
                       size_t *bytes)
{
    locale_t previous = keel_c_locale_enter();
    json_t *document = document_of(process, length);
    char *printed = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS));
    char *text = printed != NULL ? realloc(printed, strlen(printed) + 2) : NULL;

    json_decref(document);
    keel_c_locale_leave(previous);
    if (text == NULL) {
        free(printed);
        return NULL;
    }
    *bytes = strlen(strcat(text, "\n"));
    return text;
}

/* --- reading --- */

struct reading {
    struct keel_report_document *document;
    char *reason; /* "" before the first failure */
};

/* Sets the reason, unless an inner object has set one. Returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *reading,
                                                         const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (reading->reason[0] == '\0') {
        vsnprintf(reading->reason, KEEL_REPORT_REASON_MAX, format, arguments);
    }
    va_end(arguments);
    return false;
}

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

static bool read_kind(json_t *value, enum keel_report_kind *kind)
{
    const char *word = json_string_value(value);
    unsigned i = 0;

    while (word != NULL && i < KINDS && strcmp(kinds[i], word) != 0) {
        i++;
    }
    *kind = i < KINDS ? i : 0;
    return word != NULL && i < KINDS;
}

static bool read_object(const struct reading *reading, const struct object *object,
                        const char *name, size_t number, json_t *value, char *into);

/* A team has no members, or one for each thread. */
static bool read_array(const struct reading *reading, const struct member *member, json_t *value,
                       char *structure)
{
    size_t length = json_array_size(value);
    size_t size = member->type == TIMES ? sizeof(double) : member->object->size;
    char *into = length > 0 ? keel_report_memory(reading->document, length, size) : NULL;
    bool good = json_is_array(value) &&
                (member->type != TEAM || length == 0 || length == length_of(member, structure));

    for (size_t i = 0; good && into != NULL && i < length; i++) {
        json_t *each = json_array_get(value, i);
        good = member->type == TIMES ? read_real(each, 0, (double *)(void *)(into + i * size))
                                     : read_object(reading, member->object, member->name, i + 1,
                                                   each, into + i * size);
    }
    *(void **)(void *)(structure + member->at) = good ? into : NULL;
    if (member->type != TEAM) {
        /* empty if memory is short */
        *(size_t *)(void *)(structure + member->count_at) = good && into != NULL ? length : 0;
    }
    return good;
}

/* Returns false if the value has the wrong type or is out of range. */
static bool read_value(const struct reading *reading, const struct member *member, json_t *value,
                       char *structure)
{
    void *at = structure + member->at;
    json_int_t whole = 0;
    bool good = false;

    switch (member->type) {
    case TEXT:
        if (json_is_string(value)) {
            *(const char **)at = keel_report_copy(reading->document, json_string_value(value),
                                                  json_string_length(value));
        }
        return json_is_string(value);
    case TIME:
        return read_real(value, 0, at);
    case REAL:
    case FACTOR:
        return read_real(value, -HUGE_VAL, at);
    case COUNT:
        good = read_whole(value, 0, INT64_MAX, &whole);
        *(uint64_t *)at = (uint64_t)whole;
        return good;
    case NUMBER:
        good = read_whole(value, 0, UINT32_MAX, &whole);
        *(uint32_t *)at = (uint32_t)whole;
        return good;
    case WHOLE:
        good = read_whole(value, -1, INT_MAX, &whole);
        *(int *)at = (int)whole;
        return good;
    case BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case KIND:
        return read_kind(value, at);
    case OBJECT:
        return read_object(reading, member->object, member->name, 1, value, at);
    case OBJECTS:
    case TEAM:
    case TIMES:
        return read_array(reading, member, value, structure);
    }
    return good;
}

/* `name`, `number`: of the object in the reason. Missing texts become "". */
static bool read_object(const struct reading *reading, const struct object *object,
                        const char *name, size_t number, json_t *value, char *into)
{
    bool good = json_is_object(value);

    for (size_t i = 0; good && i < object->count; i++) {
        const struct member *member = &object->member[i];
        json_t *found = json_object_get(value, member->name);
        if (found == NULL && member->type == TEXT) {
            *(const char **)(void *)(into + member->at) = "";
        } else if (found != NULL && !read_value(reading, member, found, into)) {
            good = refuse(reading, "can't be used: '%s' of %s %zu is not %s", member->name, name,
                          number, expected[member->type]);
        }
    }
    return good;
}

/* --- processes --- */

static bool check_process(const struct reading *reading, size_t number,
                          struct keel_report_process *process)
{
    process->ranks = process->ranks < 1 ? 1 : process->ranks;
    if (process->rank < 0 || process->rank >= process->ranks) {
        return refuse(reading, "can't be used: process %zu is rank %d of %d", number, process->rank,
                      process->ranks);
    }
    for (size_t i = 0; i < process->loop_count; i++) {
        int region = process->loop[i].region;
        if (region >= 0 && (size_t)region >= process->loop_count) {
            return refuse(reading,
                          "can't be used: loop %zu of process %zu is in region %d, "
                          "which does not exist",
                          i + 1, number, region);
        }
    }
    return true;
}

/* Checks the version first: all other members depend on it. */
static bool read_root(const struct reading *reading, json_t *root)
{
    json_t *version = json_object_get(root, "keel_report");
    json_t *processes = json_object_get(root, "processes");
    bool good = json_is_array(processes);

    if (!json_is_integer(version)) {
        return refuse(reading, "is JSON, but no report of Keel");
    }
    if (json_integer_value(version) != KEEL_REPORT_VERSION) {
        return refuse(reading, "is a report of version %" JSON_INTEGER_FORMAT ", expected %d",
                      json_integer_value(version), KEEL_REPORT_VERSION);
    }
    for (size_t i = 0; good && i < json_array_size(processes); i++) {
        struct keel_report_process *process = keel_report_add_process(reading->document);
        good = process != NULL &&
               read_object(reading, &process_object, "process", i + 1, json_array_get(processes, i),
                           (char *)process) &&
               check_process(reading, i + 1, process);
    }
    return good || refuse(reading, "can't be used: 'processes' is not %s", expected[OBJECTS]);
}

/* In the C locale: the library does not handle decimal points of several bytes. Its messages are
 * not printed: they quote the text, which may be anything. */
bool keel_report_read(const char *text, size_t length, struct keel_report_document *document,
                      char *reason)
{
    const size_t before = document->count;
    const struct reading reading = {document, reason};
    json_error_t error;

    reason[0] = '\0';
    locale_t previous = keel_c_locale_enter();
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    bool good =
        root != NULL
            ? read_root(&reading, root)
            : refuse(&reading, "is damaged or no report of Keel: no JSON at line %d, column %d",
                     error.line, error.column);
    json_decref(root);
    keel_c_locale_leave(previous);
    if (document->short_of_memory) {
        reason[0] = '\0';
        good = refuse(&reading, "can't be read: memory is short");
    }
    if (!good) {
        document->count = before;
    }
    return good;
}
