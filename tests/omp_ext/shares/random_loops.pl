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

# --- what iterations do: expressions, statements, and what a thread carries from one iteration to the next ---

sub chance { rand() < $_[0] }
sub below { int rand $_[0] }
sub one { $_[below(scalar @_)] }

our %element = (ia => 'int', ib => 'int', ic => 'int', la => 'long', lb => 'long', ua => 'unsigned', sa => 'short',
    ha => 'unsigned char', hb => 'unsigned char', fa => 'float', fb => 'float', da => 'double', db => 'double',
    dc => 'double');
our @arrays = sort keys %element;

# Of the function that is being drawn.
our $index;             # the expression of what numbers its iterations, below 256
our (%stores, %by);     # arrays that it stores to: index; arrays: how they are named
our (@temporaries, @real_temporaries, @states, @sums, @last, $variables, $spice, $may_leave, $small);
our $depth;

sub fresh { $_[0] . ++$variables }

sub is_real { $element{$_[0]} =~ /double|float/ }

# Any element of an array that is only read, or this iteration's own one.
sub load
{
    my ($array) = @_;
    return "$by{$array}\[$stores{$array}]" if $stores{$array};
    my $at = one($index, $index, $index . ' + ' . (1 + below(9)), "2 * ($index)", "perm[$index]", "1023 - ($index)",
        $depth > 1 ? $index : '(' . integer(1) . ') & 511');
    return "$by{$array}\[$at]";
}

sub array_of
{
    my ($real) = @_;
    my @fit = grep { is_real($_) == $real } @arrays;
    return one(@fit);
}

# Expressions: $_[0] is how deep they may be. Integers are within 2^20.
sub integer
{
    my ($left) = @_;
    local $depth = $depth + 1;
    my @used = grep { !$_->{real} } @states;
    return $used[below(scalar @used)]{use} if @used && chance(0.25);
    if ($left <= $small || $depth > 5 || chance(0.25)) {
        return one(@temporaries) if @temporaries && chance(0.3);
        return "(int)($index)" if chance(0.3);
        return one(1 + below(9), 'few', 'stride', 'none') if chance(0.3);
        return '(int)(' . load(array_of(0)) . ' & 1023)' if chance(0.8);
        return 'whole(' . real(0) . ')';
    }
    my ($one, $other) = (integer($left - 1), integer($left - 1));
    my $kind = below(12);
    return "(($one & 1023) + ($other & 1023))" if $kind < 2;
    return "(($one & 1023) - ($other & 1023))" if $kind < 4;
    return "(($one & 1023) * ($other & 255))" if $kind == 4;
    return '((' . $one . one(' & ', ' | ', ' ^ ') . $other . ') & 65535)' if $kind == 5;
    return "($one " . one('<', '>', '==', '<=', '!=') . " $other)" if $kind == 6;
    return "(" . condition() . " ? $one : $other)" if $kind == 7;
    return "($one " . one('%', '/') . ' ' . (2 + below(9)) . ')' if $kind == 8;
    return "($one >> " . (1 + below(3)) . ')' if $kind == 9;
    return call($one, $other) if $kind == 10 && chance(0.5);
    return one("abs($one)", "__builtin_ctz($one | 256)", "(int)(short)($one)", "(int)(unsigned char)($one)", "-($one)");
}

sub call
{
    my ($one, $other) = @_;
    if ($spice && chance(0.25)) {
        return one("next_of_thread($one)", "number_of($one)", "team_of($one)", '(own_count & 255)', 'count_own()',
            '(omp_get_thread_num() + 1)', 'omp_get_num_threads()', "rarely($one, $other)");
    }
    return "blend_apart($one, $other)" if chance(0.04);
    return one("blend($one, $other)", "choose($one, $other)", "depth_of($one & 7)", "of_table($one)");
}

