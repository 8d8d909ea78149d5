# Chromium without a window, as a person would use it: real clicks, wheels and keys, by its debugging protocol over
# two pipes (--remote-debugging-pipe: descriptors 3 and 4, messages in JSON that end with a zero byte).
#
#   my $browser = Browser->start(width => 1400, height => 900) or skip;
#   $browser->open($file); $browser->click($x, $y); $browser->value('document.title'); $browser->stop;
#
# What fails or takes longer than `patience` seconds dies.
package Browser;
use strict;
use warnings;
use Cwd 'abs_path';
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use IO::Select;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep time);

# Where a file is: in the runfiles of a test, or in bazel-bin or the sources when it is run by hand from the root.
sub built
{
    my ($path) = @_;
    for my $folder ($ENV{TEST_SRCDIR} ? "$ENV{TEST_SRCDIR}/$ENV{TEST_WORKSPACE}" : (), 'bazel-bin', '.') {
        return abs_path("$folder/$path") if -e "$folder/$path";
    }
    die "$path: no such file\n";
}

# The name of the program, or undef.
sub program
{
    for my $name (qw(chromium chromium-browser)) {
        for my $folder (split /:/, $ENV{PATH}) {
            return "$folder/$name" if -x "$folder/$name";
        }
    }
    return undef;
}

sub start
{
    my ($class, %given) = @_;
    my $program = program() // die "there is no chromium\n";
    my $self = bless {number => 0, patience => 600, errors => [], text => '', %given}, $class;
    pipe(my $to_read, $self->{to}) && pipe($self->{from}, my $from_write) or die "pipe: $!\n";
    $self->{home} = tempdir('keel_browser.XXXXXX', TMPDIR => 1);
    $self->{child} = fork // die "fork: $!\n";
    if ($self->{child} == 0) {
        setpgrp;
        # Above 4 first, as one of the two may be where the other has to.
        my ($in, $out) = map { POSIX::fcntl($_, POSIX::F_DUPFD(), 10) } $to_read, $from_write;
        POSIX::dup2($in, 3);
        POSIX::dup2($out, 4);
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', "$self->{home}/log";
        local $ENV{HOME} = $self->{home};
        exec {$program} $program, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
            '--disable-background-networking', '--disable-component-update', '--disable-sync',
            '--force-device-scale-factor=1', '--host-resolver-rules=MAP * ~NOTFOUND',
            "--window-size=$self->{width},$self->{height}", "--user-data-dir=$self->{home}/profile",
            '--remote-debugging-pipe', 'about:blank'
            or POSIX::_exit(127);
    }
    close $to_read;
    close $from_write;
    binmode $_ for @$self{qw(to from)};
    $self->{to}->autoflush(1);
    my ($page) = grep { $_->{type} eq 'page' } @{$self->send('Target.getTargets')->{targetInfos}};
    $self->{session} =
        $self->send('Target.attachToTarget', targetId => $page->{targetId}, flatten => JSON::PP::true)->{sessionId};
    $self->send($_) for qw(Page.enable Runtime.enable Log.enable Network.enable);
    $self->send('Emulation.setDeviceMetricsOverride', width => 0 + $self->{width},
        height => 0 + $self->{height}, deviceScaleFactor => 1, mobile => JSON::PP::false);
    return $self;
}

# The next message of the browser.
sub receive
{
    my ($self, $until) = @_;
    while ($self->{text} !~ /\0/) {
        my $left = $until - time;
        die "the browser takes too long\n" if $left <= 0;
        next if !IO::Select->new($self->{from})->can_read($left);
        sysread($self->{from}, $self->{text}, 1 << 16, length $self->{text}) or die "the browser has ended\n";
    }
    $self->{text} =~ s/^([^\0]*)\0//;
    my $message = decode_json($1);
    $self->note($message);
    return $message;
}

# Errors of the page, and what it asked of the network.
sub note
{
    my ($self, $message) = @_;
    my $method = $message->{method} // '';
    my $params = $message->{params};
    if ($method eq 'Runtime.exceptionThrown') {
        push @{$self->{errors}},
            $params->{exceptionDetails}{exception}{description} // $params->{exceptionDetails}{text};
    } elsif ($method eq 'Log.entryAdded' && $params->{entry}{level} eq 'error') {
        push @{$self->{errors}}, $params->{entry}{text};
    } elsif ($method eq 'Network.requestWillBeSent' && $params->{request}{url} !~ /^(file|data|about):/) {
        push @{$self->{errors}}, "asked for $params->{request}{url}";
    } elsif ($method eq 'Page.loadEventFired') {
        $self->{loaded} = 1;
    }
}

