# For tests of programs that are not in the C locale. Sourced after tests/support/tap.sh.

export LOCPATH=$TEST_TMPDIR/locales
mkdir -p "$LOCPATH"

# make_locale NAME CHARSET: LC_ALL=NAME.CHARSET works in this script. Its definition comes with Debian's package `locales`.
make_locale()
{
    local output
    output=$(localedef -c -i "$1" -f "$2" "$LOCPATH/$1.$2" 2>&1)
    [ -d "$LOCPATH/$1.$2" ] || diag "$output"
}
