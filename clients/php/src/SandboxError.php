<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** The response to a rejected request. */
final class SandboxError extends \RuntimeException
{
    /**
     * @param string $errorCode `error_code` of the response; empty if there is none
     * @param array<string, mixed> $body the response body; empty if it is not JSON
     */
    public function __construct(string $message, public readonly int $status, public readonly string $errorCode, public readonly array $body)
    {
        parent::__construct($message);
    }
}