sub real
{
    my ($left) = @_;
    local $depth = $depth + 1;
    my @used = grep { $_->{real} } @states;
    return $used[below(scalar @used)]{use} if @used && chance(0.25);
    if ($left <= $small || $depth > 4 || chance(0.25)) {
        return one(@real_temporaries) if @real_temporaries && chance(0.3);
        return one('factor', '0.5', '2.0', "(double)($index)") if chance(0.3);
        return load(array_of(1));
    }
    my ($one, $other) = (real($left - 1), real($left - 1));
    my $kind = below(9);
    return "($one + $other)" if $kind < 3;
    return "($one - $other)" if $kind < 4;
    return "($one * " . one('0.5', '2', 'factor', load(array_of(1))) . ')' if $kind < 6;
    return '(double)(' . integer(1) . ')' if $kind == 6;
    return '(' . condition() . " ? $one : $other)" if $kind == 7;
    return one("fabs($one)", "halve($one)", "larger($one, $other)", "($one > $other ? $one : $other)");
}

sub condition
{
    local $depth = $depth + 1;
    my $kind = below(6);
    return '(' . integer(0) . ' & ' . one(1, 2, 3, 7, 31) . ') == ' . below(2) if $kind < 2;
    return real(0) . one(' > ', ' < ') . one('4.0', '1.5', '8', 'factor') if $kind == 2;
    return integer(1) . one(' > ', ' < ') . integer(0) if $kind == 3;
    return "$index " . one('<', '>', '==', '!=') . ' ' . one(0, 5, 'few', below(100)) if $kind == 4;
    return integer(0) . one(' > 500', ' < 990', ' == 3', '');
}

# A state that a thread carries on: its initial value, its use and its change in an iteration.
sub state
{
    my $v = fresh('k');
    my $begin = one(0, 0, 0, 1, 'few', 'none', below(50));
    my $step = one("$v++", "$v += 2", "++$v", "$v += few", "$v--", "$v = $v + 3", 'STEP');
    $step = "if (" . condition() . ") {\n$v++;\n}" if $step eq 'STEP';
    my @kinds = (
        sub { (int => $begin, "($v & 255)", $step) },
        sub { (int => $begin, $v, $step) },
        sub { (long => $begin, "(int)($v & 511)", $step) },
        sub { (unsigned => $begin, "(int)($v >> 20)", "$v = $v * 1103515245u + 12345u") },
        sub { ('unsigned char' => $begin, $v, $step) },
        sub { (int => 0, $v, "$v = " . one("!$v", "$v ^ 1", "1 - $v", "$v == 0")) },
        sub { (int => 1, $v, "$v = -$v") },
        sub { (int => $begin, $v, "$v = " . integer(1)) },
        sub { (int => 0, "($v & 1023)", "$v += " . integer(1) . ' & 15') },
        sub { (int => 1000, $v, 'if (' . load('ic') . " < $v) {\n$v = " . load('ic') . " & 65535;\n}") },
        sub { (int => 0, $v, "$v |= " . integer(0) . ' & ' . one(1, 4, 7)) },
        sub { (int => -1, "((int)($index) - $v & 1023)", "if ($v < 0) {\n$v = (int)($index);\n}") },
        sub { (int => 0, $v, "if (!$v) {\n$v = " . one(1, integer(0)) . ";\n}") },
        sub { ('const int *' => 'perm', "*$v", "$v++") },
        sub { ('const int *' => 'perm', "$v\[1]", "$v += " . one(1, 2, 'few')) },
        sub { ('const int *' => 'perm', "*$v", "$v = perm + *$v") },
    );
    my @real = (
        sub { (double => $begin, $v, "$v = " . real(1)) },
        sub { (double => 0, $v, "$v += " . one(1, '0.5', '(' . integer(0) . ' & 7)')) },
        sub { (double => 1, $v, "$v = -$v") },
        sub { (double => 9, $v, "$v = fmin($v, " . load('da') . ')') },
        sub { (float => 0, $v, "$v += 1") },
        sub { ('const double *' => 'table', "*$v", "$v++") },
    );
    my $real = chance(0.3);
    my ($type, $initial, $use, $update) = one($real ? @real : @kinds)->();
    # A pointer advances once in an iteration; expressions of the iteration have no meaning after the loop.
    my %how = (real => $real, once => scalar($type =~ /\*/), outside => $initial ne -1);
    my $box = $type !~ /\*/ && chance(0.2);
    my $name = $v;
    if ($box) {
        $name = fresh('box');
        my $member = $name . one('[0]', '[2]');
        s/\b$v\b/$member/g for $use, $update;
        return { %how, use => $use, update => $update, name => $name,
            declare => "$type $name\[3] = {$initial, $initial, $initial};" };
    }
    if ($type eq 'int' && chance(0.12)) {
        $update = "advance(&$v)";
        $use = "($v & 255)";
    }
    return { %how, use => $use, update => $update, name => $v, declare => "$type $v = $initial;" };
}

