# A recipe for Spack: put this folder into a repository of packages as packages/keel, and the address of your copy of the
# tree below. It parses, and its commands are those that install Keel elsewhere; Spack itself has not run it.
from spack.package import *


class Keel(Package):
    """Loop schedules for OpenMP programs built with GCC: all threads, and all ranks of an MPI job,
    finish at the same time, also where iterations or cores are unequal."""

    homepage = "https://keel.example.org"
    git = "https://keel.example.org/keel.git"

    license("MIT")

    version("0.1", branch="main")

    # Bazel 7 reads MODULE.bazel, and gets the rules that it names from its registry.
    depends_on("bazel@7:", type="build")
    depends_on("perl", type="build")
    depends_on("jansson@2.13: ~shared", type="build")  # libjansson.a becomes a part of Keel
    depends_on("capstone@4:")
    depends_on("elfutils@0.176:")
    depends_on("mpi@3.1:")

    requires("%gcc@11:", msg="Keel needs GCC's libgomp, and its plugin on GCC 11 or later")
    conflicts("platform=darwin")
    conflicts("platform=windows")

    def setup_build_environment(self, env):
        env.set("MPICC", self.spec["mpi"].mpicc)
        env.set("MPIFORT", self.spec["mpi"].mpifc)

    def install(self, spec, prefix):
        libraries = [spec[name].prefix for name in ("jansson", "elfutils", "capstone")]
        folders = [str(library.lib) for library in libraries]
        # Bazel's commands have an environment of their own.
        flags = [
            "--noexperimental_repository_disable_download",
            "--action_env=PATH",
            "--action_env=CPATH=" + ":".join(str(library.include) for library in libraries),
            "--action_env=LIBRARY_PATH=" + ":".join(folders),
        ] + ["--linkopt=-Wl,-rpath," + folder for folder in folders[1:]]
        bazel = which("bazel")
        bazel("run", *flags, "//:install", "--", "--prefix=" + str(prefix))

    sanity_check_is_file = [
        join_path("bin", "keel"),
        join_path("include", "keel.h"),
        join_path("include", "keel_mpi.h"),
        join_path("lib", "libkeel.so.1"),
        join_path("lib", "libkeel_mpi.so.1"),
        join_path("lib", "pkgconfig", "keel.pc"),
    ]
    sanity_check_is_dir = [
        join_path("lib", "keel"),
        join_path("lib", "cmake", "Keel"),
        join_path("share", "man"),
    ]
