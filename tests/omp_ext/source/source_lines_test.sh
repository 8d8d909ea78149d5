#!/bin/bash
# Loops of real programs are found by line and by function, whatever the language and the options of the compiler.
source tests/support/tap.sh

here=tests/omp_ext/source
work=$TEST_TMPDIR
export SHOW_SOURCE_LIBRARY OMP_NUM_THREADS=2
SHOW_SOURCE_LIBRARY=$(keel_path omp_ext/libkeel_source.so)
shim=$(keel_path $here/libshow_source.so)

# build OUTPUT COMPILER OPTIONS... FILE
build()
{
    local output=$1 compiler=$2
    shift 2
    "$compiler" -fopenmp -w -o "$work/$output" "$@" || diag "$compiler $* failed"
}

# show PROGRAM ARGUMENTS...: a line for each loop, see show_source.c.
show()
{
    timeout "$tap_patience_s" env LD_PRELOAD="$shim" "$@" 2>&1
}

# problems SOURCE: reads the lines of show; every line of SOURCE marked @X must mean one loop, the same as X's other
# lines and another one than that of any other mark.
problems()
{
    awk -v source="$1" '
        /^0 / { split($3, range, "-"); first[++sites] = range[1]; last[sites] = range[2]; next }
        { print "unexpected: " $0 }
        END {
            while ((getline text < source) > 0) {
                number++
                if (!match(text, /@[A-Z]/) || number < 4)
                    continue
                name = substr(text, RSTART + 1, 1)
                found = 0
                for (i = 1; i <= sites; i++)
                    if (number >= first[i] && number <= last[i]) { found++; site = i }
                if (found != 1)
                    print "line " number " (" name ") means " found " loops"
                else if (name in site_of && site_of[name] != site)
                    print "line " number " (" name ") means another loop than before"
                else if (site in name_of && name_of[site] != name)
                    print "line " number " (" name ") means the loop " name_of[site]
                else { site_of[name] = site; name_of[site] = name }
            }
            names = 0
            for (name in site_of)
                names++
            if (names != sites || sites < 4)
                print sites " loops, " names " names"
        }'
}

check_lines()
{
    local source=$1 compiler=$2 output
    shift 2
    build loops "$compiler" "$@" -J "$work" "$here/$source" 2>/dev/null || build loops "$compiler" "$@" "$here/$source"
    output=$(show "$work/loops")
    is "$(problems "$here/$source" <<<"$output")" '' "lines of $source: $compiler $*" || diag "$output"
}

for options in '-g -O0' '-g -O1' '-g -O2' '-g -O3' '-g -Og'; do
    check_lines marked_loops.c gcc $options
    check_lines marked_loops.c g++ $options -x c++
    check_lines loops.f90 gfortran $options
done
for options in '-g -O0' '-g -O2' '-g -O3'; do
    build containers g++ $options $here/containers.cpp
    output=$(show "$work/containers")
    unlike "$output" ' [^ ]*(std::|__normal_iterator|::count)' \
        "a loop has not the name of what its header calls ($options)"
    is "$(grep -c '^0 containers\.cpp:' <<<"$output")" 5 "nor its file ($options)" || diag "$output"
    for function in each field::update field::scale field::shift; do
        like "$output" "^0 containers\.cpp:[0-9]+ [0-9-]+ (.* )?ns::$function( |\$)" \
            "but that of $function, which contains it ($options)"
    done
done
check_lines marked_loops.c gcc -g -O2 -no-pie
check_lines marked_loops.c gcc -g -O2 -gz
check_lines marked_loops.c gcc -g -O2 -gdwarf-4

build loops gcc -g -O2 -flto $here/marked_loops.c
like "$(show "$work/loops")" '^0 marked_loops.c:.* several_in_one_region( |$)' 'functions are known after link-time optimisation'
build loops gcc -g -O2 -gsplit-dwarf $here/marked_loops.c
like "$(show "$work/loops")" '^0 marked_loops.c:.* several_in_one_region( |$)' 'functions are known with split debug information'

build loops gcc -g -O0 $here/marked_loops.c
line=$(grep -n '@B' $here/marked_loops.c | sed 's/:.*//;q')
like "$(SHOW_SOURCE_CALL_ONLY=1 show "$work/loops")" "^0 marked_loops.c:$line $line-[0-9]+ with_constant_bounds\$" \
    'a combined loop is found without its outlined function'
build loops gcc -g -O2 $here/marked_loops.c
line=$(grep -n 'p\[1\] = 1' $here/marked_loops.c | sed 's/:.*//')
unlike "$(SHOW_SOURCE_CALL_ONLY=1 show "$work/loops")" "^0 marked_loops.c:$line .* with_constant_bounds" \
    'a call has not the line of the statement after it'
like "$(show "$work/loops")" '^0 marked_loops\.c:[0-9]+ [0-9]+-[0-9]+ orphaned calls_orphaned$' \
    'an inlined loop has the names of both functions'

