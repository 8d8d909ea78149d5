/* What the dynamic linker loads for a program: its own answer to --list. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/elf/loaded.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become_linker(const char *linker, const char *file, int output)
{
    int null = open("/dev/null", O_RDWR);

    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl(linker, linker, "--list", file, (char *)NULL);
    _exit(EXIT_FAILURE);
}

/* A line is "NAME => FILE (ADDRESS)", "NAME => not found" or, as of what LD_PRELOAD names by its
 * path, "FILE (ADDRESS)". */
static void read_line(char *line,
                      void (*visit)(const char *name, const char *library, void *context),
                      void *context)
{
    char *name = line + strspn(line, " \t"), *arrow = strstr(line, " => ");
    char *library = arrow != NULL ? arrow + strlen(" => ") : name;
    char *end = strstr(library, " (0x");

    if (end != NULL) {
        *end = '\0';
    }
    if (arrow != NULL) {
        *arrow = '\0';
        visit(name, end != NULL ? library : "", context);
    } else if (end != NULL && strrchr(library, '/') != NULL) {
        visit(strrchr(library, '/') + 1, library, context);
    }
}

void keel_loaded_visit(const char *linker, const char *file,
                       void (*visit)(const char *name, const char *library, void *context),
                       void *context)
{
    char line[2 * PATH_MAX];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        become_linker(linker, file, ends[1]);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        read_line(line, visit, context);
    }
    if (answer != NULL) {
        fclose(answer);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}
