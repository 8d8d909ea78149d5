/* Borders of a pipelined sweep. */
#include "mpi_backend/rows/borders.h"

void keel_borders_open(struct keel_borders *borders, MPI_Comm comm,
                       const struct keel_rows_array *array)
{
    *borders = (struct keel_borders){.comm = comm, .array = array};
    for (unsigned i = 0; i < KEEL_BORDERS_AHEAD; i++) {
        borders->sent[i] = MPI_REQUEST_NULL;
    }
    for (unsigned i = 0; i < KEEL_BORDERS_TYPES; i++) {
        borders->kind[i].type = MPI_DATATYPE_NULL;
    }
}

void keel_borders_close(struct keel_borders *borders)
{
    for (unsigned i = 0; i < KEEL_BORDERS_TYPES; i++) {
        if (borders->kind[i].type != MPI_DATATYPE_NULL) {
            MPI_Type_free(&borders->kind[i].type);
        }
    }
}

/* --- datatypes --- */

static MPI_Datatype make_type(const struct keel_borders *borders, uint64_t rows, uint64_t width)
{
    MPI_Datatype row = keel_rows_bytes(width * borders->array->element), type;

    if (rows == 1) {
        return row;
    }
    MPI_Type_create_hvector((int)rows, 1, (MPI_Aint)keel_array_row_bytes(borders->array), row,
                            &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&row);
    return type;
}

/* Of a part of so many rows and elements. Those that have been used lately are there. */
static MPI_Datatype type_of(struct keel_borders *borders, uint64_t rows, uint64_t width)
{
    unsigned i = 0;

    while (i < KEEL_BORDERS_TYPES &&
           (borders->kind[i].type == MPI_DATATYPE_NULL || borders->kind[i].rows != rows ||
            borders->kind[i].width != width)) {
        i++;
    }
    if (i == KEEL_BORDERS_TYPES) {
        i = borders->kinds++ % KEEL_BORDERS_TYPES;
        if (borders->kind[i].type != MPI_DATATYPE_NULL) {
            MPI_Type_free(&borders->kind[i].type); /* messages on their way keep it */
        }
        borders->kind[i].rows = rows;
        borders->kind[i].width = width;
        borders->kind[i].type = make_type(borders, rows, width);
    }
    return borders->kind[i].type;
}

static char *address_of(const struct keel_borders *borders, const struct keel_patch *part)
{
    const struct keel_rows_array *array = borders->array;

    return array->store.base + part->first * keel_array_row_bytes(array) +
           part->from * array->element;
}

/* --- messages --- */

void keel_borders_send(struct keel_borders *borders, const struct keel_patch *part, int rank,
                       uint64_t number, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (!keel_patch_is_empty(part) && rank != MPI_PROC_NULL) {
        MPI_Isend(address_of(borders, part), 1,
                  type_of(borders, part->last - part->first, part->to - part->from), rank,
                  keel_rows_tag(KEEL_TAG_SWEEP, number), borders->comm, request);
    }
}

void keel_borders_receive(struct keel_borders *borders, const struct keel_patch *part, int rank,
                          uint64_t number, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (!keel_patch_is_empty(part) && rank != MPI_PROC_NULL) {
        MPI_Irecv(address_of(borders, part), 1,
                  type_of(borders, part->last - part->first, part->to - part->from), rank,
                  keel_rows_tag(KEEL_TAG_SWEEP, number), borders->comm, request);
    }
}

void keel_borders_hand_on(struct keel_borders *borders, const struct keel_patch *part, int rank,
                          uint64_t number)
{
    MPI_Request *request = &borders->sent[borders->sends++ % KEEL_BORDERS_AHEAD];

    MPI_Wait(request, MPI_STATUS_IGNORE);
    keel_borders_send(borders, part, rank, number, request);
}

void keel_borders_flush(struct keel_borders *borders)
{
    MPI_Waitall(KEEL_BORDERS_AHEAD, borders->sent, MPI_STATUSES_IGNORE);
}

uint64_t keel_borders_look(struct keel_borders *borders, uint64_t rows, int rank, uint64_t number)
{
    MPI_Status status;
    MPI_Count bytes;
    int count;

    MPI_Probe(rank, keel_rows_tag(KEEL_TAG_SWEEP, number), borders->comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    bytes = count;
    if (count == MPI_UNDEFINED) { /* more than an int counts */
        MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    }
    return (uint64_t)bytes / rows / borders->array->element;
}
