"""What BUILD files of tests would repeat."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@rules_shell//shell:sh_test.bzl", "sh_test")
load("//.bazel:variants.bzl", "mpich_files")

def cmocka_tests(names = None, deps = [], size = "small", srcs = [], copts = [], **options):
    """Tests in C, each of one source, and of `srcs`; by default all *_test.c, also of folders without a BUILD file, that have no
    rule yet. `deps` are what they test and their helpers. A replacement of other functions gets more than it needs."""
    others = [source[:-2] for source in native.glob(["**/*_test.c"]) if not native.existing_rule(source[:-2])]
    for name in names or others:
        cc_test(
            name = name,
            size = size,
            srcs = [name + ".c"] + srcs,
            copts = ["-Wno-unused-parameter"] + copts,
            deps = deps + ["//tests/support:unit"],
            **options
        )

def fuzz_test(name, deps, runs, sources, data, options = "-runs=100000 -max_len=4096", linkopts = ["-lm"]):
    """NAME_test: bytes of all kinds do no harm to a reader.

    `runs` texts that NAME_driver makes and, where a clang can, those that libFuzzer comes up with by the `options` for NAME.c, linked
    with `sources`: patterns of files in `data`, and libraries.
    """
    cc_binary(
        name = name + "_driver",
        testonly = True,
        srcs = [name + ".c"],
        linkopts = linkopts,
        deps = deps + ["//tests:fuzz_driver"],
    )
    arguments = [native.package_name() + "/" + name, str(runs), "'%s'" % options] + sources + linkopts

    # Who runs it gives no arguments.
    native.genrule(
        name = name + "_script",
        testonly = True,
        outs = [name + "_test.sh"],
        cmd = "printf '#!/bin/bash\\nset -- %%s\\nsource tests/fuzz/fuzz.sh\\n' \"%s\" >$@" % " ".join(arguments),
    )
    sh_test(
        name = name + "_test",
        size = "small",
        srcs = [name + "_test.sh"],
        data = data + [
            name + ".c",
            ":%s_driver" % name,
        ],
        deps = ["//tests:fuzz"],
    )

def openmp_programs(names, copts = [], linkopts = [], deps = [], **options):
    """Programs with OpenMP loops, each of one source in C, compiled as people compile theirs."""
    for name in names:
        openmp_program(name, [name + ".c"], copts, linkopts, deps, **options)

def openmp_program(name, srcs, copts = [], linkopts = [], deps = [], **options):
    """One of them. Loops are identified by their lines; functions of its own come before those of libraries."""
    cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        copts = [
            "-fopenmp",
            "-g",
        ] + copts,
        linkopts = [
            "-fopenmp",
            "-ldl",
            "-rdynamic",
        ] + linkopts,
        visibility = ["//tests:__subpackages__"],
        deps = [
            "//tests/support:checks",
            "//tests/support:helpers",
        ] + deps,
        **options
    )

def script_test(name, data = [], size = "small", tags = ["no-asan"], deps = ["//tests/support:tap"]):
    """A script, by default one that is not for the sanitizers: programs that are compiled otherwise show nothing to them."""
    sh_test(
        name = name,
        size = size,
        srcs = [name + ".sh"],
        data = data,
        tags = tags,
        deps = deps,
    )

def under_keel_test(name, data, size = "small"):
    """One that runs programs, its data, with libkeel.so preloaded."""
    script_test(name, data, size, deps = ["//tests/support:under_keel"])

def script_tests(deps, data = [], medium = [], large = [], others = [], size = "small"):
    """The scripts of the folder that are tests, all but `others`, each with all of `data`.

    `medium` and `large` take longer than `size` says.
    """
    for script in native.glob(["*_test.sh"], exclude = [other + ".sh" for other in others]):
        name = script[:-3]
        script_test(name, data, "large" if name in large else "medium" if name in medium else size, deps = deps)

def under_keel_tests(data, **options):
    """Those that run programs, their data, with libkeel.so preloaded."""
    script_tests(["//tests/support:under_keel"], data, **options)

def mpi_test(name, data, size = "medium", tags = [], deps = ["//tests/support:mpirun"], asan = False, mpich = False):
    """A script that runs programs, its data, under mpirun.

    With `asan`, the address and undefined behaviour sanitizers run it, too: those that try much in little time.
    With `mpich`, there is the same under MPICH, too.
    """
    sh_test(
        name = name,
        size = size,
        srcs = [name + ".sh"],
        data = data,
        tags = ([] if asan else ["no-asan"]) + tags,
        deps = deps,
    )
    if mpich:
        mpich_files(
            name = name + "_built_for_mpich",
            testonly = True,
            tags = ["manual"],
            targets = data + ["//omp_ext:libraries"],
        )
        sh_test(
            name = name + "_mpich",
            size = size,
            srcs = [name + ".sh"],
            data = data + [":%s_built_for_mpich" % name],
            tags = [
                "manual",
                "no-asan",
            ] + tags,
            deps = deps,
        )

def mpi_tests(data, large = [], asan = [], **options):
    """The scripts of the folder that are tests, as mpi_test() has them, each with all of `data`, but for those that have a rule already."""
    for script in native.glob(["*_test.sh"]):
        name = script[:-3]
        if not native.existing_rule(name):
            mpi_test(name, data, size = "large" if name in large else "medium", asan = name in asan, **options)

def mpi_program(name, srcs = None, copts = [], linkopts = [], deps = []):
    """A program that uses the library as people link it, by default of NAME.c and the folder's headers.

    What it hands to the library is called with more than it needs.
    """
    cc_binary(
        name = name,
        testonly = True,
        srcs = (srcs or [name + ".c"] + native.glob(["*.h"], allow_empty = True)) + ["//mpi_backend:libkeel_mpi.so"],
        copts = ["-Wno-unused-parameter"] + copts,
        linkopts = linkopts,
        visibility = ["//tests:__subpackages__"],
        deps = deps + [
            "//mpi_backend:keel_mpi_h",
            "//tests/support:checks",
            "//tests/support:helpers",
            "//tests/support:rank_checks",
            "@system//:mpi",
        ],
    )

def mpi_fortran_programs(names, options = ""):
    """Programs in Fortran, NAME_f of NAME.f90 each, with the library's module."""
    for name in names:
        native.genrule(
            name = name,
            testonly = True,
            srcs = [
                "//mpi_backend:include/keel_mpi.f90",
                "//tests/support:passed.f90",
                name + ".f90",
                "//mpi_backend:libkeel_mpi.so",
            ],
            outs = [name + "_f"],
            cmd = "modules=$(@D)/%s_modules && mkdir -p $$modules && " % name +
                  "$(MPIFORT) -fopenmp -O2 -Wall -Wextra -Werror %s -J $$modules $(SRCS) " % options +
                  "-Wl,-rpath,'$$ORIGIN/../../../mpi_backend' -o $@",
            toolchains = ["@system//:mpi_tools"],
        )

def preloaded(name, src, deps = []):
    """A shared library that is between programs and others."""
    cc_binary(
        name = name,
        testonly = True,
        srcs = [src],
        linkopts = ["-ldl"],
        linkshared = True,
        visibility = ["//tests:__subpackages__"],
        deps = deps,
    )

def mpi_openmp_program(name, srcs = None, copts = []):
    """The same with OpenMP loops."""
    mpi_program(
        name,
        srcs,
        copts = ["-fopenmp"] + copts,
        linkopts = [
            "-fopenmp",
            "-ldl",
        ],
    )
