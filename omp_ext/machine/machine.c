/* The costs of a machine, and their file. */
#define _GNU_SOURCE
#include "omp_ext/machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/text/nearest.h"
#include "schedules/text/number.h"
#include "schedules/text/text.h"

#define LINE_MAX_BYTES 512
#define PROBLEM_MAX 256

/* Standard values: a cluster of present-day machines on 10 Gbit/s Ethernet; loops as on one x86-64
 * machine of a few cores. */
const struct keel_machine_cost_info keel_machine_costs[KEEL_MACHINE_COSTS] = {
    [KEEL_MACHINE_MESSAGE_STARTUP] = {"message_startup", "s", "an empty message", 2e-5},
    [KEEL_MACHINE_MESSAGE_BYTE] = {"message_byte", "s/B", "each byte of a message", 1e-9},
    [KEEL_MACHINE_POLL] = {"poll", "s", "looking for a message in vain", 2e-7},
    [KEEL_MACHINE_PACK_ROW] = {"pack_row", "s", "packing a row", 1e-7},
    [KEEL_MACHINE_PACK_BYTE] = {"pack_byte", "s/B", "each byte of it", 2e-10},
    [KEEL_MACHINE_UNPACK_ROW] = {"unpack_row", "s", "unpacking a row", 1e-7},
    [KEEL_MACHINE_UNPACK_BYTE] = {"unpack_byte", "s/B", "each byte of it", 2e-10},
    [KEEL_MACHINE_CONTEXT_SWITCH] = {"context_switch", "s", "from one thread to another on a core",
                                     2e-6},
    [KEEL_MACHINE_INTERACTION] = {"interaction", "s", "all ranks telling each other their figures",
                                  1e-4},
    [KEEL_MACHINE_CLAIM_STEP] = {"claim_step", "s", "a chunk by a counter of the team", 3e-8},
    [KEEL_MACHINE_CLAIM_OWN] = {"claim_own", "s", "a chunk that nobody else could get", 4e-9},
    [KEEL_MACHINE_CLAIM_WEIGHTED] = {"claim_weighted", "s", "a chunk by weights or of a block",
                                     4.5e-8},
    [KEEL_MACHINE_CLAIM_TIMED] = {"claim_timed", "s", "a chunk that is timed", 1e-7},
    [KEEL_MACHINE_CLAIM_START] = {"claim_start", "s", "the start of a loop whose chunks are timed",
                                  5e-7},
};

/* --- values --- */

void keel_machine_begin(struct keel_machine *machine)
{
    machine->stated = 0;
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        machine->value[i] = keel_machine_costs[i].standard;
    }
}

void keel_machine_state(struct keel_machine *machine, enum keel_machine_cost cost, double value)
{
    machine->value[cost] = value;
    machine->stated |= UINT32_C(1) << cost;
}

bool keel_machine_set(struct keel_machine *machine, enum keel_machine_cost cost, const char *text)
{
    double value;

    if (!keel_number_real(text, &value) || value > KEEL_MACHINE_COST_MAX) {
        return false;
    }
    keel_machine_state(machine, cost, value);
    return true;
}

enum keel_machine_cost keel_machine_find(const char *name, size_t length)
{
    unsigned i = 0;

    while (i < KEEL_MACHINE_COSTS && (strlen(keel_machine_costs[i].name) != length ||
                                      memcmp(keel_machine_costs[i].name, name, length) != 0)) {
        i++;
    }
    return (enum keel_machine_cost)i;
}

const char *keel_machine_nearest(const char *name, size_t length)
{
    static struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, length);
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        const char *known = keel_machine_costs[i].name;
        keel_nearest_consider(&nearest, known, strlen(known));
    }
    return keel_nearest_hint(&nearest);
}

struct keel_claim_costs keel_machine_claim_costs(const struct keel_machine *machine)
{
    return (struct keel_claim_costs){
        .step_ns = machine->value[KEEL_MACHINE_CLAIM_STEP] * 1e9,
        .own_ns = machine->value[KEEL_MACHINE_CLAIM_OWN] * 1e9,
        .weighted_ns = machine->value[KEEL_MACHINE_CLAIM_WEIGHTED] * 1e9,
        .timed_ns = machine->value[KEEL_MACHINE_CLAIM_TIMED] * 1e9,
        .start_ns = machine->value[KEEL_MACHINE_CLAIM_START] * 1e9,
    };
}

/* --- reading --- */

/* What was wrong with a file: how many lines, and the first of them in words. */
struct complaint {
    unsigned lines;
    char first[PROBLEM_MAX];
};

__attribute__((format(printf, 2, 3))) static void complain(struct complaint *complaint,
                                                           const char *format, ...)
{
    va_list arguments;

    if (complaint->lines++ == 0) {
        va_start(arguments, format);
        vsnprintf(complaint->first, sizeof complaint->first, format, arguments);
        va_end(arguments);
    }
}

static void read_cost(struct keel_machine *machine, struct keel_text name, struct keel_text value,
                      unsigned line, struct complaint *complaint)
{
    enum keel_machine_cost cost = keel_machine_find(name.start, name.length);
    char digits[64];

    if (cost == KEEL_MACHINE_COSTS) {
        complain(complaint, "line %u: unknown cost '%.*s'%s", line, KEEL_TEXT_SHOWN(name),
                 keel_machine_nearest(name.start, name.length));
        return;
    }
    snprintf(digits, sizeof digits, "%.*s", (int)(value.length < 63 ? value.length : 63),
             value.start);
    if (value.length >= sizeof digits || !keel_machine_set(machine, cost, digits)) {
        complain(complaint, "line %u: %s: '%.*s' is not a number from 0 to %g", line,
                 keel_machine_costs[cost].name, KEEL_TEXT_SHOWN(value), KEEL_MACHINE_COST_MAX);
    }
}

