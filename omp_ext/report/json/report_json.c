/* Figures as JSON. */
#include "omp_ext/report/json/report_json.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "schedules/text/text.h"

/* --- writing --- */

#define DIGITS 15 /* all that a double holds, and 0.1 stays 0.1 */

/* --- figures, by the table --- */

static json_t *real(double value)
{
    return json_real(isfinite(value) ? value : 0);
}

static json_t *count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* Bytes that are no UTF-8, as names of files may have, become question marks. */
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

static json_t *times(const double *value, size_t length)
{
    json_t *array = json_array();

    for (size_t i = 0; value != NULL && i < length; i++) {
        json_array_append_new(array, real(value[i]));
    }
    return array;
}

static json_t *object_of(const struct keel_report_object *object, const void *from);

static json_t *objects(const struct keel_report_object *object, const char *from, size_t length)
{
    json_t *array = json_array();

    for (size_t i = 0; from != NULL && i < length; i++) {
        json_array_append_new(array, object_of(object, from + i * object->size));
    }
    return array;
}

static json_t *value_of(const struct keel_report_member *member, const char *structure)
{
    const void *at = structure + member->at;
    const void *length = structure + member->count_at;

    switch (member->type) {
    case KEEL_REPORT_TEXT:
        return text(*(const char *const *)at);
    case KEEL_REPORT_TIME:
    case KEEL_REPORT_REAL:
        return real(*(const double *)at);
    case KEEL_REPORT_COUNT:
        return count(*(const uint64_t *)at);
    case KEEL_REPORT_NUMBER:
        return json_integer(*(const uint32_t *)at);
    case KEEL_REPORT_WHOLE:
        return json_integer(*(const int *)at);
    case KEEL_REPORT_BOOL:
        return json_boolean(*(const bool *)at);
    case KEEL_REPORT_NAME:
        return json_string(member->names[*(const unsigned *)at]);
    case KEEL_REPORT_TIMES:
        return times(*(const double *const *)at, *(const size_t *)length);
    case KEEL_REPORT_OBJECT:
        return object_of(member->object, at);
    case KEEL_REPORT_OBJECTS:
        return objects(member->object, *(const char *const *)at, *(const size_t *)length);
    case KEEL_REPORT_FIXED:
        return objects(member->object, *(const char *const *)at, *(const uint32_t *)length);
    }
    return NULL;
}

static json_t *object_of(const struct keel_report_object *object, const void *from)
{
    json_t *result = json_object();

    for (size_t i = 0; i < object->count; i++) {
        json_object_set_new(result, object->member[i].name, value_of(&object->member[i], from));
    }
    return result;
}

/* --- what follows from them --- */

static void add_loss(json_t *object, const struct keel_report_loop *loop)
{
    struct keel_report_loss loss = keel_report_loss_of(loop);

    json_object_set_new(object, "busy_s", real(loss.busy_s));
    json_object_set_new(object, "lost_s", real(loss.lost_s));
    json_object_set_new(object, "waited_s", real(loss.waited_s));
    json_object_set_new(object, "claiming_s", real(loss.claiming_s));
    json_object_set_new(object, "other_s", real(loss.other_s));
    json_object_set_new(object, "imbalance_percent", real(loss.imbalance_percent));
}

static json_t *factor(double value)
{
    return isnan(value) ? json_null() : real(value);
}

static json_t *efficiency_of(const struct keel_report_efficiency *efficiency)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "parallel",
                     factor(efficiency->parallel), "mpi", factor(efficiency->mpi), "mpi_balance",
                     factor(efficiency->mpi_balance), "mpi_communication",
                     factor(efficiency->mpi_communication), "openmp", factor(efficiency->openmp),
                     "serial", factor(efficiency->serial), "balance", factor(efficiency->balance),
                     "overhead", factor(efficiency->overhead));
}

