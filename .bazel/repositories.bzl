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
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "cmocka",
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
    name = "gcc_plugin",
    hdrs = glob(["gcc_plugin/**"]),
    includes = ["gcc_plugin"],
)

cc_library(
    name = "mpi",
    hdrs = glob(["mpi/**"]),
    includes = %s,
    linkopts = %s,
)
"""

def _mpicc_showme(ctx, what):
    """What Open MPI's compiler wrapper adds; Debian has MPICH's under the plain name where both are installed."""
    for wrapper in ["mpicc.openmpi", "mpicc"]:
        path = ctx.which(wrapper)
        answer = ctx.execute([path, "--showme:" + what]) if path else None
        if answer and answer.return_code == 0:
            return answer.stdout.strip().split(" ")
    fail("Open MPI's mpicc is not there; `.ci/install build` installs it")

def _link_mpi_headers(ctx):
    """Links each include folder as mpi/0, mpi/1, ... and returns those."""
    folders = []
    for folder in _mpicc_showme(ctx, "incdirs"):
        folders.append("mpi/%d" % len(folders))
        ctx.symlink(folder, folders[-1])
    return folders

def _mpi_linkopts(ctx):
    return (["-L" + folder for folder in _mpicc_showme(ctx, "libdirs")] +
            ["-l" + library for library in _mpicc_showme(ctx, "libs")])

def _system_libraries_impl(ctx):
    headers = ctx.path(ctx.execute(["gcc", "-print-file-name=plugin"]).stdout.strip() + "/include")
    if not ctx.path(str(headers) + "/gcc-plugin.h").exists:
        fail("GCC's plugin headers are not in %s; `.ci/install build` installs them" % headers)
    ctx.symlink(headers, "gcc_plugin")
    ctx.file("BUILD", _SYSTEM_BUILD % (_link_mpi_headers(ctx), _mpi_linkopts(ctx)))

system_libraries = repository_rule(
    doc = "Libraries of the machine. Headers in /usr/include are found without a rule; those of GCC's plugins and of MPI are not.",
    implementation = _system_libraries_impl,
    local = True,
)
