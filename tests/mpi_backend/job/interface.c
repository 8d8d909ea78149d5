/* What keel_mpi.h promises to programs that were built with an earlier or a later version of it.
 *
 *     interface version MAJOR MINOR     the numbers of the header, as the script reads them
 *     interface codes CODE...           all codes of the header
 *     interface sizes                   under mpirun
 *     interface unshared                under mpirun, with a libkeel.so that does not fit
 *     interface apart                   under mpirun, a libkeel_mpi.so of other sources in a rank
 *
 * Silent when nothing is wrong. */
#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/checks.h"

static void versions(int major, int minor)
{
    int library_major = -1, library_minor = -1;
    char text[30];

    snprintf(text, sizeof text, "%d.%d", major, minor);
    keel_mpi_get_version(&library_major, &library_minor);
    CHECK(library_major == major && library_minor == minor, "%d.%d", library_major, library_minor);
    CHECK(strcmp(keel_mpi_version(), text) == 0, "%s", keel_mpi_version());
}

static bool is_sentence(const char *text)
{
    return text != NULL && strlen(text) > 10 && text[strlen(text) - 1] == '.';
}

static void codes(int count, char **arguments)
{
    const char *unknown = keel_mpi_error_text(INT_MAX);

    CHECK(is_sentence(unknown), "nothing about a number that is no code");
    CHECK(keel_mpi_error_text(-1) == unknown && keel_mpi_error_text(count) == unknown &&
              keel_mpi_error_text(INT_MIN) == unknown,
          "a number that is no code has a text");
    for (int i = 0; i < count; i++) {
        const char *text = keel_mpi_error_text(atoi(arguments[i]));
        CHECK(is_sentence(text) && text != unknown, "no text for code %s", arguments[i]);
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(text, keel_mpi_error_text(atoi(arguments[k]))) != 0,
                  "codes %s and %s have one text", arguments[i], arguments[k]);
        }
    }
}

/* --- structures of programs from the past and from the future --- */

#define N 40
#define GUARD 0xab

/* A report of any size, with bytes of the program's behind it. */
union frame {
    size_t struct_size;
    struct keel_mpi_loop_report loop;
    struct keel_mpi_rows_report rows;
    struct keel_mpi_pipeline_report pipeline;
    unsigned char bytes[512];
};

static struct keel_mpi_rows *rows;
static struct keel_mpi_pipeline *pipeline;

static int ask_loop(union frame *frame)
{
    return keel_mpi_loop_report(MPI_COMM_WORLD, &frame->loop);
}

static int ask_rows(union frame *frame)
{
    return keel_mpi_rows_report(rows, &frame->rows);
}

static int ask_pipeline(union frame *frame)
{
    return keel_mpi_pipeline_report(pipeline, &frame->pipeline);
}

static int ask(int (*report)(union frame *), union frame *frame, size_t size)
{
    memset(frame, GUARD, sizeof *frame);
    frame->struct_size = size;
    return report(frame);
}

static bool are(const union frame *frame, size_t first, size_t last, unsigned char byte)
{
    for (size_t i = first; i < last; i++) {
        if (frame->bytes[i] != byte) {
            return false;
        }
    }
    return true;
}

/* whole: sizeof as of today. */
static void every_size(const char *name, int (*report)(union frame *), size_t whole)
{
    union frame today, frame;

    snprintf(check_context, sizeof check_context, " (%s)", name);
    CHECK(ask(report, &today, whole) == KEEL_MPI_OK, "no report");
    CHECK(!are(&today, sizeof(size_t), whole, 0), "nothing is reported");
    CHECK(are(&today, whole, sizeof today, GUARD), "more than the whole is written");
    for (size_t size = sizeof(size_t); size < sizeof frame; size += 8) {
        size_t known = size < whole ? size : whole;
        CHECK(ask(report, &frame, size) == KEEL_MPI_OK, "no report of %zu bytes", size);
        CHECK(frame.struct_size == size, "struct_size %zu becomes %zu", size, frame.struct_size);
        CHECK(memcmp(frame.bytes + sizeof size, today.bytes + sizeof size, known - sizeof size) ==
                  0,
              "other figures in %zu bytes", size);
        CHECK(are(&frame, known, size, 0), "what the library does not know is not 0");
        CHECK(are(&frame, size, sizeof frame, GUARD), "bytes behind %zu are written", size);
    }
    for (unsigned i = 0; i < 3; i++) {
        size_t size = (size_t[]){0, sizeof size - 1, (size_t)-1}[i];
        CHECK(ask(report, &frame, size) == KEEL_MPI_ARGUMENT, "struct_size %zu is taken", size);
        CHECK(are(&frame, sizeof size, sizeof frame, GUARD), "struct_size %zu: written", size);
    }
    check_context[0] = '\0';
}

static void run_loop(void)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    CHECK(keel_mpi_loop_begin(MPI_COMM_WORLD, N, 0, &loop) == KEEL_MPI_OK, "begin");
    while (keel_mpi_loop_next(loop, &first, &last)) {
    }
    CHECK(keel_mpi_loop_end(&loop) == KEEL_MPI_OK, "end");
}

