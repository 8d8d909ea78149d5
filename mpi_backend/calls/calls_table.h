/* The calls of MPI 3.1 that wait for other processes or for files, or ask whether a wait is over:
 * their names in C and in Fortran, and how many arguments they have in C. In Fortran there is one
 * more, and for a string its length. ASK: it never waits. Those that begin and end MPI are in
 * wrappers.c.
 *
 * MPI's standard, version 3.1, has them by name in its annex A. */
#ifndef MPI_BACKEND_CALLS_CALLS_TABLE_H
#define MPI_BACKEND_CALLS_CALLS_TABLE_H

#define KEEL_MPI_CALLS(CALL, ASK)                                    \
    /* from point to point */                                        \
    CALL(Send, send, 6)                                              \
    CALL(Bsend, bsend, 6)                                            \
    CALL(Ssend, ssend, 6)                                            \
    CALL(Rsend, rsend, 6)                                            \
    CALL(Recv, recv, 7)                                              \
    CALL(Mrecv, mrecv, 5)                                            \
    CALL(Sendrecv, sendrecv, 12)                                     \
    CALL(Sendrecv_replace, sendrecv_replace, 9)                      \
    CALL(Probe, probe, 4)                                            \
    CALL(Mprobe, mprobe, 5)                                          \
    ASK(Iprobe, iprobe, 5)                                           \
    ASK(Improbe, improbe, 6)                                         \
    CALL(Wait, wait, 2)                                              \
    CALL(Waitany, waitany, 4)                                        \
    CALL(Waitall, waitall, 3)                                        \
    CALL(Waitsome, waitsome, 5)                                      \
    ASK(Test, test, 3)                                               \
    ASK(Testany, testany, 5)                                         \
    ASK(Testall, testall, 4)                                         \
    ASK(Testsome, testsome, 5)                                       \
    CALL(Buffer_detach, buffer_detach, 2)                            \
    /* collective */                                                 \
    CALL(Barrier, barrier, 1)                                        \
    CALL(Bcast, bcast, 5)                                            \
    CALL(Gather, gather, 8)                                          \
    CALL(Gatherv, gatherv, 9)                                        \
    CALL(Scatter, scatter, 8)                                        \
    CALL(Scatterv, scatterv, 9)                                      \
    CALL(Allgather, allgather, 7)                                    \
    CALL(Allgatherv, allgatherv, 8)                                  \
    CALL(Alltoall, alltoall, 7)                                      \
    CALL(Alltoallv, alltoallv, 9)                                    \
    CALL(Alltoallw, alltoallw, 9)                                    \
    CALL(Reduce, reduce, 7)                                          \
    CALL(Allreduce, allreduce, 6)                                    \
    CALL(Reduce_scatter, reduce_scatter, 6)                          \
    CALL(Reduce_scatter_block, reduce_scatter_block, 6)              \
    CALL(Scan, scan, 6)                                              \
    CALL(Exscan, exscan, 6)                                          \
    CALL(Neighbor_allgather, neighbor_allgather, 7)                  \
    CALL(Neighbor_allgatherv, neighbor_allgatherv, 8)                \
    CALL(Neighbor_alltoall, neighbor_alltoall, 7)                    \
    CALL(Neighbor_alltoallv, neighbor_alltoallv, 9)                  \
    CALL(Neighbor_alltoallw, neighbor_alltoallw, 9)                  \
    /* communicators and processes */                                \
    CALL(Comm_dup, comm_dup, 2)                                      \
    CALL(Comm_dup_with_info, comm_dup_with_info, 3)                  \
    CALL(Comm_create, comm_create, 3)                                \
    CALL(Comm_create_group, comm_create_group, 4)                    \
    CALL(Comm_split, comm_split, 4)                                  \
    CALL(Comm_split_type, comm_split_type, 5)                        \
    CALL(Comm_free, comm_free, 1)                                    \
    CALL(Comm_disconnect, comm_disconnect, 1)                        \
    CALL(Comm_accept, comm_accept, 5)                                \
    CALL(Comm_connect, comm_connect, 5)                              \
    CALL(Intercomm_create, intercomm_create, 6)                      \
    CALL(Intercomm_merge, intercomm_merge, 3)                        \
    CALL(Cart_create, cart_create, 6)                                \
    CALL(Cart_sub, cart_sub, 3)                                      \
    CALL(Graph_create, graph_create, 6)                              \
    CALL(Dist_graph_create, dist_graph_create, 9)                    \
    CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10) \
    /* one-sided */                                                  \
    CALL(Win_create, win_create, 6)                                  \
    CALL(Win_create_dynamic, win_create_dynamic, 3)                  \
    CALL(Win_allocate, win_allocate, 6)                              \
    CALL(Win_allocate_shared, win_allocate_shared, 6)                \
    CALL(Win_free, win_free, 1)                                      \
    CALL(Win_fence, win_fence, 2)                                    \
    CALL(Win_start, win_start, 3)                                    \
    CALL(Win_complete, win_complete, 1)                              \
    CALL(Win_post, win_post, 3)                                      \
    CALL(Win_wait, win_wait, 1)                                      \
    ASK(Win_test, win_test, 2)                                       \
    CALL(Win_lock, win_lock, 4)                                      \
    CALL(Win_lock_all, win_lock_all, 2)                              \
    CALL(Win_unlock, win_unlock, 2)                                  \
    CALL(Win_unlock_all, win_unlock_all, 1)                          \
    CALL(Win_flush, win_flush, 2)                                    \
    CALL(Win_flush_all, win_flush_all, 1)                            \
    CALL(Win_flush_local, win_flush_local, 2)                        \
    CALL(Win_flush_local_all, win_flush_local_all, 1)                \
    /* files */                                                      \
    CALL(File_open, file_open, 5)                                    \
    CALL(File_close, file_close, 1)                                  \
    CALL(File_set_size, file_set_size, 2)                            \
    CALL(File_preallocate, file_preallocate, 2)                      \
    CALL(File_set_view, file_set_view, 6)                            \
    CALL(File_sync, file_sync, 1)                                    \
    CALL(File_read, file_read, 5)                                    \
    CALL(File_read_all, file_read_all, 5)                            \
    CALL(File_read_at, file_read_at, 6)                              \
    CALL(File_read_at_all, file_read_at_all, 6)                      \
    CALL(File_read_shared, file_read_shared, 5)                      \
    CALL(File_read_ordered, file_read_ordered, 5)                    \
    CALL(File_read_all_end, file_read_all_end, 3)                    \
    CALL(File_read_at_all_end, file_read_at_all_end, 3)              \
    CALL(File_read_ordered_end, file_read_ordered_end, 3)            \
    CALL(File_write, file_write, 5)                                  \
    CALL(File_write_all, file_write_all, 5)                          \
    CALL(File_write_at, file_write_at, 6)                            \
    CALL(File_write_at_all, file_write_at_all, 6)                    \
    CALL(File_write_shared, file_write_shared, 5)                    \
    CALL(File_write_ordered, file_write_ordered, 5)                  \
    CALL(File_write_all_end, file_write_all_end, 3)                  \
    CALL(File_write_at_all_end, file_write_at_all_end, 3)            \
    CALL(File_write_ordered_end, file_write_ordered_end, 3)          \
    CALL(File_seek_shared, file_seek_shared, 3)

#endif
