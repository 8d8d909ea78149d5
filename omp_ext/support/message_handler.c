/* Where messages go instead of to standard error. */
#include "omp_ext/support/message_handler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct target {
    void (*handler)(const char *text, void *context);
    void *context;
};

/* Two of them: a child of fork() finds the present one whole, even if another was just being
 * written. */
static struct target targets[2];
static _Atomic(struct target *) present; /* NULL: no handler */

static _Atomic(bool (*)(const char *text)) forward_to; /* NULL: nowhere */

/* Held while a handler runs and while it is changed. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_handling; /* this thread runs the handler, and so holds the mutex */

/* Not held across fork(): a thread may wait for it that holds another lock which fork() wants. The
 * child's only thread holds it if it is the one that runs the handler. */
static void begin_child(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

    if (!is_handling) {
        mutex = unlocked;
    }
}

static void handle_fork(void)
{
    pthread_atfork(NULL, NULL, begin_child);
}

static void lock(void)
{
    if (!is_handling) {
        pthread_mutex_lock(&mutex);
    }
}

static void unlock(void)
{
    if (!is_handling) {
        pthread_mutex_unlock(&mutex);
    }
}

void keel_message_set_handler(void (*handler)(const char *text, void *context), void *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, handle_fork);
    lock();
    struct target *next = atomic_load(&present) == &targets[0] ? &targets[1] : &targets[0];
    *next = (struct target){handler, context};
    atomic_store(&present, handler != NULL ? next : NULL);
    unlock();
}

void keel_message_set_forward(bool (*forward)(const char *text))
{
    atomic_store(&forward_to, forward);
}

static bool hand_over(const char *text)
{
    lock();
    const struct target *target = atomic_load(&present);
    if (target != NULL) {
        struct target called = *target; /* the handler may set another one */
        is_handling = true;
        called.handler(text, called.context);
        is_handling = false;
    }
    unlock();
    return target != NULL;
}

bool keel_message_handled(const char *text)
{
    if (is_handling) {
        return false;
    }
    if (atomic_load(&present) != NULL && hand_over(text)) {
        return true;
    }
    bool (*forward)(const char *) = atomic_load(&forward_to);
    return forward != NULL && forward(text);
}
