/* Texts of reports of made-up processes, and what stands in them. */
#ifndef TESTS_OMP_EXT_REPORT_TEXTS_H
#define TESTS_OMP_EXT_REPORT_TEXTS_H

#include <string.h>

#include "tests/omp_ext/report/sample.h"
#include "tests/support/unit.h"

static inline void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' is not in\n%s", part, text);
    }
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("'%s' is in\n%s", part, text);
    }
}

static inline void assert_in_order(const char *text, const char *first, const char *second)
{
    assert_holds(text, first);
    assert_holds(strstr(text, first), second);
}

#endif
