/* keel report: where the time of a program went. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/report/report_text.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

struct request {
    struct keel_options options;
    const char *output; /* NULL: none was named */
    bool json;
    struct keel_report_text_options text;
    bool from; /* the program's words are files */
};

/* --- reports in files --- */

static bool refuse(const char *path, const char *reason)
{
    keel_message("'%.200s' %s; it is left out", path, reason);
    return false;
}

/* As the process itself would have completed it. */
static bool read_recording(struct keel_report_document *reports, const char *bytes, size_t length,
                           char *reason)
{
    const struct keel_recording_header *header = (const void *)bytes;
    struct keel_report_process *process = keel_recording_report(bytes, length, reports);

    if (process == NULL && length >= sizeof *header && header->version != KEEL_RECORDING_VERSION) {
        snprintf(reason, KEEL_REPORT_REASON_MAX, "is a recording of version %u, expected %d",
                 header->version, KEEL_RECORDING_VERSION);
        return false;
    }
    if (process == NULL) {
        snprintf(reason, KEEL_REPORT_REASON_MAX, "%s",
                 reports->short_of_memory ? "can't be read: memory is short"
                                          : "is a damaged recording");
        return false;
    }
    keel_report_complete(reports, process);
    return true;
}

/* Adds what a file holds: a report, or a recording. False, after a message: neither. */
static bool gather_file(struct keel_report_document *reports, const char *path)
{
    static const char magic[] = KEEL_RECORDING_MAGIC;
    char reason[KEEL_REPORT_REASON_MAX];
    size_t length;
    char *bytes = keel_report_file_contents(path, &length, reason);
    bool good = bytes != NULL;

    if (good && length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0) {
        good = read_recording(reports, bytes, length, reason);
    } else if (good) {
        good = keel_report_read(bytes, length, reports, reason);
    }
    free(bytes);
    return good || refuse(path, reason);
}

/* Of a folder that processes have left them in; those of ranks that do not run this command are in
 * folders there. What can't be read is left out, after a message; what is being written is none. A
 * recording is there where no report could be written, or the process became another program by
 * exec(). */
static void gather_one(const char *path, const char *name, void *reports)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        keel_report_folder_each(path, gather_one, reports);
    } else if (strstr(name, ".new-") == NULL) {
        gather_file(reports, path);
    }
}

/* Writes the report in the form of the options; without a file, to standard output if `shown`,
 * otherwise to standard error. Returns false, after a message, if it can't be written. */
static bool write_all(struct keel_report_document *reports, const struct request *request,
                      bool shown)
{
    const char *file = request->output != NULL ? request->output : shown ? "/dev/stdout" : NULL;

    keel_report_job_sort(reports->process, reports->count);
    int error =
        keel_report_output(reports->process, reports->count, file, request->json, request->text);
    if (error != 0) {
        keel_message("'%.200s' cannot be written: %s", file != NULL ? file : "standard error",
                     keel_trace_file_reason(error));
    }
    return error == 0;
}

/* --- running a program --- */

/* report: KEEL_REPORT. */
static struct keel_child run_under(const struct request *request, const char *preload,
                                   const char *report)
{
    const struct keel_setting settings[] = {
        {"LD_PRELOAD", preload},
        {"KEEL_SCHEDULE", request->options.schedule},
        {"OMP_NUM_THREADS", request->options.threads},
        {"KEEL_REPORT", report},
        {0},
    };

    return keel_child_run(request->options.program, settings);
}

/* Of a full disk, processes with loops have said so. False: nothing is known of the loops. */
static bool explain_nothing(const struct request *request, const char *folder, int status)
{
    int error = keel_temporary_try(folder);

    if (error != 0) {
        keel_message(
            "nothing can be written to '%s': %s; whether loops of '%s' came to Keel is not "
            "known",
            folder, strerror(error), request->options.program[0]);
    } else if (!keel_unseen_explain(request->options.program[0], status, "")) {
        keel_message("no parallel region or loop of '%s' came to Keel, so there is no report; it "
                     "has to use GCC's OpenMP",
                     request->options.program[0]);
    }
    return error == 0;
}

/* Removes the folder; who reads what is printed may not wait for its end. False: they cannot be
 * written, or not be there. */
static bool print_reports(const struct request *request, const char *folder, int status)
{
    struct keel_report_document reports = {0};
    bool good = true;

    keel_report_folder_each(folder, gather_one, &reports);
    if (reports.count == 0) {
        good = explain_nothing(request, folder, status);
    }
    keel_report_folder_remove(folder);
    if (reports.count > 0) {
        good = write_all(&reports, request, false);
    }
    keel_report_document_free(&reports);
    return good;
}

static int follow(const struct request *request, const struct keel_child *child, bool good)
{
    if (child->error != 0) {
        return keel_child_refused(request->options.program[0], child->error);
    }
    if (!good && WIFEXITED(child->status)) {
        return KEEL_EXIT_OWN;
    }
    keel_child_follow(child->status);
}

