/* Gathers results of loops with random partitions, and compares the whole memory of every rank with
 * that of a single process. `gather CHECK...`, under mpirun; rank 0 prints errors. */
#include "mpi_backend/results/range_list.h"
#include "tests/support/wrapped.h"
#include "tests/support/rank_checks.h"

/* --- datatypes of every shape, and the bytes of an element of each --- */

#define ELEMENTS 12
#define REACH 256 /* bytes from an element's address, either way */

struct element {
    const char *name;
    MPI_Datatype type;
    long extent;
    size_t bytes;           /* that belong to an element */
    long offset[2 * REACH]; /* of each, from the element's address */
};

/* Finds the bytes by making MPI write all of them. */
static void find_bytes(struct element *element)
{
    unsigned char ones[2 * REACH], memory[2 * REACH] = {0};
    int size, position = 0;
    MPI_Aint bound, extent;

    memset(ones, 0xff, sizeof ones);
    MPI_Type_size(element->type, &size);
    MPI_Type_get_extent(element->type, &bound, &extent);
    MPI_Unpack(ones, size, &position, memory + REACH, 1, element->type, MPI_COMM_WORLD);
    element->extent = (long)extent;
    for (long offset = -REACH; offset < REACH; offset++) {
        if (memory[REACH + offset] != 0) {
            element->offset[element->bytes++] = offset;
        }
    }
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint low, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, low, extent, &result);
    return result;
}

static MPI_Datatype three_ints_apart(void)
{
    MPI_Datatype type;

    MPI_Type_vector(3, 1, 3, MPI_INT, &type);
    return type;
}

static MPI_Datatype with_a_gap_behind(MPI_Datatype type, MPI_Aint extent)
{
    MPI_Datatype result = resized(type, 0, extent);

    MPI_Type_free(&type);
    return result;
}

static MPI_Datatype shorts(int count)
{
    MPI_Datatype type;

    MPI_Type_contiguous(count, MPI_SHORT, &type);
    return type;
}

/* A structure whose first member lies before its address. */
static MPI_Datatype scattered(void)
{
    const int lengths[] = {1, 2, 3};
    const MPI_Aint displacements[] = {-13, 8, -4};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_CHAR};
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, displacements, types, &type);
    return type;
}

static struct element elements[ELEMENTS];

#define PREDEFINED 4 /* the first ones */

static void elements_make(void)
{
    const struct {
        const char *name;
        MPI_Datatype type;
    } made[ELEMENTS] = {
        {"bytes", MPI_BYTE},
        {"int", MPI_INT},
        {"double", MPI_DOUBLE},
        {"double and int", MPI_DOUBLE_INT},
        {"three shorts", shorts(3)},
        {"vector", three_ints_apart()},
        {"vector with a gap behind it", with_a_gap_behind(three_ints_apart(), 40)},
        {"wide double", resized(MPI_DOUBLE, 0, 24)},
        {"int with a low bound below", resized(MPI_INT, -8, 16)},
        {"scattered", scattered()},
        {"ints in falling order", resized(MPI_INT, 0, -4)},
        {"nothing", shorts(0)},
    };

    for (int i = 0; i < ELEMENTS; i++) {
        elements[i] = (struct element){.name = made[i].name, .type = made[i].type};
        MPI_Type_commit(&elements[i].type);
        find_bytes(&elements[i]);
    }
}

RANK_CHECK(end)
{
    for (int i = PREDEFINED; i < ELEMENTS; i++) {
        MPI_Type_free(&elements[i].type);
    }
}

/* --- datatypes that are counted --- */

static int left;

/* Returns the number of types made and not freed since the last call. */
static int datatypes_left(void)
{
    int result = left;

    left = 0;
    return result;
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *result)
{
    left++;
    return PMPI_Type_contiguous(count, type, result);
}

int MPI_Type_create_hindexed(int count, const int *length, const MPI_Aint *displacement,
                             MPI_Datatype type, MPI_Datatype *result)
{
    left++;
    return PMPI_Type_create_hindexed(count, length, displacement, type, result);
}

int MPI_Type_free(MPI_Datatype *type)
{
    left--;
    return PMPI_Type_free(type);
}

/* True if it holds on all ranks. */
static bool check(bool holds, const char *format, ...)
{
    int mine = holds, all;
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    CHECK(rank != 0 || all, "%s (KEEL_TEST_SEED=%lu)", text, seed);
    return all;
}

