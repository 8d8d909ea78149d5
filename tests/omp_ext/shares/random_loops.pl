#!/usr/bin/perl
# Prints a C program of functions with one parallel region each, which has one or two static loops that are drawn at
# random. They are free of races, and their results are the same in each run with so many threads of plain libgomp; many
# of them depend on which thread has which iterations. The program prints a line for each: its name and a digest of what
# it leaves.
#
#   random_loops.pl SEED COUNT [ONLY]     ONLY: the number of the one function to print
#
# An element of an array that the loop stores to is reached by one iteration alone: each such array has an index of its
# own, which no two iterations have in common. All other arrays are only read. Integers stay below 2^30, and sums of
# doubles are exact. What a thread carries from one iteration to the next (states) is declared in the region or
# firstprivate.
use strict;
use warnings;
use FindBin;

require "$FindBin::Bin/random_bodies.pl";
our (@arrays, $index, %stores, %by, @temporaries, @real_temporaries, @states, @sums, @last, $variables);
our ($spice, $may_leave, $small, $depth);

my ($seed, $count, $only) = @ARGV;
defined $count or die "random_loops.pl SEED COUNT [ONLY]\n";

# The head of a loop over $number iterations, or about as many, and what numbers them.
sub head
{
    my ($number, $i) = @_;
    my $type = chance(0.95) ? one('int', 'int', 'int', 'long', 'unsigned', 'unsigned long') :
        one('short', 'unsigned char', 'signed char');
    $number = 100 if $type =~ /char/ && $number > 100;
    my $bound = sub { chance(0.5) ? $_[0] : "(none + $_[0])" };
    if (chance(0.08)) {
        return ("for (double *$i = table; $i < table + " . $bound->($number) . "; $i++)", "($i - table)");
    }
    my $low = chance(0.5) ? 0 : 1 + below(20);
    my $step = one(1, 1, 1, 1, 2, 3, 'few');
    my $stride = $step eq 'few' ? 3 : $step;
    my $top = $low + ($stride == 1 ? $number : $stride * int(1 + $number / $stride)) + 1;
    return ("for ($type $i = " . $bound->($low) . "; $i < " . $bound->($top) . '; ' .
        ($stride eq $step && $step == 1 ? "$i++" : "$i += $step") . ')', $i) if chance(0.6) || $type =~ /char/;
    return ("for ($type $i = $low; $i <= " . $bound->($top) . "; $i += $step)", $i) if chance(0.3);
    return ("for ($type $i = $low; $i != $top; $i++)", $i) if chance(0.2);
    return ("for ($type $i = -$low; $i < " . $bound->($number) . "; $i++)", "($i + $low)")
        if chance(0.4) && $type !~ /unsigned/;
    ($low, $top) = ($low + 3, $top + 3); # the end is not below 0
    return ("for ($type $i = " . $bound->($top) . "; $i > " . one($low, $low + 1) . '; ' .
        ($stride == 1 ? "$i--" : "$i -= $step") . ')', $i);
}

# A head among collapsed ones over $number iterations, and what numbers them.
sub nested_head
{
    my ($type, $i, $number) = @_;
    my ($low, $step) = (one(0, 0, 1, 'few', 5), one(1, 1, 1, 1, 2, 'few'));
    my ($from, $by) = map { $_ eq 'few' ? 3 : $_ } $low, $step;
    my ($first, $end) = ($from, $from + $by * $number);
    my $written = sub { one($_[0], $_[0], "(none + $_[0])") };
    ($first, $end) = ($end, $first) if $type !~ /unsigned/ && chance(0.3);
    return $first < $end
        ? ("for ($type $i = $low; $i < " . $written->($end) . "; $i += $step)", "($i - $from) / $by")
        : ("for ($type $i = " . $written->($first) . "; $i > $low; $i -= $step)", "($first - $i) / $by");
}

