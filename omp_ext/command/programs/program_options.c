/* What a program is started with: its environment, and what the command line says of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- what a program's environment gets so that libkeel.so is loaded into it --- */

#define SEPARATORS ": " /* as ld.so(8) reads the list */
#define LIBGOMP "libgomp.so"

static bool is_libgomp(const char *item, size_t length)
{
    const char *slash = memrchr(item, '/', length);
    const char *name = slash != NULL ? slash + 1 : item;

    return (size_t)(item + length - name) >= strlen(LIBGOMP) &&
           strncmp(name, LIBGOMP, strlen(LIBGOMP)) == 0;
}

/* Length of the list before its first libgomp; all of it if there is none. *held: `library` is
 * in it. */
static size_t length_before_libgomp(const char *list, const char *library, bool *held)
{
    size_t before = strlen(list);

    *held = false;
    for (const char *item = list; *item != '\0';) {
        size_t length = strcspn(item, SEPARATORS);
        if (is_libgomp(item, length) && (size_t)(item - list) < before) {
            before = (size_t)(item - list);
        }
        *held |= length == strlen(library) && memcmp(item, library, length) == 0;
        item += length + (item[length] != '\0');
    }
    return before;
}

char *keel_preload_list(const char *list, const char *library)
{
    bool held;

    if (list == NULL) {
        return keel_command_text("%s", library);
    }
    size_t before = length_before_libgomp(list, library, &held);
    if (held) {
        return keel_command_text("%s", list);
    }
    const char *rest = list + before;
    bool separated = before == 0 || strchr(SEPARATORS, list[before - 1]) != NULL;
    return keel_command_text("%.*s%s%s%s%s", (int)before, list, separated ? "" : ":", library,
                             *rest != '\0' ? ":" : "", rest);
}

static bool asks_for_calls(void)
{
    static const char *const asking[] = {"KEEL_REPORT", "KEEL_TRACE", "KEEL_SHARE_CORES",
                                         "KEEL_MPI_WAIT"};

    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        if (keel_environment_value(asking[i]) != NULL) {
            return true;
        }
    }
    return false;
}

const char *keel_library_find(bool for_report)
{
    struct keel_installed library, calls;

    if (!keel_installation_find(KEEL_PART_LIBRARY, &library)) {
        return NULL;
    }
    if (strpbrk(library.folder, SEPARATORS) != NULL) {
        keel_message(
            "'%s': the dynamic linker cannot preload from a folder with a blank or a colon "
            "in its name",
            library.folder);
        return NULL;
    }
    char *list = keel_preload_list(keel_environment_value("LD_PRELOAD"),
                                   keel_command_text("%s/%s", library.folder, library.file));
    return (for_report || asks_for_calls()) &&
                   keel_installation_has(KEEL_PART_MPI_CALLS, "", &calls)
               ? keel_command_text("%s:%s/%s", list, calls.folder, calls.file)
               : list;
}

/* --- options that several subcommands have in common --- */

#define THREADS_MAX 1000000

#define AT(member) offsetof(struct keel_options, member)

/* The word stays as it is, for the environment: digits, as libgomp reads it. */
static void take_threads(struct argp_state *state, const struct keel_option *option, char *word,
                         void *at)
{
    uint64_t number;

    if (!keel_number_whole(word, (uint64_t)option->low, (uint64_t)option->high, &number)) {
        argp_error(state, "--%s: '%s' is not a whole number from %g to %g", option->name, word,
                   option->low, option->high);
    }
    *(const char **)at = word;
}

/* For the programs to come. Threads that wait for their team give their cores away soon. */
static void share_cores(struct argp_state *state, const struct keel_option *option, char *word,
                        void *at)
{
    (void)state, (void)option, (void)word, (void)at;
    setenv("KEEL_SHARE_CORES", "1", 1);
    if (keel_environment_value("OMP_WAIT_POLICY") == NULL &&
        keel_environment_value("GOMP_SPINCOUNT") == NULL) {
        setenv("GOMP_SPINCOUNT", "1000", 1);
    }
}

