<?php
declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Sandbox.php';

/** Whether these very bytes were signed with the secret, in the last five minutes. */
function is_genuine(string $secret, array $headers, string $body): bool
{
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = "{$headers['webhook-id']}.{$headers['webhook-timestamp']}.$body";
    $fresh = abs(time() - (int) $headers['webhook-timestamp']) <= 300;
    $own = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    // While a secret is rotated there are several.
    return $fresh && array_filter(explode(' ', $headers['webhook-signature']), fn($sent) => hash_equals($own, $sent)) !== [];
}

final class PaymentTest extends TestCase
{
    private Sandbox $world;

    protected function setUp(): void
    {
        $this->world = Sandbox::world();
    }

    /** The body of the callback of a payment from this number, whose signature holds. */
    private function pay(string $number): array
    {
        $this->world->call('POST', '/api/v2/payments', [
            'account_id' => 63, 'amount' => 100, 'phone_number' => $number, 'provider' => 'm-pesa', 'network_code' => '63902',
            'external_reference' => 'order-1', 'callback_url' => $this->world->inbox,
        ]);
        $this->world->call('POST', '/sandbox/clock/advance', ['by' => '1m']);
        [$callback] = $this->world->call('GET', '/sandbox/callbacks/wait?reference=order-1')['callbacks'];
        $this->assertTrue(is_genuine($this->world->secret, $callback['attempts'][0]['request']['headers'], $callback['body']));
        $this->assertFalse(is_genuine($this->world->secret, $callback['attempts'][0]['request']['headers'], $callback['body'] . ' '));
        return json_decode($callback['body'], true);
    }

    public function testAPaymentSucceeds(): void
    {
        $this->assertSame(['success', 100], [($told = $this->pay('0712345678'))['status'], $told['amount']]);
    }

    public function testThePayerCancelsByTheEndOfTheNumber(): void
    {
        $this->assertSame('failed', $this->pay('0700000002')['status']);
    }

    public function testThePaymentFailsByAScenario(): void
    {
        $this->world->call('PATCH', '/sandbox/scenarios/insufficient-funds', ['on' => true]);
        $this->assertSame('failed', $this->pay('0712345678')['status']);
    }
}
