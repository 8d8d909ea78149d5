#!/usr/bin/perl
# Prints the contents of a trace in JSON, and errors in it.
#
#   trace_facts.pl [--cut|--forms] FILE
#
# Prints, a line each: "CATEGORY COUNT" of the events, and "instances COUNTxITERATIONS ..." of loops whose chunks are all
# there; and "wrong: ..." for whatever is not as it should be: JSON, one element on each line, members and their types,
# intervals of a thread that overlap without containing each other, chunks that leave out or repeat iterations or lie
# outside of their loop, loops without all of their threads, waits that end before all have come. --cut: the program was
# ended, so instances may lack chunks and threads; the file is whole nevertheless. --forms: prints only what members the
# arguments of events have, "KIND CATEGORY MEMBER" for each, with the name of events that have no category and "-" for
# nothing; numbers of decisions and counters, whose names are many, are left out.
use strict;
use warnings;

use constant SAME_NS => 2000; # tick counters of cores differ by some ns

my ($file, $option) = (pop @ARGV, @ARGV, '');
my $cut = $option eq '--cut';
my $problems = 0;

sub wrong
{
    print 'wrong: ', @_, "\n" if $problems++ < 20;
}

# --- reading ---

my $string = qr/"(?:[^"\\\x00-\x1f]++|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*+"/;
my $number = qr/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/;
my $scalar = qr/(?>$string|$number|true|false|null)/;
my $flat = qr/\{(?>$string:$scalar(?:,$string:$scalar)*+)?\}/;

