/* Files of KEEL_TRACE: which form they have, and what is said of those that are damaged. */
#define _GNU_SOURCE
#include "omp_ext/command/trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/support/message.h"
#include "schedules/text/number.h"

/* --- lines: a buffer that is filled again when no whole line is left in it --- */

/* Lines of a file of any size, in bounded memory. */

#define LENGTH_MAX ((size_t)1 << 20) /* bytes of a line */

struct lines {
    int descriptor;
    char *buffer; /* `end` bytes, the next line at `begin` */
    size_t begin, end;
    size_t number;   /* of the line that was given last, from 1 */
    bool cut;        /* that line has no line feed: the file ends within it */
    bool too_long;   /* there is a line longer than the maximum; no lines follow */
    int error;       /* errno of what kept the file from being read; 0: nothing */
    bool at_the_end; /* of the file */
};

static void lines_end(struct lines *lines)
{
    if (lines->descriptor >= 0) {
        close(lines->descriptor);
    }
    free(lines->buffer);
    lines->buffer = NULL;
    lines->descriptor = -1;
}

/* False, with lines->error: the file can't be read. */
static bool lines_begin(struct lines *lines, const char *path)
{
    *lines = (struct lines){.descriptor = open(path, O_RDONLY | O_CLOEXEC)};
    if (lines->descriptor < 0) {
        lines->error = errno;
        return false;
    }
    lines->buffer = malloc(LENGTH_MAX + 1);
    if (lines->buffer == NULL) {
        lines->error = ENOMEM;
        lines_end(lines);
        return false;
    }
    return true;
}

/* Moves what is left to the buffer's beginning and reads on behind it. */
static void fill(struct lines *lines)
{
    ssize_t got;

    memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
    do {
        got = read(lines->descriptor, lines->buffer + lines->end, LENGTH_MAX - lines->end);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        lines->error = errno;
    }
    if (got <= 0) {
        lines->at_the_end = true;
    } else {
        lines->end += (size_t)got;
    }
}

/* The line feed that ends the next line; NULL: it has none. */
static char *next_end(struct lines *lines)
{
    size_t searched = 0;

    for (;;) {
        size_t left = lines->end - lines->begin;
        char *line = lines->buffer + lines->begin;
        char *end = memchr(line + searched, '\n', left - searched);
        if (end != NULL || lines->at_the_end) {
            return end;
        }
        if (left == LENGTH_MAX) {
            lines->too_long = true;
            return NULL;
        }
        searched = left;
        fill(lines);
    }
}

/* The next line, ended by 0 in place of its line feed, until the next call. NULL: there are no
 * more. */
static char *lines_next(struct lines *lines, size_t *length)
{
    char *end = next_end(lines);
    char *line = lines->buffer + lines->begin;

    if (lines->too_long || (end == NULL && lines->begin == lines->end)) {
        return NULL;
    }
    lines->cut = end == NULL;
    end = lines->cut ? lines->buffer + lines->end : end;
    *end = '\0';
    *length = (size_t)(end - line);
    lines->begin += *length + (lines->cut ? 0 : 1);
    lines->number++;
    return line;
}

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
    if (span.lane == KEEL_NAME_LIST_NONE) {
        data->left_out++;
    } else {
        keel_trace_data_add_span(data, &span);
    }
    return true;
}

/* --- files --- */

enum form { UNKNOWN, JSON, CSV };

struct file {
    struct keel_trace_data *data;
    const char *path;
    unsigned number;
    enum form form;
    struct lines lines;
    size_t bad, first_bad; /* lines without events, and the first one's number */
    bool ends_within;      /* the last line is cut off */
};

/* What the first line that is not empty says. */
static enum form form_of(const char *line)
{
    line += strspn(line, " \t\r");
    return line[0] == '\0' ? UNKNOWN : line[0] == '[' || line[0] == '{' ? JSON : CSV;
}

