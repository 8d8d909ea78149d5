# For tests with real ranks: programs under mpirun on this machine, Open MPI's or the one that
# KEEL_TEST_MPIRUN names. Sourced from the workspace root.
source tests/support/tap.sh

# As x_test_mpich, x_test has programs built for MPICH, under MPICH's mpirun.
if [[ $0 = *_test_mpich ]]; then
    command -v mpirun.mpich >/dev/null || plan skip_all "MPICH's mpirun is not there (.ci/install mpich)"
    export TEST_WORKSPACE=$TEST_WORKSPACE/mpich KEEL_TEST_MPIRUN=mpirun.mpich
fi

for variable in ${!KEEL_@} ${!OMP_@} ${!GOMP_@} ${!OMPI_@} ${!PMIX_@} ${!PRTE_@} ${!MPIR_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
export OMP_WAIT_POLICY=passive # ranks and threads are more than processors

# In a container: root, no ssh, fewer processors than ranks, no ptrace for single copies, no network
# but the loopback.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm=isolated OMPI_MCA_oob_tcp_if_include=lo
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1

# Under the address sanitizer: Open MPI leaks, and libkeel.so comes in by LD_PRELOAD.
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0

# Ranks may wait long for one that gets no processor; that is not what tests are about.
export KEEL_MPI_DEADLINE=$tap_patience_s

# What lets a job go on when ranks end, to mpirun.
recovery=(--enable-recovery)
case $("${KEEL_TEST_MPIRUN:-mpirun}" --version 2>/dev/null) in
*'(Open MPI) '[5-9]*) recovery=(--with-ft ulfm) ;;
esac

# The launcher that is given for all tests; "": none is.
mpi_given=${KEEL_TEST_MPIRUN:-}

# mpi_launch ARGUMENT...: mpirun. It makes sockets in TMPDIR, for which the
# name of Bazel's is too long. It stays in the script's process group: what ends a test ends that.
mpi_launch()
(
    folder=$(mktemp -d /tmp/keel_mpi.XXXXXX)
    trap 'rm -rf "$folder"' EXIT
    TMPDIR=$folder timeout --foreground --kill-after=10 "$tap_patience_s" \
        "${KEEL_TEST_MPIRUN:-mpirun}" "$@" </dev/null
)

# mpi_shows RANKS [NAME=VALUE...] COMMAND...: the variables are the ranks' alone. For commands whose
# output shows that they have run.
mpi_shows()
{
    mpi_launch -n "$1" env "${@:2}"
}

# mpi_run RANKS [NAME=VALUE...] PROGRAM [ARGUMENT...]: a program of checks, which succeeds only if every
# rank has said that its checks passed.
mpi_run()
{
    said_passed "$1" mpi_shows "$@"
}

# mpi_keel RANKS [NAME=VALUE...] PROGRAM [ARGUMENT...]: the same with libkeel.so preloaded into them.
mpi_keel()
{
    mpi_run "$1" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" "${@:2}"
}

# mpi_passes NAME RANKS PROGRAM [ARGUMENT...]: each rank says that its checks passed, and none says
# anything else.
mpi_passes()
{
    prints "$1" '' mpi_keel "${@:2}"
}
