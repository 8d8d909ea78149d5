#!/usr/bin/perl
# Prints what documents (Markdown) tell a reader to do or to open, one record a line:
#
#   FILE LINE KIND NAME TEXT OUTPUT
#
# with 0x1f between the fields and 0x1e for line ends within them. KIND:
#
#   command  of a shell block, a console block (with the output that is shown), or `code` in a line
#   setting  NAME=VALUE in a line
#   script   a shell block that begins with #!
#   program  a block of C or Fortran; NAME is its file
#   link     to a file or heading of the tree, also `folder/` and `folder/file.c` in a line, and in drawings
#   name     of Keel's in a line: function, type, constant or variable
#   problem  what this script, or a test, could not check
#
# To be run in the root: paths of commands are looked up there.
use strict;
use warnings;

my %programs = map { $_ => 1 } qw(keel mpirun srun sbatch bazel gcc g++ gfortran mpicc mpifort
    apt-get sudo prove make export cd perl bash sh clang);
my %indented_formulas = map { $_ => 1 } qw(schedules/PAPERS.md);
my $file;

sub record {
    my @fields = map { my $field = $_ // ''; $field =~ s/\n/\x1e/g; $field } @_;
    print join("\x1f", $file, @fields), "\n";
}

# What stands behind a command on its line.
sub without_comment {
    my ($command) = @_;
    $command =~ s/\s+#\s.*$//;
    $command =~ s/\s+$//;
    return $command;
}

# Commands of a shell block; a line that ends in a backslash goes on.
sub shell_block {
    my ($line, @lines) = @_;
    return record($line, 'script', '', join("\n", @lines) . "\n") if @lines && $lines[0] =~ /^#!/;
    my $command = '';
    for (@lines) {
        my $text = $_;
        if ($text =~ s/\\$//) { $text =~ s/^\s+//; $command .= $text }
        else {
            $text =~ s/^\s+// if $command ne '';
            $command = without_comment($command . $text);
            record($line, 'command', 'run', $command) if $command =~ /\S/ && $command !~ /^\s*#/;
            $command = '';
        }
        $line++;
    }
    record($line, 'problem', '', "a command ends in a backslash: $command") if $command ne '';
}

# `$ command` and the lines that it prints.
sub console_block {
    my ($line, @lines) = @_;
    my ($command, $output, $begin);
    for (@lines) {
        if (/^\$ (.*)/) {
            record($begin, 'command', 'run', $command, $output) if defined $command;
            ($command, $output, $begin) = (without_comment($1), '', $line);
        } elsif (defined $command) { $output .= "$_\n" }
        else { record($line, 'problem', '', "a console block begins with output: $_") }
        $line++;
    }
    return record($line, 'problem', '', 'a console block without a command') if !defined $command;
    record($begin, 'command', 'run', $command, $output);
}

sub block {
    my ($line, $info, @lines) = @_;
    my ($language, $name) = split ' ', $info;
    if (($language // '') =~ /^(?:sh|bash)$/) { shell_block($line, @lines) }
    elsif (($language // '') eq 'console') { console_block($line, @lines) }
    elsif (($language // '') eq 'text') { paths($line, join("\n", @lines)) }
    elsif (($language // '') =~ /^(?:c|fortran|cpp)$/ && defined $name) {
        record($line, 'program', $name, join("\n", @lines) . "\n");
    } else { record($line, 'problem', '', "a block is '$info': neither text, sh, console nor a program with a file name") }
}

sub is_command {
    my ($first, $rest) = @_;
    return 1 if $programs{$first} && $rest ne '';
    return 1 if $first =~ m{^\./\w} && $rest ne '';
    return $first =~ m{^(?:bench|tests|\.ci)/} && (-f $first && -x $first || $rest ne '');
}

# Files and folders beside the document that a drawing, or `code` in a line, names.
sub paths {
    my ($line, $text) = @_;
    return if $file !~ m{^(?:omp_ext|mpi_backend|schedules)/};
    for (split /\n/, $text) {
        record($line, 'link', 'path', $_) for m{(?<![\w./-])((?:[a-z_]+/)+(?:[a-z_]+\.[a-z0-9]+)?)(?![\w/])}g;
        record($line, 'link', 'path', $_) for m{(?<![\w./-])((?:[a-z_]+/)+)(?=[a-z_]+(?![\w./]))}g;
        $line++;
    }
}

# `code` in a line of prose or of a table.
sub code_span {
    my ($line, $code) = @_;
    $code =~ s/\s*\n\s*/ /g;
    if ($code =~ /^\$\((.*)\)$/) { $code = $1 }
    if ($code =~ /^(?:KEEL_[A-Z_]+|OMP_SCHEDULE)=\S/ && $code !~ /^\S+="?[^"\s]*"? \S/) { return record($line, 'setting', '', $code) }
    if ($code =~ /^KEEL_SCHEDULE="[^"]*"$/) { return record($line, 'setting', '', $code) }
    record($line, 'name', '', $_) for $code =~ /\b((?:keel|KEEL)_\w+)/g;
    my $words = $code;
    $words =~ s/^(?:\w+=\S*\s+)+//;
    my ($first, $rest) = split(' ', $words, 2);
    return if !defined $first;
    if (is_command($first, $rest // '')) { record($line, 'command', 'span', $code) }
    elsif ($code =~ m{^(?:bench|tests|omp_ext|mpi_backend|schedules|\.ci)/[\w./-]*$}) { record($line, 'link', '', "/$code") }
    elsif ($code =~ m{^(?:[a-z_]+/)+(?:[a-z_]+\.[a-z0-9]+)?$}) { paths($line, $code) }
}

sub prose {
    my ($line, $text) = @_;
    my $at = $line;
    for (split /(`[^`]*`)/, $text) {
        if (/^`([^`]*)`$/s) { code_span($at, $1) }
        else {
            my $here = $_;
            while ($here =~ /\]\(([^)\s]+)\)/g) { record($at, 'link', '', $1) if $1 !~ /^https?:/ }
        }
        $at += tr/\n//;
    }
}

sub document {
    open my $in, '<', $file or die "$file: $!\n";
    my @lines = <$in>;
    close $in;
    chomp @lines;
    my ($i, $text, $begin) = (0, '', 1);
    while ($i < @lines) {
        if ($lines[$i] =~ /^\s*```(.*)$/) {
            my ($info, $first, @inside) = ($1, $i + 2);
            prose($begin, $text);
            push @inside, $lines[$i] while ++$i < @lines && $lines[$i] !~ /^\s*```\s*$/;
            record($first, 'problem', '', 'a block without an end') if $i >= @lines;
            block($first, $info, @inside);
            ($text, $begin) = ('', ++$i + 1);
        } elsif ($lines[$i] =~ /^(?: {4}|\t)\S/ && $text =~ /(?:^|\n\n)$/ && !$indented_formulas{$file}) {
            my ($first, @inside) = ($i + 1);
            prose($begin, $text);
            push @inside, $1 while $i < @lines && $lines[$i] =~ /^(?: {4}|\t)(.*)$/ && ++$i;
            shell_block($first, @inside);
            ($text, $begin) = ('', $i + 1);
        } else {
            my $line = $lines[$i++];
            $line =~ s/\\\|/|/g;
            $text .= "$line\n";
        }
    }
    prose($begin, $text);
}

document() while defined($file = shift);
