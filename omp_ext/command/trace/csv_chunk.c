/* Six fields with commas between them. */
#define _GNU_SOURCE
#include "omp_ext/command/trace/csv_chunk.h"

#include <math.h>
#include <string.h>

#include "schedules/text/number.h"

#define FIELDS 6
#define TIME_MAX_NS 1e18

/* False: there are more or fewer. */
static bool cut(char *line, char *field[FIELDS])
{
    unsigned fields = 0;

    for (char *text; (text = strsep(&line, ",")) != NULL;) {
        if (fields == FIELDS) {
            return false;
        }
        field[fields++] = text;
    }
    return fields == FIELDS;
}

bool keel_csv_chunk_take(struct keel_trace_data *data, unsigned file, char *line)
{
    struct keel_span span = {.kind = KEEL_SPAN_CHUNK, .text = KEEL_NAME_LIST_NONE};
    char *field[FIELDS];
    uint64_t thread;
    double time_ns;

    line[strcspn(line, "\r")] = '\0';
    if (line[0] == '\0' || line[0] == '#' || strcmp(line, KEEL_CSV_CHUNK_HEADER) == 0) {
        return true;
    }
    if (!cut(line, field) || !keel_number_whole(field[1], 0, UINT64_MAX, &span.instance) ||
        !keel_number_whole(field[2], 0, INT64_MAX, &thread) ||
        !keel_number_whole(field[3], 0, UINT64_MAX, &span.first) ||
        !keel_number_whole(field[4], span.first, UINT64_MAX, &span.last) ||
        !keel_number_real(field[5], &time_ns) || !(time_ns >= 0 && time_ns <= TIME_MAX_NS)) {
        return false;
    }
    span.length_ns = llround(time_ns);
    span.name = keel_trace_data_name(data, field[0]);
    span.lane = keel_trace_data_lane(data, file, 0, (int64_t)thread);
    if (span.lane == KEEL_NAME_LIST_NONE) {
        data->left_out++;
    } else {
        keel_trace_data_add_span(data, &span);
    }
    return true;
}
