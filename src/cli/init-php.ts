/** What `init` writes for PHP. */
import type { Language } from './init-files.ts'

const RECEIVER_PHP = `<?php
declare(strict_types=1);

/** Calls $onPayment once for each callback, however often it is delivered. */
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
            $this->seen[$id] = true;
            ($this->onPayment)(json_decode($body, true, 32, JSON_THROW_ON_ERROR));
        }
        return 204;
    }

    private function isGenuine(array $headers, string $body): bool
    {
        $id = $headers['webhook-id'] ?? '';
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if ($id === '' || !preg_match('/^\\d{1,12}$/', $timestamp) || abs(time() - (int) $timestamp) > self::TOLERANCE) {
            return false;
        }
        $key = base64_decode(preg_replace('/^whsec_/', '', $this->secret), true);
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
`

const TESTS_PHP = `<?php
declare(strict_types=1);

require_once __DIR__ . '/../PaymentsReceiver.php';

use PaymentsSandbox\\Payment;
use PaymentsSandbox\\TestWorld;
use PHPUnit\\Framework\\TestCase;

final class PaymentsTest extends TestCase
{
    use TestWorld;

    private array $received = [];

    /** Passes the callback to the receiver as often as it was delivered. */
    private function deliver(Payment $payment): int
    {
        $this->world->settle();
        $callback = $this->world->callback($payment);
        $receiver = new PaymentsReceiver($this->world->secret, function (array $each): void {
            $this->received[$each['external_reference']][] = $each['status'];
        });
        for ($n = 0; $n < $callback->deliveries; $n++) {
            $this->assertSame(204, $receiver->receive(array_change_key_case($callback->headers), $callback->raw));
        }
        return $callback->deliveries;
    }

    public function testAnOrderIsPaid(): void
    {
        $payment = $this->world->pay();
        $this->deliver($payment);
        $this->assertSame(['success'], $this->received[$payment->reference]);
    }

    public function testThePayerCancels(): void
    {
        $payment = $this->world->pay(['outcome' => 'payer-cancels']);
        $this->deliver($payment);
        $this->assertSame(['failed'], $this->received[$payment->reference]);
    }

    public function testACallbackThatIsDeliveredTwiceCountsOnce(): void
    {
        $payment = $this->world->pay(['outcome' => 'duplicate-callback']);
        $this->assertSame(2, $this->deliver($payment));
        $this->assertCount(1, $this->received[$payment->reference]);
    }
}
`

export function phpFiles(): Language {
  return {
    own: [
      { path: 'PaymentsReceiver.php', text: RECEIVER_PHP },
      { path: 'tests/PaymentsTest.php', text: TESTS_PHP },
    ],
    test: 'vendor/bin/phpunit tests/PaymentsTest.php',
    setup: `      - uses: shivammathur/setup-php@v2
        with:
          php-version: '8.3'
      - run: composer install`,
    next: [
      'composer config repositories.payments path CHECKOUT/clients/php   (CHECKOUT is a checkout of the sandbox)',
      'composer require --dev phpunit/phpunit payments-sandbox/payments-sandbox:@dev',
    ],
  }
}
