#!/usr/bin/perl
# Prints `FILE COMMAND` for each command that files call by name: shell scripts wherever a command
# may stand, also as what timeout, env and the like run; C, C++ and Perl in calls of system, exec, popen
# and posix_spawn. Names that variables hold, paths, builtins' own words and functions of the file
# are left out.
use strict;
use warnings;

my ($text, $file, %called, %function);

# What may stand before a command.
my %keeps = map { $_ => 1 } qw(if then elif else while until do ! time {);

# What runs the command that follows: options that take the next word, and how many words stand
# between. Of the project's own: `ok` of tests/support/tap.sh takes a name, others nothing.
my %runs = (
    timeout => ['ks', 1], nice => ['n', 0], env => ['uCS', 0], xargs => ['nPIdL', 0],
    exec => ['a', 0], sudo => ['u', 0], taskset => ['', 1], flock => ['wE', 1],
    (map { $_ => ['', 0] } qw(command nohup setsid code in_namespaces)), ok => ['', 1],
);

# Behind the bracket that belongs to the one at the position; strings and escapes may hold others.
sub skip_brackets {
    my ($open, $close) = @_;
    my $depth = 0;
    while ($text =~ /\G(.)/gcs) {
        my $c = $1;
        if ($c eq '\\') { pos($text)++ }
        elsif ($c eq q(')) { $text =~ /\G[^']*'/gc }
        elsif ($c eq $open) { $depth++ }
        elsif ($c eq $close) { return if --$depth == 0 }
    }
}

# $(...) and ${...} in a word or string, `$` read.
sub expansion {
    if ($text =~ /\G\(\(/gc) { pos($text) -= 2; skip_brackets('(', ')') }
    elsif ($text =~ /\G\(/gc) { commands(')') }
    elsif ($text =~ /\G(?=\{)/gc) { skip_brackets('{', '}') }
}

# A string in double quotes, the first read.
sub quoted {
    while ($text =~ /\G(.)/gcs) {
        return if $1 eq '"';
        if ($1 eq '\\') { pos($text)++ }
        elsif ($1 eq '$') { expansion() }
        elsif ($1 eq '`') { commands('`') }
    }
}

# The next word; what is quoted or expanded keeps its first character alone.
sub word {
    my $word = '';
    while ($text =~ /\G([^\s;&|<>()])/gc) {
        my $c = $1;
        $word .= $c;
        if ($c eq '\\') { $text =~ /\G./gcs }
        elsif ($c eq q(')) { $text =~ /\G[^']*'/gc }
        elsif ($c eq '"') { quoted() }
        elsif ($c eq '$' && $text =~ /\G'(?:[^'\\]|\\.)*'/gcs) { }
        elsif ($c eq '$') { expansion() }
        elsif ($c eq '`') { pos($text)--; chop $word; last }
    }
    return $word;
}

sub note {
    my ($name) = @_;
    $called{$name} = 1 if $name =~ /^[A-Za-z_][\w.+-]*$/ || $name eq '[';
}

# Commands up to the closing bracket, which is read, or to the end.
sub commands {
    my ($end) = @_;
    my ($first, $between, $runs, @cases, @heredocs) = (1, 0);
    while (1) {
        $text =~ /\G(?:[ \t]+|\\\n)+/gc;
        if ($text =~ /\G#[^\n]*/gc) { next }
        if ($end eq '`' && $text =~ /\G`/gc) { return }
        if (@cases && $cases[-1] && $text !~ /\G\s*esac\b/) { # patterns
            $text =~ /\G(?:\s|#[^\n]*\n)+/gc;
            next if $text =~ /\G(?=esac\b)/;
            $text =~ /\G\(?(?:[^)'"\\]|'[^']*'|"[^"]*"|\\.)*\)/gcs or return;
            ($cases[-1], $first, $runs) = (0, 1, undef);
            next;
        }
        if ($text =~ /\G\n/gc) {
            for (splice @heredocs) { $text =~ /\G.*?^\t*\Q$_\E$/gcms }
            ($first, $runs) = (1, undef);
        } elsif ($text =~ /\G;;&?/gc) { $cases[-1] = 1 if @cases; ($first, $runs) = (1, undef) }
        elsif ($text =~ /\G<<-?[ \t]*(['"]?)(\w+)\1/gc) { push @heredocs, $2 }
        elsif ($text =~ /\G[<>]\(/gc) { commands(')') }
        elsif ($text =~ /\G(?:&>>?|[<>]+[&|]?)[ \t]*/gc) { $text =~ /\G-/gc or word() }
        elsif ($first && $text =~ /\G(?=\(\()/gc) { skip_brackets('(', ')'); $first = 0 }
        elsif ($first && $text =~ /\G\[\[(?=\s)/gc) { test_expression(); $first = 0 }
        elsif ($text =~ /\G(?:&&|\|\|?|&|;)/gc) { ($first, $runs) = (1, undef) }
        elsif ($text =~ /\G\(/gc) { commands(')'); $first = 0 }
        elsif ($text =~ /\G\)/gc) { return if $end eq ')' }
        elsif ($text !~ /\G./gcs) { return }
        else {
            pos($text)--;
            my $word = word();
            if ($word eq '') { pos($text)++; next }
            next if $word =~ /^\d+$/ && $text =~ /\G[<>]/; # 2>file
            if (!$first) { next }
            if ($word =~ /^\w+(?:\[.*\])?\+?=/) { # of a variable
                skip_brackets('(', ')') if $word =~ /=$/ && $text =~ /\G(?=\()/gc;
                next;
            }
            if ($text =~ /\G[ \t]*\([ \t]*\)/gc) { $function{$word} = 1; next }
            next if $keeps{$word};
            if ($word eq 'for') { $text =~ /\G\s+/gc; $text =~ /\G(?=\(\()/gc and skip_brackets('(', ')'); $first = 0; next }
            if ($word eq 'function') { $text =~ /\G\s*(\w+)/gc and $function{$1} = 1; next }
            if ($word eq 'case') { $text =~ /\G\s+/gc; word(); $text =~ /\G\s+in\b/gc; push @cases, 1; next }
            if ($word eq 'esac') { pop @cases; $first = 0; next }
            if ($runs) {
                if ($word =~ /^-/) {
                    $first = 0 if $runs eq $runs{command} && $word =~ /v$/i; # only looks for it
                    $between++ if length $word == 2 && index($runs->[0], substr $word, 1) >= 0;
                    next;
                }
                next if $between-- > 0;
            }
            note($word);
            $runs = $runs{$word};
            $between = $runs ? $runs->[1] : 0;
            $first = $runs;
        }
    }
}

# Behind ]]: nothing in it is a command but in $(...).
sub test_expression {
    while ($text !~ /\G\s*\]\](?=[\s;)&|])/gc) {
        $text =~ /\G[\s;&|<>()]+/gc or length word() or $text =~ /\G`/gc or return;
    }
}

# The first words of strings that are given to system() and the like.
sub calls {
    while ($text =~ /\b(?:(?:system|popen|exec[lv]p?e?)\s*\(|posix_spawnp?\s*\([^",;]*,)\s*"([^"]*)"/g) {
        note((split ' ', $1)[0] // '');
    }
    while ($text =~ /\b(?:system|exec|open)\b[^;\n]*?(?:"-\|",\s*|\(|\s)["']([a-z][\w.+-]*)(?=[ '"])/g) {
        note($1) if $file =~ /\.pl$/;
    }
}

for (@ARGV) {
    $file = $_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    $text = <$in>;
    (%called, %function) = ();
    pos($text) = 0;
    if ($text =~ /^#!.*\bperl/ || $file =~ /\.(?:c|cc|h|p[lm])$/) { calls() }
    else { commands('') }
    print "$file $_\n" for grep { !$function{$_} } sort keys %called;
    print "$file $_()\n" for sort keys %function;
}
