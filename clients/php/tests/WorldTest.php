<?php
declare(strict_types=1);

use PaymentsSandbox\BadSignature;
use PaymentsSandbox\Client;
use PaymentsSandbox\NoSandbox;
use PaymentsSandbox\Sandbox;
use PaymentsSandbox\SandboxError;
use PaymentsSandbox\Signature;
use PaymentsSandbox\TestWorld;
use PHPUnit\Framework\TestCase;

final class WorldTest extends TestCase
{
    use TestWorld;

    public function testAPaymentHasADefaultForEverything(): void
    {
        $payment = $this->world->pay();
        $this->assertSame([201, 'createCollection', null], [$payment->status, $payment->operation, $payment->outcome]);
        $this->assertSame('QUEUED', $payment->response['status']);
        $this->assertSame($payment->reference, $payment->request['external_reference']);
        $this->world->settle();
        $callback = $this->world->callback($payment);
        $this->assertSame(['success', true, 1, 200], [$callback->body['status'], $callback->verified, $callback->deliveries, $callback->status]);
        Signature::verify($this->world->secret, $callback->headers, $callback->raw);
        $this->assertSame('default', $this->world->call('explainRequest', ['id' => $payment->requestId])['decided_by']);
    }

    public function testAnOutcomeDecidesHowAPaymentEnds(): void
    {
        $payments = [
            'cancelled' => $this->world->pay(['outcome' => 'payer-cancels', 'reference' => 'order-1', 'amount' => 50]),
            'recipient_not_found' => $this->world->payOut(['outcome' => 'recipient-not-found']),
            'card_declined' => $this->world->pay(['outcome' => 'card-declined']),
            'insufficient_funds' => $this->world->pay(['outcome' => 'insufficient_funds', 'country' => 'NG', 'rail' => 'bank']),
        ];
        $twice = $this->world->pay(['outcome' => 'duplicate-callback']);
        $this->world->settle();
        foreach ($payments as $reason => $payment) {
            $this->assertSame('failed', $this->world->callback($payment)->body['status']);
            $this->assertSame($reason, $this->world->transaction($payment->reference)['transaction']['reason']);
        }
        $this->assertSame('order-1', $this->world->callback('order-1')->externalReference);
        $this->assertSame(2, $this->world->callback($twice)->deliveries);
    }

    /** @dataProvider rejections */
    #[PHPUnit\Framework\Attributes\DataProvider('rejections')]
    public function testARejectionHasAStatusAndAStableCode(array $options, int $status, string $code, string $says): void
    {
        try {
            $this->world->pay($options);
            $this->fail('the payment was accepted');
        } catch (SandboxError $error) {
            $this->assertSame([$status, $code], [$error->status, $error->errorCode]);
            $this->assertStringContainsString($says, $error->getMessage());
        }
    }

    public static function rejections(): array
    {
        return [
            [['outcome' => 'payer-cancel'], 404, 'resource_not_found', 'payer-cancels'],
            [['fields' => ['amount' => -1]], 400, 'invalid_argument', 'amount'],
        ];
    }

