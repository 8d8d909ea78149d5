/* What libgomp makes of this environment. The child writes its answer into memory that it shares
 * with the command. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/topology/topology.h"

#define THREADS_MAX 65536
#define PROCESSORS_MAX 65536

/* Written by the child. */
struct answer {
    struct keel_libgomp_view view;
    int number_of_place[THREADS_MAX]; /* of each thread */
    char place[THREADS_MAX][KEEL_LIBGOMP_PLACE_MAX];
    bool used[PROCESSORS_MAX]; /* by a thread's place */
};

static struct {
    int (*get_proc_bind)(void);
    int (*get_num_places)(void);
    int (*get_place_num)(void);
    int (*get_thread_num)(void);
    int (*get_num_threads)(void);
    int (*get_place_num_procs)(int);
    void (*get_place_proc_ids)(int, int *);
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
} libgomp;

static bool find_libgomp(void)
{
    static const struct {
        void **function;
        const char *name;
    } names[] = {
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
    struct answer *answer = argument;
    int thread = libgomp.get_thread_num();

    if (thread == 0) {
        answer->view.threads = (uint32_t)libgomp.get_num_threads();
    }
    if (thread < THREADS_MAX) {
        answer->number_of_place[thread] = libgomp.get_place_num();
    }
}

static void describe_place(struct answer *answer, uint32_t thread)
{
    int place = answer->number_of_place[thread];
    int count = place >= 0 ? libgomp.get_place_num_procs(place) : 0;
    unsigned *number = calloc((size_t)count + 1, sizeof *number);

    if (number != NULL && count > 0) {
        libgomp.get_place_proc_ids(place, (int *)number);
        keel_topology_list(number, (unsigned)count, answer->place[thread], KEEL_LIBGOMP_PLACE_MAX);
        for (int i = 0; i < count; i++) {
            if (number[i] < PROCESSORS_MAX && !answer->used[number[i]]) {
                answer->used[number[i]] = true;
                answer->view.processors++;
            }
        }
    }
    free(number);
}

/* Ends the child: 0 after an answer. OMP_SCHEDULE may name a schedule of Keel's, which libgomp does
 * not know, and OMP_DISPLAY_ENV prints what the command was not asked for. */
static _Noreturn void answer_as_child(struct answer *answer)
{
    struct keel_libgomp_view *view = &answer->view;

    unsetenv("OMP_SCHEDULE");
    unsetenv("OMP_DISPLAY_ENV");
    if (!find_libgomp()) {
        _exit(1);
    }
    view->bind = (uint32_t)libgomp.get_proc_bind();
    view->places = (uint32_t)libgomp.get_num_places();
    libgomp.parallel(note_place, answer, 0, 0);
    view->threads = view->threads > THREADS_MAX ? THREADS_MAX : view->threads;
    for (uint32_t i = 0; i < view->threads && view->places > 0; i++) {
        describe_place(answer, i);
    }
    _exit(0);
}

bool keel_libgomp_view_take(struct keel_libgomp_view *view)
{
    struct answer *answer = mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int status = 1;

    if (answer == MAP_FAILED) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        answer_as_child(answer);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *view = answer->view;
    view->place = answer->place;
    return child > 0 && status == 0 && view->threads > 0;
}
