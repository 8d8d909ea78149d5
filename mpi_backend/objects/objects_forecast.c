/* Times of the phases of an object set, compared with the model. */
#include "mpi_backend/objects/objects.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "schedules/model/objects_terms.h"

/* Sums over all ranks. */
enum {
    COMPUTED,
    BUSY_NS,    /* computing objects, all threads */
    THERE,      /* objects at the end */
    MOVED,      /* objects given and taken */
    PACKING_NS, /* of giving and taking */
    ANSWERS,
    ANSWERS_NS, /* from questions to answers */
    SUMS
};

/* The terms of a rank in the model, as it sends them. */
struct terms {
    struct keel_objects_rank now, next; /* this phase, and one with the objects that are here now */
};

/* Counts when the phase began. */
struct before {
    uint64_t computed, moved, answers;
    double computing_s, packing_s, answers_s;
};

struct keel_mpi_objects_model {
    struct keel_mpi_object_set *set;
    double began_s, begun; /* begun: weight of the objects to compute */
    struct before before;
    struct keel_objects_bounds next; /* of the next phase; all 0: not known */
    uint64_t sum[2][SUMS];           /* of this rank, and of all: operations use them */
    struct terms *terms;             /* this rank, then all ranks */
    struct keel_objects_rank *rank;  /* for the bounds being computed */
};

/* --- making --- */

int keel_mpi_model_open(struct keel_mpi_objects *objects, keel_mpi_reader *read)
{
    struct keel_mpi_objects_model *model = calloc(1, sizeof *model);

    if (model != NULL) {
        model->terms = calloc(objects->ranks + (size_t)1, sizeof *model->terms);
        model->rank = calloc(objects->ranks, sizeof *model->rank);
        model->set = (struct keel_mpi_object_set *)keel_mpi_reported_new(KEEL_MPI_REPORTED_OBJECTS,
                                                                         objects, read);
    }
    objects->model = model;
    return model != NULL && model->terms != NULL && model->rank != NULL && model->set != NULL
               ? KEEL_MPI_OK
               : KEEL_MPI_NO_ROOM;
}

void keel_mpi_model_forget(struct keel_mpi_objects *objects)
{
    if (objects->model != NULL) {
        keel_mpi_reported_end((struct keel_mpi_reported *)objects->model->set, objects);
    }
}

void keel_mpi_model_free(struct keel_mpi_objects *objects)
{
    if (objects->model != NULL) {
        free(objects->model->terms);
        free(objects->model->rank);
        free(objects->model);
    }
}

/* --- a phase --- */

static struct before counted(const struct keel_mpi_objects *objects)
{
    const struct keel_mpi_objects_report *report = &objects->report;

    return (struct before){.computed = report->computed,
                           .moved = report->given + report->taken,
                           .answers = objects->answers,
                           .computing_s = objects->computing_s,
                           .packing_s = report->packing_s,
                           .answers_s = objects->answers_s};
}

void keel_mpi_model_begin(struct keel_mpi_objects *objects)
{
    if (objects->model != NULL) {
        objects->model->began_s = keel_mpi_clock_s();
        objects->model->begun = 0;
        objects->model->before = counted(objects);
    }
}

void keel_mpi_model_note_work(struct keel_mpi_objects *objects)
{
    if (objects->model != NULL) {
        objects->model->begun =
            objects->ready_weight +
            (objects->ready_known_s > 0
                 ? keel_common_weight(&objects->computing, keel_speed_of(&objects->speed),
                                      objects->ready_known_s)
                 : 0);
    }
}

uint64_t keel_mpi_model_took_ns(const struct keel_mpi_objects *objects)
{
    return objects->model != NULL ? (uint64_t)((keel_mpi_clock_s() - objects->model->began_s) * 1e9)
                                  : 0;
}

/* --- measurements --- */

static void add_weight(void *context, struct keel_mpi_object *object)
{
    *(double *)context += object->weight;
}

/* Terms for `weight` to compute: times, unless the program has set weights (units differ). */
static struct keel_objects_rank rank_of(const struct keel_mpi_objects *objects, double weight)
{
    const struct keel_work *computing = &objects->computing;
    double speed = keel_speed_of(&objects->speed);
    struct keel_rank_speed known = keel_rank_speed(computing, speed, objects->threads);

    if (known.stated > 0 || known.weight_s <= 0) {
        return (struct keel_objects_rank){weight, known.weight_s};
    }
    return (struct keel_objects_rank){keel_common_s(computing, speed, weight), known.power};
}

