<?php
declare(strict_types=1);

/** A world of a sandbox: the one at PAYMENTS_SANDBOX_URL, or one that PAYMENTS_SANDBOX_COMMAND starts and that ends with the tests. */
final class Sandbox
{
    private static ?string $url = null;
    public string $username = 'demo';
    public string $password = 'demo';
    public string $secret;
    public string $inbox;

    /** A world of a test's own, whose clock stands still. */
    public static function world(): self
    {
        self::$url ??= getenv('PAYMENTS_SANDBOX_URL') ?: self::start(getenv('PAYMENTS_SANDBOX_COMMAND') ?: 'payments-sandbox');
        $world = new self();
        $made = $world->call('POST', '/sandbox/worlds', ['clock' => ['speed' => 0]]);
        ['username' => $world->username, 'password' => $world->password] = $made['credentials'];
        ['signing_secret' => $world->secret, 'inbox_url' => $world->inbox] = $made;
        return $world;
    }

    private static function start(string $command): string
    {
        // As a list no shell stands between, and the sandbox itself is ended.
        $process = proc_open(explode(' ', $command), [1 => ['pipe', 'w']], $pipes, null, ['SANDBOX_PORT' => '0', 'SANDBOX_LOG_LEVEL' => 'warn', 'SANDBOX_IN_CONTAINER' => 'off'] + getenv());
        register_shutdown_function(function () use ($process, $pipes) {
            fclose($pipes[1]);
            proc_terminate($process);
            proc_close($process);
        });
        while (($line = fgets($pipes[1])) !== false) {
            if (preg_match('~http://127\.0\.0\.1:\d+~', $line, $found)) return $found[0];
        }
        throw new RuntimeException("$command names no address");
    }

    /** @throws RuntimeException when it is refused */
    public function call(string $method, string $path, ?array $body = null): array
    {
        $answer = file_get_contents(self::$url . $path, false, stream_context_create(['http' => [
            'method' => $method,
            'header' => ['Authorization: Basic ' . base64_encode("$this->username:$this->password"), 'Content-Type: application/json'],
            'content' => $body === null ? '' : json_encode($body),
            'ignore_errors' => true,
        ]]));
        $read = json_decode($answer, true, 64, JSON_THROW_ON_ERROR);
        if (isset($read['error_code'])) throw new RuntimeException("$method $path: {$read['error_message']}");
        return $read;
    }
}
