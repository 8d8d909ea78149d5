/* What `keel doctor` finds in one respect. */
#include "omp_ext/command/doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>

void keel_finding_set(struct keel_finding *finding, enum keel_finding_state state,
                      const char *repair, const char *text, ...)
{
    va_list arguments;

    finding->state = state;
    snprintf(finding->repair, sizeof finding->repair, "%s", repair);
    va_start(arguments, text);
    vsnprintf(finding->text, sizeof finding->text, text, arguments);
    va_end(arguments);
}
