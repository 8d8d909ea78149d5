/* Environment variables that begin like Keel's, and that Keel does not know.
 *
 *   environment, names in a table -> [unknown] -> a message for each, with the nearest known name
 *
 * Pure: the environment is an argument. Any thread. */
#ifndef SCHEDULES_TEXT_UNKNOWN_H
#define SCHEDULES_TEXT_UNKNOWN_H

#include <stdbool.h>
#include <stddef.h>

/* The names that are known. */
struct keel_unknown_table {
    bool (*is_ours)(const char *entry);  /* of an entry "NAME=value": whether the table is asked */
    const char *(*name)(size_t number);  /* 0, 1 ...; NULL: there are no more */
    void (*report)(const char *problem); /* gets "NAME: no such variable, nearest is ..." */
};

#define KEEL_UNKNOWN_PROBLEM_MAX 512 /* longer ones are cut off */

/* Reports each entry of `environment` (ended by NULL; NULL: empty) whose name is not in the table.
 * */
void keel_unknown_report_all(char *const *environment, const struct keel_unknown_table *table);

#endif
