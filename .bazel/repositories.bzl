"""Repository rules that make the workspace build from Debian's packages alone."""

def _stub_repository_impl(ctx):
    ctx.file("BUILD", ctx.attr.build)
    for path, text in ctx.attr.files.items():
        ctx.file(path.rpartition("/")[0] + "/BUILD")
        ctx.file(path, text)

stub_repository = repository_rule(
    doc = "A repository of the given files, each in a package of its own, and a root package.",
    implementation = _stub_repository_impl,
    attrs = {
        "build": attr.string(doc = "Text of the root BUILD file."),
        "files": attr.string_dict(doc = "Text by path; a path has a folder."),
    },
)

_SYSTEM_BUILD = """
load("@//.bazel:variants.bzl", "mpi_tools")
load("@rules_cc//cc:cc_library.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

# Who builds what needs it gets a message that it is missing, until it is there.
genrule(
    name = "cmocka_is_there",
    outs = ["cmocka_is_there.h"],
    cmd = "gcc -E -include cmocka.h -xc /dev/null >$@ 2>/dev/null || " +
          "{ echo 'keel: cmocka.h is not there, which tests need; .ci/install test installs it' >&2; false; }",
    tags = ["manual"],
)

cc_library(
    name = "cmocka",
    hdrs = [":cmocka_is_there"],
    linkopts = ["-lcmocka"],
)

# A static library, so that nothing else is needed where Keel runs.
cc_library(
    name = "jansson",
    linkopts = ["-l:libjansson.a"],
)

cc_library(
    name = "hwloc",
    linkopts = ["-lhwloc"],
)

cc_library(
    name = "libdw",
    linkopts = ["-ldw"],
)

cc_library(
    name = "capstone",
    linkopts = ["-lcapstone"],
)

cc_library(
    name = "gcc_plugin",
    hdrs = glob(["gcc_plugin/**"]),
    includes = ["gcc_plugin"],
)

# What Keel's layer across nodes is built for: MPI that is chosen by --//.bazel:mpi.
alias(
    name = "mpi",
    actual = select({
        "@//.bazel:mpich": ":mpich",
        "//conditions:default": ":default_mpi",
    }),
)

# For programs in Fortran. Open MPI 5 asks for HOME, which commands of a build do not have. MPICH's procedures of any
# type have no interfaces, of which the compiler warns; it warns of all else where Open MPI is used.
mpi_tools(
    name = "mpi_tools",
    fortran = select({
        "@//.bazel:mpich": "mpifort.mpich -w",
        "//conditions:default": "env HOME=/tmp %s",
    }),
)
"""

_MPI_BUILD = """
cc_library(
    name = "{name}",
    hdrs = glob(["{name}_include/**"]),
    includes = {includes},
    linkopts = {linkopts},
)
"""

# Who builds for it gets a message of what is missing; no other build does.
_NO_MPI_BUILD = """
genrule(
    name = "no_{name}",
    outs = ["no_{name}.h"],
    cmd = "echo 'keel: {problem}' >&2; false",
    tags = ["manual"],
)

cc_library(
    name = "{name}",
    hdrs = [":no_{name}"],
    tags = ["manual"],
)
"""

def _words_of(ctx, wrapper):
    """What an MPI's compiler wrapper would run, in words; None without such a wrapper."""
    path = wrapper if "/" in wrapper else ctx.which(wrapper)
    answer = ctx.execute([path, "-show"]) if path else None
    return answer.stdout.strip().split(" ") if answer and answer.return_code == 0 else None

def _mpi_library(ctx, name, words):
    """The text of a library of an MPI, whose include folders are linked as NAME_include/0, NAME_include/1, ..."""
    includes = []
    for word in words:
        if word.startswith("-I") and word[2:] not in ["", "/usr/include"]:
            includes.append("%s_include/%d" % (name, len(includes)))
            ctx.symlink(word[2:], includes[-1])
    return _MPI_BUILD.format(
        name = name,
        includes = includes,
        linkopts = [word for word in words if word[:2] in ["-L", "-l"] or word.startswith("-Wl,-rpath")],
    )

