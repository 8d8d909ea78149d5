/* Writes the report of the sample process as the library does at the end of a program: write_sample
 * RANK RANKS [FILE [JOB]]; prints the result of keel_report_write(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/report/own_report.h"
#include "omp_ext/support/environment.h"
#include "tests/omp_ext/report/sample.h"

int main(int count, char **arguments)
{
    struct keel_report_process process = sample_process(atoi(arguments[1]), atoi(arguments[2]));
    const char *file = count > 3 && arguments[3][0] != '\0' ? arguments[3] : NULL;
    char job[KEEL_LAUNCH_JOB_MAX];

    keel_launch_job(keel_environment_value, job);
    process.job = count > 4 ? arguments[4] : job;
    int error = keel_report_write(&process, file, NULL);
    printf("%s\n", error == 0 ? "written" : strerror(error));
    return 0;
}