# Loops whose indices a thread counts by itself, from quotient and remainder of its first iteration on, in the way of
# collapsed loops or nearly so.
sub counted
{
    my ($name) = @_;
    my ($type, $of) = @{ one(['int', 'unsigned'], ['unsigned', 'unsigned'], ['long', 'unsigned long']) };
    my ($number, $count, $low) = (60 + below(190), 2 + below(14), one(0, 0, 1, 'few'));
    my ($width, $from) = (one($count, 'width'), $low eq 'few' ? 3 : $low);
    my ($end, $begin, $step, $outer) = ("$width + $low", $low, 1, 1);
    my $radix = $width;
    for ($radix, $end, $begin, $step, $outer) {
        $_ .= one(' + 1', ' - none', ' + few', ' - 1') if chance(0.1);
    }
    my $asks = one("j >= $end", "j >= $end", "j == $end", "!(j < $end)", "j > $end - 1", "(int)j == (int)($end)");
    my $advance = "j += $step;\nif ($asks) {\nj = $begin;\ni += $outer;\n}\n";
    my $guard = chance(0.2) ? '' : one("$low < $end", "$low < $end", "width > 0", "width != 0");
    $guard = ' && ' . $guard if $guard;
    ($index, $small, $depth) = ('r', 0, 0);
    %stores = (ia => 'r');
    %by = map { ($_ => $_) } @arrays;
    $advance = "if (" . condition() . ") {\n$advance}\n" if chance(0.05);
    @temporaries = ('(int)i', '(int)j');
    my $body = join('', map { statement(2) . "\n" } 1 .. 2) . store() . "\n";
    @temporaries = ();
    return "void $name(void)\n{\n$type width = none + $count;\n#pragma omp parallel\n{\n" .
        "$of me = omp_get_thread_num(), team = omp_get_num_threads(), size = $number / team, rest = $number % team;\n" .
        "if (me < rest) {\nsize++;\nrest = 0;\n}\n$of r = size * me + rest, high = r + size;\n" .
        "if (r < high$guard) {\n$type i = r / ($of)($radix), j = r % ($of)($radix) + $low;\nfor (;;) {\ndo {\n" .
        "${body}ia[r] += i * 16 + j;\n} while (0);\nif (++r >= high) {\nbreak;\n}\n$advance}\n}\n}\n}\n\n";
}

# The head of the loops, with clauses, and what they store to.
sub heads
{
    my ($clauses, $text) = ('', '');
    if (chance(0.1)) {
        my $type = one('int', 'int', 'long', 'unsigned', 'unsigned long');
        my $levels = one(2, 2, 3);
        my @head = map { [nested_head($type, $_, 2 + below($levels == 3 && $_ eq 'i' ? 2 : $levels == 3 ? 6 : 14))] }
            ('i', 'j', 'o')[0 .. $levels - 1];
        $head[-1] = ["for ($type j = 0; j <= i; j++)", 'j'] if $levels == 2 && chance(0.1);
        $head[0] = ["for ($type i = 0; i < 12; i++)", 'i'] if $head[-1][1] eq 'j';
        $clauses = " collapse($levels)";
        $text = join "\n", map { $_->[0] } @head;
        $index = $levels == 2 ? "(($head[0][1]) * 16 + $head[1][1])" :
            "((($head[0][1]) * 8 + $head[1][1]) * 8 + $head[2][1])";
    } else {
        ($text, $index) = head(one(1 + below(4), 20 + below(40), 100 + below(100), 100 + below(100)), 'i');
    }
    my $kind = below(14);
    $clauses .= ' schedule(static)' if $kind < 3 && $text !~ /<= i/;
    # not of a char, in which chunks that nobody runs would overflow
    $clauses .= ' schedule(static, ' . one(1, 3, 7) . ')'
        if $kind == 3 && $clauses eq '' && $text !~ /char/ && chance(0.4);
    for (1 .. 1 + below($small ? 2 : 4)) {
        my $to = "($index)";
        $stores{ one(@arrays) } = one($index, $index, $index, "2 * $to", "2 * $to + 1", "3 * $to", "900 - $to",
            "perm[$index]", "($to * 7 & 255)", "($to ^ 5)", $index . ' + ' . (1 + below(7)));
    }
    return ($clauses, $text);
}

sub body
{
    my @outside = @temporaries;
    my $body = join '', @_;
    $body .= join '', map { statement(2) . "\n" } 1 .. below($small ? 2 : one(2, 3, 5));
    $body .= store() . "\n";
    for my $state (@states) {
        my $update = $state->{update} . ";\n";
        $body = chance(0.7) ? $body . $update : $update . $body if chance(0.8);
    }
    $body .= join '', map { $_->() . "\n" } @last;
    @temporaries = @outside;
    @real_temporaries = ();
    return " {\n$body}\n";
}

