/* What the tests expect of the machine's MPI: a window that the ranks of a node share, and messages
 * between ranks, once around all for each of `argv[1]` rounds. Prints `node of RANKS, works` for
 * each node. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Every rank of the node adds 1 to a word of the first one's memory. */
static bool window_is_shared(MPI_Comm node)
{
    int rank, ranks, unit;
    MPI_Aint size;
    MPI_Win window;
    _Atomic int *word;

    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &ranks);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *word : 0, 1, MPI_INFO_NULL, node, &word, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &word);
    if (rank == 0) {
        atomic_init(word, 0);
    }
    MPI_Barrier(node);
    atomic_fetch_add(word, 1);
    MPI_Barrier(node);
    bool all = atomic_load(word) == ranks;
    MPI_Barrier(node);
    MPI_Win_free(&window);
    return all;
}

/* A token goes around all ranks, once for each of `rounds`, and every rank adds 1 to it. */
static bool token_returns(int rounds)
{
    int rank, ranks, token = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int round = 0; round < rounds; round++) {
        if (rank != 0) {
            MPI_Recv(&token, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        token++;
        MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Recv(&token, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return rank != 0 || token == rounds * ranks;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Comm node;

    MPI_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &ranks);
    int mine = window_is_shared(node) && token_returns(argc > 1 ? atoi(argv[1]) : 100), works;
    MPI_Allreduce(&mine, &works, 1, MPI_INT, MPI_LAND, node);
    if (rank == 0) {
        printf("node of %d, %s\n", ranks, works ? "works" : "fails");
    }
    MPI_Comm_free(&node);
    MPI_Finalize();
    return 0;
}