static void measure_own(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_model *model = objects->model;
    struct before now = counted(objects), before = model->before;
    double weight = 0;

    model->sum[0][COMPUTED] = now.computed - before.computed;
    model->sum[0][BUSY_NS] = (uint64_t)((now.computing_s - before.computing_s) * 1e9);
    model->sum[0][THERE] = objects->table.count;
    model->sum[0][MOVED] = now.moved - before.moved;
    model->sum[0][PACKING_NS] = (uint64_t)((now.packing_s - before.packing_s) * 1e9);
    model->sum[0][ANSWERS] = now.answers - before.answers;
    model->sum[0][ANSWERS_NS] = (uint64_t)((now.answers_s - before.answers_s) * 1e9);
    keel_mpi_table_visit(&objects->table, add_weight, &weight);
    model->terms[0] = (struct terms){rank_of(objects, model->begun), rank_of(objects, weight)};
}

#define TERMS_WORDS (sizeof(struct terms) / sizeof(double))

static int exchange(struct keel_mpi_objects *objects, const char *where)
{
    struct keel_mpi_objects_model *model = objects->model;
    MPI_Request request[2];

    measure_own(objects);
    if (!KEEL_MPI_CALL(&objects->peers, MPI_Iallreduce, model->sum[0], model->sum[1], SUMS,
                       MPI_UINT64_T, MPI_SUM, objects->peers.comm, &request[0]) ||
        !KEEL_MPI_CALL(&objects->peers, MPI_Iallgather, &model->terms[0], TERMS_WORDS, MPI_DOUBLE,
                       &model->terms[1], TERMS_WORDS, MPI_DOUBLE, objects->peers.comm,
                       &request[1])) {
        return keel_mpi_peers_code(&objects->peers);
    }
    return keel_mpi_peers_await(&objects->peers, where, 2, request);
}

/* --- bounds --- */

#define VISIT_S 0.5e-6 /* of an object without its computing, if not measured */

static double mean_of(uint64_t sum_ns, uint64_t count, double otherwise_s)
{
    return count > 0 ? (double)sum_ns * 1e-9 / (double)count : otherwise_s;
}

static struct keel_objects_known known_of(const struct keel_mpi_objects *objects, bool next,
                                          uint64_t longest_ns)
{
    struct keel_mpi_objects_model *model = objects->model;
    const uint64_t *sum = model->sum[1];
    double object_s = KEEL_MPI_OBJECT_S + mean_of(sum[PACKING_NS], sum[MOVED], 0);

    for (uint32_t i = 0; i < objects->ranks; i++) {
        model->rank[i] = next ? model->terms[1 + i].next : model->terms[1 + i].now;
    }
    return (struct keel_objects_known){
        .ranks = objects->ranks,
        .rank = model->rank,
        .objects = next ? sum[THERE] : sum[COMPUTED],
        .mean_s = mean_of(sum[BUSY_NS], sum[COMPUTED], 0),
        .longest_s = (double)longest_ns * 1e-9,
        .moves = keel_mpi_asking_is_on(objects),
        .neighbourhood =
            keel_objects_policy_looks(&objects->policy) ? objects->policy.neighbours : 1,
        .request_s = mean_of(sum[ANSWERS_NS], sum[ANSWERS], KEEL_MPI_ANSWER_S),
        .give_s = object_s,
        .take_s = object_s,
        .visit_s = VISIT_S,
    };
}

int keel_mpi_model_end(struct keel_mpi_objects *objects, const char *where, uint64_t took_ns,
                       uint64_t longest_ns)
{
    struct keel_mpi_objects_model *model = objects->model;

    if (model == NULL) {
        return KEEL_MPI_OK;
    }
    int code = exchange(objects, where);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    struct keel_mpi_phase phase = {
        .phase = objects->report.phases,
        .policy = keel_objects_policies[objects->policy.kind].name,
        .computed = model->sum[1][COMPUTED],
        .came_s = (double)took_ns * 1e-9,
        .longest_s = (double)longest_ns * 1e-9,
        .moves = keel_mpi_asking_is_on(objects),
        .before = model->next,
    };
    if (objects->policy.kind != KEEL_OBJECTS_SHAKE) {
        struct keel_objects_known known = known_of(objects, false, longest_ns);
        phase.mean_s = known.mean_s;
        keel_objects_bounds(&known, &phase.bounds);
        phase.advice = keel_objects_advise(&known);
        known = known_of(objects, true, longest_ns);
        keel_objects_bounds(&known, &model->next);
    }
    keel_mpi_phase_note(model->set, &phase);
    return KEEL_MPI_OK;
}