const struct keel_option keel_options_start[] = {
    {"schedule", 's', "SPEC", "Schedule of the program's loops, as for KEEL_SCHEDULE", 0,
     keel_take_text, .at = AT(schedule)},
    {"threads", 't', "THREADS", "Threads of its teams, as for OMP_NUM_THREADS", 0, take_threads,
     AT(threads), 1, THREADS_MAX},
    {"share-cores", 0, NULL, "Ranks of a node share its cores, as for KEEL_SHARE_CORES", 0,
     share_cores, .at = 0},
    {0},
};

bool keel_options_check_schedule(const struct keel_options *options)
{
    struct keel_schedule_check check =
        keel_schedule_check(options->schedule != NULL ? options->schedule : "");

    if (options->schedule == NULL || check.problem[0] == '\0') {
        return true;
    }
    keel_message("-s '%s': %s; '%s' is not run", options->schedule, check.problem,
                 options->program[0]);
    return false;
}

/* --- runs that are compared --- */

static void take_input(struct argp_state *state, const struct keel_option *option, char *word,
                       void *at)
{
    if (access(word, R_OK) != 0) {
        argp_error(state, "--%s: '%s' cannot be read: %s", option->name, word, strerror(errno));
    }
    *(const char **)at = word;
}

static void take_output(struct argp_state *state, const struct keel_option *option, char *word,
                        void *at)
{
    struct keel_results *results = at;
    struct stat status;

    if (stat(word, &status) == 0 && !S_ISREG(status.st_mode)) {
        argp_error(state, "--%s: '%s' is not a file", option->name, word);
    }
    if (results->outputs == KEEL_OUTPUTS_MAX) {
        argp_error(state, "--%s: more than %d files", option->name, KEEL_OUTPUTS_MAX);
    }
    results->output[results->outputs++] = word;
}

static void take_ignored(struct argp_state *state, const struct keel_option *option, char *word,
                         void *at)
{
    static regex_t ignored;
    int error = regcomp(&ignored, word, REG_EXTENDED | REG_NOSUB);
    char problem[128];

    if (error != 0) {
        regerror(error, &ignored, problem, sizeof problem);
        argp_error(state, "--%s: '%s': %s", option->name, word, problem);
    }
    *(const regex_t **)at = &ignored;
}

const struct keel_option keel_options_runs[] = {
    {"threads", 't', "THREADS", "Threads of teams, as for OMP_NUM_THREADS", 0, take_threads,
     AT(threads), 1, THREADS_MAX},
    {"share-cores", 0, NULL, "Ranks of a node share its cores, as for KEEL_SHARE_CORES", 0,
     share_cores, .at = 0},
    {"budget", 0, "S", "Begin no run that would end more than S seconds after the start (60)", 1,
     keel_take_real, AT(budget_s), 0, 1e9},
    {"timeout", 0, "S",
     "Kill a run after S seconds (30 more than 20 times what the first one takes)", 1,
     keel_take_real, AT(timeout_s), 0.001, 1e9},
    {"seed", 0, "N", "Seed of what is drawn at random", 1, keel_take_count, AT(seed), 0, 1e15},
    {"output", 'o', "FILE", "Compare this file, too, after each run; repeatable", 2, take_output,
     .at = AT(results)},
    {"tolerance", 0, "REL",
     "Numbers in the output may differ by REL times the larger one (0: all is compared exactly)", 2,
     keel_take_real, AT(results.how.tolerance), 0, 1},
    {"ignore", 0, "REGEX", "Do not compare lines of the output that match", 2, take_ignored,
     .at = AT(results.how.ignored)},
    {"input", 0, "FILE", "Read standard input of each run from FILE (/dev/null)", 2, take_input,
     .at = AT(input)},
    {0},
};
