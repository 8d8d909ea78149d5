/* Object sets: queries between phases; making and freeing; adding objects and sending. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/job.h"
#include "mpi_backend/objects/objects.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- owners --- */

static void ask_owner(struct keel_mpi_objects *objects, uint64_t index, uint32_t number)
{
    uint32_t home = keel_mpi_delivery_home(objects, index);
    const struct keel_location *known = keel_mpi_locations_find(&objects->homes, index);

    objects->owner[number] = -1;
    if (keel_mpi_table_find(&objects->table, index) != NULL) {
        objects->owner[number] = (int)objects->rank;
    } else if (home != objects->rank) {
        keel_mpi_delivery_notify(objects, home,
                                 &(struct keel_mpi_object_record){.index = index,
                                                                  .kind = KEEL_MPI_RECORD_WHERE,
                                                                  .sender = objects->rank,
                                                                  .number = number});
    } else if (known != NULL && known->rank != KEEL_LOCATION_DELETED) {
        objects->owner[number] = (int)known->rank;
    }
}

/* Two phases: at the end of the first one, home ranks know the objects inserted since the last
 * phase; in the second one, they are asked. */
KEEL_MPI_PUBLIC int keel_mpi_objects_owner(struct keel_mpi_objects *objects, const uint64_t *index,
                                           size_t count, int *rank)
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_owner");

    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    if (count > UINT32_MAX) {
        objects->code = KEEL_MPI_ARGUMENT;
        count = 0;
    }
    objects->owners = 0;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_OWNER);
    code = keel_mpi_phase_run(objects, "in keel_mpi_objects_owner()");
    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    objects->owner = rank;
    objects->owners = count;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_OWNER);
    for (size_t i = 0; i < count; i++) {
        ask_owner(objects, index[i], (uint32_t)i);
    }
    return keel_mpi_error_return(keel_mpi_phase_run(objects, "in keel_mpi_objects_owner()"));
}

/* --- gathering --- */

struct gathering {
    struct keel_mpi_objects *objects;
    uint32_t root;
};

static int pack_object(struct keel_mpi_objects *objects, const struct keel_mpi_object *object,
                       uint32_t root)
{
    uint64_t size = keel_mpi_object_bytes(objects, object);
    struct keel_mpi_object_record record = {.index = object->index,
                                            .bytes = size,
                                            .kind = KEEL_MPI_RECORD_GATHERED,
                                            .sender = objects->rank};
    void *packed = malloc(size > 0 ? size : 1);
    int code = packed == NULL ? KEEL_MPI_NO_ROOM : KEEL_MPI_OK;

    if (packed == NULL) {
        keel_message("no memory to pack object %llu of %llu bytes, which is not gathered",
                     (unsigned long long)object->index, (unsigned long long)size);
    }
    if (code == KEEL_MPI_OK &&
        objects->call.pack(objects->call.context, object->index, object->data, packed) != 0) {
        keel_message("a program's function failed to pack object %llu, which is not gathered",
                     (unsigned long long)object->index);
        code = KEEL_MPI_CALLBACK;
    }
    if (code == KEEL_MPI_OK && root == objects->rank) {
        objects->gather(objects->call.context, object->index, packed, size);
    } else if (code == KEEL_MPI_OK) {
        return keel_mpi_delivery_put_own(objects, root, &record, packed) ? KEEL_MPI_OK
                                                                         : KEEL_MPI_NO_ROOM;
    }
    free(packed);
    return code;
}

static void gather_object(void *context, struct keel_mpi_object *object)
{
    struct gathering *gathering = context;
    int code = pack_object(gathering->objects, object, gathering->root);

    if (code != KEEL_MPI_OK) {
        gathering->objects->code = code;
    }
}

/* A phase without objects checks that all ranks gather, and with the same root. */
KEEL_MPI_PUBLIC int keel_mpi_objects_gather(struct keel_mpi_objects *objects, int root,
                                            void (*take)(void *context, uint64_t index,
                                                         const void *packed, size_t size))
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_gather");

    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    bool right = root >= 0 && (uint32_t)root < objects->ranks && objects->call.size != NULL &&
                 objects->call.pack != NULL && ((uint32_t)root != objects->rank || take != NULL);
    if (!right) {
        keel_mpi_misuse("keel_mpi_objects_gather(): root %d of %u ranks, or one of the functions "
                        "size, pack and take is missing; nothing is gathered",
                        root, objects->ranks);
        objects->code = KEEL_MPI_ARGUMENT;
    }
    objects->root = (uint32_t)root;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_GATHER);
    code = keel_mpi_phase_run(objects, "in keel_mpi_objects_gather()");
    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    struct gathering gathering = {objects, (uint32_t)root};
    objects->gather = take;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_GATHER);
    keel_mpi_table_visit(&objects->table, gather_object, &gathering);
    return keel_mpi_error_return(keel_mpi_phase_run(objects, "in keel_mpi_objects_gather()"));
}