    /** @dataProvider mistakes */
    #[PHPUnit\Framework\Attributes\DataProvider('mistakes')]
    public function testAMistakeGetsTheNearestName(string $operation, array $parameters, string $says): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage($says);
        $this->world->call($operation, $parameters);
    }

    public function testAReferenceIsRequired(): void
    {
        foreach (['callback' => 'payment', 'transaction' => 'reference', 'scenario' => 'name'] as $method => $argument) {
            try {
                $this->world->$method('');
                $this->fail("$method accepts an empty text");
            } catch (InvalidArgumentException $wrong) {
                $this->assertMatchesRegularExpression("/^$argument must be .*, got an empty text$/", $wrong->getMessage());
            }
        }
    }

    public static function mistakes(): array
    {
        return [
            ['createColection', [], 'there is no operation createColection (did you mean createCollection?)'],
            ['getCallback', ['idd' => 1], 'getCallback (GET /sandbox/callbacks/{id}) has no parameter idd (did you mean id?)'],
            ['getCallback', [], 'the parameter id is missing'],
        ];
    }

    /** Every operation of the descriptions, as the tests of every client call it. */
    public function testEveryOperationGetsItsResponse(): void
    {
        $list = __DIR__ . '/../../calls.json';
        if (!is_file($list)) {
            $this->markTestSkipped('only in a checkout');
        }
        foreach (json_decode(file_get_contents($list), true) as $call) {
            $code = '';
            try {
                $this->world->call($call['operation'], $call['parameters'], $call['body'] ?? null);
            } catch (SandboxError $error) {
                $code = $error->errorCode;
            }
            $this->assertSame($call['code'], $code, $call['operation']);
        }
    }

    public function testTheClockIsFrozenUntilItAdvances(): void
    {
        $this->world->scenario('wrong-pin');
        $payment = $this->world->pay();
        $this->assertNull($this->world->transaction($payment->reference)['transaction']['reason']);
        $this->world->advance('1h');
        $this->assertNotNull($this->world->transaction($payment->reference)['transaction']['reason']);
        $this->assertStringContainsString("($payment->reference): FAILED", $this->world->story());
    }

    public function testAnOlderSandboxIsNamedWithBothVersions(): void
    {
        $older = new class ($this->world->url, $this->world->username, $this->world->password) extends Client {
            public const VERSION = '9.9.9';

            public function older(): void
            {
                $this->ask('POST', '/sandbox/no-such-path', []);
            }
        };
        $this->expectExceptionMessage('the sandbox is ' . Client::VERSION . ' and this client is 9.9.9');
        $older->older();
    }

    public function testAWorldThatEnded(): void
    {
        $this->expectExceptionMessage('the world of demo+w-gone has ended');
        (new Client($this->world->url, 'demo+w-gone', 'gone'))->call('getClock');
    }

    public function testSignatures(): void
    {
        $secret = 'whsec_cGF5bWVudHMtc2FuZGJveC1kZW1vLW5vdC1zZWNyZXQ=';
        $now = 1_800_000_000;
        $signed = Signature::sign($secret, 'msg_1', $now, '{}');
        $older = Signature::sign('whsec_b2xkZXI=', 'msg_1', $now, '{}')['webhook-signature'];
        Signature::verify($secret, ['Webhook-Signature' => "$older {$signed['webhook-signature']}"] + array_change_key_case($signed, CASE_UPPER), '{}', $now + 300);
        $invalid = [
            'signed 302 s ago' => fn() => Signature::verify($secret, array_map(static fn($value) => [$value], $signed), '{}', $now + 302),
            'signed 301 s ago' => fn() => Signature::verify($secret, $signed, '{}', $now + 301),
            'signed -301 s ago' => fn() => Signature::verify($secret, $signed, '{}', $now - 301),
            'no signature is valid' => fn() => Signature::verify($secret, $signed, '[]', $now),
            'the secret must be' => fn() => Signature::verify('', $signed, '{}', $now),
            'no header webhook-id' => fn() => Signature::verify($secret, [], '{}', $now),
            'got soon' => fn() => Signature::verify($secret, ['webhook-timestamp' => 'soon'] + $signed, '{}', $now),
        ];
        foreach ($invalid as $says => $verify) {
            try {
                $verify();
                $this->fail("not rejected: $says");
            } catch (BadSignature $bad) {
                $this->assertStringContainsString($says, $bad->getMessage());
            }
        }
    }

    public function testASecondTestWithoutASandboxGetsOneLine(): void
    {
        $class = new ReflectionClass(Sandbox::class);
        $shared = $class->getStaticPropertyValue('shared');
        $class->setStaticPropertyValue('shared', null);
        $url = getenv('PAYMENTS_SANDBOX_URL');
        putenv('PAYMENTS_SANDBOX_URL=localhost:8080');
        $messages = [];
        for ($n = 0; $n < 2; $n++) {
            try {
                Sandbox::start();
            } catch (NoSandbox $none) {
                $messages[] = $none->getMessage();
            }
        }
        putenv($url === false ? 'PAYMENTS_SANDBOX_URL' : "PAYMENTS_SANDBOX_URL=$url");
        $class->setStaticPropertyValue('failed', false);
        $class->setStaticPropertyValue('shared', $shared);
        $this->assertSame([
            'PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got "localhost:8080"',
            'there is no sandbox: the first failure of this run lists the remedies',
        ], $messages);
    }
}
