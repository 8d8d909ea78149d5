"""What BUILD files of tests would repeat."""

def cmocka_tests(names, deps, size = "small", **options):
    """Tests in C, each of one source; `deps` are what they test and their helpers."""
    for name in names:
        native.cc_test(
            name = name,
            size = size,
            srcs = [name + ".c"],
            deps = deps + ["@system//:cmocka"],
            **options
        )
