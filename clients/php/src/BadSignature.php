<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** The signature of a callback is invalid; the message contains the reason. */
final class BadSignature extends \RuntimeException
{
}