static void read_line(struct keel_machine *machine, const char *text, size_t length, unsigned line,
                      struct complaint *complaint)
{
    struct keel_text rest = {text, length};
    struct keel_text content = keel_text_take(&rest, "#\n");
    struct keel_text name = keel_text_take(&content, "=");

    if (name.length == 0 && content.length == 0) {
        return;
    }
    if (content.length == 0) {
        complain(complaint, "line %u: '%.*s' is not NAME = NUMBER", line, KEEL_TEXT_SHOWN(name));
        return;
    }
    keel_text_skip(&content);
    read_cost(machine, name, keel_text_trimmed(content), line, complaint);
}

static void read_lines(struct keel_machine *machine, FILE *stream, struct complaint *complaint)
{
    char text[LINE_MAX_BYTES];
    unsigned line = 1;

    while (fgets(text, sizeof text, stream) != NULL) {
        size_t length = strlen(text);
        read_line(machine, text, length, line, complaint);
        line += length > 0 && text[length - 1] == '\n';
    }
    if (ferror(stream)) {
        complain(complaint, "line %u cannot be read: %s", line, strerror(errno));
    }
}

static void report(const struct complaint *complaint, const char *name)
{
    if (complaint->lines == 1) {
        keel_message("%s: %s; the line is left out", name, complaint->first);
    } else if (complaint->lines > 1) {
        keel_message("%s: %s; it and %u more lines that are wrong are left out", name,
                     complaint->first, complaint->lines - 1);
    }
}

void keel_machine_read_stream(struct keel_machine *machine, FILE *stream, const char *name)
{
    struct complaint complaint = {0};

    read_lines(machine, stream, &complaint);
    report(&complaint, name);
}

static bool is_regular(FILE *stream)
{
    struct stat status;

    return fstat(fileno(stream), &status) == 0 && !S_ISDIR(status.st_mode);
}

bool keel_machine_read(struct keel_machine *machine, const char *path)
{
    FILE *stream = fopen(path, "re");

    if (stream == NULL || !is_regular(stream)) {
        keel_message("%s: no machine costs can be read: %s; standard values are used", path,
                     stream == NULL ? strerror(errno) : "it is a folder");
        if (stream != NULL) {
            fclose(stream);
        }
        return false;
    }
    keel_machine_read_stream(machine, stream, path);
    fclose(stream);
    return true;
}

bool keel_machine_place(char *path, size_t size)
{
    const char *cache = keel_environment_value("XDG_CACHE_HOME");
    const char *home = keel_environment_value("HOME");
    int length = 0;

    /* a relative one does not count, says the XDG specification */
    if (cache != NULL && cache[0] == '/') {
        length = snprintf(path, size, "%s/keel/machine", cache);
    } else if (home != NULL) {
        length = snprintf(path, size, "%s/.cache/keel/machine", home);
    }
    return length > 0 && (size_t)length < size;
}

bool keel_machine_load(struct keel_machine *machine)
{
    char path[PATH_MAX];

    keel_machine_begin(machine);
    return keel_machine_place(path, sizeof path) && access(path, F_OK) == 0 &&
           keel_machine_read(machine, path);
}

/* --- writing --- */

void keel_machine_print(const struct keel_machine *machine, FILE *stream)
{
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        const struct keel_machine_cost_info *info = &keel_machine_costs[i];
        if (keel_machine_states(machine, i)) {
            fprintf(stream, "%s = %.6g # %s, %s\n", info->name, machine->value[i], info->unit,
                    info->text);
        }
    }
}

/* What cannot be made shows when the file is. */
static void make_folders(const char *path)
{
    char folder[PATH_MAX];

    for (const char *slash = strchr(path + 1, '/');
         slash != NULL && (size_t)(slash - path) < sizeof folder; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0777);
    }
}

static bool fill(int file, const struct keel_machine *machine)
{
    FILE *stream = fdopen(file, "w");

    if (stream == NULL) {
        close(file);
        return false;
    }
    fprintf(stream, "# Costs of this machine, by `keel model calibrate`\n");
    keel_machine_print(machine, stream);
    bool filled = fflush(stream) == 0 && !ferror(stream);
    return fclose(stream) == 0 && filled;
}

/* mkostemp() makes files for their owner alone; this one is as others are. */
static bool open_to_all(int file)
{
    mode_t mask = umask(0);

    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

static bool replace(const struct keel_machine *machine, const char *path)
{
    char temporary[PATH_MAX];

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    bool open = open_to_all(file);
    if (fill(file, machine) && open && rename(temporary, path) == 0) {
        return true;
    }
    int error = errno;
    unlink(temporary);
    errno = error;
    return false;
}

/* A device or a pipe is written to, not replaced. */
static bool write_to(const struct keel_machine *machine, const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        return replace(machine, path);
    }
    int file = open(path, O_WRONLY | O_CLOEXEC);
    return file >= 0 && fill(file, machine);
}

bool keel_machine_write(const struct keel_machine *machine, const char *path)
{
    make_folders(path);
    bool written = write_to(machine, path);
    if (!written) {
        keel_message("%s: machine costs cannot be written: %s; nothing is kept", path,
                     strerror(errno));
    }
    return written;
}