static json_t *summary_of(const struct keel_report_process *const *process, size_t length)
{
    struct keel_report_summary summary = keel_report_summarise(process, length);

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "processes",
                     count(summary.processes), "threads", count(summary.threads), "elapsed_s",
                     real(summary.elapsed_s), "useful_s", real(summary.useful_s), "serial_s",
                     real(summary.serial_s), "waited_s", real(summary.waited_s), "claiming_s",
                     real(summary.claiming_s), "other_s", real(summary.other_s), "mpi_s",
                     real(summary.mpi_s), "early_s", real(summary.early_s), "efficiency",
                     efficiency_of(&summary.efficiency));
}

static json_t *process_of(const struct keel_report_process *process)
{
    json_t *object = object_of(&keel_report_object_process, process);
    json_t *loops = json_object_get(object, "loop");

    for (size_t i = 0; i < json_array_size(loops); i++) {
        add_loss(json_array_get(loops, i), &process->loop[i]);
    }
    json_object_set_new(object, "summary", summary_of(&process, 1));
    return object;
}

static json_t *missing_of(const struct keel_report_job *job)
{
    char list[256];

    keel_report_job_missing(job, list, sizeof list);
    return json_string(list);
}

static json_t *job_of(const struct keel_report_job *job)
{
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
    json_object_set_new(object, "missing_ranks", missing_of(job));
    json_object_set_new(object, "hosts", hosts);
    return object;
}

/* --- the whole --- */

static json_t *document_of(const struct keel_report_process *const *process, size_t length)
{
    json_t *processes = json_array(), *summary = json_null();
    struct keel_report_job job = keel_report_job_first(process, length);

    for (size_t i = 0; i < length; i++) {
        json_array_append_new(processes, process_of(process[i]));
    }
    if (length > 0 && job.count == length) {
        summary = job_of(&job);
    }
    return json_pack("{s:i, s:o, s:o}", "keel_report", KEEL_REPORT_VERSION, "processes", processes,
                     "summary", summary);
}

/* With a line end in the place of the terminator, and another one behind. */
static char *with_line_end(char *printed, size_t *length)
{
    char *longer = printed != NULL ? realloc(printed, strlen(printed) + 2) : NULL;

    if (longer == NULL) {
        free(printed);
        return NULL;
    }
    strcat(longer, "\n");
    *length = strlen(longer);
    return longer;
}

char *keel_report_json(const struct keel_report_process *const *process, size_t length,
                       size_t *bytes)
{
    locale_t previous = keel_c_locale_enter();
    json_t *document = document_of(process, length);
    char *printed = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS));

    json_decref(document);
    keel_c_locale_leave(previous);
    return with_line_end(printed, bytes);
}

/* --- reading --- */

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
    const char *expected = NULL;
    json_int_t whole = 0;

    switch (member->type) {
    case KEEL_REPORT_TEXT:
        if (!json_is_string(value)) {
            return refuse_value(reading, member->name, "a text");
        }
        *(const char **)at = keel_report_copy(reading->document, json_string_value(value),
                                              json_string_length(value));
        break;
    case KEEL_REPORT_TIME:
        expected = read_real(value, 0, at) ? NULL : "a number from 0";
        break;
    case KEEL_REPORT_REAL:
        expected = read_real(value, -HUGE_VAL, at) ? NULL : "a number";
        break;
    case KEEL_REPORT_BOOL:
        expected = json_is_boolean(value) ? NULL : "true or false";
        *(bool *)at = json_is_true(value);
        break;
    case KEEL_REPORT_NAME:
        expected = read_name(value, member->names, at) ? NULL : "one of the words for it";
        break;
    case KEEL_REPORT_NUMBER:
        expected =
            read_whole(value, 0, UINT32_MAX, &whole) ? NULL : "a whole number from 0 to 4294967295";
        *(uint32_t *)at = (uint32_t)whole;
        break;
    case KEEL_REPORT_WHOLE:
        expected =
            read_whole(value, -1, INT_MAX, &whole) ? NULL : "a whole number from -1 to 2147483647";
        *(int *)at = (int)whole;
        break;
    default:
        expected = read_whole(value, 0, INT64_MAX, &whole) ? NULL : "a whole number from 0";
        *(uint64_t *)at = (uint64_t)whole;
        break;
    }
    return expected == NULL || refuse_value(reading, member->name, expected);
}

