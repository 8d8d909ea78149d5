/* What becomes of errors and what codes mean; which MPI there is; which version this is. */
#include "mpi_backend/process/mpi_process.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

#define CODE(code, text) [code] = {#code, text}

static const struct {
    const char *name, *text;
} codes[] = {
    CODE(KEEL_MPI_OK, "The call has done what it was asked to."),
    CODE(KEEL_MPI_NOT_READY, "MPI is not initialised, or has been finalised."),
    CODE(KEEL_MPI_THREADS, "The thread level of MPI is too low for a loop of several threads, or "
                           "the calling thread may not call MPI."),
    CODE(KEEL_MPI_COMM, "The communicator is no intracommunicator, or has been freed."),
    CODE(KEEL_MPI_MISMATCH, "Ranks came with different loops or schedules, or some with none."),
    CODE(KEEL_MPI_NO_LOOP, "No shared loop has run over the communicator."),
    CODE(KEEL_MPI_BUSY, "A shared loop is running, or waits for its loop to start."),
    CODE(KEEL_MPI_NO_KEEL,
         "libkeel.so is not in the process, or of a version that does not go with "
         "libkeel_mpi.so, or that is not of one version in all ranks: no loop can be shared."),
    CODE(KEEL_MPI_NO_ROOM, "There is no memory."),
    CODE(KEEL_MPI_ARGUMENT, "An argument is out of its range."),
    CODE(KEEL_MPI_CANCELLED, "The loop was cancelled in some rank."),
    CODE(KEEL_MPI_LATE, "Other ranks have not come in time."),
    CODE(KEEL_MPI_CALLBACK, "A function of the program has failed in some rank."),
    CODE(KEEL_MPI_ERROR, "A call of MPI has failed, in this rank or in another one."),
    CODE(KEEL_MPI_OTHER_MPI,
         "The program uses another MPI than the one that libkeel_mpi.so is for."),
    CODE(KEEL_MPI_NO_OBJECT, "A message went to an object that there is not."),
    CODE(KEEL_MPI_RANKS_LOST, "The process of another rank has ended."),
};

static bool is_code(int code)
{
    return code >= 0 && (size_t)code < sizeof codes / sizeof codes[0] && codes[code].name != NULL;
}

const char *keel_mpi_error_name(int code)
{
    return is_code(code) ? codes[code].name : "an unknown code";
}

KEEL_MPI_PUBLIC const char *keel_mpi_error_text(int code)
{
    return is_code(code) ? codes[code].text : "This is no code that Keel returns.";
}

/* --- errors that all ranks make alike --- */

#define NAMES_MAX 16

/* Without addresses, which differ from rank to rank. */
static uint32_t digest(const char *text)
{
    uint64_t sum = KEEL_DIGEST_START;

    for (const char *address; (address = strstr(text, "0x")) != NULL;) {
        sum = keel_digest_bytes(sum, text, (size_t)(address - text));
        text = address + 2 + strspn(address + 2, "0123456789abcdef");
    }
    return keel_digest_folded(keel_digest_text(sum, text));
}

/* Whether no process of the job on this machine, this one included, has said that. The first one
 * takes a name among the kernel's sockets, which goes with the process. A process that has said
 * NAMES_MAX different things keeps no more descriptors: of what it says then, others may say the
 * same. */
static bool is_first_to_say(const char *text)
{
    static _Atomic unsigned names;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *job = keel_mpi_settings_job();

    if (job[0] == '\0' || names >= NAMES_MAX) {
        return true;
    }
    int socket_file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_file < 0) {
        return true;
    }
    /* a name that begins with 0 is no file */
    int length =
        snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "keel-%08x-%.80s", digest(text), job);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (bind(socket_file, (struct sockaddr *)&name, size) == 0) {
        names++;
        return true;
    }
    bool taken = errno == EADDRINUSE;
    close(socket_file);
    return !taken;
}

void keel_mpi_misuse(const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!keel_message_handled(text) && is_first_to_say(text)) {
        keel_message("%s", text);
    }
}

bool keel_mpi_is_there(void)
{
    int initialised, finalised = 0;

    MPI_Initialized(&initialised);
    if (initialised) {
        MPI_Finalized(&finalised);
    }
    return initialised && !finalised;
}

static bool ends_job(int code)
{
    return code != KEEL_MPI_OK && code != KEEL_MPI_CANCELLED && keel_mpi_settings()->aborts &&
           keel_mpi_is_there(); /* else there is no job to end */
}

/* Launchers may lose what ranks print just before their job ends. */
static const struct timespec passing_on = {.tv_nsec = 100000000};

static void end_job(int code)
{
    keel_message("KEEL_MPI_ON_ERROR=abort: the job ends with %d (%s)", code,
                 keel_mpi_error_name(code));
    nanosleep(&passing_on, NULL);
    MPI_Abort(MPI_COMM_WORLD, code);
}

void keel_mpi_error_reported(int code)
{
    if (ends_job(code)) {
        end_job(code);
    }
}

