/* What `keel report` was asked for. */
#ifndef OMP_EXT_COMMAND_REPORT_REQUEST_H
#define OMP_EXT_COMMAND_REPORT_REQUEST_H

#include "omp_ext/report/text/text.h"

struct keel_report_request {
    const char *schedule; /* of -s; NULL: the environment's */
    const char *threads;  /* of -t; NULL: the environment's */
    const char *folder;   /* where processes leave their reports; NULL: TMPDIR */
    const char *output;   /* NULL: none was named */
    bool json;
    struct keel_report_text_options text;
    char **program; /* and its arguments; or, with `from`, files */
    bool from;
};

#endif
