/* Files of KEEL_TRACE: which form they have, and what is said of those that are damaged. */
#define _GNU_SOURCE
#include "omp_ext/command/trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "omp_ext/support/message.h"
#include "schedules/text/number.h"

/* --- chunks in CSV, without their starts --- */

#define CSV_HEADER "loop,instance,thread,first,last,time_ns" /* that such a trace begins with */
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
    if (line[0] == '\0' || line[0] == '#' || strcmp(line, CSV_HEADER) == 0) {
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
    keel_trace_data_add_span(data, &span);
    return true;
}

/* --- files --- */

#define LENGTH_MAX ((size_t)1 << 20) /* bytes of a line */

enum form { UNKNOWN, JSON, CSV };

struct file {
    struct keel_trace_data *data;
    const char *path;
    unsigned number;
    enum form form;
    FILE *stream;
    size_t line;           /* number of the last one, from 1 */
    bool cut;              /* it has no line feed: the file ends within it, */
    bool too_long;         /* or it is longer than LENGTH_MAX, and the last one that is read */
    size_t bad, first_bad; /* lines without events, and the first one's number */
    bool ends_within;      /* the last line is cut off, and no event */
};

/* The next line, ended by 0, of *length bytes. False: there is none. */
static bool next_line(struct file *file, char *line, size_t *length)
{
    int byte;

    *length = 0;
    while ((byte = getc_unlocked(file->stream)) != EOF && byte != '\n') {
        if (*length == LENGTH_MAX) {
            file->too_long = true;
            return false;
        }
        line[(*length)++] = (char)byte;
    }
    line[*length] = '\0';
    file->cut = byte == EOF;
    file->line += byte != EOF || *length > 0;
    return byte != EOF || *length > 0;
}

/* What the first line that is not empty says. */
static enum form form_of(const char *line)
{
    line += strspn(line, " \t\r");
    return line[0] == '\0' ? UNKNOWN : line[0] == '[' || line[0] == '{' ? JSON : CSV;
}

/* The time of a chunk is the last field of its line in CSV: where that is cut off, nothing shows
 * it. */
static void take_line(struct file *file, char *line, size_t length)
{
    if (file->form == UNKNOWN && !file->cut) {
        file->form = form_of(line);
        file->data->timed &= file->form != CSV;
    }
    if (file->form == CSV
            ? !file->cut && keel_csv_chunk_take(file->data, file->number, line)
            : keel_json_event_take(file->data, file->number, line, length)) {
        return;
    }
    if (file->cut) {
        file->ends_within = true;
        return;
    }
    file->first_bad = file->bad == 0 ? file->line : file->first_bad;
    file->bad++;
}

static void say_what_is_missing(const struct file *file, int error)
{
    if (error != 0) {
        keel_message("'%s' cannot be read to its end: %s; using what stands before", file->path,
                     strerror(error));
    } else if (file->too_long) {
        keel_message("'%s', line %zu: longer than %zu bytes; using what stands before", file->path,
                     file->line + 1, LENGTH_MAX);
    } else if (file->ends_within) {
        keel_message("'%s' ends within line %zu; using what stands before", file->path,
                     file->line);
    }
    if (file->bad > 0) {
        keel_message("'%s', line %zu: not an event of a trace; %zu such line%s left out",
                     file->path, file->first_bad, file->bad, file->bad == 1 ? " is" : "s are");
    }
}

static bool read_file(struct keel_trace_data *data, const char *path, unsigned number)
{
    struct file file = {
        .data = data, .path = path, .number = number, .stream = fopen(path, "re")};
    char *line = malloc(LENGTH_MAX + 1);
    size_t spans = data->spans, length;
    int error = file.stream == NULL || line == NULL ? errno : 0;

    data->offset_ns = 0;
    while (error == 0 && next_line(&file, line, &length)) {
        take_line(&file, line, length);
    }
    free(line);
    if (file.stream != NULL) {
        error = ferror(file.stream) ? errno : error;
        fclose(file.stream);
    }
    if (data->spans > spans) {
        say_what_is_missing(&file, error);
        return true;
    }
    if (error != 0) {
        keel_message("'%s' cannot be read: %s", path, strerror(error));
    } else {
        keel_message("'%s' holds no trace of loops: expected what KEEL_TRACE writes, an event a "
                     "line, or %s",
                     path, CSV_HEADER);
    }
    return false;
}

/* --- files of ranks --- */

/* Whether the first rank's file is there, and FILE itself is not, or is older. */
static bool is_of_ranks(const char *path)
{
    char first[PATH_MAX];
    struct stat whole, rank;
    int length = snprintf(first, sizeof first, "%s.0", path);

    return length < (int)sizeof first && stat(first, &rank) == 0 &&
           (stat(path, &whole) != 0 || whole.st_mtim.tv_sec < rank.st_mtim.tv_sec ||
            (whole.st_mtim.tv_sec == rank.st_mtim.tv_sec &&
             whole.st_mtim.tv_nsec < rank.st_mtim.tv_nsec));
}

/* What a trace in JSON begins with, up to the name of its program: its job. "": it is none. */
static void read_job(const char *path, char *job, size_t size)
{
    FILE *file = fopen(path, "re");

    job[file != NULL ? fread(job, 1, size - 1, file) : 0] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    char *end = strstr(job, ",\"program\":");
    job[end != NULL ? end - job : 0] = '\0';
}

/* What scandir() looks for, as its filter has no context: the file's name without its folder. */
static const char *wanted;

static int is_rank(const struct dirent *entry)
{
    size_t length = strlen(wanted);
    uint64_t unused;

    return strncmp(entry->d_name, wanted, length) == 0 && entry->d_name[length] == '.' &&
           keel_number_whole(entry->d_name + length + 1, 0, INT_MAX, &unused);
}

/* By rank. Files of other jobs, which have had more ranks, are left out. */
static bool read_ranks(struct keel_trace_data *data, const char *path, unsigned *number)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".", file[PATH_MAX + 256], job[4096], other[4096];
    struct dirent **entry;
    bool good = false;

    wanted = slash != NULL ? slash + 1 : path;
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    }
    int count = scandir(folder, &entry, is_rank, versionsort);
    for (int i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, entry[i]->d_name);
        read_job(file, i == 0 ? job : other, sizeof job);
        if (i == 0 || strcmp(job, other) == 0) {
            good |= read_file(data, file, (*number)++);
        }
        free(entry[i]);
    }
    if (count >= 0) {
        free(entry);
    }
    return good;
}

bool keel_trace_reader_read(struct keel_trace_data *data, char *const *path, size_t count)
{
    unsigned number = 0;

    *data = (struct keel_trace_data){.timed = true};
    for (size_t i = 0; i < count; i++) {
        if (!(is_of_ranks(path[i]) ? read_ranks(data, path[i], &number)
                                   : read_file(data, path[i], number++))) {
            return false;
        }
    }
    if (data->missing > 0) {
        keel_message("%llu events were left out when the trace was written, as it says: it had no "
                     "more room",
                     (unsigned long long)data->missing);
    }
    if (!keel_trace_data_finish(data)) {
        keel_message("there is not enough memory for the trace");
        return false;
    }
    return true;
}
