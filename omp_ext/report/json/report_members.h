/* The members of the JSON objects of a report: one table, which yields what is written, what is
 * read, and what is wrong. Their names are those of the fields in
 * report_figures.h. */
#ifndef OMP_EXT_REPORT_JSON_REPORT_MEMBERS_H
#define OMP_EXT_REPORT_JSON_REPORT_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

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
