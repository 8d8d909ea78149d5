"""Programs for SimGrid's SMPI, which has compilers and an MPI library of its own.

KEEL_SIMULATED is defined in their sources."""

_FLAGS = "-std=gnu11 -O2 -g -Wall -Wextra -DKEEL_SIMULATED -iquote ."

# Compiles the C files of SRCS; headers are only included.
_COMPILE = """
    folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT
    for file in $(SRCS); do
        case $$file in
        *.c) smpicc {flags} -c $$file -o "$$folder/$$(echo $$file | tr / _).o" ;;
        esac
    done
    ar rcs $@ "$$folder"/*.o
"""

def smpi_library(name, srcs):
    """An archive of objects of all C files in `srcs`, labels of files and of filegroups; NAME.a."""
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [name + ".a"],
        cmd = _COMPILE.format(flags = _FLAGS),
    )

def smpi_binary(name, srcs, hdrs = [], libraries = [], redirected = []):
    """A program for smpirun from C files in `srcs`, linked with `libraries`.

    Calls of a function f in `redirected` go to __wrap_f. Stripped: smpirun copies it for each rank."""
    native.genrule(
        name = name + "_smpi",
        srcs = srcs + hdrs + libraries,
        outs = [name],
        cmd = "smpicc %s -s -o $@ %s -lm -ldl" % (
            _FLAGS,
            " ".join(["$(locations %s)" % label for label in srcs + libraries] +
                     ["-Wl,--wrap=" + function for function in redirected]),
        ),
        executable = True,
    )

# Operations that take SMPI a time that grows with the square of the ranks;
# bench/sim/collectives.c replaces them.
COLLECTIVES = [
    "MPI_Iallgather",
    "MPI_Iallreduce",
    "MPI_Test",
    "MPI_Wait",
]

def simulated_job(name, srcs, redirected = [], collectives = True):
    """A program for smpirun with Keel's layer for MPI; collectives: operations by collectives.c."""
    smpi_binary(
        name = name,
        srcs = srcs + (["//bench/sim:collectives.c"] if collectives else []),
        hdrs = native.glob([
            "*.h",
            "*/*.h",
        ], allow_empty = True) + [
            "//bench:demo_dir/mandelbrot.h",
            "//bench:support_headers",
            "//mpi_backend:sources",
            "//omp_ext:mpi_backend_sources",
            "//schedules:sources",
        ],
        libraries = ["//bench/sim:keel_mpi_smpi"],
        redirected = redirected + (COLLECTIVES if collectives else []),
    )
