#!/usr/bin/perl
# What could be changed in C sources: operators, constants, conditions, statements and arguments.
#
#   mutations.pl SEED COUNT FILE...
#
# Draws COUNT source positions, or all if there are fewer, and a change of each. Prints a line for each, with the
# byte 31 between: file, line, first byte, number of bytes, new text, old line, new line. The same seed draws the
# same of the same files. Changes nothing.
use strict;
use warnings;

my ($seed, $count, @files) = @ARGV;
my %relation = ('<' => ['<=', '>='], '<=' => ['<', '>'], '>' => ['>=', '<='], '>=' => ['>', '<'], '==' => ['!='], '!=' => ['==']);
my %operator = ('+' => ['-'], '-' => ['+'], '*' => ['/'], '/' => ['*'], '%' => ['*'], '&&' => ['||'], '||' => ['&&'],
    '&' => ['|'], '|' => ['&'], '<<' => ['>>'], '>>' => ['<<'], '+=' => ['-='], '-=' => ['+='], '*=' => ['/='], '/=' => ['*=']);
my $brackets = qr/(\((?:[^()]++|(?-1))*+\))/;

sub blank { my ($text) = @_; $text =~ s/[^\n]/ /g; return $text }

# The source without what is not to be changed: comments, text, assertions, what is expected (a hint, of which no result
# depends), everything outside of functions but the numbers of macros and enumerators. Each byte keeps its position.
sub masked
{
    my ($text) = @_;
    $text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')}{blank($1)}gse;
    my $numbers = '';
    while ($text =~ /\G(.*(?:\n|\z))/gc && length $1) {
        my $line = $1;
        $numbers .= $line =~ /^(#define \w+ |    [A-Z][A-Z_0-9]* = )(.*)/s ? blank($1) . $2 : blank($line);
    }
    pos($text) = 0;
    $text =~ s{(^#(?:[^\n]*\\\n)*[^\n]*)}{blank($1)}gme;
    $text =~ s{(\b(?:static_|_Static_)?assert\s*$brackets)}{blank($1)}ge;
    $text =~ s{(__builtin_expect\(.*?)(, \d\))}{$1 . blank($2)}ge;
    my $bodies = '';
    my $end = 0;
    while ($text =~ /^\{\n(.*?)^\}\n/gms) {
        $bodies .= blank(substr $text, $end, $-[1] - $end) . $1;
        $end = $+[1];
    }
    $bodies .= blank(substr $text, $end);
    return ($bodies, $numbers);
}

sub other_numbers
{
    my ($number) = @_;
    my ($digits, $suffix) = $number =~ /^(.*?)([uUlLfF]*)$/ or return;
    return ($digits == 0 ? () : 0, $digits * 2 || 1) if $digits =~ /\./;
    return map { "$_$suffix" } $digits + 1, $digits > 0 ? $digits - 1 : ();
}

# In what is new, OLD stands for the old text.
sub add { my ($sites, $at, $old, @new) = @_; push @$sites, [$at, length $old, @new] if @new }

sub numbers_of
{
    my ($sites, $code) = @_;
    add($sites, $-[1], $1, other_numbers($1)) while $code =~ /(?<![\w.])((?:0|[1-9]\d*)(?:\.\d*)?[uUlLfF]*)(?![\w.])/g;
}

sub sites_of
{
    my ($code, $numbers) = masked(@_);
    my @sites;
    numbers_of(\@sites, $_) for $code =~ s{(\bchar \w+\[[^\]]*\])}{blank($1)}ger, $numbers;
    add(\@sites, $-[1], $1, @{$relation{$1} // $operator{$1} // []}) while $code =~ m{(?<= )([-+*/%<>=!&|]{1,2})(?=\s)}g;
    add(\@sites, $-[1], $1, $1 eq '++' ? '--' : '++') while $code =~ /(?<=[\w\])])(\+\+|--)(?=;)/g;
    add(\@sites, $-[1], $1, '') while $code =~ /(?<=[\s(])(!)(?=[\w(])/g;
    add(\@sites, $-[1], $1, "(!OLD)") while $code =~ /\bif $brackets/g;
    add(\@sites, $-[2], "$2, $3", "$3, $2")
        while $code =~ /\b((?!f?min|f?max|larger|hypot|str\w*cmp|memcmp)\w+)\(([\w.>&*\[\]-]+), ([\w.>&*\[\]-]+)\)/g && $2 ne $3;
    # A statement that is no declaration stands on lines of its own; `return` only inside of another one.
    while ($code =~ /[;{}:)]\s*\n( +)(?!(?:for|if|while|switch)\b)(?=(\*?\w[\w.>\[\]-]*(?:\([^;]*\)|(?:\+\+|--)|\s[-+*\/%|&<>]*=\s[^;]*);|(?:return\b[^;]*|break|continue);))/g) {
        my ($indent, $old) = ($1, $2);
        add(\@sites, $+[1], $old, ';') if length $indent > 4 || rindex($old, 'return', 0);
    }
    return @sites;
}

# The line or lines around a part of a text, on one line.
sub lines_around
{
    my ($text, $at, $length) = @_;
    my $begin = 1 + rindex $text, "\n", $at - 1;
    my $end = index $text, "\n", $at + $length;
    my $lines = substr $text, $begin, $end - $begin;
    $lines =~ s{\s*/\*.*?\*/}{}g;
    return join ' ', split ' ', $lines;
}

my (%text, @all);
for my $file (@files) {
    open my $in, '<', $file or die "keel: tests/mutants: $file: $!\n";
    local $/;
    $text{$file} = <$in>;
    push @all, map { [$file, @$_] } sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } sites_of($text{$file});
}

srand $seed;
for my $i (0 .. ($count < @all ? $count : @all) - 1) {
    my $j = $i + int rand(@all - $i);
    @all[$i, $j] = @all[$j, $i];
    my ($file, $at, $length, @new) = @{$all[$i]};
    my $old = substr $text{$file}, $at, $length;
    my $new = $new[int rand @new] =~ s/OLD/$old/r =~ tr/\n/ /r;
    my $changed = $text{$file};
    substr $changed, $at, $length, $new;
    my $line = 1 + substr($text{$file}, 0, $at) =~ tr/\n//;
    my $after = $new eq ';' ? 'nothing' : lines_around($changed, $at, length $new);
    print join("\037", $file, $line, $at, $length, $new, lines_around($text{$file}, $at, $length), $after), "\n";
}
