"""The choice of an MPI, and what is built for another one than that, or for another machine than this."""

def _mpi_choice_impl(ctx):
    if ctx.build_setting_value not in ctx.attr.values:
        fail("--%s: '%s' is not a choice; expected one of %s" % (ctx.label, ctx.build_setting_value, ", ".join(ctx.attr.values)))
    return []

mpi_choice = rule(
    implementation = _mpi_choice_impl,
    build_setting = config.string(flag = True),
    attrs = {"values": attr.string_list()},
)

def _mpi_tools_impl(ctx):
    return [platform_common.TemplateVariableInfo({"MPIFORT": ctx.attr.fortran})]

mpi_tools = rule(
    doc = "$(MPIFORT) for rules that have this among their toolchains: the Fortran compiler of the MPI.",
    implementation = _mpi_tools_impl,
    attrs = {"fortran": attr.string()},
)

def _files_in(folder, ctx):
    """The files of the targets; in runfiles they are in that folder, with their paths below it."""
    files = [file for target in ctx.attr.targets for file in target[DefaultInfo].files.to_list()]
    links = {"%s/%s" % (folder, file.short_path): file for file in files}
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(symlinks = links))]

_ALLOWED = attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist")

# --- MPICH ---

_FLAG = "//.bazel:mpi"

def _to_mpich_impl(settings, attr):
    return {_FLAG: "mpich"}

_to_mpich = transition(
    implementation = _to_mpich_impl,
    inputs = [],
    outputs = [_FLAG],
)

def _mpich_files_impl(ctx):
    return _files_in("mpich", ctx)

mpich_files = rule(
    doc = "What the targets make, made for MPICH. In runfiles it is in a folder mpich, with its path below that.",
    implementation = _mpich_files_impl,
    attrs = {
        "targets": attr.label_list(cfg = _to_mpich, allow_files = True),
        "_allowlist_function_transition": _ALLOWED,
    },
)

# --- aarch64 ---

# Bazel before 7 finds a compiler by the first two, later ones by the platform.
_AARCH64 = {
    "//command_line_option:cpu": "aarch64",
    "//command_line_option:crosstool_top": "//.bazel/aarch64:compilers",
    "//command_line_option:platforms": ["//.bazel/aarch64:platform"],
}

def _to_aarch64_impl(settings, attr):
    return _AARCH64

_to_aarch64 = transition(
    implementation = _to_aarch64_impl,
    inputs = [],
    outputs = _AARCH64.keys(),
)

def _aarch64_files_impl(ctx):
    return _files_in("aarch64", ctx)

aarch64_files = rule(
    doc = "What the targets make, made for aarch64. In runfiles it is in a folder aarch64, with its path below that.",
    implementation = _aarch64_files_impl,
    attrs = {
        "targets": attr.label_list(cfg = _to_aarch64),
        "_allowlist_function_transition": _ALLOWED,
    },
)