#define TELLING_S 5 /* one rank looks names up in debug information, for all of them */

int keel_mpi_error_return(int code)
{
    if (ends_job(code)) {
        if (code == KEEL_MPI_MISMATCH) {
            nanosleep(&(struct timespec){.tv_sec = TELLING_S}, NULL);
        }
        end_job(code);
    }
    return code;
}

/* --- structures that programs allocate --- */

static size_t size_of(const void *structure)
{
    size_t size;

    memcpy(&size, structure, sizeof size);
    return size;
}

bool keel_mpi_sized_check(const void *structure, size_t least, const char *function)
{
    if (structure == NULL) {
        keel_mpi_misuse("%s(): the structure is NULL, expected its address; nothing is done",
                        function);
        return false;
    }
    size_t size = size_of(structure);
    if (size < least || size > KEEL_MPI_SIZED_MAX) {
        keel_mpi_misuse(
            "%s(): struct_size is %zu, expected sizeof of the structure; nothing is done", function,
            size);
        return false;
    }
    return true;
}

void keel_mpi_sized_give(void *program, const void *own, size_t size)
{
    size_t given = size_of(program), known = min_u64(given, size);

    memcpy((char *)program + sizeof(size_t), (const char *)own + sizeof(size_t),
           known - sizeof(size_t));
    memset((char *)program + known, 0, given - known);
}

void keel_mpi_sized_take(void *own, size_t size, const void *program)
{
    size_t known = min_u64(size_of(program), size);

    memset(own, 0, size);
    memcpy(own, program, known);
}

/* --- which MPI --- */

/* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest; that of the process is not known. */
#define VERSION_BYTES 8192

/* Special ones first: Intel's and Cray's texts may name MPICH, too. */
static const struct {
    const char *word;
    struct keel_mpi_kind kind;
} kinds[] = {
    {"Open MPI", {KEEL_MPI_FAMILY_OPEN_MPI, "Open MPI"}},
    {"Spectrum MPI", {KEEL_MPI_FAMILY_OPEN_MPI, "IBM Spectrum MPI"}},
    {"Intel(R) MPI", {KEEL_MPI_FAMILY_MPICH, "Intel MPI"}},
    {"CRAY MPICH", {KEEL_MPI_FAMILY_MPICH, "Cray MPICH"}},
    {"MVAPICH", {KEEL_MPI_FAMILY_MPICH, "MVAPICH"}},
    {"MPICH", {KEEL_MPI_FAMILY_MPICH, "MPICH"}},
};

static const struct keel_mpi_kind built_for =
#if defined OPEN_MPI
    {KEEL_MPI_FAMILY_OPEN_MPI, "Open MPI"};
#elif defined I_MPI_VERSION
    {KEEL_MPI_FAMILY_MPICH, "Intel MPI"};
#elif defined MPICH_VERSION
    {KEEL_MPI_FAMILY_MPICH, "MPICH"};
#else
    {KEEL_MPI_FAMILY_UNKNOWN, "another MPI"};
#endif

struct keel_mpi_kind keel_mpi_kind_of(const char *library_version)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strstr(library_version, kinds[i].word) != NULL) {
            return kinds[i].kind;
        }
    }
    return (struct keel_mpi_kind){KEEL_MPI_FAMILY_UNKNOWN, "another MPI"};
}

static bool is_wrong; /* written once, by look() */

static void look(void)
{
    static char version[VERSION_BYTES];
    int length;

    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) {
        return;
    }
    struct keel_mpi_kind found = keel_mpi_kind_of(version);
    is_wrong = found.family != built_for.family && found.family != KEEL_MPI_FAMILY_UNKNOWN &&
               built_for.family != KEEL_MPI_FAMILY_UNKNOWN;
    if (is_wrong) {
        keel_mpi_misuse(
            "this program uses %s, this libkeel_mpi.so is for %s; nothing is shared among "
            "ranks",
            found.name, built_for.name);
    }
}

bool keel_mpi_kind_is_wrong(void)
{
    static pthread_once_t looked = PTHREAD_ONCE_INIT;

    pthread_once(&looked, look);
    return is_wrong;
}

/* --- version, and where messages go --- */

#define TEXT_OF(major, minor) #major "." #minor
#define TEXT(major, minor) TEXT_OF(major, minor)

KEEL_MPI_PUBLIC const char *keel_mpi_version(void)
{
    return TEXT(KEEL_MPI_VERSION_MAJOR, KEEL_MPI_VERSION_MINOR);
}

KEEL_MPI_PUBLIC void keel_mpi_get_version(int *major, int *minor)
{
    *major = KEEL_MPI_VERSION_MAJOR;
    *minor = KEEL_MPI_VERSION_MINOR;
}

KEEL_MPI_PUBLIC void keel_mpi_set_message_handler(void (*handler)(const char *text, void *context),
                                                  void *context)
{
    keel_message_set_handler(handler, context);
}
