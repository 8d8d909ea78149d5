/* Writing figures, and what follows from them. */
#include "omp_ext/report/json/report_json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_job.h"
#include "omp_ext/report/json/report_members.h"
#include "omp_ext/report/report_summary.h"
#include "schedules/text/number.h"

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
