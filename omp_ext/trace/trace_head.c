/* The first element of a trace in JSON. */
#define _GNU_SOURCE
#include "omp_ext/trace/trace_head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/trace/text/json_text.h"

#define OF_RANK_0 "rank 0"

/* What CLOCK_MONOTONIC is off the time of day, us, which nodes have in common more or less. */
static int64_t epoch_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t real_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    return real_us - (int64_t)(keel_clock_ns() / 1000);
}

static void read_boot(char *boot, size_t size)
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, boot, size - 1) : 0;

    if (file >= 0) {
        close(file);
    }
    boot[length > 0 ? length : 0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
}

void keel_trace_head_find(struct keel_trace_machine *own)
{
    unsigned ranks = keel_launch_ranks(keel_environment_value);
    int rank = keel_launch_rank(keel_environment_value);

    *own = (struct keel_trace_machine){
        .rank = rank >= 0 ? rank : 0,
        .ranks = ranks > 0 ? (int)ranks : 1,
    };
    keel_launch_job(keel_environment_value, own->job);
    gethostname(own->host, sizeof own->host - 1);
    read_boot(own->boot, sizeof own->boot);
}

void keel_trace_head_write(char *head, size_t size, const struct keel_trace_machine *own, bool told,
                           int64_t offset_ns)
{
    struct keel_json_text json = keel_json_text_in(head, size - 1);
    char job[KEEL_LAUNCH_JOB_MAX];

    if (own->job[0] != '\0') {
        snprintf(job, sizeof job, "%s", own->job);
    } else {
        snprintf(job, sizeof job, "%s %ld", own->boot, (long)getpid());
    }
    KEEL_JSON_TEXT_ADD(&json, "{\"name\":\"keel_trace\",\"ph\":\"M\",\"pid\":0,\"tid\":0,"
                              "\"args\":{\"version\":1,\"job\":");
    keel_json_text_string(&json, job, sizeof job);
    KEEL_JSON_TEXT_ADD(&json, ",\"program\":");
    keel_json_text_string(&json, program_invocation_short_name, 100);
    KEEL_JSON_TEXT_ADD(&json, ",\"host\":");
    keel_json_text_string(&json, own->host, sizeof own->host);
    KEEL_JSON_TEXT_ADD(&json, ",\"clock\":");
    keel_json_text_string(&json, told || own->rank == 0 ? OF_RANK_0 : own->host, sizeof own->host);
    KEEL_JSON_TEXT_ADD(&json, ",\"boot\":");
    keel_json_text_string(&json, own->boot, sizeof own->boot);
    KEEL_JSON_TEXT_ADD(&json, ",\"epoch_us\":");
    keel_json_text_signed(&json, epoch_us() - offset_ns / 1000);
    KEEL_JSON_TEXT_ADD(&json, "}}");
    *json.at = '\0';
}
