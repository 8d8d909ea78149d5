# What iterations of random loops do: expressions, statements, and what a thread carries from one iteration to the next.
# For random_loops.pl.
use strict;
use warnings;

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

# What a thread carries on: how it begins, how an iteration uses it and changes it.
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
    # A pointer goes on once in an iteration; what tells of the iteration has no meaning behind the loop.
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

1;
