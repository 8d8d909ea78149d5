/* Programs that end in ways that make a report or a trace hard to write.
 *
 *   leaving HOW [OTHER]: see the list at the end. Prints "sum 1596000" for each time that its loop
 *   is run, and exits with 3, unless it says otherwise. OTHER: a file that it opens. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program, *other = "/dev/null";

static long loop_once(void)
{
    long sum = 0;

#pragma omp parallel for schedule(runtime) num_threads(3) reduction(+ : sum)
    for (long i = 0; i < 400; i++) {
        for (long k = 0; k < 20 + i % 50; k++) {
            __asm__ volatile("");
        }
        sum += i;
    }
    return sum;
}

/* Often enough that pieces of a trace are written, but all instances are recorded. */
static void loop(void)
{
    long sum = 0;

    errno = 0;
    for (int instance = 0; instance < 20; instance++) {
        sum += loop_once();
    }
    printf("sum %ld\n", sum);
    if (errno != 0) {
        printf("errno is %s\n", strerror(errno));
    }
    fflush(stdout);
}

/* Another loop, of one thread: libgomp waits for ever for threads from before a fork. */
static void child_loop(void)
{
    long sum = 0;

#pragma omp parallel for schedule(dynamic, 10) num_threads(1) reduction(+ : sum)
    for (long i = 0; i < 50; i++) {
        sum += i;
    }
    if (sum != 1225) {
        _exit(9);
    }
}

static void leave(void)
{
    loop();
}

static void leave_by_signal(void)
{
    loop();
    kill(getpid(), SIGKILL);
}

static void leave_by_abort(void)
{
    loop();
    abort();
}

static void leave_at_once(void)
{
    loop();
    _exit(4);
}

static void leave_quickly(void)
{
    loop();
    quick_exit(4);
}

static void leave_in_region(void)
{
    loop();
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        kill(getpid(), SIGKILL);
        pause();
    }
}

static void leave_by_exit_in_region(void)
{
    loop();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        exit(3);
    }
}

static void become_another(void)
{
    loop();
    execl(program, program, "loop", (char *)NULL);
}

static void become_a_shell(void)
{
    loop();
    execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
}

static void wait_for(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        printf("the child ended with status %x\n", status);
    }
}

static void have_child(void)
{
    loop();
    pid_t child = fork();
    if (child == 0) {
        child_loop();
        child_loop();
        exit(0);
    }
    wait_for(child);
}

static void have_child_first(void)
{
    pid_t child = fork();

    if (child == 0) {
        child_loop();
        exit(0);
    }
    wait_for(child);
    loop();
}

/* As servers do at their start; later files get the descriptors of closed ones. */
static void close_all(void)
{
    loop();
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
    for (int i = 0; i < 100; i++) {
        if (open(other, O_RDWR | O_CREAT, 0666) < 0) {
            _exit(8);
        }
    }
    loop();
}

/* As another program does. */
static void overwrite(void)
{
    loop();
    fclose(fopen(other, "w"));
    loop();
}

static void close_standard_error(void)
{
    close(STDERR_FILENO);
    loop();
    if (fcntl(STDERR_FILENO, F_GETFD) >= 0) {
        printf("another file is standard error now\n");
    }
}

static void go_elsewhere(void)
{
    loop();
    if (chdir("/") != 0) {
        _exit(8);
    }
    loop();
}

static void limit_files(void)
{
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000});
    loop();
}

static void limit_addresses(void)
{
    struct rlimit limit = {(rlim_t)600 << 20, (rlim_t)600 << 20};

    setrlimit(RLIMIT_AS, &limit);
    loop();
}

/* clang-format off: macros that make functions */
#define PLACE(n)                                            \
    static void place_##n(void)                             \
    {                                                       \
        _Pragma("omp parallel num_threads(3)") __asm__(""); \
    }
#define EACH(MAKE, n) \
    MAKE(n##0) MAKE(n##1) MAKE(n##2) MAKE(n##3) MAKE(n##4) MAKE(n##5) MAKE(n##6) MAKE(n##7)
#define CALLS(name, n) \
    name##n##0();      \
    name##n##1();      \
    name##n##2();      \
    name##n##3();      \
    name##n##4();      \
    name##n##5();      \
    name##n##6();      \
    name##n##7();
#define PLACES(n)                               \
    EACH(PLACE, n) static void places_##n(void) \
    {                                           \
        CALLS(place_, n)                        \
    }
#define EACH_OF_MANY(n) \
    PLACES(n##0)        \
    PLACES(n##1) PLACES(n##2) PLACES(n##3) PLACES(n##4) PLACES(n##5) PLACES(n##6) PLACES(n##7)
#define MANY(n)                                \
    EACH_OF_MANY(n) static void many_##n(void) \
    {                                          \
        CALLS(places_, n)                      \
    }
MANY(a)
MANY(b)
MANY(c)
MANY(d)
/* clang-format on */

/* Enough places that their recording has to grow. */
static void have_many_places(void)
{
    loop();
    many_a();
    many_b();
    many_c();
    many_d();
}

/* Files may not grow after the first loop. */
static void limit_files_later(void)
{
    loop();
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000});
    have_many_places();
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"loop", leave},
    {"signal", leave_by_signal},
    {"abort", leave_by_abort},
    {"_exit", leave_at_once},
    {"quick_exit", leave_quickly},
    {"signal_in_region", leave_in_region},
    {"exit_in_region", leave_by_exit_in_region},
    {"exec", become_another},
    {"exec_shell", become_a_shell},
    {"fork", have_child},
    {"fork_first", have_child_first},
    {"close_all", close_all},
    {"close_stderr", close_standard_error},
    {"overwrite", overwrite},
    {"elsewhere", go_elsewhere},
    {"no_large_files", limit_files},
    {"few_addresses", limit_addresses},
    {"many_places", have_many_places},
    {"no_large_files_later", limit_files_later},
};

int main(int arguments, char **argument)
{
    program = argument[0];
    other = arguments > 2 ? argument[2] : other;
    for (size_t i = 0; arguments > 1 && i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(argument[1], ways[i].name) == 0) {
            ways[i].run();
            return 3;
        }
    }
    return 1;
}
