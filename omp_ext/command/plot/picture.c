/* gnuplot as a child: script and picture are files in memory; from there the picture goes into its
 * own file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/plot/plot.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/replaced_file.h"

extern char **environ;

/* 0 or an errno. A locale that has all characters. */
static int spawn(pid_t *child, int input, int output)
{
    char *arguments[] = {"gnuplot", NULL};
    posix_spawn_file_actions_t actions;

    setenv("LC_ALL", "C.UTF-8", 1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool succeeded(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A file in memory with a text; -1: there is no memory. */
static int memory_file(const char *text)
{
    int file = memfd_create("keel-picture", MFD_CLOEXEC);
    size_t length = strlen(text);

    if (file >= 0 && (write(file, text, length) != (ssize_t)length || lseek(file, 0, SEEK_SET))) {
        close(file);
        return -1;
    }
    return file;
}

static bool draw(int script, int output, const char *path)
{
    pid_t child;
    int error = spawn(&child, script, output);

    if (error != 0) {
        keel_message("gnuplot %s%s; '%s' is not drawn",
                     error == ENOENT ? "is not installed (Debian: gnuplot-nox)" : "cannot be run: ",
                     error == ENOENT ? "" : strerror(error), path);
        return false;
    }
    if (!succeeded(child)) {
        keel_message("gnuplot has failed; '%s' is not drawn", path);
        return false;
    }
    return true;
}

/* gnuplot does not notice a full disk: what it has drawn is kept in memory, and copied. */
static bool copy(int from, int to)
{
    char piece[65536];
    ssize_t got;

    while ((got = read(from, piece, sizeof piece)) > 0) {
        for (ssize_t done = 0, more; done < got; done += more) {
            more = write(to, piece + done, (size_t)(got - done));
            if (more < 0 && errno != EINTR) {
                return false;
            }
            more = more < 0 ? 0 : more;
        }
    }
    return got == 0;
}

/* 0 or an errno. A file is replaced as a whole; a device or a pipe is written to. */
static int put_in_place(int picture, const char *path)
{
    struct stat before;
    bool there = stat(path, &before) == 0;
    bool whole = !there || S_ISREG(before.st_mode);
    char *real = there ? realpath(path, NULL) : strdup(path), *name = NULL;

    if (real == NULL) {
        return errno;
    }
    int file = whole ? keel_replaced_file_begin(real, &name) : open(real, O_WRONLY | O_CLOEXEC);
    int error = file < 0 ? errno : 0;
    if (file >= 0 && !there) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(file, 0666 & ~mask);
    }
    if (file >= 0) {
        error = lseek(picture, 0, SEEK_SET) == 0 && copy(picture, file) ? 0 : errno;
    }
    if (file >= 0 && whole) {
        error = keel_replaced_file_end(file, name, real, error);
    } else if (file >= 0 && close(file) != 0 && error == 0) {
        error = errno;
    }
    free(real);
    return error;
}

bool keel_picture_write(const char *script, const char *path)
{
    int input = memory_file(script), picture = memory_file("");

    if (input < 0 || picture < 0) {
        keel_message("no memory for '%s': %s; it is not drawn", path, strerror(errno));
        return false;
    }
    bool drawn = draw(input, picture, path);
    int error = drawn ? put_in_place(picture, path) : 0;
    close(input);
    close(picture);
    if (error != 0) {
        keel_message("'%s' cannot be written: %s", path, strerror(error));
    }
    return drawn && error == 0;
}
