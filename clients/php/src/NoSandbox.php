<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** No sandbox could be started, or none responds at the address. */
final class NoSandbox extends \RuntimeException
{
}