/* Ranks of a job, each behind a command of its own, bring their report together by themselves. */
static bool is_rank(void)
{
    char job[KEEL_LAUNCH_JOB_MAX];

    keel_launch_job(keel_environment_value, job);
    return keel_launch_local_ranks(keel_environment_value) > 0 && job[0] != '\0';
}

static int run_rank(const struct request *request, const char *preload)
{
    if (request->json || request->text.all || request->text.top > 0) {
        keel_message("--json, --all and --top are for `keel report -- mpirun ...', and left out");
    }
    const char *report = request->output != NULL ? request->output : "1";
    struct keel_child child = run_under(request, preload, report);
    return follow(request, &child, true);
}

static int run_program(struct request *request, const char *preload)
{
    char *folder = keel_temporary_make("keel-report");

    if (folder == NULL) {
        keel_message("no folder for reports can be made in '%s': %s", keel_temporary_within(),
                     strerror(errno));
        keel_message("'%s' is not run", request->options.program[0]);
        return KEEL_EXIT_OWN;
    }
    const char *report = keel_command_text("%s/%%p.json", folder);
    struct keel_child child = run_under(request, preload, report);
    request->text.signal = keel_child_signal(&child);
    bool good = true;
    if (child.error == 0) {
        good = print_reports(request, folder, child.status);
    } else {
        keel_report_folder_remove(folder);
    }
    return follow(request, &child, good);
}

static int start(struct request *request)
{
    if (!keel_options_check_schedule(&request->options)) {
        return KEEL_EXIT_USAGE;
    }
    const char *preload = keel_library_find(true);
    if (preload == NULL) {
        keel_message("'%s' is not run", request->options.program[0]);
        return KEEL_EXIT_OWN;
    }
    return is_rank() ? run_rank(request, preload) : run_program(request, preload);
}

/* --- showing files --- */

static bool show(const struct request *request)
{
    struct keel_report_document reports = {0};
    bool good = true;

    for (char **file = request->options.program; *file != NULL; file++) {
        good = gather_file(&reports, *file) && good;
    }
    if (reports.count > 0) {
        good = write_all(&reports, request, true) && good;
    }
    keel_report_document_free(&reports);
    return good;
}

static void gather_recording(const char *path, const char *name, void *reports)
{
    if (strstr(name, ".recording") != NULL) {
        gather_file(reports, path);
    }
}

void keel_report_show_recordings(const char *folder, int signal)
{
    const struct request request = {.text.signal = signal};
    struct keel_report_document reports = {0};

    keel_report_folder_each(folder, gather_recording, &reports);
    if (reports.count > 0) {
        write_all(&reports, &request, false);
    }
    keel_report_document_free(&reports);
}

#define AT(member) offsetof(struct request, member)

static int run(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"output", 'o', "FILE",
         "Writes the report to FILE instead of standard error: JSON where the name ends in .json, "
         "else text",
         0, keel_take_text, .at = AT(output)},
        {"json", 0, NULL, "Writes JSON in any case", 0, keel_take_flag, .at = AT(json)},
        {"all", 0, NULL, "Loops, ranks and decisions that matter little, too", 0, keel_take_flag,
         .at = AT(text.all)},
        {"top", 0, "N", "At most N loops", 0, keel_take_count, AT(text.top), 1, 999999999},
        {"from", 0, NULL,
         "The words are files: shows these reports, parts of ranks merged, on standard output", 0,
         keel_take_flag, .at = AT(from)},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .shared = keel_options_start,
        .shared_at = AT(options),
        .words_at = AT(options.program),
        .least = 1,
        .is_program = true,
        .form = "PROGRAM [ARGUMENT...]\n--from FILE...",
        .text =
            "Runs the program, and prints where the time of its threads went: loop by loop, the "
            "seconds that were lost, why, and what would help.\v"
            "All parallel regions and loops of programs built with GCC are seen, whoever "
            "schedules them. The report follows on standard error when the program has ended, "
            "also if a signal ended it. A program that starts others gets one for each that had "
            "parallel regions.\n\n"
            "Ranks: keel report -- mpirun -n 4 ./program, or mpirun -n 4 keel report "
            "./program; one report for all. Processes leave their reports in TMPDIR until then: "
            "for "
            "mpirun on several nodes, one that these share.\n\n"
            "The exit code is the program's; if a signal ended it, the same signal ends keel. "
            "2: the command line cannot be used, 125: Keel itself failed, as where the report "
            "cannot be written, 126: the program cannot be run, 127: it is not found. With "
            "--from, 1: a file cannot be used.",
    };
    struct request request = {0};

    keel_command_line_read(&line, argc, argv, &request);
    if (request.from) {
        return show(&request) ? 0 : KEEL_EXIT_MISSING;
    }
    return start(&request);
}

const struct keel_subcommand keel_subcommand_report = {
    .name = "report",
    .summary = "run a program and print where its time went, loop by loop",
    .run = run,
};
