<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** A payment that the service accepted. */
final class Payment
{
    /**
     * @param string $reference your own reference, under which every other call finds the payment
     * @param string|null $outcome null if the payment succeeds unless the world decides otherwise
     * @param array<string, mixed> $request the body of the request
     * @param array<string, mixed> $response the body of the response
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?string $outcome,
        public readonly string $operation,
        public readonly array $request,
        public readonly array $response,
        public readonly int $status,
        public readonly string $requestId,
    ) {
    }
}
