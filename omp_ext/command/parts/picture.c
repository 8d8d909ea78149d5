/* gnuplot as a child: the script goes in by a pipe, the picture comes out into memory, and
 * from there into its file. */
#define _GNU_SOURCE
#include "omp_ext/command/parts/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/support/message.h"
#include "omp_ext/support/replaced_file.h"

extern char **environ;

/* This process's environment with a locale that has all characters; to be freed. NULL: there is no
 * memory. */
static char **environment(void)
{
    static char locale[] = "LC_ALL=C.UTF-8";
    size_t count = 0, used = 0;

    while (environ[count] != NULL) {
        count++;
    }
    char **copy = malloc((count + 2) * sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) {
            copy[used++] = environ[i];
        }
    }
    if (copy != NULL) {
        copy[used] = locale;
        copy[used + 1] = NULL;
    }
    return copy;
}

static int spawn(pid_t *child, int input, int output)
{
    char *arguments[] = {"gnuplot", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t broken_pipe;
    char **variables = environment();

    if (variables == NULL) {
        return ENOMEM;
    }
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawnp(child, "gnuplot", &actions, &attributes, arguments, variables);
    free(variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* A gnuplot that ends early leaves the rest unread; its exit status tells. */
static void send(int pipe, const char *script)
{
    size_t left = strlen(script);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);

    while (left > 0) {
        ssize_t written = write(pipe, script, left);
        if (written < 0 && errno != EINTR) {
            break;
        }
        if (written > 0) {
            script += written;
            left -= (size_t)written;
        }
    }
    signal(SIGPIPE, before);
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

static bool draw(const char *script, const char *path, int output)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        keel_message("gnuplot cannot be run: %s; '%s' is not drawn", strerror(errno), path);
        return false;
    }
    int error = spawn(&child, ends[0], output);
    close(ends[0]);
    if (error != 0) {
        close(ends[1]);
        keel_message("gnuplot %s%s; '%s' is not drawn",
                     error == ENOENT ? "is not installed (Debian: gnuplot-nox)" : "cannot be run: ",
                     error == ENOENT ? "" : strerror(error), path);
        return false;
    }
    send(ends[1], script);
    close(ends[1]);
    if (!succeeded(child)) {
        keel_message("gnuplot has failed; '%s' is not drawn", path);
        return false;
    }
    return true;
}

void keel_picture_remove(const char *path)
{
    struct stat file;

    if (stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
        unlink(path);
    }
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
    int picture = memfd_create("keel-picture", MFD_CLOEXEC);

    if (picture < 0) {
        keel_message("no memory for '%s': %s; it is not drawn", path, strerror(errno));
        return false;
    }
    bool drawn = draw(script, path, picture);
    int error = drawn ? put_in_place(picture, path) : 0;
    close(picture);
    if (error != 0) {
        keel_message("'%s' cannot be written: %s", path, strerror(error));
    }
    return drawn && error == 0;
}
