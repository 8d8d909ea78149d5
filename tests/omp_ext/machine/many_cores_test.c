/* Cores of a process on a machine with more processors than a mask of the standard size has. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/cores.h"
#include "tests/support/unit.h"

#define KERNEL_PROCESSORS 5000
#define ALLOWED_FIRST 3000
#define ALLOWED_LAST 4099

static int error;

int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask);

/* As the kernel does it, whose masks have KERNEL_PROCESSORS bits. */
int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask)
{
    assert_int_equal(process, getpid());
    errno = error != 0 ? error : EINVAL;
    if (error != 0 || size * 8 < KERNEL_PROCESSORS) {
        return -1;
    }
    memset(mask, 0, size);
    for (size_t i = ALLOWED_FIRST; i <= ALLOWED_LAST; i++) {
        CPU_SET_S(i, size, mask);
    }
    return 0;
}

TEST(processors_beyond_1024_are_counted)
{
    error = 0;
    errno = 77;
    assert_int_equal(keel_cores_of_process().allowed, ALLOWED_LAST - ALLOWED_FIRST + 1);
    assert_int_equal(errno, 77);
}

TEST(without_a_mask_all_online_processors_are_allowed)
{
    error = EPERM;
    struct keel_cores cores = keel_cores_of_process();
    assert_int_equal(cores.allowed, cores.online);
    assert_true(cores.online >= 1);
}