sub reduction
{
    my ($before, $behind, $clauses) = @_;
    my $r = fresh('r');
    my ($type, $start, $operator, $change) = @{ one(
        [long => 5, '+', sub { "$r += " . integer(2) . ';' }],
        [int => 0, '+', sub { "$r += " . integer(1) . ' & 1023;' }],
        [int => 0, '|', sub { "$r |= " . integer(1) . ';' }], [int => 0, '^', sub { "$r ^= " . integer(2) . ';' }],
        [int => 65535, '&', sub { "$r &= " . integer(1) . ' | 64;' }],
        [unsigned => 3, '*', sub { "$r *= " . integer(1) . ' | 1;' }],
        [double => 1, '+', sub { "$r += (double)(" . integer(1) . ');' }],
        [int => 500, 'max', sub { my $e = load('ib'); "if ($r < $e) {\n$r = $e;\n}" }],
        [double => 5, 'min', sub { my $e = 'table[' . integer(1) . ' & 511]'; "$r = $r < $e ? $r : $e;" }],
        [int => 1, '&&', sub { "$r = $r && " . condition() . ';' }]) };
    push @$before, "$type $r = $start;";
    push @$behind, "value[" . (4 + below(8)) . "] += (long)$r;";
    $$clauses .= " reduction($operator:$r)";
    push @sums, $change;
}

# Where the thread is asked for, or what it has gathered is used once.
sub around
{
    my @kinds = ("own[omp_get_thread_num()] += 3;", "if (omp_get_thread_num() == 0) {\nvalue[12] += 7;\n}",
        "#pragma omp atomic\nvalue[13] += omp_get_num_threads();", "#pragma omp atomic\nvalue[14]++;",
        'own_count += 2;',
        "for (int t = omp_get_thread_num(); t < 100; t += omp_get_num_threads()) {\nspare[t] += t;\n}",
        "#pragma omp barrier", "#pragma omp master\nvalue[12]++;");
    push @kinds, map { ("#pragma omp atomic\nvalue[15] += (long)$_->{use};",
        "own[omp_get_thread_num()] += (long)$_->{use};") } grep { $_->{outside} } @states;
    return one(@kinds) . "\n";
}