sub store
{
    my $array = one(sort keys %stores);
    my $value = is_real($array) ? real(2) : integer(2);
    my $operator = is_real($array) ? one('=', '=', '+=', '-=') : one('=', '=', '+=', '^=');
    return "$by{$array}\[$stores{$array}] $operator $value;";
}

sub block
{
    my ($level, $size) = @_;
    my @outside = ([@temporaries], [@real_temporaries]);
    my @text = map { statement($level) } 1 .. $size;
    @temporaries = @{ $outside[0] };
    @real_temporaries = @{ $outside[1] };
    return join '', map { "$_\n" } @text;
}

sub statement
{
    my ($level) = @_;
    my $kind = below(20);
    my @often = grep { !$_->{once} } @states;
    return one(@often)->{update} . ';' if @often && chance(0.12);
    return 'own_count++;' if $spice && chance(0.03);
    if ($kind < 2) {
        my $t = fresh('t');
        my $text = "int $t = " . integer(2) . ';';
        push @temporaries, $t;
        return $text;
    }
    if ($kind < 4) {
        my $t = fresh('d');
        my $text = "double $t = " . real(2) . ';';
        push @real_temporaries, $t;
        return $text;
    }
    if ($kind < 6 && @sums) {
        return one(@sums)->();
    }
    if ($level > 0 && $kind < 8) {
        return 'if (' . condition() . ") {\n" . block($level - 1, 1 + below(2)) . '}' .
            (chance(0.4) ? " else {\n" . block($level - 1, 1 + below(2)) . '}' : '');
    }
    if ($level > 0 && $kind < 10) {
        my $j = fresh('j');
        my $head = "for (int $j = 0; $j < " . one(2, 3, 8, "(int)($index) % 7", "few") . "; $j++) {\n";
        push @temporaries, $j;
        my $text = $head . block($level - 1, 1 + below(2)) . '}';
        pop @temporaries;
        return $text;
    }
    if ($level > 0 && $kind == 10) {
        my ($j, $row, $t) = (fresh('j'), one('mi', 'md'), fresh('t'));
        return "for (int $j = 0; $j < 8; $j++) {\n$row\[$index][$j] " . one('=', '+=') . ' ' .
            ($row eq 'mi' ? integer(1) : real(1)) . ";\n}" if chance(0.6);
        return "mi[$index][" . integer(1) . " & 7] += " . integer(1) . ';' if chance(0.5);
        return "memcpy(md[$index], &table[" . one(0, $index) . '], sizeof md[0]);';
    }
    if ($level > 0 && $kind == 11) {
        my ($j, $local, $t) = (fresh('j'), fresh('s'), fresh('t'));
        my $text = "int $local\[4];\nfor (int $j = 0; $j < 4; $j++) {\n$local\[$j] = $j + " . integer(1) . ";\n}\n" .
            "int $t = $local\[" . integer(1) . ' & 3];';
        push @temporaries, $t;
        return $text;
    }
    if ($level > 0 && $kind == 12) {
        return 'switch (' . integer(1) . ' & 3) {' .
            join('', map { "\n$_:\n{\n" . block(0, 1) . "}\nbreak;" } 'case 0', 'case 2', 'default') . "\n}";
    }
    if ($level > 0 && $kind == 13) {
        my $v = fresh('v');
        my $text = "int $v = (" . integer(1) . " & 31) + 1;\nwhile ($v > 1) {\n$v = $v & 1 ? " .
            one("$v - 1", "$v / 2 + 0") . " : $v / 2;\n" . (chance(0.5) ? block(0, 1) : '') . '}';
        push @temporaries, $v;
        return $text;
    }
    return "#pragma omp atomic\nvalue[" . below(4) . '] += ' . integer(1) . ';' if $kind == 14 && chance(0.5);
    return 'if (' . condition() . ") {\ncontinue;\n}" if $kind == 15 && $may_leave && $level == 2;
    return store();
}

# --- loops ---

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
    # not of a char, in which chunks beyond the loop's end would overflow
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

# Code that asks for the thread, or uses its state once.
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