static void *get(size_t size)
{
    void *memory = malloc(size + 1);

    if (memory == NULL) {
        fprintf(stderr, "no memory for the test\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* All ranks, without messages about waiting ranks. */
static struct keel_mpi_peers peers = {.comm = MPI_COMM_NULL, .notices = MPI_COMM_NULL};

/* --- a loop and its partition --- */

#define LOOP_MAX 400

struct loop {
    uint64_t iterations;
    size_t count; /* elements of each */
    const struct element *element;
    int owner[LOOP_MAX];
    struct keel_mpi_range_list own;
};

static void draw_owners(struct loop *loop)
{
    uint64_t run = 1 + draws_below(&same, 40);
    int working = 1 + (int)draws_below(&same, (uint64_t)ranks), owner = 0; /* others have nothing */
    int first = (int)draws_below(&same, (uint64_t)ranks);

    for (uint64_t i = 0; i < loop->iterations; i++) {
        if (i == 0 || draws_below(&same, run) == 0) {
            owner = (first + (int)draws_below(&same, (uint64_t)working)) % ranks;
        }
        loop->owner[i] = owner;
    }
}

static void note_own(struct loop *loop)
{
    loop->own = (struct keel_mpi_range_list){0};
    for (uint64_t i = 0; i < loop->iterations; i++) {
        if (loop->owner[i] == rank) {
            keel_mpi_range_list_note(&loop->own, i, i + 1);
        }
    }
}

static struct loop draw_loop(void)
{
    static const size_t counts[] = {0, 1, 1, 2, 3, 7, 500};
    struct loop loop = {
        .iterations = draws_below(&same, draws_below(&same, 3) == 0 ? 3 : LOOP_MAX + 1),
        .count = counts[draws_below(&same, sizeof counts / sizeof counts[0])],
        .element = &elements[draws_below(&same, ELEMENTS)],
    };

    draw_owners(&loop);
    note_own(&loop);
    return loop;
}

/* --- memory --- */

struct memory {
    size_t size;
    unsigned char *start, *wanted;
    unsigned char *buffer; /* what is passed to gather */
    unsigned char before;  /* value of all bytes that were not written */
};

static unsigned char *element_in(const struct memory *memory, const struct loop *loop, uint64_t e)
{
    return memory->buffer + (long)e * loop->element->extent;
}

/* Writes what iterations compute, in place. */
static void compute(const struct memory *memory, const struct loop *loop, uint64_t iteration)
{
    for (size_t k = 0; k < loop->count; k++) {
        uint64_t e = iteration * loop->count + k;
        unsigned char *address = element_in(memory, loop, e);
        for (size_t b = 0; b < loop->element->bytes; b++) {
            address[loop->element->offset[b]] = (unsigned char)(1 + (e * 31 + b * 7) % 120);
        }
    }
}

/* Makes a buffer for the whole loop, with this rank's results in it. */
static struct memory memory_begin(const struct loop *loop)
{
    long extent = loop->element->extent, length = (long)(loop->iterations * loop->count) * extent;
    struct memory memory = {.size = (size_t)labs(length) + 4 * REACH,
                            .before = (unsigned char)(0x80 + rank)};

    memory.start = get(memory.size);
    memory.wanted = get(memory.size);
    memory.buffer = memory.start + 2 * REACH + (length < 0 ? -length : 0);
    memset(memory.start, memory.before, memory.size);
    for (uint64_t i = 0; i < loop->iterations; i++) {
        if (loop->owner[i] == rank) {
            compute(&memory, loop, i);
        }
    }
    memcpy(memory.wanted, memory.start, memory.size);
    return memory;
}

/* Expects the whole loop here. */
static void memory_expect_all(struct memory *memory, const struct loop *loop)
{
    struct memory wanted = *memory;

    wanted.buffer = memory->wanted + (memory->buffer - memory->start);
    for (uint64_t i = 0; i < loop->iterations; i++) {
        compute(&wanted, loop, i);
    }
}

static bool memory_is_as_wanted(const struct memory *memory)
{
    return memcmp(memory->start, memory->wanted, memory->size) == 0;
}

static void memory_end(struct memory *memory)
{
    free(memory->start);
    free(memory->wanted);
}

static int gather(const struct loop *loop, const struct memory *memory, int root)
{
    messages.count = 0;
    return keel_mpi_gather_ranges(&peers, loop->iterations, &loop->own, memory->buffer, loop->count,
                                  loop->element->type, root);
}

/* --- partitions --- */

static void check_partition(const struct loop *loop, int root)
{
    struct memory memory = memory_begin(loop);

    datatypes_left();
    int code = gather(loop, &memory, root);

    if (root == rank || root == KEEL_MPI_GATHER_ALL) {
        memory_expect_all(&memory, loop);
    }
    check(code == KEEL_MPI_OK && messages.count == 0 && memory_is_as_wanted(&memory) &&
              datatypes_left() == 0,
          "%lu iterations of %zu %s, root %d, code %d", loop->iterations, loop->count,
          loop->element->name, root, code);
    memory_end(&memory);
}

static int draw_root(void)
{
    return draws_below(&same, 2) == 0 ? KEEL_MPI_GATHER_ALL
                                      : (int)draws_below(&same, (uint64_t)ranks);
}

RANK_CHECK(partitions)
{
    for (unsigned round = 0; round < 150 && check_failures == 0; round++) {
        struct loop loop = draw_loop();
        check_partition(&loop, draw_root());
        keel_mpi_range_list_free(&loop.own);
    }
}

/* --- what must not be gathered --- */

/* A loop of 20 iterations of two ints, dealt in turn. */
static struct loop plain_loop(void)
{
    struct loop loop = {.iterations = 20, .count = 2, .element = &elements[1]};

    for (int i = 0; i < 20; i++) {
        loop.owner[i] = i % ranks;
    }
    note_own(&loop);
    return loop;
}

/* Checks that no data has moved, and that each rank has printed one message. */
static void check_refused(const char *name, const struct loop *loop, int root, int wanted,
                          const char *text)
{
    struct memory memory;
    struct loop plain = plain_loop();
    int code;

    memory = memory_begin(&plain);
    code = gather(loop, &memory, root);
    check(code == wanted && memory_is_as_wanted(&memory), "%s, root %d: code %d", name, root, code);
    check(messages.count == 1 && strstr(messages.last, text) != NULL,
          "%s, root %d: %d messages, '%s'", name, root, messages.count, messages.last);
    memory_end(&memory);
    keel_mpi_range_list_free(&plain.own);
}

/* Changes the loop on the last rank. */
static void refuse(const char *name, void (*spoil)(struct loop *), int code, const char *text)
{
    for (int root = -1; root < ranks; root++) {
        struct loop loop = plain_loop();
        if (rank == ranks - 1) {
            spoil(&loop);
        }
        check_refused(name, &loop, root < 0 ? KEEL_MPI_GATHER_ALL : root, code, text);
        keel_mpi_range_list_free(&loop.own);
    }
}

static void forget_one(struct loop *loop)
{
    loop->own.count--;
}

/* The ranges that rank 0 has executed. */
static void execute_another(struct loop *loop)
{
    keel_mpi_range_list_note(&loop->own, 0, 1);
    keel_mpi_range_list_merge(&loop->own);
}

static void lose_ranges(struct loop *loop)
{
    loop->own.incomplete = true;
}

static void have_no_type(struct loop *loop)
{
    static const struct element none = {.type = MPI_DATATYPE_NULL};

    loop->element = &none;
}

static void have_more_elements(struct loop *loop)
{
    loop->count++;
}

static void have_more_iterations(struct loop *loop)
{
    loop->iterations++;
}

/* More than 2^63 bytes, and more than 2^64 elements. */
static void have_too_many_elements(struct loop *loop)
{
    loop->count = SIZE_MAX / 8;
}

static void refuse_roots(void)
{
    static const int bad[] = {-1, -2, INT_MAX, INT_MIN + 1};
    struct loop loop = plain_loop();

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_refused("a root that is none", &loop, bad[i], KEEL_MPI_ARGUMENT, "is no rank");
        check_refused("a root that is none on one rank", &loop, rank == ranks - 1 ? bad[i] : 0,
                      KEEL_MPI_ARGUMENT, "is no rank");
    }
    check_refused("a root behind the last rank", &loop, ranks, KEEL_MPI_ARGUMENT, "is no rank");
    if (ranks > 1) {
        check_refused("two roots", &loop, rank == 0, KEEL_MPI_ARGUMENT, "different roots");
        check_refused("all and one", &loop, rank == 0 ? 0 : KEEL_MPI_GATHER_ALL, KEEL_MPI_ARGUMENT,
                      "different roots");
    }
    keel_mpi_range_list_free(&loop.own);
}

RANK_CHECK(errors)
{
    char gap[64];
    int last = (19 - (ranks - 1)) / ranks * ranks + ranks - 1; /* the last iteration forgotten */

    snprintf(gap, sizeof gap, "executed by no rank, %d to %d", ranks == 1 ? 0 : last,
             ranks == 1 ? 19 : last);
    refuse("a gap", forget_one, KEEL_MPI_MISMATCH, gap);
    if (ranks > 1) {
        refuse("an iteration executed twice", execute_another, KEEL_MPI_MISMATCH, "more than once");
        refuse("other elements", have_more_elements, KEEL_MPI_ARGUMENT, "not alike");
        refuse("another loop", have_more_iterations, KEEL_MPI_MISMATCH, "not alike");
    } else {
        refuse("an iteration too many", have_more_iterations, KEEL_MPI_MISMATCH, "20 to 20");
    }
    refuse("ranges that are not complete", lose_ranges, KEEL_MPI_NO_ROOM, "no memory");
    refuse("no datatype", have_no_type, KEEL_MPI_ARGUMENT, "MPI_DATATYPE_NULL");
    refuse("too many elements", have_too_many_elements, KEEL_MPI_ARGUMENT, "memory can hold");
    refuse_roots();
}

/* --- no memory --- */

/* An allocation fails on one rank, each time a later one, until none does. */
static void starve(int victim, int root)
{
    struct loop loop = plain_loop();
    int code = KEEL_MPI_NO_ROOM, failures = 0;

    while (code == KEEL_MPI_NO_ROOM && failures < 20) {
        struct memory memory = memory_begin(&loop);
        if (rank == victim) {
            memory_fails_after((unsigned)failures++);
        }
        code = gather(&loop, &memory, root);
        memory_works();
        if (code == KEEL_MPI_OK && (root == rank || root == KEEL_MPI_GATHER_ALL)) {
            memory_expect_all(&memory, &loop);
        }
        check(memory_is_as_wanted(&memory), "no memory on %d, root %d: code %d", victim, root,
              code);
        check(messages.count == (code != KEEL_MPI_OK), "no memory on %d: %d messages", victim,
              messages.count);
        memory_end(&memory);
        MPI_Bcast(&failures, 1, MPI_INT, victim, MPI_COMM_WORLD);
    }
    bool takes = root == victim || root == KEEL_MPI_GATHER_ALL;
    check(code == KEEL_MPI_OK && (takes ? failures >= 8 : failures == 4),
          "no memory on %d, root %d: %d times", victim, root, failures);
    keel_mpi_range_list_free(&loop.own);
}

RANK_CHECK(memory)
{
    for (int victim = 0; victim < ranks; victim++) {
        starve(victim, KEEL_MPI_GATHER_ALL);
        starve(victim, 0);
        starve(victim, ranks - 1);
    }
}

/* --- more than 2^31 elements --- */

static void fill(unsigned char *buffer, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++) {
        buffer[i] = (unsigned char)(i * 2654435761u >> 24 | 1);
    }
}

static bool is_filled(const unsigned char *buffer, uint64_t first, uint64_t last, bool written)
{
    bool same = true;

    for (uint64_t i = first; i < last && same; i++) {
        same = buffer[i] == (written ? (unsigned char)(i * 2654435761u >> 24 | 1) : 0);
    }
    return same;
}

/* Rank 0 has `edge` iterations at both ends, rank 1 all others. */
static void check_long(unsigned char *buffer, uint64_t iterations, size_t count, uint64_t edge,
                       int root)
{
    uint64_t end = iterations * count, low = edge * count, high = end - low;
    struct keel_mpi_range_list own = {0};

    memset(buffer, 0, end);
    if (rank == 0 && edge > 0) {
        keel_mpi_range_list_note(&own, 0, edge);
        keel_mpi_range_list_note(&own, iterations - edge, iterations);
        fill(buffer, 0, low);
        fill(buffer, high, end);
    } else if (rank == 1) {
        keel_mpi_range_list_note(&own, edge, iterations - edge);
        fill(buffer, low, high);
    }
    int code = keel_mpi_gather_ranges(&peers, iterations, &own, buffer, count, MPI_BYTE, root);
    bool edges = rank == 0 || root == KEEL_MPI_GATHER_ALL;
    check(code == KEEL_MPI_OK && is_filled(buffer, 0, low, edges) &&
              is_filled(buffer, low, high, true) && is_filled(buffer, high, end, edges),
          "%lu iterations of %zu bytes, root %d", iterations, count, root);
    keel_mpi_range_list_free(&own);
}

#define LARGE ((UINT64_C(1) << 31) + 54321)

static void check_large(uint64_t iterations, size_t count, uint64_t edge, int root)
{
    unsigned char *buffer = get(iterations * count);

    if (check(ranks == 2, "two ranks")) {
        check_long(buffer, iterations, count, edge, root);
    }
    free(buffer);
}

RANK_CHECK(large_range)
{
    check_large(LARGE, 1, 1000, 0);
}

RANK_CHECK(large_count)
{
    check_large(1, LARGE, 0, KEEL_MPI_GATHER_ALL);
}

/* Makes the elements of each type, and the peers. The first check, as `end` is the last. */
RANK_CHECK(begin)
{
    elements_make();
    check(keel_mpi_peers_open(&peers, MPI_COMM_WORLD) == KEEL_MPI_OK, "peers");
}

RANK_CHECKS_MAIN(MPI_THREAD_SINGLE)
