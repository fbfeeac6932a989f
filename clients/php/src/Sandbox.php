<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** A running sandbox. */
final class Sandbox extends Client
{
    private const HOW = <<<'TEXT'

        Any of these will do:
          PAYMENTS_SANDBOX_URL=http://127.0.0.1:8080   a running sandbox (PAYMENTS_SANDBOX_USERNAME and _PASSWORD unless they are demo)
          PAYMENTS_SANDBOX_COMMAND='npx --no -- payments-sandbox'   a command that starts one
          PAYMENTS_SANDBOX_IMAGE=payments-sandbox   an image, for docker or podman
          payments-sandbox on the PATH or in node_modules, or the image payments-sandbox
        TEXT;

    /** Seconds that a sandbox may take to start, including the download of an image. */
    private const PATIENCE = 120;

    /** Runs a command until standard input closes, and stops its children, because npx and npm do not. */
    private const UNTIL_PARENT_ENDS = <<<'SH'
        exec 3<&0
        "$@" 3<&- </dev/null &
        pid=$!
        end() { for child in $(pgrep -P "$1"); do end "$child"; done; kill -TERM "$1" 2>/dev/null; }
        { while read -r _; do :; done <&3; end $pid; } >/dev/null 2>&1 &
        wait $pid
        SH;

    private static ?self $shared = null;
    private static bool $failed = false;

    /**
     * Connects to PAYMENTS_SANDBOX_URL. Otherwise starts PAYMENTS_SANDBOX_COMMAND, or a container of PAYMENTS_SANDBOX_IMAGE, or an
     * installed command payments-sandbox, or a container of the image payments-sandbox. All tests of a process share it.
     *
     * @throws NoSandbox with the attempts
     */
    public static function start(): self
    {
        if (self::$failed) {
            throw new NoSandbox('there is no sandbox: the first failure of this run lists the remedies');
        }
        self::$failed = true;
        self::$shared ??= self::started();
        self::$failed = false;
        return self::$shared;
    }

    /** @param array<string, mixed> $options clock, name, seed, populate, settings, as in POST /sandbox/worlds; the clock is frozen by default */
    public function world(array $options = []): World
    {
        return new World($this->url, $this->ask('POST', '/sandbox/worlds', $options + ['clock' => ['speed' => 0]])->value());
    }

    private static function started(): self
    {
        $url = getenv('PAYMENTS_SANDBOX_URL') ?: '';
        if ($url !== '') {
            if (!preg_match('~^https?://[^/]~', $url)) {
                throw new NoSandbox("PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got \"$url\"");
            }
            return new self($url, getenv('PAYMENTS_SANDBOX_USERNAME') ?: 'demo', getenv('PAYMENTS_SANDBOX_PASSWORD') ?: 'demo');
        }
        $command = getenv('PAYMENTS_SANDBOX_COMMAND') ?: '';
        if ($command !== '') {
            return self::byCommand(str_getcsv($command, ' ', str_contains($command, "'") ? "'" : '"', ''));
        }
        $image = getenv('PAYMENTS_SANDBOX_IMAGE') ?: '';
        $found = $image === '' ? self::installed() : null;
        if ($found !== null) {
            return self::byCommand([$found]);
        }
        foreach (['docker', 'podman'] as $engine) {
            // docker is often installed without its daemon.
            $responds = self::output([$engine, 'ps', '--quiet']) !== null;
            if ($responds && ($image !== '' || self::output([$engine, 'image', 'inspect', 'payments-sandbox']) !== null)) {
                return self::byContainer($engine, $image ?: 'payments-sandbox');
            }
        }
        throw new NoSandbox(($image === ''
            ? 'there is no sandbox: no command payments-sandbox on the PATH or in node_modules, no image payments-sandbox of docker or podman.'
            : "PAYMENTS_SANDBOX_IMAGE is $image, and neither docker nor podman responds.") . self::HOW);
    }

    /** Returns the installed command. Nothing is downloaded: plain npx would download any package of that name. */
    private static function installed(): ?string
    {
        $folders = explode(PATH_SEPARATOR, getenv('PATH') ?: '');
        for ($folder = getcwd(); ; $folder = dirname($folder)) {
            $folders[] = "$folder/node_modules/.bin";
            if ($folder === dirname($folder)) {
                break;
            }
        }
        foreach ($folders as $folder) {
            if (is_executable("$folder/payments-sandbox")) {
                return "$folder/payments-sandbox";
            }
        }
        return null;
    }

    /** @param list<string> $command */
    private static function byCommand(array $command): self
    {
        // If this runs in a container, the receivers of the tests run in the same one.
        $own = ['SANDBOX_PORT' => '0', 'SANDBOX_HOST' => '127.0.0.1', 'SANDBOX_LOG_LEVEL' => 'warn'];
        return self::run($command, $own + getenv() + ['SANDBOX_IN_CONTAINER' => 'off'],
            fn(string $printed) => preg_match('~http://127\.0\.0\.1:\d+~', $printed, $found) ? $found[0] : null);
    }

    private static function byContainer(string $engine, string $image): self
    {
        $name = 'payments-sandbox-' . getmypid();
        // Docker on Linux needs the host name; Podman defines one.
        $host = $engine === 'podman'
            ? ['--env', 'SANDBOX_CALLBACK_REWRITE=localhost=host.containers.internal']
            : ['--add-host', 'host.docker.internal:host-gateway'];
        return self::run([$engine, 'run', '--rm', '--publish', '127.0.0.1::8080', '--name', $name, ...$host, $image], getenv(),
            fn() => preg_match('/:\d+/', self::output([$engine, 'port', $name, '8080/tcp']) ?? '', $found) ? "http://127.0.0.1$found[0]" : null);
    }

    /**
     * @param list<string> $command
     * @param array<string, string> $environment
     * @param callable(string): ?string $address returns the address of the sandbox, given what the command printed
     */
    private static function run(array $command, array $environment, callable $address): self
    {
        $line = implode(' ', $command);
        // A file, because an unread pipe would block the process.
        $output = tempnam(sys_get_temp_dir(), 'payments-sandbox');
        $descriptors = [['pipe', 'r'], ['file', $output, 'a'], ['file', $output, 'a']];
        $process = proc_open(['sh', '-c', self::UNTIL_PARENT_ENDS, 'sh', ...$command], $descriptors, $pipes, null, $environment);
        // Closes standard input before PHP waits for the process.
        register_shutdown_function(function () use ($pipes, $process, $output): void {
            fclose($pipes[0]);
            proc_close($process);
            unlink($output);
        });
        for ($end = microtime(true) + self::PATIENCE; microtime(true) < $end; usleep(20_000)) {
            $running = proc_get_status($process)['running'];
            $url = $address(file_get_contents($output));
            if ($url !== null && @file_get_contents("$url/readyz") !== false) {
                return new self($url);
            }
            if (!$running) {
                break;
            }
        }
        throw new NoSandbox("$line started no sandbox. It printed:\n" . file_get_contents($output) . self::HOW);
    }

    /** @param list<string> $command */
    private static function output(array $command): ?string
    {
        $process = @proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        if ($process === false) {
            return null;
        }
        $printed = stream_get_contents($pipes[1]);
        return proc_close($process) === 0 ? $printed : null;
    }
}