static void take_line(struct file *file, char *line, size_t length)
{
    if (file->form == UNKNOWN) {
        file->form = form_of(line);
        file->data->timed &= file->form != CSV;
    }
    if (file->form == CSV ? keel_csv_chunk_take(file->data, file->number, line)
                          : keel_json_event_take(file->data, file->number, line, length)) {
        return;
    }
    if (file->lines.cut) {
        file->ends_within = true;
        return;
    }
    file->first_bad = file->bad == 0 ? file->lines.number : file->first_bad;
    file->bad++;
}

/* The time of a chunk is its line's last field: where that is cut off, nothing shows it. */
static bool is_whole(const struct file *file)
{
    return file->form != CSV || !file->lines.cut;
}

static void take_lines(struct file *file)
{
    size_t length;

    for (char *line; (line = lines_next(&file->lines, &length)) != NULL;) {
        if (is_whole(file)) {
            take_line(file, line, length);
        } else {
            file->ends_within = true;
        }
    }
}

/* --- what is said --- */

static void say_what_is_missing(const struct file *file)
{
    if (file->lines.error != 0) {
        keel_message("'%s' cannot be read to its end: %s; using what stands before", file->path,
                     strerror(file->lines.error));
    } else if (file->lines.too_long) {
        keel_message("'%s', line %zu: longer than %zu bytes; using what stands before", file->path,
                     file->lines.number + 1, LENGTH_MAX);
    } else if (file->ends_within) {
        keel_message("'%s' ends within line %zu; using what stands before", file->path,
                     file->lines.number);
    }
    if (file->bad > 0) {
        keel_message("'%s', line %zu: not an event of a trace; %zu such line%s left out",
                     file->path, file->first_bad, file->bad, file->bad == 1 ? " is" : "s are");
    }
}

static bool read_file(struct keel_trace_data *data, const char *path, unsigned number)
{
    struct file file = {.data = data, .path = path, .number = number};
    size_t spans = data->spans;

    if (!lines_begin(&file.lines, path)) {
        keel_message("'%s' cannot be read: %s", path, strerror(file.lines.error));
        return false;
    }
    data->offset_ns = 0;
    take_lines(&file);
    lines_end(&file.lines);
    if (data->spans > spans || data->left_out > 0) {
        say_what_is_missing(&file);
        return true;
    }
    if (file.lines.error != 0) {
        keel_message("'%s' cannot be read: %s", path, strerror(file.lines.error));
    } else {
        keel_message("'%s' holds no trace of loops: expected what KEEL_TRACE writes, an event a "
                     "line, or %s",
                     path, CSV_HEADER);
    }
    return false;
}

/* --- files of ranks --- */

#define RANKS_MAX 65536

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
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, job, size - 1) : 0;

    if (file >= 0) {
        close(file);
    }
    job[length > 0 ? length : 0] = '\0';
    char *end = strstr(job, ",\"program\":");
    job[end != NULL ? end - job : 0] = '\0';
}

/* Ranks whose files are beside `path`, into rank[RANKS_MAX]. */
static size_t find_ranks(const char *path, uint64_t *rank)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    char folder[PATH_MAX] = ".";
    size_t length = strlen(base), count = 0;

    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    }
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, base, length) == 0 && entry->d_name[length] == '.' &&
            count < RANKS_MAX &&
            keel_number_whole(entry->d_name + length + 1, 0, INT_MAX, &rank[count])) {
            count++;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return count;
}

static int by_number(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;

    return (*a > *b) - (*a < *b);
}

/* Files of other jobs, which have had more ranks, are left out. */
static bool read_ranks(struct keel_trace_data *data, const char *path, unsigned *number)
{
    uint64_t *rank = malloc(RANKS_MAX * sizeof *rank);
    size_t count = rank != NULL ? find_ranks(path, rank) : 0;
    char file[PATH_MAX + 16], job[4096], other[4096];
    bool good = false;

    qsort(rank, count, sizeof *rank, by_number);
    for (size_t i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s.%u", path, (unsigned)rank[i]);
        read_job(file, i == 0 ? job : other, sizeof job);
        if (i == 0 || strcmp(job, other) == 0) {
            good |= read_file(data, file, (*number)++);
        }
    }
    free(rank);
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
    if (data->left_out > 0) {
        keel_message("the trace has more than there is room for: %zu events are left out",
                     data->left_out);
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
