# What tests of the installed Keel share. Sourced after tests/support/tap.sh or mpirun.sh.

for variable in ${!KEEL_@} CC CXX FC DESTDIR LD_PRELOAD LD_LIBRARY_PATH PKG_CONFIG_PATH OMP_SCHEDULE COLUMNS; do
    [[ $variable = KEEL_TEST_* || $variable = KEEL_MPI_DEADLINE ]] || unset "$variable"
done
work=$(mktemp -d /tmp/keel_packaging.XXXXXX) # not Bazel's, which may be in what is hidden below
trap 'status=$?; rm -rf "$work"; (exit "$status"); tap_at_exit' EXIT
installer=$(realpath -s "$(keel_path .packaging/install)")

# install_keel OPTION...: runs the script as `bazel run //:install -- OPTION...` does, among the files of the tree.
install_keel()
{
    (cd "${TEST_SRCDIR:-$PWD/bazel-bin/.packaging/install.runfiles}/${TEST_WORKSPACE:-keel}" && "$installer" "$@")
}
