/* Fuzz target: no value of an environment variable does harm to who reads it, and what it accepts
 * is in range. The text's first byte tells the variable. Aborts where that does not hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/settings/variables.h"
#include "omp_ext/support/message_handler.h"
#include "schedules/ranks/mpi_variables.h"
#include "tests/fuzz/driver.h"

static unsigned messages;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

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
