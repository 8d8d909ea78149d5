#!/bin/bash
# Makes the archive of what is installed in share/:  make.sh ARCHIVE KEEL KEEL.H KEEL_MPI.H KEEL_MPI_OBJECTS.H KEEL_MPI_RECOVERY.H
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder"/share/{man,bash-completion/completions,zsh/site-functions}
perl "$here/pages.pl" "${@:2}" "$folder/share/man"
perl "$here/completion.pl" bash "$2" >"$folder/share/bash-completion/completions/keel"
perl "$here/completion.pl" zsh "$2" >"$folder/share/zsh/site-functions/_keel"
tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$1" share