sub send
{
    my ($self, $method, %params) = @_;
    my %message = (id => ++$self->{number}, method => $method, params => \%params);
    $message{sessionId} = $self->{session} if defined $self->{session};
    my $to = $self->{to};
    print $to encode_json(\%message), "\0";
    my $until = time + $self->{patience};
    while (1) {
        my $answer = $self->receive($until);
        next if ($answer->{id} // 0) != $message{id};
        die "$method: $answer->{error}{message}\n" if $answer->{error};
        return $answer->{result};
    }
}

# Goes to an address and waits until its scripts have run.
sub load
{
    my ($self, $address) = @_;
    $self->{loaded} = 0;
    $self->send('Page.navigate', url => $address);
    my $until = time + $self->{patience};
    $self->receive($until) while !$self->{loaded};
}

# Loads a file, with a fragment ("from=0&to=10"). Another page comes between, as a mere change of the fragment loads
# nothing.
sub open
{
    my ($self, $file, $fragment) = @_;
    $self->load('about:blank');
    $self->load("file://$file" . (defined $fragment ? "#$fragment" : ''));
    $self->settle;
}

# Until two frames have been drawn.
sub settle
{
    my ($self) = @_;
    $self->value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))');
}

# What an expression of the page is.
sub value
{
    my ($self, $expression) = @_;
    my $result = $self->send('Runtime.evaluate', expression => $expression, returnByValue => JSON::PP::true,
        awaitPromise => JSON::PP::true);
    die "$expression: $result->{exceptionDetails}{text}\n" if $result->{exceptionDetails};
    return $result->{result}{value};
}

sub mouse
{
    my ($self, $type, $x, $y, %more) = @_;
    $self->send('Input.dispatchMouseEvent', type => $type, x => $x, y => $y, %more);
}

sub click
{
    my ($self, $x, $y, $count) = @_;
    $self->mouse('mouseMoved', $x, $y);
    for my $number (1 .. $count // 1) {
        $self->mouse($_, $x, $y, button => 'left', clickCount => $number) for qw(mousePressed mouseReleased);
    }
    $self->settle;
}

# Clicks the middle of an element.
sub click_on
{
    my ($self, $selector) = @_;
    my $box = $self->value("(() => { const box = document.querySelector('$selector').getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2]; })()");
    $self->click(@$box);
}

sub wheel
{
    my ($self, $x, $y, $amount, %more) = @_;
    $self->mouse('mouseWheel', $x, $y, deltaX => 0, deltaY => $amount, %more);
    $self->settle;
}

sub drag
{
    my ($self, $x0, $y0, $x1, $y1, %more) = @_;
    $self->mouse('mouseMoved', $x0, $y0, %more);
    $self->mouse('mousePressed', $x0, $y0, button => 'left', clickCount => 1, %more);
    $self->mouse('mouseMoved', $x0 + ($x1 - $x0) * $_ / 4, $y0 + ($y1 - $y0) * $_ / 4, button => 'left', buttons => 1,
        %more) for 1 .. 4;
    $self->mouse('mouseReleased', $x1, $y1, button => 'left', clickCount => 1, %more);
    $self->settle;
}

# A key by its name: "n", "ArrowLeft"; with a text, it is typed.
sub key
{
    my ($self, $key) = @_;
    my %key = (key => $key, length $key == 1 ? (text => $key) : ());
    $self->send('Input.dispatchKeyEvent', type => 'keyDown', %key);
    $self->send('Input.dispatchKeyEvent', type => 'keyUp', key => $key);
    $self->settle;
}

sub stop
{
    my ($self) = @_;
    local $?; # the exit code of the test
    return if !$self->{child};
    eval { local $self->{patience} = 20; delete $self->{session}; $self->send('Browser.close') };
    kill 'KILL', -$self->{child};
    waitpid $self->{child}, 0;
    $self->{child} = 0;
    # Processes of the browser may write a last file.
    for (1 .. 50) {
        remove_tree($self->{home}, {error => \my $errors});
        last if !-e $self->{home};
        sleep 0.1;
    }
}

sub DESTROY { $_[0]->stop }

1;
