/* Asking compilers what they are. */
#define _GNU_SOURCE
#include "omp_ext/command/parts/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "omp_ext/support/environment.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Clang knows no such option. A shell reads the command as make does: it may hold options. */
#define QUESTION " -dumpfullversion 2>/dev/null </dev/null"

static enum keel_compiler_answer judge(const struct keel_compiler *compiler, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return KEEL_COMPILER_SILENT;
    }
    return status == 0 && compiler->major >= 7 ? KEEL_COMPILER_GCC : KEEL_COMPILER_OTHER;
}

struct keel_compiler keel_compiler_ask(const char *source, const char *command)
{
    struct keel_compiler compiler = {
        .source = source, .command = command, .answer = KEEL_COMPILER_SILENT};
    char *line;

    if (asprintf(&line, "%s" QUESTION, command) < 0) {
        return compiler;
    }
    FILE *output = popen(line, "r");
    free(line);
    if (output == NULL) {
        return compiler;
    }
    if (fgets(compiler.version, sizeof compiler.version, output) != NULL) {
        compiler.version[strcspn(compiler.version, "\n")] = '\0';
        compiler.major = (unsigned)strtoul(compiler.version, NULL, 10);
    }
    compiler.answer = judge(&compiler, pclose(output));
    return compiler;
}

static struct keel_compiler look_in_path(void)
{
    static const char *const commands[] = {"gcc", "cc", "gfortran", "g++"};
    struct keel_compiler first = keel_compiler_ask("", commands[0]);

    for (size_t i = 1; i < COUNT(commands) && first.answer != KEEL_COMPILER_GCC; i++) {
        struct keel_compiler other = keel_compiler_ask("", commands[i]);
        first = other.answer == KEEL_COMPILER_GCC ? other : first;
    }
    return first;
}

unsigned keel_compiler_in_use(struct keel_compiler *compiler)
{
    static const char *const variables[] = {"CC", "CXX", "FC"};
    unsigned count = 0;

    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *command = keel_environment_value(variables[i]);
        if (command != NULL) {
            compiler[count++] = keel_compiler_ask(variables[i], command);
        }
    }
    if (count == 0) {
        compiler[count++] = look_in_path();
    }
    return count;
}
