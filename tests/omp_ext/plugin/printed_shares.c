/* Prints which thread has which iterations of loops of all forms, for comparison with another build
 * of the program. With an argument, a thread that the program makes starts the teams. */
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { shown = 61 };

static char owner[shown + 1];

static void note(unsigned long distance, unsigned long stride)
{
    owner[distance / stride] = (char)('0' + omp_get_thread_num());
}

static void show(const char *name)
{
    printf("%s %s\n", name, owner);
    memset(owner, '.', shown);
}

/* `name` runs its loop between the bounds by `step`, which is more than 0. */
#define UP(name, clause, type)                                                     \
    __attribute__((noinline)) static void name(type a, type b, type step, long k)  \
    {                                                                              \
        (void)k;                                                                   \
        _Pragma("omp parallel") _Pragma(clause) for (type i = a; i < b; i += step) \
        {                                                                          \
            note((unsigned long)(i - a), (unsigned long)step);                     \
        }                                                                          \
        show(#name);                                                               \
    }

#define DOWN(name, clause, type)                                                   \
    __attribute__((noinline)) static void name(type a, type b, type step, long k)  \
    {                                                                              \
        (void)k;                                                                   \
        _Pragma("omp parallel") _Pragma(clause) for (type i = a; i > b; i -= step) \
        {                                                                          \
            note((unsigned long)(a - i), (unsigned long)step);                     \
        }                                                                          \
        show(#name);                                                               \
    }

UP(bare, "omp for", long)
UP(bare_nowait, "omp for nowait", long)
UP(bare_int, "omp for", int)
UP(bare_unsigned, "omp for", unsigned long)
UP(written, "omp for schedule(static)", long)
UP(three, "omp for schedule(static, 3)", long)
UP(chunks, "omp for schedule(static, k)", long)
UP(chunks_int, "omp for schedule(static, k)", int)
UP(chunks_unsigned, "omp for schedule(static, k)", unsigned long)
DOWN(down, "omp for", long)
DOWN(down_chunks, "omp for schedule(static, k)", long)
DOWN(down_unsigned, "omp for schedule(static, k)", unsigned long)

__attribute__((noinline)) static void constant(void)
{
#pragma omp parallel for
    for (int i = 3; i < 50; i++) {
        note((unsigned long)i, 1);
    }
    show("constant");
}

__attribute__((noinline)) static void collapsed(int n)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++) {
        for (unsigned j = 0; j < 5; j++) {
            note((unsigned long)i * 5 + j, 1);
        }
    }
    show("collapsed");
}

static void all_of(long count, long step, long k)
{
    bare(-5, count - 5, step, k);
    bare_nowait(5, count + 5, step, k);
    bare_int(INT_MAX - 70, INT_MAX - 70 + (int)count, (int)step, k);
    bare_unsigned(ULONG_MAX - 70, ULONG_MAX - 70 + (unsigned long)count, (unsigned long)step, k);
    written(LONG_MAX - 70, LONG_MAX - 70 + count, step, k);
    three(0, count, step, k);
    chunks(LONG_MIN, LONG_MIN + count, step, k);
    chunks_int(0, (int)count, (int)step, k);
    chunks_unsigned(7, 7 + (unsigned long)count, (unsigned long)step, k);
    down(count, 0, step, k);
    down_chunks(LONG_MIN + 70 + count, LONG_MIN + 70, step, k);
    down_unsigned((unsigned long)count, 0, (unsigned long)step, k);
    collapsed((int)count / 5);
}

static void *run(void *argument)
{
    memset(owner, '.', shown);
    constant();
    for (long count = 0; count < shown; count += 12) {
        for (long step = 1; step < 4; step++) {
            all_of(count, step, 1 + step * 2);
        }
    }
    return argument;
}

int main(int count, char **argument)
{
    pthread_t thread;

    if (count == 1) {
        run(argument);
    } else if (pthread_create(&thread, NULL, run, NULL) == 0) {
        pthread_join(thread, NULL);
    }
    return 0;
}