/* --- objects that are here --- */

struct listing {
    uint64_t *list;
    uint64_t count;
};

static void list_object(void *context, struct keel_mpi_object *object)
{
    struct listing *listing = context;

    listing->list[listing->count++] = object->index;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

KEEL_MPI_PUBLIC int keel_mpi_objects_list(struct keel_mpi_objects *objects, const uint64_t **index,
                                          uint64_t *count)
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_list");

    *count = 0;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    uint64_t *list = realloc(objects->list, (objects->table.count + 1) * sizeof *list);
    if (list == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    struct listing listing = {list, 0};
    keel_mpi_table_visit(&objects->table, list_object, &listing);
    qsort(list, listing.count, sizeof *list, compare);
    *index = objects->list = list;
    *count = listing.count;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC void *keel_mpi_objects_data(struct keel_mpi_objects *objects, uint64_t index)
{
    void *data = NULL;

    if (objects != NULL) {
        keel_mpi_objects_lock(objects);
        struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, index);
        data = object != NULL && object->state != KEEL_MPI_OBJECT_LEAVES ? object->data : NULL;
        keel_mpi_objects_unlock(objects);
    }
    return data;
}

/* --- reports --- */

KEEL_MPI_PUBLIC int keel_mpi_objects_report(const struct keel_mpi_objects *objects,
                                            struct keel_mpi_objects_report *report)
{
    if (objects == NULL || report == NULL ||
        !keel_mpi_sized_check(report, sizeof(size_t), "keel_mpi_objects_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    struct keel_mpi_objects_report own = objects->report;
    own.objects = objects->table.count;
    own.messages = objects->transport.messages;
    own.bytes_kept = keel_mpi_table_bytes(&objects->table) + keel_mpi_table_bytes(&objects->held) +
                     (objects->homes.slots + objects->hints.slots + objects->numbers.slots) *
                         sizeof(struct keel_mpi_location_entry);
    keel_mpi_sized_give(report, &own, sizeof own);
    return KEEL_MPI_OK;
}

/* --- sets --- */

/* --- making --- */

#define HANDLERS_MAX 65536

static int take_functions(struct keel_mpi_objects *objects,
                          const struct keel_mpi_objects_functions *functions)
{
    if (functions == NULL ||
        !keel_mpi_sized_check(functions, sizeof *functions, "keel_mpi_objects_create")) {
        return KEEL_MPI_ARGUMENT;
    }
    keel_mpi_sized_take(&objects->call, sizeof objects->call, functions);
    if (objects->call.handlers > HANDLERS_MAX ||
        (objects->call.handlers > 0 && objects->call.handler == NULL)) {
        keel_mpi_misuse("keel_mpi_objects_create(): %u handlers, expected up to %d and an array of "
                        "them; nothing is made",
                        objects->call.handlers, HANDLERS_MAX);
        return KEEL_MPI_ARGUMENT;
    }
    objects->handler = malloc((objects->call.handlers + 1) * sizeof(*objects->handler));
    if (objects->handler == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (unsigned i = 0; i < objects->call.handlers; i++) {
        objects->handler[i] = objects->call.handler[i];
    }
    return KEEL_MPI_OK;
}

static int prepare(struct keel_mpi_objects *objects,
                   const struct keel_mpi_objects_functions *functions)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    int code = take_functions(objects, functions);

    objects->rank = objects->peers.rank;
    objects->ranks = objects->peers.ranks;
    objects->poll_s = settings->poll_ns * 1e-9;
    objects->policy = settings->objects;
    objects->wave_request = MPI_REQUEST_NULL;
    objects->threads = objects->at_work = 1;
    atomic_flag_clear(&objects->lock);
    objects->transport.take = keel_mpi_progress_take_record;
    objects->transport.context = objects;
    if (code == KEEL_MPI_OK && !keel_mpi_transport_open(&objects->transport, &objects->peers)) {
        code = KEEL_MPI_NO_ROOM;
    }
    if (code == KEEL_MPI_OK) {
        code = keel_mpi_asking_open(objects);
    }
    if (code == KEEL_MPI_OK && !keel_mpi_copies_open(&objects->copies, &objects->peers, 1, NULL)) {
        code = KEEL_MPI_NO_ROOM;
    }
    if (code == KEEL_MPI_NO_ROOM) {
        keel_message("no memory for an object set");
    }
    return code;
}

/* Returns the highest code of all ranks. *reported: some rank wants a report. */
static int agree(struct keel_mpi_objects *objects, int code, bool *reported)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    uint64_t alike = keel_digest_bytes(KEEL_DIGEST_START, &objects->call.handlers,
                                       sizeof objects->call.handlers);
    alike = keel_digest_bytes(alike, &settings->copies, sizeof settings->copies);
    uint64_t word[] = {(uint64_t)code, alike, ~alike, settings->measurements};
    int all = keel_mpi_peers_maxima(&objects->peers, "in keel_mpi_objects_create()", word, 4);

    *reported = word[3] != 0;

    if (all != KEEL_MPI_OK) {
        return all;
    }
    if (word[0] == KEEL_MPI_OK && word[1] != ~word[2]) {
        if (objects->rank == 0) {
            keel_message("ranks came to keel_mpi_objects_create() with different handlers, or "
                         "KEEL_MPI_COPIES, expected the same on all of them; nothing is made");
        }
        return KEEL_MPI_MISMATCH;
    }
    return (int)word[0];
}

static void free_held(void *context, struct keel_mpi_object *held)
{
    (void)context;
    keel_mpi_object_messages_free(&held->messages);
}

static void release(struct keel_mpi_objects *objects)
{
    keel_mpi_model_forget(objects);
    if (keel_mpi_peers_code(&objects->peers) != KEEL_MPI_OK) {
        return; /* pending operations use it */
    }
    keel_mpi_model_free(objects);
    keel_mpi_copies_free(objects->copies);
    keel_mpi_transport_close(&objects->transport);
    keel_mpi_peers_close(&objects->peers);
    keel_mpi_table_visit(&objects->held, free_held, NULL);
    keel_mpi_table_free(&objects->held);
    keel_mpi_table_free(&objects->table);
    keel_mpi_locations_clear(&objects->homes);
    keel_mpi_locations_clear(&objects->hints);
    keel_mpi_locations_clear(&objects->numbers);
    keel_mpi_object_messages_free(&objects->returned);
    free(objects->list);
    free(objects->handler);
    free(objects);
}

static int read_report(const void *objects, void *report)
{
    return keel_mpi_objects_report(objects, report);
}

/* Returns an empty set; NULL: the reason is in *code. */
static struct keel_mpi_objects *make(MPI_Comm comm, int *code)
{
    struct keel_mpi_objects *objects = calloc(1, sizeof *objects);

    *code = keel_mpi_comm_open(comm, "in keel_mpi_objects_create()",
                               objects != NULL ? &objects->peers : NULL);
    return *code == KEEL_MPI_OK ? objects : NULL; /* pending operations may use it */
}

KEEL_MPI_PUBLIC int keel_mpi_objects_create(MPI_Comm comm,
                                            const struct keel_mpi_objects_functions *functions,
                                            struct keel_mpi_objects **created)
{
    int code = keel_mpi_comm_look_at(
        comm, "objects can move over an intracommunicator only; none are made");
    bool reported;

    *created = NULL;
    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    struct keel_mpi_objects *objects = make(comm, &code);
    if (objects == NULL) {
        keel_mpi_misuse("no objects can move over this communicator (%s)",
                        keel_mpi_error_name(code));
        return keel_mpi_error_return(code);
    }
    code = agree(objects, prepare(objects, functions), &reported);
    if (code == KEEL_MPI_OK && reported) {
        code = agree(objects, keel_mpi_model_open(objects, read_report), &reported);
    }
    if (code != KEEL_MPI_OK) {
        release(objects);
        return keel_mpi_error_return(code);
    }
    keel_mpi_objects_enlist(objects);
    *created = objects;
    return KEEL_MPI_OK;
}

/* Messages that have not been handled are received, and lost. */
KEEL_MPI_PUBLIC int keel_mpi_objects_destroy(struct keel_mpi_objects **destroyed)
{
    struct keel_mpi_objects *objects = *destroyed;
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_destroy");

    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    *destroyed = NULL;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_DESTROY);
    code = keel_mpi_phase_run(objects, "in keel_mpi_objects_destroy()");
    keel_mpi_objects_unlist(objects);
    keel_mpi_objects_drop_all(objects);
    release(objects);
    return keel_mpi_error_return(code);
}

KEEL_MPI_PUBLIC int keel_mpi_objects_set_balance(struct keel_mpi_objects *objects,
                                                 const char *policy)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    char problem[KEEL_PROBLEM_MAX] = "";
    struct keel_objects_policy read = settings->objects;
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_set_balance");

    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (policy != NULL && !keel_objects_policy_read(policy, &read, problem)) {
        keel_mpi_misuse("keel_mpi_objects_set_balance(): '%.40s' is none of steal, diffuse, tree, "
                        "prema, shake and off; nothing changes",
                        policy);
        return KEEL_MPI_ARGUMENT;
    }
    if (problem[0] != '\0') {
        keel_mpi_misuse("keel_mpi_objects_set_balance(): %s", problem);
    }
    objects->policy = settings->objects_stated ? settings->objects : read;
    return keel_mpi_asking_open(objects);
}

