/* What libgomp makes of this environment. */
#define _GNU_SOURCE
#include "omp_ext/topology/libgomp_view.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 65536

/* --- in the child --- */

static struct {
    int (*get_max_threads)(void);
    int (*get_proc_bind)(void);
    int (*get_num_places)(void);
    int (*get_place_num)(void);
    int (*get_thread_num)(void);
    int (*get_num_threads)(void);
    int (*get_place_num_procs)(int);
    void (*get_place_proc_ids)(int, int *);
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
} libgomp;

/* The team: its size, and each thread's place. */
struct team {
    uint32_t threads;
    int *place;
};

static bool find_libgomp(void)
{
    static const struct {
        void **function;
        const char *name;
    } names[] = {
        {(void **)&libgomp.get_max_threads, "omp_get_max_threads"},
        {(void **)&libgomp.get_proc_bind, "omp_get_proc_bind"},
        {(void **)&libgomp.get_num_places, "omp_get_num_places"},
        {(void **)&libgomp.get_place_num, "omp_get_place_num"},
        {(void **)&libgomp.get_thread_num, "omp_get_thread_num"},
        {(void **)&libgomp.get_num_threads, "omp_get_num_threads"},
        {(void **)&libgomp.get_place_num_procs, "omp_get_place_num_procs"},
        {(void **)&libgomp.get_place_proc_ids, "omp_get_place_proc_ids"},
        {(void **)&libgomp.parallel, "GOMP_parallel"},
    };
    void *library = dlopen("libgomp.so.1", RTLD_NOW);

    for (size_t i = 0; library != NULL && i < sizeof names / sizeof names[0]; i++) {
        *names[i].function = dlsym(library, names[i].name);
        if (*names[i].function == NULL) {
            return false;
        }
    }
    return library != NULL;
}

static void note_place(void *argument)
{
    struct team *team = argument;
    int thread = libgomp.get_thread_num();

    if (thread == 0) {
        team->threads = (uint32_t)libgomp.get_num_threads();
    }
    if (thread < THREADS_MAX) {
        team->place[thread] = libgomp.get_place_num();
    }
}

static bool put(int pipe, const void *data, size_t bytes)
{
    const char *from = data;

    while (bytes > 0) {
        ssize_t written = write(pipe, from, bytes);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        from += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* The number of processors of a place, and their numbers. */
static bool put_place(int pipe, int place)
{
    int32_t count = place >= 0 ? libgomp.get_place_num_procs(place) : 0;
    int *number = malloc(((size_t)count + 1) * sizeof *number);

    if (number == NULL) {
        return false;
    }
    if (count > 0) {
        libgomp.get_place_proc_ids(place, number);
    }
    bool done =
        put(pipe, &count, sizeof count) && put(pipe, number, (size_t)count * sizeof *number);
    free(number);
    return done;
}

/* Ends the child: 0 after an answer. OMP_SCHEDULE may name a schedule of Keel's, which libgomp does
 * not know, and OMP_DISPLAY_ENV prints what nobody has asked for. */
static _Noreturn void answer(int pipe)
{
    unsetenv("OMP_SCHEDULE");
    unsetenv("OMP_DISPLAY_ENV");
    struct team team = {0, calloc(THREADS_MAX, sizeof *team.place)};
    if (team.place == NULL || !find_libgomp()) {
        _exit(1);
    }
    uint32_t bind = (uint32_t)libgomp.get_proc_bind(), places = (uint32_t)libgomp.get_num_places();
    libgomp.parallel(note_place, &team, 0, 0);
    team.threads = team.threads > THREADS_MAX ? THREADS_MAX : team.threads;
    bool done = put(pipe, &team.threads, sizeof team.threads) && put(pipe, &bind, sizeof bind) &&
                put(pipe, &places, sizeof places);
    for (uint32_t i = 0; i < team.threads && places > 0; i++) {
        done = done && put_place(pipe, team.place[i]);
    }
    _exit(done ? 0 : 1);
}

/* --- in the parent --- */

static bool get(int pipe, void *data, size_t bytes)
{
    char *to = data;

    while (bytes > 0) {
        ssize_t got = read(pipe, to, bytes);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        to += got > 0 ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool get_place(int pipe, struct keel_libgomp_view *view, uint32_t thread)
{
    int32_t count;

    if (!get(pipe, &count, sizeof count) || count < 0) {
        return false;
    }
    uint64_t before = view->first[thread], after = before + (uint64_t)count;
    int32_t *larger = realloc(view->number, (after + 1) * sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    view->number = larger;
    view->first[thread + 1] = after;
    return get(pipe, larger + before, (size_t)count * sizeof *larger);
}

static bool get_view(int pipe, struct keel_libgomp_view *view)
{
    bool done = get(pipe, &view->threads, sizeof view->threads) &&
                get(pipe, &view->bind, sizeof view->bind) &&
                get(pipe, &view->places, sizeof view->places) && view->threads <= THREADS_MAX;

    if (!done || view->places == 0) {
        return done;
    }
    view->first = calloc(view->threads + 1, sizeof *view->first);
    for (uint32_t i = 0; i < view->threads && done; i++) {
        done = view->first != NULL && get_place(pipe, view, i);
    }
    return done;
}

bool keel_libgomp_view_take(struct keel_libgomp_view *view)
{
    int ends[2], status = 1;

    memset(view, 0, sizeof *view);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        answer(ends[1]);
    }
    close(ends[1]);
    bool done = child > 0 && get_view(ends[0], view);
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!done || status != 0) {
        keel_libgomp_view_free(view);
        return false;
    }
    return true;
}

void keel_libgomp_view_free(struct keel_libgomp_view *view)
{
    free(view->first);
    free(view->number);
    memset(view, 0, sizeof *view);
}
