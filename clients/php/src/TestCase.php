<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** A test case of PHPUnit whose tests have a world each: $this->world. The trait TestWorld adds the same to other test cases. */
abstract class TestCase extends \PHPUnit\Framework\TestCase
{
    use TestWorld;
}
