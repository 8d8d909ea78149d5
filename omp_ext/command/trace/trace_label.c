/* Names that the trace gives, or numbers. */
#include "omp_ext/command/trace/trace_label.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_only_one(const struct keel_trace_data *data, uint32_t process)
{
    for (size_t i = 0; i < data->processes; i++) {
        if (i != process && data->process[i].pid == data->process[process].pid) {
            return false;
        }
    }
    return true;
}

void keel_trace_label_process(const struct keel_trace_data *data, uint32_t process, char *label)
{
    const struct keel_trace_data_process *it = &data->process[process];
    const char *name = keel_trace_data_text(data, it->name);
    char number[32] = "", file[32] = "";

    if (name[0] == '\0') {
        snprintf(number, sizeof number, "rank %" PRId64, it->pid);
    }
    if (!is_only_one(data, process)) {
        snprintf(file, sizeof file, ", file %u", it->file + 1);
    }
    snprintf(label, KEEL_TRACE_LABEL_MAX, "%s%s%s", name, number, file);
}

void keel_trace_label_thread(const struct keel_trace_data *data, uint32_t lane, char *label)
{
    const char *name = keel_trace_data_text(data, data->lane[lane].name);

    if (name[0] != '\0') {
        snprintf(label, KEEL_TRACE_LABEL_MAX, "%s", name);
    } else {
        snprintf(label, KEEL_TRACE_LABEL_MAX, "thread %" PRId64, data->lane[lane].tid);
    }
}

void keel_trace_label_file(const char *path, char *label)
{
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;

    snprintf(label, KEEL_TRACE_LABEL_MAX, "%s", base[0] != '\0' ? base : "trace");
    char *point = strrchr(label, '.');
    if (point != NULL && point != label) {
        *point = '\0';
    }
}
