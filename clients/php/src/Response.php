<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** A response with any status. */
final class Response
{
    /** @param array<string, string> $headers names in lower case */
    private function __construct(public readonly int $status, public readonly array $headers, public readonly string $content)
    {
    }

    /** @param list<string> $lines the status line and the headers */
    public static function of(array $lines, string $content): self
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('~^HTTP/\S+ (\d+)~', $line, $found)) {
                $status = (int) $found[1];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }
        return new self($status, $headers, $content);
    }

    /** Returns the decoded JSON; a text if the body is not JSON. */
    public function value(): mixed
    {
        $isJson = str_contains($this->headers['content-type'] ?? '', 'json') && $this->content !== '';
        return $isJson ? json_decode($this->content, true, 512, JSON_THROW_ON_ERROR) : $this->content;
    }
}
