/* Running a function on another stack. */
#define _GNU_SOURCE
#include "omp_ext/support/own_stack.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)1 << 20) /* seven times what libdw 0.188 takes */

struct call {
    void (*run)(void *context);
    void *context;
    ucontext_t before, inside;
};

/* Arguments of a context are ints: a pointer comes in two halves. */
static void enter(unsigned high, unsigned low)
{
    const struct call *call = (const struct call *)((uintptr_t)((uint64_t)high << 32 | low));

    call->run(call->context);
}

static void switch_to(struct call *call, char *stack)
{
    uint64_t address = (uintptr_t)call;

    call->inside.uc_stack.ss_sp = stack;
    call->inside.uc_stack.ss_size = STACK_BYTES;
    call->inside.uc_link = &call->before;
    makecontext(&call->inside, (void (*)(void))enter, 2, (unsigned)(address >> 32),
                (unsigned)address);
    swapcontext(&call->before, &call->inside);
}

bool keel_own_stack_run(void (*run)(void *context), void *context)
{
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    struct call call = {.run = run, .context = context};
    sigset_t all, before;

    char *memory = mmap(NULL, guard + STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* below the stack, so that too small a one ends the process instead of writing elsewhere */
    bool ready = mprotect(memory, guard, PROT_NONE) == 0 && getcontext(&call.inside) == 0;
    if (ready) {
        switch_to(&call, memory + guard);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(memory, guard + STACK_BYTES);
    return ready;
}
