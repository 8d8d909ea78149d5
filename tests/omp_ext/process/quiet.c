/* Neither chunks nor repeated loops of non-adaptive schedules allocate, lock, read the
 * environment or enter the kernel. Calls are counted by functions of the program, which come
 * before the C library's; a seccomp filter ends a team of one at its first system call other
 * than those of libgomp's barriers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "tests/support/schedules.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static struct {
    unsigned long allocations, frees, locks, lookups, clocks;
} calls;

#define COUNTED(counter) __atomic_add_fetch(&calls.counter, 1, __ATOMIC_RELAXED)

void *malloc(size_t size)
{
    COUNTED(allocations);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    COUNTED(allocations);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    COUNTED(allocations);
    return __libc_realloc(memory, size);
}

void free(void *memory)
{
    COUNTED(frees);
    __libc_free(memory);
}

/* The next definition of a function of the same name. */
#define NEXT(name)                             \
    static __typeof(&name) next;               \
    if (next == NULL) {                        \
        void *found = dlsym(RTLD_NEXT, #name); \
        memcpy(&next, &found, sizeof next);    \
    }

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    NEXT(pthread_mutex_lock)
    COUNTED(locks);
    return next(mutex);
}

char *getenv(const char *name)
{
    NEXT(getenv)
    COUNTED(lookups);
    return next(name);
}

char *secure_getenv(const char *name)
{
    NEXT(secure_getenv)
    COUNTED(lookups);
    return next(name);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    NEXT(clock_gettime)
    COUNTED(clocks);
    return next(clock, now);
}

static void loops(long iterations)
{
    static unsigned long executed;
    unsigned long before = executed, sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < iterations; i++) {
        sum++;
    }
    executed += sum;
    sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(runtime) reduction(+ : sum)
        for (unsigned long long i = 0; i < (unsigned long long)iterations; i++) {
            sum++;
        }
#pragma omp for schedule(nonmonotonic : runtime) nowait
        for (long i = iterations; i > 0; i--) {
            __asm__ volatile("" : : : "memory");
        }
    }
    executed += sum;
    CHECK(executed - before == 2 * (unsigned long)iterations, "%lu iterations of %ld",
          executed - before, 2 * iterations);
}

/* The first loops of their kind may do everything, the ones after them nothing: the first few are
 * measured, and then tried with static shares. A thread that comes when a loop is done has not had
 * its first one yet, so short loops need many. */
static void warm_up(long iterations)
{
    for (long k = 0; k < 24 + 20000 / iterations; k++) {
        loops(iterations);
    }
}

/* Schedules that time every chunk. */
static int learns(const char *schedule)
{
    static const char *const timed[] = {"awf", "af", "maf", "aid", "rate", "auto"};

    for (unsigned i = 0; i < COUNT(timed); i++) {
        size_t length = strlen(timed[i]);
        if (strncmp(schedule, timed[i], length) == 0 && strchr(":,-", schedule[length]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* looks: regions that may have looked again at what loops cost, as one of 251 does. */
static void expect_no_calls(const char *what, const char *schedule, unsigned long looks)
{
    CHECK(calls.allocations <= 6 * looks, "%s: %lu allocations", what, calls.allocations);
    CHECK(calls.frees <= 6 * looks, "%s: %lu frees", what, calls.frees);
    CHECK(calls.locks <= 12 * looks, "%s: %lu locks", what, calls.locks);
    CHECK(calls.lookups == 0, "%s: %lu looks at the environment", what, calls.lookups);
    CHECK(calls.clocks == 0 || learns(schedule) || !check_has_counter(),
          "%s: %lu looks at the clock", what, calls.clocks);
}

static void forget_calls(void)
{
    memset(&calls, 0, sizeof calls);
}

/* Counts the calls of so many times the loops. The rate of the processor's counter is refined by
 * the clock after times that grow eightfold: where one of these falls within, the next does not. */
static void count_calls_of(long iterations, int times)
{
    for (int tries = 0; tries < 2 && (tries == 0 || calls.clocks > 0); tries++) {
        forget_calls();
        for (int k = 0; k < times; k++) {
            loops(iterations);
        }
    }
}

static void count_calls(void)
{
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        snprintf(check_context, sizeof check_context, ", %s", *schedule);
        warm_up(100000);
        count_calls_of(100000, 1);
        expect_no_calls("many chunks", *schedule, 1);
        warm_up(50);
        count_calls_of(50, 250);
        expect_no_calls("repeated loops", *schedule, 3);
    }
}

/* From here on the process may only end and, for libgomp's barriers, wake threads. */
static int forbid_system_calls(void)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = COUNT(code), .filter = code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { NO_FILTER = 77 };

static void run_without_kernel(void)
{
    omp_set_num_threads(1);
    warm_up(1000);
    if (!forbid_system_calls()) {
        _exit(NO_FILTER);
    }
    for (int k = 0; k < 350; k++) {
        loops(1000);
    }
    _exit(check_failures > 0);
}

static int child_status(void (*body)(void))
{
    int status;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        body();
    }
    waitpid(child, &status, 0);
    return status;
}

static void make_a_system_call(void)
{
    if (!forbid_system_calls()) {
        _exit(NO_FILTER);
    }
    getppid();
    _exit(0);
}

static int stay_out_of_the_kernel(void)
{
    int status = child_status(make_a_system_call);

    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER) {
        return NO_FILTER;
    }
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "a system call is not noticed");
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        status = child_status(run_without_kernel);
        CHECK(status == 0, "%s: a child that may not enter the kernel ends with status %x",
              *schedule, status);
    }
    return check_status();
}

/* `quiet calls` counts calls, `quiet kernel` watches the kernel. */
int main(int argc, char **argv)
{
    find_set_schedule();
    if (argc > 1 && strcmp(argv[1], "kernel") == 0) {
        return stay_out_of_the_kernel();
    }
    omp_set_num_threads(2);
    count_calls();
    forget_calls();
    void *volatile memory = malloc(1);
    free(memory);
    CHECK(getenv("PATH") != secure_getenv("KEEL_TEST_UNSET"), "PATH is not set");
    CHECK(calls.allocations == 1 && calls.frees == 1 && calls.lookups == 2,
          "calls are not counted");
    return check_status();
}
