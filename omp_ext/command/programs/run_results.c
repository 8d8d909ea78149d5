/* What a run of a program leaves behind, beside what a reference has left. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

#define LINE_MAX_BYTES (1 << 20)
#define BEFORE_MAX 24 /* characters of an excerpt before the difference */

/* --- two lines --- */

static bool close_enough(double x, double y, double tolerance)
{
    return x == y || fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y));
}

/* How many bytes the number has that the text begins with, its sign included; 0: there is none.
 * Fortran writes exponents with D. */
static size_t read_number(const char *text, double *number)
{
    size_t signs = *text == '-' || *text == '+';
    char copy[64];

    snprintf(copy, sizeof copy, "%.63s", text + signs); /* not all of a long line each time */
    size_t length = keel_number_begin(copy, number);
    if (length > 0 && (copy[length] == 'D' || copy[length] == 'd')) {
        copy[length] = 'e';
        length = keel_number_begin(copy, number);
    }
    *number = *text == '-' ? -*number : *number;
    return length > 0 ? signs + length : 0;
}

bool keel_lines_equal(const char *wanted, const char *got, double tolerance)
{
    if (tolerance <= 0) {
        return strcmp(wanted, got) == 0;
    }
    while (*wanted != '\0' && *got != '\0') {
        double x = 0, y = 0;
        size_t first = read_number(wanted, &x), second = read_number(got, &y);
        bool numbers = first > 0 && second > 0;
        if (numbers ? !close_enough(x, y, tolerance) : *wanted != *got) {
            return false;
        }
        wanted += numbers ? first : 1;
        got += numbers ? second : 1;
    }
    return *wanted == *got;
}

/* --- two files --- */

/* Two files that are read side by side. */
struct pair {
    FILE *file[2];
    char *line[2]; /* LINE_MAX_BYTES each */
    bool more[2];
    bool zero[2];    /* a byte 0 has ended the line, as in binary files */
    uint64_t number; /* of the line, from 1 */
};

static void open_pair(struct pair *pair, const char *wanted, const char *got)
{
    *pair = (struct pair){
        .file = {fopen(wanted, "re"), fopen(got, "re")},
        .line = {keel_command_memory(LINE_MAX_BYTES, 1), keel_command_memory(LINE_MAX_BYTES, 1)}};
}

static void close_pair(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        if (pair->file[i] != NULL) {
            fclose(pair->file[i]);
        }
        free(pair->line[i]);
    }
}

/* The next line, or piece of one; "" and false at the end. */
static bool read_line(FILE *file, char *line, bool *zero)
{
    size_t length = 0;
    int byte = EOF;

    while (file != NULL && length < LINE_MAX_BYTES - 1 && (byte = getc_unlocked(file)) != EOF &&
           byte != '\n' && byte != '\0') {
        line[length++] = (char)byte;
    }
    line[length] = '\0';
    *zero = byte == '\0';
    return length > 0 || byte != EOF;
}

static bool next_lines(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        pair->more[i] = read_line(pair->file[i], pair->line[i], &pair->zero[i]);
    }
    pair->number++;
    return pair->more[0] || pair->more[1];
}

static int by_number(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

    return (first > second) - (first < second);
}

bool keel_left_out_has(const struct keel_left_out *left_out, uint64_t line)
{
    return left_out != NULL && bsearch(&line, left_out->line, left_out->count,
                                       sizeof *left_out->line, by_number) != NULL;
}

static bool is_ignored(const struct keel_comparison *how, const char *line)
{
    return how->ignored != NULL && regexec(how->ignored, line, 0, NULL, 0) == 0;
}

static bool same_lines(const struct pair *pair, const struct keel_comparison *how)
{
    if (pair->more[0] != pair->more[1]) {
        return false;
    }
    return keel_left_out_has(how->left_out, pair->number) ||
           (pair->zero[0] == pair->zero[1] &&
            keel_lines_equal(pair->line[0], pair->line[1], how->tolerance)) ||
           (is_ignored(how, pair->line[0]) && is_ignored(how, pair->line[1]));
}

/* What can be shown of a line, from `from` on. */
static void take_excerpt(const char *line, size_t from, char *excerpt)
{
    size_t length = strlen(line);
    size_t start = from > BEFORE_MAX ? from - BEFORE_MAX : 0;

    start = start < length ? start : length;
    snprintf(excerpt, KEEL_EXCERPT_MAX, "%s%.50s%s", start > 0 ? "..." : "", line + start,
             length - start > 50 ? "..." : "");
    for (char *byte = excerpt; *byte != '\0'; byte++) {
        *byte = (unsigned char)*byte < ' ' ? '.' : *byte;
    }
}

static void take_excerpts(const struct pair *pair, struct keel_difference *difference)
{
    size_t same = 0;

    while (pair->line[0][same] != '\0' && pair->line[0][same] == pair->line[1][same]) {
        same++;
    }
    difference->line = pair->number;
    take_excerpt(pair->line[0], same, difference->wanted);
    take_excerpt(pair->line[1], same, difference->got);
    for (int i = 0; i < 2; i++) {
        if (!pair->more[i]) {
            strcpy(i == 0 ? difference->wanted : difference->got,
                   pair->file[i] == NULL ? "(no file)" : "(end)");
        }
    }
}