static void make_rows(void)
{
    double *array;

    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, N, KEEL_MPI_ADJACENT, &rows) == KEEL_MPI_OK, "rows");
    CHECK(keel_mpi_rows_array(rows, sizeof *array, 8, 1, (void **)&array) == KEEL_MPI_OK, "array");
    CHECK(keel_mpi_pipeline_create(rows, array, 4, &pipeline) == KEEL_MPI_OK, "pipeline");
    CHECK(keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD) == KEEL_MPI_OK, "sweep");
    CHECK(keel_mpi_pipeline_end(pipeline) == KEEL_MPI_OK, "end of the sweep");
    CHECK(keel_mpi_rows_balance(rows, NULL) == KEEL_MPI_OK, "hook");
}

static unsigned packed, dropped;

static size_t size_of_item(void *context, uint64_t row)
{
    return row % 3;
}

static int pack_item(void *context, uint64_t row, void *buffer)
{
    packed++;
    memset(buffer, 1, row % 3);
    return 0;
}

static int unpack_item(void *context, uint64_t row, const void *buffer, size_t size)
{
    return size != row % 3;
}

static void drop_item(void *context, uint64_t row)
{
    dropped++;
}

/* All rows go to the last rank, so that the others give theirs away. */
static void move_items(size_t struct_size, bool drops)
{
    struct {
        struct keel_mpi_rows_items items;
        void (*later[3])(void);
    } of_program = {{struct_size, NULL, size_of_item, pack_item, unpack_item, drop_item}, {NULL}};
    struct keel_mpi_rows *moving;
    uint64_t shares[16] = {0};
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    memset(of_program.later, GUARD, sizeof of_program.later);
    shares[ranks - 1] = N;
    packed = dropped = 0;
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, N, KEEL_MPI_ADJACENT, &moving) == KEEL_MPI_OK,
          "rows");
    CHECK(keel_mpi_rows_items(moving, &of_program.items) == KEEL_MPI_OK, "items of %zu bytes",
          struct_size);
    CHECK(keel_mpi_rows_move(moving, shares) == KEEL_MPI_OK, "movement");
    CHECK(rank == ranks - 1 || packed > 0, "nothing is packed");
    CHECK(drops ? rank == ranks - 1 || dropped > 0 : dropped == 0,
          "%u drops of a program that %s it", dropped, drops ? "knows" : "does not know");
    keel_mpi_rows_free(&moving);
}

static void items_of_any_size(void)
{
    struct keel_mpi_rows_items items = {0, NULL, size_of_item, pack_item, unpack_item, NULL};

    move_items(sizeof(struct keel_mpi_rows_items), true);
    move_items(sizeof(struct keel_mpi_rows_items) + 3 * sizeof(void (*)(void)), true);
    move_items(offsetof(struct keel_mpi_rows_items, drop), false);
    CHECK(keel_mpi_rows_items(rows, &items) == KEEL_MPI_ARGUMENT, "items without struct_size");
    items.struct_size = offsetof(struct keel_mpi_rows_items, unpack);
    CHECK(keel_mpi_rows_items(rows, &items) == KEEL_MPI_ARGUMENT, "items without unpack");
}

static void sizes(void)
{
    run_loop();
    make_rows();
    every_size("loop", ask_loop, sizeof(struct keel_mpi_loop_report));
    every_size("rows", ask_rows, sizeof(struct keel_mpi_rows_report));
    every_size("pipeline", ask_pipeline, sizeof(struct keel_mpi_pipeline_report));
    items_of_any_size();
    keel_mpi_pipeline_free(&pipeline);
    keel_mpi_rows_free(&rows);
}

/* --- a libkeel.so that does not fit --- */

static void unshared(void)
{
    unsigned executed = 0;

    CHECK(keel_mpi_share(MPI_COMM_WORLD) == KEEL_MPI_NO_KEEL, "the loop is shared");
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : executed)
    for (unsigned i = 0; i < N; i++) {
        executed++;
    }
    CHECK(executed == N, "%u iterations of the whole loop", executed);
    CHECK(keel_mpi_wait(MPI_COMM_WORLD) == KEEL_MPI_NO_KEEL, "the wait does not know of it");
    run_loop();
    CHECK(keel_mpi_wait(MPI_COMM_WORLD) == KEEL_MPI_OK, "loops without OpenMP are not shared");
    make_rows();
    keel_mpi_pipeline_free(&pipeline);
    keel_mpi_rows_free(&rows);
}

/* --- ranks whose libraries are not of one version --- */

static void apart(void)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last, executed = 0;

    CHECK(keel_mpi_loop_begin(MPI_COMM_WORLD, N, 0, &loop) == KEEL_MPI_NO_KEEL, "it is shared");
    while (keel_mpi_loop_next(loop, &first, &last)) {
        executed += last - first;
    }
    CHECK(executed == N, "%u iterations of the whole loop", (unsigned)executed);
    CHECK(keel_mpi_loop_end(&loop) == KEEL_MPI_NO_KEEL, "the end does not know of it");
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, N, KEEL_MPI_ADJACENT, &rows) == KEEL_MPI_NO_KEEL,
          "rows are made");
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    int level;

    if (strcmp(what, "version") == 0 && count == 4) {
        versions(atoi(arguments[2]), atoi(arguments[3]));
        return check_status();
    }
    if (strcmp(what, "codes") == 0) {
        codes(count - 2, arguments + 2);
        return check_status();
    }
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
    if (strcmp(what, "sizes") == 0) {
        sizes();
    } else if (strcmp(what, "apart") == 0) {
        apart();
    } else {
        unshared();
    }
    MPI_Finalize();
    return check_status();
}
