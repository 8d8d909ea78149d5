"""The choice of an MPI, and what is built for another one than that."""

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

_FLAG = "//.bazel:mpi"

def _to_mpich_impl(settings, attr):
    return {_FLAG: "mpich"}

_to_mpich = transition(
    implementation = _to_mpich_impl,
    inputs = [],
    outputs = [_FLAG],
)

def _mpich_files_impl(ctx):
    files = [file for target in ctx.attr.targets for file in target[DefaultInfo].files.to_list()]
    links = {"mpich/" + file.short_path: file for file in files}
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(symlinks = links))]

mpich_files = rule(
    doc = "What the targets make, made for MPICH. In runfiles it stands in a folder mpich, with its path below that.",
    implementation = _mpich_files_impl,
    attrs = {
        "targets": attr.label_list(cfg = _to_mpich, allow_files = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
