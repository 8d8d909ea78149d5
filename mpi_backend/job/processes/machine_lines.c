/* Lines to processes on other machines. */
#define _GNU_SOURCE /* accept4() */
#include "mpi_backend/job/processes/processes.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"

/* A line as this process has opened it: by each address, as some lead to other machines, until one
 * has told the number. */
struct line {
    struct line *next;
    uint64_t number;
    int file[KEEL_MPI_LINE_ADDRESSES]; /* -1: none */
    bool there, ended;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct line *lines;
static uint64_t own_number;
static int port_file = -1;

static int new_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* --- this process's end --- */

static bool is_usable(const struct ifaddrs *interface)
{
    return interface->ifa_addr != NULL && interface->ifa_addr->sa_family == AF_INET &&
           (interface->ifa_flags & IFF_UP) != 0 && (interface->ifa_flags & IFF_LOOPBACK) == 0;
}

static bool find_addresses(struct keel_mpi_line_end *end)
{
    struct ifaddrs *all;
    int count = 0;

    if (getifaddrs(&all) != 0) {
        return false;
    }
    for (const struct ifaddrs *i = all; i != NULL && count < KEEL_MPI_LINE_ADDRESSES;
         i = i->ifa_next) {
        if (is_usable(i)) {
            struct sockaddr_in address;
            memcpy(&address, i->ifa_addr, sizeof address);
            end->address[count++] = address.sin_addr.s_addr;
        }
    }
    freeifaddrs(all);
    return count > 0;
}

static bool open_port(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;

    if (port_file < 0 && (port_file = new_socket()) < 0) {
        return false;
    }
    if (bind(port_file, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(port_file, SOMAXCONN) != 0 ||
        getsockname(port_file, (struct sockaddr *)&address, &length) != 0) {
        close(port_file);
        port_file = -1;
        return false;
    }
    *port = address.sin_port;
    return true;
}

static bool draw_number(void)
{
    while (own_number == 0 &&
           getrandom(&own_number, sizeof own_number, GRND_NONBLOCK) == sizeof own_number) {
    }
    return own_number != 0;
}

struct keel_mpi_line_end keel_mpi_lines_listen(void)
{
    struct keel_mpi_line_end end = {0}, nowhere = {0};

    pthread_mutex_lock(&lock);
    bool listens = port_file < 0 && find_addresses(&end) && draw_number() && open_port(&end.port);
    end.number = own_number;
    pthread_mutex_unlock(&lock);
    return listens ? end : nowhere;
}

void keel_mpi_lines_accept(void)
{
    int file;

    pthread_mutex_lock(&lock);
    while (port_file >= 0 &&
           (file = accept4(port_file, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (send(file, &own_number, sizeof own_number, MSG_NOSIGNAL) != sizeof own_number) {
            close(file); /* else it stays open */
        }
    }
    if (port_file >= 0) {
        close(port_file);
        port_file = -1;
    }
    pthread_mutex_unlock(&lock);
}

/* --- lines to others --- */

static struct line *find(uint64_t number)
{
    struct line *line = lines;

    while (line != NULL && line->number != number) {
        line = line->next;
    }
    return line;
}

static int start(uint32_t address, uint16_t port)
{
    struct sockaddr_in other = {.sin_family = AF_INET, .sin_port = port, .sin_addr = {address}};
    int file = address != 0 ? new_socket() : -1;

    if (file >= 0 && connect(file, (const struct sockaddr *)&other, sizeof other) != 0 &&
        errno != EINPROGRESS) {
        close(file);
        file = -1;
    }
    return file;
}

void keel_mpi_lines_open(const struct keel_mpi_line_end *end)
{
    pthread_mutex_lock(&lock);
    struct line *line =
        end->port != 0 && find(end->number) == NULL ? calloc(1, sizeof *line) : NULL;
    if (line != NULL) {
        *line = (struct line){.next = lines, .number = end->number};
        for (int i = 0; i < KEEL_MPI_LINE_ADDRESSES; i++) {
            line->file[i] = start(end->address[i], end->port);
        }
        lines = line;
    }
    pthread_mutex_unlock(&lock);
}

/* Until one address has answered, or none will. */
static void await(const struct line *line, double until_s)
{
    struct pollfd wanted[KEEL_MPI_LINE_ADDRESSES];
    int left = KEEL_MPI_LINE_ADDRESSES;

    for (int i = 0; i < KEEL_MPI_LINE_ADDRESSES; i++) {
        wanted[i] = (struct pollfd){line->file[i], POLLOUT, 0}; /* -1 is passed over */
    }
    while (left > 0) {
        double left_s = until_s - keel_mpi_clock_s();
        int answers = poll(wanted, KEEL_MPI_LINE_ADDRESSES, left_s > 0 ? (int)(left_s * 1e3) : 0);
        if (answers <= 0) {
            return;
        }
        left = 0;
        for (int i = 0; i < KEEL_MPI_LINE_ADDRESSES; i++) {
            if (wanted[i].fd >= 0 && wanted[i].revents == POLLOUT) {
                return;
            }
            wanted[i].fd = wanted[i].revents != 0 ? -1 : wanted[i].fd;
            left += wanted[i].fd >= 0;
        }
    }
}

void keel_mpi_lines_await(double limit_s)
{
    double until_s = keel_mpi_clock_s() + limit_s;

    pthread_mutex_lock(&lock);
    for (struct line *line = lines; line != NULL; line = line->next) {
        if (!line->there && !line->ended) {
            await(line, until_s);
        }
    }
    pthread_mutex_unlock(&lock);
}

static void hang_up(struct line *line, int but)
{
    for (int i = 0; i < KEEL_MPI_LINE_ADDRESSES; i++) {
        if (i != but && line->file[i] >= 0) {
            close(line->file[i]);
            line->file[i] = -1;
        }
    }
}

/* Reads the number by an address that has not told one yet. */
static void greet(struct line *line, int i)
{
    uint64_t number;
    ssize_t length = recv(line->file[i], &number, sizeof number, 0);

    if (length == sizeof number && number == line->number) {
        line->there = true;
        hang_up(line, i);
    } else if (length >= 0 || (errno != EAGAIN && errno != EINTR && errno != ENOTCONN)) {
        close(line->file[i]);
        line->file[i] = -1;
    }
}

/* By the address that has told the number, over which nothing else comes. An error that only this
 * machine knows of tells nothing about the process. */
static void listen_to(struct line *line, int i)
{
    unsigned char nothing;
    ssize_t length = recv(line->file[i], &nothing, 1, 0);

    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    line->ended = length == 0 || (length < 0 && errno == ECONNRESET);
    line->there = false;
    hang_up(line, -1);
}

static void look(struct line *line)
{
    for (int i = 0; i < KEEL_MPI_LINE_ADDRESSES; i++) {
        if (!line->there && line->file[i] >= 0) {
            greet(line, i);
        }
        if (line->there && line->file[i] >= 0) {
            listen_to(line, i);
        }
    }
}

bool keel_mpi_lines_look(uint64_t number)
{
    pthread_mutex_lock(&lock);
    struct line *line = find(number);
    if (line != NULL) {
        look(line);
    }
    bool ended = line != NULL && line->ended;
    pthread_mutex_unlock(&lock);
    return ended;
}