bool keel_files_equal(const char *wanted, const char *got, const struct keel_comparison *how,
                      struct keel_difference *difference)
{
    struct pair pair;
    bool same = true;

    open_pair(&pair, wanted, got);
    if ((pair.file[0] == NULL) != (pair.file[1] == NULL)) {
        next_lines(&pair);
        same = false;
    }
    while (same && next_lines(&pair)) {
        same = same_lines(&pair, how);
    }
    if (!same && difference != NULL) {
        take_excerpts(&pair, difference);
    }
    close_pair(&pair);
    return same;
}

/* In its place; false: no room. */
static bool add_line(struct keel_left_out *left_out, uint64_t line)
{
    if (left_out->count == KEEL_LEFT_OUT_MAX) {
        return false;
    }
    left_out->line[left_out->count++] = line;
    qsort(left_out->line, left_out->count, sizeof *left_out->line, by_number);
    return true;
}

bool keel_files_leave_out(const char *wanted, const char *got, const struct keel_comparison *how,
                          struct keel_left_out *left_out)
{
    struct keel_comparison so_far = *how;
    struct pair pair;
    bool fits = true;

    so_far.left_out = left_out;
    open_pair(&pair, wanted, got);
    while (fits && next_lines(&pair)) {
        fits = pair.more[0] == pair.more[1] &&
               (same_lines(&pair, &so_far) || add_line(left_out, pair.number));
    }
    close_pair(&pair);
    return fits;
}

/* --- results of a run --- */

const char *keel_results_path(const struct keel_results *results, const char *name)
{
    static char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/%s", results->folder, name);
    return path;
}

const char *keel_results_stdout(const struct keel_results *results)
{
    return keel_results_path(results, "stdout");
}

/* Of the reference. Static memory. */
static const char *wanted_path(const struct keel_results *results, size_t file)
{
    static char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/wanted.%zu", results->folder, file);
    return path;
}

/* What the last run has written there. */
static const char *got_path(const struct keel_results *results, size_t file)
{
    return file == 0 ? keel_results_stdout(results) : results->output[file - 1];
}

const char *keel_results_name(const struct keel_results *results, size_t file)
{
    return file == 0 ? "stdout" : results->output[file - 1];
}

/* A file that is not there has no copy. */
static bool copy_file(const char *from, const char *to)
{
    FILE *source = fopen(from, "re");

    if (source == NULL) {
        return unlink(to) == 0 || errno == ENOENT;
    }
    errno = keel_output_write(source, to);
    bool done = errno == 0;
    fclose(source);
    return done;
}

/* --- the folder --- */

bool keel_results_begin(struct keel_results *results, const char *name)
{
    results->folder = keel_temporary_make(name);
    if (results->folder == NULL) {
        keel_message("no folder can be made in '%s' (TMPDIR): %s", keel_temporary_within(),
                     strerror(errno));
        return false;
    }
    results->left_out = keel_command_memory(results->outputs + 1, sizeof *results->left_out);
    return true;
}

void keel_results_end(struct keel_results *results)
{
    if (results->folder != NULL) {
        keel_report_folder_remove(results->folder);
    }
}

/* --- comparing --- */

bool keel_results_keep(struct keel_results *results)
{
    bool kept = true;

    for (size_t i = 0; kept && i <= results->outputs; i++) {
        results->left_out[i].count = 0;
        if (i > 0 && access(got_path(results, i), F_OK) != 0) {
            keel_message("--output: the first run has left no file '%s'", got_path(results, i));
        }
        kept = copy_file(got_path(results, i), wanted_path(results, i));
    }
    return kept;
}

bool keel_results_equal(const struct keel_results *results,
                        struct keel_results_difference *difference)
{
    for (size_t i = 0; i <= results->outputs; i++) {
        struct keel_comparison how = results->how;
        how.left_out = &results->left_out[i];
        if (!keel_files_equal(wanted_path(results, i), got_path(results, i), &how,
                              &difference->difference)) {
            difference->file = i;
            return false;
        }
    }
    return true;
}

bool keel_results_leave_out(struct keel_results *results)
{
    for (size_t i = 0; i <= results->outputs; i++) {
        struct keel_comparison how = results->how;
        if (!keel_files_leave_out(wanted_path(results, i), got_path(results, i), &how,
                                  &results->left_out[i])) {
            return false;
        }
    }
    return true;
}

#define LINES_SHOWN 10

void keel_results_print_left_out(const struct keel_results *results)
{
    for (size_t i = 0; i <= results->outputs; i++) {
        const struct keel_left_out *left_out = &results->left_out[i];
        for (size_t j = 0; j < left_out->count && j < LINES_SHOWN; j++) {
            printf("%s%llu", j == 0 ? "  not compared: line " : ", ",
                   (unsigned long long)left_out->line[j]);
        }
        if (left_out->count > 0) {
            printf("%s of %s\n", left_out->count > LINES_SHOWN ? ", ..." : "",
                   keel_results_name(results, i));
        }
    }
}
