/* Text or JSON. */
#include "omp_ext/report/files/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/files/report_file.h"
#include "omp_ext/report/json/report_writer.h"

#define ENDING ".json"

bool keel_report_output_is_json(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;

    return length >= strlen(ENDING) && strcmp(path + length - strlen(ENDING), ENDING) == 0;
}

int keel_report_output(const struct keel_report_process *const *process, size_t count,
                       const char *path, bool json, struct keel_report_text_options options)
{
    size_t length;
    char *text = json || keel_report_output_is_json(path)
                     ? keel_report_json(process, count, &length)
                     : keel_report_text(process, count, options, &length);
    int error = text != NULL ? keel_report_file_write(path, text, length) : ENOMEM;

    free(text);
    return error;
}