# What looks like a reduction that is written by hand: what an iteration does with the sum, and each thread behind the
# loop. Some of them are none.
sub gather
{
    my ($inside, $post) = @_;
    my $g = fresh('g');
    my $type = one('int', 'long', 'unsigned', 'double');
    my $change = sub {
        my $e = chance(0.5) ? integer(1) : $type eq 'double' ? 'table[' . load('ib') . ' & 1023]' : load('ia');
        return one("$g += $e;", "$g -= $e;", "$g++;", "if (" . condition() . ") {\n$g += $e;\n}",
            "$g = $g > $e ? $g : $e;", "$g = $g < $e ? $g : $e;") if $type eq 'double' || chance(0.5);
        return one("$g |= $e;", "$g ^= $e;", "$g &= $e | 8;", "if (" . condition() . ") {\n$g |= $e;\n}",
            $type eq 'unsigned' ? "$g *= $e | 1;" : "$g |= $e & 4;");
    };
    $change = [map { $change->() } 1 .. 1 + below(1.3)];
    my ($first) = $change->[0] =~ /\Q$g\E (.)=/;
    my $is_extreme = $change->[0] =~ /\?/;
    my $begin = $is_extreme ? one(0, -9, 9000) : ($first // '+') eq '&' ? -1 : ($first // '') eq '*' ? 1 : 0;
    $begin = one(0, 1, 'few', 'none') if chance(0.15);
    my $to = "of_$type\[" . $variables % 8 . ']'; # another one for each
    my $operator = ($first // '+') eq '-' ? '+' : $first // '+';
    $operator = one('+', '|', '^', '-') if chance(0.1) && $type ne 'double';
    my $text = "#pragma omp atomic\n$to $operator= $g;\n";
    my $as = chance(0.1) && $type ne 'double' ? '(unsigned)' : '';
    my $sign = ($change->[0] =~ / > /) ^ chance(0.1) ? '<' : '>';
    $text = "COMPARE_PRAGMA\nif ($to $sign $as$g) {\n$to = $as$g;\n}\n" if $is_extreme || chance(0.05);
    $text = "if ($g " . one('!=', '>') . " 0) {\n$text}\n" if chance(0.15);
    my ($before, $read) = ('', chance(0.1) ? fresh('g') : ''); # the sum as it was before the iteration
    if ($read) {
        push @$inside, "$type $read = $begin;";
        $before = "$read = $g;\n";
        $text =~ s/\b$g\b/$read/g;
    }
    push @$inside, "$type $g = $begin;";
    $$post .= $text;
    push @sums, sub { one(@$change) };
    push @states, { real => 0, once => 0, outside => 0, use => "((int)$g & 255)", update => $change->[0] }
        if chance(0.1);
    my $reset = "if (" . condition() . ") {\n$g = " . one($begin, $begin, 0) . ";\n}";
    return $before . $change->[0] . "\n" . (chance(0.1) ? "$reset\n" : '');
}

sub function
{
    my ($name) = @_;
    my (@before, @behind, @inside);
    my $clauses = '';
    ($variables, $depth) = (0, 0);
    (@temporaries, @real_temporaries, @states, @sums, @last) = ();
    %stores = ();
    ($spice, $may_leave) = (0, 0);
    return counted($name) if chance(0.08);
    $small = chance(0.5) ? 1 : 0;
    $spice = chance(0.25);
    $may_leave = chance(0.5);
    %by = map { ($_ => chance(0.25) ? "to_$_" : $_) } @arrays;
    my $combined = chance(0.4);
    my $gathers = !$combined && chance(0.4);
    $spice = 0 if $gathers && chance(0.8);
    my ($own, $text) = heads();
    reduction(\@before, \@behind, \$clauses) for 1 .. (chance(0.35) ? 1 + below(2) : 0);
    my $carried = chance($spice ? 0.7 : $gathers ? 0.05 : 0.15) ? 1 + below(3) : 0;
    for (1 .. $carried) {
        my $state = state();
        my $is_first = $combined || chance(0.3);
        push @{ $is_first ? \@before : \@inside }, $state->{declare};
        $clauses .= " firstprivate($state->{name})" if $is_first;
        push @states, $state;
    }
    for (1 .. (chance(0.25) ? 1 + below(2) : 0)) { # read-only
        my $v = fresh('q');
        my $is_first = $combined || chance(0.5);
        push @{ $is_first ? \@before : \@inside }, "int $v = " . one('few', 'stride + 1', 12, 'perm[3]') . ';';
        $clauses .= " firstprivate($v)" if $is_first;
        push @temporaries, $v;
    }
    if ($spice && !$combined && chance(0.3)) {
        my $v = fresh('q');
        push @inside, "int $v = " . one('omp_get_thread_num()', 'omp_get_num_threads()', 'omp_get_thread_num() == 0',
            'own_count', 'number_of(2)') . ';';
        push @temporaries, $v;
    }
    if (chance(0.08)) {
        my $v = fresh('z');
        push @before, "int $v = 0;";
        push @behind, "value[11] += $v;";
        $clauses .= " lastprivate($v)";
        push @last, sub { "$v = " . integer(1) . ';' };
    }
    $may_leave = 0 if @last;
    my $post = '';
    my @gathered = map { $_->() . "\n" } @sums;
    push @gathered, map { gather(\@inside, \$post) } 1 .. 1 + below(2) if $gathers;
    my $whole = $text . body(@gathered);
    if ($combined) {
        # gcc 12 takes what memcpy copies in a simd loop to be aligned to a vector: such programs crash by themselves
        my $is_simd = !@states && $own !~ /,/ && $whole !~ /pragma|own|thread|number_of|team_of|rarely|memcpy/ &&
            chance(0.15);
        $whole = '#pragma omp parallel for' . ($is_simd ? ' simd' : '') . "$clauses$own\n$whole";
    } else {
        my ($of_region, $of_loop) = ('', '');
        for my $clause ($clauses =~ /\S+?\([^)]*\)/g) {
            if ($clause !~ /lastprivate/ && chance(0.4)) { $of_region .= " $clause" } else { $of_loop .= " $clause" }
        }
        my $is_pair = $of_loop eq '' && chance(0.35);
        my $nowait = $is_pair || ($of_loop !~ /lastprivate|reduction/ && chance($post ? 0.9 : 0.5)) ? ' nowait' : '';
        $whole = "#pragma omp parallel$of_region\n{\n" . join('', map { "$_\n" } @inside) .
            ($spice && chance(0.3) ? around() : '') . "#pragma omp for$of_loop$own$nowait\n$whole";
        $whole .= "#pragma omp for$own" . ($post && chance(0.9) ? ' nowait' : '') . "\n$text" . body() if $is_pair;
        $whole .= $post;
        $whole .= ($spice && chance(0.4) && $of_loop eq '' ? around() : '') . "}\n";
    }
    return "void $name(void)\n{\n" . join('', map { "$_\n" } @before) . $whole . join('', map { "$_\n" } @behind) .
        "}\n\n";
}

my @names = map { "drawn_$_" } defined $only ? $only : 0 .. $count - 1;
print "#include \"tests/omp_ext/shares/random_loops.h\"\n\n";
for my $name (@names) {
    $name =~ /(\d+)/;
    srand($seed * 100003 + $1);
    print function($name);
}
print "int main(void)\n{\n", map({ "run(\"$_\", $_);\n" } @names), "}\n";