def _default_mpi(ctx):
    """The MPI of MPICC; else Debian's Open MPI, whose plain names are MPICH's where somebody has said so; else what there is."""
    asked = ctx.os.environ.get("MPICC", "")
    for wrapper in [asked] if asked else ["mpicc.openmpi", "mpicc"]:
        words = _words_of(ctx, wrapper)
        if words:
            return _mpi_library(ctx, "default_mpi", words)
    fail("MPICC: '%s -show' fails; expected the compiler wrapper of an MPI" % asked if asked else "no mpicc is there; `.ci/install build` installs Open MPI's")

def _default_fortran(ctx):
    """The compiler for Fortran that belongs to it: MPIFORT, or that beside the one for C."""
    asked = ctx.os.environ.get("MPIFORT", "")
    if asked or ctx.os.environ.get("MPICC", ""):
        return asked or "mpifort"
    return "mpifort.openmpi" if ctx.which("mpifort.openmpi") else "mpifort"

def _mpich(ctx):
    words = _words_of(ctx, "mpicc.mpich")
    if words:
        return _mpi_library(ctx, "mpich", words)
    return _NO_MPI_BUILD.format(name = "mpich", problem = "mpicc.mpich is not there; .ci/install mpich installs it")

def _link_plugin_headers(ctx):
    """The headers of the gcc that is in use. It prints the bare name of a folder that it does not have."""
    folder = ctx.execute(["gcc", "-print-file-name=plugin"]).stdout.strip()
    version = ctx.execute(["gcc", "-dumpversion"]).stdout.strip().split(".")[0]
    if not folder.startswith("/") or not ctx.path(folder + "/include/gcc-plugin.h").exists:
        fail(("the headers for plugins of gcc %s, the gcc in PATH, are not there; on Debian its package " +
              "gcc-%s-plugin-dev has them, which `.ci/install build` installs") % (version, version))
    ctx.symlink(folder + "/include", "gcc_plugin")

_OTHER_GCC_BUILD = """
cc_library(
    name = "gcc_plugin_{major}",
    hdrs = glob(["gcc_plugin_{major}/**"]),
    includes = ["gcc_plugin_{major}"],
)
"""

def _plugin_headers(ctx, gcc):
    """Folder of a compiler's headers for plugins."""
    return ctx.path(ctx.execute([gcc, "-print-file-name=plugin"]).stdout.strip() + "/include")

def _has_plugin_headers(ctx, gcc):
    return ctx.path(str(_plugin_headers(ctx, gcc)) + "/gcc-plugin.h").exists

def _major(ctx, gcc):
    return ctx.execute([gcc, "-dumpversion"]).stdout.strip().partition(".")[0]

def _link_other_gcc(ctx, first, last, but):
    """Links the headers of every gcc-N that has some as gcc_plugin_N; a list of those N."""
    majors = []
    for major in [str(number) for number in range(first, last + 1)]:
        gcc = ctx.which("gcc-" + major)
        if major != but and gcc and _has_plugin_headers(ctx, gcc):
            ctx.symlink(_plugin_headers(ctx, gcc), "gcc_plugin_" + major)
            majors.append(major)
    return majors

def _system_libraries_impl(ctx):
    _link_plugin_headers(ctx)
    others = _link_other_gcc(ctx, 11, 30, _major(ctx, "gcc"))
    ctx.file("gcc.bzl", "GCC = %s\nOTHER_GCC = %s\n" % (repr(_major(ctx, "gcc")), repr(others)))
    ctx.file("BUILD", _SYSTEM_BUILD % _default_fortran(ctx) + _default_mpi(ctx) + _mpich(ctx) +
                      "".join([_OTHER_GCC_BUILD.format(major = other) for other in others]))

system_libraries = repository_rule(
    doc = "Libraries of the machine. Headers in /usr/include are found without a rule; those of GCC's plugins and of MPI are not.",
    implementation = _system_libraries_impl,
    environ = [
        "MPICC",
        "MPIFORT",
        "PATH",
    ],
    local = True,
)
