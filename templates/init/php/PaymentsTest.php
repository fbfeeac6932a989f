<?php
declare(strict_types=1);

require_once __DIR__ . '/../PaymentsReceiver.php';

use PaymentsSandbox\Payment;
use PaymentsSandbox\TestCase;

final class PaymentsTest extends TestCase
{
    private array $received = [];
    private int $failures = 0;

    /** Passes the callback to the receiver as often as it was delivered. */
    private function deliver(Payment $payment): int
    {
        $this->world->settle();
        $callback = $this->world->callback($payment);
        $receiver = new PaymentsReceiver($this->world->secret, function (array $each): void {
            if ($this->failures-- > 0) {
                throw new RuntimeException('the database is down');
            }
            $this->received[$each['external_reference']][] = $each['status'];
        });
        while ($this->failures > 0) {
            try {
                $receiver->receive(array_change_key_case($callback->headers), $callback->raw);
                $this->fail('The receiver accepts a payment that it could not store.');
            } catch (RuntimeException) {
            }
        }
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

    public function testAPaymentThatCouldNotBeStoredIsStoredAtTheNextAttempt(): void
    {
        $this->failures = 1;
        $payment = $this->world->pay();
        $this->deliver($payment);
        $this->assertSame(['success'], $this->received[$payment->reference]);
    }
}
