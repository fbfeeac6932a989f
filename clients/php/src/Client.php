<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** Requests to a sandbox with an API key. */
class Client
{
    /** The version of this client, which is that of the sandbox it belongs to. */
    public const VERSION = '0.1.0';

    /** The sandbox waits at most 60 s. */
    private const TIMEOUT = 90;

    /** @var array<string, array<string, array{method: string, path: string, parameters: list<string>}>> by the address of the sandbox */
    private static array $operations = [];

    public readonly string $url;

    public function __construct(string $url, public readonly string $username = 'demo', public readonly string $password = 'demo')
    {
        $this->url = rtrim($url, '/');
    }

    /**
     * Calls any operation of the service or of the control API by its name: call('getTeam', ['id' => 63]).
     *
     * @param array<string, mixed> $parameters those of the path and the query
     * @param mixed $body sent as JSON; text is sent unchanged
     * @return mixed the response: an array, or a text
     * @throws SandboxError for a status of 400 or higher
     * @throws \InvalidArgumentException for unknown names, with the nearest one
     */
    public function call(string $operation, array $parameters = [], mixed $body = null): mixed
    {
        $known = self::$operations[$this->url] ??= $this->readOperations();
        if (!isset($known[$operation])) {
            throw new \InvalidArgumentException("there is no operation $operation" . self::suggestion($operation, array_keys($known)));
        }
        ['method' => $method, 'path' => $path, 'parameters' => $names] = $known[$operation];
        $where = "$operation ($method $path)";
        foreach ($parameters as $name => $value) {
            if (!in_array($name, $names, true)) {
                throw new \InvalidArgumentException("$where has no parameter $name" . self::suggestion($name, $names));
            }
            if (str_contains($path, "{{$name}}")) {
                $path = str_replace("{{$name}}", rawurlencode((string) $value), $path);
                unset($parameters[$name]);
            }
        }
        if (preg_match('/\{(\w+)\}/', $path, $missing)) {
            throw new \InvalidArgumentException("$where: the parameter $missing[1] is missing");
        }
        $query = http_build_query(array_map(fn($value) => is_bool($value) ? var_export($value, true) : $value, $parameters));
        return $this->ask($method, $path . ($query === '' ? '' : "?$query"), $body)->value();
    }

    /**
     * Sends a request with these credentials. Returns the response whatever its status.
     *
     * @param array<string, string> $headers
     * @throws NoSandbox if nothing responds
     */
    public function request(string $method, string $path, mixed $body = null, array $headers = []): Response
    {
        if (!str_starts_with($path, '/')) {
            throw new \InvalidArgumentException("path must start with /, got $path");
        }
        $lines = ['Authorization: Basic ' . base64_encode("$this->username:$this->password")];
        if ($body !== null) {
            $headers += ['Content-Type' => 'application/json'];
        }
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        $sent = is_string($body) ? $body : json_encode($body === [] ? new \stdClass() : $body, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $lines,
            'content' => $body === null ? '' : $sent,
            'ignore_errors' => true,
            'timeout' => self::TIMEOUT,
        ]]);
        $content = @file_get_contents($this->url . $path, false, $context);
        if ($content === false || !isset($http_response_header)) {
            $why = error_get_last()['message'] ?? 'the connection broke';
            throw new NoSandbox("no sandbox responds at $this->url: start one, or correct the address ($why)");
        }
        return Response::of($http_response_header, $content);
    }

    /** @throws SandboxError for a status of 400 or higher */
    protected function ask(string $method, string $path, mixed $body = null, array $headers = []): Response
    {
        $response = $this->request($method, $path, $body, $headers);
        if ($response->status < 400) {
            return $response;
        }
        $fields = is_array($response->value()) ? $response->value() : [];
        $message = "$method $path: " . ($fields['error_message'] ?? "status $response->status");
        if ($response->status === 404 && str_contains($message, "path $path was not found")) {
            $version = $this->request('GET', '/__admin/version')->value();
            $theirs = $version['version'] ?? 'of another version';
            $message .= $theirs === static::VERSION ? '' : ": the sandbox is $theirs and this client is " . static::VERSION . '; use the sandbox of this version';
        }
        if ($response->status === 401 && str_contains($this->username, '+w-')) {
            $message = "$method $path: the world of $this->username has ended: it was deleted, or not used for too long; create another one";
        }
        throw new SandboxError($message, $response->status, $fields['error_code'] ?? '', $fields);
    }

    /** @return array<string, array{method: string, path: string, parameters: list<string>}> */
    private function readOperations(): array
    {
        $operations = [];
        foreach (['/openapi.json', '/sandbox/openapi.json'] as $description) {
            $document = $this->ask('GET', $description)->value();
            foreach ($document['paths'] as $path => $item) {
                foreach (array_intersect_key($item, array_flip(['get', 'put', 'post', 'delete', 'patch'])) as $method => $operation) {
                    $names = [];
                    foreach ([...$item['parameters'] ?? [], ...$operation['parameters'] ?? []] as $parameter) {
                        if (isset($parameter['$ref'])) {
                            $parameter = $document['components']['parameters'][basename($parameter['$ref'])];
                        }
                        if (in_array($parameter['in'], ['path', 'query'], true)) {
                            $names[] = $parameter['name'];
                        }
                    }
                    $operations[$operation['operationId']] = ['method' => strtoupper($method), 'path' => $path, 'parameters' => $names];
                }
            }
        }
        return $operations;
    }

    /** @param list<string> $known */
    private static function suggestion(string $word, array $known): string
    {
        $distances = [];
        foreach ($known as $each) {
            $distances[$each] = levenshtein(strtolower($word), strtolower($each));
        }
        asort($distances);
        $near = array_key_first($distances);
        if ($near !== null && $distances[$near] <= strlen($word) / 2) {
            return " (did you mean $near?)";
        }
        return $known === [] ? ' (it has none)' : ' (known are ' . implode(', ', $known) . ')';
    }
}
