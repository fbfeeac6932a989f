<?php
declare(strict_types=1);

/** Calls $onPayment once for each callback, however often it is delivered; again if it fails. */
final class PaymentsReceiver
{
    private const TOLERANCE = 300;
    private const LIMIT = 65536;
    /** In production, keep the ids in your database, in the transaction that books the payment. */
    private array $seen = [];

    public function __construct(private string $secret, private Closure $onPayment)
    {
    }

    /** Returns the status of the response. Names of headers are in lower case. */
    public function receive(array $headers, string $body): int
    {
        if (strlen($body) > self::LIMIT) {
            return 413;
        }
        if (!$this->isGenuine($headers, $body)) {
            return 401;
        }
        $id = $headers['webhook-id'];
        if (!isset($this->seen[$id])) {
            ($this->onPayment)(json_decode($body, true, 32, JSON_THROW_ON_ERROR));
            // Afterwards: if it fails, the next attempt must not count as a copy.
            $this->seen[$id] = true;
        }
        return 204;
    }

    private function isGenuine(array $headers, string $body): bool
    {
        $id = $headers['webhook-id'] ?? '';
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if ($id === '' || !preg_match('/^\d{1,12}$/', $timestamp) || abs(time() - (int) $timestamp) > self::TOLERANCE) {
            return false;
        }
        $key = base64_decode(preg_replace('/^whsec_/', '', $this->secret), true);
        // Everyone can sign with an empty key.
        if ($key === false || $key === '') {
            return false;
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $each) {
            if (hash_equals($expected, $each)) {
                return true;
            }
        }
        return false;
    }
}

// As a page: php -S 127.0.0.1:3000 PaymentsReceiver.php
if (PHP_SAPI !== 'cli') {
    $receiver = new PaymentsReceiver(getenv('PAYMENTS_WEBHOOK_SECRET'), function (array $payment): void {
        error_log("{$payment['external_reference']}: {$payment['status']}");
    });
    http_response_code($receiver->receive(array_change_key_case(getallheaders()), file_get_contents('php://input')));
}
