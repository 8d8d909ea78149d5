/* Point-to-point messages of distributed rows. */
#include "mpi_backend/rows/rows.h"

#include <limits.h>

/* More elements than an int counts: blocks of INT_MAX, and the rest behind them. */
static bool make_large(struct keel_mpi_peers *peers, uint64_t count, MPI_Datatype type,
                       MPI_Datatype *large)
{
    int rest = (int)(count % INT_MAX);
    MPI_Aint lower, extent;
    MPI_Datatype block;

    if (!keel_mpi_check(peers, MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent") ||
        !keel_mpi_check(peers, MPI_Type_contiguous(INT_MAX, type, &block), "MPI_Type_contiguous")) {
        return false;
    }
    MPI_Aint behind = (MPI_Aint)(count - (uint64_t)rest) * extent;
    return keel_mpi_check(peers,
                          MPI_Type_create_struct(2, (int[]){(int)(count / INT_MAX), rest},
                                                 (MPI_Aint[]){0, behind},
                                                 (MPI_Datatype[]){block, type}, large),
                          "MPI_Type_create_struct") &&
           keel_mpi_check(peers, MPI_Type_free(&block), "MPI_Type_free");
}

MPI_Datatype keel_mpi_rows_type_of(struct keel_mpi_peers *peers, uint64_t count, MPI_Datatype type)
{
    MPI_Datatype made;
    bool ok = count <= INT_MAX ? keel_mpi_check(peers, MPI_Type_contiguous((int)count, type, &made),
                                                "MPI_Type_contiguous")
                               : make_large(peers, count, type, &made);

    return ok && keel_mpi_check(peers, MPI_Type_commit(&made), "MPI_Type_commit")
               ? made
               : MPI_DATATYPE_NULL;
}

/* Its count is at most INT_MAX. */
static void start(struct keel_mpi_peers *peers, const struct keel_mpi_rows_message *message,
                  MPI_Request *request)
{
    int count = (int)message->count;
    bool started = message->sends
                       ? keel_mpi_check(peers,
                                        MPI_Isend(message->at, count, message->type, message->rank,
                                                  message->tag, message->comm, request),
                                        "MPI_Isend")
                       : keel_mpi_check(peers,
                                        MPI_Irecv(message->at, count, message->type, message->rank,
                                                  message->tag, message->comm, request),
                                        "MPI_Irecv");

    if (!started) {
        *request = MPI_REQUEST_NULL;
    }
}

void keel_mpi_rows_message_start(struct keel_mpi_peers *peers,
                                 const struct keel_mpi_rows_message *message, MPI_Request *request)
{
    struct keel_mpi_rows_message whole = *message;

    if (message->count <= INT_MAX) {
        start(peers, message, request);
        return;
    }
    *request = MPI_REQUEST_NULL;
    whole.count = 1;
    whole.type = keel_mpi_rows_type_of(peers, message->count, message->type);
    if (whole.type != MPI_DATATYPE_NULL) {
        start(peers, &whole, request);
        keel_mpi_check(peers, MPI_Type_free(&whole.type), "MPI_Type_free"); /* stays until then */
    }
}
