#!/bin/bash
# keel model plot: pictures, and what stands in their way.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

picture=$TEST_TMPDIR/picture.png

# draws NAME ARGUMENT...: the command leaves a PNG, and nothing else.
draws()
{
    local name=$1
    shift
    rm -f "$picture"
    is "$(code "$keel" model plot "$@" -o "$picture")" 0 "$name: exit code"
    is "$(messages)" '' "$name: no message"
    is "$(head -c 8 "$picture" | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a "$name: a PNG"
}
for model in $models; do
    case $model in
    loop) number=threads=1:3 other=iterations=100:1000:x10 ;;
    objects) number=processors=2:4 other=tasks=1:2 ;;
    pipeline) number=workers=2:4 other=block=1:4:x2 ;;
    round-robin) number=workers=2:4 other=grain=0.1:0.2 ;;
    oscillation) number=workers=2:4 other=on=1:100:x10 ;;
    *) number=workers=2:4 other=tasks=10:20 ;;
    esac
    ! nightly && [ $model != loop ] || draws "$model, a line" $model $number
    draws "$model, a map" $model $number $other
done
draws 'one value' pipeline block=4:4
draws 'bars' loop schedule=every
draws 'a line per word' loop schedule=gss/ss iterations=100:1000
draws 'the same, the number first' balance workers=2:4 policy=every
draws 'several results' pipeline block=1:64:x2 --result time --result best-time
draws 'results that are never' oscillation taken=0/0.5/1 off=0
is "$(code "$keel" model plot pipeline block=1:4 -o "$TEST_TMPDIR")" 1 'a folder for a file: exit code'
like "$(messages)" "^keel: '$TEST_TMPDIR' cannot be written: " 'and message'

mkdir -p "$TEST_TMPDIR/empty" "$TEST_TMPDIR/broken"
rm -f "$picture"
is "$(PATH=$TEST_TMPDIR/empty "$keel" model plot pipeline block=1:4 -o "$picture" 2>"$TEST_TMPDIR/messages"; echo $?)" 1 'no gnuplot: exit code'
is "$(messages)" "keel: gnuplot is not installed (Debian: gnuplot-nox); '$picture' is not drawn" 'and message'
ok 'and no file is left' test ! -e "$picture"
printf '#!/bin/sh\nexit 3\n' >"$TEST_TMPDIR/broken/gnuplot"
chmod +x "$TEST_TMPDIR/broken/gnuplot"
is "$(PATH=$TEST_TMPDIR/broken:$PATH "$keel" model plot pipeline block=1:1000000:x1.001 elements=1000000 -o "$picture" 2>"$TEST_TMPDIR/messages"; echo $?)" \
    1 'a gnuplot that fails at once: exit code'
is "$(messages)" "keel: gnuplot has failed; '$picture' is not drawn" 'and message'
ok 'and no file is left' test ! -e "$picture"

refused 'oscillation: no value of time is finite; nothing is drawn$' plot oscillation taken=1 off=0 workers=1:4 -o "$picture"
refused 'no file for the picture is stated \(-o FILE.png\); nothing is drawn$' plot pipeline block=1:4
refused 'pipeline: no parameter has several values' plot pipeline -o "$picture"
refused 'pipeline: a picture of two parameters shows one result, not 2; nothing is drawn$' \
    plot pipeline block=1:4 workers=1:4 --result time --result blocks -o "$picture"
refused "pipeline: 1 value of block can't be drawn, from 2 to 1000000 can; nothing is drawn$" \
    plot pipeline block=4:4 workers=1:4 -o "$picture"
done_testing
