"""What is built for aarch64, whatever the machine is."""

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
    files = [file for target in ctx.attr.targets for file in target[DefaultInfo].files.to_list()]
    links = {"aarch64/" + file.short_path: file for file in files}
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(symlinks = links))]

aarch64_files = rule(
    doc = "What the targets make, made for aarch64. In runfiles it stands in a folder aarch64, with its path below that.",
    implementation = _aarch64_files_impl,
    attrs = {
        "targets": attr.label_list(cfg = _to_aarch64),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