/* --- arrays and objects --- */

static bool read_object(struct reading *reading, const struct keel_report_object *object,
                        json_t *value, void *into);

static bool read_times(struct reading *reading, const struct keel_report_member *member,
                       json_t *value, void *at, size_t *count)
{
    size_t length = json_array_size(value);
    double *numbers = keel_report_memory(reading->document, length, sizeof *numbers);

    if (!json_is_array(value)) {
        return refuse_value(reading, member->name, "an array of numbers");
    }
    for (size_t i = 0; numbers != NULL && i < length; i++) {
        if (!read_real(json_array_get(value, i), 0, &numbers[i])) {
            return refuse_value(reading, member->name, "an array of numbers from 0");
        }
    }
    *(const double **)at = numbers;
    *count = length;
    return true;
}

/* Of the members of a team there are none, or all. */
static bool read_objects(struct reading *reading, const struct keel_report_member *member,
                         json_t *value, void *at, void *count)
{
    const uint32_t *team = member->type == KEEL_REPORT_FIXED ? count : NULL;
    size_t length = json_array_size(value), size = member->object->size;
    char *into = length > 0 ? keel_report_memory(reading->document, length, size) : NULL;

    if (!json_is_array(value)) {
        return refuse_value(reading, member->name, "an array");
    }
    if (team != NULL && length > 0 && length != *team) {
        return refuse(reading,
                      "can't be used: '%s' of %s %zu has %zu entries, expected one for each of %u "
                      "threads",
                      member->name, reading->object, reading->index, length, (unsigned)*team);
    }
    for (size_t i = 0; into != NULL && i < length; i++) {
        struct reading inner = *reading;
        inner.object = member->name;
        inner.index = i + 1;
        if (!read_object(&inner, member->object, json_array_get(value, i), into + i * size)) {
            return false;
        }
    }
    *(void **)at = into;
    if (team == NULL) {
        *(size_t *)count = length;
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
    case KEEL_REPORT_FIXED:
        return read_objects(reading, member, value, at, count);
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

/* The version comes first: what else there is depends on it. */
static bool read_root(struct reading *reading, json_t *root)
{
    json_t *version = json_object_get(root, "keel_report");
    json_t *processes = json_object_get(root, "processes");
    bool good = true;

    if (!json_is_integer(version)) {
        return refuse(reading, "is JSON, but no report of Keel");
    }
    if (json_integer_value(version) != KEEL_REPORT_VERSION) {
        return refuse(reading, "is a report of version %" JSON_INTEGER_FORMAT ", expected %d",
                      json_integer_value(version), KEEL_REPORT_VERSION);
    }
    if (!json_is_array(processes)) {
        return refuse(reading, "can't be used: 'processes' is not an array");
    }
    for (size_t i = 0; good && i < json_array_size(processes); i++) {
        struct keel_report_process *process = keel_report_add_process(reading->document);
        reading->index = i + 1;
        good = process != NULL &&
               read_object(reading, &keel_report_object_process, json_array_get(processes, i),
                           process) &&
               check_process(reading, process);
    }
    return good;
}

/* The library's own way with a decimal comma knows no points of several bytes. */
bool keel_report_read(const char *text, size_t length, struct keel_report_document *document,
                      char *reason)
{
    const size_t before = document->count;
    struct reading reading = {document, reason, "process", 0};
    json_error_t error;

    reason[0] = '\0';
    locale_t previous = keel_c_locale_enter();
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    bool good =
        root != NULL ? read_root(&reading, root)
                     : /* the parser's own message quotes the text, which may be anything */
            refuse(&reading, "is damaged or no report of Keel: no JSON at line %d, column %d",
                   error.line, error.column);
    json_decref(root);
    keel_c_locale_leave(previous);
    if (document->short_of_memory) {
        good = refuse(&reading, "can't be read: memory is short");
    }
    if (!good) {
        document->count = before;
    }
    return good;
}
