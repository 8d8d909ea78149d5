/* Figures as JSON. "The report as JSON" in omp_ext/README.md says what stands in it.
 *
 *   processes -> [writer] -> text -> [reader] -> document
 *
 * Any thread. */
#ifndef OMP_EXT_REPORT_JSON_REPORT_JSON_H
#define OMP_EXT_REPORT_JSON_REPORT_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "omp_ext/report/report_document.h"

#define KEEL_REPORT_VERSION 1 /* of what is written; changes where a reader would go wrong */
#define KEEL_REPORT_REASON_MAX 192

/* The text, to be freed, with a line end; NULL: memory is short. The processes are sorted as by
 * keel_report_job_sort(). Numbers have a decimal point in any locale; what is no number is 0. */
char *keel_report_json(const struct keel_report_process *const *process, size_t count,
                       size_t *length);

/* Adds the processes of the report in the first `length` bytes of `text`, which someone else may
 * have written or damaged. Members that are not known are left out, those that are missing are 0,
 * "" or empty. False: it is no report, is newer than this Keel, or says what can't be: `reason`,
 * KEEL_REPORT_REASON_MAX bytes, names what and where, to be put behind the name of a file, and
 * nothing is added. What is read is within bounds: regions are loops of the process, ranks are
 * below `ranks`, times are finite and not negative. */
bool keel_report_read(const char *text, size_t length, struct keel_report_document *document,
                      char *reason);

/* --- members of the objects: one table, which yields what is written, what is read, and what is
 * wrong. Their names are those of the fields in report_figures.h --- */

/* What a field is in C, and what it may hold. */
enum keel_report_member_type {
    KEEL_REPORT_TEXT,   /* const char *; NULL is written as "" */
    KEEL_REPORT_TIME,   /* double, from 0 */
    KEEL_REPORT_REAL,   /* double */
    KEEL_REPORT_COUNT,  /* uint64_t; above INT64_MAX it is written as that */
    KEEL_REPORT_NUMBER, /* uint32_t or unsigned */
    KEEL_REPORT_WHOLE,  /* int, from -1 */
    KEEL_REPORT_BOOL,   /* bool */
    KEEL_REPORT_NAME,   /* enum from 0, by the names in `names` */
    KEEL_REPORT_TIMES,  /* array of TIME; the pointer is at `at`, its size_t length at `count_at` */
    KEEL_REPORT_OBJECT, /* struct of `object` */
    KEEL_REPORT_OBJECTS, /* array of these; as with TIMES */
    KEEL_REPORT_FIXED    /* the same, but its uint32_t length is another member and stays as it is
                            where the pointer is NULL */
};

struct keel_report_object;

struct keel_report_member {
    const char *name;
    enum keel_report_member_type type;
    size_t at, count_at; /* in the struct */
    const struct keel_report_object *object;
    const char *const *names; /* NULL behind the last */
};

struct keel_report_object {
    size_t size; /* of the struct */
    size_t count;
    const struct keel_report_member *member;
};

/* struct keel_report_process, with all that it has. */
extern const struct keel_report_object keel_report_object_process;

#endif
