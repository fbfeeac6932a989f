<?php
declare(strict_types=1);

use PaymentsSandbox\TestWorld;
use PHPUnit\Framework\TestCase;

/** Fails on purpose: `run` looks at its output. */
final class Failing extends TestCase
{
    use TestWorld;

    public function testFails(): void
    {
        $payment = $this->world->pay(['outcome' => 'payer-cancels']);
        $this->world->settle();
        $this->assertSame('success', $this->world->callback($payment)->body['status']);
    }
}
