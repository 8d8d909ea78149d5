/* Fuzz target: no value of an environment variable does harm to who reads it, and what it accepts
 * is in range. The text's first byte is the variable. Aborts where that does not hold. */
#include <math.h>
#include <string.h>

#include "omp_ext/settings/variables.h"
#include "omp_ext/support/message.h"
#include "schedules/ranks/mpi_variables.h"
#include "tests/fuzz/driver.h"

static unsigned messages;

static void take_message(const char *text, void *context)
{
    (void)context;
    messages++;
    expect(strlen(text) > 0, "a message says nothing");
}

/* The name that was cut out of the value is the reader's. */
static void free_settings(struct keel_settings *settings, const char *value)
{
    const char *name = settings->trace.file;

    if (name != NULL && name != value) {
        free((char *)name);
    }
}

static void check(const struct keel_settings *settings)
{
    double sum = 0;

    expect(settings->weights <= KEEL_WEIGHTS_MAX, "too many weights");
    for (unsigned i = 0; i < settings->weights; i++) {
        expect(isfinite(settings->weight[i]) && settings->weight[i] > 0, "a weight that is none");
        sum += settings->weight[i];
    }
    expect(fabs(sum - settings->weights) <= 1e-6 * (settings->weights + 1), "weights' sum");
    expect(settings->schedules.rules <= KEEL_RULES_MAX, "too many rules");
    for (unsigned i = 0; i < settings->schedules.rules; i++) {
        expect(settings->schedules.rule[i].policy != NULL, "a rule without a schedule");
    }
    expect(settings->trace.file == NULL || settings->trace.events > 0, "a trace of nothing");
    expect(!settings->check.on || settings->check.folder == NULL ||
               settings->check.folder[0] == '/',
           "a folder that moves with the program");
}

static void read_here(const struct keel_variable *variable, const char *value)
{
    static struct keel_settings settings;

    memset(&settings, 0, sizeof settings);
    keel_variable_read(&settings, variable, value);
    keel_variable_names_file(variable, value);
    check(&settings);
    free_settings(&settings, value);
}

static void read_of_ranks(const struct keel_ranks_variable *variable, const char *value)
{
    static struct keel_ranks_settings settings;
    char problem[KEEL_RANKS_PROBLEM_MAX] = "";

    memset(&settings, 0, sizeof settings);
    keel_ranks_variables_begin(&settings);
    keel_ranks_variable_read(&settings, variable, value, problem);
    expect(memchr(problem, '\0', sizeof problem) != NULL, "a problem without an end");
    expect(settings.weights <= KEEL_RANKS_WEIGHTS_MAX, "too many weights of ranks");
    expect(settings.deadline_s >= 0.1 && settings.deadline_s <= 1e6, "a deadline");
    expect(settings.poll_ns > 0 && isfinite(settings.poll_ns), "a time to answer");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t variables = 0, of_ranks = 0;

    while (keel_variables[variables].name != NULL) {
        variables++;
    }
    while (keel_ranks_variables[of_ranks].name != NULL) {
        of_ranks++;
    }
    if (size == 0) {
        return 0;
    }
    keel_message_set_handler(take_message, NULL);
    char *value = strndup((const char *)data + 1, size - 1);
    size_t number = data[0] % (variables + of_ranks);
    if (number < variables) {
        read_here(&keel_variables[number], value);
    } else {
        read_of_ranks(&keel_ranks_variables[number - variables], value);
    }
    free(value);
    return 0;
}

/* --- texts to begin with --- */

/* The first byte is the variable, as its place in the tables: '0' is 48, which is a
 * variable, too. */
#define VALUES(byte)                                                                    \
    byte "16", byte "gss; mandel.c:42=fac2,8; render=libgomp", byte "dynamic,guided",   \
        byte "1,2,0.5", byte "replace:/tmp/m", byte "trace.json,1000", byte "r%p.json", \
        byte "seed=7,others=one,folder=/x", byte "rate-local:period=3", byte "wait"

static const char *const seeds[] = {
    VALUES("\x01"), VALUES("\x02"), VALUES("\x03"), VALUES("\x04"), VALUES("\x05"), VALUES("\x06"),
    VALUES("\x07"), VALUES("\x08"), VALUES("\x09"), VALUES("\x0a"), VALUES("\x0b"), VALUES("\x0c"),
    VALUES("\x0d"), VALUES("\x0e"), VALUES("\x0f"), VALUES("\x10"), VALUES("\x11"), VALUES("\x12"),
    VALUES("\x13"), VALUES("\x14"), VALUES("\x15"), VALUES("\x16"), VALUES("\x17"), VALUES("\x18"),
};

static const char *const pieces[] =
    LIST(",", ";", ":", "=", "0", "-1", "1e9", "1e400", "nan", "inf", "-0.0", " ", "\xff",
         "18446744073709551616", "auto", "fac2", "libgomp", "grain=64", "min=3",
         "f=", "a.c:1=", ".json", ",1", "replace:", "seed=", "folder=", "%p", "steal:grain=64",
         "1e-320", "wf2", "mu=1,sigma=2", "random", "tree");

FUZZ_TEXTS(.separators = ",:;= ", .text_max = 256, .edits_max = 4);
