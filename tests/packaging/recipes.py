"""Reads the recipes of .packaging as their tools do, with stand-ins for what these define.

  recipes.py spack FILE       what it is called, what it needs, what it runs, what it expects to be there
  recipes.py easybuild FILE

One fact on each line: version, needs, runs, file, folder.
"""
import sys
import types


def tell(kind, *values):
    for value in values:
        print(kind, value)


# --- Spack: a class, whose body calls directives, and whose methods get specs ---

class Path(str):
    """A prefix: prefix.lib is the folder lib in it."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Path(self + "/" + name)


class Spec(dict):
    def __missing__(self, name):
        assert name in needs, f"{name} is used, and no depends_on() names it"
        return types.SimpleNamespace(
            prefix=Path("/spack/" + name),
            mpicc=f"/spack/{name}/bin/mpicc",
            mpifc=f"/spack/{name}/bin/mpifort",
        )


needs = []


def depends_on(spec, type=("build", "link"), when=None):
    assert type in ("build", "link", "run", ("build", "link")), type
    needs.append(spec.split("@")[0].split(" ")[0])
    tell("needs", needs[-1])


def version(number, branch=None, tag=None, commit=None, sha256=None):
    assert branch or tag or commit or sha256, "nothing tells what the version is"
    tell("version", number)


def which(command):
    assert command in needs, f"{command} is run, and no depends_on() names it"
    return lambda *words: tell("runs", " ".join((command,) + words))


def spack(path):
    module = types.ModuleType("spack.package")
    module.__dict__.update(
        Package=type("Package", (), {}),
        version=version,
        depends_on=depends_on,
        which=which,
        license=lambda name: None,
        requires=lambda spec, msg="", when=None: None,
        conflicts=lambda spec, msg="", when=None: None,
        join_path=lambda *parts: "/".join(parts),
    )
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    names = {}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    package = names["Keel"]()
    assert package.homepage and package.git and package.__doc__
    package.spec = Spec()
    set_to = {}
    package.setup_build_environment(types.SimpleNamespace(set=set_to.__setitem__))
    tell("runs", *(f"{name}={value}" for name, value in set_to.items()))
    package.install(package.spec, Path("/prefix"))
    tell("file", *package.sanity_check_is_file)
    tell("folder", *package.sanity_check_is_dir)


# --- EasyBuild: variables, whose templates are filled in later ---

def easybuild(path):
    names = {}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    for name in ("easyblock", "name", "homepage", "description", "toolchain", "sources", "moduleclass"):
        assert names[name], f"{name} is not set"
    templates = {"version": names["version"], "installdir": "/prefix"}
    tell("version", names["version"])
    tell("needs", *(name.lower() for name, _ in names["builddependencies"] + names["dependencies"]))
    tell("needs", "mpi" if names["toolchain"]["name"] in ("gompi", "foss") else names["toolchain"]["name"])
    tell("runs", names["install_cmd"] % templates)
    tell("file", *names["sanity_check_paths"]["files"])
    tell("folder", *names["sanity_check_paths"]["dirs"])


{"spack": spack, "easybuild": easybuild}[sys.argv[1]](sys.argv[2])