# The members of an object by their names; texts with their quotes. undef: it is no object.
sub members
{
    my ($text) = @_;
    my %member;
    while ($text =~ /\G[{,]($string):(?:($scalar)|($flat))/gc) {
        my $name = substr $1, 1, -1;
        wrong("'$name' comes twice in $text") if exists $member{$name};
        $member{$name} = $2 // members($3);
    }
    return $text =~ /\G(?<!\{)\}\z|\A\{\}\z/ ? \%member : undef;
}

# A text without its quotes, '' for other values.
sub text_of
{
    return ($_[0] // '') =~ /^"(.*)"$/s ? $1 : '';
}

sub whole
{
    return ($_[0] // '') =~ /^-?\d+$/ ? $_[0] : -1;
}

sub ns_of
{
    return int(($_[0] // 0) * 1000 + 0.5);
}

my %needs = (
    loop => sub {
        my ($event, $args) = @_;
        return $event->{iterations} >= 0 && $event->{threads} > 0 && $event->{instance} > 0 &&
            text_of($args->{schedule}) ne '' && text_of($args->{function}) ne '';
    },
    chunk => sub { $_[0]{instance} > 0 && $_[0]{first} >= 0 && $_[0]{last} > $_[0]{first} },
    region => sub { $_[0]{threads} > 0 && text_of($_[1]{place}) ne '' },
    wait => sub { text_of($_[1]{at}) ne '' },
    mpi => sub { text_of($_[1]{place}) ne '' },
    decision => sub { text_of($_[1]{reason}) ne '' && text_of($_[1]{loop}) . text_of($_[1]{rows}) ne '' },
);

sub event_of
{
    my ($object) = @_;
    my $args = ref $object->{args} ? $object->{args} : {};
    my %event = (args => $args, at => text_of($args->{at}), began_ns => ns_of($object->{ts}));
    @event{qw(name category kind)} = map { text_of($object->{$_}) } qw(name cat ph);
    @event{qw(process thread)} = map { whole($object->{$_}) } qw(pid tid);
    @event{qw(instance first last iterations threads)} =
        map { whole($args->{$_}) } qw(instance first last iterations threads);
    $event{ended_ns} = $event{began_ns} + ns_of($object->{dur});
    wrong("an event of kind '$event{kind}'") if $event{kind} !~ /^[XiCM]$/;
    my $needs = $needs{$event{category}};
    wrong("members of a '$event{name}' of category '$event{category}'")
        if $event{name} eq '' || $event{process} < 0 || $event{thread} < 0 || $event{ended_ns} < $event{began_ns} ||
        ($needs && !$needs->(\%event, $args));
    return \%event;
}

# An element on each line, with '[' and ']' on lines of their own.
sub read_trace
{
    open my $in, '<', $file or die "$file: $!\n";
    my @line = <$in>;
    my @event;
    wrong('no brackets on lines of their own') if @line < 3 || shift @line ne "[\n" || pop @line ne "]\n";
    for my $i (0 .. $#line) {
        my $object = $line[$i] =~ s/(?<=\})@{[$i < $#line ? ',' : '']}\n\z//r;
        my $member = $object ne $line[$i] ? members($object) : undef;
        push @event, event_of($member) if $member;
        wrong('line ', $i + 2, ': ', substr $line[$i], 0, 80) if !$member;
    }
    if (!@event || $event[0]{name} ne 'keel_trace' || $event[0]{kind} ne 'M') {
        wrong('the first event does not begin the trace');
    }
    return @event;
}

# --- a thread's intervals ---

# With a stack of the intervals that the next one may lie in. Of equal intervals the chunk lies in the loop, and the loop in
# the region.
sub look_at_nesting
{
    my @open;
    for my $event (sort {
        $a->{process} <=> $b->{process} || $a->{thread} <=> $b->{thread} || $a->{began_ns} <=> $b->{began_ns} ||
            $b->{ended_ns} <=> $a->{ended_ns} || $b->{category} cmp $a->{category}
    } grep { $_->{kind} eq 'X' } @_) {
        my $said = "$event->{category} $event->{name} of thread $event->{thread}";
        pop @open while @open && ($open[-1]{process} != $event->{process} || $open[-1]{thread} != $event->{thread} ||
            $open[-1]{ended_ns} <= $event->{began_ns});
        wrong("$said goes beyond $open[-1]{category} $open[-1]{name}") if @open && $open[-1]{ended_ns} < $event->{ended_ns};
        wrong("$said is in no loop of its instance")
            if !$cut && $event->{category} eq 'chunk' &&
            !grep { $_->{category} eq 'loop' && $_->{instance} == $event->{instance} } @open;
        push @open, $event;
    }
}

# No thread leaves the end of a loop or region before all have reached it.
sub look_at_waits
{
    my %last_ns;
    for my $event (@_) {
        my $end = \$last_ns{"$event->{category} end $event->{process} $event->{instance}"};
        $$end = $event->{ended_ns} if !defined $$end || $$end < $event->{ended_ns};
    }
    for my $event (@_) {
        my $last_ns = $last_ns{"$event->{at} $event->{process} $event->{instance}"};
        wrong("thread $event->{thread} does not wait at the $event->{at}, instance $event->{instance}")
            if $event->{at} =~ /^(loop|region) end$/ && defined $last_ns && $event->{ended_ns} + SAME_NS < $last_ns;
    }
}

# --- instances ---

# Its iterations; undef: they are not all there.
sub iterations_of
{
    my @loop = grep { $_->{category} eq 'loop' } @_;
    my ($name, $iterations, $threads) = @loop ? @{$loop[0]}{qw(name iterations threads)} : ($_[0]{name}, -1, 0);
    my $at = 0;
    wrong("threads of $name do not agree on the loop")
        if grep { $_->{iterations} != $iterations || $_->{threads} != $threads } @loop;
    for my $chunk (sort { $a->{first} <=> $b->{first} } grep { $_->{category} eq 'chunk' } @_) {
        wrong("$name: a chunk begins at $chunk->{first}, expected $at") if $chunk->{first} != $at && !$cut;
        $at = $chunk->{last};
    }
    wrong("$name: ", scalar @loop, " of $threads threads") if @loop != $threads && !$cut;
    wrong("$name: iterations are missing at the end") if $at != $iterations && !$cut;
    return $at == $iterations && @loop == $threads ? $at : undef;
}

sub look_at_instances
{
    my (%instance, %count);
    push @{$instance{"$_->{process} $_->{instance}"}}, $_ for grep { $_->{category} =~ /^(loop|chunk)$/ } @_;
    for my $iterations (map { iterations_of(@$_) } values %instance) {
        $count{$iterations}++ if defined $iterations;
    }
    print join(' ', 'instances', map { "$count{$_}x$_" } sort { $a <=> $b } keys %count), "\n";
}

sub print_forms
{
    for my $event (@_) {
        my $about = $event->{category} || $event->{name};
        my $has_numbers = $event->{kind} eq 'C' || $event->{category} eq 'decision';
        my @name = grep { !$has_numbers || $event->{args}{$_} =~ /^"/ } sort keys %{$event->{args}};
        print "$event->{kind} $about $_\n" for @name ? @name : '-';
    }
}

my @event = read_trace();
if ($option eq '--forms') {
    print_forms(@event);
    exit 0;
}
for my $category (qw(region loop chunk wait move decision trace)) {
    print "$category ", scalar(grep { $_->{category} eq $category } @event), "\n";
}
look_at_nesting(@event);
look_at_waits(@event);
look_at_instances(@event);
exit($problems > 0);
