/* Messages to the person who runs the program. */
#include "omp_ext/support/message.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/trace_file.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/text/text.h"

/* --- handlers --- */

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

/* --- messages --- */

#define PREFIX "keel: "
#define TEXT_MAX 505 /* bytes, as keel.h says */

/* Takes a line whose last byte is free. No standard I/O, because the host program may not have it
 * ready yet, or may have redirected stderr's buffer. A failure cannot be reported anywhere. */
static void write_line(char *line)
{
    strcat(line, "\n");
    keel_trace_file_write_once(STDERR_FILENO, line, strlen(line), -1);
}

/* Cuts a longer text in the middle: its end has the reason. */
static void shorten(char *text)
{
    size_t length = strlen(text);

    if (length > TEXT_MAX) {
        memcpy(text + TEXT_MAX / 2, "...", 3);
        memmove(text + TEXT_MAX / 2 + 3, text + length - (TEXT_MAX / 2 - 3), TEXT_MAX / 2 - 2);
    }
}

void keel_message(const char *format, ...)
{
    char line[PATH_MAX + 512] = PREFIX, *text = line + strlen(PREFIX);
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();
    va_list arguments;

    locale_t previous = keel_c_locale_enter();
    va_start(arguments, format);
    vsnprintf(text, sizeof line - strlen(PREFIX) - 1, format, arguments);
    va_end(arguments);
    keel_c_locale_leave(previous);
    shorten(text);
    if (!keel_message_handled(text)) {
        write_line(line);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}
