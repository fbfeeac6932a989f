<?php
declare(strict_types=1);

namespace PaymentsSandbox;

use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\Before;

/** A fixture for PHPUnit 9 and later: each test has an isolated world with a frozen clock. A failing test prints what happened in it. */
trait TestWorld
{
    protected World $world;

    /** @before */
    #[Before]
    protected function createPaymentsWorld(): void
    {
        $test = method_exists($this, 'name') ? $this->name() : $this->getName();
        $this->world = Sandbox::start()->world(['name' => substr(static::class . "::$test", -64)]);
    }

    /** @after */
    #[After]
    protected function deletePaymentsWorld(): void
    {
        // PHPUnit 9 has numbers: 3 is a failure, 4 an error.
        $failed = method_exists($this, 'status')
            ? $this->status()->isFailure() || $this->status()->isError()
            : in_array($this->getStatus(), [3, 4], true);
        if ($failed) {
            fwrite(STDERR, "\n{$this->world->story()}\n");
        } else {
            $this->world->delete();
        }
    }
}
