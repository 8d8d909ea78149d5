/* Where messages go: to the handler that a program sets, from whatever thread, until it is taken
 * back; in the child of fork(), too.
 *
 *     messages keel|mpi CHECK      by keel_set_message_handler(), or by libkeel_mpi.so's own
 *
 * MPI is never initialised: each keel_mpi_share() says that. Silent when nothing is wrong; what is
 * to be on standard error is counted by the script. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/checks.h"

typedef void handler(const char *text, void *context);

typedef void setter(handler *function, void *context);

static setter *set_handler;

static setter *keel_setter(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "keel_set_message_handler");
    setter *function;

    if (symbol == NULL) {
        printf("keel_set_message_handler is missing\n");
        exit(2);
    }
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* One message. */
static void speak(void)
{
    int code = keel_mpi_share(MPI_COMM_WORLD);

    CHECK(code == KEEL_MPI_NOT_READY, "share returns %d", code);
}

static const char spoken[] = "MPI is not initialised; nothing is shared among ranks";

/* --- one thread --- */

struct heard {
    unsigned times;
    char text[600];
};

static void note(const char *text, void *context)
{
    struct heard *heard = context;

    heard->times++;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void handed(void)
{
    struct heard heard = {0}, other = {0};

    set_handler(note, &heard);
    speak();
    CHECK(heard.times == 1, "%u messages", heard.times);
    CHECK(strcmp(heard.text, spoken) == 0, "'%s'", heard.text);
    set_handler(note, &other);
    speak();
    CHECK(heard.times == 1 && other.times == 1, "%u and %u messages", heard.times, other.times);
    set_handler(NULL, NULL);
    speak(); /* for standard error */
    CHECK(heard.times == 1 && other.times == 1, "%u and %u messages", heard.times, other.times);
}

/* A message of libkeel.so itself, which says once per process that a schedule misses costs. */
static void of_libkeel(void)
{
    static const char wanted[] = "binlpt: no costs for a loop of 77 iterations";
    struct heard heard = {0};

    set_handler(note, &heard);
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (unsigned i = 0; i < 77; i++) {
        __asm__ volatile("");
    }
    CHECK(heard.times == 1, "%u messages", heard.times);
    CHECK(strncmp(heard.text, wanted, strlen(wanted)) == 0, "'%s'", heard.text);
}

/* libkeel_mpi.so's own handler comes first; without it, libkeel.so's gets its messages. */
static void both(void)
{
    struct heard of_keel = {0}, of_mpi = {0};

    keel_setter()(note, &of_keel);
    keel_mpi_set_message_handler(note, &of_mpi);
    speak();
    CHECK(of_keel.times == 0 && of_mpi.times == 1, "%u and %u", of_keel.times, of_mpi.times);
    keel_mpi_set_message_handler(NULL, NULL);
    speak();
    CHECK(of_keel.times == 1 && of_mpi.times == 1, "%u and %u", of_keel.times, of_mpi.times);
    keel_setter()(NULL, NULL);
    speak(); /* for standard error */
}

/* What Keel says while the handler runs goes to standard error; the handler may take itself
 * back. */
static void replace(const char *text, void *context)
{
    note(text, context);
    speak(); /* for standard error */
    set_handler(NULL, NULL);
}

static void from_within(void)
{
    struct heard heard = {0};

    set_handler(replace, &heard);
    speak();
    speak(); /* for standard error */
    CHECK(heard.times == 1, "%u messages", heard.times);
}

/* --- several threads --- */

#define THREADS 6
#define MESSAGES 40

struct watched {
    atomic_uint running, times, late;
    atomic_bool is_set;
};

static void watch(const char *text, void *context)
{
    struct watched *watched = context;

    CHECK(watched->running++ == 0, "two calls at a time");
    watched->late += !watched->is_set;
    usleep(100);
    watched->times++;
    watched->running--;
}

static void *speaker(void *unused)
{
    for (unsigned i = 0; i < MESSAGES; i++) {
        speak();
    }
    return NULL;
}

/* A handler that has been replaced has returned, and is not called any more. */
static void threads(void)
{
    struct watched watched[2] = {0};
    pthread_t thread[THREADS];

    watched[0].is_set = true;
    set_handler(watch, &watched[0]);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, speaker, NULL);
    }
    for (unsigned i = 0; i < 200; i++) {
        struct watched *old = &watched[i % 2], *new = &watched[(i + 1) % 2];
        new->is_set = true;
        set_handler(watch, new);
        CHECK(old->running == 0, "it still runs after it has been replaced");
        old->is_set = false;
        usleep(200);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    set_handler(NULL, NULL);
    CHECK(watched[0].late + watched[1].late == 0, "%u calls of a handler that was replaced",
          watched[0].late + watched[1].late);
    CHECK(watched[0].times + watched[1].times == THREADS * MESSAGES, "%u messages of %u",
          watched[0].times + watched[1].times, THREADS * MESSAGES);
}

/* --- fork --- */

static atomic_bool is_inside, over;

static void linger(const char *text, void *context)
{
    note(text, context);
    is_inside = true;
    while (!over) {
        usleep(1000);
    }
}

static void *one_speaker(void *unused)
{
    speak();
    return NULL;
}

/* The handler runs in another thread, which the child does not have. */
static void forked(void)
{
    struct heard heard = {0};
    pthread_t thread;
    int status;

    set_handler(linger, &heard);
    pthread_create(&thread, NULL, one_speaker, NULL);
    while (!is_inside) {
        usleep(1000);
    }
    pid_t child = fork();
    if (child == 0) {
        over = true;
        speak();
        _exit(heard.times == 2 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends with %x",
          (unsigned)status);
    over = true;
    pthread_join(thread, NULL);
    CHECK(heard.times == 1, "%u messages", heard.times);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } checks[] = {{"handed", handed},      {"libkeel", of_libkeel}, {"both", both},
                  {"within", from_within}, {"threads", threads},    {"forked", forked}};
    const char *by = count > 2 ? arguments[1] : "", *what = count > 2 ? arguments[2] : "";

    set_handler = strcmp(by, "mpi") == 0 ? keel_mpi_set_message_handler : keel_setter();
    for (unsigned i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (strcmp(what, checks[i].name) == 0) {
            checks[i].run();
            return check_status();
        }
    }
    return 2;
}