/* --- objects --- */

KEEL_MPI_PUBLIC int keel_mpi_objects_insert(struct keel_mpi_objects *objects, uint64_t index,
                                            void *data)
{
    if (keel_mpi_objects_are_missing(objects, "keel_mpi_objects_insert")) {
        return KEEL_MPI_ARGUMENT;
    }
    keel_mpi_objects_lock(objects);
    int code = keel_mpi_delivery_insert(objects, index, data);
    keel_mpi_objects_unlock(objects);
    return code;
}

KEEL_MPI_PUBLIC uint64_t keel_mpi_objects_new_index(struct keel_mpi_objects *objects)
{
    if (keel_mpi_objects_are_missing(objects, "keel_mpi_objects_new_index")) {
        return UINT64_MAX;
    }
    keel_mpi_objects_lock(objects);
    uint64_t number = objects->new_indices++;
    keel_mpi_objects_unlock(objects);
    return (UINT64_C(1) << 63) + number * objects->ranks + objects->rank;
}

KEEL_MPI_PUBLIC int keel_mpi_objects_send(struct keel_mpi_objects *objects, uint64_t index,
                                          unsigned handler, const void *message, size_t bytes)
{
    if (keel_mpi_objects_are_missing(objects, "keel_mpi_objects_send")) {
        return KEEL_MPI_ARGUMENT;
    }
    if (handler >= objects->call.handlers || (message == NULL && bytes > 0)) {
        keel_mpi_misuse(
            "keel_mpi_objects_send(): handler %u of %u, message %p of %zu bytes; expected "
            "a handler of the set and a message; nothing is sent",
            handler, objects->call.handlers, message, bytes);
        return KEEL_MPI_ARGUMENT;
    }
    keel_mpi_objects_lock(objects);
    int code = keel_mpi_delivery_send(objects, index, handler, message, bytes);
    keel_mpi_objects_unlock(objects);
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_objects_delete(struct keel_mpi_objects *objects, uint64_t index)
{
    if (keel_mpi_objects_are_missing(objects, "keel_mpi_objects_delete")) {
        return KEEL_MPI_ARGUMENT;
    }
    keel_mpi_objects_lock(objects);
    int code = keel_mpi_delivery_send(objects, index, KEEL_MPI_OBJECTS_DELETION, NULL, 0);
    keel_mpi_objects_unlock(objects);
    return code;
}

/* Within these, times derived from other weights' times fit into a float. */
#define HEAVIEST 1e15
#define LIGHTEST 1e-12

KEEL_MPI_PUBLIC int keel_mpi_objects_weigh(struct keel_mpi_objects *objects, uint64_t index,
                                           double weight)
{
    int code = KEEL_MPI_ARGUMENT;

    if (keel_mpi_objects_are_missing(objects, "keel_mpi_objects_weigh")) {
        return code;
    }
    keel_mpi_objects_lock(objects);
    struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, index);
    bool ready = object != NULL && object->state == KEEL_MPI_OBJECT_READY;
    if (object != NULL && object->state != KEEL_MPI_OBJECT_LEAVES && isgreaterequal(weight, 0) &&
        weight <= HEAVIEST) {
        if (ready) {
            keel_mpi_ready_remove(objects, object); /* its weight is part of a sum */
        }
        object->weight = weight >= LIGHTEST ? (float)weight : 0;
        object->stated = true;
        if (ready) {
            keel_mpi_object_settle(objects, object);
        }
        code = KEEL_MPI_OK;
    }
    keel_mpi_objects_unlock(objects);
    return code;
}
