<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** A callback of a payment. */
final class Callback
{
    /**
     * @param string $reference the service's reference of the transaction
     * @param string $externalReference your own reference
     * @param string $state pending, delivered or failed
     * @param mixed $body the parsed body
     * @param string $raw the signed bytes
     * @param array<string, string> $headers those of the last attempt, with names in lower case
     * @param bool $verified whether the signature is valid for the secret of the world
     * @param int $deliveries how often the receiver accepted the callback: 2 for duplicate-callback
     * @param int $status the receiver's last response status; 0 if it did not respond
     */
    public function __construct(
        public readonly int $id,
        public readonly string $reference,
        public readonly string $externalReference,
        public readonly string $url,
        public readonly string $state,
        public readonly mixed $body,
        public readonly string $raw,
        public readonly array $headers,
        public readonly bool $verified,
        public readonly int $deliveries,
        public readonly int $status,
    ) {
    }
}
