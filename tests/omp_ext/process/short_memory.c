/* Loops stay right when libkeel.so gets no memory: its allocations fail from the n-th on, or the
 * n-th alone, for every n. What libgomp and the C library ask for is given: libgomp ends the
 * program otherwise. */
#define _GNU_SOURCE
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/schedules.h"

/* The C library's own names for its functions, which the ones below replace. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static struct {
    uintptr_t start, end;
} library; /* where libkeel.so stands */

static long left =
    -1;              /* allocations of libkeel.so until the first that fails; negative: none does */
static int only_one; /* the ones after it succeed */
static int failed;   /* some have failed */

static int fails(const void *caller)
{
    uintptr_t place = (uintptr_t)caller;

    if (place < library.start || place >= library.end ||
        __atomic_load_n(&left, __ATOMIC_RELAXED) < 0) {
        return 0;
    }
    long mine = __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
    if (mine > 0) {
        return 0;
    }
    __atomic_store_n(&left, only_one ? -1 : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *name = strrchr(info->dlpi_name, '/');

    (void)size;
    (void)unused;
    if (name == NULL || strcmp(name, "/libkeel.so") != 0) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            library.start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            library.end = library.start + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1;
}

static void loops(void)
{
    struct marks combined, separate, ordered;
    int next = 0;

    marks_begin(&combined, 500);
    marks_begin(&separate, 70);
    marks_begin(&ordered, 90);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 500; i++) {
        marks_hit(&combined, (uint64_t)i);
    }
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (unsigned long long i = 0; i < 70; i++) {
            marks_hit(&separate, i);
        }
#pragma omp for schedule(runtime) ordered
        for (int i = 0; i < 90; i++) {
            marks_hit(&ordered, (uint64_t)i);
#pragma omp ordered
            {
                CHECK(next == i, "ordered region %d, turn of %d", i, next);
                next = i + 1;
            }
        }
    }
    marks_end(&combined, "combined");
    marks_end(&separate, "separate");
    marks_end(&ordered, "ordered");
}

/* A schedule that finds no memory is refused, and the one before holds. */
static void every_schedule_short_of_memory(void)
{
    EACH_SCHEDULE(schedule)
    {
        int result = find_set_schedule()(*schedule);
        check_any_order = !is_in_order(*schedule);
        CHECK(result == KEEL_OK || result == KEEL_NO_ROOM, "%s is %d", *schedule, result);
        loops();
        loops();
    }
}

static void known_schedules_short_of_memory(void)
{
    for (long allowed = left; allowed >= 0; allowed = -1) {
        left = -1;
        EACH_SCHEDULE(schedule)
        {
            set_schedule(*schedule);
        }
        left = allowed;
    }
    every_schedule_short_of_memory();
}

/* In a child, because a process has its schedules, sites and plans for good. Returns whether an
 * allocation failed. */
static int with_memory_for(long allocations, int then_more, void (*body)(void))
{
    int status;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        left = allocations;
        only_one = then_more;
        snprintf(check_context, sizeof check_context, ", %ld allocations%s", allocations,
                 then_more ? ", one fails" : "");
        body();
        _exit(check_failures > 0 ? 1 : failed ? 42 : 0);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 42 || WEXITSTATUS(status) == 0),
          "with %ld allocations the program ends with status %x", allocations, status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

int main(void)
{
    find_set_schedule();
    dl_iterate_phdr(find_library, NULL);
    CHECK(library.start != 0, "libkeel.so is not found");
    omp_set_num_threads(3);
    CHECK(with_memory_for(0, 0, every_schedule_short_of_memory), "nothing failed without memory");
    /* by day every second one, and then every third one */
    for (long n = 0; n < 24; n += check_nightly() ? 1 : 2) {
        CHECK(with_memory_for(n, 0, every_schedule_short_of_memory), "nothing failed after %ld", n);
        CHECK(with_memory_for(n, 1, every_schedule_short_of_memory), "number %ld did not fail", n);
        CHECK(with_memory_for(n, 0, known_schedules_short_of_memory), "nothing failed after %ld",
              n);
    }
    for (long n = 24; n < 400; n += check_nightly() ? 19 : 57) {
        with_memory_for(n, 0, every_schedule_short_of_memory);
        with_memory_for(n, 1, known_schedules_short_of_memory);
    }
    return check_status();
}
