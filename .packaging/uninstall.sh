#!/bin/sh
# Removes an installation of Keel:  sh PREFIX/share/keel/uninstall [--quiet | --dry-run]
# It goes by the list of files beside it: all of them, then the folders that the installation made, where nothing
# else is in them.
set -eu

action=say
case $#:${1:-} in
0:) ;;
1:--quiet) action=quiet ;;
1:--dry-run) action=dry ;;
*)
    printf "keel: uninstall: '%s': only --quiet or --dry-run, which prints what would be removed, can be given; nothing is done\n" "$*" >&2
    exit 2
    ;;
esac

here=$(cd "$(dirname "$0")" && pwd -P)
prefix=${here%/share/keel}
list=$here/installed
if [ "$prefix" = "$here" ] || [ ! -f "$list" ]; then
    printf "keel: uninstall: there is no list of files beside '%s'; nothing is done\n" "$0" >&2
    exit 2
fi

# Lines are paths from the prefix; folders end in a slash, those above first.
if grep -qE '^/|(^|/)\.\.(/|$)' "$list"; then
    printf "keel: uninstall: '%s' names files elsewhere; nothing is done\n" "$list" >&2
    exit 2
fi
reversed=$(sed '1!G; h; $!d' "$list")
if [ "$action" = dry ]; then
    printf '%s\n' "$reversed" | sed "s|^|$prefix/|; s|/\./\$|/|"
    exit
fi
printf '%s\n' "$reversed" | while IFS= read -r path; do
    case $path in
    ./) rmdir "$prefix" 2>/dev/null || true ;;
    */) rmdir "$prefix/$path" 2>/dev/null || true ;;
    *) rm -f "$prefix/$path" ;;
    esac
done
[ "$action" = quiet ] || printf 'keel: removed from %s\n' "$prefix"