for options in '-O0' '-O2'; do
    build names g++ -g $options $here/names.cpp
    output=$(show "$work/names")
    like "$output" ' ns::image::render( |$)' "a member has its qualified name ($options)"
    like "$output" ' ns::image::scale( |$)' "a template has its name without arguments ($options)"
    like "$output" ' ns::hidden( |$)' "an unnamed namespace has no name ($options)"
    like "$output" ' operator\(\) ns::outer( |$)' "a lambda has the name of its function ($options)"
    [ $options = -O0 ] ||
        like "$output" ' operator\(\) ns::writer .*ns::run( |$)' 'a lambda has that name where it was inlined, too'
    build names g++ $options $here/names.cpp
    output=$(show "$work/names")
    like "$output" '^0 :0 0-0 ns::image::render _ZN' "symbols give the names without -g ($options)"
    like "$output" '^0 :0 0-0 ns::outer::operator\(\) _ZZN' "symbols give a lambda's name without -g ($options)"
    build names g++ $options -s $here/names.cpp
    is "$(show "$work/names" | sort -u)" '1 :0 0-0' "a stripped program has no names ($options)"
done

build loops.f gfortran -g -J "$work" $here/loops.f90
output=$(show "$work/loops.f")
like "$output" ' grid::sweep( |$)' 'a module procedure has its qualified name'
like "$output" ' __grid_MOD_sweep( |$)' 'a module procedure has the name of its symbol'

build libfill.so gcc -g -O2 -shared -fPIC -DLIBRARY $here/loads_library.c
# libgomp is loaded with the program: RTLD_NEXT in the shim does not find one that is loaded with the library.
build loader gcc -g -Wl,--no-as-needed $here/loads_library.c -ldl
is "$(show "$work/loader" "$work/libfill.so")" '0 loads_library.c:7 7-8 fill' 'a library that was just loaded is known'
cp "$work/libfill.so" "$work/libgone.so"
is "$(show "$work/loader" "$work/libgone.so" gone)" '1 :0 0-0' 'a deleted library is unreadable, and does no harm'

# Debug information in a file of its own, found by .gnu_debuglink beside the program and in .debug/.
mkdir -p "$work/.debug"
build linked gcc -g -O2 -Wl,--build-id=none $here/marked_loops.c
objcopy --only-keep-debug "$work/linked" "$work/linked.debug"
objcopy --strip-debug --add-gnu-debuglink="$work/linked.debug" "$work/linked"
like "$(show "$work/linked")" '^0 marked_loops.c:[0-9]+ ' 'a debuglink beside the program is followed'
mv "$work/linked.debug" "$work/.debug"
like "$(show "$work/linked")" '^0 marked_loops.c:[0-9]+ ' 'a debuglink in .debug is followed'
printf x >>"$work/.debug/linked.debug"
like "$(show "$work/linked")" '^0 :0 0-0 ' 'a file with another check sum is not used'

# A client of debuginfod makes its cache folder before it asks a server.
build stripped gcc -O2 -s -Wl,--build-id $here/marked_loops.c
output=$(DEBUGINFOD_URLS=http://127.0.0.1:9 DEBUGINFOD_CACHE_PATH=$work/cache show "$work/stripped" | sort -u)
is "$output" '1 :0 0-0' 'a program without debug information is answered at once'
ok 'no debuginfod server is asked' test ! -e "$work/cache"

output=$(SHOW_SOURCE_CHECK=1 show "$work/loader" "$work/libfill.so" | sed -n 's/^descriptors: //p')
before=${output%% before*}
is "$output" "$before before, $before after" 'no file stays open'

# damage SECTION SEED: a copy of `whole` with 40 bytes of SECTION overwritten, or its end cut off.
build whole g++ -g -O2 $here/names.cpp
damage()
{
    objcopy --dump-section "$1=$work/section" "$work/whole" "$work/damaged"
    perl -e 'my ($file, $seed) = @ARGV; local $/; open my $in, "<:raw", $file or die; my $text = <$in>; srand $seed;
        if ($seed % 3 == 0) { $text = substr $text, 0, int rand length $text }
        else { substr($text, int rand length $text, 1) = chr int rand 256 for 1 .. 40 }
        open my $out, ">:raw", $file or die; print $out $text' "$work/section" "$2"
    objcopy --update-section "$1=$work/section" "$work/whole" "$work/damaged" 2>/dev/null
}
crashes=
for section in .debug_info .debug_abbrev .debug_line .debug_str .debug_line_str .debug_aranges .debug_rnglists; do
    for seed in $(seq $((6 * (${KEEL_TEST_SEED:-1} - 1) + 1)) $((6 * ${KEEL_TEST_SEED:-1}))); do
        damage $section $seed
        show "$work/damaged" >/dev/null || crashes="$crashes $section:$seed"
    done
done
is "$crashes" '' 'damaged debug information does no harm'

done_testing
