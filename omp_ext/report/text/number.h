/* Numbers as tables of a report show them: short, plain ASCII. */
#ifndef OMP_EXT_REPORT_TEXT_NUMBER_H
#define OMP_EXT_REPORT_TEXT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define KEEL_REPORT_NUMBER_MAX 32 /* bytes, terminator included */

struct keel_report_number {
    char text[KEEL_REPORT_NUMBER_MAX];
};

/* Seconds by three or four digits: "0.0123", "1.234", "123.4", "12345". In the C locale. */
struct keel_report_number keel_report_seconds(double seconds);

/* "1234", "123.4k", "1.2M", "3.4G". In the C locale. */
struct keel_report_number keel_report_count(uint64_t count);

#endif
