/* Which rank runs on which host. */
#include "mpi_backend/job/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const char host_name[KEEL_MPI_HOST_MAX];

/* Names lie behind the numbers, each with its end. */
struct keel_mpi_hosts {
    host_name **order; /* room for a name of each rank, until they are noted */
    uint32_t ranks;
    uint32_t number[]; /* of each rank: where its name begins */
};

static size_t size_of(uint32_t ranks, size_t text)
{
    return sizeof(struct keel_mpi_hosts) + ranks * sizeof(uint32_t) + text;
}

static char *text_of(const struct keel_mpi_hosts *hosts)
{
    return (char *)(hosts->number + hosts->ranks);
}

struct keel_mpi_hosts *keel_mpi_hosts_room(uint32_t ranks)
{
    struct keel_mpi_hosts *hosts = calloc(1, size_of(ranks, (size_t)ranks * KEEL_MPI_HOST_MAX));
    host_name **order = malloc(ranks * sizeof *order);

    if (hosts == NULL || order == NULL) {
        free(hosts);
        free(order);
        return NULL;
    }
    hosts->ranks = ranks;
    hosts->order = order;
    return hosts;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(**(host_name *const *)a, **(host_name *const *)b);
}

struct keel_mpi_hosts *keel_mpi_hosts_note(struct keel_mpi_hosts *hosts, host_name *name)
{
    host_name **order = hosts->order;
    char *text = text_of(hosts), *last = NULL;
    size_t used = 0;

    for (uint32_t i = 0; i < hosts->ranks; i++) {
        order[i] = &name[i];
    }
    qsort(order, hosts->ranks, sizeof *order, compare_names);
    for (uint32_t i = 0; i < hosts->ranks; i++) {
        if (last == NULL || strcmp(last, *order[i]) != 0) {
            last = strcpy(text + used, *order[i]);
            used += strlen(last) + 1;
        }
        hosts->number[order[i] - name] = (uint32_t)(last - text);
    }
    free(order);
    hosts->order = NULL;
    struct keel_mpi_hosts *smaller = realloc(hosts, size_of(hosts->ranks, used));
    return smaller != NULL ? smaller : hosts;
}

void keel_mpi_hosts_free(struct keel_mpi_hosts *hosts)
{
    if (hosts != NULL) {
        free(hosts->order);
        free(hosts);
    }
}

const char *keel_mpi_hosts_name(const struct keel_mpi_hosts *hosts, uint32_t rank)
{
    return hosts != NULL ? text_of(hosts) + hosts->number[rank] : "";
}

void keel_mpi_hosts_add_to(const struct keel_mpi_hosts *hosts, uint32_t rank, char *text,
                           size_t size)
{
    size_t length = strlen(text);

    snprintf(text + length, size - length, "%srank %u (%s)", length > 0 ? ", " : "", rank,
             keel_mpi_hosts_name(hosts, rank));
}

uint32_t keel_mpi_hosts_number(const struct keel_mpi_hosts *hosts, uint32_t rank)
{
    return hosts != NULL ? hosts->number[rank] : 0;
}
